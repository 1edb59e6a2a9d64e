"""A table gives the rows that it has and says what it lacks."""

import copy
import math
import pickle

import pytest
import torch
from transformers import ViTConfig
from transformers.models.vit.modeling_vit import ViTEmbeddings

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


def cubic(x, a):
    """Return Keys' kernel at a distance; a is its slope at 1."""
    x = abs(x)
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def weights(old, new, antialias):
    """Return how much each of `old` places counts in each of `new`, whose outer borders are the same."""
    matrix = torch.zeros(new, old, dtype=torch.float64)
    step = old / new
    wide = max(step, 1.0) if antialias else 1.0
    for i in range(new):
        middle = (i + 0.5) * step - 0.5
        if antialias:  # places outside do not count
            row = [cubic((j - middle) / wide, -0.5) for j in range(old)]
            matrix[i] = torch.tensor(row) / sum(row)
        else:  # the place at the border counts for those outside
            for j in range(math.floor(middle) - 1, math.floor(middle) + 3):
                matrix[i, min(max(j, 0), old - 1)] += cubic(j - middle, -0.75)
    return matrix


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("new", [(3, 9), (7, 4), (2, 2), (14, 14), (5, 6)])
def test_a_resized_table_is_that_of_the_kernel_along_rows_and_columns(new, antialias, unchecked):
    table = torch.randn(2 + 30, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    found = learned.resize(table, (5, 6), new, prefix=2, antialias=antialias)
    rows, columns = (weights(old, size, antialias) for old, size in zip((5, 6), new, strict=True))
    wanted = torch.einsum("ri,cj,ijd->rcd", rows, columns, table[2:].view(5, 6, 3)).flatten(0, 1)
    torch.testing.assert_close(found[2:], wanted)
    assert torch.equal(found[:2], table[:2])


def test_a_text_is_resized_along_its_only_axis(unchecked):
    table = torch.randn(8, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for new in (5, 20):
        for size in ((8,), (8, 1), (1, 8)):
            found = learned.resize(table, size, tuple(new if each == 8 else 1 for each in size))
            torch.testing.assert_close(found, weights(8, new, True) @ table)


@pytest.mark.parametrize("side", [6, 9])
def test_without_antialias_a_table_is_resized_as_transformers_does_it(side, unchecked):
    config = ViTConfig(hidden_size=8, image_size=24, patch_size=4, num_attention_heads=2)
    vit = ViTEmbeddings(config)
    torch.nn.init.normal_(vit.position_embeddings)
    wanted = vit.interpolate_pos_encoding(torch.empty(1, 1 + side**2, 8), 4 * side, 4 * side)[0]
    found = learned.resize(vit.position_embeddings[0], (6, 6), (side, side), prefix=1, antialias=False)
    torch.testing.assert_close(found, wanted)


def test_half_precision_is_resized_in_float32_and_rounded_once(unchecked):
    table = torch.randn(16, 3, generator=torch.Generator().manual_seed(0)).bfloat16()
    found = learned.resize(table, (4, 4), (7, 3))
    assert torch.equal(found, learned.resize(table.float(), (4, 4), (7, 3)).bfloat16())


def test_gradients_flow_through_a_resized_table(unchecked):
    table = torch.randn(1 + 6, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda table: learned.resize(table, (2, 3), (3, 2), prefix=1), table)


REFUSED = [
    (lambda: learned.resize([[1.0]], (1,), (2,)), TypeError, "weight must be a float tensor (rows, d_model)"),
    (lambda: learned.resize(torch.ones(4, 2).long(), (2, 2), (3, 3)), TypeError, "weight must be"),
    (lambda: learned.resize(torch.ones(5, 2), (2, 2), (3, 3)), ValueError, "size must give the table's 5 rows"),
    (lambda: learned.resize(torch.ones(4, 2), (2, 2), (3,)), ValueError, "new_size must have as many axes as size"),
    (lambda: learned.resize(torch.ones(8, 2), (2, 2, 2), (3, 3, 3)), ValueError, "size must be (rows, columns)"),
    (lambda: learned.resize(torch.ones(4, 2), 4, 8), ValueError, "size must be (rows, columns)"),
    (lambda: learned.resize(torch.ones(4, 2), (4,), (0,)), ValueError, "new_size must be at least 1"),
    (lambda: learned.resize(torch.ones(4, 2), (4,), (2.5,)), TypeError, "new_size must be an int"),
]


@pytest.mark.parametrize("call, kind, message", REFUSED, ids=[message for _, _, message in REFUSED])
def test_a_size_that_does_not_fit_is_refused(call, kind, message, unchecked):
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
