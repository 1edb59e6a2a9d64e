"""The sentence to reorder: its numbers are those of a naive attention, and the arrangement only selects."""

import itertools
import math

import pytest
from traitlets import TraitError

from pe_helpers import widgets


def naive_weights(scores, causal):
    rows = []
    for i, row in enumerate(scores):
        shares = [math.exp(s) if j <= i or not causal else 0.0 for j, s in enumerate(row)]
        rows.append([share / sum(shares) for share in shares])
    return rows


@pytest.mark.parametrize("scheme", [0, 1])
def test_every_arrangement_is_attention_over_the_words_in_that_order(scheme):
    sentence = widgets.Sentence("tom bit a dog")
    logs = sentence.weights[0, 0].log()  # scores up to a constant a row, of the words as given
    for rank, order in enumerate(itertools.permutations(range(4))):
        expected = naive_weights([[logs[i, j].item() for j in order] for i in order], causal=scheme == 1)
        assert sentence.weights[scheme, rank].tolist() == [pytest.approx(row) for row in expected]


def test_with_nothing_added_words_carry_their_outputs_along_and_the_mean_stays():
    sentence = widgets.Sentence("the dog saw the cat")
    for rank, order in enumerate(itertools.permutations(range(5))):
        moved_along = sentence.outputs[0, 0][list(order)]
        assert (sentence.outputs[0, rank] - moved_along).abs().max() < 1e-12
    assert sentence.moved[0].max() == 0 and sentence.moved[1].max() > 0 and sentence.moved[2].max() > 0


def test_the_same_word_twice_has_one_output_until_codes_are_added():
    sentence = widgets.Sentence("the dog saw the cat")
    assert (sentence.outputs[0, 0, 0] - sentence.outputs[0, 0, 3]).abs().max() < 1e-12
    assert (sentence.outputs[2, 0, 0] - sentence.outputs[2, 0, 3]).abs().max() > 1e-3


def test_the_arrangement_names_the_sentence_and_the_description_follows():
    sentence = widgets.Sentence("tom bit a dog", arrangement=17)
    assert sentence.sentence == "a dog bit tom"
    assert '"a dog bit tom"' in sentence.describe() and "0.00 away" in sentence.describe()
    sentence.cursor.scheme = "position codes"
    assert "0.00 away" not in sentence.describe()
    assert sentence.numbers()["weights"].shape == (4, 4)


@pytest.mark.parametrize("sentence", ["", "word", "one two three four five six", None])
def test_a_sentence_of_too_few_or_too_many_words_is_refused(sentence):
    with pytest.raises(TraitError, match=r"sentence must have 2 to 5 words .*, got"):
        widgets.Sentence(sentence)


def test_an_arrangement_that_no_order_has_is_refused():
    with pytest.raises(TraitError, match="arrangement must be an integer from 0 to 23"):
        widgets.Sentence("tom bit a dog", arrangement=24)
