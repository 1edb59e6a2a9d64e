"""How long does `course.py grade` take for a class, from the first notebook to the last page?

`python3 course.py bench grading` measures three classes, or those that are named (`numpy`, `torch`, `large`). A class
hands in `sinusoid`: right answers, in numpy or in torch as in assignments/right/, and every seventh wrong.
"""

import argparse
import ast
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

HOME = Path(__file__).parents[1]
NAME = "sinusoid"
SOURCE = HOME / "assignments" / "source"
IN_TORCH = HOME / "assignments" / "right" / f"{NAME}.py"
RESULT = HOME / "benchmarks" / "results" / "grading.json"
CLASSES = {"numpy": ("numpy", 300), "torch": ("torch", 300), "large": ("torch", 3000)}
MOST_SECONDS = {"numpy": 40, "torch": 40, "large": 360}  # what a class may take on two quiet cores
JOBS = 2
WRONG_EVERY = 7


def notebooks(library):
    """Return a right and a wrong notebook as text."""
    book = nbformat.read(SOURCE / NAME / f"{NAME}.ipynb", as_version=4)
    if library == "torch":
        text = IN_TORCH.read_text(encoding="utf-8")
        answers = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        for cell in book.cells:
            asked = [name for name in answers if f"def {name}(" in cell.source]
            if cell.metadata.get("nbgrader", {}).get("solution") and asked:
                parts = [ast.unparse(answers[name]) for name in asked]
                cell.source = "\n\n\n".join(["import numpy as np\nimport torch", *parts])
    right = nbformat.writes(book)
    for cell in book.cells:
        if "def repair(" in cell.source:
            cell.source = "def repair(*_):\n    return None"
    return right, nbformat.writes(book)


def hand_in(folder, library, students):
    """Write the notebooks of a class."""
    right, wrong = notebooks(library)
    for number in range(students):
        path = folder / f"s{number:04}" / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(wrong if number % WRONG_EVERY == 0 else right, encoding="utf-8")


def measure(library, students, folder):
    """Grade a class by the command that a teacher types; return the numbers."""
    hand_in(folder / "submitted", library, students)
    command = [sys.executable, "-m", "pe_grading", str(folder / "submitted"), "--out", str(folder / "graded")]
    kept = dict(os.environ, PYTHONDONTWRITEBYTECODE="")  # as Python does: libraries are compiled once, not in each run
    start = time.perf_counter()
    subprocess.run([*command, "--jobs", str(JOBS)], cwd=HOME, env=kept, check=True)
    seconds = time.perf_counter() - start
    with (folder / "graded" / "grades.csv").open(newline="", encoding="utf-8") as stream:
        points = [float(row[NAME]) for row in csv.DictReader(stream)]
    full = max(points)
    assert len(points) == students and points.count(full) == students - len(range(0, students, WRONG_EVERY)), points
    assert len(list((folder / "graded" / "feedback").glob(f"*/{NAME}/{NAME}.html"))) == students
    assert (folder / "graded" / "nbgrader" / "gradebook.db").exists()
    return {"submissions": students, "seconds": round(seconds, 1), "per_minute": round(60 * students / seconds)}


def summary(result):
    """Return the rows and the note of the table that the teacher's page shows."""
    measured = [(library, result[name]) for name, (library, _) in CLASSES.items() if name in result]
    rows = [
        {
            "answers in": library,
            "submissions": part["submissions"],
            "seconds": round(part["seconds"]),
            "a minute": part["per_minute"],
        }
        for library, part in measured
    ]
    load = max(part["load_of_the_machine"] for _, part in measured)
    before = max(part.get("load_before", 0) for _, part in measured)
    note = (
        "The whole command, with gradebook, tables and pages. A submission has eight tests and runs in five processes; "
        f"{result['processes']} at a time on {result['cores']} cores, at a load of up to {load:.0f} from all programs, "
        f"{before:.0f} before it began."
    )
    return {"readme": rows, "note": note}


def main():
    """Measure and write benchmarks/results/grading.json."""
    parser = argparse.ArgumentParser(prog="course.py bench grading", description=__doc__.splitlines()[0])
    parser.add_argument("classes", nargs="*", metavar="CLASS", help=f"{', '.join(CLASSES)}; without one, all")
    asked = parser.parse_args().classes or list(CLASSES)
    if unknown := [name for name in asked if name not in CLASSES]:
        parser.error(f"a class must be one of {', '.join(CLASSES)}, got {unknown[0]}")
    old = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "processes": JOBS,
        "python": platform.python_version(),
    }
    result = machine | {name: old[name] for name in CLASSES if name in old}
    for name in asked:
        before = round(os.getloadavg()[0], 1)
        with tempfile.TemporaryDirectory() as folder:
            result[name] = measure(*CLASSES[name], Path(folder))
        result[name] |= {"load_before": before, "load_of_the_machine": round(os.getloadavg()[0], 1)}
        print(f"{name}: {result[name]}, to reach: {MOST_SECONDS[name]} s on two quiet cores")
        result |= summary(result)
        RESULT.parent.mkdir(parents=True, exist_ok=True)
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
