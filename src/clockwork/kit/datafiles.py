"""The files of data/: where they lie, in a checkout or inside an installed wheel, and what they hold."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parents[1] / "data"  # what records results writes there
FOLDERS = (PACKAGE / "data", CHECKOUT)  # in a wheel, in a checkout


def data_file(name: str) -> Path:
    """Return the path of a file of `data/`, whether the course is a checkout or an installed package.

    Args:
        name: the file's name, such as "sweep.json".

    Raises:
        FileNotFoundError: `data/` has no such file.

    Example:
        >>> from clockwork.kit.datafiles import data_file
        >>> data_file("sweep.json").name
        'sweep.json'
    """
    for folder in FOLDERS:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"name must be a file of data/ (data/README.md lists them), got {name!r}")


def read(name: str) -> dict:
    """Return what a JSON or TOML file of `data/` holds.

    Args:
        name: the file's name, such as "sweep.json".

    Raises:
        FileNotFoundError: `data/` has no such file.
    """
    load = {".json": json.loads, ".toml": tomllib.loads}[Path(name).suffix]
    return load(data_file(name).read_text("utf-8"))


def read_part(name: str, part: str) -> dict:
    """Return one part of the recorded results in a file of `data/`.

    Args:
        name: the file's name, such as "beyond_the_length.json".
        part: the task, a slash, and what is compared, such as "three_back/no mask".

    Raises:
        ValueError: the file has no such part.
    """
    parts = read(name)["parts"]
    if part not in parts:
        raise ValueError(f"part must be one of {', '.join(parts)}, got {part!r}")
    return parts[part]
