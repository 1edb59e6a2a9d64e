"""What a lesson's runs say about its questions, beside the answers that its questions.toml gives.

There, a question may carry one of these:

- `decided`, an expression of the answer: a number, the name of the right choice, or the names of steps or pairs in
  their order, with spaces between them. It is evaluated among the lesson's own variables, below the last cell that the
  guess unveils (`veiled_in`), or, without such a cell, at the end of the page that asks the question.
- `undecided = "why no run can say"`.

`python3 course.py lessons NN` refuses a lesson whose runs say otherwise, and a slow test finds it, too. Both refuse as
well what would say the same whatever the runs gave: each name of the expression is given other values (`another`), and
for one of them the answer must be another, or none.
`python -m tools.decided` lists the predictions that have neither.
"""

import ast
import contextlib
import inspect
import json
import re
import types
from typing import Any, NamedTuple

import nbformat

from clockwork.kit.widgets import questions

TAG = "decides"
ASKS = "asks:"  # the tag of a picture that is guessed into names its question
KEY = r"(?:\d\d[a-z]?|core)/[\w-]+"
QUESTION = rf'"{KEY}"'
VEILS = re.compile(rf'(?:\basks=|veil\.printed\()"({KEY})"')
HEAD = "import contextlib, types\nfrom typing import Any\n\n"
SAY = """it = {{}}
exec({source!r}, it)
print(__import__("json").dumps([{key!r}, *it["answered"]({expression!r}, {names!r}, globals())]))
del it"""


class Said(NamedTuple):
    """What a run says about a question, and whether other runs could have said something else."""

    value: str | float
    moves: bool


def another(value: Any, way: int) -> Any:
    """Return what a run might have given in place of a value: turned round, in another order, or of another size."""
    changed = [lambda x: -x, lambda x: 0 * x, lambda x: 10 * x, lambda x: x / 10, lambda x: 1 - x][way]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float | complex):
        return changed(value)
    if isinstance(value, dict):
        given = list(value.values())
        return dict(
            zip(value, given[1:] + given[:1] if way == 0 else [another(one, way) for one in given], strict=True)
        )
    if isinstance(value, list | tuple):
        made = getattr(value, "_make", type(value))
        if way == 0:
            return made(value[::-1])
        if way == 1 and not hasattr(value, "_make"):
            return made(value[: len(value) // 2])
        return made([another(one, way) for one in value])
    if isinstance(value, types.ModuleType):
        runs = {name: another(one, way) for name, one in vars(value).items() if isinstance(one, types.FunctionType)}
        return types.SimpleNamespace(**vars(value) | runs)
    if hasattr(value, "shape"):
        if str(value.dtype).endswith("bool"):
            return ~value
        other = changed(getattr(value, "data", value) if hasattr(value, "grad") else value)
        if getattr(value, "grad", None) is not None:
            other.grad = changed(value.grad)
        return other
    if callable(value) and not isinstance(value, type):
        return lambda *given, **named: another(value(*given, **named), way)
    return value


def answered(expression: str, names: list[str], run: dict) -> tuple[str | float, bool]:
    """Evaluate an expression in a run, and say whether it would say anything else if the run had given other values."""

    def said(**others):
        drawn = run["torch"].random.fork_rng() if "torch" in run else contextlib.nullcontext()
        with drawn:  # the page's own random numbers go on as before
            value = eval(expression, run | others)
        return value if isinstance(value, str) else float(value)

    def moves(name, way):
        try:
            return said(**{name: another(run[name], way)}) != value
        except KeyError:  # no choice has these values
            return True
        except Exception:  # values that make no sense show nothing
            return False

    value = said()
    return value, any(moves(name, way) for name in names if name in run for way in range(5))


def table(key: str) -> dict:
    """Return a question as its file has it."""
    lesson, _, name = key.partition("/")
    return questions.tables(lesson).get(name) or questions.moved(key) or {}


def asked(notebook: nbformat.NotebookNode) -> list[str]:
    """List the keys of the questions that a notebook asks, on cards and on its pictures."""
    return [key for cell in notebook.cells for key in asked_in(cell)]


def asked_in(cell: nbformat.NotebookNode) -> list[str]:
    """List the keys of the questions that a cell asks, on its cards or on its picture.

    A picture names its question by `asks="04b/stays"`, or, where the code is a caption, by the tag `asks:00/hurt`.
    """
    if cell.cell_type != "code":
        return []
    if "ask(" in cell.source:
        return [key[1:-1] for key in re.findall(QUESTION, cell.source)]
    named = [key for key in VEILS.findall(cell.source) if table(key).get("place")]
    named += [tag.removeprefix(ASKS) for tag in cell.metadata.get("tags", []) if tag.startswith(ASKS)]
    return list(dict.fromkeys(named))


def veiled_in(cell: nbformat.NotebookNode) -> set[str]:
    """Return the keys of the questions that veil what a cell shows, all of it (a tag) or its outcome (kit/veil.py)."""
    tags = {tag.removeprefix("veil:") for tag in cell.metadata.get("tags", []) if tag.startswith("veil:")}
    return tags | set(VEILS.findall(cell.source) if cell.cell_type == "code" else [])


def watch(notebook: nbformat.NotebookNode) -> None:
    """Add to a notebook, below what decides each question, a cell that prints what the run says."""
    for key in asked(notebook):
        decided = table(key).get("decided")
        if decided is None:
            continue
        veiled = [n for n, cell in enumerate(notebook.cells) if key in veiled_in(cell)]
        place = veiled[-1] + 1 if veiled else len(notebook.cells)
        names = sorted({node.id for node in ast.walk(ast.parse(decided, mode="eval")) if isinstance(node, ast.Name)})
        source = HEAD + inspect.getsource(another) + inspect.getsource(answered)
        say = SAY.format(source=source, key=key, expression=decided, names=names)
        notebook.cells.insert(place, nbformat.v4.new_code_cell(say, metadata={"tags": [TAG]}))


def heard(notebook: nbformat.NotebookNode) -> dict[str, Said]:
    """Take the added cells out of an executed notebook and return, by question, what they printed."""
    added = [cell for cell in notebook.cells if TAG in cell.metadata.get("tags", [])]
    notebook.cells = [cell for cell in notebook.cells if cell not in added]
    ran = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.execution_count]
    for number, cell in enumerate(ran, start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
    said = [json.loads(cell.outputs[0].text) for cell in added]
    return {key: Said(value, moves) for key, value, moves in said}


def contradicted(said: dict[str, Said]) -> list[str]:
    """List the questions whose answer is not what the run said, and those that any run would have answered alike."""
    found = []
    for key, (value, moves) in said.items():
        one = questions.question(key, table(key))
        answer = one["answer"] if "answer" in one else " ".join(name for name, *_ in one["items"])
        right = one["right"][0] <= value <= one["right"][1] if one["kind"] == "number" else value == answer
        if not right:
            found.append(f"{key}: the answer is {answer}, the run says {value}")
        if not moves:
            found.append(f"{key}: decided must depend on the run, and says {value} whatever its names hold")
    return found


def lacking(lesson: str) -> list[str]:
    """List a lesson's predictions that are neither decided nor undecided."""
    held = questions.tables(lesson).items()
    return [name for name, one in held if one.get("predict") and not {"decided", "undecided"} & set(one)]


if __name__ == "__main__":
    for lesson in questions.lessons():
        if missing := lacking(lesson):
            print(f"{lesson}: {', '.join(missing)}")
