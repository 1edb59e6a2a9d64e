"""The playground's JavaScript as text: its types, and the kernel that was compiled from its source."""

import re
import shutil
import subprocess

import pytest
from conftest import require
from tools import playground

TYPESCRIPT = "typescript@5.9.3"
ADVICE = "{} is missing: install Node.js (npm) and connect to the network"


@pytest.fixture(scope="module")
def tsc(tmp_path_factory):
    """Fetch TypeScript into a folder that is thrown away; return its compiler."""
    npm = shutil.which("npm")
    folder = tmp_path_factory.mktemp("npm")
    if npm:
        command = [npm, "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
        subprocess.run([*command, TYPESCRIPT], check=False, capture_output=True)
    found = folder / "node_modules/typescript/bin/tsc"
    require(found.exists(), ADVICE.format(TYPESCRIPT))
    return found


def test_the_types_of_all_modules_agree(tsc):
    result = subprocess.run(["node", tsc, "-p", playground.STATIC], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_committed_kernel_is_what_its_source_compiles_to(tmp_path):
    try:
        made = playground.kernel(tmp_path)
    except (FileNotFoundError, subprocess.CalledProcessError):
        require(False, ADVICE.format(playground.ASSEMBLYSCRIPT))
    code = re.compile(r'"([\w+/=]+)"')
    assert code.findall(made) == code.findall((playground.STATIC / "kernel.js").read_text("utf-8"))
