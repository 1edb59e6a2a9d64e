"""Questions of five formats, kept in a file a lesson, so that a notebook holds no answer above its question.

`ask("02/still-hands")` shows the question `[still-hands]` of `lessons/lesson_02/questions.toml`. In every question
`ask` is the text; optional are `because` (shown with the answer), `section` (the heading to read again), `lesson`
(where that heading stands, by default the file's), `decided` or `undecided` (what the lesson's run says, for the tests:
tools/decided.py) and `predict = true`: the first guess, right or wrong, shows the answer and opens the veil. Without it
the reader tries until it is right. The format follows from what else the question has:

- number: `answer`, `range = [low, high]`, and optionally `unit`, `step`, `scale = "log"`, `within` (how far off still
  counts as right; a factor on a log scale), `solution` (what is told in place of one number, where several are right),
  `wrong = [[value, "feedback"], …]`.
- either a number or a choice with `place = true`: it is guessed on the picture itself (`asks` of a view, base.py), with
  a mark that is dragged, clicked or moved by arrow keys. A number may have `right = [low, high]` in place of `answer`
  and `within`, and `says = "position {}"` where its unit does not stand behind it. `then` is what to do next, so that
  the hand brings the outcome about; `shows = {slider = value}` is a state that shows it, for *Show me*. `because` waits
  until the outcome has been seen. The answer is kept with its unit and the right interval.
- choice: `answer`, the name of one of `[….choices]`: `name = ["text", "feedback"]` (a prediction's may lack feedback).
- either of them with `draws = [{name = value, …}, …]`: each try takes the next draw. Its numbers and words take the
  place of their names in braces, in the texts and in `answer = "{name}"`.
- order: `[….steps]` in the right order: `name = ["text", "feedback where this step comes too early"]`.
- match: `[….pairs]`: `name = ["left", "right", "feedback where it is matched wrongly"]`, and optionally
  `others = ["a right side without a left one"]`.
- label: as match, with `formula = "sin( {p} · {base}^{power} )"`, where `{name}` is a pair's left side.

A lesson's file begins with its title, its exercises and, as `side_paths`, which of its questions and exercises stand on
the page of its side paths.

Names are short and lasting: a text may be mended without losing what readers answered. A question that another lesson
asks now stands in that lesson's file under its old key, `["04/which-part"]`. Texts may use the marks of words.py.
"""

import difflib
import random
import re
import tomllib
from decimal import Decimal
from importlib.resources import files

import traitlets

from clockwork.kit.widgets.widget import Widget
from clockwork.kit.widgets.words import formula, inline, plain

ROOMS = files("clockwork.lessons")
ROOM = re.compile(r"lesson_(\w+)")
NAMED = {"core": "05b"}  # a lesson's name in its questions' keys, where it is not its room's number
SHARED = {"ask", "because", "predict", "section", "lesson", "decided", "undecided", "place", "then", "shows"}
FORMATS = {  # what marks a question as being of a format, and what it may hold besides
    "choice": ("choices", {"answer", "choices", "draws"}),
    "order": ("steps", {"steps"}),
    "label": ("formula", {"formula", "pairs", "others"}),
    "match": ("pairs", {"pairs", "others"}),
    "number": (
        "range",
        {"answer", "range", "unit", "step", "scale", "within", "right", "says", "solution", "wrong", "draws"},
    ),
}


class Questions(Widget):
    """Questions below one another, each with its feedback; what is answered is remembered (memory.py).

    Args:
        questions: What `question` returns, one for each.
        summary: Whether to say, once all are answered, which lessons to read again, and to ask again what was missed.
    """

    static = "questions"

    questions = traitlets.List().tag(sync=True)
    summary = traitlets.Dict(help="the lessons' titles, where a summary is shown").tag(sync=True)

    def _repr_mimebundle_(self, **keywords):
        live, metadata = super()._repr_mimebundle_(**keywords)
        page = "".join(map(on_paper, self.questions))
        words = "\n".join(plain(one["ask"]) for one in self.questions)
        return live | {"text/html": page, "text/plain": words}, metadata


def ask(*keys: str, summary: bool = False) -> Questions:
    """Show the questions that `keys` name.

    Args:
        keys: Each a lesson and a name, such as "02/still-hands".
        summary: Whether to say, once all are answered, which lessons to read again, and to ask again what was missed.

    Raises:
        ValueError: There is no such question, or it cannot be asked as it is written.

    Example:
        >>> from clockwork.kit import widgets
        >>> widgets.ask("02/still-hands")  # doctest: +SKIP
    """
    asked = list(map(found, keys))
    titles = {one["lesson"]: title(one["lesson"]) for one in asked} if summary else {}
    return Questions(questions=asked, summary=titles)


def found(key: str) -> dict:
    """Return the question that `key` names as JavaScript reads it; refuse a key that names none."""
    lesson, _, name = key.partition("/")
    known = tables(lesson)
    table = known.get(name) or moved(key)
    if table is None:
        near = difflib.get_close_matches(name, known, 3, 0) or list(known)
        raise ValueError(f"key must be a question of lesson {lesson} (such as {', '.join(near)}), got {key!r}")
    return question(key, table)


def lessons() -> list[str]:
    """List the lessons that have questions."""
    rooms = filter(None, (ROOM.fullmatch(room.name) for room in ROOMS.iterdir()))
    numbers = [found[1] for found in rooms if file_of(found[1]).is_file()]
    names = {number: name for name, number in NAMED.items()}
    return sorted(names.get(number, number) for number in numbers)


def file_of(lesson: str):
    """Return the place of a lesson's questions, whether or not there is such a file."""
    return ROOMS / f"lesson_{NAMED.get(lesson, lesson)}" / "questions.toml"


def lesson_file(lesson: str) -> dict:
    """Return all that a lesson's file holds: its title, its exercises, what these practise, and its questions."""
    if lesson not in lessons():
        raise ValueError(f"lesson must be one of {', '.join(lessons())} (they have a file), got {lesson!r}")
    return tomllib.loads(file_of(lesson).read_text("utf-8"))


def title(lesson: str) -> str:
    """Return a lesson's title, or nothing where the lesson has no file."""
    return lesson_file(lesson).get("title", "") if lesson in lessons() else ""


def tables(lesson: str) -> dict[str, dict]:
    """Return a lesson's questions by name, in the file's order."""
    return {name: table for name, table in lesson_file(lesson).items() if isinstance(table, dict)}


def key_of(lesson: str, name: str) -> str:
    """Return the key of a question by its name in a lesson's file: a question that moved there keeps its old key."""
    return name if "/" in name else f"{lesson}/{name}"


def moved(key: str) -> dict | None:
    """Return a question that stands in another lesson's file than its key says, with that lesson."""
    for lesson in lessons():
        if key in (held := tables(lesson)):
            return {"lesson": lesson} | held[key]
    return None


def question(key: str, table: dict) -> dict:
    """Return a question as JavaScript reads it, its texts as HTML; refuse one that cannot be answered."""
    if "draws" in table:
        return drawn(key, table)
    kind = next((kind for kind, (mark, _) in FORMATS.items() if mark in table), None)
    need(key, kind, f"must have one of {', '.join(mark for mark, _ in FORMATS.values())} (its format)", list(table))
    unknown = set(table) - SHARED - FORMATS[kind][1]
    need(key, not unknown, f"must hold nothing but what a {kind} question has", sorted(unknown))
    need(key, table.get("ask", "").strip(), "must ask something", table.get("ask"))
    placed = table.get("place", False)
    need(key, not placed or kind in ("number", "choice"), "must be a number or a choice to be guessed at a place", kind)
    shared = {"key": key, "kind": kind, "predict": placed or table.get("predict", False)}
    if placed:
        shared |= {"place": True, "then": inline(table.get("then", "")), "shows": table.get("shows", {})}
    shared |= {"lesson": table.get("lesson", key.partition("/")[0]), "section": table.get("section", "")}
    shared |= {"ask": inline(table["ask"]), "because": inline(table.get("because", ""))}
    parse = {"choice": choice, "order": order, "label": label, "match": match, "number": number}[kind]
    return shared | parse(key, table)


def drawn(key: str, table: dict) -> dict:
    """Return a question that is asked with other numbers at each try: as its first draw has it, and all `draws`."""
    asked = {name: value for name, value in table.items() if name != "draws"}
    fits = ("range" in asked or "choices" in asked) and len(table["draws"]) >= 2
    need(key, fits, "must ask for a number or a choice and have two draws or more", table)
    draws = [question(key, filled(asked, numbers)) for numbers in table["draws"]]
    return draws[0] | {"draws": draws}


def filled(part, numbers: dict):
    """Put a draw's values into a question in the place of their names in braces: "{p}" alone is the value itself."""
    if isinstance(part, dict):
        return {name: filled(value, numbers) for name, value in part.items()}
    if isinstance(part, list):
        return [filled(value, numbers) for value in part]
    if not isinstance(part, str):
        return part
    for name, number in numbers.items():
        if part == f"{{{name}}}":
            return number
        part = part.replace(f"{{{name}}}", number if isinstance(number, str) else f"{number}".replace("-", "−"))
    return part


def need(key: str, met: object, rule: str, got: object) -> None:
    """Raise an error that names the question unless `met`."""
    if not met:
        raise ValueError(f"{key} {rule}, got {got!r}")


def rows(key: str, table: dict, width: int) -> list[list[str]]:
    """Return the named texts of a table as lists that begin with the name, the texts as HTML."""
    need(key, len(table) >= 2, "must offer two or more", list(table))
    for name, texts in table.items():
        whole = isinstance(texts, list) and len(texts) == width and all(text.strip() for text in texts)
        need(key, whole, f"must have {width} texts for {name!r}, the last its feedback", texts)
    return [[name, *map(inline, texts)] for name, texts in table.items()]


def number(key: str, table: dict) -> dict:
    """Read a question for a number."""
    low, high = table["range"]
    answer = table.get("answer")
    if "right" in table:
        need(key, answer is None, "must have an answer or the interval of right ones, not both", answer)
        answer = sum(table["right"]) / 2
    log = table.get("scale") == "log"
    need(key, low < high and (low > 0 or not log), "must span a range (above 0 on a log scale)", table["range"])
    inside = isinstance(answer, (int, float)) and low <= answer <= high
    need(key, inside, f"must have an answer from {low} to {high} (its range)", answer)
    whole = all(float(value).is_integer() for value in (low, high, answer))
    step = table.get("step", 1 if whole else (high - low) / 100)
    digits = max(0, -Decimal(str(step)).normalize().as_tuple().exponent)
    if "right" in table:
        right = table["right"]
        need(key, low <= right[0] <= right[1] <= high, "must have right answers from low to high in its range", right)
    elif log:
        factor = table.get("within", 1.25)
        right = [answer / factor, answer * factor]
    else:
        within = table.get("within", 0.05 * (high - low))
        right = [answer - within, answer + within]
    wrong = [[value, inline(text)] for value, text in table.get("wrong", [])]
    taken = [value for value, _ in wrong if right[0] <= value <= right[1]]
    need(key, not taken, f"must count no wrong number as right (from {right[0]:g} to {right[1]:g}: see within)", taken)
    unit = table.get("unit", "")
    scale = {"low": low, "high": high, "step": step, "digits": digits, "log": log, "unit": unit}
    if table.get("place"):
        scale["says"] = table.get("says", f"{{}} {unit}".strip())
    solution = table.get("solution", measured(scale, *right) if "right" in table else "")
    return {"answer": answer, "right": right, "wrong": wrong, "scale": scale, "solution": solution}


def choice(key: str, table: dict) -> dict:
    """Read a question for one of several choices."""
    choices = table["choices"]
    if table.get("predict") or table.get("place"):  # the reason is enough: feedback for each choice is welcome
        items = [[name, inline(text), inline("".join(why))] for name, (text, *why) in choices.items()]
    else:
        items = rows(key, choices, 2)
    need(
        key, table.get("answer") in table["choices"], "must have one of its choices as its answer", table.get("answer")
    )
    return {"answer": table["answer"], "items": items}


def order(key: str, table: dict) -> dict:
    """Read a question for an order; it is asked shuffled, always the same way."""
    items = rows(key, table["steps"], 2)
    return {"items": items, "start": shuffled(key, [name for name, *_ in items])}


def match(key: str, table: dict) -> dict:
    """Read a question for pairs."""
    items = rows(key, table["pairs"], 3)
    bank = [[name, right] for name, _, right, _ in items]
    bank += [[f"other {place}", inline(text)] for place, text in enumerate(table.get("others", []))]
    return {"items": items, "bank": shuffled(key, bank)}


def label(key: str, table: dict) -> dict:
    """Read a question for the meaning of a formula's parts."""
    names = list(table.get("pairs", ()))
    places = list(re.finditer(rf"([\^_]?)\{{({'|'.join(names)})\}}", table["formula"]))
    need(key, [found[2] for found in places] == names, "must name its pairs in the formula's order", names)
    page = ""
    start = 0
    for place, found in enumerate(places, start=1):
        page += formula(table["formula"][start : found.start()])
        part = f'<span class="pe-part" data-place="{place}">{inline(table["pairs"][found[2]][0])}</span>'
        tag = {"^": "sup", "_": "sub"}.get(found[1])
        page += f"<{tag}>{part}</{tag}>" if tag else part
        start = found.end()
    return match(key, table) | {"formula": page + formula(table["formula"][start:])}


def shuffled(key: str, items: list) -> list:
    """Return the items in an order that depends on the key alone and is not the one given."""
    chance = random.Random(key)
    mixed = list(items)
    while mixed == items:
        chance.shuffle(mixed)
    return mixed


def on_paper(one: dict) -> str:
    """Return a question as it stands on paper, its answer folded away."""
    return f'<div style="max-width:62em"><p>{one["ask"]}</p>{still(one)}</div>'


def still(one: dict) -> str:
    """Return what stands under a question on paper: what can be chosen, and the answer folded away."""
    kind = one["kind"]
    if kind == "choice":
        shown = listed([text for _, text, _ in one["items"]])
        marks = {name: "✓" if name == one["answer"] else "✗" for name, *_ in one["items"]}
        answer = listed([f"{marks[name]} <strong>{text}</strong> {why}" for name, text, why in one["items"]])
    elif kind == "order":
        texts = {name: text for name, text, _ in one["items"]}
        shown = listed([texts[name] for name in one["start"]])
        answer = listed(list(texts.values()), "ol")
    elif kind == "number":
        shown = ""
        answer = f"<p><strong>{amount(one)}</strong></p>"
    else:
        shown = f"<p>{one['formula']}</p>" if kind == "label" else ""
        shown += listed([left for _, left, _, _ in one["items"]]) + listed([text for _, text in one["bank"]])
        answer = listed([f"{left}: {right}" for _, left, right, _ in one["items"]])
    because = f"<p>{one['because']}</p>" if one["because"] else ""
    return f"{shown}<details><summary>Guess first, then open</summary>{answer}{because}</details>"


def amount(one: dict) -> str:
    """Return a number question's answer with its unit."""
    if one["solution"]:
        return one["solution"]
    return measured(one["scale"], one["answer"])


def measured(scale: dict, *numbers: float) -> str:
    """Return a number with its unit, or the two ends of an interval."""
    said = " to ".join(f"{number:,.{scale['digits']}f}" for number in sorted(set(numbers)))
    return scale.get("says", f"{{}} {scale['unit']}".strip()).replace("{}", said).replace("-", "−")


def listed(pages: list[str], tag: str = "ul") -> str:
    """Return lines of HTML as a list."""
    return f"<{tag}>{''.join(f'<li>{page}</li>' for page in pages)}</{tag}>"
