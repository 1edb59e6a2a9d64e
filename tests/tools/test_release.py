"""A release has one version, and offers every distribution."""

import json

import pytest
from tools import release


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of version 1.2.3 that builds nothing."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "course"\nversion = "1.2.3"\n')
    (tmp_path / "CITATION.cff").write_text("title: a course\nversion: 1.2.3\n")
    (tmp_path / ".zenodo.json").write_text(json.dumps({"version": "1.2.3"}))
    monkeypatch.setattr(release, "HOME", tmp_path)
    monkeypatch.setattr(release, "RELEASE", tmp_path / "release")
    monkeypatch.setattr(release.site, "main", lambda arguments: 3)
    return tmp_path


def test_a_release_whose_files_disagree_is_refused_and_each_is_named(course, capsys):
    (course / "CITATION.cff").write_text("title: a course\nversion: 1.2.2\n")
    with pytest.raises(SystemExit):
        release.main([])
    said = " ".join(capsys.readouterr().err.split())
    assert "pyproject.toml 1.2.3" in said and "CITATION.cff 1.2.2" in said


def test_a_tag_that_names_another_version_is_refused(course, capsys):
    with pytest.raises(SystemExit):
        release.main(["--tag", "v1.3.0"])
    assert "the tag 1.3.0" in " ".join(capsys.readouterr().err.split())


def test_where_all_agree_the_site_is_built_and_its_failure_is_the_releases(course):
    assert release.main(["--tag", "v1.2.3"]) == 3


def test_every_distribution_of_the_course_is_in_the_release():
    assert release.HOME in release.projects()
