"""A position as hands on a dial: pair i of the code is a hand that turns ω_i rad a token."""

import numpy as np
import traitlets

from clockwork.kit.widgets.cursor import POSITIONS, USUAL
from clockwork.kit.widgets.hands import TURN, Hands
from clockwork.kit.widgets.widget import Slider


class Clock(Hands):
    """All hands of one position on a dial, beside the phases of all positions.

    A hand ends at x = sin, y = cos, so it starts at 12 o'clock and turns clockwise; the faster, the longer. Dragging a
    hand moves the position. Dragging it with Shift, or `alone`, turns it without the others: then no position fits.

    Args:
        cursor: Its `position` and `d_model` are followed, and its `hand` or `base` if it has one.
        formula: Whether the line below the picture shows the formula of the sine.
        secret: A position whose dial is shown without being named, in place of the phases.
    """

    static = "clock"
    needs = ("position", "d_model")

    hand = USUAL["hand"]()
    alone = Slider(0, range(-175, 181, 5), "turn this hand alone (degrees)")
    formula = traitlets.Bool(True).tag(sync=True)
    secret = traitlets.Int(None, allow_none=True, help="The position of a second dial.").tag(sync=True)
    caption = (
        "{Left}, one position: each pair of the code is a hand. {Right}, all positions: one column a hand, one row a "
        "position, and each colour is the place on the rim that the hand points to."
    )

    secret_caption = "{Left}, your dial. {Right}, the dial of a secret position. Turn yours until all hands agree."

    def __init__(self, cursor=None, *, secret=None, caption="", **keywords):
        caption = caption or (self.caption if secret is None else self.secret_caption)
        self.main = () if secret is None else ("position",)  # the secret dial is found by the position alone
        super().__init__(cursor, caption=caption, secret=secret, **keywords)

    @traitlets.validate("secret")
    def _secret(self, proposal):
        if proposal["value"] is None or proposal["value"] in POSITIONS:
            return proposal["value"]
        raise traitlets.TraitError(f"secret must be a position from 0 to 127 (it is read), got {proposal['value']!r}")

    def angles(self) -> np.ndarray:
        """Return the angles of all hands, (d_model/2,), in rad clockwise from 12 o'clock."""
        angles = self.at("position") * self.speeds()
        angles[self.chosen()] += np.radians(self.alone)
        return angles

    def hour(self) -> int:
        """Return the hour, 1 to 12, nearest to which the chosen hand points."""
        return int(np.floor(self.angles()[self.chosen()] / TURN * 12 + 0.5)) % 12 or 12

    def nearest(self) -> tuple[int, float]:
        """Return the position whose worst hand is least wrong, and by how many rad it is."""
        positions = np.array(self.cursor.values("position"))
        off = np.multiply.outer(positions, self.speeds()) - self.angles()
        worst = np.abs(off - TURN * np.round(off / TURN)).max(1)
        return int(positions[worst.argmin()]), float(worst.min())

    def describe(self):
        """Say where the chosen hand points, and whether a position has these hands."""
        width = self.at("d_model")
        hand = f"position {self.at('position')}, d_model {width}: hand {self.chosen()} of {width // 2}"
        points = f"points to {self.hour()} o'clock"
        if not self.alone:
            return f"{hand} {points}"
        near, off = self.nearest()
        misfit = round(np.degrees(off))
        verdict = f"no position has these hands: {near} comes nearest, with a hand {misfit}° off"
        turned = f"{hand} turned alone by {self.alone}° {points}".replace("-", "−")
        return f"{turned}; {verdict if misfit else f'position {near} has these hands'}"

    def numbers(self):
        """Return the hands' ends, (d_model/2, 2), as (sin, cos)."""
        angles = self.angles()
        return {"hands": np.stack([np.sin(angles), np.cos(angles)], axis=-1)}
