"""One person is one student: in every attempt, table, request and page, whatever an LMS calls the files."""

import csv
import json
import re
import zipfile

import pytest
from bs4 import BeautifulSoup
from classroom import HOSTILE, PROBE, answer, cell, grades, hand_in, page, pe_grade, review, table
from conftest import require
from test_lms import keep

from pe_grading import __main__ as cli
from pe_grading import collect, late, roster, sandbox
from pe_grading.notebook import load_assignment
from pe_grading.review import Queue

ESSAY = "The exponential turns sums into products, so the constant cancels in the quotient."
CANVAS = 'Student,ID,SIS User ID,SIS Login ID,Section\n"Lee, Ann",101,007,ann,A\n"Ito, Bob",102,8,bob,B\n'


def find(folder, only="probe"):
    """What is found in a folder, and what is said about it."""
    queue = Queue()
    found = collect.find_submissions(folder, ["probe"], only, queue, {"probe": load_assignment(PROBE)})
    return {one.student: one.called for one in found}, [item.what for item in queue.items]


def boxed():
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")


def write_table(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


@pytest.mark.parametrize(
    "student, old, new",
    [
        ("leeann_101", "leeann_101_5678_probe", "leeann_LATE_101_15678_probe-1"),
        ("task_1_alee", "task_1_alee_attempt_2027-03-01-10-11-12_probe", "task_1_alee_attempt_2027-03-02-09-00-00_p"),
    ],
)
def test_of_two_attempts_the_newest_is_graded_and_the_old_one_is_said(tmp_path, student, old, new):
    for name in (old, new):
        hand_in(tmp_path, name, name="")
    found, said = find(tmp_path)
    assert found == {student: new}
    assert any(f"{new} counts: it is the newest" in what and old in what for what in said)


def test_a_second_file_of_one_attempt_takes_nobodys_place(tmp_path):
    hand_in(tmp_path, "leeann_101_5678_probe", name="")
    hand_in(tmp_path, "leeann_101_5679_notes", lambda book: book.update(cells=book["cells"][:1]), name="")
    found, said = find(tmp_path)
    assert found == {"leeann_101": "leeann_101_5678_probe"}
    assert any("nothing newer is a notebook of probe" in what and "5679_notes" in what for what in said)


def test_blackboards_receipts_are_one_line_and_one_without_a_notebook_is_named(tmp_path):
    for login in ("alee", "bito"):
        hand_in(tmp_path, f"task_{login}_attempt_2027-03-01-10-11-12_probe", name="")
    for login in ("alee", "bito", "zoe"):
        (tmp_path / f"task_{login}_attempt_2027-03-01-10-11-12.txt").write_text("Submission Field: I typed it here.")
    found, said = find(tmp_path)
    assert found.keys() == {"task_alee", "task_bito"} and len(said) == 2
    assert "zoe" in said[0] and "without a notebook" in said[0] and "2 .txt files" in said[1]


def test_what_was_typed_into_moodle_beside_a_notebook_is_no_second_submission(tmp_path):
    hand_in(tmp_path, "Ann Lee_5501_assignsubmission_file_", name="probe.ipynb")
    typed = tmp_path / "Ann Lee_5501_assignsubmission_onlinetext_"
    typed.mkdir()
    (typed / "onlinetext.html").write_text("<p>see file</p>")
    hand_in(tmp_path, "Bob Ito_5502_assignsubmission_file_probe", name="")
    found, said = find(tmp_path)
    assert found.keys() == {"Ann Lee_5501", "Bob Ito_5502"}
    assert any("typed into Moodle" in what for what in said)


def test_handing_in_again_keeps_the_mark_of_an_unchanged_essay_and_one_row(tmp_path):
    boxed()
    first = hand_in(tmp_path / "in", "leeann_101_5678_probe", lambda b: cell(b, "why").update(source=ESSAY), name="")
    again = ["--assignment", "probe", "--gradebook"]
    assert pe_grade(tmp_path / "in", tmp_path / "out", *again) == 0
    marks = write_table(
        tmp_path / "marks.csv",
        ["student", "assignment", "grade_id", "points", "comment"],
        ["leeann_101", "probe", "why", "1", "clear"],
    )
    assert cli.main(["marks", str(marks), "--out", str(tmp_path / "out")]) == 0
    first.unlink()

    def changed(book):
        cell(book, "why").update(source=ESSAY)
        answer("def slopes(n):\n    return 1")(book)

    hand_in(tmp_path / "in", "leeann_101_9999_probe-1", changed, name="")
    assert pe_grade(tmp_path / "in", tmp_path / "out", *again) == 0
    assert grades(tmp_path / "out") == {"leeann_101": "5"}, "4 for the tests that pass, 1 for the essay"
    assert "clear" in page(tmp_path / "out", "leeann_101")
    assert [path.name for path in (tmp_path / "out" / "feedback").iterdir()] == ["leeann_101"]


def test_an_attempt_with_the_same_content_is_graded_once_and_known_by_its_new_name(tmp_path):
    boxed()
    old = hand_in(tmp_path / "in", "leeann_101_5678_probe", name="")
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--assignment", "probe") == 0
    old.rename(tmp_path / "in" / "leeann_LATE_101_9999_probe.ipynb")
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--assignment", "probe") == 0
    kept = json.loads((tmp_path / "out" / "results" / "probe" / "leeann_101.json").read_text())
    assert kept["result"]["called"] == "leeann_LATE_101_9999_probe"


def test_one_person_under_two_names_and_a_page_with_the_rosters_name(tmp_path):
    boxed()
    hand_in(tmp_path / "in", "101")
    hand_in(tmp_path / "in", "ann")
    hand_in(tmp_path / "in", "bob")
    (tmp_path / "roster.csv").write_text(CANVAS)
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--roster", tmp_path / "roster.csv") == 0
    assert any("101 and ann are one person" in what for _, _, what in review(tmp_path / "out"))
    assert "For Bob Ito." in page(tmp_path / "out", "bob")
    assert pe_grade(tmp_path / "in", tmp_path / "out2") == 0
    assert "For bob." in page(tmp_path / "out2", "bob")


@pytest.fixture
def out(tmp_path):
    boxed()
    for student in ("leeann_101_5678_probe", "itobob_102_5679_probe"):
        hand_in(tmp_path / "in", student, lambda book: cell(book, "why").update(source=ESSAY), name="")
    (tmp_path / "roster.csv").write_text(CANVAS)
    more = ["--assignment", "probe", "--roster", tmp_path / "roster.csv", "--gradebook"]
    assert pe_grade(tmp_path / "in", tmp_path / "out", *more) == 0
    return tmp_path / "out"


HEAD = ["student", "assignment", "grade_id", "points", "comment"]


def take(out, *tables):
    return cli.main(["marks", *map(str, tables), "--out", str(out), "--roster", str(out.parent / "roster.csv")])


def test_a_request_and_a_mark_find_their_student_by_any_of_his_names(out, tmp_path, capsys):
    rows = [["student", "assignment", "grade_id", "reason"]]
    rows += [[name, "probe", "why", "?"] for name in ("Ann Lee", "Lee, Ann", "007", "leeann_101", "nobody")]
    requests = write_table(tmp_path / "requests.csv", *rows)
    assert cli.main(["regrade", str(requests), "--out", str(out), "--roster", str(tmp_path / "roster.csv")]) == 0
    assert [row["state"] for row in table(out / "regrade.csv")] == ["pending"] * 4 + [
        "nothing was graded under these names"
    ]
    assert take(out, write_table(tmp_path / "marks.csv", HEAD, ["Ann Lee", "probe", "why", "1", "good"])) == 0
    assert grades(out)["leeann_101"] == "7" and "good" in page(out, "leeann_101"), "the page is there at once"
    assert (
        take(out, write_table(tmp_path / "refused.csv", HEAD, ["Ann Lee", "probe", "test_slopes", "", "it stands"]))
        == 0
    )
    assert "0 marks and 1 comment taken" in capsys.readouterr().out and "it stands" in page(out, "leeann_101")


def test_marks_without_a_gradebook_are_refused_in_one_sentence(tmp_path, capsys):
    boxed()
    hand_in(tmp_path / "in", "ann")
    pe_grade(tmp_path / "in", tmp_path / "out")
    marks = write_table(
        tmp_path / "marks.csv", ["student", "assignment", "grade_id", "points"], ["ann", "probe", "why", 1]
    )
    capsys.readouterr()
    assert cli.main(["marks", str(marks), "--out", str(tmp_path / "out")]) == cli.BAD_ARGUMENT
    assert "grade once without --no-gradebook; nothing was changed\n" in capsys.readouterr().err


def test_two_markers_hand_in_a_table_each_and_must_agree(out, tmp_path, capsys):
    one = write_table(tmp_path / "a.csv", HEAD, ["Ann Lee", "probe", "why", "1", "clear"])
    two = write_table(
        tmp_path / "b.csv", HEAD, ["101", "probe", "why", "0.5", "thin"], ["bob", "probe", "why", "0", ""]
    )
    assert take(out, one, two) == 2
    told = capsys.readouterr().err
    assert "1 in a.csv, 0.5 in b.csv" in told and set(grades(out).values()) == {"6"}, "nothing is written"
    two = write_table(
        tmp_path / "b.csv", HEAD, ["101", "probe", "why", "1.0", "thin"], ["bob", "probe", "why", "0", ""]
    )
    assert take(out, one, two) == 0
    assert grades(out) == {"leeann_101": "7", "itobob_102": "6"}
    assert "clear; thin" in page(out, "leeann_101")
    capsys.readouterr()
    assert take(out, write_table(tmp_path / "c.csv", HEAD, ["101", "probe", "why", "0.5", ""])) == 0
    assert "leeann_101, probe, why: 1 becomes 0.5" in capsys.readouterr().out


def test_markers_share_the_answers_and_nobody_is_left_out_or_marked_twice(out, capsys):
    seen = []
    for part in ("1/2", "2/2"):
        assert (
            cli.main(["marking", "--out", str(out), "--source", str(HOSTILE), "--assignment", "probe", "--part", part])
            == 0
        )
        html = (out / f"marking-{part.replace('/', '-of-')}.html").read_text(encoding="utf-8")
        seen += [article["data-student"] for article in BeautifulSoup(html, "html.parser").find_all("article")]
        assert f"marks-{part.replace('/', '-of-')}.csv" in html
    assert len(seen) == len(set(seen)) == 2
    with pytest.raises(SystemExit):
        cli.main(["marking", "--out", str(out), "--part", "3/2"])


def known_to_canvas(name, submissions):
    """Who a file belongs to, by `infer_comment_context_from_filename` of Canvas's app/models/assignment.rb.

    The first two parts between lines below that are numbers are the user's and the attachment's; a last part that
    begins with "link", or a name that begins with "._", has no attachment. What is not the user's own is ignored.
    """
    parts = name.rpartition("/")[2].split("_")
    user, attachment = [*[part for part in parts if re.fullmatch(r"\d+", part)], None, None][:2]
    if parts[-1].startswith("link") or name.startswith("._"):
        attachment = None
    return user if attachment in submissions.get(user, ()) else None


def known_to_moodle(path, participants):
    """Who a file belongs to, by `is_valid_filename_for_import` of Moodle's mod/assign/feedback/file/importziplib.php.

    A part of the path is name_number_plugintype_pluginname, perhaps with a line below and more; hidden files are
    ignored, and so is a number that no participant has. What is left of the path is the file's name.
    """
    if path.rpartition("/")[2][:1] in (".", "~"):
        return None
    parts = path.split("/")
    for index, part in enumerate(parts):
        told = part.split("_", 4)
        if len(told) < 4 or not told[1].isdigit() or int(told[1]) not in participants:
            continue
        if (told[2], told[3]) != ("assignsubmission", "file"):
            continue
        rest = [*(told[4:] or [""]), *parts[index + 1 :]]
        return int(told[1]), "/".join(filter(None, rest))
    return None


def send(out, lms, *more):
    return cli.main(["send", "--for", lms, "--out", str(out), *map(str, more)])


def with_page(out, called, assignment="sinusoid", **more):
    """Keep a result under the name that a download has, and a page for it."""
    student = roster.identity(called)
    keep(out, student, assignment=assignment, **more)
    kept = out / "results" / assignment / f"{student}.json"
    state = json.loads(kept.read_text())
    state["result"]["called"] = called
    kept.write_text(json.dumps(state))
    place = out / "feedback" / student / assignment / f"{assignment}.html"
    place.parent.mkdir(parents=True)
    place.write_text(f"for {student}")


def test_canvas_takes_the_pages_back_by_its_own_rules(tmp_path, capsys):
    with_page(tmp_path, "leeann_LATE_101_5678_link_3")
    with_page(tmp_path, "itobob_102_5679_sinusoid-1")
    with_page(tmp_path, "zoe")
    assert send(tmp_path, "canvas") == 0
    with zipfile.ZipFile(tmp_path / "pages-canvas-sinusoid.zip") as archive:
        owners = {known_to_canvas(n, {"101": ["5678"], "102": ["5679"]}): archive.read(n) for n in archive.namelist()}
    assert owners == {"101": b"for leeann_101", "102": b"for itobob_102"}
    assert "the page of zoe is not in it" in capsys.readouterr().err


def test_moodle_takes_the_pages_back_by_its_own_rules(tmp_path, capsys):
    worksheet = (
        "Identifier,Full name,Email address\nParticipant 5501,Ann Lee,ann@x.edu\nParticipant 5503,Zoë_Ü,z@x.edu\n"
    )
    (tmp_path / "roster.csv").write_text(worksheet, encoding="utf-8")
    with_page(tmp_path, "Ann Lee_5501_assignsubmission_file_")
    with_page(tmp_path, "Bob Ito_5502_assignsubmission_file")
    with_page(tmp_path, "z@x.edu", written="there")
    assert send(tmp_path, "moodle", "--roster", tmp_path / "roster.csv") == 0
    with zipfile.ZipFile(tmp_path / "pages-moodle-sinusoid.zip") as archive:
        known = [known_to_moodle(name, {5501, 5502, 5503}) for name in archive.namelist()]
    assert sorted(known) == [(5501, "sinusoid.html"), (5502, "sinusoid.html"), (5503, "sinusoid.html")]
    assert "1 page still say" in capsys.readouterr().out


def test_a_mail_merge_gets_addresses_names_and_pages(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text('id,name,email\n1,"Lee, Ann",ann@x.edu\n2,Bob Ito,\n')
    with_page(tmp_path, "1")
    with_page(tmp_path, "2")
    assert send(tmp_path, "mail", "--roster", tmp_path / "roster.csv") == 0
    (row,) = table(tmp_path / "pages-mail.csv")
    assert (row["email"], row["name"], row["assignment"]) == ("ann@x.edu", "Ann Lee", "sinusoid")
    assert row["page"].endswith("feedback/1/sinusoid/sinusoid.html")
    assert "the page of 2 is not in it: the roster gives no address" in capsys.readouterr().err


def test_mail_without_any_address_is_one_sentence_and_no_table(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text('id,name\n1,"Lee, Ann"\n2,Bob Ito\n')
    with_page(tmp_path, "1")
    with_page(tmp_path, "2")
    assert send(tmp_path, "mail", "--roster", tmp_path / "roster.csv") == 2
    assert "--roster must have addresses" in capsys.readouterr().err and not (tmp_path / "pages-mail.csv").exists()


def test_a_gradebook_in_another_language_is_read_with_a_table_of_words(tmp_path):
    (tmp_path / "words.csv").write_text(
        "theirs,ours\nPrénom,first name\nNom,last name\nAdresse,email\nfévrier,February\n"
    )
    words = roster.read_words(tmp_path / "words.csv")
    (tmp_path / "roster.csv").write_text("Prénom;Nom;Adresse\nZoé;de la Tour;z@x.fr\n", encoding="utf-8")
    (person,) = roster.read_roster(tmp_path / "roster.csv", words).people
    assert (person.name, person.email) == ("Zoé de la Tour", "z@x.fr")
    assert late.moment("1 février 2027 23:59", late.dateutil.tz.UTC, words).isoformat() == "2027-02-01T23:59:00+00:00"


def test_moodles_german_worksheet_gives_people_and_times(tmp_path):
    sheet = (
        "ID;Vollständiger Name;E-Mail-Adresse;Zuletzt geändert (Abgabe)\n7;Ann Lee;a@x.de;Montag, 1. März 2027, 23:10\n"
    )
    (tmp_path / "roster.csv").write_bytes(sheet.encode("cp1252"))
    (row,) = late.times_in_roster(roster.read_roster(tmp_path / "roster.csv"), "probe", late.dateutil.tz.UTC)
    assert row.time.isoformat() == "2027-03-01T23:10:00+00:00"
