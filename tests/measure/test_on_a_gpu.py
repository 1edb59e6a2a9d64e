"""On a graphics card, in bfloat16, a model measures as on the processor."""

import pytest
import torch
from test_measuring import measured, saved, shorten

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a graphics card")


def test_rises_on_the_card_are_those_of_the_processor(tmp_path, monkeypatch):
    shorten(monkeypatch)
    (tmp_path / "words.txt").write_text("the hand turns as the text goes on and on " * 30)
    folder = saved(tmp_path / "model")
    there, here = (
        measured(folder, tmp_path / "words.txt", tmp_path / device, device=device)[0] for device in ("cuda", "cpu")
    )
    assert there["model"]["dtype"] == "bfloat16" and not there["missing"]
    for one, other in zip(there["parts"]["stopped"]["bands"], here["parts"]["stopped"]["bands"], strict=True):
        assert one["rise"][-1]["mean"] == pytest.approx(other["rise"][-1]["mean"], abs=0.05)
