"""Record what models make of turned words: `python -m clockwork.lessons.lesson_04b.turned_models`.

Models of *three back* turn some of a head's four pairs of numbers, or their values as well, once or back again where
they are read; four seeds each, without a mask and with a causal one, of two layers and of one. Writes
data/turned_models.json in some ten minutes of one processor; `… "values, one layer"` records that part alone.
"""

import json
import sys
from functools import partial

import torch
from torch import Tensor

from clockwork.kit import attention, datafiles, tasks, three_back, training
from pe_helpers import rotary

FILE = datafiles.CHECKOUT / "turned_models.json"
SEEDS = range(4)
LENGTHS = (32, 64)  # tokens: as in training, and twice that
PAIRS = 4  # in a head of 8 numbers
VALUES = ("left alone", "turned", "turned, then back")
BASES = (10_000.0, 4.0)  # hands of 1 to 0.001 rad a token, and of 1 to 0.35


class Pairs(attention.Encoding):
    """Turn the first pairs of a head's queries and keys alone."""

    def __init__(self, pairs: int):
        super().__init__()
        self.pairs = pairs

    def turn(self, x: Tensor, position_ids: Tensor) -> Tensor:
        """Turn the first pairs of `x` (..., seq_len, head_dim)."""
        turned = rotary.rotate(x, position_ids, base=10_000)
        return torch.cat([turned[..., : 2 * self.pairs], x[..., 2 * self.pairs :]], -1)


class Block(attention.Block):
    """A layer whose values are treated in one of the `VALUES` ways."""

    def __init__(self, d_model: int, num_heads: int, values: str):
        super().__init__(d_model, num_heads)
        self.values = values

    def forward(self, x, position_ids, encoding, causal):
        """Return the layer's output, its queries, its keys and its attention weights."""
        heads = self.qkv(self.before_attention(x)).unflatten(-1, (3, self.num_heads, -1))
        q, k, v = heads.movedim(-3, 0).transpose(-3, -2)
        q, k = encoding.turn(torch.stack([q, k]), position_ids)
        if self.values != "left alone":
            v = encoding.turn(v, position_ids)
        out, weights = attention.attend(q, k, v, causal=causal)
        if self.values == "turned, then back":
            out = encoding.turn(out, -position_ids)
        x = x + self.out(out.transpose(-3, -2).flatten(-2))
        return x + self.mlp(self.before_mlp(x)), q, k, weights


def with_pairs(pairs: int, *, causal: bool, num_layers: int = 2) -> attention.Transformer:
    """Return an untrained model that turns so many pairs of each head."""
    return attention.Transformer(16, Pairs(pairs), d_model=32, causal=causal, num_layers=num_layers)


def with_values(values: str, base: float, *, causal: bool, num_layers: int) -> attention.Transformer:
    """Return an untrained model that treats its values in one of the `VALUES` ways."""
    model = attention.Transformer(16, attention.Rotary(base=base), d_model=32, causal=causal, num_layers=num_layers)
    model.blocks = torch.nn.ModuleList(Block(32, 4, values) for _ in range(num_layers))
    return model


def right(make, seeds=SEEDS) -> list[list[float]]:
    """Train a model from each seed; return the shares of right answers, by length and seed."""
    trained = training.train(make, tasks.THREE_BACK, seeds, **three_back.SETUP)
    return [three_back.rounded(row) for row in training.evaluate(trained, tasks.THREE_BACK, LENGTHS).accuracy.T]


def pairs(causal: bool) -> dict:
    """Record what models answer that turn 0 to 4 of a head's pairs."""
    return {str(count): right(partial(with_pairs, count, causal=causal)) for count in range(PAIRS + 1)}


def values(num_layers: int, causal: bool) -> dict:
    """Record what models answer that leave their values alone, turn them, or turn them and back, by base."""
    return {
        f"base {base:g}": {
            how: right(partial(with_values, how, base, causal=causal, num_layers=num_layers)) for how in VALUES
        }
        for base in BASES
    }


PARTS = {
    "pairs": lambda: pairs(causal=False),
    "pairs, causal": lambda: pairs(causal=True),
    "values": lambda: values(2, causal=False),
    "values, causal": lambda: values(2, causal=True),
    "values, one layer": lambda: values(1, causal=False),
}


def main(names: list[str]) -> None:
    """Record the named parts, by default all."""
    held = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    for name in names or PARTS:
        held[name] = PARTS[name]()
        FILE.write_text(json.dumps(held, indent=1) + "\n", "utf-8")
        print(name, "recorded", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1:])
