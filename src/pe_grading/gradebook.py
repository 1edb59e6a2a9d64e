"""Hand the results on to nbgrader: its gradebook, and notebooks that its formgrader can show for marking by hand.

`course` becomes a course folder of nbgrader: gradebook.db, source/, submitted/, autograded/. What a student wrote
enters autograded/ as plain text and pictures, without outputs, so that it runs nowhere when a teacher opens it.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat
import nbgrader
from alembic.script import ScriptDirectory
from nbgrader import api
from nbgrader.api import Assignment as Assignments
from nbgrader.api import BaseCell, Comment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import SaveCells
from tqdm import tqdm

from pe_grading.cell_markup import CODE_STUB, same, with_seed
from pe_grading.collect import Submission
from pe_grading.essays import Written, find_written
from pe_grading.notebook import Assignment, Cell, code_of, parse_submission, read_bytes
from pe_grading.release import released
from pe_grading.report import write
from pe_grading.review import Queue

CONFIG = """c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.db_url = {url!r}
c.ClearSolutions.code_stub = {{"python": {stub!r}}}
"""
ACTIVE = re.compile(r"(?i)(javascript|vbscript|data)(\s*:)")
COMMENTS = "comments.json"
BATCH = 100  # submissions that are written together
JOINER = "\u2060"  # has no width: what follows it is not read as a tag or a scheme


def url_of(course: Path) -> str:
    """Return the address of the gradebook in a course folder."""
    return f"sqlite:///{(course / 'gradebook.db').resolve()}"


def open_book(course: Path) -> Gradebook:
    """Open the gradebook of a course folder."""
    api.get_alembic_version = version_of_tables
    return Gradebook(url_of(course))


def version_of_tables() -> str:
    """Return the version of nbgrader's tables; nbgrader itself starts a program to ask, which takes seconds."""
    return ScriptDirectory(Path(nbgrader.__file__).parent / "alembic").get_current_head()


def record(
    course: Path,
    assignments: dict[str, Assignment],
    graded: list[tuple[Submission, dict, str]],
    queue: Queue,
) -> None:
    """Write results that are new into the gradebook and the students' notebooks into autograded/.

    Args:
        course: The course folder.
        assignments: By name.
        graded: Each submission with its result and fingerprint.
        queue: Takes what could not be written.
    """
    recorded = _recorded(course)
    fresh = [one for one in graded if recorded.get(_key(one[0]), {}).get("fingerprint") != one[2]]
    fresh = [one for one in fresh if one[1]["state"] == "graded"]
    if not fresh:
        return
    course.mkdir(parents=True, exist_ok=True)
    config = course / "nbgrader_config.py"
    if not config.exists():
        text = CONFIG.format(root=str(course.resolve()), url=url_of(course), stub=CODE_STUB)
        config.write_text(text, encoding="utf-8")
    blanks = {}
    for name in sorted({submission.assignment for submission, _, _ in fresh}):
        _prepare(course, assignments[name])
        blanks[name] = released(assignments[name].path, assignments[name].seed)
        write(course / "release" / name / f"{name}.ipynb", nbformat.writes(blanks[name]))
    try:
        with open_book(course) as book, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own queries make SQLAlchemy talk
            names = dict(book.db.query(BaseCell.id, BaseCell.name).tuples())

            def record_one(submission: Submission, result: dict, fingerprint: str) -> dict:
                assignment = assignments[submission.assignment]
                before = recorded.get(_key(submission), {}).get("answers", {})
                notebook = copy.deepcopy(blanks[assignment.name])
                now = _record_one(course, book, assignment, submission, result, notebook, before, names)
                return {"fingerprint": fingerprint, "answers": now}

            def record_together(batch: list[tuple[Submission, dict, str]]) -> dict[str, dict]:
                with _together(book):
                    for submission, _, _ in batch:
                        book.update_or_create_student(submission.student)
                    book.db.flush()
                    return {_key(one[0]): record_one(*one) for one in batch}

            with tqdm(total=len(fresh), desc="gradebook", leave=False, disable=None) as bar:
                for start in range(0, len(fresh), BATCH):
                    batch = fresh[start : start + BATCH]
                    try:
                        recorded |= record_together(batch)
                    except Exception:  # of one of them: now each for itself
                        for one in batch:
                            with queue.barrier("gradebook", one[0].student, one[0].assignment):
                                recorded |= record_together([one])
                    bar.update(len(batch))
    finally:
        write(course / "recorded.json", json.dumps(recorded, indent=1))


@contextlib.contextmanager
def _together(book: Gradebook) -> Iterator[None]:
    """Commit what the block does at once, although nbgrader commits after every step; undo all of it where it fails."""
    commit = book.db.commit
    book.db.commit = lambda: None
    try:
        with book.db.no_autoflush:
            yield
        commit()
    except BaseException:
        book.db.rollback()
        raise
    finally:
        book.db.commit = commit


def marks(course: Path, submissions: list[tuple[str, str]]) -> dict[tuple[str, str], dict[str, dict]]:
    """Return the marks that were given by hand: of each (student, assignment), by grade id, what `rows.Marks` says."""
    found: dict[tuple[str, str], dict[str, dict]] = {pair: {} for pair in submissions}
    if not (course / "gradebook.db").exists():
        return {}
    with open_book(course) as book:

        def all_of(table: type, *columns: object) -> Iterator[tuple]:
            query = book.db.query(SubmittedAssignment.student_id, Assignments.name, BaseCell.name, *columns)
            query = query.select_from(table).join(BaseCell, table.cell_id == BaseCell.id)
            query = query.join(SubmittedNotebook, table.notebook_id == SubmittedNotebook.id)
            query = query.join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            query = query.join(Assignments, SubmittedAssignment.assignment_id == Assignments.id)
            return ((row[:2], *row[2:]) for row in query if row[:2] in found)

        for place, name, by_hand, score, again in all_of(
            Grade, Grade.manual_score, Grade.score, Grade.needs_manual_grade
        ):
            mark = {"by_hand": by_hand is not None, "points": score, "again": bool(again), "comment": ""}
            found[place][name] = mark
        for place, name, comment in all_of(Comment, Comment.manual_comment):
            if comment and name in found[place]:
                found[place][name]["comment"] = comment
    for (student, assignment, name), comment in _comments(course).items():
        if (student, assignment) in found:
            mark = {"by_hand": False, "points": None, "again": False}
            found[student, assignment].setdefault(name, mark)["comment"] = comment
    return {place: marks for place, marks in found.items() if marks}


def keep_comments(course: Path, comments: dict[tuple[str, str, str], str]) -> None:
    """Keep comments on tests, by student, assignment and grade id: nbgrader's gradebook has no place for them."""
    if comments:
        rows = [[*place, words] for place, words in (_comments(course) | comments).items()]
        write(course / COMMENTS, json.dumps(rows, indent=1, ensure_ascii=False))


def _comments(course: Path) -> dict[tuple[str, str, str], str]:
    with contextlib.suppress(OSError, ValueError):
        rows = json.loads((course / COMMENTS).read_text(encoding="utf-8"))
        return {(student, assignment, name): words for student, assignment, name, words in rows}
    return {}


def _key(submission: Submission) -> str:
    return f"{submission.student}/{submission.assignment}"


def _recorded(course: Path) -> dict[str, dict]:
    """Return what was recorded before: by submission its fingerprint and a code of each answer that is marked."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((course / "recorded.json").read_text(encoding="utf-8"))
    return {}


def _prepare(course: Path, assignment: Assignment) -> None:
    """Make the gradebook know the assignment, by nbgrader's own means."""
    target = course / "source" / assignment.name / f"{assignment.name}.ipynb"
    if not (target.exists() and target.samefile(assignment.path)):
        write(target, with_seed(assignment.path.read_text(encoding="utf-8"), assignment.seed))
    with open_book(course) as book:
        book.update_or_create_assignment(assignment.name)
    resources = {"notebook": assignment.name, "assignment": assignment.name, "db_url": url_of(course)}
    SaveCells().preprocess(released(assignment.path, assignment.seed, hidden=True), {"nbgrader": resources})


def _record_one(
    course: Path,
    book: Gradebook,
    assignment: Assignment,
    submission: Submission,
    result: dict,
    notebook: nbformat.NotebookNode,
    before: dict[str, str],
    names: dict[str, str],
) -> dict[str, str]:
    """Write one submission; return a code of each answer, which tells next time whether it changed."""
    cells: list[Cell] = []
    if not submission.problem:
        with contextlib.suppress(ValueError):
            data = read_bytes(submission.path)
            write(_place(course / "submitted", submission), data)
            cells = parse_submission(data)
    written, unmatched = find_written(assignment, cells)
    _fill(notebook, assignment, cells, written, [cell for _, cell in unmatched.cells], result)
    text = json.dumps(notebook, ensure_ascii=False)  # nbformat's own `writes` takes 5 times as long: it validates
    write(_place(course / "autograded", submission), text)
    answers = {answer.grade_id: answer.summary()["digest"] for answer in written}
    answers |= {test["grade_id"]: str(test["points"]) for test in result["tests"]}
    _score(book, submission, result, answers, before, names)
    return answers


def _score(
    book: Gradebook,
    submission: Submission,
    result: dict,
    now: dict[str, str],
    before: dict[str, str],
    names: dict[str, str],
) -> None:
    """Set the automatic scores; a mark that a teacher gave stays, and is asked for again where its answer changed.

    `names` are those of the cells, by their ids: to ask nbgrader for each would be a query each.
    """
    entry = book.update_or_create_submission(submission.assignment, submission.student)
    points = {test["grade_id"]: float(test["points"]) for test in result["tests"]}
    blank = {answer["grade_id"] for answer in result["written"] if answer["state"] == "blank"}
    for notebook in entry.notebooks:
        for grade in notebook.grades:
            name = names[grade.cell_id]
            grade.auto_score = points.get(name, 0.0 if name in blank else None)
            grade.needs_manual_grade = _needs_marking(grade, before.get(name) not in (None, now.get(name)))
        for comment in notebook.comments:
            comment.auto_comment = "No response." if names[comment.cell_id] in blank else None


def _needs_marking(grade: Grade, changed: bool) -> bool:
    """Tell whether a teacher has to look at this: nobody has marked it, or it changed after it was marked."""
    if grade.manual_score is None:
        return grade.auto_score is None
    return changed or bool(grade.needs_manual_grade)


def _fill(
    notebook: nbformat.NotebookNode,
    assignment: Assignment,
    cells: list[Cell],
    written: list[Written],
    unmatched: list[Cell],
    result: dict,
) -> None:
    """Put a student's answers into the released notebook, and at its end what belongs to no question."""
    tests = {test["grade_id"]: test for test in result["tests"]}
    answered = {answer.grade_id: answer for answer in written if answer.state != "blank"}
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if grade_id in assignment.answers:
            names = assignment.answers[grade_id]
            own = [c for c in cells if c.grade_id == grade_id]
            own += [c for c in cells if any(f"def {name}(" in c.source for name in names)]
            own = [c for c in own if not same(c.source, cell.source)] or own
            if own:
                cell.source = with_seed(code_of(own[-1]), assignment.seed)[:100_000]
        elif grade_id in answered:
            cell.source = harmless(answered[grade_id].text)
            cell.attachments = answered[grade_id].pictures
        elif grade_id in tests:
            test = tests[grade_id]
            said = "\n".join(filter(None, [test["said"], test["hint"]])) or "not passed"
            said = "passed" if test["passed"] else said
            cell.outputs = [nbformat.NotebookNode(output_type="stream", name="stdout", text=said + "\n")]
    if result["problem"]:
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(harmless(result["problem"]), id="problem"))
    for number, cell in enumerate(unmatched, 1):
        text = f"*Found beside the questions:*\n\n{harmless(cell.source[:100_000])}"
        notebook.cells.append(nbformat.v4.new_markdown_cell(text, id=f"unmatched-{number}"))


def harmless(text: str) -> str:
    """Return Markdown that shows the same and in which no tag, no script and no active link is left."""
    text = re.sub(r"[^\S\n]|[\x00-\x09\x0b-\x1f]", " ", text)
    text = re.sub(r"<(?=[A-Za-z/!?])", "<" + JOINER, text)
    text = re.sub(r"&(?=[#\w]+;?)", "&amp;", text)
    return ACTIVE.sub(rf"\1{JOINER}\2", text.replace("\\href", "\\" + JOINER + "href"))


def _place(folder: Path, submission: Submission) -> Path:
    return folder / submission.student / submission.assignment / f"{submission.assignment}.ipynb"
