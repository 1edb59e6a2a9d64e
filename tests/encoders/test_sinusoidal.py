"""The table against 50 digits, against other projects' published values, and against the theorem that makes it fast."""

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode

from pe_helpers import _clock, sinusoidal

mpmath.mp.dps = 50
U = 2.0**-24  # half the spacing of float32 just below 1
LAYOUTS = ("interleaved", "half")
CODES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def speed(i, d_model, base=10_000, convention="paper"):
    gaps = mpmath.mpf(d_model) / 2 if convention == "paper" else max(d_model // 2 - 1, 1)
    return mpmath.mpf(base) ** (mpmath.mpf(-i) / gaps)


def truth(position, column, d_model, *, layout="interleaved", **kinds):
    """One number of a code, in 50 digits."""
    pairs = d_model // 2
    hand, is_cosine = divmod(column, 2) if layout == "interleaved" else (column % pairs, column // pairs)
    angle = mpmath.mpf(position) * speed(hand, d_model, **kinds)
    return mpmath.cos(angle) if is_cosine else mpmath.sin(angle)


def worst(table, positions, d_model, samples=300, **kinds):
    """The largest distance of some of a table's numbers from the truth."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randint(len(positions), (samples,), generator=generator).tolist()
    columns = torch.randint(d_model, (samples,), generator=generator).tolist()
    return max(
        float(abs(truth(positions[row], column, d_model, **kinds) - float(table[row, column])))
        for row, column in zip(rows, columns, strict=True)
    )


def nearest(value, dtype):
    """The number of `dtype` nearest to an mpmath value, found by comparing it with its neighbours."""
    guess = torch.tensor(float(value), dtype=dtype)
    kind = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}[dtype]
    around = [(guess.view(kind) + step).view(dtype) for step in (-1, 0, 1)] if float(guess) else [guess]
    return min((float(each) for each in around), key=lambda each: abs(value - each))


def test_speeds_fall_from_1_radian_by_one_ratio_and_are_correctly_rounded():
    for d_model, base, convention in [(8, 10_000, "paper"), (512, 500_000.0, "paper"), (64, 10_000, "tensor2tensor")]:
        speeds = sinusoidal.inv_freq(d_model, base=base, convention=convention)
        wanted = [float(speed(i, d_model, base, convention)) for i in range(d_model // 2)]
        assert speeds.dtype == torch.float64 and speeds.tolist() == wanted


def test_wavelengths_are_the_tokens_of_one_turn():
    assert sinusoidal.wavelengths(4).tolist() == [2 * math.pi, pytest.approx(200 * math.pi, rel=1e-15)]


def test_tensor2tensor_of_a_single_hand_is_1_radian_as_in_tensor2tensor():
    assert sinusoidal.inv_freq(2, convention="tensor2tensor").tolist() == [1.0]


WAYS = {  # each reaches its rows in another way: sines, first rows, products of them, a gathered table, two of them
    "few": torch.arange(5000, 5020),
    "short": torch.arange(500),
    "short, not from 0": torch.arange(900, 1400),
    "consecutive": torch.arange(3000),
    "not from 0": torch.arange(10**7 - 3000, 10**7),
    "packed": torch.cat([torch.arange(700), torch.arange(1300), torch.arange(1000)]),
    "scattered": torch.randint(-(10**7), 10**7, (6000,), generator=torch.Generator().manual_seed(1)),
    "far apart": torch.randint(-(2**62), 2**62, (300,), generator=torch.Generator().manual_seed(2)),
    "past 8 million": torch.arange(2**23 - 1500, 2**23 + 1500),
    "up to the last": torch.arange(3000) + (2**63 - 3000),
    "from the first": torch.arange(3000) - 2**63,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("way", WAYS)
def test_float32_is_within_two_and_a_half_units_at_every_position(way, layout):
    positions = WAYS[way]
    table = sinusoidal.table(positions, 256, layout=layout)
    assert worst(table, positions.tolist(), 256, layout=layout) <= 2.5 * U


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_exact_and_half_precision_are_the_nearest_numbers(dtype, way, layout):
    positions, generator = WAYS[way], torch.Generator().manual_seed(3)
    table = sinusoidal.table(positions, 128, dtype=dtype, layout=layout, exact=True)
    for _ in range(100):
        row, column = int(torch.randint(len(positions), (), generator=generator)), int(torch.randint(128, ()))
        exactly = truth(int(positions[row]), column, 128, layout=layout)
        assert float(table[row, column]) == nearest(exactly, dtype)


WIDE = {
    "a count": 9,
    "neighbours": torch.arange(10**7, 10**7 + 9),
    "scattered": torch.randint(0, 900, (64,), generator=torch.Generator().manual_seed(4)),
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("d_model", [32_770, 131_074])
@pytest.mark.parametrize("way", WIDE)
def test_a_code_wider_than_a_core_s_cache_is_as_good(way, d_model, layout, exact):
    table = sinusoidal.table(WIDE[way], d_model, layout=layout, exact=exact)
    positions = range(9) if way == "a count" else WIDE[way].tolist()
    assert worst(table, positions, d_model, samples=100, layout=layout) <= (0.5001 if exact else 2.5) * U


@pytest.mark.parametrize("times", [1, 3000])
@pytest.mark.parametrize("kind", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"])
def test_every_integer_dtype_is_right_up_to_its_ends(kind, times):
    limits = torch.iinfo(getattr(torch, kind))
    positions = [limits.min, 0, 1, min(limits.max, 2**63 - 1)] * times
    table = sinusoidal.table(torch.tensor(positions, dtype=getattr(torch, kind)), 32)
    assert worst(table, positions, 32, samples=60) <= 2.5 * U


@pytest.mark.parametrize("scale", [1.0, 1e7, 2.0**52, 2.0**62])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_positions_between_tokens_are_right_at_every_distance(dtype, scale):
    positions = (torch.rand(100, dtype=torch.float64, generator=torch.Generator().manual_seed(5)) - 0.5) * 2 * scale
    positions = positions.to(dtype)
    table = sinusoidal.table(positions, 64, dtype=torch.float64)
    assert worst(table, positions.tolist(), 64) <= 2e-15


@pytest.mark.parametrize("n", [1, 2, 16, 100, 129, 1000, 4096, 4097, 9000])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_count_and_its_positions_give_the_same_table(n, layout):
    table = sinusoidal.table(n, 64, layout=layout)
    assert worst(table, range(n), 64, layout=layout, samples=200) <= 2.5 * U
    torch.testing.assert_close(table, sinusoidal.table(torch.arange(n).float(), 64, layout=layout), rtol=0, atol=5 * U)
    assert table[0].tolist() == ([0.0, 1.0] * 32 if layout == "interleaved" else [0.0] * 32 + [1.0] * 32)


def test_half_precision_rounds_once_where_twice_would_differ():
    exactly = torch.tensor([1 + 2.0**-8 - 2.0**-40, 1 + 2.0**-8 + 2.0**-40], dtype=torch.float64)
    assert _clock.rounded(exactly, torch.bfloat16).tolist() == [1.0, 1.0 + 2.0**-7]
    assert exactly.float().bfloat16().tolist() != [1.0, 1.0 + 2.0**-7]


@pytest.mark.parametrize("dtype", CODES)
def test_positions_256_and_257_stay_apart_in_every_dtype(dtype):
    first, second = sinusoidal.table([256, 257], 64, dtype=dtype)
    assert first.dtype == dtype and not torch.equal(first, second)


def test_values_published_by_other_projects_come_out():
    fairseq = sinusoidal.table(torch.arange(2, 5), 6, layout="half", convention="tensor2tensor")
    wanted = [[0.9093, 0.0200, 0.0002, -0.4161, 0.9998, 1.0], [0.1411, 0.0300, 0.0003, -0.9900, 0.9996, 1.0]]
    torch.testing.assert_close(fairseq[:2], torch.tensor(wanted), atol=6e-5, rtol=0)
    paper = sinusoidal.table(4, 4)
    wanted = [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.9999], [0.9093, -0.4161, 0.0200, 0.9998]]
    torch.testing.assert_close(paper[:3], torch.tensor(wanted), atol=6e-5, rtol=0)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_shape_dtype_layout_base_and_convention(data):
    shape = data.draw(st.lists(st.integers(0, 4), max_size=3))
    pairs, base = data.draw(st.integers(1, 9)), data.draw(st.floats(1, 1e8))
    layout, dtype = data.draw(st.sampled_from(LAYOUTS)), data.draw(st.sampled_from(CODES))
    convention = data.draw(st.sampled_from(["paper", "tensor2tensor"]))
    kinds = data.draw(st.sampled_from([torch.int8, torch.int32, torch.int64, torch.float32, torch.float64]))
    positions = torch.randint(-100, 100, shape).to(kinds)
    table = sinusoidal.table(positions, 2 * pairs, base=base, layout=layout, convention=convention, dtype=dtype)
    assert table.shape == (*shape, 2 * pairs) and table.dtype == dtype
    for row, position in zip(table.reshape(-1, 2 * pairs), positions.flatten().tolist(), strict=True):
        column = data.draw(st.integers(0, 2 * pairs - 1))
        exactly = truth(position, column, 2 * pairs, layout=layout, base=base, convention=convention)
        assert abs(exactly - float(row[column])) <= torch.finfo(dtype).eps * (4 if dtype == torch.float64 else 1)


@pytest.mark.parametrize("dtype", CODES)
@pytest.mark.parametrize("size", [12, 5000])
def test_layouts_are_permutations_of_each_other(size, dtype):
    mixed, apart = (sinusoidal.table(size, 32, layout=layout, dtype=dtype, exact=True) for layout in LAYOUTS)
    assert torch.equal(apart, torch.cat([mixed[:, 0::2], mixed[:, 1::2]], dim=-1))


@pytest.mark.parametrize("dtype", CODES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("positions", [50, 15_000, torch.randint(0, 900, (3, 800)), torch.rand(40)], ids=range(4))
def test_out_is_written_in_place_and_equals_a_fresh_table(positions, layout, dtype):
    fresh = sinusoidal.table(positions, 32, layout=layout, dtype=dtype)
    wide = torch.full((*fresh.shape[:-1], 36), 7.0, dtype=dtype)
    for out in (torch.empty_like(fresh), torch.empty_like(fresh.mT).mT, wide[..., 1:33], wide[..., 2:34]):
        assert sinusoidal.table(positions, 32, layout=layout, out=out) is out
        tolerance = 5 * U if dtype == torch.float32 else 0  # another way may be taken for another memory layout
        torch.testing.assert_close(out, fresh, rtol=0, atol=tolerance)
    assert (wide[..., 34:] == 7).all() and (wide[..., 0] == 7).all()


def test_weights_are_written_where_no_gradient_is_asked_for():
    weight = torch.nn.Parameter(torch.zeros(5, 8))
    with torch.no_grad():
        assert sinusoidal.table(torch.nn.Parameter(torch.arange(5.0)), 8, out=weight) is weight
    assert torch.equal(weight, sinusoidal.table(5, 8))


def test_positions_may_lie_where_the_table_is_written():
    memory = torch.arange(5000.0).repeat(8).view(5000, 8)
    wanted = sinusoidal.table(memory.flatten()[:5000] + 0.5, 8)
    memory.flatten()[:5000].add_(0.5)
    assert torch.equal(sinusoidal.table(memory.flatten()[:5000], 8, out=memory), wanted)


def test_lists_arrays_and_tensors_of_any_integer_kind_are_positions():
    wanted = sinusoidal.table(torch.tensor([3, 1, 2]), 8)
    arrays = [
        np.array([3, 1, 2], dtype=kind) for kind in ("i1", "u1", "u2", "i4", "u4", "u8", "f4", "f8", ">i8", ">f4")
    ]
    read_only = np.array([3, 1, 2])
    read_only.flags.writeable = False
    for positions in ([3, 1, 2], (3.0, 1.0, 2.0), *arrays, np.array([2, 1, 3])[::-1], read_only):
        assert torch.equal(sinusoidal.table(positions, 8), wanted)
    assert torch.equal(sinusoidal.table(np.int64(3), 8), sinusoidal.table(3, 8))
    assert sinusoidal.table(torch.tensor(3), 8).shape == (8,)
    assert sinusoidal.table([], 8).shape == sinusoidal.table(0, 8).shape == (0, 8)


def test_positions_beyond_2_to_53_keep_their_last_bit():
    position = 2**60 + 1
    code = sinusoidal.table(torch.tensor([position]), 64, dtype=torch.float64)
    assert worst(code, [position], 64) < 1e-15
    assert not torch.equal(code, sinusoidal.table(torch.tensor([2**60]), 64, dtype=torch.float64))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_flow_to_float_positions(layout):
    positions = torch.tensor([[-2.5, 0.0], [1.25, 300.75]], dtype=torch.float64, requires_grad=True)

    def code(p):
        return sinusoidal.table(p, 6, layout=layout, dtype=torch.float64)

    assert torch.autograd.gradcheck(code, positions)
    assert torch.autograd.gradgradcheck(code, positions)
    half = sinusoidal.table(positions, 6, layout=layout, dtype=torch.bfloat16)
    half.sum().backward()
    assert positions.grad.isfinite().all() and positions.grad.abs().sum() > 0


@settings(max_examples=40, deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(1, 20), st.sampled_from(LAYOUTS))
def test_the_shift_matrix_moves_every_position_by_k(position, k, pairs, layout):
    shift = sinusoidal.shift_matrix(k, 2 * pairs, layout=layout)
    here, there = sinusoidal.table([position, position + k], 2 * pairs, layout=layout, dtype=torch.float64)
    torch.testing.assert_close(shift @ here, there, rtol=0, atol=1e-14)
    torch.testing.assert_close(shift @ shift.T, torch.eye(2 * pairs, dtype=torch.float64), rtol=0, atol=1e-14)


def test_shift_matrices_are_batched_over_k():
    k = torch.tensor([[1, -2, 3]])
    shifts = sinusoidal.shift_matrix(k, 6, layout="half", dtype=torch.float32)
    assert shifts.shape == (1, 3, 6, 6) and shifts.dtype == torch.float32
    assert torch.equal(shifts[0, 1], sinusoidal.shift_matrix(-2, 6, layout="half", dtype=torch.float32))


@settings(max_examples=40, deadline=None)
@given(st.integers(-1000, 1000), st.integers(0, 10**6), st.integers(1, 20))
def test_a_score_depends_only_on_the_offset_and_is_the_kernel(k, position, pairs):
    here, there = sinusoidal.table([position, position + k], 2 * pairs, dtype=torch.float64)
    wanted = sum(mpmath.cos(k * speed(i, 2 * pairs)) for i in range(pairs))
    assert abs(float(here @ there) - float(wanted)) < 1e-13
    assert abs(float(sinusoidal.kernel(k, 2 * pairs)) - float(wanted)) < 1e-13


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("convention", ["paper", "tensor2tensor"])
def test_a_position_is_read_back_from_its_code(dtype, layout, convention):
    positions = torch.tensor([[-250.0, -1, 0, 1, 2.5], [77, 1000, 5000.25, 20_000, 43_000]]).double()
    codes = sinusoidal.table(positions, 64, layout=layout, convention=convention, dtype=dtype)
    read = sinusoidal.read_position(3 * codes, layout=layout, convention=convention)
    torch.testing.assert_close(read, positions, rtol=0, atol=1e-4 if dtype == torch.float32 else 1e-9)


def test_noise_and_half_precision_do_not_mislead_the_reading():
    positions = torch.arange(2000)
    for codes in (
        sinusoidal.table(positions, 64, dtype=torch.bfloat16),
        sinusoidal.table(positions, 64) + 0.05 * torch.randn(2000, 64, generator=torch.Generator().manual_seed(0)),
    ):
        assert (sinusoidal.read_position(codes) - positions).abs().max() < 0.5


@pytest.mark.parametrize(
    "position, hand", [(4_524_508, 5), (22, 0), (355, 0), (-355, 0), (2**40 + 1, 9), (-(2**62), 3)]
)
def test_a_hand_that_all_but_touches_an_axis_keeps_its_last_digits(position, hand):
    angle = position * mpmath.mpf(10_000) ** (mpmath.mpf(-2 * hand) / 128)
    row = sinusoidal.table(torch.tensor([position]), 128, dtype=torch.float64)[0]
    for number, truth in zip(
        row[2 * hand : 2 * hand + 2].tolist(), (mpmath.sin(angle), mpmath.cos(angle)), strict=True
    ):
        assert abs(number - truth) <= abs(truth) * 1e-15


def test_a_single_hand_is_read_within_its_turn():
    torch.testing.assert_close(sinusoidal.read_position(sinusoidal.table(7, 2)), torch.arange(7.0).double())


def test_nothing_that_a_caller_does_reaches_the_next_call():
    wanted = sinusoidal.table(40, 8).clone(), sinusoidal.inv_freq(8).clone()
    sinusoidal.table(40, 8).zero_()
    sinusoidal.inv_freq(8).zero_()
    sinusoidal.table(40, 8, dtype=torch.bfloat16)
    with torch.inference_mode():
        sinusoidal.table(41, 10)
    with FakeTensorMode():
        assert sinusoidal.table(42, 12).shape == (42, 12) and sinusoidal.table(torch.arange(3), 12).shape == (3, 12)
    assert worst(sinusoidal.table(42, 12), range(42), 12) <= 2.5 * U
    assert torch.equal(sinusoidal.table(40, 8), wanted[0]) and torch.equal(sinusoidal.inv_freq(8), wanted[1])
    position = torch.tensor([1.5], requires_grad=True)
    sinusoidal.table(position, 10).sum().backward()
    assert position.grad is not None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_gpu_gives_the_same_table(layout):
    for positions in (torch.arange(5), torch.arange(3000), torch.randint(0, 10**6, (3000,))):
        there = sinusoidal.table(positions.cuda(), 64, layout=layout)
        torch.testing.assert_close(there.cpu(), sinusoidal.table(positions, 64, layout=layout), rtol=0, atol=5 * U)


REFUSED = [
    (
        lambda: sinusoidal.table(3, 5),
        ValueError,
        "d_model must be positive and even (coordinates turn in pairs), got 5",
    ),
    (lambda: sinusoidal.table(3, 0), ValueError, "d_model must be positive and even"),
    (lambda: sinusoidal.table(3, -2), ValueError, "d_model must be positive and even"),
    (lambda: sinusoidal.table(3, 8.0), TypeError, "d_model must be an int, got float 8.0"),
    (lambda: sinusoidal.table(3, True), TypeError, "d_model must be an int"),
    (lambda: sinusoidal.table(-3, 8), ValueError, "positions must be at least 0 (a count of positions), got -3"),
    (lambda: sinusoidal.table(True, 8), TypeError, "positions must be"),
    (lambda: sinusoidal.table(3.0, 8), TypeError, "positions must be an int count or a tensor"),
    (lambda: sinusoidal.table(np.float32(3), 8), TypeError, "positions must be an int count or a tensor"),
    (lambda: sinusoidal.table(2**70, 8), ValueError, "positions must be below 2**63"),
    (lambda: sinusoidal.table(3, 2**70), ValueError, "d_model must be below 2**63"),
    (lambda: sinusoidal.table(3, torch.tensor([8, 8])), TypeError, "d_model must be an int, got Tensor of shape (2,)"),
    (lambda: sinusoidal.table(torch.ones(2).to_sparse(), 8), TypeError, "positions must be whole or real numbers in"),
    (lambda: sinusoidal.table("3", 8), TypeError, "positions must be a tensor or an array of numbers, got str '3'"),
    (lambda: sinusoidal.table(None, 8), TypeError, "positions must be"),
    (lambda: sinusoidal.table([1, "a"], 8), TypeError, "positions must be"),
    (lambda: sinusoidal.table([[1], [2, 3]], 8), TypeError, "positions must be"),
    (lambda: sinusoidal.table([2**70], 8), TypeError, "positions must be"),
    (lambda: sinusoidal.table(torch.tensor([True]), 8), TypeError, "positions must be whole or real numbers"),
    (lambda: sinusoidal.table(torch.tensor([1j]), 8), TypeError, "got dtype torch.complex64"),
    (lambda: sinusoidal.table(torch.ones(2).bfloat16(), 8), TypeError, "bfloat16 cannot tell 256 from 257"),
    (lambda: sinusoidal.table(torch.ones(2).half(), 8), TypeError, "positions must not be in low precision"),
    (lambda: sinusoidal.table([1.0, math.nan], 8), ValueError, "positions must be finite and below 2**63, got nan"),
    (lambda: sinusoidal.table([math.inf], 8), ValueError, "got inf"),
    (lambda: sinusoidal.table([1e30], 8), ValueError, "got 1e+30"),
    (lambda: sinusoidal.table(np.array([2**64 - 1], dtype="u8"), 8), ValueError, "positions must be below 2**63"),
    (lambda: sinusoidal.table(3, 8, base=0.5), ValueError, "base must be finite and at least 1"),
    (lambda: sinusoidal.table(3, 8, base=math.inf), ValueError, "base must be finite"),
    (lambda: sinusoidal.table(3, 8, base=-math.inf), ValueError, "base must be finite"),
    (lambda: sinusoidal.table(3, 8, base=math.nan), ValueError, "base must be finite"),
    (lambda: sinusoidal.table(3, 8, base=10**400), ValueError, "base must be finite"),
    (lambda: sinusoidal.table(3, 8, base="1e4"), TypeError, "base must be a number"),
    (lambda: sinusoidal.table(3, 8, base=torch.ones(2)), TypeError, "base must be a number"),
    (lambda: sinusoidal.table(3, 8, base=torch.tensor(1j)), TypeError, "base must be a number"),
    (lambda: sinusoidal.table(3, 8, layout="concat"), ValueError, "layout must be one of 'interleaved', 'half', got"),
    (lambda: sinusoidal.table(3, 8, layout=None), ValueError, "layout must be one of"),
    (lambda: sinusoidal.table(3, 8, layout=np.array(["half"] * 2)), ValueError, "layout must be one of"),
    (
        lambda: sinusoidal.table(3, 8, convention="t2t"),
        ValueError,
        "convention must be one of 'paper', 'tensor2tensor'",
    ),
    (
        lambda: sinusoidal.table(3, 8, dtype=torch.int64),
        TypeError,
        "dtype must be float64, float32, float16 or bfloat16",
    ),
    (lambda: sinusoidal.table(3, 8, dtype=None), TypeError, "dtype must be"),
    (lambda: sinusoidal.table(3, 8, out=torch.empty(3, 6)), ValueError, "out must have the shape of the table, (3, 8)"),
    (lambda: sinusoidal.table(3, 8, out=[0]), TypeError, "out must be a dense tensor"),
    (lambda: sinusoidal.table(3, 8, out=torch.zeros(3, 8).to_sparse()), TypeError, "out must be a dense tensor"),
    (
        lambda: sinusoidal.table(4, 8, out=torch.zeros(11).unfold(0, 8, 1)),
        ValueError,
        "out must not be expanded or overlap",
    ),
    (lambda: sinusoidal.table(3, 8, out=torch.empty(1, 8).expand(3, 8)), ValueError, "out must not be expanded"),
    (
        lambda: sinusoidal.table(2, 70_002, out=torch.empty(1, 70_002).expand(2, -1)),
        ValueError,
        "out must not be expanded",
    ),
    (lambda: sinusoidal.table(3, 8, out=torch.empty(3, 8).long()), TypeError, "out must be float64"),
    (
        lambda: sinusoidal.table(3, 8, out=torch.empty(3, 8, requires_grad=True)),
        ValueError,
        "out must not be asked for",
    ),
    (lambda: sinusoidal.table(torch.ones(3, requires_grad=True), 8, out=torch.empty(3, 8)), ValueError, "gradients"),
    (lambda: sinusoidal.kernel("1", 8), TypeError, "k must be a tensor or an array of numbers"),
    (lambda: sinusoidal.shift_matrix(math.nan, 8), ValueError, "k must be finite"),
    (lambda: sinusoidal.read_position([0.0, 1.0]), TypeError, "code must be a float tensor"),
    (lambda: sinusoidal.read_position(torch.ones(2, 3)), ValueError, "d_model must be positive and even"),
    (lambda: sinusoidal.read_position(torch.tensor([math.nan, 1])), ValueError, "code must be finite"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
