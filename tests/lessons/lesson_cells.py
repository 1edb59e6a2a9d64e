"""Take the exercises out of a lesson: what its stubs run, and what its folded solutions say."""

import re

import nbformat
from tools import lessons


def _cells(lesson):
    paths = lessons.whole(lessons.NOTEBOOKS / f"{lesson}.ipynb")
    return [cell for path in paths for cell in nbformat.read(path, as_version=4).cells]


def check_calls(lesson):
    """The code cell that follows each exercise."""
    cells = _cells(lesson)
    return [cells[i + 1].source for i, cell in enumerate(cells) if "exercise" in cell.metadata.get("tags", [])]


def solutions(lesson):
    """The code of each folded solution, in order."""
    source = "\n".join(cell.source for cell in _cells(lesson) if cell.cell_type == "markdown")
    return re.findall(r"<summary>Solution[^<]*</summary>\s*```python\n(.*?)```", source, flags=re.S)
