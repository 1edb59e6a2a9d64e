"""A few marks for words inside widgets, where no formula typesetter reaches: `code`, **bold**, *italic*, $ω_i^2$,
[a thread](https://…).

Three more tie a word to the picture (static/terms.js): `[[hand 3|hand=3]]` lights hand 3 and `[[the hand|hand]]` the
chosen one; `[[scrub position]]` is the slider's number, to be scrubbed; `[[show angle]]` is a number that the picture
computes.

`{Left}` is *Left* where the parts of a picture stand side by side, and *Above* where they stand one below the other, as
on a phone (`wide` of its view); BELOW has the other words.
"""

import html
import re
import unicodedata

SIGNS = {
    "cdot": "·",
    "times": "×",
    "le": "≤",
    "ge": "≥",
    "neq": "≠",
    "approx": "≈",
    "sqrt": "√",
    "infty": "∞",
    "to": "→",
    "sum": "Σ",
}
UPRIGHT = ("sin", "cos", "log", "exp")


CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^]]+)\]\((https://[\w./#?=%-]+)\)")
TERM = re.compile(r"\[\[(?:(scrub|show) (\w+)|([^|\]]+)\|(\w+)(?:=([^\]]+))?)\]\]")


BELOW = {"Left": "Above", "Right": "Below", "on the right": "below", "in the middle": "below"}
SENTENCE = re.compile(r"(?<=[.!?]) (?=[^a-z])")
BESIDE = re.compile(r"\{(" + "|".join(BELOW) + r")\}")


def inline(text: str) -> str:
    """Return `text` as safe HTML.

    Raises:
        ValueError: a link to a page of the course: a widget does not know where its own page lies.
    """
    if "](" in LINK.sub("", CODE.sub("", text)):
        raise ValueError(f"text must link to nothing but https:// (a widget knows no folder), got {text!r}")
    safe = BESIDE.sub(beside, html.escape(text, quote=False))
    safe = TERM.sub(term, safe)
    codes = iter(CODE.findall(safe))
    return re.sub("\0", lambda _: f"<code>{next(codes)}</code>", marked(CODE.sub("\0", safe)))


def marked(safe: str) -> str:
    """Return safe HTML with its formulas, bold and italic words marked as such."""
    safe = re.sub(r"\$([^$]+)\$", lambda found: formula(found[1]), safe)
    safe = LINK.sub(r'<a href="\2" target="_blank" rel="noopener">\1</a>', safe)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*([^\s*]|[^\s*][^*]*[^\s*])\*", r"<em>\1</em>", safe)


def halves(text: str, most: int = 25) -> tuple[str, str]:
    """Return a text's first sentences, of at most `most` words unless the first is longer, and the rest."""
    first, *others = SENTENCE.split(text)
    while others and len(f"{first} {others[0]}".split()) <= most:
        first += f" {others.pop(0)}"
    return first, " ".join(others)


def term(found: re.Match) -> str:
    """Return the tie of a word or a number to the picture as HTML."""
    kind, number, word, name, value = found.groups()
    if kind:
        return f'<span data-{kind}="{number}"></span>'
    value = "" if value is None else f' data-value="{html.escape(value)}"'
    return f'<span data-term="{name}"{value}>{word}</span>'


def beside(found: re.Match) -> str:
    """Return a word that says where a part stands, and the one for a picture whose parts stand below each other."""
    return f'<span class="pe-beside">{found[1]}</span><span class="pe-below">{BELOW[found[1]]}</span>'


def untied(text: str, numbers: dict) -> str:
    """Return `text` for paper: words stay without their ties, and numbers take the value they have in `numbers`."""
    text = BESIDE.sub(r"\1", text)
    return TERM.sub(lambda found: str(numbers[found[2]]) if found[1] else found[3], text)


def plain(page: str) -> str:
    """Return the words of a line of HTML."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def formula(text: str) -> str:
    """Return a short formula as HTML: Greek letters, a few signs and functions, sub- and superscripts.

    Raises:
        ValueError: a command of TeX that is none of these.
    """
    text = text.replace(r"\,", "\u2009")
    text = re.sub(r"\\([A-Za-z]+)\s*", lambda found: sign(found[1]), text)
    if "\\" in text:
        raise ValueError(f"formula must use no sign after a backslash (only \\, is drawn), got {text!r}")
    text = text.replace("-", "−").replace("*", "∗")
    text = re.sub(r"_(?:\{([^}]*)\}|(\w))", r"<sub>\1\2</sub>", text)
    text = re.sub(r"\^(?:\{([^}]*)\}|(\w|−\w))", r"<sup>\1\2</sup>", text)
    return f"<i>{text}</i>"


def sign(name: str) -> str:
    """Return the character of a TeX name, or the function's name set upright."""
    if name in SIGNS:
        return SIGNS[name]
    if name in UPRIGHT:
        return f"</i>{name}\u2009<i>"
    try:
        return unicodedata.lookup(f"GREEK {'SMALL' if name.islower() else 'CAPITAL'} LETTER {name.upper()}")
    except KeyError:
        known = ", ".join([*SIGNS, *UPRIGHT])
        raise ValueError(f"formula must use Greek letters, {known} (no other command is drawn), got \\{name}") from None
