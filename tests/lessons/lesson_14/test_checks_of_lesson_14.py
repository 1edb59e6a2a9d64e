"""Lesson 14's checks accept right answers and name the error in wrong ones; its solutions pass."""

import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_14 import checks, plain_checks
from pe_helpers import positions, rotary


def by_package(row):
    """Number each document's tokens by the mask that leaves out all others."""
    ids = torch.zeros(len(row), dtype=torch.long)
    for document in {document for document in row if document is not None}:
        ids += positions.from_mask([int(other == document) for other in row])
    return ids


def counted(row, *, start=0, pads=False, restart=True, holes=True):
    seen, ids, last = {}, [], None
    for document in row:
        if document is None:
            ids.append(0)
            if pads:
                seen = {name: number + 1 for name, number in seen.items()}
            if not holes:
                seen = {}
            continue
        key = document if restart else "all"
        ids.append(seen.get(key, 0) + start)
        seen[key] = seen.get(key, 0) + 1
        last = document
    assert last
    return ids


def shifted(cache, speeds, start, count, *, by=None, keep=False, last=False):
    stay = [t for t in range(len(cache)) if keep or not start <= t < start + count]
    if last:
        stay = list(range(len(cache) - count))
    by = by or (lambda place, token, count: place - token)
    return [
        [a + by(place, t, count) * s for a, s in zip(cache[t], speeds, strict=True)] for place, t in enumerate(stay)
    ]


def turned(**settings):
    return lambda *about: shifted(*about, **settings)


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.number, counted),
        (checks.number, by_package),
        (checks.shift, shifted),
        (checks.shift, lambda *about: torch.tensor(shifted(*about)) + 2 * torch.pi),
        (checks.following, lambda masks, step: [sum(mask) + step for mask in masks]),
        (checks.following, lambda masks, step: torch.tensor([sum(mask) for mask in masks]) + step),
    ],
    wrong=[
        (checks.number, lambda row: list(range(len(row))), "pads count, and documents run on"),
        (checks.number, lambda row: counted(row, restart=False), "the second document runs on"),
        (checks.number, lambda row: counted(row, start=1), "the first token of a document has position 0"),
        (checks.number, lambda row: counted(row, holes=False), "it does not start again"),
        (checks.number, lambda row: counted(row, pads=True), "takes up a number"),
        (checks.number, lambda row: [row.index(d) for d in row], "where each document begins"),
        (checks.number, lambda row: counted(row)[:-1], "must have shape (7,)"),
        (checks.number, lambda row: [7] * len(row), "wanted [0, 0, 1, 0, 1, 2, 0]"),
        (checks.number, lambda row: None, "is there a return?"),
        (checks.number, [0, 1], "must be a function"),
        (checks.shift, turned(by=lambda place, token, count: 0), "have to be turned"),
        (checks.shift, turned(by=lambda place, token, count: -count), "the keys *before* the cut are turned"),
        (checks.shift, turned(by=lambda place, token, count: token - place), "the wrong way"),
        (checks.shift, turned(by=lambda place, token, count: place), "it was turned by its old one"),
        (checks.shift, turned(by=lambda place, token, count: -token), "also needs its new one"),
        (checks.shift, turned(by=lambda place, token, count: 1 + place - token), "one place too few"),
        (checks.shift, turned(last=True), "instead of those in the middle"),
        (checks.shift, turned(keep=True), "those of the cut tokens have to go"),
        (checks.shift, lambda c, speeds, *cut: shifted(c, [1.0] * 3, *cut), "multiply by its own speed"),
        (checks.shift, turned(by=lambda place, token, count: 17), "yours do not"),
        (checks.following, lambda masks, step: [len(mask) + step for mask in masks], "you count the pads"),
        (checks.following, lambda masks, step: [sum(mask) + step - 1 for mask in masks], "the token before it"),
        (checks.following, lambda masks, step: [sum(mask) + step + 1 for mask in masks], "right behind the text"),
        (checks.following, lambda masks, step: [sum(mask) for mask in masks], "has grown by a token"),
        (checks.following, lambda masks, step: [step for _ in masks], "count the new tokens from 0"),
        (checks.following, lambda masks, step: [max(map(sum, masks)) + step for _ in masks], "one number for all rows"),
        (checks.following, lambda masks, step: [99 for _ in masks], "wanted [8, 7], got"),
    ],
)


def test_the_right_angles_are_those_of_the_package():
    """A key of the exercise is a unit vector for each hand, rotated by its position."""
    for length, start, count in plain_checks.CUTS:
        speeds = torch.tensor(plain_checks.SPEEDS, dtype=torch.float64)
        first = torch.randn(length, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        stay = [t for t in range(length) if not start <= t < start + count]
        cached = rotary.rotate(first, range(length), inv_freq=speeds)
        pairs = cached.unflatten(-1, (3, 2))
        angles = torch.atan2(pairs[..., 1], pairs[..., 0])
        found = torch.tensor(shifted(angles.tolist(), plain_checks.SPEEDS, start, count), dtype=torch.float64)
        wanted = rotary.turn_further(cached[stay], torch.arange(len(stay)) - torch.tensor(stay), inv_freq=speeds)
        sizes = pairs[stay].norm(dim=-1)
        mine = torch.stack([found.cos() * sizes, found.sin() * sizes], -1).flatten(-2)
        torch.testing.assert_close(mine, wanted)


test_stubs_and_solutions = stubs_and_solutions("14_positions_at_work", torch=torch, checks=checks)
