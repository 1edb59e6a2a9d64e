"""A row of cached keys: cut a piece out, push the rest left, and compare with what reading anew would give."""

import numpy as np
import torch

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_14 import serving
from pe_helpers import sinusoidal

LENGTH = 12  # tokens in the cache
HANDS = 4  # of a head
WAYS = ("leave the keys", "turn them further", "read anew")
LAYERS = ("first layer", "second layer")
STARTS = tuple(range(1, 7))
LENGTHS = tuple(range(1, 6))


class Cached(View):
    """Cut a piece out of a cache: where do its keys point, and where would they point had the text been read anew?

    The model is lesson 14's small rotary model, one head of each layer.
    """

    static = "cached"
    start = Slider(3, STARTS, "first token that goes")
    length = Slider(4, LENGTHS, "tokens that go")
    way = Slider("leave the keys", WAYS, "the other keys")
    layer = Slider("first layer", LAYERS, "layer")
    hand = Slider(0, range(HANDS), "hand")
    main = ("way", "layer")
    todo = (
        "Drag the edges of the cut. Try the three ways in the first layer, then in the second, there with hand 3, too."
    )
    caption = (
        "A dial for each token that is left, with one hand of its key: in the cache (orange), and as it would be, had "
        "the shorter text been read anew (grey). Where orange covers grey, the cache is right. Bars: how far "
        "the token's values are off."
    )

    def __init__(self, cursor=None, **traits):
        model = serving.small("rotary").double()
        text = torch.randint(16, (LENGTH,), generator=torch.Generator().manual_seed(0))
        _, cache = serving.read(model, text)
        self.speeds = sinusoidal.inv_freq(2 * HANDS).numpy()
        self.angles = np.stack([angles(keys) for keys in cache.keys])  # (layers, tokens, hands)
        shape = (len(STARTS), len(LENGTHS), len(LAYERS), LENGTH)
        self.anew = np.full((*shape, HANDS), np.nan)
        self.values_off = np.full(shape, np.nan)
        for i, start in enumerate(STARTS):
            for j, length in enumerate(LENGTHS):
                kept = [*range(start), *range(start + length, LENGTH)]
                _, read = serving.read(model, text[kept])
                for layer in range(len(LAYERS)):
                    self.anew[i, j, layer, kept] = angles(read.keys[layer])
                    old, new = cache.values[layer][:, kept], read.values[layer]
                    off = (old - new).norm(dim=(0, 2)) / new.norm(dim=(0, 2))
                    self.values_off[i, j, layer, kept] = off.numpy()
        data = Data(angles=self.angles, anew=self.anew, off=self.values_off)
        super().__init__(cursor, data=data, **traits)

    def kept(self) -> list[int]:
        """Return the tokens that stay."""
        start = self.at("start")
        return [*range(start), *range(start + self.at("length"), LENGTH)]

    def where(self) -> tuple[int, int, int]:
        """Return the place of this cut and layer in the tables."""
        return (
            STARTS.index(self.at("start")),
            LENGTHS.index(self.at("length")),
            LAYERS.index(self.at("layer")),
        )

    def wanted(self) -> np.ndarray:
        """Return the angles that the kept keys would have if read anew, in rad."""
        return self.anew[self.where()][self.kept(), self.at("hand")]

    def shown(self) -> np.ndarray:
        """Return the angles of the kept keys as they are now, in rad."""
        if self.at("way") == "read anew":
            return self.wanted()
        kept = self.kept()
        angle = self.angles[self.where()[2], kept, self.at("hand")]
        if self.at("way") == "turn them further":
            angle = angle + (np.arange(len(kept)) - kept) * self.speeds[self.at("hand")]
        return angle

    def off(self) -> np.ndarray:
        """Return by how much each kept key is off, in rad, 0 to π."""
        apart = self.shown() - self.wanted()
        return np.abs(apart - 2 * np.pi * np.round(apart / (2 * np.pi)))

    def value_errors(self) -> np.ndarray:
        """Return how far the kept tokens' values are off."""
        anew = self.at("way") == "read anew"
        return np.zeros(len(self.kept())) if anew else self.values_off[self.where()][self.kept()]

    def describe(self) -> str:
        """Say the cut, the way, and how far keys and values are off."""
        return (
            f"start {self.at('start')}, length {self.at('length')}, {self.at('way')}, {self.at('layer')}, hand "
            f"{self.at('hand')}: keys off by up to {fixed(self.off().max())} rad, "
            f"values by up to {fixed(self.value_errors().max())}"
        )

    def numbers(self) -> dict:
        """Return how far keys and values are off."""
        return {"keys": self.off(), "values": self.value_errors()}

    def said(self) -> dict[str, str]:
        """Say how far keys and values are off at most."""
        return {"keys": fixed(self.off().max()), "values": fixed(self.value_errors().max())}


def angles(keys: torch.Tensor) -> np.ndarray:
    """Return where each hand of head 0 points, (tokens, hands), in rad."""
    pairs = keys[0].unflatten(-1, (-1, 2))
    return torch.atan2(pairs[..., 1], pairs[..., 0]).numpy()
