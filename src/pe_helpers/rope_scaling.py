# SPDX-License-Identifier: MIT
"""Rotary speeds for texts longer than those of training, for heads that turn in part, and of published models.

Each rule returns `inv_freq`: the speed of each pair in radians per token, float64, which `rotary` takes in place of
its own. YaRN and LongRoPE also return an attention factor: multiply cosines and sines by it, and the scores grow with
its square. `read` says of a published model's configuration all that its rotation needs.
The arithmetic is in `rope_rules` and the reading in `rope_reading`, both in plain floats.

In all of them ω_i = base^(−2i/head_dim) is the speed before scaling, and `factor` is how many times longer texts
become. The arguments are named as in Hugging Face's `modeling_rope_utils.py`, against which the rules were compared.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal, ParamSpec

import torch
from torch import Tensor

from . import rope_reading, rope_rules

_Arguments = ParamSpec("_Arguments")


def _tensor(numbers: list[Any], dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor(numbers, dtype=dtype, device="cpu")  # also where a model is begun on meta


def _as_tensor(rule: Callable[_Arguments, list[float]]) -> Callable[_Arguments, Tensor]:
    """Return a rule of `rope_rules` that gives its speeds as a tensor."""

    @functools.wraps(rule)
    def returning_tensors(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Tensor:
        return _tensor(rule(*args, **kwargs))

    returning_tensors.__module__ = __name__
    return returning_tensors


def _with_factor(rule: Callable[_Arguments, tuple[list[float], float]]) -> Callable[_Arguments, tuple[Tensor, float]]:
    """Return a rule of `rope_rules` that gives its speeds as a tensor, and the attention factor."""

    @functools.wraps(rule)
    def returning_tensors(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> tuple[Tensor, float]:
        speeds, attention_factor = rule(*args, **kwargs)
        return _tensor(speeds), attention_factor

    returning_tensors.__module__ = __name__
    return returning_tensors


interpolation = _as_tensor(rope_rules.interpolation)
ntk_aware = _as_tensor(rope_rules.ntk_aware)
dynamic_ntk = _as_tensor(rope_rules.dynamic_ntk)
yarn = _with_factor(rope_rules.yarn)
llama3 = _as_tensor(rope_rules.llama3)
longrope = _with_factor(rope_rules.longrope)
proportional = _as_tensor(rope_rules.proportional)
partial_rotation = _as_tensor(rope_rules.partial_rotation)


@dataclasses.dataclass(frozen=True, eq=False)
class Rope:
    """How one layer of a published model rotates, as `read` found it.

    Attributes:
        inv_freq: speed of each pair in radians per token, float64, `(pairs,)`; all 0 where the layer does not turn.
        attention_factor: multiplies cosines and sines.
        layout: "interleaved" if neighbouring features are a pair, "half" if features i and i + rotary_dim/2 are.
        turns: whether the layer rotates at all.
        axis_of_pair: the axis of a position that each pair follows, `(pairs,)`; None where a position is one number.
        holds_to: the longest text, in tokens, that has these speeds ("dynamic" and LongRoPE); None if any has.
        assumed: what the configuration does not say and was assumed, in words.

    Example:
        >>> rope = read({"model_type": "llama", "head_dim": 64, "rope_theta": 5e5})
        >>> rope.layout, rope.rotary_dim, rope.attention_factor
        ('half', 64, 1.0)
    """

    inv_freq: Tensor
    attention_factor: float
    layout: Literal["interleaved", "half"]
    turns: bool
    axis_of_pair: Tensor | None
    holds_to: int | None
    assumed: tuple[str, ...]
    _asked: dict[str, Any] = dataclasses.field(repr=False)

    @property
    def rotary_dim(self) -> int:
        """How many features of a head rotate, the first ones."""
        return 2 * len(self.inv_freq)

    def for_length(self, seq_len: int) -> Rope:
        """Return the rotation of a text of `seq_len` tokens, where the speeds follow the length; else the same."""
        if self.holds_to is None or seq_len <= self.holds_to:
            return self
        return read(**{**self._asked, "seq_len": seq_len})


def read(
    config: Mapping[str, Any] | object,
    *,
    layer: int | None = None,
    layer_type: str | None = None,
    seq_len: int | None = None,
    head_dim: int | None = None,
    base: float | None = None,
    layout: Literal["interleaved", "half"] | None = None,
    assume: bool = False,
) -> Rope:
    """Return how one layer of a published model rotates.

    Only what has a rule here is read; every other rotary setting is refused by its name, rather than ignored (but
    `llama_4_scaling_beta`, which multiplies queries). `model_type` says what the model's own program adds: the layout,
    the base of Llama 2, the width of Qwen 3's heads, the two bases of Gemma 3, where OLMo 3 scales, which layers of
    Command R7B and SmolLM 3 do not turn. `model_types.json` is the table.

    Args:
        config: a model's configuration in Hugging Face's form (`json.load` of its `config.json`, or the object that
            transformers makes of it), or its `rope_parameters` or `rope_scaling` alone.
        layer: which layer is meant, counted from 0, where layers differ.
        layer_type: or which kind of layers, such as "full_attention".
        seq_len: tokens in the text at hand, for "dynamic" and "longrope"; by default a short text.
        head_dim, base, layout: where `config` does not say them: features of a head, `rope_theta`, and which features
            are a pair.
        assume: True to take what most models have where `config` says neither: layout "half", and heads that share a
            model's width evenly. What was assumed stands in `assumed`.

    Raises:
        TypeError: a `config` that is no mapping, a setting of the wrong kind.
        ValueError: a setting that is missing, unknown or out of bounds, by its name.

    Example:
        >>> read({"model_type": "cohere2", "head_dim": 4, "rope_theta": 1e4}, layer_type="sliding_attention").layout
        'interleaved'
        >>> read({"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}, head_dim=4, layout="half").inv_freq
        tensor([0.5000, 0.0050], dtype=torch.float64)
        >>> read({"rope_theta": 1e4}, head_dim=4)
        Traceback (most recent call last):
        ValueError: layout must be given (programs differ in it, and this model_type is not known), got model_type None

    Source: transformers 5.23, `modeling_rope_utils.py` and the attention of each model, whose rotated queries and keys
        were compared: `python3 course.py bench scores`.
    """
    asked: dict[str, Any] = {"layer": layer, "layer_type": layer_type, "head_dim": head_dim, "base": base}
    asked |= {"config": _plain(config), "layout": layout, "assume": assume}
    found = rope_reading.read(**asked, seq_len=seq_len)
    axes = found.pop("axis_of_pair")
    return Rope(
        inv_freq=_tensor(found.pop("inv_freq")),
        axis_of_pair=None if axes is None else _tensor(axes, torch.int64),
        assumed=tuple(found.pop("assumed")),
        _asked=asked,
        **found,
    )


def from_config(config: Mapping[str, Any] | object, **asked: Any) -> tuple[Tensor, float]:
    """Return the speeds and the attention factor alone, of a model that has one axis.

    They do not say which features are a pair: `read` does, and `rotary.RotaryEmbedding.from_config` takes all of it.

    Args:
        config: as in `read`.
        asked: as in `read`, without `layout`.

    Raises:
        TypeError, ValueError: as for `read`; a position with several axes.

    Example:
        >>> from_config({"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0}, head_dim=4)
        (tensor([0.5000, 0.0050], dtype=torch.float64), 1.0)
        >>> from_config({"rope_type": "spiral"}, head_dim=4)
        Traceback (most recent call last):
        ValueError: rope_type must be one of default, dynamic, linear, llama3, longrope, proportional, yarn, got spiral
    """
    found = rope_reading.speeds(_plain(config), **asked)
    if found["axis_of_pair"] is not None:
        raise ValueError("config must be for positions with one axis (read says which axis each pair follows)")
    return _tensor(found["inv_freq"]), found["attention_factor"]


def _plain(config: Any) -> Any:
    return config.to_dict() if hasattr(config, "to_dict") else config
