"""Where the files of data/ lie: at the top of a checkout, inside the package in an installed wheel."""

from __future__ import annotations

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
