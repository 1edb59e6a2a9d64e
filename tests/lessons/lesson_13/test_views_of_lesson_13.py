"""The knob and the average: what they show is what a model does and what the definition says."""

import numpy as np
import pytest
import torch
from traitlets import TraitError

from clockwork.kit import heads
from clockwork.lessons.lesson_13 import views
from clockwork.lessons.lesson_13.views import average, knob
from pe_helpers import attention


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return attention.Transformer(16, attention.Sinusoid(), d_model=32)


TEXT = torch.randint(16, (24,), generator=torch.manual_seed(3))


def rotation(t, width):
    """M_t from complex numbers, written out as a matrix on (sin, cos)."""
    matrix = np.zeros((width, width))
    for i in range(width // 2):
        turn = np.exp(1j * t * 10_000 ** (-2 * i / width))
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
    return matrix


def test_the_average_is_that_of_the_scores_over_the_starting_points():
    matrix = np.random.default_rng(1).standard_normal((8, 8))
    starts = np.random.default_rng(0).integers(0, average.FARTHEST, average.COUNTS[-1])
    starts[0] = 0
    moved = np.stack([rotation(int(t), 8).T @ matrix @ rotation(int(t), 8) for t in starts])
    view = views.Average(matrix)
    for count in (1, 16, 4096):
        view.count = count
        np.testing.assert_allclose(view.mean(), moved[:count].mean(0), atol=1e-8)
        assert view.numbers()["corner"] == pytest.approx(moved[:count].mean(0)[:4, :4].ravel(), abs=1e-8)


def test_over_many_starting_points_the_turning_part_is_left_and_nothing_else():
    matrix = torch.tensor(np.random.default_rng(2).standard_normal((32, 32)))
    part = heads.turning_part(matrix.float()).numpy()
    assert np.abs(average.averages(matrix)[-1] - part).max() < 0.1
    mirror = np.kron(np.eye(16), [[1.0, 2.0], [2.0, -1.0]])
    assert np.abs(average.averages(mirror)[-1]).max() < 0.1


@pytest.mark.parametrize(("cut", "by"), [("turning part", 0), ("turning part", 17), ("all of W", -2)])
def test_the_knob_shows_what_the_turned_model_answers_and_where_its_head_looks(model, cut, by):
    view = views.Knob(model, TEXT, turned_on=by, cut=cut, letter=21)
    matrices = heads.score_matrices(model)
    head = heads.sharpest(model, TEXT[None])
    used = heads.turning_part(matrices) if cut == "turning part" else matrices
    changed = heads.rescored(model, used @ torch.tensor(rotation(by, 32), dtype=torch.float32))
    answers = changed(TEXT).argmax(-1)
    back = 3 + by
    right = sum(int(answers[i] == TEXT[i - back]) for i in range(back, 24))
    assert view.numbers()["right"] == right
    weights = changed.trace(TEXT).weights[0][head][21].detach().numpy()
    np.testing.assert_allclose(view.numbers()["weights"], weights, atol=1e-5)
    assert f"{right} of {24 - back} answers {back} back" in view.describe()


def test_the_knob_s_hands_are_the_turning_part_s_angles_and_shares(model):
    view = views.Knob(model, TEXT)
    part = heads.turning_part(heads.score_matrices(model))[heads.sharpest(model, TEXT[None])].numpy()
    size = np.sqrt((part**2).sum() / 2)
    for i in range(knob.HANDS):
        a, b = part[2 * i, 2 * i], part[2 * i, 2 * i + 1]
        assert view.angles[i] == pytest.approx(np.arctan2(b, a), abs=1e-5)
        assert view.lengths[i] == pytest.approx(np.hypot(a, b) / size, abs=1e-5)


def test_a_text_of_another_length_is_refused(model):
    with pytest.raises(TraitError, match="24"):
        views.Knob(model, TEXT[:10])
