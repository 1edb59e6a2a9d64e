"""All lessons on one page, to print and to search: their finished pages one below the other, without what is alive."""

import re
from pathlib import Path

PLACE = '<div id="all-lessons"></div>'
ARTICLE = re.compile(r"<article[^>]*>(.*)</article>", flags=re.S)
ALIVE = re.compile(
    r'<script type="application/json" id="clockwork-widgets">.*?</script>'
    r'|<div class="pe-open".*?</div>| data-widget="\w+"',
    flags=re.S,
)
HEADING = re.compile(r"(</?h)([1-5])\b")
NAMED = re.compile(r'( (?:id|for|aria-labelledby|aria-describedby)="| href="#)(?=[^"])')


def write(folder: Path, stems: list[str]) -> None:
    """Put the lessons into the page that waits for them; each name in a lesson begins with the lesson's."""
    page = folder / "all.html"
    parts = (part((folder / f"{stem}.html").read_text("utf-8"), stem) for stem in stems)
    page.write_text(page.read_text("utf-8").replace(PLACE, "\n".join(parts)), "utf-8")


def part(page: str, stem: str) -> str:
    """Return what a lesson's page says, a level lower."""
    held = ALIVE.sub("", ARTICLE.search(page)[1])
    held = HEADING.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", held)
    return NAMED.sub(rf"\g<1>{stem}-", held)
