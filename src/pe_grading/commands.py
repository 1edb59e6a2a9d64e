"""What the commands on graded work share: their arguments, their exit status, and how a page is filled in."""

from __future__ import annotations

import argparse
from pathlib import Path

import jinja2

from pe_grading.classes import class_seed
from pe_grading.roster import Roster, read_roster, read_words

BAD_ARGUMENT = 2  # the exit status
PAGES = Path(__file__).parent / "pages"


def parser_for(command: str, about: str) -> argparse.ArgumentParser:
    """Return the parser of a command that reads results; `about` is the text of its module."""
    parser = argparse.ArgumentParser(
        prog=f"pe-grade {command}",
        description=about.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=Path("graded"), help="where the results are")
    return parser


def add_notebooks(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say where the students' and the teacher's notebooks are."""
    parser.add_argument("--submitted", type=Path, help="the folder handed in; else the gradebook's")
    parser.add_argument("--assignment", metavar="NAME", help="all notebooks in it are of this one")
    parser.add_argument("--source", type=Path, default=Path("assignments/source"), help="the teacher's notebooks")
    parser.add_argument("--seed", type=class_seed, default=0, metavar="CLASS", help="the seed of this class's release")


def add_roster(parser: argparse.ArgumentParser, required: bool = False) -> None:
    """Add the arguments that say who is in the class."""
    parser.add_argument("--roster", type=Path, required=required, help="id, name, email, section; or an LMS's export")
    words = "what headings and months of another language mean: theirs,ours"
    parser.add_argument("--words", type=Path, metavar="TABLE", help=words)


def roster_of(options: argparse.Namespace) -> Roster:
    """Return the class that the arguments name, or one without people."""
    return read_roster(options.roster, read_words(options.words)) if options.roster else Roster([], [])


def submitted(options: argparse.Namespace) -> Path:
    """Return the folder of what was handed in."""
    return options.submitted or options.out / "nbgrader" / "submitted"


def fill(name: str, **values: object) -> str:
    """Return a page of the folder `pages` with these values; what students wrote is text in it, and runs nowhere."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(PAGES), autoescape=True, trim_blocks=True)
    return environment.get_template(name).render(**values)


def counted(count: int, what: str) -> str:
    """Return how many there are in words."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
