"""Train small models for lesson 09 and save their position tables: `python -m tools.train_small_tables`.

Two questions, four seeds each. Does a special token that closes cut texts mark its row? And does a causal mask decide
whether a table holds the position? What changes is one thing each time. The settings and scores are in the metadata of
data/small_tables.safetensors.
"""

import json

import torch
from safetensors.torch import save_file

from pe_helpers import attention, probes, tasks, training

FILE = probes.MINILM_TABLE.with_name("small_tables.safetensors")
SEEDS = range(4)
ROWS = 48
D_MODEL = 32
CUT = 32  # tokens
CLOSING = 16  # the token after the 16 symbols
LEARNING_RATE = 0.01
STEPS = 400


def closed(batch_size: int, seq_len: int, *, generator: torch.Generator, cut: int = CUT, close: bool = True):
    """Draw texts of *who came first?* of at most `cut` tokens, the last of which closes the text if `close`."""
    length = min(seq_len, cut)
    tokens, targets = tasks.who_came_first(batch_size, length - close, generator=generator)
    end = torch.full((batch_size, 1), CLOSING)
    return (torch.cat([tokens, end], 1) if close else tokens), targets


def task(name: str, draw, lengths: tuple[int, int]) -> tasks.Task:
    """Make a task of 17 tokens."""
    return tasks.Task(name, CLOSING + 1, 0.5, lengths, STEPS, draw, draw)


def without_closing(*args, **kwargs):
    """Draw the same texts without the closing token."""
    return closed(*args, close=False, **kwargs)


RUNS = {  # what is trained, and whether with a causal mask
    "closed and cut": (task("closed_and_cut", closed, (8, 56)), False),
    "cut": (task("cut", without_closing, (8, 56)), False),
    "closed": (task("closed", closed, (8, CUT)), False),
    "3 back, no mask": (tasks.THREE_BACK, False),
    "3 back, mask": (tasks.THREE_BACK, True),
}


def train(problem: tasks.Task, causal: bool) -> training.Trained:
    """Train a small model for each seed, with a learned table drawn at standard deviation 0.02."""

    def model():
        encoding = attention.Learned(ROWS, D_MODEL, std=0.02)
        return attention.Transformer(CLOSING + 1, encoding, d_model=D_MODEL, causal=causal)

    return training.train(model, problem, SEEDS, steps=STEPS, batch_size=16, learning_rate=LEARNING_RATE)


def main() -> None:
    """Train all, and write their tables and scores."""
    tables = {}
    about = {"settings": f"lr {LEARNING_RATE}, {STEPS} steps, d_model {D_MODEL}, std 0.02, seeds {list(SEEDS)}"}
    for name, (problem, causal) in RUNS.items():
        trained = train(problem, causal)
        tables[name] = next(tensor for key, tensor in trained.state.items() if key.startswith("encoding")).contiguous()
        scores = training.evaluate(trained, problem, lengths=[CUT]).accuracy[:, 0]
        about[name] = json.dumps([round(score, 3) for score in scores.tolist()])
        print(name, about[name])
    about["torch"] = torch.__version__
    save_file(tables, FILE, metadata=about)


if __name__ == "__main__":
    main()
