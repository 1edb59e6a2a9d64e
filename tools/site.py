"""Write the course as a web site into build/site/: `python3 course.py site`; `--serve` shows it.

The pages are built by Sphinx from the committed notebooks. Only the cells that a widget depends on are executed, once:
the widgets' state is kept in build/widgets/ until these cells or the package change.
"""

import argparse
import base64
import concurrent.futures
import functools
import hashlib
import html
import http.server
import importlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat

from clockwork.kit import configurations
from clockwork.kit.playground import bundle, recorded, widget
from clockwork.kit.widgets.words import inline
from clockwork.lessons.lesson_12 import plain_reading
from tools import asked, colab, dark, formulas, searching, widget_states
from tools.lessons import WIDGET_VIEW, every, mains, whole

HOME = Path(__file__).resolve().parent.parent
NOTEBOOKS = HOME / "notebooks"
SITE = HOME / "site"
BUILD = HOME / "build"
SOURCE = BUILD / "site-source"  # what Sphinx reads: the pages of site/ and the lessons, made ready
WIDGETS = BUILD / "widgets"
FIGURES = BUILD / "figures-dark"  # kept from build to build
DARKENING = Path(dark.__file__).read_bytes()  # other code makes other pictures
VENDOR = BUILD / "npm"
MICROPYTHON = "@micropython/micropython-webassembly-pyscript"
FONTS = {  # the files of each that the style sheet names
    "@fontsource-variable/inter": ("latin-wght-normal", "latin-wght-italic", "greek-wght-normal"),
    "@fontsource-variable/jetbrains-mono": ("latin-wght-normal",),
}
NPM_PACKAGES = ("mathjax@3.2.2", "minisearch@7.2.0", f"{MICROPYTHON}@1.27.0", *(f"{font}@5.3.0" for font in FONTS))
IMAGE = re.compile(r'<img ([^>]*)src="data:image/png;base64,([^"]+)"([^>]*)>')
LINK = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")
PATH = re.compile(r"^<details><summary>(?!Hint|Solution)(.*?)</summary>", flags=re.M)
HEADING = re.compile(r"\]\((deeper/)?((?:\d\w+\.ipynb)?)#((?:[^()]|\([^()]*\))+)\)")  # as JupyterLab has it
PROMISE = re.compile(r"^\*\*(You will be able to)\*\*\n((?:- .+\n)+)", flags=re.M)  # folded: a picture comes first
CHECK = re.compile(r"^checks\.(\w+)\(", flags=re.M)
SOURCES = HOME / "src"
ROOM = re.compile(r"lesson_\d+\w*")
PLAIN_CHECKS = "clockwork/lessons/lesson_{}/plain_checks.py"  # what MicroPython runs in a page
READING = tuple(
    f"pe_helpers/{name}" for name in ("_numbers.py", "rope_rules.py", "rope_reading.py", "model_types.json")
)
READING += ("clockwork/lessons/lesson_12/plain_reading.py",)  # and these, of a config.json
PUBLISHED = ("GPT-NeoX-20B", "Llama 3.1 8B", "DeepSeek-V3", "Gemma 3 4B", "gpt-oss-120b", "Ministral 3 8B")
RECORDED = "clockwork/lessons/lesson_*/recorded.py"  # numbers that these compare with
PAGES_OF = {"src/clockwork/lessons/lesson_12/reading.py": "configurations.md"}  # what a page does for its readers
ENCODINGS = ("sinusoidal", "rotary", "rope_scaling", "rotary_axes", "alibi", "learned", "relative", "positions")


def main(arguments: list[str]) -> int:
    """Build the site; serve it when asked to."""
    parser = argparse.ArgumentParser(prog="course.py site", description=__doc__)
    parser.add_argument("--serve", action="store_true", help="show the site on this machine until Ctrl+C")
    parser.add_argument("--port", type=int, default=8000, help="the port to serve at (8000)")
    parser.add_argument("--output", type=Path, default=BUILD / "site", help="the folder to write (build/site)")
    parser.add_argument("--address", default="", help="where the site will be published, for its sitemap")
    parser.add_argument("--repository", default=colab.origin(), help="where the course is cloned from")
    parser.add_argument("--hub", default="", help="a JupyterHub with nbgitpuller, for a link in each lesson")
    given = parser.parse_args(arguments)
    if problem := vendor():
        print(f"site: {problem}", file=sys.stderr)
        return 1
    prepare(given.repository, given.hub)
    if code := build(given.output, given.address):
        return code
    print(f"{given.output}: {sum(1 for _ in given.output.glob('*.html'))} pages; open index.html", flush=True)
    if given.serve:
        serve(given.output, given.port)
    return 0


def vendor() -> str | None:
    """Fetch the packages from npm that the pages need, once; return what is wrong, or None."""
    stamp = VENDOR / "packages.txt"
    if stamp.exists() and stamp.read_text() == " ".join(NPM_PACKAGES):
        return None
    npm = shutil.which("npm")
    if not npm:
        return (
            "npm is missing, and formulas and search need packages from it: install Node.js, then run the command again"
        )
    VENDOR.mkdir(parents=True, exist_ok=True)
    command = [
        npm,
        "install",
        "--prefix",
        VENDOR,
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--silent",
        *NPM_PACKAGES,
    ]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        return f"npm could not fetch {' and '.join(NPM_PACKAGES)}: check the network, then run the command again"
    stamp.write_text(" ".join(NPM_PACKAGES))
    return None


def prepare(repository: str = "", hub: str = "", opening: str = "", kept: Path = WIDGETS) -> None:
    """Write what Sphinx reads; `opening` and `kept` as for `live`."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(SITE, SOURCE, ignore=shutil.ignore_patterns("__pycache__", "synonyms.txt"))
    static = SOURCE / "_static"
    shutil.copy(VENDOR / "node_modules/mathjax/LICENSE", static / "mathjax-license.txt")
    shutil.copy(VENDOR / "node_modules/minisearch/LICENSE.txt", static / "minisearch-license.txt")
    shutil.copy(VENDOR / "node_modules/minisearch/dist/umd/index.js", static / "minisearch.js")
    fonts(static / "fonts")
    shutil.copy(NOTEBOOKS / "SOURCES.md", SOURCE)
    shutil.copy(NOTEBOOKS / "clockwork.png", SOURCE)
    shutil.copy(NOTEBOOKS / "clockwork.png", static)
    figures = static / "figures"
    figures.mkdir()
    downloads = SOURCE / "downloads" / "notebooks"
    downloads.mkdir(parents=True)
    if repository:
        (SOURCE / "downloads" / "colab").mkdir()
    texts = {}
    states = {}
    paths = {path.stem: path for path in every()}  # side paths lie beside the lessons here
    deeper = {path.stem: [beside.stem for beside in whole(path)[1:]] for path in mains()}
    lessons = {stem: for_pages(nbformat.read(path, as_version=4)) for stem, path in paths.items()}
    darken(lessons.values())
    found = live(lessons, opening, kept)
    for stem, notebook in lessons.items():
        shutil.copy(paths[stem], downloads)
        if repository:
            started = colab.with_first_cell(nbformat.read(paths[stem], as_version=4), repository)
            nbformat.write(started, SOURCE / "downloads" / "colab" / f"{stem}.ipynb")
        states[stem] = mount(notebook, found[stem], texts)
        notebook.metadata.language_info["pygments_lexer"] = "python"
        for cell in notebook.cells:
            make_ready(cell, stem, figures)
        close_side_paths(notebook)
    (static / "micropython.js").write_text(f"window.clockworkPython = {json.dumps(micropython())};\n", "utf-8")
    (static / "widgets.js").write_text(f"window.clockworkTexts = {in_script(texts)};\n", "utf-8")
    about = {"repository": repository, "hub": hub, "states": {stem: in_script(state) for stem, state in states.items()}}
    about["lessons"] = {stem: facts(notebook) for stem, notebook in lessons.items()}
    about["files"] = {stem: path.relative_to(NOTEBOOKS).as_posix() for stem, path in paths.items()}
    about["moved"] = {stem: moved(stem, deeper[stem], lessons) for stem in deeper if deeper[stem]}
    (SOURCE / "about.json").write_text(json.dumps(about), "utf-8")
    fill(
        "index.md",
        minutes=str(about["lessons"]["00_start_here"]["minutes"]),
        short=short_way(lessons["00_start_here"]),
        lessons=cards(deeper, lessons, about["lessons"]),
        clone=f" (`git clone {repository}`)" if repository else "",
        toctree="\n".join(
            ["", *(f"{stem.split('_')[0]} · {about['lessons'][stem]['title']} <{stem}>" for stem in deeper)]
        ),
    )
    fill("glossary.md", words=words(lessons))
    for page in asked.PAGES:
        (SOURCE / page).write_text(asked.linked((SITE / page).read_text("utf-8"), lessons), "utf-8")
    fill("playground.md", playground=playground(static, figures))
    fill("configurations.md", reading=reading())
    fill("engineers.md", reference="\n\n".join(map(reference, ENCODINGS)))
    nbformat.write(together(lessons), SOURCE / "all.ipynb")
    for stem, notebook in lessons.items():
        if beside := deeper.get(stem):
            notebook.cells.append(nbformat.v4.new_markdown_cell(below(beside), id="below", metadata={"tags": []}))
        nbformat.write(notebook, SOURCE / f"{stem}.ipynb")


def moved(stem: str, deeper: list[str], lessons: dict[str, nbformat.NotebookNode]) -> dict[str, str]:
    """Return on which page of side paths a cell lies that a link looks for on a lesson's page."""
    here = {cell.id for cell in lessons[stem].cells}
    return {
        asked.anchor(cell.id): f"{beside}.html"
        for beside in deeper
        for cell in lessons[beside].cells
        if cell.id not in here
    }


def below(deeper: list[str]) -> str:
    """Return what puts pages of side paths below their lesson in the list of pages."""
    return "\n".join(["```{toctree}", ":hidden:", *(f"Going deeper <{stem}>" for stem in deeper), "```"])


def fonts(folder: Path) -> None:
    """Copy the letters of the pages, with their licences."""
    folder.mkdir()
    for package, parts in FONTS.items():
        name = package.partition("/")[2]
        held = VENDOR / "node_modules" / package
        shutil.copy(held / "LICENSE", folder / f"{name}-license.txt")
        for part in parts:
            shutil.copy(held / f"files/{name}-{part}.woff2", folder)


def for_pages(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave out of a lesson what is said to readers in JupyterLab alone."""
    notebook.cells = [cell for cell in notebook.cells if "lab" not in cell.metadata.get("tags", [])]
    return notebook


def playground(static: Path, figures: Path) -> str:
    """Write what the playground's page needs; return its place, which holds a still until the script takes it."""
    (static / "playground.js").write_text(bundle.script(), "utf-8")
    (static / "playground.css").write_text(widget.stylesheet(), "utf-8")
    still = IMAGE.sub(lambda found: picture(found, figures), recorded.still()[0]["text/html"])
    return raw(f'<div id="clockwork-playground">{still}</div>')


def reading() -> str:
    """Return the fields for configurations, filled with two of them, and what the page's Python says of these."""
    length = 2**17
    filled = (2, len(PUBLISHED))  # Llama 3.1, Ministral 3
    texts = {name: json.dumps(configurations.find(name).config(), indent=2) for name in PUBLISHED}
    fields = []
    for number, chosen in enumerate(filled, start=1):
        options = "".join(
            f'<option value="{html.escape(text)}"{" selected" * (i == chosen)}>{name}</option>'
            for i, (name, text) in enumerate(texts.items(), start=1)
        )
        empty = '<option value="">none</option>' if number == 2 else ""
        text = html.escape(texts[PUBLISHED[chosen - 1]])
        fields.append(
            f'<div><label for="config-{number}">Configuration {number}</label>'
            f'<textarea id="config-{number}" rows="8" spellcheck="false" autocapitalize="off" '
            f'aria-describedby="fault-{number}">{text}</textarea>'
            f'<label>or a published model <select data-fills="config-{number}">{empty}{options}'
            f'</select></label><p class="pe-fault" id="fault-{number}" role="status"></p></div>'
        )
    call = "clockwork.lessons.lesson_12.plain_reading.html"
    said = plain_reading.html([texts[PUBLISHED[chosen - 1]] for chosen in filled], length)
    return raw(
        f'<form id="clockwork-configurations" data-call="{call}" hidden><div class="pe-two">{"".join(fields)}</div>'
        '<div class="pe-length"><label>Length in tokens <input name="length" type="number" min="1" max="1000000000" '
        f'required value="{length}"></label><input name="scale" type="range" min="7" max="27" step="0.25" value="17" '
        f'aria-label="Length, by doubling" aria-valuetext="{length:,} tokens"></div></form>'
        '<noscript><p class="pe-elsewhere">Here is what the page says of Llama 3.1 8B and of Ministral 3 8B. Where '
        "JavaScript runs, it reads yours.</p></noscript>"
        f'<div id="clockwork-reading" role="region" aria-live="polite" aria-label="What they say">{said}</div>'
    )


def in_script(value: dict) -> str:
    """Return a value as JSON that may stand inside a page's script."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def live(lessons: dict[str, nbformat.NotebookNode], opening: str, kept: Path) -> dict[str, dict]:
    """Return of each lesson the models of its widgets, and which of them each cell shows.

    What is not yet in the folder `kept` is run after the code `opening`: every other lesson in a second kernel.
    """
    digests = {stem: digest(notebook, opening) for stem, notebook in lessons.items()}
    stale = [stem for stem in lessons if not is_kept(kept / f"{stem}.json", digests[stem])]
    copies = {stem: nbformat.reads(nbformat.writes(lessons[stem]), as_version=4) for stem in stale}
    if stale:
        print(f"site: running the widgets of {', '.join(stale)}", flush=True)
        kept.mkdir(parents=True, exist_ok=True)
    halves = [[copy for stem, copy in copies.items() if lesson_number(stem) % 2 == odd] for odd in (0, 1)]
    with concurrent.futures.ThreadPoolExecutor() as both:
        states = list(both.map(functools.partial(widget_states.run_widgets, opening=opening), halves))
    state = states[0] | states[1]
    for stem, copy in copies.items():
        shown = {cell.id: views(cell) for cell in copy.cells if views(cell)}
        held = widget_states.reachable(state, [model for cell in shown.values() for model in cell])
        found = {"digest": digests[stem], "state": held, "shown": shown}
        (kept / f"{stem}.json").write_text(json.dumps(found), "utf-8")
    return {stem: json.loads((kept / f"{stem}.json").read_text("utf-8")) for stem in lessons}


def digest(notebook: nbformat.NotebookNode, opening: str) -> str:
    """Return a digest of all that the widgets of a lesson come from."""
    cells = [notebook.cells[i] for i in widget_states.widget_cells(notebook)]
    sources = [opening, *(text for cell in cells for text in (cell.id, cell.source))]
    folders = (SOURCES / "pe_helpers", SOURCES / "clockwork")
    files = sorted(path for folder in folders for path in folder.rglob("*.*") if path.suffix != ".pyc")
    own = rooms_of("\n".join(sources))
    files = [path for path in files if not ROOM.search(path.as_posix()) or ROOM.search(path.as_posix())[0] in own]
    package = [path.read_bytes() for path in files]
    return hashlib.sha256(b"\0".join([*map(str.encode, sources), *package])).hexdigest()


def rooms_of(code: str) -> set[str]:
    """Return the lessons' rooms that some code names, and those that these name."""
    found = set()
    queue = ROOM.findall(code)
    while queue:
        if (room := queue.pop()) not in found:
            found.add(room)
            files = (SOURCES / "clockwork/lessons" / room).rglob("*.py")
            queue += ROOM.findall("\n".join(path.read_text("utf-8") for path in files))
    return found


def lesson_number(stem: str) -> int:
    """Return the number that a lesson shares with its side paths, which stay in one kernel."""
    return int(stem[:2])


def is_kept(file: Path, wanted: str) -> bool:
    """Say whether a file holds what an earlier run of the same code has made."""
    return file.exists() and json.loads(file.read_text("utf-8"))["digest"] == wanted


def views(cell: nbformat.NotebookNode) -> list[str]:
    """List the models that a cell shows."""
    outputs = [output.data for output in cell.get("outputs", []) if "data" in output]
    return [data[WIDGET_VIEW]["model_id"] for data in outputs if WIDGET_VIEW in data]


def mount(notebook: nbformat.NotebookNode, found: dict, texts: dict[str, str]) -> dict:
    """Mark where each live widget goes, round its committed still; return the models, named in their order."""
    held = found["state"]
    names = {model: f"w{place}" for place, model in enumerate(held)}
    cells = {cell.id: cell for cell in notebook.cells}
    for place, ids in found["shown"].items():
        stills = [output for output in cells[place].outputs if "text/html" in output.get("data", {})]
        for model, output in zip(ids, stills, strict=False):
            output.data["text/html"] = f'<div data-widget="{names[model]}">{output.data["text/html"]}</div>'
    return widget_states.written(held, names, texts)


def make_ready(cell: nbformat.NotebookNode, stem: str, figures: Path) -> None:
    """Turn one cell of a lesson into what a page shows of it."""
    tags = cell.metadata.setdefault("tags", [])
    cell.metadata["anchor"] = anchor = asked.anchor(cell.id)
    if cell.cell_type == "markdown":
        cell.source = HEADING.sub(to_heading, LINK.sub(relinked, cell.source)).replace("](deeper/", "](")
        count = itertools.count(1)
        cell.source = PATH.sub(lambda found: side_path(found[1], f"{anchor}-{next(count)}"), cell.source)
        if "title" in tags:
            cell.source = PROMISE.sub(r"<details><summary>\1</summary>\n\n\2\n</details>\n", cell.source)
            cell.source = re.sub(r"(\*\*You need\*\* .*)\n\n(?=\*\*Time)", r"\1 ", cell.source)
        else:
            cell.source = f'<span id="{anchor}"></span>\n\n{cell.source}'
        return
    if cell.cell_type != "code":
        return
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
    if (hidden and "hide-input" not in tags) or re.fullmatch(r"widgets\.(ask|Progress)\([^()]*\)", cell.source.strip()):
        tags.append("remove-input")
    cell.outputs = [output for output in cell.outputs if "not attempted yet" not in output.get("text", "")]
    for output in cell.outputs:
        if "text/html" in output.get("data", {}):
            page = IMAGE.sub(lambda found: picture(found, figures), output.data["text/html"])
            output.data = nbformat.from_dict({"text/html": page})
            if "<img" in page and "hide-output" not in tags and "hide-input" not in tags:
                tags.append("hide-input")
    if "setup" in tags:
        tags.append("hide-input")
    if check := CHECK.search(cell.source):
        runs = runs_in_a_page(stem.split("_")[0], check[1])
        tags.append("try" if runs else "needs-torch")
        cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": elsewhere(stem, runs)})]


def side_path(title: str, anchor: str) -> str:
    """Return how a side path begins: its title is a heading, which the search finds."""
    return f'<details class="pe-path" id="{anchor}"><summary><h3>{title}</h3></summary>'


def close_side_paths(notebook: nbformat.NotebookNode) -> None:
    """Move the end of each side path, and of each fold with a run, below its code, so that one fold holds both."""
    cells = []
    inside = False
    for cell in notebook.cells:
        code = cell.cell_type == "code" and bool({"deeper", "folded"} & set(cell.metadata.tags))
        if code and not inside and cells[-1].source.endswith("</details>"):
            cells[-1].source = cells[-1].source.removesuffix("</details>")
            inside = True
        elif inside and not code:
            cells.append(nbformat.v4.new_markdown_cell("</details>", id=f"{cells[-1].id}-end", metadata={"tags": []}))
            inside = False
        if inside and "hide-cell" in cell.metadata.tags:
            cell.metadata.tags.remove("hide-cell")
        cells.append(cell)
    notebook.cells = cells


def runs_in_a_page(lesson: str, check: str) -> bool:
    """Say whether a check needs nothing but `math` and lists, so that MicroPython runs it in a page."""
    file = SOURCES / PLAIN_CHECKS.format(lesson)
    return file.exists() and f"\ndef {check}(" in file.read_text("utf-8")


def elsewhere(stem: str, runs: bool) -> str:
    """Return where to solve an exercise that the page cannot run: not at all, or not without JavaScript."""
    link = f'<a href="{stem}.html#open-this-lesson">open the lesson in JupyterLab</a>'
    if runs:
        return f'<p class="pe-elsewhere">Where JavaScript runs, this exercise is solved here. Elsewhere {link}.</p>'
    return f'<p class="pe-elsewhere">This exercise needs PyTorch, which no page has: {link} and solve it there.</p>'


def micropython() -> dict:
    """Return all that a page needs to run cells: the interpreter, what drives it, and the checks."""
    package = VENDOR / "node_modules" / MICROPYTHON
    checks = [SOURCES / "clockwork/kit/checks/plain.py", *sorted(SOURCES.glob(PLAIN_CHECKS.format("*")))]
    plain = [*checks, *(SOURCES / name for name in READING)]
    files = {path.relative_to(SOURCES).as_posix(): path.read_text("utf-8") for path in plain}
    files |= {path.relative_to(SOURCES).as_posix(): numbers_of(path) for path in sorted(SOURCES.glob(RECORDED))}
    files["cell.py"] = (SITE / "try/cell.py").read_text("utf-8")
    return {
        "module": (package / "micropython.mjs").read_text("utf-8"),
        "wasm": base64.b64encode((package / "micropython.wasm").read_bytes()).decode(),
        "worker": (SITE / "try/worker.js").read_text("utf-8"),
        "files": files,
    }


def numbers_of(path: Path) -> str:
    """Return the constants that a module computes, written out, for a page that cannot compute them."""
    module = importlib.import_module(path.relative_to(SOURCES).with_suffix("").as_posix().replace("/", "."))
    written = {name: json.dumps(value) for name, value in vars(module).items() if name.isupper()}  # read at once
    return "import json\n" + "".join(f"{name} = json.loads({text!r})\n" for name, text in written.items())


def relinked(found: re.Match) -> str:
    """Return a link to a file of the course as one to its place on the site, or only its text."""
    if found[2].partition("#")[0].endswith(".ipynb"):
        return f"[{found[1]}]({found[2]})"
    if found[2] in PAGES_OF:
        return f"[{found[1]}]({PAGES_OF[found[2]]})"
    module = Path(found[2]).stem
    return f"[{found[1]}](engineers.md#{module})" if module in ENCODINGS else found[1]


def to_heading(found: re.Match) -> str:
    """Return a link to a heading of a notebook as one to the place that MyST gives it."""
    place = re.sub(r"[^\w-]", "", found[3].lower())
    return f"]({found[2]}#{place})"


def picture(found: re.Match, figures: Path) -> str:
    """Put an embedded picture into a file of its own, with a second rendering for dark pages beside it."""
    image = base64.b64decode(found[2])
    name = hashlib.sha256(image).hexdigest()[:16]
    (figures / f"{name}.png").write_bytes(image)
    shutil.copy(darkened(image), figures / f"{name}-dark.png")
    width, height = (int.from_bytes(image[at : at + 4], "big") for at in (16, 20))
    ratio = f"aspect-ratio:{width}/{height};"
    attributes = found[1].replace('style="', f'style="{ratio}') if 'style="' in found[1] else found[1]
    attributes += f'{found[3]} loading="lazy"'
    return pair(f"_static/figures/{name}", attributes)


def darkened(image: bytes) -> Path:
    """Return the file that keeps a picture's rendering for dark pages; make it where there is none."""
    kept = FIGURES / f"{hashlib.sha256(image + DARKENING).hexdigest()[:16]}.png"
    if not kept.exists():
        FIGURES.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(dark.darkened(image))
    return kept


def darken(notebooks: Iterable[nbformat.NotebookNode]) -> None:
    """Make the dark renderings of all pictures in the notebooks' outputs, on all processors."""
    pages = [still(cell) for notebook in notebooks for cell in notebook.cells]
    images = {base64.b64decode(found[2]) for page in pages for found in IMAGE.finditer(page)}
    with concurrent.futures.ProcessPoolExecutor() as processors:
        list(processors.map(darkened, sorted(images)))


def pair(place: str, attributes: str) -> str:
    """Return both renderings of a picture, of which the page shows the one for its theme."""
    renderings = (("light", f"{place}.png"), ("dark", f"{place}-dark.png"))
    return "".join(f'<img class="pe-{theme}" src="{file}" {attributes}>' for theme, file in renderings)


def facts(notebook: nbformat.NotebookNode) -> dict:
    """Return what a lesson's first cell says of it."""
    head = notebook.cells[0].source
    title, *_ = head.splitlines()
    said = re.search(r"^> (.*(?:\n> .*)*)", head, flags=re.M)
    minutes = re.search(r"\*\*(?:Minutes|Time)\*\* (\d+)", head)
    need = re.search(r"\*\*You need\*\* (.*)", head)
    return {
        "title": title.lstrip("# "),
        "claim": said[1].replace("\n> ", " ") if said else "",
        "able": [line[2:].rstrip(";,.") for line in head.splitlines() if line.startswith("- ")],
        "need": need[1] if need else "",
        "minutes": int(minutes[1]) if minutes else 0,  # none where each reads what they like
    }


def fill(name: str, **parts: str) -> None:
    """Put what is written here into the places {{name}} of a page."""
    page = (SOURCE / name).read_text("utf-8")
    for key, text in parts.items():
        page = page.replace("{{" + key + "}}", text)
    (SOURCE / name).write_text(page, "utf-8")


def still(cell: nbformat.NotebookNode) -> str:
    """Return the HTML that a cell shows."""
    return "".join(output.data.get("text/html", "") for output in cell.get("outputs", []) if "data" in output)


def raw(text: str) -> str:
    """Return HTML as a block of MyST."""
    return f"```{{raw}} html\n{text}\n```"


def scene(cell: nbformat.NotebookNode) -> str:
    """Return the HTML of a question or a picture of the short way, folded where a guess opens it."""
    veil = next((tag for tag in cell.metadata.tags if tag.startswith("veil:")), None)
    if veil is None:
        return f'<div class="cell">{still(cell)}</div>'
    return (
        f'<div class="cell tag_{veil}"><details class="admonition hide below-input"><summary>'
        '<span class="pe-collapsed">Guess first, then open</span><span class="pe-expanded">Hide the answer</span>'
        f"</summary>{still(cell)}</details></div>"
    )


def short_way(notebook: nbformat.NotebookNode) -> str:
    """Return the scenes of the short way, from the first to the map, as they stand on their own page."""
    tags = [cell.metadata.tags for cell in notebook.cells]
    first = next(i for i, held in enumerate(tags) if "question" in held)
    end = next(i for i, held in enumerate(tags) if "map" in held)
    shown = notebook.cells[first:end]
    parts = [cell.source if cell.cell_type == "markdown" else raw(scene(cell)) for cell in shown]
    return "\n\n".join([raw('<div data-lesson-page="00_start_here"></div>'), *parts])


def cards(deeper: dict[str, list[str]], lessons: dict[str, nbformat.NotebookNode], about: dict[str, dict]) -> str:
    """Return the lessons as a list, each with its first picture, its claim and its minutes.

    `deeper` has for each lesson the pages of its side paths, whose questions and exercises count with it.
    """
    items = []
    for stem in deeper:
        notebook = lessons[stem]
        pages = "".join(map(still, notebook.cells))
        found = re.search(r"_static/figures/\w+(?=\.png)", pages)
        image = pair(found[0], 'alt="" loading="lazy"') if found else ""
        lesson = about[stem]
        says = f"{inline(lesson['claim'])} {lesson['minutes']} minutes."
        title = f"{stem.split('_')[0]} · {html.escape(lesson['title'])}"
        done = '<span class="pe-done" hidden></span>'
        inside = f"{image}<strong>{title}</strong><span>{says}</span>{done}"
        items.append(f'<li data-lesson="{stem}"><a href="{stem}.html">{inside}</a></li>')
    books = {stem: [lessons[one] for one in (stem, *beside)] for stem, beside in deeper.items()}
    counted = in_script({stem: tasks(stem, held, about[stem]["title"]) for stem, held in books.items()})
    data = f'<script type="application/json" id="clockwork-lessons">{counted}</script>'
    return raw(f'<ol class="pe-cards">{"".join(items)}</ol>{data}')


def tasks(stem: str, notebooks: list[nbformat.NotebookNode], title: str) -> dict:
    """Return what is counted of a lesson: the names under which answers and passes are remembered."""
    code = "\n".join(cell.source for notebook in notebooks for cell in notebook.cells if cell.cell_type == "code")
    asked_here = [
        key for call in re.findall(r"widgets\.ask\(([^)]*)\)", code) for key in re.findall(r'"([^"]+)"', call)
    ]
    checks = [f"exercise/{stem[:2]}/{check}" for check in dict.fromkeys(CHECK.findall(code))]
    return {"title": f"{stem.split('_')[0]} {title}", "questions": asked_here, "exercises": checks}


def words(lessons: dict[str, nbformat.NotebookNode]) -> str:
    """Return what the lessons' cells tagged `words` hold as one table, each row once, with its lessons."""
    found = {}
    for stem, notebook in lessons.items():
        for cell in notebook.cells:
            if "words" in cell.metadata.get("tags", []):
                for row in re.findall(r"^(\|.*\|)$", cell.source, flags=re.M)[2:]:
                    found.setdefault(row, []).append(f"[{stem[:2]}]({stem}.ipynb)")
    rows = [f"{row} {', '.join(links)} |" for row, links in found.items()]
    return "\n".join(["| here | elsewhere | lessons |", "|---|---|---|", *rows])


def reference(module: str) -> str:
    """Return the place where autodoc writes what a module's docstrings say."""
    return f"({module})=\n## {module}\n\n```{{eval-rst}}\n.. automodule:: pe_helpers.{module}\n   :members:\n```"


def together(lessons: dict[str, nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """Return all lessons as one notebook, a level lower, with stills for the widgets; no search finds them twice."""
    python = {"name": "python", "pygments_lexer": "python"}
    whole = nbformat.v4.new_notebook(metadata={"language_info": python, "nosearch": True})
    whole.cells.append(nbformat.v4.new_markdown_cell("# All lessons on one page", id="head"))
    for stem, notebook in lessons.items():
        place = stem.split("_")[0] + "-deeper" * stem.endswith("_deeper")
        for i, cell in enumerate(notebook.cells):
            copy = nbformat.from_dict(json.loads(json.dumps(cell)))
            copy.id = f"{place}-{i}"
            if cell.cell_type == "markdown":
                copy.source = re.sub(r"^(#+ )", r"#\1", cell.source, flags=re.M)
                copy.source = copy.source.replace(' id="cell-', f' id="{place}-cell-')
            for output in copy.get("outputs", []):
                if "text/html" in output.get("data", {}):
                    output.data["text/html"] = re.sub(r' data-widget="\w+"', "", output.data["text/html"])
            whole.cells.append(copy)
    return whole


def build(output: Path, address: str) -> int:
    """Run Sphinx on what was prepared, from nothing, and set the formulas; any warning is an error."""
    shutil.rmtree(output, ignore_errors=True)
    doctrees = BUILD / "doctrees"
    shutil.rmtree(doctrees, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-b", "html", "-d", doctrees]
    environment = dict(os.environ, PYTHONHASHSEED="0", SOURCE_DATE_EPOCH="0", CLOCKWORK_ADDRESS=address)
    if code := subprocess.run([*command, SOURCE, output], env=environment, cwd=HOME, check=False).returncode:
        return code
    (output / "searchindex.js").unlink()  # Sphinx's, which knows no numbers
    pages = [(SITE / page).read_text("utf-8") for page in (asked.PAGE, asked.MISCONCEPTIONS)]
    people_type = {one.ask: one.words for text in pages for one in asked.questions(text)}
    searching.write_index(output, people_type, (SITE / "synonyms.txt").read_text("utf-8"))
    if problem := formulas.set_all(output, VENDOR / "node_modules"):
        print(f"site: {problem}", file=sys.stderr)
        return 1
    return 0


def serve(folder: Path, port: int) -> None:
    """Serve a folder on this machine until it is interrupted."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/ (Ctrl+C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
