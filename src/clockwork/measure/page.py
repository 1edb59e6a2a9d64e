"""One page that shows what was measured: the course's moving pictures, in a single file that needs no network."""

from __future__ import annotations

import base64
import html
import json
import math
from pathlib import Path

from clockwork.kit import modules
from clockwork.kit.widgets import widget
from clockwork.kit.widgets.base import View
from clockwork.measure import views

HERE = Path(__file__).parent
UNREAD = ("layout", "tabbable", "tooltip")
TURN = 2 * math.pi


def page(found: dict) -> str:
    """Return the page of one measured model, as HTML."""
    shown = pictures(found)
    entries = dict.fromkeys(entry_of(picture) for _, _, picture in shown)
    needed = list(dict.fromkeys(path for entry in entries for path in modules.modules(entry)))
    styles = dict.fromkeys(style for entry in entries for style in modules.styles(entry))
    code = ",\n".join(f"{modules.named(path, widget.ROOT)}: {modules.apart(path, widget.ROOT)}" for path in needed)
    css = widget.themes(":root", '[data-theme="dark"]') + "".join(path.read_text("utf-8") for path in styles)
    models = {}
    parts = []
    for place, (title, words, picture) in enumerate(shown):
        models |= models_of(picture, f"w{place}")
        about = f"<p>{html.escape(words)}</p>" if words else ""
        parts.append(f'<section><h2>{html.escape(title)}</h2>{about}<div data-widget="w{place}"></div></section>')
    fields = {
        "title": html.escape(f"How {found['model']['name']} uses its positions"),
        "about": html.escape(about_line(found)),
        "sentences": "".join(f"<li>{html.escape(sentence)}</li>" for sentence in found["sentences"]),
        "missing": missing(found),
        "pictures": "\n".join(parts),
        "css": css,
        "models": embedded(models),
        "measured": embedded(found),
        "modules": f"window.clockworkModules = {{\n{code}\n}};".replace("</script", "<\\/script"),
    }
    text = (HERE / "page.html").read_text("utf-8")
    pieces = text.split("@@")  # between two marks stands a name
    return "".join(fields[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def embedded(value) -> str:
    """Return JSON as it can stand in a script of a page."""
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")


def entry_of(picture: View) -> Path:
    """Return the file of a picture's JavaScript."""
    return widget.ROOT / picture._esm.split("\n", 1)[0].removeprefix("// ").split(" ")[0]


def models_of(picture: View, name: str) -> dict:
    """Return what the page needs of a picture and of its data, by name."""
    found = {}
    for key, model in ((name, picture), (f"{name}-data", picture.data)):
        state = {
            trait: value
            for trait, value in model.get_state().items()
            if not trait.startswith("_") and trait not in UNREAD
        }
        buffer = state.pop("buffer", None)
        if model is picture:
            state |= {"data": f"IPY_MODEL_{name}-data", "module": entry_of(picture).relative_to(widget.ROOT).as_posix()}
        found[key] = {"state": state, "buffer": base64.b64encode(buffer).decode() if buffer is not None else ""}
    return found


def about_line(found: dict) -> str:
    """Say what was measured on what."""
    model = found["model"]
    texts = ", ".join(f"{name} ({tokens:,} tokens)" for name, tokens in found["tokens"].items())
    return (
        f"{model['model_type']}, {model['parameters'] / 1e6:,.0f} million parameters, in {model['dtype']} on "
        f"{model['device']}. Texts: {texts}, read at lengths up to {found['lengths'][-1]:,}."
    )


def missing(found: dict) -> str:
    """List what was not measured, and why."""
    if not found["missing"]:
        return ""
    rows = "".join(
        f"<li>{html.escape(name.replace('_', ' '))}: {html.escape(why)}</li>" for name, why in found["missing"].items()
    )
    return f"<h2>Not measured</h2><ul>{rows}</ul>"


def pictures(found: dict) -> list[tuple[str, str, View]]:
    """Return (title, words, picture) of all that was measured, in the page's order."""
    done = found["parts"]
    makers = {
        "stopped": stopped,
        "config": ladder,
        "gap": gap,
        "by_position": by_position,
        "hidden": hidden,
        "window": window,
        "needle": needle,
        "heads": heads,
    }
    return [
        (title, words, picture) for name, make in makers.items() if name in done for title, words, picture in make(done)
    ]


def span(ends: list[int]) -> str:
    """Return a part of a text in words."""
    return f"tokens {ends[0]:,} to {ends[1]:,}"


def stopped(done: dict):
    """Yield the cost of each band of hands, by length."""
    part = done["stopped"]
    names = []
    for band in part["bands"]:
        (ladder, ends), *_ = band["hands"].items()
        slow, fast = band["tokens_per_turn"][ladder][1], band["tokens_per_turn"][ladder][0]
        names.append(f"hands {ends[0]} to {ends[1]} ({fast:,.0f} to {slow:,.0f} tokens a turn)")
    rows = {span(ends): [band["rise"][at] for band in part["bands"]] for at, ends in enumerate(part["spans"])}
    yield (
        "Which hands it uses, and at which length",
        "One band of neighbouring hands stands still, all others turn: how much worse is each part of a long text?",
        views.bars(
            rows,
            names,
            control=("as many at random", part["random"]["rise"]),
            label="part of the text",
            hands=True,
            todo="Choose a part of the text: further back, slower hands are needed.",
            caption="Bars: the rise of the loss, with its 95 % interval. Dashed: as many hands stopped at random.",
        ),
    )


def ladder(done: dict):
    """Yield the hands of the configuration: how far each turned in training."""
    part = done["config"]
    rows = {}
    for name, one in part["ladders"].items():
        turns = [math.log10(value) for value in one["turns_in_training"]]
        kind = f"turns, {name.split(' ')[1]}" if " " in name else "turns"
        rows[kind] = [{"mean": value, "low": None, "high": None} for value in turns]
    most = max(map(len, rows.values()))
    rows = {name: row + row[-1:] * (most - len(row)) for name, row in rows.items()}
    first = next(iter(part["ladders"].values()))
    pairs = zip(first["speeds"], first["turns_in_training"], strict=True)
    places = [
        f"hand {i}: {TURN / speed:,.0f} tokens a turn, {turns:,.3g} in training"
        for i, (speed, turns) in enumerate(pairs)
    ]
    places += [f"hand {i}" for i in range(len(places), most)]
    predicted = part["predicted_to"]
    expected = f"so its hands should hold to {predicted:,}" if predicted else "so no hand sets a limit"
    yield (
        "What its configuration promises",
        f"Texts of training: {part['trained']:,} tokens; scaling: {part['scaling']}; {expected}.",
        views.curves(
            rows,
            list(range(most)),
            places,
            label="hand",
            xlabel="hand, from the fastest",
            ylabel="turns within a text of training, as a power of ten",
            level=[0, "one turn: below it, angles are left that it never met"],
            todo="Drag along the hands: where do they stay below one turn?",
            caption="A hand that came round in training has met every angle. The others meet new ones beyond that.",
        ),
    )


def gap(done: dict):
    """Yield the loss behind a gap."""
    part = done["gap"]
    rows = {way: one["rise"] for way, one in part["ways"].items() if "rise" in one}
    marks = [[part["trained"], f"trained to {part['trained']:,}"]]
    predicted = done.get("config", {}).get("predicted_to")
    if predicted and predicted != part["trained"]:
        marks.append([predicted, f"expected to {predicted:,}"])
    moved = part["moved"]["rise"]["mean"]
    yield (
        "What it does beyond its length",
        f"The second half of a text stands so many tokens later. Moving the whole text by {part['moved']['by']:,} "
        f"changes its loss by {moved:+.3f}: what counts is the distance.",
        views.curves(
            rows,
            part["gaps"],
            [f"gap of {each:,} tokens" for each in part["gaps"]],
            label="gap",
            xlabel="gap (tokens)",
            ylabel="loss behind the gap (nats), against that half alone",
            marks=marks,
            level=[0, "the second half alone"],
            todo="Drag to the right: the gap grows.",
            caption="Below 0, the text before the gap helps; above, it harms. Lines up and down: 95 % intervals.",
        ),
    )


def by_position(done: dict):
    """Yield the loss along a text."""
    part = done["by_position"]
    at = [(start + end) / 2 for start, end in part["spans"]]
    yield (
        "What a longer text is worth",
        "The loss along a text, and that of the same tokens with only the 128 to 255 before them.",
        views.curves(
            {"in the text": part["loss"], "the same tokens, read alone": part["alone"]},
            at,
            [span(ends) for ends in part["spans"]],
            label="place",
            xlabel="place in the text (tokens)",
            ylabel="loss (nats a token)",
            todo="Drag along the text: where do the curves part?",
            caption="Where both rise, the text is harder there. Their distance is what the earlier text is worth.",
        ),
    )


def hidden(done: dict):
    """Yield the cost of hiding far tokens."""
    part = done["hidden"]
    yield (
        "Far tokens hidden, or left",
        f"Queries in {span(part['span'])} see the first token and the last {part['near']} alone, or all; the slower "
        "half of the hands turns, or stands.",
        views.bars(
            {span(part["span"]): list(part["rise"].values())},
            list(part["rise"]),
            todo="Compare: if slow hands serve far tokens, stopping them costs little once these are hidden.",
            caption="The rise of the loss against the model as it is. Control: as many hands at random.",
        ),
    )


def window(done: dict):
    """Yield what first tokens are worth when a window moves."""
    part = done["window"]
    names = [f"first {count} kept" if count else "none kept" for count in part["kept"]]
    yield (
        "The first tokens, when a window moves",
        f"A text of {part['tokens']:,} tokens, of which a query sees {part['window']} in all.",
        views.bars(
            {"second half of the text": part["rise"]},
            names,
            control=(f"{part['kept'][-1]} others kept", [part["others"]]),
            todo="How much of the loss does the first token alone take back?",
            caption="The rise of the loss against the whole text in view. Dashed: four tokens from the middle instead.",
        ),
    )


def needle(done: dict):
    """Yield how often a needle is found."""
    part = done["needle"]
    others = max(part["control"]["right"])
    yield (
        "A needle, by depth and length",
        "“The secret number of Amsterdam is 48291.” stands in the text, and its end asks for it: the share of "
        f"{part['needles']} such numbers that are found. Where the text says another number, at most {others:.0%} are.",
        views.table(
            {"share found": part["right"]},
            [f"{length:,}" for length in part["lengths"]],
            [f"{depth:.0%}" for depth in part["depths"]],
            xlabel="depth of the needle: 0% is the beginning",
            ylabel="tokens",
            todo="Read along a row: where does the needle get lost?",
            caption="Each cell is the share of needles of which all digits were the likeliest ones.",
        ),
    )


def heads(done: dict):
    """Yield where each head looks, by offset."""
    part = done["heads"]
    pages = {}
    for at, offset in enumerate(part["offsets"]):
        words = {"first token": offset, "0": "itself"}.get(offset, f"{offset} back")
        pages[words] = [[head[at] for head in layer] for layer in part["share"]]
    count = len(part["share"][0])
    most, where, shuffled = max(
        (part["share"][i][j][2], (i, j), part["shuffled"][i][j][2])
        for i in range(len(part["share"]))
        for j in range(count)
    )
    yield (
        "Where each head looks",
        f"Largest share on the token before: layer {where[0]}, head {where[1]}, {most:.0%}; with the same tokens in "
        f"random order {shuffled:.0%}: what stays goes by offset, not by word.",
        views.table(
            pages,
            [f"{layer}" for layer in range(len(part["share"]))],
            [f"{head}" for head in range(count)],
            label="offset",
            shown=2,
            scale="weights",
            xlabel="head",
            ylabel="layer",
            todo="Move through the offsets: heads light up where they look.",
            caption=f"The mean share of weight, over queries of {part['windows']} windows of {part['tokens']} tokens.",
        ),
    )
