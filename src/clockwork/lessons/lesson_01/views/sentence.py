"""A sentence to reorder: the outputs of one attention layer travel with its words, or they do not."""

from itertools import permutations

import numpy as np
import traitlets
from traitlets import TraitError

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.hands import fixed
from clockwork.kit.widgets.typed import enough, words_of
from clockwork.kit.widgets.typed_layer import D_MODEL, SCHEMES, attend

LISTED = 6  # words of which all orders are listed, for challenges


class Sentence(View):
    """Show what one attention layer makes of a sentence as typed, and of the same words in the reader's order.

    The reader types a sentence, and drags its words or moves them by the arrow keys. `scheme` is what the layer gets
    beside the words, `order` lists which of the words `given` stands at each place, and `chosen` is the word of which
    the weights are written out. Word vectors and weights follow from the letters alone, so that Python and the browser
    draw the same ones for every sentence.

    Args:
        sentence: 2 to 12 words.
        scheme: What the layer gets, one of `SCHEMES`.
        order: Which word stands at each place, by default as given.

    Raises:
        TraitError: `sentence` has too few or too many words, or `order` is not an order of them.
    """

    static = "sentence"
    main = ("order",)  # below a line that says what to do, what the layer gets is folded
    caption = (
        "One attention layer reads the same words twice: on the left as typed, on the right in your order. Every word "
        "has eight numbers here. A ribbon is a word's output, one thread for each number (red above 0, blue below). A "
        "thread that keeps its colour keeps its number. The square shows who looks at whom, and *v(a)* is what the "
        "layer takes from *a*."
    )

    scheme = Slider(SCHEMES[0], SCHEMES, "the layer gets")
    given = traitlets.List(traitlets.Unicode(), help="The words as typed.").tag(sync=True)
    order = traitlets.List(traitlets.Int(), help="Which of them stands at each place.").tag(sync=True)
    chosen = traitlets.Int(0, help="The word whose weights are written out.").tag(sync=True)

    def __init__(self, sentence: str, *, scheme: str = SCHEMES[0], order=None, **traits):
        words = words_of(sentence)
        order = list(range(len(words)) if order is None else order)
        super().__init__(given=words, scheme=scheme, order=order, **traits)

    @traitlets.validate("given")
    def _enough_words(self, proposal):
        return enough(proposal.value)

    @traitlets.validate("order")
    def _all_places(self, proposal):
        if sorted(proposal.value) != list(range(len(self.given))):
            raise TraitError(f"order must name each of {len(self.given)} words once, got {proposal.value!r}")
        return proposal.value

    def values(self, name):
        """List the values that the slider `name` can take; `order` takes those of a short sentence."""
        if name == "order" and len(self.given) <= LISTED:
            return [list(order) for order in permutations(range(len(self.given)))]
        return super().values(name)

    @property
    def sentence(self) -> str:
        """The words as they stand now."""
        return " ".join(self.given[word] for word in self.order)

    def weights(self) -> np.ndarray:
        """Return the attention weights (place, place) of the words in the present order."""
        return attend(self.sentence.split(), self.scheme)[0]

    def outputs(self, scheme: str = "") -> tuple[np.ndarray, np.ndarray]:
        """Return each word's output as typed and in the present order, both (word, 8) with the words as typed."""
        scheme = scheme or self.scheme
        after = np.empty((len(self.given), D_MODEL))
        after[self.order] = attend(self.sentence.split(), scheme)[1]
        return attend(self.given, scheme)[1], after

    def moved(self) -> float:
        """Return how far the mean output is from that of the sentence as typed."""
        before, after = self.outputs()
        return float(np.linalg.norm(after.mean(0) - before.mean(0)))

    def describe(self) -> str:
        """Say the sentence and how far the mean output stands from where it was for the sentence as typed."""
        if self.veiled:
            return f'{self.scheme}, "{self.sentence}": what becomes of the outputs is hidden until you have guessed'
        return (
            f'{self.scheme}, "{self.sentence}": the mean output is {fixed(self.moved())} away from that of '
            f'"{" ".join(self.given)}"'
        )

    def numbers(self) -> dict:
        """Return the weights, both outputs and how far each word's has moved."""
        if self.veiled:
            return {}
        before, after = self.outputs()
        moved = np.linalg.norm(after - before, axis=1)
        return {"weights": self.weights(), "before": before, "after": after, "moved": moved}
