"""A picture in JupyterLab takes on the theme that the reader switches to, without being touched."""

import pytest
from driving import headless, open_page

pytestmark = pytest.mark.browser
PICTURES = """
from clockwork.kit import widgets
from clockwork.lessons.lesson_02.views import Trace, Wave
cursor = widgets.Cursor(position=20, hand=1, d_model=8)
Trace(cursor)
---
Wave(cursor)
"""
PIXELS = "[...document.querySelectorAll('.pe')].map((root) => stateOf(root).hash)"


@pytest.fixture
def page(browser, tmp_path):
    headless.write_notebook(tmp_path / "pictures.ipynb", PICTURES.split("---"))
    with headless.lab(tmp_path) as server:
        page = open_page(browser)
        headless.open_notebook(page, server, "pictures.ipynb")
        page.wait_for_function("document.querySelectorAll('.pe canvas[aria-label]').length === 2")
        yield page
        page.context.close()


def test_every_picture_takes_on_a_switched_theme_untouched(page):
    for theme in ("Dark", "Light", "Dark"):
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", f"JupyterLab {theme}")
        page.wait_for_function(f"document.body.dataset.jpThemeLight === '{str(theme == 'Light').lower()}'")
        page.wait_for_function("theme => [...peKit.views].every((p) => p.color?.theme === theme)", arg=theme.lower())
        drawn = at_rest(page)
        page.evaluate("[...peKit.views].forEach((p) => { p.color = null; p.redraw(); })")
        page.evaluate("frame()")
        assert page.evaluate(PIXELS) == drawn


def at_rest(page):
    """Return the pictures' pixels once they have stayed the same for a second."""
    before, now = None, page.evaluate(PIXELS)
    while now != before:
        page.wait_for_timeout(1_000)
        before, now = now, page.evaluate(PIXELS)
    return now
