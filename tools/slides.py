"""Make slides of the lessons: `python3 course.py slides` writes build/slides/, `slides 03` those of lesson 03.

Each question of a lesson is a slide, and so is each figure, under its heading and the question that was asked in its
section. `03_clock_hands.html` is for the projector and says no answer; `03_clock_hands_notes.html` is for the speaker,
and has the answer to each question and the words to each figure, by the numbers of the slides. The pages need no script
and no network; a slide fills the screen, and prints on a page of its own.
"""

import base64
import re
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

import nbformat

from tools import decided

HOME = Path(__file__).resolve().parent.parent
ASKED = re.compile(r"(<p>.*?)<details><summary>.*?</summary>(.*?)</details>", re.S)
LOOK = "<p>What do you see first? What could explain it?</p>"
STYLE = """
html{scroll-snap-type:y mandatory}body{margin:0;font:3.6vh/1.35 system-ui,sans-serif;background:#fff;color:#222}
section{min-height:100vh;box-sizing:border-box;padding:3vh 5vw;scroll-snap-align:start;break-after:page;display:flex;
flex-direction:column;justify-content:center;align-items:center;position:relative}
h1,h2{margin:0 0 2vh}h1{font-size:8vh}h2{font-size:4.4vh}p,ul{margin:0 0 1.5vh;max-width:40em}
section:has(img){height:100vh}img{width:90vw;flex:0 1 62vh;min-height:0;object-fit:contain}
footer{position:absolute;right:2vw;bottom:1vh;font-size:2.4vh;color:#666}
"""
NOTES_STYLE = """
body{margin:0 auto;padding:1rem;max-width:46rem;font:1.1rem/1.5 system-ui,sans-serif;background:#fff;color:#222}
section{break-inside:avoid;border-top:1px solid #bbb;padding:.7rem 0}h2{font-size:1.1rem;margin:0}
p,ul{margin:.4rem 0}img{max-width:16rem;max-height:9rem}
"""


@dataclass
class Slide:
    """A slide: its heading, its question as HTML, its figure if it has one, and what the speaker says, as HTML."""

    heading: str
    question: str
    notes: str
    described: str = ""
    figure: bytes = b""


def main(prefixes: list[str]) -> int:
    """Write the slides and the notes of the named lessons, of all when none is named."""
    paths = sorted((HOME / "notebooks").glob("[0-9][0-9]*_*.ipynb"))
    chosen = [path for path in paths if path.name.startswith(tuple(prefixes or [""]))]
    if not chosen:
        numbers = ", ".join(path.stem.split("_")[0] for path in paths)
        print(f"a lesson must begin with one of {numbers}, got {prefixes[0]}")
        return 2
    out = HOME / "build" / "slides"
    out.mkdir(parents=True, exist_ok=True)
    for path in chosen:
        notebook = nbformat.read(path, as_version=4)
        target = out / f"{path.stem}.html"
        target.write_text(page(notebook), encoding="utf-8")
        spoken = out / f"{path.stem}_notes.html"
        spoken.write_text(notes(notebook), encoding="utf-8")
        print(f"{target.relative_to(HOME)}: {len(slides(notebook))} slides; notes in {spoken.name}")
    return 0


def slides(notebook: nbformat.NotebookNode) -> list[Slide]:
    """Return a lesson's slides in its order: its questions, and its figures with the question of their section."""
    found = []
    heading = ""
    question = LOOK
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#+ +(.+)$", cell.source, re.M)
            if headings:
                heading = headings[-1]
                question = LOOK
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for asked, answer in ASKED.findall(data.get("text/html", "")) if decided.asked_in(cell) else []:
                question = asked
                found.append(Slide(heading, asked, answer))
            if "image/png" in data:
                described = output.get("metadata", {}).get("image/png", {}).get("alt", "")
                figure = base64.b64decode(data["image/png"])
                found.append(Slide(heading, question, f"<p>{escape(described)}</p>", described, figure))
    return found


def title_of(notebook: nbformat.NotebookNode) -> str:
    """Return a lesson's title as HTML."""
    first = re.search(r"^# +(.+)$", notebook.cells[0].source, re.M)
    return escape(first[1] if first else "Clockwork")


def picture(slide: Slide) -> str:
    """Return a slide's figure as HTML; nothing where it has none."""
    if not slide.figure:
        return ""
    return (
        f'<img alt="{escape(slide.described)}" src="data:image/png;base64,{base64.b64encode(slide.figure).decode()}">'
    )


def page(notebook: nbformat.NotebookNode) -> str:
    """Return the slides of one lesson, without an answer."""
    shown = slides(notebook)
    parts = [f"<section><h1>{title_of(notebook)}</h1></section>"]
    for number, slide in enumerate(shown, 1):
        place = f"<footer>{number} / {len(shown)}</footer>"
        parts.append(f"<section><h2>{escape(slide.heading)}</h2>{slide.question}{picture(slide)}{place}</section>")
    return document(title_of(notebook), STYLE, parts)


def notes(notebook: nbformat.NotebookNode) -> str:
    """Return the speaker's notes of one lesson: each slide's number, its question, its figure, and what to say."""
    parts = [f"<h1>{title_of(notebook)}: notes</h1>"]
    for number, slide in enumerate(slides(notebook), 1):
        heading = f"<h2>{number} · {escape(slide.heading)}</h2>"
        parts.append(f"<section>{heading}{slide.question}{picture(slide)}<aside>{slide.notes}</aside></section>")
    return document(f"{title_of(notebook)}: notes", NOTES_STYLE, parts)


def document(title: str, style: str, parts: list[str]) -> str:
    """Return a page of HTML."""
    head = f'<meta charset="utf-8"><title>{title}</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
