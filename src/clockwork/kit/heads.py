"""Look into the heads of a trained `Transformer`, and put scores of our own in place of theirs.

A head's score of a query x and a key y is (W_Q x) · (W_K y) / √head_dim, so it sees its two matrices only through their
product W = W_Qᵀ W_K / √head_dim.

Source: the product is the "QK circuit" of Elhage et al. 2021, A Mathematical Framework for Transformer Circuits.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from clockwork.kit import attention
from pe_helpers import sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


@torch.no_grad()
def score_matrices(model: attention.Transformer) -> Float[Tensor, "num_heads d_model d_model"]:
    """Return W = W_Qᵀ W_K / √head_dim for each head of the first layer, with the factors of the LayerNorm before it.

    Args:
        model: a trained model.

    Example:
        >>> model = attention.Transformer(16, attention.Sinusoid(), d_model=32)
        >>> score_matrices(model).shape
        torch.Size([4, 32, 32])
    """
    block = model.blocks[0]
    weight = block.qkv.weight * block.before_attention.weight
    w_q, w_k, _ = weight.unflatten(0, (3, block.num_heads, -1))
    return w_q.mT @ w_k / w_q.shape[1] ** 0.5


@torch.no_grad()
def sharpest(model: attention.Transformer, tokens: Int[Tensor, "batch seq_len"]) -> int:
    """Return the first layer's head whose largest weight is largest, averaged over the queries of `tokens`.

    Args:
        model: a trained model.
        tokens: texts to try it on.
    """
    weights = model.trace(tokens).weights[0]
    return int(weights.amax(-1).mean((0, 2)).argmax())


def turning_part(matrix: Float[Tensor, "*heads d_model d_model"]) -> Float[Tensor, "*heads d_model d_model"]:
    """Return the part of score matrices that turns and stretches each hand by itself and mixes none.

    Args:
        matrix: W of the scores PE(p)ᵀ W PE(q).

    Example:
        >>> shift = sinusoidal.shift_matrix(3, 32)
        >>> torch.allclose(turning_part(shift), shift)
        True
    """
    pairs = matrix.shape[-1] // 2
    own = matrix * torch.block_diag(*torch.ones(pairs, 2, 2))
    quarter = torch.block_diag(*torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).expand(pairs, 2, 2)).to(matrix.dtype)
    return (own + quarter.T @ own @ quarter) / 2


class CodeScores(attention.Encoding):
    """Add PE(p)ᵀ W PE(q) to the scores of each head, with one W per head, (num_heads, d_model, d_model).

    Keys that stand `hidden` tokens before their query are hidden from it.
    """

    def __init__(self, matrices: Float[Tensor, "num_heads d_model d_model"], hidden: Sequence[int] = ()):
        super().__init__()
        self.matrices = matrices
        self.hidden = torch.as_tensor(hidden)

    def bias(self, num_heads, position_ids):
        """Return the scores of every two positions."""
        codes = sinusoidal.table(position_ids, self.matrices.shape[-1], dtype=self.matrices.dtype)
        back = position_ids[:, None] - position_ids
        return (codes @ self.matrices @ codes.T).masked_fill(torch.isin(back, self.hidden), -math.inf)


@torch.no_grad()
def rescored(
    model: attention.Transformer,
    matrices: Float[Tensor, "num_heads d_model d_model"],
    layer: int = 0,
    *,
    hidden: Sequence[int] = (),
) -> attention.Transformer:
    """Return a copy of the model in which one layer's heads score PE(p)ᵀ W PE(q), and the words not at all.

    Args:
        model: a trained model.
        matrices: one W for each head, or one for all of them.
        layer: whose scores are replaced; all else stays as it was trained.
        hidden: which keys the heads do not see, by how many tokens they stand before their query (below 0: after it).

    Example:
        >>> model = attention.Transformer(16, attention.Sinusoid(), d_model=32)
        >>> looks_back = rescored(model, 20 * sinusoidal.shift_matrix(3, 32, dtype=torch.float32))
        >>> looks_back.trace(torch.zeros(10, dtype=torch.long)).weights[0][0, 8].argmax()
        tensor(5)
    """
    changed = copy.deepcopy(model)
    block = changed.blocks[layer]
    width = block.qkv.in_features
    block.qkv.weight[:width] = 0  # no queries, so no scores of the model's own
    block.qkv.bias[:width] = 0
    scores = CodeScores(matrices.expand(block.num_heads, width, width), hidden)
    forward = block.forward
    block.forward = lambda x, position_ids, encoding, causal: forward(x, position_ids, scores, causal)
    return changed
