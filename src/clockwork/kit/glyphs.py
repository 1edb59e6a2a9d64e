"""Pictures of letters, drawn with matplotlib's own fonts, and a small classifier that says which letters it sees.

A picture of two letters on top of each other is a sum, like word plus position. Whether the parts can be told from the
sum depends on how much they overlap.
"""

from __future__ import annotations

import functools
import math
import string
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor

LETTERS = string.ascii_uppercase
FACES = ("DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif")  # all three come with matplotlib
SIZE = 20  # pixels, the side of a picture
FINE = 40  # pixels, the side of the outline that it is sampled from


@functools.cache
def outlines() -> Float[Tensor, "faces letters side side"]:
    """Draw each letter in each typeface at 40 × 40 pixels, 1 for ink and 0 for paper."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.textpath import TextPath

    ticks = (torch.arange(FINE) + 0.5) / FINE * 2 - 1
    rows, columns = torch.meshgrid(-ticks, ticks, indexing="ij")
    points = torch.stack([columns, rows], -1).reshape(-1, 2).numpy()
    drawn = torch.empty(len(FACES), len(LETTERS), FINE, FINE)
    for i, face in enumerate(FACES):
        for j, letter in enumerate(LETTERS):
            path = TextPath((0, 0), letter, size=1.7, prop=FontProperties(face))
            box = path.get_extents()
            centred = points + (box.min + box.max) / 2
            inside = [Path(contour).contains_points(centred) for contour in path.to_polygons()]
            drawn[i, j] = torch.from_numpy(np.logical_xor.reduce(inside)).reshape(FINE, FINE)  # holes are in two
    return drawn


def draw(
    letters: Int[Tensor, "..."], *, generator: torch.Generator, wobble: float = 1.0
) -> Float[Tensor, "... pixels"]:
    """Draw each letter as a picture of 20 × 20 pixels, in a random typeface, place, size and angle.

    Args:
        letters: 0 for A … 25 for Z, of any shape.
        generator: a random generator.
        wobble: 1 moves a letter by up to 0.075 of the side, rotates it by up to 0.1 rad and scales it by up to 7.5 %;
            0 draws every letter upright in the middle.
    """
    flat = letters.flatten()
    chance = wobble * (2 * torch.rand(4, len(flat), generator=generator) - 1)
    angle = 0.1 * chance[0]
    scale = 1 + 0.075 * chance[1]
    turn = torch.stack([angle.cos() * scale, -angle.sin() * scale, angle.sin() * scale, angle.cos() * scale], -1)
    place = torch.cat([turn.unflatten(-1, (2, 2)), 0.15 * chance[2:].T[..., None]], -1)
    face = torch.randint(len(FACES), flat.shape, generator=generator)
    grid = functional.affine_grid(place, (len(flat), 1, FINE, FINE), align_corners=False)
    fine = functional.grid_sample(outlines()[face, flat][:, None], grid, align_corners=False)
    return functional.avg_pool2d(fine, FINE // SIZE).reshape(*letters.shape, SIZE * SIZE)


def directions(
    letters: Int[Tensor, "..."], *, generator: torch.Generator, wobble: float = 1.0
) -> Float[Tensor, "... d_model"]:
    """Give each letter a random vector instead of a picture, with noise as large as the vector."""
    d_model = SIZE * SIZE
    codes = torch.randn(len(LETTERS), d_model, generator=torch.Generator().manual_seed(26)) / math.sqrt(d_model)
    noise = torch.randn(*letters.shape, d_model, generator=generator) / math.sqrt(d_model)
    return codes[letters] + wobble * noise


def pairs(count: int, *, generator: torch.Generator) -> Int[Tensor, "count 2"]:
    """Draw pairs of two different letters."""
    return torch.rand(count, len(LETTERS), generator=generator).topk(2).indices


def train(look: Callable[..., Tensor], *, on: str, seed: int = 0, steps: int = 300, batch_size: int = 128) -> nn.Module:
    """Train a classifier with one hidden layer on single letters or on averages of two.

    Args:
        look: `draw` or `directions`: what the classifier sees of a letter.
        on: "singles", or "sums" for averages of two different letters; the right answer is then half of each.
        seed: of the weights and of the pictures.
        steps: number of batches.
        batch_size: pictures in a batch.

    Raises:
        ValueError: if `on` is neither of the two.
    """
    if on not in ("singles", "sums"):
        raise ValueError(f"on must be 'singles' or 'sums' (what the classifier is shown), got {on!r}")
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(SIZE * SIZE, 256), nn.ReLU(), nn.Linear(256, len(LETTERS)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        letters = pairs(batch_size, generator=generator)[:, : 1 if on == "singles" else 2]
        answer = functional.one_hot(letters, len(LETTERS)).float().mean(-2)
        loss = functional.cross_entropy(model(look(letters, generator=generator).mean(-2)), answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@torch.no_grad()
def accuracy(
    model: nn.Module, look: Callable[..., Tensor], *, letters: int, seed: int = 1_000_003, count: int = 2000
) -> float:
    """Return how often the highest logits are exactly the letters in the picture: one, or the average of two."""
    generator = torch.Generator().manual_seed(seed)
    shown = pairs(count, generator=generator)[:, :letters]
    named = model(look(shown, generator=generator).mean(-2)).topk(letters).indices
    return (named.sort().values == shown.sort().values).all(-1).double().mean().item()
