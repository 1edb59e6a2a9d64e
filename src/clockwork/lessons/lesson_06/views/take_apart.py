"""A sentence's words plus their positions, and how well every word and every position matches each sum."""

import numpy as np
from traitlets import Int, List, TraitError, Unicode, validate

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.codes import encode
from clockwork.kit.widgets.cursor import Cursor
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.typed import MOST, drawn_from, enough, words_of

WIDTHS = (8, 16, 32, 64)


class TakeApart(View):
    """Add a word's vector to a position's code, then look for both in the sum.

    The reader types a sentence and chooses one of its words, which brings its place with it; any other word or position
    can be added as well. `given` is the sentence, `chosen` the place of the word that is added. The match of a
    candidate v is v·z − |v|²/2, in units of what it is on average where v stands alone: the candidate nearest to the
    sum z is the best match. Searched alone, each part hears the other one as cross-talk, which is drawn in the other's
    colour; "word first" takes the word that was found away before it looks for the position. The words' vectors follow
    from their letters alone and have standard deviation 1.

    Args:
        sentence: 2 to 12 words.
        cursor: by default one with 24 positions and four widths.
        chosen: The place of the word that is added.

    Raises:
        TraitError: `sentence` has too few or too many words, `chosen` is none of its places, or the cursor lacks
            d_model or the positions 0 to 11.
    """

    static = "take_apart"
    needs = ("position", "d_model")
    caption = (
        "Bar: the match without the other part. Thin line: how the other part changes it. Ring: the winner, right on "
        "the bar in full colour. Filled squares: pink, the word is found; green, its position. Drag along the bars to "
        "choose another."
    )

    given = List(Unicode(), help="The sentence's words as typed.").tag(sync=True)
    chosen = Int(0, help="The place of the word that is added.").tag(sync=True)
    search = Slider("each alone", ("each alone", "word first"), "search")

    def __init__(self, sentence: str, cursor: Cursor | None = None, *, chosen: int = 0, **traits):
        if cursor is None:
            cursor = Cursor(position=Slider(chosen, range(24), "position"), d_model=Slider(16, WIDTHS, "d_model"))
        missing = [name for name in self.needs if name not in getattr(cursor, "sliders", {})]
        self.positions = [] if missing else cursor.values("position")
        self.widths = [] if missing else cursor.values("d_model")
        if not missing and self.positions[:MOST] != list(range(MOST)):
            raise TraitError(f"cursor must have positions 0 to {MOST - 1} (a sentence stands there), got {cursor!r}")
        super().__init__(cursor, data=self._data(), given=enough(words_of(sentence)), chosen=chosen, **traits)

    @validate("given")
    def _enough_words(self, proposal):
        return enough(proposal.value)

    @validate("chosen")
    def _a_place(self, proposal):
        if not 0 <= proposal.value < len(self.given):
            raise TraitError(f"chosen must be a place in {self.given!r} (its word is added), got {proposal.value!r}")
        return proposal.value

    def values(self, name):
        """List what a slider can be, or how many words of a sentence can be "missed", for challenges."""
        return list(range(MOST + 1)) if name == "missed" else super().values(name)

    @property
    def words(self) -> list[str]:
        """The sentence's words, each once: what the sum is compared with."""
        return list(dict.fromkeys(self.given))

    def parts(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the words' vectors (word, width) and the positions' codes (position, width)."""
        return np.stack([drawn_from(word, width) for word in self.words]), encode(self.positions, width)

    def matches(self, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the match of each sum (word, position) with every word, with every position, and of what is left."""
        vectors, codes = self.parts(width)
        z = vectors[:, None] + codes
        by_word = (z @ vectors.T - (vectors**2).sum(1) / 2) / (width / 2)
        rest = z - vectors[by_word.argmax(-1)]
        return by_word, *((left @ codes.T - width / 4) / (width / 4) for left in (z, rest))

    def _data(self) -> Data | None:
        if not self.widths:
            return None
        every = [encode(self.positions, width) for width in self.widths]
        codes = np.stack([np.pad(rows, ((0, 0), (0, max(self.widths) - rows.shape[1]))) for rows in every])
        return Data(codes=codes, widths=np.array(self.widths), positions=np.array(self.positions))

    def now(self) -> tuple[int, int, int]:
        """Return the numbers of the present word and position, and the width."""
        word = self.given[self.chosen]
        return self.words.index(word), self.positions.index(self.at("position")), self.at("d_model")

    def match(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how well the present sum matches every word and, as the search goes, every position."""
        word, position, width = self.now()
        by_word, alone, after = self.matches(width)
        return by_word[word, position], (after if self.at("search") == "word first" else alone)[word, position]

    def own(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the same matches as they would be without the other part."""
        word, position, width = self.now()
        vectors, codes = self.parts(width)
        by_word = (vectors @ vectors[word] - (vectors**2).sum(1) / 2) / (width / 2)
        return by_word, (codes @ codes[position] - width / 4) / (width / 4)

    def found(self) -> tuple[str, int]:
        """Return the word and the position that match the sum best."""
        by_word, by_position = self.match()
        return self.words[by_word.argmax()], self.positions[by_position.argmax()]

    def hits(self) -> np.ndarray:
        """Return for each place of the sentence whether its word is found, and whether the place is, (2, place)."""
        by_word, alone, after = self.matches(self.at("d_model"))
        by_position = after if self.at("search") == "word first" else alone
        words = [self.words.index(word) for word in self.given]
        places = np.arange(len(words))
        best = by_word[words, places].argmax(-1), by_position[words, places].argmax(-1)
        return np.stack([best[0] == words, best[1] == places])

    def describe(self):
        """Say what was added and what is found."""
        word, position = self.found()
        where = f"position {self.at('position')}, d_model {self.at('d_model')}, word {self.given[self.chosen]}"
        found = f"the sum's best match is {word} among the words and {position} among the positions"
        words, places = self.hits().sum(1)
        whole = f"of the whole sentence {words} of {len(self.given)} words are found, and {places} of their positions"
        return f"{where}, {self.at('search')}: {found}; {whole}"

    def numbers(self):
        """Return the sum, both matches, and what is found of each word of the sentence."""
        word, position, width = self.now()
        vectors, codes = self.parts(width)
        by_word, by_position = self.match()
        own_word, own_position = self.own()
        matches = {"by_word": by_word, "by_position": by_position, "own_word": own_word, "own_position": own_position}
        return {"sum": vectors[word] + codes[position], **matches, "hits": self.hits().astype(float)}
