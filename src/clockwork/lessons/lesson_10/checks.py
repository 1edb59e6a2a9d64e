"""Check the exercises of lesson 10: name a fault, repair a rotation, find a fault that no test sees."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from clockwork.kit.checks.exercises import CheckFailed, NotAttempted, array, close, exercise, function, given, result
from clockwork.lessons.lesson_10 import plain_checks
from clockwork.lessons.lesson_10.encoding_tests import PROPERTIES, examine
from clockwork.lessons.lesson_10.faulty_encodings import BASE, Sound

diagnosis = exercise(plain_checks.diagnosis)

FAR = 1_000_003  # a position that float32 angles miss
CASES = (  # width, positions, factor
    (8, range(6), 1.0),
    (8, (7,), 1.0),
    (16, (3, 900, 12), 4.0),
    (16, (FAR, FAR + 1), 1.0),
)


def exact(x: Tensor, positions, factor: float, *, pairs: str = "half", sign: int = 1) -> Tensor:
    """Turn each pair of `x` `(..., seq_len, d)` in float64, one after the other."""
    d = x.shape[-1]
    turned = x.double().clone()
    for row, place in enumerate(positions):
        for i in range(d // 2):
            a, b = (i, i + d // 2) if pairs == "half" else (2 * i, 2 * i + 1)
            angle = sign * place * BASE ** (-2 * i / d) / factor
            first, second = x[..., row, a].double(), x[..., row, b].double()
            turned[..., row, a] = first * math.cos(angle) - second * math.sin(angle)
            turned[..., row, b] = first * math.sin(angle) + second * math.cos(angle)
    return turned


@exercise
def repaired(turn: Callable[..., object]) -> str:
    """Check a repaired `turn(x, position_ids, factor)`: positions, pairs, factor, precision and type."""
    function(turn, "repaired(x, position_ids, factor)")
    generator = torch.Generator().manual_seed(0)
    for d, places, factor in CASES:
        positions = list(places)
        x = torch.randn(2, 3, len(positions), d, generator=generator)
        found = array(result(turn(x.clone(), torch.tensor(positions), factor)), tuple(x.shape), name="what is turned")
        right = exact(x, positions, factor)
        if close(found, right, 1e-5):
            continue
        told = f"positions {positions}, factor {factor:g}: "
        for wrong, why in (
            (exact(x, range(len(positions)), factor), "the tokens are counted, position_ids are not used"),
            (exact(x, positions, 1.0), "the factor is not used"),
            (exact(x, positions, 1 / factor), "the factor makes hands faster: it divides the speeds"),
            (exact(x, positions, factor, pairs="neighbours"), "neighbours turn together: pair i with i + d/2"),
            (exact(x, positions, factor, sign=-1), "every pair turns backwards: which half gets the minus?"),
        ):
            if close(found, wrong, 1e-4):
                raise CheckFailed(told + why)
        if not close(found.norm(dim=-1), x.double().norm(dim=-1), 1e-4):
            raise CheckFailed(
                told + "a turn keeps lengths, and this one does not: do both features of a pair turn alike?"
            )
        if positions[0] == FAR:
            off = (found - right).abs().max()
            raise CheckFailed(told + f"off by {off:.2g}: how many bits hold the angle?")
        raise CheckFailed(told + "each feature turns with a partner, but not by the promised angle: print the angles")
    for kind in (torch.bfloat16, torch.float64):
        x = torch.randn(1, 4, 8, generator=generator).to(kind)
        found = given(turn(x, torch.arange(4), 1.0))
        if found.dtype is not kind:
            raise CheckFailed(f"an input in {kind} comes back in {found.dtype}: cast the result, not the angles")
        if not close(found.double(), exact(x, range(4), 1.0), 1e-6 if kind is torch.float64 else 2e-2):
            raise CheckFailed(f"an input in {kind} is turned with too few bits: cast last")
    return "all four faults are gone: it counts what it is told to, in halves, slowed, and exact a million tokens away"


class Rewritten(nn.Module):
    """A sound encoding that shares no line with `Sound`."""

    rotates = False
    layout = "interleaved"

    def positions(self, real):
        """Number the real tokens."""
        return (real.cumsum(-1) - 1).clamp(min=0)

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Return the codes."""
        if d_model % 2:
            raise ValueError(f"d_model must be even, got {d_model}")
        pairs = torch.arange(d_model // 2, device=position_ids.device)
        angles = position_ids.double().unsqueeze(-1) * torch.exp(-math.log(BASE) * 2 * pairs.double() / d_model)
        codes = torch.empty(*angles.shape[:-1], d_model, dtype=torch.float64, device=angles.device)
        codes[..., 0::2] = angles.sin()
        codes[..., 1::2] = angles.cos()
        return codes.to(dtype)

    def add(self, x, position_ids):
        """Add the codes."""
        return math.sqrt(x.shape[-1]) * x + self.table(position_ids, x.shape[-1], x.dtype)

    def turn(self, x, position_ids, **settings):
        """Leave queries and keys as they are."""
        return x


class Disguised:
    """Any encoding, under another name and of no class that a test could know."""

    def __init__(self, encoding):
        self.encoding = encoding

    def __getattr__(self, name):
        """Return what the encoding has; asked only for what the disguise itself lacks."""
        if name == "encoding":  # a copy is looked at before it has one
            raise AttributeError(name)
        return getattr(self.encoding, name)


@exercise
def escape(kind: type[Sound], test: Callable[[object], bool]) -> str:
    """Check a fault that all tests accept, and a test that refuses it and accepts what is sound."""
    if not isinstance(kind, type) or not issubclass(kind, Sound):
        raise CheckFailed("MyFault must be a class that begins with `class MyFault(faulty_encodings.Sound):`")
    try:
        tried = kind().add(torch.zeros(1, 4, 8), torch.arange(4))
    except Exception as error:
        raise CheckFailed(f"your encoding breaks down on four tokens: {type(error).__name__}: {error}") from None
    if tried is ...:
        raise NotAttempted
    if tried is None:
        raise CheckFailed("your encoding's add returned None: is there a return?")
    function(test, "my_test(encoding)")
    seen = examine(kind())
    if seen:
        name, said = next(iter(seen.items()))
        more = f" (and by {len(seen) - 1} more)" if len(seen) > 1 else ""
        raise CheckFailed(f"your fault is seen by {name!r}{more}, which says: {said}")
    if not verdict(test, Sound()):
        raise CheckFailed("your test refuses the sound encoding: what does it compare with what?")
    if not verdict(test, Rewritten()):
        raise CheckFailed(
            "your test refuses a sound encoding that is written in other words: look at results, not at code"
        )
    if verdict(test, kind()):
        raise CheckFailed("your test accepts your fault: in which call would the two give different results?")
    if verdict(test, Disguised(kind())):
        raise CheckFailed(
            "your test accepts the same fault under another name: look at results, not at names or classes"
        )
    return f"all {len(PROPERTIES)} tests accept it, and yours does not: that is test {len(PROPERTIES) + 1}"


def verdict(test: Callable[[object], bool], encoding: object) -> bool:
    """Return what the reader's test says of an encoding."""
    said = given(result(test(encoding)))
    if isinstance(said, Tensor) and said.numel() == 1:
        said = bool(said)
    if said is not True and said is not False:
        raise CheckFailed(f"your test must return True or False, got {said!r:.40}")
    return said
