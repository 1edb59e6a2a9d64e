"""A table and a rotation as one kernel each, which touches every number once and looks no sine up.

A hand's angle is a 64-bit product that loses whole turns by overflowing (see `_clock`); what is left of it lies within
an eighth of a turn, where a few terms of the series of sine and cosine are enough. So position 10,000,000 costs what
position 1 costs, and there is nothing to fetch from memory but the positions. Rows of neighbours in half precision,
whose float64 series would cost more than writing them, are turned out of the rows before them: a shift is a rotation.
Nothing here is public; `_gpu` calls it.
"""

from __future__ import annotations

import math

import triton
import triton.language as tl

FEW, MANY = tl.constexpr(6), tl.constexpr(9)  # terms of the series, until float32 or float64 would not see the next
SERIES = [(-1) ** (n // 2) * (math.pi / 2) ** n / math.factorial(n) for n in range(18)]
COSINE, SINE = tl.constexpr(tuple(SERIES[::2])), tl.constexpr(tuple(SERIES[1::2]))


@triton.jit
def _sines(position, hands, pair, pairs, nearest: tl.constexpr):
    """Return the sines and the cosines of position · ω, as float64 if the nearest are wanted."""
    work: tl.constexpr = tl.float64 if nearest else tl.float32
    terms: tl.constexpr = MANY if nearest else FEW
    step = tl.load(hands + pair, mask=pair < pairs, other=0)
    rest = tl.load(hands + pairs + pair, mask=pair < pairs, other=0).to(tl.float64, bitcast=True).to(work)
    ticks = position * step + (position.to(work) * rest).to(tl.int64)
    quarters = (ticks + (1 << 61)) >> 62
    angle = (ticks - (quarters << 62)).to(work) * 2.0**-62  # in quarter turns
    square = angle * angle
    sine, cosine = square * SINE[terms - 1], square * COSINE[terms - 1]
    for n in tl.static_range(terms - 2, 0, -1):
        sine, cosine = (sine + SINE[n]) * square, (cosine + COSINE[n]) * square
    sine, cosine = (sine + SINE[0]) * angle, cosine + COSINE[0]
    across = (quarters & 1) == 1
    sine, cosine = tl.where(across, cosine, sine), tl.where(across, sine, cosine)
    return tl.where((quarters & 2) == 0, sine, -sine), tl.where(((quarters + 1) & 2) == 0, cosine, -cosine)


@triton.jit
def _rounded(exact, dtype: tl.constexpr):
    """Round once: on its way to half precision, what float32 cuts off leaves an odd last bit."""
    if dtype == tl.float16 or dtype == tl.bfloat16:
        bits = exact.to(tl.int64, bitcast=True)
        cut_off = (1 << 29) - 1
        exact = ((bits | ((bits & cut_off) + cut_off)) & ~cut_off).to(tl.float64, bitcast=True).to(tl.float32)
    return exact.to(dtype)


@triton.jit
def table(
    result, positions, hands, length, pairs,
    half: tl.constexpr, counted: tl.constexpr, nearest: tl.constexpr,
    times: tl.constexpr, lines: tl.constexpr, width: tl.constexpr,
):  # fmt: skip
    line = tl.program_id(0).to(tl.int64) * lines * times + tl.arange(0, lines)[:, None]
    pair = tl.program_id(1) * width + tl.arange(0, width)[None, :]
    position = line if counted else tl.load(positions + line, mask=line < length, other=0)
    sine, cosine = _sines(position, hands, pair, pairs, nearest)
    sine_on, cosine_on = _sines(tl.full((1, 1), lines, tl.int64), hands, pair, pairs, nearest)
    for _ in range(times):
        first, second = _rounded(sine, result.dtype.element_ty), _rounded(cosine, result.dtype.element_ty)
        if half:
            place, inside = result + line * 2 * pairs + pair, (line < length) & (pair < pairs)
            tl.store(place, first, mask=inside)
            tl.store(place + pairs, second, mask=inside)
        else:
            column = tl.program_id(1) * 2 * width + tl.arange(0, 2 * width)[None, :]
            inside = (line < length) & (column < 2 * pairs)
            tl.store(result + line * 2 * pairs + column, tl.interleave(first, second), mask=inside)
        sine, cosine = sine * cosine_on + cosine * sine_on, cosine * cosine_on - sine * sine_on
        line += lines


@triton.jit
def turn(
    result, x, positions, hands, heads, length, pairs,
    result_text, result_head, result_line, x_text, x_head, x_line, ids_text, ids_line,
    half: tl.constexpr, counted: tl.constexpr, sign: tl.constexpr,
    block: tl.constexpr, lines: tl.constexpr, width: tl.constexpr,
):  # fmt: skip
    tiles, blocks = tl.cdiv(length, lines), tl.cdiv(heads, block)
    tile, rest = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    text, pair = (rest // blocks).to(tl.int64), tl.arange(0, width)[None, :]
    line = tile.to(tl.int64) * lines + tl.arange(0, lines)[:, None]
    ids = positions + text * ids_text + line * ids_line
    position = line if counted else tl.load(ids, mask=line < length, other=0)
    sine, cosine = _sines(position, hands, pair, pairs, False)
    sine, cosine = sign * sine[None, :, :], cosine[None, :, :]
    head, line = (rest % blocks).to(tl.int64) * block + tl.arange(0, block)[:, None, None], line[None, :, :]
    source = x + text * x_text + head * x_head + line * x_line
    target = result + text * result_text + head * result_head + line * result_line
    if half:
        pair = pair[None, :, :]
        inside = (head < heads) & (line < length) & (pair < pairs)
        first = tl.load(source + pair, mask=inside).to(tl.float32)
        second = tl.load(source + pairs + pair, mask=inside).to(tl.float32)
        tl.store(target + pair, first * cosine - second * sine, mask=inside)
        tl.store(target + pairs + pair, first * sine + second * cosine, mask=inside)
    else:
        feature = tl.arange(0, 2 * width)[None, None, :]
        inside = (head < heads) & (line < length) & (feature < 2 * pairs)
        features = tl.load(source + feature, mask=inside).to(tl.float32)
        first, second = tl.split(tl.reshape(features, (block, lines, width, 2)))
        turned = tl.interleave(first * cosine - second * sine, first * sine + second * cosine)
        tl.store(target + feature, turned, mask=inside)
