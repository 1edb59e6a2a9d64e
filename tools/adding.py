"""Train what lesson 06 compares: `python -m tools.adding`, about ten CPU-minutes.

Quiet tokens beside codes of one length, in few directions or all, in order or not; classifiers of averages of two
letters. `data/adding.json` holds the accuracy of each of eight seeds. With an argument, only the parts whose names
contain it are trained, and with a second one only what is so named in them: `python -m tools.adding quiet drifting`.
The other results stay.
"""

from __future__ import annotations

import json
import math
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from pe_helpers import adding, attention, glyphs, tasks, training

DATA = Path(__file__).resolve().parent.parent / "data" / "adding.json"
SEEDS = tuple(range(8))
D_MODEL = 32
POSITIONS = 32
FEW = 9  # directions that hold 99.9 % of the sinusoid's 32 codes of 32 numbers
ALIKE = 0.957  # mean cosine of the sinusoid's neighbouring codes of 32 numbers, positions 0 to 31
QUIET = 0.02  # standard deviation of a token's numbers
RATES = {"who_came_first": (5e-3, 1e-2), "three_back": (5e-3,)}
STEPS = {"three_back": 400, "who_came_first": 250}

Run = tuple[str, list]  # its name, and the accuracy of each seed, at each learning rate

CODES = {
    "sinusoid": attention.Sinusoid,
    "sinusoid, rows shuffled": adding.ShuffledSinusoid,
    "even speeds up to π": adding.EvenSpeeds,
    "random rows": lambda: adding.FixedRows(adding.random_rows(POSITIONS, D_MODEL, D_MODEL)),
    "random rows, 9 directions": lambda: adding.FixedRows(adding.random_rows(POSITIONS, D_MODEL, FEW)),
    "drifting rows": lambda: adding.FixedRows(adding.drifting_rows(POSITIONS, D_MODEL, ALIKE)),
}


def accuracy(make_encoding: Callable, task: tasks.Task, learning_rate: float) -> list[float]:
    """Return the accuracy of each seed at the longest trained length."""
    trained = training.train(
        lambda: attention.Transformer(16, make_encoding(), d_model=D_MODEL, embedding_std=QUIET),
        task,
        SEEDS,
        steps=STEPS[task.name],
        batch_size=16,
        learning_rate=learning_rate,
    )
    scores = training.evaluate(trained, task, [task.trained_to]).accuracy[:, 0]
    return [round(score, 4) for score in scores.tolist()]


def quiet(task: tasks.Task, only: str) -> Iterator[Run]:
    """Train with each code beside quiet tokens, at each learning rate."""
    for name, make_encoding in CODES.items():
        if only in name:
            yield name, [accuracy(make_encoding, task, rate) for rate in RATES[task.name]]


def looks() -> Iterator[tuple[str, Callable]]:
    """Return what a classifier sees of a letter: a moving picture, a fixed one or a direction, with noise or none."""
    every = torch.arange(len(glyphs.LETTERS))
    draw = torch.Generator().manual_seed(4)
    fixed = {
        "fixed pictures": glyphs.draw(every, generator=draw, wobble=0),
        "directions": glyphs.directions(every, generator=draw, wobble=0),
    }
    yield "moving pictures", glyphs.draw
    for name, codes in fixed.items():
        for noise in (0, 1):
            yield f"{name}, noise {noise}", with_noise(codes, noise)


def with_noise(codes: torch.Tensor, noise: float) -> Callable:
    """Return a look that gives each letter its code, with noise of this many times a code's mean length."""

    def look(letters, *, generator):
        shaken = torch.randn(*letters.shape, codes.shape[1], generator=generator) / math.sqrt(codes.shape[1])
        return codes[letters] + noise * codes.norm(dim=-1).mean() * shaken

    return look


def letters(only: str) -> Iterator[Run]:
    """Train classifiers on single letters and on averages of two; both name the letters in averages of two."""
    for shown, look in looks():
        for on in ("singles", "sums"):
            name = f"{shown}, trained on {on}"
            if only not in name:
                continue
            found = [glyphs.accuracy(glyphs.train(look, on=on, seed=seed), look, letters=2) for seed in SEEDS]
            yield name, [round(share, 4) for share in found]


def parts() -> dict[str, Callable[[str], Iterator[Run]]]:
    """Return what is trained, by name; each takes what the names of its runs must contain."""
    return {
        "who_came_first/quiet": lambda only: quiet(tasks.WHO_CAME_FIRST, only),
        "three_back/quiet": lambda only: quiet(tasks.THREE_BACK, only),
        "letters": letters,
    }


def main(part: str = "", only: str = "") -> None:
    """Train the parts whose names contain `part`, in them the runs whose names contain `only`, and write the table."""
    torch.set_num_threads(1)
    setup = {"command": "python -m tools.adding", "python": platform.python_version(), "torch": torch.__version__}
    setup |= {"seeds": SEEDS, "learning_rates": RATES, "steps": STEPS}
    setup |= {"num_layers": 2, "d_model": D_MODEL, "batch_size": 16, "embedding_std": QUIET}
    table = json.loads(DATA.read_text("utf-8"))["parts"] if DATA.exists() else {}
    for name, train in parts().items():
        if part not in name:
            continue
        table[name] = table.get(name, {}) if only else {}
        for run, accuracies in train(only):
            table[name][run] = accuracies
            print(f"{name} · {run}: {accuracies}", file=sys.stderr, flush=True)
        DATA.write_text(json.dumps(setup | {"parts": table}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
