"""Report whether this machine has what the course needs: one line for each requirement, and how to get what is missing.

The requirements are read from the installed package's metadata, so that pyproject.toml is the only list of them.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata

PACKAGE = "clockwork-course"
EXTRAS = ("", "lab")  # what reading and running the lessons needs
REMEDY = "close JupyterLab and run `python3 course.py lab` in the course's folder"


def report(package: str = PACKAGE) -> bool:
    """Print one line for each requirement, the accelerators and a verdict; return whether everything is there."""
    rows = list(requirements(package))
    for ok, name, found, wanted in rows:
        print(f"[ok]      {name:20} {found}" if ok else f"[missing] {name:20} {found}, needs {wanted}: {REMEDY}")
    print(f"[ok]      {'accelerators':20} {accelerators()} (none is needed)")
    missing = sum(not ok for ok, *_ in rows)
    print("\nEverything is there." if not missing else f"\n{missing} missing: {REMEDY}.")
    return not missing


def requirements(package: str = PACKAGE) -> Iterator[tuple[bool, str, str, str]]:
    """Yield (met, name, version found, version wanted) for Python and each package that `package` asks for."""
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    about = metadata.metadata(package)
    python = about["Requires-Python"] or ""
    yield SpecifierSet(python).contains(platform.python_version()), "python", platform.python_version(), python
    for line in metadata.requires(package) or []:
        wanted = Requirement(line)
        if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in EXTRAS):
            continue
        try:
            found = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            yield False, wanted.name, "not installed", str(wanted.specifier)
        else:
            public = found.split("+")[0]
            yield wanted.specifier.contains(public, prereleases=True), wanted.name, public, str(wanted.specifier)


def accelerators() -> str:
    """Count the devices that torch can use besides the CPU, by their kind."""
    try:
        import torch
    except ImportError:
        return "unknown until torch is installed"
    count = {"cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    count["xpu"] = torch.xpu.device_count() if torch.xpu.is_available() else 0
    return ", ".join(f"{kind} {number}" for kind, number in count.items())
