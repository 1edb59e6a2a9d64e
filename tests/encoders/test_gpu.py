"""What a GPU does in one kernel: on a GPU where there is one, else interpreted, number by number, on the processor.

The interpreter runs the same program, but it cuts bfloat16 off where a GPU rounds. That the program can be compiled for
real GPUs is a test of its own.
"""

import os
import subprocess
import sys

import mpmath
import pytest
import torch
from conftest import require

from pe_helpers import _gpu, rotary, sinusoidal

mpmath.mp.dps = 50
U = 2.0**-24
LAYOUTS = ("interleaved", "half")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Counted:
    def __init__(self, kernel, launches):
        self.kernel, self.launches = kernel, launches

    def __getitem__(self, grid):
        self.launches.append(grid)
        return self.kernel[grid]


@pytest.fixture
def launches(monkeypatch):
    """Take the tensors' device for a GPU, and list the kernels that are launched."""
    require(_gpu.find_spec("triton"), "needs Triton, of the extra `test`, which exists for Linux alone")
    from pe_helpers import _kernels

    launched = []
    for name in ("table", "turn"):
        monkeypatch.setattr(_kernels, name, Counted(getattr(_kernels, name), launched))
    monkeypatch.setattr(_gpu, "present", lambda device: device.type == DEVICE)
    return launched


def truth(position, d_model, layout):
    angles = [position * mpmath.mpf(10_000) ** (mpmath.mpf(-2 * i) / d_model) for i in range(d_model // 2)]
    pairs = [(mpmath.sin(angle), mpmath.cos(angle)) for angle in angles]
    return [x for pair in (pairs if layout == "interleaved" else zip(*pairs, strict=True)) for x in pair]


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(DEVICE, dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("d_model", [2, 6, 130])
def test_one_kernel_writes_a_table_that_is_right_at_any_position(launches, d_model, layout):
    far = torch.tensor([[0, -1, 257], [10**7, 2**40 + 1, -(2**62) - 1]])
    codes = sinusoidal.table(far.to(DEVICE), d_model, layout=layout)
    assert len(launches) == 1 and codes.shape == (2, 3, d_model) and codes.dtype == torch.float32
    for position, code in zip(far.flatten().tolist(), codes.flatten(0, 1).tolist(), strict=True):
        assert max(float(abs(a - b)) for a, b in zip(code, truth(position, d_model, layout), strict=True)) < 2.5 * U


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("length", [1, 16, 37, 128, 300])
def test_a_table_of_a_count_is_the_table_of_its_positions(launches, length, layout, dtype):
    counted = sinusoidal.table(length, 70, layout=layout, dtype=dtype, device=DEVICE)
    ids = torch.arange(length, device=DEVICE)
    assert torch.equal(counted, sinusoidal.table(ids, 70, layout=layout, dtype=dtype))
    written = torch.full((length, 70), 9.0, dtype=dtype, device=DEVICE)
    assert sinusoidal.table(length, 70, layout=layout, out=written) is written and torch.equal(counted, written)
    assert len(launches) == 3


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_what_is_asked_for_to_the_last_bit_is_what_the_processor_gives(launches, monkeypatch, dtype):
    positions = torch.arange(0, 10**7, 99_991)
    codes = sinusoidal.table(positions.to(DEVICE), 256, dtype=dtype, exact=True).cpu()
    assert len(launches) == 1
    monkeypatch.setattr(_gpu, "present", lambda device: False)
    wanted = sinusoidal.table(positions, 256, dtype=dtype, exact=True)
    if dtype == torch.bfloat16 and DEVICE == "cpu":
        assert ((codes - wanted).abs() <= 2.0**-8 * codes.abs().clamp(min=1e-38) * 2).all()
    else:
        assert torch.equal(codes, wanted)


IDS = {
    "counted": lambda x: None,
    "for all": lambda x: torch.arange(x.shape[-2]) * 99_991 - 5,
    "for each text": lambda x: torch.arange(x.shape[0] * x.shape[-2]).view(x.shape[0], -1) * 1013,
    "for all texts": lambda x: torch.arange(x.shape[-2])[None] + 7,
    "for each head": lambda x: torch.arange(x.numel() // x.shape[-1]).view(x.shape[:-1]) * 17,
}
ROUNDED = {torch.float32: 0, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8 if DEVICE == "cuda" else 2.0**-7}


def turned(x, ids, layout):
    """The same in float64 on the processor, pair by pair."""
    *_, length, width = x.shape
    ids = torch.arange(length) if ids is None else ids.cpu()
    ids = ids if ids.ndim in (1, x.ndim - 1) else ids.view(len(ids), *[1] * (x.ndim - 3), length)
    speeds = 10_000.0 ** (-2 * torch.arange(width // 2).double() / width)
    angle, x = ids[..., None].double() * speeds, x.detach().cpu().double()
    first, second = x.unflatten(-1, (-1, 2)).unbind(-1) if layout == "interleaved" else x.chunk(2, -1)
    pair = first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()
    return torch.stack(pair, -1).flatten(-2) if layout == "interleaved" else torch.cat(pair, -1)


@pytest.mark.parametrize("dtype", ROUNDED)
@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_kernel_turns_features_of_any_shape(launches, layout, ids, dtype):
    for shape in ((2, 5, 19, 130), (3, 33, 2), (2, 2, 3, 9, 34)):
        x = random(*shape, dtype=dtype)
        positions = IDS[ids](x)
        wanted = turned(x, positions, layout)
        result = rotary.rotate(x, positions, layout=layout)
        assert len(launches) == 1 and result.dtype == dtype
        torch.testing.assert_close(result.cpu().double(), wanted, rtol=ROUNDED[dtype], atol=2e-6)
        swapped = x.transpose(0, -2).contiguous().transpose(0, -2)
        assert torch.equal(rotary.rotate(swapped, positions, layout=layout), result)
        assert rotary.rotate(swapped, positions, layout=layout, inplace=True) is swapped
        assert torch.equal(swapped, result)
        apart = x.mT.contiguous().mT
        assert torch.equal(rotary.rotate(apart, positions, layout=layout, inplace=True), result)
        launches.clear()


def test_heads_are_turned_where_they_lie(launches, monkeypatch):
    monkeypatch.setattr(_gpu, "Turned", None)  # which turns into new memory
    x = random(2, 7, 3, 8).transpose(1, 2)
    address = x.data_ptr()
    wanted = turned(x, None, "half")
    assert rotary.rotate(x, layout="half", inplace=True).data_ptr() == address
    torch.testing.assert_close(x.cpu().double(), wanted, rtol=0, atol=1e-6)
    assert len(launches) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_first_features_are_turned_and_the_others_kept(launches, layout):
    x = random(2, 3, 5, 16)
    result = rotary.rotate(x, rotary_dim=6, layout=layout)
    torch.testing.assert_close(result[..., :6].cpu().double(), turned(x[..., :6], None, layout), rtol=0, atol=1e-6)
    assert torch.equal(result[..., 6:], x[..., 6:]) and len(launches) == 1
    assert torch.equal(rotary.rotate(x, rotary_dim=6, layout=layout, inplace=True), result)


def test_features_turn_at_the_speeds_that_are_given(launches):
    x, ids, speeds = random(2, 6, 8), torch.arange(6, device=DEVICE) * 1001, torch.tensor([7.5, 1.0, -0.125, 0.0])
    result = rotary.rotate(x, ids, inv_freq=speeds.double())
    assert len(launches) == 1
    wanted = rotary.rotate(x.cpu().double(), ids.cpu(), inv_freq=speeds.double())
    torch.testing.assert_close(result.cpu().double(), wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ids", IDS)
def test_gradients_turn_back_in_one_kernel(launches, ids, layout):
    x = random(2, 3, 5, 8).requires_grad_()
    positions = IDS[ids](x)
    weight = random(2, 3, 5, 8) + 1
    (gradient,) = torch.autograd.grad(rotary.rotate(x, positions, layout=layout), x, weight, create_graph=True)
    assert len(launches) == 2
    double = x.detach().cpu().double().requires_grad_()
    (wanted,) = torch.autograd.grad(rotary.rotate(double, positions, layout=layout), double, weight.cpu().double())
    torch.testing.assert_close(gradient.detach().cpu().double(), wanted, rtol=0, atol=2e-6)
    leaf = x.detach().clone().requires_grad_()
    rotary.rotate(leaf * 1, positions, layout=layout, inplace=True).backward(weight)
    assert torch.equal(leaf.grad, gradient)


def test_a_score_depends_on_the_offset_alone_far_out(launches):
    q, k = random(64), random(64)
    positions = torch.tensor([0, 1000, 10**6, 10**7 - 7], device=DEVICE)
    queries = rotary.rotate(q.expand(4, 64), positions + 7)
    scores = (queries.double() * rotary.rotate(k.expand(4, 64), positions).double()).sum(-1)
    assert (scores - scores[0]).abs().max() < 2e-7 * q.norm() * k.norm()
    assert len(launches) == 2


def test_what_the_kernels_do_not_serve_goes_the_common_way(launches):
    x, ids = random(3, 4, 8), torch.arange(4, device=DEVICE)
    half = ids / 2
    calls = {
        "between tokens": lambda: sinusoidal.table(half, 8),
        "float64": lambda: sinusoidal.table(ids, 8, dtype=torch.float64),
        "strided out": lambda: sinusoidal.table(ids, 8, out=torch.empty(4, 16, device=DEVICE)[:, ::2]),
        "features in float64": lambda: rotary.rotate(x.double(), ids),
        "turned between tokens": lambda: rotary.rotate(x, half),
        "mapped": lambda: torch.vmap(rotary.rotate)(x),
        "no texts": lambda: rotary.rotate(x[:0], ids),
        "no table": lambda: sinusoidal.table(ids[:0], 8),
        "wide": lambda: rotary.rotate(x.new_ones(1, 2, 4096)),
        "learned speeds": lambda: rotary.rotate(x, inv_freq=torch.ones(4, device=DEVICE).requires_grad_()),
    }
    for name, call in calls.items():
        assert call().isfinite().all() and not launches, name
    position = half.clone().requires_grad_()
    sinusoidal.table(position, 8).sum().backward()
    assert position.grad.isfinite().all() and not launches


def test_a_default_device_changes_no_speed(launches):
    wanted = sinusoidal.table(40, 6, device=DEVICE)
    _gpu._speeds.cache_clear()
    with torch.device("meta"):
        codes = sinusoidal.table(40, 6, device=DEVICE)
    assert torch.equal(codes, wanted) and len(launches) == 2
    _gpu._speeds.cache_clear()


@pytest.mark.parametrize("missing", ["triton", "gcc"])
def test_without_a_compiler_a_gpu_is_served_as_any_other_device(monkeypatch, missing):
    monkeypatch.setattr(*(_gpu, "find_spec") if missing == "triton" else (_gpu.shutil, "which"), lambda name: None)
    _gpu._compiler.cache_clear()
    assert not _gpu.present(torch.device("cuda"))
    _gpu._compiler.cache_clear()


def test_the_processor_runs_no_kernels():
    assert not _gpu.present(torch.device("cpu"))


COMPILE = """
import itertools, pathlib, subprocess, sys, triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from pe_helpers import _kernels

file = pathlib.Path(sys.argv[1])
for capability in (80, 90):
    for kind in ("fp32", "fp16", "bf16"):
        for half, counted, ones in itertools.product((False, True), (False, True), ((), ("heads", "length", "pairs"))):
            for kernel, fixed in (
                (_kernels.table, dict(nearest=kind != "fp32", lines=16, width=1 if ones else 64)),
                (_kernels.turn, dict(sign=-1, block=1 if ones else 4, lines=32, width=1 if ones else 32)),
            ):
                names = kernel.arg_names
                fixed |= {"times": 8 if counted and kind != "fp32" else 1} if kernel is _kernels.table else {}
                fixed |= dict(half=half, counted=counted) | {name: 1 for name in ones if name in names}
                types = {name: "i32" for name in names} | {name: "constexpr" for name in fixed}
                types |= {"positions": "*i64", "hands": "*i64"}
                types |= {name: "*" + kind for name in ("result", "x") if name in names}
                aligned = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(names) if name not in fixed}
                constants = {(names.index(name),): value for name, value in fixed.items()}
                source = ASTSource(fn=kernel, signature=types, constexprs=constants, attrs=aligned)
                built = triton.compile(source, target=GPUTarget("cuda", capability, 32))
                assert ones or "st.global.v4" in built.asm["ptx"], "numbers are stored one by one"
                file.write_bytes(built.asm["cubin"])
                usage = subprocess.check_output([triton.knobs.nvidia.cuobjdump.path, "-res-usage", file], text=True)
                assert " STACK:0 " in usage and " LOCAL:0 " in usage, "registers do not suffice"
"""


def test_the_kernels_compile_for_real_gpus_and_move_many_numbers_at_once(tmp_path):
    require(_gpu.find_spec("triton"), "needs Triton, of the extra `test`, which exists for Linux alone")
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, tmp_path / "kernel"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(DEVICE == "cpu", reason="needs a GPU")
def test_a_gpu_runs_one_kernel_and_fetches_nothing():
    x = random(2, 3, 500, 64)
    for call in (lambda: sinusoidal.table(500, 64, device="cuda"), lambda: rotary.rotate(x)):
        call()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            call()
            torch.cuda.synchronize()
        assert len(profile.events()) == 1, [event.name for event in profile.events()]


@pytest.mark.skipif(DEVICE == "cpu", reason="needs a GPU")
def test_calls_are_captured_in_a_cuda_graph():
    x = random(2, 3, 500, 64)
    ids = torch.arange(500, device="cuda")
    call = lambda: (sinusoidal.table(500, 64, device="cuda"), rotary.rotate(x, ids))  # noqa: E731
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        table, turned = call()
    x.add_(1)
    ids.add_(3)
    graph.replay()
    assert torch.equal(table, sinusoidal.table(500, 64, device="cuda"))
    assert torch.equal(turned, rotary.rotate(x, ids))
