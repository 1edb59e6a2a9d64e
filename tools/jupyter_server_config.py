"""JupyterLab's server for the course: lessons open alive, published ones stay so, saved ones keep their widgets.

A hub gets this file alone.
"""

import contextlib
import hashlib
import json
import os
import re
from pathlib import Path

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

PUBLISHED = "notebooks"
REFUSED = f"{PUBLISHED}/ holds the lessons as published, so nothing is saved there: your copy to work in is my-course."
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
REFERENCE = "IPY_MODEL_"
BAR = re.compile(r"\d+%\|.*\| \d+/\d+ \[")  # as in tools/copies.py
PUBLISHED_MODEL = "published_"  # how the models of a bundle are named (tools/pictures.py)
PLACE = "data-still="  # where a still goes, as kit/widgets/base.py writes it
DIGEST = re.compile("[0-9a-f]{64}")


class Lessons(AsyncLargeFileManager):
    """The server's files, in which a lesson's pictures are alive before anything has run."""

    async def get(self, path, *arguments, **named):
        """Return a file as the server has it; see `ContentsManager.get`."""
        model = await super().get(path, *arguments, **named)
        if model["type"] == "notebook" and model["content"]:
            enliven(model["content"])
        return model


def enliven(notebook):
    """Put the course's own models into the cells that look as they were published, and trust these.

    Their JavaScript comes from this machine (tools/pictures.py), and nothing in such a cell from elsewhere.
    """
    bundle = bundle_of(notebook)
    for cell in notebook["cells"]:
        found = bundle["cells"].get(cell.get("id"))
        if not found or found["as"] != looks(cell):
            continue
        for output, model in zip(cell["outputs"], found["models"], strict=True):
            if model:
                output["data"][WIDGET_VIEW] = {"version_major": 2, "version_minor": 0, "model_id": model}
        cell["metadata"]["trusted"] = True
    if bundle["state"]:
        put_states(notebook, bundle["state"] | saved_states(notebook))


def with_stills(notebook):
    """Put what was published of a picture beside its view, where a lesson's code was run as it stands there.

    A view that a kernel has made has only its words beside it, which name the model: whoever shows no widgets shows
    nothing else, and the lesson would count as changed.
    """
    cells = bundle_of(notebook)["cells"]
    for cell in notebook.get("cells", []):
        found = cells.get(cell.get("id"))
        if not found or found["source"] != "".join(cell["source"]):
            continue
        made = [output["data"] for output in cell["outputs"] if PLACE in html_of(output)]
        for data, still in zip(made, found["stills"], strict=False):
            data.update(still)


def html_of(output):
    """Return what an output shows as HTML."""
    return "".join(output.get("data", {}).get("text/html", ""))


def on_paper(notebook, resources):
    """Leave out live views for pages that are shown without a server: their JavaScript would come from the network."""
    with_stills(notebook)
    for data in bundles(notebook):
        if len(data) > 1:
            data.pop(WIDGET_VIEW, None)
    if not any(WIDGET_VIEW in data for data in bundles(notebook)):
        notebook["metadata"].pop("widgets", None)
    return notebook, resources


def bundle_of(notebook):
    """Return the models of a lesson's pictures, and how its cells looked when they were published."""
    digest = notebook.get("metadata", {}).get("clockwork", {}).get("outputs", "")
    if DIGEST.fullmatch(digest):
        place = Path(os.environ.get("CLOCKWORK_PICTURES") or Path(__file__).parent.parent / "build/pictures")
        with contextlib.suppress(FileNotFoundError):
            return json.loads((place / f"{digest}.json").read_text("utf-8"))
    return {"cells": {}, "state": {}}


def looks(cell):
    """Return a digest of a cell's text and of what it shows, as tools/pictures.py does."""
    shown = [output.get("data", output.get("text")) for output in cell["outputs"]]
    return hashlib.sha256(json.dumps([cell["source"], shown], sort_keys=True).encode()).hexdigest()


def before_save(model, path, contents_manager, **_):
    """Put back the state of shown widgets whose kernel has ended, and drop a view that has no state at all.

    What is left of a bar of progress that has ended goes too: it would stand there at 0% for ever.

    JupyterLab saves the state of widgets with a running kernel only; opened the next day and saved, the notebook would
    lose them. What the file on disk still holds of the widgets in the outputs is kept.

    Raises:
        HTTPError: the file is a lesson as published, and the server was not started to edit these.
    """
    if path.strip("/").startswith(f"{PUBLISHED}/") and not os.environ.get("CLOCKWORK_EDIT"):
        name = path.rpartition("/")[2]
        remedy = f"To keep your work: File, Save … As, and put my-course/mine_{name} as the path."
        raise HTTPError(403, f"{REFUSED} {remedy}", reason=REFUSED)  # the dialog shows the message
    if model["type"] != "notebook" or not isinstance(model.get("content"), dict):
        return
    with_stills(model["content"])
    views = [data for data in bundles(model["content"]) if WIDGET_VIEW in data]
    wanted = {data[WIDGET_VIEW].get("model_id", "") for data in views}
    wanted = {key for key in wanted if not key.startswith(PUBLISHED_MODEL)}
    states = saved_states(model["content"])
    if wanted - set(states):
        states = saved_states(on_disk(contents_manager, path)) | states
    states = needed(wanted, states)
    put_states(model["content"], states)
    for cell in model["content"].get("cells", []):
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if not is_ended_bar(output, states)]
    for data in views:
        if len(data) > 1 and data[WIDGET_VIEW].get("model_id", "") not in states:
            del data[WIDGET_VIEW]


def is_ended_bar(output, states):
    """Say whether an output was a bar of progress and has neither a view nor anything but its last line of text."""
    data = output.get("data", {})
    bare = "text/plain" in data and set(data) <= {WIDGET_VIEW, "text/plain"}
    alive = data.get(WIDGET_VIEW, {}).get("model_id") in states
    return bare and not alive and bool(BAR.search("".join(data["text/plain"])))


def on_disk(contents_manager, path):
    """Return the notebook as it was saved last, or an empty one."""
    try:
        return json.loads(Path(contents_manager.root_dir, path).read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def bundles(notebook):
    """List what the outputs of a notebook show."""
    outputs = [output for cell in notebook.get("cells", []) for output in cell.get("outputs", [])]
    return [output["data"] for output in outputs if "data" in output]


def saved_states(notebook):
    """Return the state of each widget that a notebook holds."""
    return notebook.get("metadata", {}).get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})


def put_states(notebook, states):
    """Let a notebook hold these states of widgets, or none."""
    metadata = notebook.setdefault("metadata", {})
    if states:
        metadata["widgets"] = {WIDGET_STATE: {"version_major": 2, "version_minor": 0, "state": states}}
    else:
        metadata.pop("widgets", None)


def needed(keys, states):
    """Return the states of the named widgets, of all that these refer to, and of the links between any of them."""
    found = {}
    waiting = [key for key in keys if key in states]
    while waiting:
        key = waiting.pop()
        if key in found or key not in states:
            continue
        found[key] = states[key]
        waiting += references(states[key])
    ties = {key: tie for key, tie in states.items() if tie.get("model_name") in ("LinkModel", "DirectionalLinkModel")}
    return found | {key: tie for key, tie in ties.items() if found.keys() & set(references(tie))}


def references(model):
    """List the models that a model names."""
    return [text.removeprefix(REFERENCE) for text in texts(model) if text.startswith(REFERENCE)]


def texts(value):
    """Yield every text inside a value that JSON can carry."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


c.ContentsManager.pre_save_hook = before_save
c.ServerApp.contents_manager_class = Lessons
c.HTMLExporter.preprocessors = [on_paper]
