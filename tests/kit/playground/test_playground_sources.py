"""The playground's hot loop: the kernel that was compiled from its source."""

import re
import subprocess

from conftest import require
from tools import playground


def test_the_committed_kernel_is_what_its_source_compiles_to(tmp_path):
    try:
        made = playground.kernel(tmp_path)
    except (FileNotFoundError, subprocess.CalledProcessError):
        require(False, f"{playground.ASSEMBLYSCRIPT} is missing: install Node.js (npm) and connect to the network")
    code = re.compile(r'"([\w+/=]+)"')
    assert code.findall(made) == code.findall((playground.STATIC / "kernel.js").read_text("utf-8"))
