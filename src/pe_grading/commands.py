"""What the commands on graded work share: their arguments, their exit status, and how a page is filled in."""

from __future__ import annotations

import argparse
from pathlib import Path

import jinja2

from pe_grading.cell_markup import class_seed

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


def submitted(options: argparse.Namespace) -> Path:
    """Return the folder of what was handed in."""
    return options.submitted or options.out / "nbgrader" / "submitted"


def fill(name: str, **values: object) -> str:
    """Return a page of the folder `pages` with these values; what students wrote is text in it, and runs nowhere."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(PAGES), autoescape=True, trim_blocks=True)
    return environment.get_template(name).render(**values)
