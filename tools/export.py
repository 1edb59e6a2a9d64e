"""Write the lessons as pages that need neither kernel nor network: the sliders work, and without JavaScript the stills
remain.

`python3 course.py export` writes all lessons into export/, `python3 course.py export 03` those whose names begin so.
Only the cells that a widget depends on are executed; every other output is the committed one.
"""

import ast
import base64
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import nbformat
from nbclient import NotebookClient

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.lessons import WIDGET_VIEW, is_bare_widget

HOME = Path(__file__).resolve().parent.parent
NOTEBOOKS = HOME / "notebooks"
EXPORT = HOME / "export"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
MATHJAX = "mathjax@3.2.2"
HOST = Path(__file__).with_name("host.js")
STYLE = Path(__file__).with_name("export.css")


def main(prefixes: list[str]) -> int:
    """Write the pages of the named lessons (all when none is named), an index, and MathJax beside them."""
    lessons = [path for path in sorted(NOTEBOOKS.glob("*.ipynb")) if path.name.startswith(tuple(prefixes or [""]))]
    if not lessons:
        print(f"export: no lesson in {NOTEBOOKS.name}/ begins with {' or '.join(prefixes)}", file=sys.stderr)
        return 1
    EXPORT.mkdir(exist_ok=True)
    if problem := vendor_mathjax(EXPORT / "mathjax"):
        print(f"export: {problem}", file=sys.stderr)
        return 1
    titles = {}
    for stem, (page, titles[stem]) in pages(lessons).items():
        (EXPORT / f"{stem}.html").write_text(page, encoding="utf-8")
        print(f"export/{stem}.html: {len(page) / 1000:.0f} kB", flush=True)
    links = "".join(f'<li><a href="{stem}.html">{html.escape(title)}</a></li>' for stem, title in titles.items())
    (EXPORT / "index.html").write_text(document("Clockwork", f"<h1>Clockwork</h1><ol start=0>{links}</ol>"), "utf-8")
    return 0


def vendor_mathjax(folder: Path) -> str | None:
    """Put MathJax's one file into `folder`; return what is wrong, or None."""
    target = folder / "tex-svg.js"
    if target.exists():
        return None
    npm = shutil.which("npm")
    if not npm:
        return "npm is missing, and the formulas need MathJax from it: install Node.js, then run the command again"
    with tempfile.TemporaryDirectory() as work:
        command = [npm, "install", "--prefix", work, "--no-audit", "--no-fund", "--ignore-scripts", "--silent", MATHJAX]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
            return f"npm could not fetch {MATHJAX}: check the network, then run the command again"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("es5/tex-svg.js", "LICENSE"):
            shutil.copy(Path(work) / "node_modules/mathjax" / name, folder)
    return None


def pages(lessons: list[Path], opening: str = "") -> dict[str, tuple[str, str]]:
    """Return the page of each lesson and its title, by the lesson's name; `opening` as for `run_widgets`."""
    notebooks = {path.stem: nbformat.read(path, as_version=4) for path in lessons}
    state = run_widgets(list(notebooks.values()), opening)
    return {stem: page_of(notebook, state) for stem, notebook in notebooks.items()}


def page_of(notebook: nbformat.NotebookNode, state: dict) -> tuple[str, str]:
    """Return the page of one lesson, with those models of `state` that it shows, and its title."""
    from nbconvert.exporters import HTMLExporter

    outputs = [output for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    shown = [output.data[WIDGET_VIEW]["model_id"] for output in outputs if WIDGET_VIEW in output.data]
    for output in outputs:
        output.data = readable(output.data)
    exporter = HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)
    body, _ = exporter.from_notebook_node(notebook)
    body = re.sub(r'href="(\d\d_\w+)\.ipynb', r'href="\1.html', body)
    title = notebook.cells[0].source.splitlines()[0].lstrip("# ")
    return document(title, body, reachable(state, shown)), title


def reachable(state: dict, shown: list[str]) -> dict:
    """Return the models that are shown, those that they refer to, and the links between any of these."""
    found = {}
    queue = list(shown)
    while queue:
        key = queue.pop()
        if key in state and key not in found:
            found[key] = state[key]
            queue += references(state[key])
    ties = {key: model for key, model in state.items() if model["state"]["_model_name"].endswith("LinkModel")}
    return found | {key: tie for key, tie in ties.items() if found.keys() & set(references(tie))}


def references(model: dict) -> list[str]:
    """List the models that a model names."""
    return re.findall(r'"IPY_MODEL_(\w+)"', json.dumps(model["state"]))


def readable(data: dict) -> dict:
    """Keep the one form of an output that a page shows: its HTML round which the live widget will be mounted."""
    if WIDGET_VIEW in data:
        still = data.get("text/html") or f"<pre>{html.escape(data.get('text/plain', ''))}</pre>"
        return {"text/html": f'<div data-widget="{data[WIDGET_VIEW]["model_id"]}">{still}</div>'}
    return {"text/html": data["text/html"]} if "text/html" in data else data


def run_widgets(notebooks: list[nbformat.NotebookNode], opening: str = "") -> dict:
    """Execute what the widgets need, in one kernel; put their outputs into the notebooks, return all models' state.

    `opening` is executed before all else.
    """
    cells = [notebook.cells[i] for notebook in notebooks for i in widget_cells(notebook)]
    if not cells:
        return {}
    sources = [opening, *(cell.source for cell in cells)]
    part = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    folder = {"metadata": {"path": str(NOTEBOOKS)}}
    client = NotebookClient(part, timeout=600, kernel_name="python3", store_widget_state=True, resources=folder)
    client.execute(env=dict(os.environ, TQDM_DISABLE="1", PYTHONHASHSEED="0"))
    state = part.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    for cell, done in zip(cells, part.cells[1:], strict=True):
        shown = [output for output in done.outputs if not is_bar(output, state)]
        if any(WIDGET_VIEW in output.get("data", {}) for output in shown):
            cell.outputs = shown
    return state


def is_bar(output: nbformat.NotebookNode, state: dict) -> bool:
    """Say whether an output was the bar of something in progress: a box without a still."""
    model = output.get("data", {}).get(WIDGET_VIEW, {}).get("model_id")
    return is_bare_widget(output) and state.get(model, {}).get("model_name") != "AnyModel"


def widget_cells(notebook: nbformat.NotebookNode) -> list[int]:
    """List the cells that show widgets, and those from which the names that they use come, in order."""
    codes = {i: names(cell.source) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
    made = set()
    needed = set()
    for i, (binds, _, shows, last) in codes.items():
        if not shows and not last & made:
            continue
        made |= binds if shows else set()
        cells = {i}
        queue = [i]
        while queue:
            at = queue.pop()
            for name in codes[at][1]:
                source = max((j for j in codes if j < at and name in codes[j][0]), default=at)
                if source not in cells:
                    cells.add(source)
                    queue.append(source)
        needed |= cells
    return sorted(needed)


def names(source: str) -> tuple[set[str], set[str], bool, set[str]]:
    """Return the names that a cell binds, those it uses, whether it makes a widget, and the name it ends with."""
    tree = ast.parse("\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()))
    binds = set()
    uses = set()
    shows = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (uses if isinstance(node.ctx, ast.Load) else binds).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            binds.add(node.name)
        elif isinstance(node, ast.alias):
            binds.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "widgets":
            shows = True
    end = tree.body[-1] if tree.body else None
    last = {end.value.id} if isinstance(end, ast.Expr) and isinstance(end.value, ast.Name) else set()
    return binds, uses, shows, last


def document(title: str, body: str, state: dict | None = None) -> str:
    """Return a whole page: style, body, and, where there are widgets, their data and the host that mounts them."""
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title><style>{STYLE.read_text('utf-8')}</style>",
        '<script>MathJax = {tex: {inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]]}}</script>',
        f'<script defer src="mathjax/tex-svg.js"></script></head><body><main>{body}</main>',
    ]
    if state:
        data = base64.b64encode(zlib.compress(json.dumps(pack(state), separators=(",", ":")).encode(), 9)).decode()
        parts.append(f'<script type="text/plain" id="clockwork">{data}</script>')
        parts.append(f'<script type="module">{HOST.read_text("utf-8")}</script>')
    return "\n".join([*parts, "</body></html>"])


def pack(state: dict) -> dict:
    """Return the models with each source text held once."""
    texts = {}
    models = {}
    for key, model in state.items():
        kept = {name: value for name, value in model["state"].items() if name in KEPT or not name.startswith("_")}
        for name in ("_esm", "_css"):
            if name in kept:
                kept[name] = texts.setdefault(kept[name], len(texts))
        models[key] = {"state": kept, "buffers": model.get("buffers", [])}
    return {"texts": list(texts), "models": models}


KEPT = {"_esm", "_css", "_model_name"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
