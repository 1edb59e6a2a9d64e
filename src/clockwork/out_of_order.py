"""In a lesson, say which cell to run where a name is missing because its cell has not run yet.

`tools/lab.py` lets each kernel load this as an extension of IPython. What the cell showed before is shown again: the
front end has cleared it. Any other missing name is reported as Python does.
"""

import ast
import json
import os
from pathlib import Path

LESSON = "JPY_SESSION_NAME"  # where Jupyter's server names the notebook that a kernel was started for
VIEW = "application/vnd.jupyter.widget-view+json"


def load_ipython_extension(shell) -> None:
    """Take over what is said of a `NameError`."""
    shell.set_custom_exc((NameError,), said)


def said(shell, kind, error, traceback, tb_offset=None):
    """Say which cell comes first, where one of the lesson's cells makes the missing name; else show the traceback."""
    cells = code_of(Path(os.environ.get(LESSON, "")))
    makers = [place for place, cell in enumerate(cells) if error.name in bound("".join(cell["source"]))]
    while traceback.tb_next:
        traceback = traceback.tb_next
    asked_here = traceback.tb_frame.f_globals is shell.user_ns
    if not makers or not asked_here or error.name in bound(shell.user_ns["In"][-1]):
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset, running_compiled_code=True)
        return []
    first = "the lesson's first cell" if makers[0] == 0 else "a cell further up"
    remedy = "Run that one first" if makers[0] == 0 else "Run the cells above this one first"
    print(f"“{error.name}” is made in {first}, which has not run yet. {remedy}, then this one again.")
    here = getattr(shell, "parent_header", {}).get("metadata", {}).get("cellId")
    for cell in cells:
        if cell.get("id") == here:
            for output in cell.get("outputs", []):
                show_again(shell, output)
    return []


def code_of(path: Path) -> list[dict]:
    """Return the code cells of a notebook as it was saved last: none where there is no such file."""
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        return [cell for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def bound(source: str) -> set[str]:
    """Return the names that a cell makes at its top level; none where it is not Python alone."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        else:
            found |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not reads(part)}
    return found


def reads(name: ast.Name) -> bool:
    """Say whether a name is used, not made."""
    return isinstance(name.ctx, ast.Load)


def show_again(shell, output: dict) -> None:
    """Show an output of the saved notebook, without views whose models the kernel has not."""
    data = dict(output.get("data", {}))
    if output["output_type"] == "stream":
        print("".join(output["text"]))
    elif data and not (data.pop(VIEW, None) and set(data) <= {"text/plain"}):
        joined = {kind: "".join(value) if isinstance(value, list) else value for kind, value in data.items()}
        shell.display_pub.publish(joined, output.get("metadata", {}))
