"""What lesson 02 says in its sentences, computed once more by other means."""

import math
import re

import nbformat
import numpy as np
import pytest
from tools import lessons

from pe_helpers import attention, tasks, training

CELLS = nbformat.read(lessons.NOTEBOOKS / "02_deriving_the_sinusoid.ipynb", as_version=4).cells
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))


def numbers(line):
    """The numbers in the first printed line that matches, after the matched text."""
    found = re.search(line + r"(.*)", PRINTED)
    assert found, line
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*\.?\d*", found[1])]


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
    assert numbers(f"fastest wave {fastest:.2f} rad a token, partners False: ") == pytest.approx(
        [alone.min(), alone.max()], abs=0.006
    )
    assert numbers(f"fastest wave {fastest:.2f} rad a token, partners True : ") == pytest.approx(
        [both.min(), both.max()], abs=0.006
    )
    assert both.max() - both.min() < 1e-9 < 0.4 < alone.max() - alone.min()


def test_even_speeds_meet_after_44_tokens_and_geometric_ones_climb():
    even = apart(np.linspace(1, GEOMETRIC[-1], 8), 60)
    assert even[1:].argmin() + 2 == 44 and round(even[43], 3) == 0.045 and round(even[0], 2) == 1.64
    gaps = apart(GEOMETRIC, 1000)
    means = [gaps[10**n - 1 : 10 ** (n + 1) - 1].mean() for n in range(3)]
    assert numbers("geometric 1–9 tokens ")[0] == pytest.approx(means[0], abs=0.006)
    assert means[0] + 0.5 < means[1] < means[2] - 0.5


def test_only_a_turn_keeps_one_rule_and_its_length():
    assert numbers("digits +misses by ")[0] > 0.5 and numbers("random +misses by ")[0] > 0.5
    for name in ("index", "growing", "fading", "turning"):
        assert numbers(rf"{name}.* misses by ")[0] == 0
    assert numbers(r"index \(p, 1\) +misses by ")[2] == pytest.approx(math.hypot(50, 1), abs=0.006)
    assert numbers("turning +misses by ")[1:] == [1, 1]
    assert numbers("fading +misses by ")[2] == pytest.approx(0.98**-50, abs=0.006)


@pytest.mark.parametrize(("d_model", "miss", "share"), [(8, 0.30, 0.41), (512, 0.15, 0.23)])
def test_without_cosines_the_best_matrix_misses(d_model, miss, share):
    sines = hands([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)], np.arange(2000)).imag
    here, there = sines[:-1], sines[1:]
    error = here @ (np.linalg.pinv(here, rcond=1e-12) @ there) - there
    assert math.sqrt((error**2).mean()) == pytest.approx(miss, abs=0.006)
    assert np.linalg.norm(error) / np.linalg.norm(there) == pytest.approx(share, abs=0.006)
    assert numbers(f"d_model +{d_model}: closest two codes .*; best matrix misses by ") == [miss, share]


def test_the_longest_wavelength_stays_below_the_base_and_83_hands_rest():
    assert numbers("d_model 512: longest wavelength ")[0] == round(10_000 ** (510 / 512), 1)
    assert sum(50 * 10_000 ** (-i / 256) < 0.1 for i in range(256)) == 83


@pytest.mark.slow
def test_with_the_sinusoid_and_only_with_it_the_model_looks_three_back():
    score = {}
    for encoding in (attention.Encoding, attention.Sinusoid):
        models = training.train(
            lambda encoding=encoding: attention.Transformer(16, encoding(), d_model=32),
            tasks.THREE_BACK,
            seeds=(10, 11),
            steps=250,
            batch_size=16,
            learning_rate=0.01,
        )
        score[encoding] = training.evaluate(models, tasks.THREE_BACK, lengths=[32]).accuracy[:, 0]
    assert score[attention.Sinusoid].min() > 0.97
    assert score[attention.Encoding].min() > 1 / 16 and score[attention.Encoding].max() < 0.2
