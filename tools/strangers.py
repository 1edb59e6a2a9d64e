"""Run lesson 10's tests on the faults of readers who wanted to get past them: `python -m tools.strangers`.

Lesson 10 shows the results, `data/strangers.json`. For each fault it keeps which tests saw it at first sight, before
any test was changed because of it, and writes which see it now, and in which round it was written.
"""

import json
from pathlib import Path

import torch
from tests.lessons.lesson_10.strangers_faults import ROUNDS
from tests.lessons.lesson_10.verdicts import digest

from clockwork.lessons.lesson_10.encoding_tests import examine

DATA = Path(__file__).resolve().parent.parent / "data" / "strangers.json"


def main() -> None:
    """Examine every fault, and write the table; a fault that is not in it yet is seen for the first time now."""
    torch.set_num_threads(1)
    kept = json.loads(DATA.read_text("utf-8"))["faults"] if DATA.exists() else {}
    table = {}
    for number, faults in enumerate(ROUNDS, start=1):
        for name, kind in faults.items():
            now = list(examine(kind()))
            table[name] = {"round": number, "at_first": kept[name]["at_first"] if name in kept else now, "now": now}
    found = {"command": "python -m tools.strangers", "sources": digest(DATA.name), "faults": table}
    DATA.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
