"""A table fault × test: choose a fault, see what it adds to the tokens and which tests notice."""

from __future__ import annotations

import re

import torch
import traitlets

from pe_helpers import faulty_encodings, plots
from pe_helpers.checks import encoding_tests
from pe_helpers.plots import faults as drawn
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.cursor import Cursor
from pe_helpers.widgets.data import Data

LENGTH = 24


def name_of(kind: type[faulty_encodings.Sound]) -> str:
    """Return a class's name as words: `BatchAxis` is "batch axis"."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower()


class Faults(View):
    """Every one of `faulty_encodings` under each of `checks.encoding_tests`, and the picture that each fault makes.

    The cursor's `fault` is a name such as "batch axis"; "sound" is the encoding that all of them meant to be.
    """

    static = "faults"
    needs = ("fault",)
    caption = (
        "Left: a cross where a test (column) sees a fault (row). Right: what the chosen encoding adds to "
        f"{LENGTH} tokens. Many a fault looks right in this picture; each is seen by at least one test."
    )

    faults = traitlets.List(help="Names of the encodings, the sound one first.").tag(sync=True)
    tests = traitlets.List(help="Names of the tests.").tag(sync=True)
    about = traitlets.List(help="What is wrong with each, and what the first test that sees it says.").tag(sync=True)

    def __init__(self, fault: str = "batch axis"):
        kinds = (faulty_encodings.Sound, *faulty_encodings.FAULTS)
        found = [encoding_tests.examine(kind()) for kind in kinds]
        self.seen = torch.tensor([[test in diagnoses for test in encoding_tests.PROPERTIES] for diagnoses in found])
        self.codes = torch.stack(
            [kind().add(torch.zeros(2, LENGTH, encoding_tests.D_MODEL), torch.arange(LENGTH))[1] for kind in kinds]
        )
        names = [name_of(kind) for kind in kinds]
        cursor = Cursor(fault=Slider(names[0], names, "fault"))
        cursor.fault = fault
        super().__init__(
            cursor,
            data=Data(seen=self.seen, codes=self.codes.detach()),
            faults=names,
            tests=list(encoding_tests.PROPERTIES),
            about=[
                [_summary(kind), next(iter(said.values()), "no test objects")]
                for kind, said in zip(kinds, found, strict=True)
            ],
        )

    def chosen(self) -> int:
        """Return the row of the chosen fault."""
        return self.faults.index(self.at("fault"))

    def describe(self) -> str:
        """Say what is wrong and which tests see it."""
        row = self.seen[self.chosen()].tolist()
        seen = ", ".join(test for test, sees in zip(self.tests, row, strict=True) if sees) or "no test"
        return f"fault {self.at('fault')}: seen by {seen}. {self.about[self.chosen()][0]}"

    def numbers(self) -> dict:
        """Return the chosen row of the table and what is added to the tokens."""
        return {"seen": self.seen[self.chosen()], "codes": self.codes[self.chosen()]}

    def picture(self):
        """Draw the table, and what the chosen fault adds."""
        fig, (left, right) = plots.figure(rows=1, cols=2)
        fig.set_figheight(4.2)
        drawn.grid(left, self.seen, self.faults, self.tests, chosen=self.chosen())
        codes = self.codes[self.chosen()].detach()
        plots.heat_map(right, codes, limit=1.0, xlabel="coordinate", ylabel="token", colorbar=False)
        right.set_title(f"{'added by' if codes.any() else 'nothing is added by'}: {self.at('fault')}")
        return fig


def _summary(kind: type) -> str:
    return re.sub(r" \([^)]*\)\.$", ".", kind.__doc__.splitlines()[0])
