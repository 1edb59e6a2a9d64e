"""Slopes as the authors' reference gives them, and a bias that depends only on the distance."""

import pytest
import torch

from pe_helpers import alibi


def reference(num_heads):
    """The authors' recipe: a sequence that starts at its own ratio; else every other slope of the next power of two."""
    power = 1
    while power * 2 <= num_heads:
        power *= 2
    start = 2.0 ** (-8 / power)
    slopes = [start**i for i in range(1, power + 1)]
    return slopes if power == num_heads else slopes + reference(2 * power)[0::2][: num_heads - power]


@pytest.mark.parametrize("num_heads", [*range(1, 34), 40, 48, 71, 112])
def test_slopes_are_those_of_the_authors_for_any_number_of_heads(num_heads):
    torch.testing.assert_close(alibi.slopes(num_heads), torch.tensor(reference(num_heads)), rtol=1e-6, atol=0)


def test_slopes_of_8_and_12_heads_are_the_published_ones():
    assert alibi.slopes(8).tolist() == [2.0**-i for i in range(1, 9)]
    assert alibi.slopes(12)[8:].tolist() == pytest.approx([2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])


@pytest.mark.parametrize("symmetric", [False, True])
def test_the_bias_is_minus_slope_times_distance(symmetric):
    queries = torch.tensor([5, 0, 10**9 + 1])
    keys = torch.tensor([0, 5, 7, 10**9])
    bias = alibi.bias(3, queries, keys, symmetric=symmetric)
    assert bias.shape == (3, 3, 4) and bias.dtype == torch.float32
    for head, slope in enumerate(alibi.slopes(3).tolist()):
        for i, query in enumerate(queries.tolist()):
            for j, key in enumerate(keys.tolist()):
                distance = abs(query - key) if symmetric else query - key
                assert float(bias[head, i, j]) == pytest.approx(-slope * distance, rel=2e-7)


def test_neighbours_a_billion_tokens_out_differ_by_one_slope():
    ids = torch.arange(10**9, 10**9 + 3)
    near = torch.arange(3)
    assert torch.equal(alibi.bias(6, ids, ids), alibi.bias(6, near, near))


@pytest.mark.parametrize("kinds", [(torch.int64, torch.float32), (torch.float32, torch.int64), (torch.float64,) * 2])
def test_positions_of_two_kinds_meet_without_rounding(kinds):
    query = torch.tensor([2**25], dtype=kinds[0])
    key = torch.tensor([2**24 + 2], dtype=kinds[1])
    assert alibi.bias(1, query + 1, key).tolist() == [[[-(2.0**-8) * (float(query[0] + 1) - (2**24 + 2))]]]


def test_a_step_of_decoding_is_the_last_row():
    ids = torch.arange(9)
    assert torch.equal(alibi.bias(4, ids[-1:], ids), alibi.bias(4, ids, ids)[:, -1:])


def test_lists_and_empty_texts_are_welcome():
    assert alibi.bias(2, [0, 1], range(3)).shape == (2, 2, 3)
    assert alibi.bias(2, [], []).shape == (2, 0, 0)


REFUSED = [
    (lambda: alibi.slopes(0), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: alibi.slopes(2.0), TypeError, "num_heads must be an int"),
    (lambda: alibi.slopes(2**70), ValueError, "num_heads must be at most 2**53"),
    (lambda: alibi.slopes(2**50), RuntimeError, "memory"),
    (lambda: alibi.bias(1, [2**62], [-(2**62)]), ValueError, "query_ids must be finite and within 2**53"),
    (lambda: alibi.bias(1, [0], [-(2**63)]), ValueError, "key_ids must be finite and within 2**53"),
    (lambda: alibi.bias(1, [0], [0], symmetric=torch.ones(2)), ValueError, "symmetric must be one of True, False, got"),
    (lambda: alibi.bias(1, [0], [0], symmetric=1), ValueError, "symmetric must be one of True, False, got int 1"),
    (lambda: alibi.bias(True, [0], [0]), TypeError, "num_heads must be an int"),
    (lambda: alibi.bias(2, 3, 3), ValueError, "query_ids must have shape (tokens,) or (batch, tokens)"),
    (
        lambda: alibi.bias(2, [0], [[[0]]]),
        ValueError,
        "key_ids must have shape (tokens,) or (batch, tokens), got (1, 1, 1)",
    ),
    (
        lambda: alibi.bias(2, torch.ones(2).half(), [0]),
        TypeError,
        "query_ids must be a dense tensor of whole numbers",
    ),
    (lambda: alibi.bias(2, [0.0, float("nan")], [0]), ValueError, "query_ids must be finite"),
    (lambda: alibi.bias(2, [0], None), TypeError, "key_ids must be a tensor or an array"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
