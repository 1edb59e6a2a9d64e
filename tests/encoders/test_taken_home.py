"""The wheel and torch, with nothing else beside them: types hold, and every recipe of the engineers' page runs."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import require

HOME = Path(__file__).resolve().parents[2]
RECIPES = re.findall(r"```python\n(.*?)```", (HOME / "site" / "engineers.md").read_text("utf-8"), re.DOTALL)
GIVEN = """
import math, sys, warnings
import torch
from pe_helpers import alibi, learned, positions, relative, rope_scaling, rotary, rotary_axes, sinusoidal
torch.manual_seed(0)
head_dim, num_heads, d_model, rope_dim, side, trained, cut = 8, 4, 32, 4, 3, 2, 2
position_ids = query_ids = key_ids = torch.arange(6)
x = torch.randn(2, 6, d_model)
q, k, v, keys = torch.randn(4, 2, num_heads, 6, head_dim)
k_plain, k_part = torch.randn(2, num_heads, 6, head_dim - rope_dim), torch.randn(2, 6, rope_dim)
scores = torch.zeros(2, num_heads, 6, 6)
image_q = torch.randn(1, num_heads, 1 + side**2, head_dim)
mrope_section, axes_first = [2, 1, 1], torch.randint(0, 9, (3, 1, 6))
attention_mask, lengths, causal = torch.ones(2, 6, dtype=torch.int64), [4, 2], torch.ones(6, 6, dtype=torch.bool).tril()
t, hours, points = torch.rand(5), torch.rand(5), torch.rand(5, 2)
config = {"model_type": "llama", "head_dim": head_dim, "rope_theta": 1e4, "max_position_embeddings": 64}
table, relative_bias = learned.LearnedTable(1 + 14**2, d_model, std=0.02), relative.RelativeBias(num_heads)
"""
RUN = """
import json, sys
given, *recipes = json.loads(sys.stdin.read())
for recipe in recipes:
    names = {}
    exec(given, names)
    try:
        exec(recipe, names)
    except Exception as error:
        raise RuntimeError(recipe) from error
print(len(recipes), sorted({"jaxtyping", "numpy", "transformers"} & sys.modules.keys()))
"""
RIGHT = """
import torch
from pe_helpers import alibi, learned, positions, relative, rope_scaling, rotary, rotary_axes, sinusoidal

rope = rotary.RotaryEmbedding(8, 16, layout="half")
reveal_type(sinusoidal.table(3, 8))
reveal_type(rotary.rotate(torch.ones(3, 8), range(3)))
reveal_type(rotary.cos_sin([0, 1], 8))
reveal_type(rope(torch.ones(3, 8), torch.arange(3)))
reveal_type(rope.cos_sin([[0, 1]]))
reveal_type(rotary.xpos(3.0, 8))
reveal_type(alibi.bias(2, [0], [0, 1]))
reveal_type(relative.bucket(3))
reveal_type(relative.RelativeBias(2)([0], [0]))
reveal_type(learned.LearnedTable(3, 2, std=0.0)([0]))
reveal_type(learned.resize(torch.ones(4, 2), (2, 2), [3, 3]))
reveal_type(positions.from_mask([[True, False]]))
reveal_type(positions.from_lengths([3]).document_ids)
reveal_type(rotary_axes.grid(2, 3))
reveal_type(rope_scaling.yarn(8, factor=2.0, original_max_position_embeddings=64))
"""
WRONG = """
import torch
from pe_helpers import rotary, sinusoidal

sinusoidal.table("abc", 8)
sinusoidal.table(3, 8, layout="halve")
sinusoidal.inv_freq(8, convention="papers")
rotary.rotate(torch.ones(3, 8), range(3), layout="halve")
rotary.RotaryEmbedding(8, 16, layout="neox")
rotary.RotaryEmbedding(8, 16)(torch.ones(3, 8), "abc")
rotary.cos_sin(["a"], 8)
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Install the wheel and torch into an environment that holds nothing else; return its interpreter."""
    sys.path.insert(0, str(HOME / "tests" / "tools"))
    from test_wheel import installed

    return installed(tmp_path_factory.mktemp("alone"), "src/pe_helpers", "clockwork-pe-helpers")


@pytest.mark.slow
def test_every_recipe_of_the_engineers_page_runs_as_printed(alone):
    given = json.dumps([GIVEN, *RECIPES])
    done = subprocess.run([alone, "-I", "-c", RUN], input=given, cwd=alone.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(RECIPES) > 10 and done.stdout.split("\n")[-2] == f"{len(RECIPES)} []"


def mypy(python, folder, source):
    """Return what mypy says in its strictest mode of a program, or of the package itself."""
    require(importlib.util.find_spec("mypy"), "install the extra `test`")
    what = ["-p", "pe_helpers"]
    if source:
        (folder / "program.py").write_text(source)
        what = ["program.py"]
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "--cache-dir", folder / "kept"]
    done = subprocess.run([*command, *what], cwd=folder, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_package_holds_in_the_strictest_mode_with_torch_alone(alone, tmp_path):
    assert mypy(alone, tmp_path, None)[-1].startswith("Success"), mypy(alone, tmp_path, None)


@pytest.mark.slow
def test_with_torch_alone_what_is_returned_is_a_tensor(alone, tmp_path):
    said = mypy(alone, tmp_path, RIGHT)
    assert said[-1].startswith("Success"), said
    kinds = [line.split("note: Revealed type is ")[1] for line in said[:-1]]
    assert len(kinds) == RIGHT.count("reveal_type") and not any("Any" in kind or "Tensor" not in kind for kind in kinds)


@pytest.mark.slow
def test_a_wrong_choice_and_words_for_positions_are_refused_before_anything_runs(alone, tmp_path):
    lines = WRONG.splitlines()
    refused = {int(line.split(":")[1]) for line in mypy(alone, tmp_path, WRONG) if ": error: " in line}
    assert refused == {i for i, line in enumerate(lines, 1) if line.startswith(("sinusoidal.", "rotary."))}
