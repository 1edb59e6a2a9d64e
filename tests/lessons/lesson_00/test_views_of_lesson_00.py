"""What the pictures of the short way say, beside what the lessons say in other ways."""

import math

import numpy as np
import pytest
import torch

from clockwork.kit import configurations, tasks, turned
from clockwork.kit.playground import kept
from clockwork.lessons.lesson_00 import views
from clockwork.lessons.lesson_00.views import move_the_text, todays_hands
from pe_helpers import sinusoidal


@pytest.mark.parametrize("length", todays_hands.LENGTHS)
def test_the_hands_at_new_angles_are_those_of_lesson_12(length):
    for name in todays_hands.MODELS:
        model = configurations.find(name)
        view = views.TodaysHands(length=length, model=name)
        assert view.numbers()["fresh"] == int(model.new_angles(model.full, length).sum())


@pytest.mark.parametrize("name", todays_hands.MODELS)
def test_past_its_length_every_hand_that_did_not_come_round_is_new_in_models_that_slow_none(name):
    model = configurations.find(name)
    view = views.TodaysHands(length=todays_hands.LENGTHS[-1], model=name)
    assert view.numbers()["fresh"] == int(model.unfinished(model.full).sum()) > 0
    assert model.full.rule == "default"


@pytest.mark.parametrize("length", [512, 131_072])
def test_a_hand_points_where_the_last_token_is_and_the_first_stands_at_0(length):
    view = views.TodaysHands(length=length)
    model = configurations.find(view.model)
    for hand, speed in enumerate(model.full.inv_freq[[0, -1]].tolist()):
        angle = (length - 1) * speed
        assert view.numbers()["points"][-hand] == pytest.approx(angle % (2 * math.pi))
        assert view.numbers()["swept"][-hand] == pytest.approx(min(angle, 2 * math.pi))


def test_moving_both_words_changes_no_angle_between_them_and_moving_one_changes_all():
    def between(first, apart):
        shown = views.MoveTheText(first=first, apart=apart).numbers()
        return np.exp(1j * (shown["there"] - shown["here"]))

    for apart in (1, 3, 8, 20):
        assert all(np.allclose(between(first, apart), between(0, apart)) for first in (17, 48))
        assert (np.abs(between(0, apart) - between(0, apart - 1 or 2)) > 1e-4).all()


def test_every_place_of_the_two_words_has_a_word():
    last = move_the_text.MoveTheText.first.values[-1] + move_the_text.FARTHEST
    assert last == len(move_the_text.WORDS) - 1


def test_with_clocks_off_moving_tom_changes_nothing_and_the_answer_is_nearly_a_coin():
    shares = {tuple(views.WhoIsHurt(tom=tom, clocks="off").shares().tolist()) for tom in (0.0, 2.4, 6.0)}
    assert len(shares) == 1
    dog, tom = views.WhoIsHurt(clocks="off").numbers()["shares"]
    assert abs(dog - tom) < 0.1 and dog + tom > 0.9
    assert tom > dog, "it says tom"


def test_with_clocks_the_answer_changes_once_about_where_tom_passes_the_dog():
    answers = []
    for tom in views.WhoIsHurt.tom.values:
        dog, other = views.WhoIsHurt(tom=tom).numbers()["shares"]
        answers.append(dog > other)
    values = views.WhoIsHurt.tom.values
    flips = [values[i : i + 2] for i in range(len(answers) - 1) if answers[i] != answers[i + 1]]
    assert answers[0] and [tuple(flip) for flip in flips] == [(2.9, 3.0)]


@pytest.mark.parametrize("back", [1, 3, 8, 20])
def test_the_turned_head_names_the_letter_so_many_back_in_new_texts_too(back):
    view = views.TurnTheHead(by=back - 3)
    assert view.right() == 24 - back
    model = views.turn_the_head.turned(kept.in_torch(kept.load()["knob"]), back - 3)
    tokens, targets = tasks.k_back(32, 32, k=back, generator=torch.Generator().manual_seed(7))
    with torch.no_grad():
        assert tasks.accuracy(model(tokens), targets) > 0.96


@pytest.mark.parametrize("by", [-2, 5])
def test_only_the_clocks_of_the_letters_that_look_are_turned(by):
    """Written out for one letter: its query is made from an earlier clock, its key and value from its own."""
    model = kept.in_torch(kept.load()["knob"])
    letters = torch.tensor([3, 1, 4, 1, 5])
    words = model.embedding(letters)
    place = 4

    def made(position):
        clock = [f(position * 1e4 ** (-2 * i / 32)) for i in range(16) for f in (math.sin, math.cos)]
        block = model.blocks[0]
        return block.qkv(block.before_attention(words[place] + torch.tensor(clock)))

    asked = turned.Asked(model.blocks[0].before_attention, model.blocks[0].qkv, by)
    codes = sinusoidal.table(torch.arange(5), 32, dtype=torch.float32)
    found = asked(words + codes)[place]
    assert torch.allclose(found[:32], made(place - by)[:32], atol=1e-4)
    assert torch.allclose(found[32:], made(place)[32:], atol=1e-4)
