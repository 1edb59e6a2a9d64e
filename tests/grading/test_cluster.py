"""Grading on many machines: two Dask workers give the marks that one machine gives, or say what they could not do."""

import json
import os
import signal
import threading

import pytest
from conftest import require
from tests.grading import classroom
from tests.grading.classroom import PROBE, answer, grades, hand_in, pe_grade, review

from pe_grading import __main__ as cli
from pe_grading import batch, cluster, sandbox
from pe_grading.notebook import parse_submission


@pytest.fixture(scope="module")
def scheduler():
    """The address of a Dask scheduler with two workers, processes of their own."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield local.scheduler_address.replace("tcp://", cluster.SCHEME)


def test_two_workers_give_the_same_marks_as_one_machine(scheduler, tmp_path, monkeypatch):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    monkeypatch.setattr(cluster, "SHARD", 2)
    hand_in(tmp_path / "in", "ann")
    hand_in(tmp_path / "in", "bob", answer("def slopes(n):\n    return [1.0] * n\n"))
    (tmp_path / "in" / "eve" / "probe").mkdir(parents=True)
    (tmp_path / "in" / "eve" / "probe" / "probe.ipynb").write_text("no notebook")
    assert pe_grade(tmp_path / "in", tmp_path / "here") == cli.NOT_GRADED
    assert pe_grade(tmp_path / "in", tmp_path / "there", "--backend", scheduler) == cli.NOT_GRADED
    tables = [(tmp_path / where / "results.csv").read_text() for where in ("here", "there")]
    assert tables[0] == tables[1] and grades(tmp_path / "there") == {"ann": "6", "bob": "4", "eve": ""}


def test_a_worker_that_is_killed_while_it_grades_costs_nobody_a_mark(scheduler, tmp_path, monkeypatch):
    from distributed import Client

    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    monkeypatch.setattr(cluster, "SHARD", 2)
    wrong = answer("def slopes(n):\n    return [1.0] * n\n")
    for number in range(8):
        hand_in(tmp_path / "in", f"s{number}", wrong if number % 3 == 0 else None)
    killed = []
    real = cluster.order_for

    def kill_a_worker_that_is_at_work():
        with Client(scheduler.replace(cluster.SCHEME, "tcp://")) as client:
            while not killed:
                at_work = [address for address, tasks in client.processing().items() if tasks]
                if at_work:
                    (pid,) = client.run(os.getpid, workers=at_work[:1]).values()
                    killed.append(pid)
                    os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill_a_worker_that_is_at_work)

    def order(*what):
        if not thread.ident:
            thread.start()
        return real(*what)

    monkeypatch.setattr(cluster, "order_for", order)
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--backend", scheduler) == 0
    thread.join()
    assert len(killed) == 1
    assert grades(tmp_path / "out") == {f"s{number}": "4" if number % 3 == 0 else "6" for number in range(8)}


def test_a_worker_with_another_grader_gives_no_marks(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "grader_version", lambda: "another")
    hand_in(tmp_path / "in", "ann")
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--backend", scheduler) == 4
    assert grades(tmp_path / "out") == {"ann": ""}
    assert any("another version of the grader" in what for _, _, what in review(tmp_path / "out"))


def test_an_address_where_nobody_is_is_refused(tmp_path, capsys, monkeypatch):
    hand_in(tmp_path / "in", "ann")
    with pytest.raises(SystemExit):
        pe_grade(tmp_path / "in", tmp_path / "out", "--backend", "http://127.0.0.1")
    assert "must begin with dask://" in capsys.readouterr().err
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--backend", "dask://127.0.0.1:9") == 2
    assert "address of a Dask scheduler" in capsys.readouterr().err


@pytest.mark.parametrize(
    "source",
    ["import math, torch", "import importlib\ntorch = importlib.import_module('torch')", "x = __import__('torch.nn')"],
)
def test_a_slow_library_is_known_by_what_is_imported(source):
    cells = [cell for cell in parse_submission(PROBE.read_bytes()) if cell.role == "given"]
    assert batch.libraries_of(cells) == set()
    book = classroom.notebook()
    book["cells"] += [classroom.code(source), classroom.code("%matplotlib inline\nx = 'torch' # import jax\n")]
    assert batch.libraries_of(parse_submission(json.dumps(book).encode())) == {"torch"}


def test_a_notebook_that_only_speaks_of_a_library_does_not_load_it():
    cell = classroom.text("import torch is slow")
    assert batch.libraries_of(parse_submission(json.dumps({"cells": [cell]}).encode())) == set()
