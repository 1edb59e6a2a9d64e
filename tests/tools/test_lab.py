"""Opening the course: JupyterLab starts on the first lesson, and a saved lesson never points to a lost widget."""

import json
import re
import runpy
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
    runpy.run_path(str(lab.TOOLS / "jupyter_server_config.py"), init_globals={"c": configured})
    return configured.ContentsManager.pre_save_hook


def saved(save_hook, state):
    data = {VIEW: {"model_id": "m1"}, "image/png": "...", "text/plain": "a clock"}
    content = {
        "cells": [{"outputs": [{"data": data}]}, {"outputs": []}, {}],
        "metadata": {"widgets": {STATE: {"state": state}}},
    }
    save_hook(model={"type": "notebook", "content": content}, path="x.ipynb", contents_manager=None)
    return data


def test_saving_keeps_a_live_view_whose_state_is_in_the_file(save_hook):
    assert VIEW in saved(save_hook, {"m1": {}})


def test_saving_leaves_the_picture_where_the_state_is_missing(save_hook):
    assert set(saved(save_hook, {})) == {"image/png", "text/plain"}


def test_saving_other_files_is_left_alone(save_hook):
    save_hook(model={"type": "file", "content": "text"}, path="x.md", contents_manager=None)
    save_hook(model={"type": "notebook"}, path="x.ipynb", contents_manager=None)


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
