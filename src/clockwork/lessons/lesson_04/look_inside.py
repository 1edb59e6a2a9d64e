"""Look inside eight trained models for lesson 04.

`python -m clockwork.lessons.lesson_04.look_inside` trains the models of the lesson's page from the seeds 0 to 7 and
writes `data/shift_in_heads.json`: turning parts of the heads, and what the models answer from them. It takes about two
CPU-minutes.
"""

from __future__ import annotations

import json
import platform

import torch

from clockwork.kit import datafiles, heads
from clockwork.kit.three_back import LENGTH, SEEDS, SETUP, learn, made, random_rows, rounded
from pe_helpers import attention, sinusoidal, tasks, training

DATA = datafiles.CHECKOUT


def shifts() -> dict:
    """Return the turning part of each model's sharpest head, and what the models answer when scores are replaced."""
    trained = learn(attention.Sinusoid)
    models = [trained.model(seed) for seed in SEEDS]
    texts = torch.randint(16, (64, LENGTH), generator=torch.manual_seed(1))
    sharpest = [heads.sharpest(model, texts) for model in models]
    matrices = [heads.score_matrices(model) for model in models]
    own = [W[head] for W, head in zip(matrices, sharpest, strict=True)]
    parts = [heads.turning_part(W) for W in own]
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
        return lambda W: heads.turning_part(W) * mask

    def moved(by, part):
        far = sinusoidal.shift_matrix(by, 32).float()
        return lambda W: far.T @ part(W) @ far

    changes = {
        "as trained": None,
        "all of W": lambda W: W,
        "3 · all of W": lambda W: 3 * W,
        "the rest": lambda W: W - heads.turning_part(W),
        "turning part": heads.turning_part,
        "3 · turning part": lambda W: 3 * heads.turning_part(W),
        "turning part, hands 0, 1": keep({0, 1}),
        "turning part, hands 0 to 3": keep(set(range(4))),
    }
    found["right"] = {
        name: {length: rounded(right(3, length, change)) for length in (LENGTH, 4 * LENGTH)}
        for name, change in changes.items()
    }
    for by in (16, 64, 200):
        for name, part in (("all of W", lambda W: W), ("turning part", heads.turning_part)):
            found["right"][f"{name}, {by} on"] = {LENGTH: rounded(right(3, LENGTH, moved(by, part)))}
    two = sinusoidal.shift_matrix(2, 32).float()
    found["five back"] = {
        name: {length: rounded(right(5, length, lambda W, part=part: part(W) @ two)) for length in (LENGTH, 4 * LENGTH)}
        for name, part in (("all of W", lambda W: W), ("turning part", heads.turning_part))
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
    return round((heads.turning_part(W).square().sum() / W.square().sum()).item(), 4)


def main() -> None:
    """Write the file."""
    torch.set_num_threads(1)
    about = {"command": "python -m clockwork.lessons.lesson_04.look_inside"}
    about |= {"python": platform.python_version(), "torch": torch.__version__, "seeds": list(SEEDS), **SETUP}
    (DATA / "shift_in_heads.json").write_text(json.dumps(about | shifts()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
