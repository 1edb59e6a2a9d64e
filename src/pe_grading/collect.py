"""Find what was handed in, and say by name what was passed over."""

from __future__ import annotations

import itertools
import os
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pe_grading import text
from pe_grading.notebook import Assignment, Cell, parse_submission, read_bytes
from pe_grading.review import Queue, shown
from pe_grading.roster import BLACKBOARD_FILE, MOODLE_FOLDER, attempt_of, identity

FOLDERS_DEEP = 3
NOTEBOOK = re.compile(r"\.ipynb(?:\.txt|\.json)?\s*$", re.IGNORECASE)  # browsers and Windows add to the name
CHECKPOINTS = ".ipynb_checkpoints"  # what Jupyter saved on its own, never the latest
LINK = "a link, not a file or folder of its own"


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in.

    `student` is safe to use as a folder's name, and the same for each attempt of a person whose LMS numbers them.
    `problem` says why the notebook is not even opened; with `withheld` it gets no marks until a person has decided.
    `called` is the name that the folder or file has.
    """

    student: str
    assignment: str
    path: Path
    problem: str = ""
    withheld: bool = False
    called: str = ""


def find_submissions(
    folder: Path,
    names: Iterable[str],
    only: str | None = None,
    queue: Queue | None = None,
    assignments: dict[str, Assignment] | None = None,
) -> list[Submission]:
    """Find what was handed in.

    Three layouts are known: nbgrader's `student/assignment/assignment.ipynb`, `student/assignment.ipynb`, and, when
    `only` names the assignment, `student.ipynb` or one notebook of any name in the student's folder. With `assignments`
    a notebook with a wrong name is known by its cells.

    Args:
        folder: Where to look.
        names: The assignments.
        only: The one assignment that every notebook is of.
        queue: Takes what was passed over and why.
        assignments: What the assignments hold.
    """
    queue = queue if queue is not None else Queue()
    found: list[Submission] = []
    receipts: list[Path] = []
    for entry in sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name)):
        with queue.barrier("collect", text.name(entry.name)):
            if entry.suffix == ".txt" and BLACKBOARD_FILE.match(entry.stem) and not NOTEBOOK.search(entry.name):
                receipts.append(entry)
            else:
                found += _in_entry(folder, entry, list(names), only, queue, assignments or {})
    _of_blackboard(receipts, found, only or "", queue)
    return _same_files(_distinct(_newest(found, assignments or {}, queue), folder, queue), queue)


def _of_blackboard(receipts: list[Path], found: list[Submission], only: str, queue: Queue) -> None:
    """Say which of Blackboard's receipts, one for each attempt, come without a notebook."""
    attempts = {(submission.student, attempt_of(submission.called)) for submission in found}
    kept = 0
    for path in receipts:
        student = text.name(identity(path.stem))
        if (student, attempt_of(path.stem)) in attempts:
            kept += 1
        else:
            what = (
                f"{shown(path, path.parent)} is a receipt for an attempt without a notebook; what it says is not graded"
            )
            queue.add(student, only, "collect", what)
    if kept:
        queue.add("", only, "collect", f"Blackboard's receipts of what is graded were passed over: {kept} .txt files")


def _newest(found: list[Submission], assignments: dict[str, Assignment], queue: Queue) -> list[Submission]:
    """Leave the newest attempt of each person, where an LMS numbers them; what is left out is said.

    Canvas numbers files, also those of one attempt: a notebook with the assignment's cells comes before any other.
    """
    attempts: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for submission in found:
        attempts[submission.student, submission.assignment].append(submission)
    earlier = set()
    for (student, assignment), several in attempts.items():
        if len(several) == 1 or not all(attempt_of(submission.called) for submission in several):
            continue
        several.sort(key=lambda submission: attempt_of(submission.called))
        known = [one for one in several if _known_by_its_cells(one.path, assignments) == assignment]
        counts = (known or several)[-1]
        earlier |= set(several) - {counts}
        names = ", ".join(submission.called for submission in several if submission != counts)
        why = "it is the newest" if counts == several[-1] else f"nothing newer is a notebook of {assignment}"
        queue.add(student, assignment, "collect", f"{counts.called} counts: {why}; passed over: {names}")
    return [submission for submission in found if submission not in earlier]


def _in_entry(
    folder: Path, entry: Path, names: list[str], only: str | None, queue: Queue, assignments: dict[str, Assignment]
) -> list[Submission]:
    """Return what one file or folder within the collected ones holds."""
    student = text.name(identity(entry.name))

    def passed_over(why: str) -> list[Submission]:
        queue.add(student, only or "", "collect", f"{shown(entry, folder)} was passed over: {why}")
        return []

    if entry.name.startswith(".") or entry.name in ("__MACOSX", "desktop.ini", "Thumbs.db"):
        return passed_over("files of a system begin with a dot or bear such a name")
    if not entry.is_dir() and not entry.is_symlink():
        if not NOTEBOOK.search(entry.name):
            return passed_over("it is no notebook")
        if not only:
            return passed_over("a notebook outside a student's folder; --assignment NAME says what it is")
        return [_submission(NOTEBOOK.sub("", entry.name), only, entry)]
    if entry.is_symlink() and not entry.is_dir():
        return [_submission(entry.stem, only, entry)] if only else passed_over(LINK)
    moodle = MOODLE_FOLDER.match(entry.name)
    if moodle and moodle["kind"] == "onlinetext" and not _deeper(entry):
        return passed_over("it holds what was typed into Moodle, no notebook")
    found = []
    used = set()
    for name in [only] if only else names:
        inner = entry / name
        choices = [inner / f"{name}.ipynb", *_notebooks(inner), entry / f"{name}.ipynb"]
        choices += _notebooks(entry) if only else []
        path = next((path for path in choices if os.path.lexists(path)), inner / f"{name}.ipynb")
        if os.path.lexists(path) or inner.is_dir() or only:
            where = path if path.is_dir() else inner if inner.is_dir() else entry
            problem = ""
            if not path.is_symlink() and not path.is_file():
                deeper = _deeper(where)
                path = deeper[0] if len(deeper) == 1 else path
                problem = "" if len(deeper) == 1 else _nothing_in(where, deeper)
            one = _submission(entry.name, name, path, entry, inner)
            found.append(replace(one, problem=one.problem or problem))
            used.add(path)
            if not only and (path.stem != name or path.parent not in (entry, inner)):
                queue.add(student, name, "collect", f"{shown(path, folder)} was taken for {name} because of its folder")
    folders = [] if entry.is_symlink() else [entry, *sorted(path for path in entry.iterdir() if path.is_dir())]
    inside = used.union(*(path.parents for path in used))  # a folder may be called like a notebook
    others = [path for place in folders for path in _notebooks(place) if path not in inside]
    for path in others:
        name = None if path.is_symlink() else _known_by_its_cells(path, assignments)
        if name and name not in {submission.assignment for submission in found}:
            queue.add(
                student, name, "collect", f"{shown(path, folder)} has another name; its cells are those of {name}"
            )
            found.append(_submission(entry.name, name, path, entry, path.parent))
        else:
            why = f"{name} was handed in as another file" if name else f"it is none of {', '.join(names)}"
            queue.add(student, name or "", "collect", f"{shown(path, folder)} was passed over: {why}")
    return found if found or others else passed_over(f"no notebook of {', '.join(names)} is in it")


def _notebooks(folder: Path) -> list[Path]:
    """Return what is called like a notebook in a folder, by name."""
    if folder.name == CHECKPOINTS or not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if NOTEBOOK.search(path.name))


def _deeper(folder: Path) -> list[Path]:
    """Return the notebooks in the folders of a folder, as unpacking makes them; links are not followed."""
    found = []
    for place, folders, files in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")) and depth < FOLDERS_DEEP)
        found += [Path(place) / name for name in sorted(files) if NOTEBOOK.search(name)]
    return [path for path in found if not path.is_symlink() and not path.name.startswith(".")]


def _nothing_in(folder: Path, notebooks: list[Path]) -> str:
    """Return why nothing in a folder can be graded."""
    if notebooks:
        return f"{len(notebooks)} notebooks are in it: which one counts?"
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    holds = f"what is in it: {text.sentence(', '.join(names), 200)}" if names else "nothing is in it"
    return f"no notebook was handed in ({holds})"


def _submission(called: str, assignment: str, path: Path, *folders: Path) -> Submission:
    """Return the submission in a folder or file of this name; one that is reached through a link has a problem."""
    problem = f"{text.sentence(path.name, 100)} is {LINK}" if path.is_symlink() else ""
    for folder in folders:
        if folder.is_symlink():
            problem = f"the folder {text.sentence(folder.name, 100)} is {LINK}"
    student = text.name(identity(called))
    return Submission(student, assignment, path, problem, called=text.encodable(called))


def _known_by_its_cells(path: Path, assignments: dict[str, Assignment]) -> str | None:
    """Return the assignment most of whose test cells a notebook holds."""
    try:
        return _of(parse_submission(read_bytes(path)), assignments)
    except ValueError:
        return None


def _of(cells: list[Cell], assignments: dict[str, Assignment]) -> str | None:
    ids = {cell.grade_id for cell in cells}
    for name, assignment in assignments.items():
        tests = [test.grade_id for test in assignment.tests]
        if sum(grade_id in ids for grade_id in tests) > len(tests) / 2:
            return name
    return None


def other_assignment(cells: list[Cell], assignment: Assignment, assignments: dict[str, Assignment]) -> str | None:
    """Return which assignment a notebook is of, where it is plainly not this one: none of its cells is in it."""
    own = {cell.grade_id for cell in assignment.cells if cell.role in ("answer", "test", "written")}
    asked = any(f"def {name}(" in cell.source for cell in cells for name in assignment.functions)
    if asked or any(cell.grade_id in own for cell in cells):
        return None
    return _of(cells, {name: other for name, other in assignments.items() if name != assignment.name})


def _distinct(found: list[Submission], folder: Path, queue: Queue) -> list[Submission]:
    """Give a second submission under the same name a name of its own."""
    taken = {(submission.student.casefold(), submission.assignment) for submission in found}
    seen: set[tuple[str, str]] = set()
    distinct = []
    for submission in found:
        key = (submission.student.casefold(), submission.assignment)
        again = key in seen
        seen.add(key)
        if again:
            names = (f"{submission.student} ({number})" for number in itertools.count(2))
            student = next(name for name in names if (name.casefold(), submission.assignment) not in taken)
            taken.add((student.casefold(), submission.assignment))
            what = f"{shown(submission.path, folder)} comes second under this name and is graded as {student}"
            queue.add(submission.student, submission.assignment, "collect", what)
            submission = replace(submission, student=student)
        elif "~" in submission.student or not _is_text(submission.path.relative_to(folder)):
            what = f"the name of {shown(submission.path, folder)} had to be changed: {submission.student}"
            queue.add(submission.student, submission.assignment, "collect", what)
        distinct.append(submission)
    return distinct


def _is_text(path: Path) -> bool:
    """Tell whether the names in a path are valid text."""
    return text.encodable(str(path)) == str(path)


def _same_files(found: list[Submission], queue: Queue) -> list[Submission]:
    """Withhold the marks of submissions that are one file under several names (hard links): whose is it?"""
    owners: dict[tuple[int, int], list[Submission]] = defaultdict(list)
    for submission in found:
        with queue.barrier("collect", submission.student, submission.assignment):
            if not submission.problem and os.path.lexists(submission.path):
                status = submission.path.lstat()
                owners[status.st_dev, status.st_ino].append(submission)
    shared = {s: same for same in owners.values() if len(same) > 1 for s in same}
    checked = []
    for submission in found:
        if submission in shared:
            names = ", ".join(other.student for other in shared[submission] if other != submission)
            why = f"its file is also that of {names} (a hard link); give each a file of their own"
            submission = replace(submission, problem=why, withheld=True)
        checked.append(submission)
    return checked
