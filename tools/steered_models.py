"""Train the two models that readers steer: `python -m tools.steered_models` writes data/steered_models.json.

Both have one layer and `d_model` 32, about 14,000 numbers, kept as float16. *Who is hurt?* reads sentences such as "tom
bit a dog", stretched by further articles, and names the one that something is done to. The knob's model answers *three
back*; the clocks of its letters that look are turned while a reader watches. Eight seeds of each are measured, the
first is kept: about a minute of one processor.
"""

from __future__ import annotations

import base64
import itertools
import json
from pathlib import Path

import numpy as np
import torch

from clockwork.kit import attention, tasks, training
from clockwork.kit.playground.kept import named_as_in_the_engine
from clockwork.kit.turned import turned

DATA = Path(__file__).resolve().parent.parent / "data/steered_models.json"
SEEDS = range(8)
NAMES = ("tom", "anna", "dog", "cat", "man", "bear")
VERBS = ("bit", "saw", "hit", "fed")
WORDS = ("a", *NAMES, *VERBS)
SENTENCE = ("tom", "bit", "a", "dog")
PLACES = torch.arange(0, 7.01, 0.1)  # where tom is put, in tokens
KNOB = (1, 2, 3, 4, 5, 6, 8, 11, 15, 20)  # how far back the turned model is asked
WIDTH = 32


def sentences(batch_size: int, seq_len: int, *, generator: torch.Generator) -> tasks.Batch:
    """Draw "NAME VERB a NAME", stretched to `seq_len` words by further articles; the target is the second name."""
    names = 1 + torch.rand(batch_size, len(NAMES), generator=generator).topk(2).indices
    verbs = torch.randint(1 + len(NAMES), len(WORDS), (batch_size, 1), generator=generator)
    said = torch.cat([names[:, :1], verbs, torch.zeros_like(verbs), names[:, 1:]], 1)
    places = torch.rand(batch_size, seq_len, generator=generator).topk(4).indices.sort(1).values
    return torch.zeros(batch_size, seq_len, dtype=torch.long).scatter(1, places, said), names[:, 1]


HURT = tasks.Task("who_is_hurt", len(WORDS), 1 / 2, (4, 8), 300, sentences, sentences)
BACK = tasks.Task("three_back", 16, 1 / 16, (32, 32), 300, tasks.k_back, tasks.k_back)


def main() -> None:
    """Train, measure and write."""
    torch.set_num_threads(1)
    DATA.write_text(json.dumps({"who is hurt": who_is_hurt(), "knob": knob()}, indent=1) + "\n", "utf-8")


def who_is_hurt() -> dict:
    """Train on the sentences with and without a code; find where the answer flips as *tom* is moved."""
    trained = trained_on(HURT, attention.Sinusoid(), num_heads=4)
    without = trained_on(HURT, attention.Encoding(), num_heads=4)
    text = torch.tensor([[WORDS.index(word) for word in SENTENCE]])
    flips = []
    for seed in SEEDS:
        model = trained.model(seed)
        answers = [WORDS[answer(model, text, [float(place), 1.0, 2.0, 3.0])] for place in PLACES]
        changes = [i for i, (one, other) in enumerate(itertools.pairwise(answers), 1) if one != other]
        flips.append({"answers": list(dict.fromkeys(answers)), "at": [round(float(PLACES[i]), 1) for i in changes]})
    return kept(trained.model(0), causal=False) | {
        "words": WORDS,
        "no clocks": kept(without.model(0), causal=False, code="none"),
        "accuracy": training.evaluate(trained, HURT, [4, 6, 8]).accuracy.tolist(),
        "without a code": training.evaluate(without, HURT, [4, 6, 8]).accuracy.tolist(),
        "flips": flips,
    }


@torch.no_grad()
def answer(model: attention.Transformer, text: torch.Tensor, positions: list[float]) -> int:
    """Return the word with which the model answers a text whose words stand at `positions`."""
    return int(model(text, torch.tensor(positions)).mean(1).argmax())


def knob() -> dict:
    """Train *three back*; ask the turned model for other distances."""
    trained = trained_on(BACK, attention.Sinusoid(), num_heads=1, learning_rate=0.01)
    models = [trained.model(seed) for seed in SEEDS]
    right = [[asked(model, k) for k in KNOB] for model in models]
    return kept(models[0], causal=False) | {"asked": KNOB, "right": right}


def trained_on(task: tasks.Task, encoding: attention.Encoding, *, num_heads: int, learning_rate: float = 0.005):
    """Train a model of one layer with each seed."""

    def make() -> attention.Transformer:
        return attention.Transformer(task.vocab_size, encoding, d_model=WIDTH, num_heads=num_heads, num_layers=1)

    return training.train(make, task, SEEDS, steps=task.steps, batch_size=32, learning_rate=learning_rate)


@torch.no_grad()
def asked(model: attention.Transformer, k: int) -> float:
    """Return the share of texts' tokens at which the turned model names the symbol `k` back."""
    tokens, targets = tasks.k_back(64, BACK.trained_to, k=k, generator=torch.Generator().manual_seed(2))
    return round(tasks.accuracy(turned(model, k - 3)(tokens), targets).item(), 4)


def kept(model: attention.Transformer, *, causal: bool, code: str = "sinusoid") -> dict:
    """Return a model as JSON: what the engine must know to build it, and its weights as float16."""
    weights = {name: value.detach().numpy().astype("<f2") for name, value in named_as_in_the_engine(model).items()}
    settings = {"code": code, "vocab": model.head.out_features, "d": WIDTH, "layers": 1, "causal": causal}
    return {
        "settings": settings | {"heads": model.blocks[0].num_heads},
        "weights": {name: base64.b64encode(np.ascontiguousarray(value)).decode() for name, value in weights.items()},
    }


if __name__ == "__main__":
    main()
