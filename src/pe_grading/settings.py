"""What the grader must know of a course: a file says it, so that nothing of the course stands in the grader.

The file is `assignments/grader.toml`, or what the environment's PE_GRADING names. All of it is optional:

    packages = ["numpy_helpers"]       # what students may import of the course; a sandbox shows these packages
    folders = ["../data"]              # what else a sandbox shows, seen from the file's folder
    [warm_up]                          # where a student's code imports the first, the second is imported for all
    torch = "torch"
"""

from __future__ import annotations

import functools
import importlib.util
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "PE_GRADING"
USUAL = "assignments/grader.toml"
KEYS = {"packages", "folders", "warm_up"}


@dataclass(frozen=True)
class Settings:
    """What a sandbox shows of a course, and what is imported before the first student."""

    packages: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()
    warm_up: dict[str, str] = field(default_factory=dict)

    def packages_at(self) -> list[Path]:
        """Return the folders of the packages that are installed here."""
        found = filter(None, map(importlib.util.find_spec, self.packages))
        return [Path(path).resolve() for spec in found for path in spec.submodule_search_locations or []]

    def shown(self) -> list[Path]:
        """Return all folders that a sandbox shows."""
        return [*self.packages_at(), *self.folders]


@functools.cache
def read(file: Path) -> Settings:
    """Read a file of settings.

    Raises:
        ValueError: The file holds something else, or is no TOML.
    """
    try:
        held = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file} must be TOML, got {error}") from None
    if unknown := held.keys() - KEYS:
        raise ValueError(f"{file} must hold nothing but {', '.join(sorted(KEYS))}, got {', '.join(sorted(unknown))}")
    folders = tuple((file.parent / folder).resolve() for folder in held.get("folders", ()))
    return Settings(tuple(held.get("packages", ())), folders, dict(held.get("warm_up", {})))


def current() -> Settings:
    """Return this course's settings: none where there is no file."""
    named = os.environ.get(VARIABLE)
    file = Path(named or USUAL).resolve()
    if named and not file.is_file():
        raise ValueError(f"{VARIABLE} must name a file of settings, got {named}")
    return read(file) if file.is_file() else Settings()
