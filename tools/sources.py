"""Write notebooks/SOURCES.md, the ledger of all claims, from data: `python -m tools.sources`.

`course.py lessons` runs it. The data are

- `src/clockwork/lessons/texts.toml`: the words between the tables, the public texts from which the course grew, and
  where each of their claims went.
- `src/clockwork/lessons/lesson_NN/sources.toml`: what a lesson claims, in `[[claim]]`s: the `sentence`; the `run` that
  shows it; the `control`, in which the suspected cause alone is changed, or everything else is; the `rival`, that is
  what else the run could have been due to, which the control rules out; what was `held` fixed, and with which other
  value it was tried; and the `source`, where it is read elsewhere. A claim with the field `under` begins a table of its
  own below that line. `[[opened]]` lists papers: what of them was opened, and what it says there.
"""

import tomllib

from tools.lessons import NOTEBOOKS

ROOMS = NOTEBOOKS.parent / "src" / "clockwork" / "lessons"
PAGE = NOTEBOOKS / "SOURCES.md"
TEXTS = {"number": "", "claim": "claim", "lesson": "lesson: section", "verdict": "verdict", "shown": "shown by"}
CLAIMS = {"sentence": "sentence", "run": "run", "control": "control", "rival": "rival it rules out"}
OFTEN_EMPTY = {"held": "held fixed", "source": "source"}  # columns of those tables that have them
OPENED = {"paper": "paper", "opened": "opened", "says": "what it says there"}


def words() -> dict:
    """Return the words between the tables, and the public texts, as they were written."""
    return tomllib.loads((ROOMS / "texts.toml").read_text(encoding="utf-8"))


def texts() -> list[dict]:
    """Return the public texts with their claims, which are numbered: A1, A2, …"""
    found = words()["text"]
    for text in found:
        for number, claim in enumerate(text["claim"], start=1):
            claim["number"] = f"{text['letter']}{number}"
    return found


def lessons() -> dict[str, dict]:
    """Return what each lesson claims, by its number."""
    files = sorted(ROOMS.glob("lesson_*/sources.toml"))
    return {file.parent.name.removeprefix("lesson_"): tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


def table(rows: list[dict], columns: dict[str, str]) -> str:
    """Return rows as a table in Markdown."""
    lines = [list(columns.values()), *([row.get(name, "") for name in columns] for row in rows)]
    head, *body = ["|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|" for cells in lines]
    return "\n".join([head, "|" + "---|" * len(columns), *body])


def tables(claims: list[dict]) -> list[str]:
    """Return a lesson's claims as tables, each below its line."""
    parts: list[tuple[str, list[dict]]] = []
    for claim in claims:
        if not parts or "under" in claim:
            parts.append((claim.get("under", ""), []))
        parts[-1][1].append(claim)
    further = {name: title for name, title in OFTEN_EMPTY.items() if any(name in claim for claim in claims)}
    return [part for under, rows in parts for part in (under, table(rows, CLAIMS | further)) if part]


def page() -> str:
    """Return the whole ledger."""
    parts = [words()["head"].strip()]
    for text in texts():
        parts += [f"## {text['letter']}. {text['title']}", text["about"].strip(), table(text["claim"], TEXTS)]
    parts.append(words()["lessons"].strip())
    for number, lesson in lessons().items():
        parts += [f"### {number} {lesson['title']}", lesson.get("before", "").strip(), *tables(lesson["claim"])]
        parts.append(lesson.get("after", "").strip())
        if "opened" in lesson:
            parts.append(table(lesson["opened"], OPENED))
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
