"""Attention against a double loop in float64, and the transformer's three doors."""

import math

import pytest
import torch

from clockwork.kit import attention
from pe_helpers import alibi, rotary, sinusoidal

ENCODINGS = {
    "none": attention.Encoding,
    "sinusoid": attention.Sinusoid,
    "learned": lambda: attention.Learned(12, 16, std=1.0),
    "rotary": attention.Rotary,
    "alibi": attention.Alibi,
    "symmetric alibi": lambda: attention.Alibi(symmetric=True),
    "relative": attention.Relative,
}


def small(encoding, **settings):
    torch.manual_seed(0)
    model = attention.Transformer(8, encoding, d_model=16, **settings).double()
    for name, weights in model.named_parameters():
        if "encoding" in name:
            torch.nn.init.normal_(weights)
    return model.eval()


def naive(q, k, v, bias, causal):
    output = []
    for i, query in enumerate(q.tolist()):
        scores = []
        for j, key in enumerate(k.tolist()):
            hidden = causal and j > i + len(k) - len(q)
            score = sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query))
            scores.append(-math.inf if hidden else score + (0 if bias is None else float(bias[i, j])))
        total = sum(math.exp(score) for score in scores)
        shares = [math.exp(score) / total for score in scores]
        output.append([sum(s * row[c] for s, row in zip(shares, v.tolist(), strict=True)) for c in range(v.shape[1])])
    return torch.tensor(output, dtype=torch.float64)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (2, 5), (1, 1)])
def test_attention_is_the_softmax_average_of_the_values(queries, keys, biased, causal):
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(n, 4, generator=generator, dtype=torch.float64) for n in (queries, keys, keys))
    bias = torch.randn(queries, keys, generator=generator, dtype=torch.float64) if biased else None
    output, weights = attention.attend(q, k, v, bias=bias, causal=causal)
    torch.testing.assert_close(output, naive(q, k, v, bias, causal))
    torch.testing.assert_close(weights.sum(-1), torch.ones(queries, dtype=torch.float64))


def test_attention_takes_any_leading_axes():
    q, k, v = torch.randn(3, 2, 5, 6, 4).unbind()
    output, weights = attention.attend(q, k, v)
    alone, _ = attention.attend(q[1, 3], k[1, 3], v[1, 3])
    assert output.shape == (2, 5, 6, 4) and weights.shape == (2, 5, 6, 6)
    torch.testing.assert_close(output[1, 3], alone)


@pytest.mark.parametrize("name", ENCODINGS)
def test_only_an_encoding_makes_order_matter(name):
    model = small(ENCODINGS[name]())
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
    shuffle = torch.tensor([3, 0, 5, 1, 4, 2])
    moved = (model(tokens[:, shuffle]) - model(tokens)[:, shuffle]).abs().max()
    assert moved < 1e-12 if name == "none" else moved > 1e-3


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_causal_model_does_not_see_what_comes_after(name):
    model = small(ENCODINGS[name](), causal=True)
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
    other = tokens.clone()
    other[:, 4:] = 7
    torch.testing.assert_close(model(tokens)[:, :4], model(other)[:, :4], rtol=0, atol=0)
    assert all(map_.triu(1).eq(0).all() for map_ in model.trace(tokens).weights)


@pytest.mark.parametrize("name", ["rotary", "alibi", "symmetric alibi", "relative"])
def test_what_enters_at_the_second_or_third_door_depends_only_on_offsets(name):
    model = small(ENCODINGS[name]())
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
    torch.testing.assert_close(model(tokens), model(tokens, torch.arange(6) + 1000), rtol=1e-6, atol=1e-6)


def test_what_enters_at_the_first_door_depends_on_the_position_itself():
    model = small(attention.Sinusoid())
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
    assert (model(tokens) - model(tokens, torch.arange(6) + 1000)).abs().max() > 1e-3


def test_each_encoding_uses_the_door_it_says():
    x = torch.randn(2, 4, 6, 16)
    ids = torch.arange(6)
    shut = attention.Encoding()
    assert shut.add(x, ids) is x and shut.turn(x, ids) is x and shut.bias(4, ids) is None
    torch.testing.assert_close(attention.Sinusoid().add(x, ids) - x, sinusoidal.table(6, 16).expand_as(x))
    torch.testing.assert_close(attention.Rotary().turn(x, ids), rotary.rotate(x, ids))
    torch.testing.assert_close(attention.Alibi().bias(4, ids), alibi.bias(4, ids, ids))


def test_each_encoding_and_the_model_keep_the_settings_they_are_given():
    x = torch.randn(2, 4, 6, 16)
    ids = torch.arange(6)
    speeds = torch.linspace(1, 0.1, 8)
    torch.testing.assert_close(attention.Rotary(base=50.0).turn(x, ids), rotary.rotate(x, ids, base=50.0))
    torch.testing.assert_close(attention.Rotary(inv_freq=speeds).turn(x, ids), rotary.rotate(x, ids, inv_freq=speeds))
    both_ways = attention.Alibi(symmetric=True).bias(4, ids)
    assert torch.equal(both_ways, both_ways.mT) and both_ways[:, 0, 5].lt(0).all()
    back_only = attention.Relative(bidirectional=False)
    torch.nn.init.normal_(back_only.table.weight)
    ahead = back_only.bias(4, ids).triu()
    torch.testing.assert_close(ahead, back_only.table.weight[0][:, None, None].expand(4, 6, 6).triu())
    model = attention.Transformer(999, attention.Encoding(), embedding_std=0.02)
    assert model.embedding.weight.std().item() == pytest.approx(0.02, rel=0.03)


def test_a_trace_holds_each_layer_and_the_same_logits():
    model = small(attention.Rotary(), num_layers=3)
    tokens = torch.randint(8, (2, 6))
    trace = model.trace(tokens)
    assert [h.shape for h in trace.hidden] == [(2, 6, 16)] * 4 and [w.shape for w in trace.weights] == [
        (2, 4, 6, 6)
    ] * 3
    torch.testing.assert_close(trace.logits, model(tokens), rtol=0, atol=0)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_trace_s_queries_and_keys_are_those_that_met(name):
    model = small(ENCODINGS[name](), causal=True)
    tokens = torch.randint(8, (2, 6))
    trace = model.trace(tokens)
    bias = model.encoding.bias(4, torch.arange(6))
    for q, k, weights in zip(trace.queries, trace.keys, trace.weights, strict=True):
        torch.testing.assert_close(attention.attend(q, k, k, bias=bias, causal=True)[1], weights)


def test_without_residuals_a_layer_replaces_its_input():
    model = small(attention.Sinusoid(), num_layers=1, residual=False)
    tokens = torch.randint(8, (1, 6))
    for weights in (model.blocks[0].mlp[2].weight, model.blocks[0].mlp[2].bias):
        torch.nn.init.zeros_(weights)
    assert model.trace(tokens).hidden[1].abs().max() == 0


def test_without_residuals_nothing_gets_past_an_attention_that_is_mute():
    model = small(attention.Sinusoid(), num_layers=1, residual=False)
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
    for weights in model.blocks[0].out.parameters():
        torch.nn.init.zeros_(weights)
    left = model.trace(tokens).hidden[1]
    torch.testing.assert_close(left, left[:, :1].expand_as(left), rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ENCODINGS)
def test_a_model_in_half_precision_says_nearly_the_same(name, dtype):
    model = small(ENCODINGS[name]())
    tokens = torch.randint(8, (2, 6))
    exact = model(tokens)
    half = model.to(dtype)(tokens)
    assert half.dtype == dtype
    torch.testing.assert_close(half.double(), exact, rtol=0, atol=40 * torch.finfo(dtype).eps)


def test_a_causal_query_before_all_keys_is_refused():
    q = torch.randn(5, 4)
    k = torch.randn(2, 4)
    with pytest.raises(ValueError, match=r"q must not outnumber k if causal .*got 5 and 2"):
        attention.attend(q, k, k, causal=True)


@pytest.mark.parametrize("name", ["sinusoid", "rotary"])
@pytest.mark.parametrize("shape", [(1,), (5,), (2, 6), ()], ids=str)
def test_a_model_refuses_positions_that_are_not_one_for_each_token(shape, name, unchecked):
    with pytest.raises(ValueError, match=r"position_ids must have shape \(6,\) .*got "):
        small(ENCODINGS[name]())(torch.randint(8, (2, 6)), torch.zeros(shape, dtype=torch.long))


def test_a_learned_table_ends_where_its_rows_end():
    model = small(attention.Learned(12, 16, std=1.0))
    model(torch.zeros(1, 12, dtype=torch.long))
    with pytest.raises(IndexError, match="12"):
        model(torch.zeros(1, 13, dtype=torch.long))


def test_heads_must_share_the_width_evenly():
    with pytest.raises(ValueError, match="num_heads must divide d_model=16"):
        attention.Transformer(8, attention.Encoding(), d_model=16, num_heads=3)


@pytest.mark.parametrize("name", ENCODINGS)
def test_models_can_be_stacked_and_mapped(name, unchecked):
    models = [small(ENCODINGS[name]()) for _ in range(2)]
    tokens = torch.randint(8, (2, 3, 6))
    state, _ = torch.func.stack_module_state(models)
    logits = torch.func.vmap(lambda s, x: torch.func.functional_call(models[0], s, (x,)))(state, tokens)
    torch.testing.assert_close(logits, torch.stack([m(x) for m, x in zip(models, tokens, strict=True)]))
