"""What data/ holds is what a command recorded there."""

import shutil

import pytest
from tools import record

NAMES = sorted(record.digests(record.DATA))


def test_all_recorded_files_are_as_they_were_recorded():
    assert record.changed(record.DATA) == [], "record them again: data/README.md has each one's command"


@pytest.mark.parametrize("name", NAMES)
def test_one_changed_digit_of_a_recorded_file_is_seen(tmp_path, name):
    shutil.copytree(record.DATA, tmp_path / "data")
    file = tmp_path / "data" / name
    content = file.read_bytes()
    at = max(content.rfind(b"%d" % digit) for digit in range(10))
    file.write_bytes(content[:at] + (b"8" if content[at : at + 1] == b"7" else b"7") + content[at + 1 :])
    assert record.changed(tmp_path / "data") == [name]


def test_a_command_lists_what_it_wrote_and_what_another_hand_wrote_stops_it(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "old.json").write_text("[1]")
    assert record.main([], folder) == 0
    (tmp_path / "recorder.py").write_text(f"open({str(folder / 'new.json')!r}, 'w').write('[0.25]')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert record.main(["recorder"], folder) == 0 and record.changed(folder) == []
    assert "digests.txt: new.json" in capsys.readouterr().out
    (folder / "old.json").write_text("[2]")
    assert record.main(["recorder"], folder) == 1
    assert "old.json" in capsys.readouterr().err
