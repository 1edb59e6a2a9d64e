"""The environment report: a line for each requirement, and for a missing one the command that brings it."""

from importlib import metadata

from pe_helpers import environment


def test_every_requirement_of_the_package_has_a_line(capsys):
    environment.report()
    printed = capsys.readouterr().out
    base = [line.split(";")[0] for line in metadata.requires(environment.PACKAGE) if "extra ==" not in line]
    for line in base:
        assert f" {line.split('=')[0].split('>')[0].split('<')[0].strip()} " in printed
    assert " jupyterlab " in printed and "accelerators" in printed


def test_missing_and_outdated_packages_are_told_with_the_remedy(monkeypatch, capsys):
    asked = ["torch>=2", "no-such-package>=1", "numpy>=9999", "pytest>=8; extra == 'test'"]
    monkeypatch.setattr(environment.metadata, "requires", lambda package: asked)
    assert environment.report() is False
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["[ok]", "[ok]", "[missing]", "[missing]"]
    assert "not installed, needs >=1" in lines[2] and "needs >=9999" in lines[3]
    assert all("python3 course.py lab" in line for line in lines[2:4])
    assert not any("pytest" in line for line in lines)


def test_an_old_python_is_told(monkeypatch, capsys):
    monkeypatch.setattr(environment.platform, "python_version", lambda: "3.9.1")
    assert environment.report() is False
    assert "[missing] python" in capsys.readouterr().out
