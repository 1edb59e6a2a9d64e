"""Make text and names from outside safe, once, where they enter: to be kept, written, shown and sorted."""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata

NAME_BYTES = 100  # of a student's name in UTF-8: file systems and gradebooks take longer ones, but not with endings
REPLACEMENT = "\ufffd"
SURROGATES = re.compile("[\ud800-\udfff]")
CONTROLS = re.compile(r"[^\S\n ]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def decoded(data: bytes) -> str:
    """Return a JSON file's text: in UTF-8, 16 or 32, with or without a mark, or else as Windows writes it."""
    try:
        return data.decode(json.detect_encoding(data), "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def encodable(text: str) -> str:
    """Return the text with half characters (lone surrogates), which no file can hold, replaced."""
    return SURROGATES.sub(REPLACEMENT, text)


def sentence(text: object, limit: int = 600) -> str:
    """Return what somebody's code said as text that can be kept and shown: encodable, no control characters, short."""
    return CONTROLS.sub(" ", encodable(str(text)))[:limit]


def name(raw: str) -> str:
    """Return a file's name as a student's name: valid text, one spelling of each letter, no control characters, short.

    A name that is not UTF-8, as some programs unpack it from an old Windows archive, is read as Windows-1252. A name
    that had to be changed beyond its spelling ends in `~` and a code of its bytes, so that no two become one.
    """
    data = os.fsencode(raw)
    try:
        decoded = data.decode("utf-8")
    except UnicodeDecodeError:
        decoded = data.decode("cp1252", errors="replace")
    spelled = unicodedata.normalize("NFC", decoded)
    clean = "".join("_" if unicodedata.category(c)[0] == "C" or c in "/\\" else c for c in spelled)
    clean = clean.strip().lstrip(".") or "_"
    code = hashlib.sha256(data).hexdigest()[:8]
    if len(clean.encode()) > NAME_BYTES:
        clean = clean.encode()[: NAME_BYTES - 9].decode(errors="ignore")
    return clean if clean == spelled else f"{clean}~{code}"
