"""Write the tables of README.md from the result files: `<!-- table: name -->` to `<!-- /table -->` is replaced."""

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
README = HERE.parent / "README.md"


def main() -> None:
    def replaced(match):
        path = HERE / "results" / f"{match['name']}.json"
        return f"{match['start']}\n{table(json.loads(path.read_text()))}{match['end']}" if path.exists() else match[0]

    pattern = r"(?P<start><!-- table: (?P<name>\w+) -->)\n.*?(?P<end><!-- /table -->)"
    README.write_text(re.sub(pattern, replaced, README.read_text(encoding="utf-8"), flags=re.S), encoding="utf-8")


def table(result: dict) -> str:
    """Return a result as a Markdown table: its `rows`, or each of its named parts as a row."""
    rows = result.get("readme") or result.get("rows")
    if rows is None:
        rows = [{"": name, **part} for name, part in result.items() if isinstance(part, dict) and name != "machine"]
    columns = list(rows[0])
    lines = ["| " + " | ".join(name.replace("_", " ") for name in columns) + " |", "|---" * len(columns) + "|"]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in columns) + " |" for row in rows]
    return "\n".join([*lines, *(["", result["note"]] if "note" in result else [])]) + "\n"
