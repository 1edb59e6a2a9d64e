"""The map of remedies: its cells are the record's, its dots are where the remedies put the two hands."""

import json

import numpy as np
import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_08 import views

PARTS = json.loads(data_file("beyond_the_length.json").read_text("utf-8"))["parts"]
FACTORS = [round(2 ** (step / 6), 2) for step in range(13)]


def mean(part, slow0, slow1):
    return np.mean(PARTS[f"three_back/{part}"][f"hand 0 by {slow0:.2f}, hand 1 by {slow1:.2f}"]["128"])


@pytest.mark.parametrize(("slow0", "slow1"), [(1.0, 1.0), (1.0, 4.0), (4.0, 1.0), (1.26, 2.52)])
def test_a_place_shows_both_masks_of_the_record_and_before_the_guess_the_decoders_alone(slow0, slow1):
    wanted = [mean("map under the mask", slow0, slow1), mean("map", slow0, slow1)]
    assert views.Remedies(hand0=slow0, hand1=slow1).numbers()["shares"] == pytest.approx(wanted)
    asked = views.Remedies(hand0=slow0, hand1=slow1, asks="08/unmasked")
    assert asked.numbers()["shares"] == pytest.approx(wanted[:1]) and "no mask" not in asked.describe()


def test_a_remedy_s_dot_is_where_its_formula_puts_hands_0_and_1():
    raised = 10_000 * 4 ** (8 / 6)
    ntk = [round(10_000 ** (-2 * i / 8) / raised ** (-2 * i / 8), 2) for i in (0, 1)]
    places = views.Remedies().places
    assert places == {"none": (1, 1), "interpolation": (4, 4), "NTK-aware": tuple(ntk), "YaRN": (1, 4)}
    assert "(NTK-aware)" in views.Remedies(hand1=ntk[1]).describe() and "(" not in views.Remedies(hand0=2.0).describe()


def test_a_remedy_gets_what_its_place_on_the_map_says_although_it_slows_hands_2_and_3_too():
    for name, (slow0, slow1) in views.Remedies().places.items():
        for part, whole in (("map under the mask", "under the mask"), ("map", "no mask")):
            found = np.mean(PARTS[f"three_back/{whole}"][name]["128"])
            assert found == pytest.approx(mean(part, slow0, slow1), abs=0.03)


def test_hand_0_must_stay_and_hand_1_be_slowed_with_a_mask_and_kept_without():
    masked, free = (
        np.array([[mean(part, one, two) for two in FACTORS] for one in FACTORS])
        for part in ("map under the mask", "map")
    )
    for own in (masked, free):
        assert own[2:].max() < 0.1, "hand 0 slowed by 1.26 or more leaves next to nothing"
    assert masked[0].argmin() == 0 and masked[0, -3:].min() > 0.95
    assert free[0].argmin() == len(FACTORS) - 1 and free[0, -1] < free[0, 0] < masked[0, -1]
