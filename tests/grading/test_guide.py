"""What the guide says goes wrong in class: brought about here, and told in the words that the guide promises."""

import importlib.util

from classroom import HOSTILE, answer, cell, code, grades, hand_in, page, pe_grade
from conftest import require
from test_overview import LONG

from pe_grading import __main__ as cli
from pe_grading import sandbox

OUT_OF_ORDER = "HALVES = [HALF**i for i in range(1, 9)]\n\n\ndef slopes(n):\n    return HALVES[:n]"


def boxed():
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")


def test_what_was_right_at_home_out_of_order_is_told_with_its_cell_and_name(tmp_path):
    boxed()

    def below(book):
        answer(OUT_OF_ORDER)(book)
        book["cells"].append(code("HALF = 0.5"))

    hand_in(tmp_path / "in", "ann", below)
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0
    said = page(tmp_path / "out", "ann")
    assert grades(tmp_path / "out")["ann"] != "6" and "cell" in said and "HALF" in said


def test_a_class_with_another_seed_is_told_in_the_last_lines(tmp_path, capsys):
    boxed()
    for student in ("ann", "bob"):
        hand_in(tmp_path / "in", student, lambda b: cell(b, "setup").update(source="import numpy as np\n\nSEED = 77"))
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0
    assert "2 of 2 notebooks were made with another seed" in capsys.readouterr().err


def test_the_overview_names_two_who_handed_in_the_same_work(tmp_path):
    boxed()
    require(importlib.util.find_spec("copydetect"), "install copydetect")
    hand_in(tmp_path / "in", "ann", answer(LONG.format(a="a", b="b", c="c")))
    hand_in(tmp_path / "in", "eve", answer(LONG.format(a="result", b="head", c="slope")))
    hand_in(tmp_path / "in", "bob")
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0
    folders = ["--submitted", tmp_path / "in", "--source", HOSTILE, "--out", tmp_path / "out"]
    assert cli.main(["overview", *map(str, folders)]) == 0
    said = (tmp_path / "out" / "overview.html").read_text(encoding="utf-8")
    assert "ann" in said and "eve" in said and "bob" not in said
