"""Rotary speeds for texts longer than those of training, and for heads that turn in part.

Each function returns `inv_freq`: the speed of each pair in radians per token, float64, which `rotary` takes in place of
its own. YaRN and LongRoPE also return an attention factor: multiply cosines and sines by it, and the scores grow with
its square. `from_config` reads both from a published model's configuration.

In all of them ω_i = base^(−2i/head_dim) is the speed before scaling, and `factor` is how many times longer texts
become. The arguments are named as in Hugging Face's `modeling_rope_utils.py`, against which this file was compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from . import _validate, sinusoidal

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
    factor = _factor(factor)
    return _unscaled(head_dim, base) / factor


def ntk_aware(head_dim: int, *, factor: float, base: float = 10_000.0) -> Float64[Tensor, "pairs"]:
    """Raise the base so that the slowest pair slows by `factor` and the fastest keeps its speed.

    A head of a single pair has no slower one, and keeps its speed. Arguments and errors as for `interpolation`.

    Example:
        >>> ntk_aware(4, factor=2.0)
        tensor([1.0000, 0.0050], dtype=torch.float64)

    Source: bloc97 2023; written down in Peng et al. 2023, arXiv:2309.00071, section 3.1.
    """
    head_dim = _validate.even("head_dim", head_dim)
    factor = _factor(factor)
    base = _validate.number("base", base, least=1, why=" (no pair is faster than the first)")
    if head_dim == 2:
        return _unscaled(head_dim, base)
    return _unscaled(head_dim, base * factor ** (head_dim / (head_dim - 2)))


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
    factor = _factor(factor)
    seq_len = _validate.whole_number("seq_len", seq_len, why=" (the scaling follows the text)")
    trained = _trained_length(original_max_position_embeddings)
    stretched = max(seq_len, trained) / trained
    return ntk_aware(head_dim, factor=factor * stretched - (factor - 1), base=base)


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
    head_dim = _validate.even("head_dim", head_dim)
    factor = _factor(factor)
    trained = _trained_length(original_max_position_embeddings)
    base = _validate.number("base", base, least=1, why=" (no pair is faster than the first)")
    if base == 1:
        raise ValueError("base must be above 1 (pairs of one speed have no ramp between fast and slow), got 1")
    beta_slow, beta_fast = _in_order("beta_slow", beta_slow, "beta_fast", beta_fast)
    _validate.choice("truncate", truncate, (True, False))
    mscale = _validate.number("mscale", mscale, least=0)
    mscale_all_dim = _validate.number("mscale_all_dim", mscale_all_dim, least=0)

    def pair_that_turns(times):
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
    pairs = torch.arange(head_dim // 2, dtype=torch.float64)
    slowed = ((pairs - first) / (last - first)).clamp(0, 1)
    inv_freq = _unscaled(head_dim, base)
    attention_factor = (0.1 * mscale * math.log(factor) + 1) / (0.1 * mscale_all_dim * math.log(factor) + 1)
    return inv_freq / factor * slowed + inv_freq * (1 - slowed), attention_factor


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
    factor = _factor(factor)
    trained = _trained_length(original_max_position_embeddings)
    inv_freq = _unscaled(head_dim, base)
    turns = trained * inv_freq / (2 * math.pi)
    if low_freq_factor == high_freq_factor:
        step = _validate.number("low_freq_factor", low_freq_factor, least=0)
        kept = (turns >= step).double()
    else:
        low, high = _in_order("low_freq_factor", low_freq_factor, "high_freq_factor", high_freq_factor)
        kept = ((turns - low) / (high - low)).clamp(0, 1)
    return inv_freq / factor * (1 - kept) + inv_freq * kept


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
    inv_freq = _unscaled(head_dim, base)
    factor = _factor(factor)
    seq_len = _validate.whole_number("seq_len", seq_len, why=" (it chooses the list)")
    trained = _trained_length(original_max_position_embeddings, least=2)
    short = _slowing("short_factor", short_factor, len(inv_freq))
    long = _slowing("long_factor", long_factor, len(inv_freq))
    attention_factor = math.sqrt(1 + math.log(factor) / math.log(trained))
    return inv_freq / (long if seq_len > trained else short), attention_factor


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
    share = _share(partial_rotary_factor)
    factor = _factor(factor)
    inv_freq = _unscaled(head_dim, base) / factor
    turning = int(share * head_dim // 2)
    return torch.where(torch.arange(len(inv_freq)) < turning, inv_freq, 0.0)


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
    return _unscaled(_rotary_dim(head_dim, partial_rotary_factor), base)


EVERYWHERE = {"rope_type", "type", "rope_theta", "partial_rotary_factor"}
REQUIRED = {  # rope_type: what it cannot do without
    "default": set(),
    "linear": {"factor"},
    "dynamic": {"factor", "original_max_position_embeddings"},
    "yarn": {"factor", "original_max_position_embeddings"},
    "longrope": {"factor", "original_max_position_embeddings", "short_factor", "long_factor"},
    "llama3": {"factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor"},
    "proportional": set(),
}
OPTIONAL = {
    "yarn": {"attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate"},
    "longrope": {"attention_factor"},
    "proportional": {"factor"},
}
READ = {"rope_parameters", "rope_scaling", "rope_theta", "partial_rotary_factor", "qk_rope_head_dim"}
# These say which features are a pair and which layers turn, and change no speed.
NO_SPEEDS = {"rope_interleave", "no_rope_layers", "no_rope_layer_interval"}


def from_config(
    config: Mapping | object,
    *,
    layer_type: str | None = None,
    head_dim: int | None = None,
    seq_len: int | None = None,
) -> tuple[Float64[Tensor, "pairs"], float]:
    """Return the speeds and the attention factor that a published configuration asks for.

    Only what has a rule here is read; every other rotary setting is refused by its name, rather than ignored. If
    fewer than `head_dim` features turn, there are fewer speeds: pass `rotary_dim = 2 * len(inv_freq)` to `rotary`.

    Args:
        config: a model's configuration in Hugging Face's form (`json.load` of its `config.json`, or the object that
            transformers makes of it), or its `rope_parameters` or `rope_scaling` alone.
        layer_type: which layers are meant, where these have different settings, such as "full_attention".
        head_dim: features of a head; by default what `config` says.
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
        ValueError: rope_type must be one of default, linear, dynamic, yarn, longrope, llama3, proportional, got spiral

    Source: transformers 5.17, `modeling_rope_utils.py`. For M-RoPE see `rotary_axes`.
    """
    config = config.to_dict() if hasattr(config, "to_dict") else config
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a mapping or have to_dict(), got {_validate.describe(config)}")
    if "rope_type" in config or "type" in config:
        config = {"rope_parameters": config}
    settings = _rope_parameters(config, layer_type)
    rope_type = settings.pop("rope_type")
    base = settings.pop("rope_theta")
    share = settings.pop("partial_rotary_factor", 1.0)
    attention_factor = settings.pop("attention_factor", None)
    if attention_factor is not None:
        attention_factor = _validate.number("attention_factor", attention_factor, least=0)
    head_dim = _head_dim(config, layer_type) if head_dim is None else head_dim
    if rope_type == "proportional":
        return proportional(head_dim, partial_rotary_factor=share, base=base, **settings), 1.0
    rotary_dim = _rotary_dim(head_dim, share)
    if rope_type == "default":
        return _unscaled(rotary_dim, base), 1.0
    if rope_type == "linear":
        return interpolation(rotary_dim, base=base, **settings), 1.0
    if rope_type == "dynamic":
        seq_len = settings["original_max_position_embeddings"] if seq_len is None else seq_len
        return dynamic_ntk(rotary_dim, base=base, seq_len=seq_len, **settings), 1.0
    if rope_type == "llama3":
        return llama3(rotary_dim, base=base, **settings), 1.0
    if rope_type == "yarn":
        inv_freq, by_formula = yarn(rotary_dim, base=base, **settings)
    else:
        inv_freq, by_formula = longrope(rotary_dim, base=base, seq_len=1 if seq_len is None else seq_len, **settings)
    return inv_freq, by_formula if attention_factor is None else attention_factor


def _rope_parameters(config, layer_type):
    """Return the settings of one kind of layer, completed from the rest of `config`; refuse those without a rule."""
    unknown = {key for key in config if "rope" in key or "rotary" in key} - READ - NO_SPEEDS
    if unknown:
        raise ValueError(f"config must hold no rotary setting without a rule here, got {', '.join(sorted(unknown))}")
    new_name = config.get("rope_parameters")
    old_name = config.get("rope_scaling")
    if new_name and old_name and new_name != old_name:
        raise ValueError("rope_parameters and rope_scaling must be the same (they are names of one thing), got two")
    settings = new_name or old_name or {}
    if not isinstance(settings, Mapping):
        raise TypeError(f"rope_parameters must be a mapping, got {_validate.describe(settings)}")
    nested = [key for key, value in settings.items() if isinstance(value, Mapping)]
    if nested:
        if layer_type not in nested:
            raise ValueError(f"layer_type must be one of {', '.join(nested)} (their settings differ), got {layer_type}")
        settings = settings[layer_type]
    elif not settings and "rope_theta" not in config:
        raise ValueError(
            "config must hold rope_parameters, rope_scaling or rope_theta (a model of several parts keeps them in one "
            "of its own, such as text_config), got none"
        )
    settings = {key: value for key, value in settings.items() if value is not None}
    type_by_old_name = settings.pop("type", "default")
    rope_type = settings.pop("rope_type", type_by_old_name)
    of_several_axes = [key for key in settings if key.startswith("mrope")] + ["mrope"] * (rope_type == "mrope")
    if of_several_axes:
        raise ValueError(
            "rope_parameters must be for positions with one axis (M-RoPE has several: use rotary_axes.cos_sin with "
            f"rotary_axes.sections(mrope_section) and base=rope_theta), got {', '.join(of_several_axes)}"
        )
    if not isinstance(rope_type, str) or rope_type not in REQUIRED:
        raise ValueError(f"rope_type must be one of {', '.join(REQUIRED)}, got {rope_type}")
    allowed = REQUIRED[rope_type] | OPTIONAL.get(rope_type, set()) | EVERYWHERE
    unknown = settings.keys() - allowed
    if unknown:
        raise ValueError(
            f"rope_parameters must hold only what rope_type {rope_type!r} has a rule for "
            f"({', '.join(sorted(allowed))}), got {', '.join(sorted(unknown))}"
        )
    _complete(settings, config, rope_type)
    missing = REQUIRED[rope_type] - settings.keys()
    if missing:
        raise ValueError(f"rope_parameters of rope_type {rope_type!r} must hold {', '.join(sorted(missing))}, got none")
    return {"rope_type": rope_type, **settings}


def _complete(settings, config, rope_type):
    """Fill in what configurations keep outside of `rope_parameters`, by the rules of transformers."""
    settings.setdefault("rope_theta", config.get("rope_theta") or 10_000.0)
    if config.get("partial_rotary_factor") is not None:
        settings.setdefault("partial_rotary_factor", config["partial_rotary_factor"])
    longest = config.get("max_position_embeddings")
    if "original_max_position_embeddings" in REQUIRED[rope_type]:
        trained = config.get("original_max_position_embeddings")
        if trained is not None and rope_type != "dynamic":
            settings["original_max_position_embeddings"] = trained
        elif longest is not None:
            settings.setdefault("original_max_position_embeddings", longest)
    if rope_type == "dynamic" and longest not in (None, settings.get("original_max_position_embeddings")):
        raise ValueError(
            "original_max_position_embeddings must be max_position_embeddings for rope_type 'dynamic' (programs differ "
            f"in which they read), got {settings['original_max_position_embeddings']} and {longest}"
        )
    if rope_type in ("yarn", "longrope") and "factor" not in settings and longest is not None:
        settings["factor"] = longest / settings["original_max_position_embeddings"]
    if rope_type == "yarn":
        if settings.get("mscale", 1) != 1 and not settings.get("mscale_all_dim"):
            raise ValueError(
                "mscale_all_dim must be given where mscale is not 1 (programs differ in what mscale means alone), "
                f"got mscale {settings['mscale']}"
            )
        if settings.get("mscale_all_dim") and not settings.get("mscale"):
            raise ValueError("mscale must be given where mscale_all_dim is (programs ignore the latter alone)")


def _head_dim(config, layer_type):
    """Return the features of a head; Gemma 4's full attention has wider ones, DeepSeek's turn a part kept apart."""
    if "per_layer_config" in config:
        raise ValueError("head_dim must be given (per_layer_config may set another one for each layer)")
    keys = ["qk_rope_head_dim", "head_dim"]
    if layer_type == "full_attention":
        keys.insert(0, "global_head_dim")
    for key in keys:
        if config.get(key) is not None:
            return config[key]
    if "hidden_size" not in config or "num_attention_heads" not in config:
        raise ValueError("head_dim must be given (config has neither it nor hidden_size and num_attention_heads)")
    return config["hidden_size"] // config["num_attention_heads"]


def _unscaled(head_dim, base):
    return sinusoidal.inv_freq(_validate.even("head_dim", head_dim), base=base)


def _rotary_dim(head_dim, share):
    width = _validate.whole_number("head_dim", head_dim)
    rotary_dim = int(width * _share(share))
    if rotary_dim < 2 or rotary_dim % 2:
        raise ValueError(
            "partial_rotary_factor · head_dim must be positive and even (features turn in pairs), "
            f"got {share} · {width} = {rotary_dim}"
        )
    return rotary_dim


def _factor(value):
    value = _validate.number("factor", value, least=1, why=" (texts become longer)")
    if value > _validate.LARGEST:
        raise ValueError(f"factor must be at most 2**53 (positions count no further), got {value:g}")
    return value


def _share(value):
    value = _validate.number("partial_rotary_factor", value, least=0, why=" (a share of a head)")
    if value > 1:
        raise ValueError(f"partial_rotary_factor must be at most 1 (a share of a head), got {value:g}")
    return value


def _trained_length(value, least=1):
    return _validate.whole_number(
        "original_max_position_embeddings", value, least=least, why=" (tokens in training's longest text)"
    )


def _in_order(low_name, low, high_name, high):
    low = _validate.number(low_name, low, least=0)
    high = _validate.number(high_name, high, least=0)
    if not 0 < low < high:
        raise ValueError(
            f"{low_name} < {high_name} must hold, both above 0 (a ramp has two ends), got {low:g} and {high:g}"
        )
    return low, high


def _slowing(name, value, pairs):
    factors = _validate.positions(name, value).double()
    if factors.shape != (pairs,) or not bool((factors > 0).all()):
        raise ValueError(f"{name} must hold {pairs} numbers above 0 (one for each pair), got {value!r:.60}")
    return factors
