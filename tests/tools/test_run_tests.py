"""The command that runs the tests: the same for a reader and for CI, in the same parts."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import conftest
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
    call.status = 0
    return call


@pytest.mark.parametrize(("status", "times", "result"), [(0, 1, 0), (1, 2, 0), (2, 1, 2), (4, 1, 4)])
def test_what_failed_is_tried_once_more_alone_and_what_could_not_run_is_not(calls, status, times, result):
    calls.status = status
    assert run_tests.main([]) == result and len(calls.seen) == times
    assert all("--last-failed" in command and "-n" not in command for command in calls.seen[1:])


def test_arguments_go_to_pytest_as_they_are(calls):
    calls.status = 1
    assert run_tests.main(["-k", "x y"]) == 1 and calls.seen == [["-k", "x y"]]


def test_a_lesson_s_number_names_its_own_tests_and_the_rules_and_options_may_follow(calls):
    run_tests.main(["04", "-x"])
    (command,) = calls.seen
    assert {"tests/lessons/lesson_04", "tests/lessons/test_lessons.py", "-x"} <= set(command)
    assert "tests/lessons/lesson_05" not in command and command[command.index("-k") + 1] == "lesson_04 or 04_"


def test_the_quick_part_says_what_it_left_out_and_how_to_have_it(calls, capsys):
    run_tests.main([])
    assert "--rest" in capsys.readouterr().out and calls.seen == [[*run_tests.ALL, "--part", "quick"]]
    run_tests.main(["--rest"])
    assert "eft out" not in capsys.readouterr().out


class Item(NamedTuple):
    """A collected test, as far as the choice of parts looks at it."""

    nodeid: str
    mark: str = ""

    @property
    def path(self):
        return Path(self.nodeid.split("::")[0])

    def get_closest_marker(self, name):
        return self.mark == name


SMOKE = [Item(f"{begin}one", "slow") for begin in run_tests.SMOKE]
OTHERS = [
    Item("tests/lessons/test_lessons.py::test_lesson_runs[01_x]", "slow"),
    Item("tests/kit/test_plots.py::test_colours"),
    Item("tests/grading/test_late.py::test_a_day"),
    Item("tests/browser/test_site.py::test_links", "browser"),
]


def chosen(part, items, again=False):
    items = list(items)
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    conftest.pytest_collection_modifyitems(SimpleNamespace(getoption={"part": part, "lf": again}.get, hook=hook), items)
    return items


def test_quick_and_rest_are_together_all_and_share_nothing():
    quick, rest = chosen("quick", SMOKE + OTHERS), chosen("rest", SMOKE + OTHERS)
    assert sorted(quick + rest) == sorted(SMOKE + OTHERS)
    assert sorted(quick) == sorted([*SMOKE, OTHERS[1]])


def test_a_smoke_test_that_is_no_longer_there_is_named():
    with pytest.raises(pytest.UsageError, match=re.escape(SMOKE[0].nodeid[:-3])):
        chosen("quick", SMOKE[1:])
    assert chosen("quick", SMOKE[1:], again=True)


def test_the_jobs_of_ci_are_together_all():
    """Grading is a folder, which the two others leave out; these two differ in one mark."""
    grading, browser, others = (run_tests.PARTS[f"--{job}"] for job in ("grading", "browser", "lessons"))
    assert browser[:-1] == others[:-1] == [f"--ignore={grading[0]}", "-m"] and others[-1] == f"not {browser[-1]}"


def test_files_that_take_minutes_come_first_the_site_s_before_all():
    names = [item.path.name for item in chosen(None, reversed(SMOKE + OTHERS))]
    assert names[0] == "test_site.py" and set(names[-2:]) == {"test_late.py", "test_plots.py"}


@pytest.mark.slow
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
            "    time.sleep(0.05)\n"
            f"    assert i != 2 or {name!r} != {again!r}\n"
        )
    run = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(CONFTEST.parent.parent)}, "capture_output": True}
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
