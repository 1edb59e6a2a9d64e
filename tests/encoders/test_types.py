"""What pe_helpers says of its types is consistent: whoever calls it gets the help of an editor."""

import importlib.util
import subprocess
import sys
from pathlib import Path

from conftest import require

HOME = Path(__file__).resolve().parents[2]


def test_the_types_of_the_helpers_are_consistent(tmp_path):
    require(importlib.util.find_spec("mypy"), "install the extra `test`")
    command = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "src/pe_helpers"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
