"""When a goal of lesson 11 is reached; here because a rule in the page would tell where to go."""

from clockwork.kit import pretrained

LITTLE = 0.1  # nats


def nothing_turns(first: int, count: int) -> bool:
    """All of 32 hands are stopped."""
    return first == 0 and count >= 32


def no_harm_at_20_000(gap: int, method: str) -> bool:
    """A remedy with which neither text's loss is clearly above that of its second half alone, at 20,000 tokens."""
    return gap == 20_000 and all(_change(gap, method, text) < LITTLE for text in ("alice", "course"))


def _change(gap: int, method: str, text: str) -> float:
    """Return by how much a loss after a gap is above that of the second half alone."""
    results = pretrained.results()
    return results["gaps"][method][text][pretrained.GAPS.index(gap)] - results["gaps"]["alone"][text]
