"""Turn the clocks of the tokens that look: a trained model's queries ask as if they stood somewhere else."""

import copy

import torch
from torch import nn

from clockwork.kit import attention
from pe_helpers import sinusoidal


class Asked(nn.Module):
    """Compute queries from tokens whose clocks are turned back, and keys and values from the tokens as they are."""

    def __init__(self, norm: nn.LayerNorm, qkv: nn.Linear, by: float):
        super().__init__()
        self.norm = norm
        self.qkv = qkv
        self.by = by

    def forward(self, x):
        """Return queries, keys and values (..., seq_len, 3 · d_model) of a layer's input, (..., seq_len, d_model)."""
        d_model = x.shape[-1]
        here = torch.arange(x.shape[-2], dtype=torch.float64)
        codes, earlier = (sinusoidal.table(places, d_model, dtype=x.dtype) for places in (here, here - self.by))
        queries = self.qkv(self.norm(x - codes + earlier))[..., :d_model]
        return torch.cat([queries, self.qkv(self.norm(x))[..., d_model:]], -1)


def turned(model: attention.Transformer, by: float) -> attention.Transformer:
    """Return a copy of a model whose first layer asks as if every token that looks stood some places earlier.

    Args:
        model: a trained model with a sinusoid added.
        by: how many tokens earlier; a model that names the token three back then names the one 3 + `by` back.

    Example:
        >>> turned(attention.Transformer(16, attention.Sinusoid(), d_model=32), 2)(torch.arange(6)).shape
        torch.Size([6, 16])
    """
    changed = copy.deepcopy(model)
    block = changed.blocks[0]
    block.qkv = Asked(block.before_attention, block.qkv, by)
    block.before_attention = nn.Identity()
    return changed
