"""The command that runs the tests: the same for a reader and for CI, in the same parts."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tools import run_tests

CONFTEST = Path(__file__).parent.parent / "conftest.py"


@pytest.fixture
def calls(monkeypatch):
    """Record what would be run; the first run fails with the status that a test sets."""
    seen = []

    def call(command):
        seen.append(command[len(run_tests.PYTEST) :])
        return call.status if len(seen) == 1 else 0

    monkeypatch.setattr(subprocess, "call", call)
    call.seen = seen
    return call


@pytest.mark.parametrize(("status", "times", "result"), [(0, 1, 0), (1, 2, 0), (2, 1, 2), (4, 1, 4)])
def test_what_failed_is_tried_once_more_alone_and_what_could_not_run_is_not(calls, status, times, result):
    calls.status = status
    assert run_tests.main([]) == result and len(calls.seen) == times
    assert all("--last-failed" in command and "-n" not in command for command in calls.seen[1:])


def test_arguments_go_to_pytest_as_they_are(calls):
    calls.status = 1
    assert run_tests.main(["-k", "x y"]) == 1 and calls.seen == [["-k", "x y"]]


def test_one_process_takes_all_tests_with_a_browser_and_a_file_stays_in_one_process(tmp_path):
    shutil.copy(CONFTEST, tmp_path)
    files = ("browser/test_pages.py", "browser/test_sliders.py", "test_one.py", "test_two.py")
    (tmp_path / "browser").mkdir()
    for name in files:
        (tmp_path / name).write_text(
            "import os, pytest\n@pytest.mark.parametrize('i', range(6))\ndef test(i):\n"
            "    with open('log', 'a') as file:\n"
            f"        print(os.environ['PYTEST_XDIST_WORKER'], '{name}', file=file)\n"
            f"    assert i != 2 or {name!r} != 'test_two.py'\n"
        )
    run = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(CONFTEST.parent.parent)}, "capture_output": True}
    subprocess.run([*run_tests.PYTEST, *run_tests.ALL], **run)
    ran = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    workers = {name: {worker for worker, other in ran if other == name} for name in files}
    assert all(len(found) == 1 for found in workers.values()) and len(set.union(*workers.values())) == 2
    assert workers[files[0]] == workers[files[1]]
    again = subprocess.run([*run_tests.PYTEST, *run_tests.AGAIN, "-rA"], **run).stdout.decode()
    assert "1 failed" in again and "passed" not in again
