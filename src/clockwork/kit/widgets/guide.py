"""What leads a reader through a picture: the steps of a tour, and challenges that tick when they are reached."""

import inspect
import itertools

from traitlets import TraitError

from clockwork.kit.widgets.words import inline


class Step:
    """One step of a guided tour: a text, and the values that the sliders take on when it is entered.

    `Step("At position 0 every hand points to 12.", position=0)`. Words may be tied to the picture: see words.py.
    """

    def __init__(self, text: str, **state):
        self.text = text
        self.state = state

    def spec(self, view) -> dict:
        """Describe the step to JavaScript."""
        for name, value in self.state.items():
            values = view.home(name).values(name)
            if value not in values:
                raise TraitError(f"{name} must be a value of its slider (the step sets it), got {value!r}")
        return {"words": inline(self.text), "state": self.state}


class Challenge:
    """A state that the reader is asked to find; it ticks when the sliders are there.

    `Challenge("Find an offset k with K(k) > K(k − 1).", lambda k, d_model: kernel(k, d_model) > …)`. The rule's
    parameters are names of sliders, or of what the view tells of the reader's own input (base.py); it is evaluated once
    for every combination of their values.
    """

    def __init__(self, text: str, rule):
        self.text = text
        self.rule = rule

    def spec(self, view) -> dict:
        """Describe the challenge to JavaScript: the sliders, and the states that reach it."""
        names = list(inspect.signature(self.rule).parameters)
        states = itertools.product(*(view.home(name).values(name) for name in names))
        reached = [list(state) for state in states if self.rule(*state)]
        if not reached:
            raise TraitError(f"rule must be true somewhere (the challenge can be met), got none for {self.text!r}")
        return {"words": inline(self.text), "names": names, "reached": reached}
