"""Write the tables of the engineers' page and of the teacher's from the result files.

What stands from `<!-- table: name -->` to `<!-- /table -->` is replaced by the table of results/name.json.
"""

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = (HERE.parent / "site" / "engineers.md", HERE.parent / "assignments" / "README.md")
TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- /table -->)", flags=re.S)


def main() -> None:
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")


def filled(page: str) -> str:
    """Return a page with its tables as the result files have them."""

    def replaced(match):
        begin, name, end = match.groups()
        result = (HERE / "results" / f"{name}.json").read_text(encoding="utf-8")
        return begin + table(json.loads(result)) + end

    return TABLE.sub(replaced, page)


def table(result: dict) -> str:
    """Return a result as a Markdown table, with its note below."""
    rows = result.get("readme") or result["rows"]
    columns = list(rows[0])
    lines = ["| " + " | ".join(name.replace("_", " ") for name in columns) + " |", "|---" * len(columns) + "|"]
    lines += ["| " + " | ".join(str(row[column]) for column in columns) + " |" for row in rows]
    if "note" in result:
        lines += ["", result["note"]]
    return "\n".join(lines) + "\n"
