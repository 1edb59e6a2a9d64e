"""What a configuration says about its hands, drawn and in words: one file for JupyterLab and for the site's page.

MicroPython runs this file in the page, so it imports `math`, `json` and the rules of `pe_helpers`, and nothing else.
"""

import json
import math

from pe_helpers import rope_reading

PARTS = ("thinker_config", "text_config", "llm_config", "language_config")  # of a model that does not read text alone
EVERYWHERE = ("mistral", "mixtral", "phi3", "phimoe", "starcoder2")  # their window holds in every layer
KEPT = ("rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved")  # without a scaling
LONGEST = 9  # powers of ten tokens that a picture is wide
HEIGHT = 210
GRID = "display: grid; gap: 0 32px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr))"
NEW = "stroke: var(--pe-cos, #d55e00)"


def read(text, length):
    """Return what each kind of layer does up to `length` tokens, or by which name the configuration is refused.

    Args:
        text: a config.json.
        length: tokens from the query to the farthest key.

    Returns:
        `{"refused": message}`, or `{"kinds": […]}` with, for each kind of layer, `kind`, `inv_freq` in radians per
        token, `factor` (the attention factor), `scores` (what scores are multiplied by), `trained` (tokens, or None),
        `window` (how many tokens these layers look back, or None), `first`: for each hand the distance from which on it
        meets angles that it did not meet in training, or None if there is none, `follows`: whether the speeds are those
        of this length alone, `still`: how many layers do not turn and are not among these, and `assumed`: what the
        configuration does not say, in words.
    """
    try:
        config = json.loads(text)
    except (ValueError, RuntimeError):  # RuntimeError: nested too deep
        rules = "double quotes, true, false and null, no comma before a closing bracket, few brackets in each other"
        return {"refused": f"the text must be JSON ({rules}), got {text[:60]!r}"}
    try:
        for part in PARTS:
            if isinstance(config, dict) and isinstance(config.get(part), dict):
                config = config[part]
        return {"kinds": _kinds(config, length)}
    except (TypeError, ValueError) as error:
        return {"refused": str(error)}


def _kinds(config, length):
    try:
        if isinstance(config, dict) and rope_reading.still(config):
            return [_kind(config, kind, length) for kind in ("full_attention", "sliding_attention")]
        found = [_kind(config, None, length)]
        if config.get("model_type") == "gemma2" and not config.get("layer_types"):
            config = dict(config, layer_types=["sliding_attention", "full_attention"])  # in turn
        listed = config.get("layer_types") or ()
        if "sliding_attention" in listed and _window(config, "sliding_attention"):
            kinds = [kind for kind in ("full_attention", "sliding_attention") if kind in listed]
            return [_kind(config, kind, length) for kind in kinds]
        return found
    except ValueError as error:
        if not str(error).startswith("layer_type must"):
            raise
        named = set(config.get("layer_types") or ())
        for name in ("rope_parameters", "rope_scaling"):
            named |= {key for key, value in (config.get(name) or {}).items() if isinstance(value, dict)}
        named = named or set(rope_reading.known_of(config).get("kinds", ()))
        if not named:
            raise
        return [_kind(config, kind, length) for kind in sorted(named)]


def _kind(config, kind, length):
    found = _read(config, kind, length)
    speeds, factor = found["inv_freq"], found["attention_factor"]
    before = _read(_unscaled(config), kind, length)["inv_freq"]
    trained = _trained(config, kind)
    window = _window(config, kind)
    if trained and window:
        trained = min(trained, window)
    first = [_first(now, before[hand], trained) for hand, now in enumerate(speeds)]
    return {
        "kind": kind,
        "inv_freq": speeds,
        "factor": factor,
        "scores": factor * factor * _louder(config, kind),
        "trained": trained,
        "window": window,
        "first": first,
        "follows": _rule(config, kind) in rope_reading.FOLLOW,
        "still": _still(config),
        "assumed": found["assumed"],
    }


def _window(config, kind):
    """Return how many tokens these layers look back, or None if they see the whole text."""
    model = config.get("model_type")
    if model == "llama4_text":
        return _length(config, "attention_chunk_size")
    if kind == "sliding_attention" or (kind is None and model in EVERYWHERE):
        if config.get("use_sliding_window") is False:
            return None
        both_sides = _length(config, "local_attention")  # ModernBERT
        return both_sides // 2 if both_sides else _length(config, "sliding_window")
    return None


def _louder(config, kind):
    """Return what DeepSeek's program and its heirs, where a part of a head turns, multiply scores by besides."""
    own = _own(config, kind)
    if config.get("qk_rope_head_dim") is None or _rule(config, kind) != "yarn":
        return 1
    times = 0.1 * (own.get("mscale_all_dim") or 0) * math.log(own.get("factor") or 1) + 1
    return times * times


def _still(config):
    """Return how many layers do not turn, where the configuration says how many there are."""
    if not (config.get("no_rope_layers") or _length(config, "num_hidden_layers")):
        return 0
    return (rope_reading.turning_layers(config) or []).count(False)


def _read(config, kind, length):
    """Return what is read of those layers of this kind that turn."""
    flags = rope_reading.turning_layers(config) if isinstance(config, dict) else None
    if flags:
        config = dict(config, no_rope_layers=[1] * len(flags))
    return rope_reading.speeds(config, layer_type=kind, seq_len=length, assume=True)


def _unscaled(config):
    """Return the configuration without what was done for longer texts."""
    plain = dict(config)
    for name in ("rope_parameters", "rope_scaling"):
        settings = plain.get(name) or {}
        if any(isinstance(value, dict) for value in settings.values()):
            plain[name] = {kind: _without(own) if isinstance(own, dict) else own for kind, own in settings.items()}
        elif settings:
            plain[name] = _without(settings)
    return plain


def _without(settings):
    if settings.get("rope_type") in ("proportional", "axial"):
        return settings
    return {key: settings[key] for key in KEPT if settings.get(key) is not None}


def _own(config, kind):
    """Return the rotary settings of a kind of layer."""
    settings = config.get("rope_parameters") or config.get("rope_scaling") or {}
    own = settings.get(kind)
    return own if isinstance(own, dict) else settings


def _rule(config, kind):
    """Return the name of the rule of a kind of layer, as it is called today."""
    own = _own(config, kind)
    name = own.get("rope_type", own.get("type"))
    return rope_reading.OLD_RULES.get(name, name)


def _trained(config, kind):
    """Return the length before slowing, or else, where nothing was slowed, the longest text that is allowed."""
    own = _own(config, kind)
    name = "original_max_position_embeddings"
    for each in (own, config):
        if each.get(name):
            return _length(each, name)
    slowed = _rule(config, kind) == "linear" and own.get("factor", 1) != 1
    return None if slowed else _length(config, "max_position_embeddings") or _length(config, "n_positions")


def _length(config, name):
    """Return a length in tokens, or None where there is none."""
    value = config.get(name) or None
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"{name} must be an int of at least 1 (tokens), got {value!r}")
    return value


def _first(now, before, trained):
    """Return from which distance on a hand meets new angles; a hand that came round in training has met them all."""
    if not trained or not now or trained * before >= 2 * math.pi:
        return None
    return round(trained * before / now, 6)  # as where it is not slowed, in spite of rounding


def words(kind, length):
    """Return in words how far the hands go, for texts of `length` tokens, and what was assumed."""
    said = _how_far(kind, length)
    return said + (
        f" Assumed, since the configuration does not say it: {'; '.join(kind['assumed'])}." if kind["assumed"] else ""
    )


def _how_far(kind, length):
    speeds = kind["inv_freq"]
    turning = [speed for speed in speeds if speed]
    said = f"{len(turning)} of {len(speeds)} hands turn"
    if not turning:
        return "No hand turns: these layers know no positions."
    said += f", the slowest once in {_tokens(2 * math.pi / min(turning) + 0.5)} tokens."
    if kind["still"]:
        said += f" {kind['still']} further layers do not turn at all."
    if kind["follows"]:
        said += f" The speeds follow the length of the text: these are those of {_tokens(length)} tokens."
    if kind["scores"] != 1:
        said += f" Scores are multiplied by {kind['scores']:.2f}."
    if not kind["trained"]:
        return (
            said
            + " The configuration does not say how long the training texts were, so which angles are new is not known."
        )
    known = [(first, hand) for hand, first in enumerate(kind["first"]) if first is not None]
    if not known:
        return said + f" All came round within {_tokens(kind['trained'])} tokens: no length brings a new angle."
    if _first_new(kind) is None:
        return said + f" These layers look {_tokens(kind['window'])} tokens back: no length brings a new angle."
    said += f" {len(known)} did not come round within {_tokens(kind['trained'])} tokens."
    first, hand = min(known)
    new = len(_new(kind, length))
    share = "none of them has" if not new else "one of them has" if new == 1 else f"{new} of them have"
    said += f" At {_tokens(length)} tokens {share} gone further than ever."
    return said + f" The first to go further is hand {hand}, past {_tokens(first)} tokens."


def _new(kind, length):
    """Return the hands that meet new angles within `length` tokens."""
    seen = min(length, kind["window"] or length)
    return [hand for hand, first in enumerate(kind["first"]) if first is not None and seen > first * (1 + 1e-9)]


def _first_new(kind):
    """Return from which length on some hand meets new angles, or None if no length brings one."""
    first = min([first for first in kind["first"] if first is not None] or [math.inf])
    return first if first < (kind["window"] or math.inf) else None


def compared(readings):
    """Return in words which of two readings meets new angles first; nothing if one cannot say."""
    if len(readings) != 2 or any("refused" in found or not _names_lengths(found) for found in readings):
        return ""
    firsts = [min([_first_new(kind) or math.inf for kind in found["kinds"]]) for found in readings]
    if firsts[0] == firsts[1]:
        return "neither is on new ground before the other."
    earlier = firsts.index(min(firsts)) + 1
    start = f"configuration {earlier} is on new ground first, past {_tokens(min(firsts))} tokens; the other "
    return start + ("never is." if max(firsts) == math.inf else f"is, past {_tokens(max(firsts))}.")


def _names_lengths(found):
    return all(kind["trained"] for kind in found["kinds"])


def html(texts, length):
    """Return a picture and words for each configuration, side by side, as HTML."""
    readings = [read(text, length) for text in texts]
    columns = []
    for number, found in enumerate(readings):
        name = f"Configuration {number + 1}"
        parts = []
        if "refused" in found:
            parts.append(f"<p><b>{name} is refused:</b> {_escaped(found['refused'])}.</p>")
        for kind in found.get("kinds", ()):
            title = name if kind["kind"] is None else f"{name}, {_escaped(kind['kind'])}"
            parts.append(f"<p><b>{title}</b></p>{_ladder(kind, length, title)}<p>{words(kind, length)}</p>")
        columns.append(f"<section>{''.join(parts)}</section>")
    said = compared(readings)
    comparison = f"<p><b>Side by side:</b> {said}</p>" if said else ""
    return f'<div style="{GRID}">{"".join(columns)}</div>{comparison}'


def _ladder(kind, length, title):
    """Draw each hand at the tokens that it needs for a turn; hollow, if it has gone further than ever."""

    def place(tokens):
        return 3 + 94 * min(max(math.log10(tokens), 0), LONGEST) / LONGEST  # per cent of the width

    def line(tokens, dashes, label, y, left):
        x = place(tokens)
        side = 'text-anchor="end" dx="-6"' if left(x) else 'dx="6"'
        mark = f'<line stroke="currentColor" {dashes} x1="{x:.2f}%" x2="{x:.2f}%" y1="4" y2="{HEIGHT - 26}"/>'
        return mark + f'<text x="{x:.2f}%" y="{y}" {side}>{label}</text>'

    marks = []
    for power, label in ((0, "1 token a turn"), (3, "1,000"), (6, "1 million"), (9, "1 billion")):
        x = place(10**power)
        anchor = "start" if power == 0 else "end" if power == LONGEST else "middle"
        marks.append(f'<text x="{x:.2f}%" y="{HEIGHT - 6}" text-anchor="{anchor}">{label}</text>')
    if kind["trained"]:
        marks.append(line(kind["trained"], 'stroke-dasharray="2 4"', "trained", HEIGHT - 34, lambda x: x > 20))
    marks.append(line(length, "", f"{_tokens(length)} tokens", 14, lambda x: x > 65))
    new = _new(kind, length)
    down = (HEIGHT - 60) / max(len(kind["inv_freq"]) - 1, 1)
    for hand, speed in enumerate(kind["inv_freq"]):
        if speed:
            look = f'fill="none" style="{NEW}" stroke-width="2"' if hand in new else 'stroke="none"'
            marks.append(f'<circle {look} cx="{place(2 * math.pi / speed):.2f}%" cy="{24 + hand * down:.1f}" r="3.5"/>')
    about = (
        f"{title}: a dot for each hand, the fastest on top, at the tokens that it needs for a turn; a line at "
        f"{_tokens(length)} tokens; {len(new)} hollow dots have gone further than in training"
    )
    start = f'<svg width="100%" height="{HEIGHT}" role="img" aria-label="{about}" fill="currentColor" font-size="12">'
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
