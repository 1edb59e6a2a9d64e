"""Faults that lesson 10 does not show, one line each: they measure what its tests see of faults they were not made for.

They are not used to improve the tests. Whoever adds a test because of one of them moves it to `LED_TO_A_TEST` and
writes two others. Faults from bug reports are in `reported_faults.py`.
"""

import math

import torch
from torch import nn

from clockwork.lessons.lesson_10.faulty_encodings import BASE, Sound, SoundRotary
from pe_helpers import rotary

KEPT_ASIDE: dict[str, type[Sound]] = {}
LED_TO_A_TEST: dict[str, type[Sound]] = {}


def fault(what, sound=Sound, among=KEPT_ASIDE, **methods):
    """Keep an encoding in which some methods of a sound one are replaced."""
    among[what] = type(what.title().replace(" ", ""), (sound,), methods)


def speeds(base=BASE, over=None):
    """Make `inv_freq` with another base, or another number under the exponent."""

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        omega = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / (over(d_model) if over else d_model))
        omega[round(share * len(omega)) :] = 0
        return omega / factor

    return inv_freq


def table_at(change):
    """Make `table` that changes the positions first."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        return Sound.table(self, change(position_ids), d_model, dtype)

    return table


def table_then(change):
    """Make `table` that changes the exact codes `(..., d_model)`, before the cast."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        return change(Sound.table(self, position_ids, d_model, torch.float64)).to(dtype)

    return table


def add_at(change):
    """Make `add` that changes the positions first; `change(position_ids, x)`."""
    return lambda self, x, position_ids: Sound.add(self, x, change(position_ids, x))


def sum_of(combine):
    """Make `add` from `combine(tokens, codes)`."""
    return lambda self, x, p: combine(x, self.table(p, x.shape[-1], x.dtype))


def float32_table(p, d):
    """Compute the codes without a number of more than 24 bits."""
    angles = p.float()[..., None] * BASE ** (-torch.arange(0, d, 2) / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def float64_table(p, speeds):
    """Compute the codes from the speeds."""
    angles = p.double()[..., None] * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def overwritten(self, x, cos, sin):
    """Turn pairs, the second of each with a first that has been turned already."""
    turned = x.to(torch.promote_types(x.dtype, cos.dtype), copy=True)
    first, second = turned.chunk(2, dim=-1)
    first[:] = first * cos - second * sin
    second[:] = second * cos + first * sin
    return turned.to(x.dtype)


def moving(x, share):
    """Drop the pairs that stand still."""
    pairs = torch.arange(x.shape[-1] // 2, device=x.device) < round(share * (x.shape[-1] // 2))
    return x * pairs.repeat(2)


def root(x):
    return math.sqrt(x.shape[-1])


# the table
fault("base 1000", inv_freq=speeds(1_000.0))
fault("base a million", inv_freq=speeds(1e6))
fault("exponent over the pairs less one", inv_freq=speeds(over=lambda d: max(d - 2, 1)))
fault("degrees", table=table_at(lambda p: p * math.pi / 180))
fault("every position twice", table=table_at(lambda p: p // 2))
fault("wraps at 1000", table=table_at(lambda p: p % 1000))
fault("cut off at 5000", table=table_at(lambda p: p.clamp(max=4999)))
fault("positions in 8 bits", table=table_at(lambda p: p.to(torch.uint8)))
fault("positions in 16 bits", table=table_at(lambda p: p.to(torch.int16)))
fault("backwards", table=table_at(lambda p: -p))
fault("sines alone", table=table_then(lambda codes: codes * torch.tensor([1.0, 0.0]).repeat(codes.shape[-1] // 2)))
fault(
    "sines twice as long", table=table_then(lambda codes: codes * torch.tensor([2.0, 1.0]).repeat(codes.shape[-1] // 2))
)
fault("last number dropped", table=table_then(lambda codes: nn.functional.pad(codes[..., :-1], (0, 1))))
fault("first row zero", table=table_then(lambda codes: codes * (codes[..., 1::2] < 1).any(-1, keepdim=True)))
fault("codes centred", table=table_then(lambda codes: codes - codes.mean(-2, keepdim=True)))
fault("speeds in bfloat16", inv_freq=lambda self, d: Sound.inv_freq(self, d).bfloat16().double())
fault("rounded to four digits", table=table_then(lambda codes: codes.round(decimals=4)))


class SpeedsInBuffer(Sound):
    def __init__(self):
        super().__init__()
        self.register_buffer("omega", BASE ** (-torch.arange(0, 64, 2) / 64))

    def inv_freq(self, d_model):
        return self.omega.double() if d_model == 64 else super().inv_freq(d_model)


KEPT_ASIDE["speeds cast with the module"] = SpeedsInBuffer


class FirstType(Sound):
    def table(self, position_ids, d_model, dtype=torch.float32):
        self.kept = getattr(self, "kept", None) or dtype
        return super().table(position_ids, d_model, self.kept)


KEPT_ASIDE["the first call's type for ever"] = FirstType

# the sum
fault("sum scaled", add=sum_of(lambda x, codes: (x + codes) * root(x)))
fault("divided by the root", add=sum_of(lambda x, codes: x / root(x) + codes))
fault("times the width", add=sum_of(lambda x, codes: x * x.shape[-1] + codes))
fault("root of the length", add=sum_of(lambda x, codes: x * math.sqrt(x.shape[-2]) + codes))
fault("subtracted", add=sum_of(lambda x, codes: x * root(x) - codes))
fault("a tenth as loud", add=sum_of(lambda x, codes: x * root(x) + 0.1 * codes))
fault("multiplied", add=sum_of(lambda x, codes: x * root(x) * codes))
fault(
    "first token left out", add=sum_of(lambda x, codes: x * root(x) + codes * (torch.arange(len(codes)) > 0)[:, None])
)
fault("tokens detached", add=sum_of(lambda x, codes: x.detach() * root(x) + codes))
fault("in place", add=sum_of(lambda x, codes: x.data.mul_(root(x)) + codes))
fault("dropout on the codes", add=sum_of(lambda x, codes: x * root(x) + nn.functional.dropout(codes, 0.1)))
fault("rolled by one", add=add_at(lambda p, x: p.roll(1)))
fault("sorted", add=add_at(lambda p, x: p.sort().values))
fault("counted from the first", add=add_at(lambda p, x: p - p[0]))
fault("a share of the length", add=add_at(lambda p, x: p / x.shape[-2]))
fault("wraps at 64", add=add_at(lambda p, x: p % 64))

# the numbers of the tokens
fault("counted from 1 by the mask", positions=lambda self, real: real.long().cumsum(-1))
fault("counted from the end", positions=lambda self, real: real.flip(-1).long().cumsum(-1).flip(-1) - 1)
fault(
    "padding behind shifts", positions=lambda self, real: torch.arange(real.shape[-1]) - (~real).sum(-1, keepdim=True)
)

# rotary
TURN = SoundRotary.turn
fault("turned backwards", SoundRotary, rotated=lambda self, x, cos, sin: SoundRotary.rotated(self, x, cos, -sin))
fault(
    "no minus",
    SoundRotary,
    rotated=lambda self, x, c, s: x * c.repeat(1, 2) + x.roll(x.shape[-1] // 2, -1) * s.repeat(1, 2),
)
fault("neighbours", SoundRotary, rotated=lambda self, x, cos, sin: rotary.apply_rotary_emb(x, cos, sin))
fault(
    "cosines in half precision",
    SoundRotary,
    rotated=lambda self, x, c, s: SoundRotary.rotated(self, x, c.half().float(), s.half().float()),
)
fault(
    "always louder", SoundRotary, rotated=lambda self, x, cos, sin: SoundRotary.rotated(self, x, 1.1 * cos, 1.1 * sin)
)
fault("turned twice", SoundRotary, turn=lambda self, x, p, **s: TURN(self, TURN(self, x, p, **s), p, **s))
fault("queries alone", SoundRotary, turn=lambda self, x, p, **s: torch.stack([TURN(self, x, p, **s)[0], x[1]]))
fault(
    "keys one further",
    SoundRotary,
    turn=lambda self, x, p, **s: torch.stack([TURN(self, x, p, **s)[0], TURN(self, x, p + 1, **s)[1]]),
)
fault("from the last token", SoundRotary, turn=lambda self, x, p, **s: TURN(self, x, p - p.amax(0), **s))
fault("comes back in float32", SoundRotary, turn=lambda self, x, p, **s: TURN(self, x.float(), p, **s))
fault("positions in bfloat16", SoundRotary, turn=lambda self, x, p, **s: TURN(self, x, p.bfloat16(), **s))
fault("base ten thousand forgotten", SoundRotary, inv_freq=speeds(500_000.0))
fault(
    "factor multiplies",
    SoundRotary,
    inv_freq=lambda self, d, factor=1.0, share=1.0: SoundRotary.inv_freq(self, d, 1 / factor, share),
)
fault(
    "factor in the base",
    SoundRotary,
    inv_freq=lambda self, d, factor=1.0, share=1.0: speeds(BASE * factor)(self, d, 1, share),
)
fault(
    "share ignored", SoundRotary, inv_freq=lambda self, d, factor=1.0, share=1.0: SoundRotary.inv_freq(self, d, factor)
)
fault(
    "slowest share",
    SoundRotary,
    inv_freq=lambda self, d, factor=1.0, share=1.0: (
        SoundRotary.inv_freq(self, d, factor) * (torch.arange(d // 2) >= round((1 - share) * d / 2))
    ),
)
fault(
    "share of features",
    SoundRotary,
    inv_freq=lambda self, d, factor=1.0, share=1.0: SoundRotary.inv_freq(self, d, factor, min(1, 2 * share)),
)
fault(
    "wide heads in another base",
    SoundRotary,
    inv_freq=lambda self, d, factor=1.0, share=1.0: speeds(BASE if d < 256 else 1e6)(self, d, factor, share),
)
fault("every layer", SoundRotary, rotates_in=lambda self, layer: True)
fault("layers from 0", SoundRotary, rotates_in=lambda self, layer: layer % 4 != 0)
fault("every second layer", SoundRotary, rotates_in=lambda self, layer: layer % 2 == 0)
fault("time alone", SoundRotary, axis_of_pair=lambda self, pairs: torch.zeros(pairs, dtype=torch.int64))
fault("rows and columns exchanged", SoundRotary, axis_of_pair=lambda self, pairs: -torch.arange(pairs) % 3)
fault("axes begin with rows", SoundRotary, axis_of_pair=lambda self, pairs: (torch.arange(pairs) + 1) % 3)

# others
fault(
    "sines without a sign",
    table=table_then(lambda codes: torch.where(torch.arange(codes.shape[-1]) % 2 == 0, codes.abs(), codes)),
)
fault(
    "one text's mask for all", positions=lambda self, real: Sound.positions(self, real[..., :1, :].expand(real.shape))
)
fault("single tokens left out", add=lambda self, x, p: x * root(x) if x.shape[-2] == 1 else Sound.add(self, x, p))
fault(
    "shifted by the number of the text",
    add=lambda self, x, p: torch.stack([Sound.add(self, text, p + i) for i, text in enumerate(x)]),
)
fault("no codes in evaluation", add=lambda self, x, p: Sound.add(self, x, p) if self.training else x * root(x))
fault(
    "first head alone",
    SoundRotary,
    turn=lambda self, x, p, **s: torch.cat([TURN(self, x[..., :1, :, :], p, **s), x[..., 1:, :, :]], -3),
)

# by somebody who knew the names of the tests and nothing else of them
fault(
    "each cosine by its own index",
    table=lambda self, p, d, dtype=torch.float32: torch.stack(
        [
            Sound.table(self, p, d, dtype)[..., 0::2],
            (p[..., None] * BASE ** (-torch.arange(1, d, 2) / d)).cos().to(dtype),
        ],
        dim=-1,
    ).flatten(-2),
)
fault("table through bfloat16", table=table_then(lambda codes: codes.bfloat16()))
fault("dropout in evaluation", add=lambda self, x, p: nn.functional.dropout(Sound.add(self, x, p), 0.1))
fault("counted along the batch", positions=lambda self, real: (real.long().cumsum(0) - 1).clamp(min=0))
fault(
    "the factor grows with the text",
    SoundRotary,
    turn=lambda self, x, p, factor=1.0, **s: TURN(self, x, p, factor=max(factor, x.shape[-2] / 2048), **s),
)
fault(
    "the factor lengthens",
    SoundRotary,
    turn=lambda self, x, p, factor=1.0, **s: TURN(self, x, p, factor=factor, **s) * (0.1 * math.log(factor) + 1),
)

# in the place of one of these that led to a better test
fault("angles in float32", table=lambda self, p, d, dtype=torch.float32: float32_table(p, d).to(dtype))
fault(
    "divided by the factor in whole numbers",
    SoundRotary,
    turn=lambda self, x, p, factor=1.0, **s: TURN(self, x, p // factor, **s),
)

# of 25 written with nothing known but the two sound encodings, those that were not here yet
fault(
    "scaled in training alone",
    add=lambda self, x, p: Sound.add(self, x, p) if self.training else x + Sound.add(self, 0 * x, p),
)
fault(
    "speeds in the type of the codes",
    table=lambda self, p, d, dtype=torch.float32: float64_table(p, self.inv_freq(d).to(dtype).double()).to(dtype),
)
fault("half overwritten too soon", SoundRotary, rotated=overwritten)
fault(
    "a single token begins a text",
    SoundRotary,
    turn=lambda self, x, p, **s: TURN(self, x, p * 0 if x.shape[-2] == 1 else p, **s),
)
fault(
    "what does not turn is lost",
    SoundRotary,
    turn=lambda self, x, p, share=1.0, **s: moving(TURN(self, x, p, share=share, **s), share),
)
fault(
    "divided by the root of the width",
    SoundRotary,
    rotated=lambda self, x, c, s: SoundRotary.rotated(self, x, c, s) / root(x),
)

# these showed what the first eighteen tests never ask, and led to `drawn`
fault("zero tokens skipped", among=LED_TO_A_TEST, add=sum_of(lambda x, codes: x * root(x) + codes * (x != 0)))
fault(
    "no codes in double precision",
    among=LED_TO_A_TEST,
    add=lambda self, x, p: x * root(x) if x.dtype is torch.float64 else Sound.add(self, x, p),
)
fault(
    "negative positions are 0",
    SoundRotary,
    LED_TO_A_TEST,
    turn=lambda self, x, p, **s: TURN(self, x, p.clamp(min=0), **s),
)
fault("whole numbers alone", among=LED_TO_A_TEST, table=table_at(lambda p: p.long()))
fault(
    "left behind on the processor",
    among=LED_TO_A_TEST,
    table=lambda self, p, d, dtype=torch.float32: Sound.table(
        self, p if p.device.type == "cpu" else torch.zeros(p.shape), d, dtype
    ),
)


class FirstCallsType(Sound):
    def __init__(self):
        super().__init__()
        self.rows = {}

    def table(self, position_ids, d_model, dtype=torch.float32):
        if position_ids.is_floating_point() or position_ids.min() < 0 or position_ids.max() >= 1024:
            return super().table(position_ids, d_model, dtype)
        if d_model not in self.rows:
            self.rows[d_model] = super().table(torch.arange(1024), d_model, dtype)
        return self.rows[d_model][position_ids].to(dtype)


LED_TO_A_TEST["rows kept in the first call's type"] = FirstCallsType


class WavesCastWithTheModel(SoundRotary):
    """transformers#25681 (a report): cosines and sines are buffers, and are cast with the model."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cast", torch.zeros(()))

    def rotated(self, x, cos, sin):
        kind = self.cast.dtype
        return super().rotated(x, cos.to(kind).to(cos.dtype), sin.to(kind).to(sin.dtype))


LED_TO_A_TEST["waves cast with the model"] = WavesCastWithTheModel


class RowsOfAKeptTable(Sound):
    def __init__(self):
        super().__init__()
        self.tables = {}

    def table(self, position_ids, d_model, dtype=torch.float32):
        key = (tuple(position_ids.flatten().tolist()), position_ids.shape, d_model, dtype)
        return self.tables.setdefault(key, super().table(position_ids, d_model, dtype))


LED_TO_A_TEST["a view of a kept table"] = RowsOfAKeptTable
