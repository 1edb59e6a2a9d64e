"""The checks of lesson 07's exercises: read one falling head, a peak by the second door, what a model is blind to."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit.checks.answers import CheckFailed, array, exercise, function, given, number, result
from clockwork.lessons.lesson_07 import plain_checks
from pe_helpers import attention

PLACES = 200  # tokens in the text on which a peak is tried
MOST_NUMBERS = 4  # appended to each query and key
ENOUGH = 0.95  # of the weight
BLINDNESS = ("order", "mirrors", "nothing")

digits = exercise(plain_checks.digits)


@exercise
def peak(extra: Callable[[Tensor], object]) -> str:
    """Check `extra(position_ids)`: numbers for queries and keys that make a head look three back, without any words."""
    function(extra, "extra(position_ids)")
    position_ids = torch.arange(PLACES, dtype=torch.float64)
    pair = result(extra(position_ids))
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise CheckFailed("extra(position_ids) must return two tensors: what the queries get, and what the keys get")
    for_queries, for_keys = (_columns(part, name) for part, name in zip(pair, ("queries", "keys"), strict=True))
    if for_queries.shape != for_keys.shape:
        raise CheckFailed(
            f"queries and keys must get equally many numbers (their product is the score), got {for_queries.shape[1]} "
            f"and {for_keys.shape[1]}"
        )
    later = torch.ones(PLACES, PLACES, dtype=torch.bool).triu(1)
    scores = for_queries @ for_keys.T
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    on_three = weights.diagonal(-3)
    if on_three.min() >= ENOUGH:
        return f"at least {on_three.min():.3f} on three back, from every position: a peak came in by the second door"
    p = int(on_three.argmin()) + 3
    best = int(weights[p].argmax())
    told = f"from position {p}, three back gets {on_three.min():.3f} of the weight"
    if best == p - 3:
        raise CheckFailed(f"{told}: the peak is in the right place, so make it steeper")
    if best == p:
        raise CheckFailed(f"{told}, and the query itself gets the most: does your score depend on p − q − 3?")
    if best == 0:
        raise CheckFailed(f"{told}, and the first key gets the most: is a sign the wrong way round?")
    raise CheckFailed(f"{told}, and key {best}, {p - best} back, gets the most")


def _columns(part: object, name: str) -> Tensor:
    values = array(part, name=f"what the {name} get")
    if values.ndim == 1 and len(values) == PLACES:
        values = values[:, None]
    if values.ndim != 2 or len(values) != PLACES:
        raise CheckFailed(
            f"what the {name} get must have a row for each of {PLACES} positions, got {tuple(values.shape)}"
        )
    if values.shape[1] > MOST_NUMBERS:
        raise CheckFailed(f"at most {MOST_NUMBERS} numbers may be appended (two are enough), got {values.shape[1]}")
    return values


@exercise
def blindness(blind_to: Callable[[torch.nn.Module, Tensor], object]) -> str:
    """Check `blind_to(model, tokens)`, which says whether a model cannot see "order", "mirrors", or sees both."""
    function(blind_to, "blind_to(model, tokens)")
    for name, model, right in _patients():
        draw = torch.Generator().manual_seed(71)
        for _ in range(3):
            tokens = torch.randint(16, (12,), generator=draw)
            answer = given(result(blind_to(model, tokens)))
            if answer not in BLINDNESS:
                raise CheckFailed(f"blind_to must return one of {', '.join(map(repr, BLINDNESS))}, got {answer!r:.40}")
            if answer == right:
                continue
            raise CheckFailed(f"{name}: {answer!r} is wrong; {_why(answer, right, 'always' in name)}")
    return "bag readers, mirror readers and a model that always says A: your test tells them apart"


def _why(answer: str, right: str, constant: bool) -> str:
    if constant:
        return "it always says A, but its logits change with the order: compare logits, not answers"
    if right == "order" and answer == "mirrors":
        return "every order of the tokens gives it the same mean logits, not only the mirrored one"
    if right == "order":
        return "every order of the tokens gives it the same mean logits, up to rounding: how large a difference counts?"
    if right == "mirrors" and answer == "order":
        return "the mirrored text is only one of all orders: try another one as well"
    if right == "mirrors":
        return "the text and its mirror image have the same mean logits, up to rounding: how large a difference counts?"
    return "its mean logits change with the order, and in the mirror: are you comparing the mean over the positions?"


def _patients():
    """Yield a description, a model and what it is blind to: none of them trained, all without a mask."""
    kinds = (
        ("a model without an encoding", attention.Encoding, "order"),
        ("a model with T5's biases that always says A", lambda: attention.Relative(1), "nothing"),
        ("a model with symmetric ALiBi", lambda: attention.Alibi(symmetric=True), "mirrors"),
        ("a model with rotary", attention.Rotary, "nothing"),
        ("a model with the sinusoid", attention.Sinusoid, "nothing"),
    )
    for name, encoding, right in kinds:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(7)
            model = attention.Transformer(16, encoding(), d_model=32, num_heads=1, num_layers=1).eval()
            with torch.no_grad():
                if "T5" in name:
                    model.encoding.table.weight.normal_()
                if "always" in name:
                    model.head.bias[0] += 100
        yield name, model.requires_grad_(False), right


@exercise
def falling(bound: Callable[[int], object], witness: Callable[[int, int], object]) -> str:
    """Check the largest weight on the key k back under a never rising bias, and a bias that comes near it.

    `bound(k)` is the number; `witness(k, n)` gives the biases of the keys 0, 1, …, n−1 steps back, none larger than
    the one before it.
    """
    function(bound, "bound(k)")
    function(given(witness), "witness(k, n)")
    for k in (3, 0, 1, 7):
        most = number(bound(k), name=f"bound({k})")
        if abs(most - 1 / (k + 1)) > 1e-6:
            if k and abs(most - 1 / k) < 1e-6:
                raise CheckFailed(
                    f"bound({k}): the keys 0, 1, …, {k} steps back are {k + 1}, the query itself included"
                )
            straight = k**k / (k + 1) ** (k + 1)
            if k and abs(most - straight) < 1e-3:
                raise CheckFailed(
                    f"bound({k}): {most:.3f} is about the most for a straight ramp; other falling biases do better"
                )
            raise CheckFailed(
                f"bound({k}) is not {most:g}: which keys have at least as much weight as the one {k} back?"
            )
        n = k + 9
        row = witness(k, n)
        row = row.clamp(min=-1e4) if isinstance(row, Tensor) else row  # −∞, as in a mask, is allowed
        row = array(row, (n,), name=f"witness({k}, {n})")
        rounding = 1e-6 * torch.maximum(row[1:].abs(), row[:-1].abs())
        rises = (row.diff() > rounding).nonzero()
        if len(rises):
            j = int(rises[0])
            raise CheckFailed(
                f"witness({k}, {n}) rises from {row[j]:.3g} to {row[j + 1]:.3g} at {j + 1} back: that is not allowed"
            )
        weight = row.softmax(-1)[k].item()
        if weight < most - 1e-3:
            tail = "keys further back take weight away" if row[k + 1 :].max() > row[k] - 6 else "nearer keys have more"
            raise CheckFailed(
                f"witness({k}, {n}) gives {weight:.4f} to the key {k} back, {most:.4f} is possible: {tail}"
            )
    return "at most 1/(k+1), and a bias that is flat to k and then falls off a cliff comes as near as you like"
