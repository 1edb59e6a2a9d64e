"""What the machine does is no mark, and honest slowness is no fault."""

import json
import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
import textwrap
import time
import types
from pathlib import Path

import psutil
import pytest
from classroom import (
    HOSTILE,
    PROBE,
    answer,
    cell,
    code,
    descendants,
    grades,
    hand_in,
    notebook,
    page,
    pe_grade,
    review,
    runs_students_code,
)
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import batch, run, sandbox, worker
from pe_grading.batch import grade_all
from pe_grading.collect import find_submissions
from pe_grading.notebook import load_assignment, parse_submission
from pe_grading.protocol import Channel, Deadline
from pe_grading.sandbox import Broken, Limits, Sandbox
from pe_grading.student import Student

LIMITS = Limits(call_seconds=3, cell_seconds=3, student_seconds=12)
SHORT = Limits(call_seconds=1.5, cell_seconds=1.5, student_seconds=6)  # for what is asleep until it is stopped


@pytest.fixture(autouse=True)
def boxed(monkeypatch):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    monkeypatch.setattr(cli, "test_sandbox", lambda options: None)


def points(result):
    return sum(test["points"] for test in result["tests"])


@pytest.mark.parametrize("target", ["sandbox", "grading process"])
def test_a_killed_process_costs_nobody_a_point(tmp_path, target):
    for number in range(8):
        hand_in(tmp_path, f"s{number}")
    work = find_submissions(tmp_path, ["probe"])
    results = {}
    for submission, result in grade_all(work, {"probe": load_assignment(PROBE)}, LIMITS, jobs=1):
        results[submission.student] = result
        if len(results) == 3:
            (grading,) = multiprocessing.active_children()
            outermost = psutil.Process(grading.pid).children()[0]
            (outermost if target == "sandbox" else grading).kill()
    assert {points(result) for result in results.values()} == {6} and len(results) == 8


def test_what_a_test_may_end_holds_no_process_that_somebody_else_started():
    start = "import subprocess, sys\n"
    start += "print(subprocess.Popen(['sleep', '60'], start_new_session=True, stdout=subprocess.DEVNULL).pid)"
    elsewhere = int(subprocess.check_output([sys.executable, "-c", start]))
    try:
        assert psutil.Process(elsewhere).ppid() != os.getpid()
        assert elsewhere not in [process.pid for process in descendants()]
    finally:
        os.kill(elsewhere, signal.SIGKILL)


def students():
    """The students' processes that descend from this one: each is the first in a space of its own."""
    found = []
    for process in filter(runs_students_code, descendants()):
        try:
            inner = Path(f"/proc/{process.pid}/status").read_text().partition("NSpid:")[2].splitlines()[0].split()
        except (OSError, IndexError):
            continue
        if len(inner) > 2 and inner[-1] == "1":
            found.append(process)
    return found


@pytest.mark.parametrize(
    ("source", "outside"),
    [
        ("", True),
        ("__import__('os')._exit(0)", False),
        ("__import__('ctypes').string_at(0)", False),
        ("__import__('os').kill(1, 9) or __import__('os').abort()", False),
        ("__import__('os').close(3)", False),
    ],
    ids=["killed by the system", "exit", "crash", "tries to kill itself", "hangs up"],
)
def test_the_system_is_told_from_the_student_when_a_process_ends(source, outside):
    box = Sandbox(["numpy"], LIMITS)
    try:
        process = box.start()
        if source:
            process.channel.send({"do": "ask", "id": 1, "source": source})
        else:
            (running,) = students()
            running.kill()
        with pytest.raises((EOFError, OSError)):
            process.channel.receive(Deadline(60))
        assert process.killed_from_outside() is outside
        process.close()
    finally:
        box.close()


def test_an_order_that_comes_after_the_end_does_not_make_it_the_systems_doing():
    """A student's process ends by itself; before its supervisor has said so, the grader asks about the end."""
    ours, theirs = socket.socketpair()
    lifetime, held = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    noticed, tell = os.pipe()
    without_limits = types.SimpleNamespace(
        enter_namespaces=lambda: None, seal=lambda limits: None, processor_limit=lambda limits: 1000
    )

    def wait_until_the_grader_has_asked(*arguments):
        os.write(tell, b"the end was noticed")
        select.select([held], [], [], 60)
        return wait(*arguments)

    wait = os.wait4
    supervisor = os.fork()
    if supervisor == 0:
        try:
            os.wait4 = wait_until_the_grader_has_asked
            for file in (ours, lifetime):
                file.close()
            worker.supervise({}, theirs.fileno(), os.dup(held.fileno()), without_limits)
        finally:
            os._exit(0)
    theirs.close()
    held.close()
    process = sandbox.Process(Channel(ours), lifetime)
    process.channel.receive(Deadline(60))
    process.channel.send({"do": "ask", "id": 1, "source": "__import__('os')._exit(0)"})
    assert os.read(noticed, 100)
    assert process.killed_from_outside() is False
    process.close()
    os.waitpid(supervisor, 0)


def test_a_students_process_that_the_system_kills_says_nothing_about_the_student(monkeypatch):
    assignment, box, real = load_assignment(PROBE), Sandbox(["numpy"], LIMITS), Student.call

    def call(self, *arguments):
        for running in students():
            running.kill()
        return real(self, *arguments)

    monkeypatch.setattr(Student, "call", call)
    try:
        with pytest.raises(Broken):
            run.grade(assignment, parse_submission(PROBE.read_bytes()), box, run.trusted_names(assignment))
    finally:
        box.close()


def test_what_the_machine_fails_on_every_time_is_not_graded_and_counted(tmp_path, monkeypatch, capsys):
    for student in ("ann", "bob", "eve"):
        hand_in(tmp_path / "in", student)
    hand_in(tmp_path / "in", "bob", lambda book: book["cells"].append(code("# trouble")))
    real = batch.grade

    def fails(assignment, cells, *more):
        if any("trouble" in c.source for c in cells):
            raise Broken("the sandbox was ended from outside")
        return real(assignment, cells, *more)

    monkeypatch.setattr(batch, "grade", fails)
    assert pe_grade(tmp_path / "in", tmp_path / "out") == cli.NOT_GRADED
    assert grades(tmp_path / "out") == {"ann": "6", "bob": "", "eve": "6"}
    assert "2 graded, 1 not graded" in capsys.readouterr().out.splitlines()[-1]
    assert any(student == "bob" and "ended from outside" in what for student, _, what in review(tmp_path / "out"))
    assert "not your fault" in page(tmp_path / "out", "bob")
    monkeypatch.setattr(batch, "grade", real)
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0, "the next run grades it, though nothing changed"
    assert grades(tmp_path / "out") == {"ann": "6", "bob": "6", "eve": "6"}


def test_a_machine_that_fails_always_is_given_up_and_no_one_gets_zero(tmp_path, monkeypatch):
    for number in range(20):
        hand_in(tmp_path, f"s{number:02}")

    def fails(*_):
        raise Broken("no sandbox starts")

    monkeypatch.setattr(batch, "grade", fails)
    work = find_submissions(tmp_path, ["probe"])
    results = [result for _, result in grade_all(work, {"probe": load_assignment(PROBE)}, LIMITS, jobs=2)]
    assert len(results) == 20 and {result["state"] for result in results} == {"not graded"}


@pytest.fixture(scope="module")
def mark():
    """Return `mark(book)`: the result of a notebook, within the shortest limits."""
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    assignment = load_assignment(PROBE)
    box, names = Sandbox(["numpy"], SHORT), run.trusted_names(assignment)
    yield lambda book: run.grade(assignment, parse_submission(json.dumps(book).encode()), box, names)
    box.close()


SLEEP = "import time\n"


@pytest.mark.parametrize(
    "experiments",
    [
        ["result = [time.sleep(5)]"] * 4,
        ["for _ in range(50):\n    time.sleep(0.1)"] * 4,
        ["time.sleep(1)", *["for _ in range(50):\n    time.sleep(0.1)"] * 4],
        ["while True: pass"],
        ["def measure():\n    time.sleep(60)\nmeasure()", "table = measure()"],
    ],
    ids=["assignments", "loops", "one short, many long", "endless", "functions"],
)
@pytest.mark.parametrize("where", ["before", "after"])
def test_who_measures_slowly_loses_no_point(mark, experiments, where):
    book = notebook()
    cells = [code(SLEEP + source) for source in experiments]
    book["cells"] = [book["cells"][1], *cells, *book["cells"]] if where == "before" else [*book["cells"], *cells]
    result = mark(book)
    assert points(result) == 6, result
    assert any("took too long" in note for note in result["notes"])


def test_a_slow_check_in_the_same_cell_costs_nothing_that_was_defined_before_it(mark):
    book = notebook()
    source = "import time\ndef slopes(n):\n    return [2.0**-i for i in range(1, n + 1)]\n"
    answer(source + "for _ in range(100):\n    time.sleep(0.1)\nresult = time.sleep(10)")(book)
    assert points(mark(book)) == 6


SLOW_ONE = "(time.sleep(0.8), 1.0)[1]"
SOFTMAX = "    w = np.exp(SCALE * (scores - scores.max(-1, keepdims=True)))\n    return w / w.sum(-1, keepdims=True)"


@pytest.mark.parametrize(
    "source",
    [
        f"time.sleep(0.7)\nSCALE = {SLOW_ONE}\nNEVER_USED = time.sleep(0.7)\ndef softmax(scores):\n{SOFTMAX}",
        f"MEASURED = {SLOW_ONE}\nSCALE = MEASURED * 1\ndef softmax(scores):\n{SOFTMAX}",
        f"SCALE = 1.0; time.sleep(0.8)\ndef softmax(scores):\n{SOFTMAX}",
        f"SCALE = 1.0\ndef slowly_made(scores):\n{SOFTMAX}\nsoftmax = (time.sleep(0.8), slowly_made)[1]",
        f"if True:\n    SCALE = {SLOW_ONE}\n    def softmax(scores):\n{textwrap.indent(SOFTMAX, '    ')}",
    ],
    ids=["directly", "by way of another", "on one line with what is slow", "the function itself", "all in one"],
)
def test_what_was_slow_and_is_needed_is_there_in_the_hidden_tests_too(mark, source):
    book = notebook()
    answer(f"import time\n{source}", "softmax")(book)
    assert points(mark(book)) == 6


@pytest.mark.parametrize("slow", ["x = time.sleep(5)", "try:\n    time.sleep(5)\nexcept ValueError:\n    pass"])
def test_who_tries_out_without_end_keeps_the_time_for_definitions(slow):
    """Ten of them take more than twice the time that there is for what only defines."""
    assignment = load_assignment(PROBE)
    book = notebook()
    answer("def slopes(n, made=time.sleep(0.1)):\n    return [2.0**-i for i in range(1, n + 1)]")(book)
    book["cells"][2:2] = [code(f"import time\n{slow}") for _ in range(10)]
    box = Sandbox(["numpy"], Limits(call_seconds=1.5, cell_seconds=0.3, student_seconds=1.2))
    try:
        result = run.grade(assignment, parse_submission(json.dumps(book).encode()), box, run.trusted_names(assignment))
    finally:
        box.close()
    assert points(result) == 6, result


def test_an_interrupt_that_comes_too_late_stops_nothing_else():
    """The statement that it was meant for is over, and the next one runs."""
    box = Sandbox(["numpy"], SHORT)
    try:
        process = box.start()
        source = "import time\ntime.sleep(0.1)\nfor _ in range(20):\n    time.sleep(0.05)\nx = 1"
        process.channel.send(
            {"do": "cell", "id": 1, "index": 4, "source": source, "keep": [], "skip": [], "definitions_only": False}
        )
        while (reply := process.channel.receive(Deadline(60))).get("number") != 3:
            pass
        process.interrupt(4, 2)
        while (reply := process.channel.receive(Deadline(60))).get("do") == "at":
            pass
        assert reply == {"id": 1, "errors": [], "stopped": []}
        process.close()
    finally:
        box.close()


LOOP = "while True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass"


@pytest.mark.parametrize(
    "blocks",
    ["import time\n" + LOOP, "import time\ndef block():\n" + textwrap.indent(LOOP, "    ") + "\ny = block()"],
    ids=["a loop", "an assignment"],
)
def test_a_notebook_that_blocks_every_interrupt_still_keeps_its_functions(mark, blocks):
    book = notebook()
    book["cells"].insert(2, code(blocks))
    book["cells"].append(code("x = 3\n" + blocks))
    assert points(mark(book)) == 6


def test_time_spent_waiting_for_a_processor_does_not_count():
    waited = [0.0]
    deadline = Deadline(0.05, lambda: waited[0])
    time.sleep(0.06)
    assert deadline.left() < 0
    waited[0] = 0.1
    assert deadline.left() > 0, "a tenth of a second of it was waiting"


class Starved:
    """A student's process that waits for a processor and never gets one."""

    def __init__(self):
        self.start = time.monotonic()
        ours, self.theirs = socket.socketpair()
        self.channel = Channel(ours)
        self.channel.send = lambda *_: None

    def processor_time(self):
        return {"ran": 0.0, "waited": time.monotonic() - self.start}

    def close(self):
        pass


def test_who_never_gets_a_processor_is_not_marked_by_it(monkeypatch):
    monkeypatch.setattr("pe_grading.student.PATIENCE", 0.3)
    box = types.SimpleNamespace(limits=Limits(call_seconds=0.05))
    starved = Student(box, [], 0)
    starved.process = Starved()
    starved.started = starved.process.start
    with pytest.raises(Broken, match="too long for a processor"):
        starved.call("slopes", (1,), {})


def test_the_supervisor_measures_running_and_waiting():
    box = Sandbox(["numpy"], LIMITS)
    try:
        process = box.start()
        before = process.processor_time()
        request = {"do": "ask", "id": 1, "source": "sum(i * i for i in range(3_000_000))"}
        process.channel.send(request)
        process.channel.receive(Deadline(60))
        after = process.processor_time()
        assert after["ran"] > before["ran"] and after["waited"] >= before["waited"] >= 0
        assert process.killed_from_outside() is False
        process.close()
    finally:
        box.close()


def test_same_notebooks_same_marks_whatever_order_sets_come_in(mark):
    """An answer that hangs on the order of a set of texts is right or wrong in every run alike."""
    assert sandbox.QUIET["PYTHONHASHSEED"] == "0"
    order = "ORDER = list({'a', 'b', 'c', 'd', 'e', 'f', 'g'})\ndef slopes(n):\n    raise ValueError(''.join(ORDER))"
    said = set()
    for _ in range(3):
        box = Sandbox(["numpy"], LIMITS)
        assignment = load_assignment(PROBE)
        book = notebook()
        answer(order)(book)
        cells = parse_submission(json.dumps(book).encode())
        said.add(run.grade(assignment, cells, box, run.trusted_names(assignment))["tests"][0]["said"])
        box.close()
    assert len(said) == 1


def test_the_probe_is_where_the_tests_think():
    assert (HOSTILE / "probe").is_dir() and cell(notebook(), "slopes")
