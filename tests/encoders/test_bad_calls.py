"""A call that cannot be meant is refused by its name, a rule, a reason where one helps, and the value."""

import math

import numpy as np
import pytest
import torch

from pe_helpers import alibi, learned, relative, rope_scaling, rotary, rotary_axes, sinusoidal

X = torch.zeros(2, 3, 5, 8)
COS, SIN = rotary.cos_sin(range(5), 8)
PLACES = torch.zeros(5, 2)
SPARSE = torch.ones(5).to_sparse()
NESTED = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
LENGTHS = {"factor": 2.0, "original_max_position_embeddings": 64}
LISTS = {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
HEAD = {"head_dim": 8, "rope_theta": 1e4}
TWO_KINDS = {
    **HEAD,
    "layer_types": ["sliding_attention", "full_attention"],
    "rope_scaling": {"type": "yarn", **LENGTHS},
}


def scaled(**settings):
    return rope_scaling.from_config({**HEAD, "rope_scaling": {"rope_type": "yarn", **LENGTHS, **settings}})


def config(**settings):
    return rope_scaling.from_config({**HEAD, **settings})


def module(**settings):
    return rotary.RotaryEmbedding(**{"head_dim": 8, "max_len": 16, **settings})


BAD = [  # the argument that is wrong, and the call
    # What the engineer's report names as silent, raw or wrong
    ("rope_theta", lambda: rope_scaling.from_config({"rope_type": "linear", "factor": 8.0}, head_dim=128)),
    ("rope_theta", lambda: rope_scaling.from_config({**HEAD, "rope_theta": 0})),
    ("layer_type", lambda: rope_scaling.from_config(HEAD, layer_type="banana")),
    ("rope_parameters", lambda: rope_scaling.from_config(TWO_KINDS, layer_type="sliding_attention")),
    ("cos", lambda: rotary.apply_rotary_emb(torch.ones(1, 3, 128), *rotary.cos_sin(range(3), 64))),
    ("position_ids", lambda: rotary.rotate(torch.zeros(2, 7, 4, 16), range(7))),
    ("cos.dtype", lambda: rotary.apply_rotary_emb(X, COS.bfloat16(), SIN.bfloat16())),
    ("num_attention_heads", lambda: config(head_dim=None, hidden_size=64, num_attention_heads=0)),
    ("hidden_size", lambda: config(head_dim=None, hidden_size="64", num_attention_heads=8)),
    ("original_max_position_embeddings", lambda: scaled(original_max_position_embeddings=0)),
    ("original_max_position_embeddings", lambda: scaled(original_max_position_embeddings="64")),
    ("rope_type", lambda: scaled(type="linear")),
    ("position_embedding_type", lambda: rope_scaling.from_config({**HEAD, "alibi": True})),
    ("position_embedding_type", lambda: rope_scaling.from_config({**HEAD, "position_embedding_type": "alibi"})),
    ("sizes", lambda: rotary_axes.sections(3)),
    # Sinusoidal
    ("positions", lambda: sinusoidal.table(3.5, 8)),
    ("positions", lambda: sinusoidal.table(True, 8)),
    ("positions", lambda: sinusoidal.table(-1, 8)),
    ("positions", lambda: sinusoidal.table(2**60, 8)),
    ("positions", lambda: sinusoidal.table("ten", 8)),
    ("positions", lambda: sinusoidal.table(None, 8)),
    ("positions", lambda: sinusoidal.table([[0, 1], [2]], 8)),
    ("positions", lambda: sinusoidal.table(np.array(["a"]), 8)),
    ("positions", lambda: sinusoidal.table([1, math.nan], 8)),
    ("positions", lambda: sinusoidal.table(SPARSE, 8)),
    ("positions", lambda: sinusoidal.table(NESTED, 8)),
    ("positions", lambda: sinusoidal.table(torch.ones(3, dtype=torch.complex64), 8)),
    ("positions", lambda: sinusoidal.table(torch.ones(3).half(), 8)),
    ("positions", lambda: sinusoidal.table({"a": 1}, 8)),
    ("d_model", lambda: sinusoidal.table(3, 7)),
    ("d_model", lambda: sinusoidal.table(3, 0)),
    ("d_model", lambda: sinusoidal.table(3, -8)),
    ("d_model", lambda: sinusoidal.table(3, 8.0)),
    ("d_model", lambda: sinusoidal.table(3, "8")),
    ("d_model", lambda: sinusoidal.table(3, True)),
    ("d_model", lambda: sinusoidal.inv_freq(torch.tensor([8]))),
    ("base", lambda: sinusoidal.table(3, 8, base=0.5)),
    ("base", lambda: sinusoidal.table(3, 8, base=-1e4)),
    ("base", lambda: sinusoidal.table(3, 8, base=math.inf)),
    ("base", lambda: sinusoidal.table(3, 8, base="10000")),
    ("base", lambda: sinusoidal.wavelengths(8, base=None)),
    ("base", lambda: sinusoidal.kernel(3, 8, base=1j)),
    ("layout", lambda: sinusoidal.table(3, 8, layout="concat")),
    ("layout", lambda: sinusoidal.table(3, 8, layout=None)),
    ("layout", lambda: sinusoidal.shift_matrix(3, 8, layout="neox")),
    ("layout", lambda: sinusoidal.read_position(torch.ones(8), layout=["half"])),
    ("convention", lambda: sinusoidal.table(3, 8, convention="fairseq")),
    ("convention", lambda: sinusoidal.inv_freq(8, convention=1)),
    ("dtype", lambda: sinusoidal.table(3, 8, dtype=torch.int64)),
    ("dtype", lambda: sinusoidal.table(3, 8, dtype="float32")),
    ("dtype", lambda: sinusoidal.shift_matrix(3, 8, dtype=torch.complex64)),
    ("k", lambda: sinusoidal.shift_matrix("3", 8)),
    ("k", lambda: sinusoidal.shift_matrix(math.nan, 8)),
    ("k", lambda: sinusoidal.kernel(torch.ones(2).bfloat16(), 8)),
    ("code", lambda: sinusoidal.read_position([0.0, 1.0])),
    ("code", lambda: sinusoidal.read_position(torch.tensor([math.inf, 1.0]))),
    ("code", lambda: sinusoidal.read_position(torch.ones(8, dtype=torch.int64))),
    ("code", lambda: sinusoidal.read_position(torch.ones(8).to_sparse())),
    ("d_model", lambda: sinusoidal.read_position(torch.ones(7))),
    # Rotary
    ("head_dim", lambda: rotary.cos_sin(range(5), 7)),
    ("head_dim", lambda: rotary.cos_sin(range(5), 0)),
    ("inv_freq", lambda: rotary.cos_sin(range(5), 8, inv_freq=[[1.0] * 4])),
    ("inv_freq", lambda: rotary.cos_sin(range(5), 8, inv_freq="fast")),
    ("inv_freq", lambda: rotary.cos_sin(range(5), 8, inv_freq=[1.0, math.inf, 1.0, 1.0])),
    ("base", lambda: rotary.cos_sin(range(5), 8, base=500.0, inv_freq=[1.0] * 4)),
    ("attention_factor", lambda: rotary.cos_sin(range(5), 8, attention_factor=None)),
    ("attention_factor", lambda: rotary.cos_sin(range(5), 8, attention_factor=torch.ones(2))),
    ("attention_factor", lambda: rotary.cos_sin(range(5), 8, attention_factor=math.nan)),
    ("dtype", lambda: rotary.cos_sin(range(5), 8, dtype=torch.float16)),
    ("position_ids", lambda: rotary.cos_sin("all", 8)),
    ("position_ids", lambda: rotary.cos_sin(torch.ones(5, dtype=torch.bool), 8)),
    ("x", lambda: rotary.apply_rotary_emb(None, COS, SIN)),
    ("x", lambda: rotary.apply_rotary_emb(X.int(), COS, SIN)),
    ("cos", lambda: rotary.apply_rotary_emb(X, 1.0, 0.0)),
    ("sin", lambda: rotary.apply_rotary_emb(X, COS, None)),
    ("sin", lambda: rotary.apply_rotary_emb(X, COS, SIN[:, :2])),
    ("cos", lambda: rotary.apply_rotary_emb(X, torch.cat([COS, COS], -1), torch.cat([SIN, SIN], -1))),
    ("cos", lambda: rotary.apply_rotary_emb(X, COS[:4], SIN[:4])),
    ("cos", lambda: rotary.apply_rotary_emb(X, COS.expand(7, 5, 4), SIN.expand(7, 5, 4))),
    ("cos", lambda: rotary.apply_rotary_emb(X, COS[0], SIN[0])),
    ("seq_dim", lambda: rotary.apply_rotary_emb(X, COS, SIN, seq_dim=True)),
    ("seq_dim", lambda: rotary.apply_rotary_emb(X, COS, SIN, seq_dim=-1)),
    ("seq_dim", lambda: rotary.apply_rotary_emb(X, COS, SIN, seq_dim=None)),
    ("rotary_dim", lambda: rotary.apply_rotary_emb(X, COS, SIN, rotary_dim=16)),
    ("rotary_dim", lambda: rotary.rotate(X, range(5), rotary_dim=0)),
    ("rotary_dim", lambda: rotary.rotate(X, range(5), rotary_dim=0.5)),
    ("layout", lambda: rotary.rotate(X, range(5), layout="gptj")),
    ("position_ids", lambda: rotary.rotate(X, torch.zeros(3, 2, 5))),
    ("head_dim", lambda: module(head_dim=9)),
    ("head_dim", lambda: module(head_dim="8")),
    ("max_len", lambda: module(max_len=-1)),
    ("max_len", lambda: module(max_len=1e3)),
    ("max_len", lambda: module().grow("long")),
    ("layout", lambda: module(layout="rotate_half")),
    ("inv_freq", lambda: module(inv_freq=[1.0])),
    ("inv_freq", lambda: module(inv_freq=torch.ones(4, 1))),
    ("attention_factor", lambda: module(attention_factor="1")),
    ("seq_dim", lambda: module(seq_dim="tokens")(X, range(5))),
    ("seq_dim", lambda: module(seq_dim=-1)(X, range(8))),
    ("base", lambda: module(base=500.0, inv_freq=[1.0] * 4)),
    ("position_ids", lambda: module().cos_sin([-1])),
    ("position_ids", lambda: module().cos_sin(1.5)),
    ("cos", lambda: module()(X, [0, 1])),
    ("x", lambda: module()([1.0], [0])),
    ("weight", lambda: rotary.to_half([1.0, 2.0])),
    ("head_dim", lambda: rotary.to_half(torch.ones(6), 4)),
    ("head_dim", lambda: rotary.to_interleaved(torch.ones(6), "2")),
    ("head_dim", lambda: rotary.to_interleaved(torch.ones(0, 2))),
    # Several axes
    ("sizes", lambda: rotary_axes.grid()),
    ("sizes", lambda: rotary_axes.grid(2, -1)),
    ("sizes", lambda: rotary_axes.grid((2, 3))),
    ("head_dim", lambda: rotary_axes.axial(10)),
    ("axes", lambda: rotary_axes.axial(12, axes=1.0)),
    ("base", lambda: rotary_axes.axial(12, base=0)),
    ("sizes", lambda: rotary_axes.sections([])),
    ("sizes", lambda: rotary_axes.sections([4, -2])),
    ("sizes", lambda: rotary_axes.sections("44")),
    ("sizes", lambda: rotary_axes.sections(None)),
    ("interleaved", lambda: rotary_axes.sections([2, 1], interleaved="yes")),
    ("interleaved", lambda: rotary_axes.sections([2, 1], interleaved=None)),
    ("axis_of_pair", lambda: rotary_axes.cos_sin(PLACES, [0, 2])),
    ("axis_of_pair", lambda: rotary_axes.cos_sin(PLACES, [0.0, 1.0])),
    ("axis_of_pair", lambda: rotary_axes.cos_sin(PLACES, 1)),
    ("axis_of_pair", lambda: rotary_axes.cos_sin(PLACES, None)),
    ("position_ids", lambda: rotary_axes.cos_sin([1, 2], [0, 1])),
    ("axes_dim", lambda: rotary_axes.cos_sin(PLACES, [0, 1], axes_dim="first")),
    ("axes_dim", lambda: rotary_axes.cos_sin(PLACES, [0, 1], axes_dim=False)),
    ("config", lambda: rotary_axes.from_config(None)),
    ("mrope_section", lambda: rotary_axes.from_config({**HEAD, "rope_scaling": {"mrope_section": [4, 4]}})),
    ("mrope_section", lambda: rotary_axes.from_config({**HEAD, "rope_scaling": {"mrope_section": "22"}})),
    # Scaling
    ("head_dim", lambda: rope_scaling.interpolation(8.0, factor=2.0)),
    ("factor", lambda: rope_scaling.interpolation(8, factor=None)),
    ("factor", lambda: rope_scaling.interpolation(8, factor=True)),
    ("factor", lambda: rope_scaling.ntk_aware(8, factor=0)),
    ("base", lambda: rope_scaling.ntk_aware(8, factor=2.0, base="1e4")),
    ("seq_len", lambda: rope_scaling.dynamic_ntk(8, seq_len=0, **LENGTHS)),
    ("seq_len", lambda: rope_scaling.dynamic_ntk(8, seq_len=math.nan, **LENGTHS)),
    ("beta_slow", lambda: rope_scaling.yarn(8, beta_slow=0, **LENGTHS)),
    ("beta_fast", lambda: rope_scaling.yarn(8, beta_fast="32", **LENGTHS)),
    ("truncate", lambda: rope_scaling.yarn(8, truncate=None, **LENGTHS)),
    ("mscale", lambda: rope_scaling.yarn(8, mscale=-1, **LENGTHS)),
    ("original_max_position_embeddings", lambda: scaled(original_max_position_embeddings=64.0)),
    ("low_freq_factor", lambda: rope_scaling.llama3(8, low_freq_factor=0, **LENGTHS)),
    ("high_freq_factor", lambda: rope_scaling.llama3(8, high_freq_factor=math.inf, **LENGTHS)),
    ("short_factor", lambda: rope_scaling.longrope(8, seq_len=1, **LENGTHS, **{**LISTS, "short_factor": [1.0]})),
    ("short_factor", lambda: rope_scaling.longrope(8, seq_len=1, **LENGTHS, **{**LISTS, "short_factor": None})),
    ("long_factor", lambda: rope_scaling.longrope(8, seq_len=1, **LENGTHS, **{**LISTS, "long_factor": ["1"] * 4})),
    ("partial_rotary_factor", lambda: rope_scaling.proportional(8, partial_rotary_factor=-0.5)),
    ("partial_rotary_factor", lambda: rope_scaling.proportional(8, partial_rotary_factor="half")),
    ("partial_rotary_factor", lambda: rope_scaling.partial_rotation(8, partial_rotary_factor=0)),
    ("head_dim", lambda: rope_scaling.partial_rotation(0, partial_rotary_factor=1.0)),
    ("config", lambda: rope_scaling.from_config([("rope_theta", 1e4)])),
    ("rope_scaling", lambda: rope_scaling.from_config({**HEAD, "rope_scaling": "yarn"})),
    ("rope_type", lambda: scaled(rope_type="su")),
    ("rope_type", lambda: scaled(rope_type=3)),
    ("rope_theta", lambda: rope_scaling.from_config({"head_dim": 8, "rope_theta": "1e4"})),
    ("head_dim", lambda: rope_scaling.from_config({"head_dim": "8", "rope_theta": 1e4})),
    ("head_dim", lambda: rope_scaling.from_config({"head_dim": 7, "rope_theta": 1e4})),
    ("factor", lambda: scaled(factor="2")),
    ("factor", lambda: scaled(factor=[2.0])),
    ("attention_factor", lambda: scaled(attention_factor=-1.0)),
    ("partial_rotary_factor", lambda: rope_scaling.from_config({**HEAD, "partial_rotary_factor": 2})),
    ("layer_types", lambda: rope_scaling.from_config({**HEAD, "layer_types": 3})),
    ("layer_types", lambda: rope_scaling.from_config({**HEAD, "layer_types": "full_attention"})),
    ("layer_type", lambda: rope_scaling.from_config(HEAD, layer_type=0)),
    ("head_dim", lambda: rope_scaling.from_config({"rope_theta": 1e4}, head_dim=-8)),
    ("base", lambda: rope_scaling.from_config(HEAD, base=500.0)),
    ("base", lambda: rope_scaling.from_config({"head_dim": 8}, base="1e4")),
    ("seq_len", lambda: rope_scaling.from_config({**HEAD, "rope_scaling": None}, seq_len=0)),
    ("seq_len", lambda: rope_scaling.from_config(HEAD, seq_len="long")),
    # Biases and tables
    ("num_heads", lambda: alibi.slopes(-1)),
    ("num_heads", lambda: alibi.slopes(None)),
    ("alibi_bias_max", lambda: alibi.slopes(4, alibi_bias_max="8")),
    ("alibi_bias_max", lambda: alibi.slopes(4, alibi_bias_max=math.nan)),
    ("query_ids", lambda: alibi.bias(2, 3, [0])),
    ("query_ids", lambda: alibi.bias(2, [[[0]]], [0])),
    ("key_ids", lambda: alibi.bias(2, [0], "all")),
    ("key_ids", lambda: alibi.bias(2, [[0], [1]], [[0]] * 3)),
    ("symmetric", lambda: alibi.bias(2, [0], [0], symmetric="both")),
    ("relative_position", lambda: relative.bucket(None)),
    ("relative_position", lambda: relative.bucket([math.inf])),
    ("bidirectional", lambda: relative.bucket(1, bidirectional=0)),
    ("num_buckets", lambda: relative.bucket(1, num_buckets=32.0)),
    ("max_distance", lambda: relative.bucket(1, max_distance=0)),
    ("max_distance", lambda: relative.RelativeBias(2, max_distance="far")),
    ("num_heads", lambda: relative.RelativeBias(2.5)),
    ("query_ids", lambda: relative.RelativeBias(2)([0.5], [0])),
    ("max_len", lambda: learned.LearnedTable("512", 8, std=1)),
    ("d_model", lambda: learned.LearnedTable(4, -8, std=1)),
    ("std", lambda: learned.LearnedTable(4, 8, std=None)),
    ("std", lambda: learned.LearnedTable(4, 8, std=math.inf)),
    ("position_ids", lambda: learned.LearnedTable(4, 8, std=1)([4])),
    ("position_ids", lambda: learned.LearnedTable(4, 8, std=1)("first")),
]  # fmt: skip


@pytest.mark.parametrize("name, call", BAD, ids=[f"{i}: {name}" for i, (name, _) in enumerate(BAD)])
def test_a_call_that_cannot_be_meant_is_refused_by_name_rule_and_value(name, call, unchecked):
    with pytest.raises((TypeError, ValueError, IndexError)) as caught:
        call()
    said = str(caught.value)
    assert name in said.partition(" must ")[0].replace(" and ", " ").replace(" · ", " ").split(), said
    assert " must " in said and "got " in said.partition(" must ")[2], said
