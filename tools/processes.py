"""Programs started here end here: with every process that they started, however the block around them ends."""

import contextlib
import os
import subprocess
import uuid
from collections.abc import Iterator

import psutil

MARK = "CLOCKWORK_STARTED_BY"  # an environment variable that descendants inherit, also those that leave the group
PATIENCE = 10  # seconds in which a program may end by itself


@contextlib.contextmanager
def running(command: list[str], env: dict[str, str] | None = None, **options) -> Iterator[subprocess.Popen]:
    """Run a program for as long as the block lasts."""
    mark = uuid.uuid4().hex
    env = dict(os.environ if env is None else env)
    env[MARK] = f"{env.get(MARK, '')} {mark}".strip()
    process = subprocess.Popen(command, env=env, **options)
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        end(marked(mark))
        process.wait()


def marked(mark: str) -> list[psutil.Process]:
    """List the processes that were started under a mark and have not ended."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if mark in process.environ().get(MARK, "").split() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def end(processes: list[psutil.Process]) -> None:
    """End processes at once."""
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(processes, timeout=PATIENCE)
