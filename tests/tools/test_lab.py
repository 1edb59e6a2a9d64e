"""Opening the course: JupyterLab starts on the reader's copy, saves no lesson over, and points to no lost widget."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import types
import urllib.error
import urllib.request

import jupyter_client
import nbformat
import pytest
import tornado.web
from tools import lab, processes
from traitlets.config import Config

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


@pytest.fixture
def config(monkeypatch):
    """The server's settings, as its configuration makes them."""
    monkeypatch.delenv("CLOCKWORK_EDIT", raising=False)
    made = Config()
    exec((lab.TOOLS / "jupyter_server_config.py").read_text("utf-8"), {"c": made})
    return made


@pytest.fixture
def save_hook(config):
    return config.ContentsManager.pre_save_hook


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


def test_saving_lets_go_of_widgets_that_are_shown_no_more_but_for_what_ties_those_that_are(save_hook, manager):
    tie = {"model_name": "LinkModel", "state": {"source": ["IPY_MODEL_m1", "position"]}}
    lost = {"model_name": "LinkModel", "state": {"source": ["IPY_MODEL_of an earlier run", "position"]}}
    held = {"m1": {"state": {}}, "of an earlier run": {"state": {}}, "tie": tie, "lost": lost}
    assert saved(save_hook, manager, held)[1].keys() == {"m1", "tie"}


def test_saving_drops_an_ended_bar_of_progress_and_no_other_text(save_hook, manager):
    texts = ["steps:   0%|          | 0/400 [00:00<?, ?it/s]", "IntSlider(value=3)"]
    outputs = [{"data": {VIEW: {"model_id": "gone"}, "text/plain": text}} for text in texts]
    content = {"cells": [{"outputs": [*outputs, {"data": {"text/plain": texts[0]}}]}], "metadata": {}}
    save_hook(model={"type": "notebook", "content": content}, path="x.ipynb", contents_manager=manager)
    assert content["cells"][0]["outputs"] == [{"data": {"text/plain": "IntSlider(value=3)"}}]


def test_saving_other_files_is_left_alone(save_hook, manager):
    save_hook(model={"type": "file", "content": "text"}, path="x.md", contents_manager=manager)
    save_hook(model={"type": "notebook"}, path="x.ipynb", contents_manager=manager)


def test_the_lessons_as_published_are_saved_over_only_by_who_edits_them(save_hook, manager, monkeypatch):
    lesson = {"model": {"type": "file"}, "path": "/notebooks/00_start_here.ipynb", "contents_manager": manager}
    with pytest.raises(tornado.web.HTTPError, match="my-course"):
        save_hook(**lesson)
    monkeypatch.setenv("CLOCKWORK_EDIT", "1")
    save_hook(**lesson)


def test_kernels_train_on_one_thread_unless_the_reader_says_otherwise(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab.LabApp, "launch_instance", lambda options: None)
    monkeypatch.setattr(lab.copies, "update", lambda: lab.copies.Changes([], [], {}, []))
    for said, threads in [({}, "1"), ({"OMP_NUM_THREADS": "3"}, "3")]:
        monkeypatch.setattr(lab.os, "environ", said)
        lab.main([])
        assert said["OMP_NUM_THREADS"] == threads


@pytest.mark.parametrize(("arguments", "folder"), [([], "my-course"), (["--edit"], "notebooks")])
def test_lab_opens_the_readers_copy_and_with_edit_the_lessons_themselves(arguments, folder, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab.os, "environ", {})
    called = []
    monkeypatch.setattr(lab.LabApp, "launch_instance", called.append)
    monkeypatch.setattr(lab.copies, "update", lambda: lab.copies.Changes([], [], {}, []))
    lab.main([*arguments, "--no-browser"])
    assert f"--LabApp.default_url=/lab/tree/{folder}/00_start_here.ipynb" in called[0]
    assert called[0][-1] == "--no-browser" and "--edit" not in called[0]
    assert ("CLOCKWORK_EDIT" in lab.os.environ) is bool(arguments)


TABLE = nbformat.v4.new_output("display_data", {"text/html": "<table>"})
OUT_OF_ORDER = {  # a cell: what must be said when it is run alone, and what not
    "table(8)": ("“table” is made in the lesson's first cell", "Traceback"),
    "codes + 1": ("“codes” is made in a cell further up", "first cell"),
    "hands": ("NameError", "made in"),  # no cell makes it
    "if False:\n    codes = 1\ncodes": ("NameError", "made in"),  # this one should have
    "import abc\nabc.f = eval('lambda: table', vars(abc))\nabc.f()": ("NameError", "made in"),  # another's name
}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """Start a kernel as for a lesson; return its cells, and what runs one and says what it showed."""
    lab.configure(lab.Path(sys.prefix), edit=False)
    path = tmp_path_factory.mktemp("lesson") / "lesson.ipynb"
    sources = ["from pe_helpers.sinusoidal import table", "codes = table(8, 4)", *OUT_OF_ORDER]
    cells = [nbformat.v4.new_code_cell(source, outputs=[TABLE]) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    manager = jupyter_client.KernelManager()
    manager.start_kernel(env=dict(os.environ, JPY_SESSION_NAME=str(path)))
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def run(cell):
        message = client.session.msg("execute_request", {"code": cell.source, "silent": False})
        message["metadata"] = {"cellId": cell.id}
        client.shell_channel.send(message)
        shown = []
        client._recv_reply(message["header"]["msg_id"], timeout=60)
        while (said := client.get_iopub_msg(timeout=60))["content"].get("execution_state") != "idle":
            if said["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                shown.append(json.dumps(said["content"], ensure_ascii=False))
        return "\n".join(shown)

    yield cells, run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("source", OUT_OF_ORDER)
def test_a_cell_run_too_early_says_which_comes_first_and_keeps_its_picture(source, kernel):
    cells, run = kernel
    shown = run(next(cell for cell in cells if cell.source == source))
    says, says_not = OUT_OF_ORDER[source]
    assert says in shown.partition("\n")[2] and says_not not in shown.partition("\n")[2]
    assert ("<table>" in shown) is (says != "NameError")


@pytest.fixture
def checkout(tmp_path):
    """Make what a reader's checkout has that opening the lessons needs."""
    home = tmp_path / "Zoë's course"
    shutil.copytree(lab.TOOLS, home / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "notebooks").mkdir()
    shutil.copy(lab.copies.COURSE / lab.FIRST_LESSON, home / "notebooks")
    yield home
    lab.configure(lab.Path(sys.prefix), edit=False)  # of this checkout again


@pytest.mark.slow
def test_a_reader_works_in_a_copy_and_no_process_is_left_when_the_work_ends_badly(checkout):
    command = [sys.executable, str(checkout / "tools/lab.py"), "--no-browser", "--port=0"]
    with (
        pytest.raises(ZeroDivisionError),
        processes.running(command, stderr=subprocess.PIPE, text=True) as server,
    ):
        mark = processes.psutil.Process(server.pid).environ()[processes.MARK].split()[-1]
        address = next(filter(None, (re.search(r"http://127\S+", line) for line in server.stderr)))[0]
        assert address.partition("?")[0].endswith("/lab/tree/my-course/00_start_here.ipynb")
        base, token = re.match(r"(http://[^/]+)/.*\?token=(\w+)", address).groups()

        ours = checkout / "notebooks/00_start_here.ipynb"
        theirs = checkout / "my-course/00_start_here.ipynb"
        published = ours.read_bytes()
        lesson = ask(base, token, "api/contents/my-course/00_start_here.ipynb")
        lesson["content"]["cells"][0]["source"] = "mine"
        content = {key: lesson[key] for key in ("type", "format", "content")}
        ask(base, token, "api/contents/my-course/00_start_here.ipynb", "PUT", content)
        assert "mine" in theirs.read_text("utf-8")
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            ask(base, token, "api/contents/notebooks/00_start_here.ipynb", "PUT", content)
        assert "my-course/" in json.load(refused.value)["message"], "what JupyterLab's dialog shows"
        assert ours.read_bytes() == published

        answers = urllib.request.Request(f"{base}/lab?token={token}")
        with urllib.request.urlopen(answers) as page:
            off = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page.read().decode(), re.S)[1])
        assert "@jupyter/nbgrader" in str(off["disabledExtensions"]), "the grader brings no menu"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            ask(base, token, "formgrader")

        ask(base, token, "api/kernels", "POST", {"name": "python3"})
        assert len(processes.marked(mark)) >= 2, "the server and its kernel"
        1 / 0
    assert processes.marked(mark) == []


def ask(base, token, path, method="GET", content=None):
    """Call the server's interface; it says where it will listen a moment before it does."""
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(f"{base}/{path}", data, {"Authorization": f"token {token}"}, method=method)
    for _ in range(100):
        try:
            with urllib.request.urlopen(request) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError:
            time.sleep(0.1)
    raise TimeoutError(f"no answer from {base}")
