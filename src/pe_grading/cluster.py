"""Grade on many machines: `--backend dask://scheduler:8786` shares submissions among the workers of a Dask cluster.

Each shard is graded by a process of its own on a worker, as on one machine: `python -m pe_grading.cluster` reads the
order and the notebooks from a folder and writes the results there. Students' work and results travel; what runs is the
worker's own copy of the grader, which must be the same version.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pe_grading.batch import grade_all
from pe_grading.collect import Submission
from pe_grading.notebook import Assignment, grader_version, read_bytes
from pe_grading.run import not_graded
from pe_grading.sandbox import Limits, NoSandbox, Sandbox, check

SCHEME = "dask://"
SHARD = 25  # submissions that one worker takes at a time
ATTEMPTS = 3  # at one shard, where a worker fails
ORDER = "order.pickle"
RESULTS = "results.jsonl"


def grade_on(
    backend: str,
    submissions: list[Submission],
    assignments: dict[str, Assignment],
    limits: Limits,
    unsafe: bool = False,
) -> Iterator[tuple[Submission, dict]]:
    """Yield each submission with its result, shard by shard as they are done.

    Where a worker is lost, Dask gives its shard to another; where that fails as well, or a worker has no sandbox or
    another version of the grader, the results say that the shard is not graded, and why.

    Raises:
        ConnectionError: There is no such cluster.
    """
    from distributed import Client, as_completed

    try:
        client = Client(backend.replace(SCHEME, "tcp://", 1), timeout=10)
    except OSError as error:
        raise ConnectionError(f"--backend must be the address of a Dask scheduler, got {backend} ({error})") from None
    shards = [submissions[start : start + SHARD] for start in range(0, len(submissions), SHARD)]
    with client:
        options = {"retries": ATTEMPTS - 1, "pure": False}
        futures = {client.submit(grade_shard, order_for(s, assignments, limits, unsafe), **options): s for s in shards}
        for future in as_completed(futures):
            shard = futures[future]
            try:
                results = future.result()
            except Exception as error:
                results = [not_graded(assignments[s.assignment], f"{type(error).__name__}: {error}") for s in shard]
            yield from zip(shard, results, strict=True)
            future.release()


def order_for(shard: list[Submission], assignments: dict[str, Assignment], limits: Limits, unsafe: bool) -> bytes:
    """Return all that is needed to grade a shard, as bytes that only the grader's own processes read."""
    files = []
    for submission in shard:
        try:
            files.append((submission.assignment, read_bytes(submission.path), submission.problem))
        except ValueError as error:
            files.append((submission.assignment, b"", submission.problem or str(error)))
    return pickle.dumps((grader_version(), files, assignments, limits, unsafe))


def grade_shard(order: bytes) -> list[dict]:
    """Grade a shard on a worker, in a process of its own, since Dask's threads can neither fork nor be interrupted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ORDER).write_bytes(order)
        source = Path(__file__).parents[1]
        paths = filter(None, [str(source), os.getenv("PYTHONPATH")])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        command = [sys.executable, "-m", "pe_grading.cluster", name]
        process = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
        if process.returncode:
            said = process.stderr.strip().splitlines()
            raise RuntimeError(said[-1] if said else f"the grading process ended with {process.returncode}")
        return [json.loads(line) for line in (folder / RESULTS).read_text(encoding="utf-8").splitlines()]


def main(folder: Path) -> int:
    """Grade the shard in a folder."""
    version, files, assignments, limits, unsafe = pickle.loads((folder / ORDER).read_bytes())
    try:
        if version != grader_version():
            raise NoSandbox("this worker has another version of the grader, numpy or torch than the teacher's machine")
        if not unsafe:
            with contextlib.closing(Sandbox(["numpy"], limits)) as sandbox:
                check(sandbox)
    except NoSandbox as error:
        print(error, file=sys.stderr)
        return 3
    submissions = []
    for number, (name, data, problem) in enumerate(files):
        path = folder / str(number) / f"{name}.ipynb"
        path.parent.mkdir()
        path.write_bytes(data)
        submissions.append(Submission(str(number), name, path, problem))
    done = {s.student: result for s, result in grade_all(submissions, assignments, limits, 1, unsafe)}
    lines = [json.dumps(done[str(number)]) for number in range(len(files))]
    (folder / RESULTS).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
