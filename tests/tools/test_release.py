"""A release has one version, and offers every distribution."""

import json

import pytest
from tools import release

PARTS = {
    "src/pe_helpers/__init__.py": '__version__ = "1.2.3"\n',
    "src/pe_grading/pyproject.toml": 'version = "1.2.3"\n',
}


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of version 1.2.3 that builds nothing."""
    project = '[project]\nname = "course"\nversion = "1.2.3"\ndependencies = ["clockwork-part==1.2.3"]\n'
    (tmp_path / "pyproject.toml").write_text(project)
    for name, text in PARTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "CITATION.cff").write_text("title: a course\nversion: 1.2.3\n")
    (tmp_path / ".zenodo.json").write_text(json.dumps({"version": "1.2.3"}))
    monkeypatch.setattr(release, "HOME", tmp_path)
    monkeypatch.setattr(release, "RELEASE", tmp_path / "release")
    monkeypatch.setattr(release.site, "main", lambda arguments: 3)
    return tmp_path


def test_the_site_s_address_is_the_one_setting_unless_another_is_given(monkeypatch):
    seen = []
    monkeypatch.setattr(release.site, "ADDRESS", "https://example.org/course")
    monkeypatch.setattr(release.site, "prepare", lambda *_: None)
    monkeypatch.setattr(release.site, "vendor", lambda: "")
    monkeypatch.setattr(release.site, "build", lambda output, address: seen.append(address) or 1)
    for arguments in ([], ["--address", "https://example.org/other"]):
        assert release.site.main(arguments) == 1
    assert seen == ["https://example.org/course", "https://example.org/other"]


def test_a_release_whose_files_disagree_is_refused_and_each_is_named(course, capsys):
    (course / "CITATION.cff").write_text("title: a course\nversion: 1.2.2\n")
    with pytest.raises(SystemExit):
        release.main([])
    said = " ".join(capsys.readouterr().err.split())
    assert "pyproject.toml 1.2.3" in said and "CITATION.cff 1.2.2" in said


@pytest.mark.parametrize("name", ["pyproject.toml", *PARTS])
def test_each_distribution_has_the_release_s_version(course, capsys, name):
    file = course / name
    file.write_text(file.read_text().replace('= "1.2.3"', '= "1.2.0"').replace("==1.2.3", "==1.2.0"))
    with pytest.raises(SystemExit):
        release.main([])
    assert f"{name} 1.2.0" in " ".join(capsys.readouterr().err.split())


def test_the_versions_of_the_course_and_its_distributions_agree():
    assert len(set(release.versions(release.HOME).values())) == 1


def test_a_tag_that_names_another_version_is_refused(course, capsys):
    with pytest.raises(SystemExit):
        release.main(["--tag", "v1.3.0"])
    assert "the tag 1.3.0" in " ".join(capsys.readouterr().err.split())


def test_where_all_agree_the_site_is_built_and_its_failure_is_the_releases(course):
    assert release.main(["--tag", "v1.2.3"]) == 3


def test_every_distribution_of_the_course_is_in_the_release():
    assert release.HOME in release.projects()
