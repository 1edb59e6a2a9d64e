"""The picture of a table in the plane of two directions shows what a singular value decomposition finds."""

import numpy as np
import pytest
import torch
from traitlets import TraitError

from clockwork.lessons.lesson_09 import views


def hidden_clock(rows=200, speed=0.7, seed=0):
    """A table with one loud hand and quiet noise, in a random basis."""
    draw = torch.Generator().manual_seed(seed)
    angle = speed * torch.arange(rows)
    hand = 5 * torch.stack([angle.sin(), angle.cos()], 1)
    basis = torch.linalg.qr(torch.randn(12, 12, generator=draw)).Q
    return torch.cat([hand, 0.1 * torch.randn(rows, 10, generator=draw)], 1) @ basis


def test_a_hidden_hand_is_shown_with_its_speed_whatever_the_basis():
    view = views.Planes({"mine": hidden_clock(), "other": hidden_clock(90, 1.3)})
    for name, speed in (("mine", 0.7), ("other", 1.3)):
        view.table = name
        for position in (1, 40, 89):
            view.position = position
            assert view.numbers()["turn"] == pytest.approx(speed, abs=0.1)
        assert view.said()["mean"] == f"{speed:.2f}"


def test_a_table_that_has_ended_shows_its_last_row():
    view = views.Planes({"long": hidden_clock(), "short": hidden_clock(90)})
    view.position = 150
    view.table = "short"
    assert "row 89" in view.describe()


def test_the_points_are_the_rows_along_the_directions_up_to_signs():
    table = hidden_clock()
    view = views.Planes({"mine": table}, pair=2)
    u, s, _ = np.linalg.svd(table.numpy() - table.numpy().mean(0), full_matrices=False)
    np.testing.assert_allclose(np.abs(view.points[0, 2]), np.abs((u * s)[:, 2:4]), atol=1e-5)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "at least one table"),
        (
            {"thin": torch.zeros(20, 3)},
            r"'thin' must be finite and have 8 directions or more, got shape \(20, 3\)",
        ),
        ({"flat": torch.zeros(20)}, r"table 'flat' .*got shape \(20,\)"),
        ({"nan": torch.full((20, 20), torch.nan)}, "table 'nan' must be finite"),
    ],
)
def test_what_is_no_table_is_refused(tables, message):
    with pytest.raises(TraitError, match=message):
        views.Planes(tables)
