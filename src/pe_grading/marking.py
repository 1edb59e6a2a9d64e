"""Mark written answers on one page: `python3 course.py grade marking` writes it, with rubrics to tick and no names."""

from __future__ import annotations

import hashlib
import re
import secrets
import sys
from pathlib import Path

from pe_grading import commands
from pe_grading.collect import find_submissions
from pe_grading.essays import find_written
from pe_grading.notebook import Assignment, Cell, load_assignment, parse_submission, read_bytes
from pe_grading.report import write

ROW = re.compile(r"^\s*(?:\d+[.)]|[-*])\s+(.*(?:\n(?!\s*(?:\d+[.)]|[-*])\s|\s*\n).*)*)", re.M)
POINTS = re.compile(r"\b(\d+(?:\.\d+)?) points?\b|\((\d+(?:\.\d+)?)\)", re.I)  # 2 points, or (2)


def main(arguments: list[str]) -> int:
    """Write the page; return 0, or 2 for a wrong argument."""
    parser = commands.parser_for("marking", __doc__)
    commands.add_notebooks(parser)
    parser.add_argument("--part", type=part, default=(1, 1), metavar="K/N", help="the K-th of N markers' answers")
    options = parser.parse_args(arguments)
    folder = commands.submitted(options)
    if not folder.is_dir():
        print(f"pe-grade marking: --submitted must be the folder that was handed in, got {folder}", file=sys.stderr)
        return commands.BAD_ARGUMENT
    paths = sorted(options.source.glob("*/*.ipynb"))
    assignments = {path.stem: load_assignment(path, options.seed) for path in paths}
    number, markers = options.part
    asked = share(questions(folder, assignments, options.assignment, options.out), number, markers)
    path = options.out / ("marking.html" if markers == 1 else f"marking-{number}-of-{markers}.html")
    write(path, page(asked, "marks.csv" if markers == 1 else f"marks-{number}-of-{markers}.csv"))
    answers = sum(len(question["answers"]) for question in asked)
    print(f"{path} is written: {commands.counted(answers, 'answer')} to {commands.counted(len(asked), 'question')}")
    return 0


def part(words: str) -> tuple[int, int]:
    """Read `2/3`, the second of three markers.

    Raises:
        ValueError: It is none.
    """
    number, markers = map(int, words.split("/"))
    if not 1 <= number <= markers:
        raise ValueError(words)
    return number, markers


def share(asked: list[dict], number: int, markers: int) -> list[dict]:
    """Return one marker's part: of each student all answers, so that no two mark the same."""
    mine = [
        {**question, "answers": [a for a in question["answers"] if int(a["code"], 16) % markers == number - 1]}
        for question in asked
    ]
    return [question for question in mine if question["answers"]]


def code_of_student(out: Path, student: str) -> str:
    """Return what stands for a student while answers are marked; only who has the folder of results can tell."""
    path = out / "marking.key"
    if not path.exists():
        write(path, secrets.token_hex(16))
    return hashlib.sha256((path.read_text(encoding="utf-8") + student).encode()).hexdigest()[:8]


def questions(folder: Path, assignments: dict[str, Assignment], only: str | None, out: Path) -> list[dict]:
    """Return each question with its rubric and the answers to it, in an order that tells nothing."""
    found = {
        (name, cell.grade_id): {
            "assignment": name,
            "grade_id": cell.grade_id,
            "most": cell.points,
            "rubric": rubric_of(cell),
            "answers": [],
        }
        for name, assignment in assignments.items()
        for cell in assignment.written
    }
    for submission in find_submissions(folder, assignments, only):
        try:
            cells = parse_submission(read_bytes(submission.path))
        except ValueError:
            continue
        written, _ = find_written(assignments[submission.assignment], cells)
        for answer in written:
            if answer.state != "blank":
                pictures = [f"data:{kind};base64,{data}" for p in answer.pictures.values() for kind, data in p.items()]
                one = {"code": code_of_student(out, submission.student), "state": answer.state, "text": answer.text}
                one |= {"pictures": pictures, "digest": answer.summary()["digest"]}
                found[submission.assignment, answer.grade_id]["answers"].append(one)
    asked = [question for question in found.values() if question["answers"]]
    for question in asked:
        question["answers"].sort(key=lambda answer: answer["code"])
    return asked


def rubric_of(cell: Cell) -> list[dict]:
    """Return the rows of a rubric with their points: those that a row names, else an equal share."""
    rows = [" ".join(row.split()) for row in ROW.findall(cell.source)]
    named = [POINTS.search(row) for row in rows]
    return [
        {"text": row, "points": float(points[1] or points[2]) if points else cell.points / len(rows)}
        for row, points in zip(rows, named, strict=True)
    ]


def page(asked: list[dict], table: str = "marks.csv") -> str:
    """Return the page, from which a marker saves `table`."""
    return commands.fill("marking.html", questions=asked, table=table, nonce=secrets.token_hex(16))
