"""The front page: one live picture, three doors, and the lessons as a grid of icons."""

import html
import json
import re

import nbformat

from clockwork.kit.widgets.words import inline
from tools import icons, widget_states

PICTURE = "clockwork.lessons.lesson_00.views.who_is_hurt.WhoIsHurt"
GROUPS = {  # as in the syllabus: a lesson is in the first whose pattern its number matches
    "The way in": r"00",
    "The core, two evenings": r"0[1-5]b?",
    "Electives, each complete": r"1[678]",
    "Further, in any order": r"\d\d",
}
PLACES = [round(0.05 * place, 2) for place in range(121)]  # tokens: finer than in the lesson, since it moves by itself
ON_ITS_OWN = {"todo_html": "Drag <em>tom</em> past the dog.", "remember": "", "tour": [], "goals": []}
ON_ITS_OWN |= {"caption_html": "", "rest_html": "", "idea_html": "", "question": {}}


def number(stem: str) -> str:
    """Return the number of a lesson, for example "04b"."""
    return stem.partition("_")[0]


def groups(stems: list[str]) -> dict[str, list[str]]:
    """Return the lessons in the syllabus' groups."""
    found = {name: [] for name in GROUPS}
    for stem in stems:
        name = next(name for name, pattern in GROUPS.items() if re.fullmatch(pattern, number(stem)))
        found[name].append(stem)
    return {name: held for name, held in found.items() if held}


def picture(models: dict, texts: dict[str, str]) -> tuple[dict, str]:
    """Return the models of the front page's picture, which belongs to lesson 00, and the id that it has there."""
    (key,) = [key for key, model in models.items() if model["state"].get("_anywidget_id") == PICTURE]
    held = widget_states.reachable(models, [key])
    names = {model: "front" if model == key else f"front_{place}" for place, model in enumerate(held)}
    written = json.loads(json.dumps(widget_states.written(held, names, texts)))
    state = written["front"]["state"]
    state |= {name: value for name, value in ON_ITS_OWN.items() if name in state}
    state["sliders"]["tom"]["values"] = PLACES
    return written, key


def place(notebook: nbformat.NotebookNode, shown: dict[str, list[str]], key: str) -> str:
    """Return where the picture goes, round its still, which stands in lesson 00's notebook."""
    (cell,) = [cell for cell in notebook.cells if shown.get(cell.id) == [key]]
    page = "".join(output.data.get("text/html", "") for output in cell.outputs if "data" in output)
    image = re.search(r"<img[^>]*>(?:<img[^>]*>)?", page)[0]
    return f'<div class="pe-hand" data-widget="front"><figure>{image}</figure></div>'


def grid(lessons: dict[str, dict], counted: str) -> str:
    """Return the lessons, in their groups, each with its icon, its claim, its minutes and a place for what is done.

    Args:
        lessons: what the first cell of each says of it, by the lesson's name.
        counted: JSON of what is counted of each.
    """
    parts = []
    for name, stems in groups(list(lessons)).items():
        items = "".join(item(stem, lessons[stem]) for stem in stems)
        parts.append(f'<h3>{name}</h3><ol class="pe-lessons-drawn">{items}</ol>')
    return f'{"".join(parts)}<script type="application/json" id="clockwork-lessons">{counted}</script>'


def item(stem: str, lesson: dict) -> str:
    """Return a lesson's place in the grid."""
    title = f"<small>{number(stem)}</small> {html.escape(lesson['title'])}"
    says = f"<span>{inline(lesson['claim'])} <small>{lesson['minutes']} minutes</small></span>"
    done = '<span class="pe-done" hidden></span>'
    inside = f"{icons.icon(number(stem))}<strong>{title}</strong>{says}{done}"
    return f'<li data-lesson="{stem}"><a href="{stem}.html">{inside}</a></li>'
