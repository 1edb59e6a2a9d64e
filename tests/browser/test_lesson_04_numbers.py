"""The numbers that lesson 04 writes into the matrix: no block of a turn reads as if it were none."""

import math

import pytest
from driving import open_page, page_of, wait_for_widgets

pytestmark = pytest.mark.browser
NOTE = """window.written = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (words, ...rest) {
  window.written.push(words);
  return fill.call(this, words, ...rest);
};"""


@pytest.mark.parametrize("k", [3, -2])
def test_the_block_of_the_slowest_hand_is_told_from_no_turn(browser, tmp_path, k):
    from clockwork.lessons.lesson_04.views import Shift

    path = tmp_path / "page.html"
    path.write_text(page_of([Shift(position=10, k=k, d_model=8)]), encoding="utf-8")
    page = open_page(browser)
    page.add_init_script(NOTE)
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)
    written = {words.replace("−", "-") for words in page.evaluate("window.written")}
    for i in range(4):
        turn = k * 10.0**-i
        for entry in (math.sin(turn), -math.sin(turn)):
            assert any(f"{entry:.{places}f}" in written and round(entry, places) for places in (2, 3)), (i, entry)
    page.context.close()
