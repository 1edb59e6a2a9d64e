# SPDX-License-Identifier: MIT
"""Rotary encoding: rotate each pair of a query's and a key's features by position · ω_i, and add nothing.

The score of a rotated query and a rotated key depends only on the offset between their positions, because rotating by
one position undoes part of the rotation by the other. Two lines are the whole method:

    first′  = first · cos − second · sin
    second′ = first · sin + second · cos

Positions are the same in every layer, so a model computes cosines and sines once and hands them to all of its queries
and keys:

    cos, sin = cos_sin(position_ids, head_dim)
    q = apply_rotary_emb(q, cos, sin)  # the same in every layer
    k = apply_rotary_emb(k, cos, sin)

`rotate(x, position_ids)` does both steps at once. Nothing is remembered between calls; the module `RotaryEmbedding` is
where a model keeps its cosines and sines.

Source: Su et al. 2021, RoFormer, arXiv:2104.09864, equations 15 and 34. Elsewhere `base` is also called theta.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from . import _validate, sinusoidal

if TYPE_CHECKING:  # to whom types are checked a Tensor; the tests check its shape, too
    from collections.abc import Callable, Mapping
    from typing import Annotated as Complex
    from typing import Annotated as Float
    from typing import Annotated as Shaped

    from . import rope_scaling
    from ._validate import Numbers
    from .sinusoidal import Layout

PRECISIONS = (torch.float32, torch.float64)
PLAIN_TENSORS = (torch.Tensor, nn.Parameter)
BASE = 10_000.0
BLOCK = 2**18  # features that are rotated at once: 1 MB in float32, and the call costs little beside them


def cos_sin(
    position_ids: Numbers,
    head_dim: int,
    *,
    base: float = BASE,
    inv_freq: Numbers | None = None,
    attention_factor: float = 1.0,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> tuple[Float[Tensor, "... pairs"], Float[Tensor, "... pairs"]]:
    """Return the cosines and the sines of position · ω_i, to be kept and passed to `apply_rotary_emb`.

    Args:
        position_ids: positions in tokens, of any shape, as `(seq_len,)` or `(batch, seq_len)`; float positions may lie
            between tokens.
        head_dim: how many features are rotated: those of a head, or the first ones of each head (partial rotation).
        base: as in `sinusoidal.inv_freq`.
        inv_freq: angle of each pair in radians per token, `(head_dim/2,)`, instead of those that `base` gives.
        attention_factor: multiplies cosines and sines; `rope_scaling` returns it for YaRN and LongRoPE.
        dtype: of the result: float32, also for queries in half precision, or float64.
        device: of the result; by default that of the positions.

    Raises:
        TypeError: a value of the wrong kind, such as half-precision positions.
        ValueError: an odd `head_dim`, positions that are not finite (nobody looks at them on a GPU), an `inv_freq` of
            another length.

    Example:
        >>> cos, sin = cos_sin(torch.tensor([0, 1]), 4)
        >>> cos
        tensor([[1.0000, 1.0000],
                [0.5403, 0.9999]])
    """
    positions = _validate.positions("position_ids", position_ids)
    device = device or positions.device
    compute_device = _validate.float64_device(device)
    head_dim = _validate.even("head_dim", head_dim)
    _validate.choice("dtype", dtype, PRECISIONS)
    omega = _inv_freq(head_dim, base, inv_freq, compute_device)
    attention_factor = _validate.number("attention_factor", attention_factor, least=0)
    angles = positions.to(compute_device).double()[..., None] * omega
    cos = angles.cos() * attention_factor
    sin = angles.sin() * attention_factor
    return cos.to(dtype).to(device), sin.to(dtype).to(device)


def apply_rotary_emb(
    x: Float[Tensor, "... head_dim"],
    cos: Float[Tensor, "... seq_len pairs"],
    sin: Float[Tensor, "... seq_len pairs"],
    *,
    layout: Layout = "interleaved",
    rotary_dim: int | None = None,
    seq_dim: int = -2,
    check: bool = True,
) -> Float[Tensor, "... head_dim"]:
    """Rotate each pair of features of `x` by the angle that has this cosine and sine.

    Half precision is rotated in float32 and rounded once.

    Args:
        x: queries or keys, as `(batch, heads, seq_len, head_dim)`; their features are the last axis.
        cos: cosines, as `cos_sin` returns them, in float32 or float64. Axes before the tokens are matched with the
            first axes of `x`: `(batch, seq_len, pairs)` goes with `(batch, heads, seq_len, head_dim)`.
        sin: sines, likewise.
        layout: "interleaved" if neighbouring features are a pair, "half" if features i and i + rotary_dim/2 are.
        rotary_dim: how many features of each head to rotate, the first ones; by default all.
        seq_dim: the axis of `x` that numbers the tokens: 1 or −3 for `(batch, seq_len, heads, head_dim)`.
        check: False to skip all checks but that of `layout` in an inner loop; then as many features rotate as there are
            cosines for.

    Returns:
        The rotated features, of the dtype of `x`.

    Raises:
        TypeError: a value of the wrong kind, such as integer features or cosines in half precision.
        ValueError: shapes that do not fit.

    Example:
        >>> cos, sin = cos_sin(torch.arange(10), 64)
        >>> q = torch.randn(2, 8, 10, 64)
        >>> apply_rotary_emb(q, cos, sin).shape
        torch.Size([2, 8, 10, 64])
    """
    if check:
        _check(x, cos, sin, layout, rotary_dim, seq_dim)
    elif layout not in sinusoidal.LAYOUTS:
        _validate.choice("layout", layout, sinusoidal.LAYOUTS)
    return _rotated(x, _over_heads(cos, x, seq_dim), _over_heads(sin, x, seq_dim), layout)


def rotate(
    x: Float[Tensor, "... head_dim"],
    position_ids: Numbers,
    *,
    base: float = BASE,
    inv_freq: Numbers | None = None,
    attention_factor: float = 1.0,
    layout: Layout = "interleaved",
    rotary_dim: int | None = None,
    seq_dim: int = -2,
) -> Float[Tensor, "... head_dim"]:
    """Rotate queries or keys by their positions: `cos_sin` and `apply_rotary_emb` in one call.

    There is no offset to keep: at the 100th step of decoding, `position_ids` is `torch.tensor([99])`.

    Args:
        x: queries or keys, as `(batch, heads, seq_len, head_dim)`; their features are the last axis.
        position_ids: positions in tokens, `(seq_len,)`, or batched like the first axes of `x`, as `(batch, seq_len)`.
        base: as in `sinusoidal.inv_freq`.
        inv_freq: as in `cos_sin`.
        attention_factor: as in `cos_sin`.
        layout: as in `apply_rotary_emb`.
        rotary_dim: as in `apply_rotary_emb`.
        seq_dim: as in `apply_rotary_emb`.

    Returns:
        The rotated features, of the dtype of `x`.

    Raises:
        TypeError: a value of the wrong kind, such as integer features or half-precision positions.
        ValueError: shapes that do not fit, an odd number of features, positions that are not finite.

    Example:
        >>> q = torch.randn(64)
        >>> k = torch.randn(64)
        >>> here, later = (rotate(q[None], [p]) @ rotate(k[None], [p - 3]).mT for p in (3, 1000))
        >>> torch.allclose(here, later, atol=1e-4)  # the score depends on the offset, 3, alone
        True
    """
    _check_features(x)
    position_ids = _validate.positions("position_ids", position_ids)
    _check_axes("position_ids", position_ids.shape, x, seq_dim)
    rotary_dim = _rotary_dim(x, rotary_dim)
    cos, sin = cos_sin(
        position_ids,
        rotary_dim,
        base=base,
        inv_freq=inv_freq,
        attention_factor=attention_factor,
        dtype=torch.float64 if x.dtype is torch.float64 else torch.float32,
        device=x.device,
    )
    return apply_rotary_emb(x, cos, sin, layout=layout, rotary_dim=rotary_dim, seq_dim=seq_dim)


def xpos(
    position_ids: Numbers,
    head_dim: int,
    *,
    scale_base: float = 512.0,
    base: float = BASE,
    device: torch.device | str | None = None,
) -> tuple[
    tuple[Float[Tensor, "... pairs"], Float[Tensor, "... pairs"]],
    tuple[Float[Tensor, "... pairs"], Float[Tensor, "... pairs"]],
]:
    """Return cosines and sines for queries and for keys whose scores decay with the offset (xPos).

    A score of pair i is multiplied by ζ_i^(offset/scale_base), ζ_i = (2i/head_dim + 0.4)/1.4: it decays where the key
    comes before the query. Both sides count their decay from the middle of `position_ids`, as in the authors' program,
    so that no factor leaves float32 over a text of 36,000 tokens at the default `scale_base`. Queries and keys must
    come from one call, since another middle is another factor; a key kept in a cache keeps that of its call.

    Args:
        position_ids: positions in tokens, as in `cos_sin`.
        head_dim: as in `cos_sin`.
        scale_base: tokens after which a score has decayed by ζ_i.
        base: as in `sinusoidal.inv_freq`.
        device: as in `cos_sin`.

    Returns:
        `(cos, sin)` for queries and `(cos, sin)` for keys, each `(..., head_dim/2)` in float32.

    Raises:
        TypeError: as for `cos_sin`.
        ValueError: as for `cos_sin`; a `scale_base` below 1; positions so far apart that a factor leaves float32.

    Example:
        >>> of_queries, of_keys = xpos(torch.tensor([1_000_000, 1_000_010]), 64)
        >>> q, k = torch.ones(2, 1, 2, 64)
        >>> scores = apply_rotary_emb(q, *of_queries) @ apply_rotary_emb(k, *of_keys).mT
        >>> (scores[0, 1, 0] < scores[0, 0, 0]).item()
        True

    Source: Sun et al. 2022, arXiv:2212.10554; the middle is that of `xpos_relative_position.py` in torchscale.
    """
    positions = _validate.positions("position_ids", position_ids)
    cos, sin = cos_sin(positions, head_dim, base=base, dtype=torch.float64, device="cpu")
    scale_base = _validate.number("scale_base", scale_base, least=1)
    positions = positions.cpu().double()
    middle = (positions.amin() + positions.amax()) / 2 if positions.numel() else 0.0
    zeta = (2 * torch.arange(head_dim // 2, dtype=torch.float64, device="cpu") / head_dim + 0.4) / 1.4
    decay = zeta ** ((positions - middle) / scale_base)[..., None]
    least, most = torch.finfo(torch.float32).tiny, torch.finfo(torch.float32).max
    if decay.numel() and not least < decay.amin() <= decay.amax() < most:
        raise ValueError(
            f"position_ids must be nearer to each other, or scale_base larger than {scale_base:g} (else the decay "
            f"leaves float32), got positions from {positions.amin():g} to {positions.amax():g}"
        )
    device = device or (position_ids.device if isinstance(position_ids, torch.Tensor) else None)
    return (
        ((cos * decay).float().to(device), (sin * decay).float().to(device)),
        ((cos / decay).float().to(device), (sin / decay).float().to(device)),
    )


def turn_further(
    k: Float[Tensor, "... head_dim"],
    by: Numbers,
    *,
    base: float = BASE,
    inv_freq: Numbers | None = None,
    layout: Layout = "interleaved",
    rotary_dim: int | None = None,
    seq_dim: int = -2,
) -> Float[Tensor, "... head_dim"]:
    """Move keys that were rotated before, as those of a cache, by so many positions: rotations add up.

    A key rotated to position p and turned further by b is the key rotated to p + b, up to rounding. In half precision
    each call rounds once more: after many moves keep float32 keys, or keys before rotation. An `attention_factor` stays
    as it is. Moving a key does not change what its token had read when it was computed: from the second layer on, a key
    or value that has read a text which is gone still differs from one that never did.

    Args:
        k: rotated keys, as `(batch, heads, seq_len, head_dim)`.
        by: positions to move by, one number for all, or one for each token as `position_ids` of `rotate`; negative ones
            move towards the beginning.
        base, inv_freq, layout, rotary_dim, seq_dim: those with which the keys were rotated.

    Returns:
        The moved keys, of the dtype of `k`.

    Raises:
        TypeError, ValueError: as for `rotate`.

    Example:
        >>> k = torch.randn(5, 64)
        >>> cached = rotate(k, torch.arange(7, 12))
        >>> torch.allclose(turn_further(cached, -7), rotate(k, torch.arange(5)), atol=1e-5)
        True
    """
    _check_features(k)
    by = _validate.positions("by", by)
    if not by.ndim:
        _check_seq_dim(k, seq_dim)
        by = by[None].expand(k.shape[seq_dim])
    _check_axes("by", by.shape, k, seq_dim)
    return rotate(k, by, base=base, inv_freq=inv_freq, layout=layout, rotary_dim=rotary_dim, seq_dim=seq_dim)


class RotaryEmbedding(nn.Module):
    """Keep the cosines and sines of positions 0 … max_len − 1 for all layers of a model, and rotate by them.

    They stay float32 when the model turns into bfloat16, float16 or float64, and out of its checkpoint: the arguments
    say what they are. A position beyond `max_len` makes them grow, at least to twice their length, with a warning. In a
    compiled graph and on a GPU nobody looks at positions: call `grow(max_len)` before; a position outside the table is
    reported by torch there.

    Args:
        head_dim: how many features are rotated, as in `cos_sin`.
        max_len: how many positions are kept at first.
        base, inv_freq, attention_factor: as in `cos_sin`.
        axis_of_pair: the axis that each pair follows, `(head_dim/2,)`, if positions have several, as
            `rotary_axes.axial` and `.sections` return it. Positions then are `(..., seq_len, axes)`.
        prefix: how many tokens before those of `position_ids` have no position and are not rotated, such as the class
            token of an image.
        layout, seq_dim: as in `apply_rotary_emb`.

    Raises:
        TypeError, ValueError: as for `cos_sin`; an `axis_of_pair` that is not a whole number from 0 on for each pair.

    Example:
        >>> rope = RotaryEmbedding(64, max_len=128).bfloat16()
        >>> q = torch.randn(2, 8, 10, 64, dtype=torch.bfloat16)
        >>> rope(q, torch.arange(10)).shape, rope.cos.dtype
        (torch.Size([2, 8, 10, 64]), torch.float32)
        >>> cos, sin = rope.cos_sin(torch.arange(10))  # once, for every layer
        >>> torch.equal(apply_rotary_emb(q, cos, sin, check=False), rope(q, torch.arange(10)))
        True
        >>> rope = RotaryEmbedding(4, max_len=16, axis_of_pair=[0, 1], prefix=1, layout="half")  # a row, a column
        >>> rope(torch.randn(1, 8, 3, 4), [[0, 0], [0, 1]]).shape  # a class token and two patches
        torch.Size([1, 8, 3, 4])
    """

    table: Tensor
    columns: Tensor | None

    def __init__(
        self,
        head_dim: int,
        max_len: int,
        *,
        base: float = BASE,
        inv_freq: Numbers | None = None,
        attention_factor: float = 1.0,
        axis_of_pair: Numbers | None = None,
        prefix: int = 0,
        layout: Layout = "interleaved",
        seq_dim: int = -2,
    ) -> None:
        super().__init__()
        self.head_dim = _validate.even("head_dim", head_dim)
        self.max_len = _validate.whole_number("max_len", max_len)
        self.prefix = _validate.whole_number("prefix", prefix, least=0)
        self.layout: Layout = _validate.choice("layout", layout, sinusoidal.LAYOUTS)
        self.seq_dim = seq_dim
        with torch.device("cpu"):  # numbers, which no `.to()` rounds, also of a model begun on meta
            self.inv_freq: list[float] = _inv_freq(self.head_dim, base, inv_freq, "cpu").tolist()
            self.axis_of_pair = None if axis_of_pair is None else _axis_of_pair(axis_of_pair, self.head_dim // 2)
        self.attention_factor = attention_factor
        self.rope: rope_scaling.Rope | None = None
        self.register_buffer("table", torch.empty(max_len, head_dim, dtype=torch.float32), persistent=False)
        self.register_buffer("columns", None, persistent=False)
        self.reset_parameters()

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any] | object,
        *,
        max_len: int,
        layer: int | None = None,
        prefix: int = 0,
        seq_dim: int = -2,
        **asked: Any,
    ) -> RotaryEmbedding:
        """Make the module of one layer of a published model, with all that its configuration says of rotation.

        Its speeds are those of a text of `max_len` tokens. Where they follow the length ("dynamic", LongRoPE), a module
        that grows past the length for which they hold says so and takes those of the longer text. A layer that does not
        turn returns queries and keys as they are.

        Args:
            config, layer: as in `rope_scaling.read`.
            max_len: how many positions are kept at first.
            prefix, seq_dim: as for the class.
            asked: what else `rope_scaling.read` takes, such as `layout`, where `config` does not say it.

        Raises:
            TypeError, ValueError: as for `rope_scaling.read`.

        Example:
            >>> config = {"model_type": "cohere2", "head_dim": 64, "rope_theta": 5e4, "sliding_window_pattern": 4}
            >>> rope = RotaryEmbedding.from_config(config, max_len=128, layer=0)
            >>> rope.layout
            'interleaved'
            >>> q = torch.randn(2, 8, 10, 64)
            >>> torch.equal(RotaryEmbedding.from_config(config, max_len=128, layer=3)(q, torch.arange(10)), q)
            True
        """
        from . import rope_scaling

        rope = rope_scaling.read(config, layer=layer, seq_len=max_len, **asked)
        for assumption in rope.assumed:
            warnings.warn(f"config does not say it, so this was assumed: {assumption}", stacklevel=2)
        module = cls(
            rope.rotary_dim,
            max_len,
            inv_freq=rope.inv_freq,
            attention_factor=rope.attention_factor,
            axis_of_pair=rope.axis_of_pair,
            prefix=prefix,
            layout=rope.layout,
            seq_dim=seq_dim,
        )
        module.rope = rope
        return module

    @property
    def cos(self) -> Float[Tensor, "max_len pairs"]:
        """The cosines that are kept."""
        return self.table[:, : self.head_dim // 2]

    @property
    def sin(self) -> Float[Tensor, "max_len pairs"]:
        """The sines that are kept."""
        return self.table[:, self.head_dim // 2 :]

    def reset_parameters(self) -> None:
        """Compute the cosines and sines anew where they are: after `to_empty`, for a model begun on meta."""
        device = self.table.device
        cos_and_sin = cos_sin(
            torch.arange(self.max_len, device="cpu"),
            self.head_dim,
            inv_freq=torch.tensor(self.inv_freq, dtype=torch.float64, device="cpu"),
            attention_factor=self.attention_factor,
        )
        self.table = torch.cat(cos_and_sin, dim=-1).to(device)
        if self.axis_of_pair is not None:
            self.columns = torch.tensor([2 * self.axis_of_pair], device="cpu").to(device)  # a cosine's axis, a sine's

    def grow(self, max_len: int) -> None:
        """Keep the cosines and sines of at least `max_len` positions."""
        if _validate.whole_number("max_len", max_len) > self.max_len:
            self.max_len = max_len
            if self.rope is not None:
                self.rope = self.rope.for_length(max_len)
                self.inv_freq = self.rope.inv_freq.tolist()
                self.attention_factor = self.rope.attention_factor
            self.reset_parameters()

    def cos_sin(self, position_ids: Numbers) -> tuple[Float[Tensor, "... pairs"], Float[Tensor, "... pairs"]]:
        """Return the cosines and sines of these positions, whole numbers from 0 on, for `apply_rotary_emb`.

        Raises:
            TypeError: positions that are not whole numbers.
            ValueError: a position below 0; several axes, and positions that do not end in so many.
        """
        cos, sin = self._rows(position_ids).chunk(2, dim=-1)
        return cos, sin

    def _rows(self, position_ids: Numbers) -> Float[Tensor, "... head_dim"]:
        """Return the rows of these positions, cosines before sines; if one is outside the table, grow."""
        if not isinstance(position_ids, Tensor) or position_ids.dtype is not torch.int64:
            position_ids = _validate.positions("position_ids", position_ids, whole="the table has no row 2.5")
        if self.axis_of_pair or self.prefix:
            _check_position_axes(position_ids, self.axis_of_pair)
        table = self.table
        if position_ids.device != table.device:
            position_ids = position_ids.to(table.device)
        try:
            rows = nn.functional.embedding(position_ids, table)
        except IndexError:
            self._grow_to(position_ids)
            rows = nn.functional.embedding(position_ids, self.table)
        if self.columns is not None:
            rows = rows.gather(-2, self.columns.expand(*rows.shape[:-2], -1, -1)).squeeze(-2)
        if self.prefix:
            rows = nn.functional.pad(rows, (0, 0, self.prefix, 0))
            rows[..., : self.prefix, : self.head_dim // 2] = 1.0
        return rows

    def _grow_to(self, position_ids: Tensor) -> None:
        """Make room for these positions, of which the table has not all."""
        first, last = position_ids.aminmax()
        if _validate.host_truth(first < 0) is True:
            raise ValueError(f"position_ids must be at least 0 (where the table begins), got {first.item()}") from None
        if _validate.host_truth(last >= self.max_len) is not True:
            raise  # what the lookup says, of positions that nobody can read
        longer = max(int(last) + 1, 2 * self.max_len)
        holds_to = None if self.rope is None else self.rope.holds_to
        if holds_to is not None:
            longer = max(int(last) + 1, min(longer, holds_to))  # not needlessly past where the speeds change
        said = f"RotaryEmbedding grows from {self.max_len} to {longer} positions"
        if holds_to is not None and longer > holds_to:
            said += f" and takes other speeds (those before hold to {holds_to} tokens): rotate earlier keys again"
        warnings.warn(said, stacklevel=3)
        self.grow(longer)

    def forward(self, x: Float[Tensor, "... head_dim"], position_ids: Numbers) -> Float[Tensor, "... head_dim"]:
        """Rotate queries or keys by their positions, as `rotate` does; of wider ones the first `head_dim` features."""
        rows = self._rows(position_ids)
        _check_features(x)
        if x.shape[-1] < self.head_dim:
            _rotary_dim(x, self.head_dim)  # refuses it
        _check_axes("position_ids", rows.shape[:-1], x, self.seq_dim)
        cos, sin = _over_heads(rows, x, self.seq_dim).chunk(2, dim=-1)
        return _rotated(x, cos, sin, self.layout)

    if TYPE_CHECKING:  # a call returns what `forward` returns

        def __call__(self, x: Tensor, position_ids: Numbers) -> Tensor:
            """Rotate queries or keys by their positions."""
            ...

    def _apply(self, function: Callable[[Tensor], Tensor], recurse: bool = True) -> RotaryEmbedding:
        """Move buffers as `.to()` and its kin want it, and leave them float32."""

        def keep_dtype(tensor: Tensor) -> Tensor:
            moved = function(tensor)
            return moved if moved.dtype is tensor.dtype else tensor.to(moved.device)

        super()._apply(keep_dtype, recurse)  # type: ignore[no-untyped-call]
        return self


def _rotated(x: Tensor, cos: Tensor, sin: Tensor, layout: Layout) -> Tensor:
    """Rotate the pairs that have a cosine in float32 or float64; round to the dtype of `x` once."""
    if layout == "half" and _is_worth_blocks(x, cos, sin):
        by_blocks: Tensor = _Blocks.apply(x, cos, sin, True)  # type: ignore[no-untyped-call]
        return by_blocks
    rotary_dim = 2 * cos.shape[-1]
    if rotary_dim < x.shape[-1]:
        return torch.cat([_rotated(x[..., :rotary_dim], cos, sin, layout), x[..., rotary_dim:]], dim=-1)
    dtype = x.dtype
    x = x.to(torch.promote_types(dtype, cos.dtype))
    if layout == "interleaved" and not torch.compiler.is_compiling():
        # A pair of neighbours is a complex number in memory, and its rotation one complex product: the same two lines
        # as below, several times faster as long as no compiler fuses those.
        return torch.view_as_real(_as_complex(x) * torch.complex(cos, sin)).flatten(-2).to(dtype)
    first, second = torch.unflatten(x, -1, (-1, 2)).unbind(-1) if layout == "interleaved" else x.chunk(2, dim=-1)
    # first · cos − second · sin and first · sin + second · cos; addcmul adds a product in one pass over memory
    rotated = [torch.addcmul(first * cos, second, sin, value=-1), torch.addcmul(first * sin, second, cos)]
    if layout == "interleaved":
        return torch.stack(rotated, dim=-1).flatten(-2).to(dtype)
    return torch.cat(rotated, dim=-1).to(dtype)


def _is_worth_blocks(x: Tensor, cos: Tensor, sin: Tensor) -> bool:
    """Return whether `x` is large and on the CPU, and nothing but autograd looks on.

    A compiler fuses plain lines better, transforms and dual tensors follow them, and only they give cosines a gradient.
    A GPU would wait for one small kernel after another.
    """
    return (
        not torch.compiler.is_compiling()
        and type(x) in PLAIN_TENSORS
        and x.numel() > BLOCK
        and x.device.type == "cpu"
        and not (cos.requires_grad or sin.requires_grad)
        and not torch._C._are_functorch_transforms_active()
        and torch._C._has_storage(x)  # a batch of gradients has none
        and torch.autograd.forward_ad._current_level < 0
        and not torch.jit.is_tracing()  # type: ignore[attr-defined,no-untyped-call]
    )


class _Blocks(torch.autograd.Function):
    """Rotate halves block by block into one result, to the same bits: what a block needs besides stays in the cache.

    `fused` rounds the sum of two products once, as `addcmul` does; the gradient of that rounds each product as well.
    Nothing of `x` is kept for the gradient, which is the result's rotated back.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, cos: Tensor, sin: Tensor, fused: bool) -> Tensor:
        ctx.save_for_backward(cos, sin)
        rotated = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        _fill(rotated, x, cos.expand(*x.shape[:-1], -1), sin.expand(*x.shape[:-1], -1), fused)
        return rotated

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        cos, sin = ctx.saved_tensors
        if _is_worth_blocks(gradient, cos, sin):
            return _Blocks.apply(gradient, cos, -sin, False), None, None, None  # type: ignore[no-untyped-call]
        return _rotated(gradient, cos, -sin, "half"), None, None, None


def _fill(rotated: Tensor, x: Tensor, cos: Tensor, sin: Tensor, fused: bool) -> None:
    """Halve all four, first the batch, then heads, then tokens, until a block is small; write its rotation."""
    if x.numel() > BLOCK and any(size > 1 for size in x.shape[:-1]):
        axis = next(axis for axis, size in enumerate(x.shape) if size > 1)
        size = -(-x.shape[axis] // 2)
        parts = [torch.split(values, size, axis) for values in (rotated, x, cos, sin)]
        for rotated, x, cos, sin in zip(*parts, strict=True):
            _fill(rotated, x, cos, sin, fused)
        return
    rotary_dim = 2 * cos.shape[-1]
    if rotary_dim < x.shape[-1]:
        rotated[..., rotary_dim:] = x[..., rotary_dim:]
        rotated = rotated[..., :rotary_dim]
        x = x[..., :rotary_dim]
    x = x.to(torch.promote_types(x.dtype, cos.dtype))
    exact = rotated if rotated.dtype is x.dtype else torch.empty_like(x)
    first, second = x.chunk(2, dim=-1)
    first_rotated, second_rotated = exact.chunk(2, dim=-1)
    torch.mul(first, cos, out=first_rotated)
    torch.mul(first, sin, out=second_rotated)
    if fused:
        first_rotated.addcmul_(second, sin, value=-1)
        second_rotated.addcmul_(second, cos)
    else:
        first_rotated.sub_(second * sin)
        second_rotated.add_(second * cos)
    if exact is not rotated:
        rotated.copy_(exact)


def _as_complex(x: Float[Tensor, "... features"]) -> Complex[Tensor, "... pairs"]:
    """View neighbouring features as real and imaginary parts; copy `x` if they do not lie in memory like that."""
    *steps, step = x.stride()
    if step != 1 or x.storage_offset() % 2 or any(other % 2 for other in steps):
        x = x.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(torch.unflatten(x, -1, (-1, 2)))


def to_half(weight: Shaped[Tensor, "..."], head_dim: int | None = None) -> Shaped[Tensor, "..."]:
    """Reorder a query or key projection from interleaved pairs to halves.

    A model rotated in one layout gives the same scores in the other once both of its projections are reordered.

    Args:
        weight: `(..., features out, features in)` as `nn.Linear` has it, or a bias `(features out,)`.
        head_dim: features of a head, if `weight` holds several heads one after the other.

    Raises:
        TypeError: `weight` is not a tensor or `head_dim` not an int.
        ValueError: `head_dim` is odd or does not divide the features out.

    Example:
        >>> to_half(torch.arange(6))
        tensor([0, 2, 4, 1, 3, 5])
    """
    return _transposed(weight, head_dim, (-1, 2))


def to_interleaved(weight: Shaped[Tensor, "..."], head_dim: int | None = None) -> Shaped[Tensor, "..."]:
    """Reorder a query or key projection from halves to interleaved pairs: the inverse of `to_half`.

    Args:
        weight: as in `to_half`.
        head_dim: as in `to_half`.

    Raises:
        TypeError, ValueError: as for `to_half`.

    Example:
        >>> to_interleaved(torch.arange(8), head_dim=4)
        tensor([0, 2, 1, 3, 4, 6, 5, 7])
    """
    return _transposed(weight, head_dim, (2, -1))


def _transposed(weight: Tensor, head_dim: int | None, shape: tuple[int, int]) -> Tensor:
    """Reorder the features out of each head: seen as a matrix of this shape, they are transposed."""
    if not isinstance(weight, torch.Tensor) or weight.ndim == 0:
        raise TypeError(f"weight must be a tensor (..., features out, features in), got {_validate.describe(weight)}")
    axis = -1 if weight.ndim == 1 else -2
    rows = weight.shape[axis]
    head_dim = _validate.even("head_dim", rows if head_dim is None else head_dim)
    if rows % head_dim:
        raise ValueError(f"head_dim must divide the features out, {rows} (all heads are as wide), got {head_dim}")
    heads = torch.arange(rows, device=weight.device).view(-1, head_dim)
    return weight.index_select(axis, torch.unflatten(heads, -1, shape).mT.flatten())


def _inv_freq(head_dim: int, base: float, inv_freq: Numbers | None, device: torch.device | str) -> Tensor:
    """Return the inverse frequencies that are given, or else those of `base`, in float64."""
    if inv_freq is None:
        return sinusoidal.inv_freq(head_dim, base=base, device=device)
    if base != BASE:
        raise ValueError(f"base must be left out (inv_freq says how fast each pair turns), got {base}")
    inv_freq = _validate.positions("inv_freq", inv_freq)
    if inv_freq.shape != (head_dim // 2,):
        raise ValueError(
            f"inv_freq must have shape ({head_dim // 2},) (one angle per token for each pair), "
            f"got {tuple(inv_freq.shape)}"
        )
    return inv_freq.to(device).double()


def _axis_of_pair(axis_of_pair: Numbers, pairs: int) -> list[int]:
    """Return the axis of each pair as numbers."""
    axes = _validate.positions("axis_of_pair", axis_of_pair, whole="it numbers the axes")
    if axes.shape != (pairs,):
        raise ValueError(f"axis_of_pair must have shape ({pairs},) (an axis for each pair), got {tuple(axes.shape)}")
    if axes.amin() < 0:
        raise ValueError(f"axis_of_pair must number the axes from 0 on, got {axes.amin().item()}")
    return [int(axis) for axis in axes.tolist()]


def _check_position_axes(position_ids: Tensor, axis_of_pair: list[int] | None) -> None:
    """Refuse positions without tokens, or without the axes that pairs follow."""
    if axis_of_pair is not None:
        axes = max(axis_of_pair) + 1
        if position_ids.ndim < 2 or position_ids.shape[-1] != axes:
            raise ValueError(
                f"position_ids must have shape (..., seq_len, {axes}) (pairs follow {axes} axes), "
                f"got {tuple(position_ids.shape)}"
            )
    elif not position_ids.ndim:
        raise ValueError("position_ids must have shape (..., seq_len) (a prefix comes before tokens), got ()")


def _check_features(x: object) -> None:
    if not isinstance(x, torch.Tensor) or x.dtype not in _validate.FLOAT_TYPES or not _validate.dense(x) or x.ndim < 2:
        raise TypeError(f"x must be a dense float tensor (..., seq_len, head_dim), got {_validate.describe(x)}")


def _rotary_dim(x: Tensor, rotary_dim: int | None) -> int:
    if rotary_dim is None:
        return _validate.even("head_dim", x.shape[-1])
    if _validate.even("rotary_dim", rotary_dim) > x.shape[-1]:
        raise ValueError(f"rotary_dim must be at most head_dim, {x.shape[-1]}, got {rotary_dim}")
    return rotary_dim


def _check(x: Tensor, cos: Tensor, sin: Tensor, layout: Layout, rotary_dim: int | None, seq_dim: int) -> None:
    _check_features(x)
    _validate.choice("layout", layout, sinusoidal.LAYOUTS)
    for name, values in (("cos", cos), ("sin", sin)):
        if not isinstance(values, torch.Tensor):
            raise TypeError(f"{name} must be a tensor (..., seq_len, pairs), got {_validate.describe(values)}")
        _validate.choice(f"{name}.dtype", values.dtype, PRECISIONS, " (half precision is rotated in float32)")
    if cos.shape != sin.shape or cos.dtype != sin.dtype:
        raise ValueError(
            f"sin must have the shape and dtype of cos, {tuple(cos.shape)} and {cos.dtype}, "
            f"got {tuple(sin.shape)} and {sin.dtype}"
        )
    rotary_dim = _rotary_dim(x, rotary_dim)
    if 2 * cos.shape[-1] != rotary_dim:
        raise ValueError(
            f"cos must have {rotary_dim // 2} pairs (half of the {rotary_dim} features that rotate; for fewer of them, "
            f"name rotary_dim), got {cos.shape[-1]}"
        )
    _check_axes("cos", cos.shape[:-1], x, seq_dim)


def _check_seq_dim(x: Tensor, seq_dim: int) -> None:
    last = x.ndim - 1
    if isinstance(seq_dim, bool) or not isinstance(seq_dim, int) or not -x.ndim <= seq_dim < last or seq_dim == -1:
        raise ValueError(f"seq_dim must number an axis of x before the last, −{x.ndim} … {last - 1}, got {seq_dim!r}")


def _check_axes(name: str, shape: torch.Size, x: Tensor, seq_dim: int) -> None:
    """Refuse positions whose axes are not the first axes of `x`, or 1 in their place, and its tokens."""
    _check_seq_dim(x, seq_dim)
    if shape and shape == (*x.shape[: len(shape) - 1], x.shape[seq_dim]) and len(shape) <= seq_dim % x.ndim + 1:
        return  # as nearly all do: a step of decoding is short
    axes = x.shape[: seq_dim % x.ndim + 1]
    fits = 0 < len(shape) <= len(axes) and shape[-1] == axes[-1]
    if not fits or any(size not in (1, axis) for size, axis in zip(shape[:-1], axes[:-1], strict=False)):
        raise ValueError(
            f"{name} must have positions of shape ({axes[-1]},) or batched like {tuple(axes)}, the axes of x up to its "
            f"tokens (seq_dim says which these are), got {tuple(shape)}"
        )


def _over_heads(values: Tensor, x: Tensor, seq_dim: int) -> Tensor:
    """Give a token's cosines `(..., seq_len, pairs)` the axes of `x`, so that all heads share them."""
    axis = seq_dim % x.ndim
    after = x.ndim - 2 - axis
    if values.ndim == 2 and not after:
        return values
    *batch, seq_len, pairs = values.shape
    return values.view(*batch, *[1] * (axis - len(batch)), seq_len, *[1] * after, pairs)
