"""A lesson that lies beside another version of the package than the installed one says so, once, and nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "clockwork"
LESSON = "import sys, ipykernel\nimport clockwork.kit\nimport clockwork.kit.glyphs\nfrom clockwork.kit import {name}"


@pytest.fixture
def hub(tmp_path):
    """An installed package, and a student's clone of the course with the same."""
    for folder in ("site/clockwork", "home/clockwork/src/clockwork"):
        kept = ["__init__.py", "_same_version.py", "kit/__init__.py", "kit/glyphs.py"]
        for name in kept:
            place = tmp_path / folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PACKAGE / name, place)
    (tmp_path / "home/clockwork/notebooks/deeper").mkdir(parents=True)
    return tmp_path


def lesson(hub, name="glyphs", folder="notebooks", code=LESSON):
    environment = os.environ | {"PYTHONPATH": str(hub / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    place = hub / "home/clockwork" / folder
    command = [sys.executable, "-c", code.format(name=name)]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("folder", ["notebooks", "notebooks/deeper"])
def test_a_lesson_of_the_installed_version_is_silent(hub, folder):
    shutil.copy(
        PACKAGE / "out_of_order.py", hub / "site/clockwork/out_of_order.py"
    )  # what only the package has is no fault
    ran = lesson(hub, folder=folder)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_lesson_newer_than_the_package_says_whom_to_ask_before_it_fails(hub):
    newer = hub / "home/clockwork/src/clockwork/kit/new_helper.py"
    newer.write_text("")
    ran = lesson(hub, "new_helper")
    assert "ImportError" in ran.stderr
    assert len(ran.stdout.splitlines()) == 1 and "ask your teacher" in ran.stdout


def test_a_changed_file_is_told_and_other_ends_of_lines_are_not(hub):
    file = hub / "home/clockwork/src/clockwork/kit/glyphs.py"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert lesson(hub).stdout == ""
    file.write_text(file.read_text() + "NEW = 1\n")
    assert "different versions" in lesson(hub).stdout


def test_outside_a_notebook_nothing_is_compared(hub):
    (hub / "home/clockwork/src/clockwork/new.py").write_text("")
    assert lesson(hub, code="import clockwork.kit").stdout == ""
