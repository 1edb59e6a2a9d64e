"""The set-up: one list of packages, one command, clear words when something is wrong."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import course
import pytest

HOME = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]


def names(requirements):
    return {re.split(r"[\[<>=~!; ]", requirement)[0].lower().replace("_", "-") for requirement in requirements}


def test_environment_yml_repeats_no_package():
    entries = re.findall(r"^\s*- (?!pip:)(.+)$", (HOME / "environment.yml").read_text(), flags=re.M)
    assert entries == ["conda-forge", "python>=3.11", "pip", "-c constraints.txt", "-e .[lab]"]
    assert PROJECT["requires-python"] == ">=3.11"
    assert "lab" in PROJECT["optional-dependencies"]


def test_constraints_pin_every_requirement_of_the_tested_set():
    lines = [line for line in (HOME / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pins = dict(line.lower().split("==") for line in lines)
    extras = PROJECT["optional-dependencies"]
    wanted = names([*PROJECT["dependencies"], *(r for e in ("lab", "test", "grade", "sweep") for r in extras[e])])
    assert wanted <= set(pins)
    assert pins["torch"] == "2.13.0"
    assert not [pin for pin in pins.values() if "+" in pin or "/" in pin], "where a package came from is not recorded"


def test_installed_versions_are_the_constrained_ones():
    lines = (HOME / "constraints.txt").read_text().splitlines()
    for line in (line for line in lines if not line.startswith("#")):
        name, pin = line.split("==")
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        assert installed.split("+")[0] == pin, name


def test_every_verb_names_extras_that_exist():
    for extras, command, _ in course.VERBS.values():
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
        assert command[0] == "-m" or (HOME / command[0]).is_file()


def test_the_standard_library_is_all_that_the_command_needs():
    result = subprocess.run([sys.executable, "-S", "-I", HOME / "course.py"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "python3 course.py lab" in result.stdout


def test_an_unknown_verb_lists_the_known_ones(capsys):
    assert course.main(["lap"]) == 2
    assert "open JupyterLab" in capsys.readouterr().out


def test_an_old_python_is_named_with_the_remedy(monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 9, 0))
    assert course.main(["lab"]) == 1
    assert "needs Python 3.11 or newer" in capsys.readouterr().err


@pytest.fixture
def bare_home(tmp_path, monkeypatch):
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text("x")
    monkeypatch.setattr(course, "HOME", tmp_path)
    monkeypatch.setattr(course, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(course, "PYTHON", tmp_path / ".venv/bin/python")
    monkeypatch.setattr(course, "STAMP", tmp_path / ".venv/clockwork-stamp")
    monkeypatch.setattr(course, "CONSTRAINTS", tmp_path / "constraints.txt")
    return tmp_path


def make_environment(command, **_):
    (course.VENV / "bin").mkdir(parents=True, exist_ok=True)
    course.PYTHON.write_text("")
    return 0


def test_an_interrupted_installation_is_made_good_by_a_second_run(bare_home, monkeypatch):
    monkeypatch.setattr(subprocess, "call", lambda *_, **__: 0)
    monkeypatch.setattr(subprocess, "check_call", make_environment)

    def no_network(_):
        raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(course, "install", no_network)
    wrong, remedy = course.prepare({"lab"})
    assert "installation failed" in wrong and "network" in remedy
    assert not course.STAMP.exists()
    installed = []
    monkeypatch.setattr(course, "install", installed.append)
    assert course.prepare({"lab"}) is None
    assert installed and course.prepare({"lab"}) is None and len(installed) == 1, "the second start does nothing"


def test_a_full_disk_is_named(bare_home, monkeypatch):
    monkeypatch.setattr(course.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1.2e9}))
    monkeypatch.setattr(
        subprocess, "check_call", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    wrong, remedy = course.prepare({"lab"})
    assert "No space left on device" in wrong and "1.2 GB are free" in remedy


def test_changed_requirements_install_again_and_keep_earlier_extras(bare_home, monkeypatch):
    monkeypatch.setattr(subprocess, "call", lambda *_, **__: 0)
    monkeypatch.setattr(subprocess, "check_call", make_environment)
    installed = []
    monkeypatch.setattr(course, "install", installed.append)
    course.prepare({"lab"})
    course.prepare({"test"})
    assert installed[-1][-1] == ".[lab,test]"
    (bare_home / "pyproject.toml").write_text("y")
    course.prepare({"lab"})
    assert len(installed) == 3


@pytest.mark.parametrize(("key", "variable"), course.PIP_TO_UV.items())
def test_settings_of_pip_reach_uv(key, variable, monkeypatch):
    calls = []
    monkeypatch.delenv(variable, raising=False)
    listing = type("Listing", (), {"stdout": f"global.{key}='somewhere'\n"})
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: listing)
    monkeypatch.setattr(subprocess, "call", lambda command, **options: calls.append((command, options)) or 0)
    course.install(["-e", "."])
    assert calls[-1][1]["env"][variable] == "somewhere"


def test_nothing_is_installed_but_the_tested_versions_not_even_uv(monkeypatch):
    calls = []
    monkeypatch.setattr(subprocess, "call", lambda command, **_: calls.append([*map(str, command)]) or 0)
    course.install(["-c", "constraints.txt", "-e", "."])
    assert len(calls) == 2
    for command in calls:
        assert (HOME / command[command.index("-c") + 1]).samefile(HOME / "constraints.txt")


def test_pip_takes_over_where_uv_cannot(monkeypatch):
    calls = []
    monkeypatch.setattr(subprocess, "call", lambda *_, **__: 1)
    monkeypatch.setattr(subprocess, "check_call", lambda command, **_: calls.append(command))
    course.install(["-e", "."])
    assert calls[0][2:4] == ["pip", "install"]
