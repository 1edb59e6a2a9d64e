"""Where the lessons lie, and how one is executed so that running it twice on one machine changes no byte.

A lesson records a digest of its code and of the outputs that this code produced; the tests compare them.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbclient import NotebookClient

from tools import decided

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
QUIET = {"TQDM_DISABLE": "1", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}  # one thread: sums come in one order
QUIET["CLOCKWORK_PRETRAINED"] = os.devnull  # lesson 11 as it is without the model, on every machine
USAGE = """
import json, os, pathlib, psutil, re, time
memory = psutil.Process().memory_info()
peak = getattr(memory, "peak_wset", 0)
status = pathlib.Path("/proc/self/status")
if status.exists():  # getrusage would tell of the process that the kernel was forked from, too
    peak = 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1])
elif not peak:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
times = os.times()
print(json.dumps([time.process_time() + times.children_user + times.children_system, peak]))
"""


def every(folder: Path = NOTEBOOKS) -> list[Path]:
    """List the lessons and, in deeper/, their side paths."""
    return mains(folder) + sorted(folder.glob("deeper/*.ipynb"))


def mains(folder: Path = NOTEBOOKS) -> list[Path]:
    """List the lessons without their side paths."""
    return sorted(folder.glob("*.ipynb"))


def whole(path: Path) -> list[Path]:
    """List a lesson and, where it has one, the notebook of its side paths: `deeper/02_deeper.ipynb` of lesson 02."""
    number = path.stem.split("_")[0]
    return [path, *sorted(path.parent.glob(f"deeper/{number}_*.ipynb"))]


class Run(NamedTuple):
    """An executed notebook with what its kernel used."""

    notebook: nbformat.NotebookNode
    cpu_seconds: float
    peak_bytes: int
    said: dict[str, decided.Said]  # what the runs decide, by question (decided.py)


def execute(path: Path, store_widget_state: bool = False) -> Run:
    """Run a notebook from top to bottom in a fresh kernel and measure it; the file is not touched."""
    notebook = nbformat.read(path, as_version=4)
    decided.watch(notebook)
    notebook.cells.append(nbformat.v4.new_code_cell(USAGE))
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=store_widget_state,
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute(env=dict(os.environ, **QUIET))
    cpu_seconds, peak_bytes = json.loads(notebook.cells.pop().outputs[0].text)
    said = decided.heard(notebook)
    return Run(notebook, cpu_seconds, peak_bytes, said)


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Drop what differs from run to run or needs a kernel to be seen, and record the digests."""
    for cell in code_cells(notebook):
        veil(cell)
        cell.outputs = [output for output in cell.outputs if not is_bare_widget(output)]
        for output in cell.outputs:
            output.get("data", {}).pop(WIDGET_VIEW, None)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "clockwork": {"code": digest_of_code(notebook), "outputs": digest_of_outputs(notebook)},
    }
    return nbformat.from_dict(notebook)


def veil(cell: nbformat.NotebookNode) -> None:
    """Fold the output of a cell with a tag `veil:<question>` in JupyterLab, Notebook 7 and on the site.

    Where its code tells the answer, too, the tag `hide-input` folds the code. Code that is folded anyway stays so.
    """
    tags = cell.metadata.get("tags", [])
    folded = "hide-input" in tags or cell.metadata.get("jupyter", {}).get("source_hidden")
    if any(tag.startswith("veil:") for tag in tags):
        cell.metadata["tags"] = list(dict.fromkeys([*tags, "hide-output"]))
        cell.metadata["jupyter"] = {"outputs_hidden": True}
        if folded:
            cell.metadata["jupyter"]["source_hidden"] = True


def is_bare_widget(output: nbformat.NotebookNode) -> bool:
    """Say whether an output would be nothing but an object's name once its live view is gone."""
    return WIDGET_VIEW in output.get("data", {}) and set(output.data) <= {WIDGET_VIEW, "text/plain"}


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """List the code cells that hold code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def digest_of_code(notebook: nbformat.NotebookNode) -> str:
    """Return the digest of all code, in order."""
    return _digest([cell.source for cell in code_cells(notebook)])


def digest_of_outputs(notebook: nbformat.NotebookNode) -> str:
    """Return the digest of all outputs, in order."""
    return _digest([cell.outputs for cell in code_cells(notebook)])


def _digest(parts: list) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
