"""A table fault × test: choose a fault, see what it adds to the tokens and which tests notice."""

from __future__ import annotations

import re

import torch
import traitlets

from pe_helpers import faulty_encodings, plots
from pe_helpers.checks import encoding_tests
from pe_helpers.plots import faults as drawn
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.data import Data

LENGTH = 24
KINDS = (faulty_encodings.Sound, *faulty_encodings.FAULTS)


def name_of(kind: type[faulty_encodings.Sound]) -> str:
    """Return a class's name as words: `BatchAxis` is "batch axis"."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower()


NAMES = [name_of(kind) for kind in KINDS]
TESTS = list(encoding_tests.PROPERTIES)


class Faults(View):
    """Every one of `faulty_encodings` under each of `checks.encoding_tests`, and the picture that each fault makes.

    `fault` is a name such as "batch axis"; "sound" is the encoding that all of them meant to be. `test` is the test
    whose diagnosis is told, at first the first one that sees the fault.
    """

    static = "faults"
    caption = (
        "Left: a cross where a test (column) sees a fault (row); click one to read what the test says. Right: what "
        f"the chosen encoding adds to {LENGTH} tokens. Many a fault looks right in this picture; each is seen by at "
        "least one test."
    )

    fault = Slider(NAMES[0], NAMES, "fault")
    test = Slider(TESTS[0], TESTS, "test")
    about = traitlets.List(help="What is wrong with each.").tag(sync=True)
    messages = traitlets.List(help="What the tests that see it say, by the test's name.").tag(sync=True)

    def __init__(self, fault: str = "batch axis", **traits):
        found = [encoding_tests.examine(kind()) for kind in KINDS]
        self.seen = torch.tensor([[test in diagnoses for test in TESTS] for diagnoses in found])
        nothing = torch.zeros(2, LENGTH, encoding_tests.D_MODEL)
        self.codes = torch.stack([kind().add(nothing, torch.arange(LENGTH))[1].detach() for kind in KINDS])
        if fault in NAMES:
            traits = {"test": next(iter(found[NAMES.index(fault)]), TESTS[0])} | traits
        super().__init__(
            data=Data(seen=self.seen, codes=self.codes),
            about=[_summary(kind) for kind in KINDS],
            messages=found,
            fault=fault,
            **traits,
        )

    def chosen(self) -> int:
        """Return the row of the chosen fault."""
        return NAMES.index(self.at("fault"))

    def describe(self) -> str:
        """Say what is wrong, which tests see it, and what the chosen test says."""
        row = self.seen[self.chosen()].tolist()
        seen = ", ".join(test for test, sees in zip(TESTS, row, strict=True) if sees) or "no test"
        said = self.messages[self.chosen()].get(self.at("test"))
        verdict = f"says: {said}" if said else "does not see it."
        return f"fault {self.at('fault')}: seen by {seen}. {self.about[self.chosen()]} {self.at('test')} {verdict}"

    def numbers(self) -> dict:
        """Return the chosen row of the table and what is added to the tokens."""
        return {"seen": self.seen[self.chosen()], "codes": self.codes[self.chosen()]}

    def picture(self):
        """Draw the table, and what the chosen fault adds."""
        fig, (left, right) = plots.figure(rows=1, cols=2)
        fig.set_figheight(4.2)
        drawn.grid(left, self.seen, NAMES, TESTS, chosen=self.chosen())
        codes = self.codes[self.chosen()]
        plots.heat_map(right, codes, limit=1.0, xlabel="coordinate", ylabel="token", colorbar=False)
        right.set_title(f"{'added by' if codes.any() else 'nothing is added by'}: {self.at('fault')}")
        return fig


def _summary(kind: type) -> str:
    return re.sub(r" \([^)]*\)\.$", ".", kind.__doc__.splitlines()[0])
