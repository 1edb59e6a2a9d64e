"""Read configurations of the reader's own, for notebooks: plain_reading.py does it, also in the page."""

from __future__ import annotations

import json

from clockwork.lessons.lesson_12 import plain_reading


class Reading:
    """What one or two configurations say about their hands; notebooks show it as pictures and words.

    Args:
        configs: configurations, as mappings, as objects of transformers or as the text of a config.json.
        length: tokens from the query to the farthest key.

    Example:
        >>> from clockwork.lessons.lesson_12.reading import Reading
        >>> print(str(Reading({"head_dim": 8, "rope_theta": 1e4}, length=4096))[:55])
        Configuration 1: 4 of 4 hands turn, the slowest once in
    """

    def __init__(self, *configs: dict | str | object, length: int):
        configs = [each.to_dict() if hasattr(each, "to_dict") else each for each in configs]
        self.texts = [each if isinstance(each, str) else json.dumps(each) for each in configs]
        self.length = length

    def __repr__(self) -> str:
        """Return the words alone."""
        lines = []
        readings = [plain_reading.read(text, self.length) for text in self.texts]
        for number, found in enumerate(readings, start=1):
            for kind in found.get("kinds", ()):
                name = f"Configuration {number}" + (f", {kind['kind']}" if kind["kind"] else "")
                lines.append(f"{name}: {plain_reading.words(kind, self.length)}")
            if "refused" in found:
                lines.append(f"Configuration {number} is refused: {found['refused']}.")
        if said := plain_reading.compared(readings):
            lines.append(f"Side by side: {said}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return plain_reading.html(self.texts, self.length)
