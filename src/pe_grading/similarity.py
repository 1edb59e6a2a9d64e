"""Find answers that have code in common: winnowing, by copydetect. A hint to look, never a verdict.

Source: Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting" (SIGMOD 2003).
"""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pe_grading.cell_markup import same
from pe_grading.notebook import Assignment, Cell, cleared, code_of

NOISE = 20  # tokens: shorter matches are ignored
WINDOW = 12  # tokens: matches of NOISE + WINDOW - 1 are found for certain
COMMON = 0.2  # what this share of a class has is common knowledge
CHARACTERS = 50_000  # of a cell: longer ones are not compared
SHARE = 0.6  # of one's code that another has as well, from which on a pair is shown


@dataclass(frozen=True)
class Pair:
    """Two students, and the share of each one's own code that the other has as well."""

    one: str
    other: str
    share_of_one: float
    share_of_other: float


def own_code(assignment: Assignment, cells: list[Cell]) -> str:
    """Return what a student programmed: no cell as it was given, no test, none so long that nobody typed it."""
    given = [cleared(cell) for cell in assignment.cells]
    code = [code_of(cell) for cell in cells if cell.kind == "code" and len(cell.source) <= CHARACTERS]
    return "\n\n".join(source for source in code if not any(same(source, known) for known in given))


def similar(assignment: Assignment, code: dict[str, str]) -> list[Pair]:
    """Return the pairs that have most in common, the most alike first.

    Args:
        assignment: What was handed out: its code is taken out.
        code: Of each student, what `own_code` returns.

    Raises:
        ModuleNotFoundError: copydetect is not installed.
    """
    from copydetect import CodeFingerprint, compare_files

    def fingerprint(source: str, known: np.ndarray) -> CodeFingerprint:
        return CodeFingerprint("answer.py", NOISE, WINDOW, boilerplate=known, language="python", fp=io.StringIO(source))

    nothing = np.array([], dtype=int)
    handed_out = "\n\n".join(cleared(cell) for cell in assignment.cells if cell.kind == "code")
    given = set(map(int, fingerprint(handed_out, nothing).hashes))
    first = {student: set(map(int, fingerprint(source, nothing).hashes)) for student, source in code.items()}
    owners = Counter(value for hashes in first.values() for value in hashes)
    common = {value for value, count in owners.items() if count > max(2, COMMON * len(code))}
    known = np.array(sorted(given | common), dtype=int)
    prints = {student: fingerprint(source, known) for student, source in code.items()}
    own = {student: set(map(int, one.hashes)) for student, one in prints.items()}
    pairs = []
    for one, other in combinations(sorted(prints), 2):
        if own[one].isdisjoint(own[other]):
            continue
        _, shares, _ = compare_files(prints[one], prints[other])
        if max(shares) >= SHARE:
            pairs.append(Pair(one, other, min(shares[0], 1), min(shares[1], 1)))
    return sorted(pairs, key=lambda pair: (-max(pair.share_of_one, pair.share_of_other), pair.one, pair.other))
