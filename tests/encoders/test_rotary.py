"""The rotation against loops in 50 digits and float64, its group law, its gradients and its scaled speeds."""

import math

import mpmath
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_helpers import rotary, sinusoidal

mpmath.mp.dps = 50
LAYOUTS = ("interleaved", "half")
KINDS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def turned(vector, position, layout, speeds=None):
    """One vector turned, feature by feature, in 50 digits."""
    half = len(vector) // 2
    speeds = speeds or [mpmath.mpf(10_000) ** (mpmath.mpf(-i) / half) for i in range(half)]
    result = [None] * len(vector)
    for i, speed in enumerate(speeds):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half)
        angle = mpmath.mpf(position) * mpmath.mpf(speed)
        x, y, cos, sin = mpmath.mpf(vector[a]), mpmath.mpf(vector[b]), mpmath.cos(angle), mpmath.sin(angle)
        result[a], result[b] = x * cos - y * sin, x * sin + y * cos
    return result


def random(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_pair_is_turned_by_its_angle(layout, dtype):
    x, positions = random(2, 5, 8, dtype=dtype), torch.tensor([0, 1, 7, 4096, 9_999_999])
    got = rotary.rotate(x, positions, layout=layout)
    assert got.dtype == dtype and got.shape == x.shape
    for row in range(2):
        for at, position in enumerate(positions.tolist()):
            for value, wanted in zip(got[row, at].tolist(), turned(x[row, at].tolist(), position, layout), strict=True):
                spacing = torch.finfo(dtype).eps * 2.0 ** math.floor(math.log2(abs(wanted)))
                size = float(x[row, at].double().norm())
                within = {2: 0.5001 * spacing, 4: 4 * 2.0**-24 * size, 8: 4 * 2.0**-53 * size}
                assert abs(value - wanted) <= within[x.element_size()]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_score_depends_only_on_the_offset_up_to_ten_million(layout):
    q, k = random(64, 64, seed=1), random(64, 64, seed=2)
    exact = [
        math.fsum(a * b for a, b in zip(turned(x, 7, layout), y, strict=True))
        for x, y in zip(q.tolist(), k.tolist(), strict=True)
    ]
    for start in (0, 10**4, 10**6, 10**7 - 7):
        here, there = (torch.full((64,), p) for p in (start, start + 7))
        score = (rotary.rotate(q, there, layout=layout).double() * rotary.rotate(k, here, layout=layout).double()).sum(
            -1
        )
        drift = (score - torch.tensor(exact, dtype=torch.float64)).abs() / (q.norm(dim=-1) * k.norm(dim=-1))
        assert drift.max() <= 2e-7


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", [0, 9_000_000])
def test_a_run_of_positions_does_not_drift_even_if_one_pair_makes_the_score(layout, start):
    q, k = (torch.zeros(20_000, 64).index_fill(-1, torch.tensor([0, 1 if layout == "interleaved" else 32]), 1.0),) * 2
    q, k = q * random(20_000, 64, seed=3), k * random(20_000, 64, seed=4)
    here = torch.arange(start, start + len(q))
    ids = (None, None) if start == 0 else (here, here)
    scores = (rotary.rotate(q, ids[0], layout=layout).double() * rotary.rotate(k, ids[1], layout=layout).double()).sum(
        -1
    )
    drift = (scores - (q.double() * k.double()).sum(-1)).abs() / (q.norm(dim=-1) * k.norm(dim=-1))
    assert drift.max() <= 2.1e-7  # which float32's own products and sums come to


@settings(max_examples=30, deadline=None)
@given(st.integers(-(10**7), 10**7), st.integers(-(10**7), 10**7), st.sampled_from(LAYOUTS), st.integers(1, 12))
def test_turns_compose_and_undo_each_other(a, b, layout, pairs):
    x = random(1, 2 * pairs, dtype=torch.float64)

    def by(position, x):
        return rotary.rotate(x, torch.tensor([position]), layout=layout)

    torch.testing.assert_close(by(a, by(b, x)), by(a + b, x), rtol=0, atol=1e-14)
    torch.testing.assert_close(by(-a, by(a, x)), x, rtol=0, atol=1e-14)
    torch.testing.assert_close(by(a, x).norm(), x.norm(), rtol=1e-14, atol=0)


SHAPES = {"one head": (7, 8), "batch": (3, 7, 8), "heads": (2, 3, 7, 8), "blocks": (3, 2, 1500, 64), "long": (3000, 64)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_place_and_every_memory_layout_give_the_same(shape, layout, dtype):
    x = random(*shape, dtype=dtype)
    wanted = rotary.rotate(x, layout=layout)
    same = x.clone()
    assert rotary.rotate(same, layout=layout, inplace=True) is same and torch.equal(same, wanted)
    roomy = torch.zeros(*shape[:-1], shape[-1] + 3, dtype=dtype)
    for start in (0, 1, 2):
        view = roomy[..., start : start + shape[-1]]
        view.copy_(x)
        assert torch.equal(rotary.rotate(view, layout=layout), wanted)
        rotary.rotate(view, layout=layout, inplace=True)
        assert torch.equal(view, wanted)
    columns = x.mT.contiguous().mT
    assert torch.equal(rotary.rotate(columns, layout=layout), wanted)
    wide = x.unsqueeze(0).expand(2, *shape)
    assert torch.equal(rotary.rotate(wide, layout=layout)[1], wanted)


@pytest.mark.parametrize("shape", [(2, 2, 2, 70_002), (3, 131_080), (1, 2, 262_146)], ids=str)
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_head_wider_than_a_core_s_cache_turns_as_well(layout, dtype, shape):
    x, (length, width) = random(*shape, dtype=dtype), shape[-2:]
    got, same = rotary.rotate(x, layout=layout), x.clone()
    assert torch.equal(rotary.rotate(same, layout=layout, inplace=True), got)
    speeds = torch.tensor([10_000 ** (-2 * i / width) for i in range(width // 2)], dtype=torch.float64)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * speeds
    first, second = slice(0, None, 2), slice(1, None, 2)
    if layout == "half":
        first, second = slice(0, width // 2), slice(width // 2, None)
    a, b, wanted = x[..., first].double(), x[..., second].double(), torch.empty(shape, dtype=torch.float64)
    wanted[..., first] = a * angle.cos() - b * angle.sin()
    wanted[..., second] = a * angle.sin() + b * angle.cos()
    rounding = torch.finfo(dtype).eps / 2 * wanted.abs() if x.element_size() == 2 else 0
    assert ((got.double() - wanted).abs() <= rounding + (1e-14 if dtype == torch.float64 else 1e-6)).all()


@pytest.mark.parametrize("dtype", KINDS)
def test_layouts_are_permutations_of_each_other(dtype):
    x = random(2, 9, 16, dtype=dtype)
    order = torch.cat([torch.arange(0, 16, 2), torch.arange(1, 16, 2)])
    apart, mixed = rotary.rotate(x[..., order], layout="half"), rotary.rotate(x)[..., order]
    tolerance = {2: torch.finfo(dtype).eps * 4, 4: 1e-6, 8: 1e-15}[x.element_size()]
    torch.testing.assert_close(apart, mixed, rtol=0, atol=tolerance)


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reordered_weights_keep_the_scores(layout, heads):
    x, q, k = random(6, 10), random(heads * 8, 10, seed=1), random(heads * 8, 10, seed=2)

    def scores(q, k, layout):
        queries, keys = ((x @ w.T).unflatten(-1, (heads, 8)).transpose(0, 1) for w in (q, k))
        return rotary.rotate(queries, layout=layout) @ rotary.rotate(keys, layout=layout).mT

    move = rotary.to_half if layout == "interleaved" else rotary.to_interleaved
    back = rotary.to_interleaved if layout == "interleaved" else rotary.to_half
    other = LAYOUTS[layout == "interleaved"]
    torch.testing.assert_close(scores(move(q, 8), move(k, 8), other), scores(q, k, layout), rtol=1e-4, atol=1e-4)
    assert torch.equal(back(move(q, 8), 8), q)
    assert not torch.allclose(scores(q, k, other), scores(q, k, layout), rtol=1e-2, atol=1e-2)


def test_a_bias_is_reordered_as_its_weight():
    assert rotary.to_half(torch.arange(6)).tolist() == [0, 2, 4, 1, 3, 5]
    assert rotary.to_interleaved(torch.arange(8), 4).tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", KINDS)
def test_the_gradient_turns_back(dtype, layout):
    for shape in ((2, 3, 5, 8), (2, 2, 1500, 64)):
        x, g = random(*shape, dtype=dtype).requires_grad_(), random(*shape, dtype=dtype, seed=1)
        rotary.rotate(x, layout=layout).backward(g)
        wanted = rotary.rotate(g, -torch.arange(shape[-2]), layout=layout)
        torch.testing.assert_close(
            x.grad, wanted, rtol=torch.finfo(dtype).eps, atol={2: 1e-6, 4: 2e-6, 8: 1e-14}[x.element_size()]
        )
        same = random(*shape, dtype=dtype).requires_grad_()
        rotary.rotate(same * 1, layout=layout, inplace=True).backward(g)
        assert torch.equal(same.grad, x.grad)


@pytest.mark.parametrize("rotary_dim", [None, 4])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_are_right_to_second_order_and_for_positions(layout, rotary_dim):
    x, p = random(2, 3, 6, dtype=torch.float64).requires_grad_(), random(3, dtype=torch.float64).requires_grad_()

    def turn(x, p=None):
        return rotary.rotate(x, p, layout=layout, rotary_dim=rotary_dim)

    assert torch.autograd.gradcheck(turn, (x,)) and torch.autograd.gradgradcheck(turn, (x,))
    assert torch.autograd.gradcheck(turn, (x, p))
    speeds = sinusoidal.inv_freq(6).requires_grad_()
    assert torch.autograd.gradcheck(lambda w: rotary.rotate(x.detach(), inv_freq=w, layout=layout), (speeds,))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_positions_are_shared_by_all_heads_of_their_batch(data):
    batch, heads, length = (data.draw(st.integers(1, 3)) for _ in range(3))
    x = random(batch, heads, length, 8)
    ids = torch.tensor(data.draw(st.lists(st.integers(-9, 9999), min_size=batch * length, max_size=batch * length)))
    ids = ids.view(batch, length)
    got = rotary.rotate(x, ids)
    for i in range(batch):
        for j in range(heads):
            torch.testing.assert_close(got[i, j], rotary.rotate(x[i, j], ids[i]), rtol=0, atol=2e-6)
    torch.testing.assert_close(got, rotary.rotate(x, ids[:, None].expand(batch, heads, length)), rtol=0, atol=2e-6)


def test_a_step_of_decoding_equals_the_whole_text():
    x = random(2, 4, 100, 64)
    whole = rotary.rotate(x)
    for step in (0, 1, 57, 99):
        one = rotary.rotate(x[:, :, step : step + 1], torch.tensor([step]))
        torch.testing.assert_close(one[:, :, 0], whole[:, :, step], rtol=0, atol=2e-6)


def test_left_padding_is_a_matter_of_positions():
    x = random(1, 2, 6, 8)
    padded = torch.cat([torch.zeros(1, 2, 3, 8), x], dim=2)
    got = rotary.rotate(padded, torch.tensor([[0, 0, 0, *range(6)]]))[:, :, 3:]
    torch.testing.assert_close(got, rotary.rotate(x), rtol=0, atol=2e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("inplace", [False, True])
def test_the_features_beyond_rotary_dim_stay(layout, inplace):
    x = random(2, 5, 12)
    got = rotary.rotate(x.clone(), rotary_dim=8, layout=layout, inplace=inplace)
    assert torch.equal(got[..., 8:], x[..., 8:])
    torch.testing.assert_close(got[..., :8], rotary.rotate(x[..., :8].clone(), layout=layout))


def test_given_speeds_take_the_place_of_the_base():
    x = random(3, 8)
    speeds = sinusoidal.inv_freq(8, base=500_000.0)
    wanted = rotary.rotate(x, base=500_000.0)
    for inv_freq in (speeds, speeds.tolist(), speeds.numpy(), tuple(speeds.tolist())):
        torch.testing.assert_close(rotary.rotate(x, inv_freq=inv_freq), wanted)
    fast = rotary.rotate(x, torch.tensor([10**6, 1, 2]), inv_freq=[1e3, -7.0, 3.5, 0.0])
    for row, position in enumerate((10**6, 1, 2)):
        assert fast[row].tolist() == pytest.approx(
            [float(v) for v in turned(x[row].tolist(), position, "interleaved", [1e3, -7.0, 3.5, 0.0])], abs=1e-6
        )


@pytest.mark.parametrize("speed", [100.0, 1e6])
def test_fast_hands_are_exact_in_a_run_of_positions(speed):
    ids, x = torch.arange(8_300_000, 8_340_000), torch.tensor([[1.0, 0.0]]).expand(40_000, 2)
    last = [mpmath.cos(8_339_999 * mpmath.mpf(speed)), mpmath.sin(8_339_999 * mpmath.mpf(speed))]
    assert rotary.rotate(x, ids, inv_freq=[speed])[-1].tolist() == pytest.approx([float(v) for v in last], abs=2e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_batch_of_gradients_is_turned_back_as_each_of_them(layout, dtype):
    x, gradients = random(5, 8, seed=1).to(dtype).requires_grad_(), random(3, 5, 8, seed=2).to(dtype)
    turned = rotary.rotate(x, layout=layout)
    (together,) = torch.autograd.grad(turned, x, gradients, retain_graph=True, is_grads_batched=True)
    for mine, gradient in zip(together, gradients, strict=True):
        (alone,) = torch.autograd.grad(turned, x, gradient, retain_graph=True)
        torch.testing.assert_close(mine, alone)


def test_bfloat16_queries_do_not_make_bfloat16_positions():
    x = torch.ones(1, 300, 64, dtype=torch.bfloat16)
    assert len(torch.unique(rotary.rotate(x)[0, 250:, 0])) > 45
    rotary.rotate(x)
    torch.testing.assert_close(rotary.rotate(x.float())[0, 299, 0], torch.tensor(math.cos(299) - math.sin(299)))


def test_empty_texts_and_batches_stay_empty():
    for shape in ((2, 0, 8), (0, 5, 8), (0, 0, 2)):
        for layout in LAYOUTS:
            for dtype in KINDS:
                assert rotary.rotate(torch.zeros(shape, dtype=dtype), layout=layout).shape == shape


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_gpu_gives_the_same(layout, dtype):
    x = random(2, 3, 1500, 64, dtype=dtype)
    got = rotary.rotate(x.cuda(), layout=layout).cpu()
    torch.testing.assert_close(got, rotary.rotate(x, layout=layout), rtol=0, atol=torch.finfo(dtype).eps * 8)


X = torch.zeros(2, 3, 5, 8)
REFUSED = [
    (lambda: rotary.rotate([1.0]), TypeError, "x must be a float tensor"),
    (lambda: rotary.rotate(X.long()), TypeError, "x must be a float tensor"),
    (lambda: rotary.rotate(X + 0j), TypeError, "x must be a float tensor"),
    (lambda: rotary.rotate(X[0, 0, 0]), ValueError, "x must have two axes or more"),
    (
        lambda: rotary.rotate(X[..., :5]),
        ValueError,
        "head_dim must be positive and even (coordinates turn in pairs), got 5",
    ),
    (lambda: rotary.rotate(X[..., :0]), ValueError, "head_dim must be positive and even"),
    (lambda: rotary.rotate(X, rotary_dim=3), ValueError, "rotary_dim must be positive and even"),
    (lambda: rotary.rotate(X, rotary_dim=10), ValueError, "rotary_dim must be at most head_dim = 8"),
    (lambda: rotary.rotate(X, 5), ValueError, "position_ids must have shape (5,), or batched like x (2, 3, 5, 8)"),
    (lambda: rotary.rotate(X, [1]), ValueError, "got (1,)"),
    (lambda: rotary.rotate(X, [[1]] * 2), ValueError, "got (2, 1)"),
    (lambda: rotary.rotate(X, range(6)), ValueError, "got (6,)"),
    (lambda: rotary.rotate(X, [range(5)] * 3), ValueError, "got (3, 5)"),
    (lambda: rotary.rotate(X, torch.zeros(2, 3, 5, 8)), ValueError, "got (2, 3, 5, 8)"),
    (lambda: rotary.rotate(X, torch.zeros(5).bfloat16()), TypeError, "position_ids must not be in low precision"),
    (lambda: rotary.rotate(X, torch.zeros(5).bool()), TypeError, "position_ids must be whole or real numbers"),
    (lambda: rotary.rotate(X, [math.inf] * 5), ValueError, "position_ids must be finite"),
    (lambda: rotary.rotate(X, inv_freq=torch.ones(3)), ValueError, "inv_freq must have shape (4,)"),
    (lambda: rotary.rotate(X, inv_freq=torch.ones(4).half()), TypeError, "inv_freq must not be in low precision"),
    (lambda: rotary.rotate(X, inv_freq=[math.nan] * 4), ValueError, "inv_freq must be finite"),
    (lambda: rotary.rotate(X, base=0), ValueError, "base must be finite and at least 1"),
    (lambda: rotary.rotate(X, layout="neox"), ValueError, "layout must be one of 'interleaved', 'half'"),
    (lambda: rotary.rotate(X.clone().requires_grad_(), inplace=True), ValueError, "x must not be a leaf"),
    (lambda: rotary.rotate(X[:1].expand(2, 3, 5, 8), inplace=True), ValueError, "x must not be expanded"),
    (
        lambda: rotary.rotate(torch.ones(20).as_strided((4, 8), (2, 1)), inplace=True),
        ValueError,
        "x must not be expanded",
    ),
    (lambda: rotary.rotate(torch.nested.nested_tensor([X[0, 0], X[0, 0, 1:]])), TypeError, "x must be a float tensor"),
    (
        lambda: rotary.rotate(torch.zeros(1, 600, 256).expand(4, -1, -1), layout="half", inplace=True),
        ValueError,
        "x must not be expanded or overlap (each number needs a place of its own",
    ),
    (lambda: rotary.rotate(X[0].to_sparse()), TypeError, "x must be a float tensor (..., seq_len, head_dim), dense"),
    (lambda: rotary.to_half(torch.ones(5, 2)), ValueError, "head_dim must be positive and even"),
    (lambda: rotary.to_half(torch.ones(6, 2), 4), ValueError, "head_dim must divide the features out, 6"),
    (lambda: rotary.to_half(torch.tensor(1.0)), TypeError, "weight must be a tensor"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
