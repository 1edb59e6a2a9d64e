"""Let a decoder count from 0 or go on after the encoder: what lesson 14's smallest cross-attention answers.

`python -m clockwork.lessons.lesson_14.two_strips` writes data/two_strips.json: a few CPU-minutes.

A source of symbols is read, and eight answers are asked. The first task names the source's first eight symbols
(*copy*), the second its last eight, as a rhythm of eight that goes on (*continue*).
"""

from __future__ import annotations

import json
import math
import platform

import torch
from torch import Tensor, nn

from clockwork.kit import datafiles
from pe_helpers import rotary, sinusoidal

NAME = "two_strips.json"
DATA = datafiles.CHECKOUT / NAME
SEEDS = 8
SYMBOLS = 16
WIDTH = 32
HEADS = 4
ANSWERS = 8
LENGTHS = {"16": (16,), "8 to 24": (8, 12, 16, 20, 24)}  # of the sources in training
ASKED = (16, 24)  # and later
STEPS = 400
RATES = (1e-2, 3e-2)
BATCH = 16
TASKS = ("copy", "continue")
CODES = ("sinusoid", "rotary")
COUNTS = ("from 0", "on")


def share(name: str, asked: str = "as trained") -> float:
    """Return a recorded share of right answers, the mean of eight models, at the better of two learning rates.

    Example:
        >>> share("copy, rotary, from 0, 16") > 0.9
        True
    """
    runs = datafiles.read_part(NAME, "shares")[name].values()
    return sum(max(runs, key=lambda run: sum(run["as trained"]))[asked]) / SEEDS


class CrossAttention(nn.Module):
    """One layer in which each answer looks at the source, one model for each seed.

    Args:
        code: "sinusoid", added to the source and to what asks, or "rotary".
        count: whether the decoder counts "from 0" or "on" after the source.
    """

    def __init__(self, code: str, count: str):
        super().__init__()
        self.code, self.count = code, count
        draw = torch.Generator().manual_seed(0)

        def weight(*shape, scale=1.0):
            return nn.Parameter(scale * torch.randn(SEEDS, *shape, generator=draw))

        self.symbols = weight(SYMBOLS, WIDTH)
        self.asks = weight(1, WIDTH)
        self.queries, self.keys, self.values, self.out = (
            weight(WIDTH, WIDTH, scale=1 / math.sqrt(WIDTH)) for _ in range(4)
        )
        self.answers = weight(WIDTH, SYMBOLS, scale=1 / math.sqrt(WIDTH))

    def forward(self, source: Tensor) -> Tensor:
        """Return the answers' logits `(seeds, batch, answers, symbols)` to sources `(seeds, batch, tokens)`."""
        tokens = source.shape[-1]
        places = torch.arange(tokens), torch.arange(ANSWERS) + (tokens if self.count == "on" else 0)
        own = source.flatten(1) + SYMBOLS * torch.arange(SEEDS)[:, None]
        read = nn.functional.embedding(own, self.symbols.flatten(0, 1)).view(*source.shape, WIDTH)
        asks = self.asks[:, None].expand(-1, source.shape[1], ANSWERS, -1)
        if self.code == "sinusoid":
            read = read + sinusoidal.table(places[0], WIDTH)
            asks = asks + sinusoidal.table(places[1], WIDTH)

        def heads(x, weight):
            return (x.flatten(1, 2) @ weight).view(*x.shape[:3], HEADS, -1).transpose(-2, -3)

        queries, keys, values = heads(asks, self.queries), heads(read, self.keys), heads(read, self.values)
        if self.code == "rotary":
            queries, keys = rotary.rotate(queries, places[1]), rotary.rotate(keys, places[0])
        weights = (queries @ keys.mT / math.sqrt(WIDTH / HEADS)).softmax(-1)
        mixed = (weights @ values).transpose(-2, -3).flatten(-2).flatten(1, 2) @ self.out
        answers = nn.functional.layer_norm(mixed, (WIDTH,)) @ self.answers
        return answers.unflatten(1, (-1, ANSWERS))


def drawn(task: str, length: int, draw: torch.Generator, batch: int = BATCH) -> tuple[Tensor, Tensor]:
    """Return sources and the wanted answers, for each seed."""
    source = torch.randint(SYMBOLS, (SEEDS, batch, length), generator=draw)
    return source, source[..., :ANSWERS] if task == "copy" else source[..., -ANSWERS:]


def learned(code: str, count: str, task: str, lengths: tuple[int, ...], rate: float, steps: int = STEPS):
    """Train eight models and return them."""
    models = CrossAttention(code, count)
    optimizer = torch.optim.AdamW(models.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    draw = torch.Generator().manual_seed(1)
    for _ in range(steps):
        length = lengths[torch.randint(len(lengths), (), generator=draw)]
        source, wanted = drawn(task, length, draw)
        losses = nn.functional.cross_entropy(models(source).flatten(0, -2), wanted.flatten(), reduction="none")
        optimizer.zero_grad()
        losses.unflatten(0, (SEEDS, -1)).mean(1).sum().backward()
        optimizer.step()
        schedule.step()
    return models.requires_grad_(False)


def right(models: CrossAttention, task: str, length: int) -> list[float]:
    """Return each model's share of right answers for sources of a length."""
    source, wanted = drawn(task, length, torch.Generator().manual_seed(2), batch=128)
    return [round(share, 4) for share in (models(source).argmax(-1) == wanted).double().mean((1, 2)).tolist()]


def measured() -> dict:
    """Return the shares of right answers by task, code, count and lengths in training, at each rate."""
    found = {}
    for task in TASKS:
        for code in CODES:
            for count in COUNTS:
                for name, lengths in LENGTHS.items():
                    runs = found[f"{task}, {code}, {count}, {name}"] = {}
                    for rate in RATES:
                        models = learned(code, count, task, lengths, rate)
                        asked = {str(length): right(models, task, length) for length in lengths}
                        mean = [sum(shares) / len(lengths) for shares in zip(*asked.values(), strict=True)]
                        runs[str(rate)] = {"as trained": [round(share, 4) for share in mean]}
                        runs[str(rate)] |= {str(length): right(models, task, length) for length in ASKED}
    return found


def main() -> None:
    """Measure, and write the results."""
    torch.set_num_threads(1)
    about = {
        "command": "python -m clockwork.lessons.lesson_14.two_strips",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seeds": SEEDS,
        "steps": STEPS,
        "batch": BATCH,
    }
    DATA.write_text(json.dumps(about | {"parts": {"shares": measured()}}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
