"""Models that learn *3 back* in the page, one after another; their losses stay in the picture."""

from math import log

import traitlets

from clockwork.kit.widgets.base import Slider, View

STEPS = 200
SETTINGS = {  # as in the lesson's own run; the browser draws other numbers at random
    "task": "three back",
    "scale": 1,
    "base": 10_000,
    "causal": False,
    "layers": 2,
    "heads": 4,
    "d": 32,
    "length": 32,
    "rate": 0.01,
    "steps": STEPS,
    "vocab": 16,
}
CODES = {"the sinusoid": "sinusoid", "a random table": "random", "no code": "none"}


class LearnHere(View):
    """Train the lesson's small transformer in the page, from one seed after another."""

    engine = "learning.js"
    static = "learn_here"
    todo = "Train it here, from one seed after another, and watch the loss. Then train another code."
    idea = "First a plateau, then a fast fall. When it comes differs from seed to seed, and from code to code."
    caption = (
        "The loss of each training, in nats per answer, as it happens. A dashed line marks the loss of guessing. "
        "Earlier trainings stay, thin, each from other first weights. The rows of the random table are as long as the "
        "sinusoid's, and nothing trains them."
    )

    code = Slider("the sinusoid", tuple(CODES), "added to each token")
    settings = traitlets.Dict(help="What is trained.").tag(sync=True)

    def __init__(self, **traits):
        super().__init__(settings=SETTINGS, **traits)

    def describe(self):
        """Say what is about to be trained."""
        return f"Added to each token: {self.code}. Nothing has been trained yet; guessing costs {guessing():.2f} nats."


def guessing() -> float:
    """Return the loss of a model that guesses, in nats."""
    return log(SETTINGS["vocab"])
