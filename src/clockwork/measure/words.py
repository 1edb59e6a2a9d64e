"""What was measured, in three sentences."""

from __future__ import annotations

from clockwork.kit.numbers import fixed

SAID = 0.02  # nats: what is less is not said to cost anything


def sentences(found: dict) -> list[str]:
    """Return three sentences: which hands it uses, what it does beyond its length, where its heads look and find."""
    done = found["parts"]
    name = found["model"]["name"]
    return [hands(name, done), beyond(name, done), sight(name, done)]


def hands(name: str, done: dict) -> str:
    """Say which hands cost anything when their band is stopped, near and far."""
    if "stopped" not in done:
        return f"Which hands {name} uses was not measured."
    part = done["stopped"]
    told = []
    for at in dict.fromkeys((0, len(part["spans"]) - 1)):
        start, end = part["spans"][at]
        needed = [slowest(band) for band in part["bands"] if costs(band["rise"][at])]
        which = f"of up to {max(needed):,.0f} tokens a turn" if needed else "of no band"
        told.append(f"{which} from token {start:,} to {end:,}")
    most = max(part["bands"], key=lambda band: band["rise"][-1]["mean"])
    return (
        f"{name} needs hands {', and '.join(told)}; stopping those of up to {slowest(most):,.0f} costs most there: "
        f"{fixed(most['rise'][-1]['mean'])} nats (as many at random: {fixed(part['random']['rise'][-1]['mean'])})."
    )


def costs(rise: dict) -> bool:
    """Say whether a rise of the loss is one: its interval lies above 0, and it can be seen."""
    low = rise["mean"] if rise["low"] is None else rise["low"]
    return low > 0 and rise["mean"] > SAID


def slowest(band: dict) -> float:
    """Return the tokens that the slowest hand of a band needs for a turn, the most of all ladders."""
    return max(ends[1] for ends in band["tokens_per_turn"].values())


def beyond(name: str, done: dict) -> str:
    """Say what a gap does, beside what the configuration lets expect."""
    if "gap" not in done:
        return f"What {name} does beyond its length was not measured."
    part = done["gap"]
    trained = part["trained"]
    predicted = done.get("config", {}).get("predicted_to")
    expected = f"by its hands expected to hold to {predicted:,}" if predicted else "with no limit set by its hands"
    usual = f"Trained on texts of {trained:,} tokens, and {expected},"
    if part["fails_at"] is None:
        return f"{usual} it is not hurt by any gap that was tried, up to {part['holds_to']:,} tokens."
    at = part["gaps"].index(part["fails_at"])
    cost = part["ways"]["as it is"]["rise"][at]["mean"]
    held = "it" if part["holds_to"] is None else f"it is not hurt by a gap of {part['holds_to']:,} tokens; it"
    rises = [row["mean"] for row in part["ways"]["as it is"]["rise"]]
    worst = max(rises)
    further = f", and most at {part['gaps'][rises.index(worst)]:,}, by {fixed(worst)}" if worst > cost else ""
    other = next(way for way in part["ways"] if way != "as it is")
    row = part["ways"][other].get("rise")
    beside = f" ({other}: {fixed(row[rises.index(worst)]['mean'])})" if row else ""
    return (
        f"{usual} {held} does worse at {part['fails_at']:,} than without the text before the gap, by {fixed(cost)} "
        f"nats{further}{beside}."
    )


def sight(name: str, done: dict) -> str:
    """Say what first tokens do, what needles are found, and what far tokens are worth."""
    said = []
    if "window" in done:
        none, one = done["window"]["rise"][:2]
        said.append(
            f"reading through a window costs it {fixed(none['mean'])} nats, and {fixed(one['mean'])} with the "
            "first token kept in view"
        )
    if "hidden" in done:
        rise = done["hidden"]["rise"]["hidden"]["mean"]
        said.append(f"tokens farther than {done['hidden']['near']} are worth {fixed(rise)} nats to it")
    if "needle" in done:
        part = done["needle"]
        right = part["right"][-1]
        said.append(
            f"a number hidden in {part['lengths'][-1]:,} tokens is found in {sum(right) / len(right):.0%} of our tries"
        )
    if not said:
        return f"What {name} sees was not measured."
    whole = "; ".join(said)
    return f"{whole[0].upper()}{whole[1:]}."
