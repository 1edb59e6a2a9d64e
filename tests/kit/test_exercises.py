"""What the checks of exercises share: answers are compared at the scale of their numbers, and blanks are found."""

import pytest
import torch

from clockwork.kit.checks import CheckFailed, NotAttempted, exercises

ROW = torch.tensor([1.0, -2.0, 0.0, 4.0], dtype=torch.float64)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_arrays_are_compared_at_the_scale_of_their_numbers(scale):
    slip = torch.tensor([0.0, 0.0, 1.0, 0.0]) * 4e-5
    assert exercises.close(scale * ROW, scale * (ROW + 0.9 * slip))
    assert not exercises.close(scale * ROW, scale * (ROW + 1.1 * slip))
    assert not exercises.close(scale * ROW, torch.zeros(4))


def test_arrays_of_different_shapes_are_not_close():
    assert not exercises.close(torch.ones(3, 1), torch.ones(3))


def test_the_first_mistake_that_agrees_is_named_with_its_case():
    mistakes = [(-ROW, "the sign is wrong"), (2 * ROW, "doubled"), (2 * ROW, "never reached")]
    with pytest.raises(CheckFailed, match=r"^k = 3: doubled$"):
        exercises.diagnose(2 * ROW, mistakes, case="k = 3")
    assert exercises.diagnose(ROW, mistakes) is None


@pytest.mark.parametrize("blank", [None, ..., "  "])
def test_one_blank_value_makes_a_dict_unattempted(blank):
    with pytest.raises(NotAttempted):
        exercises.mapping({"a": 1, "b": blank}, ["a", "b"])


@pytest.mark.parametrize("attempt", [{"a": 1}, {"a": 1, "c": 2}, [1, 2], "ab"])
def test_a_dict_with_other_keys_is_told(attempt):
    with pytest.raises(CheckFailed, match="must keep its 2 keys"):
        exercises.mapping(attempt, ["a", "b"])
