"""What the guided tours say of their pictures, in the states that their steps set."""

import nbformat
import numpy as np
from tools import lessons

from pe_helpers import configurations, widgets

GIVEN = {"widgets": widgets, "task": "Find it.", "known": lambda model, distance: True}


def walked(name, cell):
    """Yield the picture of a lesson's cell in the state of each step of its tour, with the step's words."""
    notebook = nbformat.read(lessons.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    *code, shown = next(part.source for part in notebook.cells if part.id == cell).splitlines()
    given = dict(GIVEN)
    exec("\n".join([*code, f"view = {shown}"]), given)
    view = given["view"]
    for step in given["tour"]:
        for slider, value in step.state.items():
            setattr(view.home(slider), slider, value)
        yield view, step.text


def test_the_tour_of_the_first_dial_is_true():
    (first, after_six), (second, a_tenth), (third, at_six) = [
        (view.angles(), words) for view, words in walked("00_start_here", "00-04")
    ]
    assert "nearly round after 6" in after_six and 0.9 < first[0] / (2 * np.pi) < 1
    assert "a tenth" in a_tenth and np.isclose(second[1], second[0] / 10)
    assert "points to 6" in at_six and abs(third[1] - np.pi) < np.radians(5)


def test_the_tour_of_both_tables_is_true():
    seen = [
        (view.at("position"), view.at("rows"), view.at("texts"), view.numbers()["trained"] // view.at("d_model"), words)
        for view, words in walked("05_learned_vs_fixed", "c09")
    ]
    places, rows, texts, trained, words = zip(*seen, strict=True)
    assert places[0] < texts[0] <= rows[0] and "reached row 20" in words[0]
    assert texts[1] <= places[1] < rows[1] and "as far as row 60" in words[1]
    assert rows[2] <= places[2] and "no row 110" in words[2]
    assert rows[3] > rows[2] and trained[2:] == (32, 32) and "32 rows are trained" in words[3]


def test_the_tour_of_llama_s_hands_is_true():
    told = configurations.find("Llama 3.1 8B")
    before = 8192 * 500_000.0 ** (-np.arange(64) / 64)
    hollow = before < 2 * np.pi
    further = []
    for view, words in walked("12_what_todays_models_do", "l12-18"):
        turned = view.at("distance") * told.full.inv_freq.double().numpy()
        further.append(((turned > before * (1 + 1e-6)) & hollow).sum())
        assert view.at("model") == "Llama 3.1 8B" and f"{view.at('distance'):,}" in words
        assert view.numbers()["fresh"] == further[-1]
    assert hollow.sum() == 29 and further == [0, 0, 29]
