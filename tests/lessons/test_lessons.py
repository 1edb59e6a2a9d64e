"""Every lesson runs, says what its code says, and is built like the others."""

import json
import re
import statistics

import nbformat
import pytest
from bs4 import BeautifulSoup
from tools import decided, lessons, widget_states

PATHS = lessons.every()
MOST_BYTES = 1.5e9
NUMBER = r"[-+−]?\d[\d.,]*(e[-+]?\d+)?"

each_lesson = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def tags(cell):
    return cell.metadata.get("tags", [])


def words(source):
    """Words of prose: without formulas, code, tables and what is folded away."""
    source = re.sub(r"<details>.*?</details>|```.*?```|\$\$.*?\$\$|\$[^$]*\$|<[^>]+>", " ", source, flags=re.S)
    lines = [line for line in source.splitlines() if not line.lstrip().startswith("|")]
    return [word for line in lines for word in line.split() if any(sign.isalnum() for sign in word)]


def texts(output):
    yield output.get("text", "")
    yield from (value for kind, value in output.get("data", {}).items() if kind.startswith("text/"))


def shape_of(cell):
    """What a cell shows, with every number masked: processors differ in the last digits."""
    plain = "".join(output.get("text", "") + output.get("data", {}).get("text/plain", "") for output in cell.outputs)
    return " ".join(re.sub(NUMBER, "#", plain).split())


def shape_of_models(kept):
    """What is kept of a lesson's widgets: by cell and name, the words of each value and the size of each array."""
    masked = {name: shape_of_state(model) for name, model in kept["state"].items()}
    return {cell: [masked[name] for name in shown] for cell, shown in kept["shown"].items()}, list(masked.values())


def shape_of_state(model):
    words = re.sub(NUMBER, "#", json.dumps(model["state"]))
    return words, [(buffer["path"], len(buffer["data"])) for buffer in model["buffers"]]


def kinds(cell):
    """What kinds of data a cell shows; a live picture that stands alone gets its PNG when the lesson is committed."""
    alone = ["".join(texts(output)).count("data-still") == 1 for output in cell.outputs]
    drawn = [{"image/png"} if one else set() for one in alone]
    return [set(output.get("data", {})) | more for output, more in zip(cell.outputs, drawn, strict=True)]


def test_the_course_is_whole():
    numbers = sorted({path.stem[:2] for path in PATHS})  # 04b goes with 04
    assert numbers == [f"{number:02}" for number in range(len(numbers))]
    assert {path.stem for path in widget_states.KEPT.iterdir()} == {path.stem for path in PATHS}


@each_lesson
def test_outputs_come_from_the_code_that_stands_there(path):
    notebook = read(path)
    recorded = notebook.metadata.get("clockwork", {})
    remedy = f"run `python3 course.py lessons {path.stem}`"
    assert recorded.get("code") == lessons.digest_of_code(notebook), f"the code changed since it was run: {remedy}"
    assert recorded.get("outputs") == lessons.digest_of_outputs(notebook), f"the outputs were edited by hand: {remedy}"


@each_lesson
def test_committed_outputs_need_no_kernel_and_never_change_by_themselves(path):
    notebook = read(path)
    assert "widgets" not in notebook.metadata, "saved widget state makes GitHub's viewer refuse the page"
    for number, cell in enumerate(lessons.code_cells(notebook), start=1):
        assert cell.execution_count == number
        for output in cell.outputs:
            assert output.output_type != "error" and output.get("name") != "stderr", cell.source
            assert lessons.WIDGET_VIEW not in output.get("data", {})
            assert not re.search(r" at 0x[0-9a-f]{6,}", "".join(texts(output))), "a memory address"
            assert "data-still" not in "".join(texts(output)), "a live picture without its still"


@each_lesson
def test_the_site_has_a_lessons_live_pictures_from_its_last_run(path):
    kept = json.loads((widget_states.KEPT / f"{path.stem}.json").read_text("utf-8"))
    remedy = f"run `python3 course.py lessons {path.stem}`"
    assert kept["digest"] == widget_states.digest(read(path), path.stem), f"the code changed since it was run: {remedy}"


def test_a_veiled_cell_is_folded_in_jupyter_and_on_the_site():
    cell = nbformat.v4.new_code_cell("83", metadata={"tags": ["veil:02/still-hands"]})
    for _ in range(2):
        tidied = lessons.tidy(nbformat.v4.new_notebook(cells=[cell])).cells[0]
        assert tidied.metadata == {"tags": ["veil:02/still-hands", "hide-output"], "jupyter": {"outputs_hidden": True}}


def test_code_that_tells_the_answer_is_folded_in_jupyter_too():
    cell = nbformat.v4.new_code_cell("83", metadata={"tags": ["veil:02/still-hands", "hide-input"]})
    tidied = lessons.tidy(nbformat.v4.new_notebook(cells=[cell])).cells[0]
    assert tidied.metadata.jupyter == {"outputs_hidden": True, "source_hidden": True}


@each_lesson
def test_every_veil_belongs_to_a_question_above_it(path):
    asked = []
    for cell in read(path).cells:
        asked += decided.asked_in(cell)
        for question in [tag.removeprefix("veil:") for tag in tags(cell) if tag.startswith("veil:")]:
            assert question in asked, cell.source
            assert "hide-output" in tags(cell), f"run `python3 course.py lessons {path.stem}`"


@each_lesson
def test_cells_are_short_and_show_one_thing(path):
    notebook = read(path)
    lengths = [
        len([line for line in cell.source.splitlines() if line.strip()]) for cell in lessons.code_cells(notebook)
    ]
    assert max(lengths) <= 12
    assert statistics.median(lengths) <= 4 or path.parent.name == "deeper"  # there, a run is a cell
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and "deeper" not in tags(cell):  # a list of side paths is none
            assert len(words(cell.source)) <= 120, cell.source[:80]
        elif cell.cell_type == "code":
            assert len(cell.outputs) <= 1, cell.source


@each_lesson
def test_a_formula_has_its_powers_in_tex(path):
    """MathJax has no outline of a raised digit: the site would not be built."""
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            for formula in re.findall(r"\$[^$]+\$", cell.source):
                assert not re.search("[²³¹⁰-₉]", formula), formula


@each_lesson
def test_every_picture_has_a_text_alternative(path):
    for cell in read(path).cells:
        for source in [cell.source] if cell.cell_type == "markdown" else []:
            for image in BeautifulSoup(source, "html.parser").find_all("img"):
                assert image.get("alt"), source[:80]
            assert "![](" not in source
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            images = BeautifulSoup(data.get("text/html", ""), "html.parser").find_all("img")
            first = [image for image in images if not image.find_previous_sibling("img")]  # the others continue it
            assert all(image.get("alt") for image in first), cell.source
            assert all("alt" in image.attrs for image in images), cell.source
            assert images or not {"image/png", "image/svg+xml"} & set(data), f"no <figure> around: {cell.source}"


@pytest.mark.slow
@each_lesson
def test_lesson_runs_within_its_limits_and_shows_what_is_committed(path, tmp_path):
    executed, _, peak_bytes, said = lessons.execute(path, store_widget_state=True)
    now = widget_states.keep(executed, path.stem, tmp_path)
    kept = json.loads((widget_states.KEPT / f"{path.stem}.json").read_text("utf-8"))
    assert shape_of_models(now) == shape_of_models(kept), f"run `python3 course.py lessons {path.stem}`"
    assert decided.contradicted(said) == []
    assert peak_bytes <= MOST_BYTES
    fresh = lessons.code_cells(lessons.tidy(executed))
    for now, committed in zip(fresh, lessons.code_cells(read(path)), strict=True):
        assert shape_of(now) == shape_of(committed), now.source
        assert kinds(now) == kinds(committed), now.source
