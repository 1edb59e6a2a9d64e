"""The two small widgets of every lesson: a guess that the reader records, and a question whose answers teach.

Both leave a `<details>` behind that works where no widget can be shown. Words may use the marks of words.py.
"""

import traitlets
from traitlets import TraitError

from pe_helpers.widgets.base import Kit
from pe_helpers.widgets.words import inline, plain


class Question(Kit):
    """What `Predict` and `Choose` share."""

    question = traitlets.Unicode().tag(sync=True)
    choices = traitlets.List(help="Pairs of a choice and its HTML.").tag(sync=True)

    def _repr_mimebundle_(self, **keywords):
        live, _ = super()._repr_mimebundle_(**keywords)
        page = f'<div style="max-width:62em"><p>{self.question}</p>{self.still()}</div>'
        return live | {"text/html": page, "text/plain": plain(self.question)}, {}

    def still(self) -> str:
        """Return what stands under the question on paper."""
        return ""


class Predict(Question):
    """Ask for a guess before the answer is seen; then show both side by side, without a grade.

    `Predict("Which is larger?", choices=["K(3)", "K(5)"], answer="K(5)", because="…")` asks for a choice,
    `Predict("How many hands finish a turn?", answer=58, low=0, high=256, unit="hands", because="…")` for a number.
    The trait `guess` is None until the reader commits to one.

    Args:
        question: What is asked.
        answer: What is true: one of `choices`, or a number.
        choices: The choices; without them the guess is a number.
        low: Least number of the slider.
        high: Largest number of the slider.
        step: Step of the slider, by default a hundredth of its range, or 1 where that is a whole number.
        unit: The number's unit.
        because: One or two sentences shown with the answer.

    Raises:
        TraitError: The answer is none of the choices, or lies outside of low … high; a guess likewise.
    """

    static = "questions"

    answer = traitlets.Any().tag(sync=True)
    guess = traitlets.Any(None, allow_none=True).tag(sync=True)
    because = traitlets.Unicode().tag(sync=True)
    scale = traitlets.Dict(help="low, high, step and unit of a number").tag(sync=True)

    def __init__(self, question, *, answer, choices=(), low=None, high=None, step=None, unit="", because=""):
        scale = {}
        if not choices:
            if low is None or high is None or not low < high:
                raise TraitError(f"low and high must span a range (a number is asked), got {low!r} and {high!r}")
            whole = all(float(number).is_integer() for number in (low, high, answer))
            scale = {"low": low, "high": high, "step": step or (1 if whole else (high - low) / 100), "unit": unit}
            answer = answer.item() if hasattr(answer, "item") else answer
        super().__init__(question=inline(question), because=inline(because), choices=pairs(choices), scale=scale)
        self.answer = self.allowed("answer", answer)

    def allowed(self, name: str, value):
        """Return `value` if the reader could choose it."""
        if self.choices:
            names = [choice for choice, _ in self.choices]
            if value in names:
                return value
            raise TraitError(f"{name} must be one of {', '.join(map(repr, names))} (the choices), got {value!r}")
        low, high = self.scale["low"], self.scale["high"]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise TraitError(f"{name} must be a number from {low} to {high} (the slider's range), got {value!r}")

    @traitlets.validate("guess")
    def _guess(self, proposal):
        return None if proposal["value"] is None else self.allowed("guess", proposal["value"])

    def still(self):
        """List the choices, and fold the answer away."""
        listed = f"<ul>{''.join(f'<li>{label}</li>' for _, label in self.choices)}</ul>" if self.choices else ""
        answer = dict(self.choices).get(self.answer) if self.choices else f"{self.answer:g} {self.scale['unit']}"
        summary = "<summary>Guess first, then open</summary>"
        return f"{listed}<details>{summary}<p><strong>{answer}</strong>. {self.because}</p></details>"


class Choose(Question):
    """Ask a question whose every choice has its own feedback, a wrong one's naming the misconception behind it.

    `Choose("Why … ?", {"because …": "Yes: …", "since …": "That would be so if …"}, correct="because …")`.
    The trait `chosen` is what the reader chose last, or None.

    Raises:
        TraitError: Fewer than two choices, a choice without feedback, or a correct one that is none of them.
    """

    static = "questions"

    feedback = traitlets.Dict().tag(sync=True)
    correct = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, question: str, choices: dict[str, str], *, correct: str):
        if len(choices) < 2 or not all(text.strip() for text in choices.values()):
            raise TraitError(f"choices must be two or more, each with feedback (it teaches), got {choices!r}")
        if correct not in choices:
            raise TraitError(f"correct must be one of {', '.join(map(repr, choices))} (the choices), got {correct!r}")
        feedback = {choice: inline(text) for choice, text in choices.items()}
        super().__init__(question=inline(question), choices=pairs(choices), feedback=feedback, correct=correct)

    @traitlets.validate("chosen")
    def _chosen(self, proposal):
        if proposal["value"] is None or proposal["value"] in self.feedback:
            return proposal["value"]
        names = ", ".join(map(repr, self.feedback))
        raise TraitError(f"chosen must be one of {names} (the choices), got {proposal['value']!r}")

    def still(self):
        """Fold the feedback of each choice under it."""
        page = "<details><summary>{}</summary><p>{} {}</p></details>"
        marks = {choice: "✓" if choice == self.correct else "✗" for choice in self.feedback}
        return "".join(page.format(label, marks[choice], self.feedback[choice]) for choice, label in self.choices)


def pairs(choices) -> list[list[str]]:
    """Return each choice beside its HTML."""
    return [[choice, inline(choice)] for choice in choices]
