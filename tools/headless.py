"""Start a browser without a window, and the course's JupyterLab for it: for tests, benchmarks and screenshots."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import nbformat

from tools import processes

HOME = Path(__file__).resolve().parent.parent
HOW_TO_GET_IT = "no browser was found: install Debian's chromium package, or Chrome"
SETTINGS = {  # beside the course's own: every cell stands on the page, whether in sight or not
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
PLACES = {
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "IPYTHONDIR": "ipython",
    "CLOCKWORK_ANSWERS": "answers.json",
}
OUTPUTS = """() => jupyterapp.shell.currentWidget.content.widgets.flatMap((cell, i) => {
  if (cell.model.type !== "code") return [];
  const outputs = cell.outputArea.model, found = [];
  for (let j = 0; j < outputs.length; j += 1) {
    const id = outputs.get(j).data["application/vnd.jupyter.widget-view+json"]?.model_id;
    if (id) cell.outputArea.node.querySelectorAll(".pe").forEach((root) => { root.dataset.cell = i; });
    if (id) found.push([i, id]);
  }
  return found;
})"""
FAILED = """() => jupyterapp.shell.currentWidget.content.widgets.filter((cell) => cell.model.type === "code")
    .flatMap((cell) => cell.outputArea.model.toJSON()).filter((output) => output.output_type === "error")
    .map((output) => output.evalue)"""
ASK = """async (code) => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const done = await kernel.requestExecute({code: "", user_expressions: {v: code}, store_history: false}).done;
  const v = done.content.user_expressions.v;
  if (v.status !== "ok") throw new Error(v.evalue);
  return v.data["text/plain"];
}"""
IDLE = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


def chromium_path() -> str | None:
    """Return the path of a browser, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def chromium():
    """Start a browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextlib.contextmanager
def lab(folder: Path, answers: Path | None = None):
    """Start the course's JupyterLab on `folder`, apart from the user's configuration; yield its address.

    `answers` is the reader's file, by default one that ends with the server.
    """
    from tools import pictures

    pictures.prepare()  # here the server's start need not wait for it
    with serving(folder, [str(HOME / "tools/lab.py"), "--edit"], answers) as address:
        yield f"{address}/lab"


@contextlib.contextmanager
def notebook_7(folder: Path):
    """Start Notebook 7 on `folder`, as it is in the course's environment; yield its address."""
    from tools import lab

    lab.configure(Path(sys.prefix), edit=False)
    with serving(folder, ["-m", "notebook", "--allow-root"]) as address:
        yield address


@contextlib.contextmanager
def serving(folder: Path, program: list[str], answers: Path | None = None):
    """Start a program of Jupyter's on `folder`, apart from the user's configuration; yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        for name, values in SETTINGS.items():
            file = home / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        environment = os.environ | {name: str(home / folder) for name, folder in PLACES.items()} | {"TQDM_DISABLE": "1"}
        if answers:
            environment["CLOCKWORK_ANSWERS"] = str(answers)
        command = [sys.executable, *program, "--no-browser", "--expose-app-in-browser"]
        command += [f"--ServerApp.port={port}", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
        with (
            (home / "log").open("w") as log,
            processes.running(command, environment, stdout=log, stderr=log) as process,
        ):
            yield wait_for(f"http://127.0.0.1:{port}", process, home / "log")


def wait_for(address: str, process: subprocess.Popen, log: Path) -> str:
    """Return `address` once something answers there."""
    for _ in range(1200):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=5).close()
            return address
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")


def write_notebook(path: Path, sources: list[str]) -> None:
    """Write a notebook of code cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)


def open_notebook(page, address: str, name: str) -> None:
    """Open a notebook, run all of it and raise what a cell raised."""
    page.goto(f"{address}/tree/{name}?reset")
    page.wait_for_function(IDLE, timeout=120_000)
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    if failed := page.evaluate(FAILED):
        raise RuntimeError(f"a cell failed: {failed}")


def count_traffic(page, naming: str = "") -> list[int]:
    """Return a list that will grow by the size of every frame on a socket of `page` in which `naming` occurs."""
    traffic = []

    def count(data):
        if naming.encode() in (data.encode() if isinstance(data, str) else data):
            traffic.append(len(data))

    page.on("websocket", lambda wire: (wire.on("framesent", count), wire.on("framereceived", count)))
    return traffic
