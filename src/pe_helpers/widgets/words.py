"""A few marks for words inside widgets, where no formula typesetter reaches: `code`, **bold**, *italic*, $ω_i^2$."""

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
}


def inline(text: str) -> str:
    """Return `text` as safe HTML."""
    safe = html.escape(text, quote=False)
    safe = re.sub(r"\$([^$]+)\$", lambda found: formula(found[1]), safe)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*(\S(?:.*?\S)?)\*", r"<em>\1</em>", safe)


def plain(page: str) -> str:
    """Return the words of a line of HTML."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def formula(text: str) -> str:
    """Return a short formula as HTML: Greek letters, a few signs, sub- and superscripts."""
    text = re.sub(r"\\([A-Za-z]+)\s*", lambda found: sign(found[1]), text)
    text = text.replace("-", "−").replace("*", "∗")
    text = re.sub(r"_(?:\{([^}]*)\}|(\w))", r"<sub>\1\2</sub>", text)
    text = re.sub(r"\^(?:\{([^}]*)\}|(\w|−\w))", r"<sup>\1\2</sup>", text)
    return f"<i>{text}</i>"


def sign(name: str) -> str:
    """Return the character of a TeX name, or the name itself where there is none."""
    if name in SIGNS:
        return SIGNS[name]
    try:
        return unicodedata.lookup(f"GREEK {'SMALL' if name.islower() else 'CAPITAL'} LETTER {name.upper()}")
    except KeyError:
        return name
