"""Read who is in the class, from a table of one's own or as an LMS exports it, and find whose a submission is.

Canvas's gradebook, Moodle's lists of participants, grades and grading worksheets, and Blackboard's grade centre are
understood as they are.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from pe_grading import text

HEADINGS = {  # what a column is called, in small letters: what it holds
    "name": "name",
    "student": "name",
    "full name": "name",
    "first name": "first",
    "last name": "last",
    "surname": "last",
    "id": "id",
    "sis user id": "sis_id",
    "id number": "sis_id",
    "student id": "sis_id",
    "sis login id": "login",
    "username": "login",
    "github_username": "login",
    "email": "email",
    "email address": "email",
    "section": "section",
    "group": "section",
    "groups": "section",
    "identifier": "participant",
    "last modified (submission)": "handed_in",
}
GERMAN = """Vorname: first name, Nachname: last name, Vollständiger Name: full name, E-Mail: email,
E-Mail-Adresse: email address, Anmeldename: username, Benutzername: username, Matrikelnummer: student id,
ID-Nummer: id number, Gruppe: group, Gruppen: groups, Zuletzt geändert (Abgabe): last modified (submission),
Januar: January, Februar: February, März: March, April: April, Mai: May, Juni: June, Juli: July, August: August,
September: September, Oktober: October, November: November, Dezember: December, Montag: Monday, Dienstag: Tuesday,
Mittwoch: Wednesday, Donnerstag: Thursday, Freitag: Friday, Samstag: Saturday, Sonntag: Sunday"""
WORDS = {theirs.casefold(): ours for theirs, ours in re.findall(r"\s*([^:,]+): ([^:,]+)", GERMAN)}  # German: English
SEPARATOR = re.compile(r'"?sep=([,;\t])"?\s*\n')
NOBODY = ("Points Possible", "Student, Test", "Test Student")  # rows that Canvas adds
SIGNS = {ord(sign): "'" for sign in "\u2018\u2019\u02bc\u02b9\u0060\u00b4"}  # what is typed for an apostrophe
SIGNS |= {ord(sign): "-" for sign in "\u2010\u2011\u2012\u2013\u2212"}
CANVAS_FILE = re.compile(r"(?P<who>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_(?P<attempt>\d+)_")
BLACKBOARD_FILE = re.compile(r"(?P<who>.+)_attempt_(?P<attempt>\d{4}(?:-\d\d){5})(?:_|$)")
MOODLE_FOLDER = re.compile(
    r"(?P<who>(?P<name>.+)_(?P<participant>\d+))_assignsubmission_(?P<kind>file|onlinetext)(?:_|$)"
)


@dataclass(frozen=True)
class Person:
    """One person in the class; what the roster does not say is empty.

    `id` is the LMS's own number, or what a table of one's own calls id; `sis_id` is the university's number.
    """

    name: str = ""
    id: str = ""
    sis_id: str = ""
    login: str = ""
    email: str = ""
    section: str = ""
    participant: str = ""
    handed_in: str = ""
    first: str = ""
    last: str = ""

    @property
    def key(self) -> str:
        """What tells this person from all others."""
        return self.id or self.sis_id or self.login or self.email or self.name

    @property
    def shown(self) -> str:
        """What to call this person: the first name first."""
        last, _, first = self.name.partition(", ")
        return f"{first} {last}" if first else self.name or self.key

    def names(self) -> set[str]:
        """Return all that a folder with this person's work may be called."""
        last, _, first = self.name.partition(", ")
        own = {self.id, self.sis_id, self.login, self.email, self.email.partition("@")[0], self.name}
        own |= {f"{first} {last}"} if first else set()
        return {_plain(text.name(name)) for name in own if name}


@dataclass(frozen=True)
class Roster:
    """The people of a class, the headings of the table they come from, and what each of them holds that is known."""

    people: list[Person]
    headings: list[str]
    columns: dict[str, int] = field(default_factory=dict)

    def heading(self, holds: str, usual: str) -> str:
        """Return what the table calls a column, or what it is usually called."""
        return self.headings[self.columns[holds]] if holds in self.columns else usual


def read_table(path: Path) -> list[list[str]]:
    """Return the rows of a table, whatever its encoding and whether commas, semicolons or tabs separate its cells."""
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        content = data.decode("utf-16")
    else:
        try:
            content = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            content = data.decode("cp1252", errors="replace")
    named = SEPARATOR.match(content)  # Excel's own first line
    content = content[named.end() :] if named else content
    first = content.partition("\n")[0]
    delimiter = named[1] if named else max(",;\t", key=first.count)
    return [
        row for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter) if any(map(str.strip, row))
    ]


def read_rows(path: Path, *needed: str) -> list[dict[str, str]]:
    """Return the rows of a table by its headings; ValueError where one that is needed is missing."""
    rows = read_table(path)
    headings = [heading.strip().casefold() for heading in rows[0]] if rows else []
    if missing := [heading for heading in needed if heading not in headings]:
        raise ValueError(f"{path.name} must have the headings {', '.join(needed)}, got no {', '.join(missing)}")
    nothing = dict.fromkeys(headings, "")
    return [nothing | dict(zip(headings, map(str.strip, row), strict=False)) for row in rows[1:]]


def read_words(path: Path | None) -> dict[str, str]:
    """Return what the words of an LMS in another language mean, from a table `theirs,ours` of headings and months."""
    rows = read_rows(path, "theirs", "ours") if path else []
    return WORDS | {row["theirs"].casefold(): row["ours"] for row in rows}


def read_roster(path: Path, words: Mapping[str, str] = WORDS) -> Roster:
    """Read a class; `words` says in English what the headings of other languages are.

    Raises:
        ValueError: No column is known, nobody is in it, or two people have the same id.
    """
    rows = read_table(path)
    headings = [heading.strip() for heading in rows[0]] if rows else []
    english = [words.get(heading.casefold(), heading).casefold() for heading in headings]
    columns = {HEADINGS[h]: i for i, h in reversed(list(enumerate(english))) if h in HEADINGS}
    if not {"name", "last", "id", "sis_id", "login", "email"} & columns.keys():
        raise ValueError(f"the roster must have a heading such as id, name, email, section, got {', '.join(headings)}")
    people = [_person(row, columns) for row in rows[1:] if row[0].strip() not in NOBODY]
    people = [person for person in people if person.key]
    keys = [person.key for person in people]
    if not people:
        raise ValueError(f"the roster must name somebody, got no row in {path.name}")
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise ValueError(f"an id must occur once in the roster, got {', '.join(twice)} twice")
    return Roster(people, headings, columns)


def _person(row: list[str], columns: dict[str, int]) -> Person:
    found = {name: row[i].strip() for name, i in columns.items() if i < len(row)}
    if not found.get("name"):
        found["name"] = " ".join(filter(None, [found.get("first"), found.get("last")]))
    found["participant"] = "".join(filter(str.isdigit, found.get("participant", "")))
    return Person(**{own.name: found.get(own.name, "") for own in fields(Person)})


def match(students: Mapping[str, str], people: list[Person]) -> tuple[dict[str, Person], list[str]]:
    """Find whose submissions these are.

    A name is an id, a login, an address or a person's name, or one that an LMS gave to a download. A name
    that fits two people fits none.

    Args:
        students: Each submission's student, and what its folder or file was called.
        people: The class.

    Returns:
        The person of each student that was found, and the others.
    """
    owners: dict[str, set[Person]] = defaultdict(set)
    for person in people:
        for name in person.names():
            owners[name].add(person)
        if person.participant:
            owners[f"participant {person.participant}"].add(person)
    found = {}
    unknown = []
    for student, called in students.items():
        fitting = next((owners[name] for name in _candidates(called) if owners.get(name)), set())
        if len(fitting) == 1:
            found[student] = next(iter(fitting))
        else:
            unknown.append(student)
    return found, unknown


def whose(names: Iterable[str], students: Mapping[str, str], people: list[Person]) -> dict[str, str]:
    """Return which student each name means: as in the tables, or by any name that the roster knows for the person.

    A name that means nobody, or two, is left out.
    """
    owners, _ = match(students, people)
    asked, _ = match({name: name for name in names}, people)
    of_person: dict[Person, list[str]] = defaultdict(list)
    for student, person in owners.items():
        of_person[person].append(student)
    found = {name: own[0] for name, person in asked.items() if len(own := of_person[person]) == 1}
    return found | {name: name for name in names if name in students}


def download(called: str) -> re.Match | None:
    """Return the parts of a name that an LMS gave to a download: `who`, and perhaps `attempt`, which is in order."""
    return BLACKBOARD_FILE.match(called) or CANVAS_FILE.match(called) or MOODLE_FOLDER.match(called)


def identity(called: str) -> str:
    """Return what stays the same when somebody hands in again: of a download the person, else the name itself."""
    parts = download(called)
    if not parts:
        return called
    return f"{parts['who']}_{parts['id']}" if "id" in parts.groupdict() else parts["who"]


def attempt_of(called: str) -> str:
    """Return what orders the attempts of one person, where an LMS put it into a download's name, else nothing."""
    parts = download(called)
    return parts["attempt"].zfill(20) if parts and "attempt" in parts.groupdict() else ""


def _candidates(called: str) -> list[str]:
    """Return what a folder's or file's name may say, the most certain first."""
    names = [called]
    if canvas := CANVAS_FILE.match(called):
        names.append(canvas["id"])
    if blackboard := BLACKBOARD_FILE.match(called):  # either may hold a line below
        parts = blackboard["who"].split("_")
        names += ["_".join(parts[start:]) for start in range(1, len(parts))]
    if moodle := MOODLE_FOLDER.match(called):
        names += [f"participant {moodle['participant']}", moodle["name"]]
    return [_plain(name) for name in names]


def _plain(name: str) -> str:
    """Return a name as it is compared: one spelling of each letter, apostrophe, dash and blank, in small letters."""
    return " ".join(unicodedata.normalize("NFKC", name).translate(SIGNS).casefold().split())
