"""What has been answered so far, lesson by lesson."""

import html

import traitlets

from clockwork.kit import memory
from clockwork.kit.widgets import questions
from clockwork.kit.widgets.widget import Widget


class Progress(Widget):
    """Show what was answered, what was right at the first guess, the exercises passed, and what to read again.

    Args:
        lesson: One lesson, such as "02"; by default all of them.

    Raises:
        ValueError: The lesson has no file of questions.

    Example:
        >>> from clockwork.kit import widgets
        >>> widgets.Progress("02")  # doctest: +SKIP
    """

    static = "progress"

    lessons = traitlets.List().tag(sync=True)

    def __init__(self, lesson: str | None = None):
        names = questions.lessons() if lesson is None else [lesson]
        super().__init__(lessons=[entry(name) for name in names])
        memory.LISTENERS.add(self)

    def hear(self, book: dict) -> None:
        """Tell the browser what the kernel has just remembered, such as an exercise that was passed."""
        self.send({"memory": book, "reader": memory.reader()})

    def _repr_mimebundle_(self, **keywords):
        live, metadata = super()._repr_mimebundle_(**keywords)
        said = "What you answer is counted here where the lesson runs."
        page = f"<p>{said}</p>"
        if len(self.lessons) == 1:  # lesson 00 counts all of them and is not stored anew when one of them changes
            (one,) = self.lessons
            said = f"{one['lesson']} {one['title']}: {counts(one)}"
            page += questions.listed([html.escape(said)])
        return live | {"text/html": page, "text/plain": said}, metadata


def entry(lesson: str) -> dict:
    """Return what the view counts of a lesson."""
    held = questions.lesson_file(lesson)
    beside = held.get("side_paths", [])
    exercises = {name: f"exercise/{lesson}/{name}" for name in held.get("exercises", [])}
    asked = [
        questions.question(questions.key_of(lesson, name), {"lesson": lesson} | table)
        for name, table in questions.tables(lesson).items()
    ]
    counted = ("key", "ask", "lesson", "section", "predict")
    return {
        "lesson": lesson,
        "title": held.get("title", ""),
        "questions": [{field: one[field] for field in counted} for one in asked],
        "exercises": list(exercises.values()),
        "beside": [exercises.get(name, questions.key_of(lesson, name)) for name in beside],
    }


def counts(entry: dict) -> str:
    """Say how many questions and exercises a lesson's page has, and how many its side paths have."""
    beside = set(entry["beside"])
    keys = {"question": {one["key"] for one in entry["questions"]}, "exercise": set(entry["exercises"])}
    page, paths = (
        ", ".join(
            f"{len(part)} {kind}{'s' * (len(part) != 1)}"
            for kind, every in keys.items()
            for part in [take(every, beside)]
        )
        for take in (set.difference, set.intersection)
    )
    return f"{page}; side paths: {paths}" if beside else page
