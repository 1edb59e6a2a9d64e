"""What a lesson's runs say about its questions, beside the answers that its questions.toml gives.

There, a question may carry one of these:

- `decided`, an expression of the answer: a number, or the name of the right choice. It is evaluated among the lesson's
  own variables, below the last cell that the guess unveils (tag `veil:04/zeros`), or, without such a cell, at the end
  of the page that asks the question.
- `undecided = "why no run can say"`.

`python3 course.py lessons NN` refuses a lesson whose runs say otherwise, and a slow test finds it, too.
`python -m tools.decided` lists the predictions that have neither.
"""

import json
import re

import nbformat

from clockwork.kit.widgets import questions

TAG = "decides"
QUESTION = r'"(?:\d\d[a-z]?|core)/[\w-]+"'
SAY = "print(__import__('json').dumps([{key!r}, (lambda it: it if isinstance(it, str) else float(it))({expression})]))"


def table(key: str) -> dict:
    """Return a question as its file has it."""
    lesson, _, name = key.partition("/")
    return questions.tables(lesson).get(name) or questions.moved(key) or {}


def asked(notebook: nbformat.NotebookNode) -> list[str]:
    """List the keys of the questions that a notebook asks."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code" and "ask(" in cell.source]
    return [key[1:-1] for source in sources for key in re.findall(QUESTION, source)]


def watch(notebook: nbformat.NotebookNode) -> None:
    """Add to a notebook, below what decides each question, a cell that prints what the run says."""
    for key in asked(notebook):
        decided = table(key).get("decided")
        if decided is None:
            continue
        veiled = [n for n, cell in enumerate(notebook.cells) if f"veil:{key}" in cell.metadata.get("tags", [])]
        place = veiled[-1] + 1 if veiled else len(notebook.cells)
        cell = nbformat.v4.new_code_cell(SAY.format(key=key, expression=decided), metadata={"tags": [TAG]})
        notebook.cells.insert(place, cell)


def heard(notebook: nbformat.NotebookNode) -> dict[str, str | float]:
    """Take the added cells out of an executed notebook and return, by question, what they printed."""
    added = [cell for cell in notebook.cells if TAG in cell.metadata.get("tags", [])]
    notebook.cells = [cell for cell in notebook.cells if cell not in added]
    ran = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.execution_count]
    for number, cell in enumerate(ran, start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
    return dict(json.loads(cell.outputs[0].text) for cell in added)


def contradicted(said: dict[str, str | float]) -> list[str]:
    """List the questions whose answer is not what the run said."""
    found = []
    for key, value in said.items():
        one = questions.question(key, table(key))
        right = value == one["answer"] if one["kind"] == "choice" else one["right"][0] <= value <= one["right"][1]
        if not right:
            found.append(f"{key}: the answer is {one['answer']}, the run says {value}")
    return found


def lacking(lesson: str) -> list[str]:
    """List a lesson's predictions that are neither decided nor undecided."""
    held = questions.tables(lesson).items()
    return [name for name, one in held if one.get("predict") and not {"decided", "undecided"} & set(one)]


if __name__ == "__main__":
    for lesson in questions.lessons():
        if missing := lacking(lesson):
            print(f"{lesson}: {', '.join(missing)}")
