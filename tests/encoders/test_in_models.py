"""The encoders in the place of those that other libraries have, with the numbers that these libraries expect."""

import math

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama import modeling_llama

from pe_helpers import rope_scaling, rotary, sinusoidal

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
SETTINGS = {
    "vocab_size": 97,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 128,
    "rope_parameters": {**LLAMA3, "rope_theta": 5e5, "original_max_position_embeddings": 32},
    "initializer_range": 0.3,  # so that attention, and with it positions, decide
    "pad_token_id": None,
    "eos_token_id": None,
}
PROMPT = torch.tensor([[5, 17, 2, 88, 41, 3, 60], [7, 7, 19, 0, 2, 33, 91]])


class KeptCosines(torch.nn.Module):
    """What Llama calls once a step, answered by `RotaryEmbedding`."""

    def __init__(self, config):
        super().__init__()
        inv_freq, factor = rope_scaling.from_config(config)
        self.kept = rotary.RotaryEmbedding(
            2 * len(inv_freq), 64, inv_freq=inv_freq, attention_factor=factor, layout="half"
        )

    def forward(self, x, position_ids):
        return self.kept.cos_sin(position_ids)


def rotated(q, k, cos, sin, **_):
    return tuple(rotary.apply_rotary_emb(x, cos, sin, layout="half", check=False) for x in (q, k))


@pytest.fixture
def llama(monkeypatch, unchecked):
    """Return a Llama in a dtype, as it is or with our rotation."""

    original = modeling_llama.apply_rotary_pos_emb

    def build(dtype, ours):
        torch.manual_seed(0)
        model = LlamaForCausalLM(LlamaConfig(**SETTINGS, attn_implementation="eager")).eval()
        if ours:
            model.model.rotary_emb = KeptCosines(model.config)
        monkeypatch.setattr(modeling_llama, "apply_rotary_pos_emb", rotated if ours else original)
        return model.to(dtype)

    return build


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_llama_with_our_rotation_gives_the_logits_of_its_own_up_to_rounding(dtype, llama):
    with torch.no_grad():
        exact = llama(torch.float32, ours=False)(PROMPT).logits
        theirs = llama(dtype, ours=False)(PROMPT).logits.float()
        ours = llama(dtype, ours=True)(PROMPT).logits.float()
    assert llama(dtype, ours=True).model.rotary_emb.kept.cos.dtype == torch.float32
    size = exact.abs().max().item()
    rounding = 2 * (theirs - exact).abs().max().item() + 1e-6 * size  # what their own rounding costs them
    assert (ours - exact).abs().max().item() <= rounding
    if dtype == torch.float32:
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5 * size)


GREEDY = {"attention_mask": torch.ones_like(PROMPT), "do_sample": False, "max_new_tokens": 12}


def test_generation_with_a_cache_is_generation_without_one(llama):
    model = llama(torch.float32, ours=True)
    assert torch.equal(*(model.generate(PROMPT, **GREEDY, use_cache=use) for use in (True, False)))
    cached = model.generate(PROMPT, **GREEDY)
    assert torch.equal(cached, llama(torch.float32, ours=False).generate(PROMPT, **GREEDY))


def test_in_bfloat16_each_token_of_a_cached_generation_is_a_best_one_of_the_whole_text_up_to_rounding(llama):
    model = llama(torch.bfloat16, ours=True)
    found = model.generate(PROMPT, **GREEDY)
    with torch.no_grad():
        whole = model(found).logits[:, PROMPT.shape[1] - 1 : -1].float()
    chosen = whole.gather(-1, found[:, PROMPT.shape[1] :, None])
    assert (whole.amax(-1, keepdim=True) - chosen).max() <= 4 * torch.finfo(torch.bfloat16).eps * whole.abs().max()


def random(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def test_torchtune_rotates_neighbours_of_tokens_before_heads():
    # torchtune 0.6, modules/position_embeddings.py, RotaryPositionalEmbeddings.forward: x is (b, s, n_h, h_d)
    x = random(2, 6, 3, 8)
    theta = 1.0 / (10_000 ** (torch.arange(0, 8, 2).float() / 8))
    angle = torch.einsum("i, j -> ij", torch.arange(6).float(), theta)
    cache = torch.stack([angle.cos(), angle.sin()], dim=-1).view(1, 6, 1, 4, 2)
    pairs = x.float().reshape(*x.shape[:-1], -1, 2)
    wanted = torch.stack(
        [
            pairs[..., 0] * cache[..., 0] - pairs[..., 1] * cache[..., 1],
            pairs[..., 1] * cache[..., 0] + pairs[..., 0] * cache[..., 1],
        ],
        -1,
    ).flatten(3)
    torch.testing.assert_close(rotary.rotate(x, range(6), seq_dim=1), wanted, rtol=0, atol=1e-5)


def test_diffusers_puts_cosines_before_sines_of_a_time():
    # diffusers 0.42, models/embeddings.py, get_timestep_embedding; UNets take flip_sin_to_cos=True, shift 0
    times = torch.tensor([0.0, 1.0, 17.5, 999.0])
    exponent = -math.log(10_000) * torch.arange(0, 8, dtype=torch.float32) / 8
    angle = times[:, None] * exponent.exp()
    torch.testing.assert_close(
        sinusoidal.table(times, 16, layout="half"), torch.cat([angle.sin(), angle.cos()], -1), rtol=0, atol=2e-4
    )
    flipped = sinusoidal.table(times, 16, layout="half").roll(8, -1)
    torch.testing.assert_close(flipped, torch.cat([angle.cos(), angle.sin()], -1), rtol=0, atol=2e-4)
    # its default, downscale_freq_shift=1, divides by one pair less
    angle = times[:, None] * (-math.log(10_000) * torch.arange(0, 8).float() / 7).exp()
    shifted = sinusoidal.table(times, 16, layout="half", convention="tensor2tensor")
    torch.testing.assert_close(shifted, torch.cat([angle.sin(), angle.cos()], -1), rtol=0, atol=2e-4)


def test_timm_gives_half_of_an_image_code_to_rows_and_half_to_columns():
    # timm 1.0, layers/pos_embed_sincos.py, build_sincos2d_pos_embed with interleave_sin_cos=False, reverse_coord=False
    rows, columns = 3, 4
    bands = 1.0 / (10_000 ** (torch.arange(4, dtype=torch.float32) / 4))
    grid = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")).flatten(1).T
    angle = grid.float().unsqueeze(-1) * bands
    wanted = torch.stack([angle.sin(), angle.cos()], dim=1).flatten(1)
    # places: rows, columns; for each the sines of both axes, then the cosines of both
    code = sinusoidal.table(grid, 8, layout="half").unflatten(-1, (2, 4))
    torch.testing.assert_close(code.transpose(1, 2).flatten(1), wanted, rtol=0, atol=1e-5)
