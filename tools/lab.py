"""Open JupyterLab on the first lesson, with the settings that the widgets need; further arguments go to JupyterLab."""

import json
import os
import sys
from pathlib import Path

from jupyterlab.labapp import LabApp

TOOLS = Path(__file__).resolve().parent
FIRST_LESSON = "notebooks/00_start_here.ipynb"
SETTINGS = {
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}


def main(arguments: list[str]) -> None:
    """Write the settings into the environment and start the server."""
    overrides = Path(sys.prefix) / "share/jupyter/lab/settings/overrides.json"
    overrides.parent.mkdir(parents=True, exist_ok=True)
    overrides.write_text(json.dumps(SETTINGS, indent=2))
    options = [f"--LabApp.default_url=/lab/tree/{FIRST_LESSON}", f"--config={TOOLS / 'jupyter_server_config.py'}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the lessons' models are small: more threads wait for each other
    os.chdir(TOOLS.parent)
    LabApp.launch_instance([*options, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
