"""The reader's own code against the three demands."""

import numpy as np
import traitlets
from traitlets import TraitError

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import View
from clockwork.lessons.lesson_02 import demands

WALK = 50  # tokens that are drawn, either way
LEAST = 1e-6  # an error or a distance below this is told as being less


class Adversary(View):
    """Whether a code that the reader types meets the three demands.

    Args:
        code: An expression of p, see `expression.codes_of`.

    Raises:
        TraitError: `code` cannot be read, or has no value at some position.
    """

    static = "adversary"
    todo = "Type a code of your own, in *p*, and try to meet all three demands."
    caption = (
        "The code of each position as a point, by its first two numbers (a single number against p): 50 tokens "
        "forwards (green) and backwards (pink) from position 0, the large dot. The rule is fitted from −500 to 500, "
        "the bound is looked at up to 1,000,000 tokens either way."
    )

    code = traitlets.Unicode(help="The expression.").tag(sync=True)

    def __init__(self, code: str = "p % 2, p // 2 % 2, p // 4 % 2, p // 8 % 2", **traits):
        super().__init__(code=code, **traits)

    @traitlets.validate("code")
    def _readable(self, proposal):
        try:
            demands.trial(proposal.value)
        except ValueError as error:
            raise TraitError(str(error)) from error
        return proposal.value

    def trial(self) -> demands.Trial:
        """Return what comes of the code."""
        return demands.trial(self.code)

    def describe(self):
        """Say what the demands make of the code."""
        found = self.trial()
        first, second, apart = found.alike
        back, on = map(times, found.growth)
        return (
            f"{self.code}: the best matrix misses by {share(found.miss)}, the codes span {found.rank} of "
            f"{found.codes.shape[1]} dimensions, and up to 1,000,000 tokens they are {back} times as long backwards "
            f"and {on} times forwards; most alike are positions {first} and {second}, {share(apart)} apart"
        )

    def numbers(self):
        """Return what the demands say, and the points that are drawn."""
        found = self.trial()
        middle = demands.REACH
        return {
            "miss": [found.miss],
            "rank": [found.rank],
            "growth": found.growth,
            "alike": found.alike,
            "walk": walk(found.codes[middle - WALK : middle + WALK + 1], WALK),
        }


def walk(codes: np.ndarray, start: int) -> np.ndarray:
    """Return the points (positions, 2) at which codes are drawn: by their first two numbers, a single one against p."""
    if codes.shape[1] > 1:
        return codes[:, :2]
    return np.stack([np.arange(len(codes)) - start, codes[:, 0]], axis=1)


def share(value: float) -> str:
    """Return an error or a distance with two decimals, a small one with one digit that counts; 0 is exactly 0."""
    if 0 < value < LEAST:
        return f"less than {LEAST:f}"
    if value == 0:
        return "0"
    return fixed(value) if value >= 0.01 else f"{value:.6f}".rstrip("0")


def times(value: float) -> str:
    """Return a growth as a text: two decimals, whole from 100 on, or that it is beyond all bounds."""
    if value >= demands.MOST:
        return "over a billion"
    return fixed(value) if value < 100 else f"{value:,.0f}"
