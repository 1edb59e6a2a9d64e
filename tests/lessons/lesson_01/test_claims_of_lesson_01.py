"""What lesson 01 says in its sentences, computed once more by other means."""

import itertools
import json
import math
import re
import tomllib

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, datafiles, naive_codes, sweep, tasks, training
from clockwork.kit.widgets import questions
from clockwork.lessons.lesson_01 import index_models

PATHS = lessons.whole(lessons.NOTEBOOKS / "01_why_order_matters.ipynb")
CELLS = [cell for path in PATHS for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
numbers = numbers_of(PRINTED)


def recorded(task, scheme, length, gain=1.0, what="accuracy", steps=None):
    runs = sweep.find(task, scheme, grid="naive_codes", gain=gain, steps=steps)
    return runs[what][:, runs["lengths"].index(length)].numpy()


def p_value(a, b):
    """The share of all splits into two groups of this size whose means differ at least as much."""
    both = np.concatenate([a, b])
    middle = both.sum() * len(a) / len(both)
    sums = np.array([sum(chosen) for chosen in itertools.combinations(both, len(a))])
    return np.mean(np.abs(sums - middle) >= abs(np.sum(a) - middle) - 1e-6)


def softmax_rows(scores):
    shares = np.exp(scores)
    return shares / shares.sum(1, keepdims=True)


@pytest.mark.parametrize("own_matrices", [False, True])
def test_outputs_follow_the_words_because_one_matrix_serves_every_row(own_matrices):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(6, 4))
    w = rng.normal(size=(3, 6, 4, 4)) if own_matrices else np.repeat(rng.normal(size=(3, 1, 4, 4)), 6, 1)

    def attend(x):
        q, k, v = (np.stack([row @ m for row, m in zip(x, matrices, strict=True)]) for matrices in w)
        return softmax_rows(q @ k.T / 2) @ v

    for order in itertools.islice(itertools.permutations(range(6)), 1, None, 97):
        change = np.abs(attend(x[list(order)]) - attend(x)[list(order)]).max()
        assert (change > 1e-3) == own_matrices


def test_a_sum_that_weighs_places_is_no_bag():
    """The second reason dropped: near keys count more, as in no plain attention."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(6, 4))
    near = -np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    outputs = [softmax_rows(one @ one.T / 2 + near) @ one for one in (x, x[[2, 0, 1, 5, 3, 4]])]
    assert np.abs(outputs[1].mean(0) - outputs[0].mean(0)).max() > 1e-3
    assert numbers("mean output, near keys count more: ")[0] > 0.05


def test_no_training_leads_a_model_without_a_code_away_from_one_half():
    assert (recorded("who_came_first", "none", 24) == 0.5).all() and len(recorded("who_came_first", "none", 24)) == 8
    with_code = recorded("who_came_first", "sinusoid", 24)
    assert with_code.min() > 0.75, "the same model, data and steps with a code"


def test_twins_get_one_answer_whatever_the_weights():
    twins, _ = tasks.with_twins(*tasks.who_came_first(50, 20, generator=torch.manual_seed(0)))
    for seed in range(3):
        torch.manual_seed(seed)
        model = attention.Transformer(16, attention.Encoding(), d_model=32).double()
        with torch.no_grad():
            letters = model(twins).mean(1)
        assert (letters[:50] - letters[50:]).abs().max() < 1e-12


def test_models_without_a_code_reach_what_a_perfect_reader_of_bags_reaches():
    rng = np.random.default_rng(0)
    best = {}
    for length in (16, 32):
        texts = rng.integers(16, size=(4000, length))
        counts = np.array([np.bincount(text[1:], minlength=16).max() for text in texts])  # the token at 0 asks
        best[length] = (counts / (length - 1)).mean()
    assert best[32] == pytest.approx(0.152, abs=0.002)
    for length, share in best.items():
        models = recorded("three_back", "none", length)
        assert models.mean() == pytest.approx(share, abs=0.006) and models.min() > 2 / 16


@pytest.mark.parametrize("num_layers", [1, 2, 3])
@pytest.mark.parametrize("causal", [False, True])
def test_a_mask_moves_the_mean_at_once_and_the_last_output_from_the_second_layer_on(causal, num_layers):
    for seed in range(3):
        torch.manual_seed(seed)
        model = attention.Transformer(16, attention.Encoding(), num_layers=num_layers, causal=causal).double()
        tokens = torch.randint(16, (10,))
        prefix = torch.randperm(9)
        with torch.no_grad():
            change = (model(tokens) - model(torch.cat([tokens[:9][prefix], tokens[9:]]))).abs()
            mean = (model(tokens) - model(torch.cat([tokens[:9][prefix], tokens[9:]]))).mean(0).abs()
        assert (change[-1].max() > 1e-6) == (causal and num_layers > 1)
        assert (mean.max() > 1e-6) == causal


def test_under_a_mask_one_layer_changes_only_where_the_text_changed():
    one, two = (numbers(rf"layers: {layers} \[") for layers in (1, 2))
    assert min(one[:2]) > 0.1 and one[2:] == [0] * 6
    assert len(two) == 8 and min(two) > 0


def test_the_mask_gives_what_came_before_and_longer_training_more_than_the_bag_of_it():
    rng = np.random.default_rng(0)
    texts = rng.integers(16, size=(1000, 32))
    bags = [np.bincount(text[:i], minlength=16).max() / i for text in texts for i in range(3, 32)]
    assert np.mean(bags) == pytest.approx(0.21, abs=0.005)
    assert recorded("who_came_first", "none, causal", 96).min() > 0.95
    short = recorded("three_back", "none, causal", 32)
    long = recorded("three_back", "none, causal", 32, steps=1200)
    assert short.min() > 0.21 and short.max() < 0.25 < 0.3 < long.min() and long.max() < 0.4
    assert recorded("three_back", "none", 32, steps=1200).max() < 0.16, "the same steps without the mask"


def test_layer_norm_removes_what_is_added_to_every_number_and_nothing_else_of_an_index():
    x = np.random.default_rng(1).normal(size=32)

    def layer_norm(x):
        return (x - x.mean()) / math.sqrt(x.var() + 1e-5)

    def rms_norm(x):
        return x / math.sqrt((x**2).mean() + 1e-5)

    for p in (1, 20, 300):
        assert np.abs(layer_norm(x + p) - layer_norm(x)).max() < 1e-12
        assert np.abs(rms_norm(x + p) - rms_norm(x)).max() > 0.1
        assert np.abs(layer_norm(x + p * np.eye(32)[0]) - layer_norm(x)).max() > 0.1


def test_seed_by_seed_the_index_everywhere_scores_what_nothing_scores():
    for task, length in (("three_back", 32), ("three_back", 128), ("who_came_first", 24)):
        same = recorded(task, "none", length) - recorded(task, "index_everywhere", length)
        assert np.abs(same).max() < 2e-3
    assert recorded("three_back", "index", 32).mean() > 0.9, "on one number the same index is seen"


def test_the_live_control_differs_from_the_recorded_run_in_the_subtraction_alone():
    assert max(numbers(r"LayerNorm: +tensor\(")) < 0.2 < 0.95 < min(numbers(r"RMSNorm alone: +tensor\("))
    assert max(numbers(r"mean subtracted, then RMSNorm: tensor\(")) < 0.2, "and the division is the same"
    source = next(cell.source for cell in CELLS if "def right_with(norm)" in cell.source)
    live = {name: float(value) for name, value in re.findall(r"(steps|batch_size|learning_rate)=([\d.]+)", source)}
    config = sweep.find("three_back", "index_everywhere", grid="naive_codes")["config"]
    assert live == {name: config[name] for name in live} and len(live) == 3
    assert "seeds=(0, 1, 2)" in source and config["seeds"][:3] == [0, 1, 2]
    assert (config["d_model"], config["num_layers"], config["gain"]) == (32, 2, 1.0)


@pytest.mark.parametrize("scheme", ["index_over_length", "one_hot"])
def test_a_quiet_code_is_learned_when_it_is_louder_or_trained_for_longer(scheme):
    assert recorded("three_back", scheme, 32).max() < 0.16
    assert recorded("three_back", scheme, 32, gain=4.0).min() > 0.9
    assert recorded("three_back", scheme, 32, steps=1200).min() > 0.8
    assert recorded("three_back", "none", 32, steps=1200).max() < 0.16


LOUD = {"index": 1.0, "index_over_length": 31.0, "binary": 1.0, "gray": 1.0, "one_hot": 4.0, "sinusoid": 1.0}


def test_at_the_trained_length_the_other_codes_work_in_400_steps():
    means = [recorded("three_back", scheme, 32, gain).mean() for scheme, gain in LOUD.items()]
    assert min(means) >= 0.915 and max(means) <= 1
    for scheme, gain in LOUD.items():
        assert recorded("who_came_first", scheme, 24, gain).mean() > 0.75


def test_at_positions_never_trained_each_code_loses_most_of_its_answers():
    beyond = {scheme: recorded("three_back", scheme, 48, gain, what="beyond").mean() for scheme, gain in LOUD.items()}
    assert max(beyond.values()) < 0.92 / 2
    for scheme, share in {"binary": 0.35, "index": 0.14}.items():
        assert beyond[scheme] == pytest.approx(share, abs=0.0055)


BY_POSITION = json.loads((lessons.NOTEBOOKS.parent / "data" / "accuracy_by_position.json").read_text())["by_position"]


def test_position_by_position_each_code_falls_where_training_ended():
    assert BY_POSITION.keys() == LOUD.keys()
    for scheme, shares in BY_POSITION.items():
        seen, unseen = np.split(np.array(shares), [32 - 3], axis=1)
        assert len(shares) == 8 and unseen.shape[1] == 16
        again = recorded("three_back", scheme, 48, LOUD[scheme], what="beyond")
        assert unseen.mean() == pytest.approx(again.mean(), abs=0.03), "the models of naive_codes.json"
        assert (seen.mean() > 0.7) == (scheme != "index_over_length") and unseen.mean() < 0.5


@pytest.mark.parametrize(("scheme", "twin"), [("binary", lambda p: p + 32), ("gray", lambda p: 63 - p)])
def test_of_the_trained_positions_digits_lose_those_that_share_five_digits_with_a_new_one(scheme, twin):
    """A position's twin differs in the sixth digit alone, which training never showed changing."""
    codes = naive_codes.CODES[scheme](torch.arange(64), 8)
    for p in range(32):
        assert torch.equal(codes[p] != codes[twin(p)], torch.arange(8) == 5)
    shares = np.array(BY_POSITION[scheme]).mean(0)
    asked = range(3, 32)
    with_twin = [shares[p - 3] for p in asked if twin(p - 3) < 48]  # the position to be found, three back, has a twin
    alone = [shares[p - 3] for p in asked if twin(p - 3) >= 48]
    assert len(with_twin) > 10 and len(alone) > 10
    assert np.mean(with_twin) < 0.65 < 0.9 < np.mean(alone)
    whole = np.array(BY_POSITION["one_hot"]).mean(0)[:29]
    assert whole.min() > 0.99, "the same texts, a code without twins"


def test_in_a_longer_text_index_over_length_loses_the_answers_at_trained_positions_and_the_index_keeps_them():
    seen = {}
    for scheme in ("index", "index_over_length"):
        everywhere = recorded("three_back", scheme, 48, LOUD[scheme]).mean()
        unseen = recorded("three_back", scheme, 48, LOUD[scheme], what="beyond").mean()
        seen[scheme] = (45 * everywhere - 16 * unseen) / 29  # of 45 answers, 16 are at positions from 32 to 47
    assert recorded("three_back", "index_over_length", 48, 31.0).mean() == pytest.approx(0.11, abs=0.005)
    assert seen["index_over_length"] < 0.15 < 0.9 < seen["index"]


def test_squeezed_into_the_trained_range_the_index_keeps_who_came_first_in_a_longer_text():
    index, squeezed = (recorded("who_came_first", scheme, 96) for scheme in ("index", "squeezed_index"))
    same = [recorded("who_came_first", scheme, 24) for scheme in ("index", "squeezed_index")]
    assert np.array_equal(*same), "the same models"
    assert squeezed.min() > index.max() and round(float(squeezed.mean()), 2) == 0.94
    assert squeezed.mean() == pytest.approx(same[0].mean(), abs=0.03), "the length of the text costs next to nothing"
    assert tuple(sorted(naive_codes.squeezed_index(torch.arange(96), 1)[[0, -1], 0].tolist())) == (0, 23)


RECORDED = datafiles.read("index_models.json")
STRETCHED = {int(n): np.array(rows) for n, rows in RECORDED["stretched"].items()}  # (factors, seeds)
FACTORS = RECORDED["factors"]


def at(length, factor):
    return STRETCHED[length][FACTORS.index(factor)]


def test_within_the_trained_range_long_texts_do_no_harm_and_out_of_it_short_ones_lose_answers():
    """Two controls: long texts with the numbers of short ones, and short texts with the numbers of long ones."""
    assert at(96, 1.0).mean() == pytest.approx(recorded("who_came_first", "index", 96).mean(), abs=1e-3)
    assert at(24, 1.0).mean() == pytest.approx(recorded("who_came_first", "index", 24).mean(), abs=1e-3)
    home = at(96, 0.24)
    assert (home > at(96, 1.0) + 0.1).all(), "seed by seed, the range came home and the text stayed long"
    assert home.mean() == pytest.approx(at(24, 1.0).mean(), abs=0.03)
    assert (at(24, 4.0) < at(24, 1.0) - 0.05).all(), "seed by seed, the range left and the text stayed short"


def test_the_question_takes_every_factor_that_was_tried_with_more_than_nine_in_ten_right():
    """And no other; its solution names the best of them, and the smallest and largest."""
    asked = tomllib.loads(questions.file_of("01").read_text("utf-8"))["range"]
    means = dict(zip(FACTORS, STRETCHED[96].mean(1), strict=True))
    low, high = asked["right"]
    right = {factor: mean for factor, mean in means.items() if low <= factor <= high}
    assert right == {factor: mean for factor, mean in means.items() if mean > 0.9}
    named = [float(number) for number in re.findall(r"0\.\d+", asked["solution"])]
    assert named == [max(right, key=right.get), min(right), max(right)]


def test_past_the_trained_range_each_larger_factor_loses_more():
    """At 96 tokens from 0.3 on, at 24 tokens from 1.2 on: the last position is beyond 23."""
    for length in (96, 24):
        beyond = [at(length, factor).mean() for factor in FACTORS if factor * (length - 1) > 23.5]
        assert len(beyond) >= 5 and beyond == sorted(beyond, reverse=True)


@pytest.mark.parametrize("same", [False, True])
def test_under_a_mask_the_last_of_the_reversed_tokens_changes_because_another_token_asks(same):
    """It sees the same six: where the first of them equals the last, its output stays."""
    for seed in range(3):
        torch.manual_seed(seed)
        tokens = torch.randperm(16)[:12]
        tokens[5] = tokens[0] if same else tokens[5]
        net = attention.Transformer(16, attention.Encoding(), num_layers=1, causal=True).double()
        change = net(tokens) - net(torch.cat([tokens[:6].flip(0), tokens[6:]]))
        change = change.detach().abs().amax(-1)
        assert change[1:5].min() > 0.1 and change[6:].max() < 1e-12
        assert (change[5] < 1e-12) == same


@pytest.mark.slow
def test_the_recorded_answers_to_multiplied_positions_are_those_of_the_models():
    """Sampled: two seeds at two factors, trained once more."""
    again = index_models.stretched(seeds=(0, 1), factors=(0.24, 1.0))
    for length, rows in again.items():
        for factor, row in zip((0.24, 1.0), rows, strict=True):
            assert row == pytest.approx(at(int(length), factor)[:2], abs=0.1), (length, factor)


def test_four_times_the_steps_close_the_gap_to_the_index_in_short_texts_alone():
    rows = {row["scheme"]: np.array(row["accuracy"]) for row in RECORDED["longer"]}
    assert all(row["steps"] == 4 * 250 for row in RECORDED["longer"])
    short, long = ({scheme: scores[place] for scheme, scores in rows.items()} for place in (0, 1))
    assert p_value(short["index"], short["sinusoid"]) > 0.05, (
        "one of eight seeds of the index is behind all of the sinusoid"
    )
    assert p_value(short["index_over_length"], short["sinusoid"]) < 0.005
    assert max(long["sinusoid"]) < 0.6 < min(long["index"]) and max(long["index"]) < min(long["index_over_length"])


def test_squeezed_into_the_trained_range_the_sinusoid_answers_in_long_texts_too():
    """The rival of *codes that grow reach further*: the sinusoid had left its range as well."""
    rows = {row["scheme"]: row for row in RECORDED["longer"]}
    squeezed = np.array(rows["sinusoid"]["squeezed"])
    assert (squeezed > np.array(rows["sinusoid"]["accuracy"][1]) + 0.3).all(), "seed by seed"
    assert squeezed.mean() > 0.9 and np.mean(rows["index"]["squeezed"]) > 0.95
    assert index_models.SQUEEZE * 95 < 23 <= 95


def test_appended_the_index_is_learned_as_well_as_added_to_one_number():
    assert np.mean(RECORDED["appended"]) > 0.9 and recorded("three_back", "index", 32).mean() > 0.9
    x = torch.randn(5, 4)
    rows = index_models.Appended().add(x, torch.arange(5))
    assert torch.equal(rows[:, :3], x[:, :3]) and rows[:, 3].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_stretched_out_of_the_trained_range_the_index_loses_answers_in_texts_no_longer_than_in_training():
    trained = training.train(
        lambda: attention.Transformer(16, naive_codes.FixedCode(naive_codes.index, 1.0), d_model=32),
        tasks.WHO_CAME_FIRST,
        (0, 1, 2),
        steps=250,
        batch_size=16,
        learning_rate=0.005,
    )
    tokens, targets = tasks.WHO_CAME_FIRST.draw_test(128, 24, generator=torch.Generator().manual_seed(1))
    right = {
        last: [tasks.accuracy(x, targets).item() for x in trained(tokens, torch.arange(24) * last / 23)]
        for last in (23, 95)
    }
    assert min(right[23]) > max(right[95]) + 0.05


def test_one_code_suits_one_question_in_long_texts_and_fails_the_other():
    loud = {"scheme": "index_over_length", "gain": 31.0}
    first, back = ([recorded(task, length=n, **loud) for n in lengths] for task, lengths in ASKED.items())
    assert first[1].min() > 0.8 and first[1].mean() > 0.9 and back[0].mean() > 0.9 and back[1].max() < 0.2


ASKED = {"who_came_first": (24, 96), "three_back": (32, 48)}


def test_at_the_same_loudness_the_code_that_grows_is_not_ahead_of_the_sinusoid():
    louder = {(run["scheme"], run["gain"]): np.array(run["accuracy"]) for run in RECORDED["louder"]}
    assert louder["index_over_length", 1.0].mean() < louder["sinusoid", 1.0].mean() - 0.2
    assert p_value(louder["index_over_length", 2.0], louder["sinusoid", 2.0]) > 0.3
    for scheme in ("sinusoid", "index_over_length"):
        assert louder[scheme, 2.0].mean() > louder[scheme, 1.0].mean() + 0.03


@pytest.mark.slow
def test_large_numbers_do_no_harm_that_training_showed():
    """The rival of *outside of the range*: that numbers up to 92 are too large."""
    first, back = ([np.array(of) for of in run["accuracy"]] for run in RECORDED["larger"])
    assert first[0].min() > 0.95 > 0.8 > first[1].max()
    assert back[0].min() < 0.6 < back[0].max()
    (again,) = index_models.larger(seeds=(0,))[0]["accuracy"][0]
    assert again == pytest.approx(first[0][0], abs=0.05)


def test_the_step_alone_does_not_decide_whether_a_code_is_quiet():
    """A code with longer steps fails and one with shorter steps works, so the step is not what quiet measures."""
    step = {("index_over_length", gain): gain / 31 for gain in (1.0, 2.0, 4.0)}
    step |= {("one_hot", gain): gain * math.sqrt(2) for gain in (1.0, 1.3, 4.0)}
    right = {setting: float(recorded("three_back", setting[0], 32, setting[1]).mean()) for setting in step}
    for scheme in ("index_over_length", "one_hot"):
        own = [right[setting] for setting in step if setting[0] == scheme]
        assert own == sorted(own) and own[0] < 0.16 and own[-1] > 0.94, "within one code, louder is better"
    assert step["one_hot", 1.3] > 10 * step["index_over_length", 4.0]
    assert right["one_hot", 1.3] < 0.5 < right["index_over_length", 2.0] < right["index_over_length", 4.0]
    told = " ".join(
        cell.source for path in PATHS for cell in nbformat.read(path, 4).cells if cell.id in ("d01-15", "c49f")
    )
    assert f"{right['index_over_length', 4.0]:.2f}" in told
    for setting in (("one_hot", 1.3), ("index_over_length", 2.0)):
        assert f"{right[setting]:.2f}" in told


def test_times_31_index_over_length_is_the_index_in_32_tokens_and_keeps_who_came_first_beyond():
    p = torch.arange(32)
    torch.testing.assert_close(31 * naive_codes.index_over_length(p, 4), naive_codes.index(p, 4))
    assert np.array_equal(
        recorded("three_back", "index_over_length", 32, gain=31.0), recorded("three_back", "index", 32)
    )
    stretched = recorded("who_came_first", "index_over_length", 96, gain=31.0)
    assert stretched.mean() == pytest.approx(0.96, abs=0.005)
    assert recorded("who_came_first", "index", 96).mean() == pytest.approx(0.69, abs=0.005)
    others = [recorded("who_came_first", scheme, 96, gain) for scheme, gain in LOUD.items() if "over" not in scheme]
    assert max(scores.max() for scores in others) < stretched.min()


def test_three_back_is_two_of_the_code_s_units_in_a_text_of_48():
    assert 3 * 31 / 31 == 3.0 and round(3 * 31 / 47, 1) == 2.0
    for n in (32, 48, 63, 125):
        assert numbers(f"{n} tokens: 3.0 to the left is ")[0] == round(3 * (n - 1) / 31, 1)


CODES = {
    "index": lambda p: [p],
    "index / length × 31": lambda p: [31 * p / 63],
    "binary digits": lambda p: [2 * (p >> i & 1) - 1 for i in range(7)],
    "Gray code": lambda p: [2 * ((p ^ p >> 1) >> i & 1) - 1 for i in range(7)],
    "one-hot × 4": lambda p: [4 * (p == i) for i in range(32)],
}


@pytest.mark.parametrize("name", CODES)
def test_the_table_of_weak_points(name):
    codes = [CODES[name](p) for p in range(64)]
    closest = min(math.dist(a, b) for a, b in itertools.combinations(codes, 2))
    steps = [math.dist(a, b) for a, b in itertools.pairwise(codes)]
    longest = max(math.hypot(*code) for code in codes)
    printed = numbers(f"{re.escape(name)} +closest two codes ")
    assert printed == pytest.approx([closest, min(steps), max(steps), longest], abs=0.006)


def test_from_7_to_8_four_digits_change_and_from_6_to_7_one():
    assert bin(6 ^ 7).count("1") == 1 and bin(7 ^ 8).count("1") == 4


@pytest.mark.parametrize("name", ["binary digits", "Gray code"])
def test_seven_digits_repeat_from_position_128_on(name):
    codes = [CODES[name](p) for p in range(256)]
    assert len({tuple(code) for code in codes[:128]}) == 128
    assert all(code in codes[:128] for code in codes[128:])


def test_a_loud_index_silences_the_token():
    distances = [numbers(f"index {p} on one number: after LayerNorm, two tokens are ")[0] for p in (0, 5, 50, 500)]
    assert distances == sorted(distances, reverse=True) and distances[-1] < distances[0] / 50


def test_the_river_and_the_bank_are_not_equally_far_in_the_texts_that_are_quoted():
    near = ["i", "went", "to", "the", "river", "bank"]
    far = ["i", "am", "going", "swimming", "in", "the", "river", "later", "i", "will", "go", "to", "the", "bank"]
    steps = [(text.index("bank") - text.index("river")) / (len(text) - 1) for text in (near, far)]
    assert steps == pytest.approx([1 / 5, 7 / 13])
    assert [n for n in range(8, 200) if math.isclose(7 / (n - 1), 1 / 5)] == [36]


class OnEvery(attention.Encoding):
    """The index, on every number."""

    def add(self, x, position_ids):
        return x + position_ids[:, None]


class Subtracting(torch.nn.RMSNorm):
    """RMSNorm of the numbers without their mean."""

    def forward(self, x):
        return super().forward(x - x.mean(-1, keepdim=True))


@pytest.mark.slow
def test_the_subtraction_alone_decides_whether_the_index_everywhere_is_seen():
    score = {}
    for norm in (Subtracting, torch.nn.RMSNorm):

        def make(norm=norm):
            model = attention.Transformer(16, OnEvery(), d_model=32)
            for block in model.blocks:
                block.before_attention = norm(32)
                block.before_mlp = norm(32)
            model.before_head = norm(32)
            return model

        models = training.train(make, tasks.THREE_BACK, seeds=(10, 11), steps=400, batch_size=16, learning_rate=0.005)
        score[norm] = training.evaluate(models, tasks.THREE_BACK, lengths=[32]).accuracy[:, 0]
    assert score[Subtracting].max() < 0.2 < 0.9 < score[torch.nn.RMSNorm].min()


def test_equal_tokens_get_equal_outputs_unless_something_tells_their_places():
    assert numbers("no code: the outputs of the word that occurs twice are ") == [0]
    assert numbers("sinusoid: the outputs of the word that occurs twice are ")[0] > 0.1


def test_a_task_without_order_is_learned_with_a_code_and_without():
    for name in ("no code", "sinusoid"):
        found = numbers(rf"more below 8, 24 tokens, {name}: ")
        assert len(found) == 3 and min(found) > 0.93, name


def test_norms_that_read_the_large_index_small_learn_3_back_at_every_seed_better():
    large = next(row["accuracy"][0] for row in RECORDED["larger"] if row["task"] == "three_back")
    divided = RECORDED["divided"]
    assert len(divided) == len(large) == 8 and min(divided) > 0.89
    assert sum(share > 0.995 for share in divided) == 7 > sum(share > 0.995 for share in large)
    assert all(new > old for new, old in zip(divided, large, strict=True))


def test_the_divided_norm_is_the_layer_norm_of_the_index_that_is_not_multiplied():
    row = torch.randn(32, generator=torch.Generator().manual_seed(0))
    loud, plain = row.clone(), row.clone()
    plain[0] += 7
    loud[0] = 16 * (row[0] + 7)
    spread = ((plain - plain.mean()) ** 2).mean()
    by_hand = (plain - plain.mean()) / (spread + 1e-5).sqrt()
    assert torch.allclose(index_models.FirstDivided(32)(loud), by_hand, atol=1e-5)
