"""Marks reach the LMS: rosters as they are exported, files by the importers' own rules, lateness, nobody mixed up."""

import csv
import io
import re
from datetime import timedelta

import dateutil.tz
import pytest
from classroom import hand_in, pe_grade, review
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import late, report, roster, sandbox
from pe_grading.collect import Submission

UTC = dateutil.tz.UTC
PEOPLE = "id,name,email,section\n007,Ann Lee,ann@x.edu,A\n-bob,Bob Ito,bob@x.edu,B\n9,Zoë Ünal,zoe@x.edu,A\n"
CLASSROOM = """"identifier","github_username","github_id","name"
"ann@x.edu","annlee","5501","Ann Lee"
"bob@x.edu","bobito","5502","Bob Ito"
"""
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,sinusoid (4711),Final Score\r\n"
    "    Points Possible,,,,,20,(read only)\r\n"
    ",,,,,Manual Posting,\r\n"
    '"Lee, Ann",101,007,ann,"Group A",,80\r\n'
    '"Ito, Bob",102,=8,-bob,"Group B",,70\r\n'
    '"Student, Test",103,,,"Group B",,\r\n'
)
MOODLE = "First name,Last name,ID number,Email address,Groups\nAnn,Lee,007,ann@x.edu,A\nBob,Ito,8,bob@x.edu,B\n"
WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Last modified (submission)\n"
    'Participant 5501,Ann Lee,ann@x.edu,Submitted,,"Monday, 1 March 2027, 11:10 PM"\n'
    "Participant 5502,Bob Ito,bob@x.edu,No submission,,-\n"
)
BLACKBOARD = "Last Name,First Name,Username,Student ID,sinusoid [Total Pts: 20 Score] |4711\nLee,Ann,alee,007,\n"


def keep(out, student, points=12.0, assignment="sinusoid", written="blank", state="graded"):
    test = {"grade_id": "t", "points": points, "max": 16, "passed": points == 16, "said": "", "hint": ""}
    answer = {"grade_id": "essay", "max": 4, "state": written}
    result = {"assignment": assignment, "state": state, "max": 20, "problem": "", "review": [], "notes": []}
    filled = {"tests": [test], "written": [answer]} if state == "graded" else {"tests": [], "written": []}
    report.keep(out, Submission(student, assignment, out), "f", {**result, **filled})


@pytest.fixture
def send(tmp_path):
    """`send("canvas", roster's text, …)` exports and returns the file's text."""

    def run(lms, people, *more):
        (tmp_path / "roster.csv").write_bytes(people if isinstance(people, bytes) else people.encode())
        arguments = ["export", "--for", lms, "--roster", tmp_path / "roster.csv", "--out", tmp_path, *more]
        assert cli.main([str(a) for a in [*arguments, "--to", tmp_path / "sent.csv"]]) == 0
        return (tmp_path / "sent.csv").read_bytes().decode()

    return run


def imported_by_canvas(file, known_ids=(), known_logins=(), known_sis=()):
    """Read a file by the rules of Canvas's lib/gradebook_importer.rb; return points by who was found.

    The first of the first three lines' separators; `row.length > 3`, `row[0].include?("Student")` and
    `row[1].include?("ID")`; the third column is "SIS Login ID", or the third and fourth are "SIS User ID" and "SIS
    Login ID"; the last column of these, "Section". "Points Possible" in the first cell makes it no student. A student
    is found by the number in the second column (`to_i`), by the SIS id, by the login, as they are. A blank grade is no
    grade.
    """
    first = file.splitlines()[:3]
    counts = {s: {len(next(csv.reader([line], delimiter=s))) for line in first} for s in ";,"}
    width = {s: next(iter(n)) if len(n) == 1 else 0 for s, n in counts.items()}
    rows = list(csv.reader(io.StringIO(file, newline=""), delimiter=";" if width[";"] > width[","] else ","))
    head, *rest = rows
    assert len(head) > 3 and "Student" in head[0] and "ID" in head[1]
    columns, login, sis = 3, None, None
    if re.search(r"SIS\s+Login\s+ID", head[2]):
        columns, login = 4, 2
    elif re.search(r"SIS\s+User\s+ID", head[2]) and re.search(r"SIS\s+Login\s+ID", head[3]):
        columns, sis, login = 5, 2, 3
    assert "Section" in head[columns - 1], "InvalidHeaderRow"
    points, possible = {}, {}
    for row in rest:
        if "Points Possible" in row[0]:
            possible = dict(zip(head[columns:], row[columns:], strict=True))
            continue
        number = int(re.match(r"\d*", row[1])[0] or 0)
        found = number if number in known_ids else None
        found = found or (row[sis] if sis and row[sis] in known_sis else None)
        found = found or (row[login] if login and row[login] in known_logins else None)
        points[found] = {h: c.strip() for h, c in zip(head[columns:], row[columns:], strict=True) if c.strip()}
    return points, possible


def imported_by_moodle(file, mapping, known):
    """Read a file by the rules of Moodle's grade/import/csv/classes/load_data.php; return grades by who was found.

    Headings are trimmed. A row of one cell is passed over. The user's cell is compared as it is; a row whose cell is
    blank keeps the user of the row before, one that is nobody's ends the import. `-` is no grade; anything else must be
    a number, and at most 100.
    """
    head, *rows = csv.reader(io.StringIO(file, newline=""))
    head = [heading.strip() for heading in head]
    grades, user = {}, None
    for row in rows:
        assert len(row) == len(head)
        for heading, value in zip(head, map(str.strip, row), strict=True):
            if heading == mapping:
                assert value in known, "usermappingerror"
                user = value
            elif heading in ("sinusoid", "clock") and value != "-":
                assert 0 <= float(value) <= 100
                grades.setdefault(user, {})[heading] = float(value)
    return grades


def test_canvas_finds_everybody_in_the_file_by_its_own_rules(send, tmp_path):
    keep(tmp_path, "ann")
    keep(tmp_path, "itobob_102_5678_sinusoid", 16.0)
    points, possible = imported_by_canvas(send("canvas", CANVAS), {101, 102})
    assert points == {101: {"sinusoid (4711)": "12"}, 102: {"sinusoid (4711)": "16"}}
    assert possible == {"sinusoid (4711)": "20"}
    points, _ = imported_by_canvas(send("canvas", CANVAS), known_sis={"007", "=8"})
    assert points.keys() == {"007", "=8"}, "an apostrophe or a lost zero would match nobody"
    assert imported_by_canvas(send("canvas", CANVAS), known_logins={"ann", "-bob"})[0].keys() == {"ann", "-bob"}


def test_what_is_not_decided_is_empty_and_never_0(send, tmp_path, capsys):
    keep(tmp_path, "ann", written="there")
    keep(tmp_path, "Bob Ito", state="not graded")
    keep(tmp_path, "Bob Ito", 0.0, assignment="clock")
    points, _ = imported_by_canvas(send("canvas", CANVAS), {101, 102})
    assert points == {102: {"clock": "0"}}, "pending and not graded are empty; a 0 that was earned is a 0"
    grades = imported_by_moodle(send("moodle", MOODLE), "Email address", {"ann@x.edu", "bob@x.edu"})
    assert grades == {"bob@x.edu": {"clock": 0.0}}
    row = next(csv.DictReader(io.StringIO(send("csv", PEOPLE))))
    assert (row["sinusoid"], row["sinusoid pending"], row["sinusoid state"]) == ("", "4", "pending")
    assert "2 not decided yet" in capsys.readouterr().out


def test_moodle_knows_people_by_a_column_that_is_never_blank(send, tmp_path, capsys):
    keep(tmp_path, "Ann Lee_5501_assignsubmission_file")
    keep(tmp_path, "bob@x.edu", 16.0)
    sent = send("moodle", WORKSHEET)
    grades = imported_by_moodle(sent, "Email address", {"ann@x.edu", "bob@x.edu"})
    assert grades == {"ann@x.edu": {"sinusoid": 12.0}, "bob@x.edu": {"sinusoid": 16.0}}
    without = MOODLE.replace("bob@x.edu", "")
    keep(tmp_path, "8")
    (tmp_path / "results" / "sinusoid" / "bob@x.edu.json").unlink()
    assert send("moodle", without).splitlines()[0].startswith("ID number")


def test_blackboard_gets_usernames_quotes_and_its_own_column(send, tmp_path):
    keep(tmp_path, "007")
    head, ann = send("blackboard", BLACKBOARD).splitlines()
    assert head == '"Last Name","First Name","Username","sinusoid [Total Pts: 20 Score] |4711"'
    assert ann == '"Lee","Ann","alee","12"'


def test_blackboard_gets_names_and_headings_back_as_it_wrote_them(send, tmp_path):
    theirs = "Nachname,Vorname,Benutzername,Matrikelnummer,sinusoid [Total Pts: 20 Score] |4711\n"
    keep(tmp_path, "007")
    head, anna = send("blackboard", theirs + "van der Berg,Anna Maria,aberg,007,\n").splitlines()
    assert head == '"Nachname","Vorname","Benutzername","sinusoid [Total Pts: 20 Score] |4711"'
    assert anna == '"van der Berg","Anna Maria","aberg","12"'


def test_a_row_that_ends_early_is_a_row_with_empty_cells(tmp_path):
    (tmp_path / "t.csv").write_text("student,assignment,points\nann,probe\n")
    assert roster.read_rows(tmp_path / "t.csv", "points") == [{"student": "ann", "assignment": "probe", "points": ""}]


def test_a_roster_is_read_in_any_encoding_and_with_any_separator(tmp_path):
    tables = [PEOPLE.encode(), PEOPLE.encode("utf-8-sig"), PEOPLE.encode("cp1252"), PEOPLE.encode("utf-16")]
    tables += [PEOPLE.replace(",", sign).replace("\n", "\r\n").encode() for sign in ";\t"]
    tables += [f"sep=;\r\n{PEOPLE.replace(',', ';')}".encode("utf-16")]
    tables += [PEOPLE.replace("id,name,email,section", "id,Vollständiger Name,E-Mail-Adresse,Gruppen").encode("cp1252")]
    for number, table in enumerate(tables):
        (tmp_path / f"{number}.csv").write_bytes(table)
        people = roster.read_roster(tmp_path / f"{number}.csv").people
        assert [(p.id, p.name) for p in people] == [("007", "Ann Lee"), ("-bob", "Bob Ito"), ("9", "Zoë Ünal")]


@pytest.mark.parametrize(
    "table, said",
    [("a,b\n1,2\n", "heading"), ("id,name\n", "somebody"), ("id,name\n1,Ann\n1,Bob\n", "1 twice"), ("", "heading")],
)
def test_a_roster_that_cannot_be_used_is_refused_by_name(tmp_path, capsys, table, said):
    (tmp_path / "roster.csv").write_text(table)
    keep(tmp_path, "ann")
    assert cli.main(["export", "--for", "csv", "--roster", str(tmp_path / "roster.csv"), "--out", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def test_who_is_missing_unknown_or_twice_is_said_and_nobody_gets_anothers_mark(send, tmp_path, capsys):
    keep(tmp_path, "007")
    keep(tmp_path, "ann lee", 16.0)
    keep(tmp_path, "stranger")
    row = next(csv.DictReader(io.StringIO(send("csv", PEOPLE))))
    assert row["sinusoid"] == "" and row["sinusoid state"] == "several"
    said = capsys.readouterr()
    assert "007, ann lee belong to one person" in said.err and "stranger is nobody" in said.err
    assert "nothing from Bob Ito; Zoë Ünal" in said.out


def test_a_name_that_two_people_bear_fits_neither():
    people = [roster.Person("Ann Lee", "1"), roster.Person("ann lee", "2")]
    assert roster.match({"a": "Ann Lee", "b": "1"}, people) == ({"b": people[0]}, ["a"])


def test_late_work_loses_what_the_policy_says_and_an_extension_gives_it_back(send, tmp_path):
    for student in ("007", "-bob", "9"):
        keep(tmp_path, student, 16.0)
        folder = tmp_path / "in" / student / "sinusoid"
        folder.mkdir(parents=True)
        (folder / "timestamp.txt").write_text("2027-03-03 00:10:05.123456 Europe/Rome")
    (tmp_path / "in" / "9" / "sinusoid" / "timestamp.txt").write_text("2027-03-01 21:59:00.0 UTC")
    (tmp_path / "due.csv").write_text(
        "assignment,due,student\nsinusoid,2027-03-01 23:00,\nsinusoid,2027-03-04 23:00,-bob\n"
    )
    more = ["--submitted", tmp_path / "in", "--deadlines", tmp_path / "due.csv", "--timezone", "Europe/Rome"]
    more += ["--percent-a-day", "10", "--percent-at-most", "50"]
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(send("csv", PEOPLE, *more)))}
    assert {who: row["sinusoid"] for who, row in rows.items()} == {"007": "12", "-bob": "16", "9": "16"}
    assert (rows["007"]["sinusoid lost"], rows["007"]["sinusoid late"]) == ("4", "1.05 days")


def test_moodles_worksheet_gives_the_times_and_canvas_says_only_that_it_is_late(send, tmp_path, capsys):
    keep(tmp_path, "Ann Lee_5501_assignsubmission_file", 16.0)
    (tmp_path / "due.csv").write_text("assignment,due\nsinusoid,2027-03-01 23:00\n")
    more = ["--deadlines", tmp_path / "due.csv", "--timezone", "UTC", "--percent-a-day", 10]
    row = next(csv.DictReader(io.StringIO(send("csv", WORKSHEET, *more))))
    assert row["sinusoid"] == "14"
    for path in (tmp_path / "results" / "sinusoid").iterdir():
        path.unlink()
    keep(tmp_path, "leeann_LATE_101_5678_sinusoid", 16.0)
    row = next(csv.DictReader(io.StringIO(send("csv", CANVAS, *more))))
    assert row["sinusoid"] == "" and "how late is in no table" in capsys.readouterr().err


def test_a_policy_counts_started_days_up_to_its_limit_and_forgives_its_grace():
    policy = late.Policy(10, 25, grace_minutes=5)
    lost = [policy.lost(timedelta(minutes=m), 20) for m in (-60, 5, 6, 1440, 1441, 9999)]
    assert lost == [0, 0, 2, 2, 4, 5]


def test_a_time_that_is_none_is_refused():
    with pytest.raises(ValueError, match="got 'soon'"):
        late.moment("soon", UTC)
    assert late.moment("2027-03-01 12:00:00 UTC", dateutil.tz.gettz("Asia/Tokyo")).utcoffset() == timedelta()


@pytest.mark.parametrize(
    "words",
    [
        "2027-03-01",
        "03.04.2027 23:59",
        "3/4/2027 11:59 PM",
        "23:59",
        "March 2027",
        "1 March 23:59",
        "2027-03-01 23:59 EST",
        "1 March 2027",
    ],
)
def test_a_deadline_without_a_time_or_that_reads_two_ways_is_refused(send_fails, words):
    assert words in send_fails(f"assignment,due,student\nsinusoid,{words},\n")


@pytest.mark.parametrize(
    "words",
    ["2027-03-01 23:59", "2027-3-1 23:59", "1 March 2027 23:59", "Monday, 1 March 2027, 11:59 PM", "2027-03-01T23:59"],
)
def test_a_deadline_that_reads_one_way_is_read(words):
    assert late.moment(words, UTC).isoformat() == "2027-03-01T23:59:00+00:00"
    assert late.moment("13.04.2027 23:59", UTC).day == 13


@pytest.fixture
def send_fails(tmp_path, capsys):
    """`send_fails(table of deadlines, …)` returns why nothing was exported."""

    def run(table, *more):
        keep(tmp_path, "007", 16.0)
        (tmp_path / "roster.csv").write_text(PEOPLE)
        (tmp_path / "due.csv").write_text(table)
        arguments = ["export", "--for", "csv", "--roster", tmp_path / "roster.csv", "--out", tmp_path]
        arguments += ["--to", tmp_path / "sent.csv", *(["--deadlines", tmp_path / "due.csv"] if table else []), *more]
        assert cli.main([str(a) for a in arguments]) == 2
        assert not (tmp_path / "sent.csv").exists()
        return capsys.readouterr().err

    return run


DUE = "assignment,due,student\nsinusoid,2027-03-01 12:00,\n"


def test_an_extension_for_nobody_is_refused_and_named(send_fails):
    assert "s004" in send_fails(DUE + "sinusoid,2027-03-09 12:00,s004\n")
    assert "sinosoid" in send_fails(DUE + "sinosoid,2027-03-09 12:00,007\n")
    assert "two" in send_fails(DUE + "sinusoid,2027-03-09 12:00,\n")


def test_an_extension_that_takes_time_away_or_comes_twice_is_refused(send_fails):
    assert "2026-03-09" in send_fails(DUE + "sinusoid,2026-03-09 12:00,007\n")
    twice = send_fails(DUE + "sinusoid,2027-03-09 12:00,007\nsinusoid,2027-03-05 12:00,Ann Lee\n")
    assert "Ann Lee has two" in twice


def test_one_moment_costs_the_same_in_whatever_zone_it_was_written(send, tmp_path):
    """In the night between, clocks went forward: it is half past midnight on Monday, 24.5 hours by the wall."""
    for student in ("007", "9"):
        keep(tmp_path, student, 16.0)
    (tmp_path / "due.csv").write_text("assignment,due\nsinusoid,2027-03-27 23:59\n")
    times = "student,assignment,time\n007,sinusoid,2027-03-29 00:30\n9,sinusoid,2027-03-28 22:30:00 UTC\n"
    (tmp_path / "times.csv").write_text(times)
    more = ["--deadlines", tmp_path / "due.csv", "--times", tmp_path / "times.csv", "--timezone", "Europe/Rome"]
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(send("csv", PEOPLE, *more, "--percent-a-day", 10)))}
    assert rows["007"]["sinusoid"] == rows["9"]["sinusoid"] == "12"


def test_a_deadline_that_everybody_missed_is_asked_about(send, tmp_path, capsys):
    for student in ("007", "-bob", "9"):
        keep(tmp_path, student, 16.0)
    times = "student,assignment,time\n" + "".join(f"{who},sinusoid,2027-03-01 11:00\n" for who in ("007", "-bob", "9"))
    (tmp_path / "times.csv").write_text(times)
    for due, asked in (("1927-03-01 12:00", True), ("2027-03-01 12:00", False)):
        (tmp_path / "due.csv").write_text(f"assignment,due\nsinusoid,{due}\n")
        send("csv", PEOPLE, "--deadlines", tmp_path / "due.csv", "--times", tmp_path / "times.csv")
        assert ("is its deadline right?" in capsys.readouterr().err) == asked


@pytest.mark.parametrize("percent", ["-10", "nan", "101", "inf"])
def test_a_percentage_must_be_one(send_fails, percent):
    assert "percent-a-day" in send_fails(DUE, f"--percent-a-day={percent}")


@pytest.mark.parametrize("argument", [["--percent-a-day", "10"], ["--grace-minutes", "5"], ["--timezone", "UTC"]])
def test_what_does_nothing_without_deadlines_is_refused(send_fails, argument):
    assert "--deadlines" in send_fails("", *argument)


IRISH = "id,name,email,section,username,SIS user id\n1,Seán O\u2019Brien,so@x.edu,A,sobrien,s004\n"
IRISH += "2,Ann Lee,al@x.edu,A,al,s2\n"


@pytest.mark.parametrize(
    "called", ["1", "s004", "SOBRIEN", "so@x.edu", "Seán O'Brien", "sea\u0301n o\u02bcbrien", "folder_7"]
)
def test_an_extension_and_a_time_find_their_student_by_any_of_his_names(send, tmp_path, capsys, called):
    keep(tmp_path, "folder_7" if called == "folder_7" else "sobrien", 16.0)
    keep(tmp_path, "2", 16.0)
    people = IRISH.replace("sobrien", "folder_7") if called == "folder_7" else IRISH
    (tmp_path / "due.csv").write_text(DUE + f"sinusoid,2027-03-05 12:00,{called}\n", encoding="utf-8")
    times = f"student,assignment,time\n{called},sinusoid,2027-03-06 11:00\n"
    times += "al,sinusoid,2027-03-03 11:00\nzed,sinusoid,2027-03-03 11:00\n"
    (tmp_path / "times.csv").write_text(times, encoding="utf-8")
    more = ["--deadlines", tmp_path / "due.csv", "--times", tmp_path / "times.csv", "--percent-a-day", "10"]
    rows = {row["id"]: row["sinusoid"] for row in csv.DictReader(io.StringIO(send("csv", people, *more)))}
    assert rows == {"1": "14", "2": "12"}
    assert "zed" in capsys.readouterr().err


def test_a_dry_run_lists_who_pays_what_and_why_and_writes_nothing(send, tmp_path, capsys):
    for student in ("007", "-bob", "9"):
        keep(tmp_path, student, 16.0)
    (tmp_path / "due.csv").write_text(DUE + "sinusoid,2027-03-05 12:00,-bob\n")
    times = ["student,assignment,time", "007,sinusoid,2027-03-03 11:00", "-bob,sinusoid,2027-03-03 11:00"]
    (tmp_path / "times.csv").write_text("\n".join([*times, "9,sinusoid,2027-03-01 11:00"]))
    more = ["--deadlines", tmp_path / "due.csv", "--times", tmp_path / "times.csv", "--percent-a-day", "10"]
    (tmp_path / "sent.csv").write_text("as it was")
    assert send("csv", PEOPLE, *more, "--dry-run") == "as it was"
    said = [line for line in capsys.readouterr().out.splitlines() if " pays " in line]
    assert len(said) == 2 and "Zoë" not in str(said)
    ann, bob = sorted(said)
    assert "Ann Lee pays 4 of 20 points, 16 becomes 12" in ann and "2027-03-03 11:00" in ann and "1.96 days" in ann
    assert "Bob Ito pays nothing" in bob and "2027-03-05 12:00 (extension)" in bob


def test_blackboards_names_say_who_and_when(send, tmp_path):
    people = BLACKBOARD.replace("alee", "a_lee")
    keep(tmp_path, "my_task_a_lee_attempt_2027-03-02-10-00-00_sinusoid", 16.0)
    (tmp_path / "due.csv").write_text(DUE)
    more = ["--deadlines", tmp_path / "due.csv", "--percent-a-day", "10"]
    assert list(csv.reader(io.StringIO(send("blackboard", people, *more))))[-1][-1] == "14"


def test_in_canvas_what_is_not_late_is_in_time_and_needs_no_line(send, tmp_path, capsys):
    keep(tmp_path, "leeann_101_5678_sinusoid", 16.0)
    (tmp_path / "due.csv").write_text(DUE)
    row = next(csv.DictReader(io.StringIO(send("csv", CANVAS, "--deadlines", tmp_path / "due.csv"))))
    assert row["sinusoid"] == "16" and capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "people, folders, missing",
    [
        (PEOPLE, ("007", "zoe@x.edu"), "Bob Ito"),
        (CANVAS, ("leeann_LATE_101_5678_sinusoid", "8"), "Ito, Bob"),
        (MOODLE, ("Ann Lee_5501_assignsubmission_file", "stranger"), "Bob Ito"),
        (WORKSHEET, ("Ann Lee_5501_assignsubmission_file", "stranger"), "Bob Ito"),
        (CLASSROOM, ("AnnLee", "stranger"), "Bob Ito"),
    ],
    ids=["a table of one's own", "Canvas", "Moodle", "Moodle's worksheet", "GitHub Classroom"],
)
def test_who_handed_in_nothing_is_listed_at_once_when_grading(tmp_path, capsys, people, folders, missing):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    for folder in folders:
        hand_in(tmp_path / "in", folder)
    (tmp_path / "roster.csv").write_text(people)
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--roster", tmp_path / "roster.csv") == 0
    said = capsys.readouterr().out
    assert f"probe: nothing from {missing}\n" in said
    absent = [student for student, _, what in review(tmp_path / "out") if "handed in nothing" in what]
    assert absent == [missing]
    unknown = [student for student, _, what in review(tmp_path / "out") if "nobody in the roster" in what]
    assert unknown == [folder for folder in folders if folder in ("stranger", "8")]


def test_a_roster_that_cannot_be_used_is_refused_before_anything_is_graded(tmp_path, capsys):
    hand_in(tmp_path / "in", "ann")
    (tmp_path / "roster.csv").write_text("a,b\n1,2\n")
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--roster", tmp_path / "roster.csv") == 2
    assert "heading" in capsys.readouterr().err and not (tmp_path / "out").exists()
