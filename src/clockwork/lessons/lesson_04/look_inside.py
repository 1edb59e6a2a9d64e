"""Look inside eight trained models for lessons 03 and 04.

`python -m clockwork.lessons.lesson_04.look_inside clock` (or `heads`) trains the models of the lesson's page from the
seeds 0 to 7 and writes what the page measures on three of them: `data/clock_in_model.json` (how much of a hand a probe
reads) and `data/shift_in_heads.json` (turning parts of the heads, and what the models answer from them). Each takes
about two CPU-minutes.
"""

from __future__ import annotations

import argparse
import json
import platform

import torch
from torch.nn import functional

from clockwork.kit import datafiles, heads, naive_codes
from pe_helpers import attention, probes, sinusoidal, tasks, training

DATA = datafiles.CHECKOUT
SEEDS = range(8)
SETUP = {"steps": 250, "batch_size": 16, "learning_rate": 0.01}
LENGTH = 32  # tokens, in training
PAPER = sinusoidal.inv_freq(32).float()
HAND = torch.arange(16)


def hands(inv_freq):
    """Return an encoding that adds hands of these speeds; 0 stops one."""

    def code(position_ids, d_model):
        angles = position_ids[:, None] * inv_freq
        return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)

    return naive_codes.FixedCode(code, 1.0)


def random_rows():
    """Return an encoding that adds random rows as long as the sinusoid's."""
    rows = functional.normalize(torch.randn(LENGTH, 32, generator=torch.Generator().manual_seed(0)))
    return naive_codes.FixedCode(lambda position_ids, d_model: rows[position_ids], 4.0)


def learn(encoding):
    """Train the model of lessons 02 to 04 with an encoding, from eight seeds."""
    return training.train(lambda: made(encoding), tasks.THREE_BACK, SEEDS, **SETUP)


def made(encoding):
    """Return the untrained model."""
    return attention.Transformer(16, encoding(), d_model=32)


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
    """Return what models answer whose count begins later than in training, and those that get the code in each layer.

    `moved` gives the share right for each number of tokens by which all positions are moved on; `coded`, for a code
    added once and for one added before every layer, the share right at two lengths and what a probe reads of hand 0
    after the last block.
    """
    tokens, answers = tasks.k_back(256, LENGTH, generator=torch.manual_seed(2))
    fit, test = torch.randint(16, (2, 200, LENGTH), generator=torch.manual_seed(9))
    angles = torch.arange(LENGTH)[:, None] * PAPER[:1]
    tips = torch.stack([angles.sin(), angles.cos()], -1)
    found = {"moved": {}, "coded": {}}
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
                    answered = [model(tokens, torch.arange(LENGTH) + pads) for model in models]
                    found["moved"][pads] = rounded(torch.stack([tasks.accuracy(x, answers) for x in answered]))
        found["coded"][told] = {
            "right at 32": rounded(right[0]),
            "right at 128": rounded(right[1]),
            "hand 0 at the top": rounded(torch.cat(read)),
        }
    return found


def turning_part(W):
    """Keep what turns and stretches each hand, of matrices (..., 32, 32)."""
    blocks = torch.block_diag(*torch.ones(16, 2, 2))
    quarter = torch.block_diag(*torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).expand(16, 2, 2))
    own = W * blocks
    return (own + quarter.T @ own @ quarter) / 2


def shifts() -> dict:
    """Return the turning part of each model's sharpest head, and what the models answer when scores are replaced."""
    trained = learn(attention.Sinusoid)
    models = [trained.model(seed) for seed in SEEDS]
    texts = torch.randint(16, (64, LENGTH), generator=torch.manual_seed(1))
    sharpest = [heads.sharpest(model, texts) for model in models]
    matrices = [heads.score_matrices(model) for model in models]
    own = [W[head] for W, head in zip(matrices, sharpest, strict=True)]
    parts = [turning_part(W) for W in own]
    rows = [torch.complex(part[0::2, 0::2].diagonal(), part[0::2, 1::2].diagonal()) for part in parts]
    strengths = [row.abs().square() / row.abs().square().sum() for row in rows]
    draw = torch.Generator().manual_seed(0)
    orders = [torch.randperm(32, generator=draw) for _ in range(200)]
    found = {
        "share": [share(W) for W in own],
        "share, shuffled": [round(sum(share(W[order][:, order]) for order in orders) / 200, 4) for W in own],
        "share, not trained": untrained_shares(texts),
        "angles": [rounded(row.angle()[:4]) for row in rows],
        "strengths": [rounded(strength[:4]) for strength in strengths],
    }

    def right(k, length, change=None):
        text, answer = tasks.k_back(64, length, k=k, generator=torch.manual_seed(2))
        changed = models
        if change is not None:
            changed = [heads.rescored(model, change(W)) for model, W in zip(models, matrices, strict=True)]
        return torch.stack([tasks.accuracy(model(text).detach(), answer) for model in changed])

    def keep(chosen):
        mask = torch.block_diag(*[torch.full((2, 2), float(hand in chosen)) for hand in range(16)])
        return lambda W: turning_part(W) * mask

    def moved(by, part):
        far = sinusoidal.shift_matrix(by, 32).float()
        return lambda W: far.T @ part(W) @ far

    changes = {
        "as trained": None,
        "all of W": lambda W: W,
        "3 · all of W": lambda W: 3 * W,
        "the rest": lambda W: W - turning_part(W),
        "turning part": turning_part,
        "3 · turning part": lambda W: 3 * turning_part(W),
        "turning part, hands 0, 1": keep({0, 1}),
        "turning part, hands 0 to 3": keep(set(range(4))),
    }
    found["right"] = {
        name: {length: rounded(right(3, length, change)) for length in (LENGTH, 4 * LENGTH)}
        for name, change in changes.items()
    }
    for by in (16, 64, 200):
        for name, part in (("all of W", lambda W: W), ("turning part", turning_part)):
            found["right"][f"{name}, {by} on"] = {LENGTH: rounded(right(3, LENGTH, moved(by, part)))}
    two = sinusoidal.shift_matrix(2, 32).float()
    found["five back"] = {
        name: {length: rounded(right(5, length, lambda W, part=part: part(W) @ two)) for length in (LENGTH, 4 * LENGTH)}
        for name, part in (("all of W", lambda W: W), ("turning part", turning_part))
    }
    found["terms"] = terms(models, sharpest, texts)
    no_mean = torch.eye(32) - 1 / 32
    found["terms"]["right"]["all of W, the mean taken out"] = {
        LENGTH: rounded(right(3, LENGTH, lambda W: no_mean @ W @ no_mean))
    }
    return found | {"random rows": of_random_rows(texts)}


class Given(attention.Encoding):
    """Add given scores to those of each head."""

    def __init__(self, scores):
        super().__init__()
        self.scores = scores

    def bias(self, num_heads, position_ids):
        """Return the scores, whatever the positions are."""
        return self.scores


@torch.no_grad()
def split(model, texts) -> dict:
    """Return the first layer's scores as nine terms, of the word, the place and the bias in a query and in a key.

    LayerNorm is linear once its divisor is known, so the terms add up to the model's own scores.
    """
    block = model.blocks[0]
    norm = block.before_attention
    word = model.embedding(texts)
    place = sinusoidal.table(texts.shape[1], 32, dtype=word.dtype).expand_as(word)
    divisor = ((word + place).var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()
    made = {
        name: (part - part.mean(-1, keepdim=True)) / divisor @ (block.qkv.weight * norm.weight).T
        for name, part in (("word", word), ("place", place))
    }
    made["bias"] = (block.qkv.bias + block.qkv.weight @ norm.bias).expand_as(made["word"])
    by_head = {
        name: rows.unflatten(-1, (3, block.num_heads, -1)).movedim(-3, 0).transpose(-3, -2)
        for name, rows in made.items()
    }
    return {
        f"{query}·{key}": by_head[query][0] @ by_head[key][1].mT / by_head[key].shape[-1] ** 0.5
        for query in by_head
        for key in by_head
    }


@torch.no_grad()
def with_scores(model, scores):
    """Return a copy of the model in which the first layer's scores are these."""
    silent = heads.rescored(model, torch.zeros(32, 32))
    block = silent.blocks[0]
    given = Given(scores)
    block.forward = lambda x, position_ids, encoding, causal: type(block).forward(block, x, position_ids, given, causal)
    return silent


def terms(models, sharpest, texts) -> dict:
    """Return how large the terms of the first layer's scores are, and what the models answer without some of them."""
    sizes = {}
    errors = []
    for model, head in zip(models, sharpest, strict=True):
        parts = split(model, texts)
        whole = sum(parts.values()).softmax(-1)
        errors.append((whole - model.trace(texts).weights[0]).abs().max().item())
        for name, part in parts.items():
            if not name.endswith("·bias"):  # the same for all keys, so the softmax does not see it
                own = part[:, head] - part[:, head].mean(-1, keepdim=True)
                sizes.setdefault(name, []).append(round(own.square().mean().sqrt().item(), 4))
    everything = set(split(models[0], texts))
    cross = {"word·place", "place·word"}
    alone = {"place·place"}
    kept = {
        "all": (1, everything),
        "without the cross terms": (1, everything - cross),
        "without word·word": (1, everything - {"word·word"}),
        "without place·place": (1, everything - alone),
        "without bias·place": (1, everything - {"bias·place"}),
        "places and biases": (1, {name for name in everything if "word" not in name}),
        "place·place alone": (1, alone),
        "3 · place·place alone": (3, alone),
    }
    answers = {}
    for name, (loudness, chosen) in kept.items():
        answers[name] = {}
        for length in (LENGTH, 4 * LENGTH):
            text, answer = tasks.k_back(64, length, k=3, generator=torch.manual_seed(2))
            shares = []
            for model in models:
                scores = sum(part for term, part in split(model, text).items() if term in chosen)
                changed = with_scores(model, loudness * scores)
                shares.append(tasks.accuracy(changed(text).detach(), answer))
            answers[name][length] = rounded(torch.stack(shares))
    return {"off the weights by": max(errors), "sizes": sizes, "right": answers}


def untrained_shares(texts) -> list[float]:
    """Return the turning part's share in the sharpest head of each untrained model."""
    shares = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        model = made(attention.Sinusoid)
        shares.append(share(heads.score_matrices(model)[heads.sharpest(model, texts)]))
    return shares


def of_random_rows(texts) -> dict:
    """Return the share, and the answers at the trained length, of models with random rows in place of the sinusoid."""
    trained = learn(random_rows)
    models = [trained.model(seed) for seed in SEEDS]
    shares = [share(heads.score_matrices(model)[heads.sharpest(model, texts)]) for model in models]
    right = training.evaluate(trained, tasks.THREE_BACK, [LENGTH]).accuracy[:, 0]
    return {"share": shares, "right": rounded(right)}


def share(W) -> float:
    """Return how much of |W|² is turning part."""
    return round((turning_part(W).square().sum() / W.square().sum()).item(), 4)


def rounded(values) -> list[float]:
    """Return numbers with the digits that are kept."""
    return [round(value, 4) for value in values.tolist()]


FILES = {"clock": ("clock_in_model.json", clock), "heads": ("shift_in_heads.json", shifts)}


def main() -> None:
    """Write one of the two files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=FILES)
    what = parser.parse_args().what
    name, measure = FILES[what]
    torch.set_num_threads(1)
    about = {"command": f"python -m clockwork.lessons.lesson_04.look_inside {what}"}
    about |= {"python": platform.python_version(), "torch": torch.__version__, "seeds": list(SEEDS), **SETUP}
    (DATA / name).write_text(json.dumps(about | measure()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
