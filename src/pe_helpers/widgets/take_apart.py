"""A word plus a position, and how well every word and every position matches the sum."""

import numpy as np
from matplotlib.figure import Figure
from traitlets import List, TraitError, Unicode

from pe_helpers.plots import sums
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.codes import encode
from pe_helpers.widgets.cursor import Cursor
from pe_helpers.widgets.data import Data

WORDS = ("time", "river", "bank", "dog", "good", "fire", "orange", "panda", "banana", "king", "queen", "clock")
WIDTHS = (8, 16, 32, 64)
SEED = 6


class TakeApart(View):
    """Add a word's vector to a position's code, then look for both in the sum.

    The match of a candidate v is v·z − |v|²/2, in units of what it is on average where v stands alone: the candidate
    nearest to the sum z is the best match. Searched alone, each part hears the other one as cross-talk, which is drawn
    in the other's colour; "word first" takes the word that was found away before it looks for the position. The words'
    vectors have standard deviation 1.

    Args:
        cursor: by default one with 24 positions and four widths.
        words: two or more, all different.

    Raises:
        TraitError: fewer than two words, a word twice, or a cursor without position and d_model.
    """

    static = "take_apart"
    needs = ("position", "d_model")
    caption = (
        "The best match is ringed; it is right where the ring sits on the full-coloured bar. Each bar is the match "
        "without the other part; the thin line on it leads to the match with it: the cross-talk, green from the "
        "position, pink from the word. Drag along the bars to add another word or position."
    )

    words = List(Unicode()).tag(sync=True)
    search = Slider("each alone", ("each alone", "word first"), "search")

    def __init__(self, cursor: Cursor | None = None, words=WORDS, **traits):
        if cursor is None:
            cursor = Cursor(position=Slider(7, range(24), "position (tokens)"), d_model=Slider(16, WIDTHS, "d_model"))
        words = list(words)
        if len(words) < 2 or len(set(words)) < len(words):
            raise TraitError(f"words must be two or more, all different (one is looked for), got {words!r}")
        self.add_traits(word=Slider(words[0], words, "word"))
        missing = [name for name in self.needs if name not in getattr(cursor, "sliders", {})]
        self.widths = [] if missing else cursor.values("d_model")
        self.positions = [] if missing else cursor.values("position")
        data = None if missing else self._data(len(words))
        super().__init__(cursor, data=data, words=words, **traits)

    def parts(self, width: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the words' vectors (count, width) and the positions' codes (positions, width)."""
        vectors = np.random.default_rng(SEED).standard_normal((count, max(self.widths)))
        return vectors[:, :width], encode(self.positions, width)

    def matches(self, width: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the match of each sum (word, position) with every word, with every position, and of what is left."""
        vectors, codes = self.parts(width, count)
        z = vectors[:, None] + codes
        by_word = (z @ vectors.T - (vectors**2).sum(1) / 2) / (width / 2)
        rest = z - vectors[by_word.argmax(-1)]
        return by_word, *((left @ codes.T - width / 4) / (width / 4) for left in (z, rest))

    def _data(self, count: int) -> Data:
        by_word, *by_position = zip(*(self.matches(width, count) for width in self.widths), strict=True)
        vectors, codes = self.parts(max(self.widths), count)
        every = [encode(self.positions, width) for width in self.widths]
        table = np.stack([np.pad(rows, ((0, 0), (0, codes.shape[1] - rows.shape[1]))) for rows in every])
        places = {"widths": np.array(self.widths), "positions": np.array(self.positions)}
        matches = {"by_word": np.stack(by_word), "by_position": np.stack(by_position, 1)}
        return Data(vectors=vectors, codes=table, **matches, **places)

    def now(self) -> tuple[int, int, int]:
        """Return the numbers of the present word and position, and the width."""
        return self.words.index(self.at("word")), self.positions.index(self.at("position")), self.at("d_model")

    def match(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how well the present sum matches every word and, as the search goes, every position."""
        word, position, width = self.now()
        by_word, alone, after = self.matches(width, len(self.words))
        return by_word[word, position], (after if self.at("search") == "word first" else alone)[word, position]

    def own(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the same matches as they would be without the other part."""
        word, position, width = self.now()
        vectors, codes = self.parts(width, len(self.words))
        by_word = (vectors @ vectors[word] - (vectors**2).sum(1) / 2) / (width / 2)
        return by_word, (codes @ codes[position] - width / 4) / (width / 4)

    def found(self) -> tuple[str, int]:
        """Return the word and the position that match the sum best."""
        by_word, by_position = self.match()
        return self.words[by_word.argmax()], self.positions[by_position.argmax()]

    def describe(self):
        """Say what was added and what is found."""
        word, position = self.found()
        where = f"position {self.at('position')}, d_model {self.at('d_model')}, word {self.at('word')}"
        found = f"the sum's best match is {word} among the words and {position} among the positions"
        return f"{where}, {self.at('search')}: {found}"

    def numbers(self):
        """Return the sum and both matches."""
        word, position, width = self.now()
        vectors, codes = self.parts(width, len(self.words))
        by_word, by_position = self.match()
        own_word, own_position = self.own()
        matches = {"by_word": by_word, "by_position": by_position, "own_word": own_word, "own_position": own_position}
        return {"sum": vectors[word] + codes[position], **matches}

    def picture(self) -> Figure:
        """Draw the parts, the sum and the matches."""
        word, position, width = self.now()
        vectors, codes = self.parts(width, len(self.words))
        chosen = {"words": self.words, "chosen": (word, position)}
        return sums.take_apart(vectors[word], codes[position], self.match(), self.own(), **chosen)
