"""The module that keeps cosines and sines: against `rotate`, through dtypes, devices, checkpoints and growing."""

import copy
import io
import re
import warnings

import pytest
import torch

from pe_helpers import alibi, learned, relative, rope_scaling, rotary, rotary_axes, sinusoidal

IDS = torch.tensor([[0, 3, 2, 9, 31], [5, 5, 5, 0, 1]])


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(dtype)


@pytest.mark.parametrize("layout", sinusoidal.LAYOUTS)
@pytest.mark.parametrize("seq_dim", [-2, 1])
def test_the_module_rotates_as_the_function_does(layout, seq_dim, unchecked):
    x = random(2, 3, 5, 8) if seq_dim == -2 else random(2, 5, 3, 8)
    speeds = torch.tensor([1.0, 0.3, 0.01])
    rope = rotary.RotaryEmbedding(6, 32, inv_freq=speeds, attention_factor=1.2, layout=layout, seq_dim=seq_dim)
    settings = {"inv_freq": speeds, "attention_factor": 1.2, "layout": layout, "seq_dim": seq_dim, "rotary_dim": 6}
    assert torch.equal(rope(x, IDS), rotary.rotate(x, IDS, **settings))
    based = rotary.RotaryEmbedding(8, 32, base=500.0, layout=layout, seq_dim=seq_dim)
    torch.testing.assert_close(based(x, IDS), rotary.rotate(x, IDS, base=500.0, layout=layout, seq_dim=seq_dim))


CASTS = {
    "bfloat16()": lambda module: module.bfloat16(),
    "half()": lambda module: module.half(),
    "double()": lambda module: module.double(),
    "to(dtype)": lambda module: module.to(torch.bfloat16),
    "to(device, dtype)": lambda module: module.to("cpu", torch.float16),
    "there and back": lambda module: module.bfloat16().float(),
}


@pytest.mark.parametrize("cast", CASTS.values(), ids=CASTS)
def test_no_dtype_of_the_model_rounds_the_cosines(cast, unchecked):
    model = torch.nn.ModuleDict({"linear": torch.nn.Linear(2, 2), "rope": rotary.RotaryEmbedding(8, 300)})
    before = model["rope"].cos.clone()
    cast(model)
    assert model["rope"].cos.dtype == model["rope"].sin.dtype == torch.float32
    assert torch.equal(model["rope"].cos, before)
    model["rope"].reset_parameters()
    assert torch.equal(model["rope"].cos, before)


def test_a_model_begun_without_data_gets_its_values_afterwards(unchecked):
    with torch.device("meta"):
        begun = [
            rotary.RotaryEmbedding(8, 16),
            relative.RelativeBias(2),
            learned.LearnedTable(500, 64, std=0.5),
        ]
    rope, bias, table = (module.to_empty(device="cpu") for module in begun)
    for module in (rope, bias, table):
        for tensor in (*module.buffers(), *module.parameters()):
            tensor.data.fill_(7.0)
        module.reset_parameters()
    assert torch.equal(rope.cos, rotary.RotaryEmbedding(8, 16).cos)
    assert torch.equal(rope.sin, rotary.RotaryEmbedding(8, 16).sin)
    assert not bias.weight.any()
    assert 0.45 < table.weight.std() < 0.55


LENGTHS = {"factor": 4.0, "original_max_position_embeddings": 64}
LISTS = {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4, "seq_len": 99}
PUBLISHED = {"head_dim": 8, "rope_theta": 1e6}
SECTIONED = {**PUBLISHED, "rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}}
STILL = {**PUBLISHED, "no_rope_layers": [0, 1]}
MADE = {
    "linear": lambda: rope_scaling.interpolation(8, factor=4.0),
    "ntk": lambda: rope_scaling.ntk_aware(8, factor=4.0),
    "dynamic": lambda: rope_scaling.dynamic_ntk(8, seq_len=99, **LENGTHS),
    "yarn": lambda: rope_scaling.yarn(8, **LENGTHS)[0],
    "llama3": lambda: rope_scaling.llama3(8, **LENGTHS),
    "longrope": lambda: rope_scaling.longrope(8, **LISTS, **LENGTHS)[0],
    "proportional": lambda: rope_scaling.proportional(8, partial_rotary_factor=0.5),
    "partial": lambda: rope_scaling.partial_rotation(16, partial_rotary_factor=0.5),
    "published": lambda: rope_scaling.from_config(PUBLISHED)[0],
    "published, still": lambda: rope_scaling.from_config(STILL, layer=0)[0],
    "published, sections": lambda: rope_scaling.read(SECTIONED, layout="half").inv_freq,
    "axial": lambda: rotary_axes.axial(8)[0],
}


@pytest.mark.parametrize("speeds", MADE.values(), ids=MADE)
def test_a_model_begun_without_data_has_its_scaled_speeds_afterwards(speeds, unchecked):
    with torch.device("meta"):
        rope = rotary.RotaryEmbedding(8, 16, inv_freq=speeds())
    assert rope.cos.is_meta
    rope.to_empty(device="cpu").reset_parameters()
    assert torch.equal(rope.cos, rotary.RotaryEmbedding(8, 16, inv_freq=speeds()).cos)


def test_no_checkpoint_holds_cosines_or_changes_them():
    rope = rotary.RotaryEmbedding(8, 16)
    grown = rotary.RotaryEmbedding(8, 64, base=77.0).bfloat16()
    assert list(grown.state_dict()) == []
    before = rope.cos.clone()
    for assign in (False, True):
        rope.load_state_dict(grown.state_dict(), assign=assign)
        with pytest.raises(RuntimeError, match="Unexpected key"):
            rope.load_state_dict({"cos": grown.cos, "sin": grown.sin}, assign=assign)
    assert torch.equal(rope.cos, before)


AXES = {
    "axial": (rotary_axes.axial(8), 2),
    "sections": ((None, rotary_axes.sections([2, 1, 1])), 3),
    "dealt out": ((None, rotary_axes.sections([2, 1, 1], interleaved=True)), 3),
}


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_module_for_several_axes_rotates_each_pair_by_its_axis(name, batch, unchecked):
    (speeds, axis_of_pair), axes = AXES[name]
    places = torch.randint(0, 30, (*batch, 5, axes), generator=torch.Generator().manual_seed(0))
    rope = rotary.RotaryEmbedding(8, 32, inv_freq=speeds, axis_of_pair=axis_of_pair, layout="half")
    x = random(2, 3, 5, 8)
    wanted = rotary.apply_rotary_emb(
        x, *rotary_axes.cos_sin(places, axis_of_pair, inv_freq=speeds), layout="half", check=False
    )
    assert torch.equal(rope(x, places), wanted)
    with pytest.warns(UserWarning, match="grows from 32 to 100"):
        rope.cos_sin([[99] * axes])
    assert torch.equal(rope(x, places), wanted)


@pytest.mark.parametrize("layout", sinusoidal.LAYOUTS)
def test_tokens_without_a_position_stay_as_they_are(layout, unchecked):
    x = random(2, 3, 8, 8)
    speeds, axis_of_pair = rotary_axes.axial(8)
    rope = rotary.RotaryEmbedding(8, 9, inv_freq=speeds, axis_of_pair=axis_of_pair, prefix=2, layout=layout)
    found = rope(x, rotary_axes.grid(2, 3))
    assert torch.equal(found[:, :, :2], x[:, :, :2])
    cos, sin = rotary_axes.cos_sin(rotary_axes.grid(2, 3), axis_of_pair, inv_freq=speeds)
    assert torch.equal(found[:, :, 2:], rotary.apply_rotary_emb(x[:, :, 2:], cos, sin, layout=layout))
    scaled = rotary.RotaryEmbedding(8, 9, attention_factor=1.5, prefix=1, layout=layout)
    assert torch.equal(scaled(x, torch.arange(7))[:, :, 0], x[:, :, 0])


def test_a_module_for_several_axes_begun_without_data_has_its_axes_afterwards(unchecked):
    def made():
        speeds, axis_of_pair = rotary_axes.axial(8)
        return rotary.RotaryEmbedding(8, 9, inv_freq=speeds, axis_of_pair=axis_of_pair, prefix=1)

    with torch.device("meta"):
        begun = made()
    begun = begun.to_empty(device="cpu")
    begun.columns.fill_(7)
    begun.reset_parameters()
    x = random(1, 2, 7, 8)
    assert torch.equal(begun(x, rotary_axes.grid(2, 3)), made()(x, rotary_axes.grid(2, 3)))


def test_the_module_compiles_into_one_graph_for_several_axes(unchecked):
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    rope = rotary.RotaryEmbedding(8, 128, axis_of_pair=[0, 1, 2, 0], prefix=1, layout="half")
    compiled = torch.compile(rope, fullgraph=True, dynamic=True, backend="eager")
    for length in (5, 9, 70):
        x = random(2, 3, length + 1, 8)
        places = torch.arange(3 * length).view(length, 3) % 100
        torch.testing.assert_close(compiled(x, places), rope(x, places))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


@pytest.mark.parametrize("position", [-1, 4])
def test_under_vmap_the_lookup_itself_refuses_a_position_outside(position, unchecked):
    rope = rotary.RotaryEmbedding(8, 4)
    with pytest.raises(IndexError):
        torch.func.vmap(rope.cos_sin)(torch.tensor([[0, position]]))


def test_a_longer_text_makes_the_module_grow_and_it_says_so(unchecked):
    rope = rotary.RotaryEmbedding(8, 4)
    x = random(1, 6, 8)
    with pytest.warns(UserWarning, match="grows from 4 to 8 positions"):
        found = rope(x, range(6))
    assert torch.equal(found, rotary.rotate(x, range(6)))
    assert len(rope.cos) == 8
    with pytest.warns(UserWarning, match="to 1001 positions"):
        rope(x[:, :1], [1000])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rope(x, range(6))
        rope.grow(5000)
        rope(x[:, :1], [4999])
    rope.bfloat16().grow(6000)
    assert rope.cos.dtype == torch.float32 and len(rope.cos) == 6000


@pytest.mark.parametrize("last", [4, 7, 8, 100])
def test_the_module_grows_to_the_length_that_it_announces(last):
    rope = rotary.RotaryEmbedding(8, 4)
    with pytest.warns(UserWarning) as said:
        rope.cos_sin([last])
    (announced,) = re.findall(r"from 4 to (\d+) positions", str(said[0].message))
    assert len(rope.cos) == len(rope.sin) == rope.max_len == int(announced) == max(last + 1, 8)


def test_a_copy_and_a_pickled_module_rotate_alike(unchecked):
    rope = rotary.RotaryEmbedding(8, 16, base=77.0)
    kept = io.BytesIO()
    torch.save(rope, kept)
    kept.seek(0)
    x = random(1, 5, 8)
    for other in (copy.deepcopy(rope), torch.load(kept, weights_only=False)):
        assert torch.equal(other(x, range(5)), rope(x, range(5)))


def test_the_module_compiles_into_one_graph_for_every_length(unchecked):
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    rope = rotary.RotaryEmbedding(8, 128, layout="half")
    compiled = torch.compile(rope, fullgraph=True, dynamic=True, backend="eager")
    for length in (5, 9, 70):
        x = random(2, 3, length, 8, dtype=torch.bfloat16)
        torch.testing.assert_close(compiled(x, torch.arange(length)), rope(x, torch.arange(length)))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


@pytest.mark.parametrize("layout", sinusoidal.LAYOUTS)
@pytest.mark.parametrize("width", [8, 12])
def test_skipped_checks_change_no_bit(layout, width, unchecked):
    x = random(2, 3, 5, width, dtype=torch.bfloat16)
    for ids in (range(5), IDS):
        cos, sin = rotary.cos_sin(ids, 8)
        checked = rotary.apply_rotary_emb(x, cos, sin, layout=layout, rotary_dim=8)
        assert torch.equal(rotary.apply_rotary_emb(x, cos, sin, layout=layout, check=False), checked)


def module_of_axes(axis_of_pair):
    return rotary.RotaryEmbedding(8, 4, axis_of_pair=axis_of_pair)


REFUSED = [
    (lambda: rotary.RotaryEmbedding(7, 4), ValueError, "head_dim must be even"),
    (lambda: rotary.RotaryEmbedding(8, 0), ValueError, "max_len must be at least 1"),
    (lambda: rotary.RotaryEmbedding(8, 4, layout="neox"), ValueError, "layout must be one of"),
    (
        lambda: rotary.apply_rotary_emb(torch.zeros(1, 8), *rotary.cos_sin([0], 8), layout="neox", check=False),
        ValueError,
        "layout must be one of 'interleaved', 'half', got",
    ),
    (lambda: rotary.RotaryEmbedding(8, 4, inv_freq=[1.0]), ValueError, "inv_freq must have shape (4,)"),
    (lambda: rotary.RotaryEmbedding(8, 4)(torch.zeros(1, 8), [-1]), ValueError, "position_ids must be at least 0"),
    (lambda: rotary.RotaryEmbedding(8, 4, prefix=1)(torch.zeros(1, 8), 0), ValueError, "position_ids must have shape"),
    (lambda: rotary.RotaryEmbedding(8, 4, prefix=1)(torch.zeros(1, 8), [0]), ValueError, "position_ids must have"),
    (lambda: module_of_axes([0, 1, 1, 0])(torch.zeros(3, 8), range(3)), ValueError, "(..., seq_len, 2)"),
    (lambda: module_of_axes([0, 1]), ValueError, "axis_of_pair must have shape (4,)"),
    (lambda: module_of_axes([0, -1, 0, 0]), ValueError, "axis_of_pair must number the axes from 0 on"),
    (lambda: module_of_axes([0, 0.5, 0, 0]), TypeError, "axis_of_pair must be whole numbers"),
    (lambda: rotary.RotaryEmbedding(8, 4)(torch.zeros(1, 8), [0.5]), TypeError, "position_ids must be whole numbers"),
    (
        lambda: rotary.RotaryEmbedding(8, 4)(torch.zeros(1, 6), [0]),
        ValueError,
        "rotary_dim must be at most head_dim",
    ),
    (lambda: alibi.bias(2, [[0], [1]], [[0]]), ValueError, "key_ids must be as many texts as query_ids, 2, got 1"),
    (lambda: alibi.slopes(2, alibi_bias_max=-1), ValueError, "alibi_bias_max must be finite and at least 0"),
    (lambda: rotary_axes.cos_sin(IDS, [0, 1], axes_dim=1), ValueError, "axes_dim must be 0 or −1"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[message for _, _, message in REFUSED])
def test_bad_input_is_refused_with_its_reason(case, unchecked):
    call, kind, message = case
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("keys", [IDS, IDS[0]])
@pytest.mark.parametrize("queries", [IDS, IDS[1]])
def test_each_text_of_a_batch_has_the_bias_of_its_own_positions(queries, keys):
    learnt = relative.RelativeBias(3)
    torch.nn.init.normal_(learnt.weight)
    for bias in (lambda q, k: alibi.bias(3, q, k), learnt):
        together = bias(queries, keys).expand(2, 3, 5, 5)
        for text in range(2):
            alone = bias(queries.expand(2, 5)[text], keys.expand(2, 5)[text])
            assert torch.equal(together[text], alone)


@pytest.mark.parametrize("heads", [1, 4, 6, 12])
@pytest.mark.parametrize("largest", [6.0, 8.0, 12.0])
def test_slopes_are_those_of_mpt(heads, largest):
    power = 1
    while power < heads:
        power *= 2
    every = [2 ** -(largest / power * i) for i in range(1, power + 1)]
    wanted = every if power == heads else (every[1::2] + every[0::2])[:heads]
    assert alibi.slopes(heads, alibi_bias_max=largest).tolist() == pytest.approx(wanted, rel=1e-6)


def test_axes_come_first_where_their_name_says_so():
    places = torch.randint(0, 99, (3, 3, 3), generator=torch.Generator().manual_seed(0))  # no size tells the axes
    sections = rotary_axes.sections([4, 2, 2])
    first = rotary_axes.cos_sin(places, sections, axes_dim=0)
    last = rotary_axes.cos_sin(places.movedim(0, -1), sections)
    assert torch.equal(first[0], last[0]) and torch.equal(first[1], last[1])
