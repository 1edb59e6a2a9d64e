"""A class's number: made with a secret, the same at release and at grading, and old classes keep theirs."""

import hashlib
import json
import re

import pytest
from classroom import HOSTILE, PROBE, grades, hand_in, pe_grade
from conftest import require

from pe_grading import classes, release, sandbox


@pytest.fixture(autouse=True)
def teacher(tmp_path, monkeypatch):
    """A teacher's own folder."""
    monkeypatch.setattr(classes, "SALTS", tmp_path / "private" / "classes.json")
    monkeypatch.setattr(release, "SALTS", classes.SALTS)


def by_name(name):
    """What anybody can work out."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:7], 16)


def released(tmp_path, name):
    assert release.main(["--source", str(HOSTILE), "--to", str(tmp_path / "handout"), "--seed", name]) == 0
    text = (tmp_path / "handout" / "probe.ipynb").read_text("utf-8")
    return int(re.search(r"SEED = (\d+)", text)[1])


def test_two_teachers_classes_of_one_name_have_other_numbers(tmp_path, monkeypatch):
    mine = classes.new_class("spring A")
    assert mine == classes.class_seed("spring A") == classes.new_class("spring A")
    monkeypatch.setattr(classes, "SALTS", tmp_path / "colleague" / "classes.json")
    theirs = classes.new_class("spring A")
    assert len({mine, theirs, by_name("spring A")}) == 3
    assert classes.SALTS.stat().st_mode & 0o777 == 0o600


def test_a_second_class_leaves_the_first_its_number():
    first = classes.new_class("spring A")
    classes.new_class("Gruppe ä")
    assert classes.class_seed("spring A") == first and set(classes.salts()) == {"spring A", "Gruppe ä"}


def test_a_number_stays_itself_and_an_old_class_has_what_its_name_gives():
    assert classes.new_class("77") == classes.class_seed("77") == 77 and not classes.SALTS.exists()
    assert classes.class_seed("spring A") == by_name("spring A")


def test_a_damaged_file_is_told_with_the_way_out(tmp_path, capsys):
    classes.SALTS.parent.mkdir()
    hand_in(tmp_path / "in", "ann")
    for damaged in ("{", "[1]"):
        classes.SALTS.write_text(damaged)
        with pytest.raises(SystemExit):
            pe_grade(tmp_path / "in", tmp_path / "out", "--seed", "spring A")
        assert "must hold the salts" in (said := capsys.readouterr().err) and "SEED =" in said
        assert release.main(["--source", str(HOSTILE), "--to", str(tmp_path / "to"), "--seed", "spring A"]) == 2


def test_a_class_is_graded_and_graded_again_by_its_name_and_without_the_file_by_its_number(tmp_path, capsys):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    source = tmp_path / "source" / "probe" / "probe.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(PROBE.read_text())
    seed = classes.new_class("spring A")
    text = PROBE.read_text().replace("SEED = 0", f"SEED = {seed}")
    hand_in(tmp_path / "in", "ann", lambda book: book.update(json.loads(text)))

    def graded(out, name):
        assert pe_grade(tmp_path / "in", tmp_path / out, "--seed", name, source=tmp_path / "source") == 0
        return grades(tmp_path / out)["ann"], "another seed" in capsys.readouterr().err

    assert graded("out", "spring A") == graded("out", "spring A") == ("6", False)
    classes.SALTS.unlink()
    assert graded("out", "spring A")[1]
    assert graded("out", str(seed)) == ("6", False)
