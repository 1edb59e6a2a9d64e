"""The stake: a small model reads *tom bit a dog*, and what it answers hangs on the clock under *tom*."""

import numpy as np
import torch
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.playground import kept
from clockwork.kit.widgets.base import Slider, View

SENTENCE = ("tom", "bit", "a", "dog")
PLACES = [round(0.1 * place, 1) for place in range(61)]  # tokens: where tom is put
ASKED = ("dog", "tom")


class WhoIsHurt(View):
    """Let a trained model answer *who is hurt?* while *tom* is dragged along the sentence, with his clock or without.

    The model without clocks is another one, trained on the same sentences with no code for positions.
    """

    static = "who_is_hurt"
    engine = "answers.js"
    tom = Slider(0.0, PLACES, "where tom stands (position)")
    clocks = Slider("on", ("on", "off"), "clocks")
    todo = "Drag *tom* along the line. His clock turns with him."
    caption = (
        "A model of one layer, trained on sentences like this one. Four hands of each clock are drawn, each in its own "
        "colour: the longer and darker, the faster it turns."
    )

    models = traitlets.List(help="The model with clocks and the one without, as a page needs them.").tag(sync=True)

    def __init__(self, cursor=None, **keywords):
        recorded = kept.load()["who is hurt"]
        models = [recorded, recorded["no clocks"] | {"words": recorded["words"]}]
        self.in_torch = {name: kept.in_torch(model) for name, model in zip(("on", "off"), models, strict=True)}
        self.words = recorded["words"]
        super().__init__(cursor, models=[kept.for_a_page(model) for model in models], **keywords)

    @torch.no_grad()
    def shares(self) -> np.ndarray:
        """Return the probability of each word of the vocabulary as the answer, (words,)."""
        tokens = torch.tensor([self.words.index(word) for word in SENTENCE])
        logits = self.in_torch[self.clocks](tokens, torch.tensor([self.tom, 1.0, 2.0, 3.0]))
        return logits.mean(0).softmax(-1).numpy()

    @property
    def covered(self) -> bool:
        """Say whether the answer is veiled: everywhere but at the start, where the lesson tells it."""
        return self.veiled and (self.tom > 0 or self.clocks == "off")

    def numbers(self) -> dict:
        """Return the shares of the two names in the answer, where it is not veiled."""
        if self.covered:
            return {}
        shares = self.shares()
        return {"shares": [shares[self.words.index(word)] for word in ASKED]}

    def said(self):
        """Say the two shares."""
        return {} if self.covered else dict(zip(ASKED, map(fixed, self.numbers()["shares"]), strict=True))

    def describe(self) -> str:
        """Say where tom stands and what the model answers."""
        where = f"tom at {fixed(self.tom, 1)}, clocks {self.clocks}"
        if self.covered:
            return f"{where}: what the model answers is hidden until you have guessed"
        dog, tom = self.numbers()["shares"]
        answer = "dog" if dog >= tom else "tom"
        return f"{where}: the model answers {answer}; dog has {fixed(dog)} of the answer, tom {fixed(tom)}"
