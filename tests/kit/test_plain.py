"""The checks that MicroPython runs in a page: they import what it has, and take numbers of any kind."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from clockwork import lessons
from clockwork.kit.checks import CheckFailed, NotAttempted, plain

ROOMS = Path(lessons.__file__).parent
FILES = [Path(plain.__file__), *sorted(ROOMS.glob("lesson_*/plain_checks.py"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_a_plain_check_imports_nothing_that_a_page_lacks(file):
    nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    recorded = {f"clockwork.lessons.{file.parent.name}.recorded"} if (file.parent / "recorded.py").exists() else set()
    assert imported <= {"math", "itertools", "clockwork.kit.checks.plain", "clockwork.kit.machine"} | recorded


def test_each_of_the_first_four_lessons_has_an_exercise_for_the_page():
    assert {file.parent.name for file in FILES[1:]} >= {f"lesson_{number:02}" for number in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    "answer", [[1, 2.5], (1, 2.5), torch.tensor([1, 2.5]), np.array([1, 2.5]), [torch.tensor(1), 2.5]]
)
def test_numbers_of_any_kind_become_floats(answer):
    assert plain.floats(answer, (2,)) == [1.0, 2.5]


def test_one_number_has_the_shape_of_one_number():
    assert plain.floats(torch.tensor(3), ()) == 3.0
    assert plain.floats([[1, 2], [3, 4], [5, 6]], (3, 2))[2] == [5.0, 6.0]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("noon", "must be numbers"),
        ([1, "2"], "must be numbers"),
        ([[1, 2], [3]], "must be numbers"),
        ([1, ...], "must be numbers"),
        ([1, 2, 3], r"must have shape \(2,\), got \(3,\)"),
        (4, r"must have shape \(2,\), got \(\)"),
        ([1, math.nan], "must be finite, got nan at index 1"),
    ],
)
def test_what_is_no_list_of_two_numbers_is_told_why(answer, told):
    with pytest.raises(CheckFailed, match=told):
        plain.floats(answer, (2,))


def test_a_blank_is_no_wrong_answer():
    with pytest.raises(NotAttempted):
        plain.floats(..., (2,))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_lists_are_compared_at_the_scale_of_their_numbers(scale):
    row = [scale, -2 * scale, 4 * scale]
    assert plain.close(row, [scale, -2 * scale, (4 + 3e-5) * scale])
    assert not plain.close(row, [scale, -2 * scale, (4 + 5e-5) * scale])
    assert not plain.close(row, row[:2])
