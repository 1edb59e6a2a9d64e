"""The grader knows no course: what it needs of one, a file of settings says."""

import ast
from pathlib import Path

import pytest

from pe_grading import batch, sandbox, settings
from pe_grading.notebook import Cell

FILES = sorted(Path(settings.__file__).parent.glob("**/*.py"))
OUTSIDE = {"pe_helpers", "clockwork", "tools", "course", "benchmarks"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_grader_imports_nothing_of_the_course_and_names_nothing_of_it(file):
    text = file.read_text("utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert not OUTSIDE & {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in OUTSIDE
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not {"pe_helpers", "clockwork"} & set(node.value.split(".")), node.value


@pytest.fixture
def other_course(tmp_path, monkeypatch):
    """Settings of a course that is not this one."""
    package = tmp_path / "other_helpers"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (tmp_path / "tables").mkdir()
    (tmp_path / "grader.toml").write_text(
        'packages = ["other_helpers", "nowhere"]\nfolders = ["tables"]\n[warm_up]\nother_helpers = "other_helpers"\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(settings.VARIABLE, str(tmp_path / "grader.toml"))
    return tmp_path


def test_a_sandbox_shows_what_the_settings_name_and_no_other_course(other_course):
    shown = sandbox._bound()
    assert other_course / "other_helpers" in shown and other_course / "tables" in shown
    assert not [path for path in shown if path.name in ("pe_helpers", "clockwork", "data")]


def test_what_is_imported_early_is_what_the_settings_say(other_course):
    cells = [Cell("code", "import other_helpers.x, torch")]
    assert batch.libraries_of(cells) == {"other_helpers"}


def test_without_settings_nothing_of_a_course_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert settings.current() == settings.Settings()


@pytest.mark.parametrize(("text", "rule"), [("packages = [", "must be TOML"), ("folder = []", "nothing but")])
def test_settings_that_say_something_else_are_refused(tmp_path, text, rule):
    (tmp_path / "grader.toml").write_text(text)
    with pytest.raises(ValueError, match=rule):
        settings.read(tmp_path / "grader.toml")


def test_a_file_that_is_named_and_not_there_is_refused(monkeypatch):
    monkeypatch.setenv(settings.VARIABLE, "nowhere.toml")
    with pytest.raises(ValueError, match="must name a file"):
        settings.current()
