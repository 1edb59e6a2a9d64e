"""Rotary encoding of several axes: against a loop over pairs, published models, and 1-D rotary where axes are equal."""

import math

import pytest
import torch

from pe_helpers import rotary, rotary_axes, sinusoidal

# sin[0, 1, pair] for position (7, 13, 23), as transformers 5.17.0 computes it in float32: Qwen2VLRotaryEmbedding with
# rope_theta 1e6 and mrope_section [16, 24, 24], Qwen3VLTextRotaryEmbedding with 5e6 and [24, 20, 20], heads of 128.
QWEN2_VL = {0: 0.6569866, 1: -0.5990306, 3: -0.4981825, 15: 0.2712517, 16: 0.3996144, 39: 0.0028688, 40: 0.00409}
QWEN3_VL = {0: 0.6569866, 1: -0.7110651, 2: 0.9978232, 3: -0.2525508, 16: 0.2714666, 58: 1.1e-05, 59: 1.54e-05}


def naive(x, position_ids, axis_of_pair, inv_freq):
    """Rotate feature i with feature i + head_dim/2, one pair after the other, in Python's floats."""
    rotated = x.clone()
    pairs = len(axis_of_pair)
    for token, position in enumerate(position_ids.tolist()):
        for i in range(pairs):
            angle = position[axis_of_pair[i]] * float(inv_freq[i])
            first = x[token, i].item()
            second = x[token, i + pairs].item()
            rotated[token, i] = first * math.cos(angle) - second * math.sin(angle)
            rotated[token, i + pairs] = first * math.sin(angle) + second * math.cos(angle)
    return rotated


@pytest.mark.parametrize("method", ["axial", "sections", "interleaved"])
def test_each_pair_is_rotated_by_the_position_on_its_own_axis(method):
    axis_of_pair = [0, 0, 0, 0, 1, 1, 1, 1]
    inv_freq = [10_000 ** (-i / 4) for i in (0, 1, 2, 3, 0, 1, 2, 3)]
    by_package = rotary_axes.axial(16)
    if method != "axial":
        axis_of_pair = [0, 0, 0, 0, 1, 1, 2, 2] if method == "sections" else [0, 1, 2, 0, 1, 2, 0, 0]
        inv_freq = [10_000 ** (-i / 8) for i in range(8)]
        by_package = (None, rotary_axes.sections([4, 2, 2], interleaved=method == "interleaved"))
    position_ids = torch.randint(-50, 500, (7, 1 + max(axis_of_pair)), generator=torch.Generator().manual_seed(0))
    x = torch.randn(7, 16, dtype=torch.float64)
    cos, sin = rotary_axes.cos_sin(position_ids, by_package[1], inv_freq=by_package[0], dtype=torch.float64)
    found = rotary.apply_rotary_emb(x, cos, sin, layout="half")
    torch.testing.assert_close(found, naive(x, position_ids, axis_of_pair, inv_freq))


@pytest.mark.parametrize(
    "sizes, interleaved, base, published", [([16, 24, 24], False, 1e6, QWEN2_VL), ([24, 20, 20], True, 5e6, QWEN3_VL)]
)
def test_sections_are_those_of_published_models(sizes, interleaved, base, published):
    axis_of_pair = rotary_axes.sections(sizes, interleaved=interleaved)
    assert axis_of_pair.bincount().tolist() == sizes
    _, sin = rotary_axes.cos_sin(torch.tensor([[7, 13, 23]]), axis_of_pair, base=base)
    for pair, value in published.items():
        assert sin[0, pair].item() == pytest.approx(value, rel=2e-6, abs=1e-7)  # printed to seven decimals


@pytest.mark.parametrize("interleaved", [False, True])
def test_where_axes_share_a_ladder_equal_axes_are_exactly_one_dimension(interleaved):
    position_ids = torch.tensor([0, 1, 7, 1000, 123_456])
    axis_of_pair = rotary_axes.sections([24, 20, 20], interleaved=interleaved)
    found = rotary_axes.cos_sin(position_ids[:, None].expand(-1, 3), axis_of_pair)
    for several, one in zip(found, rotary.cos_sin(position_ids, 128), strict=True):
        assert torch.equal(several, one)


def test_an_axial_code_of_equal_axes_is_not_one_dimensional():
    inv_freq, axis_of_pair = rotary_axes.axial(8)
    cos, _ = rotary_axes.cos_sin(torch.tensor([[3, 3]]), axis_of_pair, inv_freq=inv_freq)
    assert not torch.allclose(cos, rotary.cos_sin(torch.tensor([3]), 8)[0])


def test_scores_depend_on_the_offset_along_each_axis_alone():
    inv_freq, axis_of_pair = rotary_axes.axial(32)
    q, k = torch.randn(2, 32, dtype=torch.float64)

    def score(query_place, key_place):
        cos, sin = rotary_axes.cos_sin(
            torch.tensor([query_place, key_place]), axis_of_pair, inv_freq=inv_freq, dtype=torch.float64
        )
        rotated = rotary.apply_rotary_emb(torch.stack([q, k]), cos, sin, layout="half")
        return rotated[0] @ rotated[1]

    torch.testing.assert_close(score([2, 5], [4, 1]), score([102, 35], [104, 31]))
    assert abs(score([2, 5], [4, 1]) - score([2, 5], [4, 2])) > 1e-3


def test_a_grid_lists_its_places_row_by_row():
    assert rotary_axes.grid(2, 3).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert rotary_axes.grid(2, 1, 2).tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]


def test_a_batch_of_grids_goes_with_heads():
    position_ids = torch.stack([rotary_axes.grid(2, 3), 10 + rotary_axes.grid(2, 3)])
    inv_freq, axis_of_pair = rotary_axes.axial(8)
    q = torch.randn(2, 4, 6, 8)
    cos, sin = rotary_axes.cos_sin(position_ids, axis_of_pair, inv_freq=inv_freq)
    together = rotary.apply_rotary_emb(q, cos, sin, layout="half")
    for b in range(2):
        alone = rotary.apply_rotary_emb(q[b], cos[b], sin[b], layout="half")
        assert torch.equal(together[b], alone)


def test_shared_sections_may_be_scaled_like_any_other_head():
    axis_of_pair = rotary_axes.sections([4, 2, 2])
    slower = sinusoidal.inv_freq(16) / 2
    place = torch.tensor([[4, 8, 12]])
    for scaled, nearer in zip(
        rotary_axes.cos_sin(place, axis_of_pair, inv_freq=slower),
        rotary_axes.cos_sin(place // 2, axis_of_pair),
        strict=True,
    ):
        torch.testing.assert_close(scaled, nearer)


PLACES = torch.zeros(5, 2)
REFUSED = [
    (lambda: rotary_axes.grid(), ValueError, "sizes must name at least one axis"),
    (lambda: rotary_axes.grid(2, 0), ValueError, "sizes must be at least 1"),
    (lambda: rotary_axes.axial(10), ValueError, "head_dim must be a multiple of 4"),
    (lambda: rotary_axes.axial(12, axes=0), ValueError, "axes must be at least 1"),
    (lambda: rotary_axes.sections([]), ValueError, "sizes must name at least one axis"),
    (lambda: rotary_axes.sections([2, 1], interleaved=[1, 0]), ValueError, "interleaved must be one of True, False"),
    (lambda: rotary_axes.sections([2, 1.5]), TypeError, "sizes must be an int"),
    (lambda: rotary_axes.sections([2, 3, 3], interleaved=True), ValueError, "sizes must be largest for the first axis"),
    (lambda: rotary_axes.cos_sin(PLACES, [0, 0, 1, 2]), ValueError, "axis_of_pair must number the axes"),
    (lambda: rotary_axes.cos_sin(PLACES, [0, 0, 0, 0]), ValueError, "0 … 1, got 0 … 0"),
    (lambda: rotary_axes.cos_sin(PLACES, [0, -1, 1]), ValueError, "axis_of_pair must number the axes"),
    (lambda: rotary_axes.cos_sin(PLACES, [0.0, 1.0]), TypeError, "axis_of_pair must be whole numbers"),
    (lambda: rotary_axes.cos_sin(PLACES, [[0, 1]]), ValueError, "axis_of_pair must have one axis"),
    (lambda: rotary_axes.cos_sin(PLACES[0], [0, 1]), ValueError, "position_ids must have shape (..., seq_len, axes)"),
    (lambda: rotary_axes.cos_sin(PLACES.half(), [0, 1]), TypeError, "position_ids must be a dense tensor of whole"),
    (lambda: rotary_axes.cos_sin(PLACES, [0, 1], inv_freq=[1.0]), ValueError, "inv_freq must have shape (2,)"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[f"{i}: {message}" for i, (_, _, message) in enumerate(REFUSED)])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
