"""The number of a class: from its name and a salt that stays with the teacher, so that no student can work it out.

The salts lie in `private/classes.json`, which git ignores: `{"spring A": "9f…"}`. A class that has none was released
before there were salts, and keeps the number that its name alone gives.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import tempfile
from pathlib import Path

SALTS = Path("private/classes.json")
LOST = (
    "where {file} is lost, give the number behind `SEED =` in the students' notebooks as --seed; it does what the "
    "class's name did"
)


class Unreadable(argparse.ArgumentTypeError, ValueError):
    """The file of salts is damaged; as an argument's error, it is told in its own words."""


def class_seed(text: str) -> int:
    """Return the number that stands for a class: itself, or the one that its name and its salt give.

    Raises:
        Unreadable: The file of salts is damaged.
    """
    return int(text) if text.isdecimal() else number(text, salts().get(text, ""))


def new_class(text: str) -> int:
    """Return the same for a class that is released; one that has no salt yet gets one, which is kept."""
    kept = salts()
    if not text.isdecimal() and text not in kept:
        write_private(SALTS, json.dumps(kept | {text: secrets.token_hex(16)}, indent=1, ensure_ascii=False) + "\n")
    return class_seed(text)


def number(name: str, salt: str = "") -> int:
    """Return a whole number below 2**28."""
    return int(hashlib.sha256(f"{salt}{name}".encode()).hexdigest()[:7], 16)


def salts() -> dict[str, str]:
    """Return the salt of each class that was released from here."""
    if not SALTS.exists():
        return {}
    try:
        return {str(name): str(salt) for name, salt in json.loads(SALTS.read_text("utf-8")).items()}
    except (OSError, ValueError, AttributeError) as error:
        lost = LOST.format(file=SALTS)
        raise Unreadable(f"{SALTS} must hold the salts of your classes ({lost}), got {error}") from None


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent)  # mode 600
    with open(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(name, file)
