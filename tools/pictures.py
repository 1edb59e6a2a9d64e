"""The pictures of the lessons for JupyterLab, alive before anything has run.

`course.py lessons` records the state of a lesson's widgets in data/pictures/, without their JavaScript. Before the
course is opened, `bundles` puts in the modules of the installed package. The server (jupyter_server_config.py) hands a
lesson out with its bundle and takes it off again when the lesson is saved: no file of a reader ever holds it.
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
RECORDS = HOME / "data/pictures"
BUNDLES = HOME / "build/pictures"  # where jupyter_server_config.py looks
PUBLISHED = "published_{}"  # the names of the models in a bundle, as jupyter_server_config.py knows them
TEXTS = ("_esm", "_css")
SHARED = """const own = ({ model }) => model.widget_manager.get_model("NAME").then((first) => {
  const texts = (globalThis.peShared ??= new Map());
  const text = first.get("_esm");
  if (!texts.has(text)) texts.set(text, import(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))));
  return texts.get(text);
});
export default { render: async (given) => (await own(given)).default.render(given) };
"""


def main(arguments: list[str]) -> int:
    """Write the bundles into the folder that is named; without one, record anew what is out of date."""
    if arguments:
        bundles(Path(arguments[0]))
        return 0
    for path in stale():
        notebook = read(path)
        state = widget_states.run_widgets([notebook])
        write(path, record(notebook, state), notebook)
        print(f"{path.name}: its pictures are recorded", flush=True)
    return 0


def stale() -> list[Path]:
    """List the lessons with pictures whose record is missing or of another version."""
    return [path for path in lessons.every() if widget_states.widget_cells(read(path)) and not kept(path)]


def record(notebook: nbformat.NotebookNode, state: dict) -> dict:
    """Return the models that an executed lesson shows, under names of their own, and which of them each cell shows.

    Args:
        notebook: the lesson with its views.
        state: all models that its widgets have made.
    """
    shown = {cell.id: models(cell) for cell in lessons.code_cells(notebook)}
    shown = {cell: found for cell, found in shown.items() if any(found)}
    held = widget_states.reachable(state, [model for found in shown.values() for model in found if model])
    names = {model: PUBLISHED.format(place) for place, model in enumerate(held)}
    text = json.dumps({"cells": shown, "state": {model: lean(one) for model, one in held.items()}})
    return json.loads(re.sub(r'"(IPY_MODEL_)?(\w+)"', lambda m: f'"{m[1] or ""}{names.get(m[2], m[2])}"', text))


def models(cell: nbformat.NotebookNode) -> list[str | None]:
    """List for each output that a published cell keeps the model that it shows, if any."""
    outputs = [output for output in cell.outputs if not lessons.is_bare_widget(output)]
    return [output.get("data", {}).get(lessons.WIDGET_VIEW, {}).get("model_id") for output in outputs]


def lean(model: dict) -> dict:
    """Return a model without its JavaScript and style, and without what says nothing."""
    state = {name: value for name, value in model["state"].items() if name not in TEXTS and value is not None}
    return model | {"state": state}


def write(path: Path, found: dict, published: nbformat.NotebookNode) -> None:
    """Write the record of the lesson `path`, which is `published` as it is, a line for each model."""
    lines = [f"{json.dumps(name)}: {json.dumps(one, sort_keys=True)}" for name, one in found["state"].items()]
    about = {"of": published.metadata["clockwork"], "cells": found["cells"]}
    head = json.dumps(about, sort_keys=True).removesuffix("}")
    RECORDS.mkdir(exist_ok=True)
    (RECORDS / f"{path.stem}.json").write_text(head + ', "state": {\n' + ",\n".join(lines) + "\n}}\n", "utf-8")


def kept(path: Path) -> dict | None:
    """Return the record of a lesson as it is now, or None."""
    file = RECORDS / f"{path.stem}.json"
    found = json.loads(file.read_text("utf-8")) if file.exists() else {"of": None}
    return found if found["of"] == read(path).metadata.get("clockwork") else None


def bundles(folder: Path) -> None:
    """Write into `folder` what the server puts into each lesson, under the digest of the lesson's outputs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in lessons.every():
        if found := kept(path):
            cells = {cell.id: bundled(cell, found["cells"].get(cell.id, [])) for cell in lessons.code_cells(read(path))}
            bundle = {"cells": cells, "state": with_modules(found["state"])}
            (folder / f"{found['of']['outputs']}.json").write_text(json.dumps(bundle), "utf-8")


def prepare() -> None:
    """Write the bundles where the server finds them, unless they are those of the course as it is."""
    files = [*lessons.every(), *RECORDS.glob("*"), *(HOME / "src/clockwork").rglob("*.*")]
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


def bundled(cell: nbformat.NotebookNode, models: list[str | None]) -> dict:
    """Return what a bundle has of a cell: how it looks as published, the models of its outputs, and their stills."""
    shown = list(zip(cell.outputs, models or [None] * len(cell.outputs), strict=True))
    stills = [output.data for output, model in shown if model and "image/png" in output.data]
    return {"as": looks(cell), "source": cell.source, "models": [model for _, model in shown], "stills": stills}


def looks(cell: dict) -> str:
    """Return a digest of a cell's text and of what it shows, as jupyter_server_config.py does."""
    shown = [output.get("data", output.get("text")) for output in cell["outputs"]]
    return hashlib.sha256(json.dumps([cell["source"], shown], sort_keys=True).encode()).hexdigest()


def with_modules(state: dict) -> dict:
    """Return models with the JavaScript and style of the installed package: the first of a kind has them, for all."""
    first = {}
    filled = {}
    for name, model in state.items():
        texts = {}
        if kind := model["state"].get("_anywidget_id"):
            module, _, named = kind.rpartition(".")
            found = getattr(importlib.import_module(module), named)
            texts = {"_esm": SHARED.replace("NAME", first.setdefault(kind, name))}
            if first[kind] == name:
                texts = {text: str(getattr(found, text)) for text in TEXTS if hasattr(found, text)}
            version = found._model_module_version.default_value
            texts |= {"_model_module_version": version, "_view_module_version": version}
            model = model | {"model_module_version": version}
        filled[name] = model | {"state": model["state"] | texts}
    return filled


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
