"""Models of transformers, small and with random weights, score as the modules made from their configurations do."""

import json
import string

import pytest
from benchmarks import scores

from pe_helpers import rope_reading

RECORDED = json.loads(scores.RESULT.read_text("utf-8"))["types"]
FAMILIES = {  # a type of model for each way in which programs rotate, and its package
    "llama": "llama",
    "cohere2": "cohere2",
    "gptj": "gptj",
    "glm4": "glm4",
    "smollm3": "smollm3",
    "gemma3_text": "gemma3",
    "deepseek_v3": "deepseek_v3",
    "gpt_neox": "gpt_neox",
    "qwen2_vl_text": "qwen2_vl",
    "qwen2_vl_vision": "qwen2_vl",
    "pixtral": "pixtral",
    "step3p5_vision": "step3p7",
    "muse_glimmer_vision": "muse_glimmer",
    "minimax_m3_vl_vision": "minimax_m3_vl",
}


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_layer_of_a_small_model_scores_as_its_module_does(kind, unchecked):
    (asked,) = (each for each in scores.types(f"={FAMILIES[kind]}") if each[0] == kind)
    verdict, reason = scores.verdict(*asked[1:])
    assert verdict == "agree", reason


def test_every_recorded_model_scores_as_its_module_does_or_is_refused():
    verdicts = [verdict for verdict, _ in RECORDED.values()]
    assert verdicts.count("agree") > 150 and set(verdicts) == {"agree", "refused"}


def test_every_layout_of_the_table_was_compared_with_its_model():
    named = {kind for kind, row in rope_reading.TYPES.items() if "layout" in row}
    assert named <= {kind for kind, (verdict, _) in RECORDED.items() if verdict == "agree"}


@pytest.mark.slow
@pytest.mark.parametrize("letter", string.ascii_lowercase)
def test_every_type_of_model_scores_as_it_is_recorded(letter, unchecked):
    now = {kind: scores.verdict(modeling, of)[0] for kind, modeling, of in scores.types(f"^{letter}")}
    recorded = {kind: RECORDED[kind][0] for kind in now if kind in RECORDED}
    assert {kind: now[kind] for kind in recorded} == recorded
