"""Return the students' pages: `python3 course.py grade send --for moodle` writes what an LMS takes in bulk.

Canvas and Moodle get an archive for each assignment; `mail` is a table for a mail merge. Blackboard takes no files in
bulk.

Source: Canvas `app/models/assignment.rb`, `infer_comment_context_from_filename`; Moodle
`mod/assign/feedback/file/importziplib.php`, `is_valid_filename_for_import`.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

from pe_grading import commands, report, results
from pe_grading.lms import table
from pe_grading.roster import CANVAS_FILE, MOODLE_FOLDER, Person, match
from pe_grading.rows import Graded

EPOCH = (1980, 1, 1, 0, 0, 0)  # of a file in an archive, which is the same in every run


def main(arguments: list[str]) -> int:
    """Write the files; return 0, or 2 for a wrong argument."""
    parser = commands.parser_for("send", __doc__)
    parser.add_argument("--for", dest="lms", choices=("canvas", "moodle", "mail"), required=True, help="who takes them")
    parser.add_argument("--assignment", metavar="NAME", help="only this one")
    commands.add_roster(parser)
    options = parser.parse_args(arguments)
    try:
        return send(options)
    except (ValueError, OSError) as error:
        print(f"pe-grade send: {error}", file=sys.stderr)
        return commands.BAD_ARGUMENT


def send(options: argparse.Namespace) -> int:
    """Write the files and say whose page is in none, and which pages are not finished."""
    graded = [one for one in results.read(options.out) if options.assignment in (None, one.assignment)]
    if not graded:
        raise ValueError(f"--assignment must be one that was graded, got {options.assignment}")
    owners, _ = match({one.student: one.called for one in graded}, commands.roster_of(options).people)
    with_page = [one for one in graded if report.page_of(options.out, one.student, one.assignment).exists()]
    if options.lms == "mail":
        paths, left = _mail(options.out, with_page, owners)
    else:
        name = canvas_name if options.lms == "canvas" else moodle_name
        paths, left = _archives(options.out, options.lms, with_page, owners, name)
    left += [one for one in graded if one not in with_page]
    for one in left:
        print(f"{one.assignment}: the page of {one.student} is not in it: {WHY[options.lms]}", file=sys.stderr)
    open_ones = sum(one.state != "complete" for one in with_page)
    if open_ones:
        print(f"{commands.counted(open_ones, 'page')} still say that something is not marked or not graded")
    for path in paths:
        print(f"{path} is written")
    return 0


WHY = {
    "canvas": "Canvas knows pages by the name of the file that it gave out",
    "moodle": "Moodle knows pages by the participant's number, in a folder's name or the grading worksheet",
    "mail": "the roster gives no address",
}


def canvas_name(one: Graded, person: Person | None) -> str:
    """Return a file's name by which Canvas knows the submission: the first two numbers in it are its ids."""
    parts = CANVAS_FILE.match(one.called)
    return f"{parts['who']}_{parts['id']}_{parts['attempt']}_{one.assignment}.html" if parts else ""


def moodle_name(one: Graded, person: Person | None) -> str:
    """Return a path by which Moodle knows the participant: name_number_assignsubmission_file_/page."""
    parts = MOODLE_FOLDER.match(one.called)
    number = parts["participant"] if parts else person.participant if person else ""
    name = (person.shown if person else parts["name"] if parts else "").replace("_", " ").replace("/", " ")
    return f"{name}_{number}_assignsubmission_file_/{one.assignment}.html" if number else ""


def _archives(out: Path, lms: str, graded: list[Graded], owners: dict[str, Person], name) -> tuple[list[Path], list]:
    """Write an archive for each assignment; return them and whose page is in none."""
    paths = []
    named = {one.student + one.assignment: name(one, owners.get(one.student)) for one in graded}
    for assignment in sorted({one.assignment for one in graded}):
        stream = io.BytesIO()
        own = [one for one in graded if one.assignment == assignment and named[one.student + assignment]]
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for one in own:
                page = report.page_of(out, one.student, assignment).read_bytes()
                archive.writestr(zipfile.ZipInfo(named[one.student + assignment], EPOCH), page, zipfile.ZIP_DEFLATED)
        if own:
            paths.append(out / f"pages-{lms}-{assignment}.zip")
            report.write(paths[-1], stream.getvalue())
    return paths, [one for one in graded if not named[one.student + one.assignment]]


def _mail(out: Path, graded: Iterable[Graded], owners: dict[str, Person]) -> tuple[list[Path], list]:
    """Write a table of addresses, names and pages; return it and whose page is not in it."""
    known = [one for one in graded if one.student in owners and owners[one.student].email]
    if not known:
        raise ValueError("--roster must have addresses, as in id,name,email,section: it has none for these students")
    rows = []
    for one in known:
        person = owners[one.student]
        page = report.page_of(out, one.student, one.assignment).resolve()
        rows.append([person.email, person.shown, one.assignment, str(page)])
    path = out / "pages-mail.csv"
    report.write(path, table(["email", "name", "assignment", "page"], rows))
    return [path], [one for one in graded if one not in known]
