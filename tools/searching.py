"""The site's search: what it finds, each by its address, read from the built pages.

A result is a heading, a side path, a function or a word of the glossary. It shows the questions or the sentence that
stand with it, never an answer; the text below it is searched, and what lies in a veil is not.
"""

import concurrent.futures
import functools
import hashlib
import json
import re
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, Tag

INDEX = "search-index.js"
PAGES_WITHOUT = {"all", "search", "genindex", "py-modindex"}
HEADINGS = ("h1", "h2", "h3")
UNREAD = "script, style, svg, .headerlink, .pe-open, .pe-elsewhere, details.hide.below-input, .toctree-wrapper"
GUESS = "Guess first, then open"
SPACES = re.compile(r"\s+")


def write_index(folder: Path, words: dict[str, list[str]], synonyms: str, kept: Path) -> None:
    """Write the index of the built pages as a script, which works from a file, too.

    Args:
        folder: where the pages stand.
        words: what people type for a heading, by its text.
        synonyms: words that mean the same, a line for each group, with commas between them; `% heading: words` names
            what people type for a heading of a lesson.
    """
    lines = [line for line in synonyms.splitlines() if line.strip()]
    typed = [line.removeprefix("% ").split(": ") for line in lines if line.startswith("%")]
    words = words | {heading: said.split(", ") for heading, said in typed}
    pages = [path for path in sorted(folder.glob("*.html")) if path.stem not in PAGES_WITHOUT]
    made_by = Path(__file__).read_text("utf-8") + json.dumps(words)
    digests = {path.name: hashlib.sha256((made_by + path.read_text("utf-8")).encode()).hexdigest() for path in pages}
    known = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    changed = [path for path in pages if digests[path.name] not in known]
    if changed:
        with concurrent.futures.ProcessPoolExecutor() as processors:
            found = processors.map(functools.partial(entries_of, words=words), changed)
            known |= {digests[path.name]: entries for path, entries in zip(changed, found, strict=True)}
    known = {digest: known[digest] for digest in digests.values()}
    kept.write_text(json.dumps(known), "utf-8")
    entries = [entry for digest in digests.values() for entry in known[digest]]
    groups = [[word.strip() for word in line.split(",")] for line in lines if not line.startswith("%")]
    written = json.dumps({"entries": entries, "synonyms": groups}, ensure_ascii=False, separators=(",", ":"))
    (folder / "_static" / INDEX).write_text(f"window.clockworkIndex = {written};\n", "utf-8")


def entries_of(path: Path, words: dict[str, list[str]]) -> list[dict]:
    """Return what a page offers to the search, in the page's order."""
    page = BeautifulSoup(path.read_text("utf-8"), "html.parser").select_one("article")
    for unread in page.select(UNREAD):
        unread.decompose()
    asked = {}
    for answer in page.find_all("details"):
        if answer.summary and text_of(answer.summary) == GUESS:
            asked[id(answer.parent)] = text_of(answer.parent.p)
            answer.decompose()
    title = text_of(page.h1)
    found = []
    for part in page.descendants:
        if isinstance(part, Tag):
            if place := opened(part):
                heading, anchor, says = place
                address = f"{path.name}#{anchor}" if found else path.name
                if any(entry["address"] == address for entry in found):
                    continue  # a heading within a section, without an address of its own
                known = ", ".join(words.get(heading, []))
                found.append(
                    {"page": title, "heading": heading, "address": address, "words": known, "says": says, "text": ""}
                )
            elif found and id(part) in asked:
                found[-1]["says"].append(asked[id(part)])
        elif found and isinstance(part, NavigableString) and part.strip():
            found[-1]["text"] += f" {part.strip()}"
    for entry in found:
        entry["text"] = SPACES.sub(" ", entry["text"]).strip()
    return found


def opened(part: Tag) -> tuple[str, str, list[str]] | None:
    """Return the heading, the anchor and the sentences to show where an element begins something to be found."""
    if part.name in HEADINGS:
        if part.parent.name == "summary":
            return text_of(part), part.parent.parent["id"], []
        return text_of(part), part.parent.get("id", ""), []
    if part.name == "dt" and part.get("id", "").startswith("pe_helpers."):
        said = part.find_next_sibling("dd").p
        return part["id"].removeprefix("pe_helpers."), part["id"], [text_of(said)] if said else []
    if part.name == "dt" and part.parent.get("class") == ["simple"] and part.get("id"):
        return text_of(part), part["id"], [text_of(part.find_next_sibling("dd"))]
    return None


def text_of(part: Tag) -> str:
    """Return the words of an element on one line."""
    return SPACES.sub(" ", part.get_text(" " if part.name == "dd" else "")).strip()
