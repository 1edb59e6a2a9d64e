"""Train the course's small models on every task with several seeds: `python3 course.py sweep`.

There are three grids, and each has a file of its own in data/: `sweep` (every encoding at several initial scales),
`naive_codes` (the codes one would try first, lesson 01) and `tuning` (learning rate × scale, lesson 05).

Each configuration is one joblib job and writes one file, so an interrupted sweep continues where it stopped. The files
are then gathered into data/GRID.json. On a cluster, choose joblib's backend: `--backend dask` or `--backend ray`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from clockwork.kit import attention, datafiles, naive_codes, tasks, training
from clockwork.kit.sweep import STEPS
from pe_helpers import sinusoidal

HOME = datafiles.CHECKOUT.parent
RUNS = HOME / ".sweep"
LENGTH_FACTORS = (0.5, 1, 1.5, 2, 3, 4)  # test lengths, as multiples of the longest length trained on


def none(config: Config) -> attention.Encoding:
    """Return no encoding."""
    return attention.Encoding()


def fixed(config: Config) -> attention.Encoding:
    """Return the code of the scheme's name, `gain` times as long."""
    return naive_codes.FixedCode(naive_codes.CODES[config.scheme.split(",")[0]], config.gain)


def learned(config: Config) -> attention.Encoding:
    """Return a table with rows up to the longest test, most of them never trained."""
    return attention.Learned(config.lengths[-1], config.d_model, std=config.table_std)


def trained_sinusoid(config: Config) -> attention.Encoding:
    """Return a learned table whose rows start as the sinusoid's codes, `gain` times as long."""
    encoding = attention.Learned(config.lengths[-1], config.d_model, std=0)
    with torch.no_grad():
        encoding.table.weight.copy_(config.gain * sinusoidal.table(config.lengths[-1], config.d_model))
    return encoding


class RandomTable(attention.Encoding):
    """Add a table that is drawn once, a different one for each seed, and never trained."""

    def __init__(self, max_len: int, d_model: int, std: float):
        super().__init__()
        self.register_buffer("table", std * torch.randn(max_len, d_model))

    def add(self, x, position_ids):
        """Add each position's row."""
        return x + self.table[position_ids]


def random_table(config: Config) -> attention.Encoding:
    """Return a table of random rows that is not trained."""
    return RandomTable(config.lengths[-1], config.d_model, config.table_std)


SCHEMES: dict[str, tuple[bool, Callable[[Config], attention.Encoding]]] = {  # name: (causal, encoding)
    "none": (False, none),
    "none, causal": (True, none),
    "sinusoid": (False, fixed),
    "sinusoid, causal": (True, fixed),
    "learned": (False, learned),
    "learned, causal": (True, learned),
    "rotary": (False, lambda _: attention.Rotary()),
    "rotary, causal": (True, lambda _: attention.Rotary()),
    "alibi, causal": (True, lambda _: attention.Alibi()),
    "alibi, symmetric": (False, lambda _: attention.Alibi(symmetric=True)),
    "relative": (False, lambda _: attention.Relative()),
    "relative, causal": (True, lambda _: attention.Relative(bidirectional=False)),
}
CROSSED: dict[str, Callable[[Config], attention.Encoding]] = {  # lesson 05: what a table starts as × is it trained
    "trained sinusoid": trained_sinusoid,
    "random table": random_table,
}
TOY_SCHEMES = [
    scheme for scheme, (causal, _) in SCHEMES.items() if not causal or scheme in ("none, causal", "alibi, causal")
]


@dataclass(frozen=True)
class Config:
    """One set-up: everything that its result depends on, apart from the versions of the software.

    `table_std` is the scale at which a table is drawn (None for the others), `gain` the factor of a code that is given,
    `embedding_std` the initial scale of the tokens.
    """

    task: str
    scheme: str
    table_std: float | None = None
    embedding_std: float = 1.0
    seeds: tuple[int, ...] = tuple(range(8))
    steps: int = 500
    batch_size: int = 16
    learning_rate: float = 5e-3
    d_model: int = 32
    num_layers: int = 2
    gain: float = 1.0

    @property
    def key(self) -> str:
        """A readable name with a digest of all settings: the stem of the result's file."""
        digest = hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:10]
        return f"{self.task}-{self.scheme.replace(', ', '_')}-{self.table_std}-{self.embedding_std}-{digest}"

    @property
    def lengths(self) -> list[int]:
        """Lengths to test at (tokens): up to the longest trained on, one past it, and up to four times as long."""
        longest = tasks.TASKS[self.task].trained_to
        return sorted({longest + 1, *(int(factor * longest) for factor in LENGTH_FACTORS)})

    def model(self) -> attention.Transformer:
        """Make the untrained model."""
        causal, encoding = SCHEMES.get(self.scheme, (False, CROSSED.get(self.scheme, fixed)))
        sizes = {"d_model": self.d_model, "num_layers": self.num_layers, "embedding_std": self.embedding_std}
        return attention.Transformer(tasks.TASKS[self.task].vocab_size, encoding(self), causal=causal, **sizes)


def encodings() -> list[Config]:
    """Return every encoding on every task, the most important first."""
    scales = {"learned": (0.02, 0.1, 0.3, 1.0), "learned, causal": (0.02, 1.0)}  # of the table, where there is one
    small = ("sinusoid", "learned", "rotary", "alibi, causal")  # tried with small token vectors as well
    text = [scheme for scheme, (causal, _) in SCHEMES.items() if causal]
    three_back, who, byte = (functools.partial(Config, task, steps=steps) for task, steps in STEPS.items())
    configs = [
        task(scheme, std) for task in (three_back, who) for scheme in TOY_SCHEMES for std in scales.get(scheme, (None,))
    ]
    configs += [byte(scheme, std, seeds=(0, 1, 2)) for scheme in text for std in scales.get(scheme, (None,))]
    ends = {"learned": (0.02, 1.0)}
    small = [(scheme, std) for scheme in small for std in ends.get(scheme, (None,))]
    configs += [task(*one, embedding_std=0.02) for task in (three_back, who) for one in small]
    fiftieth = [(0.006, 0.3), (0.002, 0.1), (0.0004, 0.02)]  # a table at a 50th of its tokens, as 0.02 is of 1
    configs += [three_back("learned", table, embedding_std=tokens) for table, tokens in (*fiftieth, (0.0, 0.02))]
    return configs + [who("learned", table, embedding_std=0.02) for table in (0.0004, 0.0)]


def naive() -> list[Config]:
    """Return the codes one would try first, the quiet ones also louder or trained longer, and a mask without a code."""
    gains = {"index_over_length": (1.0, 2.0, 4.0, 31.0), "one_hot": (1.0, 1.3, 4.0)}
    configs = [
        Config(task, scheme, steps=STEPS[task], gain=gain)
        for task in ("three_back", "who_came_first")
        for scheme in ("none", "none, causal", *naive_codes.CODES)
        for gain in gains.get(scheme, (1.0,))
    ]
    quiet = ("none", "none, causal", "index_over_length", "one_hot")
    return configs + [Config("three_back", scheme, steps=3 * STEPS["three_back"]) for scheme in quiet]


def tuning() -> list[Config]:
    """Return the sinusoid and a learned table at four learning rates and several scales, with twelve seeds.

    Tune on the first four seeds and compare on the other eight. On *3 back* both sides reach 1.00 within the scales up
    to 1. On *who came first?* the best scales were the largest, so there the scales go on, and two more tables cross
    what a table starts as with whether it is trained: a sinusoid that is trained and random rows that are not, at the
    two rates that were best. The index, not tuned in its scale, is a third contestant there. In four times the steps
    both sides are tuned once more, each at four rates and, at one of them, at four scales.
    """
    rates = (0.005, 0.01, 0.02, 0.0025)
    sides = [{"scheme": "learned", "table_std": std} for std in (0.02, 0.1, 0.3, 1.0)]
    sides += [{"scheme": "sinusoid", "gain": gain} for gain in (0.1, 0.3, 1.0)]
    tried = [(task, rate, side) for task in ("three_back", "who_came_first") for rate in rates for side in sides]
    louder = [{"scheme": "learned", "table_std": std} for std in (2.0, 4.0)]
    louder += [{"scheme": "sinusoid", "gain": gain} for gain in (2.0, 4.0, 8.0)]
    louder += [{"scheme": "trained sinusoid", "gain": gain} for gain in (1.0, 2.0, 4.0, 8.0)]
    louder += [{"scheme": "random table", "table_std": std} for std in (0.3, 1.0, 2.0)]
    louder += [{"scheme": "index"}]
    tried += [("who_came_first", rate, side) for rate in rates[:2] for side in louder]
    configs = [
        Config(task, **side, learning_rate=rate, seeds=tuple(range(12)), steps=STEPS[task])
        for task, rate, side in tried
    ]
    longer = functools.partial(Config, "who_came_first", seeds=tuple(range(12)), steps=4 * STEPS["who_came_first"])
    sides = [("sinusoid", "gain", (4.0, 1.0, 2.0, 8.0)), ("learned", "table_std", (1.0, 0.1, 0.3, 2.0))]
    for scheme, scale, (best, *others) in sides:
        configs += [longer(scheme, **{scale: best}, learning_rate=rate) for rate in (0.005, 0.01, 0.0025, 0.00125)]
        configs += [longer(scheme, **{scale: other}) for other in others]
    crossed = [longer("trained sinusoid", gain=4.0), longer("random table", table_std=1.0)]
    corners = [  # the louder scales at the other two rates: the map has no blank tile
        Config("who_came_first", **side, learning_rate=rate, seeds=tuple(range(12)), steps=STEPS["who_came_first"])
        for rate in rates[2:]
        for side in louder[:5]
    ]
    return [*configs, longer("index"), *crossed, *corners]


GRIDS = {"sweep": encodings, "naive_codes": naive, "tuning": tuning}


def run(config: Config, folder: Path = RUNS) -> dict:
    """Train and test one configuration, or read the result if its file is there."""
    file = Path(folder) / f"{config.key}.json"
    if file.exists():
        return json.loads(file.read_text())
    start = time.process_time()
    task = tasks.TASKS[config.task]
    settings = {"steps": config.steps, "batch_size": config.batch_size, "learning_rate": config.learning_rate}
    checkpoint = file.with_suffix(".pt")
    trained = training.train(config.model, task, config.seeds, checkpoint=checkpoint, **settings)
    score = training.evaluate(trained, task, config.lengths, batch_size=256 if config.task == "who_came_first" else 128)
    result = {"config": asdict(config), "lengths": config.lengths}
    result |= {name: rounded(getattr(score, name)) for name in score._fields}
    result |= {
        "last_losses": rounded(trained.losses[-20:].mean(0)),
        "cpu_seconds": round(time.process_time() - start, 1),
    }
    result |= {"python": platform.python_version(), "torch": torch.__version__, "machine": platform.machine()}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".part").write_text(json.dumps(result))
    file.with_suffix(".part").replace(file)
    checkpoint.unlink(missing_ok=True)
    return result


def rounded(values: torch.Tensor) -> list:
    """Return nested lists with four decimals, None for NaN."""
    if values.ndim:
        return [rounded(value) for value in values]
    return None if values.isnan() else round(float(values), 4)


def sweep(configs: Sequence[Config], folder: Path = RUNS, *, jobs: int = -1) -> list[dict]:
    """Run all configurations with joblib, on the backend that `joblib.parallel_config` has set."""
    from joblib import Parallel, delayed

    return Parallel(n_jobs=jobs, verbose=10)(delayed(run)(config, folder) for config in configs)


def gather(results: Sequence[dict], file: Path) -> None:
    """Write all results of a grid into one file."""
    rows = [json.dumps(result) for result in results]
    command = f"python3 course.py sweep {file.stem}"
    file.write_text(f'{{"command": "{command}",\n "runs": [\n' + ",\n".join(rows) + "\n]}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sweep from the command line."""
    import joblib

    parser = argparse.ArgumentParser(prog="course.py sweep", description=__doc__)
    parser.add_argument("grid", nargs="?", choices=GRIDS, default="sweep", help="which configurations")
    parser.add_argument("--jobs", type=int, default=-1, help="configurations at the same time (-1: one for each core)")
    parser.add_argument("--backend", choices=["loky", "dask", "ray"], default="loky", help="where they run")
    parser.add_argument("--scheduler", help="address of a Dask scheduler; without it a cluster on this machine")
    parser.add_argument("--only", default="", help="configurations whose key contains this")
    parser.add_argument("--folder", type=Path, default=RUNS, help="the results of single configurations")
    parser.add_argument("--data", type=Path, help="the table of all results (default: data/GRID.json)")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with contextlib.ExitStack() as cluster:
        if chosen.backend == "dask":
            from distributed import Client

            cluster.enter_context(Client(chosen.scheduler))  # joblib uses the current client
        if chosen.backend == "ray":
            from ray.util.joblib import register_ray

            register_ray()
        threads = {"inner_max_num_threads": 1} if chosen.backend == "loky" else {}  # others set it in their workers
        cluster.enter_context(joblib.parallel_config(chosen.backend, **threads))
        configs = [config for config in GRIDS[chosen.grid]() if chosen.only in config.key]
        results = sweep(configs, chosen.folder, jobs=chosen.jobs)
    gather(results, chosen.data or HOME / "data" / f"{chosen.grid}.json")


if __name__ == "__main__":
    main()
