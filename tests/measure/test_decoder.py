"""What is changed in a model of transformers is what a naive computation of its scores changes, family by family."""

import functools

import families
import pytest
import torch
from benchmarks import scores

from clockwork.measure.decoder import Decoder, Unmeasurable

TOKENS = 9
TEXT = torch.arange(5, 5 + TOKENS)
PLACES = torch.arange(TOKENS)
GAP = PLACES + 300 * (PLACES >= 5)
FAR = (PLACES[:, None] - PLACES >= 3) & (PLACES > 0)
NOTHING = torch.zeros(TOKENS, TOKENS, dtype=torch.bool)
CLOSE = 1e-4  # of the largest score: transformers computes in float32


@functools.lru_cache(maxsize=1)
def opened(package):
    model, modeling = families.small(package)
    return Decoder(model), modeling


def named(package):
    return package if package in families.QUICK else pytest.param(package, marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=map(named, families.FAMILIES))  # a model is built once for all of its tests
def package(request):
    return request.param


def run(package, positions=None, **changes):
    """Run a changed model; return (layer, queries and keys before their rotation, after it), and layers' weights."""
    decoder, modeling = opened(package)
    weights = {}
    number = dict(decoder.model.named_modules())
    with scores.catching(modeling, decoder.model) as caught, decoder.eager():
        decoder.logits(
            TEXT, positions, watch=lambda name, seen: weights.update({number[name].layer_idx: seen}), **changes
        )
    calls = [
        (layer, *([x[0] if x.shape[2] == TOKENS else x[0].transpose(0, 1) for x in pair] for pair in pairs))
        for layer, *pairs in scores.paired(caught)
    ]
    return calls, weights


def check_scores(package, positions, stopped=()):
    """Compare each layer's scores with naive ones, in which some hands have speed 0."""
    calls, _ = run(package, positions, stopped=stopped)
    config = opened(package)[0].config
    assert calls
    for layer, (q, k), after in calls:
        speeds = families.speeds_of(config, layer)
        for hand in stopped:
            speeds[hand] = 0.0
        naive = families.naive_scores(q, k, positions, speeds, families.FAMILIES[package])
        theirs = after[0].double() @ after[1].double().repeat_interleave(len(q) // len(k), 0).mT
        assert (naive - theirs).abs().max() < CLOSE * naive.abs().max(), layer


def test_stopped_hands_score_as_naive_rotation_with_speed_nought(package):
    count = min(map(len, opened(package)[0].ladders.values()))
    check_scores(package, PLACES, [0, 2, count - 1])


def test_a_gap_scores_as_naive_rotation_at_later_positions(package):
    check_scores(package, GAP)


def test_hidden_keys_and_a_gap_weigh_as_a_naive_mask(package):
    if package in families.PARTS:
        pytest.skip("what is caught is not all of the score")
    for positions, hidden in ((None, NOTHING), (None, FAR), (GAP, FAR)):
        calls, weights = run(package, positions, hidden=hidden)
        layers = dict(opened(package)[0].model.named_modules()).values()
        modules = {each.layer_idx: each for each in layers if "Attention" in type(each).__name__}
        for layer, _, (q, k) in calls:
            naive = families.naive_weights(q, k, modules[layer], opened(package)[0].config, layer, hidden)
            assert torch.allclose(weights[layer].double(), naive, atol=1e-5), (layer, positions)


def test_hidden_keys_weigh_nothing_and_others_share_it(package):
    usual, hidden = (run(package, hidden=mask)[1] for mask in (NOTHING, FAR))
    layer = min(usual)  # its queries and keys are the same in both
    assert not hidden[layer][:, FAR].any()
    if package != "gpt_oss":  # a sink takes its share, too
        kept = usual[layer].masked_fill(FAR, 0)
        assert torch.allclose(hidden[layer], kept / kept.sum(-1, keepdim=True), atol=1e-5)


@pytest.mark.parametrize("package", ["llama", "gemma3", "gpt_neox", "llama4"])
def test_a_ladder_is_that_of_the_formula(package):
    decoder, _ = opened(package)
    for name, ladder in decoder.ladders.items():
        kinds = getattr(decoder.config, "layer_types", None) or []
        layer = next((i for i, kind in enumerate(kinds) if name.endswith(kind)), 0)
        wanted = torch.tensor(families.speeds_of(decoder.config, layer), dtype=torch.float64)
        assert torch.allclose(ladder.speeds, wanted, rtol=1e-5)


def test_nothing_changed_is_the_model_itself_and_stays_so_after_a_change():
    decoder, _ = opened("llama")
    with torch.no_grad():
        usual = decoder.model(TEXT[None]).logits[0]
    decoder.logits(TEXT, GAP, stopped=[0], hidden=FAR)
    assert torch.equal(decoder.logits(TEXT), usual)


def test_a_model_that_sees_later_tokens_is_refused():
    from transformers import BertConfig, BertLMHeadModel

    config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    model = BertLMHeadModel(config)
    for weight in model.parameters():
        if weight.ndim > 1:
            torch.nn.init.normal_(weight, std=weight.shape[-1] ** -0.5)
    with pytest.raises(Unmeasurable, match="must be a decoder"):
        Decoder(model)


@pytest.mark.parametrize("stopped", [[64], [-1], {"nowhere": [0]}])
def test_hands_that_are_not_there_are_refused(stopped):
    with pytest.raises(ValueError, match="stopped must name hands"):
        opened("llama")[0].logits(TEXT, stopped=stopped)


def test_positions_and_masks_of_another_length_are_refused():
    with pytest.raises(ValueError, match="position_ids must have the shape"):
        opened("llama")[0].logits(TEXT, PLACES[1:])
    with pytest.raises(ValueError, match="hidden must have the shape"):
        opened("llama")[0].logits(TEXT, hidden=FAR[1:])
