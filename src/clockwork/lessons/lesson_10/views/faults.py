"""A table fault × test: choose a fault, see what it does, what is different from the sound one, and who notices."""

from __future__ import annotations

import functools

import torch
import traitlets

from clockwork.kit import datafiles
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.guide import Step
from clockwork.lessons.lesson_10 import encoding_tests, faulty_encodings, figures

LENGTH = 24
SOUND = (faulty_encodings.Sound, faulty_encodings.SoundRotary)
KINDS = (*SOUND, *faulty_encodings.FAULTS)
PASSING = (  # the first eleven tests
    *SOUND,
    faulty_encodings.AddedTwice,
    faulty_encodings.TokensTwice,
    faulty_encodings.Reversed,
    faulty_encodings.IgnoredPositions,
    faulty_encodings.PairedInside,
    faulty_encodings.WrongDenominator,
    faulty_encodings.IgnoredFactor,
    faulty_encodings.AxesInBlocks,
    faulty_encodings.CoarsePositions,
    faulty_encodings.RestartedPositions,
    faulty_encodings.StaleCache,
)


def names_of(kinds) -> list[str]:
    """Return the classes' names as words."""
    return [figures.named(kind.__name__) for kind in kinds]


SHOWN = {  # what the picture of each shows; a test compares it with what is drawn
    "Sound": "on the left pairs turn fast, on the right hardly at all.",
    "SoundRotary": "in each half, pairs turn fast on the left and hardly at all on the right.",
    "BatchAxis": "the stripes run down: all tokens get one code.",
    "Forgotten": "empty: nothing is added.",
    "Divided": "noise on the right: slow pairs turn many times a token.",
    "DoubledExponent": "the pattern ends further left: all pairs but the first are too slow.",
    "CosineAhead": "every second column differs: its wave is too slow.",
    "Precedence": "stripes from the left on: nearly all pairs stand still.",
    "Concatenated": "two blocks: sines on the left, cosines on the right.",
    "Swapped": "the sound one, with each two columns exchanged.",
    "OffByOne": "the sound one, moved up by one row.",
    "OddWidth": "no difference: here the width is even.",
    "HalfPrecisionPositions": "no difference: these codes are float32.",
    "LeftPadding": "no difference: here is no padding.",
    "TooShort": "no difference: 24 tokens fit into the table.",
    "Trainable": "no difference before training.",
    "Unscaled": "no difference: drawn are the codes, and the tokens are wrong.",
    "Normalized": "the sound one, much paler.",
    "AddedTwice": "twice the sound one, so the difference is once the sound one.",
    "TokensTwice": "no difference: drawn are the codes, and the tokens are doubled.",
    "Reversed": "upside down: the last token has the row of token 0.",
    "IgnoredPositions": "no difference: in a whole text, counting is right.",
    "MixedLayouts": "this key turns as neighbours.",
    "SplitNeighbours": "columns change in twos, as if neighbours were partners.",
    "PairedInside": "no difference: here every feature turns.",
    "WrongDenominator": "no difference: here every feature turns.",
    "IgnoredFactor": "no difference: here the factor is 1.",
    "InvertedLayers": "the stripes run down: in this layer nothing turns.",
    "AxesInBlocks": "no difference: in a text, a token is at one number on all axes.",
    "CoarsePositions": "no difference: these positions need few bits.",
    "RestartedPositions": "no difference: this text begins at 0.",
    "StaleCache": "no difference: this is the first call.",
}
FIRST, FURTHER = ([test.__name__ for test in tests] for tests in (encoding_tests.FIRST, encoding_tests.FURTHER))
TESTS = [*FIRST, *FURTHER]
TOUR = (
    Step("The sound sinusoid. No test complains.", fault="sound"),
    Step("Every token of a text has one code: the stripes run down.", fault="batch axis", test="shuffle"),
    Step("Pair 0 turns as it should, all others too slowly.", fault="doubled exponent", test="rotation"),
    Step("No difference in a whole text. Ask for one token alone.", fault="ignored positions", test="alone"),
)


class Faults(View):
    """Every one of `faulty_encodings` under each of `checks.encoding_tests`, and the picture that each fault makes.

    `fault` is a name such as "batch axis"; "sound" and "sound rotary" are what all of them meant to be. `test` is the
    test whose diagnosis is told, at first the first one that sees the fault. A tour of four encodings comes with it.
    """

    static = "faults"
    caption = (
        "{Left}: a cross where a test (column) sees a fault (row); click one to read what the test says. The line "
        f"parts the first eleven tests from the others. {{Right}}: what the encoding adds to {LENGTH} tokens, or makes "
        "of a key of ones and zeros. Then that, less the sound one."
    )
    kinds = KINDS
    guided = TOUR

    fault = Slider(names_of(KINDS)[0], names_of(KINDS), "fault")
    test = Slider(TESTS[0], TESTS, "test")
    first = traitlets.Int(help="Tests before the dividing line.").tag(sync=True)
    about = traitlets.List(help="What is wrong with each.").tag(sync=True)
    shown = traitlets.List(help="What the picture of each shows.").tag(sync=True)
    messages = traitlets.List(help="What the tests that see it say, by the test's name.").tag(sync=True)

    def __init__(self, fault: str, **traits):
        found = [examined(kind) for kind in self.kinds]
        self.names, self.tests = type(self).fault.values, type(self).test.values
        self.seen = torch.tensor([[test in diagnoses for test in self.tests] for diagnoses in found])
        self.codes = torch.stack([done(kind) for kind in self.kinds])
        self.sound = [int(kind.rotates) for kind in self.kinds]  # where in SOUND
        if fault in self.names:
            traits = {"test": next(iter(found[self.names.index(fault)]), self.tests[0])} | traits
        super().__init__(
            data=Data(seen=self.seen, codes=self.codes, sound=torch.tensor(self.sound)),
            first=sum(test in FIRST for test in self.tests),
            about=[figures.plainly(kind) for kind in self.kinds],
            shown=[SHOWN[kind.__name__] for kind in self.kinds],
            messages=found,
            fault=fault,
            **{"steps": self.guided} | traits,
        )

    def chosen(self) -> int:
        """Return the row of the chosen fault."""
        return self.names.index(self.at("fault"))

    def difference(self) -> torch.Tensor:
        """Return what the chosen fault does, less what the sound encoding does."""
        return self.codes[self.chosen()] - self.codes[self.sound[self.chosen()]]

    def describe(self) -> str:
        """Say what is wrong, which tests see it, what the picture shows, and what the chosen test says."""
        row = self.seen[self.chosen()].tolist()
        seen = ", ".join(test for test, sees in zip(self.tests, row, strict=True) if sees) or "no test"
        said = self.messages[self.chosen()].get(self.at("test"))
        verdict = f"says: {said}" if said else "does not see it."
        told = f"{self.about[self.chosen()]} The picture: {self.shown[self.chosen()]}"
        return f"fault {self.at('fault')}: seen by {seen}. {told} {self.at('test')} {verdict}"

    def numbers(self) -> dict:
        """Return the chosen row of the table, what is done to the tokens, and the difference from the sound one."""
        return {"seen": self.seen[self.chosen()], "codes": self.codes[self.chosen()], "difference": self.difference()}


class Passing(Faults):
    """The faults that pass the first eleven tests, under the further ones."""

    caption = (
        "{Left}: a cross where a test (column) sees a fault (row); click one to read what the test says. "
        f"{{Right}}: what the encoding adds to {LENGTH} tokens, or makes of a key of ones and zeros. "
        "Then that, less the sound one. No cross under *layers*: the fault of the layers was seen before."
    )
    kinds = PASSING
    guided = (
        Step("The last token got position 0. Alone, it is the first.", fault="reversed", test="alone"),
        Step("No difference in a whole text. Ask for one token alone.", fault="ignored positions", test="alone"),
        Step("The codes are right, and the sum is wrong.", fault="tokens twice", test="total"),
        Step("No difference without a factor: pairs sets one.", fault="ignored factor", test="pairs"),
    )

    fault = Slider(names_of(PASSING)[0], names_of(PASSING), "fault")
    test = Slider(FURTHER[0], FURTHER, "test")


@functools.cache
def examined(kind: type[faulty_encodings.Sound]) -> dict[str, str]:
    """Return the diagnoses of an encoding, by the tests that refused it when data/verdicts.json was recorded."""
    refusing = datafiles.read("verdicts.json")["verdicts"]["shown"].get(kind.__name__, [])  # none: it is sound
    return encoding_tests.examine(kind(), refusing)


def done(kind: type[faulty_encodings.Sound]) -> torch.Tensor:
    """Return what an encoding adds to tokens, or what becomes of keys (1 … 1, 0 … 0), (LENGTH, D_MODEL)."""
    encoding = kind()
    position_ids = torch.arange(LENGTH)
    nothing = torch.zeros(2, LENGTH, encoding_tests.D_MODEL)
    if not kind.rotates:
        return encoding.add(nothing, position_ids)[1].detach()
    nothing[..., : encoding_tests.D_MODEL // 2] = 1
    return encoding.turn(nothing, position_ids)[1]
