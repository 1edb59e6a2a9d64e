"""Run a command that records results in data/, and list the digests of the files that it wrote in data/digests.txt.

`python -m tools.record clockwork.lessons.lesson_13.look_inside` runs that module, with the arguments that follow it.
Without a module, for files that were recorded on another branch, it lists all as they are.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
LIST = "digests.txt"
RECORDED = (".json", ".safetensors")  # the others are written by hand, and tests compute what they say


def main(command: list[str], data: Path = DATA) -> int:
    """Run a module and list what it wrote; refuse where another file is not the one that was recorded."""
    before = digests(data)
    if command:
        if strange := changed(data):
            print(f"record: not as they were recorded: {', '.join(strange)}", file=sys.stderr)
            return 1
        if code := subprocess.call([sys.executable, "-m", *command]):
            return code
    now = digests(data)
    text = "".join(f"{digest}  {name}\n" for name, digest in now.items())
    (data / LIST).write_text(text, "utf-8")
    print(f"{LIST}:", ", ".join(name for name in now if now[name] != before.get(name)) or "as it was")
    return 0


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of each recorded file of a folder and of those in it."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in RECORDED)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def changed(folder: Path) -> list[str]:
    """List the files of a folder that are not the ones that were recorded, are gone, or were never recorded."""
    file = folder / LIST
    listed = dict(re.findall(r"^(\w{64})  (\S+)$", file.read_text("utf-8"), flags=re.M)) if file.exists() else {}
    recorded = {name: digest for digest, name in listed.items()}
    now = digests(folder)
    return sorted(name for name in recorded.keys() | now.keys() if recorded.get(name) != now.get(name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
