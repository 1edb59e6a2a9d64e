"""Write the course as a web site into build/site/: `python3 course.py site`; `--serve` shows it.

The pages are built by Sphinx from the committed notebooks and from what `course.py lessons` kept of their widgets; a
lesson that has changed since is run.
"""

import argparse
import ast
import base64
import concurrent.futures
import filecmp
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
import tomllib
from collections.abc import Iterable
from pathlib import Path

import nbformat

from clockwork.kit import configurations
from clockwork.kit.playground import bundle, recorded, widget
from clockwork.lessons.lesson_12 import plain_reading
from clockwork.measure import measuring
from clockwork.measure import page as measured_page
from tools import asked, bundles, colab, dark, decided, formulas, front, searching, together, widget_states
from tools.lessons import every, mains, whole

HOME = Path(__file__).resolve().parent.parent
NOTEBOOKS = HOME / "notebooks"
SITE = HOME / "site"
BUILD = HOME / "build"
SOURCE = BUILD / "site-source"  # the pages of site/ and the lessons, made ready
READ = BUILD / "site-read"  # the same, kept from build to build: what Sphinx reads
SHOWS = ("views.", "widgets.", "clock.")
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
PLAIN_CHECKS = "clockwork/lessons/lesson_{}/plain_checks.py"  # what MicroPython runs in a page
MACHINE = tuple(
    f"clockwork/kit/machine/{name}.py" for name in ("plain", "parts", "diagnoses")
)  # what the reader builds
READING = tuple(
    f"pe_helpers/{name}" for name in ("_numbers.py", "rope_rules.py", "rope_reading.py", "model_types.json")
)
READING += ("clockwork/lessons/lesson_12/plain_reading.py",)  # and these, of a config.json
PUBLISHED = ("GPT-NeoX-20B", "Llama 3.1 8B", "DeepSeek-V3", "Gemma 3 4B", "gpt-oss-120b", "Ministral 3 8B")
RECORDED = "clockwork/lessons/lesson_*/recorded.py"  # numbers that these compare with
PAGES_OF = {"src/clockwork/lessons/lesson_12/reading.py": "configurations.md"}  # what a page does for its readers
ADDRESS = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["tool"]["clockwork"]["site"]
ENCODINGS = ("sinusoidal", "rotary", "rope_scaling", "rotary_axes", "alibi", "learned", "relative", "positions")


def main(arguments: list[str]) -> int:
    """Build the site; serve it when asked to."""
    parser = argparse.ArgumentParser(prog="course.py site", description=__doc__)
    parser.add_argument("--serve", action="store_true", help="show the site on this machine until Ctrl+C")
    parser.add_argument("--port", type=int, default=8000, help="the port to serve at (8000)")
    parser.add_argument("--output", type=Path, default=BUILD / "site", help="the folder to write (build/site)")
    parser.add_argument("--address", default=ADDRESS, help="where the site will be published, for its sitemap")
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


def prepare(repository: str = "", hub: str = "") -> None:
    """Write what Sphinx reads."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(SITE, SOURCE, ignore=shutil.ignore_patterns("__pycache__", "synonyms.txt", "widgets"))
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
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        found = dict(zip(paths, both.map(widget_states.of, paths.values()), strict=True))
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
    states["index"], held = front.picture(found["00_start_here"]["state"], texts)
    (static / "micropython.js").write_text(f"window.clockworkPython = {json.dumps(micropython())};\n", "utf-8")
    bundles.write(static, {stem: bundles.named(models, texts) for stem, models in states.items()})
    about = {"repository": repository, "hub": hub, "states": {stem: in_script(state) for stem, state in states.items()}}
    about["lessons"] = {stem: facts(notebook) for stem, notebook in lessons.items()}
    about["files"] = {stem: path.relative_to(NOTEBOOKS).as_posix() for stem, path in paths.items()}
    about["moved"] = {stem: moved(stem, deeper[stem], lessons) for stem in deeper if deeper[stem]}
    write_about(about)
    books = {stem: [lessons[one] for one in (stem, *beside)] for stem, beside in deeper.items()}
    counted = in_script({stem: tasks(stem, held, about["lessons"][stem]["title"]) for stem, held in books.items()})
    fill(
        "index.md",
        minutes=str(about["lessons"]["00_start_here"]["minutes"]),
        picture=raw(front.place(lessons["00_start_here"], found["00_start_here"]["shown"], held)),
        lessons=raw(front.grid({stem: about["lessons"][stem] for stem in deeper}, counted)),
        clone=f" (`git clone {repository}`)" if repository else "",
        toctree=contents(list(deeper), about["lessons"]),
    )
    fill("glossary.md", words=words(lessons))
    for page in asked.PAGES:
        (SOURCE / page).write_text(asked.linked((SITE / page).read_text("utf-8"), lessons), "utf-8")
    fill("playground.md", playground=playground(static, figures))
    fill("configurations.md", reading=reading())
    fill("measured.md", measured=measured(static))
    fill("engineers.md", reference="\n\n".join(map(reference, ENCODINGS)))
    for stem, notebook in lessons.items():
        if beside := deeper.get(stem):
            notebook.cells.append(nbformat.v4.new_markdown_cell(below(beside), id="below", metadata={"tags": []}))
        nbformat.write(notebook, SOURCE / f"{stem}.ipynb")
    renew(READ, SOURCE)


def write_about(about: dict) -> None:
    """Write what the extension knows of the site, and of each page in a file of its own, which only that page reads."""
    (SOURCE / "about.json").write_text(json.dumps({key: about[key] for key in ("repository", "hub")}), "utf-8")
    (SOURCE / "about").mkdir()
    for page in about["states"]:
        own = {key: about[key][page] for key in ("states", "lessons", "files", "moved") if page in about[key]}
        (SOURCE / "about" / f"{page}.json").write_text(json.dumps(own), "utf-8")


def renew(kept: Path, fresh: Path) -> None:
    """Make a folder hold what another holds; what is the same keeps its date, by which Sphinx knows what to read."""
    there = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    for path in [path for path in kept.rglob("*") if path.is_file()]:
        if path.relative_to(kept) not in there:
            path.unlink()
    for name in there:
        if not (kept / name).exists() or not filecmp.cmp(fresh / name, kept / name, shallow=False):
            (kept / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(fresh / name, kept / name)


def moved(stem: str, deeper: list[str], lessons: dict[str, nbformat.NotebookNode]) -> dict[str, str]:
    """Return on which page of side paths a cell lies that a link looks for on a lesson's page."""
    here = {cell.id for cell in lessons[stem].cells}
    return {
        asked.anchor(cell.id): f"{beside}.html"
        for beside in deeper
        for cell in lessons[beside].cells
        if cell.id not in here
    }


def contents(stems: list[str], about: dict[str, dict]) -> str:
    """Return the list of lessons, in their groups, for the drawer of every page."""
    lists = []
    for name, held in front.groups(stems).items():
        lines = [f"{front.number(stem)} · {about[stem]['title']} <{stem}>" for stem in held]
        lists.append("\n".join(["```{toctree}", ":hidden:", f":caption: {name}", "", *lines, "```"]))
    return "\n\n".join(lists)


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


def measured(static: Path) -> str:
    """Write the page of each model that was measured; return what is said of them, with links to these pages."""
    (static / "measured").mkdir()
    parts = []
    for file in sorted((HOME / "data/measured").glob("*.json")):
        found = measuring.read(file)
        (static / "measured" / f"{file.stem}.html").write_text(measured_page.page(found), "utf-8")
        said = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(found["sentences"], 1))
        name = found["model"]["name"]
        link = f'<p><a href="_static/measured/{file.stem}.html">All pictures of {html.escape(name)}</a></p>'
        parts.append(f"## {name}\n\n{said}\n\n{raw(link)}")
    return "\n\n".join(parts)


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


def mount(notebook: nbformat.NotebookNode, found: dict, texts: dict[str, str]) -> dict:
    """Mark where each live widget goes, round its committed still; return the models, named in their order."""
    places = [
        (model, output)
        for cell in notebook.cells
        for model, output in zip(found["shown"].get(cell.id, []), stills_of(cell), strict=False)
    ]
    held = widget_states.reachable(found["state"], [model for model, _ in places])
    names = {model: f"w{place}" for place, model in enumerate(held)}
    for model, output in places:
        output.data["text/html"] = f'<div data-widget="{names[model]}">{output.data["text/html"]}</div>'
    return widget_states.written(held, names, texts)


def stills_of(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """List the outputs of a cell that have HTML, as a widget's still has."""
    return [output for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]


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
    if cell.metadata.get("jupyter", {}).get("source_hidden") and "hide-input" not in tags:
        tags.append("remove-input")
    cell.outputs = [output for output in cell.outputs if "not attempted yet" not in output.get("text", "")]
    for output in cell.outputs:
        if "text/html" in output.get("data", {}):
            page = IMAGE.sub(lambda found: picture(found, figures), output.data["text/html"])
            output.data = nbformat.from_dict({"text/html": page})
            if "<img" in page:
                tags.append("picture")
    if is_plumbing(cell.source) and "remove-input" not in tags:
        tags.append("remove-input")
    elif "setup" in tags and "remove-input" not in tags:
        tags.append("hide-input")
    if check := CHECK.search(cell.source):
        runs = runs_in_a_page(stem.split("_")[0], check[1])
        tags.append("try" if runs else "needs-torch")
        cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": elsewhere(stem, runs)})]


def is_plumbing(source: str) -> bool:
    """Say whether a cell's code only imports, or only puts a widget or a finished figure on the page."""
    body = ast.parse(source).body
    steps = [one for one in body if not isinstance(one, (ast.Import, ast.ImportFrom))]
    last = ast.unparse(steps[-1]) if steps else ""
    shows = last.startswith(SHOWS) or re.match(r"\w+\.[A-Z]\w*\(", last)  # `views` by another name
    return not steps or bool(shows) or (last.startswith("plots.show(figures.") and len(steps) == 1)


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
    plain = [*checks, *(SOURCES / name for name in (*MACHINE, *READING))]
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


def tasks(stem: str, notebooks: list[nbformat.NotebookNode], title: str) -> dict:
    """Return what is counted of a lesson: the names under which answers and passes are remembered."""
    code = "\n".join(cell.source for notebook in notebooks for cell in notebook.cells if cell.cell_type == "code")
    asked_here = [key for notebook in notebooks for key in decided.asked(notebook)]
    checks = [f"exercise/{stem.split('_')[0]}/{check}" for check in dict.fromkeys(CHECK.findall(code))]
    return {"title": f"{stem.split('_')[0]} {title}", "questions": asked_here, "exercises": checks}


def words(lessons: dict[str, nbformat.NotebookNode]) -> str:
    """Return what the lessons' cells tagged `words` hold as one table, each row once, with its lessons."""
    found = {}
    for stem, notebook in lessons.items():
        for cell in notebook.cells:
            if "words" in cell.metadata.get("tags", []):
                for row in re.findall(r"^(\|.*\|)$", cell.source, flags=re.M)[2:]:
                    found.setdefault(row, []).append(f"[{stem.split('_')[0]}]({stem}.ipynb)")
    rows = [f"{row} {', '.join(links)} |" for row, links in found.items()]
    return "\n".join(["| here | elsewhere | lessons |", "|---|---|---|", *rows])


def reference(module: str) -> str:
    """Return the place where autodoc writes what a module's docstrings say."""
    return f"({module})=\n## {module}\n\n```{{eval-rst}}\n.. automodule:: pe_helpers.{module}\n   :members:\n```"


def build(output: Path, address: str) -> int:
    """Run Sphinx, which writes the pages that changed; then set the formulas of all. Any warning is an error."""
    pages = BUILD / "site-pages"  # as Sphinx leaves them, kept from build to build
    doctrees = BUILD / "doctrees"
    if doctrees.exists() and {path.stem for path in doctrees.glob("*.doctree")} != names(READ):
        shutil.rmtree(pages, ignore_errors=True)
    shutil.rmtree(pages / "_static", ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-b", "html", "-d", doctrees]
    environment = dict(os.environ, PYTHONHASHSEED="0", SOURCE_DATE_EPOCH="0", CLOCKWORK_ADDRESS=address)
    if code := subprocess.run([*command, READ, pages], env=environment, cwd=HOME, check=False).returncode:
        shutil.rmtree(doctrees, ignore_errors=True)  # the next build warns again
        return code
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(pages, output, ignore=shutil.ignore_patterns(".*"))
    together.write(output, [path.stem for path in every()])
    texts = [(SITE / page).read_text("utf-8") for page in (asked.PAGE, asked.MISCONCEPTIONS)]
    people_type = {one.ask: one.words for text in texts for one in asked.questions(text)}
    searching.write_index(output, people_type, (SITE / "synonyms.txt").read_text("utf-8"), BUILD / "searched.json")
    if problem := formulas.set_all(output, VENDOR / "node_modules"):
        print(f"site: {problem}", file=sys.stderr)
        return 1
    return 0


def names(folder: Path) -> set[str]:
    """Return the names of the pages that a folder holds."""
    return {path.stem for path in folder.iterdir() if path.suffix in (".md", ".ipynb")}


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
