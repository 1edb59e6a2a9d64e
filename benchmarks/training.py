"""Is it cheaper to train eight seeds as one batched model than one after another? Ratios within one run.

Both ways take the same steps on the same data and end with the same losses up to rounding; repeats are interleaved.
"""

import json
import os
import platform
import statistics
import time
from pathlib import Path

import torch
from tqdm.auto import tqdm

from clockwork.kit import attention, tasks, training

RESULT = Path(__file__).with_name("results") / "training.json"
SEEDS = range(8)
STEPS = 20
REPEATS = 7
SETUPS = {  # name: (task, width, batch size)
    "three_back, d_model 32, batch 16": (tasks.THREE_BACK, 32, 16),
    "three_back, d_model 64, batch 8": (tasks.THREE_BACK, 64, 8),
    "who_came_first, d_model 32, batch 8": (tasks.WHO_CAME_FIRST, 32, 8),
}


def seconds(act) -> tuple[float, float, torch.Tensor]:
    wall = time.perf_counter()
    cpu = time.process_time()
    losses = act()
    return time.perf_counter() - wall, time.process_time() - cpu, losses


def compare(task: tasks.Task, d_model: int, batch_size: int, threads: int) -> dict:
    def train(seeds):
        model = lambda: attention.Transformer(task.vocab_size, attention.Rotary(), d_model=d_model)  # noqa: E731
        settings = {"steps": STEPS, "batch_size": batch_size, "num_threads": threads}
        return training.train(model, task, seeds, **settings).losses

    ways = {"batched": lambda: train(SEEDS), "one by one": lambda: torch.cat([train([s]) for s in SEEDS], dim=1)}
    times = {way: [] for way in ways}
    for way in ways.values():
        way()
    for _ in range(REPEATS):
        results = {way: seconds(act) for way, act in ways.items()}
        for way, result in results.items():
            times[way].append(result[:2])
        together, alone = (results[way][2] for way in ways)
    median = {way: [statistics.median(column) for column in zip(*rows, strict=True)] for way, rows in times.items()}
    return {
        "batched_s": median["batched"][0],
        "one_by_one_s": median["one by one"][0],
        "wall_ratio": median["one by one"][0] / median["batched"][0],
        "cpu_ratio": median["one by one"][1] / median["batched"][1],
        "largest_loss_difference": float((together - alone).abs().max()),
    }


def main() -> None:
    machine = {"processor": platform.machine(), "cores": os.cpu_count(), "torch": torch.__version__}
    about = {"seeds": len(SEEDS), "steps": STEPS, "repeats": REPEATS, "python": platform.python_version()}
    rows = {}
    for threads in sorted({1, os.cpu_count()}):
        for name, setup in tqdm(SETUPS.items(), leave=False):
            rows.setdefault(name, {})[f"{threads} thread" + "s" * (threads > 1)] = compare(*setup, threads)
    readme = [
        {"eight seeds": name} | {f"times faster, {way}": round(row["wall_ratio"], 1) for way, row in ways.items()}
        for name, ways in rows.items()
    ]
    note = f"Wall time of {STEPS} steps, medians of {REPEATS} interleaved repeats on {os.cpu_count()} cores."
    result = {"machine": machine, "about": about, "rows": rows, "readme": readme, "note": note}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    print(*readme, sep="\n")


if __name__ == "__main__":
    main()
