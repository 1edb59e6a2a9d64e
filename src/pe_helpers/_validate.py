# SPDX-License-Identifier: MIT
"""What the encoders accept, and what they say about the rest: "name must rule (why), got value"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import torch

from ._numbers import LARGEST, choice, describe, even, number, whole_number

__all__ = ["choice", "describe", "even", "number", "whole_number"]


@runtime_checkable
class Array(Protocol):
    """What numpy can read: its own arrays, and pandas' columns."""

    def __array__(self) -> Any:
        """Return an array of numpy's."""
        ...


Numbers = (
    torch.Tensor | Array | float | Sequence[float] | Sequence[Sequence[float]] | Sequence[Sequence[Sequence[float]]]
)

FLOAT_TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
POSITION_TYPES = (
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float32,
    torch.float64,
)
FLOAT64_DEVICES = ("cpu", "cuda", "meta")


def positions(name: str, value: object, whole: str = "") -> torch.Tensor:
    """Return positions as a tensor of int64, float32 or float64.

    `whole` is the reason why they must be whole numbers, if they must.
    """
    tensor = value if isinstance(value, torch.Tensor) else _tensor(name, value)
    if tensor.dtype not in POSITION_TYPES or not dense(tensor):
        raise TypeError(
            f"{name} must be a dense tensor of whole numbers, float32 or float64 (bfloat16 cannot tell 256 from 257), "
            f"got {describe(tensor)}"
        )
    if not tensor.is_floating_point():
        tensor = tensor.long()
    elif whole:
        raise TypeError(f"{name} must be whole numbers ({whole}), got {describe(tensor)}")
    if tensor.numel() and readable(tensor):
        low, high = tensor.detach().aminmax()
        if host_truth((low >= -LARGEST) & (high <= LARGEST)) is False:
            raise ValueError(
                f"{name} must be finite and within 2**53 (float64 counts no further; angles are exact to 10**8), "
                f"got numbers from {low.item()} to {high.item()}"
            )
    return tensor


def _tensor(name: str, value: object) -> torch.Tensor:
    try:
        if not isinstance(value, int | float) and hasattr(value, "__array__"):
            return torch.as_tensor(value.__array__().copy())  # also read-only and reversed arrays, and pandas' columns
        tensor = torch.as_tensor(value)
        return torch.as_tensor(value, dtype=torch.float64) if tensor.is_floating_point() else tensor
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{name} must be a tensor or an array of numbers ({error}), got {describe(value)}") from None


def offsets(query_ids: object, key_ids: object, whole: str = "") -> torch.Tensor:
    """Return key − query in tokens for each pair, `(..., queries, keys)`; float positions are subtracted in float64."""
    query_ids = positions("query_ids", query_ids, whole)
    key_ids = positions("key_ids", key_ids, whole).to(query_ids.device)
    for name, ids in (("query_ids", query_ids), ("key_ids", key_ids)):
        if ids.ndim not in (1, 2):
            raise ValueError(f"{name} must have shape (tokens,) or (batch, tokens), got {tuple(ids.shape)}")
    if query_ids.ndim == key_ids.ndim == 2 and len(query_ids) != len(key_ids):
        raise ValueError(f"key_ids must be as many texts as query_ids, {len(query_ids)}, got {len(key_ids)}")
    if query_ids.is_floating_point() or key_ids.is_floating_point():
        query_ids = query_ids.double()
    return key_ids[..., None, :] - query_ids[..., :, None]


def dense(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is an ordinary array, neither sparse nor nested."""
    return tensor.layout is torch.strided and not tensor.is_nested


def readable(tensor: torch.Tensor) -> bool:
    """Return whether values can be looked at without waiting: not in a compiled graph, and not on a GPU."""
    return not torch.compiler.is_compiling() and tensor.device.type == "cpu"


def host_truth(condition: torch.Tensor) -> bool | None:
    """Return whether `condition` is true, or None where its value cannot be read or a device would have to be awaited.

    Values cannot be read in a compiled graph, under vmap, or in tensors without data (meta, fake).
    """
    if not readable(condition):
        return None
    try:
        return bool(condition)
    except RuntimeError:
        return None


def float64_device(device: torch.device | str) -> torch.device:
    """Return `device` if it computes in float64, otherwise the CPU."""
    return torch.device(device if torch.device(device).type in FLOAT64_DEVICES else "cpu")
