"""Train what lesson 06 compares: `python -m clockwork.lessons.lesson_06.train_adding`, about forty CPU-minutes.

Quiet and loud tokens beside codes of one length, in few directions or all, in order or not; classifiers of averages of
two letters. `data/adding.json` holds the accuracy of each of eight seeds. With an argument, only the parts whose names
contain it are trained, and with a second one only what is so named in them: `python -m
clockwork.lessons.lesson_06.train_adding quiet drifting`. The other results stay.
"""

from __future__ import annotations

import json
import math
import platform
import sys
from collections.abc import Callable, Iterator
from functools import partial

import torch

from clockwork.kit import attention, datafiles, glyphs, tasks, training
from clockwork.lessons.lesson_06 import adding

DATA = datafiles.CHECKOUT / "adding.json"
SEEDS = tuple(range(8))
D_MODEL = 32
POSITIONS = 32
FRESH = tuple(range(8, 16))  # seeds of the slider's runs: none of those above
STDS = (0.01, 0.02, 0.05, 0.1, 0.3, 1.0)  # of the tokens, from quiet to loud
HELD = (0.02, 1.0)  # standard deviations of tokens that training does not change
BUDGETS = (250, 1000)  # steps
FEW = 9  # directions that hold 99.9 % of the sinusoid's 32 codes of 32 numbers
TOKENS = {"quiet": 0.02, "loud": 1.0}  # standard deviation of a token's numbers
RATES = {"who_came_first": (5e-3, 1e-2), "three_back": (5e-3,)}
STEPS = {"three_back": 400, "who_came_first": 250}

Run = tuple[str, list]  # its name, and the accuracy of each seed, at each learning rate

CODES = {
    "sinusoid": attention.Sinusoid,
    "sinusoid, rows shuffled": adding.ShuffledSinusoid,
    "even speeds up to π": adding.EvenSpeeds,
    "random rows": lambda: adding.FixedRows(adding.random_rows(POSITIONS, D_MODEL, D_MODEL)),
    "random rows, 9 directions": lambda: adding.FixedRows(adding.random_rows(POSITIONS, D_MODEL, FEW)),
    "drifting rows": adding.DriftingRows,
}

FIVE = tuple(name for name in CODES if name != "even speeds up to π")


def accuracy(
    make_encoding: Callable,
    task: tasks.Task,
    std: float,
    learning_rate: float,
    *,
    steps: int | None = None,
    seeds: tuple[int, ...] = SEEDS,
    held: bool = False,
) -> list[float]:
    """Return the accuracy of each seed at the longest trained length, beside tokens drawn with this standard deviation.

    Where they are `held`, training does not change the tokens.
    """

    def model():
        untrained = attention.Transformer(16, make_encoding(), d_model=D_MODEL, embedding_std=std)
        return adding.with_tokens_held(untrained) if held else untrained

    trained = training.train(
        model,
        task,
        seeds,
        steps=steps or STEPS[task.name],
        batch_size=16,
        learning_rate=learning_rate,
    )
    scores = training.evaluate(trained, task, [task.trained_to]).accuracy[:, 0]
    return [round(score, 4) for score in scores.tolist()]


def beside(tokens: str, task: tasks.Task, only: str) -> Iterator[Run]:
    """Train with each code beside quiet or loud tokens, at each learning rate."""
    for name, make_encoding in CODES.items():
        if only in name:
            yield name, [accuracy(make_encoding, task, TOKENS[tokens], rate) for rate in RATES[task.name]]


def loudness(
    steps: int,
    only: str,
    *,
    rate: float = RATES["who_came_first"][0],
    stds: tuple[float, ...] = STDS,
    held: bool = False,
) -> Iterator[Run]:
    """Train *who came first?* with five codes beside tokens from quiet to loud: a row of seeds for each loudness."""
    settings = {"steps": steps, "seeds": FRESH, "held": held}
    for name in FIVE:
        if only in name:
            yield name, [accuracy(CODES[name], tasks.WHO_CAME_FIRST, std, rate, **settings) for std in stds]


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
        "who_came_first/quiet": lambda only: beside("quiet", tasks.WHO_CAME_FIRST, only),
        "who_came_first/loud": lambda only: beside("loud", tasks.WHO_CAME_FIRST, only),
        "three_back/quiet": lambda only: beside("quiet", tasks.THREE_BACK, only),
        **{f"loudness/{steps}": partial(loudness, steps) for steps in BUDGETS},
        "held": partial(loudness, BUDGETS[0], stds=HELD, held=True),
        "held/longer": partial(loudness, BUDGETS[1], stds=HELD, held=True),
        "held/longer/0.01": partial(loudness, BUDGETS[1], rate=1e-2, stds=HELD[:1], held=True),
        "letters": letters,
    }


def main(part: str = "", only: str = "") -> None:
    """Train the parts whose names contain `part`, in them the runs whose names contain `only`, and write the table."""
    torch.set_num_threads(1)
    setup = {
        "command": "python -m clockwork.lessons.lesson_06.train_adding",
        "python": platform.python_version(),
        "torch": torch.__version__,
    }
    setup |= {"seeds": SEEDS, "learning_rates": RATES, "steps": STEPS}
    setup |= {"fresh_seeds": FRESH, "stds": STDS, "held": HELD}
    setup |= {"num_layers": 2, "d_model": D_MODEL, "batch_size": 16, "embedding_std": TOKENS}
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
