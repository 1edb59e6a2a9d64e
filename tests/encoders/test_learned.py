"""A table gives the rows that it has and says what it lacks."""

import copy
import pickle

import pytest
import torch

from pe_helpers import learned


def test_rows_are_looked_up_for_positions_of_any_shape():
    table = learned.LearnedTable(5, 3, std=0.02)
    ids = torch.tensor([[0, 4], [4, 2]])
    assert torch.equal(table(ids), torch.stack([torch.stack([table.weight[i] for i in row]) for row in ids.tolist()]))
    assert table(torch.tensor([], dtype=torch.int64)).shape == (0, 3)
    assert torch.equal(table(3), table.weight[3])


@pytest.mark.parametrize("std", [0.02, 1.0])
def test_the_rows_begin_with_the_deviation_asked_for(std):
    torch.manual_seed(0)
    weight = learned.LearnedTable(200, 100, std=std).weight.detach()
    assert float(weight.std()) == pytest.approx(std, rel=0.03) and abs(float(weight.mean())) < 0.05 * std


def test_only_the_rows_that_were_read_learn():
    table = learned.LearnedTable(5, 3, std=1.0)
    table(torch.tensor([1, 1, 3])).sum().backward()
    assert table.weight.grad[:, 0].tolist() == [0, 2, 0, 1, 0]


@pytest.mark.parametrize("position", [5, 10**12, -1, -5])
def test_a_position_outside_the_table_is_named_with_the_length(position):
    with pytest.raises(IndexError) as caught:
        learned.LearnedTable(5, 3, std=0.02)([0, position])
    assert str(caught.value) == f"position_ids must be within 0 … 4 (the table has 5 rows), got {position}"


def test_a_table_survives_copies_and_files():
    table = learned.LearnedTable(5, 3, std=0.5)
    for again in (copy.deepcopy(table), pickle.loads(pickle.dumps(table)), learned.LearnedTable(5, 3, std=0.0)):
        again.load_state_dict(table.state_dict())
        assert torch.equal(again([0, 4]), table([0, 4]))


REFUSED = [
    (lambda: learned.LearnedTable(0, 3, std=1), ValueError, "max_len must be at least 1, got 0"),
    (lambda: learned.LearnedTable(3, 0, std=1), ValueError, "d_model must be at least 1"),
    (lambda: learned.LearnedTable(3, 2.5, std=1), TypeError, "d_model must be an int"),
    (lambda: learned.LearnedTable(3, 2, std=-1), ValueError, "std must be finite and at least 0"),
    (lambda: learned.LearnedTable(3, 2, std=float("nan")), ValueError, "std must be finite"),
    (lambda: learned.LearnedTable(3, 2, std="small"), TypeError, "std must be a number"),
    (
        lambda: learned.LearnedTable(3, 2, std=1)([0.5]),
        TypeError,
        "position_ids must be whole numbers (a table has no row 2.5)",
    ),
    (
        lambda: learned.LearnedTable(3, 2, std=1)([True]),
        TypeError,
        "position_ids must be a dense tensor of whole numbers",
    ),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
