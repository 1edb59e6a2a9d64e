"""Make what the playground is built from: `python -m tools.playground kernel`, `record` or `still`.

`kernel` compiles product.ts into kernel.js with AssemblyScript from npm. `record` trains every code on every task with
the page's engine (in Node) and with torch, eight seeds each, and the runs that the guided experiments speak of, and
writes data/playground.json and recorded.js: about fifteen minutes of one processor. What is there already is not
trained again; `record stories` trains one part anew. `still` pictures the trained playground for places without
JavaScript.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

import torch
from torch import nn

from clockwork.kit import attention, tasks, training
from pe_helpers import sinusoidal

HOME = Path(__file__).resolve().parent.parent
STATIC = HOME / "src/clockwork/kit/playground/static"
DATA = HOME / "data/playground.json"
ASSEMBLYSCRIPT = "assemblyscript@0.28.8"
OPTIONS = ("--enable", "simd", "-O3", "--runtime", "stub", "--importMemory", "--noAssert")
SEEDS = range(8)
BATCH = 16
FACTORS = (1, 2, 4)  # tested lengths, as multiples of the trained one
CODES = ("none", "index", "index/length", "sinusoid", "learned", "rotary", "ALiBi", "T5")
SMALL = {"layers": 1, "heads": 1, "causal": True, "d": 32}
COURSE = {"layers": 2, "heads": 4, "causal": False, "d": 32}
DEFAULTS = {"scale": 1.0, "base": 10_000.0, "rate": 0.005}
PAGE = {  # the page's choices in the order of its links, with what is chosen at first
    "task": "three back",
    "code": "sinusoid",
    "base": 10_000,
    "slope": 0.7,
    "scale": 1,
    "causal": True,
    "layers": 1,
    "heads": 1,
    "d": 32,
    "length": 24,
    "rate": 0.005,
    "steps": 300,
    "seed": 0,
}


def main(arguments: list[str]) -> int:
    """Compile the kernel or train what is recorded."""
    parser = argparse.ArgumentParser(prog="python -m tools.playground", description=__doc__)
    parser.add_argument("what", choices=["kernel", "record", "still"])
    parser.add_argument("part", nargs="?", choices=["grid", "stories"], help="train only this part anew")
    given = parser.parse_args(arguments)
    if given.what == "kernel":
        with tempfile.TemporaryDirectory() as folder:
            (STATIC / "kernel.js").write_text(kernel(Path(folder)), "utf-8")
    elif given.what == "still":
        still()
    else:
        record(given.part)
    return 0


def kernel(folder: Path) -> str:
    """Compile product.ts in `folder` and return the text of kernel.js."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is missing: install Node.js, then run the command again")
    install = [npm, "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    subprocess.run([*install, ASSEMBLYSCRIPT], check=True, capture_output=True)
    compiler = folder / "node_modules/assemblyscript/bin/asc.js"
    shutil.copy(STATIC / "product.ts", folder)
    subprocess.run(["node", compiler, "product.ts", *OPTIONS, "-o", "kernel.wasm"], cwd=folder, check=True)
    code = base64.b64encode((folder / "kernel.wasm").read_bytes()).decode()
    head = "// Compiled from product.ts by `python -m tools.playground kernel`: the bytes of a WebAssembly module."
    return f'{head}\nexport const KERNEL =\n  "{code}";\n'


def still() -> None:
    """Train the page's first model in a browser and keep what it looks like."""
    from clockwork.kit import plots
    from clockwork.kit.playground import bundle, recorded, widget
    from tools import headless

    with headless.chromium() as browser, tempfile.NamedTemporaryFile("w", suffix=".html") as file:
        place = '<div id="clockwork-playground"></div>'
        file.write(f"<meta charset=utf-8><style>{widget.stylesheet()}</style>{place}<script>{bundle.script()}</script>")
        file.flush()
        page = browser.new_page(viewport={"width": recorded.WIDTH + 40, "height": 800})
        page.goto(Path(file.name).as_uri())  # a page without an address cannot hold the settings in it
        page.get_by_role("button", name="Train", exact=True).click()
        page.get_by_role("button", name="Train again").wait_for()
        page.add_style_tag(content=".pg > :not(.pg-question, .pg-text, .pg-panels) { display: none }")
        recorded.PICTURE.write_bytes(plots.small(page.locator(".pg").screenshot()))


def in_node(requests: Iterable[dict]) -> Iterator[dict]:
    """Answer requests by the page's engine, one after the other, in one process of Node."""
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("node is missing: install Node.js, then run the command again")
    command = [node, HOME / "tools/playground.mjs"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for request in requests:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(f"node must answer each request, got nothing for {request.get('request')}")
            yield json.loads(line)
        process.stdin.close()


class Fixed(attention.Encoding):
    """Add `scale` times a code that is computed: the index, its share of the length, or the sinusoid."""

    def __init__(self, code: str, scale: float, base: float):
        super().__init__()
        self.code = code
        self.scale = scale
        self.base = base

    def add(self, x, position_ids):
        """Add each position's row."""
        if self.code == "sinusoid":
            return x + self.scale * sinusoidal.table(position_ids, x.shape[-1], base=self.base).to(x)
        numbers = position_ids / (len(position_ids) - 1) if self.code == "index/length" else position_ids
        return x + self.scale * nn.functional.pad(numbers[:, None].to(x), (0, x.shape[-1] - 1))


class Ramp(attention.Encoding):
    """ALiBi in which the steepest head has `slope`; the others are flatter by the paper's ratio."""

    def __init__(self, slope: float):
        super().__init__()
        self.slope = slope

    def bias(self, num_heads, position_ids):
        """Return minus the distance, times each head's slope."""
        slopes = self.slope * 2 ** (-8 * torch.arange(num_heads) / num_heads)
        return -slopes[:, None, None] * (position_ids[:, None] - position_ids).abs()


def in_torch(settings: dict) -> attention.Transformer:
    """Return the torch model that the engine's settings describe."""
    code = settings["code"]
    if code == "learned":
        rows = max(FACTORS) * settings["length"]
        encoding = attention.Learned(rows, settings["d"], std=settings["scale"])
    elif code == "rotary":
        encoding = attention.Rotary(base=settings["base"])
    elif code == "ALiBi":
        encoding = Ramp(settings["slope"])
    elif code == "T5":
        encoding = attention.Relative(settings["heads"], bidirectional=not settings["causal"])
    elif code == "none":
        encoding = attention.Encoding()
    else:
        encoding = Fixed(code, settings["scale"], settings["base"])
    return attention.Transformer(
        16,
        encoding,
        d_model=settings["d"],
        num_heads=settings["heads"],
        num_layers=settings["layers"],
        causal=settings["causal"],
    )


def task_in_torch(name: str, length: int) -> tasks.Task:
    """Return the torch task of the engine's name, trained to `length` tokens."""
    if name == "three back":
        return tasks.Task("three_back", 16, 1 / 16, (length, length), 400, tasks.k_back, tasks.k_back)
    first = tasks.WHO_CAME_FIRST
    return tasks.Task("who_came_first", 16, 1 / 2, (min(4, length), length), 300, first.draw, first.draw_test)


def grid() -> list[dict]:
    """List the settings of task × code: *three back* in the small model, *who came first* without a mask."""
    small = {"task": "three back", "length": 24, "steps": 300, "slope": 0.7} | SMALL | DEFAULTS
    course = {"task": "who came first", "length": 24, "steps": 300, "slope": 0.25} | COURSE | DEFAULTS
    return [model | {"code": code} for model in (small, course) for code in CODES]


def stories() -> list[dict]:
    """List the settings of the guided experiments that the grid lacks."""
    small = {"task": "three back", "length": 24, "steps": 300, "slope": 0.7} | SMALL | DEFAULTS
    quiet = small | {"code": "learned", "scale": 0.02}
    found = [quiet | {"steps": 100}, quiet | {"steps": 100, "rate": 0.01}, quiet]
    found += [small | {"code": "learned", "steps": 100}]
    found += [small | {"code": "ALiBi", "slope": slope} for slope in (0.004, 0.15, 0.3, 2)]
    first = small | {"task": "who came first", "code": "none"}
    found += [first | {"causal": False}, first, small | {"code": "none", "steps": 1200}]
    return found


def record(part: str | None) -> None:
    """Train what is missing, or the named part anew, and write it down after each configuration."""
    parts = {"stories": stories(), "grid": grid()}
    kept = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    for name, configurations in parts.items():
        if part not in (None, name):
            continue
        done = {json.dumps(run["settings"], sort_keys=True): run for run in kept.get(name, [])}
        if part == name:
            done = {}
        for settings in configurations:
            key = json.dumps(settings, sort_keys=True)
            if key not in done:
                print(name, key, flush=True)
                done[key] = {"settings": settings} | measured(settings, beside=name == "grid")
                wanted = [json.dumps(one, sort_keys=True) for one in configurations]
                kept[name] = [done[one] for one in wanted if one in done]
                DATA.write_text(written(kept), "utf-8")
    (STATIC / "recorded.js").write_text(summary(kept), "utf-8")


def measured(settings: dict, *, beside: bool) -> dict:
    """Train one configuration with each seed by the engine, and by torch if it stands beside."""
    requests = [{"request": "train", "settings": settings | {"seed": seed}} for seed in SEEDS]
    runs = list(in_node(requests))
    found = {
        "engine": [[round(share, 4) for share in run["tests"][-1]["accuracy"]] for run in runs],
        "half_loss_at": [half_loss_at(run["losses"]) for run in runs],
        "final_loss": [round(run["tests"][-1]["loss"], 4) for run in runs],
        "trouble": [run["trouble"] for run in runs],
    }
    if beside:
        found["torch"] = by_torch(settings)
    return found


def summary(kept: dict) -> str:
    """Return recorded.js: the lowest and the highest result of the eight seeds of each configuration, by its link."""
    found = {}
    for run in itertools.chain(*kept.values()):
        halved = run["half_loss_at"]
        found[link(run["settings"])] = {
            "accuracy": [[min(column), max(column)] for column in zip(*run["engine"], strict=True)],
            "half": [min(halved), max(halved)] if None not in halved else None,
        }
    lines = "".join(f"  {json.dumps(name)}: {json.dumps(values)},\n" for name, values in found.items())
    head = "// From data/playground.json, by `python -m tools.playground record`: lowest and highest of eight seeds."
    kind = "/** @type {Record<string, { accuracy: number[][], half: number[] | null }>} */"
    return f"{head}\n{kind}\n// prettier-ignore\nexport const RECORDED = {{\n{lines}}};\n"


def link(settings: dict) -> str:
    """Return the part of a playground's link behind # for these settings, as settings.js writes it."""
    said = {name: settings.get(name, default) for name, default in PAGE.items()}
    said = {name: value for name, value in said.items() if value != PAGE[name]}
    return "&".join(f"{name}={quote(as_javascript(value), safe='')}" for name, value in said.items())


def as_javascript(value: str | float | bool) -> str:
    """Return a value as JavaScript's String writes it."""
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def half_loss_at(losses: list[float]) -> int | None:
    """Return the first step at which the loss, averaged over ten steps, is below half of that at the start."""
    smooth = [sum(losses[i : i + 10]) / 10 for i in range(len(losses) - 9)]
    return next((i + 10 for i, loss in enumerate(smooth) if loss < smooth[0] / 2), None)


def by_torch(settings: dict, seeds: Iterable[int] = SEEDS) -> list[list[float]]:
    """Train one configuration with each seed by torch; return the accuracies at each length."""
    task = task_in_torch(settings["task"], settings["length"])
    trained = training.train(
        lambda: in_torch(settings),
        task,
        seeds,
        steps=settings["steps"],
        batch_size=BATCH,
        learning_rate=settings["rate"],
    )
    lengths = [factor * settings["length"] for factor in FACTORS]
    texts = 256 if settings["task"] == "who came first" else 32  # as many as the engine's last test has
    score = training.evaluate(trained, task, lengths, batch_size=texts)
    return [[round(share, 4) for share in row] for row in score.accuracy.tolist()]


def written(kept: dict) -> str:
    """Return the results as JSON with a line for each run."""
    parts = []
    for name, runs in kept.items():
        lines = ",\n    ".join(json.dumps(run) for run in runs)
        parts.append(f'  "{name}": [\n    {lines}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(main(sys.argv[1:]))
