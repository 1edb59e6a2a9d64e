"""The checks of lesson 07's exercises: read one falling head, a peak by the second door, what a model is blind to."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit import attention
from clockwork.kit.checks.exercises import CheckFailed, array, exercise, function, given, result
from clockwork.lessons.lesson_07 import plain_checks

PLACES = 200  # tokens in the text on which a peak is tried
MOST_NUMBERS = 4  # appended to each query and key
ENOUGH = 0.95  # of the weight
BLINDNESS = ("order", "mirrors", "nothing")

digits = exercise(plain_checks.digits)
falling = exercise(plain_checks.falling)


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
        raise CheckFailed(f"{told}, and the query itself gets the most: does your score depend on i − j − 3?")
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
