"""Train ALiBi on 3 back for a long time, with one head and with four: `python -m tools.train_alibi_three_back`.

Lesson 07 shows the result, `data/alibi_three_back.json`: about four CPU-minutes.
"""

import json
import platform
from pathlib import Path

import torch

from pe_helpers import attention, tasks, training

DATA = Path(__file__).resolve().parent.parent / "data" / "alibi_three_back.json"
STEPS = 4000
SEEDS = (0, 1, 2)
LENGTH = 24  # tokens
WINDOW = 50  # steps, over which losses are averaged


def main():
    """Train both, and write the losses (nats per answer, means over windows of steps) and the final accuracies."""
    torch.set_num_threads(1)
    task = tasks.Task("three_back", 16, 1 / 16, (LENGTH, LENGTH), STEPS, tasks.k_back, tasks.k_back)
    runs = []
    for num_heads in (1, 4):

        def model(num_heads=num_heads):
            return attention.Transformer(
                16, attention.Alibi(), d_model=32, num_heads=num_heads, num_layers=1, causal=True
            )

        trained = training.train(model, task, SEEDS)
        accuracy = training.evaluate(trained, task, [LENGTH]).accuracy[:, 0]
        losses = trained.losses.reshape(-1, WINDOW, len(SEEDS)).mean(1).T
        runs.append({"num_heads": num_heads, "accuracy": rounded(accuracy), "losses": [rounded(row) for row in losses]})
    setup = {"steps": STEPS, "seeds": SEEDS, "seq_len": LENGTH, "window": WINDOW, "d_model": 32, "num_layers": 1}
    versions = {"python": platform.python_version(), "torch": torch.__version__}
    command = {"command": "python -m tools.train_alibi_three_back"}
    DATA.write_text(json.dumps(command | versions | setup | {"runs": runs}) + "\n", encoding="utf-8")


def rounded(values):
    return [round(value, 4) for value in values.tolist()]


if __name__ == "__main__":
    main()
