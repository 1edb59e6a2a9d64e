"""The map of the course has a picture for every lesson there is."""

from tools import lessons

from pe_helpers.plots import course


def test_every_lesson_has_a_picture():
    titles = [ax.get_title(loc="left") for fig in (course.core(), course.further()) for ax in fig.axes]
    numbers = [path.stem.split("_")[0] for path in sorted(lessons.NOTEBOOKS.glob("*.ipynb"))]
    assert [title.split()[0] for title in titles if title] == numbers[1:]
