"""The reader's own machine: functions that he writes, run in the course's transformer and keeps in one file.

plain.py runs them and says what is wrong, diagnoses.py knows the usual mistakes, both in MicroPython too; lamps.py has
the one list of demands; bench.py is a picture in which a function is typed and the model in the page trains with it.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from clockwork.kit import attention, memory
from clockwork.kit.checks.exercises import in_notebook, say
from clockwork.kit.checks.plain import CheckFailed, NotAttempted
from clockwork.kit.machine import diagnoses, plain

FILE = "my_clock.py"  # beside the reader's lessons
SECONDS = 5.0  # that his function may take for all positions together
LISTENERS: list[Callable[[str, dict], None]] = []  # what is told of a function that was kept: its name, and the answer


class Mine(attention.Encoding):
    """The reader's functions at the doors of the model: `code(p)` is added, `rotate(q, p)` turns queries and keys.

    Args:
        code: returns at most as many numbers as a token has; the others get nothing.
        rotate: returns as many numbers as it is given; it must be linear in them.

    Example:
        >>> model = attention.Transformer(16, Mine(code=lambda p: [p]), d_model=32)
    """

    def __init__(self, code: Callable | None = None, rotate: Callable | None = None):
        super().__init__()
        self.code = code
        self.rotate = rotate
        self.asked: dict[tuple, list] = {}  # what his functions have said; they are asked once for each position

    def add(self, x: Tensor, position_ids: Tensor) -> Tensor:
        """Add the code of each position to the first numbers of its token."""
        if self.code is None:
            return x
        rows = [self.row(p) for p in position_ids.tolist()]
        table = torch.tensor(rows, dtype=x.dtype, device=x.device)
        return x + nn.functional.pad(table, (0, x.shape[-1] - table.shape[-1]))

    def turn(self, x: Tensor, position_ids: Tensor) -> Tensor:
        """Turn queries and keys by the matrix of their position."""
        if self.rotate is None:
            return x
        matrices = [self.matrix(p, x.shape[-1]) for p in position_ids.tolist()]
        return torch.einsum("sij,...sj->...si", torch.tensor(matrices, dtype=x.dtype, device=x.device), x)

    def row(self, p: float) -> list[float]:
        """Return the code of a position."""
        if (p,) not in self.asked:
            self.asked[p,] = plain.numbers(plain.called(self.code, f"code({p})", p), f"code({p})")
        return self.asked[p,]

    def matrix(self, p: float, head_dim: int) -> list[list[float]]:
        """Return the matrix of the rotation at a position."""
        if (p, head_dim) not in self.asked:
            (self.asked[p, head_dim],) = plain.turns(self.rotate, [p], head_dim)
        return self.asked[p, head_dim]


class TooLong(BaseException):
    """The reader's function is still at work; nothing that he or plain.py catches is this."""


def answer(name: str, source: str, seconds: float = SECONDS, attend: str = "") -> dict:
    """Return what `diagnoses.told` does, or that the function took too long."""
    try:
        return within(seconds, lambda: diagnoses.told(name, source, attend))
    except TooLong:
        return {"refused": f"Stopped after {seconds:g} seconds: is there a loop without an end?"}


def within(seconds: float, act: Callable[[], dict]) -> dict:
    """Return what `act` returns; raise `TooLong` where it is still at work after `seconds`, on any system."""
    end = time.monotonic() + seconds
    before = sys.gettrace()

    def watch(frame: object, event: str, value: object) -> Callable:
        if time.monotonic() > end:
            raise TooLong
        return watch

    sys.settrace(watch)
    try:
        return act()
    finally:
        sys.settrace(before)


def keep(function: Callable) -> None:
    """Try a function of the machine, keep it in `my_clock.py`, and give it to every picture that trains.

    Example:
        >>> def code(p):
        ...     return [sin(0.3 * p), cos(0.3 * p)]
        >>> machine.keep(code)  # doctest: +SKIP
    """
    name = getattr(function, "__name__", "")
    if name not in plain.SIGNATURES:
        raise ValueError(
            f"a part of the machine must be one of {', '.join(plain.SIGNATURES)}, got {name or function!r}"
        )
    found = answer(name, inspect.getsource(function))
    if "refused" in found:
        say("✘", found["refused"], "#c2410c")
        return
    take(function)
    say("✔", f"{name} is kept in {FILE}, and the pictures that train run with it", "#0b8457")
    if "advice" in found:
        say("✘", found["advice"], "#c2410c")


def take(function: Callable) -> None:
    """Keep a function that a check has passed, where its text is known, and give it to every picture that trains."""
    try:
        name, source = function.__name__, inspect.getsource(function)
    except (AttributeError, OSError, TypeError):  # not typed in a cell
        return
    found = answer(name, source)
    if "refused" not in found:
        put(name, found["source"])
        for listener in LISTENERS:
            listener(name, found)


def put(name: str, source: str) -> None:
    """Keep the text of a function with the reader's answers and, in a notebook, in the file beside it."""
    memory.remember(f"machine/{name}", source)
    if in_notebook():
        file = Path(FILE)
        file.write_text(together(file.read_text("utf-8") if file.exists() else kept(), name, source), "utf-8")


def kept() -> str:
    """Return the whole machine as the reader's answers have it, as the text of a file."""
    found = {name: memory.recall(f"machine/{name}") for name in plain.ORDER}
    return written([source for source in found.values() if isinstance(source, str)])


def together(text: str, name: str, source: str) -> str:
    """Return the text of a file with a function in it, in place of the one of that name; all else stays."""
    old = plain.alone(name, text)
    if old.startswith(f"def {name}("):
        return text.replace(old, source)
    return f"{text.rstrip() or plain.HEADER}\n\n\n{source}\n"


def written(functions: Sequence[str]) -> str:
    """Return functions as the text of a file."""
    return "\n\n\n".join([plain.HEADER, *functions]) + "\n"


def mine(name: str, otherwise: str = "") -> Callable:
    """Return the reader's own function: from his file, or else from his answers.

    Args:
        name: of the function, for example "rotate".
        otherwise: the text that stands for it until he has written it.

    Raises:
        NotAttempted: He has not written it yet, and there is no other text.

    Example:
        >>> code = machine.mine("code")  # doctest: +SKIP
    """
    file = Path(FILE)
    for text in (file.read_text("utf-8") if file.exists() else "", memory.recall(f"machine/{name}"), otherwise):
        if isinstance(text, str) and f"def {name}(" in text:
            return plain.load(name, text)
    raise NotAttempted


__all__ = ["FILE", "CheckFailed", "Mine", "answer", "keep", "kept", "mine", "put", "take"]
