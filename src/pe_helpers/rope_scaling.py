# SPDX-License-Identifier: MIT
"""Rotary speeds for texts longer than those of training, and for heads that turn in part.

Each function returns `inv_freq`: the speed of each pair in radians per token, float64, which `rotary` takes in place of
its own. YaRN and LongRoPE also return an attention factor: multiply cosines and sines by it, and the scores grow with
its square. `from_config` reads both from a published model's configuration.
The arithmetic and the reading are in `rope_rules`, in plain floats.

In all of them ω_i = base^(−2i/head_dim) is the speed before scaling, and `factor` is how many times longer texts
become. The arguments are named as in Hugging Face's `modeling_rope_utils.py`, against which this file was compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from . import rope_rules

if TYPE_CHECKING:
    from jaxtyping import Float64
    from torch import Tensor


def interpolation(head_dim: int, *, factor: float, base: float = 10_000.0) -> Float64[Tensor, "pairs"]:
    """Slow every pair by `factor`: ω_i / factor, as if positions were divided by it.

    Args:
        head_dim: features of a head that turn, two a pair.
        factor: length of the longest text now, divided by that of training.
        base: as in `sinusoidal.inv_freq`.

    Raises:
        TypeError, ValueError: an odd `head_dim`, or a `factor` or `base` below 1.

    Example:
        >>> interpolation(4, factor=2.0)
        tensor([0.5000, 0.0050], dtype=torch.float64)

    Source: Chen et al. 2023, arXiv:2306.15595; "linear" in configurations.
    """
    return _tensor(rope_rules.linear(head_dim, factor=factor, base=base))


def ntk_aware(head_dim: int, *, factor: float, base: float = 10_000.0) -> Float64[Tensor, "pairs"]:
    """Raise the base so that the slowest pair slows by `factor` and the fastest keeps its speed.

    A head of a single pair has no slower one, and keeps its speed. Arguments and errors as for `interpolation`.

    Example:
        >>> ntk_aware(4, factor=2.0)
        tensor([1.0000, 0.0050], dtype=torch.float64)

    Source: bloc97 2023; written down in Peng et al. 2023, arXiv:2309.00071, section 3.1.
    """
    return _tensor(rope_rules.ntk(head_dim, factor=factor, base=base))


def dynamic_ntk(
    head_dim: int,
    *,
    factor: float,
    seq_len: int,
    original_max_position_embeddings: int,
    base: float = 10_000.0,
) -> Float64[Tensor, "pairs"]:
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
        >>> dynamic_ntk(4, factor=2.0, seq_len=2048, original_max_position_embeddings=1024)
        tensor([1.0000, 0.0033], dtype=torch.float64)

    Source: emozilla 2023; "dynamic" in configurations, `_compute_dynamic_ntk_parameters` in transformers.
    """
    lengths = {"seq_len": seq_len, "original_max_position_embeddings": original_max_position_embeddings}
    return _tensor(rope_rules.dynamic(head_dim, factor=factor, base=base, **lengths))


def yarn(
    head_dim: int,
    *,
    factor: float,
    original_max_position_embeddings: int,
    base: float = 10_000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
    mscale: float = 1.0,
    mscale_all_dim: float = 0.0,
) -> tuple[Float64[Tensor, "pairs"], float]:
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
        >>> inv_freq, attention_factor = yarn(8, factor=4.0, original_max_position_embeddings=64)
        >>> inv_freq
        tensor([1.0000e+00, 6.2500e-02, 2.5000e-03, 2.5000e-04], dtype=torch.float64)
        >>> round(attention_factor, 4)
        1.1386

    Source: Peng et al. 2023, arXiv:2309.00071, sections 3.2 and 3.4; the ramp and its ends are those of the authors'
        program and of `_compute_yarn_parameters` in transformers.
    """
    speeds, attention_factor = rope_rules.yarn(
        head_dim,
        factor=factor,
        original_max_position_embeddings=original_max_position_embeddings,
        base=base,
        beta_fast=beta_fast,
        beta_slow=beta_slow,
        truncate=truncate,
        mscale=mscale,
        mscale_all_dim=mscale_all_dim,
    )
    return _tensor(speeds), attention_factor


def llama3(
    head_dim: int,
    *,
    factor: float,
    original_max_position_embeddings: int,
    base: float = 500_000.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> Float64[Tensor, "pairs"]:
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
        >>> llama3(8, factor=8.0, original_max_position_embeddings=8192)
        tensor([1.0000e+00, 3.7606e-02, 5.2485e-04, 6.6479e-06], dtype=torch.float64)

    Source: Llama 3.1, `apply_scaling` in Meta's llama-models; `_compute_llama3_parameters` in transformers.
    """
    return _tensor(
        rope_rules.llama3(
            head_dim,
            factor=factor,
            original_max_position_embeddings=original_max_position_embeddings,
            low_freq_factor=low_freq_factor,
            high_freq_factor=high_freq_factor,
            base=base,
        )
    )


def longrope(
    head_dim: int,
    *,
    short_factor: Sequence[float],
    long_factor: Sequence[float],
    seq_len: int,
    original_max_position_embeddings: int,
    factor: float,
    base: float = 10_000.0,
) -> tuple[Float64[Tensor, "pairs"], float]:
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
        >>> inv_freq, _ = longrope(4, **lists, seq_len=9000, original_max_position_embeddings=4096, factor=32.0)
        >>> inv_freq
        tensor([1.0000, 0.0013], dtype=torch.float64)

    Source: Ding et al. 2024, arXiv:2402.13753; the attention factor is that of Microsoft's Phi-3,
        `_compute_longrope_parameters` in transformers.
    """
    speeds, attention_factor = rope_rules.longrope(
        head_dim,
        short_factor=short_factor,
        long_factor=long_factor,
        seq_len=seq_len,
        original_max_position_embeddings=original_max_position_embeddings,
        factor=factor,
        base=base,
    )
    return _tensor(speeds), attention_factor


def proportional(
    head_dim: int, *, partial_rotary_factor: float, base: float = 10_000.0, factor: float = 1.0
) -> Float64[Tensor, "pairs"]:
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
        >>> proportional(8, partial_rotary_factor=0.5)
        tensor([1.0000, 0.1000, 0.0000, 0.0000], dtype=torch.float64)

    Source: Barbero et al. 2024, arXiv:2410.06205; denominator and pairing are those of Gemma 4,
        `_compute_proportional_rope_parameters` in transformers.
    """
    share = {"partial_rotary_factor": partial_rotary_factor}
    return _tensor(rope_rules.proportional(head_dim, base=base, factor=factor, **share))


def partial_rotation(
    head_dim: int, *, partial_rotary_factor: float, base: float = 10_000.0
) -> Float64[Tensor, "pairs"]:
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
        >>> partial_rotation(8, partial_rotary_factor=0.5)
        tensor([1.0000, 0.0100], dtype=torch.float64)

    Source: Black et al. 2022, GPT-NeoX-20B, arXiv:2204.06745; GLM, StableLM and Phi turn in part too.
    """
    rotary_dim = rope_rules.partial(head_dim, partial_rotary_factor=partial_rotary_factor)
    return _tensor(rope_rules.default(rotary_dim, base=base))


def from_config(
    config: Mapping | object,
    *,
    layer_type: str | None = None,
    layer: int | None = None,
    head_dim: int | None = None,
    base: float | None = None,
    seq_len: int | None = None,
) -> tuple[Float64[Tensor, "pairs"], float]:
    """Return the speeds and the attention factor that a published configuration asks for.

    Only what has a rule here is read; every other rotary setting is refused by its name, rather than ignored. Passed
    over are two that change neither: `rope_interleave` says which features are a pair, for which see `layout`, and
    `llama_4_scaling_beta` multiplies queries. If fewer than `head_dim` features turn, there are fewer speeds: pass
    `rotary_dim = 2 * len(inv_freq)` to `rotary`. If a layer or a kind of layer does not turn, all its speeds are 0.
    `model_type`, where `config` has it, says what the model's own program adds: the base of Llama 2, the width of
    Qwen 3's heads, the two bases of Gemma 3, where OLMo 3 scales, which layers of Command R7B and SmolLM 3 do not turn.

    Args:
        config: a model's configuration in Hugging Face's form (`json.load` of its `config.json`, or the object that
            transformers makes of it), or its `rope_parameters` or `rope_scaling` alone.
        layer_type: which layers are meant, where these have different settings, such as "full_attention".
        layer: which layer is meant, counted from 0, where `no_rope_layers` stills some, or in place of `layer_type`.
        head_dim: features of a head; by default what `config` says.
        base: as in `sinusoidal.inv_freq`, where `config` holds no `rope_theta`.
        seq_len: tokens in the text at hand, for "dynamic" and "longrope"; by default a short text.

    Raises:
        TypeError: a `config` that is no mapping, a setting of the wrong kind.
        ValueError: a setting that is missing, unknown or out of bounds, by its name.

    Example:
        >>> config = {"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0}
        >>> from_config(config, head_dim=4)
        (tensor([0.5000, 0.0050], dtype=torch.float64), 1.0)
        >>> from_config({"rope_type": "spiral"}, head_dim=4)
        Traceback (most recent call last):
        ValueError: rope_type must be one of default, dynamic, linear, llama3, longrope, proportional, yarn, got spiral

    Source: transformers 5.17, `modeling_rope_utils.py`. For M-RoPE see `rotary_axes`.
    """
    if hasattr(config, "to_dict"):
        config = config.to_dict()
    config, layer_type = rope_rules.of_layer(config, layer_type, layer)
    settings = {"layer_type": layer_type, "head_dim": head_dim, "base": base, "seq_len": seq_len}
    speeds, attention_factor = rope_rules.speeds(config, **settings)
    if not rope_rules.turns(config, layer_type=layer_type, layer=layer):
        return torch.zeros(len(speeds), dtype=torch.float64, device="cpu"), 1.0
    return _tensor(speeds), attention_factor


def layout(config: Mapping | object) -> str:
    """Return which features are a pair in a published model: the `layout` that `rotary` takes.

    Args:
        config: as in `from_config`, with its `model_type`.

    Raises:
        TypeError: a `config` that is no mapping.
        ValueError: a `model_type` that is missing or unknown.

    Example:
        >>> layout({"model_type": "llama"}), layout({"model_type": "cohere2"})
        ('half', 'interleaved')
        >>> layout({"model_type": "deepseek_v3", "rope_interleave": False})
        'half'

    Source: the attention of each model in transformers 5.23.
    """
    return rope_rules.layout(config.to_dict() if hasattr(config, "to_dict") else config)


def _tensor(speeds):
    return torch.tensor(speeds, dtype=torch.float64, device="cpu")
