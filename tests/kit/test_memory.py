"""The reader's memory: newest value wins, first value stays, and nothing that goes wrong reaches the reader."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import require

from clockwork.kit import memory, modules

STATIC = Path(memory.__file__).parent / "widgets/static/memory.js"


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOCKWORK_ANSWERS", str(tmp_path / "reader/answers.json"))
    monkeypatch.setenv(memory.READER, "")
    return tmp_path / "reader/answers.json"


def record(value, at, first=None, first_at=None):
    return {"value": value, "at": at, "first": first or value, "first_at": first_at or at}


def book(cleared=0, **records):
    return {"cleared": cleared, "records": records}


def test_newest_value_wins_and_the_first_is_kept_whichever_book_comes_first():
    early = book(a=record("wrong", 10))
    late = book(a=record("right", 30, "middle", 20))
    expected = book(a=record("right", 30, "wrong", 10))
    assert memory.merged(early, late) == memory.merged(late, early) == expected


def test_what_was_cleared_stays_cleared_and_what_came_later_begins_anew():
    old = book(a=record("old", 10), b=record("new", 30, "old", 10))
    assert memory.merged(old, book(cleared=20)) == book(cleared=20, b=record("new", 30))


def test_a_value_is_there_for_the_next_kernel(file):
    memory.remember("02/still-hands", {"answer": 90, "right": True})
    memory.remember("02/still-hands", {"answer": 83, "right": True})
    assert memory.recall("02/still-hands") == {"answer": 83, "right": True}
    assert memory.load()["records"]["02/still-hands"]["first"] == {"answer": 90, "right": True}
    assert memory.recall("02/never", "nothing") == "nothing"
    memory.clear()
    assert memory.recall("02/still-hands") is None and json.loads(file.read_text())["records"] == {}


def test_in_one_tick_of_the_clock_the_later_answer_wins_and_clearing_loses_only_what_came_before(file, monkeypatch):
    monkeypatch.setattr(memory.time, "time_ns", lambda: 7_000_000)
    memory.remember("02/still-hands", 90)
    memory.remember("02/still-hands", 83)
    assert memory.recall("02/still-hands") == 83
    memory.clear()
    assert memory.recall("02/still-hands") is None
    memory.remember("02/still-hands", 7)
    assert memory.recall("02/still-hands") == 7


def test_an_answer_given_after_the_clock_was_put_back_wins_and_can_be_cleared(file, monkeypatch):
    memory.remember("02/still-hands", 90)
    monkeypatch.setattr(memory.time, "time_ns", lambda: 7_000_000)
    memory.remember("02/still-hands", 83)
    assert memory.recall("02/still-hands") == 83
    memory.clear()
    assert memory.load()["records"] == {}


def test_readers_of_one_account_are_kept_apart_and_the_next_kernel_goes_on_with_the_last(file, monkeypatch):
    monkeypatch.delenv(memory.READER)
    memory.remember("exercise/02/by_head", False)
    for name in ["Anna", "Ben/../ä"]:
        memory.switch(name)
        assert memory.recall("exercise/02/by_head") is None
        memory.remember("exercise/02/by_head", name)
    monkeypatch.delenv(memory.READER)  # as in the next kernel
    assert memory.reader() == "Ben/../ä" and memory.recall("exercise/02/by_head") == "Ben/../ä"
    memory.switch("Anna")
    memory.clear()
    assert memory.recall("exercise/02/by_head") is None
    memory.switch("")
    assert memory.recall("exercise/02/by_head") is False
    assert {one.parent for one in file.parent.rglob("*.json")} == {file.parent}


def test_a_page_says_whose_answers_it_tells(file, monkeypatch):
    from clockwork.kit import widgets

    monkeypatch.delenv(memory.READER)
    sent = []
    view = widgets.Progress("02")
    monkeypatch.setattr(type(view), "send", lambda self, content: sent.append(content))
    view._remember(view, {"memory": book(a=record("hers", 10)), "reader": "Anna", "all": True}, [])
    view._remember(view, {"memory": book(a=record("his", 20)), "reader": "Ben", "all": True}, [])
    view._remember(view, {"memory": book(), "reader": "Anna", "all": True}, [])
    assert sent[-1]["reader"] == "Anna" and sent[-1]["memory"]["records"]["a"]["value"] == "hers"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"records": 3}', '{"records": {"a": 1, "b": {"at": 2}}}'])
def test_a_damaged_file_is_an_empty_memory_that_works_again(file, text):
    file.parent.mkdir()
    file.write_text(text)
    assert memory.load()["records"] == {}
    memory.remember("a", 1)
    assert memory.recall("a") == 1


def test_a_home_that_cannot_be_written_to_stops_nobody(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file where the folder should be")
    monkeypatch.setenv("CLOCKWORK_ANSWERS", str(tmp_path / "taken/answers.json"))
    memory.remember("a", 1)
    assert memory.recall("a") is None


def test_two_kernels_that_write_at_once_lose_nothing(file):
    code = "import sys; from clockwork.kit import memory\nfor i in range(40): memory.remember(sys.argv[1] + str(i), i)"
    kernels = [subprocess.Popen([sys.executable, "-c", code, name]) for name in "ab"]
    assert [kernel.wait() for kernel in kernels] == [0, 0]
    assert set(memory.load()["records"]) == {f"{name}{i}" for name in "ab" for i in range(40)}


def test_javascript_merges_as_python_does(tmp_path):
    require(node := shutil.which("node"), "node is missing: install Node.js")
    chance = random.Random(0)
    pairs = []
    for _ in range(300):
        stamps = iter(chance.sample(range(1, 60), 40))
        two = []
        for _ in range(2):
            records = {}
            for key in chance.sample("abcdef", 4):
                first_at, at = sorted((next(stamps), next(stamps)))
                records[key] = record(f"v{at}", at, f"v{first_at}", first_at)
            two.append({"cleared": chance.choice([0, 0, 15, 30]), "records": records})
        pairs.append(two)
    code = modules.joined(STATIC).partition("const memory =")[0]
    code += "console.log(JSON.stringify(JSON.parse(process.argv[1]).map((two) => merged(...two))))"
    script = tmp_path / "merge.cjs"
    script.write_text(code.replace("process.argv[1]", "require('fs').readFileSync(0)"))
    done = subprocess.run([node, script], input=json.dumps(pairs), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [memory.merged(*two) for two in pairs]
    assert any(memory.merged(*two)["cleared"] for two in pairs)


def test_in_one_tick_of_the_page_s_clock_the_later_answer_wins_and_clearing_loses_only_what_came_before(tmp_path):
    require(node := shutil.which("node"), "node is missing: install Node.js")
    code = "var window = {}, document = { getElementById: () => null }, addEventListener = () => {};\n"
    code += "Date.now = () => 7;\n" + modules.joined(STATIC)
    code += """
        const said = [], say = () => said.push(memory.record("a")?.value ?? null);
        for (const value of [90, 83]) memory.remember({}, "a", value);
        say();
        memory.clear({});
        say();
        memory.remember({}, "a", 7);
        say();
        console.log(JSON.stringify(said));
    """
    script = tmp_path / "tick.cjs"
    script.write_text(code)
    done = subprocess.run([node, script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [83, None, 7]


def test_what_a_kernel_remembers_is_told_to_who_listens_and_to_no_one_that_is_gone(file):
    class Listener:
        def hear(self, book):
            self.heard = book

    listener = Listener()
    memory.LISTENERS.add(listener)
    memory.remember("02/turn", 22)
    memory.remember("exercise/02/by_head", True)
    assert list(listener.heard["records"]) == ["exercise/02/by_head"]
    assert memory.merged(listener.heard, memory.load()) == memory.load()
    count = len(memory.LISTENERS)
    del listener
    assert len(memory.LISTENERS) == count - 1


def test_the_view_of_progress_is_told_what_a_kernel_remembers(file, monkeypatch):
    from clockwork.kit import widgets

    sent = []
    view = widgets.Progress("02")
    monkeypatch.setattr(type(view), "send", lambda self, content: sent.append((self, content)))
    memory.remember("exercise/02/by_head", True)
    heard = [content["memory"]["records"] for told, content in sent if told is view]
    assert [record["exercise/02/by_head"]["value"] for record in heard] == [True]
