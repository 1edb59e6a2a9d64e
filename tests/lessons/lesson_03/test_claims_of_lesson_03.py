"""What lesson 03 says in its sentences, computed once more by other means."""

import itertools
import json
import math
import re

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, probes, tasks, training
from clockwork.lessons.lesson_03 import figures as dials

PATHS = lessons.whole(lessons.NOTEBOOKS / "03_clock_hands.ipynb")
CELLS = [cell for path in PATHS for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
REACH = 20_000


numbers = numbers_of(PRINTED)


def apart(speeds, reach=REACH):
    """How far apart two dials are that lie 1, 2, … reach tokens apart: the length of a difference of unit hands."""
    turned = np.exp(1j * np.multiply.outer(np.arange(1, reach + 1), np.asarray(speeds, float)))
    return np.sqrt((np.abs(turned - 1) ** 2).sum(1))


def paper(hands):
    return [10_000 ** (-i / hands) for i in range(hands)]


def near_misses(speeds):
    gaps = apart(speeds)
    return int((gaps < gaps[0] - 1e-9).sum())


def test_the_returns_of_hand_0_are_those_of_the_continued_fraction():
    away = [abs(math.remainder(k, 2 * math.pi)) for k in range(1, 1001)]
    records = [k for k in range(1, 1001) if away[k - 1] == min(away[:k])]
    assert records == [1, 6, 19, 25, 44, 333, 710]
    assert next(k for k in range(2, 1001) if away[k - 1] < 0.02) == 44
    for k in records:
        assert numbers(f"after +{k} tokens hand 0 is ")[0] == pytest.approx(away[k - 1], abs=6e-6)
    assert math.floor(710 / (2 * math.pi) + 0.5) == 113 and 44 / 7 - 2 * math.pi == pytest.approx(0.0177 / 7, rel=0.01)


@pytest.mark.parametrize(("hands", "seen"), [(4, 67), (5, 8), (6, 1), (8, 0)])
def test_random_dials_come_near_as_often_as_those_of_the_clock(hands, seen):
    limit = apart(paper(hands), 1)[0]
    angles = np.random.default_rng(hands).uniform(0, 2 * np.pi, (2_000_000, hands))
    expected = REACH * (np.sqrt((2 - 2 * np.cos(angles)).sum(1)) < limit).mean()
    assert near_misses(paper(hands)) == seen
    assert numbers(f"{hands} hands: +") == pytest.approx([seen, expected], abs=0.1 + 0.2 * expected)
    assert abs(seen - expected) < 3 * math.sqrt(expected) + 1


def test_the_number_of_hands_and_not_a_small_change_of_factor_decides_how_many_near_misses_there_are():
    counts = {factor: near_misses([factor**-i for i in range(4)]) for factor in (9.5, 9.7, 10, 10.3, 10.5)}
    assert min(counts.values()) == 45 and max(counts.values()) == 67
    for factor, count in counts.items():
        assert numbers(f"factor +{factor}: ")[0] == count
    draw = np.random.default_rng(0)
    limit = apart(paper(4), 1)[0]
    fast = [int((apart(draw.uniform(0.1, 3.1, 4)) < limit).sum()) for _ in range(5)]
    assert min(fast) > 40, "speeds without any factor come near as often"
    assert max(near_misses([10**-rest for rest in (0, *draw.uniform(0, 3.5, 7))]) for _ in range(5)) < 20


@pytest.mark.parametrize(("k", "hand"), [(6, 0), (63, 1), (628, 2)])
def test_where_a_hand_comes_round_the_next_has_made_a_tenth_of_a_turn(k, hand):
    turns = [k * speed / (2 * math.pi) for speed in paper(4)]
    assert abs(turns[hand] - 1) < 0.05 and turns[hand + 1] == pytest.approx(0.1, abs=0.005)
    assert apart(paper(4), k)[-1] < apart(paper(4), 1)[0]


@pytest.mark.parametrize("factor", [9.5, 9.7, 10, 10.3, 10.5])
def test_the_factor_decides_whether_one_turn_of_the_slowest_hand_is_a_near_miss(factor):
    gaps = apart([factor**-i for i in range(4)])
    slow = round(2 * math.pi * factor**3)
    assert (gaps[slow - 1] < gaps[0]) == (factor == 10)
    assert (gaps.argmin() + 1 == slow == 6283) == (factor == 10)
    printed = numbers(f"factor +{factor}: ")
    assert printed[1] == pytest.approx(gaps.min(), abs=6e-4) and printed[-1] == pytest.approx(gaps[slow - 1], abs=6e-4)


def test_four_lines_read_the_secret_and_only_the_fastest_hand_has_it_exactly():
    steps = [numbers(rf"hand {i}: .* = ")[0] for i in (3, 2, 1, 0)]
    assert [abs(step - 4321) < 0.5 for step in steps] == [False, False, True, True] and round(steps[-1]) == 4321
    code = [f(4321 * 10.0**-i) for i in range(4) for f in (math.sin, math.cos)]
    assert [round(x, 1) for x in code] == [-1.0, -0.3, -1.0, 0.1, -0.7, 0.7, -0.9, -0.4]
    assert abs(steps[0] - 4321) == pytest.approx(27, abs=0.5)


def share_right(speeds, noise, at_once, count=1500, seed=1):
    """Read noisy dials of positions 1000 … 5000 from the slowest hand to the fastest, or by the best match of all."""
    draw = np.random.default_rng(seed)
    places = draw.integers(1000, 5000, count)
    dials = np.exp(1j * np.outer(places, speeds))
    dials = dials + noise * (draw.standard_normal(dials.shape) + 1j * draw.standard_normal(dials.shape))
    if at_once:
        every = np.exp(-1j * np.outer(np.arange(6000), speeds))
        return ((dials @ every.T).real.argmax(1) == places).mean()
    shown = np.angle(dials) % (2 * np.pi)
    found = shown[:, -1] / speeds[-1]
    if 2 * np.pi / speeds[-1] > 10_000:  # all positions are in the first half turn: a hand before 12 is noise
        found = np.angle(dials[:, -1]) / speeds[-1]
    for i in range(len(speeds) - 2, -1, -1):
        found = (shown[:, i] + 2 * np.pi * np.round((found * speeds[i] - shown[:, i]) / (2 * np.pi))) / speeds[i]
    return (np.round(found) == places).mean()


def test_many_hands_help_against_noise_and_survive_it_if_all_are_read_at_once():
    score = {(n, way): share_right(np.array(paper(n)), 0.4, way) for n in (4, 8, 256) for way in (False, True)}
    assert abs(score[4, True] - score[4, False]) < 0.1 > score[4, True] - 0.15, "four hands fail either way"
    assert score[256, True] > 0.99 > 0.85 > score[256, False] > score[4, False] + 0.3


def test_dropout_is_noise_that_many_hands_survive_if_all_are_read_at_once():
    draw = np.random.default_rng(5)
    places = draw.integers(1000, 5000, 2000)
    for hands in (4, 16, 256):
        angles = np.outer(places, paper(hands))
        kept = draw.random((2, *angles.shape)) >= 0.1
        dials = (np.cos(angles) * kept[0] + 1j * np.sin(angles) * kept[1]) / 0.9
        found = (dials @ np.exp(-1j * np.outer(np.arange(6000), paper(hands))).T).real.argmax(1)
        one_by_one, at_once = numbers(f"{hands} hands, a tenth dropped: ")
        assert at_once == pytest.approx((found == places).mean(), abs=0.05)
        assert (at_once > one_by_one + 0.05) == (hands > 4)


def test_read_one_by_one_the_last_word_is_hand_0_s():
    """No reading that ends with hand 0 beats the chance that its own noise stays below half a token."""
    for noise in (0.2, 0.3):
        ceiling = math.erf(0.5 / noise / math.sqrt(2))
        for hands in (8, 256):
            one_by_one = share_right(np.array(paper(hands)), noise, at_once=False)
            assert ceiling - 0.08 < one_by_one < ceiling + 0.03
        assert share_right(np.array(paper(256)), noise, at_once=True) > ceiling


def test_to_imitate_a_hand_between_two_others_a_sum_needs_huge_weights():
    places = np.arange(32)
    known = np.concatenate([f(np.outer(places, paper(16))) for f in (np.sin, np.cos)] + [np.ones((32, 1))], 1)

    def size_of_weights(speed):
        tips = np.stack([np.sin(places * speed), np.cos(places * speed)], 1)
        weights = np.linalg.solve(known.T @ known + 1e-9 * np.eye(33), known.T @ tips)
        error = known @ weights - tips
        assert (error**2).sum() < 0.1 * (tips**2).sum(), "with no noise the sum does imitate it"
        return np.linalg.norm(weights)

    assert size_of_weights(0.75) > 1000 > 10 > size_of_weights(1.0)
    assert size_of_weights(0.01) < 10


EIGHT = json.loads((lessons.NOTEBOOKS.parent / "data" / "clock_in_model.json").read_text())


def recorded(name, hand="1 rad"):
    return np.array(EIGHT["share_read"][name][hand])


def test_the_eight_recorded_models_are_those_of_the_page():
    assert EIGHT["seeds"] == list(range(8))
    source = next(cell.source for cell in CELLS if "training.train(" in cell.source)
    live = {name: float(value) for name, value in re.findall(r"(steps|batch_size|learning_rate)=([\d.]+)", source)}
    assert live == {name: EIGHT[name] for name in live} and len(live) == 3 and "seeds=[0]" in source
    rows = {"trained": "all hands turn", "not trained": "not trained", "shuffled": "all hands turn, shuffled"}
    for row, name in rows.items():
        hand_0, _, hand_8 = numbers(rf"(?m)^{row} +hand 0 ")
        assert [hand_0, hand_8] == pytest.approx([recorded(name)[0], recorded(name, "hand 8")[0]], abs=0.1)


def test_the_further_a_count_is_moved_on_the_more_answers_are_lost():
    means = {int(pads): np.mean(right) for pads, right in EIGHT["moved"].items()}
    assert list(means) == [0, 1, 2, 4, 8, 16, 32] and means[0] > 0.99
    assert all(later < earlier + 0.005 for earlier, later in itertools.pairwise(means.values()))
    assert means[1] > 0.97 and 0.88 < means[4] < 0.98 and 0.6 < means[16] < 0.75, "a few, and a third"
    for pads, right in EIGHT["moved"].items():
        apart = [np.mean(EIGHT[name][pads]) for name in ("moved, met", "moved, beyond") if pads in EIGHT[name]]
        assert numbers(rf"counted from +{pads}: ") == pytest.approx(
            [min(right), max(right), means[int(pads)], *apart], abs=6e-3
        )


@pytest.mark.parametrize("pads", ["1", "2", "4", "8", "16"])
def test_answers_are_lost_at_positions_that_training_never_had_and_hardly_at_the_others(pads):
    met, beyond = (np.array(EIGHT[f"moved, {where}"][pads]) for where in ("met", "beyond"))
    assert (met > beyond).all() and met.mean() > 0.96 > 0.9 > beyond.mean()
    past = int(pads) / 29  # of 32 tokens, 29 have one three places before them
    assert (1 - past) * met + past * beyond == pytest.approx(EIGHT["moved"][pads], abs=2e-3)


def test_a_hand_stopped_in_the_finished_model_costs_answers_if_the_model_uses_it():
    """The rival: what a model that was trained without hand 0 does without, every model does without."""
    assert min(EIGHT["right"]["hand 0 stopped"]) > 0.98 > 0.6 > max(EIGHT["stopped"]["hand 0"])
    assert min(EIGHT["stopped"]["hands 8 to 15"]) > 0.99 and recorded("all hands turn", "hand 8").min() > 0.6
    live = {"all hands turn": 1, **{f"{name} stopped": shares[0] for name, shares in EIGHT["stopped"].items()}}
    for name, right in live.items():
        assert numbers(f"trained with all hands, then {name} *: ") == [pytest.approx(right, abs=0.03)]


PARTS = json.loads((lessons.NOTEBOOKS.parent / "data" / "clock_parts.json").read_text())


def test_before_any_training_what_differs_hides_the_clock_by_its_length_alone_and_what_all_texts_share_does_not():
    rows = {int(times): row["1 rad"] for times, row in PARTS["untrained"].items()}
    differs = np.array([row["what differs"] for row in rows.values()])
    assert list(rows) == [0, 1, 2, 5, 10, 20] and (np.diff(differs, axis=0) < 1e-3).all()
    assert differs[-1].max() < 0.4 < 0.97 < min(min(row["what all texts share"]) for row in rows.values())
    shared, differing = np.mean(PARTS["untrained"]["20"]["lengths"], 0)
    assert shared > differing, "what hides nothing is the longer part"
    for times, row in rows.items():
        wanted = [end(row[name]) for name in ("all", "what differs", "what all texts share") for end in (min, max)]
        assert numbers(f"times +{times}: ") == pytest.approx(wanted, abs=6e-3)


def test_the_part_of_one_text_for_all_is_read_as_a_list_and_in_four_directions_the_clock_is():
    found = {name: {what: np.array(row) for what, row in shares.items()} for name, shares in PARTS["trained"].items()}
    nothing, whole, shared, _, one_text, pressed = found.values()
    assert whole["1 rad"] == pytest.approx(recorded("all hands turn"), abs=5e-3)
    assert one_text["1 rad"].min() > 0.8 and one_text["shuffled"].min() > nothing["shuffled"].max() + 0.1
    assert one_text["2.5 rad"].min() > nothing["2.5 rad"].max() + 0.2 and one_text["left out"].max() < 0
    assert pressed["1 rad"].min() > 0.96 and pressed["left out"].min() > 0.5
    assert np.abs(pressed["shuffled"] - nothing["shuffled"]).max() < 0.12
    assert shared["left out"].min() > 0.6 and (shared["shuffled"] > nothing["shuffled"]).all()
    for name, shares in found.items():
        wanted = [end(shares[what]) for what in ("1 rad", "shuffled", "2.5 rad", "left out") for end in (min, max)]
        assert numbers(f"(?m)^{name} +(?=[-0-9])") == pytest.approx(wanted, abs=6e-3)


def test_a_code_before_every_layer_is_easier_to_read_at_the_top_and_answers_no_better():
    once, again = EIGHT["coded"]["once"], EIGHT["coded"]["before every layer"]
    assert max(once["hand 0 at the top"]) < min(again["hand 0 at the top"])
    assert min(once["right at 32"] + again["right at 32"]) > 0.99
    assert abs(np.mean(once["right at 128"]) - np.mean(again["right at 128"])) < 0.03
    assert np.mean(EIGHT["moved"]["0"]) == pytest.approx(np.mean(once["right at 32"]), abs=2e-3)


def test_a_matrix_gives_the_position_from_clean_codes_and_needs_weights_that_magnify_noise():
    place = np.arange(128)
    angles = np.multiply.outer(place, paper(16))
    known = np.concatenate([np.sin(angles), np.cos(angles), np.ones((128, 1))], 1)
    weights = np.linalg.lstsq(known[::2], place[::2], rcond=None)[0]
    assert np.abs(known[1::2] @ weights - place[1::2]).max() < 0.005
    assert numbers("codes, clean +")[0] == 0
    off, length = numbers(r"codes, noise 0\.01 ")
    assert off == pytest.approx(0.01 * length * math.sqrt(2 / math.pi), rel=0.2), "the mean size of a normal error"
    model_off, share = numbers("in the model: ")
    assert model_off == pytest.approx(4, abs=1) and share == pytest.approx(
        numbers(r"(?m)^trained +hand 0 ")[2], abs=0.1
    )


def test_the_caption_of_the_noise_counts_the_positions_that_the_page_draws():
    source = next(cell.source for cell in CELLS if "def share_right" in cell.source)
    drawn = int(re.search(r"\[(\d+)\], generator", source)[1])
    assert f"{drawn:,} random positions" in dials.read_right([0, 0.1], {"4 hands, one by one": [1, 1]}).caption


def test_in_eight_models_the_probe_reads_hand_0_at_its_own_speed_and_nowhere_between():
    own = "all hands turn"
    assert recorded(own).min() > 0.4 > 0.1 > recorded(own, "0.75 rad").max() and recorded(own, "hand 1").min() > 0.35
    assert recorded("hand 0 stopped").max() < 0.05 < 0.4 < recorded("hand 0 stopped", "hand 1").min()
    faster = "all 2.5 times as fast"
    assert (
        recorded(faster).max() < 0.05 < 0.35 < recorded(faster, "2.5 rad").min()
        and recorded(own, "2.5 rad").max() < 0.05
    )
    assert recorded("hands 8 to 15 stopped", "hand 8").min() > 0.6
    assert all(np.abs(recorded("all stopped", hand)).max() < 0.05 for hand in EIGHT["share_read"]["all stopped"])


def test_in_eight_models_nothing_supplies_the_line_of_a_slow_hand_where_only_three_fast_hands_turn():
    assert recorded("hands 3 to 15 stopped", "hand 8").max() < 0.2 and recorded("hands 3 to 15 stopped").min() > 0.35
    assert min(EIGHT["right"]["hands 3 to 15 stopped"]) > 0.97


def test_in_eight_models_the_same_results_cover_more_of_the_clock_the_louder_they_are():
    trained = recorded("all hands turn")
    assert recorded("not trained").min() > 0.95 > trained.max() + 0.2
    assert np.abs(recorded("not trained, 20 times the block") - trained.mean()).max() < 0.2
    assert recorded("a tenth of the block").min() > 0.85


def test_a_list_is_read_alike_in_any_order_and_not_at_places_left_out_and_the_clock_the_other_way_round():
    rows = recorded("random rows")
    assert np.abs(recorded("random rows, shuffled") - rows).max() < 0.15 and rows.min() > 0.15
    assert recorded("random rows, shuffled", "hand 8").mean() > recorded("random rows", "hand 8").mean()
    assert max(recorded("random rows, left out", hand).max() for hand in EIGHT["share_read"]["random rows"]) < 0
    own = recorded("all hands turn")
    assert recorded("all hands turn, shuffled").max() < 0.25 < own.min() - 0.1
    assert recorded("all hands turn, shuffled", "hand 8").max() < 0.25
    assert (recorded("all hands turn, left out") > own - 0.1).all()
    assert recorded("all hands turn, shuffled and left out").max() < 0.05


class Hands(attention.Encoding):
    """Hands of any speeds; 0 stops one."""

    def __init__(self, speeds):
        super().__init__()
        self.speeds = torch.as_tensor(speeds)

    def add(self, x, position_ids):
        angles = position_ids[:, None] * self.speeds
        return x + torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def model_of(speeds):
    return attention.Transformer(16, Hands(speeds), d_model=32)


def share_read(model, speeds, place=None, fit_at=slice(None), test_at=slice(None)):
    draw = torch.Generator().manual_seed(5)
    fit, test = torch.randint(16, (2, 150, 32), generator=draw)
    angles = torch.arange(32)[:, None] * torch.as_tensor(speeds)
    tips = torch.stack([angles.sin(), angles.cos()], -1)
    if place is not None:
        tips = tips[place]
    with torch.no_grad():
        known, new = (model.trace(texts).hidden[1] for texts in (fit, test))
    return probes.share_read(known[:, fit_at], tips[fit_at], new[:, test_at], tips[test_at])


@pytest.fixture(scope="module")
def trained():
    speeds = {"all": paper(16), "no hand 0": [0.0, *paper(16)[1:]], "no slow hands": [*paper(16)[:8], *([0.0] * 8)]}
    speeds["none"] = [0.0] * 16
    return {
        name: training.train(
            lambda own=own: model_of(own),
            tasks.THREE_BACK,
            seeds=(10, 11),
            steps=250,
            batch_size=16,
            learning_rate=0.01,
        )
        for name, own in speeds.items()
    }


@pytest.mark.slow
def test_the_probe_reads_a_fast_hand_because_it_turns_and_a_slow_one_also_if_it_does_not(trained):
    asked = [1.0, 0.75, paper(16)[1], 0.01, 0.001]
    for seed in (10, 11):
        read = {name: share_read(models.model(seed), asked) for name, models in trained.items()}
        assert read["all"][0] > 0.35 and read["all"][1] < 0.15 and read["all"][2] > 0.3
        assert read["no hand 0"][0] < 0.06 < 0.3 < read["no hand 0"][2]
        assert read["no slow hands"][3:].min() > 0.5 and read["all"][3:].min() > 0.5
        assert read["none"].abs().max() < 0.03
    score = {
        name: training.evaluate(models, tasks.THREE_BACK, lengths=[32]).accuracy[:, 0]
        for name, models in trained.items()
    }
    assert min(score[name].min() for name in score if name != "none") > 0.97 and score["none"].max() < 0.2


@pytest.mark.slow
def test_the_untrained_model_holds_the_clock_better_and_shuffled_positions_are_not_read(trained):
    order = torch.randperm(32, generator=torch.Generator().manual_seed(1))
    even, odd = slice(0, None, 2), slice(1, None, 2)
    for seed in (10, 11):
        model = trained["all"].model(seed)
        read = share_read(model, [1.0, 0.01])
        torch.manual_seed(seed)
        assert (share_read(model_of(paper(16)), [1.0, 0.01]) > 0.95).all() and (read < 0.92).all()
        assert (share_read(model, [1.0, 0.01], place=order) < 0.4).all()
        assert (share_read(model, [1.0, 0.01], fit_at=even, test_at=odd) > read - 0.1).all()
        assert (share_read(model, [1.0, 0.01], order, even, odd) < 0.05).all()


@pytest.mark.slow
def test_the_same_results_of_a_block_cover_more_of_the_clock_the_louder_they_are(trained):
    """Only that length is changed: the untrained block made as loud as the trained one, the trained one made quiet."""
    draw = torch.Generator().manual_seed(5)
    texts = torch.randint(16, (300, 32), generator=draw)
    angles = torch.arange(32)[:, None] * torch.tensor([1.0])
    tips = torch.stack([angles.sin(), angles.cos()], -1)

    def share(model, loudness, carried=1):
        with torch.no_grad():
            before, after, _ = model.trace(texts).hidden
        mixed = carried * before + loudness * (after - before)
        return probes.share_read(mixed[:150], tips, mixed[150:]).item(), (after - before).norm(dim=-1).mean()

    def taken_apart(model):
        with torch.no_grad():
            before, after, _ = model.trace(texts).hidden
        shared = (after - before)[150:].mean(0)  # 150 texts know it well enough
        return before, shared, after - before - shared

    for seed in (10, 11):
        torch.manual_seed(seed)
        fresh, learned = model_of(paper(16)), trained["all"].model(seed)
        before, shared, differs = taken_apart(fresh)
        for part, bounds in ((differs, (0.1, 0.5)), (shared, (0.95, 1.01))):
            mixed = before + 20 * part
            assert bounds[0] < probes.share_read(mixed[:150], tips, mixed[150:]).item() < bounds[1]
        before, shared, differs = taken_apart(learned)
        alike = before + shared + differs[0]
        assert probes.share_read(alike[:150], tips, alike[150:]) > 0.75
        assert probes.share_read(alike[:150, ::2], tips[::2], alike[150:, 1::2], tips[1::2]) < 0.2, "a list"
        assert share(learned, 1)[1] > 12 * share(fresh, 1)[1]
        assert share(fresh, 1)[0] > 0.95 and share(fresh, 20)[0] < 0.75
        assert share(learned, 1)[0] < 0.75 and share(learned, 0.1)[0] > 0.85
        assert all(0.25 < share(model, 1, carried=0)[0] < 0.9 for model in (fresh, learned))


@pytest.mark.parametrize("tokens", [16, 32])
def test_sixteen_tokens_leave_room_for_the_clock_and_thirty_two_do_not(tokens):
    draw = torch.Generator().manual_seed(0)
    vectors = torch.randn(tokens, 32, generator=draw)
    angles = torch.arange(32)[:, None] * torch.tensor(paper(16))
    tips = torch.stack([angles.sin(), angles.cos()], -1)
    sums = vectors[torch.randint(tokens, (300, 32), generator=draw)] + tips.flatten(1)
    share = probes.share_read(sums[:150], tips, sums[150:])
    assert (share[0] > 0.999) == (tokens == 16) and share[0] < (1.001 if tokens == 16 else 0.9)


def test_at_three_quarters_of_a_rad_the_probe_that_fails_has_small_weights():
    """The lesson's own model, texts and seed; the noise of the side path, capped and fitted in its presence."""
    made = training.train(
        lambda: attention.Transformer(16, attention.Sinusoid(), d_model=32),
        tasks.THREE_BACK,
        seeds=[0],
        steps=250,
        batch_size=16,
        learning_rate=0.01,
    )
    texts = torch.randint(16, (2, 200, 32), generator=torch.manual_seed(9))[0]
    with torch.no_grad():
        before, after, _ = (stage.numpy() for stage in made.model(0).trace(texts).hidden)
    tips = np.array([[math.sin(0.75 * p), math.cos(0.75 * p)] for p in range(32)])

    def largest(rows):
        columns = np.concatenate([rows, np.ones_like(rows[..., :1])], -1).reshape(-1, 33).astype(float)
        return np.abs(np.linalg.lstsq(columns, np.tile(tips, (len(rows), 1)), rcond=None)[0][:-1]).max()

    assert largest(before) > 1e5 and largest(after) < 1
    clean = np.array([part for hand in paper(16) for part in (hand * np.arange(32),)])
    clean = np.stack([np.sin(clean), np.cos(clean)], -1).transpose(1, 0, 2).reshape(32, 32)
    capped = np.linalg.lstsq(clean, tips, rcond=1e-5)[0]
    assert 2000 < np.linalg.norm(capped) < 2150
    noisy = clean + 0.1 * np.random.default_rng(0).normal(size=(200, 32, 32))
    assert np.square(noisy @ capped - tips).mean() > 1000 and largest(noisy) < 1.5
