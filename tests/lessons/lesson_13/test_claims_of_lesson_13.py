"""What lesson 13 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import cmath
import copy
import json
import math
import re

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.naive import shift, speeds, table
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, tasks, training
from clockwork.kit.widgets import questions
from clockwork.lessons.lesson_13 import look_inside

CELLS = [
    cell
    for path in lessons.whole(lessons.NOTEBOOKS / "13_inside_a_trained_head.ipynb")
    for cell in nbformat.read(path, as_version=4).cells
]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))


numbers = numbers_of(PRINTED)


def turning_part(matrix):
    """The average of M_tᵀ W M_t over very many random places t: no formula for the part is used."""
    speed = speeds(32)
    draw = np.random.default_rng(1)
    mean = np.zeros((32, 32))
    turns = draw.uniform(0, 1e9, size=4000)
    for t in turns:
        moved = np.zeros((32, 32))
        for i in range(16):
            turn = cmath.exp(1j * t * speed[i])
            moved[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
        mean += moved.T @ matrix @ moved
    return mean / len(turns)


def of_the_page():
    place = {"torch": torch}
    for defined in ("blocks = ", "quarter = ", "def turning_part"):
        (source,) = [cell.source for cell in CELLS if defined in cell.source]
        exec(source[source.index(defined) :].partition("\nleft")[0], place)
    return place["turning_part"]


def test_the_turning_part_is_what_is_left_on_average_over_all_starting_points():
    matrix = np.random.default_rng(2).standard_normal((32, 32))
    part = of_the_page()(torch.tensor(matrix, dtype=torch.float32)).numpy()
    np.testing.assert_allclose(part, turning_part(matrix), atol=0.15)
    assert np.linalg.norm(part - turning_part(matrix)) < 0.2 * np.linalg.norm(part)
    np.testing.assert_allclose(of_the_page()(torch.tensor(shift(32, 3), dtype=torch.float32)), shift(32, 3), atol=1e-6)


EIGHT = json.loads((lessons.NOTEBOOKS.parent / "data" / "shift_in_heads.json").read_text())


def eight(name, length, k=3):
    runs = EIGHT["right"] if k == 3 else EIGHT["turned on"][f"{k} back"]
    return np.array(runs[name][str(length)])


def test_the_eight_recorded_models_are_those_of_the_page():
    assert EIGHT["seeds"] == list(range(8))
    for name in ("all of W", "turning part", "the rest"):
        printed = numbers(rf"(?m)^{name} +(?=\d)")[:3]
        assert printed == pytest.approx(eight(name, 32)[:3], abs=0.15)
    shares = [float(found) for found in re.findall(r"turning part: (0\.\d+) of", PRINTED)]
    assert shares == pytest.approx(EIGHT["share"][:3], abs=0.05)


def test_in_eight_models_the_turning_part_is_right_where_all_of_w_is_not_and_neither_words_nor_loudness_explain_it():
    part = eight("turning part", 128)
    for rival in ("as trained", "all of W", "3 · all of W", "the rest"):
        assert (eight(rival, 128) < part - 0.2).all()
    assert eight("turning part", 32).min() > 0.99 and (eight("turning part", 32) >= eight("all of W", 32)).all()
    assert eight("3 · turning part", 128).min() > 0.95


@pytest.mark.parametrize("by", [16, 64, 200])
def test_in_texts_as_long_as_in_training_all_of_w_fails_at_other_positions_and_its_turning_part_does_not(by):
    """The position alone is changed: the length, which a longer text changes as well, is that of training."""
    assert (eight(f"all of W, {by} on", 32) < eight("all of W", 32) - 0.1).all()
    assert eight(f"turning part, {by} on", 32) == pytest.approx(eight("turning part", 32), abs=1e-3)


def test_in_eight_models_turning_on_by_two_tokens_answers_five_back_and_beyond_training_only_the_turning_part_does():
    assert eight("turning part", 32, k=5).min() > 0.99
    assert (eight("all of W", 128, k=5) < eight("turning part", 128, k=5) - 0.2).all()


TERMS = EIGHT["terms"]


def of_terms(name, length=32):
    return np.array(TERMS["right"][name][str(length)])


def test_the_terms_add_up_to_the_models_own_weights_and_place_place_is_the_largest():
    assert TERMS["off the weights by"] < 1e-5 and of_terms("all") == pytest.approx(eight("as trained", 32), abs=1e-3)
    sizes = {name: np.array(values) for name, values in TERMS["sizes"].items()}
    assert all((sizes["place·place"] > 2 * size).all() for name, size in sizes.items() if name != "place·place")
    assert (sizes["word·word"] < np.minimum(sizes["word·place"], sizes["place·word"])).all()
    assert (sizes["bias·place"] > 0.8).all(), "the query's bias meets the key's place: not all is in W"


def test_eight_models_use_place_place_and_the_cross_terms_and_not_word_word():
    assert of_terms("without word·word") == pytest.approx(of_terms("all"), abs=0.002)
    assert of_terms("without place·place").max() < 0.11 and of_terms("without place·place").min() > 0.08
    assert (of_terms("without the cross terms") < of_terms("all") - 0.003).all()
    assert of_terms("without the cross terms").min() > 0.9
    alone = of_terms("place·place alone")
    assert alone.max() < 0.98 and alone.min() < 0.62 and (alone < of_terms("places and biases")).sum() == 7
    assert of_terms("3 · place·place alone") == pytest.approx(alone, abs=0.02), "it is not too quiet"
    assert of_terms("places and biases").min() > 0.9 and (of_terms("without bias·place") < 0.98).sum() >= 4
    assert (of_terms("all of W, the mean taken out") < eight("all of W", 32)).all()


def test_the_ranges_on_the_page_are_those_of_the_recording():
    (story,) = [
        cell.source
        for cell in CELLS
        if "terms of a score does a trained head use?" in cell.source and "|---" in cell.source
    ]
    for name, said in {
        "without place·place": "all but place·place",
        "without the cross terms": "all but word·place and place·word",
        "without bias·place": "all but bias·place, a query's bias whoever asks",
        "place·place alone": "place·place alone, however loud",
        "places and biases": "places and biases, no words",
    }.items():
        found = of_terms(name)
        assert f"| {said} | {found.min():.2f} to {found.max():.2f} |" in story, name
    taken = of_terms("all of W, the mean taken out")
    assert f"it gets {taken.min():.2f} to {taken.max():.2f}" in story


def test_shuffled_hands_get_four_in_ten_on_average_and_none_does_as_well_as_the_true_ones():
    groups = re.findall(r"(\d+) shuffles, .*: (0\.\d+) on average, (0\.\d+) at best", PRINTED)
    mean = sum(int(count) * float(average) for count, average, _ in groups) / 40
    assert sum(int(count) for count, _, _ in groups) == 40 and mean == pytest.approx(0.4, abs=0.05)
    together, apart = (float(best) for _, _, best in groups)
    assert apart < together < 0.99
    assert together == pytest.approx(0.86, abs=0.1)


def test_in_the_sharpest_heads_the_mirrors_are_small_and_hands_that_meet_hold_the_rest():
    rows = np.array(re.findall(r"turning part: (\S+) of \|W\|², mirrors: (\S+), between hands: (\S+)", PRINTED), float)
    assert len(rows) == 3 and rows.sum(1) == pytest.approx(1, abs=0.011)
    assert rows[:, 1].max() < 0.01 and rows[:, 0].min() > 0.5 and rows[:, 2].min() > 0.2


@pytest.mark.parametrize(
    ("row", "run"),
    [
        ("minus turning part", "without the turning part"),
        ("minus random part", "without a random part"),
    ],
)
def test_with_one_part_taken_away_the_page_prints_the_recorded_answers_of_its_three_models(row, run):
    printed = numbers(rf"(?m)^{row} +(?=\d)")[:6]
    means = [of_terms(run, length).reshape(-1, 8).mean(0)[:3] for length in (32, 128)]
    assert printed == pytest.approx(np.concatenate(means), abs=0.0051)


def test_a_random_part_taken_away_costs_less_than_the_turning_part_in_every_model_and_draw_though_as_loud():
    without = of_terms("without the turning part")
    for part, least in (("random matrix", 0.6), ("random part", 0.3)):
        left = of_terms(f"without a {part}")
        assert left.shape == (4, 8) and left.min() > least and (left > without + 0.1).all()


def test_words_among_themselves_do_not_disturb_the_turning_part_and_the_querys_bias_and_words_with_positions_do():
    alone, bias, cross, unbiased, everything = (
        of_terms(f"place·place its turning part, {beside}")
        for beside in ("words", "bias·place", "words and cross terms", "all else but bias·place", "all else")
    )
    assert alone.min() > 0.995 > max(np.median(bias), np.median(cross))
    assert min(bias.min(), cross.min()) < 0.9 and everything.mean() < min(bias.mean(), cross.mean()) - 0.05
    assert (unbiased >= everything - 0.03).all() and unbiased.mean() > everything.mean() + 0.1


@pytest.mark.slow
def test_the_recorded_answers_without_random_parts_are_those_of_a_model_that_is_trained_again():
    model = learn(attention.Sinusoid, seeds=(0,)).model(0)
    for name, loud in (("without a random matrix", False), ("without a random part", True)):
        for length in (32, 128):
            found = [look_inside.random_taken([model], length, draw, loud)[0] for draw in range(4)]
            assert found == pytest.approx(of_terms(name, length)[:, 0], abs=0.05), (name, length)


def test_at_the_trained_length_the_turn_costs_the_turning_part_nothing_and_all_of_w_of_model_2_a_fifth():
    assert eight("turning part", 32, k=20) == pytest.approx(eight("turning part", 32), abs=1e-3)
    assert eight("all of W", 32, k=20)[2] < eight("all of W", 32)[2] - 0.2


def test_hands_2_and_3_are_needed_in_longer_texts():
    few = eight("turning part, hands 0, 1", 128)
    assert (few < eight("turning part", 128) - 0.2).all() and few.max() < 0.6
    assert eight("turning part, hands 0 to 3", 128).min() > few.max()
    louder = eight("3 · turning part, hands 0, 1", 128)
    assert (louder > few + 0.15).all(), "in part they are too quiet"
    assert (louder < eight("3 · turning part", 128) - 0.1).all(), "but in part only"


def test_hands_0_and_1_come_round_together_after_44_tokens_and_after_no_fewer_as_nearly():
    agree = [sum(math.cos(k * speed) for speed in speeds(32)[:2]) for k in range(1, 64)]
    assert 1 + int(np.argmax(agree)) == 44 and agree[43] > 1.9
    assert agree[18] < 1, "19 tokens are a turn of hand 1 at d_model 16, not at 32"


LIKED = EIGHT["lookalikes"]
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
BECAUSE = {name: asked["because"] for name, asked in questions.tables("13").items() if "because" in asked}


def test_twelve_offsets_where_fast_hands_come_round_cost_the_answers_at_128_tokens_and_not_the_number_of_keys():
    right = {name: np.array(shares) for name, shares in LIKED["right"].items()}
    assert right["none"] == pytest.approx(eight("turning part", 128), abs=1e-3)
    back = {name: (shares - right["none"]) / (1 - right["none"]) for name, shares in right.items()}
    assert back["twelve others"].max() < 0.1 < back["half"].max() < 0.5 <= round(back["liked"].min(), 2)
    assert (back["liked"] > back["half"]).all(), "five keys count for more than sixty"
    assert back["four liked"].min() > 2 * back["twelve others"].max(), "four keys that look alike count for more"
    assert max(LIKED["keys hidden"]["liked"]) < 6 and min(LIKED["keys hidden"]["half"]) > 50
    for offsets in LIKED["liked offsets"]:
        assert {44, 100, 101} <= {abs(offset) for offset in offsets}
    assert back["half"].max() < back["any half"].max() and back["all but liked"].max() < 0.75
    told = {"four liked": BECAUSE["lost"], "liked": PROSE, "half": PROSE, "all but liked": BECAUSE["lost"]}
    words = dict.fromkeys(told, "{} to {}% of the lost answers come back") | {"half": "brings back {} to {}%"}
    for name, place in told.items():
        assert words[name].format(*(round(100 * end) for end in (back[name].min(), back[name].max()))) in place
    louder = (eight("3 · turning part", 128) - right["none"]) / (1 - right["none"])
    assert louder.min() > 0.9 and (louder >= back["liked"]).all(), "louder scores tell all of them apart"


@pytest.mark.parametrize("off", [44, 100, 101])
def test_the_offsets_that_every_head_likes_are_those_where_hands_0_and_1_have_nearly_come_round(off):
    for speed in speeds(32)[:2]:
        assert math.cos(off * speed) > 0.6


def test_in_a_model_as_trained_the_turning_part_is_needed_and_is_enough_once_other_terms_are_silent():
    found = EIGHT["terms"]["right"]
    without, alone, silent = (
        np.array(found[name]["32"])
        for name in (
            "without the turning part",
            "place·place its turning part, all else",
            "place·place its turning part, words",
        )
    )
    assert (round(without.min(), 2), round(without.max(), 2)) == (0.09, 0.24)
    assert (round(alone.min(), 2), round(alone.max(), 2)) == (0.51, 0.99)
    assert silent.min() > 0.995
    longer = np.array(found["place·place its turning part, words"]["128"])
    assert (longer > np.array(found["all"]["128"]) + 0.2).all(), "and at positions that it never saw"


def test_the_turned_models_are_right_at_every_distance_and_the_length_costs_the_same_at_each():
    found = {
        k: {arm: {int(n): np.array(x) for n, x in runs.items()} for arm, runs in arms.items()}
        for k, arms in EIGHT["turned on"].items()
    }
    assert set(found) == {f"{k} back" for k in (1, 2, 3, 4, 5, 6, 8, 11, 15, 20)}
    for arms in found.values():
        part, whole, clock = (arms[arm] for arm in ("turning part", "all of W", "the query's clock"))
        assert part[32].min() > 0.99 and part[64].min() > 0.95 and 0.8 < part[128].mean() < 0.83
        assert 0.92 < whole[32].mean() < 0.99 and whole[64].mean() < 0.6
        assert clock[32].min() > 0.94 and clock[64].mean() < 0.71 and clock[128].mean() < 0.36
    assert found["3 back"]["the query's clock"][32] == pytest.approx(eight("as trained", 32), abs=1e-3), "not turned"


def test_after_38_tokens_hand_0_has_come_round_and_hand_1_has_not_and_model_2_hardly_uses_hand_1():
    hand_0, hand_1 = (math.cos(38 * speed) for speed in speeds(32)[:2])
    assert hand_0 > 0.95 and hand_1 < -0.5
    assert EIGHT["strengths"][2][1] < 0.01 < 0.05 < min(EIGHT["strengths"][0][1], EIGHT["strengths"][1][1])


def test_the_page_says_by_how_many_tokens_the_three_models_turn_their_first_three_hands():
    tokens = (np.array(EIGHT["angles"]) / speeds(32)[:4])[:3]
    assert tokens[:, 0] == pytest.approx(3, abs=0.05)
    rows = re.findall(r"turns hands 0, 1, 2 by (\S+) (\S+) (\S+) rad", PRINTED)
    assert np.array(rows, float) == pytest.approx(np.array(EIGHT["angles"])[:3, :3], abs=0.15)
    assert np.abs(tokens[:, 1] - 3).max() < 0.3 and np.abs(tokens[:, 2] - 3).max() < 0.6, "nearly, and roughly"
    strengths = np.array(EIGHT["strengths"])[:3]
    assert strengths[:, 3].max() < 0.03 and strengths.sum(1).min() > 0.98 and strengths[:, 0].min() > 0.5


def test_the_heads_of_eight_models_turn_hand_0_by_three_tokens_and_random_rows_give_no_turning_part():
    assert np.array(EIGHT["angles"])[:, 0] == pytest.approx(3.0, abs=0.1)
    assert max(EIGHT["random rows"]["share"]) < 0.1 and min(EIGHT["random rows"]["right"]) > 0.97
    for name, low, high in (("share", 0.02, 0.04), ("right", 1.0, 1.0)):
        assert numbers(f"random table, eight models, {name}:") == [low, high]
        found = EIGHT["random rows"][name]
        assert [round(min(found), 2), round(max(found), 2)] == [low, high]
    (live, share) = numbers("random table: ")
    assert live > 0.97 and share < 0.06
    assert max(EIGHT["share, not trained"]) < 0.06 < max(EIGHT["share, shuffled"]) < min(EIGHT["share"])


class RandomTable(attention.Encoding):
    """Random rows as long as the sinusoid's."""

    def add(self, x, position_ids):
        rows = np.random.default_rng(0).standard_normal((32, 32))
        rows = 4 * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return x + torch.tensor(rows, dtype=x.dtype)[position_ids]


class Scored(attention.Sinusoid):
    """Scores from codes alone, in the layer whose turn it is when `layer` calls have been made."""

    def __init__(self, matrices):
        super().__init__()
        self.matrices = matrices
        self.calls = 0

    def bias(self, num_heads, position_ids):
        self.calls += 1
        codes = torch.tensor(table(32, position_ids), dtype=torch.float32)
        return codes @ self.matrices @ codes.T if self.calls % 2 else None


@torch.no_grad()
def products(model):
    block = model.blocks[0]
    g = block.before_attention.weight
    w_q = block.qkv.weight[:32] * g
    w_k = block.qkv.weight[32:64] * g
    return torch.stack([w_q[8 * h : 8 * h + 8].T @ w_k[8 * h : 8 * h + 8] for h in range(4)]) / math.sqrt(8)


@torch.no_grad()
def right(model, k, length, matrices=None):
    if matrices is not None:
        model = copy.deepcopy(model)
        model.blocks[0].qkv.weight[:32] = 0
        model.blocks[0].qkv.bias[:32] = 0
        model.encoding = Scored(matrices)
    tokens, targets = tasks.k_back(32, length, k=k, generator=torch.Generator().manual_seed(11))
    return tasks.accuracy(model(tokens), targets).item()


def learn(encoding, seeds):
    return training.train(
        lambda: attention.Transformer(16, encoding(), d_model=32),
        tasks.THREE_BACK,
        seeds=seeds,
        steps=250,
        batch_size=16,
        learning_rate=0.01,
    )


@pytest.mark.slow
def test_the_turning_part_looks_three_back_where_nothing_else_of_the_trained_head_does():
    part_of = of_the_page()
    trained = learn(attention.Sinusoid, seeds=(10, 11))
    for seed in trained.seeds:
        model = trained.model(seed)
        whole = products(model)
        part = part_of(whole)
        order = torch.randperm(32, generator=torch.Generator().manual_seed(0))
        back = order.argsort()
        shuffled = part_of(whole[:, order][:, :, order])[:, back][:, :, back]
        assert right(model, 3, 32) > 0.99 and right(model, 3, 128) < 0.5
        assert right(model, 3, 32, part) > 0.99 and right(model, 3, 128, part) > 0.65
        assert right(model, 3, 128, 3 * part) > 0.95
        assert right(model, 3, 128, whole) < 0.5, "leaving the words out is not what helps"
        assert right(model, 3, 128, 3 * whole) < 0.5, "nor is loudness"
        assert right(model, 3, 32, whole - part) < 0.3 and right(model, 3, 32, shuffled) < 0.5
        on = part @ torch.tensor(shift(32, 2), dtype=torch.float32)
        assert right(model, 5, 32, on) > 0.99 and right(model, 3, 32, on) < 0.15


@pytest.mark.slow
def test_heads_turn_fast_hands_by_three_tokens_with_the_sinusoid_and_have_no_turning_part_without():
    part_of = of_the_page()
    share = {}
    for encoding in (attention.Sinusoid, RandomTable):
        trained = learn(encoding, seeds=(10, 11))
        for seed in trained.seeds:
            whole = products(trained.model(seed))
            part = part_of(whole)
            share[encoding, seed] = (part.square().sum((1, 2)) / whole.square().sum((1, 2))).max().item()
            assert right(trained.model(seed), 3, 32) > 0.97
            if encoding is attention.Sinusoid:
                head = part.square().sum((1, 2)).argmax()
                for hand, speed, within in ((0, 1, 0.15), (1, 10_000 ** (-1 / 16), 0.3)):
                    turn = math.atan2(part[head, 2 * hand, 2 * hand + 1], part[head, 2 * hand, 2 * hand])
                    assert turn == pytest.approx(3 * speed, abs=within)
    assert min(share[attention.Sinusoid, seed] for seed in (10, 11)) > 0.4
    assert max(share[RandomTable, seed] for seed in (10, 11)) < 0.1
