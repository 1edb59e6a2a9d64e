"""What is read of published configurations, against the rotary modules of transformers; and read without torch."""

import copy
import importlib
import inspect
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from benchmarks import configurations

from pe_helpers import rope_reading, rope_rules, rope_scaling

HEAD = {"head_dim": 8, "rope_theta": 1e4}
YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192}
# As their config.json has it: (package and configuration class of transformers, settings), typed from the model cards.
AS_PUBLISHED = {
    "SmolLM2-135M": (
        "llama.LlamaConfig",
        {
            "model_type": "llama",
            "hidden_size": 576,
            "num_attention_heads": 9,
            "rope_interleaved": False,
            "rope_theta": 100_000,
        },
    ),
    "Llama 2": ("llama.LlamaConfig", {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32}),
    "Kimi K2": (
        "deepseek_v3.DeepseekV3Config",
        {
            "model_type": "deepseek_v3",
            "qk_rope_head_dim": 64,
            "rope_theta": 50_000.0,
            "max_position_embeddings": 131_072,
            "rope_scaling": {
                "type": "yarn",
                "factor": 32.0,
                "beta_fast": 1.0,
                "beta_slow": 1.0,
                "mscale": 1.0,
                "mscale_all_dim": 1.0,
                "original_max_position_embeddings": 4096,
            },
        },
    ),
    "Gemma 3": (
        "gemma3.Gemma3TextConfig",
        {
            "model_type": "gemma3_text",
            "head_dim": 256,
            "rope_theta": 1_000_000.0,
            "rope_local_base_freq": 10_000.0,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        },
    ),
    "ModernBERT": (
        "modernbert.ModernBertConfig",
        {
            "model_type": "modernbert",
            "hidden_size": 768,
            "num_attention_heads": 12,
            "global_rope_theta": 160_000.0,
            "local_rope_theta": 10_000.0,
        },
    ),
    "OLMo 3": (
        "olmo3.Olmo3Config",
        {
            "model_type": "olmo3",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "rope_theta": 500_000,
            "max_position_embeddings": 65_536,
            "rope_scaling": YARN,
        },
    ),
    "Pythia": (
        "gpt_neox.GPTNeoXConfig",
        {
            "model_type": "gpt_neox",
            "hidden_size": 512,
            "num_attention_heads": 8,
            "rotary_pct": 0.25,
            "rotary_emb_base": 10_000,
        },
    ),
    "Mistral Small 3": (
        "mistral.MistralConfig",
        {
            "model_type": "mistral",
            "head_dim": 128,
            "hidden_size": 5120,
            "num_attention_heads": 32,
            "max_position_embeddings": 32_768,
            "rope_theta": 100_000_000.0,
            "sliding_window": None,
        },
    ),
    "GLM 4.5": (
        "glm4_moe.Glm4MoeConfig",
        {
            "model_type": "glm4_moe",
            "head_dim": 128,
            "hidden_size": 5120,
            "num_attention_heads": 96,
            "partial_rotary_factor": 0.5,
            "rope_scaling": None,
            "rope_theta": 1_000_000,
        },
    ),
    "Falcon 7B": (
        "falcon.FalconConfig",
        {"model_type": "falcon", "alibi": False, "hidden_size": 4544, "num_attention_heads": 71},
    ),
    "Command R7B": (
        "cohere2.Cohere2Config",
        {
            "model_type": "cohere2",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "position_embedding_type": "rope_gptj",
            "rotary_pct": 1.0,
            "rope_scaling": None,
            "rope_theta": 50_000,
            "sliding_window_pattern": 4,
        },
    ),
    "Granite 3.3": (
        "granite.GraniteConfig",
        {
            "model_type": "granite",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "max_position_embeddings": 131_072,
            "rope_scaling": None,
            "rope_theta": 10_000_000.0,
        },
    ),
    "Falcon H1": (
        "falcon_h1.FalconH1Config",
        {
            "model_type": "falcon_h1",
            "head_dim": 128,
            "hidden_size": 3072,
            "num_attention_heads": 12,
            "rope_scaling": None,
            "rope_theta": 100_000_000_000.0,
        },
    ),
    "Nemotron 4": (
        "nemotron.NemotronConfig",
        {
            "model_type": "nemotron",
            "hidden_size": 3072,
            "num_attention_heads": 24,
            "head_dim": 128,
            "partial_rotary_factor": 0.5,
            "rope_theta": 10_000,
        },
    ),
    "Nemotron 4, an earlier name": (
        "nemotron.NemotronConfig",
        {"model_type": "nemotron", "hidden_size": 3072, "num_attention_heads": 24, "rope_percent": 0.5},
    ),
    "Nemotron 4, no share": (
        "nemotron.NemotronConfig",
        {"model_type": "nemotron", "hidden_size": 3072, "num_attention_heads": 24},
    ),
    "EXAONE 4 32B": (
        "exaone4.Exaone4Config",
        {
            "model_type": "exaone4",
            "head_dim": 128,
            "hidden_size": 5120,
            "num_attention_heads": 40,
            "rope_theta": 1_000_000,
            "sliding_window": 4096,
            "sliding_window_pattern": "LLLG",
            "num_hidden_layers": 64,
            "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"] * 16,
            "rope_scaling": {
                "rope_type": "llama3",
                "factor": 16.0,
                "high_freq_factor": 4.0,
                "low_freq_factor": 1.0,
                "original_max_position_embeddings": 8192,
            },
        },
    ),
    "MiniMax M2": (
        "minimax_m2.MiniMaxM2Config",
        {
            "model_type": "minimax_m2",
            "head_dim": 128,
            "rotary_dim": 64,
            "rope_theta": 5_000_000,
        },
    ),
    "Qwen2.5 7B": (
        "qwen2.Qwen2Config",
        {
            "model_type": "qwen2",
            "hidden_size": 3584,
            "num_attention_heads": 28,
            "rope_theta": 1_000_000.0,
            "use_mrope": False,
        },
    ),
    "GLM 5": (
        "glm_moe_dsa.GlmMoeDsaConfig",
        {
            "model_type": "glm_moe_dsa",
            "qk_rope_head_dim": 64,
            "rope_interleave": True,
            "indexer_rope_interleave": True,
            "rope_parameters": {"rope_theta": 1_000_000, "rope_type": "default"},
        },
    ),
    "MiniCPM3 4B": (
        "minicpm3.MiniCPM3Config",
        {
            "model_type": "minicpm3",
            "qk_rope_head_dim": 32,
            "max_position_embeddings": 32_768,
            "rope_scaling": {
                "type": "longrope",
                "short_factor": [1 + i / 4 for i in range(16)],
                "long_factor": [1 + i for i in range(16)],
                "original_max_position_embeddings": 32_768,
            },
        },
    ),
    "Llama 4 Scout with its layers": (
        "llama4.Llama4TextConfig",
        {
            "model_type": "llama4_text",
            "head_dim": 128,
            "num_hidden_layers": 4,
            "layer_types": ["chunked_attention"] * 3 + ["full_attention"],
            "max_position_embeddings": 10_485_760,
            "rope_theta": 500_000.0,
            "rope_scaling": {
                "rope_type": "llama3",
                "factor": 16.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 1.0,
                "original_max_position_embeddings": 8192,
            },
        },
    ),
    "Gemma 2, scaled by hand": (
        "gemma2.Gemma2Config",
        {
            "model_type": "gemma2",
            "head_dim": 256,
            "layer_types": ["sliding_attention", "full_attention"] * 13,
            "max_position_embeddings": 65_536,
            "rope_theta": 10_000.0,
            "rope_scaling": YARN,
        },
    ),
}
# In part, although their configuration may not say so: the program does.
IN_PART = {
    **{"bamba": "Bamba", "glm": "Glm", "glm4": "Glm4", "glm4_moe": "Glm4Moe", "persimmon": "Persimmon", "phi": "Phi"},
    **{"qwen3_next": "Qwen3Next", "recurrent_gemma": "RecurrentGemma", "stablelm": "StableLm"},
    **{"qwen3_5_text": "Qwen3_5Text", "qwen3_5_moe_text": "Qwen3_5MoeText", "gpt_neox": "GPTNeoX"},
}


@pytest.mark.parametrize("model", AS_PUBLISHED)
def test_a_config_json_gives_the_speeds_of_its_model(model, unchecked):
    path, settings = AS_PUBLISHED[model]
    package, name = path.split(".")
    kind = getattr(importlib.import_module(f"transformers.models.{package}"), name)
    module = next(module for _, module, of in configurations.modules(package) if of is kind)
    given = copy.deepcopy(settings)  # transformers writes into it
    built = module(kind(**{key: value for key, value in given.items() if key != "model_type"}))
    for layer in getattr(built, "layer_types", [None]):
        theirs = getattr(built, f"{layer}_inv_freq", None)
        theirs = built.inv_freq if theirs is None else theirs
        factor = getattr(built, f"{layer}_attention_scaling", getattr(built, "attention_scaling", None))
        # of those that have layers without rotation the first: it turns
        first = 0 if settings["model_type"] in ("llama4_text", "cohere2", "exaone4") else None
        ours, ours_factor = rope_scaling.from_config(settings, layer_type=layer, layer=first)
        torch.testing.assert_close(ours.float(), theirs, rtol=1e-6, atol=0)
        assert ours_factor == pytest.approx(factor, rel=1e-6)


@pytest.mark.parametrize("model", IN_PART)
def test_a_program_that_turns_a_part_of_a_head_does_so_where_the_configuration_is_silent(model, unchecked):
    package = model.removesuffix("_text")
    kind = getattr(importlib.import_module(f"transformers.models.{package}"), f"{IN_PART[model]}Config")
    module = next(module for _, module, of in configurations.modules(package) if of is kind)
    settings = {"hidden_size": 2048, "num_attention_heads": 8, "head_dim": 256, "rope_theta": 10_000.0}
    theirs = module(kind(**settings)).inv_freq
    ours = rope_rules.default(2 * len(theirs), base=10_000.0)
    torch.testing.assert_close(torch.tensor(ours).float(), theirs, rtol=1e-6, atol=0)
    assert rope_reading.speeds({"model_type": model, **settings})["inv_freq"] == ours


def test_qwen2_vl_is_read_as_transformers_saves_it(unchecked):
    from transformers.models.qwen2_vl import Qwen2VLTextConfig

    settings = {"hidden_size": 1536, "num_attention_heads": 12, "rope_theta": 1e6}
    settings["rope_scaling"] = {"type": "mrope", "mrope_section": [16, 24, 24]}
    saved = Qwen2VLTextConfig(**copy.deepcopy(settings)).to_dict()
    rope = rope_scaling.read(saved)
    assert rope.inv_freq.tolist() == pytest.approx([1e6 ** (-i / 64) for i in range(64)], rel=1e-9)
    assert rope.axis_of_pair.tolist() == [0] * 16 + [1] * 24 + [2] * 24 and rope.attention_factor == 1


def test_phi_3_named_its_rule_su_at_first():
    lists = {"short_factor": [1 + i / 48 for i in range(48)], "long_factor": [1.0 + i for i in range(48)]}
    config = {"hidden_size": 3072, "num_attention_heads": 32, "rope_theta": 1e4, "max_position_embeddings": 131_072}
    config |= {"original_max_position_embeddings": 4096, "rope_scaling": {"type": "su", **lists}}
    for length, chosen in ((4096, "short_factor"), (4097, "long_factor")):
        inv_freq, factor = rope_scaling.from_config(config, seq_len=length, assume=True)
        wanted = [1e4 ** (-i / 48) / slower for i, slower in enumerate(lists[chosen])]
        assert inv_freq.tolist() == pytest.approx(wanted, rel=1e-9)
        assert factor == pytest.approx(math.sqrt(1 + math.log(32) / math.log(4096)))


def test_gpt_j_has_the_speeds_of_its_program():
    from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions

    gpt_j = {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_positions": 2048, "rotary": True, "rotary_dim": 64}
    sines, cosines = create_sinusoidal_positions(2, gpt_j["rotary_dim"])[1].chunk(2)
    ours, _ = rope_scaling.from_config(gpt_j)
    torch.testing.assert_close(ours.float(), torch.atan2(sines, cosines), rtol=1e-5, atol=0)


REFUSED = {  # settings that change the speeds and have no rule here, or that say too little
    "Hunyuan, alpha": (
        {"head_dim": 128, "rope_theta": 1e4, "rope_scaling": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}},
        "got alpha",
    ),
    "ChatGLM 3": ({"kv_channels": 128, "rope_ratio": 1, "model_type": "chatglm"}, "got rope_ratio"),
    "two kinds of layers": (
        {
            "head_dim": 128,
            "rope_theta": 1_000_000,
            "layer_types": ["sliding_attention", "full_attention"],
            "rope_scaling": YARN,
        },
        "rope_parameters must hold settings for each kind of layer",
    ),
    "Nemotron, two shares": (
        {"model_type": "nemotron", "head_dim": 128, "rope_percent": 0.5, "partial_rotary_factor": 0.25},
        "rope_percent and partial_rotary_factor must be the same",
    ),
    "BLOOM": ({"model_type": "bloom", "hidden_size": 1024, "n_head": 16, "rope_theta": None}, "it does not rotate"),
    "Qwen 7B": (
        {"model_type": "qwen", "kv_channels": 128, "rotary_emb_base": 10_000, "use_dynamic_ntk": True},
        "got use_dynamic_ntk",
    ),
    "MPT": ({"model_type": "mpt", "d_model": 4096, "n_heads": 32, "attn_config": {"alibi": True}}, "ALiBi"),
    "Nemotron 3 Nano": (
        {"model_type": "nemotron_h", "head_dim": 128, "rope_theta": 10_000, "partial_rotary_factor": 1.0},
        "it does not rotate",
    ),
    "a head of no size": ({"num_attention_heads": 8, "rope_theta": 1e4}, "got num_attention_heads alone"),
    "GPT-2": ({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_positions": 1024}, "it does not rotate"),
    "Qwen2-VL's whole": ({"model_type": "qwen2_vl", "vision_config": {}, "text_config": {}}, "such as text_config"),
}


@pytest.mark.parametrize("model", REFUSED)
def test_a_config_json_without_a_rule_here_is_refused_by_its_setting(model):
    settings, reason = REFUSED[model]
    with pytest.raises(ValueError) as caught:
        rope_scaling.from_config(settings, layer_type="full_attention" if "layer_types" in settings else None)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "model", [name for name, row in rope_reading.TYPES.items() if "does not rotate" in row.get("refused", "")]
)
def test_a_model_that_is_said_not_to_rotate_has_no_rotation_in_its_program(model):
    package = {"clip_text_model": "clip", "clip_vision_model": "clip"}.get(model, model.replace("-", "_"))
    modeling = importlib.import_module(f"transformers.models.{package}.modeling_{package}")
    layers = [each for name, each in vars(modeling).items() if name.endswith("Attention") and inspect.isclass(each)]
    assert layers or package == "mpt"
    for each in layers:
        assert "rotary" not in inspect.getsource(each.forward) and "cos" not in inspect.getsource(each.forward)


SAMPLE = (
    "cohere2",
    "deepseek_v4",
    "gemma4",
    "gpt_oss",
    "jetmoe",
    "ministral3",
    "phi3",
    "pixtral",
    "qwen2_vl",
    "qwen3_vl",
)


@pytest.mark.parametrize("package", SAMPLE)
def test_a_default_configuration_of_transformers_is_read_as_its_model_reads_it(package, unchecked):
    found = [(verdict, reason) for _, _, verdict, reason in configurations.rows(package)]
    assert ("agree", "") in found
    assert [row for row in found if row[0] == "wrong"] == []


@pytest.mark.slow
def test_no_configuration_that_says_less_or_more_is_read_otherwise_than_its_model_reads_it(unchecked):
    found = [row for row in configurations.rewritten() if row[3] not in ("agree", "refused")]
    assert found == []


@pytest.mark.parametrize(
    "package", ["glm4_moe_lite", "deepseek_v3", "mistral4", "qwen3", "gemma", "minimax_m2", "bamba"]
)
def test_a_configuration_that_says_less_or_more_is_read_as_its_model_reads_it(package, unchecked):
    found = [row[2:] for row in configurations.rewritten(package)]
    assert len(found) > 3
    assert [row for row in found if row[1] not in ("agree", "refused")] == []


def test_the_part_of_a_head_that_turns_is_not_a_share_of_the_quotient():
    config = {"model_type": "glm4_moe_lite", "hidden_size": 2048, "num_attention_heads": 20, "qk_rope_head_dim": 64}
    config |= {"partial_rotary_factor": 1.0, "rope_theta": 1e6}
    assert rope_scaling.from_config(config)[0].tolist() == pytest.approx([1e6 ** (-i / 32) for i in range(32)])


def test_a_configuration_that_does_not_say_the_layout_is_refused_or_it_is_assumed_and_said():
    assert rope_scaling.read({"model_type": "deepseek_v3", "rope_interleave": False, **HEAD}).layout == "half"
    for unknown in ({}, {"model_type": "chatglm"}):
        with pytest.raises(ValueError, match="layout must be given"):
            rope_scaling.read({**unknown, **HEAD})
        assert rope_scaling.read({**unknown, **HEAD}, layout="interleaved").layout == "interleaved"
        rope = rope_scaling.read({**unknown, **HEAD}, assume=True)
        assert rope.layout == "half" and "layout" in rope.assumed[0]
    with pytest.raises(ValueError, match="layout must be 'half' or left out"):
        rope_scaling.read({"model_type": "llama", **HEAD}, layout="interleaved")


def test_a_width_that_nobody_says_is_refused_or_it_is_assumed_and_said():
    config = {"hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4}
    with pytest.raises(ValueError, match="head_dim must be given"):
        rope_scaling.read(config, layout="half")
    rope = rope_scaling.read(config, assume=True)
    assert rope.rotary_dim == 16 and any("head_dim 16" in said for said in rope.assumed)
    assert rope_scaling.read({"model_type": "llama", **config}).assumed == ()


SMOLLM3 = {"model_type": "smollm3", "rope_theta": 5e6, "head_dim": 8}


@pytest.mark.parametrize("said", [{"no_rope_layers": [1, 1, 1, 0] * 2}, {"no_rope_layer_interval": 4}, {}])
def test_layers_that_do_not_turn_are_told_apart_by_their_number(said):
    config = {**SMOLLM3, **said}
    turning = [rope_scaling.from_config(config, layer=layer)[0].any().item() for layer in range(8)]
    assert turning == [True, True, True, False] * 2
    with pytest.raises(ValueError, match="layer must be given"):
        rope_scaling.from_config(config)
    everywhere = {**SMOLLM3, "no_rope_layers": [1] * 8}
    assert rope_scaling.from_config(everywhere)[0].all()


def test_smollm3_skips_the_layers_that_its_attention_skips(unchecked):
    from transformers.models.smollm3.modeling_smollm3 import SmolLM3Attention, SmolLM3Config

    config = SmolLM3Config(num_hidden_layers=8, hidden_size=16, num_attention_heads=2)
    for layer in range(8):
        ours, _ = rope_scaling.from_config(config, layer=layer)
        assert ours.any().item() == bool(SmolLM3Attention(config, layer).use_rope)


def test_a_kind_of_layers_that_all_rest_or_all_turn_needs_no_number():
    config = {"model_type": "llama4_text", "head_dim": 8, "rope_theta": 5e5, "num_hidden_layers": 8}
    config["layer_types"] = [*["chunked_attention"] * 3, "full_attention"] * 2
    assert rope_scaling.from_config(config, layer_type="chunked_attention")[0].all()
    assert not rope_scaling.from_config(config, layer_type="full_attention")[0].any()
    assert not rope_scaling.from_config(config, layer=3)[0].any()


OFF = [
    ({"model_type": "gptj", "n_embd": 64, "n_head": 4, "rotary": False}, "rotary must be on"),
    ({"model_type": "zamba2", "attention_head_dim": 8, "rope_theta": 1e4}, "use_mem_rope must be on"),
    ({**SMOLLM3, "layer": 8, "num_hidden_layers": 8}, "layer must be below num_hidden_layers, 8"),
    ({**SMOLLM3, "layer": 2, "no_rope_layers": [1, 0]}, "layer must be below 2"),
    ({"head_dim": 8, "rope_scaling": {"rope_theta": 1e4, "no_rope_layers": [0]}}, "got no_rope_layers"),
    ({"model_type": "gpt_neox", "head_dim": 8, "partial_rotary_factor": 1.0}, "partial_rotary_factor must be 0.25"),
]


@pytest.mark.parametrize("config, reason", OFF)
def test_what_would_change_the_answer_is_refused_and_not_passed_over(config, reason):
    with pytest.raises(ValueError) as caught:
        rope_scaling.from_config(config, layer=config.pop("layer", None))
    assert reason in str(caught.value)


def test_a_layer_that_does_not_turn_has_speed_0():
    config = {
        "head_dim": 8,
        "layer_types": ["near", "far"],
        "rope_parameters": {"near": {"rope_theta": 1e4}, "far": None},
    }
    assert rope_scaling.from_config(config, layer_type="far")[0].tolist() == [0.0] * 4
    assert rope_scaling.from_config(config, layer_type="near")[0].all()
    bases = {"head_dim": 8, "rope_theta": 1e4, "layer_types": ["near", "far"], "layer_rope_theta": [100.0, 0]}
    assert rope_scaling.from_config(bases, layer_type="far")[0].tolist() == [0.0] * 4
    assert rope_scaling.from_config(bases, layer_type="near")[0][2].item() == pytest.approx(0.1)


@pytest.mark.parametrize("model", ["cohere2", "cohere2_moe", "exaone4", "exaone_moe", "llama"])
@pytest.mark.parametrize("layer_type", ["full_attention", "sliding_attention"])
def test_the_layers_that_turn_are_those_whose_attention_turns(model, layer_type, unchecked):
    package = importlib.import_module(f"transformers.models.{model}")
    name = {"exaone_moe": "ExaoneMoe", "cohere2_moe": "Cohere2Moe"}.get(model, model.capitalize())
    settings = {"hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 2, "num_hidden_layers": 2}
    settings |= {"head_dim": 8, "layer_types": ["full_attention", "sliding_attention"], "sliding_window": 4}
    config = getattr(package, f"{name}Config")(**settings)
    config._attn_implementation = "eager"
    layer = settings["layer_types"].index(layer_type)
    torch.manual_seed(0)
    attention = getattr(package, f"modeling_{model}", package)
    attention = getattr(attention, f"{name}Attention")(config, layer_idx=layer)
    tokens = torch.randn(1, 3, 16)
    still, turned = torch.zeros(1, 3, 8), torch.arange(3.0).view(1, 3, 1).expand(1, 3, 8)
    found = [attention(tokens, (angles.cos(), angles.sin()), attention_mask=None)[0] for angles in (still, turned)]
    ours, _ = rope_scaling.from_config({**settings, "model_type": model, "rope_theta": 1e4}, layer_type=layer_type)
    assert bool(ours.any()) == (not torch.equal(*found))


@pytest.mark.parametrize("model", ["cohere2", "exaone4"])
def test_layers_without_a_window_turn_where_none_has_one(model):
    config = {"model_type": model, "head_dim": 8, "rope_theta": 1e4}
    assert not rope_scaling.from_config(config, layer_type="full_attention")[0].any()
    with pytest.raises(ValueError, match="layer must be given"):
        rope_scaling.from_config(config)
    turning = rope_scaling.from_config(config, layer_type="sliding_attention")[0].tolist()
    layers = [rope_scaling.read({**config, "sliding_window_pattern": 4}, layer=layer).turns for layer in range(8)]
    assert any(turning) and layers == [True, True, True, False] * 2
    everywhere = {**config, "sliding_window": None, "layer_types": ["full_attention"]}
    assert rope_scaling.from_config(everywhere, layer_type="full_attention")[0].tolist() == turning


def test_pairs_of_an_image_follow_rows_and_columns():
    square = {"head_dim": 16, "rope_parameters": {"rope_type": "axial", "rope_theta": 1e4}}
    rope = rope_scaling.read({**square, "model_type": "qwen2_vl_vision"})
    assert rope.axis_of_pair.tolist() == [0] * 4 + [1] * 4
    assert rope.inv_freq.tolist() == pytest.approx([1, 1e-1, 1e-2, 1e-3] * 2)
    with pytest.raises(ValueError, match="model_type must be one of"):
        rope_scaling.read(square, layout="half")
    with pytest.raises(ValueError, match="config must be for positions with one axis"):
        rope_scaling.from_config({**square, "model_type": "qwen2_vl_vision"})


def test_sections_must_be_the_pairs_of_a_head():
    config = {"head_dim": 16, "rope_theta": 1e4, "rope_scaling": {"type": "mrope", "mrope_section": [4, 2, 1]}}
    with pytest.raises(ValueError, match="mrope_section must add up to 8 pairs"):
        rope_scaling.read(config, layout="half")


def test_configurations_are_read_where_there_is_no_torch():
    folder = Path(rope_reading.__file__).parents[1]
    code = "from pe_helpers import rope_reading as r; print(r.speeds({'rope_theta': 100.0, 'head_dim': 4})['inv_freq'])"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[1.0, 0.1]"
