"""Models of transformers, small and with random weights, score as the modules made from their configurations do."""

import json
import string

import pytest
from benchmarks import scores

RECORDED = json.loads(scores.RESULT.read_text("utf-8"))["types"]
FAMILIES = {  # a package for each way in which programs rotate, and the type of model in it
    "llama": "llama",
    "cohere2": "cohere2",
    "gptj": "gptj",
    "glm4": "glm4",
    "smollm3": "smollm3",
    "gemma3": "gemma3_text",
    "deepseek_v3": "deepseek_v3",
    "qwen2_vl": "qwen2_vl_text",
    "gpt_neox": "gpt_neox",
}


def found(only):
    return {name: scores.verdict(modeling, kind) for name, modeling, kind in scores.types(only)}


@pytest.mark.parametrize("package", FAMILIES)
def test_every_layer_of_a_small_model_scores_as_its_module_does(package, unchecked):
    verdict, reason = found(f"={package}")[FAMILIES[package]]
    assert verdict == "agree", reason


def test_no_recorded_model_scores_otherwise_than_its_module():
    verdicts = [verdict for verdict, _ in RECORDED.values()]
    assert verdicts.count("agree") > 100 and "wrong" not in verdicts


@pytest.mark.slow
@pytest.mark.parametrize("letter", string.ascii_lowercase)
def test_every_type_of_model_scores_as_it_is_recorded(letter, unchecked):
    now = {name: verdict for name, (verdict, _) in found(f"^{letter}").items()}
    recorded = {name: RECORDED[name][0] for name in now if name in RECORDED}
    assert {name: now[name] for name in recorded} == recorded
