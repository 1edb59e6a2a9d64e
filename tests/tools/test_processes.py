"""What a test starts ends with it: children and grandchildren, deaf and detached ones, also after a failure."""

import subprocess
import sys
import time

import pytest
from tools import processes

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
FAMILY = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {DEAF!r}], start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
print("up", flush=True)
child.wait()
"""


def alive(marks):
    return [process for mark in marks for process in processes.marked(mark)]


def test_a_detached_child_that_ignores_its_end_ends_with_a_failing_block():
    with pytest.raises(ZeroDivisionError):  # noqa: SIM117
        with processes.running([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE) as parent:
            parent.stdout.readline()
            (mark,) = processes.psutil.Process(parent.pid).environ()[processes.MARK].split()[-1:]
            assert len(processes.marked(mark)) == 2, "both are found while they run"
            1 / 0
    assert alive([mark]) == []


def test_a_program_that_ends_by_itself_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(processes, "PATIENCE", 600)
    start = time.monotonic()
    with processes.running([sys.executable, "-c", "pass"]) as process:
        process.wait()
    assert time.monotonic() - start < 300
