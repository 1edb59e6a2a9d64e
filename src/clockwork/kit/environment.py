"""Report whether this machine has what the course needs: one line, the list below it, and how to get what is missing.

The requirements are read from the installed package's metadata, so that pyproject.toml is the only list of them.
"""

from __future__ import annotations

import html
import platform
from collections.abc import Iterator
from importlib import metadata

PACKAGE = "clockwork-course"
EXTRAS = ("", "lab")  # what reading and running the lessons needs
REMEDY = "close JupyterLab and run `python3 course.py lab` in the course's folder"


class Report:
    """What is installed: in a notebook one line, with the list folded below it unless something is missing."""

    def __init__(self, rows: list[tuple[bool, str, str, str]]):
        self.rows = rows
        self.missing = [name for ok, name, *_ in rows if not ok]

    def __bool__(self) -> bool:
        return not self.missing

    def verdict(self) -> str:
        """Say in one line whether everything is there, and if not, what to do."""
        if self.missing:
            return f"{len(self.missing)} missing ({', '.join(self.missing)}): {REMEDY}."
        return f"Everything is there: Python {platform.python_version()} and {len(self.rows) - 1} packages."

    def __repr__(self) -> str:
        lines = [
            f"[ok]      {name:20} {found}" if ok else f"[missing] {name:20} {found}, needs {wanted}"
            for ok, name, found, wanted in self.rows
        ]
        return "\n".join(
            [*lines, f"[ok]      {'accelerators':20} {accelerators()} (none is needed)", "", self.verdict()]
        )

    def _repr_html_(self) -> str:
        state = " open" if self.missing else ""
        listed = html.escape(repr(self).rpartition("\n\n")[0])
        return f"<details{state}><summary>{html.escape(self.verdict())}</summary><pre>{listed}</pre></details>"


def report() -> Report:
    """Return what is installed of all that the course asks for; it counts as true if nothing is missing."""
    return Report(list(requirements()))


def requirements(package: str = PACKAGE) -> Iterator[tuple[bool, str, str, str]]:
    """Yield (met, name, version found, version wanted) for Python and each package that `package` asks for."""
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    about = metadata.metadata(package)
    python = about["Requires-Python"] or ""
    yield SpecifierSet(python).contains(platform.python_version()), "python", platform.python_version(), python
    for line in metadata.requires(package) or []:
        wanted = Requirement(line)
        if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in EXTRAS):
            continue
        try:
            found = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            yield False, wanted.name, "not installed", str(wanted.specifier)
        else:
            public = found.split("+")[0]
            yield wanted.specifier.contains(public, prereleases=True), wanted.name, public, str(wanted.specifier)


def accelerators() -> str:
    """Count the devices that torch can use besides the CPU, by their kind."""
    try:
        import torch
    except ImportError:
        return "unknown until torch is installed"
    count = {"cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    count["xpu"] = torch.xpu.device_count() if torch.xpu.is_available() else 0
    return ", ".join(f"{kind} {number}" for kind, number in count.items())
