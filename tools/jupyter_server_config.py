"""JupyterLab's server as the course wants it: lessons as published stay so, and saved ones keep their widgets."""

import json
import os
import re
from pathlib import Path

from tornado.web import HTTPError

PUBLISHED = "notebooks"
REFUSED = f"{PUBLISHED}/ holds the lessons as published, so nothing is saved there: your copy to work in is my-course."
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
REFERENCE = "IPY_MODEL_"
BAR = re.compile(r"\d+%\|.*\| \d+/\d+ \[")  # as in tools/copies.py: a hub gets this file alone


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
    views = [data for data in bundles(model["content"]) if WIDGET_VIEW in data]
    wanted = {data[WIDGET_VIEW].get("model_id", "") for data in views}
    states = saved_states(model["content"])
    if wanted - set(states):
        states = needed(wanted, saved_states(on_disk(contents_manager, path))) | states
        if states:
            widgets = model["content"].setdefault("metadata", {}).setdefault("widgets", {})
            widgets[WIDGET_STATE] = {"version_major": 2, "version_minor": 0, "state": states}
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


def needed(keys, states):
    """Return the states of the named widgets and of all that these refer to."""
    found = {}
    waiting = [key for key in keys if key in states]
    while waiting:
        key = waiting.pop()
        if key in found or key not in states:
            continue
        found[key] = states[key]
        waiting += [text.removeprefix(REFERENCE) for text in texts(states[key]) if text.startswith(REFERENCE)]
    return found


def texts(value):
    """Yield every text inside a value that JSON can carry."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


c.ContentsManager.pre_save_hook = before_save
