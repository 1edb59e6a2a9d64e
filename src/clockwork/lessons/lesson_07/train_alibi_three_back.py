"""Train one ALiBi head at many slopes, and other schemes.

`python -m clockwork.lessons.lesson_07.train_alibi_three_back` trains all of them. Lesson 07 shows the results,
`data/alibi_three_back.json`: about 25 CPU-minutes. All models have one layer and `d_model` 32. With an argument, only
the parts whose names contain it are trained, and the other results stay: `python -m
clockwork.lessons.lesson_07.train_alibi_three_back race`.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Sequence

import torch
from torch import nn

from clockwork.kit import attention, datafiles, tasks, training
from pe_helpers import alibi, sinusoidal

DATA = datafiles.CHECKOUT / "alibi_three_back.json"
LENGTH = 24  # tokens
WIDTH = 32
THREE_BACK = tasks.Task("three_back", 16, 1 / 16, (LENGTH, LENGTH), 250, tasks.k_back, tasks.k_back)
TUNING = (0, 1, 2, 3)  # seeds on which slope and learning rate were chosen
FRESH = (4, 5, 6, 7, 8, 9, 10, 11)  # seeds on which the chosen ones are compared
SLOPES = (1 / 256, 1 / 16, 0.15, 0.29, 0.5, 0.7, 1.0, 2.0)
BEST = 0.7  # of these slopes
RATE = 5e-3
RATES = (2e-3, 5e-3, 1e-2)  # tried on the tuning seeds
EARLY = 80  # steps
SHORT = 250
LONG = 1000


class Ramp(attention.Encoding):
    """ALiBi with slopes of one's own, one for each head."""

    def __init__(self, slopes: Sequence[float], *, symmetric: bool = False):
        super().__init__()
        self.slopes = torch.tensor(slopes)
        self.symmetric = symmetric

    def bias(self, num_heads, position_ids):
        """Return minus the distance, times each head's slope."""
        distance = position_ids[:, None] - position_ids
        if self.symmetric:
            distance = distance.abs()
        return -self.slopes[:, None, None] * distance


class LearnedRamp(Ramp):
    """The same with a slope that is trained."""

    def __init__(self, slopes: Sequence[float]):
        super().__init__(slopes)
        self.slopes = nn.Parameter(self.slopes)


class Peak(attention.Encoding):
    """A bias that is not learned and does not fall: `height` for the key three back, 0 for all others."""

    def __init__(self, height: float):
        super().__init__()
        self.height = height

    def bias(self, num_heads, position_ids):
        """Return the bias of each query and key."""
        distance = position_ids[:, None] - position_ids
        return self.height * (distance == 3).float().expand(num_heads, -1, -1)


class SinusoidAtDoor2(attention.Encoding):
    """The sinusoid's codes, brought to queries and keys by matrices of their own; the values see words only."""

    def __init__(self):
        super().__init__()
        self.bring = nn.Linear(WIDTH, 2 * WIDTH, bias=False)

    def turn(self, x, position_ids):
        """Add each position's code to the queries and keys of the one head, stacked in `x`."""
        brought = self.bring(sinusoidal.table(position_ids, WIDTH)).unflatten(-1, (2, WIDTH)).movedim(-2, 0)
        return x + brought.reshape(2, *[1] * (x.ndim - 3), len(position_ids), WIDTH)


class SinusoidAtBothDoors(SinusoidAtDoor2):
    """The same at door 2, and the codes added to the input as well, so that the values see them."""

    def add(self, x, position_ids):
        """Add each position's row of the sinusoidal table."""
        return x + sinusoidal.table(position_ids, x.shape[-1])


class SinusoidThroughTheWordsMatrices(attention.Encoding):
    """The sinusoid's codes, brought to queries and keys by the words' own matrices; the values see words only."""

    def borrow(self, block: attention.Block) -> None:
        """Take the matrices of the layer, which are trained there."""
        self.qkv = block.qkv

    def turn(self, x, position_ids):
        """Add each position's code to the queries and keys of the one head, stacked in `x`."""
        brought = sinusoidal.table(position_ids, WIDTH) @ self.qkv.weight[: 2 * WIDTH].T
        brought = brought.unflatten(-1, (2, WIDTH)).movedim(-2, 0)
        return x + brought.reshape(2, *[1] * (x.ndim - 3), len(position_ids), WIDTH)


class BiasAlone(Ramp):
    """A ramp whose scores hold no words: queries and keys are 0."""

    def turn(self, x, position_ids):
        """Return zeros in place of the queries and keys."""
        return 0 * x


class SinusoidAndRotary(attention.Rotary):
    """The sinusoid added to the input, and queries and keys rotated."""

    def add(self, x, position_ids):
        """Add each position's row of the sinusoidal table."""
        return x + sinusoidal.table(position_ids, x.shape[-1])


class TwoSlopes(attention.Encoding):
    """ALiBi with one slope for keys before the query, and another for keys after it."""

    def __init__(self, before: float, after: float):
        super().__init__()
        self.before = before
        self.after = after

    def bias(self, num_heads, position_ids):
        """Return minus the distance, times the slope of its side."""
        distance = (position_ids[:, None] - position_ids).float()
        slope = torch.where(distance > 0, self.before, self.after)
        return (-slope * distance.abs()).expand(num_heads, -1, -1)


class OneSideEach(attention.Encoding):
    """ALiBi for two heads: the first sees the keys up to the query, the second those from the query on."""

    def __init__(self, slope: float):
        super().__init__()
        self.slope = slope

    def bias(self, num_heads, position_ids):
        """Return the ramp on the head's own side, and minus infinity on the other."""
        distance = position_ids[:, None] - position_ids
        ramp = -self.slope * distance.abs()
        sides = [ramp.masked_fill(distance < 0, -torch.inf), ramp.masked_fill(distance > 0, -torch.inf)]
        return torch.stack(sides)


class CodesInTheLayer(attention.Block):
    """A layer that adds the sinusoid to what makes its queries and keys, as DETR does, or to the values as well."""

    values = False

    def forward(self, x, position_ids, encoding, causal):
        """Return the layer's output, its queries, its keys and its attention weights."""
        words = self.before_attention(x)
        both = words + sinusoidal.table(position_ids, WIDTH)
        sources = (both, both, both if self.values else words)
        parts = zip(sources, self.qkv.weight.chunk(3), self.qkv.bias.chunk(3), strict=True)
        q, k, v = (nn.functional.linear(*part) for part in parts)
        out, weights = attention.attend(q, k, v, causal=causal)
        x = x + self.out(out)
        return x + self.mlp(self.before_mlp(x)), q[..., None, :, :], k[..., None, :, :], weights[..., None, :, :]


class CodesInTheValuesToo(CodesInTheLayer):
    """The same with the codes in the values."""

    values = True


class TableInTheLayer(attention.Block):
    """A layer with T5's biases that are its own, and not those of the whole model."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__(d_model, num_heads)
        self.own = attention.Relative(num_heads, bidirectional=False)

    def forward(self, x, position_ids, encoding, causal):
        """Return the layer's output, its queries, its keys and its attention weights."""
        return super().forward(x, position_ids, self.own, causal)


def schemes(causal: bool) -> dict[str, Callable[[], attention.Encoding]]:
    """Return how the encodings of the race are made, for a model with one head."""
    return {
        "none": attention.Encoding,
        "sinusoid": attention.Sinusoid,
        "learned table": lambda: attention.Learned(LENGTH, WIDTH, std=1.0),
        "rotary": attention.Rotary,
        "ALiBi, slope 1/256": lambda: Ramp([1 / 256], symmetric=not causal),
        "ALiBi, slope 1/2": lambda: Ramp([1 / 2], symmetric=not causal),
        "T5": lambda: attention.Relative(1, bidirectional=not causal),
    }


def train(
    make_encoding,
    *,
    task=THREE_BACK,
    seeds=TUNING,
    steps=LONG,
    rate=RATE,
    num_heads=1,
    causal=True,
    layers=(attention.Block,),
    far=None,
) -> dict:
    """Train one model a seed, with layers of the given kinds; return the set-up, and each seed's accuracy.

    With `far`, a length in tokens, the accuracy there is recorded, too.
    """

    def model():
        encoding = make_encoding()
        made = attention.Transformer(16, encoding, d_model=WIDTH, num_heads=num_heads, num_layers=0, causal=causal)
        made.blocks.extend(kind(WIDTH, num_heads) for kind in layers)
        if isinstance(encoding, SinusoidThroughTheWordsMatrices):
            encoding.borrow(made.blocks[0])
        return made

    trained = training.train(model, task, seeds, steps=steps, batch_size=16, learning_rate=rate)
    accuracy, *further = training.evaluate(trained, task, [LENGTH, far] if far else [LENGTH]).accuracy.unbind(1)
    learned = trained.state.get("encoding.slopes")
    setup = {"task": task.name, "causal": causal, "num_heads": num_heads, "steps": steps, "learning_rate": rate}
    if learned is not None:
        setup["slopes_after"] = [round(value, 3) for value in learned[:, 0].tolist()]
    for own in further:
        setup[f"at {far} tokens"] = [round(value, 4) for value in own.tolist()]
    return setup | {"seeds": list(seeds), "accuracy": [round(value, 4) for value in accuracy.tolist()]}


def slopes():
    """Train one head at each slope, and at other learning rates near the best."""
    for slope in SLOPES:
        yield {"scheme": "ALiBi", "slopes": [slope]} | train(lambda slope=slope: Ramp([slope]))
    for slope, rate in ((0.5, 0.01), (0.7, 0.01), (1.0, 0.01)):
        yield {"scheme": "ALiBi", "slopes": [slope]} | train(lambda slope=slope: Ramp([slope]), rate=rate)


def same_door():
    """Compare, on fresh seeds and with one head, the best slope with other biases at the third door."""
    yield {"scheme": "ALiBi", "slopes": [BEST]} | train(lambda: Ramp([BEST]), seeds=FRESH)
    yield {"scheme": "ALiBi, slope learned", "slopes": [BEST]} | train(lambda: LearnedRamp([BEST]), seeds=FRESH)
    yield {"scheme": "a peak, fixed"} | train(lambda: Peak(3.0), seeds=FRESH, steps=SHORT)
    yield {"scheme": "T5"} | train(lambda: attention.Relative(1, bidirectional=False), seeds=FRESH, steps=SHORT)


def longer():
    """Train the best slope for three times as many steps."""
    yield {"scheme": "ALiBi", "slopes": [BEST]} | train(lambda: Ramp([BEST]), seeds=FRESH[:4], steps=3 * LONG)


def slopes_longer():
    """Train other slopes for as many steps, on the same seeds."""
    for slope in (0.15, 0.29, 0.5, 0.6, 1.0):
        yield {"scheme": "ALiBi", "slopes": [slope]} | train(
            lambda slope=slope: Ramp([slope]), seeds=FRESH[:4], steps=3 * LONG
        )


def slope_controls():
    """Train slopes next to the best, and see where a learned slope ends."""
    for slope in (0.6, 0.8):
        yield {"scheme": "ALiBi", "slopes": [slope]} | train(lambda slope=slope: Ramp([slope]))
    yield {"scheme": "ALiBi, slope learned", "slopes": [BEST]} | train(lambda: LearnedRamp([BEST]), seeds=FRESH[:4])


def four_heads():
    """Compare ALiBi's own slopes, steeper ones and T5 with four heads."""
    own = [0.25, 0.0625, 0.015625, 0.00390625]
    for factor in (1, 4):
        steeper = [factor * slope for slope in own]
        yield {"scheme": "ALiBi", "slopes": steeper} | train(lambda steeper=steeper: Ramp(steeper), num_heads=4)
    t5 = train(lambda: attention.Relative(4, bidirectional=False), num_heads=4, steps=SHORT)
    yield {"scheme": "T5"} | t5


def eight_heads():
    """Train ALiBi's own eight slopes with eight heads, and T5 with as many."""
    own = alibi.slopes(8).tolist()
    for steps in (SHORT, LONG):
        yield {"scheme": "ALiBi", "slopes": own} | train(lambda: Ramp(own), num_heads=8, steps=steps)
    t5 = train(lambda: attention.Relative(8, bidirectional=False), num_heads=8, steps=SHORT)
    yield {"scheme": "T5"} | t5


def small_peak():
    """Train a fixed peak that is so low that it gives three back 0.106 of the weight, as the best ramp does."""
    for steps in (SHORT, LONG):
        yield {"scheme": "a peak of 1, fixed"} | train(lambda: Peak(1.0), seeds=FRESH, steps=steps)


def race():
    """Train every scheme with one head on both tasks: *3 back* under a mask, *who came first?* without one."""
    for name, encoding in schemes(causal=True).items():
        yield {"scheme": name} | train(encoding, steps=SHORT)
    for name, encoding in schemes(causal=False).items():
        yield {"scheme": name} | train(encoding, task=tasks.WHO_CAME_FIRST, causal=False)


def mask_alone():
    """Ask *who came first?* of a model without a code, under a causal mask."""
    yield {"scheme": "none"} | train(attention.Encoding, task=tasks.WHO_CAME_FIRST, steps=SHORT)


def another_door():
    """Let the same sinusoid in by door 1 and by door 2: both tasks, each door's own best learning rate, fresh seeds."""
    doors = {1: attention.Sinusoid, 2: SinusoidAtDoor2}
    for door, encoding in doors.items():
        yield {"door": door} | train(encoding, steps=SHORT)
    for door, encoding in doors.items():
        tried = {}
        for rate in RATES:
            tried[rate] = train(encoding, task=tasks.WHO_CAME_FIRST, causal=False, rate=rate)
            yield {"door": door} | tried[rate]
        best = max(tried, key=lambda rate: sum(tried[rate]["accuracy"]))
        yield {"door": door} | train(encoding, task=tasks.WHO_CAME_FIRST, causal=False, rate=best, seeds=FRESH)


def which_difference():
    """Separate what door 2 changes: matrices of its own for the codes, and values without codes.

    After 80 steps of *3 back* not every model has reached 1.00, so that differences can be seen.
    """
    ways = {
        "door 1": attention.Sinusoid,
        "own matrices, values with codes": SinusoidAtBothDoors,
        "the words' matrices, values without codes": SinusoidThroughTheWordsMatrices,
        "door 2": SinusoidAtDoor2,
    }
    for way, encoding in ways.items():
        for rate in RATES:
            yield {"way": way} | train(encoding, steps=EARLY, rate=rate)
    first = {"task": tasks.WHO_CAME_FIRST, "causal": False}
    for seeds in (TUNING, FRESH):
        yield {"way": "door 1"} | train(attention.Sinusoid, rate=1e-3, seeds=seeds, **first)
    for way, encoding in list(ways.items())[1:3]:
        tried = {}
        for rate in RATES:
            tried[rate] = train(encoding, rate=rate, **first)
            yield {"way": way} | tried[rate]
        best = max(tried, key=lambda rate: sum(tried[rate]["accuracy"]))
        yield {"way": way} | train(encoding, rate=best, seeds=FRESH, **first)


def bias_alone():
    """Train heads whose scores hold the ramp and no words, at four slopes."""
    for slope in (0.29, 0.5, BEST, 1.0):
        yield {"scheme": "ALiBi, no words in the scores", "slopes": [slope]} | train(
            lambda slope=slope: BiasAlone([slope]), seeds=FRESH
        )


def each_layer():
    """Let the sinusoid into two layers: once, at the input, or to queries and keys in each layer, as DETR does."""
    plain = attention.Block
    ways = {
        "the input, once": (attention.Sinusoid, (plain, plain)),
        "queries and keys, each layer": (attention.Encoding, (CodesInTheLayer, CodesInTheLayer)),
        "queries, keys and values, each layer": (attention.Encoding, (CodesInTheValuesToo, CodesInTheValuesToo)),
        "queries and keys, first layer": (attention.Encoding, (CodesInTheLayer, plain)),
    }
    first = {"task": tasks.WHO_CAME_FIRST, "causal": False, "steps": 500}
    for way, (encoding, layers) in ways.items():
        tried = {}
        for rate in RATES:
            tried[rate] = train(encoding, rate=rate, layers=layers, **first)
            yield {"way": way} | tried[rate]
        best = max(tried, key=lambda rate: sum(tried[rate]["accuracy"]))
        yield {"way": way} | train(encoding, rate=best, seeds=FRESH, layers=layers, **first)


def sides():
    """Train ALiBi without a mask: one slope for both sides, a slope for each, a head for each."""
    first = {"task": tasks.WHO_CAME_FIRST, "causal": False, "seeds": FRESH}
    yield {"scheme": "one slope for both sides"} | train(lambda: Ramp([0.25], symmetric=True), **first)
    yield {"scheme": "two heads, symmetric"} | train(lambda: Ramp([0.25, 0.25], symmetric=True), num_heads=2, **first)
    yield {"scheme": "a slope for each side"} | train(lambda: TwoSlopes(0.25, 0.5), **first)
    yield {"scheme": "a head for each side"} | train(lambda: OneSideEach(0.25), num_heads=2, **first)


WAYS = {"sinusoid": attention.Sinusoid, "rotary": attention.Rotary, "both": SinusoidAndRotary}


def at_once():
    """Let positions in by door 1, by door 2, or by both at once: the sinusoid, rotary encoding, both.

    After 80 steps of *3 back* not every model has reached 1.00: there each way's learning rate is chosen.
    """
    first = {"task": tasks.WHO_CAME_FIRST, "causal": False}
    for settings, tuned, told in (({}, EARLY, (EARLY, SHORT)), (first, LONG, (LONG,))):
        for way, encoding in WAYS.items():
            tried = {}
            for rate in RATES:
                tried[rate] = train(encoding, rate=rate, steps=tuned, **settings)
                yield {"way": way} | tried[rate]
            best = max(tried, key=lambda rate: sum(tried[rate]["accuracy"]))
            for steps in told:
                yield {"way": way} | train(encoding, rate=best, steps=steps, seeds=FRESH, far=4 * LENGTH, **settings)


def at_once_alike():
    """Train the same three at the same rates, so that the rate is no part of what differs at four times the length."""
    for rate in RATES[1:]:
        for way, encoding in WAYS.items():
            yield {"way": way} | train(encoding, rate=rate, steps=SHORT, seeds=FRESH, far=4 * LENGTH)


def tables():
    """Train two layers with T5's biases: one table for both, or one for each."""
    one = train(
        lambda: attention.Relative(1, bidirectional=False), seeds=FRESH, steps=100, layers=(attention.Block,) * 2
    )
    yield {"scheme": "one table for both layers"} | one
    own = train(attention.Encoding, seeds=FRESH, steps=100, layers=(TableInTheLayer,) * 2)
    yield {"scheme": "a table for each layer"} | own


PARTS = {
    "race": race,
    "mask alone": mask_alone,
    "slopes": slopes,
    "same door": same_door,
    "longer": longer,
    "other slopes, as long": slopes_longer,
    "slope controls": slope_controls,
    "another door": another_door,
    "which difference": which_difference,
    "four heads": four_heads,
    "eight heads": eight_heads,
    "small peak": small_peak,
    "bias alone": bias_alone,
    "each layer": each_layer,
    "sides": sides,
    "tables": tables,
    "at once": at_once,
    "same rates": at_once_alike,
}


def main(wanted: str = "") -> None:
    """Train the wanted parts, and write each run to the file when it is done."""
    torch.set_num_threads(1)
    content = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() and wanted else {}
    content |= {"command": "python -m clockwork.lessons.lesson_07.train_alibi_three_back"}
    content |= {"python": platform.python_version(), "torch": torch.__version__}
    for name, part in PARTS.items():
        if wanted in name:
            content[name] = []
            for run in part():
                content[name].append(run)
                DATA.write_text(json.dumps(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
