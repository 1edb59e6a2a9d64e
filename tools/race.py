"""Train the five codes of lesson 02's race with the page's engine, eight seeds each: `python -m tools.race`.

Writes data/race.json: about four minutes of one processor.
"""

import json

from clockwork.kit import datafiles
from clockwork.kit.machine import bench, plain
from clockwork.lessons.lesson_02.views.race import CODES
from tools import playground

SEEDS = range(8)
ROWS = 128  # of a table: tests are four times as long as what is trained


def runs(name: str, seeds: range = SEEDS) -> dict[str, list[float]]:
    """Return what each seed of a code has reached: the share of right answers at the trained length, and the loss."""
    table = plain.answer("code", CODES[name])["near"][:ROWS]
    asked = [{"request": "train", "settings": bench.SETTINGS | {"table": table, "seed": seed}} for seed in seeds]
    answers = list(playground.in_node(asked))
    return {
        "right": [round(answer["tests"][-1]["accuracy"][0], 4) for answer in answers],
        "half": [next((i + 1 for i, share in enumerate(answer["rights"]) if share > 0.5), 0) for answer in answers],
    }


if __name__ == "__main__":
    text = json.dumps({name: runs(name) for name in CODES}, indent=1)
    (datafiles.CHECKOUT / "race.json").write_text(text + "\n", "utf-8")
