"""No submission does harm: the corpus of assignments/hostile, every case beside an honest neighbour, in one batch."""

import http.server
import importlib.util
import json
import threading
import time
from pathlib import Path

import psutil
import pytest
from classroom import descendants, runs_students_code
from conftest import require

from pe_grading import sandbox
from pe_grading.batch import grade_all
from pe_grading.collect import Submission, find_submissions
from pe_grading.notebook import load_assignment
from pe_grading.sandbox import Limits

HOSTILE = Path(__file__).parents[2] / "assignments" / "hostile"
PROBE = HOSTILE / "probe" / "probe.ipynb"
LIMITS = Limits(call_seconds=5, cell_seconds=5, student_seconds=20, memory_mb=512)
specification = importlib.util.spec_from_file_location("cases", HOSTILE / "cases.py")
cases = importlib.util.module_from_spec(specification)
specification.loader.exec_module(cases)
MARKS = {name: mark for name, mark, _ in cases.CASES}


def filled(value, names):
    """Put the real targets into the sources of a notebook."""
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    return {key: filled(item, names) for key, item in value.items()} if isinstance(value, dict) else value


def hand_in(folder, student, edit, names):
    """Write one student's submission; a case's edit makes it what it is."""
    path = folder / student / "probe" / "probe.ipynb"
    path.parent.mkdir(parents=True)
    notebook = json.loads(PROBE.read_text())
    made = edit(notebook) if edit else None
    if isinstance(made, bytes):
        path.write_bytes(made)
    elif callable(made):
        made(path, lambda text: filled(text, names))
    else:
        path.write_text(json.dumps(filled(notebook, names)))


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """Grade the whole corpus once; return points by student, the results, what the network saw, and the folders."""
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    folder, out = tmp_path_factory.mktemp("submitted"), tmp_path_factory.mktemp("out")
    requests = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    names = {"SUBMISSIONS": str(folder), "SOLUTION": str(PROBE), "OUT": str(out), "PORT": str(server.server_port)}
    hand_in(folder, "honest", None, names)
    for name, _, edit in cases.CASES:
        hand_in(folder, name, edit, names)
        hand_in(folder, f"{name}~neighbour", None, names)
    before = {path: path.read_bytes() for path in folder.glob("*~neighbour/*/*.ipynb")}
    probe = load_assignment(PROBE)
    results = {}
    for submission, result in grade_all(find_submissions(folder, ["probe"]), {"probe": probe}, LIMITS, jobs=2):
        results[submission.student] = result
    server.shutdown()
    time.sleep(0.5)
    return {"results": results, "requests": requests, "out": out, "before": before, "probe": probe}


def points(result):
    return sum(test["points"] for test in result["tests"])


def test_the_corpus_holds_at_least_forty_cases_and_six_attacks_on_the_pipe():
    assert len(MARKS) >= 40
    assert sum(name.startswith("pipe_") for name in MARKS) >= 6


@pytest.mark.parametrize("name", MARKS)
def test_each_case_gets_the_mark_it_deserves(batch, name):
    result = batch["results"][name]
    assert points(result) == MARKS[name], json.dumps(result, indent=1)


def test_the_batch_ends_and_no_honest_neighbour_loses_a_point(batch):
    honest = {name: points(r) for name, r in batch["results"].items() if "~neighbour" in name or name == "honest"}
    assert len(honest) == len(MARKS) + 1
    assert set(honest.values()) == {cases.FULL}


def test_no_submission_reaches_network_neighbours_or_results(batch):
    assert batch["requests"] == []
    assert all(path.read_bytes() == data for path, data in batch["before"].items())
    assert list(batch["out"].iterdir()) == []


def test_nothing_that_a_submission_started_is_left(batch):
    orphans = [process for process in psutil.process_iter(["ppid"]) if process.info["ppid"] == 1]
    assert not [process for process in [*descendants(), *orphans] if runs_students_code(process)]


def test_a_hidden_test_tells_its_hint_and_nothing_else(batch):
    result = next(t for t in batch["results"]["right_for_small_scores"]["tests"] if t["hidden"])
    assert result["hint"] == "large scores overflow: subtract the largest first"
    assert result["said"] == ""


def test_an_error_inside_a_hidden_test_shows_no_input(batch):
    tests = {t["grade_id"]: t for t in batch["results"]["unfinished_stub"]["tests"]}
    assert tests["test_softmax"]["said"].endswith("NotImplementedError: later")
    assert tests["test_softmax_hidden"]["said"] == "softmax(…) raised an error"
    assert tests["test_softmax_hidden"]["hint"] == "", "the hint is for large scores; no score was even looked at"


def test_a_grading_process_that_dies_costs_only_its_own_submission(tmp_path, monkeypatch):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    for student in ("ann", "bob", "eve"):
        hand_in(tmp_path, student, None, {})
    from pe_grading import batch as module

    real = module.parse_submission

    def dies(data):
        if b"die here" in data:
            import os

            os._exit(1)
        return real(data)

    monkeypatch.setattr(module, "parse_submission", dies)
    path = tmp_path / "bob" / "probe" / "probe.ipynb"
    path.write_text(path.read_text().replace("Two small", "die here"))
    work = find_submissions(tmp_path, ["probe"])
    assert work[0] == Submission("ann", "probe", tmp_path / "ann" / "probe" / "probe.ipynb", called="ann")
    results = {s.student: r for s, r in grade_all(work, {"probe": load_assignment(PROBE)}, LIMITS, jobs=1)}
    assert {student: r["state"] for student, r in results.items()} == {
        "ann": "graded",
        "bob": "not graded",
        "eve": "graded",
    }
    assert points(results["ann"]) == points(results["eve"]) == 6
    assert results["bob"]["tests"] == [] and "ended" in results["bob"]["problem"]
