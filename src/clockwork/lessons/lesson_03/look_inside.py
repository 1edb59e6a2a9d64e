"""Look for the clock inside eight trained models, and watch it being covered while one learns.

`python -m clockwork.lessons.lesson_03.look_inside clock` (or `frames`, or `parts`) trains the models of the lesson's
page from the seeds 0 to 7. `clock` writes `data/clock_in_model.json`: how much of each hand a probe reads after
training, with the controls. `frames` writes `data/clock_while_training.json`: the same reading every ten steps. Each
takes about two CPU-minutes. `parts` writes `data/clock_parts.json`, in one: the reading while the parts of what a block
adds are changed, and whether it is the reading of a clock or of a list.
"""

from __future__ import annotations

import argparse
import json
import platform

import torch

from clockwork.kit import attention, datafiles, naive_codes, probes, tasks, training
from clockwork.kit.three_back import LENGTH, SEEDS, SETUP, learn, made, random_rows, rounded
from pe_helpers import sinusoidal

DATA = datafiles.CHECKOUT
PAPER = sinusoidal.inv_freq(32).float()
HAND = torch.arange(16)


def hands(inv_freq):
    """Return an encoding that adds hands of these speeds; 0 stops one."""

    def code(position_ids, d_model):
        angles = position_ids[:, None] * inv_freq
        return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)

    return naive_codes.FixedCode(code, 1.0)


CODES = {
    "all hands turn": lambda: hands(PAPER),
    "hand 0 stopped": lambda: hands(PAPER * (HAND > 0)),
    "hands 8 to 15 stopped": lambda: hands(PAPER * (HAND < 8)),
    "hands 3 to 15 stopped": lambda: hands(PAPER * (HAND < 3)),
    "all stopped": lambda: hands(0 * PAPER),
    "all 2.5 times as fast": lambda: hands(2.5 * PAPER),
    "random rows": random_rows,
}
ASKED = {"1 rad": 1.0, "0.75 rad": 0.75, "hand 1": float(PAPER[1]), "hand 8": 0.01, "2.5 rad": 2.5}


def clock() -> dict:
    """Return how much of each hand asked for a probe reads after the first block, for each code and control."""
    fit, test = torch.randint(16, (2, 200, LENGTH), generator=torch.manual_seed(9))
    places = torch.arange(LENGTH)
    shuffled = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(0))
    halves = {"fit_at": places[0::2], "test_at": places[1::2]}

    def after_block(model, texts, loudness, carried):
        with torch.no_grad():
            before, after, _ = model.trace(texts).hidden
        return carried * before + loudness * (after - before)

    def read(model, fit_at=places, test_at=places, place=places, loudness=1.0, carried=1.0):
        angles = place[:, None] * torch.tensor(list(ASKED.values()))
        tips = torch.stack([angles.sin(), angles.cos()], -1)
        known = after_block(model, fit, loudness, carried)[:, fit_at]
        new = after_block(model, test, loudness, carried)[:, test_at]
        return probes.share_read(known, tips[fit_at], new, tips[test_at])

    rows = {}
    right = {}
    for name, encoding in CODES.items():
        trained = learn(encoding)
        models = [trained.model(seed) for seed in SEEDS]
        right[name] = rounded(training.evaluate(trained, tasks.THREE_BACK, [LENGTH]).accuracy[:, 0])
        cases = {name: {}}
        if name in ("all hands turn", "random rows"):
            cases |= {f"{name}, shuffled": {"place": shuffled}, f"{name}, left out": halves}
            cases |= {f"{name}, shuffled and left out": {"place": shuffled} | halves}
        if name == "all hands turn":
            cases |= {"a tenth of the block": {"loudness": 0.1}, "the block's results alone": {"carried": 0.0}}
            fresh = []
            for seed in SEEDS:
                torch.manual_seed(seed)
                fresh.append(made(encoding))
            untrained = {"not trained": {}, "not trained, 20 times the block": {"loudness": 20.0}}
            untrained |= {"not trained, the results alone": {"carried": 0.0}}
            for told, how in untrained.items():
                rows[told] = torch.stack([read(model, **how) for model in fresh])
        for told, how in cases.items():
            rows[told] = torch.stack([read(model, **how) for model in models])
    share_read = {
        told: {hand: rounded(column) for hand, column in zip(ASKED, shares.T, strict=True)}
        for told, shares in rows.items()
    }
    return {"right": right, "share_read": share_read} | other_counts()


def coded_again(*settings, **keywords) -> attention.Transformer:
    """Return a transformer that adds its code again before every layer but the first."""
    model = attention.Transformer(*settings, **keywords)
    for block in model.blocks[1:]:
        block.register_forward_pre_hook(add_code)
    return model


def add_code(block, given: tuple) -> tuple:
    """Return what a block was given, with the code added once more."""
    x, position_ids, encoding, causal = given
    return encoding.add(x, position_ids), position_ids, encoding, causal


def other_counts() -> dict:
    """Return what models answer whose count begins later, whose hands stop, or that get the code in each layer.

    `moved` gives the share right for each number of tokens by which all positions are moved on; `moved, met` and
    `moved, beyond` give it apart for the positions that training had and for those after them. `stopped` gives it where
    hands point to 12 in the trained model alone. `coded`, for a code added once and for one added before every layer,
    gives the share right at two lengths and what a probe reads of hand 0 after the last block.
    """
    tokens, answers = tasks.k_back(256, LENGTH, generator=torch.manual_seed(2))
    fit, test = torch.randint(16, (2, 200, LENGTH), generator=torch.manual_seed(9))
    tips = tips_of(PAPER[:1])
    places = torch.arange(LENGTH)
    found = {"moved": {}, "moved, met": {}, "moved, beyond": {}, "stopped": {}, "coded": {}}
    for told, kind in {"once": attention.Transformer, "before every layer": coded_again}.items():
        trained = training.train(lambda kind=kind: kind(16, hands(PAPER), d_model=32), tasks.THREE_BACK, SEEDS, **SETUP)
        models = [trained.model(seed) for seed in SEEDS]
        right = training.evaluate(trained, tasks.THREE_BACK, [LENGTH, 4 * LENGTH]).accuracy.T
        with torch.no_grad():
            read = [
                probes.share_read(model.trace(fit).hidden[-1], tips, model.trace(test).hidden[-1]) for model in models
            ]
            if told == "once":
                for pads in (0, 1, 2, 4, 8, 16, 32):
                    answered = [model(tokens, places + pads) for model in models]
                    met = places + pads < LENGTH
                    for name, at in {"moved": places >= 0, "moved, met": met, "moved, beyond": ~met}.items():
                        if at.any():
                            found[name][pads] = right_at(answered, answers, at)
                for name, still in {"hand 0": HAND == 0, "hands 8 to 15": HAND >= 8}.items():
                    for model in models:
                        model.encoding = hands(PAPER * ~still)
                    found["stopped"][name] = right_at([model(tokens) for model in models], answers, places >= 0)
        found["coded"][told] = {
            "right at 32": rounded(right[0]),
            "right at 128": rounded(right[1]),
            "hand 0 at the top": rounded(torch.cat(read)),
        }
    return found


def tips_of(speeds):
    """Return where hands of these speeds point at each place, (length, speeds, 2)."""
    angles = torch.arange(LENGTH)[:, None] * speeds
    return torch.stack([angles.sin(), angles.cos()], -1)


def right_at(answered, answers, places):
    """Return the share of right answers at some of the places, for each model."""
    return rounded(torch.stack([tasks.accuracy(logits[:, places], answers[:, places]) for logits in answered]))


COMBS = 3  # seeds whose whole spectrum is kept; of all eight the shares at two speeds
FRAMES = range(0, SETUP["steps"] + 1, 10)
TUNED = torch.cat([PAPER[:11], torch.logspace(-2, 0.497, 60)]).sort().values  # rad per token


def frames() -> dict:
    """Return what a probe reads after the first block, and what the models answer, every ten steps of training.

    A training of fewer steps from the same seed is the beginning of a longer one: the learning rate is constant. The
    lengths are those of a token's 32 numbers, on average: as they come in, as the first block adds to them, and of the
    part of this that differs from text to text. The rest of what a block adds is its mean over a thousand other texts,
    one vector for each place. The controls: either part taken away; the part that differs given to a token of another
    text; the mean alone, made as long as all that the block adds; and what differs alone, made as long as the mean.
    """
    others = torch.randint(16, (1000, LENGTH), generator=torch.manual_seed(10))
    texts = torch.randint(16, (2, 200, LENGTH), generator=torch.manual_seed(9))
    angles = torch.arange(LENGTH)[:, None] * torch.cat([TUNED, torch.tensor([1.0, 0.75])])
    tips = torch.stack([angles.sin(), angles.cos()], -1)
    found = {"speeds": rounded(TUNED), "frames": []}
    for steps in FRAMES:
        setup = SETUP | {"steps": steps}
        trained = training.train(lambda: made(lambda: hands(PAPER)), tasks.THREE_BACK, SEEDS, **setup)
        with torch.no_grad():
            streams = [[trained.model(seed).trace(part).hidden[:2] for part in texts] for seed in SEEDS]
        before, after = torch.stack([torch.stack([torch.stack(part) for part in seed]) for seed in streams]).unbind(2)
        shared = torch.stack([added_on_average(trained.model(seed), others) for seed in SEEDS])[:, None, None]
        differs = after - before - shared
        added, by_words, of_mean = (mean_length(part) for part in (after - before, differs, shared))
        long_mean = shared * (added / of_mean)[:, None, None, None, None]
        short_words = differs * (of_mean / by_words)[:, None, None, None, None]
        exchange = shared + differs.roll(1, dims=2)
        heard = (before, after, *(before + part for part in (shared, differs, exchange, long_mean, short_words)))
        at_input, read, without_words, without_mean, exchanged, mean_long, words_short = (
            torch.stack([probes.share_read(known, tips, new) for known, new in stream]) for stream in heard
        )
        frame = {
            "right": training.evaluate(trained, tasks.THREE_BACK, [LENGTH]).accuracy[:, 0],
            "1 rad": read[:, -2],
            "0.75 rad": read[:, -1],
            "0.75 rad, at the input": at_input[:, -1],
            "1 rad, without what differs": without_words[:, -2],
            "1 rad, without the mean": without_mean[:, -2],
            "1 rad, with another text's": exchanged[:, -2],
            "1 rad, the mean as long as all": mean_long[:, -2],
            "1 rad, what differs as long as the mean": words_short[:, -2],
            "length in": mean_length(before),
            "length added": added,
            "length by words": by_words,
            "length of the mean": of_mean,
        }
        combs = {"share_read": read, "without what differs": without_words, "without the mean": without_mean}
        kept = {name: [rounded(share[:-2]) for share in shares[:COMBS]] for name, shares in combs.items()}
        found["frames"].append({"steps": steps} | {name: rounded(row) for name, row in frame.items()} | kept)
    return found


def added_on_average(model, texts):
    """Return what a model's first block adds at each place, the mean over texts, (length, d_model)."""
    with torch.no_grad():
        before, after, _ = model.trace(texts).hidden
    return (after - before).mean(0)


def mean_length(vectors):
    """Return the mean length of each model's vectors (models, ..., d_model)."""
    return vectors.norm(dim=-1).flatten(1).mean(1)


LOUDER = (0, 1, 2, 5, 10, 20)  # times what an untrained block adds


def parts() -> dict:
    """Return what a probe reads while the parts of what the first block adds are changed.

    `trained` has for each change, after training, the share read of hand 0; of a hand of 2.5 rad, which the code does
    not have; of hand 0 with the places shuffled; and of hand 0 at the odd places by a probe that is fitted at the even
    ones. A probe that finds a place as in a list reads the second and the third like the first, and not the fourth.
    `untrained` has, for each number of times that what the untrained blocks add is taken, and for each part of it, the
    share read of hand 0, and the mean lengths of both parts.
    """
    others = torch.randint(16, (1000, LENGTH), generator=torch.manual_seed(10))
    fit, test = torch.randint(16, (2, 200, LENGTH), generator=torch.manual_seed(9))
    shuffled = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(0))

    def taken_apart(model):
        with torch.no_grad():
            before, after = (
                torch.stack(pair) for pair in zip(*(model.trace(x).hidden[:2] for x in (fit, test)), strict=True)
            )
        shared = added_on_average(model, others)
        return before, shared, after - before - shared

    trained = learn(lambda: hands(PAPER))
    tips = tips_of(torch.tensor([1.0, 2.5]))
    found = {"trained": {}, "untrained": {}}
    for seed in SEEDS:
        before, shared, differs = taken_apart(trained.model(seed))
        furthest = torch.linalg.svd(differs[0].flatten(0, 1), full_matrices=False).Vh[:4]
        pressed = differs @ furthest.T @ furthest
        length = [part.norm(dim=-1).mean() for part in (differs, pressed, shared, shared + differs)]
        streams = {
            "nothing is added": before,
            "as it is": before + shared + differs,
            "what all texts share alone": before + shared,
            "what all texts share alone, as long as all": before + length[3] / length[2] * shared,
            "what differs, of one text, for all": before + shared + differs[0, 0],
            "what differs, in four directions": before + shared + length[0] / length[1] * pressed,
        }
        for name, (known, new) in streams.items():
            hand_0, absent = probes.share_read(known, tips, new).tolist()
            in_disorder = probes.share_read(known, tips[shuffled, :1], new).item()
            left_out = probes.share_read(known[:, ::2], tips[::2, :1], new[:, 1::2], tips[1::2, :1]).item()
            told = {"1 rad": hand_0, "2.5 rad": absent, "shuffled": in_disorder, "left out": left_out}
            for measure, share in told.items():
                found["trained"].setdefault(name, {}).setdefault(measure, []).append(round(share, 4))
    for seed in SEEDS:
        torch.manual_seed(seed)
        before, shared, differs = taken_apart(made(lambda: hands(PAPER)))
        for times in LOUDER:
            row = found["untrained"].setdefault(times, {"1 rad": {}, "lengths": []})
            row["lengths"].append(
                rounded(torch.stack([times * part.norm(dim=-1).mean() for part in (shared, differs)]))
            )
            for name, part in {
                "all": shared + differs,
                "what differs": differs,
                "what all texts share": shared,
            }.items():
                known, new = before + times * part
                share = probes.share_read(known, tips[:, :1], new).item()
                row["1 rad"].setdefault(name, []).append(round(share, 4))
    return found


FILES = {
    "clock": ("clock_in_model.json", clock),
    "frames": ("clock_while_training.json", frames),
    "parts": ("clock_parts.json", parts),
}


def main() -> None:
    """Write one of the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=FILES)
    what = parser.parse_args().what
    name, measure = FILES[what]
    torch.set_num_threads(1)
    about = {"command": f"python -m clockwork.lessons.lesson_03.look_inside {what}"}
    about |= {"python": platform.python_version(), "torch": torch.__version__, "seeds": list(SEEDS), **SETUP}
    (DATA / name).write_text(json.dumps(about | measure()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
