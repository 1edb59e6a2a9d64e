"""The files that the engineers' page says to copy are enough, in a package of another name."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
COPIES = [line.split()[1:-1] for line in (HOME / "site" / "engineers.md").read_text().splitlines() if line[:3] == "cp "]
ENCODERS = {"sinusoidal", "rotary", "rotary_axes", "rope_scaling", "alibi", "relative", "learned", "positions"}
RUN_EXAMPLES = """
import doctest, importlib, sys
sys.modules["pe_helpers"] = sys.modules["jaxtyping"] = None  # whoever imports these fails
for name in sys.argv[1:]:
    module = importlib.import_module(f"{name}.{name}")
    found = doctest.testmod(module)
    assert found.attempted and not found.failed, (name, found)
"""


@pytest.mark.parametrize("file", sorted(HOME.glob("src/pe_helpers/*.py")), ids=lambda file: file.stem)
def test_every_file_to_take_home_names_its_licence(file):
    assert file.read_text("utf-8").startswith("# SPDX-License-Identifier: MIT\n")


def test_every_encoder_is_among_those_to_copy():
    assert {Path(files[0]).stem for files in COPIES} == ENCODERS


def test_the_copied_files_run_their_examples_alone(tmp_path):
    """Each encoder in a package of its own, with the files that are copied with it and no other."""
    for files in COPIES:
        package = tmp_path / Path(files[0]).stem
        package.mkdir()
        (package / "__init__.py").touch()
        for file in files:
            for each in HOME.glob(file):
                shutil.copy(each, package)
    command = [sys.executable, "-c", RUN_EXAMPLES, *(Path(files[0]).stem for files in COPIES)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
