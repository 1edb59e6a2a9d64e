"""What lesson 02 says in its sentences, computed once more by other means."""

import itertools
import math
import re

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, tasks, training

PATHS = lessons.whole(lessons.NOTEBOOKS / "02_deriving_the_sinusoid.ipynb")
CELLS = [cell for path in PATHS for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))


numbers = numbers_of(PRINTED)


def hands(speeds, positions):
    return np.exp(1j * np.multiply.outer(positions, np.asarray(speeds)))


def apart(speeds, reach):
    return np.array([math.dist(hands(speeds, k).view(float), hands(speeds, 0).view(float)) for k in range(1, reach)])


GEOMETRIC = [10_000 ** (-i / 8) for i in range(8)]


@pytest.mark.parametrize("fastest", [math.pi, 1])
def test_partners_make_steps_equal_and_slowness_makes_them_short(fastest):
    codes = hands([fastest / 2**i for i in range(4)], np.arange(4096) + 0.5)
    alone = np.linalg.norm(np.diff(codes.imag, axis=0), axis=1)
    both = np.linalg.norm(np.diff(codes, axis=0), axis=1)
    assert numbers(f"fastest wave {fastest:.2f} rad per token, partners False: ") == pytest.approx(
        [alone.min(), alone.max()], abs=0.006
    )
    assert numbers(f"fastest wave {fastest:.2f} rad per token, partners True : ") == pytest.approx(
        [both.min(), both.max()], abs=0.006
    )
    assert both.max() - both.min() < 1e-9 < 0.4 < alone.max() - alone.min()


def test_even_speeds_meet_after_44_tokens_and_geometric_ones_climb():
    even = apart(np.linspace(1, GEOMETRIC[-1], 8), 60)
    assert even[1:].argmin() + 2 == 44 and round(even[43], 3) == 0.045 and round(even[0], 2) == 1.64
    gaps = apart(GEOMETRIC, 1000)
    means = [gaps[10**n - 1 : 10 ** (n + 1) - 1].mean() for n in range(3)]
    assert numbers("geometric +: 1–9 tokens ")[0] == pytest.approx(means[0], abs=0.006)
    assert means[0] + 0.5 < means[1] < means[2] - 0.5


@pytest.mark.parametrize(("shift", "nearest"), [(0, 44), (1 / 28, 176), (1 / 14, 88), (3 / 28, 176)])
def test_the_44_needs_equal_gaps_and_a_slowest_hand_that_rests(shift, nearest):
    gaps = apart(np.linspace(1, GEOMETRIC[-1], 8) + shift, 401)
    assert gaps[2:].argmin() + 3 == nearest
    printed = numbers(f"all speeds {shift:.3f} faster: 44 tokens apart ")
    assert printed == pytest.approx([gaps[43], nearest, gaps[nearest - 1]], abs=6e-4)
    assert (gaps[43] < 0.1) == (shift == 0)


def closest(speeds, reach=2000):
    angles = np.multiply.outer(np.arange(1, reach), speeds)
    return np.sqrt((4 * np.sin(angles / 2) ** 2).sum(1)).min()  # a chord of the circle is 2 sin(angle / 2) long


def test_factors_whose_slowest_hand_stays_within_a_turn_pass_and_below_that_it_is_luck():
    reached = {hundredths: closest([(hundredths / 100) ** -i for i in range(4)]) for hundredths in range(500, 791)}
    assert [round(reached[hundredths], 3) for hundredths in (499 + 1, 501, 550, 690)] == [0.208, 0.575, 0.836, 0.898]
    assert round(closest([4.99**-i for i in range(4)]), 3) == 0.474
    passed = {hundredths for hundredths, gap in reached.items() if gap >= 0.8}
    assert set(range(682, 790)) <= passed and 790 not in passed and len(passed & set(range(500, 600))) == 3
    assert 2 * math.pi * 6.82**3 < 2000 < 2 * math.pi * 6.83**3
    assert apart([5**-i for i in range(4)], 2000).argmin() + 1 == round(4 * math.pi * 5**3)


def test_many_draws_of_random_speeds_have_strangers_nearer_than_neighbours_and_geometric_speeds_have_none():
    drawn = torch.rand(60, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64).numpy()
    shares = [closest(speeds, 20_001) / closest(speeds, 2) for speeds in drawn]
    assert sum(share < 1 for share in shares) == 42
    middle = sorted(closest(speeds, 20_001) for speeds in drawn)[29]
    assert numbers("random: closest codes ")[0] == round(middle, 2)
    assert closest(GEOMETRIC, 20_001) == closest(GEOMETRIC, 2) == pytest.approx(1.015, abs=6e-4)
    page = torch.rand(8, generator=torch.Generator().manual_seed(0), dtype=torch.float64).numpy()
    gaps = apart(page, 20_001)
    assert (gaps < gaps[0]).argmax() + 1 == 914 and (gaps < gaps[0]).sum() == 4
    neighbours, nearest, count, first = numbers("one draw: neighbours ")
    assert [neighbours, nearest] == pytest.approx([gaps[0], gaps.min()], abs=0.006) and nearest < neighbours
    assert [count, first] == [4, 914] and numbers("60 draws: ")[0] == 42 == numbers("random: in ")[0]
    neighbours, nearest = numbers("geometric: neighbours ")
    assert neighbours == nearest


def test_fast_random_speeds_do_not_say_how_far():
    drawn = np.random.default_rng(0).random((30, 8))
    means = np.mean([[gaps[10**n - 1 : 10 ** (n + 1) - 1].mean() for n in range(3)] for gaps in map(long, drawn)], 0)
    assert means[1] == pytest.approx(means[2], abs=0.1)


def test_equal_steps_need_circles_and_not_equal_radii():
    radii, p = np.array([3, 1, 0.2]), np.arange(200)[:, None]
    for stretch in (1, 2):  # a sine of twice its size makes the circle an ellipse
        angles = p * np.array([1, 0.3, 0.05])
        codes = np.concatenate([stretch * radii * np.sin(angles), radii * np.cos(angles)], 1)
        steps = np.linalg.norm(np.diff(codes, axis=0), axis=1)
        assert (np.ptp(steps) < 1e-9) == (stretch == 1)


@pytest.mark.slow
def test_with_random_speeds_5_tokens_look_at_least_as_far_as_5_000_on_average_and_with_geometric_ones_nearer():
    draw = np.random.default_rng(7)
    gaps = np.stack([apart(draw.uniform(0, 1, 8), 5001)[[4, 4999]] for _ in range(200)])
    assert gaps[:, 0].mean() > gaps[:, 1].mean() + 0.2
    assert (gaps[:, 0] < gaps[:, 1]).any(), "not in every draw"
    near, far = apart([10_000 ** (-i / 8) for i in range(8)], 5001)[[4, 4999]]
    assert near < far / 2


def long(speeds):
    return np.sqrt((4 * np.sin(np.multiply.outer(np.arange(1, 1000), speeds) / 2) ** 2).sum(1))


def test_even_speeds_owe_their_growth_to_the_one_slow_hand():
    even = np.linspace(1, GEOMETRIC[-1], 8)
    angles = np.multiply.outer(np.arange(1, 10_000), even)
    squares = 4 * np.sin(angles / 2) ** 2
    all_hands, without = (np.sqrt(part.sum(1)) for part in (squares, squares[:, :-1]))
    assert all_hands[999:].mean() - all_hands[99:999].mean() > 0.3
    assert abs(without[999:].mean() - without[99:999].mean()) < 0.05


@pytest.mark.parametrize(("base", "nearest"), [(5, 6239), (20, 1), (10_000, 1)])
def test_with_a_small_base_the_nearest_code_is_not_a_neighbour(base, nearest):
    angles = np.multiply.outer(np.arange(1, 20_001), [base ** (-i / 8) for i in range(8)])
    assert (4 * np.sin(angles / 2) ** 2).sum(1).argmin() + 1 == nearest


def test_a_slanted_basis_keeps_the_rule_and_loses_equal_steps():
    p = np.arange(-500, 501)
    ellipse = np.stack([2 * np.sin(0.3 * p), np.cos(0.3 * p)], 1)
    matrix = np.linalg.lstsq(ellipse[:-1], ellipse[1:], rcond=None)[0]
    steps = np.linalg.norm(np.diff(ellipse, axis=0), axis=1)
    assert np.abs(ellipse[:-1] @ matrix - ellipse[1:]).max() < 1e-10 and steps.max() > 1.9 * steps.min()


def test_a_complex_pair_of_eigenvalues_turns_the_plane_of_its_vector_s_parts():
    rng = np.random.default_rng(0)
    basis = rng.standard_normal((4, 4))
    turn = np.zeros((4, 4))
    for i, omega in enumerate((0.3, 1.1)):
        turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [
            [math.cos(omega), math.sin(omega)],
            [-math.sin(omega), math.cos(omega)],
        ]
    matrix = basis @ turn @ np.linalg.inv(basis)
    values, vectors = np.linalg.eig(matrix)
    for value, vector in zip(values, vectors.T, strict=True):
        a, b = vector.real, vector.imag
        assert matrix @ a == pytest.approx(value.real * a - value.imag * b)
        assert matrix @ b == pytest.approx(value.imag * a + value.real * b)
        assert np.linalg.matrix_rank(np.stack([a, b])) == 2


def test_the_symbol_that_a_text_holds_most_often_scores_015():
    tokens = np.random.default_rng(0).integers(16, size=(4000, 32))
    counts = (tokens[:, :, None] == np.arange(16)).sum(1)
    assert (tokens[:, :29] == counts.argmax(1)[:, None]).mean() == pytest.approx(0.15, abs=0.006)


def test_only_a_turn_keeps_one_rule_and_its_length():
    bits = np.array([[n // 2**i % 2 for i in range(4)] for n in range(-500, 501)], float)
    error = bits[:-1] @ (np.linalg.pinv(bits[:-1]) @ bits[1:]) - bits[1:]
    miss = np.linalg.norm(error) / np.linalg.norm(bits[1:])
    assert numbers("the best matrix misses by ")[0] == pytest.approx(miss, abs=0.006)
    assert numbers("digits +misses by ")[0] > 0.5 and numbers("random +misses by ")[0] > 0.5
    for name in ("index", "growing", "fading", "turning"):
        assert numbers(rf"{name}.* misses by ")[0] == 0
    for name, dimensions in {"random": 4, "digits": 4, "Gray code": 4, "index": 2, "fading": 2, "turning": 2}.items():
        assert numbers(rf"{name}.* spans ")[:2] == [dimensions, dimensions]
    far = (-500, -50, 50, 500)
    for name, base in {"turning": 1, "fading": 0.98, "growing": 1.02}.items():
        assert numbers(f"{name} +length at .*: ")[:4] == pytest.approx([base**p for p in far], abs=0.006)
    assert numbers(r"index \(p, 1\) +length at .*: ")[:4] == pytest.approx([math.hypot(p, 1) for p in far], abs=0.006)
    assert numbers("fading +misses by ")[-1] == pytest.approx(0.98**-500, abs=0.006)


def test_a_gray_code_has_equal_steps_and_no_matrix():
    bits = [[(n % 16 ^ n % 16 >> 1) >> i & 1 for i in range(4)] for n in range(-500, 501)]
    codes = 2.0 * np.array(bits) - 1
    assert set(np.abs(np.diff(codes, axis=0)).sum(1)) == {2}
    error = codes[:-1] @ (np.linalg.pinv(codes[:-1]) @ codes[1:]) - codes[1:]
    miss = np.linalg.norm(error) / np.linalg.norm(codes[1:])
    assert numbers("Gray code +misses by ")[0] == pytest.approx(miss, abs=0.006) and miss > 0.5


@pytest.mark.parametrize(("d_model", "share"), [(8, 0.41), (512, 0.23)])
@pytest.mark.parametrize("first", [0, 1], ids=["with position 0", "without position 0"])
@pytest.mark.parametrize("constant", [False, True])
def test_without_cosines_the_best_matrix_misses_also_with_a_constant(d_model, share, first, constant):
    sines = hands([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)], np.arange(first, 2000)).imag
    here, there = sines[:-1], sines[1:]
    if constant:
        here = np.column_stack([here, np.ones(len(here))])
    error = here @ (np.linalg.pinv(here, rcond=1e-12) @ there) - there
    assert np.linalg.norm(error) / np.linalg.norm(there) == pytest.approx(share, abs=0.006)
    assert numbers(f"d_model +{d_model}: closest two codes .*; best matrix and constant miss by ") == [share]


def test_the_longest_wavelength_stays_below_the_base_and_83_hands_rest():
    assert numbers("d_model 512: longest wavelength ")[0] == round(10_000 ** (510 / 512), 1)
    assert sum(50 * 10_000 ** (-i / 256) < 0.1 for i in range(256)) == 83


class RandomTable(attention.Encoding):
    """Random rows as long as the sinusoid's."""

    def add(self, x, position_ids):
        table = np.random.default_rng(0).standard_normal((32, 32))
        rows = 4 * table / np.linalg.norm(table, axis=1, keepdims=True)
        return x + torch.tensor(rows, dtype=x.dtype)[position_ids]


class Speeds(attention.Encoding):
    """Sixteen hands, evenly spaced or drawn at random: all of them fast but one."""

    def __init__(self, speeds):
        super().__init__()
        codes = hands(speeds, np.arange(32))
        self.rows = torch.tensor(np.stack([codes.imag, codes.real], -1).reshape(32, 32), dtype=torch.float32)

    def add(self, x, position_ids):
        return x + self.rows[position_ids]


@pytest.mark.slow
@pytest.mark.parametrize(
    "speeds",
    [np.linspace(1, 10_000 ** (-15 / 16), 16), np.random.default_rng(0).random(16)],
    ids=["even", "random"],
)
def test_even_or_random_speeds_do_as_well_in_3_back(speeds):
    models = training.train(
        lambda: attention.Transformer(16, Speeds(speeds), d_model=32),
        tasks.THREE_BACK,
        seeds=(10, 11),
        steps=250,
        batch_size=16,
        learning_rate=0.01,
    )
    assert training.evaluate(models, tasks.THREE_BACK, lengths=[32]).accuracy.min() > 0.97


@pytest.mark.slow
def test_with_the_sinusoid_or_a_random_table_and_not_without_a_code_the_model_looks_three_back():
    score = {}
    for encoding in (attention.Encoding, attention.Sinusoid, RandomTable):
        models = training.train(
            lambda encoding=encoding: attention.Transformer(16, encoding(), d_model=32),
            tasks.THREE_BACK,
            seeds=(10, 11),
            steps=200,
            batch_size=16,
            learning_rate=0.01,
        )
        score[encoding] = training.evaluate(models, tasks.THREE_BACK, lengths=[32]).accuracy[:, 0]
    assert score[attention.Sinusoid].min() > 0.97 and score[RandomTable].min() > 0.97
    assert score[attention.Encoding].min() > 1 / 16 and score[attention.Encoding].max() < 0.2


@pytest.mark.parametrize(("name", "lost"), [("slowest", 7), ("fastest", 1)])
def test_without_one_cosine_the_best_matrix_misses_much_for_a_fast_hand_and_little_for_a_slow_one(name, lost):
    codes = hands([1, 0.1, 0.01, 0.001], np.arange(2000))
    rows = np.delete(np.stack([codes.imag, codes.real], 2).reshape(2000, 8), lost, axis=1)
    matrix = np.linalg.lstsq(rows[:-1], rows[1:], rcond=None)[0]
    missed = np.linalg.norm(rows[:-1] @ matrix - rows[1:]) / np.linalg.norm(rows[1:])
    assert numbers(f"no cosine for the {name} hand: best matrix misses by ")[0] == pytest.approx(missed, abs=6e-5)
    assert (missed < 1e-3) == (name == "slowest")


@pytest.mark.parametrize("base", [10, 100, 10_000, 10**7])
def test_a_large_base_makes_hands_rest(base):
    turned = [500 * base ** (-i / 16) for i in range(16)]
    round_once, resting = sum(angle >= 2 * math.pi for angle in turned), sum(angle < 0.1 for angle in turned)
    assert numbers(rf"base +{base:,}, 500 tokens: ")[:3] == [round_once, 16, resting]


def test_the_rule_of_a_hand_is_the_rotation_by_its_speed():
    printed = next(
        cell.outputs[0].text
        for cell in CELLS
        if "torch.linalg.eigvals(M)" in cell.source and "λ.angle()" in cell.source
    )
    assert [round(math.cos(0.3), 3), round(math.sin(0.3), 3)] == [0.955, 0.296]
    assert "0.955" in printed and "-0.296" in printed
    assert numbers(r"sizes and angles of its eigenvalues:\n")[:2] == [1, 1]
    assert sorted(numbers(r"sizes and angles of its eigenvalues:\n.*\n")[:2]) == [-0.3, 0.3]


def test_a_sine_alone_misses_by_what_is_printed_and_with_its_cosine_by_nothing():
    (alone,), (pair,) = numbers("the sine alone misses by "), numbers("with its cosine misses by ")
    heights = [math.sin(0.3 * p) for p in range(-500, 501)]
    factor = sum(a * b for a, b in itertools.pairwise(heights)) / sum(a * a for a in heights[:-1])
    missed = sum((b - factor * a) ** 2 for a, b in itertools.pairwise(heights))
    assert alone == pytest.approx(math.sqrt(missed / sum(b * b for b in heights[1:])), abs=6e-3)
    assert pair == 0


def test_equal_steps_come_with_circles_of_any_radius_as_printed():
    smallest, largest = numbers("radii 3, 1, 0.2, circles : steps from ")
    step = math.sqrt(sum((2 * r * math.sin(w / 2)) ** 2 for r, w in ((3, 1), (1, 0.3), (0.2, 0.05))))
    assert smallest == largest == pytest.approx(step, abs=6e-4)
    smallest, largest = numbers("radii 3, 1, 0.2, ellipses: steps from ")
    assert largest > 1.5 * smallest


def test_the_power_is_more_exact_than_exp_log_and_neither_matters_to_an_angle():
    line = re.compile(r"d_model +(\d+), ([\w-]+) *: off by (\S+) of a speed; at position 10,000 by (\S+) rad")
    shown = {(int(d), way): (float(speed), float(angle)) for d, way, speed, angle in line.findall(PRINTED)}
    assert len(shown) == 8 and max(angle for _, angle in shown.values()) < 1e-3
    for d in (64, 512, 4096):
        assert shown[d, "exp-log"][0] > 2 * shown[d, "power"][0]
        i = np.arange(0, d, 2, dtype="f4")
        exact = 10_000.0 ** (-i.astype("f8") / d)
        exp_log = np.exp(i * np.float32(-math.log(10_000) / d))
        assert np.abs(exp_log / exact - 1).max() > 2e-7, "the rounded exponent costs more than one rounding"


@pytest.mark.slow
def test_the_random_table_falls_first_and_after_four_times_the_steps_nothing_is_left_of_it():
    """The rival of 'random rows are better': they only leave the plateau sooner."""
    right = {}
    for steps in (75, 300):
        for name, encoding in {"random table": RandomTable, "sinusoid": attention.Sinusoid}.items():
            models = training.train(
                lambda encoding=encoding: attention.Transformer(16, encoding(), d_model=32),
                tasks.THREE_BACK,
                seeds=(10, 11),
                steps=steps,
                batch_size=16,
                learning_rate=0.01,
            )
            right[steps, name] = training.evaluate(models, tasks.THREE_BACK, lengths=[32]).accuracy[:, 0]
    assert right[75, "random table"].mean() > right[75, "sinusoid"].mean() + 0.15
    assert min(right[300, name].min() for name in ("random table", "sinusoid")) > 0.97
    shown = {steps: numbers(rf"{steps} steps, random table: right answers, four seeds ") for steps in (" 75", "300")}
    assert (
        min(shown[" 75"]) > max(numbers(" 75 steps, sinusoid +: right answers, four seeds "))
        and min(shown["300"]) > 0.97
    )


@pytest.mark.parametrize(
    ("speeds", "shortest", "longest"),
    [
        ([math.pi, math.pi / 2, math.pi / 4, math.pi / 8], 2.08, 2.60),
        ([math.pi / 2, math.pi / 4, math.pi / 8], 0.56, 1.65),  # nothing slowed, the fastest wave left out
        ([math.pi, 0.5, 0.25, 0.125], 2.01, 2.08),  # all others slowed
        ([1, 0.5, 0.25, 0.125], 0.36, 1.11),
    ],
)
def test_the_wave_that_jumps_at_every_token_evens_the_steps_and_slowness_does_not(speeds, shortest, longest):
    heights = [[math.sin(speed * (p + 0.5)) for speed in speeds] for p in range(4096)]
    steps = [math.dist(*pair) for pair in itertools.pairwise(heights)]
    assert [min(steps), max(steps)] == pytest.approx([shortest, longest], abs=0.006)
    assert (max(steps) / min(steps) < 1.3) == (math.pi in speeds)


def test_places_21_apart_are_twins_of_one_hand_and_leave_two_thirds():
    hand = hands([0.3], np.arange(32))[:, 0]
    twins = {p for p in range(32) for q in range(32) if p != q and abs(hand[p] - hand[q]) < 0.05}
    asked = range(29)  # the place three back of each answer
    assert len(twins & set(asked)) == 19
    assert sum(0.5 if place in twins else 1 for place in asked) / 29 == pytest.approx(0.67, abs=0.006)


def test_501_places_on_one_circle_cannot_all_be_apart():
    assert numbers("nearest two at most ")[0] == pytest.approx(abs(np.exp(2j * np.pi / 501) - 1), abs=6e-4)
