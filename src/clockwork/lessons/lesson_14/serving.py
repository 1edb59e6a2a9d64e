"""Read a text piece by piece with a cache of keys and values, as programs that serve a model do.

`read` is for the course's small transformers, `read_pretrained` for SmolLM2; both keep keys as they enter the scores,
that is, after rotation. `small` loads the two trained models that lesson 14 asks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load_file
from torch.nn import functional

from clockwork.kit import attention, datafiles
from pe_helpers import rotary

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int, Shaped
    from torch import Tensor

    from clockwork.kit import pretrained

SIZES = {"vocab_size": 16, "d_model": 32}
HEAD_DIM = 8
ENCODINGS = {"rotary": attention.Rotary, "sinusoid": attention.Sinusoid}


@dataclass
class Cache:
    """What a model keeps of the tokens that it has read.

    Attributes:
        keys: of each layer, rotated, `(..., heads, tokens, head_dim)`.
        values: of each layer, likewise.
        position_ids: where each token stood when it was read, `(tokens,)`.
    """

    keys: list[Float[Tensor, "... heads tokens head_dim"]]
    values: list[Float[Tensor, "... heads tokens head_dim"]]
    position_ids: Shaped[Tensor, "tokens"]

    def __len__(self) -> int:
        return len(self.position_ids)

    def without(self, start: int, end: int) -> Cache:
        """Return the cache without the tokens from `start` to before `end`; the others stay as they are."""
        kept = torch.cat([torch.arange(start), torch.arange(end, len(self))])
        keys, values = ([part[..., kept, :] for part in parts] for parts in (self.keys, self.values))
        return Cache(keys, values, self.position_ids[kept])

    def joined(self, other: Cache) -> Cache:
        """Return the cache with another one behind it; keys and positions stay as they are."""
        keys, values = (
            [torch.cat(pair, dim=-2) for pair in zip(mine, others, strict=True)]
            for mine, others in ((self.keys, other.keys), (self.values, other.values))
        )
        return Cache(keys, values, torch.cat([self.position_ids, other.position_ids]))

    def moved(self, by: Int[Tensor, "tokens"], *, base: float = rotary.BASE) -> Cache:
        """Return the cache with each token's keys turned further by so many positions."""
        return Cache(
            [rotary.turn_further(keys, by, base=base) for keys in self.keys], self.values, self.position_ids + by
        )

    def closed_up(self, *, base: float = rotary.BASE) -> Cache:
        """Return the cache with its keys turned to the positions 0, 1, 2 …: what is called a context shift."""
        return self.moved(torch.arange(len(self)) - self.position_ids, base=base)

    def at_other_speeds(self, was: Float[Tensor, "pairs"], now: Float[Tensor, "pairs"]) -> Cache:
        """Return the cache with its keys turned back at the old speeds and on at the new ones (`inv_freq`)."""
        places = self.position_ids
        unturned = [rotary.turn_further(keys, -places, inv_freq=was) for keys in self.keys]
        return Cache([rotary.turn_further(keys, places, inv_freq=now) for keys in unturned], self.values, places)


@torch.no_grad()
def read(
    model: attention.Transformer,
    tokens: Int[Tensor, "... seq_len"],
    position_ids: Shaped[Tensor, "seq_len"] | None = None,
    cache: Cache | None = None,
    *,
    visible: Bool[Tensor, "seq_len all_tokens"] | None = None,
) -> tuple[Float[Tensor, "... seq_len vocabulary"], Cache]:
    """Read tokens after those of a cache; return their logits, and the cache with them.

    Args:
        model: a causal transformer.
        tokens: the new tokens.
        position_ids: of the new tokens; by default they are counted on from the number of tokens in the cache.
        cache: what was read before.
        visible: which tokens, of the cache and new ones, each new token may look at; by default all that came before.

    Example:
        >>> model = small("rotary")
        >>> text = torch.tensor([5, 6, 7, 8, 9, 10])
        >>> _, cache = read(model, text[:4])
        >>> logits, cache = read(model, text[4:], cache=cache)
        >>> logits.argmax(-1), len(cache)  # the symbols three tokens earlier
        (tensor([6, 7]), 6)
    """
    before = 0 if cache is None else len(cache)
    seq_len = tokens.shape[-1]
    if position_ids is None:
        position_ids = torch.arange(before, before + seq_len)
    if visible is None:
        visible = torch.ones(seq_len, before + seq_len, dtype=torch.bool).tril(before)
    bias = torch.zeros(visible.shape).masked_fill(~visible, -math.inf)
    found = Cache([], [], position_ids if cache is None else torch.cat([cache.position_ids, position_ids]))
    x = model.encoding.add(model.embedding(tokens), position_ids)
    for layer, block in enumerate(model.blocks):
        heads = block.qkv(block.before_attention(x)).unflatten(-1, (3, block.num_heads, -1))
        qkv = heads.movedim(-3, 0).transpose(-3, -2)
        q, k = model.encoding.turn(qkv[:2], position_ids)
        v = qkv[2]
        if cache is not None:
            k = torch.cat([cache.keys[layer], k], dim=-2)
            v = torch.cat([cache.values[layer], v], dim=-2)
        found.keys.append(k)
        found.values.append(v)
        output, _ = attention.attend(q, k, v, bias=bias)
        x = x + block.out(output.transpose(-3, -2).flatten(-2))
        x = x + block.mlp(block.before_mlp(x))
    return model.head(model.before_head(x)), found


@torch.no_grad()
def read_pretrained(
    model: pretrained.Model,
    tokens: Int[Tensor, "seq_len"],
    position_ids: Shaped[Tensor, "seq_len"] | None = None,
    cache: Cache | None = None,
    *,
    visible: Bool[Tensor, "seq_len all_tokens"] | None = None,
    toward: tuple[Bool[Tensor, "all_tokens"], Shaped[Tensor, "seq_len"]] | None = None,
    inv_freq: Float[Tensor, "pairs"] | None = None,
) -> tuple[Float[Tensor, "seq_len vocabulary"], Cache]:
    """Do the same with SmolLM2, for one text.

    Args:
        model, tokens, position_ids, cache, visible: as for `read`.
        toward: which keys see the new queries at other positions, and these positions.
        inv_freq: other speeds of the hands than the model's, in radians per token.
    """
    config, weight = model.config, model.weights
    before = 0 if cache is None else len(cache)
    seq_len = len(tokens)
    if position_ids is None:
        position_ids = torch.arange(before, before + seq_len)
    if visible is None:
        visible = torch.ones(seq_len, before + seq_len, dtype=torch.bool).tril(before)
    speeds = {"base": config.base} if inv_freq is None else {"inv_freq": inv_freq}
    cos, sin = rotary.cos_sin(position_ids, config.head_dim, **speeds)
    found = Cache([], [], position_ids if cache is None else torch.cat([cache.position_ids, position_ids]))
    sharing = config.num_heads // config.num_kv_heads
    x = weight["token_embd.weight"][tokens]
    for layer in range(config.num_layers):
        name = f"blk.{layer}."
        h = model._norm(x, name + "attn_norm")
        q, k, v = (model._heads(h @ weight[f"{name}attn_{part}.weight"].T) for part in "qkv")
        k = rotary.apply_rotary_emb(k, cos, sin)
        if cache is not None:
            k = torch.cat([cache.keys[layer], k], dim=-2)
            v = torch.cat([cache.values[layer], v], dim=-2)
        found.keys.append(k)
        found.values.append(v)
        key, value = (part.repeat_interleave(sharing, dim=0) for part in (k, v))
        scores = rotary.apply_rotary_emb(q, cos, sin) @ key.mT
        if toward is not None:
            there, places = toward
            scores = torch.where(there, rotary.rotate(q, places, **speeds) @ key.mT, scores)
        scores = scores / math.sqrt(config.head_dim)
        weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
        x = x + (weights @ value).transpose(0, 1).flatten(1) @ weight[name + "attn_output.weight"].T
        h = model._norm(x, name + "ffn_norm")
        gate = functional.silu(h @ weight[name + "ffn_gate.weight"].T)
        x = x + gate * (h @ weight[name + "ffn_up.weight"].T) @ weight[name + "ffn_down.weight"].T
    return model._norm(x, "output_norm") @ weight["token_embd.weight"].T, found


def untrained(encoding: str, *, causal: bool = True) -> attention.Transformer:
    """Return the small transformer with this encoding, before training: two layers of four heads."""
    if encoding not in ENCODINGS:
        raise ValueError(f"encoding must be one of {', '.join(ENCODINGS)}, got {encoding!r}")
    return attention.Transformer(encoding=ENCODINGS[encoding](), causal=causal, **SIZES)


def small(encoding: str) -> attention.Transformer:
    """Return the trained model of *three back* with this encoding, of seed 0.

    Example:
        >>> small("sinusoid").causal
        True
    """
    model = untrained(encoding)
    kept = load_file(datafiles.data_file("serving_models.safetensors"))
    model.load_state_dict(
        {name.removeprefix(f"{encoding}."): part.float() for name, part in kept.items() if name.startswith(encoding)}
    )
    return model.eval()


def recorded(part: str) -> dict:
    """Return one part of what `python -m clockwork.lessons.lesson_14.serve` recorded."""
    return datafiles.read_part("positions_at_work.json", part)


def share(part: str, encoding: str, name: str) -> float:
    """Return the mean over eight small models of one recorded share.

    Example:
        >>> round(share("usual", "rotary", "right"))
        1
    """
    values = recorded(f"three_back/{part}")[encoding][name]
    return sum(values) / len(values)
