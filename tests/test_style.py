"""The house's own rules: ruff's, prettier's, and sentences that belong to the project alone."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import require

HOME = Path(__file__).resolve().parent.parent
LESSONS = sorted((HOME / "notebooks").glob("**/*.ipynb"))
PRETTIER = "prettier@3.10.1"
FOLDERS = ("", "src", "src/pe_helpers", "src/clockwork", "src/clockwork/kit", "src/clockwork/lessons/lesson_04")
FILLERS = re.compile(r"\b(simply|obviously|just|of course)\b", flags=re.I)


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=HOME, capture_output=True, text=True, check=True)
    return [HOME / name for name in listed.stdout.split("\0") if name and (HOME / name).is_file()]


@pytest.mark.parametrize("arguments", [["check"], ["format", "--check"]], ids=["lint", "format"])
def test_ruff_has_nothing_to_say(arguments):
    result = subprocess.run([sys.executable, "-m", "ruff", *arguments, "."], cwd=HOME, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_prettier_has_nothing_to_say():
    """`npx prettier@3.10.1 --write "**/*.{js,css}"` puts it right."""
    advice = f"{PRETTIER} is missing: install Node.js (npm) and connect to the network"
    require(npx := shutil.which("npx"), advice)
    files = [str(path.relative_to(HOME)) for path in tracked("*.js", "*.css")]
    command = [npx, "--yes", PRETTIER, "--check", *files]
    result = subprocess.run(command, cwd=HOME, capture_output=True, text=True)
    require("npm error" not in result.stderr, advice)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_file_in_the_layout_exists():
    layout = re.search(
        r"## How the code is laid out\s+```\n(.*?)```", (HOME / "CONTRIBUTING.md").read_text("utf-8"), re.S
    )
    names = re.findall(r"[\w./]+(?:\.(?:py|toml|txt)|/)(?=[\s;:,])", layout[1])
    assert len(names) > 30
    for name in names:
        assert any((HOME / folder / name).exists() for folder in FOLDERS), name


def test_every_file_in_the_table_of_contributing_exists():
    table = re.search(r"## Where to change what\s+(.*?)\n\n", (HOME / "CONTRIBUTING.md").read_text("utf-8"), re.S)
    for path in re.findall(r"`((?:src|assignments|notebooks)/[^`]+)`", table[1]):
        pattern = re.sub(r"<\w+>|NN(_…)?", "*", path)
        assert list(HOME.glob(pattern)), path


def imported(source):
    """List the modules that a file imports: by a statement anywhere in it, or by name through importlib."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and re.search(r"(import_module|__import__)$", ast.unparse(node.func)):
            yield "".join(part.value for part in ast.walk(node) if isinstance(getattr(part, "value", None), str))


@pytest.mark.parametrize(
    "source",
    [
        "from clockwork.lessons import lesson_13",
        "def late():\n    import clockwork.lessons.lesson_13.figures as far",
        'def __getattr__(name):\n    return importlib.import_module(f"clockwork.lessons.lesson_{ROOMS[name]}.goals")',
        'far = __import__("clockwork.lessons.lesson_13")',
    ],
)
def test_an_import_is_seen_wherever_and_however_it_is_written(source):
    assert any(name.startswith("clockwork.lessons.lesson_") for name in imported(source))


@pytest.mark.parametrize("file", tracked("src/clockwork/*.py", "src/pe_helpers/*.py"), ids=lambda path: str(path)[-40:])
def test_a_room_imports_no_other_room_the_kit_no_room_and_the_helpers_no_course(file):
    room = re.search(r"lesson_\w+", str(file.parent))
    allowed = rf"clockwork\.lessons\.{room[0]}\b" if room else r"(?!)"
    forbidden = "clockwork" if "pe_helpers" in file.parts else rf"(?!{allowed})clockwork\.lessons"
    found = [name for name in imported(file.read_text("utf-8")) if re.match(forbidden, name)]
    assert not found, "what two lessons share lies in clockwork.kit"


def test_no_file_names_a_path_of_one_machine():
    for path in tracked("*.py", "*.md", "*.ipynb", "*.toml", "*.yml", "*.json", "*.js"):
        assert not re.search(r"[\"'( =]/(work|root|opt)/", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_never_say_how_easy_something_is(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            assert not FILLERS.search(cell.source), FILLERS.search(cell.source)
