"""What the encoders cost where models use them, beside the formulas that models have now, also where those win.

Ratios of processor times, as in `benchmarks.encoders`, to a formula of transformers or diffusers as it stands there;
*in float32* is the same formula at the accuracy that ours has. `benchmarks/results/at_work.json` keeps the table.
"""

import json
import os
import platform
import sys
from pathlib import Path

from benchmarks import encoders

RESULT = Path(__file__).with_name("results") / "at_work.json"


def compared(what: str, by: str, theirs, *, exact=None, ours=None, unchecked=None, loops: int = 1) -> dict:
    """Return a row: the milliseconds of their call, and the others' as multiples of it."""
    calls = {"theirs": theirs, "in float32": exact, "ours": ours, "ours, check=False": unchecked}
    found = encoders.ratios({name: call for name, call in calls.items() if call}, 9, loops)
    row = {"what": what, "beside": by, "theirs": found.pop("theirs")}
    row |= {f"{name}, times": found.get(name, "") for name in list(calls)[1:]}
    print(row, flush=True)
    return row


def half_layout(x, cos, sin) -> dict:
    """Return rotations in layout "half": transformers' formula in the dtype of `x`, in float32, and ours."""
    import torch
    from transformers.models.llama.modeling_llama import rotate_half

    from pe_helpers import rotary

    wide = [torch.cat([values, values], dim=-1) for values in (cos, sin)]
    cos_rounded, sin_rounded = (values.to(x.dtype) for values in wide)
    cos_exact, sin_exact = wide
    return {
        "theirs": lambda x: x * cos_rounded + rotate_half(x) * sin_rounded,
        "exact": lambda x: (x * cos_exact + rotate_half(x) * sin_exact).to(x.dtype),
        "ours": lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half"),
        "unchecked": lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half", check=False),
    }


def rotations() -> list[dict]:
    import torch

    from pe_helpers import rotary

    rows = []
    for shape, dtype, loops in (
        ((1, 8, 1024, 128), torch.bfloat16, 4),
        ((2, 16, 2048, 64), torch.bfloat16, 1),
        ((1, 32, 2048, 128), torch.bfloat16, 1),
        ((1, 32, 2048, 128), torch.float32, 1),
        ((1, 32, 1, 128), torch.bfloat16, 500),
        ((1, 32, 1, 128), torch.float32, 500),
    ):
        step = shape[2] == 1
        cos, sin = rotary.cos_sin([5000] if step else range(shape[2]), shape[3])
        x = torch.randn(shape).to(dtype)
        leaf = x.clone().requires_grad_()
        gradient = torch.randn(shape).to(dtype)

        def both_ways(rotate, leaf=leaf, gradient=gradient):
            leaf.grad = None
            rotate(leaf).backward(gradient)

        formulas = half_layout(x, cos, sin)
        name = f"rotary {str(dtype).removeprefix('torch.')} {shape}, half"
        torch._dynamo.reset()
        calls = {each: lambda f=f, x=x: f(x) for each, f in formulas.items()}
        if dtype is torch.float32:
            del calls["exact"]
        what = f"{name}, a step of decoding" if step else f"{name}, forward"
        rows.append(compared(what, "transformers (Llama)", calls.pop("theirs"), **calls, loops=loops))
        if step:
            kept = rotary.RotaryEmbedding(128, 8192, layout="half")
            place = torch.tensor([5000])
            module = {"ours": lambda kept=kept, x=x, place=place: kept(x, place)}
            what = f"{what}, the lookup included in ours"
            rows.append(
                compared(what, "transformers (Llama)", lambda f=formulas["theirs"], x=x: f(x), **module, loops=loops)
            )
        else:
            calls = {each: lambda f=f: both_ways(f) for each, f in formulas.items() if each != "unchecked"}
            what = f"{name}, forward and backward"
            rows.append(compared(what, "transformers (Llama)", calls.pop("theirs"), **calls, loops=loops))
            compiled = {each: torch.compile(f, fullgraph=True) for each, f in formulas.items() if each != "unchecked"}
            calls = {each: lambda f=f, x=x: f(x) for each, f in compiled.items()}
            if dtype is torch.float32:
                del calls["exact"]
            what = f"{name}, forward, all compiled"
            rows.append(compared(what, "transformers (Llama)", calls.pop("theirs"), **calls, loops=loops))
    return rows


def interleaved() -> list[dict]:
    import torch
    from diffusers.models.embeddings import apply_rotary_emb

    from pe_helpers import rotary

    x = torch.randn(1, 8, 1024, 128)
    cos, sin = rotary.cos_sin(range(1024), 128)
    kept = torch.complex(cos, sin)[None]
    compiled = torch.compile(rotary.apply_rotary_emb, fullgraph=True)
    what = f"rotary float32 {tuple(x.shape)}, interleaved"
    return [
        compared(
            f"{what}, forward",
            "diffusers (a kept complex table)",
            lambda: apply_rotary_emb(x.transpose(1, 2), kept, use_real=False).transpose(1, 2),
            ours=lambda: rotary.apply_rotary_emb(x, cos, sin),
            unchecked=lambda: rotary.apply_rotary_emb(x, cos, sin, check=False),
            loops=8,
        ),
        compared(
            f"{what}, compiled",
            "ours, not compiled",
            lambda: rotary.apply_rotary_emb(x, cos, sin),
            ours=lambda: compiled(x, cos, sin),
            loops=8,
        ),
    ]


def biases_and_tables() -> list[dict]:
    import torch
    from transformers import T5Config
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
    from transformers.models.t5.modeling_t5 import T5Attention
    from transformers.models.whisper.modeling_whisper import sinusoids

    from pe_helpers import alibi, relative, sinusoidal

    keys = torch.arange(5001)
    text = torch.arange(512)
    theirs = T5Attention(T5Config(num_heads=8), has_relative_attention_bias=True).requires_grad_(False)
    ours = relative.RelativeBias(8).requires_grad_(False)
    rows = [
        compared(
            "ALiBi, 32 heads, a step of decoding after 5000",
            "transformers (MPT)",
            lambda: build_mpt_alibi_tensor(32, 5001),
            ours=lambda: alibi.bias(32, keys[-1:], keys),
            loops=50,
        ),
        compared(
            "T5's bias, 8 heads, 512 × 512",
            "transformers (T5)",
            lambda: theirs.compute_bias(512, 512),
            ours=lambda: ours(text, text),
            loops=4,
        ),
    ]
    for n, d in ((512, 128), (128, 64), (16, 32)):
        for layout in sinusoidal.LAYOUTS:
            rows.append(
                compared(
                    f"table {n} × {d}, {layout}",
                    "transformers (Whisper)",
                    lambda n=n, d=d: sinusoids(n, d),
                    ours=lambda n=n, d=d, layout=layout: sinusoidal.table(n, d, layout=layout),
                    loops=200,
                )
            )
    return rows


def speeds() -> dict:
    import torch

    torch.manual_seed(0)
    return {"rows": [*rotations(), *interleaved(), *biases_and_tables()]}


def memory() -> dict:
    """Return the megabytes that a rotation of 16 MB in bfloat16 takes beyond its result, forward and for a gradient."""
    if not Path("/proc/self/clear_refs").exists():
        return {}
    import torch

    from pe_helpers import rotary

    x = torch.randn(2, 16, 4096, 64).bfloat16()
    leaf = x.clone().requires_grad_()
    formulas = half_layout(x, *rotary.cos_sin(range(4096), 64))
    del formulas["unchecked"]
    return {
        name: [
            encoders.beyond(lambda f=f: f(x))["beyond it"],
            encoders.beyond(lambda f=f: torch.autograd.grad(f(leaf), leaf, x)[0])["beyond it"],
        ]
        for name, f in formulas.items()
    }


def powers() -> dict:
    """Return the largest relative errors of speeds by powers and by exponentials, compared with 50 digits."""
    import mpmath
    import torch

    from pe_helpers import sinusoidal

    mpmath.mp.dps = 50
    exact = [mpmath.mpf(10_000) ** (-mpmath.mpf(i) / 64) for i in range(64)]
    by_exp = torch.exp(torch.arange(64, dtype=torch.float64) / 64 * -torch.tensor(10_000.0).double().log())
    return {
        name: float(max(abs(value / wanted - 1) for value, wanted in zip(found.tolist(), exact, strict=True)))
        for name, found in (("powers", sinusoidal.inv_freq(128)), ("exponentials", by_exp))
    }


def main() -> None:
    import torch

    from benchmarks import peers

    load = os.getloadavg()[0]
    rows = encoders.measured("speeds", encoders.KEEP_HEAP, "benchmarks.at_work")["rows"]
    used = encoders.measured("memory", encoders.NO_HEAP, "benchmarks.at_work")
    errors = encoders.measured("powers", {}, "benchmarks.at_work")
    if used:
        row = {"what": "memory beyond 16 MB of bfloat16, half (MB: forward; with a gradient)"}
        row["beside"] = "transformers (Llama)"
        shown = {name: "; ".join(f"{value:.0f}" for value in values) for name, values in used.items()}
        row |= {"theirs": shown["theirs"], "in float32, times": shown["exact"], "ours, times": shown["ours"]}
        rows.append(row | {"ours, check=False, times": ""})
    result = {
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "system": platform.system()},
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "versions": {"torch": torch.__version__, **peers.versions()},
        "rows": rows,
        "speeds' largest relative error": errors,
    }
    result["note"] = (
        "Multiples of their time: above 1 theirs is faster. Processor time on one thread, medians of 9 repeats, load "
        f"{result['load'][0]} to {result['load'][1]}. *In float32* is their formula at our accuracy: in bfloat16 it "
        "rounds its cosines and every product. Speeds by powers, as here, are within "
        f"{errors['powers']:.1e} of the exact ones, by exponentials within {errors['exponentials']:.1e}."
    )
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    found = {"speeds": speeds, "memory": memory, "powers": powers}[sys.argv[1]]()
    print("\n" + json.dumps(found))
