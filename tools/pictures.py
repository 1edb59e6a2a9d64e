"""The pictures of the lessons for JupyterLab, alive before anything has run.

`course.py lessons` keeps the models of a lesson's widgets (widget_states.py). Before the course is opened, `bundles`
puts in the JavaScript of the installed package. The server (jupyter_server_config.py) hands a lesson out with its
bundle and takes it off again when the lesson is saved: no file of a reader ever holds it.
"""

import hashlib
import importlib
import json
import re
import shutil
import sys
from pathlib import Path

import nbformat

from tools import lessons, widget_states

HOME = Path(__file__).resolve().parent.parent
BUNDLES = HOME / "build/pictures"  # where jupyter_server_config.py looks
PUBLISHED = "published_"  # before the name of a model, as jupyter_server_config.py knows it
CONTROLS = {"model_module": "@jupyter-widgets/controls", "model_module_version": "2.0.0"}
SHARED = """const own = ({ model }) => model.widget_manager.get_model("NAME").then((first) => {
  const texts = (globalThis.peShared ??= new Map());
  const text = first.get("_esm");
  if (!texts.has(text)) texts.set(text, import(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))));
  return texts.get(text);
});
export default { render: async (given) => (await own(given)).default.render(given) };
"""


def main(arguments: list[str]) -> int:
    """Write the bundles into the folder that is named."""
    bundles(Path(arguments[0]))
    return 0


def kept(path: Path) -> dict | None:
    """Return what is kept of the widgets of a lesson as it is now, or None."""
    file = widget_states.KEPT / f"{path.stem}.json"
    found = json.loads(file.read_text("utf-8")) if file.exists() else {"digest": None}
    return found if found["digest"] == widget_states.digest(read(path), path.stem) else None


def bundles(folder: Path) -> None:
    """Write into `folder` what the server puts into each lesson, under the digest of the lesson's outputs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in lessons.every():
        if found := kept(path):
            notebook = read(path)
            cells = {cell.id: bundled(cell, found["shown"].get(cell.id, [])) for cell in lessons.code_cells(notebook)}
            text = json.dumps({"cells": cells, "state": with_modules(found["state"])})
            (folder / f"{notebook.metadata['clockwork']['outputs']}.json").write_text(text, "utf-8")


def prepare() -> None:
    """Write the bundles where the server finds them, unless they are those of the course as it is."""
    files = [*lessons.every(), *widget_states.KEPT.glob("*"), *(HOME / "src/clockwork").rglob("*.*")]
    times = [f"{file} {file.stat().st_mtime_ns}" for file in sorted(files) if file.suffix != ".pyc"]
    of = hashlib.sha256("\n".join(times).encode()).hexdigest()
    stamp = BUNDLES / "of"
    if not stamp.exists() or stamp.read_text("utf-8") != of:
        print("Clockwork: bringing the pictures to life; once for each version.", flush=True)
        bundles(BUNDLES)
        stamp.write_text(of, "utf-8")


def read(path: Path) -> nbformat.NotebookNode:
    """Read a lesson."""
    return nbformat.read(path, as_version=4)


def bundled(cell: nbformat.NotebookNode, models: list[str]) -> dict:
    """Return what a bundle has of a cell: how it looks as published, the model of each output, and the stills."""
    names = iter(models)
    of = [next(names, None) if "text/html" in output.get("data", {}) else None for output in cell.outputs]
    stills = [output.data for output, name in zip(cell.outputs, of, strict=True) if name and "image/png" in output.data]
    of = [name and PUBLISHED + name for name in of]
    return {"as": looks(cell), "source": cell.source, "models": of, "stills": stills}


def looks(cell: dict) -> str:
    """Return a digest of a cell's text and of what it shows, as jupyter_server_config.py does."""
    shown = [output.get("data", output.get("text")) for output in cell["outputs"]]
    return hashlib.sha256(json.dumps([cell["source"], shown], sort_keys=True).encode()).hexdigest()


def with_modules(state: dict) -> dict:
    """Return models as Jupyter reads them, with their JavaScript and style: the first of a kind has them, for all."""
    first = {}
    filled = {}
    for name, model in state.items():
        about = CONTROLS
        more = {}
        if kind := model["state"].get("_anywidget_id"):
            module, _, named = kind.rpartition(".")
            version = getattr(importlib.import_module(module), named)._model_module_version.default_value
            about = {"model_module": "anywidget", "model_module_version": version}
            more = {"_view_module": "anywidget", "_view_module_version": version, "_view_name": "AnyView"}
            shared = first.setdefault(kind, name) != name
            more |= {"_esm": SHARED.replace("NAME", PUBLISHED + first[kind])} if shared else widget_states.source(kind)
        more |= {f"_{key}": value for key, value in about.items()}
        filled[PUBLISHED + name] = model | about | {"model_name": model["state"]["_model_name"]}
        filled[PUBLISHED + name]["state"] = renamed(model["state"]) | more
    return filled


def renamed(state: dict) -> dict:
    """Return a model's state, in which other models have their names in a bundle."""
    return json.loads(re.sub(r'"IPY_MODEL_(\w+)"', rf'"IPY_MODEL_{PUBLISHED}\1"', json.dumps(state)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
