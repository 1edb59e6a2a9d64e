"""Make slides of the lessons' figures: `python3 course.py slides` writes build/slides/, `slides 03` those of lesson 03.

A slide is a figure under its heading, with its description below it. The page needs no script and no network; it shows
a slide a screen, and prints a slide a page.
"""

import base64
import re
import sys
from html import escape
from pathlib import Path

import nbformat

HOME = Path(__file__).resolve().parent.parent
STYLE = """
html{scroll-snap-type:y mandatory}body{margin:0;font:1.4rem/1.4 system-ui,sans-serif;background:#fff;color:#222}
section{min-height:100vh;box-sizing:border-box;padding:3vh 5vw;scroll-snap-align:start;break-after:page;display:flex;
flex-direction:column;justify-content:center;align-items:center}
h1,h2{margin:0 0 2vh}figure{margin:0;text-align:center}img{max-width:88vw;max-height:68vh}figcaption{font-size:1rem}
"""


def main(prefixes: list[str]) -> int:
    """Write the slides of the named lessons, of all when none is named."""
    paths = sorted((HOME / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    chosen = [path for path in paths if path.name.startswith(tuple(prefixes or [""]))]
    if not chosen:
        print(f"a lesson must begin with one of {', '.join(path.name[:2] for path in paths)}, got {prefixes[0]}")
        return 2
    out = HOME / "build" / "slides"
    out.mkdir(parents=True, exist_ok=True)
    for path in chosen:
        notebook = nbformat.read(path, as_version=4)
        target = out / f"{path.stem}.html"
        target.write_text(page(notebook), encoding="utf-8")
        print(f"{target.relative_to(HOME)}: {len(figures(notebook))} figures")
    return 0


def figures(notebook: nbformat.NotebookNode) -> list[tuple[str, str, bytes]]:
    """Return each stored figure with the heading it stands under and its description."""
    found = []
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#+ +(.+)$", cell.source, re.M)
            heading = headings[-1] if headings else heading
        for output in cell.get("outputs", []):
            png = output.get("data", {}).get("image/png")
            if png:
                described = output.get("metadata", {}).get("image/png", {}).get("alt", "")
                found.append((heading, described, base64.b64decode(png)))
    return found


def page(notebook: nbformat.NotebookNode) -> str:
    """Return the slides of one lesson."""
    first = re.search(r"^# +(.+)$", notebook.cells[0].source, re.M)
    title = escape(first[1] if first else "Clockwork")
    slides = [f"<section><h1>{title}</h1></section>"]
    for heading, described, png in figures(notebook):
        picture = f'<img alt="{escape(described)}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
        caption = f"<figcaption>{escape(described)}</figcaption>"
        slides.append(f"<section><h2>{escape(heading)}</h2><figure>{picture}{caption}</figure></section>")
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(slides)}</body></html>\n'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
