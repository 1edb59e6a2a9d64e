"""A small model in a folder is measured whole; one that cannot be is told in a sentence, and nothing is written."""

import json
import math
import shutil

import pytest
import torch

from clockwork.measure import __main__ as command
from clockwork.measure import measuring, page, parts, runs
from clockwork.measure.decoder import Decoder

TEXT = "the hand turns as the text goes on and on " * 30
TRAINED = 40


def tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab=letters, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=made)


def model(kind="Llama", **settings):
    import transformers

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    config = getattr(transformers, f"{kind}Config")(vocab_size=256, **(sizes | settings))
    torch.manual_seed(0)
    made = getattr(transformers, f"{kind}ForCausalLM")(config)
    for weight in made.parameters():
        if weight.ndim > 1:
            torch.nn.init.normal_(weight, std=weight.shape[-1] ** -0.5)
    return made.eval()


def saved(folder, made=None):
    (made or model(max_position_embeddings=TRAINED)).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def shorten(monkeypatch):
    """Leave the parts as they are, on shorter texts."""
    for name, value in {"GAP_TEXT": 32, "STREAM": 48, "HEAD_TEXT": 32, "PIECE": 16, "SHORTEST_NEEDLE": 400}.items():
        monkeypatch.setattr(parts, name, value)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    shorten(monkeypatch)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    file = tmp_path_factory.mktemp("text") / "words.txt"
    file.write_text(TEXT, "utf-8")
    return file


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a small model, which nobody changes."""
    return saved(tmp_path_factory.mktemp("whole"))


def measured(folder, text, out, **options):
    said = []
    found = measuring.measure(str(folder), text=text, lengths=(16, 112), folder=out, say=said.append, **options)
    return found, said


@pytest.fixture(scope="module")
def once(whole, text, tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        shorten(monkeypatch)
        return json.dumps(measured(whole, text, tmp_path_factory.mktemp("out"))[0])


@pytest.fixture
def found(once):
    """What was measured of the small model, to be changed at will."""
    return json.loads(once)


def test_a_folder_is_measured_whole_by_the_command_and_a_second_start_runs_nothing(tmp_path, whole, text, capsys):
    out = tmp_path / "out"
    given = [str(whole), "--text", str(text), "--lengths", "16,112", "--out", str(out), "--device", "cpu"]
    assert command.main(given) == 0
    found = measuring.read(out / "measured.json")
    assert set(found["parts"]) == set(parts.PARTS) and not found["missing"] and len(found["sentences"]) == 3
    assert "GB of memory" in capsys.readouterr().out
    assert command.main(given) == 0
    assert "0 runs to do" in capsys.readouterr().out
    assert measuring.read(out / "measured.json") == found
    assert not list(out.glob("*.part"))


def test_rises_are_the_differences_of_losses_that_the_model_itself_has(whole, found):
    made = model(max_position_embeddings=TRAINED)
    tokens = torch.tensor(tokenizer().encode(TEXT))[:112]

    def losses(**given):
        with torch.no_grad():
            logits = made(input_ids=tokens[None], **given).logits[0].double()
        return torch.tensor([-logits[i].log_softmax(-1)[tokens[i + 1]] for i in range(len(tokens) - 1)])

    usual = losses()
    inv_freq = made.model.rotary_emb.inv_freq
    speeds = inv_freq.clone()
    inv_freq[0] = 0  # the fastest of four hands, in place
    changed = losses()
    inv_freq.copy_(speeds)
    first = found["parts"]["stopped"]["bands"][0]
    number = sum(band["hands"]["model.rotary_emb"][0] == 0 for band in found["parts"]["stopped"]["bands"])
    assert first["hands"]["model.rotary_emb"] == [0, 0] and number == 1
    assert first["rise"][1]["windows"][0] == pytest.approx((changed - usual)[15:].mean().item(), abs=2e-3)
    assert found["parts"]["by_position"]["loss"][-1]["windows"][0] == pytest.approx(usual[63:].mean().item(), abs=2e-3)


def test_an_interrupt_keeps_what_is_done_and_says_what_is_not(tmp_path, whole, text, monkeypatch):
    out = tmp_path / "out"
    run = Decoder.losses

    def stops(self, tokens, *args, **changes):
        if changes.get("stopped"):
            raise KeyboardInterrupt
        return run(self, tokens, *args, **changes)

    monkeypatch.setattr(Decoder, "losses", stops)
    with pytest.raises(KeyboardInterrupt):
        measured(whole, text, out)
    half = measuring.read(out / "measured.json")
    assert set(half["parts"]) == {"config", "by_position", "heads"}
    assert half["missing"]["stopped"] == "stopped before it was done"


def test_a_line_that_an_interrupt_cut_is_run_again_and_others_are_not(tmp_path):
    file = tmp_path / "runs.jsonl"
    one = runs.Runs(file, {"of": 1})
    one("a", 1, (1,), lambda: torch.ones(1))
    one("b", 1, (1,), lambda: torch.ones(1))
    file.write_text(file.read_text()[:-3])
    again = runs.Runs(file, {"of": 1})
    assert set(again.kept) == {"a"}
    again("b", 1, (1,), lambda: torch.full((1,), 2.0))
    assert runs.Runs(file, {"of": 1}).kept == {"a": [1.0], "b": [2.0]}
    assert not runs.Runs(file, {"of": 2}).kept


def test_an_interval_is_students_over_windows_and_over_blocks_of_few():
    found = runs.interval([torch.full((9,), value) for value in (1.0, 2.0, 4.0)])
    spread = 4.30 * math.sqrt(7 / 3) / math.sqrt(3)  # by hand: the variance of 1, 2, 4 is 7/3
    assert found["mean"] == pytest.approx(7 / 3, abs=1e-4) and found["over"] == "windows"
    assert (found["low"], found["high"]) == pytest.approx((7 / 3 - spread, 7 / 3 + spread), abs=1e-3)
    blocks = runs.interval([torch.arange(32.0)])
    assert (blocks["n"], blocks["over"]) == (2, "blocks of 16 tokens")
    alone = runs.interval([torch.ones(9)])
    assert alone["low"] is None and alone["high"] is None


@pytest.mark.parametrize("kind", ["Bloom", "GPT2"])
def test_a_model_without_rotary_modules_is_measured_without_its_hands(kind, tmp_path, text):
    names = {"Bloom": {"n_layer": 1, "n_head": 2, "hidden_size": 16}, "GPT2": {"n_layer": 1, "n_head": 2, "n_embd": 16}}
    import transformers

    config = getattr(transformers, f"{kind}Config")(vocab_size=256, **names[kind])
    head = {"Bloom": "BloomForCausalLM", "GPT2": "GPT2LMHeadModel"}[kind]
    found, said = measured(saved(tmp_path / "m", getattr(transformers, head)(config)), text, tmp_path / "out")
    assert set(found["missing"]) == {"config", "stopped", "gap"}
    assert {"by_position", "hidden", "window", "needle", "heads"} == set(found["parts"])
    assert all(("ALiBi" in why) == (kind == "Bloom") for why in found["missing"].values())
    assert any(line.startswith("stopped was not measured: a rotary module is missing") for line in said)


def broken(folder):
    (folder / "config.json").write_text("{")


def stranger(folder):
    (folder / "config.json").write_text('{"model_type": "nobody knows"}')


def empty(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def mute(folder):
    for file in folder.glob("token*"):
        file.unlink()


def encoder(folder):
    (folder / "config.json").write_text('{"model_type": "t5"}')


def headless(folder):
    (folder / "model.safetensors").write_bytes(b"no weights")


def nowhere(folder):
    shutil.rmtree(folder)


def large(folder):
    """Leave it as it is: the memory is too small."""


BAD = {
    broken: "config.json must be JSON",
    stranger: "the configuration must be one that transformers",
    empty: "the folder must hold a config.json",
    mute: "the tokenizer must lie beside the model",
    encoder: "the model must be a decoder",
    headless: "the weights must be whole",
    nowhere: "MODEL must be a folder",
    large: "the model must fit into memory",
}


@pytest.mark.parametrize("spoil", BAD)
def test_what_cannot_be_measured_is_one_sentence_and_writes_nothing(spoil, tmp_path, whole, text, capsys):
    folder = shutil.copytree(whole, tmp_path / "model.of.mine")
    spoil(folder)
    given = [str(folder), "--text", str(text), "--out", str(tmp_path / "out")]
    assert command.main([*given, *(["--memory", "0.000001"] if spoil is large else [])]) == 1
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith(f"Clockwork: {BAD[spoil]}") and ", got " in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("lengths", [(), (64, 16), (4,), (16.0,), (10**6,)])
def test_lengths_that_cannot_be_read_are_refused(lengths, tmp_path, whole, text):
    with pytest.raises(ValueError, match="lengths must"):
        measuring.measure(str(whole), text=text, lengths=lengths, folder=tmp_path / "out", memory=1e6)
    assert not (tmp_path / "out").exists()


def test_a_text_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "empty").write_text(" \n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for name in ("empty", "bytes", "nowhere"):
        with pytest.raises(ValueError, match="text must"):
            measuring.texts_of(tmp_path / name)


def test_results_that_do_not_follow_the_schema_are_refused(tmp_path, found):
    found["parts"]["gap"]["trained"] = "long"
    (tmp_path / "false.json").write_text(json.dumps(found))
    with pytest.raises(ValueError, match=r"parts\.gap\.trained must follow"):
        measuring.read(tmp_path / "false.json")


def test_a_scaled_model_is_measured_with_and_without_its_scaling(tmp_path, text):
    rope = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e4, "original_max_position_embeddings": TRAINED}
    made = model(max_position_embeddings=4 * TRAINED, rope_parameters=rope)
    found, _ = measured(saved(tmp_path / "m", made), text, tmp_path / "out")
    gap = found["parts"]["gap"]
    assert list(gap["ways"]) == ["as it is", "without its scaling"] and gap["trained"] == TRAINED
    far = [gap["ways"][way]["rise"][-1]["mean"] for way in gap["ways"]]
    assert far[0] != far[1]
    ladder = found["parts"]["config"]["ladders"]["model.rotary_emb"]
    plain = [1e4 ** (-2 * i / 8) * TRAINED / (2 * math.pi) for i in range(4)]
    assert ladder["turns_in_training"] == pytest.approx(plain, rel=1e-4)
    assert ladder["read_by_pe_helpers"] == "alike"
    assert found["parts"]["config"]["predicted_to"] == 4 * TRAINED  # the slowest hands are slowed by the whole factor


def test_a_name_in_a_page_cannot_leave_its_script(found):
    found["model"]["name"] = "</script><b>"
    written = page.page(found)
    assert "</script><b>" not in written and "&lt;/script&gt;" in written


def test_a_page_asks_no_network():
    from clockwork.measure.page import HERE

    assert "http" not in (HERE / "page.html").read_text("utf-8")
