"""The table against 40 digits and other projects' published values; shifts, scores and readings against loops."""

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_helpers import sinusoidal

mpmath.mp.dps = 40
UNIT = 2.0**-24  # half the spacing of float32 just below 1
LAYOUTS = ("interleaved", "half")
CONVENTIONS = ("paper", "tensor2tensor")
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def omega(i, d_model, base=10_000, convention="paper"):
    """One inverse frequency, as the paper or tensor2tensor writes it."""
    if convention == "paper":
        return mpmath.mpf(base) ** (mpmath.mpf(-2 * i) / d_model)
    return mpmath.mpf(base) ** (mpmath.mpf(-i) / max(d_model // 2 - 1, 1))


def exact(position, column, d_model, *, layout="interleaved", **kinds):
    """One number of a code."""
    if layout == "interleaved":
        i = column // 2
        is_cosine = column % 2 == 1
    else:
        i = column % (d_model // 2)
        is_cosine = column >= d_model // 2
    angle = mpmath.mpf(position) * omega(i, d_model, **kinds)
    return mpmath.cos(angle) if is_cosine else mpmath.sin(angle)


def largest_error(table, positions, samples=300, **kinds):
    """The largest error among some numbers of a table `(len(positions), d_model)`."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randint(len(positions), (samples,), generator=generator).tolist()
    columns = torch.randint(table.shape[-1], (samples,), generator=generator).tolist()
    errors = (
        abs(exact(positions[row], column, table.shape[-1], **kinds) - mpmath.mpf(float(table[row, column])))
        for row, column in zip(rows, columns, strict=True)
    )
    return float(max(errors))


@pytest.mark.parametrize(
    "d_model, base, convention",
    [(8, 10_000, "paper"), (512, 500_000.0, "paper"), (64, 10_000, "tensor2tensor"), (2, 10_000, "tensor2tensor")],
)
def test_inverse_frequencies_are_those_of_the_paper_and_of_tensor2tensor(d_model, base, convention):
    got = sinusoidal.inv_freq(d_model, base=base, convention=convention)
    assert got.dtype == torch.float64 and got.shape == (d_model // 2,)
    for i, value in enumerate(got.tolist()):
        assert value == pytest.approx(float(omega(i, d_model, base, convention)), rel=2e-15)


def test_a_wavelength_is_the_number_of_tokens_of_one_turn():
    assert sinusoidal.wavelengths(4).tolist() == pytest.approx([2 * math.pi, 200 * math.pi], rel=1e-15)
    assert sinusoidal.wavelengths(4, base=9.0)[1].item() == pytest.approx(6 * math.pi, rel=1e-15)


def random_ids(low, high, *shape):
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(1))


GIVEN = {
    "few": torch.arange(5000, 5020),
    "a run": torch.arange(10**7 - 3000, 10**7),
    "negative": random_ids(-(10**7), 0, 300),
    "far apart": random_ids(0, 10**7, 6000),
    "many within a short span": random_ids(-100, 900, 9000) + 9_000_000,
    "between tokens": torch.rand(300, generator=torch.Generator().manual_seed(2)) * 10**5,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", GIVEN)
def test_codes_of_given_positions_are_rounded_once(name, layout):
    positions = GIVEN[name]
    codes = sinusoidal.table(positions, 256, layout=layout)
    assert largest_error(codes, positions.tolist(), layout=layout) <= 0.6 * UNIT


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n", [1, 2, 3, 16, 100, 129, 4096, 9001])
def test_codes_of_a_count_are_within_two_and_a_half_units(n, layout):
    codes = sinusoidal.table(n, 64, layout=layout)
    assert codes.shape == (n, 64)
    assert largest_error(codes, range(n), layout=layout) <= 2.5 * UNIT
    assert codes[0].tolist() == ([0.0, 1.0] * 32 if layout == "interleaved" else [0.0] * 32 + [1.0] * 32)


def test_a_count_of_ten_million_is_within_two_and_a_half_units():
    codes = sinusoidal.table(10**7, 4)
    assert largest_error(codes, range(10**7), samples=2000) <= 2.5 * UNIT


@pytest.mark.parametrize("positions", [500, torch.arange(10**6, 10**6 + 50), random_ids(0, 100, 1000)], ids=range(3))
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_as_good_as_it_can_be(dtype, positions):
    codes = sinusoidal.table(positions, 32, dtype=dtype)
    assert codes.dtype == dtype
    ids = range(positions) if isinstance(positions, int) else positions.tolist()
    # float64: an angle of 10⁶ radians is known to 10⁶ · 2⁻⁵³ or so; else half a spacing below 1, plus products
    allowed = 4e-10 if dtype == torch.float64 else torch.finfo(dtype).eps / 4 * 1.01 + 2.5 * UNIT
    assert largest_error(codes, ids) <= allowed


def test_a_float64_table_of_a_count_keeps_float64():
    assert largest_error(sinusoidal.table(5000, 32, dtype=torch.float64), range(5000)) <= 1e-12


@pytest.mark.parametrize("dtype", DTYPES)
def test_positions_256_and_257_stay_apart_in_every_dtype(dtype):
    first, second = sinusoidal.table([256, 257], 64, dtype=dtype)
    assert not torch.equal(first, second)


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
    pairs = data.draw(st.integers(1, 9))
    kinds = {
        "base": data.draw(st.floats(1, 1e8)),
        "layout": data.draw(st.sampled_from(LAYOUTS)),
        "convention": data.draw(st.sampled_from(CONVENTIONS)),
    }
    dtype = data.draw(st.sampled_from(DTYPES))
    types = [torch.uint8, torch.int8, torch.uint16, torch.int32, torch.uint32, torch.int64, torch.float32]
    positions = torch.randint(0, 100, shape).to(data.draw(st.sampled_from(types)))
    codes = sinusoidal.table(positions, 2 * pairs, dtype=dtype, **kinds)
    assert codes.shape == (*shape, 2 * pairs) and codes.dtype == dtype
    for row, position in zip(codes.reshape(-1, 2 * pairs), positions.flatten().tolist(), strict=True):
        column = data.draw(st.integers(0, 2 * pairs - 1))
        error = abs(exact(position, column, 2 * pairs, **kinds) - float(row[column]))
        assert error <= max(torch.finfo(dtype).eps, 1e-13)


@pytest.mark.parametrize("positions", [12, 5000, random_ids(0, 20, 3, 200)], ids=range(3))
def test_layouts_are_permutations_of_each_other(positions):
    interleaved, half = (sinusoidal.table(positions, 32, layout=layout) for layout in LAYOUTS)
    assert torch.equal(half, torch.cat([interleaved[..., 0::2], interleaved[..., 1::2]], dim=-1))


def test_lists_arrays_and_columns_are_positions():
    wanted = sinusoidal.table(torch.tensor([3, 1, 2]), 8)
    kinds = ["i1", "u1", "u2", "i4", "u4", "i8", "f4", "f8"]
    read_only = np.array([3, 1, 2])
    read_only.flags.writeable = False

    class Column:
        """What pandas' columns have, whatever their index."""

        dtype = np.dtype("i8")

        def __array__(self, dtype=None, copy=None):
            return read_only

    arrays = [*(np.array([3, 1, 2], dtype=kind) for kind in kinds), np.array([2, 1, 3])[::-1], read_only, Column()]
    for positions in ([3, 1, 2], (3.0, 1.0, 2.0), *arrays):
        assert torch.equal(sinusoidal.table(positions, 8), wanted)
    assert torch.equal(sinusoidal.table(np.int64(3), 8), sinusoidal.table(3, 8))
    assert sinusoidal.table(torch.tensor(3), 8).shape == (8,)
    assert sinusoidal.table([], 8).shape == sinusoidal.table(0, 8).shape == (0, 8)


def test_python_floats_are_not_rounded_to_float32():
    position = 2.0**24 + 1
    assert torch.equal(sinusoidal.table([position], 8), sinusoidal.table(torch.tensor([2**24 + 1]), 8))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_flow_to_float_positions(layout):
    positions = torch.tensor([[-2.5, 0.0], [1.25, 300.75]], dtype=torch.float64, requires_grad=True)

    def code(p):
        return sinusoidal.table(p, 6, layout=layout, dtype=torch.float64)

    assert torch.autograd.gradcheck(code, positions)
    assert torch.autograd.gradgradcheck(code, positions)


@settings(max_examples=40, deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(1, 20), st.sampled_from(LAYOUTS))
def test_the_shift_matrix_moves_every_position_by_k(position, k, pairs, layout):
    shift = sinusoidal.shift_matrix(k, 2 * pairs, layout=layout)
    here, there = sinusoidal.table([position, position + k], 2 * pairs, layout=layout, dtype=torch.float64)
    torch.testing.assert_close(shift @ here, there, rtol=0, atol=1e-9)
    torch.testing.assert_close(shift @ shift.T, torch.eye(2 * pairs, dtype=torch.float64), rtol=0, atol=1e-14)


def test_the_shift_matrix_is_one_rotation_for_each_pair():
    shift = sinusoidal.shift_matrix(5, 6, base=100.0, layout="half")
    wanted = torch.zeros(6, 6, dtype=torch.float64)
    for i in range(3):
        angle = 5 * 100.0 ** (-i / 3)
        wanted[i, i] = wanted[i + 3, i + 3] = math.cos(angle)
        wanted[i, i + 3] = math.sin(angle)
        wanted[i + 3, i] = -math.sin(angle)
    torch.testing.assert_close(shift, wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_shift_matrices_are_batched_over_k(layout):
    shifts = sinusoidal.shift_matrix(torch.tensor([[1, -2, 3]]), 6, layout=layout, dtype=torch.float32)
    assert shifts.shape == (1, 3, 6, 6) and shifts.dtype == torch.float32
    torch.testing.assert_close(shifts[0, 1], sinusoidal.shift_matrix(-2, 6, layout=layout, dtype=torch.float32))


@settings(max_examples=40, deadline=None)
@given(st.integers(-1000, 1000), st.integers(0, 10**5), st.integers(1, 20), st.sampled_from(CONVENTIONS))
def test_a_score_depends_only_on_the_offset_and_is_the_kernel(k, position, pairs, convention):
    codes = sinusoidal.table([position, position + k], 2 * pairs, convention=convention, dtype=torch.float64)
    wanted = float(sum(mpmath.cos(k * omega(i, 2 * pairs, convention=convention)) for i in range(pairs)))
    assert float(codes[0] @ codes[1]) == pytest.approx(wanted, abs=1e-9)
    assert float(sinusoidal.kernel(k, 2 * pairs, convention=convention)) == pytest.approx(wanted, abs=1e-11)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_position_is_read_back_from_its_code(dtype, layout, convention):
    positions = torch.tensor([[-250.0, -1, 0, 1, 2.5], [77, 1000, 5000.25, 20_000, 43_000]]).double()
    codes = sinusoidal.table(positions, 64, layout=layout, convention=convention, dtype=dtype)
    read = sinusoidal.read_position(3 * codes, layout=layout, convention=convention)
    torch.testing.assert_close(read, positions, rtol=0, atol=1e-4 if dtype == torch.float32 else 1e-9)


def test_noise_and_half_precision_do_not_mislead_the_reading():
    positions = torch.arange(2000)
    noise = 0.05 * torch.randn(2000, 64, generator=torch.Generator().manual_seed(0))
    for codes in (sinusoidal.table(positions, 64, dtype=torch.bfloat16), sinusoidal.table(positions, 64) + noise):
        assert (sinusoidal.read_position(codes) - positions).abs().max() < 0.5


def test_a_single_pair_is_read_within_its_turn():
    read = sinusoidal.read_position(sinusoidal.table(7, 2))
    torch.testing.assert_close(read, torch.arange(7.0).double(), rtol=0, atol=1e-5)


def test_nothing_that_a_caller_does_reaches_the_next_call():
    wanted = sinusoidal.table(40, 8).clone()
    sinusoidal.table(40, 8).zero_()
    sinusoidal.inv_freq(8).zero_()
    assert torch.equal(sinusoidal.table(40, 8), wanted)


REFUSED = [
    (lambda: sinusoidal.table(3, 5), ValueError, "d_model must be even (each pair of features has one angle), got 5"),
    (lambda: sinusoidal.table(3, 0), ValueError, "d_model must be at least 2 (each pair of features has one angle)"),
    (lambda: sinusoidal.table(3, 8.0), TypeError, "d_model must be an int (each pair of features has one angle), got"),
    (lambda: sinusoidal.table(3, True), TypeError, "got bool True"),
    (lambda: sinusoidal.table(3, torch.tensor([8, 8])), TypeError, "got a torch.strided tensor of torch.int64"),
    (lambda: sinusoidal.table(3, 2**70), ValueError, "d_model must be at most 2**53"),
    (lambda: sinusoidal.table(-3, 8), ValueError, "positions must be at least 0 (a count of positions), got -3"),
    (lambda: sinusoidal.table(True, 8), TypeError, "positions must be an int (a count of positions), got bool True"),
    (lambda: sinusoidal.table(2**70, 8), ValueError, "positions must be at most 2**53"),
    (lambda: sinusoidal.table(3.0, 8), TypeError, "positions must be an int count or a tensor"),
    (lambda: sinusoidal.table(np.float32(3), 8), TypeError, "positions must be an int count or a tensor"),
    (lambda: sinusoidal.table("3", 8), TypeError, "positions must be a tensor or an array of numbers"),
    (lambda: sinusoidal.table(None, 8), TypeError, "positions must be a tensor or an array of numbers"),
    (lambda: sinusoidal.table([1, "a"], 8), TypeError, "positions must be a tensor or an array of numbers"),
    (lambda: sinusoidal.table([[1], [2, 3]], 8), TypeError, "positions must be a tensor or an array of numbers"),
    (lambda: sinusoidal.table([2**70], 8), TypeError, "positions must be a tensor or an array of numbers"),
    (lambda: sinusoidal.table(np.array(["3"]), 8), TypeError, "positions must be a tensor or an array of numbers"),
    (lambda: sinusoidal.table([True], 8), TypeError, "positions must be a dense tensor of whole numbers, float32 or"),
    (lambda: sinusoidal.table(torch.tensor([1j]), 8), TypeError, "got a torch.strided tensor of torch.complex64"),
    (lambda: sinusoidal.table(torch.ones(2).bfloat16(), 8), TypeError, "(bfloat16 cannot tell 256 from 257)"),
    (lambda: sinusoidal.table(np.ones(2, "f2"), 8), TypeError, "got a torch.strided tensor of torch.float16"),
    (lambda: sinusoidal.table(torch.ones(2).to(torch.float8_e4m3fn), 8), TypeError, "tensor of torch.float8_e4m3fn"),
    (lambda: sinusoidal.table(torch.ones(2).to_sparse(), 8), TypeError, "got a torch.sparse_coo tensor of torch.float"),
    (lambda: sinusoidal.table(torch.nested.nested_tensor([torch.ones(2)]), 8), TypeError, "got a nested tensor"),
    (
        lambda: sinusoidal.table(torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.quint8), 8),
        TypeError,
        "tensor of torch.quint8",
    ),
    (lambda: sinusoidal.table(np.array([2**64 - 1], dtype="u8"), 8), TypeError, "tensor of torch.uint64"),
    (lambda: sinusoidal.table([1.0, math.nan], 8), ValueError, "positions must be finite and within 2**53"),
    (lambda: sinusoidal.table([math.inf], 8), ValueError, "got numbers from inf to inf"),
    (lambda: sinusoidal.table([-(2**62), 1], 8), ValueError, f"got numbers from {-(2**62)} to 1"),
    (lambda: sinusoidal.table(3, 8, base=0.5), ValueError, "base must be finite and at least 1"),
    (lambda: sinusoidal.table(3, 8, base=math.inf), ValueError, "base must be finite"),
    (lambda: sinusoidal.table(3, 8, base=math.nan), ValueError, "base must be finite"),
    (lambda: sinusoidal.table(3, 8, base=10**400), ValueError, "base must be finite"),
    (lambda: sinusoidal.table(3, 8, base="1e4"), TypeError, "base must be a number"),
    (lambda: sinusoidal.table(3, 8, base=torch.ones(2)), TypeError, "base must be a number"),
    (lambda: sinusoidal.table(3, 8, layout="concat"), ValueError, "layout must be one of 'interleaved', 'half', got"),
    (lambda: sinusoidal.table(3, 8, layout=np.array(["half"] * 2)), ValueError, "layout must be one of"),
    (
        lambda: sinusoidal.table(3, 8, convention="t2t"),
        ValueError,
        "convention must be one of 'paper', 'tensor2tensor'",
    ),
    (lambda: sinusoidal.table(3, 8, dtype=torch.int64), ValueError, "dtype must be one of torch.float16, torch.bfloat"),
    (lambda: sinusoidal.table(3, 8, dtype=None), ValueError, "dtype must be one of"),
    (lambda: sinusoidal.kernel("1", 8), TypeError, "k must be a tensor or an array of numbers"),
    (lambda: sinusoidal.shift_matrix(math.nan, 8), ValueError, "k must be finite"),
    (lambda: sinusoidal.read_position([0.0, 1.0]), TypeError, "code must be a dense float tensor"),
    (lambda: sinusoidal.read_position(torch.ones(2, 3)), ValueError, "d_model must be even"),
    (lambda: sinusoidal.read_position(torch.tensor([math.nan, 1])), ValueError, "code must be finite"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
