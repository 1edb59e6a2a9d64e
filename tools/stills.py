"""Draw what live pictures look like in a browser: for paper, for GitHub, and for a lesson before it runs."""

import base64
import html
import re
import shutil
import tempfile
from pathlib import Path

import nbformat

from clockwork.kit import plots
from tools import asked, site, widget_states

PLACE = re.compile(r'<p data-still="(\w+)">(.*?)</p>', flags=re.S)  # as kit/widgets/base.py writes it
WIDTH = round(plots.WIDTH * plots.CSS_PIXELS)
SCREEN = {
    "viewport": {"width": WIDTH, "height": 900},
    "device_scale_factor": plots.SHARPNESS,
    "reduced_motion": "reduce",
}
DRAWN = """() => document.fonts.status === "loaded" && [...document.querySelectorAll("[data-widget]")].every(
    (place) => place.querySelector("canvas")?.getAttribute("aria-label"))"""
ON_PAPER = """(canvas) => {
    const sheet = document.createElement("canvas");
    Object.assign(sheet, { width: canvas.width, height: canvas.height });
    const ctx = sheet.getContext("2d");
    ctx.fillStyle = "white";
    ctx.fillRect(0, 0, sheet.width, sheet.height);
    ctx.drawImage(canvas, 0, 0);
    return sheet.toDataURL();
}"""
MOST = 60_000  # bytes of a still
REST = 300  # ms in which what has changed last is drawn


def put(notebook: nbformat.NotebookNode, browser, page: str = "") -> None:
    """Put stills into the outputs of a notebook that was executed with the state of its widgets.

    `page` is the address at which the lesson is alive: each still leads to its place there.
    """
    outputs = [(cell, output) for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    shown = [(cell, output) for cell, output in outputs if PLACE.search(output.data.get("text/html", ""))]
    models = [model for _, output in shown for model, _ in PLACE.findall(output.data["text/html"])]
    if not models:
        return
    codes = draw(notebook.metadata["widgets"][widget_states.WIDGET_STATE]["state"], models, browser)
    for cell, output in shown:
        (model, alt), *more = PLACE.findall(output.data["text/html"])
        link = f'<p><a href="{page}#{asked.anchor(cell.id)}">▶ Turn it by hand</a></p>' if page else ""
        output.data["text/html"] = PLACE.sub(
            lambda found, link=link: plots.embedded(codes[found[1]], html.unescape(found[2]), WIDTH) + link,
            output.data["text/html"],
        )
        if not more:
            output.data["image/png"] = codes[model]
            output.metadata["image/png"] = {"alt": html.unescape(alt), "width": WIDTH}


def draw(state: dict, models: list[str], browser) -> dict[str, str]:
    """Return what each of these models looks like at first, as a PNG in base64."""
    texts = {}
    held = widget_states.reachable(state, models)
    written = widget_states.written(held, {model: model for model in held}, texts)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder), models, written, texts)
        page = browser.new_page(**SCREEN)
        page.goto(Path(folder, "stills.html").as_uri())
        page.wait_for_function(DRAWN)
        page.wait_for_timeout(REST)
        found = [page.locator(f'[data-widget="{model}"] canvas').evaluate(ON_PAPER) for model in models]
        page.close()
    stills = [lean(base64.b64decode(code.partition(",")[2])) for code in found]
    return {model: base64.b64encode(still).decode() for model, still in zip(models, stills, strict=True)}


def lay_out(folder: Path, models: list[str], held: dict, texts: dict[str, str]) -> None:
    """Write stills.html, which shows models as the site does, with all that it needs beside it."""
    site.fonts(folder / "fonts")
    shutil.copy(site.SITE / "_static/clockwork.css", folder)
    (folder / "stills.html").write_text(page_of(models, held, texts), "utf-8")


def lean(image: bytes) -> bytes:
    """Return a PNG with as many colours as fit into `MOST` bytes."""
    for colors in (256, 128, 64, 32):
        still = plots.small(image, colors)
        if len(still) <= MOST:
            break
    return still


def page_of(models: list[str], held: dict, texts: dict[str, str]) -> str:
    """Return a page that shows models as the site does."""
    places = "".join(f'<div data-widget="{model}"></div>' for model in models)
    return f"""<!DOCTYPE html><meta charset="utf-8"><link rel="stylesheet" href="clockwork.css">
<style>body {{ margin: 0 }} .pe {{ padding: 0 !important }}</style>{places}{scripts(held, texts)}"""


def scripts(held: dict, texts: dict[str, str]) -> str:
    """Return what makes the widgets of a page alive: their models, the texts that these share, and their host."""
    return f"""
<script type="application/json" id="clockwork-widgets">{site.in_script(held)}</script>
<script>window.clockworkTexts = {site.in_script(texts)}</script>
<script>{(site.SITE / "_static/host.js").read_text("utf-8")}</script>"""
