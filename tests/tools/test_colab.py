"""Copies for Colab: their first cell fetches the course and what is missing, and never replaces Colab's torch."""

import importlib.metadata
import os
import subprocess
import sys
import types
from pathlib import Path

import nbformat
import pytest
from tools import colab, lessons

ADDRESS = "https://example.org/course.git"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Make this process look like a Colab that lacks two of our packages; return the commands that were run."""
    commands = []

    def run(command, check):
        assert check
        commands.append(command)
        if command[0] == "git":
            (Path(command[-1]) / "notebooks").mkdir(parents=True)

    packages = [types.SimpleNamespace(metadata={"Name": name}, version="9.9") for name in colab.packages()]
    packages = [package for package in packages if package.metadata["Name"] not in ("anywidget", "safetensors")]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: packages)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return commands


def first_cell():
    return colab.with_first_cell(nbformat.v4.new_notebook(), ADDRESS).cells[0].source


def test_only_what_is_missing_is_installed_and_torch_is_held_as_it_is(here, tmp_path):
    exec(first_cell(), {})
    clone, install = here
    assert clone[:2] == ["git", "clone"] and clone[-2:] == [ADDRESS, str(tmp_path / "clockwork")]
    assert install[:4] == [sys.executable, "-m", "pip", "install"]
    assert install[5:] == ["anywidget", "safetensors", "torch==9.9", "numpy==9.9"]
    assert sys.path[0] == str(tmp_path / "clockwork/src")
    assert Path.cwd() == tmp_path / "clockwork/notebooks", "../data and ../src are found from there"


def test_running_the_cell_again_fetches_nothing_again(here):
    exec(first_cell(), {})
    exec(first_cell(), {})
    assert [command[0] for command in here].count("git") == 1


def test_elsewhere_the_cell_does_nothing(here, monkeypatch):
    monkeypatch.delitem(sys.modules, "google.colab")
    before = os.getcwd(), list(sys.path)
    exec(first_cell(), {})
    assert here == [] and before == (os.getcwd(), sys.path)


def test_a_copy_is_the_lesson_after_its_first_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(colab, "COLAB", tmp_path / "build/colab")
    assert colab.main(["--repository", ADDRESS]) == 0
    for path in lessons.every():
        copy = nbformat.read(tmp_path / "build/colab" / path.name, as_version=4)
        nbformat.validate(copy)
        assert ADDRESS in copy.cells[0].source
        assert copy.cells[1:] == nbformat.read(path, as_version=4).cells


def test_without_an_address_the_command_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(colab, "origin", lambda: "")
    with pytest.raises(SystemExit):
        colab.main([])
    assert "--repository" in capsys.readouterr().err
