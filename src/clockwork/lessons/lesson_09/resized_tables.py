"""Record what becomes of trained models whose position table is cut, repeated or stretched.

`python -m clockwork.lessons.lesson_09.resized_tables` writes data/resized_tables.json: some five CPU-minutes.

Each model learns with a table of its own, from eight seeds. Then the table gets another length and nothing is trained
again. On a line of tokens: *3 back* and *who came first?*, asked at twice the trained length. On a square of tokens,
read row by row as a vision transformer reads its patches: which of two marked tokens is further to the left, learned
on 6 × 6 and asked on 9 × 9.
"""

from __future__ import annotations

import json
import platform
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from clockwork.kit import attention, datafiles, tasks, training

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor

DATA = datafiles.CHECKOUT / "resized_tables.json"
SEEDS = tuple(range(8))
D_MODEL = 32
SIDE = 6  # of the square in training
LARGER = 9  # of the square that is asked
STEPS = {"three_back": 500, "who_came_first": 1000, "further_left": 1000}
LEARNING_RATE = 0.005
STD = 1.0  # of the table as it is drawn: as loud as the tokens
ON_A_LINE = ("repeated", "last row copied", "nearest", "linear", "cubic")
ON_A_SQUARE = ("nearest", "bilinear", "bicubic", "linear, as one line")
MODES = {"linear": "bilinear", "cubic": "bicubic"}  # in one row of pixels


def further_left(batch_size: int, seq_len: int, *, generator: torch.Generator, num_symbols: int = 16):
    """Draw squares with one A and one B in different columns; the target is the letter further to the left."""
    side = round(seq_len**0.5)
    tokens = torch.randint(2, num_symbols, (batch_size, seq_len), generator=generator)
    columns = torch.rand(batch_size, side, generator=generator).topk(2).indices
    rows = torch.randint(side, (batch_size, 2), generator=generator)
    letters = torch.tensor([[tasks.A, tasks.B]]).expand(batch_size, 2)
    tokens.scatter_(1, rows * side + columns, letters)
    return tokens, (columns[:, 1] < columns[:, 0]).long()


FURTHER_LEFT = tasks.Task(
    "further_left", 16, 1 / 2, (SIDE**2, SIDE**2), STEPS["further_left"], further_left, further_left
)
TASKS = (tasks.THREE_BACK, tasks.WHO_CAME_FIRST, FURTHER_LEFT)


def resized_line(table: Float[Tensor, "... rows width"], length: int, how: str) -> Float[Tensor, "... length width"]:
    """Return a table with `length` rows.

    Args:
        table: the trained rows.
        length: how many there shall be.
        how: one of `ON_A_LINE`.
    """
    rows = torch.arange(length)
    trained = table.shape[-2]
    if how == "repeated":
        return table[..., rows % trained, :]
    if how == "last row copied":
        return table[..., rows.clamp(max=trained - 1), :]
    if how == "nearest":
        return table[..., rows * trained // length, :]
    picture = table.mT.flatten(0, -3)[..., None, :] if table.ndim > 2 else table.mT[None, :, None]
    drawn = functional.interpolate(picture, (1, length), mode=MODES[how], align_corners=False)
    return drawn[..., 0, :].mT.reshape(*table.shape[:-2], length, table.shape[-1])


def resized_square(table: Float[Tensor, "... places width"], side: int, how: str) -> Float[Tensor, "... new width"]:
    """Return a table for a square of `side` × `side` places, row by row.

    Args:
        table: the trained places, of a smaller square.
        side: of the new square.
        how: one of `ON_A_SQUARE`. *Linear, as one line* forgets that the places are a square.
    """
    if how == "linear, as one line":
        return resized_line(table, side**2, "linear")
    before = round(table.shape[-2] ** 0.5)
    picture = table.mT.reshape(-1, table.shape[-1], before, before)
    settings = {} if how == "nearest" else {"align_corners": False}
    drawn = functional.interpolate(picture, (side, side), mode=how, **settings)
    return drawn.flatten(2).mT.reshape(*table.shape[:-2], side**2, table.shape[-1])


def learned(task: tasks.Task) -> training.Trained:
    """Train a model with a learned table from each seed."""

    def model():
        encoding = attention.Learned(task.trained_to, D_MODEL, std=STD)
        return attention.Transformer(task.vocab_size, encoding, d_model=D_MODEL)

    steps = STEPS[task.name]
    return training.train(model, task, SEEDS, steps=steps, batch_size=16, learning_rate=LEARNING_RATE)


def asked(
    trained: training.Trained, table: Float[Tensor, "seeds rows width"], tokens: Int[Tensor, "batch seq_len"], targets
) -> list[float]:
    """Return the share of right answers of each model with another table."""
    state = dict(trained.state)
    name = next(key for key in state if key.startswith("encoding"))
    other = training.Trained(trained.skeleton, state | {name: table}, trained.seeds, trained.losses)
    return [round(tasks.accuracy(logits, targets).item(), 4) for logits in other(tokens)]


def found(task: tasks.Task) -> dict[str, list[float]]:
    """Return what a task's models get right with their own table, and with every other."""
    trained = learned(task)
    table = next(value for key, value in trained.state.items() if key.startswith("encoding"))
    on_square = task is FURTHER_LEFT
    length = LARGER**2 if on_square else 2 * task.trained_to
    draw = torch.manual_seed(0)
    right = {"as trained": asked(trained, table, *task.draw_test(200, task.trained_to, generator=draw))}
    tokens, targets = task.draw_test(200, length, generator=draw)
    resize = resized_square if on_square else resized_line
    for how in ON_A_SQUARE if on_square else ON_A_LINE:
        other = resize(table, LARGER if on_square else length, how)
        right[how] = asked(trained, other, tokens, targets)
        if task is tasks.THREE_BACK:
            six = torch.full_like(tokens, tasks.NO_ANSWER)
            six[:, 6:] = tokens[:, :-6]
            right[f"{how}, 6 back"] = asked(trained, other, tokens, six)
    return right


def main() -> None:
    """Train the models and write what they get right."""
    torch.set_num_threads(1)
    about = {"command": "python -m clockwork.lessons.lesson_09.resized_tables", "python": platform.python_version()}
    about |= {"torch": torch.__version__, "seeds": len(SEEDS), "steps": STEPS}
    about |= {"learning_rate": LEARNING_RATE, "std": STD}
    runs = {task.name: found(task) for task in TASKS}
    DATA.write_text(json.dumps(about | {"runs": runs}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
