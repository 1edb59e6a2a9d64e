"""What was measured, in three sentences."""

from __future__ import annotations

from clockwork.kit.numbers import fixed

SAID = 0.01  # nats: what is less is not said to cost anything


def sentences(found: dict) -> list[str]:
    """Return three sentences: which hands it uses, what it does beyond its length, where its heads look and find."""
    done = found["parts"]
    name = found["model"]["name"]
    return [hands(name, done), beyond(name, done), sight(name, done)]


def hands(name: str, done: dict) -> str:
    """Say which bands of hands cost anything when they are stopped."""
    if "stopped" not in done:
        return f"Which hands {name} uses was not measured."
    part = done["stopped"]
    first, last = part["spans"][0], part["spans"][-1]
    wanted = [[band for band in part["bands"] if costs(band["rise"][at])] for at in (0, -1)]
    told = [listed([slowest(band) for band in bands]) for bands in wanted]
    random = part["random"]["rise"][-1]["mean"]
    most = max(part["bands"], key=lambda band: band["rise"][-1]["mean"])
    if first == last:
        return (
            f"In texts of {last[1]:,} tokens {name} loses by stopping {told[1]}; most by hands with up to "
            f"{turn(most)} tokens a turn, {fixed(most['rise'][-1]['mean'])} nats (as many at random: {fixed(random)})."
        )
    return (
        f"Within {first[1]:,} tokens {name} loses by stopping {told[0]}; from {last[0]:,} to {last[1]:,} tokens by "
        f"stopping {told[1]}, most by those with up to {turn(most)} tokens a turn: "
        f"{fixed(most['rise'][-1]['mean'])} nats "
        f"(as many hands at random: {fixed(random)})."
    )


def costs(rise: dict) -> bool:
    """Say whether a rise of the loss is one: its interval lies above 0, and it can be seen."""
    low = rise["mean"] if rise["low"] is None else rise["low"]
    return low > 0 and rise["mean"] > SAID


def slowest(band: dict) -> float:
    """Return the tokens that the slowest hand of a band needs for a turn, the most of all ladders."""
    return max(ends[1] for ends in band["tokens_per_turn"].values())


def turn(band: dict) -> str:
    """Return that number in words."""
    return f"{slowest(band):,.0f}"


def listed(turns: list[float]) -> str:
    """Say which bands, by the slowest hand of the last."""
    if not turns:
        return "none of its bands of hands"
    return f"{len(turns)} of its bands of hands, with up to {max(turns):,.0f} tokens a turn"


def beyond(name: str, done: dict) -> str:
    """Say what a gap does, beside what the configuration lets expect."""
    if "gap" not in done:
        return f"What {name} does beyond its length was not measured."
    part = done["gap"]
    trained = part["trained"]
    predicted = done.get("config", {}).get("predicted_to")
    expected = f"its hands let expect it up to {predicted:,}" if predicted else "its hands set no limit"
    usual = f"Trained on {trained:,} tokens ({expected}), {name}"
    if part["fails_at"] is None:
        return f"{usual} uses what stands before a gap, or is not hurt by it, up to {part['holds_to']:,} tokens."
    at = part["gaps"].index(part["fails_at"])
    cost = part["ways"]["as it is"]["rise"][at]["mean"]
    held = "" if part["holds_to"] is None else f" is not hurt by a gap of {part['holds_to']:,} tokens and"
    said = f"{usual}{held} does worse than without the text before it at {part['fails_at']:,}, by {fixed(cost)} nats"
    other = next(way for way in part["ways"] if way != "as it is")
    if "rise" in part["ways"][other]:
        said += f"; {other}: {fixed(part['ways'][other]['rise'][at]['mean'])}"
    return f"{said}."


def sight(name: str, done: dict) -> str:
    """Say what first tokens do, what needles are found, and what far tokens are worth."""
    said = []
    if "window" in done:
        none, one = done["window"]["rise"][:2]
        said.append(
            f"reading through a window costs {name} {fixed(none['mean'])} nats, and {fixed(one['mean'])} with the "
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
