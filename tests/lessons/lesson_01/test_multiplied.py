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


@pytest.mark.slow
def test_a_model_that_is_trained_again_answers_as_recorded():
    factors = (0.24, 1.0)
    again = index_models.stretched(seeds=(0,), factors=factors)
    for length, rows in again.items():
        for factor, (share,) in zip(factors, rows, strict=True):
            recorded = RECORDED["stretched"][length][RECORDED["factors"].index(factor)][0]
            assert share == pytest.approx(recorded, abs=0.08), (length, factor)
    near, far = (share for (share,) in again["96"])
    assert near - far > 0.1, "the range that training showed helps"
