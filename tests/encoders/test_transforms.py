"""One implementation for all: mapped, compiled, differentiated forward, without data, in each mode, on each device."""

import copy
import inspect

import pytest
import torch
from conftest import require
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

from pe_helpers import _validate, alibi, learned, positions, relative, rotary, rotary_axes, sinusoidal

TABLE = learned.LearnedTable(9, 3, std=1.0)
RELATIVE = relative.RelativeBias(2)
torch.nn.init.normal_(RELATIVE.weight)


def axial(x, places):
    inv_freq, axis_of_pair = rotary_axes.axial(x.shape[-1])
    cos, sin = rotary_axes.cos_sin(places, axis_of_pair, inv_freq=inv_freq)
    return rotary.apply_rotary_emb(x, cos, sin, layout="half")


CALLS = {  # the name of each argument says which of the inputs below it takes
    "table": lambda ids: sinusoidal.table(ids, 8),
    "table, half layout, bfloat16": lambda ids: sinusoidal.table(ids, 8, layout="half", dtype=torch.bfloat16),
    "table of a count": lambda ids: ids[..., None] * sinusoidal.table(ids.shape[-1], 8),
    "table of positions that repeat": lambda ids: sinusoidal.table((ids // 100).repeat_interleave(50, -1), 8),
    "table, between tokens": lambda p: sinusoidal.table(p, 8, convention="tensor2tensor", dtype=torch.float64),
    "shift_matrix": lambda ids: sinusoidal.shift_matrix(ids, 6),
    "kernel": lambda ids: sinusoidal.kernel(ids, 8),
    "read_position": lambda ids: sinusoidal.read_position(sinusoidal.table(ids, 8)),
    "wavelengths": lambda ids: ids[..., None] * sinusoidal.wavelengths(8, base=100.0),
    "rotate": lambda x, ids: rotary.rotate(x, ids),
    "rotate, half layout, float16": lambda x: rotary.rotate(x.half(), torch.arange(x.shape[-2]), layout="half"),
    "rotate, bfloat16": lambda x, ids: rotary.rotate(x.bfloat16(), ids),
    "rotate some features": lambda x, ids: rotary.rotate(x, ids, rotary_dim=4, inv_freq=[1.0, 0.1]),
    "kept cosines and sines": lambda x, ids: rotary.apply_rotary_emb(x, *rotary.cos_sin(ids, 8)),
    "turn further": lambda x, ids: rotary.turn_further(rotary.rotate(x, ids), -ids),
    "turn further by one number": lambda x: rotary.turn_further(x, -3, layout="half"),
    "positions from a mask": lambda rows: positions.from_mask(rows > 4),
    "one text alone": lambda rows: positions.same_document(rows),
    "a grid": lambda ids: ids.sum(-1) * rotary_axes.grid(2, ids.shape[-1]),
    "axial": axial,
    "sections": lambda places: torch.cat(rotary_axes.cos_sin(places, rotary_axes.sections([5, 3]))),
    "sections dealt out": lambda places: torch.cat(
        rotary_axes.cos_sin(places.double() / 7, rotary_axes.sections([5, 3], interleaved=True), dtype=torch.float64)
    ),
    "reordered weights": lambda x: rotary.to_interleaved(rotary.to_half(x.mT, 4)),
    "alibi": lambda ids: alibi.bias(6, ids, ids),
    "alibi, symmetric": lambda ids, p: alibi.bias(5, ids, p, symmetric=True),
    "bucket": lambda far: relative.bucket(far),
    "relative bias": lambda ids, far: RELATIVE(ids, far),
    "learned table": lambda rows: TABLE(rows),
}


@pytest.fixture(params=CALLS)
def call(request, unchecked):
    torch._dynamo.reset()
    return CALLS[request.param]


def inputs(call, length):
    """A batch of three for each argument that a call takes."""
    generator = torch.Generator().manual_seed(length)
    every = {
        "x": torch.randn(3, 2, length, 8, generator=generator),
        "p": torch.rand(3, length, dtype=torch.float64, generator=generator) * 900 - 300,
        "ids": torch.randint(0, 900, (3, length), generator=generator),
        "rows": torch.randint(0, 9, (3, length), generator=generator),
        "places": torch.randint(0, 900, (3, length, 2), generator=generator),
        "far": torch.randint(-300, 300, (3, length), generator=generator),
    }
    return [every[name] for name in inspect.signature(call).parameters]


def assert_near(got, wanted):
    assert got.dtype == wanted.dtype
    if wanted.is_floating_point():
        torch.testing.assert_close(got, wanted, rtol=1e-5, atol=torch.finfo(wanted.dtype).eps * 4)
    else:
        assert torch.equal(got, wanted)


def test_vmap_equals_the_batch(call):
    batch = inputs(call, 5)
    wanted = torch.stack([call(*example) for example in zip(*batch, strict=True)])
    assert_near(torch.func.vmap(call)(*batch), wanted)


def test_vmap_over_positions_alone(unchecked):
    x = torch.randn(5, 8).bfloat16()
    ids = torch.randint(0, 900, (3, 5))
    for layout in sinusoidal.LAYOUTS:
        got = torch.func.vmap(lambda ids, layout=layout: rotary.rotate(x, ids, layout=layout))(ids)
        assert torch.equal(got, torch.stack([rotary.rotate(x, each, layout=layout) for each in ids]))


def test_one_graph_serves_every_length_without_a_break(call):
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(call, fullgraph=True, dynamic=True, backend="eager")
    for length in (5, 9, 70):
        example = [each[0] for each in inputs(call, length)]
        assert_near(compiled(*example), call(*example))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_compiled_code_equals_eager_with_its_gradients(unchecked):
    require(" " not in torch.__file__, "torch.compile cannot link in a folder whose path has a space")

    def model(x, ids):
        cos, sin = rotary.cos_sin(ids, 8)
        q = rotary.apply_rotary_emb(x + sinusoidal.table(ids, 8) + sinusoidal.table(5, 8), cos, sin)
        k = rotary.apply_rotary_emb(x, cos, sin, layout="half")
        return q @ k.mT + alibi.bias(2, ids, ids) + RELATIVE(ids, ids), rotary.rotate(x.bfloat16(), ids)

    def gradient(results):
        return torch.autograd.grad(results[0].square().sum(), x)[0]

    torch._dynamo.reset()
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0)).requires_grad_()
    ids = torch.tensor([0, 1, 7, 300, 1000])
    wanted = model(x, ids)
    got = torch.compile(model, fullgraph=True)(x, ids)
    for mine, theirs in zip([*got, gradient(got)], [*wanted, gradient(wanted)], strict=True):
        assert mine.dtype == theirs.dtype
        size = theirs.abs().max().item()
        torch.testing.assert_close(mine, theirs, rtol=0, atol=size * (2e-2 if mine.dtype == torch.bfloat16 else 1e-5))


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"relative bias", "learned table"}))  # whose weights have values
def test_a_call_is_traced_where_tensors_have_no_values(name, unchecked):
    example = [each[0] for each in inputs(CALLS[name], 5)]
    traced = make_fx(CALLS[name], tracing_mode="symbolic")(*example)
    assert_near(traced(*example), CALLS[name](*example))


@pytest.mark.parametrize("name", ["table", "kernel", "read_position", "rotate", "rotate, bfloat16", "alibi"])
def test_a_graph_stays_on_the_device_of_what_it_is_given(name, unchecked):
    def look(graph, _):
        values = [node.meta.get("example_value") for node in graph.graph.nodes]
        devices.update(value.device.type for value in values if isinstance(value, torch.Tensor))
        return graph.forward

    devices = set()
    example = [each[0].to("meta") for each in inputs(CALLS[name], 5)]
    torch._dynamo.reset()
    torch.compile(CALLS[name], backend=look, fullgraph=True)(*example)
    assert devices == {"meta"}


NUMBERS = {
    "kernel": lambda k: sinusoidal.kernel(k, 8),
    "shift_matrix": lambda k: sinusoidal.shift_matrix(k, 8),
    "bucket": lambda k: relative.bucket(int(k)),
    "learned table": lambda k: TABLE(int(k)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_graph_takes_one_number_after_another(name, unchecked):
    torch._dynamo.reset()
    compiled = torch.compile(NUMBERS[name], fullgraph=True, backend="eager")
    for number in (3, 4, 5, 2.5, 3.5):
        torch.testing.assert_close(compiled(number), NUMBERS[name](number))


def test_an_exported_model_takes_any_length(unchecked):
    class Model(torch.nn.Module):
        def forward(self, x):
            return rotary.rotate(x, torch.arange(x.shape[-2]), layout="half") + sinusoidal.table(
                x.shape[-2], x.shape[-1]
            )

    lengths = ({1: torch.export.Dim("length", min=2, max=4096)},)
    exported = torch.export.export(Model(), (torch.randn(2, 3, 8),), dynamic_shapes=lengths).module()
    x = torch.randn(2, 70, 8)
    torch.testing.assert_close(exported(x), Model()(x), rtol=0, atol=2e-6)


FORWARD = {
    "table": lambda x, p: sinusoidal.table(p, 6, dtype=torch.float64),
    "half table": lambda x, p: sinusoidal.table(p, 6, layout="half", dtype=torch.float64),
    "kernel": lambda x, p: sinusoidal.kernel(p, 6),
    "shift_matrix": lambda x, p: sinusoidal.shift_matrix(p, 6),
    "read_position": lambda x, p: sinusoidal.read_position(x),
    "alibi": lambda x, p: alibi.bias(3, p, torch.arange(3)).double(),
    "inv_freq": lambda x, p: rotary.rotate(x, range(3), inv_freq=p),
    "rotate": lambda x, p: rotary.rotate(x, p),
    "rotate, half layout": lambda x, p: rotary.rotate(x, p, layout="half"),
    "two axes": lambda x, p: rotary.apply_rotary_emb(
        x, *rotary_axes.cos_sin(torch.stack([p, 3 * p], -1), torch.tensor([0, 1, 1]), dtype=torch.float64)
    ),
}


@pytest.mark.parametrize("name", FORWARD)
def test_forward_and_reverse_derivatives_agree_with_differences(name):
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(3, 6, dtype=torch.float64, generator=generator)
    p = torch.rand(3, dtype=torch.float64, generator=generator)
    coarse = {"eps": 1e-2, "atol": 1e-3} if name == "alibi" else {}  # it is float32
    for arguments in ((x.requires_grad_(), p), (x.detach(), p.requires_grad_())):
        if FORWARD[name](*arguments).requires_grad:
            assert torch.autograd.gradcheck(FORWARD[name], arguments, check_forward_ad=True, **coarse)


@pytest.mark.parametrize("layout", sinusoidal.LAYOUTS)
def test_a_forward_derivative_in_half_precision_is_the_direction_rotated(layout):
    x, direction = torch.randn(2, 2, 5, 8).bfloat16().unbind()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.clone(), direction)
        rotated = torch.autograd.forward_ad.unpack_dual(rotary.rotate(dual, range(5), layout=layout))
    assert torch.equal(rotated.primal, rotary.rotate(x, range(5), layout=layout))
    assert torch.equal(rotated.tangent, rotary.rotate(direction, range(5), layout=layout))


def test_vmapped_gradients_of_half_precision(unchecked):
    x = torch.randn(3, 5, 8)

    def loss(x):
        return rotary.rotate(x.bfloat16(), range(5), layout="half").float().square().sum()

    torch.testing.assert_close(torch.func.vmap(torch.func.grad(loss))(x), 2 * x, rtol=0.05, atol=0.05)


def test_without_data_shapes_and_dtypes_come_out(call, monkeypatch):
    example = [each[0] for each in inputs(call, 5)]
    wanted = call(*example)
    for name in ("TABLE", "RELATIVE"):
        monkeypatch.setitem(globals(), name, copy.deepcopy(globals()[name]).to("meta"))
    with torch.device("meta"):
        got = call(*(each.to("meta") for each in example))
    assert (got.device.type, got.shape, got.dtype) == ("meta", wanted.shape, wanted.dtype)


class WithoutReading(TorchDispatchMode):
    """Refuse, on the meta device in a GPU's place, what only a check could want."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        on_host = all(each.device.type == "cpu" for each in args if isinstance(each, torch.Tensor))
        assert on_host or name not in {"aminmax", "all", "any", "isfinite", "_local_scalar_dense"}, name
        return function(*args, **(kwargs or {}))


def test_on_a_gpu_no_check_is_computed_whose_result_nobody_reads(call, monkeypatch):
    example = [each[0].to("meta") for each in inputs(call, 5)]
    for name in ("TABLE", "RELATIVE"):
        monkeypatch.setitem(globals(), name, copy.deepcopy(globals()[name]).to("meta"))
    rope = rotary.RotaryEmbedding(8, 9).to("meta")
    with torch.device("meta"), WithoutReading():
        call(*example)
        rope(torch.ones(2, 5, 8), torch.arange(5))
        with pytest.raises(AssertionError):
            torch.ones(2).aminmax()


class WithoutFloat64(TorchDispatchMode):
    """Refuse float64 on the meta device, as Apple's GPUs do."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.device.type == "meta":
            assert result.dtype != torch.float64, function
        return result


def test_a_device_without_float64_gets_its_cosines_and_sines_from_the_cpu(monkeypatch):
    x = torch.ones(2, 5, 8, device="meta")
    ids = torch.arange(5)
    with WithoutFloat64():
        with pytest.raises(AssertionError):
            sinusoidal.table(5, 8, device="meta")
        monkeypatch.setattr(_validate, "FLOAT64_DEVICES", ("cpu",))
        results = [
            sinusoidal.table(5, 8, device="meta"),
            sinusoidal.table(ids, 8, device="meta", layout="half"),
            rotary.cos_sin(ids, 8, device="meta")[0],
            rotary.rotate(x, ids),
            rotary_axes.cos_sin(rotary_axes.grid(1, 5), torch.tensor([0, 1, 1, 0]), device="meta")[0],
            alibi.slopes(6, device="meta"),
        ]
    assert {result.device.type for result in results} == {"meta"}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_what_the_cpu_gives(unchecked, monkeypatch):
    examples = {name: [each[0] for each in inputs(call, 5)] for name, call in CALLS.items()}
    wanted = {name: call(*examples[name]) for name, call in CALLS.items()}
    for name in ("TABLE", "RELATIVE"):
        monkeypatch.setitem(globals(), name, copy.deepcopy(globals()[name]).cuda())
    with torch.device("cuda"):
        for name, call in CALLS.items():
            example = [each.cuda() for each in examples[name]]
            assert_near(call(*example).cpu(), wanted[name])
            assert_near(torch.compile(call, fullgraph=True)(*example).cpu(), wanted[name])


class switched:
    """One of torch's settings at another value for a while."""

    def __init__(self, put, get, value):
        self.put = put
        self.get = get
        self.value = value

    def __enter__(self):
        self.before = self.get()
        self.put(self.value)

    def __exit__(self, *_):
        self.put(self.before)


MODES = {
    "inference mode": torch.inference_mode,
    "no_grad": torch.no_grad,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "float64 by default": lambda: switched(torch.set_default_dtype, torch.get_default_dtype, torch.float64),
    "bfloat16 by default": lambda: switched(torch.set_default_dtype, torch.get_default_dtype, torch.bfloat16),
    "deterministic": lambda: switched(
        torch.use_deterministic_algorithms, torch.are_deterministic_algorithms_enabled, True
    ),
}


def test_no_mode_of_torch_changes_a_bit(call):
    example = [each[0] for each in inputs(call, 5)]
    wanted = call(*example)
    for mode in MODES.values():
        with mode():
            got = call(*example)
        assert got.dtype == wanted.dtype and torch.equal(got, wanted)


def test_two_threads_give_what_one_gives():
    def everything():
        for layout in sinusoidal.LAYOUTS:
            for places in (40_000, torch.arange(9000) * 997 % 10_007, torch.arange(9000) % 300):
                yield sinusoidal.table(places, 64, layout=layout)
            yield rotary.rotate(torch.linspace(-1, 1, 3 * 2048 * 64).view(3, 2048, 64), range(2048), layout=layout)

    with switched(torch.set_num_threads, torch.get_num_threads, 1):
        alone = list(everything())
    with switched(torch.set_num_threads, torch.get_num_threads, 2):
        for one, two in zip(alone, everything(), strict=True):
            assert_near(two, one)


VIEWS = {
    "columns": lambda tensor: tensor.mT.contiguous().mT if tensor.ndim > 1 else tensor,
    "every other": lambda tensor: torch.stack([tensor, tensor + 1], dim=-1)[..., 0],
    "expanded": lambda tensor: tensor.unsqueeze(0).expand(2, *tensor.shape)[1],
    "parameter": lambda tensor: torch.nn.Parameter(tensor, requires_grad=False),
}


def test_how_an_argument_lies_in_memory_does_not_matter(call):
    example = [each[0] for each in inputs(call, 5)]
    wanted = call(*example)
    for view in VIEWS.values():
        assert_near(call(*map(view, example)), wanted)
