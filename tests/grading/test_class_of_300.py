"""A class of 300 with every accident in it at once: nobody is wronged, and of each accident somebody is told."""

import csv
import json
import multiprocessing
import os
import re
import signal

import psutil
import pytest
from classroom import answer, cell, code, grades, hand_in, notebook, page, pe_grade, review, table, text
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import report, sandbox

pytestmark = pytest.mark.slow
STUDENTS = 300
ESSAY = "The exponential turns sums into products, so a constant cancels."
OVERFLOWS = "def softmax(scores):\n    weights = np.exp(scores)\n    return weights / weights.sum(-1, keepdims=True)"
REMEMBERS = "SEEN = []\ndef softmax(scores):\n    SEEN.append(scores.tolist())\n    raise ValueError(repr(SEEN))"
HUNG = "def slopes(n):\n    while True:\n        pass"
SPIN = "import threading\ndef spin():\n    while True:\n        pass\n"
HOG = SPIN + "for _ in range(12):\n    threading.Thread(target=spin).start()"
SLOW = "import time\nresult = [time.sleep(5) for _ in range(10)]"


def essay(words):
    return lambda book: cell(book, "why").update(source=words)


def added(*cells, at=None):
    def edit(book):
        place = len(book["cells"]) if at is None else at
        book["cells"][place:place] = list(cells)

    return edit


def without_metadata(book):
    essay(ESSAY)(book)
    for one in book["cells"]:
        one["metadata"] = {}


def essay_elsewhere(written, at=None):
    """Return an edit that leaves the place of the answer as it was handed out and puts a cell elsewhere."""

    def edit(book):
        essay("YOUR ANSWER HERE")(book)
        added(written, at=at)(book)

    return edit


def twice(book):
    book["cells"] += book["cells"][1:]


HONEST = [  # what ordinary students hand in, and what it deserves
    (None, "6"),
    (answer("def slopes(n):\n    return [3.0**-i for i in range(1, n + 1)]"), "4"),
    (answer(OVERFLOWS, "softmax"), "4"),
    (answer("def slopes(n):\n    return 1"), "4"),
    (essay(ESSAY), "6"),
]
ACCIDENTS = {  # student: (what happened to the notebook, points, words in the review queue or "")
    "half an emoji in the essay": (essay(f"Products \ud83d. {ESSAY}"), "6", ""),
    "half an emoji in an error": (answer("def slopes(n):\n    raise ValueError('\ud800')"), "4", ""),
    "no metadata": (without_metadata, "6", ""),
    "essay too low": (essay_elsewhere(text(ESSAY)), "6", ""),
    "essay as code": (essay_elsewhere(code("# " + ESSAY)), "6", "not answered in its place"),
    "essay on top": (essay_elsewhere(text(ESSAY), at=0), "6", "not answered in its place"),
    "a question": (
        lambda b: [essay(ESSAY)(b), added(text("Please look at my cell 3, it is odd."), at=0)(b)],
        "6",
        "belongs to no",
    ),
    "another seed": (
        lambda b: cell(b, "setup").update(source="import numpy as np\n\nSEED = 77"),
        "6",
        "is --seed right?",
    ),
    "all cells twice": (twice, "6", ""),
    "syntax error": (answer("def slopes(n)\n    return 1"), "4", ""),
    "huge cell": (added(code("x = '" + "y" * (5 << 20) + "'"), at=2), "6", ""),
    "slow and honest": (added(*[code(SLOW)] * 4, at=1), "6", ""),
    "endless": (answer(HUNG), "4", ""),
    "exits": (answer("def slopes(n):\n    import os\n    os._exit(0)"), "4", ""),
    "memory": (answer("def slopes(n):\n    return bytearray(1 << 40)"), "4", ""),
    "hog": (added(code(HOG)), "6", ""),
    "remembers": (answer(REMEMBERS, "softmax"), "2", ""),
    "torch": (added(code("import math, torch"), at=1), "6", ""),
    "resubmits": (essay(ESSAY), "6", ""),
    "late": (None, "6", ""),
    "late with an extension": (None, "6", ""),
}


def raw(folder, data, student):
    path = folder / student / "probe" / "probe.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)


def accidents_of_files(folder):
    """Hand in what is wrong as a file; return the points by student, and what the review queue must say of whom."""
    right = json.dumps(notebook())
    for student, data in {
        "utf 16": right.encode("utf-16"),
        "windows": right.replace("Probe", "Pröbe").encode("cp1252"),
        "cut off": right[:900].encode(),
        "empty file": b"",
    }.items():
        raw(folder, data, student)
    os.makedirs(os.path.join(os.fsencode(folder), b"M\xfcller", b"probe"))
    with open(os.path.join(os.fsencode(folder), b"M\xfcller", b"probe", b"probe.ipynb"), "w") as stream:
        stream.write(right)
    hand_in(folder, "k" * 250)
    hand_in(folder, "José")
    hand_in(folder, "Jose\u0301", answer("def slopes(n):\n    return 1"))
    (folder / "tim\\probe\\probe.ipynb").write_text(right)
    hand_in(folder, "gina", name="homework final (2).ipynb")
    hand_in(folder, "__MACOSX", name="._probe.ipynb")
    hand_in(folder, "..dots")
    (folder / "empty folder").mkdir()
    (folder / "notes.txt").write_text("see you")
    honest = hand_in(folder, "hanna")
    (folder / "hank" / "probe").mkdir(parents=True)
    os.link(honest, folder / "hank" / "probe" / "probe.ipynb")
    hand_in(folder, "alice")
    os.symlink(folder / "alice", folder / "mallory")
    points = {"utf 16": "6", "windows": "6", "cut off": "", "empty file": "", "Müller": "6", "José": "4"}
    points |= {"José (2)": "6", "gina": "6", "hanna": "", "hank": "", "alice": "6", "mallory": ""}
    told = {
        "cut off": "no notebook",
        "empty file": "no notebook",
        "Müller": "had to be changed",
        "José": "second under",
    }
    told |= {
        "gina": "another name",
        "hanna": "hard link",
        "hank": "hard link",
        "mallory": "link",
        "notes.txt": "no notebook",
    }
    told |= {"empty folder": "no notebook of probe", "__MACOSX": "passed over"}
    return points, told


@pytest.fixture
def kill(monkeypatch):
    """Interrupt the first run; in the next, kill a sandbox and then a grading process while they are at work."""
    real, kept = report.keep, []

    def keep(out, submission, *rest):
        real(out, submission, *rest)
        kept.append(submission.student)
        if len(kept) == 40:
            signal.raise_signal(signal.SIGINT)
        if len(kept) in (100, 150):
            grading = multiprocessing.active_children()[0]
            outermost = psutil.Process(grading.pid).children()[0]
            (outermost if len(kept) == 100 else grading).kill()

    monkeypatch.setattr(report, "keep", keep)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield kept
    signal.signal(signal.SIGINT, before)


def test_a_class_of_300_with_every_accident_at_once_wrongs_nobody_and_tells_of_each(
    tmp_path, monkeypatch, kill, capsys
):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    monkeypatch.setattr(cli, "test_sandbox", lambda options: None)
    folder, out = tmp_path / "in", tmp_path / "out"
    deserved, told = {}, {}
    for student, (edit, points, words) in ACCIDENTS.items():
        path = hand_in(folder, student, edit)
        deserved[student] = points
        if words:
            told[student] = words
        if student.startswith("late"):
            (path.parent / "timestamp.txt").write_text("2027-03-02 12:00:00 UTC")
    of_files, told_of_files = accidents_of_files(folder)
    deserved, told = deserved | of_files, told | told_of_files
    for number in range(STUDENTS - len(deserved) - 1):  # and one with a name of 250 letters
        edit, points = HONEST[number % len(HONEST)]
        hand_in(folder, f"s{number:03}", edit)
        deserved[f"s{number:03}"] = points
    people = "id,name\n" + "".join(f"{student},\n" for student in deserved) + "absent,Ab Sent\n"
    (tmp_path / "roster.csv").write_text(people)
    fixed = ["--gradebook", "--jobs", "2", "--call-seconds", "3", "--student-seconds", "12"]
    fixed += ["--roster", tmp_path / "roster.csv"]

    assert pe_grade(folder, out, *fixed) == cli.INTERRUPTED
    done = grades(out)
    assert 38 <= len(done) < STUDENTS and all(
        deserved[student] == done[student] for student in done if student in deserved
    )

    assert pe_grade(folder, out, *fixed) == cli.NOT_GRADED
    found = grades(out)
    (long,) = set(found) - set(deserved)
    assert long.startswith("kkk") and len(found) == STUDENTS and found[long] == "6"
    wronged = {
        student: (found.get(student), points) for student, points in deserved.items() if found.get(student) != points
    }
    assert not wronged
    assert "295 graded, 5 not graded" in capsys.readouterr().out.splitlines()[-1], (
        "two share one file, three are unreadable"
    )
    queue = review(out)
    for student, words in {**told, long: "had to be changed", "Ab Sent": "handed in nothing"}.items():
        assert any(who == student and words in what for who, _, what in queue), (student, words)
    for name in ("tim\\probe\\probe.ipynb", "..dots"):
        assert any(name in what and "passed over" in what for _, _, what in queue), name
    assert not any(who.startswith("s") and who[1:].isdigit() for who, _, _ in queue), (
        "of ordinary work there is no word"
    )
    states = {row["student"]: row["probe state"] for row in table(out / "grades.csv")}
    written = ["no metadata", "essay too low", "essay as code", "essay on top", "half an emoji in the essay", "s004"]
    assert {states[student] for student in written} == {"pending"}
    for student in written:
        shown = (out / "nbgrader" / "autograded" / student / "probe" / "probe.ipynb").read_text(encoding="utf-8")
        assert "turns sums into products, so a constant cancels" in shown, "every written answer reaches the teacher"
    for student in found:
        assert page(out, student)
    assert not re.search(r"\b(99\d|100\d)\.\d\d", page(out, "remembers") + (out / "results.csv").read_text())
    assert "not valid Python" in page(out, "syntax error")

    rows = [["student", "assignment", "grade_id", "points", "comment"]]
    rows += [[student, "probe", "why", "1", "good"] for student in ("resubmits", "s004")]
    with (tmp_path / "marks.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    assert cli.main(["marks", str(tmp_path / "marks.csv"), "--out", str(out)]) == 0
    hand_in(folder, "resubmits", essay("I think again: it is the derivative."))
    capsys.readouterr()
    assert pe_grade(folder, out, *fixed) == cli.NOT_GRADED
    assert "1 to grade" in capsys.readouterr().out
    again = grades(out)
    assert again == {**found, "resubmits": "7", "s004": "7"}, "the old mark stands, and nobody else's changed"
    states = {row["student"]: row["probe state"] for row in table(out / "grades.csv")}
    assert states["resubmits"] == "mark again" and states["s004"] == "complete"
    assert any(who == "resubmits" and "changed after it was marked" in what for who, _, what in review(out))

    (tmp_path / "due.csv").write_text(
        "assignment,due,student\nprobe,2027-03-01 11:00,\nprobe,2027-03-05 11:00,late with an extension\n"
    )
    rows = [["student", "assignment", "grade_id", "points", "comment"]]
    rows += [[student, "probe", "why", "1", ""] for student in deserved if student.startswith("late")]
    with (tmp_path / "marks.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    assert cli.main(["marks", str(tmp_path / "marks.csv"), "--out", str(out)]) == 0
    export = ["export", "--for", "csv", "--roster", tmp_path / "roster.csv", "--out", out, "--submitted", folder]
    export += ["--deadlines", tmp_path / "due.csv", "--timezone", "UTC", "--percent-a-day", "10"]
    assert cli.main(list(map(str, export))) == 0
    sent = {row["id"]: row for row in table(out / "marks-csv.csv")}
    assert (sent["late"]["probe"], sent["late"]["probe lost"]) == ("5.6", "1.4")
    assert sent["late with an extension"]["probe"] == "7" and sent["s004"]["probe"] == "7"
    assert sent["s000"]["probe"] == sent["hank"]["probe"] == sent["absent"]["probe"] == "", (
        "what is not decided is no 0"
    )
