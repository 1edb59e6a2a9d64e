"""Exercise 3 of lesson 10, a fault of one's own and a test that sees it: each answer is put to all of the tests."""

import pytest
import torch
from tests.lessons.exercise_claims import claims

from clockwork.lessons.lesson_10 import checks, faulty_encodings
from clockwork.lessons.lesson_10.faulty_encodings import Sound

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unchecked")]  # encodings are examined as a reader's are


class ShortBuffer(Sound):
    def add(self, x, position_ids):
        codes = self.table(position_ids, x.shape[-1], x.dtype)
        codes[131_072:] = 0
        return x * x.shape[-1] ** 0.5 + codes


class Broken(Sound):
    def add(self, x, position_ids):
        raise IndexError("no such row")


class Blank(Sound):
    def add(self, x, position_ids):
        return ...


class Silent(Sound):
    def add(self, x, position_ids):
        x + self.table(position_ids, x.shape[-1])


def last_alone(encoding):
    positions = torch.arange(140_000)
    x = torch.zeros(1, 140_000, 16)
    together, alone = encoding.add(x, positions)[0, -1], encoding.add(x[:, -1:], positions[-1:])[0, 0]
    return torch.allclose(together, alone, atol=0.1)


def escape(pair):
    """Hand in both answers of exercise 3."""
    if pair is None or pair is ...:
        return checks.escape(pair)
    return checks.escape(*pair)


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[(escape, (ShortBuffer, last_alone))],
    blank=[(escape, (Blank, last_alone)), (escape, (ShortBuffer, lambda encoding: ...))],
    wrong=[
        (escape, (3, last_alone), "must be a class"),
        (escape, (Broken, last_alone), "breaks down on four tokens: IndexError"),
        (
            escape,
            (faulty_encodings.AddedTwice, last_alone),
            "seen by 'total' (and by 1 more), which says: the codes are added twice",
        ),
        (escape, (ShortBuffer, lambda encoding: False), "refuses the sound encoding"),
        (escape, (ShortBuffer, lambda encoding: type(encoding) is Sound), "written in other words"),
        (escape, (ShortBuffer, lambda encoding: True), "accepts your fault"),
        (escape, (ShortBuffer, lambda encoding: type(encoding) is not ShortBuffer), "under another name"),
        (escape, (ShortBuffer, lambda encoding: not isinstance(encoding, ShortBuffer)), "under another name"),
        (escape, (ShortBuffer, lambda one: "ShortBuffer" not in str(type(one).__mro__)), "under another name"),
        (escape, (ShortBuffer, lambda encoding: None), "returned None"),
        (escape, (Silent, last_alone), "returned None"),
        (escape, (ShortBuffer, lambda encoding: "yes"), "True or False"),
        (escape, (ShortBuffer, 3), "must be a function"),
    ],
)
