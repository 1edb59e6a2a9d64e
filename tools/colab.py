"""Write copies of the lessons that start on Colab: `python3 course.py colab` puts them into build/colab/.

Their first cell clones the course, makes its package importable and installs what Colab lacks, never its torch again.
The course's address is that of the remote `origin`; `--repository` names another.
"""

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
from packaging.requirements import Requirement

from tools import lessons

HOME = Path(__file__).resolve().parent.parent
NOTEBOOKS = HOME / "notebooks"
COLAB = HOME / "build" / "colab"
CELL = """\
# On Colab: fetch the course and what is missing here. Elsewhere this cell does nothing.
import importlib.metadata, os, subprocess, sys

if "google.colab" in sys.modules:
    home = os.path.expanduser("~/clockwork")
    if not os.path.exists(home):
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", "{repository}", home], check=True)
    there = {{d.metadata["Name"].lower().replace("_", "-"): d.version for d in importlib.metadata.distributions()}}
    missing = [name for name in {packages} if name not in there]
    kept = [f"{{name}}=={{there[name]}}" for name in ("torch", "numpy") if name in there]
    if missing:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *missing, *kept], check=True)
    sys.path.insert(0, f"{{home}}/src")
    os.chdir(f"{{home}}/notebooks")
"""


def main(arguments: list[str]) -> int:
    """Write every lesson with the first cell added."""
    parser = argparse.ArgumentParser(prog="course.py colab", description=__doc__)
    parser.add_argument("--repository", default=origin(), help="where the course can be cloned from")
    repository = parser.parse_args(arguments).repository
    if not repository:
        parser.error("repository must be an address that git can clone (there is no remote named origin), got none")
    COLAB.mkdir(parents=True, exist_ok=True)
    for path in lessons.every():
        nbformat.write(with_first_cell(nbformat.read(path, as_version=4), repository), COLAB / path.name)
    print(f"{COLAB}: {len(list(COLAB.glob('*.ipynb')))} lessons that clone {repository}")
    return 0


def origin() -> str:
    """Return the address of the remote named origin, or nothing."""
    command = ["git", "-C", str(HOME), "remote", "get-url", "origin"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def with_first_cell(notebook: nbformat.NotebookNode, repository: str) -> nbformat.NotebookNode:
    """Return a notebook that begins by fetching the course from `repository`."""
    source = CELL.format(repository=repository, packages=packages())
    first = nbformat.v4.new_code_cell(source.strip(), id="colab", metadata={"cellView": "form"})
    notebook.cells.insert(0, first)
    return notebook


def packages() -> list[str]:
    """List the packages that the lessons need, by name, but those of the course itself: these come with its clone."""
    folders = [HOME, *(file.parent for file in HOME.glob("src/*/pyproject.toml"))]
    projects = [tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"] for folder in folders]
    needed = {Requirement(line).name.lower() for line in projects[0]["dependencies"]}
    return sorted(needed - {project["name"] for project in projects})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
