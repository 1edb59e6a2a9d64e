"""Check the three exercises of lesson 10: which test sees it, repair an encoding, and a test of your own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from pe_helpers.checks.answers import CheckFailed, array, exercise, function, given, mapping
from pe_helpers.checks.encoding_tests import PROPERTIES
from pe_helpers.checks.properties import distinct, norm, origin, rotation
from pe_helpers.faulty_encodings import BatchAxis, Forgotten, Sound

REPORTS = {
    "after fine-tuning, the position table differs from the formula's": (
        "frozen",
        {"rotation": "rotation looks at the table before training, where it is still right"},
    ),
    "the same sentence gets other outputs in a batch with a longer one": (
        "padding",
        {
            "shuffle": "the order is seen all right; what moved is the number of the first real token",
            "origin": "position 0 has the right code; the sentence no longer begins at 0",
        },
    ),
    "our model and the published weights disagree on every position by one step": (
        "origin",
        {
            "rotation": "every step turns as it should, from the wrong start: rotation cannot see it",
            "distinct": "all codes are distinct; they are the codes of the neighbours",
        },
    ),
}


@exercise
def which_test(answers: Mapping[str, str]) -> str:
    """Check the name of the test that sees each of three reports."""
    mapping(answers, REPORTS)
    for report, (right, misread) in REPORTS.items():
        answer = answers[report]
        if answer not in PROPERTIES:
            raise CheckFailed(f"{answer!r} is no test; choose from {', '.join(PROPERTIES)}")
        if answer != right:
            raise CheckFailed(f"{report!r}: " + misread.get(answer, f"what would {answer!r} compare here?"))
    return "each report is seen by one test, and by that one alone"


@exercise
def repaired(encode: Callable[..., object]) -> str:
    """Check a repaired `encode(position_ids, d_model)` by the properties of its table, one fault after the other."""
    function(encode, "repaired(position_ids, d_model)")
    for d_model in (16, 64):
        table = array(encode(torch.arange(40), d_model), (40, d_model), name="the table")
        distinct(table)
        origin(table)
        norm(table)
        rotation(table, tolerance=1e-3)
    late = array(encode(torch.tensor([0, 256, 257]), 64), (3, 64), name="the table of positions 0, 256 and 257")
    distinct(late)
    try:
        encode(torch.arange(4), 5)
    except ValueError:
        return "both faults are gone, and an odd width is refused"
    except Exception as error:
        raise CheckFailed(f"an odd d_model must be a ValueError that says so, got {type(error).__name__}") from None
    raise CheckFailed("an odd d_model must be refused with a ValueError: half a pair cannot turn")


class _Wrapped(Sound):
    def table(self, position_ids, d_model, dtype=torch.float32):
        return super().table(position_ids % 1000, d_model, dtype)


class _Halved(Sound):
    def table(self, position_ids, d_model, dtype=torch.float32):
        return super().table(position_ids // 2, d_model, dtype)


HIDDEN = {  # what the reader's test is tried on: (encoding, why it should have been refused)
    "every token gets the same code": (BatchAxis, "do you look at what `add` does to a batch, or at the table alone?"),
    "the codes are thrown away": (Forgotten, "do you look at what `add` returns?"),
    "two neighbours share each code": (_Halved, "do you compare neighbours?"),
    "the codes begin again at 1,000": (_Wrapped, "how far does your test look?"),
}


@exercise
def accepts(test: Callable[[Sound], bool]) -> str:
    """Check a test `(encoding, length) → bool` that no two of `length` tokens in a row get the same code."""
    function(test, "all_distinct(encoding, length)")
    verdict = given(test(Sound(), 2048))
    if verdict is not True and verdict is not False:
        raise CheckFailed(f"your test must return True or False, got {verdict!r:.40}")
    if not verdict:
        raise CheckFailed("your test refuses the sound encoding: are its codes compared with themselves?")
    for fault, (kind, hint) in HIDDEN.items():
        if test(kind(), 2048):
            raise CheckFailed(f"your test accepts an encoding in which {fault}: {hint}")
    return f"it accepts the sound encoding and refuses {len(HIDDEN)} that are not"
