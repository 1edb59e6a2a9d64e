"""How fast, how exact and how frugal are the encoders, compared with the peers that are installed?

Every time is a ratio within one run: processor time of a call, divided by that of `fill_`, `copy_` or `clone` on the
same bytes in the same repeat, on one thread, in random order; the median over the repeats. The C library keeps its
heap, so that page faults, which cost all of them alike, do not hide the differences. Install the peers with the extra
`bench`.
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
KEEP_HEAP = {
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_MMAP_THRESHOLD_": "4000000000",
    "MALLOC_TOP_PAD_": "100000000",
}
NO_HEAP = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}  # what is freed is given back at once
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
TABLES = [(65536, 512), (4096, 1024), (512, 512), (512, 128), (128, 64), (16, 32)]
WIDTHS = (64, 96, 128, 160, 192)
ULP = 2.0**-24


def ratios(calls: dict, repeats: int, loops: int = 1) -> dict:
    """Time `calls` against the first, the yardstick; return its milliseconds and the ratio of each to it.

    Each is measured with the yardstick alone, in turns, so that nobody's leftovers in the caches count for another.
    """
    yardstick, *others = calls
    found = {}
    base = []
    for name in others:
        times = {yardstick: [], name: []}
        for repeat in range(repeats + 1):
            for each in random.sample(list(times), 2):
                start = time.process_time()
                for _ in range(loops):
                    calls[each]()
                if repeat:  # the first repeat warms up
                    times[each].append((time.process_time() - start) / loops)
        found[name] = round(statistics.median(a / b for a, b in zip(times[name], times[yardstick], strict=True)), 2)
        base += times[yardstick]
    return {yardstick: f"{1000 * statistics.median(base):.3f} ms", **found}


def speeds() -> dict:
    """Measure every row of the speed table in this process."""
    import torch

    random.seed(0)
    torch.manual_seed(0)
    rows = {}
    for name, measure in (
        *((f"table {n} × {d}", lambda n=n, d=d: table(n, d)) for n, d in TABLES),
        (f"tables of {len(WIDTHS)} widths in turn", widths_in_turn),
        ("packed ids 8 × 4096 × 512", packed_ids),
        ("rotary float32, forward", lambda: rotary_kept(torch.float32, backward=False)),
        ("rotary float32, forward and backward", lambda: rotary_kept(torch.float32, backward=True)),
        ("rotary bfloat16, forward", lambda: rotary_kept(torch.bfloat16, backward=False)),
        ("rotary bfloat16, forward and backward", lambda: rotary_kept(torch.bfloat16, backward=True)),
    ):
        rows[name] = measure()
        print(name, rows[name], flush=True)
    return rows


def table(n: int, d: int) -> dict:
    import torch

    from benchmarks import peers
    from pe_helpers import sinusoidal

    calls = {
        "fill_": lambda: torch.empty(n, d).fill_(1.0),
        "ours": lambda: sinusoidal.table(n, d),
        "ours, half layout": lambda: sinusoidal.table(n, d, layout="half"),
    }
    calls |= {name: lambda call=call: call(n, d) for name, call in peers.tables().items()}
    return ratios(calls, 5 if n * d > 10**7 else 11, max(1, 10**5 // (n * d)))


def widths_in_turn() -> dict:
    """Compare small tables whose width changes with every call to as many of a width that stays."""
    from pe_helpers import sinusoidal

    def repeated():
        for width in WIDTHS:
            for _ in WIDTHS:
                sinusoidal.table(16, width)

    def in_turn():
        for _ in WIDTHS:
            for width in WIDTHS:
                sinusoidal.table(16, width)

    return ratios({"each width repeated": repeated, "ours": in_turn}, 15, loops=2)


def packed_ids() -> dict:
    import torch

    from benchmarks import peers
    from pe_helpers import sinusoidal

    texts = torch.cat([torch.arange(700), torch.arange(1300), torch.arange(2096)])
    packed = texts.expand(8, -1).contiguous()
    filled = torch.randn(8, 4096, 512)
    calls = {"copy_": lambda: torch.empty_like(filled).copy_(filled), "ours": lambda: sinusoidal.table(packed, 512)}
    calls |= {name: lambda call=call: call(packed, 512) for name, call in peers.at_positions().items()}
    return ratios(calls, 5)


def rotary_kept(dtype, *, backward: bool) -> dict:
    """Compare rotations of queries whose cosines and sines are computed beforehand; "at once" computes them too."""
    import torch

    from benchmarks import peers
    from pe_helpers import rotary

    x = torch.randn(2, 16, 2048, 64).to(dtype)
    gradient = torch.randn(2, 16, 2048, 64).to(dtype)
    cos, sin = rotary.cos_sin(torch.arange(2048), 64)
    rotations = {
        "clone": torch.clone,
        "ours": lambda x: rotary.apply_rotary_emb(x, cos, sin),
        "ours, half layout": lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half"),
        "ours, at once": lambda x: rotary.rotate(x, torch.arange(x.shape[-2])),
    }
    if dtype is torch.float32 and not backward:
        half = lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half")  # noqa: E731
        rotations["ours, half layout, compiled"] = torch.compile(half, fullgraph=True)
    rotations |= peers.rotations(x)
    leaf = x.clone().requires_grad_()

    def both_ways(rotate):
        leaf.grad = None
        rotate(leaf).backward(gradient)

    calls = {name: lambda rotate=rotate: rotate(x) for name, rotate in rotations.items()}
    if backward:
        calls = {name: lambda rotate=rotate: both_ways(rotate) for name, rotate in rotations.items()}
    return ratios(calls, 7)


def accuracy() -> dict:
    """Return the largest errors, in units of 2⁻²⁴, compared with 50 digits."""
    import mpmath
    import torch

    from benchmarks import peers
    from pe_helpers import sinusoidal

    mpmath.mp.dps = 50

    def largest(codes, positions, d_model):
        """Return the largest error of codes with all sines first."""
        worst = 0.0
        for position, row in zip(positions, codes.double().tolist(), strict=True):
            for i in range(d_model // 2):
                angle = position * mpmath.mpf(10_000) ** (mpmath.mpf(-2 * i) / d_model)
                worst = max(worst, abs(mpmath.sin(angle) - row[i]), abs(mpmath.cos(angle) - row[d_model // 2 + i]))
        return float(f"{float(worst) / ULP:.3g}")

    generator = torch.Generator().manual_seed(0)
    rows = {}
    for last in (10**3, 10**5, 10**6, 10**7):
        positions = torch.randint(last // 10, last + 1, (20,), generator=generator)
        rows[f"given ids to {last}"] = {
            name: largest(code(positions, 512), positions.tolist(), 512)
            for name, code in {
                "ours": lambda positions, d: sinusoidal.table(positions, d, layout="half"),
                **peers.at_positions(),
            }.items()
        }
    for count, d_model in ((65536, 512), (10**6, 64), (10**7 + 1, 8)):
        codes = sinusoidal.table(count, d_model, layout="half")
        positions = torch.randint(count, (30_000 // d_model,), generator=generator)
        positions[-1] = count - 1
        rows[f"by products, {count} × {d_model}"] = {"ours": largest(codes[positions], positions.tolist(), d_model)}
    return rows


def beyond(call) -> dict:
    """Return the size of a result and the most memory (MB) that its call takes beyond it, by the kernel's mark."""

    def status(key):
        return int(Path("/proc/self/status").read_text().split(key)[1].split()[0]) / 1024

    result = call()
    size = result.numel() * result.element_size() / 2**20
    del result
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS:")
    call()
    return {"result": round(size, 1), "beyond it": round(status("VmHWM:") - before - size, 1)}


def memory() -> dict:
    """Return the most memory (MB) that each call takes beyond its result."""
    if not Path("/proc/self/clear_refs").exists():
        return {}
    import torch

    from pe_helpers import rotary, sinusoidal

    x = torch.randn(2, 16, 4096, 64)
    half = x.bfloat16()
    cos, sin = rotary.cos_sin(torch.arange(4096), 64)
    packed = torch.arange(4096).expand(8, -1).contiguous()
    return {
        "table 65536 × 512": beyond(lambda: sinusoidal.table(65536, 512)),
        "table 65536 × 512, half layout": beyond(lambda: sinusoidal.table(65536, 512, layout="half")),
        "packed ids 8 × 4096 × 512": beyond(lambda: sinusoidal.table(packed, 512)),
        "rotary float32": beyond(lambda: rotary.apply_rotary_emb(x, cos, sin)),
        "rotary float32, half layout": beyond(lambda: rotary.apply_rotary_emb(x, cos, sin, layout="half")),
        "rotary bfloat16": beyond(lambda: rotary.apply_rotary_emb(half, cos, sin)),
    }


def first_calls() -> dict:
    """Return the milliseconds of a process's first and second table of 512 × 512, medians of 3 processes."""
    code = (
        "import time, torch; from pe_helpers import sinusoidal; torch.set_num_threads(1); times = []\n"
        "for _ in range(2):\n"
        "    start = time.process_time(); sinusoidal.table(512, 512); times.append(time.process_time() - start)\n"
        "print(*times)"
    )
    runs = [subprocess.check_output([sys.executable, "-c", code]).split() for _ in range(3)]
    first, second = (1000 * statistics.median(float(run[i]) for run in runs) for i in range(2))
    return {"first": round(first, 2), "second": round(second, 2)}


def measured(part: str, environment: dict, module: str = "benchmarks.encoders") -> dict:
    """Run one part of a module in a process of its own and return what it found."""
    command = [sys.executable, "-m", module, part]
    done = subprocess.run(command, env=os.environ | environment | ONE_THREAD, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    print(done.stdout.rpartition("\n{")[0], flush=True)
    return json.loads("{" + done.stdout.rpartition("\n{")[2])


def main() -> None:
    import torch

    from benchmarks import peers

    loads = [os.getloadavg()[0]]
    parts = {}
    for name, part, environment in (
        ("speed (multiples)", "speeds", KEEP_HEAP),
        ("memory (MB)", "memory", NO_HEAP),
        ("accuracy (units of 2^-24)", "accuracy", {}),
    ):
        parts[name] = measured(part, environment)
        loads.append(os.getloadavg()[0])
    result = {
        "machine": {
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "threads": 1,
            "load before and after each part": [round(load, 1) for load in loads],
        },
        "versions": {"python": platform.python_version(), "torch": torch.__version__, **peers.versions()},
        **parts,
        "first calls (ms)": measured("first", {}),
    }
    summarise(result)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in result["readme"]:
        print(row)


SHOWN = {  # row: how its numbers come about
    "table 65536 × 512": "products",
    "table 512 × 128": "products",
    "packed ids 8 × 4096 × 512": "one table by products, then a lookup",
    "rotary float32, forward": "kept cosines and sines",
    "rotary float32, forward and backward": "kept cosines and sines",
    "rotary bfloat16, forward and backward": "kept cosines and sines",
}


def summarise(result: dict) -> None:
    """Add what the engineers' page shows: ours and the fastest peer, and a note on the rest."""
    result["readme"] = []
    for what, how in SHOWN.items():
        times = result["speed (multiples)"][what]
        yardstick, *names = times
        best = min((name for name in names if not name.startswith("ours")), key=times.get, default=None)
        peer = f"{times[best]} ({best})" if best else "none installed"
        result["readme"].append(
            {"what": what, "by": how, "compared with": yardstick, "ours": times["ours"], "fastest peer": peer}
        )
    errors = result["accuracy (units of 2^-24)"]
    given = errors["given ids to 1000000"]
    best = min((name for name in given if name != "ours"), key=given.get, default=None)
    first = result["first calls (ms)"]
    turns = result["speed (multiples)"][f"tables of {len(WIDTHS)} widths in turn"]["ours"]
    loads = result["machine"]["load before and after each part"]
    result["note"] = (
        "Processor time on one thread, as multiples of the simplest operation on the same bytes; peers too keep their "
        f"cosines and sines. A process's first call takes {first['first']} ms for a table of 512 × 512, the second "
        f"{first['second']} ms; nothing is remembered, and {len(WIDTHS)} widths in turn cost {turns} times as much as "
        f"each repeated. Largest error up to position 1,000,000 in units of 2⁻²⁴: {given['ours']} at given positions, "
        f"{errors['by products, 1000000 × 64']['ours']} by products"
        + (f"; {given[best]:.0f} for {best}" if best else "")
        + f". Measured on {result['machine']['cores']} shared cores at a load of {min(loads)} to {max(loads)}; not "
        "measured on a GPU."
    )


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    found = {"speeds": speeds, "memory": memory, "accuracy": accuracy, "first": first_calls}[sys.argv[1]]()
    print("\n" + json.dumps(found))
