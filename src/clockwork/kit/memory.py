"""What a reader answered, in one small file of theirs outside the course: it outlives kernels, days and course updates.

A *book* is `{"cleared": time, "records": {key: record}}`, and a record is `{"value", "at", "first", "first_at"}` with
times in milliseconds since 1970. The browser keeps a book of its own (static/memory.js); `merged` brings two together:
of a key's values the newest wins, of its first values the oldest, and nothing older than `cleared` is left. Nothing
is written into a notebook, and nothing leaves the machine. People who share an account may each have a book: the page
says whose answers it shows (`switch`).
"""

import contextlib
import json
import os
import time
import urllib.parse
import weakref
from collections.abc import Callable
from pathlib import Path

import platformdirs
from filelock import FileLock

FIELDS = {"value", "at", "first", "first_at"}
READER = "CLOCKWORK_READER"
LISTENERS: weakref.WeakSet = weakref.WeakSet()  # widgets whose `hear(book)` is told what this kernel remembers


def shared() -> Path:
    """Return the file of an account that one person uses; the environment variable CLOCKWORK_ANSWERS names another."""
    given = os.environ.get("CLOCKWORK_ANSWERS")
    return Path(given) if given else platformdirs.user_data_path("clockwork-course", appauthor=False) / "answers.json"


def reader() -> str:
    """Return whose answers these are: who was named last in this kernel, or in any before it; "" for nobody by name."""
    if READER in os.environ:
        return os.environ[READER]
    try:
        return shared().with_suffix(".reader").read_text("utf-8")
    except (OSError, ValueError):
        return ""


def switch(name: str) -> None:
    """Keep the answers of `name` from now on, apart from everybody else's; "" for an account of one person."""
    if name == reader():
        return
    os.environ[READER] = name
    with contextlib.suppress(OSError):  # a home that cannot be written to
        shared().parent.mkdir(parents=True, exist_ok=True)
        shared().with_suffix(".reader").write_text(name, "utf-8")


def path() -> Path:
    """Return where the reader's answers are kept."""
    file = shared()
    name = urllib.parse.quote(reader(), safe="")
    return file.with_stem(f"{file.stem} of {name}") if name else file


def load() -> dict:
    """Return the book in the file; a missing or damaged file is an empty book."""
    try:
        book = json.loads(path().read_text("utf-8"))
    except (OSError, ValueError):
        book = None
    return merged(book)


def merge(book: dict) -> dict:
    """Bring `book` together with the file, write what comes out, and return it."""
    return _change(lambda kept: book)


def _change(news: Callable[[dict], dict]) -> dict:
    """Merge into the file what `news` makes of the book in it, write what comes out, and return it."""
    book = merged(news(merged()))
    with contextlib.suppress(OSError):  # a home that cannot be written to: the browser still remembers
        path().parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path().with_suffix(".lock")):
            kept = load()
            book = merged(kept, news(kept))
            if book != kept:
                draft = path().with_suffix(".new")
                draft.write_text(json.dumps(book, ensure_ascii=False, indent=1), "utf-8")
                draft.replace(path())
    return book


def _now(*earlier: int) -> int:
    """Return the time, later than all of `earlier`: two events may fall into one tick of the clock."""
    return max(time.time_ns() // 1_000_000, 1 + max(earlier, default=0))


def merged(*books: object) -> dict:
    """Return one book made of several; what is no book or no record is left out."""
    whole = [book for book in books if isinstance(book, dict) and isinstance(book.get("records"), dict)]
    cleared = max((book.get("cleared", 0) for book in whole), default=0)
    records: dict[str, dict] = {}
    for book in whole:
        for key, record in book["records"].items():
            if isinstance(record, dict) and set(record) == FIELDS and record["at"] > cleared:
                records[key] = _newer(_since(record, cleared), records.get(key))
    return {"cleared": cleared, "records": records}


def _since(record: dict, cleared: int) -> dict:
    if record["first_at"] > cleared:
        return record
    return record | {"first": record["value"], "first_at": record["at"]}


def _newer(record: dict, other: dict | None) -> dict:
    if other is None:
        return record
    last = max(other, record, key=lambda one: one["at"])
    first = min(other, record, key=lambda one: one["first_at"])
    return {"value": last["value"], "at": last["at"], "first": first["first"], "first_at": first["first_at"]}


def remember(key: str, value: object) -> None:
    """Keep a value that JSON can carry, and tell the page.

    Example:
        >>> remember("02/turn/position", 22)  # doctest: +SKIP
    """

    def answered(kept: dict) -> dict:
        now = _now(kept["cleared"], kept["records"].get(key, {"at": 0})["at"])
        return {"cleared": 0, "records": {key: {"value": value, "at": now, "first": value, "first_at": now}}}

    book = _change(answered)
    news = book | {"records": {name: record for name, record in book["records"].items() if name == key}}
    for listener in LISTENERS:
        listener.hear(news)


def recall(key: str, default: object = None) -> object:
    """Return the newest value that was kept under `key`, or `default`."""
    return load()["records"].get(key, {"value": default})["value"]


def clear() -> None:
    """Forget everything, here and in every browser that meets this file again."""
    _change(lambda kept: {"cleared": _now(*(record["at"] for record in kept["records"].values())), "records": {}})


def passed(exercise: str) -> bool:
    """Say whether an exercise such as "02/by_head" has been passed."""
    return recall(f"exercise/{exercise}") is True
