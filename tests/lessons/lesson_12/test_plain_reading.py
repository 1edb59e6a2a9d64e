"""What a configuration says about its hands: the numbers of `pe_helpers`, and in the page the same as in JupyterLab."""

import copy
import importlib
import json
import math
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import require
from tools import site

from clockwork.kit import configurations
from clockwork.lessons.lesson_12 import plain_reading, reading
from pe_helpers import rope_reading, rope_scaling

LLAMA = {
    "model_type": "llama",
    "head_dim": 128,
    "rope_theta": 5e5,
    "max_position_embeddings": 131_072,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}
GEMMA = {
    "model_type": "gemma3_text",
    "head_dim": 256,
    "rope_theta": 1e6,
    "rope_local_base_freq": 1e4,
    "max_position_embeddings": 32_768,
    "rope_scaling": {"rope_type": "linear", "factor": 8.0},
}
QWEN_VL = {"head_dim": 8, "rope_theta": 1e6, "rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}}
STOPPED = {"head_dim": 8, "layer_types": ["near", "far"], "rope_parameters": {"near": {"rope_theta": 1e4}, "far": None}}
PARTIAL = {"head_dim": 64, "rope_theta": 1e4, "partial_rotary_factor": 0.25, "max_position_embeddings": 2048}
YARN = {"type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096}
MISTRAL = {
    "model_type": "mistral",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "max_position_embeddings": 32_768,
    "rope_theta": 1e4,
    "sliding_window": 4096,
}
QWEN = {**MISTRAL, "model_type": "qwen2", "use_sliding_window": False}
GPT_J = {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_positions": 2048, "rotary": True, "rotary_dim": 64}
COMMAND = {**MISTRAL, "model_type": "cohere2", "position_embedding_type": "rope_gptj", "rotary_pct": 1.0}
EXAONE = {**MISTRAL, "model_type": "exaone4", "sliding_window_pattern": "LLLG", "rope_scaling": YARN}
SMOL = {"model_type": "smollm3", "head_dim": 128, "rope_theta": 5e6, "num_hidden_layers": 36}
SCOUT = {
    **{"model_type": "llama4_text", "head_dim": 128, "rope_theta": 5e5, "num_hidden_layers": 48},
    **{"max_position_embeddings": 10_485_760, "attention_chunk_size": 8192, "no_rope_layers": []},
}
GPT_OSS = {
    **{"model_type": "gpt_oss", "head_dim": 64, "num_hidden_layers": 4, "max_position_embeddings": 131_072},
    **{"rope_theta": 150_000.0, "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"] * 2},
    "rope_scaling": {**YARN, "factor": 32.0, "truncate": False},
}
GEMMA_2 = {
    **{"model_type": "gemma2", "head_dim": 256, "rope_theta": 1e4, "num_hidden_layers": 4},
    **{"max_position_embeddings": 8192, "sliding_window": 4096},
}
MODERNBERT = {
    **{"model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 4},
    **{"max_position_embeddings": 8192, "global_rope_theta": 160_000.0, "local_rope_theta": 1e4},
    **{"local_attention": 128, "global_attn_every_n_layers": 3},
}
DEEPSEEK = {
    **{"model_type": "deepseek_v3", "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rope_theta": 1e4},
    "max_position_embeddings": 163_840,
    "rope_scaling": {**YARN, "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0},
}
SU = {"type": "su", "short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 3.5, 4]}
SU = {"head_dim": 8, "rope_theta": 1e4, "original_max_position_embeddings": 4096, "rope_scaling": {**SU, "factor": 32}}
PARTS = [{"llm_config": LLAMA}, {"language_config": DEEPSEEK}, {"thinker_config": {"text_config": QWEN_VL}}]
MORE = [
    GPT_OSS,
    GEMMA_2,
    MODERNBERT,
    DEEPSEEK,
    SU,
    *PARTS,
    MISTRAL,
    QWEN,
    GPT_J,
    COMMAND,
    EXAONE,
    SMOL,
    SCOUT,
    {**SMOL, "no_rope_layers": [1, 1, 0]},
]
WELL = [LLAMA, GEMMA, QWEN_VL, STOPPED, PARTIAL, {"text_config": LLAMA}, {**PARTIAL, "rope_scaling": YARN}, *MORE]
REFUSED = [
    {"head_dim": 8},
    {"head_dim": "8", "rope_theta": 1e4},
    {"head_dim": 8, "rope_theta": "1e4"},
    {**PARTIAL, "rope_scaling": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}},
    {**PARTIAL, "rope_scaling": {"type": "spiral"}},
    {**PARTIAL, "layer_types": ["a", "b"], "rope_scaling": YARN},
    {**GEMMA, "rope_ratio": 2},
    {"model_type": "dinov3_vit", "rope_theta": 100.0},
    [3],
]
NOT_JSON = ["{", '{"head_dim": 8,}', "{'head_dim': 8}", "", "[" * 100_000]
TEXTS = [json.dumps(config) for config in WELL + REFUSED] + ["3", "{", ""]
LENGTHS = (100, 8193, 100_000, 10**7)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_hand_is_new_where_it_goes_further_than_in_training_before_slowing(length):
    (kind,) = plain_reading.read(json.dumps(LLAMA), length)["kinds"]
    speeds, _ = rope_scaling.from_config(LLAMA)
    assert kind["inv_freq"] == speeds.tolist() and kind["trained"] == 8192
    before = [5e5 ** (-2 * i / 128) for i in range(64)]
    new = [
        i for i in range(64) if 8192 * before[i] < 2 * math.pi and length * speeds[i] > 8192 * before[i] * (1 + 1e-9)
    ]
    assert plain_reading._new(kind, length) == new
    assert f"{len(new)} of them have" in plain_reading.words(kind, length) or not new


def test_each_kind_of_layer_has_its_own_hands():
    kinds = plain_reading.read(json.dumps(GEMMA), 1000)["kinds"]
    assert [kind["kind"] for kind in kinds] == ["full_attention", "sliding_attention"]
    for kind in kinds:
        assert kind["inv_freq"] == rope_scaling.from_config(GEMMA, layer_type=kind["kind"])[0].tolist()


@pytest.mark.parametrize(("config", "window"), [(MISTRAL, 4096), (QWEN, None), (SCOUT, 8192), (LLAMA, None)])
def test_a_window_of_every_layer_keeps_all_hands_on_known_ground(config, window):
    (kind,) = plain_reading.read(json.dumps(config), 10**6)["kinds"]
    assert kind["window"] == window
    assert bool(plain_reading._new(kind, 10**6)) == (window is None)


@pytest.mark.parametrize(
    ("config", "package", "name"),
    [(GPT_OSS, "gpt_oss", "GptOss"), (GEMMA_2, "gemma2", "Gemma2"), (MODERNBERT, "modernbert", "ModernBert")],
)
def test_a_window_of_some_layers_is_told_of_these(config, package, name, unchecked):
    theirs = getattr(importlib.import_module(f"transformers.models.{package}"), f"{name}Config")(
        **{key: copy.deepcopy(value) for key, value in config.items() if key != "model_type"}
    )
    found = plain_reading.read(json.dumps(config), 10**6)["kinds"]
    assert {kind["kind"] for kind in found} == set(theirs.layer_types)
    for kind in found:
        sliding = kind["kind"] == "sliding_attention"
        assert kind["window"] == (theirs.sliding_window if sliding else None)
        assert bool(plain_reading._new(kind, 10**6)) != sliding
        assert (f"look {theirs.sliding_window:,} tokens back" in plain_reading.words(kind, 10**6)) == sliding


@pytest.mark.parametrize("name", site.PUBLISHED)
def test_a_model_of_the_page_looks_as_far_back_and_scores_as_loud_as_the_table_says(name):
    model = configurations.find(name)
    kinds = plain_reading.read(json.dumps(model.config()), 1000)["kinds"]
    assert sorted(kind["window"] or 0 for kind in kinds) == sorted(kind.window or 0 for kind in model.attention)
    louder = {"DeepSeek-V3": (0.1 * math.log(40) + 1) ** 2, "gpt-oss-120b": (0.1 * math.log(32) + 1) ** 2}
    assert {round(kind["scores"], 9) for kind in kinds} == {round(louder.get(name, 1), 9)}


def test_no_window_is_told_where_it_is_switched_off():
    for off in ({"use_sliding_window": False}, {"sliding_window": None}):
        (kind,) = plain_reading.read(json.dumps({**GPT_OSS, **off}), 1000)["kinds"]
        assert kind["window"] is None


def test_scores_are_multiplied_as_the_programs_of_deepseek_do(unchecked):
    from transformers.models.deepseek_v3 import DeepseekV3Config
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention

    given = {key: copy.deepcopy(value) for key, value in DEEPSEEK.items() if key != "model_type"}
    small = {"hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 2, "num_hidden_layers": 1}
    attention = DeepseekV3Attention(DeepseekV3Config(**given, **small), layer_idx=0)
    times = attention.scaling * math.sqrt(128 + 64)
    assert times == pytest.approx((0.1 * math.log(40) + 1) ** 2)
    (kind,) = plain_reading.read(json.dumps(DEEPSEEK), 1000)["kinds"]
    assert (kind["factor"], kind["scores"]) == (1.0, pytest.approx(times))
    assert f"Scores are multiplied by {times:.2f}." in plain_reading.words(kind, 1000)
    (kind,) = plain_reading.read(json.dumps({**DEEPSEEK, "rope_scaling": None}), 1000)["kinds"]
    assert kind["scores"] == 1


@pytest.mark.parametrize("config", PARTS, ids=lambda config: next(iter(config)))
def test_the_part_that_reads_text_is_found_in_a_model_of_several_parts(config):
    inner = next(iter(config.values()))
    inner = inner.get("text_config", inner)
    assert plain_reading.read(json.dumps(config), 1000) == plain_reading.read(json.dumps(inner), 1000)
    assert plain_reading.read(json.dumps(config), 1000)["kinds"]


@pytest.mark.parametrize("trained", [1000, 196_608, 131_072, 40_961])
def test_hands_that_are_not_slowed_are_on_new_ground_past_the_trained_length(trained):
    config = {"head_dim": 64, "rope_theta": 5e6, "max_position_embeddings": trained}
    (kind,) = plain_reading.read(json.dumps(config), 10**7)["kinds"]
    first = next(i for i in range(32) if 2 * math.pi * 5e6 ** (i / 32) > trained)
    assert f"The first to go further is hand {first}, past {trained:,} tokens." in plain_reading.words(kind, 10**7)


@pytest.mark.parametrize("text", NOT_JSON, ids=["cut off", "comma", "quotes", "nothing", "deep"])
def test_what_is_not_json_is_refused_with_the_reason_and_its_beginning(text):
    found = plain_reading.read(text, 1000)["refused"]
    assert found.startswith("the text must be JSON (") and found.endswith(f"), got {text[:60]!r}")
    assert "no comma before a closing bracket" in found and "double quotes" in found


@pytest.mark.parametrize(("config", "still"), [(SMOL, 9), (SCOUT, 12), ({**SMOL, "no_rope_layers": [1, 1, 0]}, 1)])
def test_layers_that_do_not_turn_are_counted(config, still):
    (kind,) = plain_reading.read(json.dumps(config), 1000)["kinds"]
    assert kind["still"] == still
    assert f" {still} " in plain_reading.words(kind, 1000)


@pytest.mark.parametrize("config", [COMMAND, EXAONE], ids=["Command R7B", "EXAONE 4"])
def test_some_models_turn_the_hands_of_their_windowed_layers_alone(config):
    full, sliding = plain_reading.read(json.dumps(config), 1000)["kinds"]
    assert (full["kind"], set(full["inv_freq"])) == ("full_attention", {0.0})
    assert (sliding["kind"], sliding["window"]) == ("sliding_attention", 4096)
    assert sliding["inv_freq"] == rope_scaling.from_config(config, layer_type="sliding_attention")[0].tolist()
    (kind,) = plain_reading.read(json.dumps({**config, "sliding_window": None}), 1000)["kinds"]
    assert kind["inv_freq"] == sliding["inv_freq"]


def test_gpt_j_names_its_length_as_gpt_2_does():
    (kind,) = plain_reading.read(json.dumps(GPT_J), 1000)["kinds"]
    assert (kind["trained"], len(kind["inv_freq"])) == (2048, 32)


@pytest.mark.parametrize("config", REFUSED, ids=range(len(REFUSED)))
def test_what_the_package_refuses_is_refused_in_its_words(config):
    with pytest.raises((TypeError, ValueError)) as caught:
        rope_reading.speeds(config)
    found = plain_reading.read(json.dumps(config), 1000)["refused"]
    assert found == str(caught.value) or str(caught.value).startswith("layer_type must")


ODD = (
    None,
    0,
    -1,
    2.5,
    "x",
    "",
    [],
    [1],
    [{}],
    [None],
    {},
    {"a": 1},
    {"a": {}},
    True,
    1e308,
    math.inf,
    math.nan,
    2**70,
)
SLIDING = {"sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"]}
LISTS = {"short_factor": [1, 1, 1, 1.5], "long_factor": [1, 2, 3.5, 4]}
WHOLE = {
    "flat": {**LLAMA, **SLIDING, "hidden_size": 512, "num_attention_heads": 4, "partial_rotary_factor": 0.5},
    "yarn": {**PARTIAL, "rope_scaling": {**YARN, "beta_fast": 32, "attention_factor": 1.0}},
    "nested": {
        "head_dim": 16,
        **SLIDING,
        "rope_parameters": {kind: {"rope_theta": 1e4} for kind in SLIDING["layer_types"]},
    },
    "wide": {"rope_theta": 1e4, "layer_rope_theta": [1e4], "per_layer_config": {"0": {"head_dim": 16}}},
    "axes": QWEN_VL,
    "windows": {**SCOUT, "sliding_window": 128},
    "still": {**COMMAND, "num_hidden_layers": 4, "no_rope_layers": [1, 0]},
    "long": {**QWEN_VL, "original_max_position_embeddings": 64, "rope_scaling": {"type": "longrope", **LISTS}},
}


def changed(config):
    """Yield a configuration with each of its entries in turn replaced by each odd value."""
    for key, value in config.items():
        yield from ({**config, key: odd} for odd in ODD)
        if isinstance(value, dict):
            yield from ({**config, key: inner} for inner in changed(value))


@pytest.mark.parametrize("config", WHOLE.values(), ids=WHOLE)
def test_an_odd_entry_is_read_or_refused_by_name(config):
    for odd in changed(config):
        assert plain_reading.html([json.dumps(odd)], 5000)
        refused = plain_reading.read(json.dumps(odd), 5000).get("refused")
        assert refused is None or " must " in refused, (odd, refused)


def test_jupyterlab_shows_two_configurations_in_pictures_and_words():
    shown = reading.Reading(LLAMA, json.dumps(GEMMA), length=100_000)
    assert shown._repr_html_().count("<svg") == 3
    for line in repr(shown).splitlines():
        assert line.partition(": ")[2] in shown._repr_html_()


PAGE = """
import { loadMicroPython } from "./micropython.mjs";
import fs from "fs";
const { files, asked } = JSON.parse(fs.readFileSync(0));
const python = await loadMicroPython({ url: process.argv[2], heapsize: 16 * 2 ** 20 });
for (const [path, text] of Object.entries(files)) {
  const folders = path.split("/").slice(0, -1);
  folders.forEach((_, i) => {
    const folder = `/${folders.slice(0, i + 1).join("/")}`;
    if (!python.FS.analyzePath(folder).exists) python.FS.mkdir(folder);
  });
  python.FS.writeFile(`/${path}`, text);
}
python.globals.set("asked", JSON.stringify(asked));
python.runPython(`
import json
from clockwork.lessons.lesson_12 import plain_reading
said = json.dumps([[plain_reading.html([text], n) for n in lengths] for text, lengths in json.loads(asked)])
`);
console.log(python.globals.get("said"));
"""


def test_micropython_says_of_every_configuration_what_jupyterlab_says(tmp_path):
    require(shutil.which("node"), "node is missing: install Node.js")
    assert site.vendor() is None
    package = site.VENDOR / "node_modules" / site.MICROPYTHON
    for name in ("micropython.mjs", "micropython.wasm"):
        shutil.copy(package / name, tmp_path)
    (tmp_path / "page.mjs").write_text(PAGE, "utf-8")
    files = {name: (Path(site.SOURCES) / name).read_text("utf-8") for name in site.READING}
    given = json.dumps({"files": files, "asked": [(text, LENGTHS) for text in TEXTS]})
    command = ["node", tmp_path / "page.mjs", tmp_path / "micropython.wasm"]
    done = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    for text, found in zip(TEXTS, json.loads(done.stdout), strict=True):
        assert found == [plain_reading.html([text], length) for length in LENGTHS], text
