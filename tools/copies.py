"""The reader's own copy of the lessons: my-course/ is made from notebooks/ and renewed without losing what they wrote.

`python3 course.py update` does it, and so does `python3 course.py lab` before it opens. A file that the reader has not
changed follows the course; one that they have changed stays, and the course's new version is put beside it.
"""

import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parent.parent
COURSE = HOME / "notebooks"
COPY = HOME / "my-course"
RECORD = ".copied.json"  # for each file, what it held when it was last copied
BESIDE = re.compile(r"\.new\d*\.[^.]+$")  # the name of a new version beside a file that the reader has changed
FLEETING = ("execution_count", "metadata", "data")  # of an output; its data are looked at one by one
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
BAR = re.compile(r"\d+%\|.*\| \d+/\d+ \[")  # what is left of a bar of progress that has ended


class Changes(NamedTuple):
    """What an update did, as names of files in the copy."""

    added: list[str]
    renewed: list[str]
    beside: dict[str, str]  # a file the reader has changed: the new version beside it
    removed: list[str]


def main(_: list[str]) -> int:
    """Bring the copy up to date and say what was done."""
    tell(update())
    return 0


def update(course: Path = COURSE, copy: Path = COPY) -> Changes:
    """Bring every file of `course` into `copy`, and lose nothing that the reader has written there."""
    changes = Changes([], [], {}, [])
    record = read_record(copy)
    for source in files(course):
        name = source.relative_to(course).as_posix()
        bring(source, copy, name, record, changes)
    for name in [name for name in record if not (course / name).exists() and not BESIDE.search(name)]:
        retire(copy, name, record, changes)
    write(copy / RECORD, json.dumps(record, indent=1, sort_keys=True).encode())
    return changes


def files(course: Path) -> list[Path]:
    """List the files of the course's lessons."""
    found = sorted(path for path in course.rglob("*") if path.is_file())
    return [path for path in found if not any(part.startswith(".") for part in path.relative_to(course).parts)]


def bring(source: Path, copy: Path, name: str, record: dict, changes: Changes) -> None:
    """Bring one file up to date."""
    ours = substance(source)
    theirs = substance(copy / name)
    before = record.get(name)
    record[name] = ours
    if theirs is None:
        changes.added.append(name)
    elif theirs == ours or ours == before:
        return
    elif theirs == before:
        changes.renewed.append(name)
    else:
        beside = free_name(copy, name, record)
        changes.beside[name] = beside
        record[beside] = ours
        name = beside
    write(copy / name, as_opened(source))


def as_opened(source: Path) -> bytes:
    """Return a file as JupyterLab has it once it is open: a lesson that is only looked at is not "unsaved" then.

    Opening a notebook, JupyterLab writes into it which kernel and which Python this machine has.
    """
    content = source.read_bytes()
    if source.suffix != ".ipynb":
        return content
    from ipykernel.ipkernel import IPythonKernel
    from jupyter_client.kernelspec import KernelSpecManager

    kernel = "python3"
    named = {"name": kernel, "display_name": KernelSpecManager().get_kernel_spec(kernel).display_name}
    notebook = json.loads(content)
    notebook["metadata"] |= {"kernelspec": named | {"language": "python"}, "language_info": IPythonKernel.language_info}
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode()


def retire(copy: Path, name: str, record: dict, changes: Changes) -> None:
    """Forget a file that the course no longer has, and remove it unless the reader has changed it."""
    path = copy / name
    if substance(path) == record.pop(name):
        path.unlink()
        changes.removed.append(name)


def free_name(copy: Path, name: str, record: dict) -> str:
    """Return the name for a new version: 03_clock_hands.new.ipynb, or .new2 where the reader has worked in that one."""
    path = Path(name)
    number = ""
    while True:
        beside = path.with_suffix(f".new{number}{path.suffix}").as_posix()
        if substance(copy / beside) in (None, record.get(beside)):
            return beside
        number = int(number or 1) + 1


def substance(path: Path) -> str | None:
    """Return a digest of what a reader could lose in a file: of a notebook, its cells' text and outputs."""
    if not path.exists():
        return None
    content = path.read_bytes()
    if path.suffix == ".ipynb":
        try:
            cells = [essential(cell) for cell in json.loads(content)["cells"]]
            content = json.dumps(cells, sort_keys=True).encode()
        except (ValueError, KeyError, TypeError, AttributeError):
            pass  # no notebook any more: every byte of it counts
    return hashlib.sha256(content).hexdigest()


def essential(cell: dict) -> list:
    """Return a cell without what opening and saving changes: numbers of runs, metadata, views that need a kernel."""
    outputs = []
    for output in cell.get("outputs", []):
        data = {kind: joined(value) for kind, value in output.get("data", {}).items() if kind != WIDGET_VIEW}
        kept = {key: joined(value) for key, value in output.items() if key not in FLEETING}
        view_alone = WIDGET_VIEW in output.get("data", {}) and set(data) <= {"text/plain"}
        bar = set(data) == {"text/plain"} and BAR.search(data["text/plain"])
        if view_alone or bar:
            continue
        last = outputs[-1] if outputs else {}
        if output["output_type"] == last.get("output_type") == "stream" and kept["name"] == last["name"]:
            last["text"] += kept["text"]  # a bar stood between them
        else:
            outputs.append(kept | {"data": data})
    return [cell["cell_type"], joined(cell["source"]), outputs, cell.get("attachments", {})]


def joined(value):
    """Return a text that may be stored as a list of lines as one text."""
    return "".join(value) if isinstance(value, list) else value


def read_record(copy: Path) -> dict:
    """Read what was copied before: nothing where there is no record, or a broken one."""
    try:
        record = json.loads((copy / RECORD).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)


def tell(changes: Changes, quiet: bool = False) -> None:
    """Say what an update did; where it did nothing, say so unless `quiet`."""
    folder = COPY.name
    news = {"new": changes.added, "renewed": changes.renewed, "no longer in the course": changes.removed}
    for verb, names in news.items():
        if len(names) > 3:
            print(f"Clockwork: {verb}: {len(names)} files in {folder}/.")
        elif names:
            print(f"Clockwork: {verb}: {', '.join(f'{folder}/{name}' for name in names)}.")
    for name, beside in changes.beside.items():
        print(f"Clockwork: {folder}/{name} has your work and stays; its new version is {folder}/{beside}.")
    if not quiet and not any(changes):
        print(f"Clockwork: {folder}/ is up to date.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
