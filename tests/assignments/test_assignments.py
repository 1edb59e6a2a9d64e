"""The assignments: solutions pass, blanks and wrong answers get the hint meant for them, nothing leaks."""

import ast
import contextlib
import copy
import functools
import importlib.util
import inspect
import io
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

HOME = Path(__file__).resolve().parents[2]
SOURCES = HOME / "assignments" / "source"
RELEASED = HOME / "notebooks" / "assignments"
NAMES = ["order", "sinusoid", "clock", "offsets", "learned_or_fixed", "capstone", "serving", "quantities"]
SEEDS = [0, 1, 2]
FILLERS = re.compile(r"\b(simply|obviously|just|of course)\b", flags=re.I)
REGION = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1", flags=re.S)

each_assignment = pytest.mark.parametrize("name", NAMES)


@functools.cache
def read(path):
    return nbformat.read(path, as_version=4)


def source(name):
    return read(SOURCES / name / f"{name}.ipynb")


def released(name):
    return read(RELEASED / f"{name}.ipynb")


def role(cell):
    """What a cell is for: answer, test, written, or given (locked text and code)."""
    mark = cell.metadata.nbgrader
    if mark.solution:
        return "written" if mark.grade else "answer"
    return "test" if mark.grade else "given"


def cells(notebook, wanted):
    return [cell for cell in notebook.cells if role(cell) == wanted]


def exercises(name):
    return [cell.metadata.nbgrader.grade_id for cell in cells(source(name), "answer")]


def own_tests(function, notebook):
    wanted = {f"test_{function}", f"test_{function}_hidden"}
    return [cell for cell in cells(notebook, "test") if cell.metadata.nbgrader.grade_id in wanted]


@functools.cache
def functions(kind, name):
    """The functions of assignments/right/<name>.py or assignments/wrong/<name>.py."""
    spec = importlib.util.spec_from_file_location(f"{kind}_{name}", HOME / "assignments" / kind / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = {key: value for key, value in vars(module).items() if inspect.isfunction(value)}
    return {key: value for key, value in own.items() if value.__module__ == module.__name__ and key[0] != "_"}


def wrong_answers(name):
    return functions("wrong", name)


WRONG = [(name, answer) for name in NAMES for answer in wrong_answers(name)]


def run(code, space):
    """Run a cell as the notebook does, and return what it raised."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, "cell", "exec"), space)
    except Exception as error:
        return error
    return None


def answers(notebook, seed):
    """The functions that a notebook's answer cells define."""
    space = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and role(cell) != "test":
            code = f"SEED = {seed}" if cell.metadata.nbgrader.grade_id == "seed" else cell.source
            assert run(code, space) is None, cell.source
    return {name: space[name] for name in (cell.metadata.nbgrader.grade_id for cell in cells(notebook, "answer"))}


def grade(function, answer, notebook, seed):
    """Run each test of a function by itself, with nothing but the class's number; return what each raised."""
    return [run(cell.source, {"SEED": seed, function: answer}) for cell in own_tests(function, notebook)]


def recorded(function, seed, name):
    """Every call that the tests make, with its result."""
    calls = []
    solution = answers(source(name), seed)[function]

    def spy(*arguments):
        kept = copy.deepcopy(arguments)
        calls.append((kept, solution(*arguments)))
        return calls[-1][1]

    assert grade(function, spy, source(name), seed) == [None, None]
    return calls


def flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, np.ndarray)):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


@each_assignment
def test_every_solution_passes_every_test_in_every_class(name):
    for seed in SEEDS:
        for function, solution in answers(source(name), seed).items():
            assert grade(function, solution, source(name), seed) == [None, None], function


@each_assignment
def test_a_right_answer_written_another_way_loses_no_point(name):
    assert list(functions("right", name)) == exercises(name)
    for seed in SEEDS:
        for function, answer in functions("right", name).items():
            assert grade(function, answer, source(name), seed) == [None, None], function


def in_float32(value):
    if isinstance(value, dict):
        return {key: in_float32(part) for key, part in value.items()}
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return np.float32(value) if isinstance(value, float) else value


@each_assignment
def test_whoever_computes_in_float32_loses_no_point(name):
    for function, solution in answers(source(name), 0).items():

        def rounded(*arguments, solution=solution):
            return in_float32(solution(*map(in_float32, arguments)))

        assert grade(function, rounded, source(name), 0) == [None, None], function


@pytest.mark.parametrize(("name", "answer"), WRONG, ids=[answer for _, answer in WRONG])
def test_a_wrong_answer_fails_with_the_hint_meant_for_it(name, answer):
    wrong = wrong_answers(name)[answer]
    for seed in SEEDS:
        raised = [error for error in grade(answer.split("__")[0], wrong, source(name), seed) if error]
        assert all(isinstance(error, AssertionError) for error in raised), raised
        assert wrong.__doc__ in " | ".join(map(str, raised)), (seed, raised)


@each_assignment
def test_every_exercise_has_three_wrong_answers(name):
    known = [answer.split("__")[0] for answer in wrong_answers(name)]
    assert set(known) == set(exercises(name))
    assert all(known.count(function) >= 3 for function in exercises(name))


@each_assignment
def test_another_class_gets_other_numbers_and_the_same_class_the_same(name):
    for function in exercises(name):
        first, again, other = (str(recorded(function, seed, name)) for seed in (0, 0, 1))
        assert first == again
        assert first != other, function


@each_assignment
def test_a_blank_notebook_runs_and_says_what_is_missing(name):
    blanks = answers(released(name), 0)
    assert list(blanks) == exercises(name)
    for function, blank in blanks.items():
        first, further = grade(function, blank, released(name), 0)
        assert isinstance(first, NotImplementedError) and len(str(first)) > 10, function
        assert further is None, "what runs when you hand in leaves nothing to fail here"


@each_assignment
def test_an_answer_of_nothing_gets_a_sentence(name):
    for function in exercises(name):
        first, _ = grade(function, lambda *arguments: None, source(name), 0)
        assert isinstance(first, AssertionError) and len(str(first)) > 10, (function, first)


@each_assignment
@pytest.mark.parametrize("constant", [0, 1, -1, 0.5, True, False, None, "", [], {}], ids=repr)
def test_a_constant_passes_no_visible_test(name, constant):
    for function in exercises(name):
        first, _ = grade(function, lambda *arguments: copy.deepcopy(constant), released(name), 0)
        assert first is not None, f"`return {constant!r}` passes the visible test of {function}"


def test_the_capstone_finds_its_data_wherever_the_notebook_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {"TASK": {"task": "three_back"}}
    (evidence,) = (cell for cell in released("capstone").cells if cell.metadata.nbgrader.grade_id == "evidence")
    assert run(evidence.source, space) is None
    assert len(space["mine"]) > 10


@each_assignment
def test_generating_again_changes_nothing(name):
    from pe_grading.release import release

    remedy = "run `python3 course.py assignments` and commit what it writes"
    assert release(SOURCES / name / f"{name}.ipynb") == (RELEASED / f"{name}.ipynb").read_text(encoding="utf-8"), remedy


@pytest.mark.slow
@each_assignment
def test_the_students_notebook_runs_top_to_bottom_in_jupyter(name):
    from nbclient import NotebookClient

    notebook = copy.deepcopy(released(name))
    NotebookClient(notebook, allow_errors=True, timeout=60, resources={"metadata": {"path": str(RELEASED)}}).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr"
            if output.output_type == "error":
                assert role(cell) == "test" and output.ename == "NotImplementedError", cell.source


def secrets(name):
    """Every line of solutions, hidden tests and rubrics that the visible part does not hold as well."""
    hidden = set()
    shown = ""
    for cell in source(name).cells:
        if role(cell) == "written":
            hidden |= set(cell.source.splitlines())
            continue
        for _, region in REGION.findall(cell.source):
            hidden |= set(region.splitlines())
        shown += REGION.sub("", cell.source)
    return {line.strip() for line in hidden if len(line.strip()) >= 12 and line.strip() not in shown}


def leaks(name, notebook):
    text = nbformat.writes(notebook) + "\n".join(cell.source for cell in notebook.cells)
    return [line for line in secrets(name) if line in text]


@each_assignment
def test_no_solution_hidden_test_or_rubric_leaks(name):
    assert len(secrets(name)) > 60
    assert leaks(name, released(name)) == []
    assert "BEGIN" not in "".join(cell.source for cell in released(name).cells)
    for line in secrets(name):
        careless = copy.deepcopy(released(name))
        careless.cells[-1].source += "\n    " + line
        assert leaks(name, careless), "the search above would not see this line"


@each_assignment
def test_no_expected_value_leaks(name):
    text = "\n".join(cell.source for cell in released(name).cells)
    for function in exercises(name):
        results = [leaf for _, result in recorded(function, 0, name) for leaf in flat(result)]
        for value in results:
            if isinstance(value, float) and f"{value:.4g}" != f"{value:.2g}":
                assert f"{value:.4g}" not in text, (function, value)


@each_assignment
def test_the_format_is_nbgraders(name):
    notebook = source(name)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    identities = [cell.metadata.nbgrader.grade_id for cell in notebook.cells]
    assert len(set(identities)) == len(identities)
    for cell in notebook.cells:
        mark = cell.metadata.nbgrader
        assert mark.schema_version == 3 and mark.cell_type == cell.cell_type and not mark.task
        assert cell.id == mark.grade_id
        assert mark.locked == (role(cell) in ("given", "test"))
        assert ("points" in mark) == mark.grade
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert re.match(r"SEED = \d+\b", first.source)


@each_assignment
def test_an_answer_cell_holds_one_function_and_every_assert_a_hint(name):
    for cell in cells(source(name), "answer"):
        (function,) = ast.parse(cell.source).body
        assert isinstance(function, ast.FunctionDef) and function.name == cell.metadata.nbgrader.grade_id
        assert ast.get_docstring(function)
    for cell in cells(source(name), "test"):
        claims = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Assert)]
        assert claims and all(isinstance(claim.msg, (ast.Constant, ast.JoinedStr)) for claim in claims), cell.id


@each_assignment
def test_points_minutes_and_lesson_are_stated_and_add_up(name):
    notebook = source(name)
    title = notebook.cells[0].source
    points = {cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.get("points", 0) for cell in notebook.cells}
    minutes = [int(n) for cell in notebook.cells for n in re.findall(r"points · (\d+) minutes", cell.source)]
    assert f"**Points** {sum(points.values())} " in title and "**You need** lesson" in title
    assert f"**Minutes** {sum(minutes)} " in title
    stated = [int(n) for cell in notebook.cells for n in re.findall(r"\*(\d+) points · \d+ minutes", cell.source)]
    given = [sum(points[cell.metadata.nbgrader.grade_id] for cell in own_tests(f, notebook)) for f in exercises(name)]
    assert stated == [*given, *(cell.metadata.nbgrader.points for cell in cells(notebook, "written"))]
    assert 3 <= len(given) <= 5 and len(cells(notebook, "written")) == 1


@each_assignment
def test_texts_are_short_and_never_say_how_easy_something_is(name):
    for cell in released(name).cells:
        if cell.cell_type == "markdown":
            assert len(cell.source.split()) <= 120, cell.source[:60]
            assert not FILLERS.search(cell.source)
