"""Turn what a head has learned: its scores by positions alone, as if every key stood some tokens further on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from clockwork.kit import heads
from pe_helpers import attention, sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def turning_part(matrix: Float[Tensor, "d_model d_model"]) -> Float[Tensor, "d_model d_model"]:
    """Return the part of a score matrix that turns and stretches each hand by itself and mixes none.

    Args:
        matrix: W of the scores PE(p)ᵀ W PE(q).
    """
    pairs = len(matrix) // 2
    own = matrix * torch.block_diag(*torch.ones(pairs, 2, 2))
    quarter = torch.block_diag(*torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).expand(pairs, 2, 2))
    return (own + quarter.T @ own @ quarter) / 2


def turned(model: attention.Transformer, by: float) -> attention.Transformer:
    """Return a copy of a model whose heads score by their turning part alone, turned on.

    Args:
        model: a trained model.
        by: tokens; a head that looked three back then looks 3 + `by` back.

    Example:
        >>> turned(attention.Transformer(16, attention.Sinusoid(), d_model=32), 2)(torch.arange(6)).shape
        torch.Size([6, 16])
    """
    matrices = heads.score_matrices(model)
    on = sinusoidal.shift_matrix(by, matrices.shape[-1]).float()
    return heads.rescored(model, torch.stack([turning_part(one) @ on for one in matrices]))
