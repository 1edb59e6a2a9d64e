"""Opening the course: JupyterLab starts on the first lesson, and a saved lesson never points to a lost widget."""

import json
import re
import subprocess
import sys
import time
import types
import urllib.error
import urllib.request

import pytest
from tools import lab

VIEW, STATE = "application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json"


@pytest.fixture
def save_hook():
    configured = types.SimpleNamespace(ContentsManager=types.SimpleNamespace())
    exec((lab.TOOLS / "jupyter_server_config.py").read_text("utf-8"), {"c": configured})
    return configured.ContentsManager.pre_save_hook


@pytest.fixture
def manager(tmp_path):
    return types.SimpleNamespace(root_dir=str(tmp_path))


def notebook(state):
    data = {VIEW: {"model_id": "m1"}, "image/png": "...", "text/plain": "a clock"}
    cells = [{"outputs": [{"data": data}]}, {"outputs": []}, {}]
    return {"cells": cells, "metadata": {"widgets": {STATE: {"state": state}}} if state else {}}


def saved(save_hook, manager, state):
    """Save a notebook that shows the widget m1; return what its cell shows, and the widgets' state."""
    content = notebook(state)
    save_hook(model={"type": "notebook", "content": content}, path="x.ipynb", contents_manager=manager)
    states = content["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    return content["cells"][0]["outputs"][0]["data"], states


def test_saving_keeps_a_live_view_whose_state_is_in_the_file(save_hook, manager):
    data, states = saved(save_hook, manager, {"m1": {}})
    assert VIEW in data and states == {"m1": {}}


def test_saving_leaves_the_picture_where_the_state_is_missing(save_hook, manager):
    data, states = saved(save_hook, manager, {})
    assert set(data) == {"image/png", "text/plain"} and states == {}


def test_saving_without_a_kernel_keeps_the_widgets_that_are_shown_and_all_they_refer_to(save_hook, manager, tmp_path):
    linked = {"m1": {"state": {"cursor": "IPY_MODEL_m2", "rows": [{"of": ["IPY_MODEL_m3"]}]}}, "m2": {}, "m3": {}}
    (tmp_path / "x.ipynb").write_text(json.dumps(notebook(linked | {"shown nowhere": {}})))
    data, states = saved(save_hook, manager, {})
    assert VIEW in data and states == linked


def test_what_is_saved_now_goes_before_what_was_saved_then(save_hook, manager, tmp_path):
    (tmp_path / "x.ipynb").write_text(json.dumps(notebook({"m1": {"state": {"position": 1}}})))
    assert saved(save_hook, manager, {"m1": {"state": {"position": 2}}})[1]["m1"]["state"] == {"position": 2}


def test_saving_other_files_is_left_alone(save_hook, manager):
    save_hook(model={"type": "file", "content": "text"}, path="x.md", contents_manager=manager)
    save_hook(model={"type": "notebook"}, path="x.ipynb", contents_manager=manager)


def patiently(address, tries=100):
    """Read an address of a server that says where it will listen a moment before it does."""
    for _ in range(tries):
        try:
            with urllib.request.urlopen(address) as reply:
                return reply.read()
        except urllib.error.URLError:
            time.sleep(0.1)
    raise TimeoutError(f"no answer from {address}")


def test_kernels_train_on_one_thread_unless_the_reader_says_otherwise(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab.LabApp, "launch_instance", lambda options: None)
    for said, threads in [({}, "1"), ({"OMP_NUM_THREADS": "3"}, "3")]:
        monkeypatch.setattr(lab.os, "environ", said)
        lab.main([])
        assert said["OMP_NUM_THREADS"] == threads


@pytest.mark.slow
def test_lab_serves_the_first_lesson_and_saves_widget_state():
    server = subprocess.Popen(
        [sys.executable, lab.TOOLS / "lab.py", "--no-browser", "--port=0"], stderr=subprocess.PIPE, text=True
    )
    try:
        address = next(filter(None, (re.search(r"http://127\S+", line) for line in server.stderr)))[0]
        assert address.partition("?")[0].endswith("/lab/tree/notebooks/00_start_here.ipynb")
        base, token = re.match(r"(http://[^/]+)/.*(\?token=\w+)", address).groups()
        settings = json.loads(patiently(f"{base}/lab/api/settings/@jupyter-widgets/jupyterlab-manager:plugin{token}"))
        assert settings["schema"]["properties"]["saveState"]["default"] is True
    finally:
        server.terminate()
        server.communicate(timeout=20)
