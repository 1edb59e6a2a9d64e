"""How fast and how exact are the encoders, beside the peers that are installed? Ratios within one run.

One thread, processor time, in turns in random order; a ratio is the median over the repeats of what a call takes
beside `fill_`, `copy_` or `clone` of the same bytes in the same repeat. Once with the C library keeping its heap (no
page faults) and once as it comes.
"""

import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

RESULT = Path(__file__).with_name("results") / "encoders.json"
KEEP = {"MALLOC_TRIM_THRESHOLD_": "8000000000", "MALLOC_MMAP_THRESHOLD_": "4000000000", "MALLOC_TOP_PAD_": "100000000"}
ALWAYS = {"OMP_NUM_THREADS": "1", "KERAS_BACKEND": "torch", "TF_CPP_MIN_LOG_LEVEL": "3"}
TABLES = [(65536, 512), (4096, 1024), (2048, 512), (1100, 256), (512, 512), (600, 128)]
TABLES += [(512, 128), (256, 128), (128, 64), (64, 64), (16, 32)]


def ratios(calls: dict, repeats: int, loops: int = 1) -> dict:
    """Time `calls` beside the first, the yardstick; return its milliseconds and everybody's ratio to it.

    Each is measured with the yardstick alone, in turns, so that nobody's leftovers in the caches count for another.
    """
    yardstick, *others = calls
    found, base = {}, []
    for name in others:
        times = {yardstick: [], name: []}
        for repeat in range(repeats + 1):
            for each in random.sample(list(times), 2):
                start = time.process_time()
                for _ in range(loops):
                    calls[each]()
                if repeat:  # the first repeat warms up
                    times[each].append(time.process_time() - start)
        found[name] = round(statistics.median(a / b for a, b in zip(times[name], times[yardstick], strict=True)), 2)
        base += times[yardstick]
    return {yardstick: f"{1000 * statistics.median(base) / loops:.3f} ms", **found}


def speeds() -> dict:
    """Measure every row of the speed table in this process."""
    import torch

    from benchmarks import peers
    from pe_helpers import rotary, sinusoidal

    random.seed(0)
    torch.manual_seed(0)
    rows, others = {}, peers.tables()
    for n, d in TABLES:
        calls = {
            "fill_": lambda n=n, d=d: torch.empty(n, d).fill_(1.0),
            "ours": lambda n=n, d=d: sinusoidal.table(n, d),
            "ours, half layout": lambda n=n, d=d: sinusoidal.table(n, d, layout="half"),
            "ours, exact": lambda n=n, d=d: sinusoidal.table(n, d, exact=True),
        }
        if n * d > 10**6:
            out = torch.empty(n, d)
            calls["ours, out="] = lambda n=n, d=d, out=out: sinusoidal.table(n, d, out=out)
        calls |= {name: lambda call=call, n=n, d=d: call(n, d) for name, call in others.items()}
        rows[f"table {n} × {d}"] = ratios(calls, 9 if n * d > 10**7 else 25, max(1, 10**6 // (n * d)))
        print(f"table {n} × {d}", rows[f"table {n} × {d}"], flush=True)
    packed = torch.stack([torch.cat([torch.arange(700), torch.arange(1300), torch.arange(2096)]) for _ in range(8)])
    filled = torch.randn(8, 4096, 512)
    calls = {"copy_": filled.clone, "ours": lambda: sinusoidal.table(packed, 512)}
    calls |= {name: lambda call=call: call(packed, 512) for name, call in peers.at_positions().items()}
    rows["packed ids 8 × 4096 × 512"] = ratios(calls, 11)
    for kind in (torch.float32, torch.bfloat16):
        x, gradient = torch.randn(2, 16, 2048, 64).to(kind), torch.randn(2, 16, 2048, 64).to(kind)
        leaf, name = x.clone().requires_grad_(), str(kind).removeprefix("torch.")
        turns = {
            "clone": torch.clone,
            "ours": rotary.rotate,
            "ours, half layout": lambda x: rotary.rotate(x, layout="half"),
        }
        if kind is torch.float32:
            compiled = torch.compile(turns["ours, half layout"], fullgraph=True)
            turns["ours, half layout, compiled"] = compiled
        turns |= peers.rotations(x)

        def both_ways(turn, leaf=leaf, gradient=gradient):
            leaf.grad = None
            turn(leaf).backward(gradient)

        calls = {name: lambda turn=turn, x=x: turn(x) for name, turn in turns.items()}
        calls["ours, in place"] = lambda x=x: rotary.rotate(x, inplace=True)
        rows[f"rotary {name} forward"] = ratios(calls, 11)
        back = {name: lambda turn=turn, go=both_ways: go(turn) for name, turn in turns.items()}
        rows[f"rotary {name} forward and backward"] = ratios(back, 11)
    return rows


def accuracy() -> dict:
    """Return the largest error of 80 codes of width 512 that end at a position, in units of 2⁻²⁴."""
    import mpmath
    import torch

    from benchmarks import peers
    from pe_helpers import sinusoidal

    mpmath.mp.dps, d_model = 50, 512
    speeds = [mpmath.mpf(10_000) ** (mpmath.mpf(-2 * i) / d_model) for i in range(d_model // 2)]
    ours = {
        "ours": lambda p, d: sinusoidal.table(p, d, layout="half"),
        "ours, exact": lambda p, d: sinusoidal.table(p, d, layout="half", exact=True),
    }

    def largest(truth, codes):
        pairs = ((a, b) for x, y in zip(truth, codes, strict=True) for a, b in zip(x, y, strict=True))
        return float(f"{max(float(abs(a - b)) for a, b in pairs) * 2**24:.3g}")

    rows = {}
    for last in (10**3, 10**4, 10**5, 10**6, 10**7):
        positions = torch.arange(last - 79, last + 1)  # as many as products are used for
        truth = [[mpmath.sin(p * w) for w in speeds] + [mpmath.cos(p * w) for w in speeds] for p in positions.tolist()]
        rows[f"position {last}"] = {
            name: largest(truth, call(positions, d_model).tolist())
            for name, call in {**ours, **peers.at_positions()}.items()
        }
    return rows


def scratch() -> dict:
    """Return the most memory (MB) that a call takes beside its result, from the kernel's own high-water mark."""
    if not Path("/proc/self/clear_refs").exists():
        return {}
    import torch

    from pe_helpers import rotary, sinusoidal

    def peak(call):
        call()
        Path("/proc/self/clear_refs").write_text("5")
        status = lambda key: int(Path("/proc/self/status").read_text().split(key)[1].split()[0]) / 1024  # noqa: E731
        before = status("VmRSS:")
        call()
        return round(status("VmHWM:") - before, 2)

    table, packed = torch.zeros(65536, 512), torch.zeros(8, 4096, 512)
    ids, x = torch.randint(0, 4096, (8, 4096)), torch.randn(2, 16, 2048, 64)
    half = x.bfloat16()
    return {
        "table 65536 × 512": peak(lambda: sinusoidal.table(65536, 512, out=table)),
        "the same, half layout": peak(lambda: sinusoidal.table(65536, 512, layout="half", out=table)),
        "the same, exact": peak(lambda: sinusoidal.table(65536, 512, exact=True, out=table)),
        "packed ids 8 × 4096 × 512 (one table of 8 MB)": peak(lambda: sinusoidal.table(ids, 512, out=packed)),
        "rotary float32 in place": peak(lambda: rotary.rotate(x, inplace=True)),
        "rotary float32 half layout in place": peak(lambda: rotary.rotate(x, layout="half", inplace=True)),
        "rotary bfloat16 in place": peak(lambda: rotary.rotate(half, inplace=True)),
    }


def on_gpu() -> dict | str:
    """Return ratios to a copy of the same bytes on a GPU."""
    import torch

    from pe_helpers import rotary, sinusoidal

    if not torch.cuda.is_available():
        return "not measured (no GPU here)"

    def ready(call):
        def in_a_row():
            for _ in range(20):  # a GPU works while the next call is prepared
                call()
            torch.cuda.synchronize()

        return in_a_row

    out, x = torch.empty(65536, 512, device="cuda"), torch.randn(8, 16, 8192, 128, device="cuda")
    ids = torch.randint(10**6, (65536,), device="cuda")
    turns = {"ours": rotary.rotate, "ours, compiled": torch.compile(rotary.rotate, fullgraph=True)}
    turns |= {"ours, half layout": lambda x: rotary.rotate(x, layout="half")}
    turns |= {"ours, in place": lambda x: rotary.rotate(x, inplace=True)}
    rows, clock = {}, time.process_time
    time.process_time = time.perf_counter  # a GPU's work is no processor time
    try:
        for kind in (torch.float32, torch.bfloat16):
            name, there = str(kind).removeprefix("torch."), {"dtype": kind, "device": "cuda"}
            source, target, each = out.to(kind), torch.empty_like(out, dtype=kind), x.to(kind)
            compiled = torch.compile(sinusoidal.table, fullgraph=True)
            calls = {
                "copy_": lambda source=source, target=target: target.copy_(source),
                "ours": lambda there=there: sinusoidal.table(65536, 512, **there),
                "ours, at positions": lambda there=there: sinusoidal.table(ids, 512, **there),
                "ours, compiled": lambda there=there, compiled=compiled: compiled(65536, 512, **there),
            }
            rows[f"table 65536 × 512 {name}"] = ratios({name: ready(call) for name, call in calls.items()}, 25)
            calls = {"clone": each.clone} | {name: lambda turn=turn, x=each: turn(x) for name, turn in turns.items()}
            rows[f"rotary {name} forward"] = ratios({name: ready(call) for name, call in calls.items()}, 25)
            leaf = each.clone().requires_grad_()
            back = {
                "clone": lambda x=leaf, g=each: torch.autograd.grad(x.clone(), x, g.clone()),
                "ours": lambda x=leaf, g=each: torch.autograd.grad(rotary.rotate(x), x, g),
            }
            rows[f"rotary {name} forward and backward"] = ratios({name: ready(call) for name, call in back.items()}, 25)
        return rows
    finally:
        time.process_time = clock


def first_calls() -> dict:
    """Return the processor time of a configuration's first call, medians of 9."""
    import torch

    from pe_helpers import _clock, _neighbours, sinusoidal

    def first(width):
        _clock._geometric.cache_clear()
        _neighbours._first.cache_clear()
        start = time.process_time()
        sinusoidal.table(16, width)
        return time.process_time() - start

    torch.set_num_threads(1)
    first(32)
    return {width: f"{1000 * statistics.median(first(width) for _ in range(9)):.1f} ms" for width in (64, 512)}


def imports() -> dict:
    """Return processor seconds of importing torch alone and the encoders, medians of 5."""
    five = "import pe_helpers.sinusoidal, pe_helpers.rotary, pe_helpers.alibi, pe_helpers.relative, pe_helpers.learned"
    code = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
    run = lambda what: float(subprocess.check_output([sys.executable, "-c", code.format(what)]))  # noqa: E731
    pairs = [(run("import torch"), run(five)) for _ in range(5)]
    torch_alone, encoders = (round(statistics.median(times), 2) for times in zip(*pairs, strict=True))
    return {"import torch": torch_alone, "import the encoders": encoders}


def measured(part: str, environment: dict) -> dict:
    """Run one part of this file in a process of its own and return what it found."""
    command = [sys.executable, "-m", "benchmarks.encoders", part]
    done = subprocess.run(command, env=os.environ | environment | ALWAYS, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    print(done.stdout.rpartition("\n{")[0], flush=True)
    return json.loads("{" + done.stdout.rpartition("\n{")[2])


def main() -> None:
    import torch

    from benchmarks import peers

    result = {
        "machine": {
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "load": round(os.getloadavg()[0], 1),
            "threads": 1,
        },
        "versions": {"python": platform.python_version(), "torch": torch.__version__, **peers.versions()},
        "heap kept": measured("speeds", KEEP),
        "heap as it comes": measured("speeds", {}),
        "accuracy (units of 2^-24)": measured("accuracy", {}),
        "scratch (MB)": measured("scratch", {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}),
        "first call": first_calls(),
        "import (processor seconds)": imports(),
        "gpu": measured("gpu", {})["gpu"],
    }
    result["machine"]["load at the end"] = round(os.getloadavg()[0], 1)
    summarise(result)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in result["readme"]:
        print(row)


def summarise(result: dict) -> None:
    """Add what README shows: ours beside the best peer, and a note on the rest."""
    result["readme"] = []
    for what, times in result["heap kept"].items():
        yardstick, *names = times
        best = min((name for name in names if not name.startswith("ours")), key=times.get, default=None)
        for name in [name for name in names if name.startswith("ours")]:
            if name in ("ours, exact", "ours, out="):
                continue  # in the result file
            row = {"what": what + name.removeprefix("ours"), "beside": yardstick, "ours": times[name]}
            result["readme"].append(row | {"best peer": f"{times[best]} ({best})" if best else "–"})
    first = " and ".join(f"{time} (width {width})" for width, time in result["first call"].items())
    errors = result["accuracy (units of 2^-24)"]["position 1000000"]
    peer = min((name for name in errors if not name.startswith("ours")), key=errors.get)
    result["note"] = (
        "Times as multiples of the simplest operation on the same bytes, one thread. Largest error at position "
        f"1,000,000 in units of 2⁻²⁴: ours {errors['ours']}, exact {errors['ours, exact']}, {peer} {errors[peer]:.0f}. "
        f"A configuration's first call, which makes its constants, takes {first}. "
        f"{result['machine']['cores']} cores under a load of {result['machine']['load']}. "
        f"GPU: {result['gpu'] if isinstance(result['gpu'], str) else 'see the result file'}."
    )


if __name__ == "__main__":
    part = {"speeds": speeds, "accuracy": accuracy, "scratch": scratch, "gpu": lambda: {"gpu": on_gpu()}}[sys.argv[1]]
    if sys.argv[1] != "gpu":
        import torch

        torch.set_num_threads(1)
    found = part()
    print("\n" + json.dumps(found))
