"""What the encoders accept, and what they say about the rest: "name must rule (why), got value"."""

from __future__ import annotations

import math
import operator

import torch

HALF = (torch.float16, torch.bfloat16)
FLOATS = (*HALF, torch.float32, torch.float64)


def whole_number(name: str, value: object, least: int = 1, why: str = "") -> int:
    """Return `value` as an int of at least `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int{why}, got {shown(value)}")
    if (value := operator.index(value)) < least:
        raise ValueError(f"{name} must be at least {least}{why}, got {value}")
    return value


def even(name: str, value: object) -> int:
    """Return `value` as a positive, even int."""
    value = whole_number(name, value, least=-(2**63))
    if value < 1 or value % 2:
        raise ValueError(f"{name} must be positive and even (coordinates turn in pairs), got {value}")
    return value


def number(name: str, value: object, least: float, why: str = "") -> float:
    """Return `value` as a finite float of at least `least`."""
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number{why}, got {shown(value)}")
    if not (math.isfinite(value := float(value)) and value >= least):
        raise ValueError(f"{name} must be finite and at least {least:g}{why}, got {value:g}")
    return value


def choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def float_type(name: str, value: object) -> torch.dtype:
    """Return `value` if it is a dtype that a code can have."""
    if value not in FLOATS:
        raise TypeError(f"{name} must be float64, float32, float16 or bfloat16 (a code holds fractions), got {value}")
    return value


def readable(*tensors: torch.Tensor) -> bool:
    """Tell whether values can be looked at: not while a graph is traced, a function vmapped, or without storage."""
    return not torch.compiler.is_compiling() and all(
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.device.type != "meta"
        and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        for tensor in tensors
    )


def positions(name: str, value: object, device: object = None) -> torch.Tensor:
    """Return positions as a tensor of int64, float32 or float64, on `device` if one is named."""
    if not isinstance(value, torch.Tensor):
        if value is None or isinstance(value, str | bytes | bool | dict | set):
            raise TypeError(f"{name} must be a tensor or an array of numbers, got {shown(value)}")
        try:
            value = value.copy() if hasattr(value, "__array_interface__") else value  # reversed or read-only arrays too
            tensor = torch.as_tensor(value)
            if tensor.is_floating_point() and not hasattr(value, "dtype"):
                tensor = torch.as_tensor(value, dtype=torch.float64)  # Python's floats have 53 bits
            if tensor.numel() == 0 and not hasattr(value, "dtype"):
                tensor = tensor.long()
        except (TypeError, ValueError, RuntimeError) as error:
            raise TypeError(f"{name} must be a tensor or an array of numbers ({error}), got {shown(value)}") from None
        value = tensor
    if value.dtype is torch.bool or value.is_complex() or value.is_quantized:
        raise TypeError(f"{name} must be whole or real numbers, got dtype {value.dtype}")
    if value.is_floating_point() and value.dtype not in (torch.float32, torch.float64):
        raise TypeError(
            f"{name} must not be in low precision (bfloat16 cannot tell 256 from 257), got dtype {value.dtype}"
        )
    if readable(value) and value.numel():
        if value.is_floating_point() and not bool((value.detach().abs() < 2.0**63).all()):
            raise ValueError(f"{name} must be finite and below 2**63, got {_outlier(value.detach())}")
        if value.dtype is torch.uint64 and bool((value.long() < 0).any()):
            raise ValueError(f"{name} must be below 2**63, got a uint64 above it")
    return value.to(device or value.device, value.dtype if value.is_floating_point() else torch.int64)


def out_device(out: object, shape: tuple, positions: torch.Tensor | range) -> torch.device:
    """Return the device to write on, if `out` can be written to."""
    if not isinstance(out, torch.Tensor) or out.shape != shape:
        got = tuple(out.shape) if isinstance(out, torch.Tensor) else shown(out)
        raise ValueError(f"out must have the shape of the table, {shape}, got {got}")
    float_type("out", out.dtype)
    if out.requires_grad or (not isinstance(positions, range) and positions.requires_grad):
        raise ValueError("out must not be asked for where gradients flow (it would overwrite what they need)")
    return out.device


def _outlier(values):
    return values[~(values.abs() < 2.0**63)].flatten()[0].item()


def shown(value: object) -> str:
    """Return what to print of a value that was refused."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) < 60 else text[:57] + '...'}"
