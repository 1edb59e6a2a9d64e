"""The map of the course has a picture for every lesson there is."""

from tools import lessons

from clockwork.lessons.lesson_00 import figures


def test_every_lesson_has_a_picture():
    titles = [ax.get_title(loc="left") for fig in (figures.core(), figures.further()) for ax in fig.axes]
    numbers = [path.stem.split("_")[0] for path in sorted(lessons.NOTEBOOKS.glob("*.ipynb"))]
    assert sorted(title.split()[0] for title in titles if title) == numbers[1:]  # an evening is a column
