"""Check the three exercises of lesson 09: a guesser's error, a table's share of variance, when a fit means nothing."""

from __future__ import annotations

from collections.abc import Callable

import torch

from pe_helpers import probes
from pe_helpers.checks.answers import CheckFailed, exercise, function, number


@exercise
def guesser(attempt: object) -> str:
    """Check the mean error, in tokens, of whoever says 255.5 for each of the positions 0 … 511."""
    answer = number(attempt, name="the mean error")
    if abs(answer - 128) < 0.51:
        return "128 tokens: a probe with a larger error has learned less than nothing"
    if abs(answer - 256) < 1:
        raise CheckFailed(f"{answer:g} is the largest error; half of the positions are nearer than half of that")
    if abs(answer - 512 / 12**0.5) < 1:
        raise CheckFailed("this is the root of the mean square; asked for is the mean of the distances")
    if answer == 0:
        raise CheckFailed("the errors above and below cancel only if their signs are kept; take distances")
    raise CheckFailed(f"distances from the middle run evenly from 0 to 256: their mean is not {answer:g}")


def _tables() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(9)
    scales = torch.tensor([9.0, 4.0, 2.0, 1.0, 0.5, 0.25])
    return [torch.randn(60, 6, generator=generator) * scales + shift for shift in (0.0, 5.0)]


@exercise
def share(attempt: Callable[[torch.Tensor, int], object]) -> str:
    """Check `share(table, k)`: the share of the variance that k principal directions hold."""
    function(attempt, "share(table, k)")
    for table in _tables():
        for k in (1, 3, 6):
            answer = number(attempt(table.clone(), k), name=f"the share of {k} directions")
            middle = torch.linalg.svdvals(table.double() - table.double().mean(0))
            raw = torch.linalg.svdvals(table.double())
            if abs(answer - float((middle[:k] ** 2).sum() / (middle**2).sum())) < 1e-4:
                continue
            if abs(answer - float((raw[:k] ** 2).sum() / (raw**2).sum())) < 1e-4:
                raise CheckFailed("the mean row counts as a direction here: subtract it first, it tells nobody where")
            if abs(answer - float(middle[:k].sum() / middle.sum())) < 1e-4:
                raise CheckFailed("variance is the square of a singular value")
            if abs(answer - float((middle[k:] ** 2).sum() / (middle**2).sum())) < 1e-4:
                raise CheckFailed("this is the share of the directions that are left out")
            if answer > 1 + 1e-4:
                raise CheckFailed(f"a share lies between 0 and 1, got {answer:.4f}: is it in percent, or not divided?")
            raise CheckFailed(f"k = {k}, a {tuple(table.shape)} table: the share is not {answer:.4f}")
    return "the mean row is left out, and squares are shared"


@exercise
def fits_anything(width: Callable[[int, int], object]) -> str:
    """Check `width(max_len, k)`: the least d_model at which a random table's shift by k is fitted exactly."""
    function(width, "width(max_len, k)")
    for max_len, k in ((40, 1), (40, 10), (25, 3)):
        answer = number(width(max_len, k), name=f"the width for {max_len} rows and k = {k}")
        table = torch.randn(max_len, max_len, generator=torch.Generator().manual_seed(max_len + k))
        if answer != max_len - k:
            if answer == max_len:
                raise CheckFailed(f"the last {k} rows have no row to go to: how many equations are there?")
            if answer == max_len - k - 1:
                raise CheckFailed("no mean is subtracted in this fit: there is one equation more")
            if not 1 <= answer <= max_len or answer != int(answer):
                raise CheckFailed(f"a width from 1 to {max_len} is asked for, got {answer:g}")
            fit = probes.shift_fit(table[:, : int(answer)], k)[1]
            raise CheckFailed(f"at d_model = {answer:g} a random table of {max_len} rows reaches R² = {fit:.3f}")
    return "as many columns as equations: then noise shifts perfectly, and R² on the same rows means nothing"
