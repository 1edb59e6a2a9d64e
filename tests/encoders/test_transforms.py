"""Every encoder, as it is met in the wild: mapped, compiled, differentiated forward, without data, in every mode."""

import copy
import inspect

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from pe_helpers import alibi, learned, relative, rope_scaling, rotary, sinusoidal

TABLE, RELATIVE = learned.LearnedTable(9, 3, std=1.0), relative.RelativeBias(2)
torch.nn.init.normal_(RELATIVE.weight)

CALLS = {  # the name of each argument says which of the inputs below it takes
    "table": lambda ids: sinusoidal.table(ids, 8),
    "table, half layout, bfloat16": lambda ids: sinusoidal.table(ids, 8, layout="half", dtype=torch.bfloat16),
    "table of a count": lambda ids: ids[..., None] * sinusoidal.table(ids.shape[-1], 8),
    "table, between tokens": lambda p: sinusoidal.table(p, 8, convention="tensor2tensor", dtype=torch.float64),
    "shift_matrix": lambda ids: sinusoidal.shift_matrix(ids, 6),
    "kernel": lambda ids: sinusoidal.kernel(ids, 8),
    "read_position": lambda ids: sinusoidal.read_position(sinusoidal.table(ids, 8)),
    "speeds": lambda ids: ids[..., None] * sinusoidal.inv_freq(8) * sinusoidal.wavelengths(8, base=100.0),
    "rotate": lambda x, ids: rotary.rotate(x, ids),
    "rotate, half layout": lambda x, ids: rotary.rotate(x, ids, layout="half"),
    "rotate, bfloat16": lambda x, ids: rotary.rotate(x.bfloat16(), ids),
    "rotate, half layout, float16": lambda x: rotary.rotate(x.half(), layout="half"),
    "kept cosines and sines": lambda x, ids: rotary.apply_rotary_emb(x, *rotary.cos_sin(ids, 8)),
    "positions that repeat": lambda ids: sinusoidal.table((ids // 100).repeat_interleave(50, -1), 8),
    "rotate some features": lambda x, ids: rotary.rotate(x, ids, rotary_dim=4),
    "rotate at given speeds": lambda x, ids: rotary.rotate(x, ids, inv_freq=sinusoidal.inv_freq(8) / 2),
    "rotate at scaled speeds": lambda x: rotary.rotate(
        x, inv_freq=rope_scaling.yarn(8, factor=4, original_max_position_embeddings=64)[0]
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
        "far": torch.randint(-300, 300, (3, length), generator=generator),
    }
    return [every[name] for name in inspect.signature(call).parameters]


def one_by_one(call, batch):
    return torch.stack([call(*example) for example in zip(*batch, strict=True)])


def assert_near(got, wanted):
    assert got.dtype == wanted.dtype
    if not wanted.is_floating_point():
        assert torch.equal(got, wanted)
    else:
        torch.testing.assert_close(got, wanted, rtol=1e-5, atol=torch.finfo(wanted.dtype).eps * 4)


def test_vmap_equals_the_batch(call):
    batch = inputs(call, 5)
    assert_near(torch.func.vmap(call)(*batch), one_by_one(call, batch))


def test_compiled_equals_eager_with_its_gradient_and_without_a_break(call):
    example = [each[0].requires_grad_(each.is_floating_point()) for each in inputs(call, 5)]
    wanted, got = call(*example), torch.compile(call, fullgraph=True)(*example)
    assert_near(got, wanted)
    leaves = [each for each in example if each.requires_grad]
    if leaves and wanted.requires_grad:
        weight = torch.linspace(-1, 1, wanted.numel()).view_as(wanted)
        for mine, theirs in zip(*(torch.autograd.grad((y * weight).sum(), leaves) for y in (got, wanted)), strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-2 if wanted.dtype.itemsize == 2 else 1e-5, atol=1e-2)


def test_one_graph_serves_every_length(call):
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(call, fullgraph=True, dynamic=True, backend="aot_eager")
    for length in (5, 9, 70):
        example = [each[0] for each in inputs(call, length)]
        assert_near(compiled(*example), call(*example))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


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

    devices, example = set(), [each[0].to("meta") for each in inputs(CALLS[name], 5)]
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
    compiled = torch.compile(NUMBERS[name], fullgraph=True, backend="aot_eager")
    for number in (3, 4, 5, 2.5, 3.5):
        torch.testing.assert_close(compiled(number), NUMBERS[name](number))


def test_an_exported_model_takes_any_length(unchecked):
    class Model(torch.nn.Module):
        def forward(self, x):
            return rotary.rotate(x, layout="half") + sinusoidal.table(x.shape[-2], x.shape[-1])

    lengths = ({1: torch.export.Dim("length", min=2, max=4096)},)
    exported = torch.export.export(Model(), (torch.randn(2, 3, 8),), dynamic_shapes=lengths).module()
    x = torch.randn(2, 70, 8)
    torch.testing.assert_close(exported(x), Model()(x), rtol=0, atol=1e-6)


FORWARD = {
    "table": lambda x, p: sinusoidal.table(p, 6, dtype=torch.float64),
    "half table": lambda x, p: sinusoidal.table(p, 6, layout="half", dtype=torch.float64),
    "kernel": lambda x, p: sinusoidal.kernel(p, 6),
    "shift_matrix": lambda x, p: sinusoidal.shift_matrix(p, 6),
    "read_position": lambda x, p: sinusoidal.read_position(x),
    "alibi": lambda x, p: alibi.bias(3, p, torch.arange(3)).double(),
    "inv_freq": lambda x, p: rotary.rotate(x, inv_freq=p),
    **{
        f"rotate, {layout}": lambda x, p, layout=layout: rotary.rotate(x, p, layout=layout)
        for layout in sinusoidal.LAYOUTS
    },
}


@pytest.mark.parametrize("name", FORWARD)
def test_forward_and_reverse_derivatives_agree_with_differences(name):
    generator = torch.Generator().manual_seed(0)
    x, p = (torch.rand(*shape, dtype=torch.float64, generator=generator) for shape in ((3, 6), (3,)))
    coarse = {"eps": 1e-2, "atol": 1e-3} if name == "alibi" else {}  # it is float32
    for arguments in ((x.requires_grad_(), p), (x.detach(), p.requires_grad_())):
        if FORWARD[name](*arguments).requires_grad:
            assert torch.autograd.gradcheck(FORWARD[name], arguments, check_forward_ad=True, **coarse)


@pytest.mark.parametrize("layout", sinusoidal.LAYOUTS)
def test_a_forward_derivative_in_half_precision_is_the_direction_rotated(layout):
    x, direction = torch.randn(2, 2, 5, 8).bfloat16().unbind()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.clone(), direction)
        turned = torch.autograd.forward_ad.unpack_dual(rotary.rotate(dual, layout=layout))
    assert torch.equal(turned.primal, rotary.rotate(x, layout=layout))
    assert torch.equal(turned.tangent, rotary.rotate(direction, layout=layout))


def test_vmapped_gradients_of_half_precision(unchecked):
    x = torch.randn(3, 5, 8)

    def loss(x):
        return rotary.rotate(x.bfloat16(), layout="half").float().square().sum()

    torch.testing.assert_close(torch.func.vmap(torch.func.grad(loss))(x), 2 * x, rtol=0.05, atol=0.05)


def test_without_data_shapes_and_dtypes_come_out(call, monkeypatch):
    example = [each[0] for each in inputs(call, 5)]
    wanted = call(*example)
    for name in ("TABLE", "RELATIVE"):
        monkeypatch.setitem(globals(), name, copy.deepcopy(globals()[name]).to("meta"))
    with torch.device("meta"):
        got = call(*(each.to("meta") for each in example))
    assert (got.device.type, got.shape, got.dtype) == ("meta", wanted.shape, wanted.dtype)


MODES = {
    "inference mode": torch.inference_mode,
    "no_grad": torch.no_grad,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "float64 by default": lambda: switched(torch.set_default_dtype, torch.get_default_dtype, torch.float64),
    "bfloat16 by default": lambda: switched(torch.set_default_dtype, torch.get_default_dtype, torch.bfloat16),
    "deterministic": lambda: switched(
        torch.use_deterministic_algorithms, torch.are_deterministic_algorithms_enabled, True
    ),
    "two threads": lambda: switched(torch.set_num_threads, torch.get_num_threads, 2),
}


class switched:
    """One of torch's settings at another value for a while."""

    def __init__(self, put, get, value):
        self.put, self.get, self.value = put, get, value

    def __enter__(self):
        self.before = self.get()
        self.put(self.value)

    def __exit__(self, *_):
        self.put(self.before)


@pytest.mark.parametrize("mode", MODES)
def test_no_mode_of_torch_changes_a_bit(mode, call):
    example = [each[0] for each in inputs(call, 5)]
    wanted = call(*example)
    with MODES[mode]():
        got = call(*example)
    assert got.dtype == wanted.dtype and torch.equal(got, wanted)


def test_two_cores_give_the_bits_of_one_at_a_usual_width():
    def everything():  # at an odd number of pairs, torch's complex product may end in another bit where a share ends
        for layout in sinusoidal.LAYOUTS:
            for dtype in (torch.bfloat16, torch.float32, torch.float64):
                for positions in (40_000, torch.arange(9000) * 997 % 10_007, torch.rand(9000) * 100):
                    yield sinusoidal.table(positions, 64, layout=layout, dtype=dtype)
                x = torch.linspace(-1, 1, 3 * 2048 * 64).view(3, 2048, 64).to(dtype)
                yield rotary.rotate(x, layout=layout)

    torch.manual_seed(0)
    with switched(torch.set_num_threads, torch.get_num_threads, 1):
        alone = list(everything())
    torch.manual_seed(0)
    with switched(torch.set_num_threads, torch.get_num_threads, 2):
        assert all(torch.equal(one, two) for one, two in zip(alone, everything(), strict=True))


@pytest.mark.parametrize("view", ["columns", "every other", "expanded", "parameter"])
def test_how_an_argument_lies_in_memory_does_not_matter(view, call):
    def lie(tensor):
        if view == "columns":
            return tensor.mT.contiguous().mT if tensor.ndim > 1 else tensor
        if view == "every other":
            return torch.stack([tensor, tensor + 1], dim=-1)[..., 0]
        if view == "parameter":
            return torch.nn.Parameter(tensor, requires_grad=False)
        return tensor.unsqueeze(0).expand(2, *tensor.shape)[1]

    example = [each[0] for each in inputs(call, 5)]
    assert_near(call(*map(lie, example)), call(*example))
