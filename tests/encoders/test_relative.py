"""Buckets against exact integer arithmetic and T5's own formula, and a bias that is looked up by distance."""

import math

import pytest
import torch

from pe_helpers import relative

SETTINGS = [
    (True, 32, 128),
    (False, 32, 128),
    (True, 64, 256),
    (False, 16, 20),
    (True, 8, 100),
    (True, 4, 2),
    (True, 7, 20),
    (False, 5, 300),
    (False, 2, 9),
]


def naive(offset, bidirectional, num_buckets, max_distance):
    """One bucket, with powers of integers in place of logarithms."""
    per_side = num_buckets // 2 if bidirectional else num_buckets
    ahead = per_side if bidirectional and offset > 0 else 0
    distance = abs(offset) if bidirectional else max(-offset, 0)
    single = per_side // 2
    if distance < single:
        return ahead + distance
    shared = per_side - single
    k = 0
    # the octave is k if (distance/single)^shared >= (max_distance/single)^k
    while k + 1 < shared and distance**shared * single ** (k + 1) >= max_distance ** (k + 1) * single**shared:
        k += 1
    return ahead + single + k


def in_float32(offset, bidirectional, num_buckets, max_distance):
    """T5's own formula, with its float32 logarithms."""
    ahead = 0
    if bidirectional:
        num_buckets //= 2
        ahead = (offset > 0).long() * num_buckets
        offset = offset.abs()
    else:
        offset = -torch.min(offset, torch.zeros_like(offset))
    single = num_buckets // 2
    scaled = torch.log(offset.float() / single) / math.log(max_distance / single) * (num_buckets - single)
    large = torch.min(single + scaled.long(), torch.full_like(offset, num_buckets - 1))
    return ahead + torch.where(offset < single, offset, large)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_buckets_are_exact(setting):
    offsets = torch.arange(-600, 601)
    bidirectional, num_buckets, max_distance = setting
    got = relative.bucket(offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    assert got.dtype == torch.int64 and got.tolist() == [naive(offset, *setting) for offset in offsets.tolist()]


@pytest.mark.parametrize("setting", SETTINGS[:3], ids=str)
def test_buckets_are_those_of_t5(setting):
    offsets = torch.arange(-2000, 2001)
    bidirectional, num_buckets, max_distance = setting
    got = relative.bucket(offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    assert torch.equal(got, in_float32(offsets, *setting))


def test_keys_behind_fill_the_first_half_and_keys_ahead_the_second():
    assert relative.bucket([-1, 0, 1, -(2**53), 2**53]).tolist() == [1, 0, 17, 15, 31]
    assert relative.bucket([[-1, 0], [1, -500]], bidirectional=False).tolist() == [[1, 0], [0, 31]]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_bias_of_a_pair_is_the_number_of_its_distance(bidirectional):
    module = relative.RelativeBias(3, bidirectional=bidirectional, num_buckets=8, max_distance=20)
    assert module.weight.shape == (8, 3) and not module.weight.any()
    torch.nn.init.normal_(module.weight)
    queries = torch.tensor([0, 3, 50])
    keys = torch.tensor([0, 1, 2, 60])
    bias = module(queries, keys)
    assert bias.shape == (3, 3, 4)
    for i, query in enumerate(queries.tolist()):
        for j, key in enumerate(keys.tolist()):
            assert torch.equal(bias[:, i, j], module.weight[naive(key - query, bidirectional, 8, 20)])
    assert torch.equal(module(queries + 1000, keys + 1000), bias)
    bias.sum().backward()
    assert module.weight.grad.sum() == bias.numel()


REFUSED = [
    (
        lambda: relative.bucket([0.5]),
        TypeError,
        "relative_position must be whole numbers (a bucket holds whole distances)",
    ),
    (lambda: relative.bucket("far"), TypeError, "relative_position must be a tensor or an array"),
    (lambda: relative.bucket([1], num_buckets=3), ValueError, "num_buckets must be at least 4"),
    (lambda: relative.bucket([1], num_buckets=1, bidirectional=False), ValueError, "num_buckets must be at least 2"),
    (lambda: relative.bucket([1], max_distance=8), ValueError, "max_distance must be at least 9"),
    (lambda: relative.bucket([1], max_distance=1e9), TypeError, "max_distance must be an int"),
    (lambda: relative.bucket([1], max_distance=2**70), ValueError, "max_distance must be at most 2**53"),
    (lambda: relative.bucket([1], num_buckets=2**70), ValueError, "num_buckets must be at most 2**53"),
    (lambda: relative.RelativeBias(2)([2**62], [0]), ValueError, "query_ids must be finite and within 2**53"),
    (lambda: relative.bucket([1], bidirectional=[True]), ValueError, "bidirectional must be one of True, False, got"),
    (lambda: relative.RelativeBias(0), ValueError, "num_heads must be at least 1"),
    (lambda: relative.RelativeBias(2, num_buckets=2), ValueError, "num_buckets must be at least 4"),
    (lambda: relative.RelativeBias(2)(torch.zeros(2, 2), [0]), TypeError, "query_ids must be whole numbers"),
    (lambda: relative.RelativeBias(2)([[[0]]], [0]), ValueError, "query_ids must have shape (tokens,) or (batch, tok"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
