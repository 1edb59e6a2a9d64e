"""Write what a release offers into build/release/: `python3 course.py release`.

That is the site, which works from disk; a wheel of each distribution; and the course with its citation, as one archive.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tools import colab, site

HOME = Path(__file__).resolve().parent.parent
RELEASE = HOME / "build" / "release"


def main(arguments: list[str]) -> int:
    """Write the files of a release, or say which version does not fit."""
    parser = argparse.ArgumentParser(prog="course.py release", description=__doc__)
    parser.add_argument("--tag", default="", help="the tag of the release, such as v0.3.0, which must name the version")
    parser.add_argument("--address", default=site.ADDRESS, help="as for course.py site")
    parser.add_argument("--repository", default=colab.origin(), help="as for course.py site")
    given = parser.parse_args(arguments)
    found = versions(HOME) | ({"the tag": given.tag.removeprefix("v")} if given.tag else {})
    if len(set(found.values())) > 1:
        told = ", ".join(f"{file} {version}" for file, version in found.items())
        parser.error(f"a release must have one version in all its files, got {told}")
    version = found["pyproject.toml"]
    shutil.rmtree(RELEASE, ignore_errors=True)
    RELEASE.mkdir(parents=True)
    if code := site.main(["--address", given.address, "--repository", given.repository]):
        return code
    shutil.make_archive(str(RELEASE / f"clockwork-{version}-site"), "zip", site.BUILD / "site")
    archive = RELEASE / f"clockwork-{version}.zip"
    prefix = f"--prefix=clockwork-{version}/"
    subprocess.run(["git", "-C", HOME, "archive", "--format=zip", prefix, f"--output={archive}", "HEAD"], check=True)
    for project in projects():
        subprocess.run([sys.executable, "-m", "uv", "build", "--wheel", "--out-dir", RELEASE, project], check=True)
    print(*sorted(path.name for path in RELEASE.iterdir() if path.suffix in (".zip", ".whl")), sep="\n")
    return 0


def projects() -> list[Path]:
    """List the folders that hold a distribution of the course."""
    listed = subprocess.run(
        ["git", "-C", HOME, "ls-files", "*pyproject.toml"], capture_output=True, text=True, check=True
    )
    return [(HOME / name).parent for name in listed.stdout.split()]


def versions(home: Path) -> dict[str, str]:
    """Return the version that each file names which people cite or install by."""
    project = tomllib.loads((home / "pyproject.toml").read_text("utf-8"))["project"]
    cited = re.search(r"^version: (\S+)$", (home / "CITATION.cff").read_text("utf-8"), flags=re.M)
    kept = json.loads((home / ".zenodo.json").read_text("utf-8"))
    found = {"pyproject.toml": project["version"], "CITATION.cff": cited[1], ".zenodo.json": kept["version"]}
    for name in ("src/pe_helpers/__init__.py", "src/pe_grading/pyproject.toml"):
        found[name] = re.search(r'^(?:__version__|version) = "(.+)"$', (home / name).read_text("utf-8"), flags=re.M)[1]
    for line in project["dependencies"]:
        if line.startswith("clockwork-"):
            found[f"what pyproject.toml needs of {line.partition('==')[0]}"] = line.partition("==")[2]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
