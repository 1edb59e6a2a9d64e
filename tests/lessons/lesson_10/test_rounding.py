"""The verdicts of the checks depend neither on the scale of the numbers nor on how a processor rounds its products."""

import functools

import pytest
import torch
from tests.kit.test_properties import naive_table
from tests.lessons.lesson_10.verdicts import recorded
from torch.utils._python_dispatch import TorchDispatchMode

from clockwork.kit import checks
from clockwork.lessons.lesson_10 import encoding_tests
from clockwork.lessons.lesson_10.faulty_encodings import FAULTS, Sound, SoundRotary

pytestmark = pytest.mark.usefixtures("unchecked")  # encodings are examined as a reader's are

SCALES = [1e-6, 1.0, 1e6]


FACTORS = {  # matrix product: which of its arguments are multiplied
    torch.ops.aten.mm.default: (0, 1),
    torch.ops.aten.bmm.default: (0, 1),
    torch.ops.aten.addmm.default: (1, 2),
    torch.ops.aten.baddbmm.default: (1, 2),
}


class OtherRounding(TorchDispatchMode):
    """Give each matrix product in float32 an error as large as another order of summation may cause."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)
        self.perturbed = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        if operation in FACTORS and result.dtype is torch.float32:
            left, right = (args[i].double().abs() for i in FACTORS[operation])
            error = 4 * 2**-24 * (left @ right)  # 2⁻²⁴ · Σ|a||b| is what one rounding of the largest sum may cost
            result = result + (error * (2 * torch.rand(result.shape, generator=self.generator) - 1)).float()
            self.perturbed += 1
        return result


def summed_in_turn(queries, keys, order):
    """Return the scores of a processor that adds one float32 product after the other, in the given order."""
    scores = torch.zeros(len(queries), len(keys))
    for i in order:
        scores = scores + queries[:, i, None] * keys[:, i]
    return scores


@pytest.mark.parametrize("d_model", [2, 16, 512, 2048])
def test_scores_summed_in_any_order_depend_on_the_offset_alone(d_model):
    table = naive_table(d_model=d_model).float()
    for order in (range(d_model), reversed(range(d_model)), torch.randperm(d_model).tolist()):
        checks.offset_only(summed_in_turn(table, table, order))


@functools.cache
def multiplying():
    """The tests in which there are matrix products in float32."""
    found = []
    for name in encoding_tests.PROPERTIES:
        with OtherRounding(0) as rounding:
            for kind in (Sound, SoundRotary):
                encoding_tests.examine(kind(), [name])
        if rounding.perturbed:
            found.append(name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_other_products_change_no_verdict_on_any_encoding(seed):
    names = multiplying()
    assert {"shuffle", "offset_only"} <= set(names)
    with OtherRounding(seed) as rounding:
        for kind in (Sound, SoundRotary, *FAULTS):
            seen_by = recorded()["shown"].get(kind.__name__, [])  # the sound ones are refused by nobody
            assert set(encoding_tests.examine(kind(), names)) == set(seen_by) & set(names), kind
    assert rounding.perturbed > 100


@pytest.mark.parametrize("scale", SCALES)
def test_a_score_that_depends_on_the_position_is_found_at_any_scale(scale):
    table = naive_table(d_model=64).float()
    checks.offset_only(scale * table @ table.T)
    wrong = table.clone()
    wrong[7] = table[8]
    with pytest.raises(checks.CheckFailed, match="depends on where"):
        checks.offset_only(scale * wrong @ wrong.T)


@pytest.mark.parametrize("scale", SCALES)
def test_equal_codes_are_found_at_any_scale(scale):
    table = naive_table(d_model=16).float() * scale
    checks.distinct(table)
    with pytest.raises(checks.CheckFailed, match="positions 3 and 19 have the same code"):
        checks.distinct(torch.cat([table[:19], table[3:4]]))
    with pytest.raises(checks.CheckFailed, match="each row has the same code"):
        checks.distinct(table[:1].expand(5, -1))


@pytest.mark.parametrize("scale", SCALES)
def test_a_model_that_cannot_see_order_is_found_at_any_scale(scale):
    x = torch.randn(2, 8, 16)
    codes = naive_table(8).float()
    checks.shuffle(lambda x: scale * (x + codes).tanh(), x)
    with pytest.raises(checks.CheckFailed, match="cannot see order"):
        checks.shuffle(lambda x: scale * x.tanh(), x)


@pytest.mark.parametrize("scale", SCALES)
def test_a_table_scaled_as_a_whole_turns_as_it_did_and_only_its_length_is_wrong(scale):
    table = naive_table(d_model=16) * scale
    checks.rotation(table)
    with pytest.raises(checks.CheckFailed, match="which base"):
        checks.rotation(table, base=500.0)
    if scale != 1:
        with pytest.raises(checks.CheckFailed, match="was it scaled"):
            checks.norm(table)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e6])
def test_codes_that_follow_the_batch_are_found_at_any_scale_that_a_sum_can_show(scale):
    codes = scale * naive_table(50, 16).float()
    checks.batch_axis(lambda x: x + codes[: x.shape[1]])
    with pytest.raises(checks.CheckFailed, match="is the position on the batch axis"):
        checks.batch_axis(lambda x: x + codes[: x.shape[0], None])
    with pytest.raises(checks.CheckFailed, match="read the batch"):
        checks.batch_axis(lambda x: x + codes[: x.shape[0] * x.shape[1]].view(*x.shape))
