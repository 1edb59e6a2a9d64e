"""A class's server, without a server: the recipes run here, in a box, with stand-ins for the installers."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import nbformat
import pytest
import yaml
from conftest import require
from traitlets.config import Config

HOME = Path(__file__).resolve().parents[2]
DEPLOY = HOME / "deploy"
VALUES = yaml.safe_load((DEPLOY / "z2jh.yaml").read_text("utf-8"))
STUDENTS_HOME = "/home/jovyan"  # where Zero to JupyterHub mounts a student's volume, and repo2docker puts a repository
TOLD = re.search(r"--target-repo-dir (\S+)", (DEPLOY / "README.md").read_text("utf-8"))
OPT = "/opt"  # where The Littlest JupyterHub is
STANDS_IN = f'#!/bin/bash\nprintf "%s" "$0" >> {OPT}/log; printf "\\t%s" "$@" >> {OPT}/log; echo >> {OPT}/log\n'
PROGRAMS = {  # what the script calls: what it does instead
    "opt/tljh/user/bin/pip": 'if [ "$1" = list ]; then echo anywidget==0.99.1; fi',
    "opt/tljh/user/bin/python": f'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp {OPT}/tljh/user/bin/* "$3/bin"; fi',
    "opt/bin/git": f'if [ "$1" = clone ]; then cp -r {OPT}/repository "${{@: -1}}"; fi',
    "opt/bin/tljh-config": "",
}


def box(*arguments):
    require(shutil.which("bwrap"), "install bubblewrap (the package `bubblewrap`)")
    return ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", *map(str, arguments)]


# Kubernetes


@pytest.mark.parametrize("place, there", [(TOLD[1] if TOLD else STUDENTS_HOME, True), (STUDENTS_HOME, False)])
def test_the_students_empty_volume_hides_no_package(place, there, tmp_path):
    """An editable installation points at where the repository lay in the image."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    (packages,) = (tmp_path / "env").glob("lib/*/site-packages")
    (packages / "course.pth").write_text(f"{place}/src\n")
    (tmp_path / "volume").mkdir()
    image = ["--tmpfs", "/home", "--tmpfs", "/srv", "--ro-bind", HOME, place]
    pod = ["--bind", tmp_path / "volume", STUDENTS_HOME, "--ro-bind", sys.base_prefix, sys.base_prefix]
    code = "import clockwork, importlib.util as u; print(clockwork.__file__, bool(u.find_spec('pe_helpers')))"
    code = [tmp_path / "env/bin/python", "-c", code]
    assert subprocess.run(box(*image, *code), capture_output=True, text=True).returncode == 0, "in the image"
    ran = subprocess.run(box(*image, *pod, *code), capture_output=True, text=True)
    assert (ran.returncode == 0) is there, ran.stderr
    assert not there or ran.stdout == f"{place}/src/clockwork/__init__.py True\n"


@pytest.mark.parametrize("status", [0, 1])
def test_a_server_starts_also_where_the_repository_does_not_answer(status, tmp_path):
    program = tmp_path / "gitpuller"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/given\nexit {status}\n')
    program.chmod(0o755)
    command = VALUES["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert subprocess.run(command, cwd="/", env=environment).returncode == 0
    assert (tmp_path / "given").read_text().split() == ["REPOSITORY", "main", f"{STUDENTS_HOME}/clockwork"]


def test_the_server_works_in_the_students_volume_and_not_in_the_image():
    assert VALUES["hub"]["config"]["KubeSpawner"]["working_dir"] == STUDENTS_HOME


# The Littlest JupyterHub


@pytest.fixture
def server(tmp_path):
    """What the script leaves under /opt, and what it called, on a server that other courses use too."""
    for name, does in PROGRAMS.items():
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"{STANDS_IN}{does}\n")
        program.chmod(0o755)
    for name in ("deploy", "tools"):
        shutil.copytree(HOME / name, tmp_path / "opt/repository" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HOME / "constraints.txt", tmp_path / "opt/repository")
    shared = files(tmp_path / "opt/tljh/user")
    path = ["--bind", tmp_path / "opt", OPT, "--setenv", "PATH", f"{OPT}/bin:{os.environ['PATH']}"]
    for _ in range(2):  # the second renews the course
        ran = subprocess.run(
            box(*path, "bash", DEPLOY / "tljh.sh", "REPOSITORY"), stderr=subprocess.PIPE, text=True, timeout=60
        )
        assert ran.returncode == 0, ran.stderr
    calls = [line.split("\t") for line in (tmp_path / "opt/log").read_text().splitlines()]
    assert files(tmp_path / "opt/tljh/user") == shared, "the script itself writes nothing there"
    return tmp_path / "opt", calls


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_users_environment_gets_the_front_ends_and_nothing_that_downgrades(server):
    _, calls = server
    asked = [call[2:] for call in calls if call[0] == f"{OPT}/tljh/user/bin/pip" and call[1] != "list"]
    assert asked == 2 * [["anywidget", "ipywidgets", "nbgitpuller"]]


def test_the_course_has_a_kernel_of_its_own_whose_widgets_fit_the_browsers(server):
    _, calls = server
    kernel = [call for call in calls if call[0].startswith(f"{OPT}/clockwork-kernel/")]
    asked = [call[2:] for call in kernel if call[0].endswith("/pip")]
    assert asked[-1] == ["anywidget==0.99.1"] and all("-c" in packages for packages in asked if len(packages) > 1)
    assert any(f"{OPT}/clockwork[lab]" in packages for packages in asked)
    (spec, _) = ([*call[1:]] for call in kernel if "ipykernel" in call)
    assert spec[:4] == ["-m", "ipykernel", "install", "--prefix"] and spec[4] == f"{OPT}/tljh/user"
    assert spec[spec.index("--name") + 1] != "python3", "other courses' notebooks keep theirs"


def contents(opt, monkeypatch, folder):
    """The files of a server that was started as the hub starts it."""
    hub = types.SimpleNamespace(Spawner=types.SimpleNamespace(environment={}))
    exec((opt / "tljh/config/jupyterhub_config.d/clockwork.py").read_text(), {"c": hub})
    config = opt.parent / hub.Spawner.environment["JUPYTER_CONFIG_PATH"].lstrip("/")
    monkeypatch.setenv("CLOCKWORK_PICTURES", hub.Spawner.environment["CLOCKWORK_PICTURES"])
    settings = Config()
    exec((config / "jupyter_server_config.py").read_text("utf-8"), {"c": settings})
    return settings.ServerApp.contents_manager_class(root_dir=str(folder))


def test_the_server_finds_the_pictures_where_the_script_lets_them_be_made(server, monkeypatch, tmp_path):
    opt, calls = server
    (wanted, _) = (call[3:] for call in calls if call[1:3] == ["-m", "tools.pictures"])
    contents(opt, monkeypatch, tmp_path)
    assert wanted == [os.environ["CLOCKWORK_PICTURES"]]


def test_the_image_makes_the_pictures_where_its_servers_find_them():
    made = re.search(r"-m tools\.pictures (\S+)", (HOME / "postBuild").read_text("utf-8"))[1]
    assert VALUES["singleuser"]["extraEnv"]["CLOCKWORK_PICTURES"] == f"{TOLD[1]}/{made}"
    assert os.access(HOME / "postBuild", os.X_OK)


def test_a_lesson_opens_with_the_course_s_kernel_and_another_notebook_with_its_own(server, monkeypatch, tmp_path):
    opt, calls = server
    installed = next(call for call in calls if "ipykernel" in call)
    name = installed[installed.index("--name") + 1]
    (tmp_path / "home/clockwork/src/clockwork").mkdir(parents=True)
    lessons = {
        "clockwork/notebooks/02_lesson.ipynb": ("python3", name),
        "clockwork/notebooks/deeper/02_deeper.ipynb": ("python3", name),
        "clockwork/notebooks/chosen.ipynb": ("julia-1.11", "julia-1.11"),
        "clockwork/scratch/mine.ipynb": ("python3", "python3"),
        "other/notebooks/theirs.ipynb": ("python3", "python3"),
    }
    for path, (kernel, _) in lessons.items():
        book = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": kernel, "display_name": kernel}})
        (tmp_path / "home" / path).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(book, tmp_path / "home" / path)
    manager = contents(opt, monkeypatch, tmp_path / "home")
    for path, (_, wanted) in lessons.items():
        model = asyncio.run(manager.get(path))
        assert model["content"]["metadata"]["kernelspec"]["name"] == wanted, path
        assert asyncio.run(manager.get(path, content=False))["content"] is None
    listed = asyncio.run(manager.get("clockwork/notebooks"))
    assert listed["type"] == "directory" and len(listed["content"]) == 3
