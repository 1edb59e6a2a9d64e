"""Recorded results of small models past their training length: data/beyond_the_length.json, which lesson 08 shows.

`python -m clockwork.lessons.lesson_08.beyond_the_length` makes them; data/README.md describes the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from clockwork.kit import datafiles

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


LONGER = (1, 1.5, 2, 2.5, 3, 3.5, 4)  # in trained lengths: where remedies for four times the length are tested
SHIFTS = tuple(range(16, 129, 4))  # where the second half of a text begins, for decoders
NAMED = tuple(range(3, 13))  # tokens back at the angle of three, when positions are interpolated by thirds
BACK = tuple(range(1, 15))  # tokens back that are asked for then
SLOWER_BY = tuple(2 ** (step / 6) for step in range(13))  # on the map: how much slower hands 0 and 1 are made


def recorded(part: str) -> dict[str, dict[str, Float[Tensor, "num_seeds"]]]:
    """Return what was measured: for each run the accuracies of all seeds, by the test length in tokens.

    Where another question than the trained one was asked, its words follow the length, as in "128, 12 back".

    Args:
        part: the task, a slash, and what is compared, such as "three_back/no mask".

    Raises:
        ValueError: if data/beyond_the_length.json has no such part.

    Example:
        >>> from clockwork.lessons.lesson_08 import lengths
        >>> lengths.recorded("who_came_first/no mask")["interpolation"]["96"].shape
        torch.Size([8])
    """
    runs = datafiles.read_part("beyond_the_length.json", part)
    return {run: {where: torch.tensor(own) for where, own in result.items()} for run, result in runs.items()}
