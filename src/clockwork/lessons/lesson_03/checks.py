"""Check the exercises of lesson 03: the reader's `read`, hours, a clock to order, two tips' distance, hidden hands."""

from __future__ import annotations

import math
from collections.abc import Callable
from unittest import mock

import torch
from torch import Tensor

from clockwork.kit import machine, probes
from clockwork.kit.checks.exercises import CheckFailed, array, close, diagnose, exercise, function, result
from clockwork.lessons.lesson_03 import plain_checks
from pe_helpers import sinusoidal

REACH = 100_000  # tokens
NOISE = 0.1  # standard deviation, added to each coordinate
RIGHT = 0.99  # share of the positions that must be read right

hours = exercise(plain_checks.hours)


@exercise
def read(attempt: Callable[[list[float]], float]) -> str:
    """Check the reader's own `read`; once it has passed, it belongs to his machine."""
    praise = plain_checks.read(attempt)
    machine.take(attempt)
    return praise


@exercise
def clock(attempt: object) -> str:
    """Check a pair (base, d_model): 100,000 tokens of reach, and readings that survive noise of .1 a coordinate."""
    base, width = array(attempt, (2,), name="(base, d_model)").tolist()
    if base <= 1:
        raise CheckFailed(f"base must be more than 1 (later hands turn slower), got {base:g}")
    if width < 4 or width % 2:
        raise CheckFailed(f"d_model must be even and at least 4 (hands come in pairs of coordinates), got {width:g}")
    d_model = int(width)
    period = float(sinusoidal.wavelengths(d_model, base=base)[-1])
    if period < REACH:
        if 2 * math.pi * base >= REACH:
            raise CheckFailed(
                f"the slowest hand comes round after {period:,.0f} tokens: its period is 2π·base^((d−2)/d), not 2π·base"
            )
        raise CheckFailed(f"the slowest hand comes round after {period:,.0f} tokens, {REACH:,} are asked for")
    ratio = base ** (2 / d_model)
    share = _read_right(base, d_model)
    if share < RIGHT and ratio < 8:
        blur = NOISE * period / (2 * math.pi)
        raise CheckFailed(
            f"with noise {share:.2%} of the positions are read right: the slowest hand alone is wrong by about "
            f"{blur:,.0f} tokens, so near the start it seems to stand before 12; a smaller base reaches far enough"
        )
    if share < RIGHT:
        raise CheckFailed(
            f"with noise {share:.2%} of the positions are read right: each hand is {ratio:.1f} × slower than the one "
            "before and multiplies its error on the way down; which of the two numbers brings the hands closer?"
        )
    praise = f"{d_model // 2} hands reach {period:,.0f} tokens, and with noise {share:.2%} are read right"
    return praise + ("; six hands are enough, can you find them?" if d_model > 12 else ": no clock does it with fewer")


def _read_right(base: float, d_model: int, count: int = 4000) -> float:
    """Return the share of noisy codes whose position is read right, from the slowest hand to the fastest.

    A slowest hand before 12 is read as nearly a full turn; `sinusoidal.read_position` also tries it as one before 0.
    """
    random = torch.Generator().manual_seed(3)
    position_ids = torch.randint(REACH // 10, REACH, (count,), generator=random)
    codes = sinusoidal.table(position_ids, d_model, base=base, dtype=torch.float64)
    codes += NOISE * torch.randn(codes.shape, generator=random, dtype=torch.float64)
    shown = torch.atan2(codes[:, 0::2], codes[:, 1::2]) % (2 * math.pi)
    inv_freq = sinusoidal.inv_freq(d_model, base=base)
    found = shown[:, -1] / inv_freq[-1]
    for i in range(d_model // 2 - 2, -1, -1):
        turns = torch.round((found * inv_freq[i] - shown[:, i]) / (2 * math.pi))
        found = (shown[:, i] + 2 * math.pi * turns) / inv_freq[i]
    return (found.round() == position_ids).double().mean().item()


@exercise
def chord(attempt: Callable[[Tensor, Tensor], Tensor]) -> str:
    """Check a formula for the distance between the tips of one hand, k tokens apart, against measured distances."""
    function(attempt, "chord(k, inv_freq)")
    random = torch.Generator().manual_seed(7)
    k = torch.randint(-500, 500, (1000,), generator=random).double()
    inv_freq = torch.rand(1000, generator=random, dtype=torch.float64)
    start = torch.randint(0, 5000, (1000,), generator=random) * inv_freq
    end = start + k * inv_freq
    measured = torch.hypot(end.sin() - start.sin(), end.cos() - start.cos())
    try:
        distance = attempt(k, inv_freq)
    except (TypeError, ValueError) as error:  # what `math.sin` says to a tensor of a thousand numbers
        raise CheckFailed(f"k and inv_freq are tensors: use torch.sin, not math.sin ({error})") from error
    answer = array(distance, (1000,), name="chord(k, inv_freq)")
    if close(answer, measured):
        return "your formula agrees with 1,000 measured distances, whatever the position"
    turn = k * inv_freq
    mistakes = (
        (2 * (turn / 2).sin(), "a distance is never negative: what is missing round the sine?"),
        (measured**2, "this is the square of the distance"),
        (turn.abs(), "this is the way along the circle; the distance goes straight across"),
        (2 * turn.sin().abs(), "the triangle of two hands is cut into two equal ones: which angle has each of them?"),
        (turn.sin().abs(), "halve the angle between the hands: two right-angled triangles, each with half of it"),
        ((turn / 2).sin().abs(), "this is half of the distance"),
        ((k / 2).sin().abs() * 2, "your formula leaves inv_freq out: the hand turns k·inv_freq rad"),
    )
    diagnose(answer, mistakes)
    i = int((answer - measured).abs().argmax())
    raise CheckFailed(
        f"for k = {k[i]:.0f} and inv_freq = {inv_freq[i]:.3f} the tips are {measured[i]:.4f} apart, "
        f"your formula says {answer[i]:.4f}"
    )


@exercise
def hidden_hands(find: Callable[[Tensor], object]) -> str:
    """Check `find(vectors)`: the speeds of three hands that are mixed into vectors (200, 64, 24) of random tokens."""
    function(find, "find_hands(vectors)")
    for seed, hidden in enumerate(([0.7, 1.3, 2.2], [0.45, 1.0, 2.7])):
        right = torch.tensor(hidden, dtype=torch.float64)
        with mock.patch.object(probes, "share_read", wraps=probes.share_read) as probe:
            found = array(result(find(hidden_in(right, seed))), name="the speeds").flatten().sort().values
        case = f"vectors {seed + 1}"
        if len(found) > 20 and found.max() <= 1 + 1e-6:
            raise CheckFailed(f"{case}: {len(found)} numbers came back: are these the shares? Return the three speeds")
        if len(found) != 3:
            raise CheckFailed(
                f"{case}: three hands are hidden, got {len(found)} speeds; a hand is a peak: its share is larger than "
                "those on its left and on its right, and not small"
            )
        away = (found[:, None] - right).abs().min(1).values
        if away.max() < 0.15 and found.diff().min() < 0.15:
            raise CheckFailed(
                f"{case}: two of your speeds, {found.diff().argmin() + 1} and {found.diff().argmin() + 2}, are on the "
                "same peak: the largest shares are all near one hand; take the tops"
            )
        if close(found, (2 * math.pi - right).sort().values, 0.05):
            raise CheckFailed(f"{case}: these are 2π minus the speeds, the same hands seen turning backwards")
        if close(found, (2 * math.pi / right).sort().values, 0.3):
            raise CheckFailed(f"{case}: these are periods, in tokens per turn: the speed is 2π over that")
        if away.max() > 0.03:
            raise CheckFailed(
                f"{case}: no hand turns by {found[away.argmax()]:.3f} rad per token; its share is small or beside a "
                "peak: do you test on texts the probe was not fitted on, at speeds close enough together?"
            )
        if probe.called and _tested_on_fitted(*probe.call_args.args, **probe.call_args.kwargs):
            raise CheckFailed(
                f"{case}: the speeds are right, but the probe was tested on texts that it was fitted on: what it "
                "reads there it may know by heart. Fit on half of the texts and test on the other half"
            )
    if not probe.called:
        return (
            "three hands found among 24 mixed numbers, without probes.share_read: does your way also tell how much of "
            "each hand can be read in a text that it has not seen?"
        )
    return "three hands found among 24 mixed numbers: the probe reads a hand only at its own speed"


def _tested_on_fitted(known: Tensor, tips: Tensor, new: Tensor, new_tips: Tensor | None = None) -> bool:
    """Return whether a probe's test texts include one of those that it was fitted on."""
    first = known[:, 0].unsqueeze(1)
    return bool((first == new[:, 0]).all(-1).any())


def hidden_in(inv_freq: Tensor, seed: int) -> Tensor:
    """Return vectors (200 texts, 64 tokens, 24 numbers): random tokens plus the hands' tips, mixed by one matrix."""
    generator = torch.Generator().manual_seed(seed)
    tokens = 2 * torch.randn(200, 64, 24, generator=generator)
    angles = torch.arange(64)[:, None] * inv_freq
    tips = torch.stack([angles.sin(), angles.cos()], -1).flatten(1).float()
    mixing = torch.linalg.qr(torch.randn(24, 24, generator=generator)).Q[:6]
    return tokens + 4 * tips @ mixing
