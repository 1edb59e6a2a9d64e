"""A published configuration becomes a module: speeds, factor, layout, share, still layers, axes, and the switch."""

import copy
import pickle
import warnings

import pytest
import torch

from pe_helpers import rope_scaling, rotary, rotary_axes

LISTS = {"short_factor": [1.0, 1.5, 2.0, 3.0], "long_factor": [1.0, 4.0, 9.0, 16.0]}
PHI = {"model_type": "phi3", "head_dim": 8, "rope_theta": 1e4, "max_position_embeddings": 64}
PHI |= {"original_max_position_embeddings": 16, "rope_scaling": {"type": "longrope", **LISTS}}
DYNAMIC = {"model_type": "llama", "head_dim": 8, "rope_theta": 1e4, "max_position_embeddings": 16}
DYNAMIC |= {"rope_scaling": {"type": "dynamic", "factor": 4.0}}
COHERE = {"model_type": "cohere2", "head_dim": 8, "rope_theta": 5e4, "sliding_window_pattern": 4}
GLM = {"model_type": "glm4", "head_dim": 16, "rope_theta": 1e4, "partial_rotary_factor": 0.5}
QWEN_VL = {"model_type": "qwen2_vl_text", "head_dim": 8, "rope_theta": 1e6}
QWEN_VL |= {"rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}}
YARN = {"model_type": "qwen2", "head_dim": 8, "rope_theta": 1e4, "max_position_embeddings": 64}
YARN |= {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}}
X = torch.randn(2, 3, 5, 16, generator=torch.Generator().manual_seed(0))
FIVE = {"longrope": PHI, "dynamic": DYNAMIC, "interleaved": COHERE, "in part": GLM, "yarn": YARN, "axes": QWEN_VL}


def module(config, max_len=16, layer=0):
    return rotary.RotaryEmbedding.from_config(config, max_len=max_len, layer=layer)


def ids(config):
    return torch.arange(5)[:, None].expand(5, 3) if "mrope" in str(config) else torch.arange(5)


@pytest.mark.parametrize("config", FIVE.values(), ids=FIVE)
def test_the_module_rotates_by_all_that_the_record_says(config):
    rope = rope_scaling.read(config, layer=0)
    said = {"layout": rope.layout, "inv_freq": rope.inv_freq, "attention_factor": rope.attention_factor}
    wanted = rotary.rotate(X, torch.arange(5), rotary_dim=rope.rotary_dim, **said)
    assert torch.equal(module(config)(X, ids(config)), wanted)


def test_the_layout_and_the_share_are_those_of_the_models_program():
    assert module(COHERE).layout == module(GLM).layout == "interleaved"
    assert module(PHI).layout == module(YARN).layout == "half"
    assert torch.equal(module(GLM)(X, torch.arange(5))[..., 8:], X[..., 8:])


def test_layers_that_do_not_turn_return_what_they_are_given():
    assert torch.equal(module(COHERE, layer=3)(X, torch.arange(5)), X)
    assert not torch.equal(module(COHERE, layer=2)(X, torch.arange(5)), X)
    smollm = {"model_type": "smollm3", "head_dim": 8, "rope_theta": 5e6, "num_hidden_layers": 8}
    turned = [not torch.equal(module(smollm, layer=i)(X, torch.arange(5)), X) for i in range(8)]
    assert turned == [True, True, True, False] * 2
    with pytest.raises(ValueError, match="layer must be given"):
        module(smollm, layer=None)


def test_positions_with_several_axes_are_rotated_as_rotary_axes_does():
    places = torch.tensor([[0, 0, 0], [1, 1, 1], [2, 2, 3], [2, 3, 2], [4, 4, 4]])
    rope = rope_scaling.read(QWEN_VL)
    cos, sin = rotary_axes.cos_sin(places, rope.axis_of_pair, inv_freq=rope.inv_freq)
    wanted = rotary.apply_rotary_emb(X, cos, sin, layout="half", rotary_dim=8)
    assert torch.equal(module(QWEN_VL)(X, places), wanted)
    batched = module(QWEN_VL)(X, torch.stack([places, places + 1]))
    assert torch.equal(batched[0], wanted[0]) and not torch.equal(batched[1], wanted[1])
    with pytest.raises(ValueError, match="position_ids must have shape"):
        module(QWEN_VL)(X, torch.arange(5))


def test_a_module_that_grows_past_the_trained_length_takes_the_long_list_and_says_so():
    rope = module(PHI, max_len=10)
    with pytest.warns(UserWarning, match="grows from 10 to 16 positions$"):
        rope.cos_sin(torch.tensor([11]))  # twice as long would be past the length of training
    assert rope.inv_freq == rope_scaling.from_config(PHI)[0].tolist()
    with pytest.warns(UserWarning, match="takes other speeds"):
        found = rope.cos_sin(torch.tensor([40]))
    speeds, factor = rope_scaling.from_config(PHI, seq_len=41)
    assert speeds.tolist() == [1e4 ** (-i / 4) / slower for i, slower in enumerate(LISTS["long_factor"])]
    for ours, wanted in zip(found, rotary.cos_sin([40], 8, inv_freq=speeds, attention_factor=factor), strict=True):
        assert torch.equal(ours, wanted)
    with pytest.warns(UserWarning, match="to 90 positions$"):
        rope.cos_sin(torch.tensor([89]))
    assert module(PHI, max_len=41).inv_freq == speeds.tolist()


def test_dynamic_speeds_are_those_of_the_text_at_hand_at_every_length():
    rope = module(DYNAMIC, max_len=16)
    lengths = {"factor": 4.0, "original_max_position_embeddings": 16}
    for seq_len in (17, 20, 33):
        with pytest.warns(UserWarning, match="takes other speeds"):
            rope.cos_sin(torch.arange(seq_len))
        assert rope.inv_freq == rope_scaling.dynamic_ntk(8, seq_len=seq_len, **lengths).tolist()


def test_what_is_assumed_is_said():
    with pytest.warns(UserWarning, match="layout 'half'"):
        rotary.RotaryEmbedding.from_config({"head_dim": 8, "rope_theta": 1e4}, max_len=4, assume=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rotary.RotaryEmbedding.from_config({"head_dim": 8, "rope_theta": 1e4}, max_len=4, layout="half")


@pytest.mark.parametrize("config", FIVE.values(), ids=FIVE)
def test_a_module_of_a_configuration_begins_on_meta_and_is_copied_and_compiled_in_half(config, unchecked):
    wanted = module(config)(X.bfloat16(), ids(config))
    with torch.device("meta"):
        begun = module(config)
    assert begun.cos.is_meta
    begun.to_empty(device="cpu").reset_parameters()
    compiled = torch.compile(module(config).bfloat16(), backend="eager", fullgraph=True)
    for rope in (begun, copy.deepcopy(begun), pickle.loads(pickle.dumps(begun)), module(config).bfloat16(), compiled):
        assert torch.equal(rope(X.bfloat16(), ids(config)), wanted)
