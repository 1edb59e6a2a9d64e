"""The pipe between grader and student: plain data comes through unchanged, everything else is refused."""

import contextlib
import json
import socket
import struct
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_grading import protocol
from pe_grading.protocol import Channel, Deadline, ProtocolError

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**200), 2**200) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4)
    ),
    max_leaves=20,
)


def sent(value, export=None, make_callback=None):
    one, other = map(Channel, socket.socketpair())
    one.send(value, Deadline(5), export)
    return other.receive(Deadline(5), make_callback)


def received(data):
    """Give raw bytes to the receiving side."""
    one, other = socket.socketpair()
    with ThreadPoolExecutor() as pool, contextlib.closing(other):  # more than a socket holds needs a reader
        pool.submit(lambda: (one.sendall(data), one.close()))
        return Channel(other).receive(Deadline(60))


def frame(body, blob=b""):
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return struct.pack(">4sII", b"CLK1", len(text), len(blob)) + text + blob


@given(plain)
@settings(max_examples=200, deadline=None)
def test_plain_data_comes_through_unchanged(value):
    assert sent(value) == value
    assert type(sent(value)) is type(value)


@pytest.mark.parametrize("dtype", sorted(map(str, protocol.DTYPES)))
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3, 4)])
def test_arrays_keep_shape_dtype_and_bits(dtype, shape):
    array = np.random.default_rng(0).integers(0, 2, size=shape).astype(dtype)
    got = sent({"a": array, "view": array.T})
    assert got["a"].dtype == array.dtype and got["a"].shape == shape
    assert np.array_equal(got["a"], array) and np.array_equal(got["view"], array.T)
    assert got["a"].flags.writeable


@pytest.mark.parametrize("dtype", sorted(protocol.TORCH_DTYPES))
def test_tensors_keep_shape_dtype_and_bits(dtype):
    tensor = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    got = sent([tensor, tensor.dtype, tensor.T, tensor[0, 1]])
    assert got[0].dtype == tensor.dtype == got[1] and torch.equal(got[0], tensor)
    assert torch.equal(got[2], tensor.T) and got[3].shape == ()


def test_a_number_of_numpy_stays_one_and_a_parameter_becomes_a_tensor():
    assert type(sent(np.float32(2.5))) is np.float32
    assert torch.equal(sent(torch.nn.Parameter(torch.ones(2))), torch.ones(2))


def test_a_subclass_arrives_as_the_plain_type():
    class Text(str):
        def __eq__(self, other):
            return True

    class Numbers(list):
        def __eq__(self, other):
            return True

    assert type(sent(Text("a"))) is str and sent(Text("a")) != "b"
    assert type(sent(Numbers([1]))) is list and sent(Numbers([1])) != [2]


@pytest.mark.parametrize(
    "value",
    [
        np.where([True, False], "turns", "stuck"),
        np.array([["a", "long one"], ["", "Ünal 😀"]]),
        np.array([], dtype=str),
        np.array([1, 0.5, "text", None, Fraction(1, 3)], dtype=object).reshape(5, 1),
        np.array("alone"),
    ],
    ids=["where", "matrix", "empty", "objects", "no axis"],
)
def test_arrays_of_text_and_of_objects_come_through_unchanged(value):
    got = sent({"value": value})["value"]
    assert got.shape == value.shape and got.dtype.kind == value.dtype.kind
    assert got.tolist() == value.tolist()


def test_a_text_of_numpy_is_a_text():
    got = sent({np.str_("key"): [np.str_("turns"), np.array(["a"])[0]]})
    assert got == {"key": ["turns", "a"]} and {type(x) for x in (*got, *got["key"])} == {str}


@pytest.mark.parametrize("value", [Fraction(-3, 2**40), Decimal("0.125"), Decimal("-Infinity"), Decimal("1E+308")])
def test_fractions_and_decimals_come_through_unchanged(value):
    assert sent([value]) == [value] and type(sent(value)) is type(value)


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble, ">f8", ">i4", ">c16"])
def test_what_only_one_machine_writes_arrives_as_ordinary_numbers(dtype):
    array = (np.arange(6).reshape(2, 3) / 2).astype(dtype)
    got = sent([array, array[1, 2]])
    assert got[0].dtype.name in protocol.DTYPES and got[0].dtype.isnative
    assert np.array_equal(got[0], array) and got[1] == array[1, 2]


@pytest.mark.parametrize("value", [range(3), deque([0, 1, 2]), {0: 5, 1: 6, 2: 7}.keys(), {5: 0, 6: 1, 7: 2}.values()])
def test_what_is_like_a_list_arrives_as_one(value):
    assert sent(value) == [0, 1, 2]


@pytest.mark.parametrize("value", [object(), np.array([object()]), iter([]), 1 << 2000, b"bytes", len])
def test_what_is_no_plain_data_is_not_sent(value):
    with pytest.raises((TypeError, ValueError)):
        sent(value)


def test_a_list_in_itself_is_not_sent():
    value = []
    value.append(value)
    with pytest.raises(ValueError):
        sent(value)


def test_an_exported_function_arrives_as_what_make_callback_makes():
    got = sent({"f": abs}, export=lambda function: 7, make_callback=lambda number, name: (number, name))
    assert got == {"f": (7, "abs")}


def with_array(dtype, shape, data=b""):
    return frame({"array": [dtype, shape]}, data)


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        struct.pack(">4sII", b"CLK1", 1 << 31, 0),
        struct.pack(">4sII", b"CLK1", 4, 1 << 31) + b"null",
        frame(b"[" * 100_000 + b"]" * 100_000),
        frame(b'{"list": [' * 400 + b"]}" * 400),
        frame(b"\xff\xfe"),
        frame([1]),
        frame([[1, 2], []]),
        frame({"array": 0}),
        frame({"array": ["float64"]}),
        frame({"tensor": [["float32", []], "load"]}, bytes(4)),
        frame({"tensor": [["uint8", [3]], "float64"]}, bytes(3)),
        frame({"tensor": [["uint8", []], "float64"]}, bytes(1)),
        frame({"dtype": "__class__"}),
        frame({"function": [0, "f"]}),
        frame({"list": 5}),
        frame({"set": [{"list": []}]}),
        frame({"a": 1, "b": 2}),
        frame(None, b"abc"),
        frame(b"1" + b"0" * 5000),
        frame(1 << 1100),
        frame({"list": [{"array": ["bool", [1]]}, {"array": ["bool", [1]]}]}, bytes(1)),
        with_array("float64", [962072674304]),
        with_array("float64", [10**30]),
        with_array("float64", [2], bytes(24)),
        with_array("float64", [-1], bytes(8)),
        with_array("float64", [-1, -1], bytes(8)),
        with_array("float64", [1.0], bytes(8)),
        with_array("float64", [True], bytes(8)),
        with_array("float64", "1", bytes(8)),
        with_array("object", [1], b"\x80\x04N."),
        with_array("U1000000", [0]),
        with_array([["a", "float64"]], [1], bytes(8)),
        with_array("float64", [1] * 40, bytes(8)),
        frame({"fraction": [1, 0]}),
        frame({"fraction": ["1e99999999", 1]}),
        frame({"fraction": [1, 2, 3]}),
        frame({"decimal": "1E+99999999"}),
        frame({"decimal": "1E-99999999"}),
        frame({"decimal": "9" * 900}),
        frame({"decimal": "many"}),
        frame({"decimal": 5}),
        frame({"texts": [["a", 1], [2]]}),
        frame({"texts": [["a"], [2]]}),
        frame({"texts": [["x" * 100_000, *[""] * 10_000], [10_001]]}),
        frame({"objects": [[1], [1] * 40]}),
        frame({"objects": [[], [-1, 0]]}),
    ],
)
def test_what_is_no_plain_data_is_not_received(data):
    with pytest.raises(ProtocolError):
        received(data)


def nested(depth, opening, closing):
    return frame(opening * depth + b"1" + closing * depth)


@pytest.mark.parametrize("limit", [1_000, 4_000])
@pytest.mark.parametrize("depth", [protocol.DEPTH + 1, 100, 400, 1_500])
@pytest.mark.parametrize(("opening", "closing"), [(b'{"list": [', b"]}"), (b"[", b"]"), (b'{"dict": [[0, ', b"]]}")])
def test_depth_is_refused_whatever_the_limit_of_recursion_is(limit, depth, opening, closing):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        with pytest.raises(ProtocolError):
            received(nested(depth, opening, closing))
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("make", [lambda v: [v], lambda v: {"a": v}, lambda v: (v, "[[[" * 100, '"\\')])
def test_what_may_be_sent_may_be_received(make):
    value = 1.5
    for _ in range(protocol.DEPTH):
        value = make(value)
    assert sent(value) == value
    with pytest.raises(ValueError, match="deep"):
        sent(make(value))


def test_a_text_of_quotes_and_brackets_is_looked_through_once():
    """Four million signs that could begin a text again and again; a quadratic search would take days."""
    text = b"[" * 200 + b'"' + b'\\"[' * (1 << 20)
    with pytest.raises(ProtocolError, match="deep"):
        received(frame(text))
    with pytest.raises(ProtocolError):
        received(frame(b'"' + b'\\"[' * (1 << 20)))


def test_messages_that_arrive_together_or_in_pieces_are_told_apart():
    one, other = socket.socketpair()
    data = frame(1) + frame({"array": ["uint8", [3]]}, b"abc") + frame("end")
    receiver = Channel(other)
    one.sendall(data[:20])
    assert receiver.receive(Deadline(5)) == 1
    one.sendall(data[20:50])
    one.sendall(data[50:])
    assert receiver.receive(Deadline(5)).tobytes() == b"abc"
    assert receiver.receive(Deadline(5)) == "end"


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_random_bytes_are_refused_and_never_crash(data):
    for attempt in (data, frame(b"\x00" + data), with_array("float64", [40], data)):
        with pytest.raises((ProtocolError, EOFError)):
            received(attempt)


def test_a_silent_side_times_out():
    silent, other = socket.socketpair()
    with silent, pytest.raises(TimeoutError):
        Channel(other).receive(Deadline(0.05))


def test_nothing_here_knows_pickle():
    for module in (protocol, __import__("pe_grading.worker").worker, __import__("pe_grading.student").student):
        text = Path(module.__file__).read_text()
        assert "import pickle" not in text and "allow_pickle=True" not in text
