"""The picture of the warp: its maps and its curve, computed once more by loops over rows."""

import math

import numpy as np
import pytest
import torch

from clockwork.lessons.lesson_09 import position_tables, retiming, views
from clockwork.lessons.lesson_09.views import warp

ROWS = position_tables.load_position_table().double()[128:510]


@pytest.fixture(scope="module")
def view():
    return views.Warp(ROWS, first=128)


def at_even_times(columns, clock):
    """Columns read at the whole tokens of a clock, by straight lines between rows."""
    even = np.arange(math.ceil(clock[0]), math.floor(clock[-1]) + 1)
    return np.stack([np.interp(even, clock, column) for column in columns.T], 1)


def test_a_hand_is_ahead_by_what_it_turned_more_than_an_even_clock():
    angles = torch.tensor([0.0, 1.0, 2.5, 3.0, 4.0], dtype=torch.float64)
    points = torch.stack([angles.sin(), angles.cos()], 1)
    assert retiming.ahead(points).tolist() == pytest.approx([0, 0, 0.5, 0, 0], abs=1e-9)


@pytest.mark.parametrize("amount", [-1.0, 0.0, 1.0])
def test_a_stripe_is_the_cosine_of_rows_so_far_apart(view, amount):
    rest = ROWS.numpy() - ROWS.numpy().mean(0)
    along = rest @ np.linalg.svd(rest, full_matrices=False)[2][:14].T
    angle = np.unwrap(np.arctan2(along[:, 0], along[:, 1]))
    angle *= np.sign(angle[-1] - angle[0])
    even = (angle - angle[0]) / ((angle[-1] - angle[0]) / (len(angle) - 1))
    even[-1] = len(along) - 1  # on time, without a rounding error
    clock = np.arange(len(along)) + amount * (even - np.arange(len(along)))
    other = at_even_times(along[:, 2:], clock)
    other -= other.mean(0)
    shown = view.maps[warp.AMOUNTS.index(amount), 1]
    columns = np.array_split(np.arange(len(other) - 40), 48)
    for apart in (1, 17, 40):
        for column in (0, 23, 47):
            pairs = [(other[p], other[p + apart]) for p in columns[column]]
            cosines = [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in pairs]
            assert shown[apart - 1, column] == pytest.approx(np.mean(cosines), abs=1e-6)


def test_the_whole_wander_undone_makes_the_stripes_of_the_other_directions_straightest(view):
    unevenness = np.diff(view.maps[:, 1], axis=-1)
    bent = {amount: np.abs(each).mean() for amount, each in zip(warp.AMOUNTS, unevenness, strict=True)}
    assert min(bent, key=bent.get) == 1
    assert warp.AMOUNTS[int(view.carried.argmax())] == 1


def test_the_amount_that_is_chosen_is_told(view):
    view.amount = 1.0
    assert "R² 0.93" in view.describe()
