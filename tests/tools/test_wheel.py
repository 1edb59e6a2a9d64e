"""The wheel is whole: in an empty environment, away from the repository, every lesson's imports and examples work."""

import ast
import email
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import course
import nbformat
import pytest

HOME = Path(__file__).resolve().parents[2]
EXAMPLES = """
import doctest, importlib, json, pkgutil, re, sys
import PACKAGE as package
assert "site-packages" in package.__file__, package.__file__
names = [module.name for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
results = {name: doctest.testmod(importlib.import_module(name)) for name in names}
print(json.dumps({"modules": names, "tried": sum(r.attempted for r in results.values()),
                  "failed": [name for name, r in results.items() if r.failed]}))
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Install the course's wheel into an environment that holds nothing else; return its interpreter."""
    folder = tmp_path_factory.mktemp("wheel")
    make(folder, "src/pe_helpers")
    return installed(folder, "", "clockwork-course[lab]")


def make(folder, source):
    """Make the wheel of the folder `source` in `folder`."""
    command = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", folder, HOME / source]
    environment = course.uv_environment(course.pip_settings(Path(sys.executable)))
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def installed(folder, source, name):
    """Make the wheel of the folder `source` and install it, by `name`, into an environment of its own."""
    uv = [sys.executable, "-m", "uv"]
    environment = course.uv_environment(course.pip_settings(Path(sys.executable)))
    python = course.python_of(folder / "venv")
    torch = course.torch_by_name()
    constraints = ["-c", HOME / "constraints.txt"]
    make(folder, source)
    for command in (
        [*uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"],
        [*uv, "pip", "install", "--quiet", "--python", python, *constraints, *torch, name],
    ):
        given = {"UV_FIND_LINKS": ",".join(filter(None, [environment.get("UV_FIND_LINKS"), str(folder)]))}
        done = subprocess.run(command, env=environment | given, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return python


def run(python, code):
    done = subprocess.run([python, "-I", "-c", code], cwd=python.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_each_distribution_carries_its_own_packages_and_no_other(tmp_path):
    for source in ("", "src/pe_helpers", "src/pe_grading"):
        make(tmp_path, source)
    carried = {}
    for wheel in tmp_path.glob("*.whl"):
        files = zipfile.ZipFile(wheel).namelist()
        carried[wheel.name.split("-")[0]] = {name.split("/")[0] for name in files if ".dist-info/" not in name}
    assert carried == {
        "clockwork_course": {"clockwork"},
        "clockwork_pe_helpers": {"pe_helpers"},
        "clockwork_pe_grading": {"pe_grading"},
    }
    assert "pe_helpers/py.typed" in zipfile.ZipFile(next(tmp_path.glob("clockwork_pe_helpers-*"))).namelist()


@pytest.mark.slow
def test_the_helpers_bring_their_licence_and_say_whose_they_are_and_how_to_begin(tmp_path):
    make(tmp_path, "src/pe_helpers")
    wheel = zipfile.ZipFile(next(tmp_path.glob("*.whl")))
    (licence,) = (name for name in wheel.namelist() if name.endswith("LICENSE"))
    assert wheel.read(licence) == (HOME / "LICENSE").read_bytes()
    (about,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
    told = email.message_from_bytes(wheel.read(about))
    assert told["License-Expression"] == "MIT" and told["Author"] and told["License-File"] == "LICENSE"
    (example,) = re.findall(r"```python\n(.*?)```", told.get_payload(), re.S)
    exec(example, {})


def test_the_helpers_have_the_licence_of_the_repository():
    assert (HOME / "src/pe_helpers/LICENSE").read_bytes() == (HOME / "LICENSE").read_bytes()


@pytest.mark.slow
def test_every_public_example_runs_away_from_the_repository(elsewhere):
    for package, some in (("pe_helpers", "pe_helpers.sinusoidal"), ("clockwork", "clockwork.lessons.lesson_04.views")):
        told = json.loads(run(elsewhere, EXAMPLES.replace("PACKAGE", package)).splitlines()[-1])
        assert told["failed"] == []
        assert told["tried"] >= 10 and some in told["modules"]


@pytest.mark.slow
def test_the_helpers_need_nothing_but_torch(tmp_path):
    """Their wheel, in an environment with torch and what torch needs: all examples run, also the engineers' page's."""
    python = installed(tmp_path, "src/pe_helpers", "clockwork-pe-helpers")
    told = json.loads(run(python, EXAMPLES.replace("PACKAGE", "pe_helpers")).splitlines()[-1])
    assert told["failed"] == [] and told["tried"] >= 30
    example = re.search(r"```python\n(.*?)```", (HOME / "site/engineers.md").read_text("utf-8"), re.S)[1]
    sizes = (
        "import torch\nposition_ids = query_ids = key_ids = torch.arange(6)\nd_model, head_dim, num_heads = 32, 8, 4\n"
    )
    sizes += "x = torch.zeros(2, 6, 32)\nq = k = torch.ones(2, 4, 6, 8)\nscores = torch.zeros(2, 4, 6, 6)\n"
    run(python, sizes + example + "\nassert not any(name in __import__('sys').modules for name in ('tqdm', 'IPython'))")


@pytest.mark.slow
def test_the_grader_is_a_wheel_of_its_own(tmp_path):
    python = installed(tmp_path, "src/pe_grading", "clockwork-pe-grading")
    run(
        python,
        "from pe_grading import batch, cluster, export, sandbox, settings\n"
        "assert settings.current() == settings.Settings()\n"
        "from pe_grading.notebook import load_assignment\n"
        "example = sandbox.HERE / 'example' / 'source' / 'median' / 'median.ipynb'\n"
        "assert load_assignment(example).tests",
    )


@pytest.mark.slow
def test_every_import_of_every_lesson_works_away_from_the_repository(elsewhere):
    lines = set()
    for path in sorted((HOME / "notebooks").glob("**/*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            tree = ast.parse(cell.source if cell.cell_type == "code" else "")
            lines |= {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))}
    assert len(lines) > 10
    run(elsewhere, "\n".join(sorted(lines, key=lambda line: "__future__" not in line)))


def test_no_lesson_opens_a_file_by_a_path_that_holds_in_one_folder_only():
    for path in sorted((HOME / "notebooks").glob("**/*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                assert not re.search(r"""["'](\.\./|/|notebooks/|data/)""", cell.source), (path.name, cell.source)


@pytest.mark.slow
def test_every_file_of_data_lies_in_the_wheel(elsewhere):
    files = [path for path in (HOME / "data").rglob("*") if path.is_file()]
    sizes = {path.relative_to(HOME / "data").as_posix(): path.stat().st_size for path in files}
    asked = "from clockwork.kit.datafiles import data_file\n"
    asked += f"for name in {[*sizes]!r}: print(data_file(name).stat().st_size)"
    assert [int(size) for size in run(elsewhere, asked).split()] == [*sizes.values()]
