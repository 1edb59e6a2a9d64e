"""The verdicts of the checks depend neither on the scale of the numbers nor on how a processor rounds its products."""

import pytest
import torch
from tests.checks.test_properties import naive_table
from torch.utils._python_dispatch import TorchDispatchMode

from pe_helpers import checks
from pe_helpers.checks import encoding_tests
from pe_helpers.faulty_encodings import FAULTS, Sound, SoundRotary

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


def verdicts():
    """Which tests refuse which encoding; without `distinct`, the slowest, whose products are in float64."""
    names = [name for name in encoding_tests.PROPERTIES if name != "distinct"]
    return {kind: encoding_tests.examine(kind(), names).keys() for kind in (Sound, SoundRotary, *FAULTS)}


def test_other_products_change_no_verdict_on_any_encoding():
    plain = verdicts()
    for seed in range(3):
        with OtherRounding(seed) as rounding:
            assert verdicts() == plain
        assert rounding.perturbed > 100
