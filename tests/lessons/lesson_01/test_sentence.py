"""The sentence to reorder: its numbers are those of a naive attention, for every sentence that a reader may type."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

from clockwork.kit import modules, widgets
from clockwork.kit.widgets import typed
from clockwork.lessons.lesson_01 import figures, views
from clockwork.lessons.lesson_01.views import sentence as module


def naive_layer(words, scheme):
    """Attention with Python's floats, one word, one key and one number at a time."""
    d = 8
    matrices = {name: typed.drawn_from(name, d * d).tolist() for name in "qkv"}
    rows = []
    for p, word in enumerate(words):
        row = typed.drawn_from(word, d).tolist()
        if scheme == "position codes":
            for i in range(d // 2):
                row[2 * i] += math.sin(p / 10_000 ** (2 * i / d))
                row[2 * i + 1] += math.cos(p / 10_000 ** (2 * i / d))
        rows.append(row)
    q, k, v = (
        [[sum(row[i] * w[i * d + j] for i in range(d)) / math.sqrt(d) for j in range(d)] for row in rows]
        for w in matrices.values()
    )
    weights = []
    outputs = []
    for i, query in enumerate(q):
        seen = range(i + 1) if scheme == "a causal mask" else range(len(words))
        shares = {j: math.exp(sum(a * b for a, b in zip(query, k[j], strict=True)) / math.sqrt(d)) for j in seen}
        weights.append([shares.get(j, 0.0) / sum(shares.values()) for j in range(len(words))])
        outputs.append([sum(weights[i][j] * v[j][c] for j in range(len(words))) for c in range(d)])
    return weights, outputs


@pytest.mark.parametrize("scheme", module.SCHEMES)
@pytest.mark.parametrize("sentence", ["tom bit a dog", "the dog saw the cat", "größe 😀 zählt"])
def test_the_layer_is_attention_over_the_words_in_their_order(sentence, scheme):
    view = views.Sentence(sentence, scheme=scheme)
    order = list(range(len(view.given)))[::-1]
    view.order = order
    weights, outputs = naive_layer([view.given[word] for word in order], scheme)
    numbers = view.numbers()
    np.testing.assert_allclose(numbers["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(numbers["after"][order], outputs, atol=1e-12)
    np.testing.assert_allclose(numbers["before"], naive_layer(view.given, scheme)[1], atol=1e-12)


def test_with_nothing_added_no_order_moves_an_output_and_otherwise_nearly_all_do():
    moved = {scheme: [] for scheme in module.SCHEMES}
    for scheme, order in itertools.product(module.SCHEMES, itertools.permutations(range(4))):
        view = views.Sentence("tom bit a dog", scheme=scheme, order=order)
        moved[scheme].append([*view.numbers()["moved"], view.moved()])
    assert np.max(moved["nothing added"]) < 1e-14
    for scheme in ("a causal mask", "position codes"):
        means = np.array(moved[scheme])[:, -1]
        assert means[0] < 1e-14 and means[1:].min() > 0.05


def test_a_causal_mask_leaves_the_last_word_its_output_if_it_stays_last():
    view = views.Sentence("tom bit a dog", scheme="a causal mask", order=[1, 2, 0, 3])
    moved = view.numbers()["moved"]
    assert moved[3] < 1e-14 < 0.1 < moved[:3].min()


def test_the_same_word_twice_has_one_output_until_codes_are_added():
    for scheme, equal in zip(module.SCHEMES, (True, False, False), strict=True):
        before = views.Sentence("the dog saw the cat", scheme=scheme).numbers()["before"]
        assert (np.abs(before[0] - before[3]).max() < 1e-12) == equal


def test_only_the_letters_decide_a_word_s_numbers_and_they_have_mean_0_and_variance_1():
    many = typed.drawn_from("tom", 20_000)
    assert abs(many.mean()) < 0.03 and abs(many.var() - 1) < 0.03
    assert not np.allclose(typed.drawn_from("tom", 8), typed.drawn_from("tim", 8))
    first = views.Sentence("tom bit a dog").numbers()["before"]
    assert np.array_equal(first, views.Sentence("tom bit a dog").numbers()["before"])


def test_the_order_names_the_sentence_and_the_description_follows():
    view = views.Sentence("tom bit a dog", order=[2, 3, 1, 0])
    assert view.sentence == "a dog bit tom"
    assert '"a dog bit tom"' in view.describe() and "0.00 away" in view.describe()
    view.scheme = "position codes"
    assert "0.00 away" not in view.describe()
    assert view.outputs("nothing added")[1] == pytest.approx(view.outputs("nothing added")[0])


def test_a_challenge_may_ask_for_an_order_of_a_short_sentence():
    def dog_last(scheme, order):
        return scheme == "a causal mask" and order[-1] == 3

    view = views.Sentence("tom bit a dog", challenges=[widgets.Challenge("Leave *dog* last.", dog_last)])
    reached = view.goals[0]["reached"]
    assert [state[1] for state in reached] == [[*order, 3] for order in itertools.permutations(range(3))]


@pytest.mark.parametrize("sentence", ["", "word", " ".join("abcdefghijklm"), None])
def test_a_sentence_of_too_few_or_too_many_words_is_refused(sentence):
    with pytest.raises(TraitError, match=r"sentence must have 2 to 12 words .*, got"):
        views.Sentence(sentence)


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4]])
def test_what_is_no_order_of_the_words_is_refused(order):
    with pytest.raises(TraitError, match=r"order must name each of 4 words once, got"):
        views.Sentence("tom bit a dog", order=order)


@pytest.mark.parametrize(
    "constant, value",
    [
        ("D", module.D_MODEL),
        ("VIVID", figures.VIVID),
        ("FLAT", figures.FLAT),
        ("FEWEST", typed.FEWEST),
        ("MOST", typed.MOST),
        ("FNV_START", typed.FNV_START),
        ("FNV_PRIME", typed.FNV_PRIME),
        ("LCG_FACTOR", typed.LCG_FACTOR),
        ("LCG_STEP", typed.LCG_STEP),
    ],
)
def test_a_number_that_javascript_repeats_is_python_s(constant, value):
    script = modules.joined(Path(module.__file__).with_suffix(".js"))
    assert float(re.search(rf"^const {constant} = ([\d.]+);", script, flags=re.M)[1]) == value
