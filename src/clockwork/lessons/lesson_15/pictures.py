"""Pictures of tokens: their places on two axes, and the tasks that small models learn on them.

A picture of n × n tokens is read row by row. `Places` turns queries and keys by row and column, and may squeeze the
places or count along diagonals too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from clockwork.kit import attention, tasks
from pe_helpers import rotary, rotary_axes

if TYPE_CHECKING:
    from jaxtyping import Bool, Float
    from torch import Tensor

SIDE = 14  # tokens, of a picture in training
ROUNDS = 19  # places: 19 rad and 6.01 rad of the two fastest hands, nearly three turns and one
SIDES = (14, 16, 18, 20)  # of those that are asked
SYMBOLS = 16
BACK = 3  # columns
BOARD = 10  # squares, of a picture of marks
BASE = 100.0  # a picture is short
AXES = {"axial": "rows and columns", "mixed": "rows, columns and both diagonals"}


def places(side: int, axes: str = "axial") -> Float[Tensor, "places axes"]:
    """Return where each token of a square picture stands, in tokens, on each axis.

    Args:
        side: rows and columns.
        axes: "axial" for row and column, "mixed" for the two diagonals too: column + row and column − row.

    Example:
        >>> places(2, "mixed")
        tensor([[ 0.,  0.,  0.,  0.],
                [ 0.,  1.,  1.,  1.],
                [ 1.,  0.,  1., -1.],
                [ 1.,  1.,  2.,  0.]], dtype=torch.float64)
    """
    if axes not in AXES:
        raise ValueError(f"axes must be one of {', '.join(AXES)}, got {axes!r}")
    row, column = rotary_axes.grid(side, side).double().unbind(-1)
    along = (row, column) if axes == "axial" else (row, column, column + row, column - row)
    return torch.stack(along, -1)


class Places(attention.Encoding):
    """Rotate queries and keys by their places in a square picture; each axis has its share of the hands.

    Args:
        axes: as for `places`.
        scale: what places are multiplied by; 14/20 squeezes a picture of 20 columns into the range of 14.

    Attributes:
        visible: which key, a column, each query, a row, may look at; None shows all.
    """

    def __init__(self, axes: str = "axial", *, scale: float = 1.0):
        super().__init__()
        self.axes = axes
        self.scale = scale
        self.visible: Bool[Tensor, "queries keys"] | None = None

    def turn(self, x, position_ids):
        """Rotate each pair of features by the place on the axis that it follows."""
        where = self.scale * places(round(len(position_ids) ** 0.5), self.axes)
        inv_freq, axis_of_pair = rotary_axes.axial(x.shape[-1], axes=where.shape[-1], base=BASE)
        return rotary.apply_rotary_emb(x, *rotary_axes.cos_sin(where, axis_of_pair, inv_freq=inv_freq))

    def bias(self, num_heads, position_ids):
        """Hide the keys that are not visible."""
        return None if self.visible is None else torch.zeros(self.visible.shape).masked_fill(~self.visible, -math.inf)


def beside(batch_size: int, seq_len: int, *, generator: torch.Generator, half: bool):
    """Draw pictures; the target at each place is the symbol some columns to the left: 3, or half of the picture."""
    side = round(seq_len**0.5)
    columns = side // 2 if half else BACK
    picture = torch.randint(SYMBOLS, (batch_size, side, side), generator=generator)
    target = torch.full_like(picture, tasks.NO_ANSWER)
    target[..., columns:] = picture[..., :-columns]
    return picture.flatten(1), target.flatten(1)


def three_left(batch_size: int, seq_len: int, *, generator: torch.Generator):
    """Draw pictures; the target at each place is the symbol three columns to the left."""
    return beside(batch_size, seq_len, generator=generator, half=False)


def half_left(batch_size: int, seq_len: int, *, generator: torch.Generator):
    """Draw pictures; the target at each place is the symbol half a picture to the left."""
    return beside(batch_size, seq_len, generator=generator, half=True)


def along_row(batch_size: int, seq_len: int, *, generator: torch.Generator):
    """Draw boards of marks; the target at each place is whether marks are in the majority on its row."""
    side = round(seq_len**0.5)
    board = torch.randint(2, (batch_size, side, side), generator=generator)
    votes = (2 * board - 1).sum(-1, keepdim=True).expand_as(board)
    return board.flatten(1), _majority(votes).flatten(1)


def along_diagonal(batch_size: int, seq_len: int, *, generator: torch.Generator):
    """Draw boards of marks; the target at each place is whether marks are in the majority on its ↘ diagonal.

    Diagonals of fewer than five places are not asked.
    """
    side = round(seq_len**0.5)
    board = torch.randint(2, (batch_size, side, side), generator=generator)
    row, column = rotary_axes.grid(side, side).unbind(-1)
    offset = column - row
    same = (offset[:, None] == offset).long()
    target = _majority((2 * board.flatten(1) - 1) @ same)
    return board.flatten(1), target.masked_fill(offset.abs() > side - 5, tasks.NO_ANSWER)


def _majority(votes):
    return torch.where(votes == 0, tasks.NO_ANSWER, (votes > 0).long())


def task(draw) -> tasks.Task:
    """Return one of the tasks above, for training."""
    boards = draw in (along_row, along_diagonal)
    side, symbols = (BOARD, 2) if boards else (SIDE, SYMBOLS)
    return tasks.Task(draw.__name__, symbols, 1 / symbols, (side**2, side**2), 400, draw, draw)


def model(vocab_size: int, axes: str) -> attention.Transformer:
    """Return a model of one layer before training: two heads of 8 hands, or of 16 for boards of two symbols."""
    d_model = 64 if vocab_size == 2 else 32
    return attention.Transformer(vocab_size, Places(axes), d_model=d_model, num_heads=2, num_layers=1)


def ways(side: int) -> dict[str, float]:
    """Return the two ways to place a larger picture, each with what its places are multiplied by."""
    return {"counted on": 1.0, "squeezed": SIDE / side}


def hidden(draw, side: int, scale: float) -> dict[str, Bool[Tensor, "places places"]]:
    """Return what each query sees if keys are hidden that may disturb in a larger picture, or as many others.

    The key with the answer is never hidden. "new offsets" are those beyond 13 rows or columns, "neighbours" the places
    that touch the right one, "rounds" those 19 rows or columns from it, where the two fastest hands have come round.

    Args:
        draw: `three_left` or `half_left`, which decides where the right key stands.
        side, scale: as for `places` and `Places`.

    Example:
        >>> hidden(three_left, 20, 1.0)["neighbours hidden"].shape
        torch.Size([400, 400])
    """
    columns = BACK if draw is three_left else side // 2
    place = rotary_axes.grid(side, side)
    row, column = (place[None] - place[:, None]).unbind(-1)  # of the key, seen from the query
    right = (row == 0) & (column == -columns)
    disturbing = {
        "new offsets": (scale * torch.maximum(row.abs(), column.abs())).round(decimals=6) > SIDE - 1,
        "neighbours": (row.abs() <= 1) & ((column + columns).abs() <= 1) & ~right,
    }
    if draw is three_left and scale == 1:
        disturbing["rounds"] = (row.abs() == ROUNDS) | (column == ROUNDS - columns)
    chance = torch.rand(right.shape, generator=torch.Generator().manual_seed(3))
    found = {}
    for name, keys in disturbing.items():
        rank = chance.masked_fill(keys | right, 2.0).argsort(-1).argsort(-1)
        found[f"{name} hidden"] = ~keys
        found[f"as many others hidden as {name}"] = rank >= keys.sum(-1, keepdim=True)
    return found


def guessed_nearby(reach: int, *, boards: int = 2000) -> float:
    """Return how often the majority of the nearest marks on a diagonal is that of the whole diagonal.

    Args:
        reach: how many marks on either side are counted beside the own one. Where they tie, the own mark decides.
        boards: that are drawn.

    Example:
        >>> 0.6 < guessed_nearby(0) < guessed_nearby(1) < 0.8
        True
    """
    board, target = along_diagonal(boards, BOARD**2, generator=torch.Generator().manual_seed(0))
    marks = 2 * board.unflatten(1, (BOARD, BOARD)) - 1
    near = marks.clone()
    for step in range(1, reach + 1):
        near[:, step:, step:] += marks[:, :-step, :-step]
        near[:, :-step, :-step] += marks[:, step:, step:]
    guess = torch.where(near == 0, marks, near).flatten(1) > 0
    asked = target != tasks.NO_ANSWER
    return (guess == (target > 0))[asked].double().mean().item()
