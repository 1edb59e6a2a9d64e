"""What a configuration says about its hands, drawn and in words: one file for JupyterLab and for the site's page.

MicroPython runs this file in the page, so it imports `math`, `json` and the rules of `pe_helpers`, and nothing else.
"""

import json
import math

from pe_helpers import rope_rules

KEPT = ("rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved")  # without a scaling
WIDTH = 640
LONGEST = 9  # powers of ten tokens that a picture is wide


def read(text, length):
    """Return what each kind of layer does up to `length` tokens, or by which name the configuration is refused.

    Args:
        text: a config.json.
        length: tokens from the query to the farthest key.

    Returns:
        `{"refused": message}`, or `{"kinds": […]}` with, for each kind of layer, `kind`, `inv_freq` in radians per
        token, `factor` (the attention factor), `trained` (tokens, or None) and `first`: for each hand the distance from
        which on it meets angles that it did not meet in training, or None if there is none.
    """
    try:
        config = json.loads(text)
    except ValueError:
        return {"refused": "the text must be JSON, as a config.json is"}
    try:
        if isinstance(config, dict) and isinstance(config.get("text_config"), dict):
            config = config["text_config"]
        return {"kinds": _kinds(config)}
    except (TypeError, ValueError) as error:
        return {"refused": str(error)}


def _kinds(config):
    try:
        return [_kind(config, None)]
    except ValueError as error:
        if not str(error).startswith("layer_type must"):
            raise
        named = set(config.get("layer_types") or ())
        for name in ("rope_parameters", "rope_scaling"):
            named |= {key for key, value in (config.get(name) or {}).items() if isinstance(value, dict)}
        named = named or set(rope_rules.MODELS.get(config.get("model_type"), {}).get("kinds", ()))
        if not named:
            raise
        return [_kind(config, kind) for kind in sorted(named)]


def _kind(config, kind):
    speeds, factor = _speeds(config, kind)
    before, _ = _speeds(_unscaled(config), kind)
    trained = _trained(config, kind)
    first = [_first(now, before[hand], trained) for hand, now in enumerate(speeds)]
    return {"kind": kind, "inv_freq": speeds, "factor": factor, "trained": trained, "first": first}


def _speeds(config, kind):
    try:
        return rope_rules.speeds(config, layer_type=kind)
    except ValueError as error:
        if "rotary_axes" not in str(error):
            raise
        speeds, _, factor = rope_rules.speeds_of_axes(config, layer_type=kind)
        return speeds, factor


def _unscaled(config):
    """Return the configuration without what was done for longer texts."""
    plain = dict(config)
    for name in ("rope_parameters", "rope_scaling"):
        settings = plain.get(name) or {}
        if any(isinstance(value, dict) for value in settings.values()):
            plain[name] = {kind: own if own is None else _without(own) for kind, own in settings.items()}
        elif settings:
            plain[name] = _without(settings)
    return plain


def _without(settings):
    if settings.get("rope_type") in ("proportional", "axial"):
        return settings
    return {key: settings[key] for key in KEPT if settings.get(key) is not None}


def _trained(config, kind):
    """Return the length before slowing, or else the longest text that the configuration allows."""
    settings = config.get("rope_parameters") or config.get("rope_scaling") or {}
    own = settings.get(kind)
    name = "original_max_position_embeddings"
    for each in (own if isinstance(own, dict) else settings, config):
        if each.get(name):
            return each[name]
    return config.get("max_position_embeddings")


def _first(now, before, trained):
    """Return from which distance on a hand meets new angles; a hand that came round in training has met them all."""
    if not trained or not now or trained * before >= 2 * math.pi:
        return None
    return trained * before / now


def words(kind, length):
    """Return in words what breaks first, for texts of `length` tokens."""
    speeds = kind["inv_freq"]
    turning = [speed for speed in speeds if speed]
    said = f"{len(turning)} of {len(speeds)} hands turn"
    if not turning:
        return "No hand turns: these layers know no positions."
    said += f", the slowest once in {_tokens(2 * math.pi / min(turning))} tokens."
    if kind["factor"] != 1:
        said += f" Scores are multiplied by {kind['factor'] ** 2:.2f}."
    if not kind["trained"]:
        return said + " The configuration names no length, so nobody can say which angles are new."
    known = [(first, hand) for hand, first in enumerate(kind["first"]) if first is not None]
    if not known:
        return said + f" All came round within {_tokens(kind['trained'])} tokens: no length brings a new angle."
    said += f" {len(known)} did not come round within {_tokens(kind['trained'])} tokens."
    first, hand = min(known)
    new = len(_new(kind, length))
    share = "none of them has" if not new else "one of them has" if new == 1 else f"{new} of them have"
    said += f" At {_tokens(length)} tokens {share} gone further than ever."
    return said + f" What breaks first is hand {hand}, past {_tokens(first)} tokens."


def _new(kind, length):
    """Return the hands that meet new angles within `length` tokens."""
    return [hand for hand, first in enumerate(kind["first"]) if first is not None and length > first * (1 + 1e-9)]


def html(texts, length):
    """Return a picture and words for each configuration, as HTML."""
    parts = []
    for number, text in enumerate(texts):
        name = f"Configuration {number + 1}"
        found = read(text, length)
        if "refused" in found:
            parts.append(f'<p class="pe-refused"><b>{name} is refused:</b> {_escaped(found["refused"])}.</p>')
            continue
        for kind in found["kinds"]:
            title = name if kind["kind"] is None else f"{name}, {_escaped(kind['kind'])}"
            parts.append(f"<h3>{title}</h3>{_ladder(kind, length, title)}<p>{words(kind, length)}</p>")
    return "".join(parts)


def _ladder(kind, length, title):
    """Draw each hand at the tokens that it needs for a turn; hollow, if it has gone further than ever."""

    def place(tokens):
        return 10 + (WIDTH - 20) * min(max(math.log10(tokens), 0), LONGEST) / LONGEST

    marks = []
    for power in range(0, LONGEST + 1, 3):
        x = place(10**power)
        anchor = "start" if power == 0 else "end" if power == LONGEST else "middle"
        label = ("1 token a turn", "1,000", "1 million", "1 billion")[power // 3]
        marks.append(f'<text x="{x:.1f}" y="62" text-anchor="{anchor}">{label}</text>')
    x = place(length)
    marks.append(f'<line stroke="currentColor" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="46"/>')
    for hand, speed in enumerate(kind["inv_freq"]):
        if speed:
            look = 'fill="none"' if hand in _new(kind, length) else 'fill="currentColor"'
            marks.append(f'<circle {look} stroke="currentColor" cx="{place(2 * math.pi / speed):.1f}" cy="25" r="5"/>')
    about = f"{title}: each hand at the tokens that it needs for a turn; a line at {_tokens(length)} tokens"
    start = f'<svg viewBox="0 0 {WIDTH} 70" role="img" aria-label="{about}" fill="currentColor" font-size="12">'
    return start + "".join(marks) + "</svg>"


def _tokens(number):
    """Return a number of tokens, rounded down, with commas."""
    digits = str(int(number))
    groups = []
    while digits:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    return ",".join(groups)


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
