"""Make the students' notebooks from the teacher's: no solution, no hidden test, no output, the marks of nbgrader.

`python course.py assignments` writes them into notebooks/assignments/; with `--seed CLASS --to DIR` a class's own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import nbformat

from pe_grading.cell_markup import with_seed
from pe_grading.classes import SALTS, new_class, salts
from pe_grading.notebook import cleared, load_assignment, read_cell

SOURCE = Path("assignments/source")
STUDENTS = Path("notebooks/assignments")


def release(path: Path, seed: int = 0) -> str:
    """Return the student's version of a source notebook as text, the same for the same source and seed.

    Raises:
        ValueError: The source breaks a rule of `load_assignment`.
    """
    return nbformat.writes(released(path, seed)) + "\n"


def released(path: Path, seed: int = 0, hidden: bool = False) -> nbformat.NotebookNode:
    """Return the student's version as a notebook; with `hidden` its hidden tests stay, as a gradebook keeps them."""
    from nbgrader.utils import compute_checksum

    load_assignment(path, seed)
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        read = read_cell(cell)
        cell.source = with_seed(read.source if hidden and read.role == "test" else cleared(read), seed)
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("solution") or mark.get("grade") or mark.get("locked"):
            cell.metadata["deletable"] = False
        if not mark.get("solution") and (mark.get("grade") or mark.get("locked")):
            cell.metadata["editable"] = False
        if read.role == "test":  # a test of a function that is not written yet stops nobody's "run all"
            cell.metadata["tags"] = sorted({*cell.metadata.get("tags", []), "raises-exception"})
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
        if mark:
            mark["checksum"] = compute_checksum(cell)
    return notebook


def sources(folder: Path = SOURCE) -> list[Path]:
    """Return the source notebooks in a folder, by name."""
    return sorted(path for path in folder.glob("*/*.ipynb") if path.stem == path.parent.name)


def main(arguments: list[str] | None = None) -> int:
    """Write the students' notebooks."""
    parser = argparse.ArgumentParser(prog="course.py assignments", description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="the folder of the teacher's notebooks")
    parser.add_argument("--to", type=Path, default=STUDENTS, help="where the students' notebooks go")
    parser.add_argument("--seed", default="0", metavar="CLASS", help="a number or a class's name")
    options = parser.parse_args(arguments)
    paths = sources(options.source)
    if not paths:
        print(f"{options.source} holds no <name>/<name>.ipynb", file=sys.stderr)
        return 1
    try:
        known = salts()
        seed = new_class(options.seed)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    options.to.mkdir(parents=True, exist_ok=True)
    for path in paths:
        (options.to / path.name).write_text(release(path, seed), encoding="utf-8")
        print(options.to / path.name)
    if salts() != known:
        print(f"SEED = {seed}: from the name and a secret in {SALTS}. Keep that file, and give it to no student.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
