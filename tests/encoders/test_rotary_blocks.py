"""Large halves are rotated block by block: to the plain lines' bits, and only where nothing but autograd looks."""

import pytest
import torch

from pe_helpers import rotary

WHOLE = 10**9  # no block: the plain lines
X = (2, 3, 5, 12)
PLACES = {
    "tokens": torch.arange(5),
    "a batch": torch.tensor([[0, 3, 2, 9, 31], [5, 5, 5, 0, 1]]),
    "a batch for all": torch.tensor([[0, 3, 2, 9, 31]]),
}
LIES = {  # in memory
    "in order": lambda x: x,
    "heads and tokens swapped": lambda x: x.transpose(1, 2).contiguous().transpose(1, 2),
    "every other feature": lambda x: torch.stack([x, x], dim=-1)[..., 0],
}


def random(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.fixture
def blocks(monkeypatch, unchecked):
    """Return what a call gives in blocks of a few features, or of so many."""

    def call(function, size=20):
        monkeypatch.setattr(rotary, "BLOCK", size)
        return function()

    return call


def both_ways(x, **settings):
    """Return rotated queries, their gradient, and the gradient of that one's square."""
    x = x.detach().requires_grad_()
    rotated = rotary.apply_rotary_emb(x, **settings, layout="half")
    (gradient,) = torch.autograd.grad(rotated, x, rotated.detach().cos(), create_graph=True)
    weight = random(*x.shape, dtype=x.dtype, seed=1).requires_grad_()
    (weighed,) = torch.autograd.grad(
        rotary.apply_rotary_emb(x, **settings, layout="half"), x, weight, create_graph=True
    )
    (second,) = torch.autograd.grad(weighed, weight, rotated.detach())
    return rotated.detach(), gradient.detach(), second


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("places", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("lies", LIES.values(), ids=LIES)
@pytest.mark.parametrize("seq_dim", [-2, 1])
def test_blocks_change_no_bit_of_result_and_gradients(dtype, places, lies, seq_dim, blocks):
    x = lies(random(*X, dtype=dtype) if seq_dim == -2 else random(2, 5, 3, 12, dtype=dtype))
    for pairs in (6, 4):  # all features of a head, and the first 8
        cos, sin = rotary.cos_sin(places, 2 * pairs, dtype=torch.float64 if dtype is torch.float64 else torch.float32)
        settings = {"cos": cos, "sin": sin, "rotary_dim": 2 * pairs, "seq_dim": seq_dim}
        wanted = blocks(lambda settings=settings: both_ways(x, **settings), WHOLE)
        for size in (0, 20, 100):
            found = blocks(lambda settings=settings: both_ways(x, **settings), size)
            for one, other in zip(found, wanted, strict=True):
                assert one.dtype == dtype and one.stride() == other.stride() and torch.equal(one, other)


def test_nothing_of_the_queries_is_kept_for_their_gradient(blocks):
    kept = []
    cos, sin = rotary.cos_sin(range(5), 12)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor.shape) or tensor, lambda x: x):
        blocks(lambda: rotary.apply_rotary_emb(random(*X).requires_grad_(), cos, sin, layout="half"))
    assert kept == [(5, 6), (5, 6)]


def grads_of_cosines(x, cos, sin):
    leaves = [cos.clone().requires_grad_(), sin.clone().requires_grad_()]
    return torch.cat(torch.autograd.grad(rotary.apply_rotary_emb(x, *leaves, layout="half").cos().sum(), leaves))


def forward_derivative(x, cos, sin):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x.cos())
        return torch.autograd.forward_ad.unpack_dual(rotary.apply_rotary_emb(dual, cos, sin, layout="half")).tangent


def forward_over_reverse(x, cos, sin):
    """Differentiate a gradient in the direction of what comes back, of which the rotation itself knew nothing."""
    x = x.detach().requires_grad_()
    rotated = rotary.apply_rotary_emb(x, cos, sin, layout="half")
    with torch.autograd.forward_ad.dual_level():
        back = torch.autograd.forward_ad.make_dual(torch.ones_like(x), x.detach())
        (gradient,) = torch.autograd.grad(rotated, x, back)
        return torch.autograd.forward_ad.unpack_dual(gradient).tangent


def batched_gradient(x, cos, sin):
    x = x.detach().requires_grad_()
    rotated = rotary.apply_rotary_emb(x, cos, sin, layout="half")
    backs = torch.stack([x.detach(), 2 * x.detach()])
    return torch.autograd.grad(rotated, x, backs, is_grads_batched=True)[0]


def traced(x, cos, sin):
    return torch.jit.trace(lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half", check=False), x)(
        torch.cat([x, x], 1)
    )


def traced_graph(x, cos, sin):
    graph = torch.jit.trace(lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half", check=False), x).graph
    assert "PythonOp" not in str(graph)
    return torch.zeros(1)


class Marked(torch.Tensor):
    """A tensor of another kind, as a distributed one is."""


LOOKED_AT = {
    "vmap": lambda x, cos, sin: torch.func.vmap(lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half"))(x),
    "vmap over the cosines alone": lambda x, cos, sin: torch.func.vmap(
        lambda cos, sin: rotary.apply_rotary_emb(x, cos, sin, layout="half")
    )(torch.stack([cos, 2 * cos]), torch.stack([sin, -sin])),
    "jvp": lambda x, cos, sin: torch.func.jvp(
        lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half"), (x,), (x.cos(),)
    )[1],
    "jvp of the cosines": lambda x, cos, sin: torch.func.jvp(
        lambda cos: rotary.apply_rotary_emb(x, cos, sin, layout="half"), (cos,), (sin,)
    )[1],
    "vmap of a gradient": lambda x, cos, sin: torch.func.vmap(
        torch.func.grad(lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half").cos().sum())
    )(x),
    "Hessian": lambda x, cos, sin: torch.func.hessian(
        lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half").cos().sum()
    )(x[:1, :1]),
    "the cosines' gradient": grads_of_cosines,
    "a dual tensor": forward_derivative,
    "forward over reverse": forward_over_reverse,
    "a batch of gradients": batched_gradient,
    "a traced function of another length": traced,
    "a trace without Python": traced_graph,
    "compiled": lambda x, cos, sin: torch.compile(
        lambda x: rotary.apply_rotary_emb(x, cos, sin, layout="half"), fullgraph=True, backend="eager"
    )(x),
    "a checkpoint": lambda x, cos, sin: torch.utils.checkpoint.checkpoint(
        rotary.apply_rotary_emb, x, cos, sin, layout="half", use_reentrant=False
    ),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("name", LOOKED_AT)
def test_whoever_looks_into_a_rotation_sees_the_plain_lines(name, blocks):
    torch._dynamo.reset()
    x = random(*X, dtype=torch.float64)
    cos, sin = rotary.cos_sin(range(5), 12, dtype=torch.float64)
    wanted = blocks(lambda: LOOKED_AT[name](x, cos, sin), WHOLE)
    torch.testing.assert_close(blocks(lambda: LOOKED_AT[name](x, cos, sin)), wanted, rtol=1e-12, atol=1e-12)


def test_a_tensor_of_another_kind_stays_one(blocks):
    cos, sin = rotary.cos_sin(range(5), 12)
    x = random(*X).as_subclass(Marked)
    assert type(blocks(lambda: rotary.apply_rotary_emb(x, cos, sin, layout="half"))) is Marked


@pytest.mark.parametrize("mode", [torch.inference_mode, lambda: torch.autocast("cpu", torch.bfloat16), torch.no_grad])
def test_no_mode_changes_what_blocks_give(mode, blocks):
    cos, sin = rotary.cos_sin(range(5), 12)
    wanted = blocks(lambda: rotary.apply_rotary_emb(random(*X), cos, sin, layout="half"), WHOLE)
    with mode():
        assert torch.equal(blocks(lambda: rotary.apply_rotary_emb(random(*X), cos, sin, layout="half")), wanted)
