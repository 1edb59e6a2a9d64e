"""The self-test after lesson 05 asks of every core lesson alike, and sends a reader to headings that exist."""

import cmath
import json
import math
import re

import nbformat
import pytest
from tools import lessons

from clockwork.kit import widgets
from clockwork.kit.widgets import questions

QUESTIONS = questions.tables("core")
PAGE = nbformat.read(lessons.NOTEBOOKS / "05b_self_test.ipynb", as_version=4)


def headings(number):
    path = next(lessons.NOTEBOOKS.glob(f"{number}_*.ipynb"))
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    return re.findall(r"^## (.+)$", text, flags=re.M)


def test_fifteen_questions_three_for_each_core_lesson_all_on_the_page():
    assert [table["lesson"] for table in QUESTIONS.values()] == [f"{n:02}" for n in range(1, 6) for _ in range(3)]
    asked = re.findall(r'"core/([\w-]+)"', "".join(cell.source for cell in PAGE.cells))
    assert asked == list(QUESTIONS)


def test_the_summary_names_each_core_lesson():
    shown = widgets.ask(*[f"core/{name}" for name in QUESTIONS], summary=True)
    assert list(shown.summary) == ["01", "02", "03", "04", "05"]
    assert shown.summary["02"] == "Deriving the sinusoid"


DRAWN = {
    name: questions.question(f"core/{name}", table)["draws"] for name, table in QUESTIONS.items() if "draws" in table
}


def test_four_questions_are_asked_with_other_numbers_or_another_case_at_each_try():
    assert len(DRAWN) >= 4
    for draws in DRAWN.values():
        assert len({draw["ask"] for draw in draws}) == len(draws) >= 4
        assert "{" not in json.dumps([[draw["ask"], draw["because"], draw.get("items")] for draw in draws])
        if draws[0]["kind"] == "number":
            assert len({draw["answer"] for draw in draws}) == len(draws) >= 6


def test_each_claim_about_a_probe_has_a_control_of_its_own():
    assert len({draw["answer"] for draw in DRAWN["probe"]}) == len(DRAWN["probe"])


@pytest.mark.parametrize("numbers", QUESTIONS["tell"]["draws"], ids=lambda numbers: f"{numbers['position']}")
def test_each_draw_of_a_clock_to_be_read_has_its_position_alone_within_reach(numbers):
    near = range(numbers["rough"] - 2, numbers["rough"] + 3)
    angles = {p: round(p - 2 * math.pi * (p // (2 * math.pi)), 2) for p in near}
    assert [p for p, angle in angles.items() if angle == numbers["angle"]] == [numbers["position"]]
    assert numbers["turns"] == numbers["position"] // (2 * math.pi)
    assert {numbers["fewer"], numbers["more"]} == {round(numbers["position"] + turn * math.pi) for turn in (-2, 2)}


@pytest.mark.parametrize("numbers", QUESTIONS["two-shifts"]["draws"], ids=lambda numbers: f"{numbers['p']}")
def test_each_draw_of_two_shifts_ends_where_two_rotations_end(numbers):
    """As complex numbers: M_k multiplies by e^{ikω}, its transpose by the conjugate."""
    p, a, b = numbers["p"], numbers["a"], numbers["b"]
    end = cmath.exp(0.01j * p) * cmath.exp(0.01j * a) * cmath.exp(0.01j * b).conjugate()
    assert round(cmath.phase(end) / 0.01, 6) == numbers["there"]
    assert [numbers["both"], numbers["swapped"], numbers["alone"]] == [p + a + b, p - a + b, a - b]


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_section_to_read_again_is_a_heading_of_its_lesson(name):
    section = QUESTIONS[name].get("section")
    assert section is None or section in headings(QUESTIONS[name]["lesson"])


def test_three_formats_and_more():
    kinds = {questions.question(f"core/{name}", table)["kind"] for name, table in QUESTIONS.items()}
    assert len(kinds) >= 3
