"""Positions at work against counting by hand: packed texts, pads and holes, cached keys that are moved."""

import cmath

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers import positions, rotary, sinusoidal

LAYOUTS = ("interleaved", "half")


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(dtype)


def counted(lengths):
    """Walk through the row, token by token."""
    position_ids = []
    document_ids = []
    for document, length in enumerate(lengths):
        for place in range(length):
            position_ids.append(place)
            document_ids.append(document)
    return position_ids, document_ids


@given(lengths=st.lists(st.integers(0, 6), max_size=6))
def test_packed_texts_count_their_own_tokens(lengths):
    packed = positions.from_lengths(torch.tensor(lengths, dtype=torch.int64))
    assert (packed.position_ids.tolist(), packed.document_ids.tolist()) == counted(lengths)


@given(rows=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=3))
def test_a_token_is_numbered_by_the_tokens_before_it_and_a_pad_is_none(rows):
    for mask in (torch.tensor(rows), torch.tensor(rows).long(), torch.tensor(rows).to(torch.uint8)):
        found = positions.from_mask(mask).tolist()
        for row, ids in zip(rows, found, strict=True):
            assert ids == [sum(row[:place]) if kept else 0 for place, kept in enumerate(row)]


@given(document_ids=st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_a_query_looks_at_its_own_text_alone(document_ids):
    found = positions.same_document(document_ids).tolist()
    assert found == [[query == key for key in document_ids] for query in document_ids]


def test_a_text_that_comes_back_is_one_text():
    assert positions.same_document([0, 1, 0])[0].tolist() == [True, False, True]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rotary_dim", [None, 4])
@pytest.mark.parametrize("by", [-7, torch.tensor([3, 0, -2, 10, 500])])
def test_a_key_turned_further_is_the_key_at_its_new_place(layout, rotary_dim, by):
    """Pair by pair, as a complex number."""
    k = random(2, 3, 5, 8, dtype=torch.float64)
    places = torch.tensor([7, 8, 9, 40, 1000])
    about = {"layout": layout, "rotary_dim": rotary_dim, "base": 100.0}
    got = rotary.turn_further(rotary.rotate(k, places, **about), by, **about)
    width = rotary_dim or 8
    wanted = k.clone()
    for token, place in enumerate((places + by).tolist()):
        for pair, speed in enumerate(sinusoidal.inv_freq(width, base=100.0).tolist()):
            a, b = (2 * pair, 2 * pair + 1) if layout == "interleaved" else (pair, pair + width // 2)
            turn = cmath.exp(1j * place * speed)
            wanted[..., token, a] = k[..., token, a] * turn.real - k[..., token, b] * turn.imag
            wanted[..., token, b] = k[..., token, a] * turn.imag + k[..., token, b] * turn.real
    torch.testing.assert_close(got, wanted, rtol=0, atol=1e-10)


def test_an_attention_factor_is_not_applied_again():
    k = random(5, 8)
    cached = rotary.rotate(k, range(5), attention_factor=1.5)
    torch.testing.assert_close(rotary.turn_further(cached, 4).norm(dim=-1), 1.5 * k.norm(dim=-1))


def test_keys_with_tokens_before_heads_are_turned_by_their_own_amounts():
    k = random(2, 5, 3, 8)
    by = torch.arange(10).view(2, 5)
    wanted = rotary.turn_further(k.transpose(1, 2), by).transpose(1, 2)
    assert torch.equal(rotary.turn_further(k, by, seq_dim=1), wanted)
    assert torch.equal(rotary.turn_further(k, 3, seq_dim=1), rotary.turn_further(k.transpose(1, 2), 3).transpose(1, 2))
