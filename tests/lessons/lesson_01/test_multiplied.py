"""Positions times a factor: the last position is a product, the share of right answers the mean of the record."""

import pytest

from clockwork.kit import datafiles
from clockwork.lessons.lesson_01 import index_models, views

RECORDED = datafiles.read("index_models.json")


@pytest.mark.parametrize("length", [24, 96])
@pytest.mark.parametrize("factor", [0.05, 0.24, 1.0, 4.0])
def test_the_picture_tells_the_last_position_and_the_mean_of_eight_models(factor, length):
    view = views.Multiplied(factor=factor, length=length)
    seeds = RECORDED["stretched"][str(length)][RECORDED["factors"].index(factor)]
    assert len(seeds) == 8
    assert view.numbers()["last"] == [pytest.approx((length - 1) * factor)]
    assert view.numbers()["right"] == [pytest.approx(sum(seeds) / 8)]
    assert f"{sum(seeds) / 8:.2f}" in view.describe()


def test_the_still_marks_the_chosen_factor_and_the_trained_positions():
    above, below = views.Multiplied(factor=0.24).picture().axes
    dots = [x for line in above.lines for x in line.get_xdata()]
    assert (len(dots), dots[0], dots[-1]) == (96, 0, pytest.approx(0.24 * 95))
    assert len(above.lines[1].get_xdata()) == 0, "none is outside of the trained range"
    assert any(list(line.get_xdata()) == [0.24] for line in below.lines)


def test_a_model_that_is_trained_again_answers_as_recorded():
    factors = (0.24, 1.0)
    again = index_models.stretched(seeds=(0,), factors=factors)
    for length, rows in again.items():
        for factor, (share,) in zip(factors, rows, strict=True):
            recorded = RECORDED["stretched"][length][RECORDED["factors"].index(factor)][0]
            assert share == pytest.approx(recorded, abs=0.08), (length, factor)
    near, far = (share for (share,) in again["96"])
    assert near - far > 0.1, "the range that training showed helps"
