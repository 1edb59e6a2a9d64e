"""What a late submission loses: deadlines and extensions from a table, times as nbgrader or an LMS kept them."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import dateutil.parser
import dateutil.tz

from pe_grading import text
from pe_grading.roster import WORDS, Roster, read_rows

YEAR_FIRST = re.compile(r"\s*\d{4}-\d\d?-\d\d?(?!\d)")  # reads one way
WORD = re.compile(r"[^\W\d_]+")
TWO_DAYS = (datetime(2000, 1, 1), datetime(2001, 2, 2, 11, 11))  # what is missing in a time would be taken from these
SHOWN = "%Y-%m-%d %H:%M"


@dataclass(frozen=True)
class Policy:
    """Percent of an assignment's points that a started day costs, the most that can be lost, and minutes of grace.

    Raises:
        ValueError: A percentage is not from 0 to 100, or the grace is negative.
    """

    percent_a_day: float = 0
    percent_at_most: float = 100
    grace_minutes: float = 0

    def __post_init__(self):
        for name in ("percent_a_day", "percent_at_most"):
            if not 0 <= getattr(self, name) <= 100:
                raise ValueError(f"--{name.replace('_', '-')} must be from 0 to 100, got {getattr(self, name):g}")
        if not 0 <= self.grace_minutes < math.inf:
            raise ValueError(f"--grace-minutes must be 0 or more, got {self.grace_minutes:g}")

    def lost(self, late: timedelta, most: float) -> float:
        """Return the points that are lost when an assignment of `most` points is late."""
        if late <= timedelta(minutes=self.grace_minutes):
            return 0.0
        days = math.ceil(late / timedelta(days=1))
        return most * min(days * self.percent_a_day, self.percent_at_most) / 100


@dataclass(frozen=True)
class Row:
    """One row of a table of deadlines or times; `student` is what the table says, empty for everybody."""

    student: str
    assignment: str
    time: datetime


@dataclass(frozen=True)
class Delay:
    """When something was handed in, when it was due, and by how much it is late.

    `time` is None where it is not known; `by` is None where the LMS says that it is late, but not by how much.
    """

    time: datetime | None
    due: datetime
    extended: bool
    by: timedelta | None

    def told(self) -> str:
        """Return it in words."""
        due = f"due {self.due.strftime(SHOWN)}{' (extension)' if self.extended else ''}"
        if self.time is None:
            return f"when it was handed in is not known, {due}"
        late = f", {self.by.total_seconds() / 86400:.2f} days late" if self.by else ", in time"
        return f"handed in {self.time.astimezone(self.due.tzinfo).strftime(SHOWN)}, {due}{late}"


def moment(words: str, zone: tzinfo, english: Mapping[str, str] = WORDS) -> datetime:
    """Read a time as people and programs write it; one that names no time zone is in `zone`.

    `english` says what the months and days of other languages are.

    nbgrader writes `2027-03-01 23:10:05.123456 Europe/Rome` or `… UTC`, Moodle `Monday, 1 March 2027, 11:10 PM`.

    Raises:
        ValueError: It is none, has no time of day, or reads two ways.
    """
    given = words
    words = WORD.sub(lambda word: english.get(word[0].casefold(), word[0]), words)
    rest, _, last = words.strip().rpartition(" ")
    named = dateutil.tz.gettz(last) if rest and ("/" in last or last in ("UTC", "GMT")) else None
    orders = (False,) if YEAR_FIRST.match(words) else (False, True)  # is 03.04. in March or in April?
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", dateutil.parser.UnknownTimezoneWarning)
            read = [
                [dateutil.parser.parse(rest if named else words, default=day, dayfirst=order) for day in TWO_DAYS]
                for order in orders
            ]
    except dateutil.parser.UnknownTimezoneWarning:
        raise ValueError(f"a time zone must be a name such as Europe/Rome, or +01:00, got {given!r}") from None
    except (ValueError, OverflowError):
        raise ValueError(f"a time must be a date and a time of day, got {given!r}") from None
    if any(one != other for one, other in read):
        raise ValueError(f"a time must be a whole date and a time of day, such as 2027-03-01 23:59, got {given!r}")
    if len({one for one, _ in read}) > 1:
        ways = " or ".join(one.strftime("%d %B") for one, _ in read)
        raise ValueError(f"a date must read one way, such as 2027-03-01, got {given!r} ({ways})")
    time = read[0][0]
    return time if time.tzinfo else time.replace(tzinfo=named or zone)


def read_deadlines(path: Path, zone: tzinfo) -> list[Row]:
    """Read a table `assignment,due,student`; a row that names a student is an extension for that student alone.

    Raises:
        ValueError: A time cannot be read, or two rows say different things.
    """
    rows = [
        Row(row.get("student", ""), row["assignment"], _in_row(path, number, row["due"], zone))
        for number, row in enumerate(read_rows(path, "assignment", "due"), 2)
    ]
    due: dict[tuple[str, str], datetime] = {}
    for row in rows:
        if due.setdefault((row.student, row.assignment), row.time) != row.time:
            who = row.student or "everybody"
            raise ValueError(f"{path.name} must give one deadline for {row.assignment} and {who}, got two")
    return rows


def read_times(path: Path, zone: tzinfo) -> list[Row]:
    """Read when things were handed in from a table `student,assignment,time`."""
    return [
        Row(row["student"], row["assignment"], _in_row(path, number, row["time"], zone))
        for number, row in enumerate(read_rows(path, "student", "assignment", "time"), 2)
    ]


def _in_row(path: Path, number: int, words: str, zone: tzinfo) -> datetime:
    try:
        return moment(words, zone)
    except ValueError as error:
        raise ValueError(f"{path.name}, row {number}: {error}") from None


def times_in_folder(folder: Path, zone: tzinfo) -> list[Row]:
    """Read the files `student/assignment/timestamp.txt` that nbgrader's exchange leaves."""
    paths = sorted(folder.glob("*/*/timestamp.txt"))
    return [
        Row(text.name(path.parts[-3]), path.parts[-2], moment(path.read_text(encoding="utf-8"), zone)) for path in paths
    ]


def times_in_roster(roster: Roster, assignment: str, zone: tzinfo, english: Mapping[str, str] = WORDS) -> list[Row]:
    """Read the times in Moodle's grading worksheet of an assignment, where `-` says that nothing was handed in."""
    people = [person for person in roster.people if person.handed_in not in ("", "-")]
    return [Row(person.key, assignment, moment(person.handed_in, zone, english)) for person in people]
