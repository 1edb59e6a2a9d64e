"""The two trained models that readers steer: the page answers as torch does, and as was recorded."""

import base64
import json
import shutil

import numpy as np
import pytest
import torch
from conftest import require
from tools import playground, steered_models

from clockwork.kit.playground.kept import in_torch
from clockwork.kit.turned import turned

KINDS = ("who is hurt", "knob")
BIGGEST = 60_000  # bytes of one model in a page


@pytest.fixture(scope="module")
def kept():
    require(shutil.which("node"), "node is missing: install Node.js")
    return json.loads(steered_models.DATA.read_text("utf-8"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_takes_little_of_a_page(kept, kind):
    assert len(json.dumps({key: kept[kind][key] for key in ("settings", "weights")})) < BIGGEST


@pytest.mark.parametrize("moved", [0.0, 0.7, 2.9, 6.3])
def test_a_word_between_two_positions_has_torch_s_logits(kept, moved):
    model = kept["who is hurt"]
    tokens = [model["words"].index(word) for word in steered_models.SENTENCE]
    positions = [moved, 1.0, 2.0, 3.0]
    (found,) = playground.in_node([{"request": "steer", "kept": model, "tokens": tokens, "positions": positions}])
    expected = in_torch(model)(torch.tensor(tokens), torch.tensor(positions)).detach().flatten()
    assert np.allclose(found["logits"], expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize("by", [-2.0, 0.0, 0.5, 17.0])
@pytest.mark.parametrize("kind", KINDS)  # one has four heads, the other one
def test_letters_that_ask_from_elsewhere_have_torch_s_logits(kept, kind, by):
    model = kept[kind]
    tokens = torch.randint(model["settings"]["vocab"], (24,), generator=torch.Generator().manual_seed(3))
    asked = [place - by for place in range(24)]
    (found,) = playground.in_node([{"request": "steer", "kept": model, "tokens": tokens.tolist(), "asked": asked}])
    expected = turned(in_torch(model), by)(tokens).detach().flatten()
    assert np.allclose(found["logits"], expected, rtol=0, atol=1e-3 * float(expected.abs().max()))


def test_a_model_of_the_engine_is_kept_to_the_nearest_of_sixteen_bits(kept):
    settings = {"code": "learned", "scale": 1e-6, "d": 16, "heads": 2, "layers": 1}  # some numbers are subnormal
    (found,) = playground.in_node([{"request": "keep", "settings": settings}])
    for name, numbers in found["numbers"].items():
        bits = np.frombuffer(base64.b64decode(found["weights"][name]), "<f2")
        nearest = np.array(numbers).astype("<f2")
        assert np.array_equal(np.abs(bits - np.array(numbers)), np.abs(nearest - np.array(numbers))), name


def test_a_model_with_a_number_too_few_is_refused(kept):
    model = json.loads(json.dumps(kept["knob"]))
    model["weights"]["head.bias"] = model["weights"]["head.bias"][:-4]
    with pytest.raises(RuntimeError, match="node must answer"):
        list(playground.in_node([{"request": "steer", "kept": model, "tokens": [1, 2, 3]}]))


def test_moving_tom_past_the_dog_flips_the_recorded_answer_once_in_every_seed(kept):
    model = kept["who is hurt"]
    assert len(model["flips"]) == 8
    assert all(flip["answers"] == ["dog", "tom"] and 2 < flip["at"][0] < 4 for flip in model["flips"])
    ours = in_torch(model)
    tokens = torch.tensor([[model["words"].index(word) for word in steered_models.SENTENCE]])
    at = model["flips"][0]["at"][0]
    answers = [steered_models.answer(ours, tokens, [at + by, 1.0, 2.0, 3.0]) for by in (-0.3, 0.3)]
    assert [model["words"][answer] for answer in answers] == ["dog", "tom"]
    assert min(map(min, model["accuracy"])) > 0.99 and max(map(max, model["without a code"])) < 0.6


def test_the_turned_model_answers_every_recorded_distance(kept):
    model = kept["knob"]
    assert max(model["asked"]) == 20 and len(model["right"]) == 8
    assert min(map(min, model["right"])) > 0.95
    ours = in_torch(model)
    assert min(steered_models.asked(ours, k) for k in (1, 5, 20)) > 0.95
