"""Train lesson 09's small encoder and decoder on the bytes of Python's source, and save their position tables.

`python tools/train_small_tables.py` writes data/small_tables.safetensors; two seeds each, some minutes of CPU time.
"""

import functools
import sys

import torch
from safetensors.torch import save_file

from pe_helpers import attention, probes, tasks, training

FILE = probes.MINILM_TABLE.with_name("small_tables.safetensors")
LENGTH = 64  # tokens
D_MODEL = 32
STEPS = 2000
SEEDS = range(2)
MASK = 256  # the token that hides a byte
MASKED_SHARE = 0.15  # as in BERT


def masked_byte(batch_size, seq_len, *, generator, held_out=False):
    """Draw pieces of source with some bytes hidden; the targets are the hidden bytes."""
    tokens, _ = tasks.next_byte(batch_size, seq_len, generator=generator, held_out=held_out)
    hidden = torch.rand(tokens.shape, generator=generator) < MASKED_SHARE
    return tokens.masked_fill(hidden, MASK), tokens.masked_fill(~hidden, tasks.NO_ANSWER)


MASKED_BYTE = tasks.Task(
    "masked_byte",
    MASK + 1,
    1 / 256,
    (LENGTH, LENGTH),
    STEPS,
    masked_byte,
    functools.partial(masked_byte, held_out=True),
)


def train(task: tasks.Task, causal: bool, steps: int = STEPS) -> training.Trained:
    """Train a small model for each seed, with a learned table drawn at standard deviation 0.02."""

    def model():
        encoding = attention.Learned(LENGTH, D_MODEL, std=0.02)
        return attention.Transformer(MASK + 1, encoding, d_model=D_MODEL, causal=causal)

    return training.train(model, task, SEEDS, steps=steps, batch_size=16, learning_rate=5e-3)


def main() -> None:
    """Train both, report their loss and write the tables."""
    tables = {}
    about = {}
    for name, task, causal in (("encoder", MASKED_BYTE, False), ("decoder", tasks.NEXT_BYTE, True)):
        trained = train(task, causal)
        tables[name] = next(tensor for key, tensor in trained.state.items() if key.startswith("encoding")).contiguous()
        about[name] = f"{STEPS} steps, losses {[round(x, 3) for x in trained.losses[-50:].mean(0).tolist()]}"
    about["python"] = sys.version.split()[0]
    about["torch"] = torch.__version__
    save_file(tables, FILE, metadata=about)
    print(about)


if __name__ == "__main__":
    main()
