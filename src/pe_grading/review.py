"""What a person has to look at, and the barrier that keeps one submission's trouble away from all others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pe_grading.text import sentence


@dataclass(frozen=True)
class Item:
    """One thing to look at.

    `stage` says where it came up: collect, read, run, mark, gradebook, report or page.
    """

    student: str
    assignment: str
    stage: str
    what: str


@dataclass
class Queue:
    """The things to look at, in the order in which they came up, each of them once."""

    items: list[Item] = field(default_factory=list)

    def add(self, student: str, assignment: str, stage: str, what: object) -> None:
        """Put something into the queue."""
        item = Item(student, assignment, stage, sentence(what))
        if item not in self.items:
            self.items.append(item)

    @contextlib.contextmanager
    def barrier(self, stage: str, student: str = "", assignment: str = "") -> Iterator[None]:
        """Let an error in the block end the block alone; what it was goes into the queue."""
        try:
            yield
        except Exception as error:
            self.add(student, assignment, stage, f"{type(error).__name__}: {error}")

    def of(self, assignment: str) -> list[Item]:
        """Return what concerns one assignment."""
        return [item for item in self.items if item.assignment == assignment]


def shown(path: Path, folder: Path) -> str:
    """Return a path within a folder as text that can be printed, whatever bytes its names hold."""
    return sentence(path.relative_to(folder) if path.is_relative_to(folder) else path, 300)
