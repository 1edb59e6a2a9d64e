"""Attention, and a transformer small enough to read, with three doors for the encoding of positions.

The model's code is the same for every encoding: the encoding is handed in, and either is added to the input, turns
queries and keys, or joins the scores. Whatever differs between two trained models is then the encoding.

Source: Vaswani et al. 2017, arXiv:1706.03762, equation 1; layers normalise first: Xiong et al. 2020, arXiv:2002.04745.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from pe_helpers import alibi, learned, relative, rotary, sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Float, Int, Shaped
    from torch import Tensor


def attend(
    q: Float[Tensor, "... query_len head_dim"],
    k: Float[Tensor, "... key_len head_dim"],
    v: Float[Tensor, "... key_len value_dim"],
    *,
    bias: Float[Tensor, "..."] | None = None,
    causal: bool = False,
) -> tuple[Float[Tensor, "... query_len value_dim"], Float[Tensor, "... query_len key_len"]]:
    """Let each query average the values, weighted by how well their keys match it; return output and weights.

    Nothing here knows where a token stands: permute keys and values together and the output stays.

    Args:
        q: queries, with any leading axes.
        k, v: keys, and a value for each.
        bias: joins the scores before the softmax; anything that broadcasts to `(..., query_len, key_len)`.
        causal: hide from each query the keys after it; the last query stands beside the last key.
    """
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    scores = scores if bias is None else scores + bias
    if causal:
        query_len, key_len = scores.shape[-2:]
        if query_len > key_len:
            raise ValueError(f"q must not outnumber k if causal (some see nothing), got {query_len} and {key_len}")
        future = torch.ones(query_len, key_len, dtype=torch.bool, device=q.device).triu(1 + key_len - query_len)
        scores = scores.masked_fill(future, -math.inf)
    weights = scores.softmax(-1).to(v.dtype)
    return weights @ v, weights


class Encoding(nn.Module):
    """No encoding of positions: all three doors stay shut."""

    def add(self, x: Float[Tensor, "... seq_len d_model"], position_ids: Shaped[Tensor, "seq_len"]):
        """First door: what the model reads instead of the token vectors `x`."""
        return x

    def turn(self, x: Float[Tensor, "... seq_len head_dim"], position_ids: Shaped[Tensor, "seq_len"]):
        """Second door: what becomes of the queries and keys, stacked in `x`."""
        return x

    def bias(self, num_heads: int, position_ids: Shaped[Tensor, "seq_len"]):
        """Third door: what joins the scores, `(num_heads, seq_len, seq_len)`."""
        return None


class Sinusoid(Encoding):
    """Add the sinusoidal table to the input."""

    def add(self, x, position_ids):
        """Add each position's hands to its token."""
        return x + sinusoidal.table(position_ids, x.shape[-1], dtype=x.dtype, device=x.device)


class Learned(Encoding):
    """Add a table that is trained along; it begins as noise of standard deviation `std` and has `max_len` rows."""

    def __init__(self, max_len: int, d_model: int = 64, *, std: float = 0.02):
        super().__init__()
        self.table = learned.LearnedTable(max_len, d_model, std=std)

    def add(self, x, position_ids):
        """Add each position's row to its token."""
        return x + self.table(position_ids)


class Rotary(Encoding):
    """Turn queries and keys by angles that grow with the position (`inv_freq` in radians per token)."""

    def __init__(self, *, base: float = 10_000.0, inv_freq: Float[Tensor, "pairs"] | None = None):
        super().__init__()
        self.base, self.inv_freq = base, inv_freq

    def turn(self, x, position_ids):
        """Turn each pair of features by its position's angle."""
        return rotary.rotate(x, position_ids, base=self.base, inv_freq=self.inv_freq)


class Alibi(Encoding):
    """Lower the scores in proportion to the distance; `symmetric` for models that look both ways."""

    def __init__(self, *, symmetric: bool = False):
        super().__init__()
        self.symmetric = symmetric

    def bias(self, num_heads, position_ids):
        """Fall with the distance, in each head at its own slope."""
        return alibi.bias(num_heads, position_ids, position_ids, symmetric=self.symmetric)


class Relative(Encoding):
    """Learn one number for each head and bucket of distances, as T5 does."""

    def __init__(self, num_heads: int = 4, *, bidirectional: bool = True):
        super().__init__()
        self.table = relative.RelativeBias(num_heads, bidirectional=bidirectional)

    def bias(self, num_heads, position_ids):
        """Look up the number of each distance."""
        return self.table(position_ids, position_ids)


class Block(nn.Module):
    """One layer: attention moves information between tokens, then an MLP works on each token alone."""

    def __init__(self, d_model: int, num_heads: int, *, residual: bool = True):
        super().__init__()
        self.num_heads, self.residual = num_heads, residual
        self.before_attention, self.before_mlp = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x, position_ids, encoding: Encoding, causal: bool):
        """Return what leaves the layer, and its attention weights."""
        heads = self.qkv(self.before_attention(x)).unflatten(-1, (3, self.num_heads, -1))
        qkv = heads.movedim(-3, 0).transpose(-3, -2)  # (3, ..., num_heads, seq_len, head_dim)
        (q, k), v = encoding.turn(qkv[:2], position_ids), qkv[2]
        found, weights = attend(q, k, v, bias=encoding.bias(self.num_heads, position_ids), causal=causal)
        x = self.residual * x + self.out(found.transpose(-3, -2).flatten(-2))
        return self.residual * x + self.mlp(self.before_mlp(x)), weights


class Trace(NamedTuple):
    """What a model says about its tokens, and what it went through on the way."""

    logits: Tensor  # (..., seq_len, vocab_size)
    hidden: list[Tensor]  # the input of the first layer and the output of each, (..., seq_len, d_model)
    weights: list[Tensor]  # the attention map of each layer, (..., num_heads, seq_len, seq_len)


class Transformer(nn.Module):
    """Read tokens, say something about each; positions are known to it only by the encoding that is handed in.

    Args:
        vocab_size: number of different tokens, read and written.
        encoding: one of the encodings above, or your own with the same three methods.
        causal: hide from each token those after it.
        residual: switch off to see what becomes of a position when each layer replaces its input.
        embedding_std: initial standard deviation of each number of a token's vector.
    """

    def __init__(
        self,
        vocab_size: int,
        encoding: Encoding,
        *,
        d_model: int = 64,
        num_heads: int = 4,
        num_layers: int = 2,
        causal: bool = False,
        residual: bool = True,
        embedding_std: float = 1.0,
    ):
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model={d_model} (each head gets a share), got {num_heads}")
        self.encoding, self.causal = encoding, causal
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.blocks = nn.ModuleList(Block(d_model, num_heads, residual=residual) for _ in range(num_layers))
        self.before_head, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)
        nn.init.normal_(self.embedding.weight, std=embedding_std)

    def forward(self, tokens: Int[Tensor, "... seq_len"], position_ids: Shaped[Tensor, "seq_len"] | None = None):
        """Return the logits, `(..., seq_len, vocab_size)`; the positions are 0, 1, 2, … unless given."""
        return self.trace(tokens, position_ids).logits

    def trace(self, tokens, position_ids=None) -> Trace:
        """Return the logits together with each layer's hidden states and attention weights."""
        position_ids = torch.arange(tokens.shape[-1], device=tokens.device) if position_ids is None else position_ids
        if position_ids.shape != tokens.shape[-1:]:
            wanted, got = tuple(tokens.shape[-1:]), tuple(position_ids.shape)
            raise ValueError(f"position_ids must have shape {wanted} (a position for each token), got {got}")
        hidden, weights = [self.encoding.add(self.embedding(tokens), position_ids)], []
        for block in self.blocks:
            x, seen = block(hidden[-1], position_ids, self.encoding, self.causal)
            hidden, weights = [*hidden, x], [*weights, seen]
        return Trace(self.head(self.before_head(hidden[-1])), hidden, weights)
