"""Run lesson 10's tests on every encoding that it counts, and write which refuse it: `python -m tools.verdicts`.

Writes `data/verdicts.json`, about three CPU-minutes. What readers wrote to get past the tests is in
`data/strangers.json`: `python -m tools.strangers`.
"""

import json
import sys
from pathlib import Path

import torch
from tests.lessons.lesson_10.verdicts import GROUPS, digest

from clockwork.lessons.lesson_10.encoding_tests import PROPERTIES, examine

DATA = Path(__file__).resolve().parent.parent / "data" / "verdicts.json"


def main() -> None:
    """Examine every encoding, and write the tests that refuse it, by its group and name."""
    torch.set_num_threads(1)
    verdicts: dict[str, dict[str, list[str]]] = {}
    for group, encodings in GROUPS.items():
        verdicts[group] = {}
        for name, kind in encodings.items():
            verdicts[group][name] = list(examine(kind()))
            print(group, name, verdicts[group][name], file=sys.stderr, flush=True)
    found = {"command": "python -m tools.verdicts", "sources": digest(DATA.name), "tests": list(PROPERTIES)}
    found["verdicts"] = verdicts
    DATA.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
