"""Two words of a text with their clocks: moved together, no angle between them changes; moved apart, all do."""

import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from pe_helpers import sinusoidal

TEXT = (
    "tom bit a dog and the dog ran home to anna who fed the cat and saw the bear sleep in the sun while the man hit a "
    "drum so the bear woke up and ran to the lake where tom sat in a boat with a hat and a book he had read ten times "
    "and when the bear came he gave it the hat and swam home"
)
WORDS = TEXT.split()
WIDTH = 16  # d_model
FARTHEST = 20  # tokens between the two words
START = (0, 3)  # what is shown before the guess


class MoveTheText(View):
    """Draw the clocks of two words, and the angles between their hands as a third clock."""

    static = "move_the_text"
    first = Slider(0, range(len(WORDS) - FARTHEST), "both words (position)")
    apart = Slider(3, range(1, FARTHEST + 1), "second word alone (tokens further)")
    main = ("first",)
    todo = "Drag the text: both words move. Then drag one word alone."
    caption = (
        "Each hand of the third clock shows the angle from that hand of the first clock to the same hand of the second."
    )

    text = traitlets.Unicode(TEXT, read_only=True).tag(sync=True)

    def __init__(self, cursor=None, **keywords):
        self.speeds = sinusoidal.inv_freq(WIDTH).numpy()
        super().__init__(cursor, **keywords)

    def numbers(self) -> dict:
        """Return the angles of the two clocks' hands, (8,) each, in rad."""
        return {"here": self.first * self.speeds, "there": (self.first + self.apart) * self.speeds}

    def describe(self) -> str:
        """Say which words stand where, and the angle between two of their hands."""
        second = self.first + self.apart
        words = f"{WORDS[self.first]} at {self.first}, {WORDS[second]} at {second}"
        where = f"{words}, {self.apart} apart"
        if self.veiled and (self.first, self.apart) != START:
            return f"{where}: the third clock is hidden until you have guessed"
        return f"{where}: the longest hands differ by {fixed(self.apart * self.speeds[0], 0)} rad"
