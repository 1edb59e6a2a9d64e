"""What the encoders accept, and what they say about the rest: "name must rule (why), got value"."""

from __future__ import annotations

import contextlib
import math
import operator

import torch
from torch.autograd import forward_ad

HALF = (torch.float16, torch.bfloat16)
INTS = (int, torch.SymInt)  # the latter is a length that an exported graph leaves open
FLOATS = (*HALF, torch.float32, torch.float64)


def whole_number(name: str, value: object, least: int = 1, why: str = "") -> int:
    """Return `value` as an int of at least `least`."""
    if not isinstance(value, INTS):
        with contextlib.suppress(AttributeError, TypeError):
            value = operator.index(value)
    if isinstance(value, bool) or not isinstance(value, INTS):
        raise TypeError(f"{name} must be an int{why}, got {shown(value)}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}{why}, got {value}")
    if value >= 2**63:
        raise ValueError(f"{name} must be below 2**63{why}, got {shown(value)}")
    return value


def even(name: str, value: object) -> int:
    """Return `value` as a positive, even int."""
    value = whole_number(name, value, least=-(2**63))
    if value < 1 or value % 2:
        raise ValueError(f"{name} must be positive and even (coordinates turn in pairs), got {value}")
    return value


def number(name: str, value: object, least: float, why: str = "") -> float:
    """Return `value` as a finite float of at least `least`."""
    try:
        found = value if isinstance(value, bool | str | float) else float(value)
    except OverflowError:
        found = math.inf
    except (TypeError, ValueError, RuntimeError):  # several numbers, or a complex one
        found = None
    if not isinstance(found, float):
        raise TypeError(f"{name} must be a number{why}, got {shown(value)}")
    if not least <= found < math.inf:
        raise ValueError(f"{name} must be finite and at least {least:g}{why}, got {found:g}")
    return found


def choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {shown(value)}")
    return value


def float_type(name: str, value: object) -> torch.dtype:
    """Return `value` if it is a dtype that a code can have."""
    if value not in FLOATS:
        raise TypeError(f"{name} must be float64, float32, float16 or bfloat16 (a code holds fractions), got {value}")
    return value


def readable(*tensors: torch.Tensor) -> bool:
    """Tell whether values can be looked at: not while traced, mapped or differentiated forward, nor without storage."""
    return (
        not torch.compiler.is_compiling()
        and forward_ad._current_level < 0
        and all(
            type(tensor) in (torch.Tensor, torch.nn.Parameter)
            and tensor.device.type != "meta"
            and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
            and not torch._C._functorch.is_legacy_batchedtensor(tensor)
            for tensor in tensors
        )
    )


def home(device: torch.device) -> torch.device:
    """Return where float64 is at home: on the device or, since not every one has it, on the processor."""
    return device if device.type in ("cpu", "cuda", "meta") else torch.device("cpu")


def positions(name: str, value: object, device: object = None, whole: str = "") -> torch.Tensor:
    """Return positions as a tensor of int64, float32 or float64, on `device` if one is named.

    `whole` is the reason why these must be whole numbers, if they must.
    """
    if not isinstance(value, torch.Tensor):
        value = _tensor(name, value)
    if value.dtype is torch.bool or value.is_complex() or value.is_quantized or not dense(value):
        got = f"dtype {value.dtype}, layout {value.layout}"
        raise TypeError(f"{name} must be whole or real numbers in a dense tensor, got {got}")
    if value.is_floating_point() and whole:
        raise TypeError(f"{name} must be whole numbers ({whole}), got dtype {value.dtype}")
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


def dense(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor has a place in memory for each of its numbers, and as many in each row."""
    return tensor.layout is torch.strided and not tensor.is_nested


def _tensor(name, value):
    if value is None or isinstance(value, str | bytes | bool | dict | set):
        raise TypeError(f"{name} must be a tensor or an array of numbers, got {shown(value)}")
    typed = not isinstance(value, int | float) and hasattr(value, "dtype")
    try:
        if typed and hasattr(value, "__array_interface__"):  # reversed, read-only and byteswapped arrays too
            value = value.astype(value.dtype.newbyteorder("="))
        tensor = torch.as_tensor(value)
        if tensor.is_floating_point() and not typed:
            tensor = torch.as_tensor(value, dtype=torch.float64)  # Python's floats have 53 bits
        return tensor.long() if tensor.numel() == 0 and not typed else tensor
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{name} must be a tensor or an array of numbers ({error}), got {shown(value)}") from None


def offsets(query_ids: object, key_ids: object, device: object = None, whole: str = "") -> torch.Tensor:
    """Return key − query in tokens for each pair, `(queries, keys)`; float positions meet in float64."""
    query_ids = positions("query_ids", query_ids, device, whole)
    key_ids = positions("key_ids", key_ids, query_ids.device, whole)
    for name, ids in (("query_ids", query_ids), ("key_ids", key_ids)):
        if ids.ndim != 1:
            raise ValueError(f"{name} must have one axis (a position for each token), got shape {tuple(ids.shape)}")
        whole_here = not ids.is_floating_point() and ids.device.type == "cpu" and readable(ids)
        if whole_here and bool((ids + 2**62).lt(0).any()):  # an overflow too is below 0
            raise ValueError(f"{name} must be within 2**62 tokens of 0 (offsets are int64), got one beyond")
    if query_ids.is_floating_point() or key_ids.is_floating_point():
        query_ids, key_ids = query_ids.double(), key_ids.double()
    return key_ids - query_ids[:, None]


def out_device(out: object, shape: tuple, positions: torch.Tensor | int) -> torch.device:
    """Return the device to write on, if `out` can be written to."""
    if not isinstance(out, torch.Tensor) or not dense(out):
        raise TypeError(f"out must be a dense tensor (it is written in place), got {shown(out)}")
    if out.shape != shape:
        raise ValueError(f"out must have the shape of the table, {shape}, got {tuple(out.shape)}")
    float_type("out", out.dtype)
    apart("out", out)
    differentiable = out.requires_grad or (isinstance(positions, torch.Tensor) and positions.requires_grad)
    if differentiable and torch.is_grad_enabled():
        raise ValueError("out must not be asked for where gradients flow (it would overwrite what they need)")
    return out.device


def apart(name: str, tensor: torch.Tensor) -> None:
    """Refuse a tensor, to be written to, whose numbers share their places in memory, as those of `expand` do."""
    if torch.compiler.is_compiling() or not tensor.numel():
        return
    reach = 0  # of the axes with smaller steps
    for step, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1 and step <= reach:
            got = f"strides {tensor.stride()} for shape {tuple(tensor.shape)}"
            raise ValueError(
                f"{name} must not be expanded or overlap (each number needs a place of its own; clone it), got {got}"
            )
        reach += step * (size - 1)


def _outlier(values):
    return values[~(values.abs() < 2.0**63)].flatten()[0].item()


def shown(value: object) -> str:
    """Return what to print of a value that was refused."""
    if getattr(value, "is_nested", False):
        return f"a nested tensor, dtype {value.dtype}"
    if shape := tuple(getattr(value, "shape", ())):
        return f"{type(value).__name__} of shape {shape}, dtype {getattr(value, 'dtype', None)}"
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) < 60 else text[:57] + '...'}"
