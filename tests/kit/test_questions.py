"""Questions come from a file a lesson, hold no answer above them, and refuse what cannot be answered."""

import re
import tomllib
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from traitlets import TraitError

from clockwork.kit import widgets
from clockwork.kit.widgets import questions, words

GALLERY = Path(__file__).parent / "questions"
KINDS = {
    "still-hands": "number",
    "longest": "number",
    "larger": "choice",
    "what-i-counts": "choice",
    "derivation": "order",
    "symbols": "match",
    "parts": "label",
}


@pytest.fixture
def gallery(monkeypatch):
    monkeypatch.setattr(questions, "ROOMS", GALLERY)


def parsed(text):
    return questions.question("02/one", tomllib.loads(text))


def test_the_thumb_of_a_number_waits_on_no_right_answer():
    script = (Path(widgets.__file__).parent / "static/guess.js").read_text("utf-8")
    waits = float(re.search(r"^export const WAITS = ([\d.]+);", script, flags=re.M)[1])
    for lesson in questions.lessons():
        for name, asked in questions.tables(lesson).items():
            if "range" not in asked:
                continue
            low, high = asked["range"]
            log = asked.get("scale") == "log"
            resting = low * (high / low) ** waits if log else low + waits * (high - low)
            one = questions.question(f"{lesson}/{name}", asked)
            for drawn in one.get("draws", [one]):
                least, most = drawn["right"]
                assert not least <= resting <= most, (lesson, name)
                assert log or abs(resting - drawn["answer"]) > 0.05 * (high - low), (lesson, name)


def test_every_question_of_every_lesson_can_be_asked():
    for lesson in questions.lessons():
        assert widgets.Progress(lesson).lessons[0]["title"]
        for name in questions.tables(lesson):
            assert widgets.ask(questions.key_of(lesson, name)).questions[0]["ask"]


@pytest.mark.parametrize("name", KINDS)
def test_a_question_s_format_follows_from_what_it_holds(name, gallery):
    assert widgets.ask(f"02/{name}").questions[0]["kind"] == KINDS[name]


@pytest.mark.parametrize("name", KINDS)
def test_on_paper_the_answer_stands_folded_below_the_question(name, gallery):
    data, _ = widgets.ask(f"02/{name}")._repr_mimebundle_()
    page = BeautifulSoup(data["text/html"], "html.parser")
    fold = page.find("details").extract()
    assert fold.find("summary").text == "Guess first, then open"
    assert page.find("p").text in data["text/plain"]
    table = questions.tables("02")[name]
    secret = {
        "number": f"{table.get('answer'):,}" if "range" in table else "",
        "order": "in binary",
        "match": "which pair",
        "label": "how far",
    }.get(KINDS[name], "✓")
    assert secret in fold.text and "because" not in page.text
    assert KINDS[name] in ("order", "match", "label") or secret not in page.text


def test_the_order_shown_on_paper_is_not_the_right_one(gallery):
    page = BeautifulSoup(widgets.ask("02/derivation")._repr_mimebundle_()[0]["text/html"], "html.parser")
    answer = [row.text for row in page.find("details").extract().find_all("li")]
    shown = [row.text for row in page.find_all("li")]
    assert sorted(shown) == sorted(answer) and shown != answer
    assert answer[0].startswith("Count in binary")


def test_colab_s_own_metadata_survives(gallery, monkeypatch):
    import anywidget

    kept = {questions.__name__: {"colab": {"custom_widget_manager": {"url": "…"}}}}
    monkeypatch.setattr(anywidget.AnyWidget, "_repr_mimebundle_", lambda self, **keywords: ({}, kept))
    assert widgets.ask("02/larger")._repr_mimebundle_()[1] == kept
    assert widgets.Progress("02")._repr_mimebundle_()[1] == kept


def test_what_lesson_00_stores_of_all_lessons_does_not_change_when_one_of_them_does(monkeypatch):
    def stored():
        return {kind: view for kind, view in widgets.Progress()._repr_mimebundle_()[0].items() if "text/" in kind}

    before = stored()
    monkeypatch.setattr(questions, "ROOMS", GALLERY)  # other lessons, and other questions in them
    assert stored() == before


def test_a_key_without_a_question_is_refused_with_those_that_come_near(gallery):
    with pytest.raises(ValueError, match=r"must be a question of lesson 02 \(such as still-hands, .*got '02/still'"):
        widgets.ask("02/still")
    with pytest.raises(ValueError, match=r"lesson must be one of 02, 03 \(they have a file\), got '99'"):
        widgets.ask("99/x")
    with pytest.raises(ValueError, match="lesson must be one of"):
        widgets.Progress("99")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("ask = 'x'", r"must have one of choices, steps, formula, pairs, range \(its format\), got \['ask'\]"),
        ("ask = 'x'\nrange = [0, 4]\nanswer = 9", "must have an answer from 0 to 4"),
        ("ask = 'x'\nrange = [4, 4]\nanswer = 4", "must span a range"),
        ("ask = 'x'\nrange = [0, 4]\nanswer = 2\nscale = 'log'", "above 0 on a log scale"),
        ("ask = 'x'\nrange = [0, 4]\nanswer = 2\nanwser = 3", r"nothing but what a number question has.*'anwser'"),
        ("ask = 'x'\nrange = [0, 99]\nanswer = 9\nwrong = [[8, 'w']]", r"count no wrong number as right.*got \[8\]"),
        ("ask = ' '\nrange = [0, 4]\nanswer = 2", "must ask something"),
        ("ask = 'x'\nanswer = 'c'\n[choices]\na = ['A', 'why']\nb = ['B', 'why']", "one of its choices as its answer"),
        ("ask = 'x'\nanswer = 'a'\n[choices]\na = ['A', 'why']\nb = ['B', ' ']", "must have 2 texts for 'b'"),
        ("ask = 'x'\nanswer = 'a'\n[choices]\na = ['A', 'why']", "must offer two or more"),
        ("ask = 'x'\n[steps]\na = ['A', 'why']\nb = 'B'", "must have 2 texts for 'b'"),
        ("ask = 'x'\n[pairs]\na = ['A', '1', 'why']\nb = ['B', '2']", "must have 3 texts for 'b'"),
        ("ask = 'x'\nformula = '{b}{a}'\n[pairs]\na = ['A', '1', 'w']\nb = ['B', '2', 'w']", "in the formula's order"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_by_name(text, rule):
    with pytest.raises(ValueError, match=f"^02/one .*{rule}"):
        parsed(text)


DRAWN = """
ask = "{p} and {k} more?"
range = [0, 99]
answer = "{there}"
within = 0.5
because = "$M_{{k}}$ goes from {p} to {there}."
wrong = [["{p}", "{p} is where it starts."]]
"""


def test_a_question_with_draws_takes_its_numbers_from_each_of_them():
    draws = "draws = [{p = 5, k = 12, there = 17}, {p = 40, k = -3, there = 37}]"
    asked = parsed(DRAWN + draws)
    first, second = asked["draws"]
    assert {name: value for name, value in asked.items() if name != "draws"} == first
    assert (first["ask"], first["answer"], first["wrong"]) == ("5 and 12 more?", 17, [[5, "5 is where it starts."]])
    assert (second["ask"], second["answer"]) == ("40 and −3 more?", 37)
    assert "{" not in second["because"] and second["key"] == first["key"] == "02/one"


def test_a_choice_may_have_draws_too_of_words_and_of_its_answer():
    text = """
ask = "Which run tells whether {claim}?"
answer = "{run}"
because = "{why}"
draws = [{claim = "a", run = "left", why = "so-so"}, {claim = "b", run = "right", why = "thus"}]
[choices]
left = ["left of {claim}", "L"]
right = ["right of {claim}", "R"]
"""
    first, second = parsed(text)["draws"]
    assert (first["ask"], first["answer"], first["because"]) == ("Which run tells whether a?", "left", "so-so")
    assert (second["answer"], second["items"][0][:2]) == ("right", ["left", "left of b"])


@pytest.mark.parametrize(
    ("draws", "rule"),
    [
        ("draws = [{p = 5, k = 1, there = 6}]", "two draws or more"),
        ("draws = [{p = 5, k = 1, there = 6}, {p = 5, k = 1, there = 600}]", "must have an answer from 0 to 99"),
        ("draws = [{p = 5, k = 1, there = 6}, {p = 5, k = 1}]", "must have an answer from 0 to 99"),
    ],
)
def test_draws_that_cannot_be_answered_are_refused(draws, rule):
    with pytest.raises(ValueError, match=rule):
        parsed(DRAWN + draws)


def test_a_number_is_right_within_a_twentieth_of_its_range_or_a_quarter_more_or_less_on_a_log_scale():
    assert parsed("ask = 'x'\nrange = [0, 200]\nanswer = 50")["right"] == [40, 60]
    assert parsed("ask = 'x'\nrange = [1, 200]\nanswer = 50\nscale = 'log'")["right"] == [40, 62.5]
    assert parsed("ask = 'x'\nrange = [0, 200]\nanswer = 50\nwithin = 0")["right"] == [50, 50]


@pytest.mark.parametrize(
    ("span", "answer", "digits"), [("[0, 256]", "83", 0), ("[0, 1]", "0.164", 2), ("[0, 9]", "2.5", 2)]
)
def test_a_number_has_the_digits_of_its_step(span, answer, digits):
    assert parsed(f"ask = 'x'\nrange = {span}\nanswer = {answer}")["scale"]["digits"] == digits


def test_the_parts_of_a_formula_are_numbered_and_raised_where_they_stand(gallery):
    page = BeautifulSoup(widgets.ask("02/parts").questions[0]["formula"], "html.parser")
    assert [(part["data-place"], part.text) for part in page.select(".pe-part")] == [
        ("1", "p"),
        ("2", "10000"),
        ("3", "−2i/d"),
    ]
    assert page.select_one("sup .pe-part").text == "−2i/d" and page.text == "PE(p)2i = sin( p · 10000−2i/d )"


def test_a_formula_shows_functions_upright_and_refuses_a_command_that_it_cannot_draw():
    assert words.formula(r"\cos kω_i") == "<i></i>cos\u2009<i>kω<sub>i</sub></i>"
    for command in (r"\mathrm{PE}", r"M^\top"):
        with pytest.raises(ValueError, match="no other command is drawn"):
            words.formula(command)


def test_words_of_a_widget_link_to_a_thread_and_to_no_page_whose_place_it_cannot_know():
    link = BeautifulSoup(words.inline("[a *thread*](https://a.b/c#d)"), "html.parser").a
    assert (link["href"], link["target"], link.em.text) == ("https://a.b/c#d", "_blank", "thread")
    assert words.inline("`rows[0](x)` [0, 1] (so)") == "<code>rows[0](x)</code> [0, 1] (so)"
    with pytest.raises(ValueError, match="nothing but https"):
        words.inline("see [lesson 08](08_beyond_the_training_length.ipynb)")


PLACE = 'ask = "Where?"\nplace = true\nrange = [0, 6]\nstep = 0.1\nright = [2.2, 3.7]\nsays = "position {}"\n'


def test_a_place_is_guessed_with_a_mark_and_its_right_answers_are_an_interval():
    one = parsed(PLACE)
    assert one["kind"] == "number" and one["place"] and one["predict"]
    assert one["right"] == [2.2, 3.7] and one["solution"] == "position 2.2 to 3.7"
    assert one["scale"]["says"].format(2.4) == "position 2.4"


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ("answer = 3\n", "an answer or the interval"),
        ("right = [3, 7]\n", "from low to high in its range"),
        ("right = [4, 3]\n", "from low to high in its range"),
        ("wrong = [[3, 'no']]\n", "count no wrong number as right"),
    ],
)
def test_a_place_that_could_not_be_judged_is_refused(more, rule):
    kept = [line for line in PLACE.splitlines() if line.split(" = ")[0] != more.split(" = ")[0]]
    with pytest.raises(ValueError, match=rule):
        parsed("\n".join([*kept, more]))


def test_a_picture_that_asks_shows_the_outcome_by_values_of_its_own_sliders(monkeypatch):
    table = tomllib.loads(PLACE + "shows = {position = 500}\n")
    monkeypatch.setattr(questions, "found", lambda key: questions.question(key, table))
    with pytest.raises(TraitError, match="position must be a value of its slider"):
        widgets.Clock(asks="02/one")
