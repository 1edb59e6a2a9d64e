"""The front page lists the lessons as cards."""

from nbformat.v4 import new_notebook
from tools import site


def test_a_card_shows_its_claim_in_italics_where_it_is_marked():
    about = {"claim": "It has learned *three back* & more.", "title": "A head", "minutes": 25}
    page = site.cards({"13_head": []}, {"13_head": new_notebook()}, {"13_head": about})
    assert "It has learned <em>three back</em> &amp; more. 25 minutes." in page
