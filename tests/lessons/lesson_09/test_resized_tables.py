"""Resized tables: each way of drawing new rows against a loop, and the record against its sentences."""

import json

import numpy as np
import pytest
import torch

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_09 import resized_tables

RUNS = json.loads(data_file("resized_tables.json").read_text("utf-8"))["runs"]
MEANS = {task: {how: np.mean(shares) for how, shares in runs.items()} for task, runs in RUNS.items()}


def between(values, place):
    """A number between two of a list, by a straight line; beyond the ends, the end."""
    place = min(max(place, 0), len(values) - 1)
    low = min(int(place), len(values) - 2)
    return values[low] + (place - low) * (values[low + 1] - values[low])


def test_a_line_is_repeated_copied_or_drawn_between():
    table = torch.tensor([[0.0], [10.0], [40.0], [20.0]])
    column = table[:, 0].tolist()
    wanted = {
        "repeated": column * 2,
        "last row copied": column + [20.0] * 4,
        "nearest": [value for value in column for _ in range(2)],
        "linear": [between(column, (i + 0.5) / 2 - 0.5) for i in range(8)],
    }
    for how, rows in wanted.items():
        assert resized_tables.resized_line(table, 8, how)[:, 0].tolist() == pytest.approx(rows), how
        stacked = resized_tables.resized_line(torch.stack([table, 2 * table]), 8, how)
        assert stacked[1, :, 0].tolist() == pytest.approx([2 * row for row in rows]), how


def test_a_square_is_drawn_between_along_both_axes():
    table = torch.arange(9.0)[:, None] ** 2
    square = table.reshape(3, 3).tolist()
    drawn = resized_tables.resized_square(table, 6, "bilinear").reshape(6, 6)
    for i in range(6):
        for j in range(6):
            rows = [between(row, (j + 0.5) / 2 - 0.5) for row in square]
            assert drawn[i, j].item() == pytest.approx(between(rows, (i + 0.5) / 2 - 0.5))


def test_the_target_is_the_letter_in_the_column_further_left():
    tokens, targets = resized_tables.further_left(50, 36, generator=torch.manual_seed(1))
    for text, target in zip(tokens.tolist(), targets.tolist(), strict=True):
        a, b = text.index(0) % 6, text.index(1) % 6
        assert a != b and target == int(b < a)


def test_rows_between_others_keep_an_order_and_stretch_a_distance():
    for how in ("nearest", "linear", "cubic"):
        assert MEANS["who_came_first"][how] > MEANS["who_came_first"]["as trained"] - 0.05
        assert MEANS["three_back"][how] < 0.1 < 0.4 < MEANS["three_back"][f"{how}, 6 back"]
    for how in ("repeated", "last row copied"):
        assert MEANS["who_came_first"][how] < 0.8
        assert 0.4 < MEANS["three_back"][how] < 0.55


def test_a_square_taken_as_one_line_leaves_a_coin_toss():
    assert MEANS["further_left"]["linear, as one line"] < 0.55
    assert min(MEANS["further_left"][how] for how in ("nearest", "bilinear", "bicubic")) > 0.95


@pytest.mark.slow
def test_the_record_is_what_the_models_answer(monkeypatch):
    monkeypatch.setattr(resized_tables, "SEEDS", (0, 1))
    found = resized_tables.found(resized_tables.FURTHER_LEFT)
    for how in ("bilinear", "linear, as one line"):
        assert np.mean(found[how]) == pytest.approx(MEANS["further_left"][how], abs=0.05)
