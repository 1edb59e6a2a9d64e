"""Scaled rotary speeds: against published configurations as transformers runs them, and the papers' own words."""

import math

import pytest
import torch

from pe_helpers import rope_scaling, rotary, sinusoidal

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3["original_max_position_embeddings"] = 8192
YARN = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "rope_theta": 1e4}
LISTS = {"short_factor": [1 + i / 40 for i in range(48)], "long_factor": [1 + 1.3 * i for i in range(48)]}
PHI = {
    "hidden_size": 3072,
    "rope_theta": 1e4,
    "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096,
}
HEADS_OF_128 = {"hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1e4}

# (configuration, arguments, pairs, {pair: speed}, attention factor): the numbers that transformers 5.17.0 computes in
# float32, by ROPE_INIT_FUNCTIONS[rope_type](LlamaConfig(**configuration), "cpu", seq_len=…) and, for Gemma 4, in
# Gemma4TextRotaryEmbedding(Gemma4TextConfig()). Settings are those of the published models.
PUBLISHED = {
    "Llama 2": (HEADS_OF_128, {}, 64, {1: 0.8659644, 32: 0.01, 63: 0.0001154782}, 1.0),
    "interpolated": (
        {**HEADS_OF_128, "rope_theta": 1e6, "rope_scaling": {"type": "linear", "factor": 8.0}},
        {},
        64,
        {1: 0.1007303, 16: 0.003952847, 63: 1.551172e-07},
        1.0,
    ),
    "dynamic, short text": (
        {**HEADS_OF_128, "max_position_embeddings": 2048, "rope_scaling": {"type": "dynamic", "factor": 2.0}},
        {},
        64,
        {1: 0.8659644, 32: 0.01, 63: 0.0001154782},
        1.0,
    ),
    "dynamic, 9,000 tokens": (
        {**HEADS_OF_128, "max_position_embeddings": 2048, "rope_scaling": {"type": "dynamic", "factor": 2.0}},
        {"seq_len": 9000},
        64,
        {1: 0.8382035, 16: 0.05937328, 42: 0.000603499, 63: 1.482569e-05},
        1.0,
    ),
    "Qwen 2.5 with YaRN": (
        {
            "hidden_size": 3584,
            "num_attention_heads": 28,
            "rope_theta": 1e6,
            "max_position_embeddings": 32768,
            "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
        },
        {},
        64,
        {1: 0.8058422, 21: 0.01074608, 32: 0.0006029411, 42: 2.886955e-05, 63: 3.102344e-07},
        1.13862944,
    ),
    "DeepSeek V3": (
        {
            "qk_rope_head_dim": 64,
            "hidden_size": 7168,
            "num_attention_heads": 128,
            "rope_theta": 10_000,
            "rope_scaling": {**YARN, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0},
        },
        {},
        32,
        {1: 0.7498942, 10: 0.05623413, 16: 0.0055, 21: 0.0004149904, 31: 3.333804e-06},
        1.0,
    ),
    "YaRN with two mscales": (
        {"head_dim": 64, "rope_scaling": {**YARN, "mscale": 0.707, "mscale_all_dim": 0.5}},
        {},
        32,
        {16: 0.0055, 21: 0.0004149904},
        1.0644689,
    ),
    "gpt-oss (a ramp without truncation)": (
        {
            "head_dim": 64,
            "rope_theta": 150_000,
            "rope_scaling": {
                "rope_type": "yarn",
                "beta_fast": 32.0,
                "beta_slow": 1.0,
                "factor": 32.0,
                "original_max_position_embeddings": 4096,
                "truncate": False,
            },
        },
        {},
        32,
        {1: 0.6890443, 8: 0.05081327, 10: 0.019335, 16: 0.0004564839, 31: 3.023511e-07},
        1.34657359,
    ),
    "YaRN that leaves the factor to the lengths": (
        {
            **HEADS_OF_128,
            "max_position_embeddings": 16384,
            "rope_scaling": {
                "type": "yarn",
                "factor": None,
                "original_max_position_embeddings": 4096,
                "attention_factor": 1.25,
            },
        },
        {},
        64,
        {16: 0.1, 21: 0.04729204, 32: 0.006538462, 42: 0.0008664635, 63: 2.886955e-05},
        1.25,
    ),
    "Llama 3.1": (
        {**HEADS_OF_128, "rope_theta": 5e5, "rope_scaling": LLAMA3},
        {},
        64,
        {1: 0.8146172, 21: 0.01349042, 32: 0.000524846, 42: 2.274893e-05, 63: 3.068926e-07},
        1.0,
    ),
    "Llama 3.2": (
        {"head_dim": 64, "rope_theta": 5e5, "rope_scaling": {**LLAMA3, "factor": 32.0}},
        {},
        32,
        {10: 0.01656044, 16: 0.0004295567, 31: 9.418306e-08},
        1.0,
    ),
    "Phi 3.5, short text": (
        {**PHI, "num_attention_heads": 32, "rope_scaling": {"type": "longrope", **LISTS}},
        {"seq_len": 4096},
        48,
        {1: 0.8052723, 24: 0.00625, 47: 5.570241e-05},
        1.19023807,
    ),
    "Phi 3.5, long text": (
        {**PHI, "num_attention_heads": 32, "rope_scaling": {"type": "longrope", **LISTS}},
        {"seq_len": 4097},
        48,
        {1: 0.3588714, 24: 0.000310559, 47: 1.95093e-06},
        1.19023807,
    ),
    "Phi 4 mini (three quarters of a head)": (
        {
            **PHI,
            "num_attention_heads": 24,
            "partial_rotary_factor": 0.75,
            "rope_scaling": {"type": "longrope", **LISTS},
        },
        {"seq_len": 5000},
        48,
        {1: 0.3588714, 24: 0.000310559, 47: 1.95093e-06},
        1.19023807,
    ),
    "half a head, Llama 3": (
        {"rope_parameters": {**LLAMA3, "rope_theta": 5e5, "partial_rotary_factor": 0.5}},
        {"head_dim": 128},
        32,
        {8: 0.03760603, 10: 0.01656044, 16: 0.000524846, 31: 3.767323e-07},
        1.0,
    ),
    "GLM (half a head)": (
        {**HEADS_OF_128, "partial_rotary_factor": 0.5, "rope_theta": 10_000.0},
        {},
        32,
        {1: 0.7498942, 10: 0.05623413, 31: 0.0001333522},
        1.0,
    ),
    "proportional, a fraction of a pair left over": (
        {"rope_type": "proportional", "partial_rotary_factor": 0.3, "factor": 2.0, "rope_theta": 1e6},
        {"head_dim": 100},
        50,
        {1: 0.3792888, 12: 0.0181539, 14: 0.5 * 1e6 ** (-28 / 100), 15: 0.0, 49: 0.0},
        1.0,
    ),
}
GEMMA4 = {
    "head_dim": 256,
    "global_head_dim": 512,
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10_000.0},
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1_000_000.0},
    },
}
PUBLISHED["Gemma 4, all tokens"] = (
    GEMMA4,
    {"layer_type": "full_attention"},
    256,
    {1: 0.9474635, 32: 0.1778279, 63: 0.03337625, 64: 0.0, 255: 0.0},
    1.0,
)
PUBLISHED["Gemma 4, near tokens"] = (
    GEMMA4,
    {"layer_type": "sliding_attention"},
    128,
    {1: 0.930572, 63: 0.01074608, 64: 0.01, 127: 0.0001074608},
    1.0,
)


@pytest.mark.parametrize("model", PUBLISHED)
def test_published_configurations_give_the_speeds_that_transformers_computes(model):
    config, arguments, pairs, columns, attention_factor = PUBLISHED[model]
    speeds, found = rope_scaling.from_config(config, assume=True, **arguments)
    assert speeds.dtype is torch.float64 and speeds.shape == (pairs,)
    for pair, speed in columns.items():
        assert speeds[pair].item() == pytest.approx(speed, rel=2e-6)
    assert found == pytest.approx(attention_factor, rel=1e-7)


def test_the_base_that_scaling_alone_leaves_out_is_given_by_its_name():
    whole = {"head_dim": 128, "rope_theta": 5e5, "rope_scaling": LLAMA3}
    alone = rope_scaling.from_config(LLAMA3, head_dim=128, base=5e5)[0]
    assert alone.tolist() == rope_scaling.from_config(whole)[0].tolist()
    assert alone[-1].item() == pytest.approx(3.068926e-07, rel=2e-6)


def test_an_object_with_to_dict_is_a_configuration_too():
    class Config:
        def to_dict(self):
            return {"rope_theta": 1e4, "head_dim": 8}

    assert rope_scaling.from_config(Config())[0].tolist() == sinusoidal.inv_freq(8).tolist()


def test_the_base_is_read_inside_rope_parameters_before_outside():
    inside = {"rope_theta": 100.0, "head_dim": 4, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}
    outside = {"rope_theta": 1e6, "head_dim": 4, "rope_parameters": {"rope_type": "default"}}
    for config in (inside, outside):
        assert rope_scaling.from_config(config)[0][1].item() == pytest.approx(1e-3)


def test_interpolation_gives_each_position_the_angles_of_a_nearer_one():
    positions = torch.arange(64.0, dtype=torch.float64)
    scaled = positions[:, None] * rope_scaling.interpolation(16, factor=4)
    torch.testing.assert_close(scaled, (positions / 4)[:, None] * sinusoidal.inv_freq(16))


def test_ntk_slows_the_slowest_pair_by_the_factor_and_leaves_the_fastest():
    speeds = rope_scaling.ntk_aware(64, factor=4)
    assert speeds[0] == 1 and speeds[-1].item() == pytest.approx(10_000 ** (-62 / 64) / 4)
    ratios = speeds[1:] / speeds[:-1]
    torch.testing.assert_close(ratios, ratios[:1].expand_as(ratios))  # still one geometric ladder
    assert rope_scaling.ntk_aware(2, factor=4).tolist() == [1.0]


def test_dynamic_ntk_changes_nothing_up_to_the_training_length_and_all_the_more_beyond():
    def at(seq_len):
        return rope_scaling.dynamic_ntk(64, factor=2, seq_len=seq_len, original_max_position_embeddings=128)

    for seq_len in (1, 127, 128):
        assert torch.equal(at(seq_len), sinusoidal.inv_freq(64))
    torch.testing.assert_close(at(256), rope_scaling.ntk_aware(64, factor=3))  # 2 · 2 − 1
    assert (at(1024)[1:] < at(512)[1:]).all()


@pytest.mark.parametrize("fast, slow", [(32, 1), (16, 2), (64, 0.5)])
def test_yarn_keeps_pairs_that_turn_often_slows_those_that_turn_seldom_and_has_a_ramp_between(fast, slow):
    speeds, attention_factor = rope_scaling.yarn(
        128, factor=4, original_max_position_embeddings=2048, beta_fast=fast, beta_slow=slow
    )
    turns = [2048 * 10_000 ** (-i / 64) / (2 * math.pi) for i in range(64)]
    last_fast = max(i for i in range(64) if turns[i] >= fast)
    first_slow = min(i for i in range(64) if turns[i] <= slow)
    for i in range(64):
        kept = min(max((first_slow - i) / (first_slow - last_fast), 0), 1)
        assert speeds[i].item() == pytest.approx(10_000 ** (-i / 64) * (kept + (1 - kept) / 4), rel=1e-12)
    assert attention_factor == pytest.approx(0.1 * math.log(4) + 1)


@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize("trained", [2**11, 2**18, 2**40])
def test_yarn_ends_its_ramp_as_the_authors_do_also_beyond_the_last_pair(trained, truncate):
    """Their `find_correction_range` and `linear_ramp_mask`, written out; trained that long, no pair turns only once."""
    wide, base, factor = 128, 1e4, 4.0
    ends = [wide * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (32, 1)]
    if truncate:
        ends = [math.floor(ends[0]), math.ceil(ends[1])]
    low, high = max(ends[0], 0), min(ends[1], wide - 1)
    speeds, _ = rope_scaling.yarn(
        wide, factor=factor, original_max_position_embeddings=trained, base=base, truncate=truncate
    )
    for i in range(wide // 2):
        kept = 1 - min(max((i - low) / (high - low), 0), 1)
        speed = base ** (-2 * i / wide)
        assert speeds[i].item() == pytest.approx(speed / factor * (1 - kept) + speed * kept, rel=1e-12)


@pytest.mark.parametrize("ends", [1, 4])
def test_llama3_steps_from_kept_to_slowed_where_both_ends_of_the_ramp_are_one_as_in_llama_4_scout(ends):
    lengths = {"factor": 16, "original_max_position_embeddings": 8192}
    speeds = rope_scaling.llama3(128, low_freq_factor=ends, high_freq_factor=ends, **lengths)
    for i in range(64):
        speed = 5e5 ** (-2 * i / 128)
        kept = 8192 * speed / (2 * math.pi) >= ends
        assert speeds[i].item() == pytest.approx(speed if kept else speed / 16, rel=1e-12)


@pytest.mark.parametrize("low, high", [(1, 4), (2, 16)])
@pytest.mark.parametrize("head_dim, base, factor, length", [(128, 5e5, 8, 8192), (64, 1e4, 32, 8192), (16, 1e6, 2, 64)])
def test_llama3_keeps_short_waves_slows_long_ones_and_blends_between(head_dim, base, factor, length, low, high):
    lengths = {"factor": factor, "original_max_position_embeddings": length}
    speeds = rope_scaling.llama3(head_dim, base=base, low_freq_factor=low, high_freq_factor=high, **lengths)
    for i in range(head_dim // 2):
        speed = base ** (-2 * i / head_dim)
        wave = 2 * math.pi / speed
        smooth = (length / wave - low) / (high - low)
        wanted = (1 - smooth) * speed / factor + smooth * speed
        if wave < length / high:
            wanted = speed
        if wave > length / low:
            wanted = speed / factor
        assert speeds[i].item() == pytest.approx(wanted, rel=1e-12)


def test_longrope_divides_each_speed_by_its_own_number():
    def at(seq_len):
        lists = {"short_factor": [1.0, 2.0], "long_factor": [4.0, 5.0]}
        return rope_scaling.longrope(4, **lists, seq_len=seq_len, original_max_position_embeddings=100, factor=10.0)

    assert at(100)[0].tolist() == pytest.approx([1.0, 0.01 / 2])
    assert at(101)[0].tolist() == pytest.approx([1 / 4, 0.01 / 5])
    assert at(1)[1] == at(101)[1] == pytest.approx(math.sqrt(1.5))


def test_proportional_leaves_the_slow_pairs_as_they_are_across_the_whole_head():
    x = torch.randn(1, 6, 16, generator=torch.Generator().manual_seed(0))
    speeds = rope_scaling.proportional(16, partial_rotary_factor=0.25)
    rotated = rotary.rotate(x, range(6), inv_freq=speeds, layout="half")
    moved = (rotated != x).any(dim=1).squeeze().nonzero().flatten().tolist()
    assert moved == [0, 1, 8, 9]  # i and i + head_dim/2
    assert speeds[1].item() == pytest.approx(10_000 ** (-2 / 16))  # the denominator is head_dim
    assert torch.equal(rope_scaling.proportional(16, partial_rotary_factor=1.0), sinusoidal.inv_freq(16))
    assert not rope_scaling.proportional(16, partial_rotary_factor=0.0).any()


def test_partial_rotation_turns_the_first_features_as_a_narrower_head_would():
    x = torch.randn(1, 6, 16, generator=torch.Generator().manual_seed(0))
    speeds = rope_scaling.partial_rotation(16, partial_rotary_factor=0.25)
    rotated = rotary.rotate(x, range(6), inv_freq=speeds, layout="half", rotary_dim=2 * len(speeds))
    assert torch.equal(rotated[..., 4:], x[..., 4:])
    torch.testing.assert_close(rotated[..., :4], rotary.rotate(x[..., :4], range(6), layout="half"))


OF_TWO_KINDS = {"head_dim": 128, "layer_types": ["sliding_attention", "full_attention"], "rope_scaling": YARN}
OF_A_PATTERN = {"head_dim": 128, "rope_theta": 1e6, "sliding_window_pattern": 6, "rope_scaling": YARN}
LENGTHS = {"factor": 2.0, "original_max_position_embeddings": 64}
REFUSED = [
    (lambda: rope_scaling.interpolation(7, factor=2.0), ValueError, "head_dim must be"),
    (lambda: rope_scaling.interpolation(8, factor=0.5), ValueError, "factor must be finite and at least 1"),
    (lambda: rope_scaling.interpolation(8, factor="2"), TypeError, "factor must be a number"),
    (lambda: rope_scaling.ntk_aware(8, factor=math.inf), ValueError, "factor must be finite"),
    (lambda: rope_scaling.ntk_aware(8, factor=1e308), ValueError, "factor must be at most 2**53"),
    (lambda: rope_scaling.ntk_aware(8, factor=2.0, base=0.5), ValueError, "base must be finite and at least 1"),
    (lambda: rope_scaling.ntk_aware(8, factor=2.0, base=torch.ones(2)), TypeError, "base must be a number"),
    (lambda: rope_scaling.dynamic_ntk(8, seq_len=1.5, **LENGTHS), TypeError, "seq_len must be an int"),
    (lambda: rope_scaling.yarn(8, base=1, **LENGTHS), ValueError, "base must be above 1"),
    (
        lambda: rope_scaling.yarn(8, beta_fast=1, beta_slow=32, **LENGTHS),
        ValueError,
        "beta_slow <= beta_fast must hold",
    ),
    (
        lambda: rope_scaling.yarn(8, factor=2.0, original_max_position_embeddings=0),
        ValueError,
        "original_max_position_embeddings must be at least 1",
    ),
    (
        lambda: rope_scaling.llama3(8, low_freq_factor=5, **LENGTHS),
        ValueError,
        "low_freq_factor <= high_freq_factor must hold",
    ),
    (
        lambda: rope_scaling.longrope(8, short_factor=[1.0] * 3, long_factor=[1.0] * 4, seq_len=1, **LENGTHS),
        ValueError,
        "short_factor must hold 4 numbers above 0",
    ),
    (
        lambda: rope_scaling.longrope(8, short_factor=[1.0] * 4, long_factor=[1, 1, 1, 0], seq_len=1, **LENGTHS),
        ValueError,
        "long_factor must hold 4 numbers above 0",
    ),
    (
        lambda: rope_scaling.proportional(8, partial_rotary_factor=25),
        ValueError,
        "partial_rotary_factor must be at most 1",
    ),
    (lambda: rope_scaling.partial_rotation(10, partial_rotary_factor=0.5), ValueError, "got 0.5 · 10 = 5"),
    (lambda: rope_scaling.yarn(8, truncate="no", **LENGTHS), ValueError, "truncate must be one of True, False"),
    (lambda: rope_scaling.from_config("llama"), TypeError, "config must be a mapping"),
    (lambda: rope_scaling.from_config({"rope_parameters": [1]}), TypeError, "rope_parameters must be a mapping"),
    (lambda: rope_scaling.from_config({"rope_type": ["yarn"]}, head_dim=8), ValueError, "rope_type must be one of"),
    (
        lambda: rope_scaling.from_config({"rope_parameters": {"type": "default"}, "rope_scaling": {"type": "linear"}}),
        ValueError,
        "rope_parameters and rope_scaling must be the same",
    ),
    (
        lambda: rope_scaling.from_config(
            {"head_dim": 8, "max_position_embeddings": 128, "rope_scaling": {"type": "dynamic", **LENGTHS}}, base=1e4
        ),
        ValueError,
        "original_max_position_embeddings must be max_position_embeddings",
    ),
    (
        lambda: rope_scaling.from_config({"rope_type": "mrope"}, head_dim=8, base=1e4),
        ValueError,
        "mrope_section must name at least one axis",
    ),
    (
        lambda: rope_scaling.from_config({"rope_type": "linear"}, head_dim=8, base=1e4),
        ValueError,
        "must hold factor, got none",
    ),
    (
        lambda: rope_scaling.from_config(
            {"rope_type": "yarn", "rope_theta": 1e4, **LENGTHS, "alpha": 1000}, head_dim=8
        ),
        ValueError,
        "got alpha",
    ),
    (lambda: rope_scaling.from_config({"rope_type": "default", "factor": 2.0}, head_dim=8), ValueError, "got factor"),
    (
        lambda: rope_scaling.from_config({"rope_type": "default", "mrope_section": [1, 1, 2]}, head_dim=8, base=1e4),
        ValueError,
        "config must be for positions with one axis",
    ),
    (lambda: rope_scaling.from_config({"rotary_freq": 0.25, "rope_theta": 1e4}), ValueError, "got rotary_freq"),
    (lambda: rope_scaling.from_config({"hidden_size": 64}), ValueError, "config must hold rope_parameters"),
    (lambda: rope_scaling.from_config({"rope_theta": 1e4}), ValueError, "head_dim must be given"),
    (
        lambda: rope_scaling.from_config(
            {"rope_theta": 1e4, "head_dim": 8, "per_layer_config": {"1": {"head_dim": 4}}}
        ),
        ValueError,
        "per_layer_config's head_dim must be the same in all layers of a kind (say which by layer_type), got",
    ),
    (
        lambda: rope_scaling.from_config({"type": "linear", "rope_type": "yarn", **LENGTHS}, head_dim=8, base=1e4),
        ValueError,
        "rope_type and type must be the same",
    ),
    (
        lambda: rope_scaling.from_config({"rope_theta": 1e4, "head_dim": 8, "alibi": True}),
        ValueError,
        "position_embedding_type must be 'rotary' or left out",
    ),
    (
        lambda: rope_scaling.from_config({"rope_theta": 1e4, "hidden_size": 64, "num_attention_heads": 0}),
        ValueError,
        "num_attention_heads must be at least 1",
    ),
    (
        lambda: rope_scaling.from_config({"rope_theta": 1e4, "hidden_size": "64", "num_attention_heads": 8}),
        TypeError,
        "hidden_size must be an int",
    ),
    (
        lambda: rope_scaling.from_config(
            {
                "rope_theta": 1e4,
                "head_dim": 8,
                "max_position_embeddings": 64,
                "rope_scaling": {"type": "yarn", "original_max_position_embeddings": "32"},
            }
        ),
        TypeError,
        "original_max_position_embeddings must be an int",
    ),
    (
        lambda: rope_scaling.from_config(
            {"rope_theta": 1e4, "head_dim": 8, "rotary_dim": 4, "partial_rotary_factor": 1}
        ),
        ValueError,
        "rotary_dim must be partial_rotary_factor · head_dim, 8, got 4",
    ),
    (
        lambda: rope_scaling.from_config({"model_type": "dinov3_vit", "rope_theta": 100.0, "head_dim": 64}),
        ValueError,
        "model_type must be one with a rule here (its places are fractions of the image)",
    ),
    (
        lambda: rope_scaling.from_config(GEMMA4),
        ValueError,
        "layer_type must be one of full_attention, sliding_attention",
    ),
    (
        lambda: rope_scaling.from_config(
            {"rope_type": "yarn", "rope_theta": 1e4, **LENGTHS, "mscale": 0.7}, head_dim=8
        ),
        ValueError,
        "mscale_all_dim must be given",
    ),
    (
        lambda: rope_scaling.from_config(
            {"rope_type": "yarn", "rope_theta": 1e4, **LENGTHS, "mscale_all_dim": 0.7}, head_dim=8
        ),
        ValueError,
        "mscale must be given",
    ),
    (
        lambda: rope_scaling.from_config(LLAMA3, head_dim=8),
        ValueError,
        "rope_theta must be in config, or base be given",
    ),
    (
        lambda: rope_scaling.from_config({**LLAMA3, "rope_theta": None}, head_dim=8),
        ValueError,
        "rope_theta must be in config, or base be given",
    ),
    (
        lambda: rope_scaling.from_config({**LLAMA3, "rope_theta": 0}, head_dim=8),
        ValueError,
        "rope_theta must be finite and at least 1",
    ),
    (
        lambda: rope_scaling.from_config({**LLAMA3, "rope_theta": 5e5}, head_dim=8, base=1e4),
        ValueError,
        "base must be left out (config has a rope_theta",
    ),
    (
        lambda: rope_scaling.from_config({"rope_theta": 1e4, "head_dim": 8}, layer_type="banana"),
        ValueError,
        "layer_type must be one that config names (none), got 'banana'",
    ),
    (
        lambda: rope_scaling.from_config(OF_TWO_KINDS, layer_type="banana"),
        ValueError,
        "layer_type must be one that config names (full_attention, sliding_attention), got 'banana'",
    ),
    (
        lambda: rope_scaling.from_config(OF_A_PATTERN),
        ValueError,
        "rope_parameters must hold settings for each kind of layer",
    ),
    (
        lambda: rope_scaling.from_config(OF_TWO_KINDS, layer_type="sliding_attention"),
        ValueError,
        "rope_parameters must hold settings for each kind of layer",
    ),
    (
        lambda: rope_scaling.from_config(
            {"rope_type": "yarn", "rope_theta": 1e4, **LENGTHS, "attention_factor": "big"}, head_dim=8
        ),
        TypeError,
        "attention_factor must be a number",
    ),
]


@pytest.mark.parametrize("case", REFUSED, ids=[f"{i}: {message}" for i, (_, _, message) in enumerate(REFUSED)])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
