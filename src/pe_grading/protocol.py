"""Carry plain data over a socket: JSON for structure, bytes for arrays, and never pickle.

A frame is a fixed head (magic, two lengths), a JSON text, which tells each array's dtype and shape, and the bytes of
the arrays in the same order. Every length is checked before anything is read or allocated, so that the other side can
at worst make itself unintelligible, which is a `ProtocolError`.
"""

from __future__ import annotations

import io
import json
import math
import re
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from pe_grading.text import encodable

HEAD = struct.Struct(">4sII")  # magic, bytes of JSON, bytes of arrays
MAGIC = b"CLK1"
JSON_LIMIT = 4 << 20
ARRAY_LIMIT = 64 << 20
CHUNK = 1 << 13  # bytes that are read at once
DIMENSIONS = 32  # of one array
INTEGER_BITS = 1024
DECIMAL_DIGITS = 400  # of a Decimal, before and after its point: as far as a float reaches
DEPTH = 50  # how deep a value may be nested
JSON_DEPTH = 3 * DEPTH + 10  # a level of a dict takes three of JSON: the tag, the items, one of them
JSON_PARTS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
DTYPES |= {"float16", "float32", "float64", "complex64", "complex128"}
TORCH_DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "bfloat16"}
TORCH_DTYPES |= {"complex64", "complex128"}
LISTS = (list, range, deque, KeysView, ValuesView, ItemsView)  # what arrives as a list


class ProtocolError(Exception):
    """The other side sent something that is not plain data within the limits."""


class Deadline:
    """A time limit in seconds from now, which does not count the time that was spent waiting for a processor.

    Args:
        seconds: How long.
        waited: Returns how many seconds have been spent waiting so far; asked only when the time seems to be over.
    """

    def __init__(self, seconds: float, waited: Callable[[], float] | None = None):
        self.seconds = seconds
        self.waited = waited
        self.start = time.monotonic()

    def left(self) -> float:
        """Return the seconds that are left; zero or less when the time is over."""
        passed = time.monotonic() - self.start
        if passed < self.seconds or not self.waited:
            return self.seconds - passed
        return self.seconds + self.waited() - passed


class Channel:
    """One end of a connection that carries frames."""

    def __init__(self, connection: socket.socket):
        self.connection = connection
        self.buffer = memoryview(bytearray(CHUNK))  # made in time: a student may use all memory up
        self.received = bytearray()

    def send(self, message: Any, deadline: Deadline | None = None, export: Callable | None = None) -> None:
        """Send one message; `export(function)` gives the number by which the other side can call it."""
        arrays: list[bytes] = []
        text = json.dumps(_encode(message, arrays, export)).encode()
        size = sum(map(len, arrays))
        if len(text) > JSON_LIMIT or size > ARRAY_LIMIT:
            raise ValueError(f"a value must be under {ARRAY_LIMIT >> 20} MB, got {(len(text) + size) >> 20} MB")
        self._wait_until(deadline)
        self.connection.sendall(b"".join([HEAD.pack(MAGIC, len(text), size), text, *arrays]))

    def receive(self, deadline: Deadline | None = None, make_callback: Callable | None = None) -> Any:
        """Receive one message; `make_callback(number, name)` makes the function that stands for an exported one."""
        magic, json_size, array_size = HEAD.unpack(self._read(HEAD.size, deadline))
        if magic != MAGIC or json_size > JSON_LIMIT or array_size > ARRAY_LIMIT:
            raise ProtocolError("a frame must have the right magic and a size within the limits")
        text = self._read(json_size, deadline)
        arrays = io.BytesIO(self._read(array_size, deadline))
        if _is_deep(text):
            raise ProtocolError(f"a value must be nested at most {DEPTH} deep")
        try:
            message = _decode(json.loads(text.decode()), arrays, make_callback)
            if arrays.read(1):
                raise ProtocolError("every byte must belong to an array")
            return message
        except (ValueError, TypeError, LookupError, RuntimeError, AttributeError, ArithmeticError) as error:
            raise ProtocolError(f"not plain data ({type(error).__name__})") from None

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _read(self, size: int, deadline: Deadline | None) -> bytes:
        while len(self.received) < size:
            self._wait_until(deadline)
            try:
                count = self.connection.recv_into(self.buffer)
            except TimeoutError:
                continue  # the deadline decides whether the time is over
            if not count:
                raise EOFError("the other side closed the connection")
            self.received += self.buffer[:count]
        data = bytes(memoryview(self.received)[:size])
        del self.received[:size]
        return data

    def _wait_until(self, deadline: Deadline | None) -> None:
        left = deadline.left() if deadline else None
        if left is not None and left <= 0:
            raise TimeoutError("timed out")
        self.connection.settimeout(left)


def _is_deep(text: bytes) -> bool:
    """Tell whether JSON is nested deeper than any value: its own parser stops where Python's recursion limit is."""
    if text.count(b"[") + text.count(b"{") <= JSON_DEPTH:
        return False
    depth = 0
    for part in JSON_PARTS.finditer(text):
        sign = part[0]
        depth += (sign in (b"[", b"{")) - (sign in (b"]", b"}"))
        if depth > JSON_DEPTH:
            return True
    return False


def _encode(value: Any, arrays: list[bytes], export: Callable | None, depth: int = 0) -> Any:
    """Return `value` as JSON in which everything but null, booleans, numbers and text wears a one-key tag."""
    torch = sys.modules.get("torch")
    if depth > DEPTH:
        raise ValueError(f"a value must be nested at most {DEPTH} deep")

    def inner(x: Any) -> Any:
        return _encode(x, arrays, export, depth + 1)

    if value is None or value is Ellipsis:
        return None
    if isinstance(value, (bool, str)):  # also numpy's text
        return bool(value) if isinstance(value, bool) else str.__str__(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "OUT":
        kind = "objects" if value.dtype.kind == "O" else "texts"
        return {kind: [[inner(x) for x in np.asarray(value).ravel().tolist()], list(value.shape)]}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array" if isinstance(value, np.ndarray) else "scalar": _attach(np.asarray(value), arrays)}
    if isinstance(value, int):
        if int(value).bit_length() > INTEGER_BITS:
            raise ValueError(f"an integer must have at most {INTEGER_BITS} bits")
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, Fraction):
        return {"fraction": [inner(int(value.numerator)), inner(int(value.denominator))]}
    if isinstance(value, Decimal):
        return {"decimal": Decimal.__str__(_short(value))}
    for name, kind in (("list", LISTS), ("tuple", tuple), ("set", (set, frozenset))):
        if isinstance(value, kind):
            return {name: [inner(x) for x in value]}
    if isinstance(value, dict):
        return {"dict": [[inner(k), inner(v)] for k, v in value.items()]}
    if torch and isinstance(value, torch.Tensor):
        plain = value.detach().cpu().contiguous().resolve_conj().resolve_neg()
        name = str(plain.dtype).removeprefix("torch.")
        if name not in TORCH_DTYPES:
            raise TypeError(f"a tensor must have an ordinary dtype, got {name}")
        raw = plain.view(torch.int16) if name == "bfloat16" else plain
        return {"tensor": [_attach(raw.numpy(), arrays), name]}
    if torch and isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if export and callable(value):
        return {"function": [export(value), getattr(value, "__name__", "function")]}
    kinds = "a number, text, list, tuple, set, dict, array or tensor"
    raise TypeError(f"a value must be {kinds}, got {type(value).__name__}")


def _decode(value: Any, arrays: io.BytesIO, make_callback: Callable | None, depth: int = 0) -> Any:
    """Return the plain value that `_encode` tagged."""
    if depth > DEPTH:
        raise ProtocolError(f"a value must be nested at most {DEPTH} deep")
    if not isinstance(value, dict):
        if isinstance(value, list) or (isinstance(value, int) and value.bit_length() > INTEGER_BITS):
            raise ValueError("a list must wear a tag, an integer must be short")
        return encodable(value) if isinstance(value, str) else value
    ((tag, body),) = value.items()

    def inner(x: Any) -> Any:
        return _decode(x, arrays, make_callback, depth + 1)

    if tag in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": set}[tag](inner(x) for x in body)
    if tag == "dict":
        return {inner(k): inner(v) for k, v in body}
    if tag == "complex":
        return complex(*body)
    if tag == "fraction":
        above, below = map(inner, body)
        if type(above) is not int or type(below) is not int:
            raise ProtocolError("a fraction must be two integers")
        return Fraction(above, below)
    if tag == "decimal":
        return _short(Decimal(body[: 3 * DECIMAL_DIGITS]))
    if tag in ("objects", "texts"):
        return _filled([inner(x) for x in body[0]], body[1], tag)
    if tag in ("array", "scalar"):
        array = _take(body, arrays)
        return array if tag == "array" else array.reshape(())[()]
    if tag in ("tensor", "dtype"):
        import torch

        name = body if tag == "dtype" else body[1]
        if name not in TORCH_DTYPES:
            raise ValueError("an unknown dtype")
        dtype = getattr(torch, name)
        return dtype if tag == "dtype" else torch.from_numpy(_take(body[0], arrays)).view(dtype)
    if tag == "function" and make_callback:
        return make_callback(int(body[0]), str(body[1]))
    raise ValueError("an unknown tag")


def _short(value: Decimal) -> Decimal:
    """Return a Decimal with as few digits as a float has; one without bounds would fill the memory as an integer."""
    if value.is_finite() and max(len(value.as_tuple().digits), abs(value.adjusted())) > DECIMAL_DIGITS:
        raise ValueError(f"a Decimal must have at most {DECIMAL_DIGITS} digits before and after its point")
    return value


def _filled(items: list, shape: list, kind: str) -> np.ndarray:
    """Return an array of objects or of text, as wide as its longest."""
    if len(shape) > DIMENSIONS or any(type(n) is not int or n < 0 for n in shape) or math.prod(shape) != len(items):
        raise ProtocolError("an array's shape must tell how many values it holds")
    if kind == "texts":
        widest = max(map(len, items), default=1)
        if 4 * widest * len(items) > ARRAY_LIMIT or not all(isinstance(x, str) for x in items):
            raise ProtocolError(f"an array of text must hold text and be under {ARRAY_LIMIT >> 20} MB")
        return np.array(items, dtype=str).reshape(shape)
    array = np.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        array[index] = item
    return array.reshape(shape)


def _attach(array: np.ndarray, arrays: list[bytes]) -> list:
    """Add an array's bytes, in C order, and return what tells its dtype and shape.

    What only this machine can hold, long doubles and the other order of bytes, becomes ordinary.
    """
    if array.dtype in (np.longdouble, np.clongdouble):
        array = array.astype(np.float64 if array.dtype.kind == "f" else np.complex128)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.name not in DTYPES:
        raise TypeError(f"an array must hold numbers, booleans or text, got dtype {array.dtype}")
    if array.nbytes > ARRAY_LIMIT:
        raise ValueError(f"an array must be under {ARRAY_LIMIT >> 20} MB, got {array.nbytes >> 20} MB")
    arrays.append(array.tobytes())
    return [array.dtype.name, list(array.shape)]


def _take(told: list, arrays: io.BytesIO) -> np.ndarray:
    """Take the next array out of the bytes; what is told of it may be a lie."""
    name, shape = told
    if name not in DTYPES or len(shape) > DIMENSIONS or any(type(n) is not int or n < 0 for n in shape):
        raise ProtocolError("an array must hold numbers and have a shape")
    dtype = np.dtype(name)
    size = math.prod(shape) * dtype.itemsize
    data = arrays.read(size)
    if len(data) != size:
        raise ProtocolError("an array's dtype and shape must tell its size")
    return np.frombuffer(data, dtype).reshape(shape).copy()
