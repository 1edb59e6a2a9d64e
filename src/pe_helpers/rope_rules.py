# SPDX-License-Identifier: MIT
"""The rules that give each pair of a head its speed, in plain floats: MicroPython runs this file in a page.

`rope_scaling` returns the same as tensors. A speed is in radians per token, and in all rules ω_i = base^(−2i/head_dim)
is the speed before scaling. `factor` is how many times longer texts become. The arguments are named as in Hugging
Face's `modeling_rope_utils.py`, against which this file was compared.
"""

import math

from ._numbers import LARGEST, choice, even, listed, number, whole_number

BASE = 10_000.0
WIDEST = 2**20  # features, so that a slip of the pen asks for no endless list


def default(head_dim: int, *, base: float = BASE) -> list[float]:
    """Return ω_i for each pair i.

    Args:
        head_dim: features of a head that turn, two a pair.
        base: as in `sinusoidal.inv_freq`.

    Raises:
        TypeError, ValueError: an odd `head_dim`, a `base` below 1.

    Example:
        >>> [f"{speed:g}" for speed in default(4)]
        ['1', '0.01']

    Source: Su et al. 2021, arXiv:2104.09864, section 3.2.2.
    """
    pairs = even("head_dim", head_dim) // 2
    if head_dim > WIDEST:
        raise ValueError(f"head_dim must be at most {WIDEST} (no head is wider), got {head_dim:g}")
    base = number("base", base, 1, " (no pair is faster than the first)")
    return [base ** -(i / pairs) for i in range(pairs)]


def interpolation(head_dim: int, *, factor: float, base: float = BASE) -> list[float]:
    """Slow every pair by `factor`: ω_i / factor, as if positions were divided by it.

    Args:
        head_dim: features of a head that turn, two a pair.
        factor: length of the longest text now, divided by that of training.
        base: as in `sinusoidal.inv_freq`.

    Raises:
        TypeError, ValueError: an odd `head_dim`, or a `factor` or `base` below 1.

    Example:
        >>> [f"{speed:g}" for speed in interpolation(4, factor=2.0)]
        ['0.5', '0.005']

    Source: Chen et al. 2023, arXiv:2306.15595; "linear" in configurations.
    """
    factor = _factor(factor)
    return [speed / factor for speed in default(head_dim, base=base)]


def ntk_aware(head_dim: int, *, factor: float, base: float = BASE) -> list[float]:
    """Raise the base so that the slowest pair slows by `factor` and the fastest keeps its speed.

    A head of a single pair has no slower one, and keeps its speed. Arguments and errors as for `interpolation`.

    Example:
        >>> [f"{speed:g}" for speed in ntk_aware(4, factor=2.0)]
        ['1', '0.005']

    Source: bloc97 2023; written down in Peng et al. 2023, arXiv:2309.00071, section 3.1.
    """
    factor = _factor(factor)
    speeds = default(head_dim, base=base)
    return [speed * factor ** -(i / max(len(speeds) - 1, 1)) for i, speed in enumerate(speeds)]


def dynamic_ntk(
    head_dim: int, *, factor: float, seq_len: int, original_max_position_embeddings: int, base: float = BASE
) -> list[float]:
    """Scale as `ntk_aware` does, by a factor that grows with the text at hand.

    Up to `original_max_position_embeddings` tokens nothing changes. Keys that were turned while the text was shorter
    have other speeds: turn them again, or the scores no longer depend on the offset alone.

    Args:
        head_dim: features of a head that turn, two a pair.
        factor: how fast the scaling grows: by `factor` for each further length of training.
        seq_len: tokens in the text at hand.
        original_max_position_embeddings: tokens in the longest text of training.
        base: as in `sinusoidal.inv_freq`.

    Raises:
        TypeError, ValueError: an odd `head_dim`, a `factor`, `base` or length below 1.

    Example:
        >>> speeds = dynamic_ntk(4, factor=2.0, seq_len=2048, original_max_position_embeddings=1024)
        >>> [f"{speed:.4f}" for speed in speeds]
        ['1.0000', '0.0033']

    Source: emozilla 2023; "dynamic" in configurations, `_compute_dynamic_ntk_parameters` in transformers.
    """
    factor = _factor(factor)
    seq_len = whole_number("seq_len", seq_len, 1, " (the scaling follows the text)")
    trained = _trained(original_max_position_embeddings)
    stretched = max(seq_len, trained) / trained
    return ntk_aware(head_dim, factor=factor * stretched - (factor - 1), base=base)


def yarn(
    head_dim: int,
    *,
    factor: float,
    original_max_position_embeddings: int,
    base: float = BASE,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
    mscale: float = 1.0,
    mscale_all_dim: float = 0.0,
) -> tuple[list[float], float]:
    """Keep the speed of pairs that turned often in training, slow those that turned less than once, blend between.

    The ramp is linear in the number of the pair. It does not depend on the text at hand. Returns the speeds and the
    attention factor, (0.1 · mscale · ln factor + 1) / (0.1 · mscale_all_dim · ln factor + 1).

    Args:
        head_dim: features of a head that turn, two a pair.
        factor: length of the longest text now, divided by that of training.
        original_max_position_embeddings: tokens in the longest text of training.
        base: as in `sinusoidal.inv_freq`, above 1.
        beta_fast: turns within the training length from which on a pair keeps its speed.
        beta_slow: turns within the training length below which a pair is slowed by the whole `factor`.
        truncate: whether the ends of the ramp are moved outwards to whole pairs.
        mscale, mscale_all_dim: DeepSeek's weights of the attention factor. Its models multiply the scores once more, by
            the square of the denominator; that is their attention's business.

    Raises:
        TypeError, ValueError: an odd `head_dim`, a `factor` or length below 1, bounds that are not in order.

    Example:
        >>> speeds, attention_factor = yarn(8, factor=4.0, original_max_position_embeddings=64)
        >>> [f"{speed:g}" for speed in speeds], f"{attention_factor:.4f}"
        (['1', '0.0625', '0.0025', '0.00025'], '1.1386')

    Source: Peng et al. 2023, arXiv:2309.00071, sections 3.2 and 3.4; the ramp and its ends are those of the authors'
        program and of `_compute_yarn_parameters` in transformers.
    """
    speeds = default(head_dim, base=base)
    factor = _factor(factor)
    trained = _trained(original_max_position_embeddings)
    if base == 1:
        raise ValueError("base must be above 1 (pairs of one speed have no ramp between fast and slow), got 1")
    beta_slow, beta_fast = _in_order("beta_slow", beta_slow, "beta_fast", beta_fast)
    choice("truncate", truncate, (True, False))
    mscale = number("mscale", mscale, 0)
    mscale_all_dim = number("mscale_all_dim", mscale_all_dim, 0)

    def pair_that_turns(times: float) -> float:
        """Return i, a real number, for which training_length · ω_i = 2π · times."""
        return head_dim * math.log(trained / (2 * math.pi * times)) / (2 * math.log(base))

    first = pair_that_turns(beta_fast)
    last = pair_that_turns(beta_slow)
    if truncate:
        first = math.floor(first)
        last = math.ceil(last)
    first = max(first, 0)
    last = min(last, head_dim - 1)
    if first == last:
        last += 0.001  # a step, as the published programs have it
    scaled = []
    for i, speed in enumerate(speeds):
        slowed = min(max((i - first) / (last - first), 0), 1)
        scaled.append(speed / factor * slowed + speed * (1 - slowed))
    attention_factor = (0.1 * mscale * math.log(factor) + 1) / (0.1 * mscale_all_dim * math.log(factor) + 1)
    return scaled, attention_factor


def llama3(
    head_dim: int,
    *,
    factor: float,
    original_max_position_embeddings: int,
    base: float = 500_000.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> list[float]:
    """Keep, slow or blend as `yarn` does, with a ramp that is linear in the turns that a pair made in training.

    Args:
        head_dim: features of a head that turn, two a pair.
        factor: how much slower the slowest pairs become.
        original_max_position_embeddings: tokens in the longest text of training.
        base: as in `sinusoidal.inv_freq`.
        low_freq_factor: turns within the training length below which a pair is slowed by the whole `factor`.
        high_freq_factor: turns within the training length from which on a pair keeps its speed. If it equals
            `low_freq_factor`, there is a step in place of the ramp (Llama 4 Scout).

    Raises:
        TypeError, ValueError: an odd `head_dim`, a `factor` or length below 1, bounds that are not in order.

    Example:
        >>> [f"{speed:.3g}" for speed in llama3(8, factor=8.0, original_max_position_embeddings=8192)]
        ['1', '0.0376', '0.000525', '6.65e-06']

    Source: Llama 3.1, `apply_scaling` in Meta's llama-models; `_compute_llama3_parameters` in transformers.
    """
    speeds = default(head_dim, base=base)
    factor = _factor(factor)
    trained = _trained(original_max_position_embeddings)
    low, high = _in_order("low_freq_factor", low_freq_factor, "high_freq_factor", high_freq_factor)
    scaled = []
    for speed in speeds:
        turns = trained * speed / (2 * math.pi)
        kept = float(turns >= low) if low == high else min(max((turns - low) / (high - low), 0), 1)
        scaled.append(speed / factor * (1 - kept) + speed * kept)
    return scaled


def longrope(
    head_dim: int,
    *,
    short_factor: list[float] | tuple[float, ...],
    long_factor: list[float] | tuple[float, ...],
    seq_len: int,
    original_max_position_embeddings: int,
    factor: float,
    base: float = BASE,
) -> tuple[list[float], float]:
    """Slow each pair by a factor of its own, found by search; there is one list for short texts and one for long.

    Returns the speeds and the attention factor, √(1 + ln factor / ln original_max_position_embeddings), which holds for
    short texts too. As for `dynamic_ntk`, keys of a text that grows long must be turned again.

    Args:
        head_dim: features of a head that turn, two a pair.
        short_factor, long_factor: how much slower each pair becomes, `head_dim / 2` numbers each.
        seq_len: tokens in the text at hand; beyond `original_max_position_embeddings` the long list holds.
        original_max_position_embeddings: tokens in the longest text of training, at least 2.
        factor: length of the longest text now, divided by that of training.
        base: as in `sinusoidal.inv_freq`.

    Raises:
        TypeError, ValueError: an odd `head_dim`, a `factor` or length too small, lists of another length.

    Example:
        >>> lists = {"short_factor": [1.0, 1.0], "long_factor": [1.0, 8.0]}
        >>> speeds, _ = longrope(4, **lists, seq_len=9000, original_max_position_embeddings=4096, factor=32.0)
        >>> [f"{speed:g}" for speed in speeds]
        ['1', '0.00125']

    Source: Ding et al. 2024, arXiv:2402.13753; the attention factor is that of Microsoft's Phi-3,
        `_compute_longrope_parameters` in transformers.
    """
    speeds = default(head_dim, base=base)
    factor = _factor(factor)
    seq_len = whole_number("seq_len", seq_len, 1, " (it chooses the list)")
    trained = _trained(original_max_position_embeddings, 2)
    short = _slowing("short_factor", short_factor, len(speeds))
    long = _slowing("long_factor", long_factor, len(speeds))
    attention_factor = math.sqrt(1 + math.log(factor) / math.log(trained))
    slowing = long if seq_len > trained else short
    return [speed / slowing[i] for i, speed in enumerate(speeds)], attention_factor


def proportional(
    head_dim: int, *, partial_rotary_factor: float, base: float = BASE, factor: float = 1.0
) -> list[float]:
    """Turn only the fastest share of the pairs (p-RoPE); the others have speed 0 and stay as they are.

    The speeds are those of the whole head: the exponent's denominator is `head_dim`, and there is a speed for each of
    its pairs. In layout "half" (Gemma 4) feature i is therefore paired with i + head_dim/2, across the whole head.
    `partial_rotation` differs in both.

    Args:
        head_dim: features of a head, two a pair.
        partial_rotary_factor: share of the pairs that turn, 0 to 1; a fraction of a pair does not turn.
        base: as in `sinusoidal.inv_freq`.
        factor: how much slower all pairs become.

    Raises:
        TypeError, ValueError: an odd `head_dim`, a share outside 0 to 1, a `base` or `factor` below 1.

    Example:
        >>> [f"{speed:g}" for speed in proportional(8, partial_rotary_factor=0.5)]
        ['1', '0.1', '0', '0']

    Source: Barbero et al. 2024, arXiv:2410.06205; denominator and pairing are those of Gemma 4,
        `_compute_proportional_rope_parameters` in transformers.
    """
    speeds = interpolation(head_dim, factor=factor, base=base)
    turning = int(_share(partial_rotary_factor) * head_dim // 2)
    return [speed if i < turning else 0.0 for i, speed in enumerate(speeds)]


def partial_rotation(head_dim: int, *, partial_rotary_factor: float, base: float = BASE) -> list[float]:
    """Turn only the first share of the features, as if the head had no others.

    The exponent's denominator is the number of features that turn, `rotary_dim = 2 * len(inv_freq)`, which `rotary`
    takes as well: pairs lie within the first `rotary_dim` features.

    Args:
        head_dim: features of a head.
        partial_rotary_factor: share of the features that turn, 0 to 1; they must be even in number.
        base: as in `sinusoidal.inv_freq`.

    Raises:
        TypeError, ValueError: a share outside 0 to 1, one that leaves an odd number of features, a `base` below 1.

    Example:
        >>> [f"{speed:g}" for speed in partial_rotation(8, partial_rotary_factor=0.5)]
        ['1', '0.01']

    Source: Black et al. 2022, GPT-NeoX-20B, arXiv:2204.06745; GLM, StableLM and Phi turn in part too.
    """
    width = whole_number("head_dim", head_dim)
    rotary_dim = int(width * _share(partial_rotary_factor))
    if rotary_dim < 2 or rotary_dim % 2:
        raise ValueError(
            "partial_rotary_factor · head_dim must be positive and even (features turn in pairs), "
            f"got {partial_rotary_factor} · {width} = {rotary_dim}"
        )
    return default(rotary_dim, base=base)


def sections(sizes: list[int] | tuple[int, ...], *, interleaved: bool = False, name: str = "sizes") -> list[int]:
    """Return the axis that each pair follows, in M-RoPE: see `rotary_axes.sections`."""
    sizes = [whole_number(name, size, 1, " (pairs of an axis)") for size in listed(name, sizes, "pairs of each axis")]
    if not sizes:
        raise ValueError(f"{name} must name at least one axis, got none")
    choice("interleaved", interleaved, (True, False))
    if sum(sizes) > WIDEST:
        raise ValueError(f"{name} must add up to at most {WIDEST} (no head is wider), got {sum(sizes):g}")
    if not interleaved:
        return [axis for axis, size in enumerate(sizes) for _ in range(size)]
    if max(sizes) > sizes[0]:
        raise ValueError(f"{name} must be largest for the first axis (it takes what the others leave), got {sizes}")
    turns = [(pair % len(sizes), pair // len(sizes)) for pair in range(sum(sizes))]
    return [axis if turn < sizes[axis] else 0 for axis, turn in turns]


def _factor(value: float) -> float:
    value = number("factor", value, 1, " (texts become longer)")
    if value > LARGEST:
        raise ValueError(f"factor must be at most 2**53 (positions count no further), got {value:g}")
    return value


def _share(value: float) -> float:
    value = number("partial_rotary_factor", value, 0, " (a share of a head)")
    if value > 1:
        raise ValueError(f"partial_rotary_factor must be at most 1 (a share of a head), got {value:g}")
    return value


def _trained(value: int, least: int = 1) -> int:
    return whole_number("original_max_position_embeddings", value, least, " (tokens in training's longest text)")


def _in_order(low_name: str, low: float, high_name: str, high: float) -> tuple[float, float]:
    low = number(low_name, low, 0)
    high = number(high_name, high, 0)
    if high > LARGEST:
        raise ValueError(f"{high_name} must be at most 2**53 (turns in training count no further), got {high:g}")
    if not 0 < low <= high:
        raise ValueError(
            f"{low_name} <= {high_name} must hold, both above 0 (the ends of a ramp), got {low:g} and {high:g}"
        )
    return low, high


def _slowing(name: str, values: list[float] | tuple[float, ...], pairs: int) -> list[float]:
    values = [number(name, value, 0) for value in listed(name, values, "a number for each pair")]
    if len(values) != pairs or not min(values) > 0:
        raise ValueError(
            f"{name} must hold {pairs} numbers above 0 (one for each pair), got {len(values)}: {values!r:.60}"
        )
    return values
