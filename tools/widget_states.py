"""The models of the lessons' widgets, from which a page is alive without a kernel.

`course.py lessons` keeps them in site/widgets/, from the same run as the outputs of the notebook. The site runs a
lesson once more only where its code, or its room's, has changed since.
"""

import functools
import hashlib
import importlib
import json
import re
from pathlib import Path

import nbformat

from tools import lessons

HOME = Path(__file__).resolve().parent.parent
SOURCES = HOME / "src"
KEPT = HOME / "site/widgets"
AGAIN = HOME / "build/widgets"  # of lessons that changed since they were run
ROOM = re.compile(r"lesson_\d+\w*")
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
NAMES = {"_model_name", "_anywidget_id"}  # of a state, beside the names that do not begin with an underscore
LAYOUT = "LayoutModel"  # every widget of Jupyter has one; no page reads it
UNREAD = {"layout", "tabbable", "tooltip"}


def of(path: Path) -> dict:
    """Return a lesson's models, and which of them each cell shows; run it where it has changed since they were kept."""
    wanted = digest(nbformat.read(path, as_version=4), path.stem)
    for folder in (KEPT, AGAIN):
        file = folder / f"{path.stem}.json"
        if file.exists() and (found := json.loads(file.read_text("utf-8")))["digest"] == wanted:
            return found
    print(f"site: {path.name} has changed since `course.py lessons {path.stem}`: it is run", flush=True)
    return keep(lessons.execute(path, store_widget_state=True).notebook, path.stem, AGAIN)


def keep(notebook: nbformat.NotebookNode, stem: str, folder: Path) -> dict:
    """Keep the models of a notebook that was executed with the state of its widgets; return them."""
    state = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    shown = {cell.id: views(cell) for cell in notebook.cells if views(cell)}
    shown = {
        cell: [model for model in held if "_anywidget_id" in state[model]["state"]] for cell, held in shown.items()
    }
    held = reachable(state, [model for cell in shown.values() for model in cell])
    names = {model: f"w{place}" for place, model in enumerate(held)}
    places = {cell: [names[model] for model in models] for cell, models in shown.items() if models}
    found = {"digest": digest(notebook, stem), "shown": places, "state": lean(held, names)}
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(model)}" for name, model in found["state"].items())
    head = "\n".join(f"{json.dumps(key)}: {json.dumps(found[key])}," for key in ("digest", "shown"))
    (folder / f"{stem}.json").write_text(f'{{\n{head}\n"state": {{\n{lines}\n}}\n}}\n', "utf-8")
    return found


def digest(notebook: nbformat.NotebookNode, stem: str) -> str:
    """Return a digest of what the widgets of a lesson come from: its code, its room, and the rooms that these name."""
    own = f"lesson_{stem.split('_')[0]}"
    rooms = sorted(rooms_of("\n".join([own, *(cell.source for cell in lessons.code_cells(notebook))])))
    files = [path for room in rooms for path in files_of(room)]
    if "widgets.Progress()" in "".join(cell.source for cell in notebook.cells):  # it names all questions
        files += sorted((SOURCES / "clockwork/lessons").glob("*/questions.toml"))
    parts = [lessons.digest_of_code(notebook).encode(), *(path.read_bytes() for path in files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def files_of(room: str) -> list[Path]:
    """List what Python reads in a lesson's room."""
    folder = SOURCES / "clockwork/lessons" / room
    return sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".toml") and path.name != "sources.toml")


def rooms_of(code: str) -> set[str]:
    """Return the lessons' rooms that some code names, and those that these name."""
    found = set()
    queue = ROOM.findall(code)
    while queue:
        if (room := queue.pop()) not in found:
            found.add(room)
            queue += ROOM.findall("\n".join(path.read_text("utf-8") for path in files_of(room)))
    return found


def ours(model: dict) -> bool:
    """Say whether a model is a widget of the course, not the bar of something in progress."""
    return "_anywidget_id" in model["state"]


def views(cell: nbformat.NotebookNode) -> list[str]:
    """List the models that a cell shows."""
    outputs = [output.data for output in cell.get("outputs", []) if "data" in output]
    return [data[lessons.WIDGET_VIEW]["model_id"] for data in outputs if lessons.WIDGET_VIEW in data]


def reachable(state: dict, shown: list[str]) -> dict:
    """Return the models that are shown, those that they refer to, and the links between any of these."""
    found = {}
    queue = list(shown)
    while queue:
        key = queue.pop()
        if key in state and key not in found and state[key]["state"]["_model_name"] != LAYOUT:
            found[key] = state[key]
            queue += references(state[key])
    ties = {key: model for key, model in state.items() if model["state"]["_model_name"].endswith("LinkModel")}
    return found | {key: tie for key, tie in ties.items() if found.keys() & set(references(tie))}


def references(model: dict) -> list[str]:
    """List the models that a model names."""
    return re.findall(r'"IPY_MODEL_(\w+)"', json.dumps(model["state"]))


def written(models: dict, names: dict[str, str], texts: dict[str, str]) -> dict:
    """Return the models as a page holds them, under their `names`; each source text goes into `texts`, once."""
    pages = lean(models, names)
    return {name: model | {"state": model["state"] | sources(model["state"], texts)} for name, model in pages.items()}


def lean(models: dict, names: dict[str, str]) -> dict:
    """Return of models, under their `names`, what a page reads, without the texts that their classes have."""
    pages = {
        names[model]: {
            "state": {
                key: value
                for key, value in held["state"].items()
                if key in NAMES or not (key.startswith("_") or key in UNREAD)
            },
            "buffers": held.get("buffers", []),
        }
        for model, held in models.items()
        if held["state"]["_model_name"] != LAYOUT
    }
    return json.loads(re.sub(r"IPY_MODEL_(\w+)", lambda m: f"IPY_MODEL_{names.get(m[1], m[1])}", json.dumps(pages)))


def sources(state: dict, texts: dict[str, str]) -> dict[str, str]:
    """Return the digests of the two texts of a widget's class."""
    found = {}
    for key, text in source(state["_anywidget_id"]).items() if ours({"state": state}) else ():
        found[key] = hashlib.sha256(text.encode()).hexdigest()[:12]
        texts[found[key]] = text
    return found


@functools.cache
def source(name: str) -> dict[str, str]:
    """Return JavaScript and style of a widget's class."""
    module, _, kind = name.rpartition(".")
    held = getattr(importlib.import_module(module), kind)
    return {key: str(getattr(held, key)) for key in ("_esm", "_css") if hasattr(held, key)}
