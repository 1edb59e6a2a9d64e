"""Read notebooks: the teacher's source in nbgrader's format, and whatever a student hands in.

Source: nbgrader's cell metadata, schema 3, and its marks `### BEGIN SOLUTION` and `### BEGIN HIDDEN TESTS`.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import re
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pe_grading.cell_markup import CODE_STUB, TEXT_STUB, functions_in, modules_in, with_seed, without
from pe_grading.text import decoded, encodable, sentence

SIZE_LIMIT = 25 << 20  # bytes of a submission
CELLS = 2000
NO_LINE = 1 << 30
WEIGHT = re.compile(r"#\s*(\d+(?:\.\d+)?) points?\s*$")
ROLES = {  # (is graded, is to be filled in): what a cell is
    (True, True): "written",
    (True, False): "test",
    (False, True): "answer",
    (False, False): "",
}
DECIDE = (  # what has a say in a result; reports, tables and pages are written anew in every run
    "batch",
    "cell_markup",
    "confine",
    "essays",
    "notebook",
    "protocol",
    "run",
    "sandbox",
    "student",
    "text",
    "worker",
)
FENCE = re.compile(r"^[^\S\n]*```.*$", re.M)


@dataclass(frozen=True)
class Cell:
    """One cell; `role` is "given", "answer", "written", "test" or "" (text)."""

    kind: str
    source: str
    grade_id: str = ""
    role: str = ""
    points: float = 0
    attachments: dict = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Test:
    """One test cell: its whole code, and which of its lines a student sees."""

    grade_id: str
    points: float
    source: str
    visible: str
    hidden_from: int  # the first line that is hidden, or a large number
    hidden_to: int

    @property
    def has_hidden(self) -> bool:
        """Tell whether there are lines that students do not see."""
        return self.hidden_from < NO_LINE

    @functools.cached_property
    def has_visible(self) -> bool:
        """Tell whether students see more than comments."""
        return bool(ast.parse(self.shown).body)

    @functools.cached_property
    def shown(self) -> str:
        """Return the code that students see, each line in its place."""
        lines = self.source.split("\n")
        return "\n".join("" if self.hidden_from <= n <= self.hidden_to else line for n, line in enumerate(lines, 1))

    @functools.cached_property
    def weights(self) -> dict[int, float]:
        """The points of asserts that have points of their own (`# 2 points` at the end), by their first line."""
        lines = self.source.split("\n")
        asserts = [node for node in ast.parse(self.source).body if isinstance(node, ast.Assert)]
        marks = {node.lineno: WEIGHT.search(lines[node.end_lineno - 1]) for node in asserts}
        return {line: float(mark[1]) for line, mark in marks.items() if mark}


@dataclass
class Assignment:
    """What the grader knows of an assignment."""

    name: str
    path: Path
    seed: int
    cells: list[Cell]
    tests: list[Test]
    answers: dict[str, list[str]]  # grade id -> the functions it asks for
    stubs: dict[str, str]  # grade id -> the released source
    written: list[Cell]
    given: list[str]
    modules: list[str]
    digest: str
    functions: list[str] = field(init=False)

    def __post_init__(self):
        self.functions = [name for names in self.answers.values() for name in names]


def load_assignment(path: Path, seed: int = 0, hidden: Path | None = None) -> Assignment:
    """Read a source notebook, for a class's seed, with a teacher's own hidden tests from `hidden/<name>/<grade id>.py`.

    Raises:
        ValueError: Code is no Python, a grade id occurs twice, a hidden test belongs to no test cell, an answer names
            no function, or asserts' own points do not add up.
    """
    name = path.stem
    cells = [read_cell(raw) for raw in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    cells = [Cell(c.kind, with_seed(c.source, seed), c.grade_id, c.role, c.points) for c in cells]
    ids = [c.grade_id for c in cells if c.grade_id]
    if twice := {i for i in ids if ids.count(i) > 1}:
        raise ValueError(f"a grade id must occur once in {name}, got {', '.join(sorted(twice))} twice")
    private = {p.stem: p.read_text(encoding="utf-8") for p in sorted((hidden / name).glob("*.py"))} if hidden else {}
    for grade_id, source in private.items():
        _must_be_python(source, str(hidden / name / f"{grade_id}.py"))
    tests = [_test(c, private.pop(c.grade_id, "")) for c in cells if c.role == "test"]
    if private:
        raise ValueError(f"a hidden test must be called after a test cell of {name}, got {', '.join(private)}")
    for cell in cells:
        if cell.role in ("test", "answer", "given") and cell.kind == "code":
            _must_be_python(cell.source, f"{path}, cell {cell.grade_id or 'without a grade id'}")
    for test in tests:
        if test.weights and sum(test.weights.values()) != test.points:
            raise ValueError(
                f"the points of asserts must add up to those of their cell, {name}/{test.grade_id} "
                f"({test.points:g}), got {sum(test.weights.values()):g}"
            )
    answers = {c.grade_id: functions_in(c.source) for c in cells if c.role == "answer"}
    stubs = {c.grade_id: cleared(c) for c in cells if c.role == "answer"}
    for grade_id, names in answers.items():
        if not names or functions_in(stubs[grade_id]) != names:
            raise ValueError(f"an answer cell must keep its `def` line outside the solution, got {name}/{grade_id}")
    given = [c.source for c in cells if c.role == "given"]
    modules = modules_in("\n".join([*given, *(t.source for t in tests)]))
    written = [c for c in cells if c.role == "written"]
    parts = [(t.grade_id, t.points, t.source, t.hidden_from, t.hidden_to) for t in tests]
    parts += [(c.grade_id, c.points, c.source) for c in cells if c.role != "test"]
    parts += [seed, grader_version()]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    return Assignment(name, path, seed, cells, tests, answers, stubs, written, given, modules, digest)


def _must_be_python(source: str, where: str) -> None:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ValueError(f"{where} must be valid Python, got line {line}: {getattr(error, 'msg', error)}") from None


@functools.cache
def grader_version(folder: Path = Path(__file__).parent) -> str:
    """Return a code for what decides marks besides the notebooks: files of the grader, and versions."""
    files = [(folder / f"{name}.py").read_bytes() for name in DECIDE]
    versions = "{}.{}".format(*sys.version_info)
    for name in ("numpy", "torch"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions += importlib.metadata.version(name)
    return hashlib.sha256(b"".join([*files, versions.encode()])).hexdigest()


def read_bytes(path: Path) -> bytes:
    """Read an ordinary file of bearable size; neither it nor its folder may be a link.

    Raises:
        ValueError: It is none; the message is for the student.
    """
    if path.parent.is_symlink():
        raise ValueError("the folder of this notebook is a link")
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise ValueError(f"the file cannot be opened ({error.strerror})") from None
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise ValueError("this is a folder that is called like a notebook")
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("this is not an ordinary file")
        if status.st_size > SIZE_LIMIT:
            raise ValueError(f"the notebook is over {SIZE_LIMIT >> 20} MB: clear its outputs and hand it in again")
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(SIZE_LIMIT)
    except OSError as error:
        raise ValueError(f"the file cannot be read ({error.strerror})") from None
    finally:
        os.close(handle)


def parse_submission(data: bytes) -> list[Cell]:
    """Find the cells in what a student handed in; ValueError where there are none."""
    try:
        raw = _read_json(data)
        cells = raw["cells"] if "cells" in raw else raw["worksheets"][0]["cells"]
        found = [read_cell(cell) for cell in cells if isinstance(cell, dict)]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MemoryError) as error:
        raise ValueError(f"the file is no notebook ({type(error).__name__}): save it again and hand it in") from None
    if not any(cell.source.strip() for cell in found):
        raise ValueError("nothing is in this notebook: save it again and hand it in")
    if len(found) > CELLS:
        found = [cell for cell in found if cell.source.strip()]
    if len(found) > CELLS:
        raise ValueError(f"the notebook has over {CELLS} cells: take out those that nobody needs and hand it in again")
    return found


def python_of(data: bytes) -> tuple[int, ...]:
    """Return the version of Python that a notebook says it was written with, (3, 12); () if it says none."""
    try:
        language = _read_json(data)["metadata"]["language_info"]
        version = language["version"] if language["name"] == "python" else ""
        return tuple(int(part) for part in version.split(".")[:2])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError):
        return ()


def _read_json(data: bytes) -> Any:
    raw, _ = json.JSONDecoder().raw_decode(decoded(data).lstrip().lstrip("\ufeff"))  # what follows it is no cell
    return raw


def cleared(cell: Cell) -> str:
    """Return the cell's source as students get it: no solution, no hidden test."""
    source = without(cell.source, "HIDDEN TESTS", "")
    if cell.role not in ("answer", "written"):
        return source
    stub = CODE_STUB if cell.kind == "code" else TEXT_STUB
    return without(source, "SOLUTION", stub) if "BEGIN SOLUTION" in source else stub


def code_of(cell: Cell) -> str:
    """Return a cell's code, also where it became text by accident; what stands between fences is code then."""
    if cell.kind == "code":
        return cell.source
    parts = FENCE.split(cell.source)
    return "\n".join(parts[1::2]) if len(parts) > 2 else FENCE.sub("", cell.source)


def read_cell(raw: dict) -> Cell:
    """Make a Cell of JSON that may be malformed."""
    source = raw.get("source", raw.get("input", ""))
    source = "".join(line for line in source if isinstance(line, str)) if isinstance(source, list) else source
    source = encodable(source) if isinstance(source, str) else ""
    metadata = raw.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    mark = mark if isinstance(mark, dict) else {}
    kind = raw.get("cell_type") if raw.get("cell_type") in ("code", "markdown", "raw") else "raw"
    role = ROLES[mark.get("grade") is True, mark.get("solution") is True] or ("given" if kind == "code" else "")
    points = mark.get("points") if isinstance(mark.get("points"), (int, float)) else 0
    attachments = raw.get("attachments") if isinstance(raw.get("attachments"), dict) else {}
    grade_id = sentence(mark.get("grade_id", ""))
    return Cell(kind, source, grade_id, role, points, attachments)


def _test(cell: Cell, private: str) -> Test:
    """Drop the marks, keep the line numbers of what is hidden; a teacher's own test comes last."""
    lines = cell.source.rstrip("\n").split("\n")
    first = NO_LINE
    last = NO_LINE
    begin = [i for i, line in enumerate(lines, 1) if "BEGIN HIDDEN TESTS" in line]
    if begin:
        first = begin[0]
        last = next((i for i, line in enumerate(lines, 1) if "END HIDDEN TESTS" in line), last)
    if private:
        first = min(first, len(lines) + 1)
        last = NO_LINE
        lines += private.rstrip("\n").split("\n")
    return Test(cell.grade_id, cell.points, "\n".join(lines), cleared(cell).strip(), first, last)
