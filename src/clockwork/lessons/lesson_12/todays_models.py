"""Train small models with what today's models do to their hands: `python -m clockwork.lessons.lesson_12.todays_models`.

Lesson 12 shows the results, `data/todays_models.json`: about half an hour on one core. Unless a part says otherwise,
all models have 2 layers, `d_model` 32, 2 heads (8 hands each) and a causal mask; eight seeds each. With an argument,
only the parts whose names contain it are trained, and the other results stay:
`python -m clockwork.lessons.lesson_12.todays_models layers`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import platform
import sys
from collections.abc import Callable, Iterator, Sequence

import torch

from clockwork.kit import attention, datafiles, tasks, training
from clockwork.lessons.lesson_12 import layers
from pe_helpers import rope_scaling, sinusoidal

DATA = datafiles.CHECKOUT / "todays_models.json"
SEEDS = tuple(range(8))
HEAD_DIM = 16
SIZES = {"d_model": 32, "num_heads": 2}
SETTINGS = {"batch_size": 16, "learning_rate": 5e-3}
STEPS = {"three_back": 400, "who_came_first": 250}
FACTORS = (1, 2, 4, 8)  # test lengths, in trained lengths
LOUDER = ("rotary", "base 64", "base 64, fastest half", "small base")  # tested with louder scores as well
SMALL_BASE = 6.0  # the slowest hand comes round in 30 tokens, within the 32 of 3 back
SLOWEST_TURNS = 0.05  # rad a token of the first unfinished hand: 1.6 rad in the 32 tokens of 3 back
OTHER_SPEEDS = (0.15, 0.01, 0.001)  # of the first unfinished hand, beside SLOWEST_TURNS
BETWEEN = (8.0, 12.0, 20.0)  # bases that leave one, two and three of eight hands unfinished
HANDS = HEAD_DIM // 2
COUNTS = [  # hands that come round, and hands that do not; the rest of the eight stand still
    (finished, unfinished)
    for finished in range(HANDS + 1)
    for unfinished in range(HANDS + 1 - finished)
    if finished + unfinished
]
WIDER = ((4, 4, 4), (2, 4, 4), (2, 8, 8), (2, 8, 4))  # heads, finished and unfinished hands, at twice the width
SPREAD = [(number, slowest) for number in (2, 4, 6) for slowest in (1, 3, 7)]  # hands, and which one is the slowest
BACK_AFTER = 50  # tokens after which all moving hands of some heads are back together
RIVALS = tuple(3 + BACK_AFTER * times for times in range(1, 5))  # tokens back: keys that look like the one 3 back
BACK = {6: (8, 7, 6, 5, 3, 2), 4: (8, 7, 6, 4)}  # whole turns in those tokens, by the number of hands
CROWDED = (1.0, 0.988, 0.962, 0.826, 0.811, 0.8)  # rad a token; chosen by trial so that they never nearly agree again
LONGER = (
    "2 finished, 0 unfinished",
    "2 finished, 4 unfinished",
    "4 finished, 4 unfinished",
    "6 finished, 2 unfinished",
)


def proportional(share: float, base: float = 10_000.0) -> attention.Encoding:
    """Return rotary with only the fastest share of the hands turning."""
    return attention.Rotary(inv_freq=rope_scaling.proportional(HEAD_DIM, partial_rotary_factor=share, base=base))


def slow_half(base: float) -> attention.Encoding:
    """Return rotary with only the slower half of the hands turning."""
    inv_freq = sinusoidal.inv_freq(HEAD_DIM, base=base)
    inv_freq[: len(inv_freq) // 2] = 0
    return attention.Rotary(inv_freq=inv_freq)


def counted(finished: int, unfinished: int, fastest: float = SLOWEST_TURNS) -> attention.Encoding:
    """Return rotary with the fastest hands of the small base, some unfinished ones, and none else turning.

    Args:
        finished: how many hands come round.
        unfinished: how many do not; each has 0.8 times the speed of the one before.
        fastest: speed of the first of these, in rad a token.
    """
    inv_freq = torch.zeros(HEAD_DIM // 2, dtype=torch.float64)
    inv_freq[:finished] = sinusoidal.inv_freq(HEAD_DIM, base=SMALL_BASE)[:finished]
    inv_freq[finished : finished + unfinished] = fastest * 0.8 ** torch.arange(unfinished)
    return attention.Rotary(inv_freq=inv_freq)


def wider(finished: int, unfinished: int, hands: int) -> attention.Encoding:
    """Return rotary whose moving hands cover the speeds of `counted(4, 4)`, in heads of `hands` hands."""
    known = counted(4, 4).inv_freq
    inv_freq = torch.zeros(hands, dtype=torch.float64)
    ends = known.log2()
    inv_freq[:finished] = torch.logspace(ends[0], ends[3], finished, base=2.0, dtype=torch.float64)
    inv_freq[finished : finished + unfinished] = torch.logspace(
        ends[4], ends[7], unfinished, base=2.0, dtype=torch.float64
    )
    return attention.Rotary(inv_freq=inv_freq)


def spread(number: int, slowest: int) -> attention.Encoding:
    """Return rotary with so many moving hands, from the fastest to the slowest one's speed in the small base."""
    inv_freq = torch.zeros(HANDS, dtype=torch.float64)
    last = sinusoidal.inv_freq(HEAD_DIM, base=SMALL_BASE)[slowest].log2()
    inv_freq[:number] = torch.logspace(0, last, number, base=2.0, dtype=torch.float64)
    return attention.Rotary(inv_freq=inv_freq)


def spreads() -> dict[str, attention.Encoding]:
    """Return heads whose hands all came round in training, by their number and the range of their speeds."""
    chosen = [(number, spread(number, slowest)) for number, slowest in SPREAD]
    return {f"{number} hands, 1 to {head.inv_freq[number - 1]:.2f}": head for number, head in chosen}


def of_speeds(speeds: Sequence[float]) -> attention.Encoding:
    """Return rotary with hands of these speeds, in rad a token; the rest of the eight stand still."""
    inv_freq = torch.zeros(HANDS, dtype=torch.float64)
    inv_freq[: len(speeds)] = torch.tensor(speeds, dtype=torch.float64)
    return attention.Rotary(inv_freq=inv_freq)


def in_step() -> dict[str, attention.Encoding]:
    """Return heads whose hands all come back together, and one of which they never do: all came round in training."""
    back = {
        f"{number} hands, back after {BACK_AFTER}": of_speeds([2 * math.pi * turns / BACK_AFTER for turns in whole])
        for number, whole in BACK.items()
    }
    return back | {f"{len(CROWDED)} crowded hands": of_speeds(CROWDED)}


def other_speeds() -> dict[str, attention.Encoding]:
    """Return heads whose unfinished hands turn faster or more slowly than those of `counted`."""
    return {
        f"{finished} finished, {unfinished} unfinished from {fastest}": counted(finished, unfinished, fastest)
        for finished, unfinished in ((4, 4), (2, 1))
        for fastest in OTHER_SPEEDS
    }


def all_round() -> dict[str, tuple[str, torch.Tensor]]:
    """Return every head whose moving hands all came round in training: the part that records it, and its speeds."""
    heads = {}
    for finished in range(1, HANDS + 1):
        name = f"{finished} finished, 0 unfinished"
        heads[name] = f"three_back/stopped/{name}", counted(finished, 0).inv_freq
    for part, encodings in (("speeds apart", spreads()), ("in step", in_step())):
        heads |= {name: (f"three_back/{part}", encoding.inv_freq) for name, encoding in encodings.items()}
    once = {tuple(speeds.numpy().round(9)): (name, part) for name, (part, speeds) in heads.items()}
    return {name: (part, heads[name][1][heads[name][1] > 0]) for name, part in once.values()}


Run = tuple[str, dict]  # its name, and lengths and accuracies

ENCODINGS = {
    "rotary": attention.Rotary,
    "none": attention.Encoding,
    "fastest half": lambda: proportional(0.5),
    "fastest quarter": lambda: proportional(0.25),
    "base 64": lambda: attention.Rotary(base=64.0),  # four hands come round in 32 tokens, four do not
    "base 64, fastest half": lambda: proportional(0.5, 64.0),
    "base 64, slower half": lambda: slow_half(64.0),
    "small base": lambda: attention.Rotary(base=SMALL_BASE),
    **{f"base {base:g}": lambda base=base: attention.Rotary(base=base) for base in BETWEEN},
    **{
        f"{finished} finished, {unfinished} unfinished": lambda counts=(finished, unfinished): counted(*counts)
        for finished, unfinished in COUNTS
    },
}


def make(names: Sequence[str], causal: bool, log_length: int | None = None):
    """Return a function that makes the untrained model whose layers have the encodings of these names."""

    def model():
        encodings = [ENCODINGS[name]() for name in names]
        if log_length:
            encodings = [layers.LogLength(encoding, log_length) for encoding in encodings]
        return layers.transformer(16, encodings, causal=causal, **SIZES)

    return model


def with_encodings(trained: training.Trained, make_model) -> training.Trained:
    """Return the trained models with other encodings and the same weights."""
    return dataclasses.replace(trained, skeleton=make_model().to("meta"))


def continued(trained: training.Trained, make_model, task: tasks.Task, steps: int) -> training.Trained:
    """Train models further after their encodings were exchanged; each seed draws new data."""
    states = iter(trained.seeds)

    def model():
        made = make_model()
        made.load_state_dict(trained.model(next(states)).state_dict())
        return made

    return training.train(model, task, trained.seeds, steps=steps, **SETTINGS)


def test_size(task: tasks.Task, length: int) -> int:
    """Return how many sequences a test has: 3 back has an answer at nearly every position, the other task has one."""
    return 256 if task is tasks.WHO_CAME_FIRST else max(32, 4096 // length)


def scored(trained: training.Trained, task: tasks.Task, factors: Sequence[int] = FACTORS) -> dict:
    """Return the test lengths and the accuracy of each seed at each."""
    lengths = [factor * task.trained_to for factor in factors]
    accuracy = torch.cat(
        [training.evaluate(trained, task, [length], batch_size=test_size(task, length)).accuracy for length in lengths],
        1,
    )
    return {"lengths": lengths, "accuracy": [[round(x, 4) for x in row] for row in accuracy.tolist()]}


def log_lengths(trained: training.Trained, names: Sequence[str], task: tasks.Task) -> dict:
    """Return the accuracies with scores that grow with the length, at test only."""
    return scored(with_encodings(trained, make(names, True, task.trained_to)), task)


def constant(trained: training.Trained, names: Sequence[str], task: tasks.Task) -> dict:
    """Return the accuracies with the scores of all queries multiplied by what the last one of eight lengths gets."""
    longest = FACTORS[-1] * task.trained_to
    louder = make(names, True)()
    factor = math.log(longest) / math.log(task.trained_to)
    state = {name: value.clone() for name, value in trained.state.items()}
    for name, value in state.items():
        if ".qkv." in name:
            value[:, : SIZES["d_model"]] *= factor
    return scored(dataclasses.replace(trained, skeleton=louder.to("meta"), state=state), task)


def stopped(task: tasks.Task, name: str) -> Iterator[Run]:
    """Train with one encoding in both layers; test also with scores that grow with the length, and with louder ones."""
    names = (name, name)
    trained = training.train(make(names, True), task, SEEDS, steps=STEPS[task.name], **SETTINGS)
    yield name, scored(trained, task)
    if task is tasks.THREE_BACK and name in LOUDER:
        yield f"{name}, growing at test", log_lengths(trained, names, task)
        yield f"{name}, louder at test", constant(trained, names, task)


def longer(task: tasks.Task) -> Iterator[Run]:
    """Train some of the counts for four times as many steps."""
    for name in LONGER:
        trained = training.train(make((name, name), True), task, SEEDS, steps=4 * STEPS[task.name], **SETTINGS)
        yield name, scored(trained, task)


def each(task: tasks.Task, encodings: dict[str, attention.Encoding], rivals: Sequence[int] = ()) -> Iterator[Run]:
    """Train with each of these in both layers; say how often wrong answers name a symbol so many tokens back."""
    for name, encoding in encodings.items():

        def model(inv_freq=encoding.inv_freq):
            encodings = [attention.Rotary(inv_freq=inv_freq) for _ in range(2)]
            return layers.transformer(16, encodings, causal=True, **SIZES)

        trained = training.train(model, task, SEEDS, steps=STEPS[task.name], **SETTINGS)
        result = scored(trained, task)
        yield name, result | {"wrong, at rivals": at_rivals(trained, task, rivals)} if rivals else result


def at_rivals(trained: training.Trained, task: tasks.Task, rivals: Sequence[int]) -> list[float | None]:
    """Return the share of each seed's wrong answers that name one of the symbols so many tokens back, or None."""
    tokens, targets = task.draw_test(32, FACTORS[-1] * task.trained_to, generator=torch.Generator().manual_seed(12))
    shares = []
    for logits in trained(tokens):
        said = logits.argmax(-1)
        wrong = (said != targets) & (targets != tasks.NO_ANSWER)
        wrong[:, : min(rivals)] = False
        named = torch.zeros_like(wrong)
        for back in rivals:
            named[:, back:] |= said[:, back:] == tokens[:, :-back]
        shares.append(round(named[wrong].float().mean().item(), 4) if wrong.any() else None)
    return shares


def share(task: tasks.Task) -> Iterator[Run]:
    """Train models of twice the width: does the number of finished hands count, or their share?"""
    for heads, *counts in WIDER:
        hands = 32 // heads

        def model(heads=heads, counts=counts, hands=hands):
            encodings = [wider(*counts, hands) for _ in range(2)]
            return layers.transformer(16, encodings, causal=True, d_model=64, num_heads=heads)

        trained = training.train(model, task, SEEDS, steps=STEPS[task.name], **SETTINGS)
        yield "{} heads of {} hands, {} finished, {} unfinished".format(heads, hands, *counts), scored(trained, task)


def dropped(task: tasks.Task) -> Iterator[Run]:
    """Train with rotary, drop the positions, and train on; "none" and "rotary" are what to compare with."""
    none = make(("none", "none"), True)
    long = STEPS[task.name]
    trained = training.train(make(("rotary", "rotary"), True), task, SEEDS, steps=long, **SETTINGS)
    yield "dropped, not trained further", scored(with_encodings(trained, none), task)
    yield "dropped, a quarter longer", scored(continued(trained, none, task, long // 4), task)
    yield "dropped, as long again", scored(continued(trained, none, task, long), task)


def deeper(task: tasks.Task) -> Iterator[Run]:
    """Do the same with four layers and up to eight times the steps after the drop, from the first two seeds."""
    rotary, none = (make((name,) * 4, True) for name in ("rotary", "none"))
    long = STEPS[task.name]
    trained = training.train(rotary, task, SEEDS[:2], steps=long, **SETTINGS)
    yield "rotary", scored(trained, task)
    never = training.train(none, task, SEEDS[:2], steps=4 * long, **SETTINGS)
    yield "none, four times the steps", scored(never, task)
    for name, steps in (("a quarter longer", long // 4), ("four times as long", 4 * long), ("eight times", 8 * long)):
        yield f"dropped, {name}", scored(continued(trained, none, task, steps), task)


def mixed(task: tasks.Task) -> Iterator[Run]:
    """Train with positions in one of the two layers only."""
    for names in (("rotary", "none"), ("none", "rotary")):
        trained = training.train(make(names, True), task, SEEDS, steps=STEPS[task.name], **SETTINGS)
        yield f"{names[0]}, {names[1]}", scored(trained, task)


def parts() -> dict[str, Callable[[], Iterator[Run]]]:
    """Return what is trained, by name: the task, a slash, and what is compared."""
    back = tasks.THREE_BACK
    first = tasks.WHO_CAME_FIRST
    listed = {}
    for name in ENCODINGS:
        listed[f"three_back/stopped/{name}"] = lambda name=name: stopped(back, name)
    listed["three_back/twice the width"] = lambda: share(back)
    listed["three_back/speeds apart"] = lambda: each(back, spreads())
    listed["three_back/in step"] = lambda: each(back, in_step(), rivals=RIVALS)
    listed["three_back/other speeds"] = lambda: each(back, other_speeds())
    listed["three_back/four layers"] = lambda: deeper(back)
    listed["three_back/four times the steps"] = lambda: longer(back)
    for name in ("rotary", "none"):
        listed[f"who_came_first/stopped/{name}"] = lambda name=name: stopped(first, name)
    for task in (back, first):
        listed[f"{task.name}/layers"] = lambda task=task: mixed(task)
        listed[f"{task.name}/dropped"] = lambda task=task: dropped(task)
    return listed


def main(only: str = "") -> None:
    """Train the parts whose names contain `only`, and write the table after each."""
    torch.set_num_threads(1)
    setup = {
        "command": "python -m clockwork.lessons.lesson_12.todays_models",
        "python": platform.python_version(),
        "torch": torch.__version__,
    }
    setup |= {"seeds": SEEDS, "num_layers": 2, "head_dim": HEAD_DIM, **SIZES, **SETTINGS, "steps": STEPS}
    table = json.loads(DATA.read_text("utf-8"))["parts"] if DATA.exists() else {}
    for name, train in parts().items():
        if only not in name:
            continue
        table[name] = dict(train())
        DATA.write_text(json.dumps(setup | {"parts": table}) + "\n", encoding="utf-8")
        for run, result in table[name].items():
            means = [round(sum(column) / len(column), 2) for column in zip(*result["accuracy"], strict=True)]
            print(f"{name} · {run}: {means}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
