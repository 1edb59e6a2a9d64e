"""Two toy tasks that need order, and next-byte prediction on real text: encodings are compared on these.

A batch is `(tokens, targets)`. Targets of shape `(batch,)` are one answer for each sequence, read from the logits
averaged over its positions. Targets of shape `(batch, seq_len)` are one answer at each position, or `NO_ANSWER`.

Source: the tasks are the course's own; the text is the source of Python's standard library, which every reader has.
"""

from __future__ import annotations

import functools
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from jaxtyping import Float, Int, UInt8
    from torch import Tensor

    Batch = tuple[Int[Tensor, "batch seq_len"], Int[Tensor, "batch ..."]]

A = 0
B = 1
NO_ANSWER = -100  # the default `ignore_index` of torch's cross-entropy
HELD_OUT = 5  # every fifth module of the standard library is kept for testing


def who_came_first(batch_size: int, seq_len: int, *, generator: torch.Generator, num_symbols: int = 16) -> Batch:
    """Draw sequences with one A and one B among fillers; the target is the letter that comes first.

    Args:
        batch_size: number of sequences.
        seq_len: tokens in each, at least 2.
        generator: a random generator on the CPU.
        num_symbols: A, B and the fillers 2, 3, …

    Raises:
        ValueError: if `seq_len` is less than 2.
    """
    if seq_len < 2:
        raise ValueError(f"seq_len must be at least 2 (an A and a B must fit in), got {seq_len}")
    tokens = torch.randint(2, num_symbols, (batch_size, seq_len), generator=generator)
    places = torch.rand(batch_size, seq_len, generator=generator).topk(2).indices
    tokens.scatter_(1, places, torch.tensor([[A, B]]).expand(batch_size, 2))
    return tokens, (places[:, 1] < places[:, 0]).long()


def with_twins(
    tokens: Int[Tensor, "batch seq_len"], targets: Int[Tensor, "batch"]
) -> tuple[Int[Tensor, "2*batch seq_len"], Int[Tensor, "2*batch"]]:
    """Give each sequence of `who_came_first` a twin with A and B swapped, whose answer is the other letter.

    A sequence and its twin are the same bag of tokens, so a model that ignores order is right on exactly one of them.
    """
    swapped = torch.where(tokens <= B, 1 - tokens, tokens)
    return torch.cat([tokens, swapped]), torch.cat([targets, 1 - targets])


def k_back(batch_size: int, seq_len: int, *, generator: torch.Generator, k: int = 3, num_symbols: int = 16) -> Batch:
    """Draw random symbols; the target at each position is the symbol `k` tokens earlier.

    Args:
        batch_size: number of sequences.
        seq_len: tokens in each, more than k.
        generator: a random generator on the CPU.
        k: how far back to look, in tokens.
        num_symbols: number of different symbols; a guess is right with probability 1/num_symbols.

    Raises:
        ValueError: if `k` is not between 1 and seq_len-1.
    """
    if not 0 < k < seq_len:
        raise ValueError(
            f"k must lie between 1 and seq_len-1={seq_len - 1} (one position must have an answer), got {k}"
        )
    tokens = torch.randint(num_symbols, (batch_size, seq_len), generator=generator)
    targets = torch.full_like(tokens, NO_ANSWER)
    targets[:, k:] = tokens[:, :-k]
    return tokens, targets


@functools.cache
def source_bytes(*, held_out: bool = False) -> UInt8[Tensor, "bytes"]:
    """Return the modules of the standard library as bytes, one after another in alphabetical order.

    Every fifth module is held out, so that no file is in both parts. The bytes depend on the version of Python, which a
    result should therefore name.
    """
    modules = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    chosen = [path for i, path in enumerate(modules) if (i % HELD_OUT == HELD_OUT - 1) == held_out]
    return torch.frombuffer(bytearray(b"".join(path.read_bytes() for path in chosen)), dtype=torch.uint8)


def next_byte(batch_size: int, seq_len: int, *, generator: torch.Generator, held_out: bool = False) -> Batch:
    """Draw pieces of the standard library's source; the target at each position is the next byte."""
    text = source_bytes(held_out=held_out)
    starts = torch.randint(len(text) - seq_len, (batch_size, 1), generator=generator)
    piece = text[starts + torch.arange(seq_len + 1)].long()
    return piece[:, :-1], piece[:, 1:]


@dataclass(frozen=True)
class Task:
    """A task, and how long the course trains models on it.

    Attributes:
        name: of the task, in figures and files.
        vocab_size: number of different tokens.
        chance: accuracy of guessing.
        train_lengths: the shortest and the longest training sequence, in tokens.
        steps: training steps.
        draw: `draw(batch_size, seq_len, generator=...)` draws a batch to train on.
        draw_test: draws a batch to test on, in the same way.
    """

    name: str
    vocab_size: int
    chance: float
    train_lengths: tuple[int, int]
    steps: int
    draw: Callable[..., Batch]
    draw_test: Callable[..., Batch]

    @property
    def trained_to(self) -> int:
        """The longest training sequence, in tokens."""
        return self.train_lengths[1]


def _twin_test(batch_size: int, seq_len: int, *, generator: torch.Generator) -> Batch:
    return with_twins(*who_came_first(batch_size // 2, seq_len, generator=generator))


WHO_CAME_FIRST = Task("who_came_first", 16, 1 / 2, (4, 24), 250, who_came_first, _twin_test)
THREE_BACK = Task("three_back", 16, 1 / 16, (32, 32), 500, k_back, k_back)
NEXT_BYTE = Task("next_byte", 256, 1 / 256, (64, 64), 500, next_byte, functools.partial(next_byte, held_out=True))
TASKS = {task.name: task for task in (WHO_CAME_FIRST, THREE_BACK, NEXT_BYTE)}


def answers(logits: Float[Tensor, "... seq_len vocab"], targets: Int[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Return the logits that answer the targets: averaged over positions if each sequence has one answer."""
    return logits.mean(-2) if logits.ndim - targets.ndim == 2 else logits


def loss(logits: Float[Tensor, "batch seq_len vocab"], targets: Int[Tensor, "batch ..."]) -> Float[Tensor, ""]:
    """Return the mean cross-entropy in nats per answer, without the positions that have `NO_ANSWER`."""
    return functional.cross_entropy(answers(logits, targets).flatten(0, -2), targets.flatten(), ignore_index=NO_ANSWER)


def accuracy(logits: Float[Tensor, "batch seq_len vocab"], targets: Int[Tensor, "batch ..."]) -> Float[Tensor, ""]:
    """Return the share of right answers (0 to 1), without the positions that have `NO_ANSWER`."""
    asked = targets != NO_ANSWER
    right = (answers(logits, targets).argmax(-1) == targets) & asked
    return right.sum() / asked.sum()
