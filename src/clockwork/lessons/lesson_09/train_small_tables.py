"""Train small models for lesson 09 and save their position tables.

`python -m clockwork.lessons.lesson_09.train_small_tables` writes data/small_tables.safetensors.

Does a special token that closes each text mark its row? A model learns *3 back* from texts cut to 32 tokens, with and
without that token. Does a causal mask decide whether a table holds the position, or does the task? The model learns
*3 back* without and with a mask (four seeds each, as before), and text: masked bytes without a mask, the next byte with
one (two seeds each). The settings and last losses are in the metadata of data/small_tables.safetensors.
"""

import dataclasses
import functools
import json

import torch
from safetensors.torch import save_file

from clockwork.kit import attention, tasks, training
from clockwork.lessons.lesson_09 import position_tables

FILE = position_tables.MINILM_TABLE.with_name("small_tables.safetensors")
D_MODEL = 32
LENGTH = 64  # bytes
MASK = 256  # the token that hides a byte
MASKED_SHARE = 0.15  # as in BERT
CUT = 32  # tokens
CLOSING = 16  # the token that closes a text, after the 16 symbols
LENGTHS = (8, 56)  # tokens, before the cut


def masked_byte(batch_size, seq_len, *, generator, held_out=False):
    """Draw pieces of source with some bytes hidden; the targets are the hidden bytes."""
    tokens, _ = tasks.next_byte(batch_size, seq_len, generator=generator, held_out=held_out)
    hidden = torch.rand(tokens.shape, generator=generator) < MASKED_SHARE
    return tokens.masked_fill(hidden, MASK), tokens.masked_fill(~hidden, tasks.NO_ANSWER)


def closed(batch_size, seq_len, *, generator, close=True):
    """Draw texts of *3 back* of at most CUT tokens; the last is the closing token if `close`, and has no answer."""
    length = min(seq_len, CUT)
    tokens, targets = tasks.k_back(batch_size, length - close, generator=generator)
    if not close:
        return tokens, targets
    end = torch.full((batch_size, 1), CLOSING)
    return torch.cat([tokens, end], 1), torch.cat([targets, torch.full_like(end, tasks.NO_ANSWER)], 1)


MASKED_BYTE = tasks.Task(
    "masked_byte",
    MASK + 1,
    1 / 256,
    (LENGTH, LENGTH),
    2000,
    masked_byte,
    functools.partial(masked_byte, held_out=True),
)
BYTES = {"rows": LENGTH, "tokens": MASK + 1, "seeds": range(2), "steps": 2000, "learning_rate": 0.005}
CUTS = {"rows": 48, "tokens": CLOSING + 1, "seeds": range(4), "steps": 500, "learning_rate": 0.01}
SYMBOLS = {"rows": 32, "tokens": 16, "seeds": range(4), "steps": 400, "learning_rate": 0.01}
CLOSED = tasks.Task("closed", CLOSING + 1, 1 / 16, LENGTHS, 500, closed, closed)
OPEN = dataclasses.replace(
    CLOSED, draw=functools.partial(closed, close=False), draw_test=functools.partial(closed, close=False)
)
RUNS = {  # the task, whether with a causal mask, and the settings
    "cut at 32, closing token": (CLOSED, False, CUTS),
    "cut at 32, none": (OPEN, False, CUTS),
    "3 back, no mask": (tasks.THREE_BACK, False, SYMBOLS),
    "3 back, mask": (tasks.THREE_BACK, True, SYMBOLS),
    "masked bytes, no mask": (MASKED_BYTE, False, BYTES),
    "next byte, mask": (tasks.NEXT_BYTE, True, BYTES),
}


def train(task: tasks.Task, causal: bool, settings: dict) -> training.Trained:
    """Train a small model for each seed, with a learned table drawn at standard deviation 0.02."""

    def model():
        encoding = attention.Learned(settings["rows"], D_MODEL, std=0.02)
        return attention.Transformer(settings["tokens"], encoding, d_model=D_MODEL, causal=causal)

    how = {name: settings[name] for name in ("steps", "learning_rate")}
    return training.train(model, task, settings["seeds"], batch_size=16, **how)


def main() -> None:
    """Train all, and write their tables and last losses."""
    tables = {}
    about = {"torch": torch.__version__}
    for name, (task, causal, settings) in RUNS.items():
        trained = train(task, causal, settings)
        tables[name] = next(tensor for key, tensor in trained.state.items() if key.startswith("encoding")).contiguous()
        losses = [round(loss, 3) for loss in trained.losses[-50:].mean(0).tolist()]
        about[name] = json.dumps({"steps": settings["steps"], "losses": losses})
        print(name, about[name])
    save_file(tables, FILE, metadata=about)


if __name__ == "__main__":
    main()
