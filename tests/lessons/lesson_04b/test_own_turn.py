"""What lesson 04b says of the models that learn with the reader's own turn, by the page's engine."""

import re

import nbformat
import pytest
import torch
from tools import lessons, playground

from clockwork.kit import attention, machine, memory
from clockwork.kit.machine import diagnoses, plain
from clockwork.lessons.lesson_04b import views
from clockwork.lessons.lesson_04b.views.own_turn import HURT, MODEL

CELLS = {cell.id: cell.source for cell in nbformat.read(lessons.NOTEBOOKS / "04b_turn_the_words.ipynb", 4).cells}
TURN = re.findall(r"```python\n(.*?)```", CELLS["own-hint"], flags=re.S)[0]
BACKS = [1, 2, 3, 4, 5, 6, 8, 11, 15, 20]
SEEDS = (0, 1)


def turns(text):
    return plain.answer("rotate", text)["turns"]


def in_the_page(settings, text, **request):
    asked = [request | {"settings": settings | {"turns": turns(text), "seed": seed}} for seed in SEEDS]
    return list(playground.in_node(asked))


def test_the_folded_turn_is_the_sound_one_and_the_first_text_turns_nothing():
    assert "praise" in diagnoses.told("rotate", TURN)
    assert "nothing turns" in diagnoses.told("rotate", views.NOTHING_TURNS)["advice"]


@pytest.mark.slow
def test_his_turn_takes_the_head_anywhere_and_with_a_mask_to_five_back():
    for causal, follows in ((False, BACKS), (True, BACKS[:5])):
        for found in in_the_page(MODEL | {"causal": causal}, TURN, request="knob", backs=BACKS):
            right = dict(zip(BACKS, found["right"], strict=True))
            assert min(right[back] for back in follows) > 0.9, (causal, right)
            assert max([right[back] for back in BACKS if back not in follows], default=0) < 0.15, (causal, right)


@pytest.mark.slow
def test_only_the_turn_tells_who_is_hurt():
    for text, least, most in ((TURN, 0.98, 1), (views.NOTHING_TURNS, 0.4, 0.6)):
        for found in in_the_page(HURT, text, request="train"):
            assert least <= found["tests"][-1]["accuracy"][0] <= most


@pytest.mark.slow
def test_where_nothing_turns_three_back_is_a_bag_of_words():
    for found in in_the_page(MODEL, views.NOTHING_TURNS, request="train"):
        assert found["tests"][-1]["accuracy"][0] < 0.2


def test_the_lesson_s_cell_runs_his_file_and_the_first_text_where_there_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "in_notebook", lambda: True)
    memory.clear()
    tokens = torch.arange(12) % 5
    model = attention.Transformer(16, attention.Encoding(), d_model=32)

    def answered():
        names = {"machine": machine, "views": views}
        exec(CELLS["b-own-torch"].partition("\n")[0], names)
        model.encoding = machine.Mine(rotate=names["rotate_mine"])
        return model(tokens)

    bag = model(tokens)
    assert torch.allclose(answered(), bag, atol=1e-5)
    machine.put("rotate", plain.alone("rotate", TURN))
    his = answered()
    model.encoding = attention.Rotary()
    assert torch.allclose(his, model(tokens), atol=1e-5) and not torch.allclose(his, bag, atol=1e-2)
    memory.clear()
