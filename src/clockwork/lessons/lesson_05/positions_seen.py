"""Record what becomes of positions that training showed rarely or moved.

`python -m clockwork.lessons.lesson_05.positions_seen` writes data/positions_seen.json: about eight CPU-minutes.

All models learn *3 back* on texts of up to 32 tokens, with twelve seeds. Lesson 05 shows what a table gets right at
rows that few texts reached, what a sinusoid does if each step of training counts from another position, and what three
fixed tables make of the first position that training never showed. Lesson 09 shows a table that is stretched.
`python -m clockwork.lessons.lesson_05.positions_seen one_step` records the three tables alone.
"""

from __future__ import annotations

import dataclasses
import json
import platform
import random
import sys
from collections.abc import Callable

import torch

from clockwork.kit import attention, datafiles, tasks, training
from clockwork.kit.sweep import STEPS
from pe_helpers import sinusoidal

DATA = datafiles.CHECKOUT / "positions_seen.json"
SEEDS = tuple(range(12))
TRAINED_TO = tasks.THREE_BACK.trained_to
RARE = dataclasses.replace(tasks.THREE_BACK, train_lengths=(8, TRAINED_TO))
ROWS = 40
LENGTH = 4.0  # of the sinusoid's codes at width 32, and of the rows of the two tables that take its place
STEPS_ONE_ON = 800  # a wandering table needs more than the sinusoid to know all trained positions
KEPT = 0.98  # of a wandering row in the next: its steps are shorter than the sinusoid's
REACH = 96  # the last position that a step of training counts from
TABLES = {"0.02": (0.02, 0.01), "1.0": (1.0, 0.005)}  # std of the table: (std, learning rate)


class CountFromAnywhere(attention.Sinusoid):
    """Add the sinusoid, counted in each call from another position between 0 and `reach`."""

    def __init__(self):
        super().__init__()
        self.reach = REACH
        self.starts = random.Random(0)

    def add(self, x, position_ids):
        """Add the codes of the moved positions."""
        return super().add(x, position_ids + self.starts.randint(0, self.reach))


class FixedTable(attention.Encoding):
    """Add rows that are given and never trained, all of the length of the sinusoid's codes."""

    def __init__(self, rows: torch.Tensor):
        super().__init__()
        self.register_buffer("rows", LENGTH * torch.nn.functional.normalize(rows.float()))

    def add(self, x, position_ids):
        """Add each position's row."""
        return x + self.rows[position_ids]


def wandering() -> FixedTable:
    """Return rows that each are the one before, changed a little: near, and in no direction that goes on."""
    rows = [torch.randn(32)]
    while len(rows) < ROWS:
        rows.append(KEPT * rows[-1] + (1 - KEPT**2) ** 0.5 * torch.randn(32))
    return FixedTable(torch.stack(rows))


def smooth() -> FixedTable:
    """Return a smooth random curve: expected dot products as the sinusoid's, no rule from one row to the next."""
    codes = sinusoidal.table(ROWS, 32, dtype=torch.float64)
    alike = codes @ codes.T / 16 + 1e-8 * torch.eye(ROWS)
    return FixedTable(torch.linalg.cholesky(alike) @ torch.randn(ROWS, 32, dtype=torch.float64))


def the_sinusoid() -> FixedTable:
    """Return the sinusoid's rows."""
    return FixedTable(sinusoidal.table(ROWS, 32))


def one_step() -> dict[str, dict[str, list[float]]]:
    """Return, for three fixed tables and each seed, the step to position 32, and what is right before and at it."""
    found = {}
    for encoding in (the_sinusoid, smooth, wandering):
        trained = train(encoding, 0.005, steps=STEPS_ONE_ON, seeds=SEEDS[:8])
        tokens, targets = tasks.k_back(400, TRAINED_TO + 1, generator=torch.manual_seed(0))
        right = (trained(tokens).argmax(-1) == targets)[..., 3:].float().mean(1)
        rows = trained.state["encoding.rows"]
        found[encoding.__name__] = {
            "step": rounded((rows[:, TRAINED_TO] - rows[:, TRAINED_TO - 1]).norm(dim=1)),
            "trained": rounded(right[:, :-1].mean(1)),
            "first new": rounded(right[:, -1]),
        }
    return found


def main(parts: list[str]) -> None:
    """Train the models and write what they get right."""
    torch.set_num_threads(1)
    if parts == ["one_step"]:
        recorded = json.loads(DATA.read_text(encoding="utf-8"))
        DATA.write_text(json.dumps(recorded | {"one_step": one_step()}) + "\n", encoding="utf-8")
        return
    about = {"command": "python -m clockwork.lessons.lesson_05.positions_seen", "python": platform.python_version()}
    about |= {"torch": torch.__version__, "seeds": len(SEEDS), "steps": STEPS["three_back"], "rows": ROWS}
    about |= {"reach": REACH, "learning_rates": {std: rate for std, (_, rate) in TABLES.items()}}
    found = {"rare": {}, "always": {}, "stretched": {}}
    for name, (std, rate) in TABLES.items():
        found["rare"][name] = rows(train(table(std), rate, RARE), table(std))
        always = train(table(std), rate)
        found["always"][name] = rows(always, table(std))
        found["stretched"][name] = stretched(always)
    found["stretched"]["sinusoid"] = half_steps(train(attention.Sinusoid, 0.005))
    found["count"] = {"from 0": starts(attention.Sinusoid), "from anywhere": starts(CountFromAnywhere)}
    found["one_step"] = one_step()
    DATA.write_text(json.dumps(about | found) + "\n", encoding="utf-8")


def table(std: float) -> Callable[[], attention.Learned]:
    """Return what makes a learned table."""
    return lambda: attention.Learned(ROWS, 32, std=std)


def train(
    encoding: Callable[[], attention.Encoding],
    learning_rate: float,
    task: tasks.Task = tasks.THREE_BACK,
    *,
    steps: int = STEPS["three_back"],
    seeds: tuple[int, ...] = SEEDS,
) -> training.Trained:
    """Train one model of the lessons' size for each seed."""
    return training.train(
        lambda: attention.Transformer(task.vocab_size, encoding(), d_model=32),
        task,
        seeds,
        steps=steps,
        batch_size=16,
        learning_rate=learning_rate,
    )


def rows(trained: training.Trained, encoding: Callable[[], attention.Learned]) -> dict[str, list[list[float]]]:
    """Return, for each seed, how far each row moved in training, and the share of right answers at each position."""
    after = trained.state["encoding.table.weight"]
    moved = [(after[i] - start(encoding, seed)).norm(dim=1) for i, seed in enumerate(trained.seeds)]
    tokens, targets = tasks.k_back(400, TRAINED_TO, generator=torch.manual_seed(0))
    right = (trained(tokens).argmax(-1) == targets)[..., 3:].float().mean(1)
    return {"moved": rounded(torch.stack(moved)), "right": rounded(right)}


def start(encoding: Callable[[], attention.Learned], seed: int) -> torch.Tensor:
    """Return the table as it was drawn, before training."""
    torch.manual_seed(seed)
    model = attention.Transformer(tasks.THREE_BACK.vocab_size, encoding(), d_model=32)
    return model.encoding.table.weight.detach()


def stretched(trained: training.Trained) -> dict[str, list[list[float]]]:
    """Draw a new row half-way between any two neighbours, and ask the model in texts that are nearly twice as long."""
    half = torch.arange(2 * TRAINED_TO - 2) / 2
    below = half.floor().long()
    share = (half - below)[:, None]
    old = trained.state["encoding.table.weight"]
    new = old[:, below] * (1 - share) + old[:, (below + 1).clamp(max=TRAINED_TO - 1)] * share
    longer = training.Trained(trained.skeleton, {**trained.state, "encoding.table.weight": new}, trained.seeds, None)
    return named(longer, torch.arange(len(half)))


def half_steps(trained: training.Trained) -> dict[str, list[list[float]]]:
    """Ask a model with the sinusoid, with half the distance between any two tokens."""
    return named(trained, torch.arange(2 * TRAINED_TO - 2) / 2)


def named(trained: training.Trained, position_ids: torch.Tensor) -> dict[str, list[float]]:
    """Return, for each seed, how often the model names the third and the sixth token back, at old and new rows."""
    tokens, _ = tasks.k_back(200, len(position_ids), generator=torch.manual_seed(0))
    answers = trained(tokens, position_ids).argmax(-1)
    shares = {}
    for k in (3, 6):
        right = (answers[..., k:] == tokens[:, :-k]).float().mean(1)
        first = k % 2  # the first place that is an old row
        shares[f"{k} back, old rows"] = rounded(right[:, first::2].mean(1))
        shares[f"{k} back, new rows"] = rounded(right[:, 1 - first :: 2].mean(1))
    return shares


def starts(encoding: Callable[[], attention.Sinusoid]) -> dict[str, list[float]]:
    """Return what a model gets right if the text is counted from 0, from 96 and from 300, and in 128 tokens from 0."""
    trained = train(encoding, 0.005)
    trained.skeleton.encoding.reach = 0  # from here on, count from where we say
    found = {}
    for length, first in ((TRAINED_TO, 0), (TRAINED_TO, REACH), (TRAINED_TO, 300), (4 * TRAINED_TO, 0)):
        tokens, targets = tasks.k_back(128, length, generator=torch.manual_seed(2))
        logits = trained(tokens, torch.arange(length) + first)
        found[f"{length} from {first}"] = rounded(torch.stack([tasks.accuracy(x, targets) for x in logits]))
    return found


def rounded(values: torch.Tensor) -> list:
    """Return nested lists of numbers with four decimals."""
    return [round(x, 4) for x in values.tolist()] if values.ndim == 1 else [rounded(row) for row in values]


if __name__ == "__main__":
    main(sys.argv[1:])
