"""Measure what a position table or a model's layer encodes: by linear fits and probes, tested on what is left out.

A probe that is tested on positions between those it was fitted on can interpolate. One that is tested on a contiguous
range it never saw cannot. Both are here, so that the difference can be shown.

Source: Wang and Chen 2020, arXiv:2010.04903, for `position_error`; their code is github.com/MiuLab/PE-Study.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def leading(table: Float[Tensor, "max_len d_model"], count: int) -> Float[Tensor, "max_len count"]:
    """Return how far each row reaches along the table's strongest directions, in float64.

    Args:
        table: codes of the positions 0, 1, 2, …
        count: how many directions, at most max_len and d_model.

    Example:
        >>> leading(torch.randn(512, 384), 2).shape
        torch.Size([512, 2])
    """
    rest = (table - table.mean(0)).double()
    return rest @ torch.linalg.svd(rest, full_matrices=False).Vh[:count].T


def going_round(
    points: Float[Tensor, "max_len 2"],
) -> tuple[Float[Tensor, "max_len 2"], Float[Tensor, "max_len-1"]]:
    """Return points of a plane, mirrored if need be so that they go round clockwise on average, and their turns.

    Args:
        points: one point a position, the middle at (0, 0).

    Returns:
        The points as (right, up), and the clockwise turn from each to the next, in rad, between −π and π.

    Example:
        >>> angle = 1.5 * torch.arange(4)
        >>> going_round(torch.stack([angle.cos(), angle.sin()], 1))[1]
        tensor([1.5000, 1.5000, 1.5000])
    """
    hand = torch.complex(points[:, 1], points[:, 0])  # 12 o'clock is the real axis
    turns = (hand[1:] * hand[:-1].conj()).angle()
    if turns.mean() < 0:
        return points * torch.tensor([-1, 1]), -turns
    return points, turns


def random_twin(table: Float[Tensor, "max_len d_model"], seed: int = 0) -> Float[Tensor, "max_len d_model"]:
    """Draw a random table whose rows have, on average, the same dot products at each distance.

    Each dot product is that of two rows with the table's mean row subtracted, averaged over all pairs at a distance.
    A share of the averages may belong to no table at all (a negative eigenvalue); that share is left out.

    Args:
        table: codes of the positions 0, 1, 2, …
        seed: of the draw.

    Example:
        >>> random_twin(torch.randn(50, 8)).shape
        torch.Size([50, 8])
    """
    rest = (table - table.mean(0)).double()
    length, width = rest.shape
    products = rest @ rest.T
    by_distance = torch.stack([products.diagonal(k).mean() for k in range(length)])
    positions = torch.arange(length)
    strengths, waves = torch.linalg.eigh(by_distance[(positions[:, None] - positions).abs()])
    root = waves * strengths.clamp(min=0).sqrt() @ waves.T  # the symmetric one: processors differ in the waves' signs
    drawn = torch.randn(length, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return root @ drawn / width**0.5


def shift_fit(table: Float[Tensor, "max_len d_model"], k: int, *, directions: int, folds: int = 5) -> float:
    """Return how much of the rows k further on the best matrix explains, on stretches it was not fitted to.

    The positions are cut into stretches that are left out in turn. The directions and the matrix come from the others.

    Args:
        table: codes of the positions 0, 1, 2, …
        k: the shift, in tokens.
        directions: fit within this many principal directions; without a limit, a wide table fits anything.
        folds: how many stretches.

    Returns:
        R² within these directions: 1 is exact, 0 no better than always saying the mean.

    Raises:
        ValueError: if `k` is not between 1 and max_len-1, or there are too many folds.
    """
    if not 0 < k < len(table):
        raise ValueError(f"k must lie between 1 and max_len-1={len(table) - 1} (a row must be left to reach), got {k}")
    codes = table.double()
    here = codes[:-k]
    there = codes[k:]
    missed = 0.0
    spread = 0.0
    for fit, test in _contiguous_folds(len(here), folds):
        middle = here[fit].mean(0)
        along = torch.linalg.svd(here[fit] - middle, full_matrices=False).Vh[:directions].T
        x, y = (rows @ along for rows in (here - middle, there - middle))
        matrix = _least_squares(x[fit], y[fit])
        missed += (y[test] - x[test] @ matrix).square().sum()
        spread += (y[test] - y[fit].mean(0)).square().sum()
    return float(1 - missed / spread)


def position_error(
    table: Float[Tensor, "max_len d_model"],
    *,
    directions: int | None = None,
    folds: int = 5,
    shuffled: bool = True,
    seed: int = 0,
) -> float:
    """Return the mean error, in tokens, of positions that linear regression reads from their codes.

    Args:
        table: codes of the positions 0, 1, 2, …
        directions: read from this many principal directions of the rows fitted on; by default from all columns.
        folds: parts of the positions that are left out in turn.
        shuffled: leave out random positions, as published: their neighbours are then among the fitted ones. False
            leaves out contiguous ranges.
        seed: draws the random positions.
    """
    codes = table.double()
    positions = torch.arange(len(table))
    if shuffled:
        positions = torch.randperm(len(table), generator=torch.Generator().manual_seed(seed))
    errors = []
    for fit, test in _contiguous_folds(len(table), folds):
        middle = codes[positions[fit]].mean(0)
        known = codes[positions[fit]] - middle
        unknown = codes[positions[test]] - middle
        if directions is not None:
            along = torch.linalg.svd(known, full_matrices=False).Vh[:directions].T
            known = known @ along
            unknown = unknown @ along
        targets = positions[fit].double()
        weights = _least_squares(known, targets[:, None] - targets.mean())
        predicted = unknown @ weights[:, 0] + targets.mean()
        errors.append(predicted.round() - positions[test])
    return float(torch.cat(errors).abs().mean())


def retimed(
    table: Float[Tensor, "positions width"], ahead: Float[Tensor, "rows"]
) -> Float[Tensor, "new_positions width"]:
    """Read a table at even times of a clock that is ahead of its rows, or late.

    Between two rows the table is taken as a straight line.

    Args:
        table: a row for each position.
        ahead: by how many tokens the clock is ahead at each row; minus for late. The clock may not go back.

    Returns:
        The table at all whole tokens of the clock from its first row to its last.

    Raises:
        ValueError: if `ahead` has not one number for each row, or if the clock stands still or goes back.

    Example:
        >>> rows = torch.tensor([[0.0], [2.0], [4.0]])
        >>> retimed(rows, torch.tensor([0.0, 1.0, 2.0]))[:, 0]
        tensor([0., 1., 2., 3., 4.])
    """
    if ahead.shape != table.shape[:1]:
        raise ValueError(f"ahead must have one number for each of {len(table)} rows, got shape {tuple(ahead.shape)}")
    clock = torch.arange(len(table), dtype=ahead.dtype, device=ahead.device) + ahead
    if (clock.diff() <= 0).any():
        raise ValueError(f"ahead must fall by less than 1 a row (time runs on), got {ahead.diff().min():.3g}")
    even = torch.arange(clock[0].ceil().item(), clock[-1].floor().item() + 1, dtype=clock.dtype, device=clock.device)
    after = torch.searchsorted(clock, even).clamp(1, len(clock) - 1)
    between = (even - clock[after - 1]) / (clock[after] - clock[after - 1])
    return torch.lerp(table[after - 1], table[after], between[:, None].to(table.dtype))


def share_read(
    known: Float[Tensor, "texts positions width"],
    tips: Float[Tensor, "rows hands 2"],
    new: Float[Tensor, "new_texts new_positions width"],
    new_tips: Float[Tensor, "new_rows hands 2"] | None = None,
) -> Float[Tensor, "hands"]:
    """Return how much of each hand's movement a linear probe reads from new texts.

    The probe is one matrix and one constant vector, fitted by least squares to give the tip of every hand from the
    vector at a position.

    Args:
        known: the vectors to fit on, such as the outputs of a layer.
        tips: where the hands point at each position, as (sin, cos).
        new: the vectors to test on.
        new_tips: the tips at their positions; without it, the positions are those of `known`.

    Returns:
        1 minus the squared error over that of always saying the mean tip: 1 is exact, 0 no better than the mean.

    Raises:
        ValueError: if `tips` has not one row for each position.

    Example:
        >>> angles = torch.arange(32.0)[:, None] * torch.tensor([1.0, 0.1])
        >>> tips = torch.stack([angles.sin(), angles.cos()], -1)
        >>> vectors = tips.flatten(1) + torch.zeros(50, 32, 4)
        >>> share_read(vectors[:25], tips, vectors[25:])
        tensor([1., 1.], dtype=torch.float64)
    """
    if new_tips is None:
        new_tips = tips
    for name, vectors, wanted in (("tips", known, tips), ("new_tips", new, new_tips)):
        if len(wanted) != vectors.shape[1]:
            raise ValueError(f"{name} must have one row for each of {vectors.shape[1]} positions, got {len(wanted)}")

    def with_constant(vectors):
        return functional.pad(vectors, (0, 1), value=1.0).flatten(0, 1).double()

    def for_each_text(wanted, vectors):
        return wanted.double().flatten(1).repeat(len(vectors), 1)

    probe = _least_squares(with_constant(known), for_each_text(tips, known))
    right = for_each_text(new_tips, new)
    error = (with_constant(new) @ probe - right).square().sum(0)
    spread = (right - right.mean(0)).square().sum(0)
    return 1 - error.unflatten(0, (-1, 2)).sum(1) / spread.unflatten(0, (-1, 2)).sum(1)


def _contiguous_folds(length: int, folds: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the indices to fit on and the indices to test on."""
    if not 2 <= folds <= length:
        raise ValueError(f"folds must lie between 2 and {length} (some to fit, some to test), got {folds}")
    indices = torch.arange(length)
    for test in indices.chunk(folds):
        yield torch.cat([indices[: test[0]], indices[test[-1] + 1 :]]), test


def _least_squares(
    x: Float[Tensor, "rows features"], y: Float[Tensor, "rows targets"]
) -> Float[Tensor, "features targets"]:
    return torch.linalg.lstsq(x, y, driver="gelsd").solution  # the smallest solution if there are many
