"""The environment report: a line for each requirement, and for a missing one the command that brings it."""

from importlib import metadata

from bs4 import BeautifulSoup

from clockwork.kit import environment


def fold(report):
    return BeautifulSoup(report._repr_html_(), "html.parser").find("details")


def test_every_requirement_of_the_package_has_a_line():
    printed = repr(environment.report())
    base = [line.split(";")[0] for line in metadata.requires(environment.PACKAGE) if "extra ==" not in line]
    for line in base:
        assert f" {line.split('=')[0].split('>')[0].split('<')[0].strip()} " in printed
    assert " jupyterlab " in printed and "accelerators" in printed


def test_the_list_is_folded_when_all_is_well(monkeypatch):
    monkeypatch.setattr(environment.metadata, "requires", lambda package: ["torch>=2"])
    report = environment.report()
    assert report
    assert not fold(report).has_attr("open")
    assert fold(report).find("summary").text.startswith("Everything is there")
    assert "torch" in fold(report).find("pre").text


def test_missing_and_outdated_packages_are_told_with_the_remedy(monkeypatch):
    asked = ["torch>=2", "no-such-package>=1", "numpy>=9999", "pytest>=8; extra == 'test'"]
    monkeypatch.setattr(environment.metadata, "requires", lambda package: asked)
    report = environment.report()
    assert not report
    assert fold(report).has_attr("open")
    assert "python3 course.py lab" in fold(report).find("summary").text
    lines = repr(report).splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["[ok]", "[ok]", "[missing]", "[missing]"]
    assert "not installed, needs >=1" in lines[2] and "needs >=9999" in lines[3]
    assert "2 missing (no-such-package, numpy)" in lines[-1]
    assert not any("pytest" in line for line in lines)


def test_an_old_python_is_told(monkeypatch):
    monkeypatch.setattr(environment.platform, "python_version", lambda: "3.9.1")
    assert not environment.report()
    assert "[missing] python" in repr(environment.report())
