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


def test_long_files_run_first_a_file_stays_in_one_process_and_lessons_are_shared_out(tmp_path):
    shutil.copy(CONFTEST, tmp_path)
    short, again = "test_a.py", "test_b.py"
    (tmp_path / "grading").mkdir()
    graders = {f"grading/test_{number}.py": "" for number in range(3)}
    files = {short: "", again: "", **graders}
    files |= {"test_pages.py": "browser", "test_site.py": "browser", "test_z.py": "slow"}
    for name, mark in files.items():
        count = 9 if name == short else 6
        test = "test_lesson_runs" if mark == "slow" else "test"
        (tmp_path / name).write_text(
            "import os, pytest, time\n"
            + f"pytestmark = pytest.mark.{mark}\n" * bool(mark)
            + f"@pytest.mark.parametrize('i', range({count}))\ndef {test}(i):\n"
            "    with open('log', 'a') as file:\n"
            f"        print(os.environ['PYTEST_XDIST_WORKER'], '{name}', file=file)\n"
            "    time.sleep(0.2)\n"
            f"    assert i != 2 or {name!r} != {again!r}\n"
        )
    run = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(CONFTEST.parent.parent)}, "capture_output": True}
    listed = subprocess.run([*run_tests.PYTEST, "--collect-only", "-q"], **run).stdout.decode()
    assert listed.startswith("test_site.py"), "the longest file is not the first"
    subprocess.run([*run_tests.PYTEST, *run_tests.ALL], **run)
    ran = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    workers = {name: {worker for worker, other in ran if other == name} for name in files}
    assert len(ran) == 51 and {name for name in files if len(workers[name]) > 1} <= {"test_z.py"}
    began = sorted(files, key=[name for _, name in ran].index)
    assert set(began[:3]) == {"test_pages.py", "test_site.py", "test_z.py"}
    assert len(set.union(*map(workers.get, graders))) == 1
    assert workers["test_pages.py"] != workers["test_site.py"]
    once_more = subprocess.run([*run_tests.PYTEST, *run_tests.AGAIN, "-rA"], **run).stdout.decode()
    assert "1 failed" in once_more and "passed" not in once_more
