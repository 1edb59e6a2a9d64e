"""The knob, the average and the look-alikes: what they show is what a model does and what the definition says."""

import math

import numpy as np
import pytest
import torch
from traitlets import TraitError

from clockwork.kit import attention, heads, tasks
from clockwork.kit.playground import kept
from clockwork.lessons.lesson_13 import views
from clockwork.lessons.lesson_13.views import average, knob, look_alikes


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
        outside = [
            math.sqrt(sum(each[i, j] ** 2 for i in range(8) for j in range(8) if i // 2 != j // 2))
            for each in (moved[:count].mean(0), matrix)
        ]
        assert view.numbers()["outside"] == pytest.approx(outside[0] / outside[1], abs=1e-8)


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
    assert f"looks most at {weights.argmax()}, {knob.LETTERS[TEXT[weights.argmax()]]}, and" in view.describe()


def test_the_knob_s_hands_are_the_turning_part_s_angles_and_shares(model):
    view = views.Knob(model, TEXT)
    part = heads.turning_part(heads.score_matrices(model))[heads.sharpest(model, TEXT[None])].numpy()
    size = np.sqrt((part**2).sum() / 2)
    for i in range(knob.HANDS):
        a, b = part[2 * i, 2 * i], part[2 * i, 2 * i + 1]
        assert view.angles[i] == pytest.approx(np.arctan2(b, a), abs=1e-5)
        assert view.lengths[i] == pytest.approx(np.hypot(a, b) / size, abs=1e-5)


@pytest.mark.parametrize("tokens", [TEXT[:23], torch.zeros(65, dtype=torch.long), TEXT[None]])
def test_a_text_that_is_too_short_or_too_long_or_a_batch_is_refused(model, tokens):
    with pytest.raises(TraitError, match="24 to 64"):
        views.Knob(model, tokens)


@pytest.mark.parametrize("length", [24, 64])
def test_texts_of_each_length_have_an_answer_and_weights_for_each_letter(model, length):
    view = views.Knob(model, torch.arange(length) % 16, letter=length - 1)
    assert len(view.numbers()["weights"]) == length and view.values("letter") == list(range(length))


@pytest.fixture(scope="module")
def texts():
    return tasks.k_back(4, 128, k=3, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def sharp():
    """A model whose fast hands score loudly, to both sides of 0."""
    torch.manual_seed(1)
    model = attention.Transformer(16, attention.Sinusoid(), d_model=32)
    with torch.no_grad():
        model.blocks[0].qkv.weight[:64, :4] *= 8
        model.blocks[0].qkv.weight[64:] *= 20  # so that it matters where a head looks
    return model


@pytest.fixture(scope="module")
def look(sharp, texts):
    return views.LookAlikes(sharp, *texts)


def own_part(model, tokens):
    return heads.turning_part(heads.score_matrices(model))[heads.sharpest(model, tokens[:, :32])]


@pytest.mark.parametrize(
    ("hidden", "louder", "which"), [(0, 1.0, "the best"), (12, 1.0, "the best"), (4, 3.0, "at random")]
)
def test_the_look_alikes_are_hidden_from_the_model_and_its_scores_are_louder(sharp, texts, look, hidden, louder, which):
    look.hidden, look.louder, look.which = hidden, louder, which
    tokens, targets = texts
    gone = [int(offset) for offset in look.orders[which][:hidden]]
    parts = louder * heads.turning_part(heads.score_matrices(sharp))
    right = (heads.rescored(sharp, parts, hidden=gone)(tokens).argmax(-1) == targets)[:, 3:].double()
    assert look.numbers()["right"] == pytest.approx(right.mean().item())
    np.testing.assert_allclose(look.numbers()["positions"], right.mean(0))


@pytest.mark.parametrize(("query", "louder", "hidden"), [(64, 1.0, 0), (3, 2.0, 8), (127, 3.0, 12)])
def test_the_weights_are_those_of_the_sharpest_head_without_the_hidden_keys(sharp, texts, look, query, louder, hidden):
    look.query, look.louder, look.hidden, look.which = query, louder, hidden, "the best"
    part = louder * own_part(sharp, texts[0])
    gone = [int(offset) for offset in look.orders["the best"][:hidden]]
    changed = heads.rescored(sharp, part, hidden=gone)
    weights = changed.trace(texts[0][:1]).weights[0][0, 0, query].detach().numpy()
    np.testing.assert_allclose(look.numbers()["weights"], weights, atol=1e-4)
    assert f"puts {weights[query - 3]:.2f} of its weight" in look.describe()


def test_the_best_score_best_and_none_is_near_three_back(sharp, texts, look):
    part = own_part(sharp, texts[0]).double().numpy()
    start = np.tile([0.0, 1.0], 16)  # the code of position 0
    score = {n: start @ rotation(n, 32).T @ part @ start for n in range(-120, 125) if abs(n - 3) > 2}
    best = sorted(score, key=score.get, reverse=True)[:12]
    assert sorted(look.orders["the best"]) == sorted(best)
    others = set(look.orders["at random"].tolist())
    assert len(others) == 12 and others <= score.keys() - set(best)


def test_texts_of_another_length_are_refused(model, texts):
    with pytest.raises(TraitError, match="128"):
        views.LookAlikes(model, texts[0][:, :64], texts[1][:, :64])
    assert look_alikes.LENGTH == 128


@pytest.mark.parametrize("by", [-2, 0, 2, 17])
def test_the_first_turn_shows_what_the_short_way_s_model_answers_with_its_turning_part_turned(by):
    view = views.FirstTurn(by=by)
    trained = kept.in_torch(kept.load()["knob"])
    matrix = heads.score_matrices(trained)[0].double().numpy()
    hands = range(16)
    turn = np.array([(matrix[2 * i, 2 * i] + matrix[2 * i + 1, 2 * i + 1]) / 2 for i in hands])
    cross = np.array([(matrix[2 * i, 2 * i + 1] - matrix[2 * i + 1, 2 * i]) / 2 for i in hands])
    speeds = 10_000 ** (-np.arange(16) / 16)
    scores = np.array(
        [[sum((turn + 1j * cross) * np.exp(1j * (by - (p - q)) * speeds)).real for q in range(24)] for p in range(24)]
    )  # each hand by itself, with no matrix
    assert view.numbers()["looks"].tolist() == scores.argmax(1).tolist()
    back = 3 + by
    assert all(scores.argmax(1)[p] == p - back for p in range(back, 24))
    right = sum(int(view.here(view.answers)[p] == view.tokens[p - back]) for p in range(back, 24))
    assert view.numbers()["right"] == right == 24 - back
    assert f"{right} of {right} answers name the letter {back} back" in view.describe()


def test_the_first_turn_s_answers_are_those_of_a_model_with_these_scores():
    view = views.FirstTurn()
    trained = kept.in_torch(kept.load()["knob"])
    assert view.here(view.answers)[3:].tolist() == trained(torch.tensor(view.tokens)).argmax(-1)[3:].tolist()
