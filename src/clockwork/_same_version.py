"""Say where a lesson lies in a copy of the course whose package is another than the installed one.

On a hub the lessons come by a link and the package from the administrator: one can be renewed without the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

INSTALLED = Path(__file__).resolve().parent


def warning(folder: Path | None = None, installed: Path = INSTALLED) -> str:
    """Return what to do where the course around a folder holds another package than `installed`, or "".

    Args:
        folder: Where the lesson lies; None stands for the current folder.
        installed: The folder of the package that is imported.
    """
    folder = (folder or Path.cwd()).resolve()
    found = (place / "src" / "clockwork" for place in (folder, *folder.parents))
    beside = next((package for package in found if (package / "__init__.py").is_file()), None)
    if beside is None or beside == installed or not _differ(beside, installed):
        return ""
    return (
        "This lesson and the installed package `clockwork` are of different versions: a cell may fail. Open your "
        "teacher's link again and restart the kernel. If you still see this, ask your teacher to update the package "
        "(deploy/README.md says how)."
    )


def _differ(beside: Path, installed: Path) -> bool:
    return any(_bytes(file) != _bytes(installed / file.relative_to(beside)) for file in _sources(beside))


def _sources(package: Path) -> Iterator[Path]:
    return (file for kind in ("*.py", "*.toml", "*.js", "*.css") for file in package.rglob(kind))


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes().replace(b"\r\n", b"\n")
    except OSError:
        return None
