"""What eight seeds of every code reached, trained by the page's engine and by torch: data/playground.json."""

import itertools
from pathlib import Path
from statistics import mean

from clockwork.kit import datafiles, plots

PICTURE = Path(__file__).with_name("still.png")  # made by `python -m tools.playground still`
WIDTH = 1040  # CSS pixels
LENGTHS = ("at the trained length", "at twice the length", "at four times the length")
ALT = (
    "A trained model in the playground. A text of 24 letters, a clock below each, and below that the model's answers, "
    "all right. Its one head listens three letters back: a bright line beside the diagonal. The share of right answers "
    "rises to 1.00 at 24 tokens, .56 at 48 and .36 at 96."
)
CAPTION = "Three back with the sinusoid after 300 steps. Where JavaScript runs, such models train here."


def runs(part: str) -> list[dict]:
    """Return the recorded configurations: `grid`, each task with each code, or `stories`, the guided experiments'.

    Each has `settings`, and for each seed the shares of right answers at one, two and four times the trained length:
    `engine`, and in the grid also `torch`.
    """
    return datafiles.read("playground.json").get(part, [])


def table() -> list[list[str]]:
    """Return what was recorded as a table: a row for each configuration, the mean over seeds of engine and torch."""
    head = ["task, code", *(f"{who}, {length}" for who in ("page", "torch") for length in LENGTHS)]
    return [head, *map(row, itertools.chain(runs("grid"), runs("stories")))]


def row(run: dict) -> list[str]:
    """Return one configuration as a row: what was trained, and the means over its seeds."""
    settings = run["settings"]
    heard = "mask" if settings["causal"] else "no mask"
    layers, heads = settings["layers"], settings["heads"]
    size = f"{layers} layer{'s' * (layers > 1)}, {heads} head{'s' * (heads > 1)}"
    name = f"{settings['task']}, {settings['code']}, {size}, {heard}"
    name += f", {settings['steps']} steps at rate {settings['rate']}"
    if settings["scale"] != 1:
        name += f", loudness {settings['scale']}"
    if settings["code"] == "ALiBi":
        name += f", slope {settings['slope']}"
    shares = [zip(*run[who], strict=True) if who in run else [] for who in ("engine", "torch")]
    told = [[f"{mean(column):.2f}" for column in columns] or ["–"] * len(LENGTHS) for columns in shares]
    return [name, *itertools.chain(*told)]


def still() -> tuple[dict, dict]:
    """Return what stands in the place of the playground where no JavaScript runs: a picture and recorded numbers."""
    return plots.bundle(PICTURE.read_bytes(), alt=ALT, caption=CAPTION, width=WIDTH, numbers=table())
