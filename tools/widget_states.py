"""The models of the lessons' widgets, without a kernel behind them: run once, then kept as data."""

import ast
import hashlib
import json
import os
import re
import symtable
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tools.lessons import QUIET, WIDGET_VIEW, is_bare_widget

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
MAKERS = {"widgets", "views"}  # the modules that a lesson takes its widgets from
KEPT = {"_esm", "_css", "_model_name"}  # of a state, beside the names that do not begin with an underscore


def reachable(state: dict, shown: list[str]) -> dict:
    """Return the models that are shown, those that they refer to, and the links between any of these."""
    found = {}
    queue = list(shown)
    while queue:
        key = queue.pop()
        if key in state and key not in found:
            found[key] = state[key]
            queue += references(state[key])
    ties = {key: model for key, model in state.items() if model["state"]["_model_name"].endswith("LinkModel")}
    return found | {key: tie for key, tie in ties.items() if found.keys() & set(references(tie))}


def references(model: dict) -> list[str]:
    """List the models that a model names."""
    return re.findall(r'"IPY_MODEL_(\w+)"', json.dumps(model["state"]))


def held(notebook: nbformat.NotebookNode) -> dict:
    """Return the models that a notebook holds."""
    return notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})


def run_widgets(notebooks: list[nbformat.NotebookNode], opening: str = "") -> dict:
    """Execute what the widgets need, in one kernel; put their outputs into the notebooks, return all models' state.

    `opening` is executed before all else.
    """
    cells = [notebook.cells[i] for notebook in notebooks for i in widget_cells(notebook)]
    if not cells:
        return {}
    sources = [opening, *(cell.source for cell in cells)]
    part = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    folder = {"metadata": {"path": str(NOTEBOOKS)}}
    client = NotebookClient(part, timeout=600, kernel_name="python3", store_widget_state=True, resources=folder)
    client.execute(env=dict(os.environ, **QUIET))
    state = held(part)
    for cell, done in zip(cells, part.cells[1:], strict=True):
        shown = [output for output in done.outputs if not is_bar(output, state)]
        if any(WIDGET_VIEW in output.get("data", {}) for output in shown):
            cell.outputs = shown
    return state


def is_bar(output: nbformat.NotebookNode, state: dict) -> bool:
    """Say whether an output was the bar of something in progress: a box without a still."""
    model = output.get("data", {}).get(WIDGET_VIEW, {}).get("model_id")
    return is_bare_widget(output) and state.get(model, {}).get("model_name") != "AnyModel"


def widget_cells(notebook: nbformat.NotebookNode) -> list[int]:
    """List the cells that show widgets, and those from which the names that they use come, in order."""
    return sorted(set().union(*needs(notebook).values()))


def needs(notebook: nbformat.NotebookNode) -> dict[int, set[int]]:
    """Return for each cell that shows widgets those cells from which the names that it uses come, and itself."""
    codes = {i: names(cell.source) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
    made = set()
    needed = {}
    for i, (binds, _, shows, last) in codes.items():
        if not shows and not last & made:
            continue
        made |= binds if shows else set()
        cells = {i}
        queue = [i]
        while queue:
            at = queue.pop()
            for name in codes[at][1]:
                source = max((j for j in codes if j < at and name in codes[j][0]), default=at)
                if source not in cells:
                    cells.add(source)
                    queue.append(source)
        needed[i] = cells
    return needed


def names(source: str) -> tuple[set[str], set[str], bool, set[str]]:
    """Return the names that a cell binds, those it uses, whether it makes a widget, and the name it ends with.

    A name that it imports comes from no other cell.
    """
    tree = ast.parse("\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()))
    binds = set()
    surely = set()  # bound by now, whichever way the code goes
    uses = set()
    for statement in tree.body:
        table = symtable.symtable(ast.unparse(statement), "a cell", "exec")
        made = {name.get_name() for name in table.get_symbols() if name.is_assigned() or name.is_imported()}
        read = {name.get_name() for name in table.get_symbols() if name.is_referenced()} | free(table)
        read |= {node.target.id for node in ast.walk(statement) if is_added_to(node)}
        uses |= read - surely - first_bound(statement)
        binds |= made
        surely |= set() if isinstance(statement, (ast.If, ast.Try, ast.While)) else made
    shows = any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MAKERS
        for node in ast.walk(tree)
    )
    imports = {(alias.asname or alias.name).split(".")[0] for alias in ast.walk(tree) if isinstance(alias, ast.alias)}
    end = tree.body[-1] if tree.body else None
    last = {end.value.id} if isinstance(end, ast.Expr) and isinstance(end.value, ast.Name) else set()
    return binds | imports, uses - imports, shows, last


def free(table: symtable.SymbolTable) -> set[str]:
    """Return the names of the notebook that functions and comprehensions inside a scope read."""
    found = set()
    for inner in table.get_children():
        found |= {name.get_name() for name in inner.get_symbols() if name.is_global()} | free(inner)
    return found


def first_bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds before it reads them: of its loops, contexts, functions and classes."""
    places = []
    for node in ast.walk(statement):
        if isinstance(node, ast.For):
            places.append(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars:
            places.append(node.optional_vars)
    names = {node.id for place in places for node in ast.walk(place) if isinstance(node, ast.Name)}
    return names | ({statement.name} if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else set())


def is_added_to(node: ast.AST) -> bool:
    """Say whether a node reads the name that it binds: `count += 1`."""
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)


def written(models: dict, names: dict[str, str], texts: dict[str, str]) -> dict:
    """Return the models as a page holds them, under their `names`; each source text goes into `texts`, once."""
    pages = {}
    for model, held in models.items():
        state = {key: value for key, value in held["state"].items() if key in KEPT or not key.startswith("_")}
        for key in ("_esm", "_css"):
            if key in state:
                digest = hashlib.sha256(state[key].encode()).hexdigest()[:12]
                texts[digest] = state[key]
                state[key] = digest
        pages[names[model]] = {"state": state, "buffers": held.get("buffers", [])}
    return json.loads(re.sub(r"IPY_MODEL_(\w+)", lambda m: f"IPY_MODEL_{names.get(m[1], m[1])}", json.dumps(pages)))
