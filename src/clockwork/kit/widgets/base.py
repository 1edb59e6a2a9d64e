"""What every widget is built on: Python computes, JavaScript draws and selects. `course.py lessons` keeps its stills.

How to build a view (clock.py and static/clock.js here are a complete example, as are the rooms' views):

1. `lessons/lesson_NN/views/<name>.py`: subclass `View` with `static = "<name>"` and
   - `needs = ("position", …)`: the cursor's sliders that the picture follows; they appear above it by themselves.
     A slider of the view's own is a class attribute: `hand = Slider(0, range(64), "hand")`; where the cursor has a
     slider of that name, the view follows the cursor's. `self.at("hand")` is the value either way.
   - `__init__(self, cursor, …)`: compute, once, all numbers that any position of the sliders can show and hand them
     over: `super().__init__(cursor, data=Data(scores=array, …))`. Arrays travel as 16-bit integers, so whole tables
     are cheap; several views may share one `Data`. (The hands need none: static/hands.js knows their one formula.)
   - `engine = "answers.js"`, optional: the view's JavaScript runs a small transformer, `engine.revived(kept)`, which
     Python runs in torch (kit/playground/kept.py).
   - `describe()`: one sentence, what the picture shows now, beginning with the sliders' values.
   - `numbers()`: the numbers drawn now, {name: array}, straight from the package in float64.
   - `said()`: the numbers that captions may show, {name: text}.
   - `caption`, the picture's message. Words may be tied to the picture: see words.py.
2. `<name>.js` beside it, a module: `export default view({ height, draw, build })`. What it imports, from static/ or the
   same folder, goes with it (kit/modules.py).
   - `height: (w, p) => …`: the picture's height in CSS pixels for a width of w = 300 … 1000. Where it is above 400 on a
     wide page, the picture is drawn as much narrower as brings it below.
   - `wide`, optional: the width from which its parts stand side by side; what the caption says of them: see words.py.
   - `draw(p)`: draw into `p.ctx`, a box of `p.w × p.h`. Read sliders and traits by `p.get("position")`, arrays by
     `p.data.scores.at(i, j)` or `.row(i)`, colours by `p.color.here, there, right, wrong, sin, cos, ink, soft, …`,
     which follow the theme and have one meaning each (kit/colors.toml). Helpers: `p.text, line, dot, axes, heat, hatch,
     layer, keys, strip, frame` (painter.js); `heat` takes the scale `weights`, `shares`, `signed` or `angle`.
     What can be grabbed, hovered or clicked is named while it is drawn:
     `p.grab("hand 3", { hit: (x, y) => distance, move: (x, y, begun) => p.set("position", …), says, lights })`; what
     fills a panel is `wide`, so that a finger can still scroll the page there. `p.lit("hand")` is the value that a
     pointer or a linked word anywhere lights now (grab.js, terms.js). Each drag and click moves a slider or a choice.
     Return `{ alt, numbers, said, reading, seen }`: the sentence of `describe()`, the numbers of `numbers()`, those of
     `said()`, and the line under the picture, a list of texts, `scrub("position")` and `term("hand", 3, "hand 3")`.
     `seen` is whether the picture now shows what its `idea` says.
     A test compares the others with Python's at every slider's ends.
     `p.recall("02/turn/position")` is what the reader's memory (static/memory.js, memory.py) holds under a key, or
     undefined. `p.remember(key, value)` keeps a JSON value across kernels and days: call it at rest, never in a drag.
     `p.answered("02/gap")` is whether the reader has answered a question, or has seen its answer by *Show me*.
     A number that a picture shows on its way from one state into the next is `p.ease(key, target)`.
   - `build(p)`, optional, once: add controls to `p.controls` (`p.button("label", act)`), change a trait by
     `p.set(name, value)`, then tell Python by `p.settle()`. `p.recalled(act)` calls
     `act()` whenever the memory has changed: by this page, another one, the kernel, or cleared.
   - `cycle`, optional, `[["tom", 2], …]`: sliders and values that the picture moves through once, when it first comes
     into view. Nothing moves where the reader has been before, has touched it, or wants no motion. It ends before the
     event that is to be guessed. An area of `p.grab` with `at: [x, y]` shows a ghost there until the first touch.
   - `tells`, optional, `{ missed: (p) => count }`: what a challenge may ask for that is no slider's; in Python,
     `values("missed")` lists all that it can be.
3. `<name>.css` beside it, optional, which `<name>.js` imports; class names begin with `pe-`, colours are
   `var(--pe-ink)` and so on (kit.css).
4. Export the class in `views/__init__.py` and add one to the gallery of tests/browser/test_every_view.py, which
   tries mouse, finger, sliders, Python's numbers and accessibility on each kind of view.

A picture that is guessed into (`views.WhoIsHurt(asks="00/hurt")` and its two files are an example):

- Python: `asks="02/gap"` names a question (questions.py). Until it is answered, `p.veiled()` is true, in Python
  `self.veiled`. Then `draw` leaves out the outcome and nothing else: `p.veil(x, y, w, h)` hatches a box of its shape,
  or `p.veil(path)` any Path2D. `alt`, `said` and `reading` do not tell either, nor does `describe()`: on paper, too, a
  picture that asks is as it is before the guess. The handles work all the time.
- A question with `place = true` is guessed on the picture: `p.guess((value) => [x, y])` says where each of its numbers,
  or each of its choices by name, lies now. The kit does the rest: the mark, its keys and its words for a screen reader,
  the buttons, and what is kept. It returns what has been guessed, or undefined.
- `seen` is then whether the picture shows the outcome: the explanation waits for it, or for *Show me*.
- A question without `place` is asked by a card of the page, `widgets.ask("02/gap")`, and the picture only waits for it.
- Drawn figures and printed results are veiled by kit/veil.py.

Every view also takes `steps`, a guided tour, and `challenges`, which tick when they are reached (guide.py).
"""

import html

import traitlets
from ipywidgets import widget_serialization
from traitlets import TraitError

from clockwork.kit import plots
from clockwork.kit.widgets import questions
from clockwork.kit.widgets.cursor import USUAL, Cursor
from clockwork.kit.widgets.widget import Slider, Widget
from clockwork.kit.widgets.words import halves, inline, untied


class View(Widget):
    """A picture that follows a `Cursor`; see the module's text for how to make one.

    Args:
        cursor: The sliders that the picture shares with others. Without it the picture gets its own, and
            `Clock(position=22)` says where they start.
        steps: The `Step`s of a guided tour through the picture.
        challenges: `Challenge`s that tick when the reader reaches them.
        caption: What stands under the picture, by default the view's own sentence; beyond 25 words it is folded.
        todo: One line above the picture that says what to do. Below it stand two controls, by default the first two,
            or those named by `main`; the others are folded.
        idea: One sentence, what the picture shows. It appears once `draw` has returned `seen`.
        remember: The name under which the sliders' states and the ticks are kept, for example "02/turn".
        asks: The key of the question that veils the outcome until it is answered, for example "00/hurt".

    Raises:
        TraitError: The cursor lacks a slider that the view follows, or has one that is also given here.
    """

    needs: tuple[str, ...] = ()
    caption = "The sliders move this picture where the lesson runs."
    todo = ""
    idea = ""
    main: tuple[str, ...] = ()

    cursor = traitlets.Instance(Widget, allow_none=True).tag(sync=True, **widget_serialization)
    data = traitlets.Instance(Widget, allow_none=True).tag(sync=True, **widget_serialization)
    follows = traitlets.List(help="The cursor's sliders that are shown above the picture.").tag(sync=True)
    caption_html = traitlets.Unicode(help="The caption's first 25 words, with their ties.").tag(sync=True)
    rest_html = traitlets.Unicode(help="The rest of the caption, which is folded.").tag(sync=True)
    todo_html = traitlets.Unicode(help="The line that says what to do, with its ties.").tag(sync=True)
    idea_html = traitlets.Unicode(help="What the picture shows, with its ties.").tag(sync=True)
    main_controls = traitlets.List(help="The sliders that are not folded below the picture.").tag(sync=True)
    tour = traitlets.List(help="The steps of the guided tour.").tag(sync=True)
    goals = traitlets.List(help="The challenges, each with the states that reach it.").tag(sync=True)
    remember = traitlets.Unicode(help="The name under which states are kept.").tag(sync=True)
    question = traitlets.Dict(help="The question that veils the outcome, as questions.py writes it.").tag(sync=True)

    def __init__(
        self, cursor: Widget | None = None, *, steps=(), challenges=(), caption="", todo="", idea="", asks="", **traits
    ):
        if cursor is None and self.needs:
            cursor = self.own_cursor(traits)
        for name in self.needs:
            cursor.values(name)
        names = cursor.sliders if cursor else {}
        for name in traits.keys() & names.keys():
            raise TraitError(f"{name} must be set on the cursor (it has that slider), got {traits[name]!r}")
        shared = [name for name in names if isinstance(self.traits().get(name), Slider)]
        super().__init__(cursor=cursor, follows=[*self.needs, *shared], **traits)
        self.caption = caption or self.caption
        first, more = halves(self.caption)
        self.caption_html = inline(first)
        self.rest_html = inline(more)
        self.todo = todo or self.todo
        self.todo_html = inline(self.todo)
        self.idea = idea or self.idea
        self.idea_html = inline(self.idea)
        self.main_controls = list(self.main or [*self.follows, *self.sliders])
        self.question = questions.found(asks) if asks else {}
        for name, value in self.question.get("shows", {}).items():
            if value not in self.home(name).values(name):
                raise TraitError(
                    f"{name} must be a value of its slider ({asks} shows the outcome by it), got {value!r}"
                )
        self.tour = [step.spec(self) for step in steps]
        self.goals = [challenge.spec(self) for challenge in challenges]

    @property
    def veiled(self) -> bool:
        """Say whether the outcome is left out on paper: there a picture that asks is as before the guess."""
        return bool(self.question)

    def own_cursor(self, traits: dict) -> Widget:
        """Return a cursor with the sliders that the view needs, at the values that it finds in `traits`."""
        if not set(self.needs) <= USUAL.keys():
            raise TraitError(f"cursor must be a Cursor with the sliders {', '.join(self.needs)}, got None")
        return Cursor(**{name: traits.pop(name, USUAL[name]().default_value) for name in self.needs})

    def home(self, name: str) -> Widget:
        """Return whose slider `name` is: the cursor's, or the view's own."""
        return self.cursor if self.cursor and name in self.cursor.sliders else self

    def at(self, name: str):
        """Return the value of the slider `name`, the cursor's or the view's own."""
        return getattr(self.home(name), name)

    def describe(self) -> str:
        """Say in one sentence what the picture shows now."""
        return f"{type(self).__name__} at " + ", ".join(f"{name} {self.at(name)}" for name in self.needs)

    def numbers(self) -> dict:
        """Return the numbers that the picture draws now, by name."""
        return {}

    def said(self) -> dict[str, str]:
        """Return the numbers that a caption can show, as texts by name."""
        return {}

    def _repr_mimebundle_(self, **keywords):
        live, metadata = super()._repr_mimebundle_(**keywords)
        names = [*self.sliders, *(self.cursor.sliders if self.cursor else {})]
        caption = untied(self.caption, {name: self.at(name) for name in names} | self.said())
        alt = self.describe()
        place = f'<p data-still="{self.model_id}">{html.escape(alt, quote=False)}</p>'  # for tools/stills.py
        page = plots.framed(place, inline(caption))
        if self.question.get("place"):
            page += questions.on_paper(self.question)
        page += folded(self.idea_html) + listed(self.tour, "ol") + listed(self.goals, "ul")
        return live | {"text/html": page, "text/plain": f"Figure: {alt}"}, metadata


def folded(idea: str) -> str:
    """Return what a picture shows, folded below it, as HTML for paper and for pages where nothing moves."""
    return f"<details><summary>What does it show?</summary><p>{idea}</p></details>" if idea else ""


def listed(parts: list[dict], kind: str) -> str:
    """Return steps or challenges as an HTML list for paper."""
    items = "".join(f"<li>{part['words']}</li>" for part in parts)
    return f"<{kind}>{items}</{kind}>" if items else ""
