"""What a head's score matrix is, which head is sharpest, and what a model does with scores that are not its own."""

import math

import pytest
import torch

from clockwork.kit import attention, heads
from pe_helpers import sinusoidal


@pytest.fixture
def model():
    torch.manual_seed(0)
    made = attention.Transformer(16, attention.Sinusoid(), d_model=16, num_heads=2)
    for block in made.blocks:
        torch.nn.init.uniform_(block.before_attention.weight, 0.5, 2)
    return made.eval()


def tokens(batch=3, seq_len=9):
    return torch.randint(16, (batch, seq_len), generator=torch.Generator().manual_seed(1))


def test_the_score_matrix_gives_the_scores_up_to_what_biases_add(model):
    torch.nn.init.zeros_(model.blocks[0].qkv.bias)
    trace = model.trace(tokens())
    x = torch.nn.functional.layer_norm(trace.hidden[0], (16,))
    for head, matrix in enumerate(heads.score_matrices(model)):
        q, k = trace.queries[0][:, head], trace.keys[0][:, head]
        torch.testing.assert_close(x @ matrix @ x.mT, q @ k.mT / math.sqrt(8), rtol=1e-4, atol=1e-5)


def test_the_sharpest_head_is_the_one_whose_scores_are_loudest(model):
    for head in (0, 1):
        with torch.no_grad():
            model.blocks[0].qkv.weight[:16] = 0.01
            model.blocks[0].qkv.weight[8 * head : 8 * head + 8] = torch.randn(8, 16) * 9
            model.blocks[0].qkv.weight[16:32] = torch.randn(16, 16)
        assert heads.sharpest(model, tokens()) == head


def test_scores_of_our_own_replace_those_of_one_layer_and_see_no_words(model):
    matrix = torch.randn(2, 16, 16, generator=torch.Generator().manual_seed(2))
    changed = heads.rescored(model, matrix)
    weights = changed.trace(tokens()).weights
    codes = sinusoidal.table(9, 16)
    for head in (0, 1):
        expected = (codes @ matrix[head] @ codes.T).softmax(-1)
        torch.testing.assert_close(weights[0][:, head], expected.expand(3, 9, 9))
    assert not torch.allclose(weights[1][0], weights[1][1]), "the second layer still sees the words"


def test_hidden_keys_get_no_weight_and_the_others_share_it_as_before(model):
    matrix = torch.randn(16, 16, generator=torch.Generator().manual_seed(2))
    whole = heads.rescored(model, matrix).trace(tokens()).weights[0]
    some = heads.rescored(model, matrix, hidden=[2, -3]).trace(tokens()).weights[0]
    for query in range(9):
        gone = [key for key in range(9) if query - key in (2, -3)]
        left = [key for key in range(9) if key not in gone]
        assert (some[..., query, gone] == 0).all()
        shares = whole[..., query, left] / whole[..., query, left].sum(-1, keepdim=True)
        torch.testing.assert_close(some[..., query, left], shares)


def test_the_model_itself_stays_as_it_was(model):
    before = model(tokens())
    heads.rescored(model, torch.zeros(16, 16))
    torch.testing.assert_close(model(tokens()), before)
