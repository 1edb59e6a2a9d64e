"""What lesson 04b says of trained models, against its records and against models that are trained here."""

import json
import math
from functools import partial

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.naive import shift, table
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, datafiles, tasks, three_back, training
from clockwork.lessons.lesson_04b import turned_models

RECORDED = json.loads(datafiles.data_file("turned_models.json").read_text("utf-8"))

PAGES = lessons.whole(lessons.NOTEBOOKS / "04b_turn_the_words.ipynb")
CELLS = [cell for path in PAGES for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
BIT, DOG = torch.randn(2, 16, generator=torch.manual_seed(0), dtype=torch.float64).numpy()


numbers = numbers_of(PRINTED)


def test_turned_scores_do_not_depend_on_the_place_and_added_ones_do():
    for p in (5, 105, 1005):
        added = (BIT + table(16, [p])[0]) @ (DOG + table(16, [p + 2])[0])
        turned = (shift(16, p).T @ BIT) @ (shift(16, p + 2).T @ DOG)
        assert turned == pytest.approx(BIT @ shift(16, -2) @ DOG)
        assert numbers(rf"bit at +{p}: added ") == pytest.approx([added, turned], abs=6e-4)


def test_turned_either_way_a_score_keeps_the_offset_alone():
    for p in (5, 105, 1005):
        clockwise, other = numbers(rf"bit at +{p}: clockwise ")
        assert clockwise == pytest.approx(BIT @ shift(16, 2) @ DOG, abs=6e-4)
        assert other == pytest.approx(BIT @ shift(16, -2) @ DOG, abs=6e-4)


def test_both_orders_make_one_score_where_the_numbers_are_stored_for_them():
    right = BIT @ shift(16, -2) @ DOG
    assert numbers("neighbours: +") == [pytest.approx(right, abs=6e-4)]
    assert numbers("stored in its order +") == [pytest.approx(right, abs=6e-4)]
    assert abs(numbers("halves, numbers as before +")[0] - right) > 1


def test_each_record_has_four_seeds_at_both_lengths():
    assert set(RECORDED) == set(turned_models.PARTS)
    values = [
        how for name, part in RECORDED.items() if "values" in name for base in part.values() for how in base.values()
    ]
    pairs = [shares for name, part in RECORDED.items() if "pairs" in name for shares in part.values()]
    assert {np.shape(shares) for shares in (*values, *pairs)} == {(2, 4)}


def test_one_pair_is_enough_at_the_trained_length_and_none_is_not():
    for name in ("pairs", "pairs, causal"):
        assert min(RECORDED[name]["1"][0]) > 0.995
        assert max(RECORDED[name]["0"][0]) < 0.25


@pytest.mark.slow
def test_with_one_pair_a_longer_text_fails_where_seven_turns_away_stands_a_rival():
    assert 44 * 1.0 / math.tau == pytest.approx(7, abs=3e-3)
    models = training.train(
        partial(turned_models.with_pairs, 1, causal=False), tasks.THREE_BACK, (0, 1), **three_back.SETUP
    )
    tokens, targets = tasks.k_back(256, 64, generator=torch.Generator().manual_seed(1))
    right = (models(tokens).argmax(-1) == targets).float().mean(1)
    for shares, recorded in zip(right, RECORDED["pairs"]["1"][1], strict=False):
        rival = [p for p in range(3, 64) if p >= 47 or p + 41 < 64]
        free = [p for p in range(3, 64) if p not in rival]
        assert free == list(range(23, 47))
        assert shares[free].mean() > 0.98
        assert shares[rival].mean() == pytest.approx(0.55, abs=0.07)
        assert shares[3:].mean() == pytest.approx(recorded, abs=0.05)


@pytest.mark.slow
def test_turned_by_the_other_order_a_model_answers_by_chance_and_its_own_control_does_not():
    class Rotating(attention.Encoding):
        """Rotation by complex numbers, in either order."""

        half = False

        def turn(self, x, position_ids):
            pairs = x.unflatten(-1, (2, -1)).mT if self.half else x.unflatten(-1, (-1, 2))
            speeds = torch.tensor([10_000 ** (-i / pairs.shape[-2]) for i in range(pairs.shape[-2])])
            turned = torch.view_as_complex(pairs.contiguous()) * torch.polar(
                torch.ones(1), position_ids[:, None] * speeds
            )
            back = torch.view_as_real(turned)
            return (back.mT if self.half else back).flatten(-2)

    for learned in (False, True):
        made = Rotating()
        made.half = learned
        models = training.train(
            lambda made=made: attention.Transformer(16, made, d_model=32), tasks.THREE_BACK, (0,), **three_back.SETUP
        )
        answers = {}
        for half in (False, True):
            models.skeleton.encoding.half = half
            answers[half] = training.evaluate(models, tasks.THREE_BACK, [32]).accuracy.item()
        assert answers[learned] > 0.99
        assert answers[not learned] < 0.13
