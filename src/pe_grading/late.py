"""What a late submission loses: deadlines and extensions from a table, times as nbgrader or an LMS kept them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import dateutil.parser
import dateutil.tz

from pe_grading.roster import Roster, read_rows

Times = Mapping[tuple[str, str], datetime]  # by student's folder or person's key, and assignment


@dataclass(frozen=True)
class Policy:
    """Percent of an assignment's points that a started day costs, the most that can be lost, and minutes of grace."""

    percent_a_day: float = 0
    percent_at_most: float = 100
    grace_minutes: float = 0

    def lost(self, late: timedelta, most: float) -> float:
        """Return the points that are lost when an assignment of `most` points is late."""
        if late <= timedelta(minutes=self.grace_minutes):
            return 0.0
        days = math.ceil(late / timedelta(days=1))
        return most * min(days * self.percent_a_day, self.percent_at_most) / 100


def moment(words: str, zone: tzinfo) -> datetime:
    """Read a time as people and programs write it; one that names no time zone is in `zone`.

    nbgrader writes `2027-03-01 23:10:05.123456 Europe/Rome` or `… UTC`, Moodle `Monday, 1 March 2027, 11:10 PM`.

    Raises:
        ValueError: It is none.
    """
    rest, _, last = words.strip().rpartition(" ")
    named = dateutil.tz.gettz(last) if rest and ("/" in last or last in ("UTC", "GMT")) else None
    try:
        time = dateutil.parser.parse(rest if named else words)
    except (ValueError, OverflowError):
        raise ValueError(f"a time must be a date and a time of day, got {words!r}") from None
    return time if time.tzinfo else time.replace(tzinfo=named or zone)


def read_deadlines(path: Path, zone: tzinfo) -> dict[tuple[str, str], datetime]:
    """Read a table `assignment,due,student`; a row that names a student is an extension for that student alone.

    Returns:
        By student (empty: everybody) and assignment, when it is due.
    """
    rows = read_rows(path, "assignment", "due")
    return {(row.get("student", ""), row["assignment"]): moment(row["due"], zone) for row in rows}


def read_times(path: Path, zone: tzinfo) -> dict[tuple[str, str], datetime]:
    """Read when things were handed in from a table `student,assignment,time`; the last time counts."""
    found: dict[tuple[str, str], datetime] = {}
    for row in read_rows(path, "student", "assignment", "time"):
        key = (row["student"], row["assignment"])
        time = moment(row["time"], zone)
        found[key] = max(time, found.get(key, time))
    return found


def times_in_folder(folder: Path, zone: tzinfo) -> dict[tuple[str, str], datetime]:
    """Read the files `student/assignment/timestamp.txt` that nbgrader's exchange leaves."""
    paths = sorted(folder.glob("*/*/timestamp.txt"))
    return {(path.parts[-3], path.parts[-2]): moment(path.read_text(encoding="utf-8"), zone) for path in paths}


def times_in_roster(roster: Roster, assignment: str, zone: tzinfo) -> dict[tuple[str, str], datetime]:
    """Read the times in Moodle's grading worksheet of an assignment, where `-` says that nothing was handed in."""
    people = [person for person in roster.people if person.handed_in not in ("", "-")]
    return {(person.key, assignment): moment(person.handed_in, zone) for person in people}
