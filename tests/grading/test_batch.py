"""Grading a folder from the command line: layouts, tables, pages, hidden tests, seeds, and nothing is lost."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import batch, feedback, report, run, sandbox
from pe_grading.classes import class_seed
from pe_grading.collect import find_submissions
from pe_grading.notebook import load_assignment
from pe_grading.protocol import Deadline
from pe_grading.rows import rows_of
from pe_grading.sandbox import Limits, NoSandbox, Sandbox

HOSTILE = Path(__file__).parents[2] / "assignments" / "hostile"
PROBE = HOSTILE / "probe" / "probe.ipynb"


@pytest.fixture
def boxed():
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")


def hand_in(folder, student, change=lambda source: source, name="probe/probe.ipynb"):
    path = folder / student / name if name else folder / f"{student}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = json.loads(PROBE.read_text())
    for cell in notebook["cells"]:
        cell["source"] = change(cell["source"])
    path.write_text(json.dumps(notebook))
    return path


def pe_grade(folder, out, *more):
    """Grade with one process and no gradebook; return the exit status."""
    fixed = ["--source", str(HOSTILE), "--out", str(out), "--jobs", "1", "--no-gradebook"]
    return cli.main([str(folder), *fixed, *map(str, more)])


def table(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def wrong(source):
    return source.replace("2.0**-i", "3.0**-i")


def test_a_folder_becomes_tables_and_pages(boxed, tmp_path):
    hand_in(tmp_path / "in", "ann")
    hand_in(tmp_path / "in", "bob", wrong)
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0
    assert table(tmp_path / "out" / "grades.csv") == [
        {"student": "ann", "probe": "6", "probe max": "7", "probe pending": "1", "probe state": "pending"},
        {"student": "bob", "probe": "4", "probe max": "7", "probe pending": "1", "probe state": "pending"},
    ]
    rows = {(r["student"], r["grade_id"]): r for r in table(tmp_path / "out" / "results.csv")}
    assert rows["bob", "test_slopes"]["why"] == "the first slope is one half"
    assert rows["bob", "why"]["state"] == "pending" and rows["bob", "why"]["points"] == ""
    page = (tmp_path / "out" / "feedback" / "bob" / "probe" / "probe.html").read_text()
    assert "the first slope is one half" in page and "4 of 7 points" in page


def test_three_layouts_are_found(tmp_path):
    hand_in(tmp_path / "a", "ann")
    hand_in(tmp_path / "a", "bob", name="probe.ipynb")
    (tmp_path / "a" / "eve" / "probe").mkdir(parents=True)
    found = find_submissions(tmp_path / "a", ["probe", "other"])
    assert [(s.student, s.assignment, s.path.exists()) for s in found] == [
        ("ann", "probe", True),
        ("bob", "probe", True),
        ("eve", "probe", False),
    ]
    hand_in(tmp_path / "b", "ann", name="")
    hand_in(tmp_path / "b", "bob", name="my work (1).ipynb")
    found = find_submissions(tmp_path / "b", ["probe", "other"], only="probe")
    assert [(s.student, s.path.exists()) for s in found] == [("bob", True), ("ann", True)] or len(found) == 2


def test_the_exchanges_time_lies_beside_the_page_and_a_link_is_none(tmp_path):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    secret = tmp_path / "secret"
    secret.write_text("of the teacher")
    hand_in(tmp_path / "in", "ann").with_name("timestamp.txt").write_text("2027-03-01 09:00:00 UTC")
    hand_in(tmp_path / "in", "bob").with_name("timestamp.txt").symlink_to(secret)
    hand_in(tmp_path / "in", "eve")
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0
    times = {path.parents[1].name: path.read_text() for path in (tmp_path / "out").glob("feedback/*/*/timestamp.txt")}
    assert times == {"ann": "2027-03-01 09:00:00 UTC"}


def test_grading_again_grades_only_what_changed(boxed, tmp_path, capsys):
    for student in ("ann", "bob"):
        hand_in(tmp_path / "in", student)
    pe_grade(tmp_path / "in", tmp_path / "out")
    hand_in(tmp_path / "in", "bob", wrong)
    capsys.readouterr()
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert "2 submissions, 1 to grade" in capsys.readouterr().out
    assert [row["probe"] for row in table(tmp_path / "out" / "grades.csv")] == ["6", "4"]
    pe_grade(tmp_path / "in", tmp_path / "out", "--seed", 3)
    assert "2 submissions, 2 to grade" in capsys.readouterr().out


def test_a_changed_test_is_graded_again(tmp_path):
    source = tmp_path / "probe" / "probe.ipynb"
    source.parent.mkdir()
    source.write_text(PROBE.read_text())
    submission = batch.Submission("ann", "probe", hand_in(tmp_path / "in", "ann"))
    first = batch.fingerprint(submission, load_assignment(source), Limits())
    source.write_text(PROBE.read_text().replace("1 / 16", "1 / 17"))
    assert batch.fingerprint(submission, load_assignment(source), Limits()) != first
    (tmp_path / "hidden" / "probe").mkdir(parents=True)
    (tmp_path / "hidden" / "probe" / "test_slopes.py").write_text("assert True")
    assert batch.fingerprint(submission, load_assignment(PROBE, 0, tmp_path / "hidden"), Limits()) != first


def heard():
    """Let a process hear an interrupt, also where the tests run in the background and ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_loses_nothing_that_was_done(boxed, tmp_path):
    for number in range(3):
        hand_in(tmp_path / "in", f"a{number}")
    hand_in(tmp_path / "in", "b", lambda s: s.replace("    return [", "    import time; time.sleep(1e6)\n    return ["))
    command = [sys.executable, "-m", "pe_grading", str(tmp_path / "in"), "--source", str(HOSTILE), "--jobs", "1"]
    command += ["--out", str(tmp_path / "out"), "--no-gradebook", "--call-seconds", "9999", "--student-seconds", "9999"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=heard
    )
    while process.poll() is None and len(list((tmp_path / "out").glob("results/*/*.json"))) < 3:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[1].decode()
    assert process.returncode == 130 and "3 of 4 are graded" in said, said
    assert len(table(tmp_path / "out" / "grades.csv")) == 3
    results = {path.stem for path in (tmp_path / "out" / "results" / "probe").iterdir()}
    assert results == {"a0", "a1", "a2"}


@pytest.mark.parametrize("stage", ["keep", "write_page", "write_grades"])
def test_an_interrupt_while_something_is_written_waits_until_the_tables_are_there(boxed, tmp_path, monkeypatch, stage):
    for student in ("ann", "bob"):
        hand_in(tmp_path / "in", student)
    real, interrupts = getattr(report, stage), iter([True])

    def interrupted(*arguments):
        if next(interrupts, False):
            signal.raise_signal(signal.SIGINT)
        return real(*arguments)

    monkeypatch.setattr(report, stage, interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert pe_grade(tmp_path / "in", tmp_path / "out") == 130
    finally:
        signal.signal(signal.SIGINT, before)
    graded = ["ann"] if stage == "keep" else ["ann", "bob"]
    assert [row["student"] for row in table(tmp_path / "out" / "grades.csv")] == graded
    assert sorted(path.name for path in (tmp_path / "out" / "feedback").iterdir()) == graded
    assert (tmp_path / "out" / "review.csv").exists()
    monkeypatch.undo()
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0
    assert [row["probe"] for row in table(tmp_path / "out" / "grades.csv")] == ["6", "6"]


def test_a_cut_off_result_is_graded_again(tmp_path):
    submission = batch.Submission("ann", "probe", tmp_path)
    result = {"state": "graded", "tests": []}
    report.keep(tmp_path, submission, "f", result)
    assert report.kept(tmp_path, submission, "f") == result
    assert report.kept(tmp_path, submission, "g") is None
    state = report.state_of(tmp_path, submission)
    state.write_text(state.read_text()[:20])
    assert report.kept(tmp_path, submission, "f") is None


def test_a_teachers_hidden_tests_count_and_show_their_hint_only(boxed, tmp_path):
    (tmp_path / "hidden" / "probe").mkdir(parents=True)
    test = 'assert slopes(5)[4] == 2**-5, "the secret: five heads"\n'
    (tmp_path / "hidden" / "probe" / "test_slopes.py").write_text(test)
    hand_in(tmp_path / "in", "ann", lambda s: s.replace("    return [", "    return [0] * n if n == 5 else ["))
    pe_grade(tmp_path / "in", tmp_path / "out", "--hidden", tmp_path / "hidden")
    page = (tmp_path / "out" / "feedback" / "ann" / "probe" / "probe.html").read_text()
    assert "the secret: five heads" in page and "slopes(5)" not in page and "4 of 7" in page


def test_a_hidden_test_of_nothing_is_an_error(tmp_path, capsys):
    hand_in(tmp_path / "in", "ann")
    (tmp_path / "hidden" / "probe").mkdir(parents=True)
    (tmp_path / "hidden" / "probe" / "test_slops.py").write_text("")
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--hidden", tmp_path / "hidden") == 2
    assert "test_slops" in capsys.readouterr().err


def test_the_class_decides_the_seed_on_both_sides(boxed, tmp_path):
    source = tmp_path / "source" / "probe" / "probe.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(PROBE.read_text().replace("== 1 / 16", "== 1 / 16 and SEED in (77, 78)"))
    seeded = "    assert SEED == 77\n    return ["
    hand_in(tmp_path / "in", "ann", lambda s: s.replace("    return [", seeded))
    fixed = [str(tmp_path / "in"), "--source", str(tmp_path / "source"), "--no-gradebook", "--jobs", "1"]
    for seed, mark in (("77", "6"), ("78", "4")):
        assert cli.main([*fixed, "--out", str(tmp_path / seed), "--seed", seed]) == 0
        assert table(tmp_path / seed / "grades.csv")[0]["probe"] == mark
    assert class_seed("spring, group A") == class_seed("spring, group A") != class_seed("spring, group B")


def test_a_page_is_small_escaped_and_needs_nothing(tmp_path):
    evil = "<script>alert(1)</script>\"'><img src=http://x/ onerror=alert(2)>"
    tests = [
        {"grade_id": f"t{n}{evil}", "points": 0, "max": 1, "passed": False, "said": evil, "hint": evil, "hidden": n % 2}
        for n in range(12)
    ]
    result = {"assignment": evil, "state": "graded", "problem": evil, "notes": [evil * 20] * 20, "tests": tests}
    result["written"] = [{"grade_id": evil, "max": 4, "state": "in place"}]
    marks = {evil: {"by_hand": True, "again": False, "points": 1, "comment": evil * 5000}}
    html = feedback.page(rows_of(evil, result, marks), {test["grade_id"]: evil * 1000 for test in tests})
    assert len(html.encode()) < feedback.LIMIT
    for page in (html, feedback.page(rows_of(evil, {**result, "notes": [evil]}, {}), {})):
        soup = BeautifulSoup(page, "html.parser")
        assert not soup.find_all(["script", "img", "iframe", "link", "object"])
        assert not [
            tag for tag in soup.find_all(True) if any(a.startswith("on") or a in ("href", "src") for a in tag.attrs)
        ]
        assert "alert(1)" in soup.get_text()


def test_no_cell_of_a_table_is_a_formula(tmp_path):
    text = report.table(["student"], [["=HYPERLINK(1)"], ["+1"], ["@x"], ["-2"], ["a,b\n=c"]])
    assert [row["student"] for row in csv.DictReader(text.splitlines())] == [
        "'=HYPERLINK(1)",
        "'+1",
        "'@x",
        "'-2",
        "a,b =c",
    ]


def test_without_a_sandbox_it_refuses_and_says_why(tmp_path, capsys, monkeypatch):
    hand_in(tmp_path / "in", "ann")
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 3
    said = capsys.readouterr().err
    assert "bubblewrap" in said and "--unsafe" in said
    assert not (tmp_path / "out").exists()


def test_a_sandbox_that_cannot_be_built_is_refused(boxed, tmp_path, capsys, monkeypatch):
    hand_in(tmp_path / "in", "ann")
    monkeypatch.setattr(sandbox, "bwrap_args", lambda: ["sh", "-c", "echo 'bwrap: No permissions' >&2; exit 1"])
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 3
    assert "No permissions" in capsys.readouterr().err


def test_unsafe_grades_and_warns(tmp_path, capsys):
    hand_in(tmp_path / "in", "ann")
    hand_in(tmp_path / "in", "bob", lambda s: s.replace("    return [", "    while True: pass\n    return ["))
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--unsafe", "--call-seconds", 2) == 0
    assert "can read and change whatever you can" in capsys.readouterr().err
    assert [row["probe"] for row in table(tmp_path / "out" / "grades.csv")] == ["6", "4"]


@pytest.mark.parametrize(
    "hole", [["--bind", "/", "/"], ["--ro-bind", str(HOSTILE.parent), str(HOSTILE.parent)], ["--tmpfs", "/usr"]]
)
def test_a_sandbox_with_a_hole_is_found_out(boxed, monkeypatch, hole):
    whole = sandbox.bwrap_args()
    monkeypatch.setattr(sandbox, "bwrap_args", lambda: [*whole[:-4], *hole, *whole[-4:]])
    with pytest.raises(NoSandbox):
        box = Sandbox(["numpy"])
        try:
            sandbox.check(box)
        finally:
            box.close()


def test_a_course_that_lies_in_tmp_is_not_hidden_from_its_students(boxed, monkeypatch, tmp_path_factory):
    folder, bound = tmp_path_factory.mktemp("course"), sandbox._bound()
    (folder / "module.py").write_text("x = 1")
    monkeypatch.setattr(sandbox, "_bound", lambda: [*bound, folder])
    box = Sandbox(["numpy"])
    try:
        assert sandbox.check(box) == list(sandbox.PROTECTIONS)
        process = box.start()
        source = f"open('{folder}/module.py').read() + str(open('here', 'w').write('y'))"
        request = {"do": "ask", "id": 1, "source": source}
        process.channel.send(request)
        assert "x = 11" in str(process.channel.receive(Deadline(10)))
        process.close()
    finally:
        box.close()


@pytest.mark.parametrize("name", sandbox.PROTECTIONS)
def test_each_protection_is_tried_and_its_loss_is_found_out(boxed, monkeypatch, name):
    monkeypatch.setattr(sandbox, "PROTECTIONS", {name: "'an attempt that succeeds'"})
    box = Sandbox(["numpy"])
    try:
        with pytest.raises(NoSandbox, match=name):
            sandbox.check(box)
    finally:
        box.close()


def test_the_sandbox_names_its_protections(boxed):
    box = Sandbox(["numpy"])
    try:
        assert {"no network", "no tests or solutions", "limited memory"} <= set(sandbox.check(box))
    finally:
        box.close()


def graded(tmp_path, change_test, submission=None, limits=None):
    """Grade one notebook by tests that were changed."""
    source = tmp_path / "probe.ipynb"
    notebook = json.loads(PROBE.read_text())
    for cell in notebook["cells"]:
        cell["source"] = change_test(cell["source"])
    source.write_text(json.dumps(notebook))
    assignment = load_assignment(source)
    box = Sandbox(["numpy"], limits)
    try:
        cells = batch.parse_submission((submission or PROBE.read_text()).encode())
        return run.grade(assignment, cells, box, run.trusted_names(assignment))["tests"]
    finally:
        box.close()


def test_a_test_hung_by_a_students_data_ends(boxed, tmp_path):
    hung = "n = slopes(3)\nwhile n:\n    pass\nassert len(slopes(3)) == 3"
    first, *_ = graded(
        tmp_path, lambda s: s.replace("assert len(slopes(3)) == 3", hung), limits=Limits(student_seconds=3)
    )
    assert not first["passed"] and "too long" in first["said"]


def test_functions_that_hang_leave_time_for_the_others(boxed, tmp_path):
    limits = Limits(call_seconds=3, student_seconds=12)
    source = PROBE.read_text().replace("weights = np.exp(scores", "while True: pass\\n    weights = np.exp(scores")
    tests = graded(tmp_path, lambda s: s, source, limits)
    assert [test["passed"] for test in tests] == [True, False, False]
    assert tests[1]["said"] == "softmax(…) took longer than 3 s" and "softmax(…) took longer" in tests[2]["said"]


def test_a_test_may_lend_a_function_to_a_student(boxed, tmp_path):
    lends = "seen = []\nassert len(slopes(lambda n: seen.append(n) or 3)) == 3 and seen == [8]"
    source = PROBE.read_text().replace("range(1, n + 1)", "range(1, (n if isinstance(n, int) else n(8)) + 1)")
    tests = graded(tmp_path, lambda s: s.replace("assert len(slopes(3)) == 3", lends), source)
    assert all(test["passed"] for test in tests), tests
