"""The pictures of lesson 04b: what they show is what complex numbers say."""

import cmath

import pytest

from clockwork.lessons.lesson_04b import views

BIT, DOG = complex(1.2, 0.35), complex(0.3, 1.0)
QUERY = [complex(0.9, 0.2), complex(-0.6, 0.8), complex(0.5, -0.9), complex(1.0, 0.3)]
KEY = [complex(0.4, -0.8), complex(0.7, 0.9), complex(-0.3, -0.7), complex(0.8, 0.6)]


def dot(one, two):
    return one.real * two.real + one.imag * two.imag


@pytest.mark.parametrize(("position", "apart", "hand"), [(0, 1, 0), (5, 2, 1), (64, 12, 3), (31, 7, 2)])
def test_two_words_added_to_and_turned_are_those_of_complex_numbers(position, apart, hand):
    speed = 10_000 ** (-2 * hand / 16)
    turns = [cmath.exp(1j * place * speed) for place in (position, position + apart)]
    numbers = views.AddedOrTurned(position=position, apart=apart, hand=hand).numbers()
    added, turned = ([BIT + turns[0], DOG + turns[1]], [BIT * turns[0], DOG * turns[1]])
    for name, pairs in {"added": added, "turned": turned}.items():
        assert numbers[name] == pytest.approx([part for pair in pairs for part in (pair.real, pair.imag)])
    assert numbers["scores"] == pytest.approx([dot(*added), dot(*turned)])
    assert numbers["angles"] == pytest.approx([abs(cmath.phase(two / one)) for one, two in (added, turned)])


def test_a_turned_score_stays_where_the_words_move_together_and_an_added_one_does_not():
    scores = [views.AddedOrTurned(position=position).numbers()["scores"] for position in range(65)]
    added, turned = zip(*scores, strict=True)
    assert max(turned) - min(turned) < 1e-12
    assert max(added) - min(added) > 3


def test_before_the_guess_no_score_and_no_angle_is_told():
    view = views.AddedOrTurned(asks="04b/stays", position=40)
    assert view.numbers() == {}
    assert "°" not in view.describe() and "hidden" in view.describe()


def stored(pairs, order):
    return (
        [p.real for p in pairs] + [p.imag for p in pairs]
        if order == "half"
        else [v for p in pairs for v in (p.real, p.imag)]
    )


def turned_by(row, order, position):
    pairs = (
        [complex(row[i], row[i + 4]) for i in range(4)]
        if order == "half"
        else [complex(*row[i : i + 2]) for i in (0, 2, 4, 6)]
    )
    return stored([pair * cmath.exp(1j * position * 100 ** (-i / 4)) for i, pair in enumerate(pairs)], order)


@pytest.mark.parametrize("order", ["interleaved", "half"])
@pytest.mark.parametrize("program", ["interleaved", "half"])
def test_a_score_by_either_order_is_that_of_complex_numbers(order, program):
    view = views.Layouts(stored=order, program=program, position=17, apart=4)
    rows = [turned_by(stored(pairs, order), program, place) for pairs, place in ((QUERY, 17), (KEY, 21))]
    assert view.numbers()["score"] == pytest.approx(sum(a * b for a, b in zip(*rows, strict=True)))


def test_with_the_wrong_order_the_score_is_another_and_still_knows_the_distance_alone():
    scores = [views.Layouts(program="half", position=position).numbers() for position in (0, 13, 40)]
    assert len({round(one["score"], 9) for one in scores}) == 1
    assert all(abs(one["score"] - one["learned"]) > 0.1 for one in scores)


@pytest.mark.parametrize("turning", range(5))
def test_a_pair_that_stands_still_adds_the_same_from_anywhere(turning):
    adds = [views.Partial(turning=turning, apart=apart).numbers()["adds"] for apart in (1, 5, 12)]
    own = [dot(*pair) for pair in zip(QUERY, KEY, strict=True)]
    for i in range(4):
        seen = [float(one[i]) for one in adds]
        if i < turning:
            wanted = [dot(QUERY[i], KEY[i] * cmath.exp(1j * apart * 100 ** (-i / 4))) for apart in (1, 5, 12)]
            assert seen == pytest.approx(wanted)
        else:
            assert seen == pytest.approx([own[i]] * 3)


@pytest.mark.parametrize(("position", "apart"), [(0, 1), (5, 2), (64, 12)])
def test_what_arrives_of_a_value_is_turned_by_its_place_and_back_by_the_reader_s(position, apart):
    numbers = views.Values(position=position, apart=apart).numbers()
    speed = 10_000 ** (-2 / 16)
    value = complex(1.0, 0.4)
    turned = value * cmath.exp(1j * position * speed)
    back = turned * cmath.exp(-1j * (position + apart) * speed)
    for name, wanted in {"alone": value, "turned": turned, "back": back}.items():
        assert complex(*numbers[name]) == pytest.approx(wanted)
