"""The house's own rules: ruff's, short files, and sentences that belong to the project alone."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

HOME = Path(__file__).resolve().parent.parent
LESSONS = sorted((HOME / "notebooks").glob("*.ipynb"))
LONGEST_FILE = 200
FILLERS = re.compile(r"\b(simply|obviously|just|of course)\b", flags=re.I)


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=HOME, capture_output=True, text=True, check=True)
    return [HOME / name for name in listed.stdout.split("\0") if name and (HOME / name).is_file()]


@pytest.mark.parametrize("arguments", [["check"], ["format", "--check"]], ids=["lint", "format"])
def test_ruff_has_nothing_to_say(arguments):
    result = subprocess.run([sys.executable, "-m", "ruff", *arguments, "."], cwd=HOME, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_file_of_the_packages_can_be_read_in_one_sitting():
    for path in tracked("src/*.py", "src/*.js"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE, path


def test_no_file_names_a_path_of_one_machine():
    for path in tracked("*.py", "*.md", "*.ipynb", "*.toml", "*.yml", "*.json", "*.js"):
        assert not re.search(r"[\"'( =]/(work|root|opt)/", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_never_say_how_easy_something_is(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            assert not FILLERS.search(cell.source), FILLERS.search(cell.source)
