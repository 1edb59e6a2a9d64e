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

from tools import copies, pictures

TOOLS = Path(__file__).resolve().parent
CONFIG = TOOLS / "jupyter_server_config.py"
FIRST_LESSON = "00_start_here.ipynb"
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}
KERNELS = "c = get_config()\nc.InteractiveShellApp.extensions.append('clockwork.out_of_order')\n"
NBGRADER = ("formgrader", "validate_assignment", "assignment_list", "course_list")  # the grader uses none of them


def main(arguments: list[str]) -> None:
    """Bring the reader's copy up to date, write the settings into the environment and start the server."""
    edit = "--edit" in arguments
    arguments = [argument for argument in arguments if argument != "--edit"]
    if edit:
        os.environ["CLOCKWORK_EDIT"] = "1"
    else:
        copies.tell(copies.update(), quiet=True)
    configure(Path(sys.prefix), edit)
    pictures.prepare()
    folder = copies.COURSE if edit else copies.COPY
    options = [
        f"--LabApp.default_url=/lab/tree/{folder.name}/{FIRST_LESSON}",
        f"--config={CONFIG}",
        "--log-level=ERROR",  # the address is printed all the same
        "--LabApp.log_level=ERROR",
    ]
    if not edit:
        options += [f"--ServerApp.jpserver_extensions=nbgrader.server_extensions.{part}=False" for part in NBGRADER]
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


def configure(environment: Path, edit: bool) -> None:
    """Write into the environment what JupyterLab, Jupyter Notebook, nbconvert and the kernels read there.

    Notebook 7 refuses to save over the published lessons, too. A reader who has installed the grader sees no menu of
    nbgrader.
    """
    nbgrader = {"disabledExtensions": {"@jupyter/nbgrader": not edit}}
    files = {
        "share/jupyter/lab/settings/overrides.json": json.dumps(SETTINGS, indent=2),
        "etc/jupyter/labconfig/page_config.json": json.dumps(nbgrader, indent=2),
        "etc/jupyter/jupyter_server_config.py": f"load_subconfig({str(CONFIG)!r})\n",
        "etc/jupyter/jupyter_nbconvert_config.py": f"load_subconfig({str(CONFIG)!r})\n",
        "etc/ipython/ipython_kernel_config.py": KERNELS,
    }
    for name, text in files.items():
        (environment / name).parent.mkdir(parents=True, exist_ok=True)
        (environment / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
