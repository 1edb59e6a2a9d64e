"""Find what a student wrote, wherever it stands: every written answer reaches the teacher."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import keyword
import re
from dataclasses import dataclass, field

from pe_grading.cell_markup import TEXT_STUB, same
from pe_grading.notebook import Assignment, Cell, cleared

TEXT_LIMIT = 200_000  # characters of one written answer
PICTURE_BYTES = 8 << 20  # of all pictures in one cell
PICTURES = 40  # in one written answer
PROSE_WORDS = 8  # a code cell with fewer words outside its code holds no written answer
COMMENT_WORDS = 24  # the same of comments in a cell of the course, where code is explained
PICTURE_KINDS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
INLINE = re.compile(r"\]\(\s*+data:(image/[a-z]++);base64,([A-Za-z0-9+/=\s]++)\)")
ASIDE = re.compile(  # what is no code in code: comments and texts, also those without an end
    r"""(?P<comment>\#[^\n]*+)
    |(?P<text>\"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:\"{3})?|'{3}(?:[^'\\]++|\\.|'(?!''))*+(?:'{3})?)
    |(?P<short>"(?:[^"\\\n]++|\\.)*+"?|(?<![^\W_fFrRbBuU])'(?:[^'\\\n]++|\\.)*+'?)  # no apostrophe
    """,
    re.X | re.S,
)
WORD = re.compile(r"[^\W\d_]++")
WITHOUT_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts that write a word in a sign or two
KEYWORDS = {*keyword.kwlist, *keyword.softkwlist, "type"}
SHOWS = re.compile(r"\b(?:print|display|Markdown|f|r)\b")


@dataclass
class Written:
    """What a student wrote to one question.

    `state` is "in place", "elsewhere" (the teacher has to see whether it belongs here) or "blank".
    """

    grade_id: str
    points: float
    state: str = "blank"
    text: str = ""
    pictures: dict[str, dict[str, str]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def add(self, cell: Cell, state: str, text: str | None = None) -> None:
        """Add a cell's text and pictures."""
        source = cell.source if text is None else text
        source, inline = _inline_pictures(source)
        pictures, lost = _pictures({**cell.attachments, **inline})
        self.lost += lost
        if len(source) > TEXT_LIMIT:
            self.lost.append(f"the end of a text of {len(source)} characters")
            source = source[:TEXT_LIMIT]
        free = max(PICTURES - len(self.pictures), 0)
        if len(pictures) > free:
            self.lost.append(f"{len(pictures) - free} pictures: an answer may have {PICTURES}")
        for name, bundle in list(pictures.items())[:free]:
            own = name if name not in self.pictures else f"{len(self.pictures)}-{name}"
            source = source.replace(f"attachment:{name}", f"attachment:{own}")
            if f"attachment:{own}" not in source:
                source += f"\n\n![](attachment:{own})"
            self.pictures[own] = bundle
        self.text = "\n\n".join(filter(None, [self.text, source]))
        if len(self.text) > TEXT_LIMIT:
            self.lost.append(f"the end of a text of {len(self.text)} characters")
            self.text = self.text[:TEXT_LIMIT]
        if self.state != "elsewhere":
            self.state = state

    def summary(self) -> dict:
        """Return what a result keeps of it: whether and where there is an answer, and a code that tells a change."""
        digest = hashlib.sha256(repr((self.text, self.pictures)).encode()).hexdigest()[:16]
        return {"grade_id": self.grade_id, "max": self.points, "state": self.state, "digest": digest}


@dataclass
class Unmatched:
    """What belongs to no question, and what was lost on the way."""

    cells: list[tuple[int, Cell]]  # with their numbers in the notebook
    written: list[Written]

    def summary(self) -> list[str]:
        """Return a sentence on each thing for the review queue."""
        said = [f"text in cell {number} belongs to no question: {_start(cell)}" for number, cell in self.cells]
        for answer in self.written:
            if answer.state == "elsewhere":
                said.append(f"{answer.grade_id} was not answered in its place; what may be the answer was put there")
            said += [f"{answer.grade_id}: left out: {what}" for what in answer.lost]
        return said


def find_written(assignment: Assignment, cells: list[Cell]) -> tuple[list[Written], Unmatched]:
    """Find the written answers of a submission and the texts that belong to no question.

    A text answers the question whose cell it stands in, or next to: between the question and the next cell that the
    course made. Where a question stays without an answer, every text that belongs to no question is put there.
    """
    released = assignment.cells
    origins = [_origin(cell, released, assignment) for cell in cells]
    answers = {}
    for index, cell in enumerate(released):
        if cell.role == "written":
            answers[index] = Written(cell.grade_id, cell.points)
    rest: list[tuple[int, Cell]] = []
    for number, (cell, origin) in enumerate(zip(cells, origins, strict=True)):
        text = _own_text(cell, released[origin] if origin is not None else None)
        if not text and not cell.attachments:
            continue
        if origin in answers:
            answers[origin].add(cell, "in place", text)
        elif (place := _next_to(number, origins, answers, released)) is not None and cell.kind != "code":
            answers[place].add(cell, "in place", text)
        else:
            rest.append((number + 1, cell))
    blank = [answer for answer in answers.values() if answer.state == "blank"]
    for answer in blank:
        for _, cell in rest:
            answer.add(cell, "elsewhere", _fenced(cell) if cell.kind == "code" else None)
    kept = [] if blank else [(number, cell) for number, cell in rest if cell.kind != "code" or _says_only(cell.source)]
    written = list(answers.values())
    return written, Unmatched(kept, written)


def _origin(cell: Cell, released: list[Cell], assignment: Assignment) -> int | None:
    """Return which cell of the released notebook this one was, by its grade id or by what it says."""
    for index, original in enumerate(released):
        if cell.grade_id and cell.grade_id == original.grade_id:
            return index
    for index, original in enumerate(released):
        if original.role != "written" and same(cell.source, cleared(original)):
            return index
    for index, original in enumerate(released):
        if any(f"def {name}(" in cell.source for name in assignment.answers.get(original.grade_id, [])):
            return index
    return None


def _own_text(cell: Cell, original: Cell | None) -> str:
    """Return the part of a cell that the student wrote as text; of code, what is not code, where it is enough."""
    given = set() if original is None or original.role == "written" else set(original.source.splitlines())
    if cell.kind != "code" or (original is not None and original.role == "written"):
        if original is not None and original.role in ("answer", "test"):
            return ""
        lines = [line for line in cell.source.splitlines() if line not in given and line.strip() != TEXT_STUB]
        return "\n".join(lines).strip()
    known = _known(original) if original else frozenset()
    comments, texts, prose = (
        "\n".join(line for line in part.split("\n") if line.strip() not in known) for part in _asides(cell.source)
    )
    enough = _words(texts) + _words(prose) >= PROSE_WORDS or (
        _words(comments) >= (PROSE_WORDS if original is None else COMMENT_WORDS)
    )
    return "\n".join(filter(None, [comments, texts, prose])).strip() if enough else ""


@functools.lru_cache(maxsize=1000)
def _known(original: Cell) -> frozenset[str]:
    """Return the lines of a cell of the course, with and without what students do not get, and its asides."""
    parts = [original.source, *_asides(original.source), *_asides(cleared(original))]
    return frozenset(line.strip() for part in parts for line in part.split("\n"))


def _asides(source: str) -> tuple[str, str, str]:
    """Return what is not code in a cell of code: comments, texts that are sentences, and lines that are no Python."""
    comments: list[str] = []
    texts: list[str] = []

    def take(match: re.Match) -> str:
        if match["comment"]:
            comments.append(match[0])
        elif match["text"] or _words(match[0]) >= PROSE_WORDS:
            texts.append(match[0])
        return '""' + "\n" * match[0].count("\n")  # keeps its line

    code = ASIDE.sub(take, source)
    lines = zip(code.split("\n"), source.split("\n"), strict=False)
    prose = [line for left, line in lines if _is_prose(left) and line.strip() != TEXT_STUB]
    return "\n".join(comments), "\n".join(texts), "\n".join(prose)


def _is_prose(line: str) -> bool:
    """Tell whether a line is no Python, whatever signs are in it: in Python no two names stand side by side."""
    if line.lstrip()[:1] in ("%", "!"):
        return False
    words = line.split()
    names = [word.strip(",.;:?!()\"'").isalpha() and word not in KEYWORDS for word in words]
    beside = sum(
        one and other and before.isalpha() for one, other, before in zip(names, names[1:], words, strict=False)
    )
    return beside > 0 or len(WITHOUT_BLANKS.findall(line)) >= PROSE_WORDS


def _words(text: str) -> int:
    """Return how many words a text has, in a script without blanks about as many as signs."""
    return len(WORD.findall(text)) + len(WITHOUT_BLANKS.findall(text))


def _says_only(source: str) -> bool:
    """Tell whether a cell of code holds text and nothing that would compute: it was typed into the wrong cell."""
    _, texts, prose = _asides(source)
    left = " ".join(line for line in ASIDE.sub("", source).split("\n") if not _is_prose(line))
    return bool(texts or prose) and not WORD.search(SHOWS.sub("", left))


def _next_to(number: int, origins: list[int | None], answers: dict[int, Written], released: list[Cell]) -> int | None:
    """Return the question to which a cell belongs by its place: the last course's cell before it, or the next after."""
    before = next((origin for origin in reversed(origins[: number + 1]) if origin is not None), None)
    after = next((origin for origin in origins[number + 1 :] if origin is not None), None)
    for place in answers:
        texts = [index for index in range(place) if released[index].kind == "markdown" and index not in answers]
        question = texts[-1] if texts else place
        if after == place or (before is not None and question <= before <= place):
            return place
    return None


def _fenced(cell: Cell) -> str:
    return "\n".join("    " + line for line in cell.source.splitlines())


def _start(cell: Cell) -> str:
    words = " ".join(cell.source.split())
    return words[:80] + ("…" if len(words) > 80 else "")


def _inline_pictures(text: str) -> tuple[str, dict]:
    """Turn pictures that stand in the text itself into attachments."""
    found: dict[str, dict[str, str]] = {}

    def attach(match: re.Match) -> str:
        name = f"inline-{len(found) + 1}{PICTURE_KINDS.get(match[1], '')}"
        found[name] = {match[1]: "".join(match[2].split())}
        return f"](attachment:{name})"

    return INLINE.sub(attach, text), found


def _pictures(attachments: dict) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the attachments that are pictures without code in them, and what was left out."""
    kept: dict[str, dict[str, str]] = {}
    lost: list[str] = []
    size = 0
    for number, (raw, bundle) in enumerate(attachments.items(), 1):
        name = str(raw) if re.fullmatch(r"[\w.-]{1,80}", str(raw)) else f"picture-{number}"
        kinds = bundle if isinstance(bundle, dict) else {}
        kind = next((kind for kind in PICTURE_KINDS if isinstance(kinds.get(kind), (str, list))), None)
        data = kinds.get(kind, "")
        data = "".join(part for part in data if isinstance(part, str)) if isinstance(data, list) else data
        try:
            size += len(base64.b64decode(data, validate=False))
        except (binascii.Error, ValueError):
            kind = None
        if kind is None:
            lost.append(f"an attachment that is no picture ({str(raw)[:60]})")
        elif size > PICTURE_BYTES:
            lost.append(f"a picture: together they are over {PICTURE_BYTES >> 20} MB ({str(raw)[:60]})")
        else:
            kept[name] = {kind: data}
    return kept, lost
