"""Texts, cut into windows; and runs of a model on them, each kept as soon as it is done."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch

from clockwork.measure.decoder import Unmeasurable

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 16  # tokens: the pieces of which an interval is made where there are fewer windows than `FEWEST`
FEWEST = 3
MOST = 4  # windows of one length
QUANTILES = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)  # Student's t, 97.5 %, 1 to 10 degrees
DIGITS = 4


class Window(NamedTuple):
    """A piece of a text."""

    name: str
    tokens: Tensor


def windows(texts: dict[str, Tensor], length: int, most: int = MOST) -> list[Window]:
    """Return pieces of so many tokens that do not overlap: the first of every text, then the second of every text.

    Example:
        >>> texts = {"a": torch.arange(7), "b": torch.arange(4)}
        >>> [window.name for window in windows(texts, 3)]
        ['a 0', 'b 0', 'a 1']
    """
    found = []
    for number in itertools.count():
        start = number * length
        fits = {name: tokens for name, tokens in texts.items() if len(tokens) >= start + length}
        if not fits or len(found) >= most:
            return found[:most]
        found += [Window(f"{name} {number}", tokens[start : start + length]) for name, tokens in fits.items()]


class Runs:
    """Runs by their names, kept in a file from one start of the command to the next.

    Args:
        file: where they are kept; None keeps them in memory alone.
        of: what they belong to: a file of other models, texts or settings is begun anew.
        progress: called with the tokens of each run when it is done or found.

    Attributes:
        counting: if true nothing is run: every run is noted with its tokens in `counted`, and its answer is 0.
    """

    def __init__(self, file: Path | None, of: dict, progress: Callable[[int], None] = lambda tokens: None):
        self.file = file
        self.of = json.loads(json.dumps(of))
        self.progress = progress
        self.kept: dict[str, list] = {}
        self.counting = False
        self.counted: dict[str, int] = {}
        if file is not None and file.exists():
            self._read()

    def __call__(self, name: str, tokens: int, shape: tuple[int, ...], run: Callable[[], Tensor]) -> Tensor:
        """Return what `run` returns, a tensor of this shape, or what it returned before."""
        if self.counting:
            self.counted[name] = tokens
            return torch.zeros(shape, dtype=torch.float64)
        if name not in self.kept:
            found = run()
            if not found.isfinite().all():
                raise Unmeasurable(f"the run {name!r} gave numbers that are not finite")
            self._keep(name, [round(value, DIGITS) for value in found.double().flatten().tolist()])
            self.progress(tokens)
        return torch.tensor(self.kept[name], dtype=torch.float64).reshape(shape)

    def _keep(self, name: str, values: list) -> None:
        self.kept[name] = values
        if self.file is None:
            return
        if len(self.kept) == 1:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(self.of) + "\n", "utf-8")
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, values]) + "\n")

    def _read(self) -> None:
        """Take what is kept of the same measurement; a last line that an interrupt cut is left out."""
        lines = self.file.read_text("utf-8").split("\n")
        whole = lines[:-1]
        if not whole or json.loads(whole[0]) != self.of:
            return
        self.kept = {name: values for name, values in map(json.loads, whole[1:])}
        if lines[-1]:
            self.file.write_text("\n".join(whole) + "\n", "utf-8")


def interval(of_windows: list[Tensor]) -> dict:
    """Return the mean of token by token numbers, and where 95 % of such means would lie (Student's t).

    It is counted over windows, or, where these are fewer than three, over blocks of 16 tokens of them.

    Example:
        >>> interval([torch.zeros(10), torch.ones(10), torch.ones(10)])["mean"]
        0.6667
    """
    means = [values.double().mean().item() for values in of_windows]
    units, over = means, "windows"
    if len(means) < FEWEST:
        blocks = [block for values in of_windows for block in values.double().split(BLOCK)]
        whole = [block for block in blocks if len(block) == BLOCK] or blocks
        units, over = [block.mean().item() for block in whole], f"blocks of {BLOCK} tokens"
    found = {"mean": _rounded(sum(means) / len(means)), "low": None, "high": None}
    found |= {"over": over, "n": len(units), "windows": [_rounded(value) for value in means]}
    if len(units) > 1:
        free = len(units) - 1
        quantile = QUANTILES[free - 1] if free <= len(QUANTILES) else 1.96 + 2.5 / free
        wide = quantile * torch.tensor(units).std().item() / len(units) ** 0.5
        found |= {"low": _rounded(found["mean"] - wide), "high": _rounded(found["mean"] + wide)}
    return found


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0
