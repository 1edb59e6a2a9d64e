"""The glossary holds every word that a lesson translates into the field's."""

import re

import nbformat
from tools import lessons, site


def test_every_row_of_every_lesson_s_words_is_in_the_glossary():
    books = {path.stem: nbformat.read(path, as_version=4) for path in sorted(lessons.NOTEBOOKS.glob("*.ipynb"))}
    written = site.words(books).splitlines()
    found = 0
    for stem, book in books.items():
        for cell in book.cells:
            if "## The field's word for it" in cell.source:
                for here, elsewhere in re.findall(r"^\| (.+?) \| (.+?) \|$", cell.source, flags=re.M)[1:]:
                    assert f"| {here} | {elsewhere} | [{stem[:2]}]({stem}.ipynb) |" in written
                    found += 1
    assert found == len(written) - 2 > 20
    assert "{{words}}" in (site.SITE / "glossary.md").read_text("utf-8")
