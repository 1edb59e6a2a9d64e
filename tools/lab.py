"""Open the reader's copy of the lessons in JupyterLab; `--edit` opens the course's own; the rest goes to JupyterLab."""

import contextlib
import json
import os
import sys
import warnings
from pathlib import Path

import zmq
from jupyterlab.labapp import LabApp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import copies

TOOLS = Path(__file__).resolve().parent
FIRST_LESSON = "00_start_here.ipynb"
SETTINGS = {
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}


def main(arguments: list[str]) -> None:
    """Bring the reader's copy up to date, write the settings into the environment and start the server."""
    edit = "--edit" in arguments
    arguments = [argument for argument in arguments if argument != "--edit"]
    if edit:
        os.environ["CLOCKWORK_EDIT"] = "1"
    else:
        copies.tell(copies.update(), quiet=True)
    overrides = Path(sys.prefix) / "share/jupyter/lab/settings/overrides.json"
    overrides.parent.mkdir(parents=True, exist_ok=True)
    overrides.write_text(json.dumps(SETTINGS, indent=2))
    folder = copies.COURSE if edit else copies.COPY
    options = [
        f"--LabApp.default_url=/lab/tree/{folder.name}/{FIRST_LESSON}",
        f"--config={TOOLS / 'jupyter_server_config.py'}",
        "--log-level=ERROR",  # the address is printed all the same
        "--LabApp.log_level=ERROR",
    ]
    if zmq.has("curve"):
        options.append("--KernelManager.transport_encryption=auto")  # or each kernel warns of it in the terminal
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the lessons' models are small: more threads wait for each other
    warnings.filterwarnings("ignore", "Overriding existing pre_save_hook")  # both parts of JupyterLab read the file
    os.chdir(TOOLS.parent)
    print(f"Clockwork: opening {folder.name}/{FIRST_LESSON} in your browser; Ctrl+C twice here stops it.", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        LabApp.launch_instance([*options, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
