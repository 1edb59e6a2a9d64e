"""The time of a table's fast hand: by how much it is ahead, and the stripes that bend with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from clockwork.kit import probes

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def ahead(points: Float[Tensor, "rows 2"]) -> Float[Tensor, "rows"]:
    """Return by how many tokens a hand is ahead of an even clock at each row; at the first and the last it is on time.

    Args:
        points: the rows in the plane of the hand, the middle at (0, 0).
    """
    turned = probes.going_round(points)[1]
    between = (turned / turned.mean() - 1).cumsum(0)[:-1]
    return torch.cat([turned.new_zeros(1), between, turned.new_zeros(1)])


def with_constant_speed(table: Float[Tensor, "rows width"]) -> Float[Tensor, "rows width"]:
    """Return the table with its fast hand turning evenly, at its mean speed and its own radius, and all else as it was.

    Args:
        table: the rows; the hand is in the plane of their two strongest directions.
    """
    middle = table.mean(0)
    plane = torch.linalg.svd(table - middle, full_matrices=False).Vh[:2]
    points = (table - middle) @ plane.T
    angle = probes.going_round(points)[1].mean() * torch.arange(len(table))
    even = torch.stack([angle.cos(), angle.sin()], 1)
    return table + (points.norm(dim=1, keepdim=True) * even - points) @ plane


def stripes(table: Float[Tensor, "rows width"], farthest: int, columns: int) -> Float[Tensor, "farthest columns"]:
    """Return the cosine of rows 1, 2, … `farthest` apart, each the mean over one of `columns` stretches of the table.

    Args:
        table: the rows; their mean is subtracted.
        farthest: tokens between two rows.
        columns: how many stretches.
    """
    rest = table - table.mean(0)
    unit = rest / rest.norm(dim=1, keepdim=True)
    near = unit[: len(unit) - farthest]
    cosines = torch.stack([(near * unit[k : k + len(near)]).sum(1) for k in range(1, farthest + 1)])
    return torch.stack([part.mean(1) for part in cosines.tensor_split(columns, dim=1)], 1)
