"""Set the formulas of built pages: MathJax, run by Node.js, turns their TeX into drawings with MathML beside them."""

import html
import json
import re
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).with_suffix(".js")
WRITTEN = re.compile(r'(<(?:span|div) class="math[^>]*>)\s*\\([(\[])(.*?)\\[)\]]\s*(?=</)', re.S)
IN_HTML = re.compile(r"\$([^$<>]+)\$(?=[^<>]*</(?:summary|figcaption|h3)>)")  # where Sphinx reads no formulas
ARTICLE = re.compile(r"<article[^>]*>")
LETTER = re.compile(r'<use [^>]*href="#([\w-]+)"')


def set_all(folder: Path, packages: Path) -> str | None:
    """Set all formulas in the pages of a folder, in place; return what is wrong, or None.

    Args:
        folder: where the pages stand.
        packages: the `node_modules` that hold MathJax.
    """
    pages = {path: marked(path.read_text("utf-8")) for path in sorted(folder.glob("*.html"))}
    wanted = sorted({formula(found) for page in pages.values() for found in WRITTEN.finditer(page)})
    command = ["node", SCRIPT, packages]
    try:
        ran = subprocess.run(command, input=json.dumps(wanted), capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        return "node is missing, and MathJax needs it to set the formulas: install Node.js, then run the command again"
    if ran.returncode:
        return f"a formula cannot be set: {ran.stderr}"
    answer = json.loads(ran.stdout)
    drawn = dict(zip(wanted, answer["set"], strict=True))
    for path, page in pages.items():
        shown = WRITTEN.sub(lambda found: found[1] + drawn[formula(found)], page)
        used = sorted(set(LETTER.findall(shown)))
        outlines = "".join(f'<path id="{letter}" d="{answer["letters"][letter]}"></path>' for letter in used)
        letters = f'<svg class="pe-letters" aria-hidden="true"><defs>{outlines}</defs></svg>' if used else ""
        path.write_text(ARTICLE.sub(rf"\g<0>{letters}", shown, count=1), "utf-8")
    return None


def marked(page: str) -> str:
    """Return a page with the formulas of its captions and folds written as Sphinx writes the others."""
    return IN_HTML.sub(lambda found: rf'<span class="math notranslate">\({found[1]}\)</span>', page)


def formula(found: re.Match) -> tuple[str, bool]:
    """Return a formula's TeX, and whether it stands on a line of its own."""
    return html.unescape(found[3]), found[2] == "["
