"""Test small models past their training length, with remedies and controls.

`python -m clockwork.lessons.lesson_08.beyond_the_length` trains and tests all of them. Lesson 08 shows the results,
`data/beyond_the_length.json`: tens of CPU-minutes. All models have `d_model` 32 and 4 heads (4 hands each), and 2
layers unless the part says four; eight seeds. With arguments, only the parts whose names contain one of them are made
anew, and the other results stay: `python -m clockwork.lessons.lesson_08.beyond_the_length hands`.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
import json
import math
import platform
import sys
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from clockwork.kit import attention, datafiles, tasks, training
from clockwork.lessons.lesson_08 import lengths
from clockwork.lessons.lesson_08.views import stretch
from pe_helpers import rope_scaling, rotary, sinusoidal

DATA = datafiles.CHECKOUT / "beyond_the_length.json"
SEEDS = tuple(range(8))
HEAD_DIM = 8
SIZES = {"d_model": 32, "num_heads": 4}
SETTINGS = {"batch_size": 16, "learning_rate": 5e-3}
STEPS = {"three_back": 400, "who_came_first": 250}
METHODS = ("none", "interpolation", "NTK-aware", "YaRN")
FACTORS = (1, 2, 4)  # test lengths, in trained lengths
STRETCH = 4
FURTHER = (0, 5, 10, 20, 40, 80)  # steps of further training after which the models are tested
RAISED = 500_000.0
APART = tuple(range(4, 95, 5))  # tokens from A to B, in long texts
GAPS = (12, 16, 20, 24, *range(26, 37), 40, 44, 47, 51, 55, *range(58, 68), 71, 75, 79, 87, 95)  # and in short ones
SHIFTS = (16, 24, 32, 40, 48, 56, *range(60, 67), 72, 80, 88, 96, 112)  # where the second half of a text begins
TWICE = 1e-2  # the usual learning rate
WINDOWS = (1, 2, 4, 8, 16)  # of Self-Extend: keys nearer than this keep their positions
SLOWER = (1.25, 1.59, 2, 2.5, 3, 3.5, 4)  # how much slower hand 1 is made alone
BOTH_STEPS = 600  # of training on two tasks at once
FAR = 40  # tokens from A to B: past half a turn of hand 1
TEST_SEED = 8

speeds = functools.partial(stretch.speeds, head_dim=HEAD_DIM)  # rad a token, under a remedy

Run = tuple[str, dict]


class Loud(attention.Rotary):
    """Rotary with queries `loud` times as long, and with no key further away than `window`."""

    def __init__(self, *, loud: float = 1.0, window: int | None = None, **keywords):
        super().__init__(**keywords)
        self.loud = loud
        self.window = window

    def turn(self, x, position_ids):
        """Rotate, then lengthen the queries."""
        q, k = super().turn(x, position_ids)
        return torch.stack([q * self.loud, k])

    def bias(self, num_heads, position_ids):
        """Hide the keys outside the window."""
        if self.window is None:
            return None
        away = (position_ids[:, None] - position_ids).abs()
        return torch.zeros(away.shape).masked_fill(away > self.window, -math.inf)


class AnyKeys(Loud):
    """Hide as many keys as the window does, drawn at random: never the query's own, nor the one three back."""

    def __init__(self, *, window: int):
        super().__init__(window=window)
        longest = STRETCH * (window + 1)
        self.order = torch.rand(longest, longest, generator=torch.Generator().manual_seed(TEST_SEED))

    def bias(self, num_heads, position_ids):
        """Keep the two, and of the others those that come first in a random order."""
        away = position_ids[:, None] - position_ids
        kept = (away.abs() <= self.window).sum(1, keepdim=True)
        order = self.order[: len(away), : len(away)].masked_fill((away == 0) | (away == 3), -1)
        rank = order.argsort(1).argsort(1)
        return torch.zeros(away.shape).masked_fill(rank >= kept, -math.inf)


class SelfExtend(attention.Rotary):
    """Rotary with exact positions for the keys nearer than `window`, and with the numbers of groups for the others.

    The group of position p is floor(p / group), and the queries of the far keys are moved on, so that the groups begin
    where the window ends; for keys after the query, back by as much.

    Source: Jin et al. 2024, arXiv:2401.01325; the pseudocode as quoted in vLLM's issue 2349, which has a causal mask.
    """

    def __init__(self, *, group: int, window: int):
        super().__init__()
        self.group = group
        self.window = window

    def turn(self, x, position_ids):
        """Rotate as usual; `bias` will need the queries and keys as they came."""
        self.unturned = x
        return super().turn(x, position_ids)

    def bias(self, num_heads, position_ids):
        """Return by how much the scores of the far keys change."""
        q, k = self.unturned
        groups = position_ids // self.group
        shift = self.window - self.window // self.group
        usual, near_keys = super().turn(self.unturned, position_ids)
        grouped = rotary.rotate(k, groups)
        change = {}
        for side in (-1, 1):
            moved = rotary.rotate(q, groups + side * shift)
            change[side] = (moved @ grouped.mT - usual @ near_keys.mT) / math.sqrt(q.shape[-1])
        away = position_ids[:, None] - position_ids
        far = torch.where(away > 0, change[1], change[-1])
        return far.masked_fill(away.abs() < self.window, 0.0)


def make(encoding: Callable[[], attention.Encoding], *, causal: bool = False, **sizes: int):
    """Return a function that makes an untrained model."""
    return lambda: attention.Transformer(16, encoding(), causal=causal, **SIZES | sizes)


@functools.cache
def trained(
    task: tasks.Task,
    encoding: Callable[[], attention.Encoding] = attention.Rotary,
    *,
    causal: bool = False,
    rate: float = SETTINGS["learning_rate"],
    **sizes: int,
) -> training.Trained:
    """Train eight models as the course's sweep does, or with another mask, rate or size."""
    model = make(encoding, causal=causal, **sizes)
    return training.train(model, task, SEEDS, steps=STEPS[task.name], **SETTINGS | {"learning_rate": rate})


def changed(models: training.Trained, encoding: attention.Encoding) -> training.Trained:
    """Return the same weights with another encoding."""
    skeleton = copy.deepcopy(models.skeleton)
    skeleton.encoding = encoding
    return dataclasses.replace(models, skeleton=skeleton.to("meta"))


def drawn(task: tasks.Task, length: int, k: int = 3):
    """Draw test sequences; of 3 back, which has an answer at nearly every position, ask for the symbol `k` back."""
    generator = torch.Generator().manual_seed(TEST_SEED + length)
    if task is tasks.WHO_CAME_FIRST:
        return task.draw_test(256, length, generator=generator)
    return tasks.k_back(max(32, 4096 // length), length, k=k, generator=generator)


def right(models: training.Trained, tokens: Tensor, targets: Tensor, *position_ids: Tensor) -> list[float]:
    """Return the accuracy of each seed."""
    logits = torch.cat([models(part, *position_ids) for part in tokens.split(max(1, 2048 // tokens.shape[1]))], 1)
    return [round(tasks.accuracy(own, targets).item(), 4) for own in logits]


def tested(models: training.Trained, task: tasks.Task, length: int, k: int = 3) -> list[float]:
    """Return the accuracy of each seed at one length."""
    return right(models, *drawn(task, length, k))


def remedies(task: tasks.Task, *, causal: bool = False) -> Iterator[Run]:
    """Slow the hands of trained rotary models, and test them at one, two and four times the trained length."""
    models = trained(task, causal=causal)
    for method in METHODS:
        result = {}
        for factor in FACTORS:
            length = factor * task.trained_to
            slowed = changed(models, attention.Rotary(inv_freq=speeds(method, factor, trained_len=task.trained_to)))
            result[str(length)] = tested(slowed, task, length)
            if task is tasks.THREE_BACK and factor > 1:
                result[f"{length}, {3 * factor} back"] = tested(slowed, task, length, 3 * factor)
        yield method, result
    yield from controls(models, task)
    yield from hands(models, task)


def hands(models: training.Trained, task: tasks.Task) -> Iterator[Run]:
    """Slow every choice of hands by four, and leave the others as they are."""
    length = STRETCH * task.trained_to
    for slowed in itertools.product((0, 1), repeat=HEAD_DIM // 2):
        factors = torch.tensor([STRETCH if slow else 1 for slow in slowed], dtype=torch.float64)
        encoding = attention.Rotary(inv_freq=sinusoidal.inv_freq(HEAD_DIM) / factors)
        result = {str(length): tested(changed(models, encoding), task, length)}
        if task is tasks.THREE_BACK:
            result[f"{length}, 12 back"] = tested(changed(models, encoding), task, length, 12)
        yield "slowed " + "".join(map(str, slowed)), result


def controls(models: training.Trained, task: tasks.Task) -> Iterator[Run]:
    """Change the angles alone, the number of keys alone, or the sharpness of the scores alone."""
    trained_to = task.trained_to
    length = STRETCH * trained_to
    slow = speeds("interpolation", STRETCH)
    sharper = math.log(length) / math.log(trained_to)
    _, attention_factor = rope_scaling.yarn(HEAD_DIM, factor=STRETCH, original_max_position_embeddings=trained_to)
    for loud in (1.2, attention_factor**2, sharper, 2.0, 3.0):
        encoding = Loud(loud=loud)
        yield f"scores times {loud:.2f}", {str(length): tested(changed(models, encoding), task, length)}
    for loud in (attention_factor**2, sharper):
        for method in ("interpolation", "YaRN"):
            encoding = Loud(loud=loud, inv_freq=speeds(method, STRETCH, trained_len=trained_to))
            name = f"{method}, scores times {loud:.2f}"
            yield name, {str(length): tested(changed(models, encoding), task, length)}
    if task is tasks.WHO_CAME_FIRST and not models.skeleton.causal:
        tokens, targets = drawn(task, trained_to)
        spread = torch.linspace(0, length - 1, trained_to, dtype=torch.float64)
        yield "few keys, far apart", {str(trained_to): right(models, tokens, targets, spread)}
        slowed = changed(models, attention.Rotary(inv_freq=slow))
        yield "many keys, close together", {str(length): tested(slowed, task, length)}


def by_four(task: tasks.Task, *, causal: bool = False) -> Iterator[Run]:
    """Slow the hands by four in texts of every length, as a remedy with a fixed factor does; or hide keys instead."""
    models = trained(task, causal=causal)
    tried = {method: speeds(method, STRETCH, trained_len=task.trained_to) for method in METHODS}
    encodings = {method: attention.Rotary(inv_freq=inv_freq) for method, inv_freq in tried.items()}
    encodings["window"] = Loud(window=task.trained_to - 1)
    encodings["as many keys"] = AnyKeys(window=task.trained_to - 1)
    if causal:
        encodings["hand 1 alone"] = attention.Rotary(inv_freq=slowed_by({1: STRETCH}))
    for name, encoding in encodings.items():
        result = {}
        for factor in FACTORS if name in ("as many keys", "hand 1 alone") else lengths.LONGER:
            length = round(factor * task.trained_to)
            result[str(length)] = tested(changed(models, encoding), task, length)
        yield name, result


def self_extended(task: tasks.Task) -> Iterator[Run]:
    """Give far keys the numbers of groups, for texts of four times the length: several windows, and groups alone.

    The groups are the smallest with which no key of such a text is further away than keys were in training.
    """
    for causal in (False, True):
        models = trained(task, causal=causal)
        said = ", causal" if causal else ""
        if causal:
            for name, encoding in {"none": attention.Rotary(), "window": Loud(window=task.trained_to - 1)}.items():
                yield f"{name}{said}", by_length(changed(models, encoding), task)
            slow = attention.Rotary(inv_freq=speeds("interpolation", STRETCH))
            yield f"interpolation{said}", by_length(changed(models, slow), task)
        for window in WINDOWS:
            group = smallest_group(window, task.trained_to)
            encoding = SelfExtend(group=group, window=window)
            yield f"window {window}, groups of {group}{said}", by_length(changed(models, encoding), task)


def smallest_group(window: int, trained_to: int, factor: int = STRETCH) -> int:
    """Return the smallest group with which a text of `factor` times the length stays within the trained distances."""
    last = factor * trained_to - 1
    return next(group for group in range(2, last) if last // group + window - window // group < trained_to)


def by_length(models: training.Trained, task: tasks.Task) -> dict[str, list[float]]:
    """Return the accuracy of each seed at one, two and four times the trained length."""
    return {str(factor * task.trained_to): tested(models, task, factor * task.trained_to) for factor in FACTORS}


def held(task: tasks.Task, *, factor: int = STRETCH, **other) -> Iterator[Run]:
    """Try every remedy with and without a mask, where something else that is held fixed has another value.

    `other` goes to `trained`: a depth or a rate; `factor` is that of the remedies and of the length. Self-Extend
    has a window of 4, as in its own part.
    """
    for causal in (True, False):
        models = trained(task, causal=causal, **other)
        tried = {method: speeds(method, factor, trained_len=task.trained_to) for method in METHODS}
        encodings = {method: attention.Rotary(inv_freq=inv_freq) for method, inv_freq in tried.items()}
        encodings["window"] = Loud(window=task.trained_to - 1)
        encodings["Self-Extend"] = SelfExtend(group=smallest_group(4, task.trained_to, factor), window=4)
        encodings["hand 1 alone"] = attention.Rotary(inv_freq=slowed_by({1: factor}))
        for name, encoding in encodings.items():
            where = (task.trained_to, factor * task.trained_to)
            result = {str(length): tested(changed(models, encoding), task, length) for length in where}
            yield f"{name}, {'causal' if causal else 'no mask'}", result


def named(task: tasks.Task) -> Iterator[Run]:
    """Interpolate 3 back under a causal mask by thirds, and count how often the symbols 1 to 14 back are named."""
    models = trained(task, causal=True)
    for asked in lengths.NAMED:
        factor = asked / 3
        slowed = changed(models, attention.Rotary(inv_freq=sinusoidal.inv_freq(HEAD_DIM) / factor))
        length = round(factor * task.trained_to)
        yield f"by {factor:.2f}", {f"{length}, {k} back": tested(slowed, task, length, k) for k in lengths.BACK}


def less_or_more(task: tasks.Task, *, causal: bool = False) -> Iterator[Run]:
    """Slow hand 1 alone, by several factors, and test at four times the trained length."""
    length = STRETCH * task.trained_to
    for factor in SLOWER:
        slowed = changed(trained(task, causal=causal), attention.Rotary(inv_freq=slowed_by({1: factor})))
        yield f"hand 1 slowed by {factor:g}", {str(length): tested(slowed, task, length)}


def mapped(task: tasks.Task, *, causal: bool = False) -> Iterator[Run]:
    """Slow hands 0 and 1 by each pair of factors, and test at four times the trained length."""
    length = STRETCH * task.trained_to
    for factor0, factor1 in itertools.product(lengths.SLOWER_BY, repeat=2):
        encoding = attention.Rotary(inv_freq=slowed_by({0: factor0, 1: factor1}))
        slowed = changed(trained(task, causal=causal), encoding)
        yield f"hand 0 by {factor0:.2f}, hand 1 by {factor1:.2f}", {str(length): tested(slowed, task, length)}


def spread(task: tasks.Task) -> Iterator[Run]:
    """Leave out neighbours: few keys, evenly spread within the trained reach and beyond it."""
    models = trained(task)
    for name, factors in {"none": {}, "hand 1 slowed by 4": {1: 4.0}}.items():
        slowed = changed(models, attention.Rotary(inv_freq=slowed_by(factors)))
        result = {}
        for keys, reach in ((6, task.trained_to), (task.trained_to, STRETCH * task.trained_to)):
            position_ids = torch.linspace(0, reach - 1, keys, dtype=torch.float64)
            result[f"{keys}, spread over {reach}"] = right(slowed, *drawn(task, keys), position_ids)
        yield name, result


def beside(task: tasks.Task) -> Iterator[Run]:
    """Train on both tasks at once: A and B say who came first, all other tokens 3 back. Score all, and those two."""

    def answered(tokens, first):
        targets = torch.full_like(tokens, tasks.NO_ANSWER)
        targets[:, 3:] = tokens[:, :-3]
        return tokens, torch.where(tokens <= tasks.B, first[:, None], targets)

    def draw(batch_size, seq_len, *, generator):
        return answered(*tasks.who_came_first(batch_size, seq_len, generator=generator))

    longest = task.trained_to
    both = tasks.Task("both", task.vocab_size, 1 / task.vocab_size, task.train_lengths, BOTH_STEPS, draw, draw)
    models = training.train(make(attention.Rotary), both, SEEDS, steps=BOTH_STEPS, **SETTINGS)
    texts = {str(length): drawn(task, length) for length in (longest, 2 * longest)}
    texts[f"{2 * longest}, {FAR} apart"] = set_apart(FAR, 2 * longest, count=128)
    results = {"loss of all": {}, "all": {}, "A and B": {}}
    for where, drawn_texts in texts.items():
        tokens, targets = answered(*drawn_texts)
        asked = targets.masked_fill(tokens > tasks.B, tasks.NO_ANSWER)
        logits = models(tokens)
        results["loss of all"][where] = [round(tasks.loss(own, targets).item(), 4) for own in logits]
        results["all"][where] = [round(tasks.accuracy(own, targets).item(), 4) for own in logits]
        results["A and B"][where] = [round(tasks.accuracy(own, asked).item(), 4) for own in logits]
    yield from results.items()


def gaps(task: tasks.Task, *, causal: bool = False, **sizes: int) -> Iterator[Run]:
    """Test 3 back in texts of the trained length whose second half is given positions further on."""
    models = trained(task, causal=causal, **sizes)
    tokens, targets = drawn(task, task.trained_to)
    half = task.trained_to // 2
    targets[:, half : half + 3] = tasks.NO_ANSWER  # across the gap, three back is not three positions back
    if causal:
        targets[:, :half] = tasks.NO_ANSWER  # the first half sees nothing of the second
    slower = {"none": {}, "hand 1 slowed by 1.59": {1: STRETCH ** (1 / 3)}, "hand 0 slowed by 1.05": {0: 1.05}}
    slower["hand 1 slowed by 1.41"] = {1: math.sqrt(2)}
    if causal:
        slower = {"none": {}, "hand 1 slowed by 2": {1: 2.0}, "hand 1 slowed by 4": {1: 4.0}}
    for name, factors in slower.items():
        slowed = changed(models, attention.Rotary(inv_freq=slowed_by(factors)))
        result = {}
        for shift in lengths.SHIFTS if causal else SHIFTS:
            position_ids = torch.cat([torch.arange(half), torch.arange(shift, shift + half)])
            result[f"{task.trained_to}, second half from {shift}"] = right(slowed, tokens, targets, position_ids)
        yield name, result
        yield f"{name}, long", {str(STRETCH * task.trained_to): tested(slowed, task, STRETCH * task.trained_to)}


def neighbours(task: tasks.Task) -> Iterator[Run]:
    """Ask 3 back, interpolated by four, for the symbols around 12 back."""
    slowed = changed(trained(task), attention.Rotary(inv_freq=speeds("interpolation", STRETCH)))
    length = STRETCH * task.trained_to
    yield "interpolation", {f"{length}, {k} back": tested(slowed, task, length, k) for k in (10, 11, 12, 13, 14)}


def masked(task: tasks.Task) -> Iterator[Run]:
    """Train three codes under a causal mask; the sweep has ALiBi, and no code at all."""
    encodings = {
        "rotary": attention.Rotary,
        "sinusoid": attention.Sinusoid,
        "T5's table": lambda: attention.Relative(SIZES["num_heads"], bidirectional=False),
    }
    for name, encoding in encodings.items():
        models = trained(task, encoding, causal=True)
        lengths = [factor * task.trained_to for factor in FACTORS]
        yield name, {str(length): tested(models, task, length) for length in lengths}


def sides(task: tasks.Task) -> Iterator[Run]:
    """Test who came first in texts of the trained length whose second half, with B in it, is moved on."""
    models = trained(task)
    half = task.trained_to // 2
    for name, factors in {"none": {}, "hand 1 slowed by 4": {1: 4.0}}.items():
        slowed = changed(models, attention.Rotary(inv_freq=slowed_by(factors)))
        result = {}
        for gap in GAPS:
            tokens, targets = set_apart(half, task.trained_to, count=64)
            position_ids = torch.cat([torch.arange(half), torch.arange(gap, gap + half)])
            result[f"{task.trained_to}, {gap} apart"] = right(slowed, tokens, targets, position_ids)
        yield name, result


def votes(task: tasks.Task) -> Iterator[Run]:
    """Read the answers in long texts from all tokens, from A and B alone, and from the other tokens alone."""
    models = trained(task)
    results = {"all": {}, "A and B": {}, "the others": {}}
    for length in (task.trained_to, STRETCH * task.trained_to):
        for apart in (apart for apart in APART if apart < length):
            tokens, targets = set_apart(apart, length)
            logits = models(tokens)
            named = tokens <= tasks.B
            for result, asked in zip(results.values(), (torch.ones_like(named), named, ~named), strict=True):
                answers = (logits * asked[..., None]).sum(2).argmax(-1)
                share = (answers == targets).double().mean(1)
                result[f"{length}, {apart} apart"] = [round(own, 4) for own in share.tolist()]
    yield from results.items()


def unread(task: tasks.Task, *, causal: bool = False) -> Iterator[Run]:
    """Turn single hands backwards or stop them, at the trained length."""
    models = trained(task, causal=causal)
    usual = sinusoidal.inv_freq(HEAD_DIM)
    changes = {
        "hands 2 and 3 backwards": (1, 1, -1, -1),
        "hand 0 stopped": (0, 1, 1, 1),
        "hand 1 stopped": (1, 0, 1, 1),
    }
    for name, factors in changes.items():
        encoding = attention.Rotary(inv_freq=usual * torch.tensor(factors, dtype=torch.float64))
        yield name, {str(task.trained_to): tested(changed(models, encoding), task, task.trained_to)}


def slowed_by(factors: dict[int, float]) -> Tensor:
    """Return the trained speeds with some hands slowed: each number of a hand has its factor."""
    inv_freq = sinusoidal.inv_freq(HEAD_DIM)
    for hand, factor in factors.items():
        inv_freq[hand] /= factor
    return inv_freq


def set_apart(apart: int, length: int, count: int = 32):
    """Draw texts of who came first whose A and B are `apart` tokens apart, each with its twin."""
    generator = torch.Generator().manual_seed(TEST_SEED + apart)
    tokens = torch.randint(2, 16, (count, length), generator=generator)
    starts = torch.randint(length - apart, (count, 1), generator=generator)
    tokens.scatter_(1, starts, tasks.A).scatter_(1, starts + apart, tasks.B)
    return tasks.with_twins(tokens, torch.zeros(count, dtype=torch.long))


def further(task: tasks.Task) -> Iterator[Run]:
    """Train on, with texts four times as long, after the hands were slowed or not."""
    short = task.trained_to
    length = STRETCH * short
    longer = dataclasses.replace(task, train_lengths=(length, length))
    begun = trained(task)
    starts = {method: speeds(method, STRETCH) for method in ("none", "interpolation", "NTK-aware")}
    starts[f"base {RAISED:,.0f}"] = sinusoidal.inv_freq(HEAD_DIM, base=RAISED)
    for name, inv_freq in starts.items():
        models = changed(begun, attention.Rotary(inv_freq=inv_freq))
        result = {"0": tested(models, task, length)}
        for before, now in itertools.pairwise(FURTHER):
            models = continued(models, longer, inv_freq, now - before, seed=now)
            result[str(now)] = tested(models, task, length)
        result["short"] = tested(models, task, short)
        yield name, result


def continued(models: training.Trained, task: tasks.Task, inv_freq: Tensor, steps: int, seed: int) -> training.Trained:
    """Train models further; each stage draws new data."""
    states = iter(models.seeds)

    def model():
        made = make(lambda: attention.Rotary(inv_freq=inv_freq))()
        made.load_state_dict(models.model(next(states)).state_dict())
        return made

    new_seeds = tuple(1000 * seed + own for own in range(len(SEEDS)))
    on = training.train(model, task, new_seeds, steps=steps, **SETTINGS)
    return dataclasses.replace(on, seeds=new_seeds)


def parts() -> dict[str, Callable[[], Iterator[Run]]]:
    """Return what is measured, by name: the task, a slash, and what is compared."""
    first = tasks.WHO_CAME_FIRST
    back = tasks.THREE_BACK
    listed = {f"{task.name}/no mask": lambda task=task: remedies(task) for task in (first, back)}
    listed |= {f"{task.name}/by four": lambda task=task: by_four(task) for task in (first, back)}
    listed |= {f"{task.name}/under the mask": lambda task=task: by_four(task, causal=True) for task in (first, back)}
    listed |= {f"{task.name}/Self-Extend": lambda task=task: self_extended(task) for task in (first, back)}
    listed |= {f"{task.name}/hand 1": lambda task=task: less_or_more(task) for task in (first, back)}
    listed |= {f"{task.name}/map": lambda task=task: mapped(task) for task in (first, back)}
    listed |= {f"{task.name}/hands read": lambda task=task: unread(task) for task in (first, back)}
    listed |= {f"{task.name}/hands read under the mask": lambda task=task: unread(task, causal=True)
               for task in (first, back)}  # fmt: skip
    for task in (first, back):
        listed[f"{task.name}/causal mask"] = lambda task=task: remedies(task, causal=True)
        listed[f"{task.name}/two layers"] = lambda task=task: held(task)
        listed[f"{task.name}/four layers"] = lambda task=task: held(task, num_layers=4)
    listed[f"{back.name}/eight times"] = lambda: held(back, factor=8)
    listed[f"{back.name}/rate {TWICE:g}"] = lambda: held(back, rate=TWICE)
    listed[f"{back.name}/named"] = lambda: named(back)
    listed[f"{back.name}/hand 1 under the mask"] = lambda: less_or_more(back, causal=True)
    listed[f"{back.name}/map under the mask"] = lambda: mapped(back, causal=True)
    listed[f"{back.name}/gaps under the mask"] = lambda: gaps(back, causal=True)
    listed[f"{back.name}/gaps under the mask, four layers"] = lambda: gaps(back, causal=True, num_layers=4)
    listed[f"{first.name}/spread"] = lambda: spread(first)
    listed[f"{first.name}/beside 3 back"] = lambda: beside(first)
    listed[f"{first.name}/gaps"] = lambda: sides(first)
    listed[f"{first.name}/votes"] = lambda: votes(first)
    listed[f"{back.name}/gaps"] = lambda: gaps(back)
    listed[f"{back.name}/neighbours"] = lambda: neighbours(back)
    listed[f"{back.name}/further"] = lambda: further(back)
    for task in (first, back):
        listed[f"{task.name}/codes under the mask"] = lambda task=task: masked(task)
    return listed


def main(*only: str) -> None:
    """Make the parts whose names contain one of `only`, or all, and write the table after each."""
    torch.set_num_threads(1)
    setup = {
        "command": "python -m clockwork.lessons.lesson_08.beyond_the_length",
        "python": platform.python_version(),
        "torch": torch.__version__,
    }
    setup |= {"seeds": SEEDS, "num_layers": 2, "head_dim": HEAD_DIM, **SIZES, **SETTINGS, "steps": STEPS}
    table = json.loads(DATA.read_text("utf-8"))["parts"] if DATA.exists() else {}
    for name, measure in parts().items():
        if only and not any(word in name for word in only):
            continue
        table[name] = dict(measure())
        in_order = {name: table[name] for name in parts() if name in table}
        DATA.write_text(json.dumps(setup | {"parts": in_order}) + "\n", encoding="utf-8")
        for run, result in table[name].items():
            means = {where: round(sum(row) / len(row), 3) for where, row in result.items()}
            print(f"{name} · {run}: {means}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
