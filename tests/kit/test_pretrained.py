"""The forward pass against a slow one written out in complex numbers; the recorded results against the model itself."""

import cmath
import json
import math

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from clockwork.kit import pretrained
from clockwork.kit.datafiles import data_file
from pe_helpers import rotary

TINY = pretrained.Config(
    num_layers=3, num_heads=4, num_kv_heads=2, head_dim=6, base=500.0, norm_eps=1e-5, trained_len=32
)
WIDTH, HIDDEN, VOCABULARY = 10, 14, 23
HERE = pretrained.is_here()
whole_model = pytest.mark.skipif(
    not HERE, reason="the model is not here: `python3 course.py pretrained` fetches it (93 MB), where pip can"
)


@pytest.fixture
def tiny():
    """A model of random weights with the parts of the published one."""
    draw = torch.Generator().manual_seed(0)
    shapes = {"token_embd": (VOCABULARY, WIDTH), "output_norm": (WIDTH,)}
    for layer in range(TINY.num_layers):
        heads = {"q": TINY.num_heads, "k": TINY.num_kv_heads, "v": TINY.num_kv_heads}
        part = {f"attn_{name}": (count * TINY.head_dim, WIDTH) for name, count in heads.items()}
        part |= {"attn_output": (WIDTH, TINY.num_heads * TINY.head_dim), "ffn_down": (WIDTH, HIDDEN)}
        part |= {"ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "attn_norm": (WIDTH,), "ffn_norm": (WIDTH,)}
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in part.items()}
    weights = {f"{name}.weight": torch.randn(shape, generator=draw) for name, shape in shapes.items()}
    return pretrained.Model(weights, TINY)


@pytest.fixture
def tokens():
    return torch.randint(0, VOCABULARY, (9,), generator=torch.Generator().manual_seed(1))


def slowly(model, tokens, positions, speeds, unrotated=(), hidden=()):
    """The same in float64, token by token and pair by pair, with complex numbers for the pairs."""
    weight = {name: tensor.double().numpy() for name, tensor in model.weights.items()}

    def norm(vector, name):
        return vector / math.sqrt((vector**2).mean() + TINY.norm_eps) * weight[f"{name}.weight"]

    def turned(vector, position, layer, head):
        if layer in unrotated or (layer, head) in unrotated:
            return vector
        pairs = [
            complex(*vector[2 * i : 2 * i + 2]) * cmath.exp(1j * position * speed) for i, speed in enumerate(speeds)
        ]
        return np.array([part for pair in pairs for part in (pair.real, pair.imag)])

    stream = [weight["token_embd.weight"][token] for token in tokens.tolist()]
    for layer in range(TINY.num_layers):
        name = f"blk.{layer}"
        read = [norm(x, f"{name}.attn_norm") for x in stream]
        made = []
        for here in range(len(stream)):
            outputs = []
            for head in range(TINY.num_heads):
                of_query = slice(head * TINY.head_dim, (head + 1) * TINY.head_dim)
                shared = head // (TINY.num_heads // TINY.num_kv_heads)
                of_key = slice(shared * TINY.head_dim, (shared + 1) * TINY.head_dim)
                query = turned(weight[f"{name}.attn_q.weight"][of_query] @ read[here], positions[here], layer, head)
                scores = []
                seen = [there for there in range(here + 1) if (here, there) not in hidden]
                for there in seen:
                    key = turned(weight[f"{name}.attn_k.weight"][of_key] @ read[there], positions[there], layer, head)
                    scores.append(math.exp(query @ key / math.sqrt(TINY.head_dim)))
                values = [weight[f"{name}.attn_v.weight"][of_key] @ read[there] for there in seen]
                outputs.append(sum(s / sum(scores) * value for s, value in zip(scores, values, strict=True)))
            made.append(weight[f"{name}.attn_output.weight"] @ np.concatenate(outputs))
        stream = [x + more for x, more in zip(stream, made, strict=True)]
        for here, x in enumerate(stream):
            read = norm(x, f"{name}.ffn_norm")
            gate = weight[f"{name}.ffn_gate.weight"] @ read
            gate = gate / (1 + np.exp(-gate))
            stream[here] = x + weight[f"{name}.ffn_down.weight"] @ (gate * (weight[f"{name}.ffn_up.weight"] @ read))
    return np.stack([weight["token_embd.weight"] @ norm(x, "output_norm") for x in stream])


def usual_speeds():
    return [TINY.base ** (-2 * i / TINY.head_dim) for i in range(TINY.head_dim // 2)]


@pytest.mark.parametrize("unrotated", [(), (1,), (0, 1, 2), [(1, 0), (1, 3), 2]])
def test_the_forward_pass_is_that_of_the_papers(tiny, tokens, unrotated):
    expected = slowly(tiny, tokens, range(9), usual_speeds(), unrotated)
    np.testing.assert_allclose(tiny.logits(tokens, unrotated=unrotated), expected, rtol=1e-3, atol=1e-3)


def test_a_hidden_key_is_as_good_as_none(tiny, tokens):
    pairs = {(5, 0), (5, 3), (8, 0)}
    hidden = torch.zeros(9, 9, dtype=torch.bool)
    hidden[tuple(zip(*pairs, strict=True))] = True
    expected = slowly(tiny, tokens, range(9), usual_speeds(), hidden=pairs)
    np.testing.assert_allclose(tiny.logits(tokens, hidden=hidden), expected, rtol=1e-3, atol=1e-3)
    assert (tiny.logits(tokens)[5:] - torch.tensor(expected)[5:]).abs().max() > 0.1


def test_positions_and_speeds_are_those_that_are_given(tiny, tokens):
    positions = [0, 1, 2, 30, 31, 32, 33, 500, 501]
    speeds = [0.5, 0.0, 0.25]
    expected = slowly(tiny, tokens, positions, speeds)
    found = tiny.logits(tokens, torch.tensor(positions), inv_freq=torch.tensor(speeds))
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
    assert (tiny.logits(tokens) - found).abs().max() > 0.1


def test_cosines_and_sines_that_are_given_take_the_place_of_positions_and_speeds(tiny, tokens):
    positions = [0, 1, 2, 30, 31, 32, 33, 500, 501]
    speeds = [0.5, 0.0, 0.25]
    angles = torch.tensor(positions)[:, None] * torch.tensor(speeds)
    found = tiny.logits(tokens, cos_sin=(angles.cos(), angles.sin()))
    np.testing.assert_allclose(found, slowly(tiny, tokens, positions, speeds), rtol=1e-3, atol=1e-3)


def test_stopping_every_hand_is_turning_nothing_and_a_common_move_changes_nothing(tiny, tokens):
    still = tiny.logits(tokens, inv_freq=torch.zeros(3))
    torch.testing.assert_close(still, tiny.logits(tokens, unrotated=range(3)))
    moved = tiny.logits(tokens, torch.arange(9) + 1_000_000)
    torch.testing.assert_close(moved, tiny.logits(tokens), rtol=1e-3, atol=1e-3)


def test_the_attention_factor_multiplies_the_scores_by_its_square(tiny, tokens):
    seen = []
    tiny.logits(tokens, attention_factor=1.5, watch=lambda *parts: seen.append(parts))
    _, q, k, weights = seen[0]
    cos, sin = rotary.cos_sin(torch.arange(9), 6, base=500.0)
    query = rotary.apply_rotary_emb(q, cos, sin)
    key = rotary.apply_rotary_emb(k, cos, sin)[[0, 0, 1, 1]]
    scores = 1.5**2 * query @ key.mT / math.sqrt(6)
    future = torch.ones(9, 9).triu(1).bool()
    torch.testing.assert_close(scores.masked_fill(future, -math.inf).softmax(-1), weights)
    assert [layer for layer, *_ in seen] == [0, 1, 2]


def test_a_loss_is_minus_the_logarithm_of_the_next_token_s_probability(tiny, tokens):
    logits = tiny.logits(tokens).double().numpy()
    for i, loss in enumerate(tiny.losses(tokens).tolist()):
        row = np.exp(logits[i] - logits[i].max())
        assert loss == pytest.approx(-math.log(row[tokens[i + 1]] / row.sum()), rel=1e-3, abs=1e-4)


def test_without_the_file_one_sentence_says_how_to_get_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CLOCKWORK_PRETRAINED", str(tmp_path))
    assert pretrained.load() is None
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "python3 course.py pretrained" in said and "92.9 MB" in said
    (tmp_path / pretrained.FILE).write_bytes(b"half a model")
    assert not pretrained.is_here(), "half a file is none"


@pytest.fixture
def small_file(tiny, tmp_path):
    """The tiny model in a GGUF file."""
    gguf = pytest.importorskip("gguf")
    writer = gguf.GGUFWriter(tmp_path / "tiny.gguf", "llama")
    writer.add_block_count(TINY.num_layers)
    writer.add_head_count(TINY.num_heads)
    writer.add_head_count_kv(TINY.num_kv_heads)
    writer.add_rope_dimension_count(TINY.head_dim)
    writer.add_rope_freq_base(TINY.base)
    writer.add_layer_norm_rms_eps(TINY.norm_eps)
    writer.add_context_length(TINY.trained_len)
    writer.add_token_list(["a", "b", "ab", "1", "2", "Ġ", "Ġa"])
    writer.add_token_merges(["a b", "Ġ a"])
    for name, tensor in tiny.weights.items():
        writer.add_tensor(name, tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tmp_path / "tiny.gguf"


def test_a_file_is_read_with_its_weights_its_numbers_and_its_tokenizer(small_file, tiny, tokens):
    pytest.importorskip("tokenizers")
    model = pretrained.read(small_file)
    torch.testing.assert_close(model.logits(tokens), tiny.logits(tokens))
    ids = model.encode("ab a12")
    assert ids.tolist() == [2, 6, 3, 4], "merged by the file's merges, and every digit a token of its own"
    assert model.decode(ids) == ["ab", " a", "1", "2"]


def test_the_recorded_heads_are_small_and_name_their_licence_and_their_origin():
    path = data_file("smollm2_heads.safetensors")
    assert path.stat().st_size <= 500_000
    with safe_open(path, "pt") as file:
        about = file.metadata()
    assert {part.dtype for part in load_file(path).values()} == {torch.float16}
    assert about["license"] == "Apache-2.0" and "SmolLM2-135M" in about["model"] and "changes" in about
    three, tokens = pretrained.heads()
    assert all(len(head.q) == len(head.k) == len(tokens) == len(json.loads(about["tokens"])) for head in three.values())


def test_the_recorded_results_say_what_was_measured_on_what():
    results = pretrained.results()
    for name in ("model", "licence", "package", "file", "sha256", "quantisation", "torch", "gguf", "command", "texts"):
        assert results[name], name
    assert "0.1.2" in results["package"] and "Q4_1" in results["quantisation"]
    assert {"alice", "course", "licence"} <= set(results["texts"])


@pytest.fixture(scope="module")
def measurement(tmp_path_factory):
    """The measurement of the recorded results, with nothing remembered."""
    from clockwork.lessons.lesson_11 import measure_smollm2

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure_smollm2, "KEPT", tmp_path_factory.mktemp("runs") / "kept.jsonl")
        yield measure_smollm2.Measurement(pretrained.load())


@whole_model
def test_the_model_says_paris(measurement):
    model = measurement.model
    assert model.decode(model.logits(model.encode("The capital of France is"))[-1].topk(1).indices) == [" Paris"]


@whole_model
@pytest.mark.parametrize(("first", "last"), [(0, 4), (20, 32)])
def test_stopping_hands_costs_what_is_recorded(first, last, measurement):
    results = pretrained.results()
    usual = measurement.usual("alice").mean().item()
    assert usual == pytest.approx(results["usual"]["alice"]["256"], abs=0.02)
    stopped = measurement.stopped(range(first, last), "alice").mean().item()
    recorded, _ = results["stopped"]["alice"][first // 4][(last - first) // 4 - 1]
    assert stopped - usual == pytest.approx(recorded, abs=0.02)


@whole_model
def test_a_gap_costs_what_is_recorded(measurement):
    results = pretrained.results()
    gap = torch.arange(512) + 20_000 * (torch.arange(512) >= 256)
    loss = measurement.losses("gap", "course", 512, gap)[255:].mean().item()
    recorded = dict(zip(results["gap_lengths"], results["gaps"]["none"]["course"], strict=True))
    assert loss == pytest.approx(recorded[20_000], abs=0.05)


@whole_model
def test_the_recorded_heads_are_the_model_s(measurement):
    three, tokens = pretrained.heads()
    seen = {}
    ids = measurement.tokens["house"]
    measurement.model.logits(ids, watch=lambda layer, q, k, weights: seen.update({layer: (q, k)}))
    assert measurement.model.decode(ids) == tokens
    for head in three.values():
        q, k = seen[head.layer]
        torch.testing.assert_close(head.q, q[head.head], rtol=2e-3, atol=2e-3)
        torch.testing.assert_close(head.k, k[head.head // 3], rtol=2e-3, atol=2e-3)
