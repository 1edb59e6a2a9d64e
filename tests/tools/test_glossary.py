"""The glossary holds every word that a lesson translates into the field's."""

import re

import nbformat
from tools import lessons, site


def test_every_row_of_every_lesson_s_words_is_in_the_glossary_once():
    books = {path.stem: nbformat.read(path, as_version=4) for path in lessons.every()}
    written = site.words(books).splitlines()
    found = set()
    for stem, book in books.items():
        for cell in book.cells:
            if "## The field's word for it" in cell.source:
                for here, elsewhere in re.findall(r"^\| (.+?) \| (.+?) \|$", cell.source, flags=re.M)[1:]:
                    (row,) = [line for line in written if line.startswith(f"| {here} | {elsewhere} | ")]
                    assert f"[{stem.split('_')[0]}]({stem}.ipynb)" in row
                    found.add(row)
    assert found == set(written[2:])
    assert len(found) > 20
    assert "{{words}}" in (site.SITE / "glossary.md").read_text("utf-8")
