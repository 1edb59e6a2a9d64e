"""The checks: a right encoding passes every property, and each typical fault gets the diagnosis that names it."""

import math

import pytest
import torch

from clockwork.kit import checks


def naive_table(seq_len=20, d_model=16, base=10_000.0):
    """The formula as a double loop in Python's own floats: the only right answer here."""
    rows = [[0.0] * d_model for _ in range(seq_len)]
    for p in range(seq_len):
        for i in range(d_model // 2):
            angle = p / base ** (2 * i / d_model)
            rows[p][2 * i], rows[p][2 * i + 1] = math.sin(angle), math.cos(angle)
    return torch.tensor(rows, dtype=torch.float64)


def from_omega(omega, seq_len=20):
    angles = torch.arange(seq_len, dtype=torch.float64)[:, None] * omega
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


OMEGA = 10_000 ** (-torch.arange(8, dtype=torch.float64) / 8)
RIGHT = naive_table()
NEXT_COSINE = torch.stack([RIGHT[:, 0::2], from_omega(OMEGA * OMEGA[1])[:, 1::2]], -1).flatten(1)
FAULTS = {
    "divided": (from_omega(1 / OMEGA), checks.rotation, "did you divide by ω_i"),
    "doubled exponent": (from_omega(OMEGA**2), checks.rotation, "is the exponent doubled"),
    "another base": (from_omega(500 ** (-torch.arange(8) / 8)), checks.rotation, "which base"),
    "halves concatenated": (torch.cat([RIGHT[:, 0::2], RIGHT[:, 1::2]], -1), checks.rotation, "halves concatenated"),
    "sine and cosine exchanged": (RIGHT.view(20, 8, 2).flip(-1).flatten(1), checks.rotation, "turns backwards"),
    "exchanged, seen at the origin": (RIGHT.view(20, 8, 2).flip(-1).flatten(1), checks.origin, "exchanged"),
    "2(i+1) for the cosine": (
        NEXT_COSINE,
        checks.norm,
        "does every sine have a cosine of the same frequency",
    ),
    "the same, seen by the turn": (
        NEXT_COSINE,
        checks.rotation,
        "do its halves share one ω",
    ),
    "counted from one": (naive_table(21)[1:], checks.origin, "do you count from 1"),
    "scaled by √d": (RIGHT * 4, checks.norm, "was it scaled"),
    "one code for all": (RIGHT[:1].expand(20, 16), checks.distinct, "batch axis"),
    "a repeating wave": (
        from_omega(torch.tensor([math.pi / 4], dtype=torch.float64)),
        checks.distinct,
        "too few waves",
    ),
    "a score with the position in it": (
        RIGHT @ (RIGHT * torch.arange(20)[:, None]).T,
        checks.offset_only,
        "depends on",
    ),
    "odd width": (RIGHT[:, :15], checks.rotation, "must be even"),
    "two rows": (RIGHT[:2], checks.rotation, "at least 3 rows"),
    "not square": (RIGHT, checks.offset_only, "square matrix"),
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("d_model", [2, 8, 16, 512])
def test_the_right_table_has_every_property(dtype, d_model):
    table = naive_table(d_model=d_model).to(dtype)
    for holds in (checks.origin, checks.norm, checks.rotation, checks.distinct):
        holds(table)
    checks.offset_only(table @ table.T)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_gets_its_own_diagnosis(fault):
    table, check, diagnosis = FAULTS[fault]
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        check(table)


def test_both_layouts_have_a_rotation_and_each_is_told_from_the_other():
    half = torch.cat([RIGHT[:, 0::2], RIGHT[:, 1::2]], -1)
    checks.rotation(half, layout="half")
    checks.origin(half, layout="half")
    with pytest.raises(checks.CheckFailed, match="interleaved"):
        checks.rotation(RIGHT, layout="half")


def test_numpy_arrays_and_lists_are_tables_too():
    checks.rotation(RIGHT.numpy())
    checks.rotation(RIGHT.tolist())


def test_batch_axis_names_a_code_that_follows_the_batch():
    x_codes = naive_table(50, 16).float()
    checks.batch_axis(lambda x: x + x_codes[: x.shape[1]])
    with pytest.raises(checks.CheckFailed, match="is the position on the batch axis"):
        checks.batch_axis(lambda x: x + x_codes[: x.shape[0], None])
    with pytest.raises(checks.CheckFailed, match="used at all"):
        checks.batch_axis(lambda x: x)
    with pytest.raises(checks.CheckFailed, match="read the batch"):
        checks.batch_axis(lambda x: x + x_codes[: x.shape[0] * x.shape[1]].view(*x.shape))


@pytest.mark.parametrize("pool", [False, True])
def test_a_bag_of_words_fails_the_shuffle_and_a_sum_with_codes_passes(pool):
    x = torch.randn(2, 8, 16)
    codes = naive_table(8).float()

    def model(x):
        return x.tanh().mean(1) if pool else x.tanh()

    checks.shuffle(lambda x: model(x + codes), x)
    with pytest.raises(checks.CheckFailed, match="cannot see order"):
        checks.shuffle(model, x)


def test_positions_rounded_to_the_output_dtype_are_found():
    omega = OMEGA.float()

    def encode(position_ids, dtype, held=torch.float64):
        angles = position_ids.to(held)[:, None].double() * omega.double().to(position_ids.device)
        return torch.stack([angles.sin(), angles.cos()], -1).flatten(1).to(dtype)

    checks.dtype_and_device(encode)
    with pytest.raises(checks.CheckFailed, match=r"positions 256 and 257 have one code in torch.bfloat16"):
        checks.dtype_and_device(lambda p, dtype: encode(p, dtype, held=dtype))
    with pytest.raises(checks.CheckFailed, match="is a cast missing"):
        checks.dtype_and_device(lambda p, dtype: encode(p, torch.float64))
    with pytest.raises(checks.CheckFailed, match="cast last"):
        checks.dtype_and_device(
            lambda p, dtype: encode(p, dtype) * 1.25 if dtype != torch.float64 else encode(p, dtype)
        )


@pytest.mark.parametrize("blank", [None, ..., "", "  "])
def test_a_blank_is_greeted_not_judged(blank, capsys):
    checks.exercise(lambda attempt: pytest.fail("a blank was judged"))(blank)
    assert "not attempted yet" in capsys.readouterr().out


def test_a_right_answer_gets_a_tick_and_a_wrong_one_a_single_line(capsys):
    @checks.exercise
    def is_seven(attempt):
        if checks.number(attempt) != 7:
            raise checks.CheckFailed("that is not seven")
        return "seven it is"

    is_seven(7)
    assert "✔" in (out := capsys.readouterr().out) and "seven it is" in out
    with pytest.raises(checks.CheckFailed) as failure:
        is_seven(8)
    assert len(failure.value._render_traceback_()) == 1


@pytest.mark.parametrize(
    ("attempt", "shape", "message"),
    [
        ("seven", (), r"must be numbers \(a tensor, a list or a number\), got 'seven'"),
        ({"a": 1}, (), "must be numbers"),
        ([1.0, 2.0], (), r"must have shape \(\), got \(2,\)"),
        (torch.zeros(4, 8), (8, 4), "are rows and columns exchanged"),
        (torch.zeros(4, 7), (4, 8), "one row for each position"),
        (torch.tensor([[0.0, 1.0], [math.nan, 1.0]]), (2, 2), r"must be finite, got nan at index \(1, 0\)"),
        (math.inf, (), "must be finite, got inf"),
    ],
)
def test_an_answer_of_the_wrong_kind_is_told_so(attempt, shape, message):
    with pytest.raises(checks.CheckFailed, match=message):
        checks.array(attempt, shape)
