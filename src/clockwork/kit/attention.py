"""Attention, and a transformer small enough to read, with three doors for the encoding of positions.

The model's code is the same for every encoding. The encoding is an argument: it adds to the input, rotates queries and
keys, or adds a bias to the scores. So two models that are trained alike differ in their encoding and in nothing else.

Source: Vaswani et al. 2017, arXiv:1706.03762, equation 1; pre-norm layers: Xiong et al. 2020, arXiv:2002.04745.
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
    """Average the values for each query, weighted by how well their keys match it; return the output and the weights.

    Attention does not know positions: if keys and values are permuted together, the output stays the same.

    Args:
        q: queries, with any leading axes.
        k, v: keys, and a value for each.
        bias: added to the scores before the softmax; anything that broadcasts to `(..., query_len, key_len)`.
        causal: hide from each query the keys after it. The last query and the last key are the same token.

    Raises:
        ValueError: if `causal` and there are more queries than keys.

    Example:
        >>> q, k, v = torch.randn(3, 5, 8)
        >>> output, weights = attend(q, k, v, causal=True)
        >>> output.shape, weights.shape
        (torch.Size([5, 8]), torch.Size([5, 5]))
    """
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias
    if causal:
        query_len, key_len = scores.shape[-2:]
        if query_len > key_len:
            raise ValueError(f"q must not outnumber k if causal (some see no key), got {query_len} and {key_len}")
        future = torch.ones(query_len, key_len, dtype=torch.bool, device=q.device).triu(1 + key_len - query_len)
        scores = scores.masked_fill(future, -math.inf)
    weights = scores.softmax(-1).to(v.dtype)
    return weights @ v, weights


class Encoding(nn.Module):
    """No encoding of positions. The other encodings override one of its three methods, the doors."""

    def add(self, x: Float[Tensor, "... seq_len d_model"], position_ids: Shaped[Tensor, "seq_len"]):
        """Return the model's input for the token vectors `x` (first door)."""
        return x

    def turn(self, x: Float[Tensor, "... seq_len head_dim"], position_ids: Shaped[Tensor, "seq_len"]):
        """Return the queries and keys, stacked in `x`, as they enter the scores (second door)."""
        return x

    def bias(self, num_heads: int, position_ids: Shaped[Tensor, "seq_len"]):
        """Return what is added to the scores, `(num_heads, seq_len, seq_len)`, or None (third door)."""
        return None


class Sinusoid(Encoding):
    """Add the sinusoidal table to the input."""

    def add(self, x, position_ids):
        """Add each position's row of the sinusoidal table."""
        return x + sinusoidal.table(position_ids, x.shape[-1], dtype=x.dtype, device=x.device)


class Learned(Encoding):
    """Add a learned table of `max_len` rows, initialised at standard deviation `std`."""

    def __init__(self, max_len: int, d_model: int = 64, *, std: float = 0.02):
        super().__init__()
        self.table = learned.LearnedTable(max_len, d_model, std=std)

    def add(self, x, position_ids):
        """Add each position's row of the learned table."""
        return x + self.table(position_ids)


class Rotary(Encoding):
    """Rotate queries and keys by angles that grow with the position (`inv_freq` in radians per token)."""

    def __init__(self, *, base: float = 10_000.0, inv_freq: Float[Tensor, "pairs"] | None = None):
        super().__init__()
        self.base = base
        self.inv_freq = inv_freq

    def turn(self, x, position_ids):
        """Rotate each pair of features by its position's angle."""
        return rotary.rotate(x, position_ids, base=self.base, inv_freq=self.inv_freq)


class Alibi(Encoding):
    """Lower the scores in proportion to the distance; `symmetric` for models without a causal mask."""

    def __init__(self, *, symmetric: bool = False):
        super().__init__()
        self.symmetric = symmetric

    def bias(self, num_heads, position_ids):
        """Return minus the distance, times each head's slope."""
        return alibi.bias(num_heads, position_ids, position_ids, symmetric=self.symmetric)


class Relative(Encoding):
    """Learn one bias for each head and bucket of distances, as T5 does."""

    def __init__(self, num_heads: int = 4, *, bidirectional: bool = True):
        super().__init__()
        self.table = relative.RelativeBias(num_heads, bidirectional=bidirectional)

    def bias(self, num_heads, position_ids):
        """Look up the bias of each distance."""
        return self.table(position_ids, position_ids)


class Block(nn.Module):
    """One layer: attention moves information between tokens, then an MLP transforms each token by itself."""

    def __init__(self, d_model: int, num_heads: int, *, residual: bool = True):
        super().__init__()
        self.num_heads = num_heads
        self.residual = residual
        self.before_attention = nn.LayerNorm(d_model)
        self.before_mlp = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x, position_ids, encoding: Encoding, causal: bool):
        """Return the layer's output, its queries, its keys and its attention weights."""
        heads = self.qkv(self.before_attention(x)).unflatten(-1, (3, self.num_heads, -1))
        qkv = heads.movedim(-3, 0).transpose(-3, -2)  # (3, ..., num_heads, seq_len, head_dim)
        q, k = encoding.turn(qkv[:2], position_ids)
        bias = encoding.bias(self.num_heads, position_ids)
        attn_out, attn_weights = attend(q, k, qkv[2], bias=bias, causal=causal)
        x = self.residual * x + self.out(attn_out.transpose(-3, -2).flatten(-2))
        return self.residual * x + self.mlp(self.before_mlp(x)), q, k, attn_weights


class Trace(NamedTuple):
    """A model's logits, and the intermediate results of each layer."""

    logits: Tensor  # (..., seq_len, vocab_size)
    hidden: list[Tensor]  # the first layer's input and each layer's output, (..., seq_len, d_model)
    queries: list[Tensor]  # each layer's, as they enter the scores, (..., num_heads, seq_len, head_dim)
    keys: list[Tensor]  # the same for the keys
    weights: list[Tensor]  # each layer's attention weights, (..., num_heads, seq_len, seq_len)


class Transformer(nn.Module):
    """A transformer that knows positions only from the encoding it is given.

    Args:
        vocab_size: number of different tokens, in the input and in the output.
        encoding: one of the encodings above, or your own with the same three methods.
        d_model: width of a token's vector.
        num_heads: attention heads in each layer; they divide `d_model` among them.
        num_layers: number of layers.
        causal: hide from each token those after it.
        residual: False removes the residual connections, so that each layer replaces its input.
        embedding_std: initial standard deviation of each number of a token's vector.

    Raises:
        ValueError: if `num_heads` does not divide `d_model`.

    Example:
        >>> model = Transformer(16, Rotary(), d_model=32)
        >>> model(torch.randint(16, (2, 10))).shape
        torch.Size([2, 10, 16])
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
        self.encoding = encoding
        self.causal = causal
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.blocks = nn.ModuleList(Block(d_model, num_heads, residual=residual) for _ in range(num_layers))
        self.before_head = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, vocab_size)
        nn.init.normal_(self.embedding.weight, std=embedding_std)

    def forward(self, tokens: Int[Tensor, "... seq_len"], position_ids: Shaped[Tensor, "seq_len"] | None = None):
        """Return the logits, `(..., seq_len, vocab_size)`; `position_ids` are 0, 1, 2, … by default."""
        return self.trace(tokens, position_ids).logits

    def trace(self, tokens, position_ids=None) -> Trace:
        """Return the logits together with each layer's intermediate results."""
        if position_ids is None:
            position_ids = torch.arange(tokens.shape[-1], device=tokens.device)
        if position_ids.shape != tokens.shape[-1:]:
            shape = tuple(tokens.shape[-1:])
            raise ValueError(
                f"position_ids must have shape {shape} (a position for each token), got {tuple(position_ids.shape)}"
            )
        x = self.encoding.add(self.embedding(tokens), position_ids)
        hidden = [x]
        queries = []
        keys = []
        weights = []
        for block in self.blocks:
            x, q, k, attn_weights = block(x, position_ids, self.encoding, self.causal)
            hidden.append(x)
            queries.append(q)
            keys.append(k)
            weights.append(attn_weights)
        return Trace(self.head(self.before_head(x)), hidden, queries, keys, weights)
