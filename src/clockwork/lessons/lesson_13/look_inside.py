"""Look inside eight trained models for lesson 13.

`python -m clockwork.lessons.lesson_13.look_inside` trains the models of the lesson's page from the seeds 0 to 7 and
writes `data/shift_in_heads.json`: turning parts of the heads, and what the models answer from them. It takes about four
CPU-minutes.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable

import torch

from clockwork.kit import attention, datafiles, heads, tasks, training
from clockwork.kit.three_back import LENGTH, SEEDS, SETUP, learn, made, random_rows, rounded
from clockwork.kit.turned import turned
from pe_helpers import sinusoidal

DATA = datafiles.CHECKOUT
DRAWS = 4
ASKED = {f"{k} back": k for k in (1, 2, 3, 4, 5, 6, 8, 11, 15, 20)}


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

    def with_parts(change):
        if change is None:
            return models
        return [heads.rescored(model, change(W)) for model, W in zip(models, matrices, strict=True)]

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
        "3 · turning part, hands 0, 1": lambda W: 3 * keep({0, 1})(W),
        "turning part, hands 0 to 3": keep(set(range(4))),
    }
    found["right"] = {
        name: {length: right(with_parts(change), 3, length) for length in (LENGTH, 4 * LENGTH)}
        for name, change in changes.items()
    }
    for by in (16, 64, 200):
        for name, part in (("all of W", lambda W: W), ("turning part", heads.turning_part)):
            found["right"][f"{name}, {by} on"] = {LENGTH: right(with_parts(moved(by, part)), 3, LENGTH)}
    found["turned on"] = turned_on(models, matrices)
    found["lookalikes"] = lookalikes(models, matrices, sharpest)
    found["terms"] = terms(models, sharpest, texts)
    no_mean = torch.eye(32) - 1 / 32
    found["terms"]["right"]["all of W, the mean taken out"] = {
        LENGTH: right(with_parts(lambda W: no_mean @ W @ no_mean), 3, LENGTH)
    }
    return found | {"random rows": of_random_rows(texts)}


@torch.no_grad()
def right(models, k, length) -> list[float]:
    """Return the share of answers k back that each model gets right."""
    text, answer = tasks.k_back(64, length, k=k, generator=torch.manual_seed(2))
    return rounded(torch.stack([tasks.accuracy(model(text), answer) for model in models]))


def turned_on(models, matrices) -> dict:
    """Return what the models answer, by what is turned, how many tokens back is asked, and the length of the text."""
    found = {}
    for name, by in ASKED.items():
        arms = {arm: [] for arm in ("turning part", "all of W", "the query's clock")}
        on = sinusoidal.shift_matrix(by - 3, 32).float()
        for model, W in zip(models, matrices, strict=True):
            arms["turning part"].append(heads.rescored(model, heads.turning_part(W) @ on))
            arms["all of W"].append(heads.rescored(model, W @ on))
            arms["the query's clock"].append(turned(model, by - 3))
        found[name] = {
            arm: {length: right(changed, by, length) for length in (LENGTH, 2 * LENGTH, 4 * LENGTH)}
            for arm, changed in arms.items()
        }
    return found


def lookalikes(models, matrices, sharpest) -> dict:
    """Return what the turning parts answer at four times the length with some offsets hidden from the heads.

    *Liked* are the twelve offsets, none within two tokens of three back, that the sharpest head scores best, *four
    liked* the best of them. *Half* are drawn from the others, *any half* from all.
    """
    length = 4 * LENGTH
    draw = torch.Generator().manual_seed(0)
    any_half = torch.Generator().manual_seed(1)
    found = {"liked offsets": [], "keys hidden": {"half": [], "liked": []}, "right": {}}
    names = ("none", "half", "any half", "twelve others", "four liked", "liked", "all but liked")
    changed = {name: [] for name in names}
    places = torch.arange(length)
    for model, W, head in zip(models, matrices, sharpest, strict=True):
        part = heads.turning_part(W)
        codes = sinusoidal.table(length, 32).float()
        offsets = torch.tensor([k for k in range(8 - length, length - 3) if abs(k - 3) > 2])
        scores = codes @ part[head] @ codes.T
        back = places[:, None] - places
        best = torch.stack([scores[back == k].mean() for k in offsets]).argsort(descending=True)
        others = best[12:][torch.randperm(len(best) - 12, generator=draw)]
        hidden = {"none": [], "half": others[: len(offsets) // 2], "twelve others": others[:12], "liked": best[:12]}
        hidden["four liked"] = best[:4]
        hidden["all but liked"] = best[12:]
        hidden["any half"] = torch.randperm(len(best), generator=any_half)[: len(best) // 2]
        found["liked offsets"].append(sorted((offsets[best[:12]] - 3).tolist()))
        for name, kept in found["keys hidden"].items():
            kept.append(round(torch.isin(back, offsets[hidden[name]]).sum(1).float().mean().item(), 1))
        for name, few in hidden.items():
            changed[name].append(heads.rescored(model, part, hidden=offsets[few]))
    found["right"] = {name: right(each, 3, length) for name, each in changed.items()}
    return found


class Given(attention.Encoding):
    """Add given scores to those of each head."""

    def __init__(self, scores):
        super().__init__()
        self.scores = scores

    def bias(self, num_heads, position_ids):
        """Return the scores, whatever the positions are."""
        return self.scores


def inputs(model, texts) -> tuple:
    """Return the words, the codes of their places, and what the first LayerNorm divides their sum by."""
    word = model.embedding(texts)
    place = sinusoidal.table(texts.shape[1], 32, dtype=word.dtype).expand_as(word)
    divisor = (word + place).var(-1, unbiased=False, keepdim=True) + model.blocks[0].before_attention.eps
    return word, place, divisor.sqrt()


@torch.no_grad()
def split(model, texts) -> dict:
    """Return the first layer's scores as nine terms, of the word, the place and the bias in a query and in a key.

    LayerNorm is linear once its divisor is known, so the terms add up to the model's own scores.
    """
    block = model.blocks[0]
    norm = block.before_attention
    word, place, divisor = inputs(model, texts)
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


@torch.no_grad()
def between_codes(model, texts, matrices):
    """Return what a matrix for each head, between the codes of two places, adds to the first layer's scores."""
    _, place, divisor = inputs(model, texts)
    codes = (place / divisor)[:, None]
    return codes @ matrices @ codes.mT


@torch.no_grad()
def turning(model, texts):
    """Return what the turning parts of the heads add to the first layer's scores."""
    return between_codes(model, texts, heads.turning_part(heads.score_matrices(model)))


@torch.no_grad()
def random_part(model, texts, draw: int, loud: bool):
    """Return the scores of random matrices, as long as the heads' turning parts or, if `loud`, with scores as large."""
    part = heads.turning_part(heads.score_matrices(model))
    matrices = torch.randn(part.shape, generator=torch.Generator().manual_seed(draw))
    matrices *= part.norm(dim=(1, 2), keepdim=True) / matrices.norm(dim=(1, 2), keepdim=True)
    scores = between_codes(model, texts, matrices)
    return scores * (spread(between_codes(model, texts, part)) / spread(scores)) if loud else scores


def spread(scores):
    """Return how far each head's scores lie from the mean over the keys, which the softmax does not see."""
    return (scores - scores.mean(-1, keepdim=True)).square().mean((0, 2, 3), keepdim=True).sqrt()


def without(times: dict[str, int], *terms: str) -> dict[str, int]:
    """Return the same terms less some."""
    return {name: count for name, count in times.items() if name not in terms}


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
    everything = dict.fromkeys(split(models[0], texts), 1)
    kept = {  # how many times each term counts
        "all": everything,
        "without the cross terms": without(everything, "word·place", "place·word"),
        "without word·word": without(everything, "word·word"),
        "without place·place": without(everything, "place·place"),
        "without bias·place": without(everything, "bias·place"),
        "places and biases": {name: 1 for name in everything if "word" not in name},
        "place·place alone": {"place·place": 1},
        "3 · place·place alone": {"place·place": 3},
        "without the turning part": everything | {"turning": -1},
        "place·place its turning part, all else": without(everything, "place·place") | {"turning": 1},
        "place·place its turning part, words": {"word·word": 1, "turning": 1},
        "place·place its turning part, bias·place": {"bias·place": 1, "turning": 1},
        "place·place its turning part, words and cross terms": {
            term: 1 for term in ("turning", "word·word", "word·place", "place·word")
        },
        "place·place its turning part, all else but bias·place": without(everything, "place·place", "bias·place")
        | {"turning": 1},
    }
    answers = {}
    for name, times in kept.items():

        def summed(model, text, times=times):
            parts = split(model, text) | {"turning": turning(model, text)}
            return sum(count * parts[term] for term, count in times.items())

        answers[name] = {length: answered(models, length, summed) for length in (LENGTH, 4 * LENGTH)}
    for name, loud in (("without a random matrix", False), ("without a random part", True)):
        answers[name] = {
            length: [random_taken(models, length, draw, loud) for draw in range(DRAWS)]
            for length in (LENGTH, 4 * LENGTH)
        }
    return {"off the weights by": max(errors), "sizes": sizes, "right": answers}


@torch.no_grad()
def answered(models, length, scores: Callable) -> list[float]:
    """Return the share of answers that each model gets right with `scores(model, text)` in its first layer."""
    text, answer = tasks.k_back(64, length, k=3, generator=torch.manual_seed(2))
    changed = [with_scores(model, scores(model, text)) for model in models]
    return rounded(torch.stack([tasks.accuracy(model(text), answer) for model in changed]))


def random_taken(models, length, draw: int, loud: bool) -> list[float]:
    """Return what each model answers with a random part of its scores taken away, and nothing else."""

    def scores(model, text):
        return sum(split(model, text).values()) - random_part(model, text, draw, loud)

    return answered(models, length, scores)


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
    about = {"command": "python -m clockwork.lessons.lesson_13.look_inside"}
    about |= {"python": platform.python_version(), "torch": torch.__version__, "seeds": list(SEEDS), **SETUP}
    (DATA / "shift_in_heads.json").write_text(json.dumps(about | shifts()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
