"""Lesson 14's smallest cross-attention, counted from 0 or on: from its record, and from one training done once more."""

import pytest
import torch

from clockwork.lessons.lesson_14 import two_strips

FIT = {"copy": "from 0", "continue": "on"}


def test_answers_are_the_first_or_the_last_symbols():
    draw = torch.Generator().manual_seed(0)
    source, wanted = two_strips.drawn("copy", 12, draw)
    assert (wanted == source[..., :8]).all()
    source, wanted = two_strips.drawn("continue", 12, draw)
    assert (wanted == source[..., 4:]).all()


@pytest.mark.parametrize("code", two_strips.CODES)
@pytest.mark.parametrize("task", two_strips.TASKS)
def test_the_way_with_one_offset_for_every_length_is_learned_and_the_other_is_not(task, code):
    for count in two_strips.COUNTS:
        way = f"{task}, {code}, {count}"
        many, one = (two_strips.share(f"{way}, {at}") for at in ("8 to 24", "16"))
        longer = two_strips.share(f"{way}, 16", "24")
        assert one > 0.95
        assert many > 0.98 if count == FIT[task] else many < 0.35
        assert count == FIT[task] or longer < 0.1
        if code == "rotary" and count == FIT[task]:
            assert longer > 0.95


def test_where_the_answers_are_counted_from_makes_another_model():
    models = two_strips.CrossAttention("rotary", "on").requires_grad_(False)
    source, _ = two_strips.drawn("copy", 16, torch.Generator().manual_seed(3), batch=2)
    before = models(source)
    models.count = "from 0"
    assert (models(source) - before).abs().max() > 0.1, "turning the answers alone is another model"


@pytest.mark.slow
def test_what_is_recorded_is_found_again():
    models = two_strips.learned("rotary", "on", "continue", (16,), 0.01)
    assert sum(two_strips.right(models, "continue", 24)) / 8 == pytest.approx(
        two_strips.share("continue, rotary, on, 16", "24"), abs=0.05
    )
