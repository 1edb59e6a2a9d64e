"""What the tours that come with a view say of it, in the states that their steps set."""

import numpy as np

from clockwork.kit import configurations
from clockwork.lessons.lesson_05.views import TwoTables
from clockwork.lessons.lesson_12.views import Slowed


def walked(view):
    """Yield the words of each step of a view's tour, with the view in that state."""
    for step in view.tour:
        for name, value in step["state"].items():
            setattr(view.home(name), name, value)
        yield step["words"]


def test_the_tour_of_both_tables_says_which_rows_exist_and_which_are_trained():
    view = TwoTables()
    states = []
    for words in walked(view):
        states.append((view.at("position"), view.at("rows"), view.at("texts"), words))
        assert view.numbers()["trained"] == min(view.at("rows"), view.at("texts")) * view.at("d_model")
    (p, rows, texts, words), *others = states
    assert p < texts < rows and "reached row 20" in words
    (p, rows, texts, words), *others = others
    assert texts <= p < rows and "row 60" in words
    (p, rows, texts, words), (_, more, same, last) = others
    assert p >= rows and "no row 110" in words
    assert more > rows and min(more, same) == min(rows, texts) == 32 and "32 rows are trained" in last


def test_the_tour_of_llama_s_hands_says_how_many_turn_further_than_before():
    before = 8192 * 500_000.0 ** (-np.arange(64) / 64)
    hollow = before < 2 * np.pi
    speeds = configurations.find("Llama 3.1 8B").full.inv_freq.double().numpy()
    view = Slowed(distance=1)
    further = []
    for words in walked(view):
        distance = view.at("distance")
        further.append(((distance * speeds > before * (1 + 1e-6)) & hollow).sum())
        assert view.at("model") == "Llama 3.1 8B" and f"{distance:,}" in words
        assert view.numbers()["fresh"] == further[-1]
    assert hollow.sum() == 29 and further == [0, 0, 29]
