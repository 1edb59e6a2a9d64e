"""All hands of a code wound along the positions, and the dial that one sees where they are cut."""

from clockwork.kit.numbers import amount
from clockwork.kit.widgets.cursor import USUAL
from clockwork.kit.widgets.hands import Hands


class Corkscrews(Hands):
    """Cut the bundle of corkscrews at a position, and see its dial.

    Above, the chosen hand alone, with its shadows; below, the hands that fit, and the dial of all of them. Dragging the
    cut or a hand of the dial moves the position; a click on a corkscrew chooses its hand.
    """

    static = "corkscrews"
    needs = ("position", "d_model")

    hand = USUAL["hand"]()
    todo = "Drag the cut along the bundle. Click a corkscrew to see it alone."
    main = ("position", "d_model")
    caption = (
        "Let a hand turn while it moves along the text, and its tip draws a corkscrew. Above, hand by hand: the wall "
        "behind sees its height, the cosine; the floor sees how far right it is, the sine. Below, the bundle, and the "
        "dial of the cut. We draw the sine to the right and the cosine upwards, so every hand starts at 12. "
        "On the dial, slower hands are drawn shorter, only to tell them apart."
    )

    def numbers(self) -> dict:
        """Return the hands' ends at the cut, (d_model/2, 2), as (sin, cos)."""
        return {"hands": self.codes(self.at("position")).reshape(-1, 2)}

    def describe(self) -> str:
        """Say where the bundle is cut and how far the chosen hand has turned."""
        hand = self.chosen()
        angle = amount(self.at("position") * self.speeds()[hand])
        width = self.at("d_model")
        return (
            f"position {self.at('position')}, d_model {width}: the cut through {width // 2} hands; hand {hand} has "
            f"turned {angle} rad"
        )
