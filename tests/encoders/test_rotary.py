"""The rotation against loops in 40 digits and complex numbers, its group law and its gradients."""

import cmath
import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_helpers import rotary, sinusoidal

mpmath.mp.dps = 40
LAYOUTS = ("interleaved", "half")
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def random(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def in_order(x, **settings):
    """Rotate tokens 0, 1, 2 …"""
    return rotary.rotate(x, torch.arange(x.shape[-2]), **settings)


def rotated(vector, position, layout, speeds=None):
    """One vector, pair by pair, in 40 digits."""
    half = len(vector) // 2
    speeds = speeds or [mpmath.mpf(10_000) ** (mpmath.mpf(-i) / half) for i in range(half)]
    result = [None] * len(vector)
    for i, speed in enumerate(speeds):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half)
        pair = mpmath.mpc(vector[a], vector[b]) * mpmath.expj(mpmath.mpf(position) * mpmath.mpf(speed))
        result[a], result[b] = pair.real, pair.imag
    return result


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_pair_is_rotated_by_its_angle(layout, dtype):
    x = random(2, 5, 8, dtype=dtype)
    positions = torch.tensor([0, 1, 7, 4096, 9_999_999])
    got = rotary.rotate(x, positions, layout=layout)
    assert got.dtype == dtype and got.shape == x.shape
    rounding = torch.finfo(dtype).eps
    for row in range(2):
        for at, position in enumerate(positions.tolist()):
            size = float(x[row, at].double().norm())
            allowed = 2 * rounding * size + (1e-8 * size if dtype == torch.float64 else 0)  # angles are float64's
            for value, wanted in zip(
                got[row, at].tolist(), rotated(x[row, at].tolist(), position, layout), strict=True
            ):
                assert abs(value - wanted) <= allowed


def test_half_precision_is_rotated_in_float32_and_rounded_once():
    for dtype in (torch.float16, torch.bfloat16):
        x = random(50, 8, dtype=dtype)
        for layout in LAYOUTS:
            assert torch.equal(in_order(x, layout=layout), in_order(x.float(), layout=layout).to(dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_score_depends_only_on_the_offset_up_to_ten_million(layout):
    q = random(64, 64, seed=1)
    k = random(64, 64, seed=2)
    wanted = [
        float(sum(a * b for a, b in zip(rotated(x, 7, layout), y, strict=True)))
        for x, y in zip(q.tolist(), k.tolist(), strict=True)
    ]
    for start in (0, 10**4, 10**6, 10**7 - 7):
        queries = rotary.rotate(q, torch.full((64,), start + 7), layout=layout).double()
        keys = rotary.rotate(k, torch.full((64,), start), layout=layout).double()
        drift = ((queries * keys).sum(-1) - torch.tensor(wanted)).abs() / (q.norm(dim=-1) * k.norm(dim=-1))
        assert drift.max() <= 2e-7


@settings(max_examples=30, deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.sampled_from(LAYOUTS), st.integers(1, 12))
def test_rotations_compose_and_undo_each_other(a, b, layout, pairs):
    x = random(1, 2 * pairs, dtype=torch.float64)

    def by(position, x):
        return rotary.rotate(x, torch.tensor([position]), layout=layout)

    torch.testing.assert_close(by(a, by(b, x)), by(a + b, x), rtol=0, atol=1e-8)
    torch.testing.assert_close(by(-a, by(a, x)), x, rtol=0, atol=1e-13)
    torch.testing.assert_close(by(a, x).norm(), x.norm(), rtol=1e-13, atol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_kept_cosines_and_sines_give_what_positions_give(layout, dtype):
    q = random(2, 3, 7, 8, dtype=dtype)
    ids = torch.randint(0, 10**6, (2, 7), generator=torch.Generator().manual_seed(0))
    precision = torch.float64 if dtype == torch.float64 else torch.float32
    cos, sin = rotary.cos_sin(ids, 8, dtype=precision)
    assert cos.shape == sin.shape == (2, 7, 4) and cos.dtype == sin.dtype == precision
    kept = rotary.apply_rotary_emb(q, cos, sin, layout=layout)
    assert torch.equal(kept, rotary.rotate(q, ids, layout=layout))
    assert torch.equal(kept, rotary.apply_rotary_emb(q, cos[:, None], sin[:, None], layout=layout))


def test_cosines_and_sines_are_rounded_once():
    ids = torch.tensor([0, 3, 10**6 + 1])
    for dtype, allowed in ((torch.float32, 0.6 * 2.0**-24), (torch.float64, 1e-9)):
        cos, sin = rotary.cos_sin(ids, 16, base=500_000.0, dtype=dtype)
        for row, position in enumerate(ids.tolist()):
            for i in range(8):
                angle = position * mpmath.mpf(500_000) ** (mpmath.mpf(-i) / 8)
                assert abs(mpmath.cos(angle) - float(cos[row, i])) <= allowed
                assert abs(mpmath.sin(angle) - float(sin[row, i])) <= allowed


def test_float64_cosines_serve_every_dtype():
    cos, sin = rotary.cos_sin(range(5), 8, dtype=torch.float64)
    for dtype in DTYPES:
        x = random(5, 8, dtype=dtype)
        got = rotary.apply_rotary_emb(x, cos, sin)
        assert got.dtype == dtype
        assert torch.equal(got, in_order(x.double()).to(dtype))


SHAPES = {"one head": (7, 8), "batch": (3, 7, 8), "heads": (2, 3, 7, 8), "long": (1500, 64)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_memory_layout_gives_the_same(shape, layout):
    x = random(*shape)
    wanted = in_order(x, layout=layout)
    views = [x.mT.contiguous().mT, x.transpose(0, 1).contiguous().transpose(0, 1), x.expand(2, *shape)[1]]
    for room, start in ((3, 0), (3, 1), (4, 1), (4, 2)):  # at an odd place, or in rows of odd width
        roomy = torch.zeros(*shape[:-1], shape[-1] + room)
        view = roomy[..., start : start + shape[-1]]
        view.copy_(x)
        views.append(view)
    for view in views:
        torch.testing.assert_close(in_order(view, layout=layout), wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts_are_permutations_of_each_other(dtype):
    x = random(2, 9, 16, dtype=dtype)
    order = torch.cat([torch.arange(0, 16, 2), torch.arange(1, 16, 2)])
    half = in_order(x[..., order], layout="half")
    torch.testing.assert_close(half, in_order(x)[..., order], rtol=0, atol=4 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reordered_weights_keep_the_scores_in_the_other_layout(layout, heads):
    x = random(6, 10)
    q = random(heads * 8, 10, seed=1)
    k = random(heads * 8, 10, seed=2)

    def scores(q, k, layout):
        queries, keys = ((x @ w.T).unflatten(-1, (heads, 8)).transpose(0, 1) for w in (q, k))
        return in_order(queries, layout=layout) @ in_order(keys, layout=layout).mT

    move = rotary.to_half
    back = rotary.to_interleaved
    other = "half"
    if layout == "half":
        move, back = back, move
        other = "interleaved"
    torch.testing.assert_close(scores(move(q, 8), move(k, 8), other), scores(q, k, layout), rtol=1e-4, atol=1e-4)
    assert torch.equal(back(move(q, 8), 8), q)
    assert not torch.allclose(scores(q, k, other), scores(q, k, layout), rtol=1e-2, atol=1e-2)


def test_a_bias_is_reordered_as_its_weight():
    assert rotary.to_half(torch.arange(6)).tolist() == [0, 2, 4, 1, 3, 5]
    assert rotary.to_interleaved(torch.arange(8), 4).tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_gradient_is_rotated_back(dtype, layout):
    x = random(2, 3, 5, 8, dtype=dtype).requires_grad_()
    g = random(2, 3, 5, 8, dtype=dtype, seed=1)
    in_order(x, layout=layout).backward(g)
    wanted = rotary.rotate(g, -torch.arange(5), layout=layout)
    eps = torch.finfo(dtype).eps
    torch.testing.assert_close(x.grad, wanted, rtol=2 * eps, atol=8 * eps)


@pytest.mark.parametrize("rotary_dim", [None, 4])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_are_right_to_second_order_and_for_positions_and_speeds(layout, rotary_dim):
    x = random(2, 3, 6, dtype=torch.float64).requires_grad_()
    p = random(3, dtype=torch.float64).requires_grad_()
    speeds = sinusoidal.inv_freq(rotary_dim or 6).requires_grad_()

    def rotate(x, p, speeds):
        return rotary.rotate(x, p, inv_freq=speeds, layout=layout, rotary_dim=rotary_dim)

    assert torch.autograd.gradcheck(rotate, (x, p, speeds))
    assert torch.autograd.gradgradcheck(rotate, (x, p, speeds))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_batch_of_gradients_is_rotated_back_as_each_of_them(layout):
    x = random(5, 8, seed=1).bfloat16().requires_grad_()
    gradients = random(3, 5, 8, seed=2).bfloat16()
    got = in_order(x, layout=layout)
    (together,) = torch.autograd.grad(got, x, gradients, retain_graph=True, is_grads_batched=True)
    for mine, gradient in zip(together, gradients, strict=True):
        (alone,) = torch.autograd.grad(got, x, gradient, retain_graph=True)
        torch.testing.assert_close(mine, alone)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_positions_are_shared_by_all_heads_of_their_batch(batch, heads, length, seed):
    x = random(batch, heads, length, 8, seed=seed)
    ids = torch.randint(-9, 9999, (batch, length), generator=torch.Generator().manual_seed(seed))
    got = rotary.rotate(x, ids)
    for i in range(batch):
        for j in range(heads):
            torch.testing.assert_close(got[i, j], rotary.rotate(x[i, j], ids[i]), rtol=0, atol=2e-6)
    torch.testing.assert_close(got, rotary.rotate(x, ids[:, None].expand(batch, heads, length)), rtol=0, atol=2e-6)


def test_a_step_of_decoding_equals_the_whole_text():
    x = random(2, 4, 100, 64)
    whole = in_order(x)
    for step in (0, 1, 57, 99):
        one = rotary.rotate(x[:, :, step : step + 1], torch.tensor([step]))
        torch.testing.assert_close(one[:, :, 0], whole[:, :, step], rtol=0, atol=2e-6)


def test_left_padding_is_a_matter_of_positions():
    x = random(1, 2, 6, 8)
    padded = torch.cat([torch.zeros(1, 2, 3, 8), x], dim=2)
    got = rotary.rotate(padded, torch.tensor([[0, 0, 0, *range(6)]]))[:, :, 3:]
    torch.testing.assert_close(got, in_order(x), rtol=0, atol=2e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_features_beyond_rotary_dim_stay(layout):
    x = random(2, 5, 13)
    got = in_order(x, rotary_dim=8, layout=layout)
    assert torch.equal(got[..., 8:], x[..., 8:])
    torch.testing.assert_close(got[..., :8], in_order(x[..., :8], layout=layout), rtol=0, atol=1e-6)


@pytest.mark.parametrize("ids", [torch.arange(5), torch.tensor([[4, 1, 0, 9, 7], [3, 2, 1, 8, 8]])])
@pytest.mark.parametrize("seq_dim", [1, -3])
def test_tokens_before_heads_are_rotated_by_their_own_positions(seq_dim, ids):
    x = random(2, 5, 5, 8)  # as many heads as tokens: no size tells them apart
    got = rotary.rotate(x, ids, seq_dim=seq_dim)
    assert torch.equal(got, rotary.rotate(x.transpose(1, 2), ids).transpose(1, 2))
    kept = rotary.apply_rotary_emb(x[:, :, :3], *rotary.cos_sin(ids, 8), seq_dim=seq_dim)
    assert torch.equal(kept, got[:, :, :3])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_attention_factor_lengthens_what_is_rotated(layout):
    x = random(2, 5, 8)
    longer = rotary.rotate(x, range(5), layout=layout, attention_factor=1.25)
    torch.testing.assert_close(longer, 1.25 * rotary.rotate(x, range(5), layout=layout))
    for with_factor, without in zip(
        rotary.cos_sin(range(5), 8, attention_factor=1.25), rotary.cos_sin(range(5), 8), strict=True
    ):
        torch.testing.assert_close(with_factor, 1.25 * without)


def test_given_speeds_take_the_place_of_the_base():
    x = random(3, 8)
    speeds = sinusoidal.inv_freq(8, base=500_000.0)
    wanted = in_order(x, base=500_000.0)
    for inv_freq in (speeds, speeds.tolist(), speeds.numpy()):
        assert torch.equal(in_order(x, inv_freq=inv_freq), wanted)
    any_speed = [1e3, -7.0, 3.5, 0.0]
    got = rotary.rotate(x, torch.tensor([10**6, 1, 2]), inv_freq=any_speed)
    for row, position in enumerate((10**6, 1, 2)):
        pairs = zip(x[row, 0::2].tolist(), x[row, 1::2].tolist(), any_speed, strict=True)
        wanted = [complex(a, b) * cmath.exp(1j * position * speed) for a, b, speed in pairs]
        assert got[row, 0::2].tolist() == pytest.approx([pair.real for pair in wanted], abs=1e-6)
        assert got[row, 1::2].tolist() == pytest.approx([pair.imag for pair in wanted], abs=1e-6)


def test_bfloat16_queries_do_not_make_bfloat16_positions():
    x = torch.ones(1, 300, 64, dtype=torch.bfloat16)
    assert len(torch.unique(in_order(x)[0, 250:, 0])) > 45


def test_empty_texts_and_batches_stay_empty():
    for shape in ((2, 0, 8), (0, 5, 8), (0, 0, 2)):
        for layout in LAYOUTS:
            assert in_order(torch.zeros(shape), layout=layout).shape == shape


X = torch.zeros(2, 3, 5, 8)
COS, SIN = rotary.cos_sin(range(5), 8)
REFUSED = [
    (lambda: rotary.rotate([1.0], [0]), TypeError, "x must be a dense float tensor (..., seq_len, head_dim), got list"),
    (lambda: in_order(X.long()), TypeError, "got a torch.strided tensor of torch.int64"),
    (lambda: in_order(X + 0j), TypeError, "x must be a dense float tensor"),
    (lambda: in_order(X[0].to_sparse()), TypeError, "x must be a dense float tensor"),
    (lambda: in_order(X.to(torch.float8_e5m2)), TypeError, "x must be a dense float tensor"),
    (lambda: rotary.rotate(X[0, 0, 0], [0]), TypeError, "got a torch.strided tensor of torch.float32, ndim 1"),
    (lambda: in_order(X[..., :5]), ValueError, "head_dim must be even (each pair of features has one angle), got"),
    (lambda: in_order(X[..., :0]), ValueError, "head_dim must be at least 2"),
    (lambda: in_order(X, rotary_dim=3), ValueError, "rotary_dim must be even"),
    (lambda: in_order(X, rotary_dim=10), ValueError, "rotary_dim must be at most head_dim, 8, got 10"),
    (lambda: rotary.rotate(X, 5), ValueError, "position_ids must have positions of shape (5,)"),
    (lambda: rotary.rotate(X, [1]), ValueError, "position_ids must have positions of shape (5,) or batched like (2, 3"),
    (lambda: rotary.rotate(X, [[1]] * 2), ValueError, "got (2, 1)"),
    (lambda: rotary.rotate(X, range(6)), ValueError, "got (6,)"),
    (lambda: rotary.rotate(X, [range(5)] * 3), ValueError, "got (3, 5)"),
    (lambda: rotary.rotate(X.expand(2, 3, 5, 8)[[0, 1, 1]], [range(5)] * 2), ValueError, "got (2, 5)"),
    (lambda: rotary.rotate(X, torch.zeros(2, 3, 5, 8)), ValueError, "got (2, 3, 5, 8)"),
    (
        lambda: rotary.rotate(X, torch.zeros(5).bfloat16()),
        TypeError,
        "position_ids must be a dense tensor of whole num",
    ),
    (lambda: rotary.rotate(X, [True] * 5), TypeError, "position_ids must be a dense tensor of whole"),
    (lambda: rotary.rotate(X, [math.inf] * 5), ValueError, "position_ids must be finite"),
    (lambda: in_order(X, inv_freq=torch.ones(3)), ValueError, "inv_freq must have shape (4,)"),
    (lambda: in_order(X, inv_freq=torch.ones(4).half()), TypeError, "inv_freq must be a dense tensor"),
    (lambda: in_order(X, inv_freq=[math.nan] * 4), ValueError, "inv_freq must be finite"),
    (lambda: in_order(X, base=0), ValueError, "base must be finite and at least 1"),
    (lambda: in_order(X, layout="neox"), ValueError, "layout must be one of 'interleaved', 'half'"),
    (lambda: in_order(X, layout=np.array(["half"])), ValueError, "layout must be one of"),
    (lambda: rotary.apply_rotary_emb(X, *rotary.cos_sin(5, 8)), ValueError, "cos must have positions of shape (5,) or"),
    (lambda: rotary.cos_sin([7], 8, attention_factor=-1), ValueError, "attention_factor must be finite and at least 0"),
    (lambda: rotary.cos_sin([7], 7), ValueError, "head_dim must be even"),
    (lambda: rotary.cos_sin([7], 8, dtype=torch.bfloat16), ValueError, "dtype must be one of torch.float32, torch.flo"),
    (lambda: rotary.apply_rotary_emb(X, COS.bfloat16(), SIN.bfloat16()), ValueError, "cos.dtype must be one of torch."),
    (lambda: rotary.apply_rotary_emb(X, COS.tolist(), SIN), TypeError, "cos must be a tensor (..., seq_len, pairs)"),
    (lambda: rotary.apply_rotary_emb(X, COS, SIN[:1]), ValueError, "sin must have the shape and dtype of cos, (5, 4)"),
    (lambda: rotary.apply_rotary_emb(X, COS, SIN.double()), ValueError, "got (5, 4) and torch.float64"),
    (lambda: rotary.apply_rotary_emb(X[:, :, 1:], COS, SIN), ValueError, "cos must have positions of shape (4,)"),
    (
        lambda: rotary.apply_rotary_emb(X[..., :6], COS, SIN),
        ValueError,
        "cos must have 3 pairs (half of the 6 features that rotate; for fewer",
    ),
    (lambda: rotary.apply_rotary_emb(X, *rotary.cos_sin(range(5), 6)), ValueError, "cos must have 4 pairs"),
    (lambda: rotary.apply_rotary_emb(X, COS, SIN, rotary_dim=6), ValueError, "cos must have 3 pairs"),
    (lambda: rotary.rotate(X, range(5), rotary_dim=6, inv_freq=[1.0]), ValueError, "inv_freq must have shape (3,)"),
    (lambda: rotary.rotate(X, range(3)), ValueError, "(seq_dim says which these are), got (3,)"),
    (lambda: rotary.rotate(X, range(5), seq_dim=1), ValueError, "position_ids must have positions of shape (3,)"),
    (lambda: rotary.rotate(X, range(8), seq_dim=-1), ValueError, "seq_dim must number an axis of x before the last"),
    (lambda: rotary.rotate(X, range(8), seq_dim=3), ValueError, "−4 … 2, got 3"),
    (lambda: rotary.rotate(X, range(5), seq_dim=2.0), ValueError, "seq_dim must number an axis of x"),
    (lambda: rotary.to_half(torch.ones(5, 2)), ValueError, "head_dim must be even"),
    (lambda: rotary.to_half(torch.ones(6, 2), 4), ValueError, "head_dim must divide the features out, 6"),
    (lambda: rotary.to_half(torch.tensor(1.0)), TypeError, "weight must be a tensor"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("start", [0, 40_000, 1_000_000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_xpos_decays_as_the_paper_has_it_wherever_the_text_begins(start, dtype, unchecked):
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 1, 6, 8, generator=generator).to(dtype)
    ids = start + torch.tensor([0, 5, 40, 300, 1000, 2000])
    of_queries, of_keys = rotary.xpos(ids, 8)
    scores = rotary.apply_rotary_emb(q, *of_queries).double() @ rotary.apply_rotary_emb(k, *of_keys).double().mT
    wanted = torch.zeros(6, 6, dtype=torch.float64)
    for i in range(4):  # the score of a pair is Re(q · conj(k) · e^(i · angle)) times its decay
        offset = (ids[:, None] - ids).double()
        x, y = (torch.complex(each[0, :, 2 * i].double(), each[0, :, 2 * i + 1].double()) for each in (q, k))
        turned = (x[:, None] * y.conj() * torch.exp(1j * offset * 10_000 ** (-i / 4))).real
        wanted += turned * ((2 * i / 8 + 0.4) / 1.4) ** (offset / 512)
    tolerance = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}[dtype]
    assert ((scores[0] - wanted).abs() / (1 + wanted.abs())).max() < tolerance


def test_xpos_says_when_its_decay_leaves_float32():
    rotary.xpos([0, 35_000], 64)
    with pytest.raises(ValueError, match="position_ids must be nearer to each other, or scale_base larger than 512"):
        rotary.xpos([0, 100_000], 64)
    rotary.xpos([0, 100_000], 64, scale_base=2048)
