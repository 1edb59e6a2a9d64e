"""The tests in other arithmetic: each variant has its own compiled code, and a red one is told."""

import subprocess
import sys
import time

import psutil
import pytest
from tools import anywhere, dependencies, processes


@pytest.fixture
def runs(monkeypatch):
    """Record what would be run; the environment's capability decides whether it is green."""
    seen = []
    for name in {name for variables in anywhere.VARIANTS.values() for name in variables}:
        monkeypatch.delenv(name, raising=False)

    def call(command, env):
        seen.append((command, env))
        return int(env.get("ATEN_CPU_CAPABILITY") == "avx2")

    monkeypatch.setattr(subprocess, "call", call)
    return seen


def test_every_variant_runs_the_fast_tests_with_a_cache_of_its_own(runs, monkeypatch):
    monkeypatch.setattr(anywhere, "NEIGHBOURS", {})
    anywhere.main([])
    caches = [env["TORCHINDUCTOR_CACHE_DIR"] for _, env in runs]
    assert len(runs) == len(set(caches)) == len(anywhere.VARIANTS)
    assert all(command[-2:] == anywhere.FAST for command, _ in runs)


def test_a_red_variant_makes_the_whole_red_and_is_counted(runs, capsys):
    assert anywhere.main(["avx2", "mkl", "--times", "3", "--", "-k", "x"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1)[1].split() for line in said[-2:]] == [
        ["avx2", "green", "0", "of", "3", "times"],
        ["mkl", "green", "3", "of", "3", "times"],
    ]
    assert all(command[-2:] == ["-k", "x"] for command, _ in runs)


def test_an_unknown_variant_is_named_with_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        anywhere.main(["avx3"])
    assert "avx2" in capsys.readouterr().err


def test_a_busy_neighbour_ends_with_the_run_that_was_killed():
    start = f"import subprocess, sys\nbusy = [sys.executable, '-c', {anywhere.BUSY!r}]\n"
    start += "print(subprocess.Popen(busy, stdout=subprocess.DEVNULL).pid, flush=True)\nsys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with processes.running([sys.executable, "-c", start], **pipes) as run:
        neighbour = psutil.Process(int(run.stdout.readline()))
        time.sleep(1)
        assert neighbour.is_running() and neighbour.status() != psutil.STATUS_ZOMBIE
        run.kill()
        _, left = psutil.wait_procs([neighbour], timeout=60)
    assert not left


def test_pins_leave_out_where_a_build_came_from_and_what_graphics_cards_need():
    compiled = "a-b==2\ntorch==2.13.0+cpu\na==1.0 ; sys_platform == 'win32'\nnvidia-x==1\ntriton==3\n    # via a\n"
    assert dependencies.pins(compiled) == ["a==1.0", "a-b==2", "torch==2.13.0"]
