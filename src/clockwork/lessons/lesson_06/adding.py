"""Codes in few directions or all, in order or shuffled, and layers in which each token sees only itself.

Lesson 06 adds such codes to quiet tokens, and follows positions from layer to layer.

Source: the collapse of attention without residual connections: Dong, Cordonnier and Loukas 2021, arXiv:2103.03404.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from clockwork.kit import attention, datafiles
from pe_helpers import sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def random_rows(
    num_positions: int, d_model: int, directions: int, *, generator: torch.Generator | None = None
) -> Float[Tensor, "num_positions d_model"]:
    """Return random codes that lie in `directions` random directions, each as long as a sinusoidal code.

    Args:
        num_positions: rows of the table.
        d_model: width of a code.
        directions: dimension of the space that the codes lie in, at most `d_model`.
        generator: a random generator; by default torch's own.

    Raises:
        ValueError: if `directions` is not between 1 and `d_model`.

    Example:
        >>> torch.linalg.matrix_rank(random_rows(32, 32, 9)).item()
        9
    """
    if not 1 <= directions <= d_model:
        raise ValueError(f"directions must lie between 1 and d_model={d_model}, got {directions}")
    axes = torch.linalg.qr(torch.randn(d_model, directions, generator=generator)).Q
    rows = torch.randn(num_positions, directions, generator=generator) @ axes.T
    return math.sqrt(d_model / 2) * torch.nn.functional.normalize(rows)


def drifting_rows(
    num_positions: int, d_model: int, likeness: float, *, generator: torch.Generator | None = None
) -> Float[Tensor, "num_positions d_model"]:
    """Return random codes of which each is the one before, changed a little, and as long as a sinusoidal code.

    Args:
        num_positions: rows of the table.
        d_model: width of a code.
        likeness: expected cosine between neighbours, about; 1 would make all rows equal.
        generator: a random generator; by default torch's own.

    Raises:
        ValueError: if `likeness` is not between 0 and 1.

    Example:
        >>> rows = drifting_rows(32, 1000, 0.9, generator=torch.Generator().manual_seed(0))
        >>> round(torch.cosine_similarity(rows[1:], rows[:-1]).mean().item(), 1)
        0.9
    """
    if not 0 <= likeness < 1:
        raise ValueError(f"likeness must lie between 0 and 1 (1 excluded), got {likeness}")
    noise = torch.randn(num_positions, d_model, generator=generator)
    rows = [noise[0]]
    for step in noise[1:]:
        rows.append(likeness * rows[-1] + math.sqrt(1 - likeness**2) * step)
    return math.sqrt(d_model / 2) * torch.nn.functional.normalize(torch.stack(rows))


def one_matrix(
    codes: Float[Tensor, "num_positions d_model"], words: Float[Tensor, "num_words d_model"], directions: int
) -> tuple[float, float]:
    """Return how far off codes and words are if one matrix does the work of two random ones (exercise 2 builds it).

    Args:
        codes: they should go where the second matrix takes them.
        words: they should go where the first one takes them.
        directions: how many of the codes' directions, the largest first, are treated as the second matrix does.

    Returns:
        Both errors, as shares of the length of what is wanted.

    Example:
        >>> codes, words = sinusoidal.table(32, 512), torch.randn(1000, 512, generator=torch.manual_seed(0))
        >>> [round(off, 1) for off in one_matrix(codes, words, 12)]
        [0.0, 0.2]
    """
    draw = torch.Generator().manual_seed(0)
    w_x, w_p = torch.randn(2, codes.shape[1], 64, generator=draw, dtype=torch.float64).to(codes.dtype)
    rows = torch.linalg.svd(codes, full_matrices=False).Vh[:directions]
    both = w_x + rows.T @ (rows @ (w_p - w_x))
    pairs = ((codes @ both, codes @ w_p), (words @ both, words @ w_x))
    codes_off, words_off = (((now - wanted).norm() / wanted.norm()).item() for now, wanted in pairs)
    return codes_off, words_off


class FixedRows(attention.Encoding):
    """Add the row of each position from a table that is not trained."""

    def __init__(self, rows: Float[Tensor, "num_positions d_model"]):
        super().__init__()
        self.register_buffer("rows", rows)

    def add(self, x, position_ids):
        """Add each position's row."""
        return x + self.rows[position_ids]


class DriftingRows(FixedRows):
    """Add rows of which each is the one before, changed a little: drawn anew for each model."""

    def __init__(self, num_positions: int = 32, d_model: int = 32, likeness: float = 0.957):
        super().__init__(drifting_rows(num_positions, d_model, likeness))


class ShuffledSinusoid(attention.Encoding):
    """Add the rows of the sinusoidal table, each at another position: drawn anew for each model."""

    def __init__(self, num_positions: int = 32):
        super().__init__()
        self.register_buffer("places", torch.randperm(num_positions))

    def add(self, x, position_ids):
        """Add the row that the position was given."""
        return x + sinusoidal.table(self.places[position_ids], x.shape[-1], dtype=x.dtype, device=x.device)


class EvenSpeeds(attention.Encoding):
    """Add sines and cosines with evenly spaced speeds up to `fastest` rad per token: with π, in all directions."""

    def __init__(self, fastest: float = math.pi):
        super().__init__()
        self.fastest = fastest

    def add(self, x, position_ids):
        """Add each position's code."""
        pairs = x.shape[-1] // 2
        speeds = self.fastest * (torch.arange(pairs, dtype=torch.float64, device=x.device) + 0.5) / pairs
        angles = position_ids[:, None] * speeds
        return x + torch.stack([angles.sin(), angles.cos()], -1).flatten(-2).to(x.dtype)


class OnlyItself(attention.Sinusoid):
    """Add the sinusoidal table, and let each token attend to itself alone."""

    def bias(self, num_heads, position_ids):
        """Return a bias that leaves all weight on the token itself."""
        return 1e4 * torch.eye(len(position_ids))


def with_tokens_held(model: attention.Transformer) -> attention.Transformer:
    """Return the model with its tokens' vectors as they are drawn: training does not change them."""
    drawn = model.embedding.weight.detach()
    del model.embedding.weight
    model.embedding.register_buffer("weight", drawn)
    return model


def recorded(part: str) -> dict[str, Float[Tensor, "... num_seeds"]]:
    """Return the recorded accuracy of each seed: a row for each learning rate, or for each loudness (train_adding.py).

    Raises:
        ValueError: if data/adding.json has no such part.

    Example:
        >>> recorded("who_came_first/quiet")["sinusoid"].shape
        torch.Size([2, 8])
    """
    runs = datafiles.read_part("adding.json", part)
    return {name: torch.tensor(accuracy) for name, accuracy in runs.items()}
