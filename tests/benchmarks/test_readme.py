"""Pages quote what the result files hold, and the table of the encoders follows from what was measured."""

import json

import pytest
from benchmarks import encoders, readme


@pytest.mark.parametrize("page", readme.PAGES, ids=lambda page: page.parent.name)
def test_a_page_quotes_the_results_as_they_are(page):
    text = page.read_text(encoding="utf-8")
    assert readme.TABLE.search(text)
    assert readme.filled(text) == text


def test_the_encoders_table_is_what_the_benchmark_makes_of_its_measurements():
    kept = json.loads(encoders.RESULT.read_text(encoding="utf-8"))
    made = {name: part for name, part in kept.items() if name not in ("readme", "note")}
    encoders.summarise(made)
    assert made == kept
    assert len(kept["readme"]) <= 6
