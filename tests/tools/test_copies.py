"""The reader's copy of the lessons: it follows the course, and nothing that a reader wrote is ever lost."""

import json
import subprocess

import nbformat
import pytest
from tools import copies

CODE = "x = 1"
ENDED_BAR = "three_back, 3 seeds:   0%|          | 0/400 [00:00<?, ?it/s]"


def notebook(*sources, **metadata):
    shown = {"text/html": "<figure>a clock</figure>", "text/plain": "a clock"}
    output = nbformat.v4.new_output("execute_result", shown, execution_count=1)
    said = nbformat.v4.new_output("stream", text="before training\nafter training\n")
    cells = [nbformat.v4.new_code_cell(source, execution_count=1, outputs=[output, said]) for source in sources]
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "notebooks"
    (folder / "assignments").mkdir(parents=True)
    for name in ("00_start.ipynb", "01_order.ipynb", "assignments/clock.ipynb"):
        nbformat.write(notebook(CODE), folder / name)
    (folder / "SOURCES.md").write_text("one")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints/00_start.ipynb").write_text("{}")
    return folder


@pytest.fixture
def update(course, tmp_path):
    return lambda: copies.update(course, tmp_path / "my-course")


def read(path):
    return nbformat.read(path, as_version=4)


def type_in(path, source):
    edited = read(path)
    edited.cells[0].source = source
    nbformat.write(edited, path)


def open_and_save(path):
    """Change what JupyterLab changes by itself when a lesson is opened, run from top to bottom and saved."""
    edited = read(path)
    edited.metadata |= {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
    edited.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    edited.cells[0].execution_count = edited.cells[0].outputs[0].execution_count = 7
    view = {copies.WIDGET_VIEW: {"model_id": "m1"}, "text/plain": "Clock()"}
    edited.cells[0].outputs[0].data |= view | {"text/plain": "a clock"}
    edited.cells[0].outputs.append(nbformat.v4.new_output("display_data", view))
    before, after = edited.cells[0].outputs.pop(1).text.splitlines(keepends=True)
    edited.cells[0].outputs.append(nbformat.v4.new_output("stream", text=before))
    edited.cells[0].outputs.append(nbformat.v4.new_output("display_data", {"text/plain": ENDED_BAR}))
    edited.cells[0].outputs.append(nbformat.v4.new_output("stream", text=after))
    edited.cells[0].metadata["collapsed"] = True
    path.write_text(json.dumps(edited, indent=4))


def test_the_first_update_copies_everything_but_hidden_files(update, course, tmp_path):
    assert update().added == ["00_start.ipynb", "01_order.ipynb", "SOURCES.md", "assignments/clock.ipynb"]
    copy = tmp_path / "my-course"
    assert read(copy / "assignments/clock.ipynb").cells == read(course / "assignments/clock.ipynb").cells
    assert (copy / "SOURCES.md").read_bytes() == (course / "SOURCES.md").read_bytes()
    assert not (copy / ".ipynb_checkpoints").exists()
    assert not any(update()), "the second finds nothing to do"


def test_what_the_reader_has_not_changed_follows_the_course(update, course, tmp_path):
    update()
    type_in(course / "01_order.ipynb", "x = 2")
    (course / "SOURCES.md").write_text("two")
    assert update().renewed == ["01_order.ipynb", "SOURCES.md"]
    assert read(tmp_path / "my-course/01_order.ipynb").cells[0].source == "x = 2"


def test_opening_and_saving_is_no_change(update, course, tmp_path):
    update()
    open_and_save(tmp_path / "my-course/01_order.ipynb")
    assert not any(update())
    type_in(course / "01_order.ipynb", "x = 2")
    assert update().renewed == ["01_order.ipynb"]


@pytest.mark.parametrize("what", ["code", "output", "cell", "broken"])
def test_what_the_reader_has_changed_stays_and_the_new_version_lies_beside(what, update, course, tmp_path):
    update()
    mine = tmp_path / "my-course/01_order.ipynb"
    edited = read(mine)
    if what == "code":
        edited.cells[0].source = "x = 'mine'"
    elif what == "output":
        edited.cells[0].outputs = [nbformat.v4.new_output("stream", text="mine")]
    elif what == "cell":
        edited.cells.append(nbformat.v4.new_markdown_cell("mine"))
    nbformat.write(edited, mine)
    if what == "broken":
        mine.write_text("{ mine")
    before = mine.read_bytes()
    assert not any(update()), "as long as the course does not change, nothing is said"
    type_in(course / "01_order.ipynb", "x = 2")
    assert update() == copies.Changes([], [], {"01_order.ipynb": "01_order.new.ipynb"}, [])
    assert mine.read_bytes() == before
    assert read(tmp_path / "my-course/01_order.new.ipynb").cells[0].source == "x = 2"
    assert not any(update()), "it is said once"


def test_a_new_version_in_which_the_reader_worked_is_not_overwritten_either(update, course, tmp_path):
    update()
    copy = tmp_path / "my-course"
    type_in(copy / "01_order.ipynb", "mine")
    type_in(course / "01_order.ipynb", "x = 2")
    update()
    type_in(course / "01_order.ipynb", "x = 3")
    assert update().beside == {"01_order.ipynb": "01_order.new.ipynb"}, "untouched, it is replaced"
    type_in(copy / "01_order.new.ipynb", "mine, too")
    type_in(course / "01_order.ipynb", "x = 4")
    assert update().beside == {"01_order.ipynb": "01_order.new2.ipynb"}
    sources = [read(copy / f"01_order{part}.ipynb").cells[0].source for part in ("", ".new", ".new2")]
    assert sources == ["mine", "mine, too", "x = 4"]


def test_a_deleted_copy_comes_back_as_published(update, tmp_path):
    update()
    (tmp_path / "my-course/01_order.ipynb").unlink()
    assert update().added == ["01_order.ipynb"]


def test_a_lesson_that_leaves_the_course_leaves_the_copy_unless_it_holds_work(update, course, tmp_path):
    update()
    type_in(tmp_path / "my-course/01_order.ipynb", "mine")
    (course / "00_start.ipynb").unlink()
    (course / "01_order.ipynb").unlink()
    assert update().removed == ["00_start.ipynb"]
    assert not (tmp_path / "my-course/00_start.ipynb").exists()
    assert read(tmp_path / "my-course/01_order.ipynb").cells[0].source == "mine"
    assert not any(update())


@pytest.mark.parametrize("broken", ["", "{", "[]"])
def test_a_lost_record_loses_no_work(broken, update, course, tmp_path):
    update()
    copy = tmp_path / "my-course"
    type_in(copy / "00_start.ipynb", "mine")
    (copy / copies.RECORD).write_text(broken)
    assert update().beside == {"00_start.ipynb": "00_start.new.ipynb"}
    assert read(copy / "00_start.ipynb").cells[0].source == "mine"


def test_every_link_of_a_lesson_holds_in_the_copy(tmp_path):
    home = copies.HOME
    assert copies.COPY.parent == copies.COURSE.parent == home, "../src and ../data are found from both"
    copies.update(copies.COURSE, tmp_path / "my-course")
    assert {path.relative_to(copies.COURSE) for path in copies.files(copies.COURSE)} == {
        path.relative_to(tmp_path / "my-course") for path in copies.files(tmp_path / "my-course")
    }


def test_a_reader_can_always_pull(course, update, tmp_path):
    """A clone in which every lesson was copied, opened, changed and saved pulls a new version of each."""

    def git(folder, *arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / ".gitignore").write_text((copies.HOME / ".gitignore").read_text())
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "notebooks", ".gitignore")
    git(tmp_path, "commit", "-qm", "one")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", tmp_path, clone)
    copies.update(clone / "notebooks", clone / "my-course")
    open_and_save(clone / "my-course/00_start.ipynb")
    type_in(clone / "my-course/01_order.ipynb", "mine")
    assert git(clone, "status", "--porcelain") == ""
    for path in course.glob("*.ipynb"):
        type_in(path, "x = 2")
    git(tmp_path, "commit", "-qam", "two")
    git(clone, "pull", "-q", "--ff-only")
    changes = copies.update(clone / "notebooks", clone / "my-course")
    assert changes.renewed == ["00_start.ipynb"] and list(changes.beside) == ["01_order.ipynb"]
