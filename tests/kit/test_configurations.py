"""The table of published models: numbers follow from a row's settings, and each row names what it was read in."""

import math
import re

import pytest

from clockwork.kit import configurations

MODELS = configurations.load()
KINDS = [(model, kind) for model in MODELS for kind in model.attention]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
each_turning = pytest.mark.parametrize(
    ("model", "kind"),
    [(model, kind) for model, kind in KINDS if kind.rope],
    ids=[f"{model.name}, {kind.kind} {kind.layers}" for model, kind in KINDS if kind.rope],
)


def naive(kind, *, scaled=True):
    """The speeds of the turning pairs from the settings, in the papers' own terms and without the package."""
    rope = kind.rope
    rule = rope["rope_type"]
    share = rope.get("partial_rotary_factor", 1.0)
    turning = int(kind.head_dim * share / 2)
    width = kind.head_dim if rule == "proportional" else 2 * turning
    base = rope["rope_theta"]
    speeds = [base ** (-2 * i / width) for i in range(turning)]
    factor = rope.get("factor", 1)
    if not scaled or factor == 1:
        return speeds
    if rule == "linear":
        return [speed / factor for speed in speeds]
    trained = rope["original_max_position_embeddings"]
    turns = [trained * speed / (2 * math.pi) for speed in speeds]
    if rule == "llama3":
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        kept = [float(t >= low) if low == high else min(1, max(0, (t - low) / (high - low))) for t in turns]
    else:
        assert rule == "yarn"
        ends = [width * math.log(trained / (2 * math.pi * b)) / (2 * math.log(base)) for b in (32, 1)]
        if rope.get("truncate", True):
            ends = [math.floor(ends[0]), math.ceil(ends[1])]
        first, last = max(ends[0], 0), min(ends[1], width - 1)
        kept = [1 - min(1, max(0, (i - first) / (last - first))) for i in range(turning)]
    return [speed * keep + speed / factor * (1 - keep) for speed, keep in zip(speeds, kept, strict=True)]


@each_turning
def test_hands_speeds_and_wavelengths_follow_from_the_settings(model, kind):
    speeds = naive(kind)
    assert kind.turning == len(speeds) and len(kind.inv_freq) == kind.features // 2
    assert kind.inv_freq[: len(speeds)].tolist() == pytest.approx(speeds, rel=1e-9)
    assert not kind.inv_freq[len(speeds) :].any()
    assert kind.wavelengths()[-1].item() == pytest.approx(2 * math.pi / speeds[-1], rel=1e-9)
    cells = dict(zip(configurations.HEADINGS, configurations.cells(model, kind), strict=True))
    assert cells["hands that turn"] == f"{len(speeds)} of {kind.features // 2}"
    before = {"Phi-4-mini": ", before longrope", "Mistral Large 4": ", before LeRoPE"}.get(model.name, "")
    assert cells["slowest turn (tokens)"] == f"{2 * math.pi / speeds[-1]:,.0f}{before}"
    unnamed = model.name == "Gemma 3 4B" and not kind.window
    assert cells["reach before slowing (tokens)"] == ("not named" if unnamed else f"{model.reach(kind):,}")


@each_turning
def test_a_hand_meets_a_new_angle_where_it_turns_further_than_before_slowing_and_made_no_whole_turn(model, kind):
    reach = model.reach(kind)
    before = naive(kind, scaled="original_max_position_embeddings" not in kind.rope)
    now = naive(kind)
    for distance in (1, reach // 2, reach, 2 * reach + 1, 64 * reach, 10**9):
        seen = min(distance, kind.window or distance)
        wanted = [
            reach * b < 2 * math.pi and seen * n > reach * b * (1 + 1e-9) for b, n in zip(before, now, strict=True)
        ]
        assert model.new_angles(kind, distance)[: len(now)].tolist() == wanted
    if kind.window:
        assert not model.new_angles(kind, 10**9).any(), "nothing beyond the window is seen"


def test_only_the_full_layers_of_gemma_4_have_no_hand_that_stayed_unfinished():
    assert sum(bool(kind.rope) for _, kind in KINDS) == 19
    finished = [(model.name, kind.kind) for model, kind in KINDS if kind.rope and not model.unfinished(kind).any()]
    assert finished == [("Gemma 4 26B", "full")]


def test_in_six_models_everything_turns_in_six_some_layers_have_no_positions_and_in_the_others_heads_turn_in_part():
    whole = [model.name for model in MODELS if all(kind.turning == len(kind.inv_freq) for kind in model.attention)]
    without = [model.name for model in MODELS if any(not kind.rope for kind in model.attention)]
    parts = [model.name for model in MODELS if any(0 < kind.turning < len(kind.inv_freq) for kind in model.attention)]
    assert len(MODELS) == 16 and len(whole) == len(without) == 6 and len(parts) == 5
    assert set(whole) | set(without) | set(parts) == {model.name for model in MODELS}
    assert set(without) & set(parts) == {"Mistral Large 4"}


@each_model
def test_every_row_names_what_it_was_read_in_at_a_version(model):
    assert model.sources
    for source in model.sources:
        place = re.fullmatch(
            r"github\.com/[\w.-]+/[\w.-]+ [\w./-]+ @[0-9a-f]{8}|transformers \d+\.\d+\.\d+ [\w./]+", source
        )
        assert place, source
    assert configurations.read_on().isoformat() == "2026-11-22"


@each_model
def test_the_kinds_of_layers_add_up(model):
    others = {"GLM-5.3-Flash": 34}  # linear attention
    assert sum(kind.layers for kind in model.attention) + others.get(model.name, 0) == model.layers


def test_interleaved_layers_are_counted_as_their_published_pattern_says():
    """Counted from the patterns in the sources: every sixth layer full, every fourth without positions, …"""
    counts = {model.name: [kind.layers for kind in model.attention] for model in MODELS}
    assert counts["Gemma 3 4B"] == [34 - 34 // 6, 34 // 6]
    assert counts["Gemma 4 26B"] == [25, 5] == [5 * 5, 5]
    assert counts["SmolLM3-3B"][1] == sum((i + 1) % 4 == 0 for i in range(36))
    assert counts["Llama 4 Scout"][1] == sum((i + 1) % 4 == 0 for i in range(48))
    assert counts["Mistral Large 4"][1] == sum((i + 1) % 4 == 0 for i in range(72))
    assert counts["Muse Spark Open"][1] == sum((61 - i) % 4 == 0 for i in range(62))
    assert counts["Command R7B"][1] == sum((i + 1) % 4 == 0 for i in range(32))
    assert counts["ModernBERT-base"][1] == sum(i % 3 == 0 for i in range(22))
    assert counts["GLM-5.3-Flash"] == [sum(i % 4 == 3 for i in range(45))]


def test_a_table_cell_says_what_a_layer_sees():
    cells = {(row[0], row[1]): row[2] for row in configurations.Table().rows()}
    assert cells["Llama 4 Scout", "36 of 48"] == "own 8,192"
    assert cells["Gemma 3 4B", "29 of 34"] == "window of 1,024"
    assert cells["Mistral Large 4", "54 of 72"] == "chosen keys"


def test_the_table_says_the_same_as_text_and_as_a_table_with_headings():
    table = configurations.Table()
    page = table._repr_html_()
    assert page.count('scope="row"') == len(KINDS) == len(table.rows())
    assert page.count('scope="col"') == len(configurations.HEADINGS)
    for row in table.rows():
        assert all(cell in page and cell in repr(table) for cell in row)
    assert "22 November 2026" in page


def test_an_unknown_model_is_refused_by_name():
    with pytest.raises(ValueError, match="got 'GPT-9'"):
        configurations.find("GPT-9")


def test_yarn_s_factor_covers_exactly_what_is_promised_and_llama_s_half_of_it():
    """Where the speeds are those of the settings: Mistral Large 4 multiplies them by numbers that it learned."""
    promised = {
        model.name: kind.rope["factor"] * kind.rope["original_max_position_embeddings"] / model.longest
        for model, kind in KINDS
        if "original_max_position_embeddings" in kind.rope and not kind.window and not kind.scaling
    }
    assert promised.pop("Llama 3.1 8B") == 0.5
    assert set(promised.values()) == {1.0} and len(promised) == 3


def test_bases_and_trained_lengths_are_those_read_in_the_sources():
    """Typed a second time from the files that the rows name, so that a slip in one place is seen in the other."""
    bases = {model.name: [kind.rope["rope_theta"] for kind in model.attention if kind.rope] for model in MODELS}
    assert bases == {
        "GPT-NeoX-20B": [1e4],
        "Llama 3.1 8B": [5e5],
        "DeepSeek-V3": [1e4],
        "Command R7B": [5e4],
        "ModernBERT-base": [1e4, 1.6e5],
        "Phi-4-mini": [1e4],
        "Gemma 3 4B": [1e4, 1e6],
        "Llama 4 Scout": [5e5],
        "SmolLM3-3B": [5e6],
        "gpt-oss-120b": [1.5e5, 1.5e5],
        "Qwen3-VL-4B": [5e6],
        "Ministral 3 8B": [1e6],
        "Gemma 4 26B": [1e4, 1e6],
        "Muse Spark Open": [5e5],
        "Mistral Large 4": [1e4],
        "GLM-5.3-Flash": [],
    }
    far = [model for model in MODELS if any(kind.rope and not kind.window for kind in model.attention)]
    reaches = {model.name: model.reach(model.full) for model in far}
    assert reaches == {
        "GPT-NeoX-20B": 2048,
        "Llama 3.1 8B": 8192,
        "DeepSeek-V3": 4096,
        "ModernBERT-base": 8192,
        "Phi-4-mini": 4096,
        "Gemma 3 4B": 131_072,
        "SmolLM3-3B": 65_536,
        "gpt-oss-120b": 4096,
        "Qwen3-VL-4B": 262_144,
        "Ministral 3 8B": 16_384,
        "Gemma 4 26B": 262_144,
        "Mistral Large 4": 512,
    }


def test_speeds_before_slowing_keep_the_share_that_turns():
    yarn = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 4096}
    kind = configurations.Attention("full", 1, 128, 128, yarn | {"partial_rotary_factor": 0.5})
    assert kind.turning == 32 == int((kind.inv_freq_before > 0).sum())
    assert kind.inv_freq_before[31].item() == pytest.approx(1e4 ** (-62 / 64))
