"""Hand the results on to nbgrader: its gradebook, and notebooks that its formgrader can show for marking by hand.

`out` becomes a course folder of nbgrader: gradebook.db, source/, submitted/, autograded/. What a student wrote enters
autograded/ as plain text, without outputs, so that it runs nowhere when a teacher opens it.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import SaveCells
from tqdm import tqdm

from pe_grading.batch import Submission
from pe_grading.marks import CODE_STUB, same, with_seed
from pe_grading.notebook import Assignment, Cell, code_of, parse_submission, read_bytes
from pe_grading.release import released
from pe_grading.report import write

CONFIG = """c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.db_url = {url!r}
c.ClearSolutions.code_stub = {{"python": {stub!r}}}
"""
ACTIVE = re.compile(r"(?i)(javascript|vbscript|data)(\s*:)")
JOINER = "\u2060"  # has no width: what follows it is not read as a tag or a scheme


def url_of(out: Path) -> str:
    """Return the address of the gradebook in a course folder."""
    return f"sqlite:///{(out / 'gradebook.db').resolve()}"


def open_book(out: Path) -> Gradebook:
    """Open the gradebook of a course folder; nbgrader looks for one of its own programs on the path."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return Gradebook(url_of(out))


def record(out: Path, assignments: dict[str, Assignment], graded: list[tuple[Submission, dict]]) -> None:
    """Write results into the gradebook and the students' notebooks into autograded/."""
    out.mkdir(parents=True, exist_ok=True)
    config = out / "nbgrader_config.py"
    if not config.exists():
        config.write_text(CONFIG.format(root=str(out.resolve()), url=url_of(out), stub=CODE_STUB), encoding="utf-8")
    blanks = {}
    for name in sorted({submission.assignment for submission, _ in graded}):
        _prepare(out, assignments[name])
        blanks[name] = nbformat.writes(released(assignments[name].path, assignments[name].seed))
        write(out / "release" / name / f"{name}.ipynb", blanks[name])
    with open_book(out) as book, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own queries make SQLAlchemy talk
        for submission, result in tqdm(graded, desc="gradebook", unit="submission", leave=False, disable=None):
            assignment = assignments[submission.assignment]
            cells: list[Cell] = []
            with contextlib.suppress(ValueError):
                data = read_bytes(submission.path)
                _write(out / "submitted", submission, data)
                cells = parse_submission(data)
            notebook = nbformat.reads(blanks[assignment.name], as_version=4)
            blank = _fill(notebook, assignment, cells, result)
            _write(out / "autograded", submission, nbformat.writes(notebook).encode())
            _score(book, submission, result, blank)
        book.db.commit()


def marks(out: Path, submissions: list[Submission]) -> dict[tuple[str, str], dict[str, dict]]:
    """Return what the gradebook holds: of each (student, assignment), by grade id, "points" and "comment"."""
    found = {}
    if not (out / "gradebook.db").exists():
        return {}
    with open_book(out) as book:
        for submission in submissions:
            with contextlib.suppress(MissingEntry):
                entry = book.find_submission_notebook(submission.assignment, submission.assignment, submission.student)
                comments = {comment.name: comment.comment for comment in entry.comments}
                found[submission.student, submission.assignment] = {
                    grade.name: {
                        "points": None if grade.needs_manual_grade and grade.manual_score is None else grade.score,
                        "comment": comments.get(grade.name) or "",
                    }
                    for grade in entry.grades
                }
    return found


def _prepare(out: Path, assignment: Assignment) -> None:
    """Make the gradebook know the assignment, by nbgrader's own means."""
    target = out / "source" / assignment.name / f"{assignment.name}.ipynb"
    if not (target.exists() and target.samefile(assignment.path)):
        write(target, with_seed(assignment.path.read_text(encoding="utf-8"), assignment.seed))
    with open_book(out) as book:
        book.update_or_create_assignment(assignment.name)
    resources = {"notebook": assignment.name, "assignment": assignment.name, "db_url": url_of(out)}
    SaveCells().preprocess(released(assignment.path, assignment.seed, hidden=True), {"nbgrader": resources})


def _score(book: Gradebook, submission: Submission, result: dict, blank: set[str]) -> None:
    """Set the automatic scores; a mark that a teacher gave by hand stays."""
    book.update_or_create_student(submission.student)
    entry = book.update_or_create_submission(submission.assignment, submission.student)
    points = {test["grade_id"]: float(test["points"]) for test in result["tests"]}
    for notebook in entry.notebooks:
        for grade in notebook.grades:
            empty = grade.name in blank or bool(result["problem"])
            grade.auto_score = points.get(grade.name, 0.0 if empty else None)
            grade.needs_manual_grade = grade.auto_score is None and grade.manual_score is None
        for comment in notebook.comments:
            comment.auto_comment = "No response." if comment.name in blank else None


def _fill(notebook: nbformat.NotebookNode, assignment: Assignment, cells: list[Cell], result: dict) -> set[str]:
    """Put a student's answers into the released notebook; return the written answers that were left blank."""
    blank, tests = set(), {test["grade_id"]: test for test in result["tests"]}
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        own = [c for c in cells if c.grade_id == grade_id]
        if grade_id in assignment.answers:
            names = assignment.answers[grade_id]
            own += [c for c in cells if any(f"def {name}(" in c.source for name in names)]
            own = [c for c in own if not same(c.source, cell.source)] or own
            if own:
                cell.source = with_seed(code_of(own[-1]), assignment.seed)[:100_000]
        elif any(answer.grade_id == grade_id for answer in assignment.written):
            own = [c for c in own if c.source.strip() and not same(c.source, cell.source)]
            if own:
                text = "\n\n".join(c.source for c in own)[:100_000]
                cell.source = text if cell.cell_type == "code" else harmless(text)
            else:
                blank.add(grade_id)
        elif grade_id in tests:
            test = tests[grade_id]
            words = (
                "passed" if test["passed"] else "\n".join(filter(None, [test["said"], test["hint"]])) or "not passed"
            )
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=words + "\n")]
    if result["problem"]:
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(harmless(result["problem"]), id="problem"))
    return blank


def harmless(text: str) -> str:
    """Return Markdown that shows the same and in which no tag, no script and no active link is left."""
    text = re.sub(r"[^\S\n]|[\x00-\x09\x0b-\x1f]", " ", text)
    text = re.sub(r"<(?=[A-Za-z/!?])", "<" + JOINER, text)
    text = re.sub(r"&(?=[#\w]+;?)", "&amp;", text)
    return ACTIVE.sub(rf"\1{JOINER}\2", text.replace("\\href", "\\" + JOINER + "href"))


def _write(folder: Path, submission: Submission, data: bytes) -> None:
    target = folder / submission.student / submission.assignment / f"{submission.assignment}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    if not (target.exists() and target.samefile(submission.path)):
        target.write_bytes(data)
