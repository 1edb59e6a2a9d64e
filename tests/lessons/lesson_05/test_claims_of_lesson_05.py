"""What lesson 05 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import itertools
import json
import math
import re

import nbformat
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, sweep, tasks, training
from clockwork.kit import train_sweep as grid
from clockwork.kit.datafiles import data_file
from clockwork.kit.widgets.questions import lesson_file

PATHS = lessons.whole(lessons.NOTEBOOKS / "05_learned_vs_fixed.ipynb")
CELLS = [cell for path in PATHS for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
WHY = {name: asked["because"] for name, asked in lesson_file("05").items() if "because" in asked}
FOLDS = {cell.id: cell.source for cell in CELLS if cell.source.startswith("<details>")}
LENGTHS = {"three_back": 32, "who_came_first": 24}
TUNED_ON = 4


numbers = numbers_of(PRINTED)


def scores(task, scheme, scale, rate, steps=None):
    name = "table_std" if scheme in ("learned", "random table") else "gain"
    run = sweep.find(task, scheme, grid="tuning", learning_rate=rate, steps=steps, **{name: scale})
    return run["accuracy"][:, run["lengths"].index(LENGTHS[task])].numpy().astype(float)


def settings(task, scheme, steps=None):
    """Every recorded (scale, learning rate) of a scheme, in the task's usual number of steps or another."""
    configs = [config for config in grid.tuning() if (config.task, config.steps) == (task, steps or sweep.STEPS[task])]
    return [
        (config.table_std if scheme in ("learned", "random table") else config.gain, config.learning_rate)
        for config in configs
        if config.scheme == scheme
    ]


def best(task, scheme, steps=None):
    """The setting that is best on the tuning seeds, of equal ones the first, and the scores of the fresh ones."""
    tried = sorted(settings(task, scheme, steps))
    setting = max(tried, key=lambda at: scores(task, scheme, *at, steps)[:TUNED_ON].mean())
    return setting, scores(task, scheme, *setting, steps)[TUNED_ON:]


def quiet_tokens(task, scheme, std):
    run = sweep.find(task, scheme, std, embedding_std=0.02)
    return run["accuracy"][:, run["lengths"].index(LENGTHS[task])].numpy().astype(float)


def p_value(a, b):
    """By counting sums: a split reaches the gap if its first group's sum is as far from the middle as a's."""
    both = np.concatenate([a, b])
    middle = both.sum() * len(a) / len(both)
    sums = [sum(chosen) for chosen in itertools.combinations(both, len(a))]
    far = abs(np.sum(a) - middle)
    return sum(abs(total - middle) >= far - 1e-6 for total in sums) / math.comb(len(both), len(a))


def holm(p_values):
    """By its definition as a bound: the largest of (m - rank) · p over all p up to this one."""
    ordered = sorted(p_values)
    return [
        max(min(1, (len(ordered) - rank) * ordered[rank]) for rank in range(ordered.index(p) + 1)) for p in p_values
    ]


def test_only_rows_that_a_text_reaches_get_a_gradient():
    torch.manual_seed(0)
    model = attention.Transformer(16, attention.Learned(48, 32, std=0.02), d_model=32)
    tokens, targets = tasks.THREE_BACK.draw(4, 32, generator=torch.Generator().manual_seed(0))
    tasks.loss(model(tokens), targets).backward()
    gradient = model.encoding.table.weight.grad.norm(dim=1)
    assert (gradient[:32] > 0).all() and (gradient[32:] == 0).all()
    assert numbers(r"512 × 768 = ")[0] == 512 * 768


def test_the_untuned_comparison_is_the_surest_that_eight_against_eight_can_be():
    fixed, quiet = scores("three_back", "sinusoid", 1.0, 0.005), scores("three_back", "learned", 0.02, 0.005)
    p = p_value(fixed[TUNED_ON:], quiet[TUNED_ON:])
    assert p == 2 / math.comb(16, 8)
    assert numbers(r"splits, p = ") == [round(p, 4)]
    assert fixed.min() > 0.99 and quiet.max() < 0.6 and np.median(quiet) < 0.2


def test_a_louder_start_or_a_larger_rate_alone_mends_it():
    assert scores("three_back", "learned", 1.0, 0.005).min() > 0.99, "the start alone"
    assert scores("three_back", "learned", 0.02, 0.01).min() > 0.95, "the rate alone"
    assert numbers(r"quiet table at 0\.01 +seeds 0 and 1: ") == pytest.approx([1, 1], abs=0.05)


def test_quieter_tokens_alone_mend_it():
    run = sweep.find("three_back", "learned", 0.02, embedding_std=0.02)
    assert (run["config"]["learning_rate"], run["config"]["steps"]) == (0.005, 400)
    assert quiet_tokens("three_back", "learned", 0.02).min() > 0.99
    assert {config.embedding_std for config in grid.tuning()} == {1.0}, "all that is tuned has tokens drawn at std 1"


@pytest.mark.parametrize(("tokens", "table"), [(0.3, 0.006), (0.1, 0.002), (0.02, 0.0004), (0.02, 0.0)])
def test_smaller_tokens_mend_it_also_where_the_table_is_as_quiet_beside_them_as_before(tokens, table):
    run = sweep.find("three_back", "learned", table, embedding_std=tokens)
    assert (run["config"]["learning_rate"], run["config"]["steps"]) == (0.005, 400)
    assert table <= tokens / 50 == tokens * 0.02, "the ratio of 0.02 to 1 at which the lesson's table fails, or less"
    assert run["accuracy"][:, run["lengths"].index(32)].min() > 0.99


def test_in_four_times_the_steps_no_side_is_ahead_and_no_best_setting_is_at_an_edge():
    steps = 4 * sweep.STEPS["who_came_first"]
    late = {}
    for scheme in ("sinusoid", "learned"):
        tried = settings("who_came_first", scheme, steps)
        (scale, rate), late[scheme] = best("who_came_first", scheme, steps)
        assert len(tried) == 7 and min(tried)[0] < scale < max(tried)[0]
        assert min(at[1] for at in tried) < rate < max(at[1] for at in tried)
        assert numbers(rf"1,000 steps, {scheme} +") == [round(late[scheme].mean(), 2)]
    p = p_value(late["sinusoid"], late["learned"])
    assert numbers(r"sinusoid against learned +p = ") == [round(p, 2)] and p > 0.05
    sooner = best("who_came_first", "sinusoid")[1].mean() - best("who_came_first", "learned")[1].mean()
    assert late["sinusoid"].mean() - late["learned"].mean() < sooner / 3


def test_near_the_ceiling_the_gap_shrinks_and_the_table_still_makes_more_than_twice_the_mistakes():
    for steps, times in ((250, 2.9), (1000, 2.3)):
        wrong = [1 - best("who_came_first", side, steps)[1].mean() for side in ("sinusoid", "learned")]
        assert round(wrong[1] / wrong[0], 1) == times and f"{times} times" in FOLDS["mistakes-f"]
        assert numbers(rf"{steps:,} steps: ") == [*(round(part, 3) for part in wrong), times]


def test_the_index_on_one_number_is_ahead_of_both_sides():
    _, index = best("who_came_first", "index")
    assert len(settings("who_came_first", "index")) == 2, "two learning rates and one scale"
    p = {side: p_value(index, best("who_came_first", side)[1]) for side in ("sinusoid", "learned")}
    assert round(index.mean(), 2) == 0.97 and numbers(r"index ")[0] == 0.97
    assert numbers(r"against the sinusoid +p = ") == [round(p["sinusoid"], 4)]
    assert round(p["sinusoid"], 3) == 0.002 and p["learned"] < 0.001


def test_in_four_times_the_steps_the_index_is_level_with_the_sinusoid_and_the_table():
    assert settings("who_came_first", "index", 1000) == [(1.0, 0.005)], "one setting"
    late = {side: best("who_came_first", side, 1000)[1] for side in ("index", "sinusoid", "learned")}
    assert numbers(r"1,000 steps, index +") == [round(late["index"].mean(), 2)]
    p = p_value(late["sinusoid"], late["index"])
    assert numbers(r"sinusoid against index +p = ") == [round(p, 2)] and round(p, 2) == 0.96
    assert abs(late["index"].mean() - late["sinusoid"].mean()) < 0.002
    assert p_value(late["index"], late["learned"]) > 0.3


def test_the_same_numbers_dealt_out_in_any_order_are_worth_a_guess():
    assert min(numbers(r"0, 1, 2, … +seeds 0 and 1: ")) > 0.9
    assert max(numbers(r"dealt out +seeds 0 and 1: ")) < 0.6


def test_on_who_came_first_the_other_code_that_grows_is_ahead_of_the_sinusoid_too_and_on_3_back_neither_is():
    def right(task, code, gain=1.0):
        run = sweep.find(task, code, grid="naive_codes", gain=gain)
        return run["accuracy"][:, run["lengths"].index(LENGTHS[task])].numpy().astype(float)

    first, back = (
        [right(task, "index_over_length", 31.0), right(task, "index"), right(task, "sinusoid")]
        for task in ("who_came_first", "three_back")
    )
    assert [f"{code.mean():.2f}" for code in (first[0], first[2])] == ["0.97", "0.88"]
    assert p_value(first[0], first[2]) < 0.01
    assert max(back[0].mean(), back[1].mean()) < back[2].mean()


def test_after_four_times_the_steps_only_untrained_random_rows_are_behind():
    found = {
        "random table": scores("who_came_first", "random table", 1.0, 0.005, 1000),
        "learned": scores("who_came_first", "learned", 0.3, 0.005, 1000),
        "sinusoid": scores("who_came_first", "sinusoid", 4.0, 0.005, 1000),
        "trained sinusoid": scores("who_came_first", "trained sinusoid", 4.0, 0.005, 1000),
    }
    means = {scheme: right[TUNED_ON:].mean() for scheme, right in found.items()}
    assert round(means.pop("random table"), 2) == 0.89
    assert [round(min(means.values()), 2), round(max(means.values()), 2)] == [0.96, 0.99]


def test_beside_quiet_tokens_no_side_is_ahead():
    fixed, table = (quiet_tokens("who_came_first", *side) for side in (("sinusoid", None), ("learned", 0.02)))
    told = [round(fixed.mean(), 2), round(table.mean(), 2), round(p_value(fixed, table), 2)]
    assert told == [0.82, 0.84, 0.84]


def test_the_first_map_gave_no_verdict_on_the_seeds_that_judged_the_larger_one():
    fixed, table = (scores("who_came_first", side, 1.0, 0.01)[TUNED_ON:] for side in ("sinusoid", "learned"))
    assert fixed.mean() - table.mean() == pytest.approx(0.09, abs=0.005)
    first = p_value(fixed, table)
    ceiling = p_value(best("three_back", "sinusoid")[1], best("three_back", "learned")[1])
    assert holm([first, ceiling])[0] == pytest.approx(0.097, abs=5e-4)
    untuned = p_value(*(scores("three_back", *at, 0.005)[TUNED_ON:] for at in (("sinusoid", 1.0), ("learned", 0.02))))
    fresh = {
        scheme: best("who_came_first", scheme)[1]
        for scheme in ("sinusoid", "learned", "trained sinusoid", "random table")
    }
    verdict = p_value(fresh["sinusoid"], fresh["learned"])
    pairs = [("sinusoid", "random table"), ("trained sinusoid", "learned")]
    pairs += [("sinusoid", "trained sinusoid"), ("random table", "learned")]
    index = best("who_came_first", "index")[1]
    late = [best("who_came_first", side, 1000)[1] for side in ("sinusoid", "learned")]
    looks = [untuned, ceiling, first, verdict, *(p_value(fresh[a], fresh[b]) for a, b in pairs)]
    looks += [p_value(index, fresh["sinusoid"]), p_value(index, fresh["learned"]), p_value(*late)]
    looks += [p_value(late[0], best("who_came_first", "index", 1000)[1])]
    all_looks = holm(looks)
    assert len(looks) == 12 and max(all_looks[4:6]) < 0.005 and round(all_looks[3], 3) == 0.014


def test_the_two_added_tables_had_fewer_tries():
    tries = {scheme: len(settings("who_came_first", scheme)) for scheme in ("trained sinusoid", "random table")}
    sides = [len(settings("who_came_first", scheme)) for scheme in ("sinusoid", "learned")]
    assert list(tries.values()) == [8, 6] and sides == [24, 24]


@pytest.mark.slow
def test_more_steps_alone_mend_it():
    trained = training.train(
        lambda: attention.Transformer(16, attention.Learned(128, 32, std=0.02), d_model=32),
        tasks.THREE_BACK,
        (1,),
        steps=1000,
        batch_size=16,
        learning_rate=0.005,
    )
    assert training.evaluate(trained, tasks.THREE_BACK, [32], batch_size=64).accuracy.min() > 0.8


@pytest.mark.parametrize("scheme", ["sinusoid", "learned", "trained sinusoid", "random table"])
def test_no_best_setting_of_who_came_first_is_at_the_edge_of_its_scales_unless_louder_was_tried(scheme):
    (scale, _), _ = best("who_came_first", scheme)
    scales = sorted({scale for scale, _ in settings("who_came_first", scheme)})
    assert scales[0] < scale < scales[-1]


def test_up_to_scale_1_the_sinusoid_s_best_was_at_the_edge_and_louder_is_better():
    within = [at for at in settings("who_came_first", "sinusoid") if at[0] <= 1]
    means = {at: scores("who_came_first", "sinusoid", *at)[:TUNED_ON].mean() for at in within}
    assert max(means, key=means.get)[0] == 1
    assert max(means.values()) + 0.03 < max(
        scores("who_came_first", "sinusoid", *at)[:TUNED_ON].mean() for at in settings("who_came_first", "sinusoid")
    )


def test_a_quiet_sinusoid_fails_at_every_rate_on_the_tuning_seeds_and_not_on_all_others():
    found = [scores("three_back", "sinusoid", 0.3, rate) for rate in (0.0025, 0.005, 0.01, 0.02)]
    assert max(seeds[:TUNED_ON].mean() for seeds in found) < 0.2
    assert sorted(np.max(found, axis=0))[-1] == pytest.approx(0.91, abs=0.005)


def test_length_alone_does_not_decide_whether_quiet_tokens_drown():
    found = {}
    for scheme, std in (("sinusoid", None), ("learned", 1.0), ("learned", 0.02)):
        for task in LENGTHS:
            right = quiet_tokens(task, scheme, std)
            said = numbers(rf"{scheme} +{std or ''} +{task} +")
            assert said == pytest.approx([right.min(), right.max(), right.mean()], abs=0.006)
            found[scheme, task, std] = right
    assert math.sqrt(32 / 2) / (0.02 * math.sqrt(32)) == pytest.approx(35.4, abs=0.1)
    assert found["sinusoid", "three_back", None].min() > 0.99, "35 times as long, and heard"
    assert (found["learned", "who_came_first", 1.0] == 0.5).all(), "√2 times longer still, and drowned"


def test_the_verdict_is_that_of_an_independent_count():
    p = {task: p_value(best(task, "sinusoid")[1], best(task, "learned")[1]) for task in LENGTHS}
    for task, corrected in zip(p, holm(list(p.values())), strict=True):
        assert numbers(rf"{task} +p = ") == pytest.approx([p[task], corrected], abs=6e-5)
    assert numbers("on fresh seeds p = ") == [round(p["who_came_first"], 4)]
    assert p["three_back"] > 0.5 and best("three_back", "learned")[1].min() > 0.99, "the ceiling"
    assert p["who_came_first"] * 2 < 0.05
    assert best("who_came_first", "sinusoid")[1].mean() - best("who_came_first", "learned")[1].mean() > 0.08


@pytest.mark.parametrize("scheme", ["sinusoid", "learned"])
def test_winners_do_worse_on_fresh_seeds(scheme):
    setting, fresh = best("who_came_first", scheme)
    assert fresh.mean() < scores("who_came_first", scheme, *setting)[:TUNED_ON].mean()
    tried = np.array([scores("who_came_first", scheme, *at) for at in settings("who_came_first", scheme)])
    falls = []
    for chosen in itertools.combinations(range(12), TUNED_ON):
        winner = tried[tried[:, chosen].mean(1).argmax()]
        falls.append(winner[list(chosen)].mean() > np.delete(winner, chosen).mean())
    assert len(falls) == 495 and 0.65 < np.mean(falls) < 0.8


def test_a_start_as_a_sinusoid_is_better_whether_or_not_the_table_is_trained():
    fresh = {
        scheme: best("who_came_first", scheme)[1]
        for scheme in ("sinusoid", "trained sinusoid", "learned", "random table")
    }
    pairs = [
        ("sinusoid", "trained sinusoid"),
        ("random table", "learned"),
        ("trained sinusoid", "learned"),
        ("sinusoid", "random table"),
    ]
    p = [p_value(fresh[a], fresh[b]) for a, b in pairs]
    corrected = dict(zip(pairs, holm(p), strict=True))
    for (a, b), name in zip(
        pairs,
        ("from a sinusoid", "from random rows", r"as\? trained", r"as\? not trained"),
        strict=True,
    ):
        assert numbers(rf"{name} +p = ") == pytest.approx([p[pairs.index((a, b))], corrected[a, b]], abs=6e-5)
    assert corrected["trained sinusoid", "learned"] < 0.01 and corrected["sinusoid", "random table"] < 0.01
    assert fresh["trained sinusoid"].mean() > fresh["learned"].mean() + 0.1
    assert fresh["sinusoid"].mean() > fresh["random table"].mean() + 0.1


def test_both_gaps_of_the_training_taken_together_hint_that_it_helps():
    def gaps(a, b):
        both = np.concatenate([best("who_came_first", scheme)[1] for scheme in (a, b)])
        return np.array([2 * sum(chosen) - both.sum() for chosen in itertools.combinations(both, 8)]) / 8

    first, second = gaps("trained sinusoid", "sinusoid"), np.sort(gaps("learned", "random table"))
    seen = first[0] + gaps("learned", "random table")[0] - 1e-9
    reached = len(second) - np.searchsorted(second, seen - first) + np.searchsorted(second, -seen - first, "right")
    p = reached.sum() / len(second) ** 2
    assert p == pytest.approx(0.028, abs=5e-4) and f"p = {p:.2f}" in FOLDS["c36f"]
    assert numbers(r"both starts together p = ") == [round(p, 3)]


def test_pairs_of_seeds_are_hardly_alike():
    fixed, table = (scores("who_came_first", side, 1.0, 0.01)[TUNED_ON:] for side in ("sinusoid", "learned"))
    assert np.corrcoef(fixed, table)[0, 1] == pytest.approx(0.08, abs=0.005)
    gaps = fixed - table
    swapped = [abs(np.dot(signs, gaps)) for signs in itertools.product((1, -1), repeat=8)]
    assert np.mean(np.array(swapped) > abs(gaps.sum()) - 1e-6) == pytest.approx(0.070, abs=5e-4)
    assert p_value(fixed, table) == pytest.approx(0.049, abs=5e-4)


def test_on_seeds_that_nothing_had_used_the_sinusoid_stays_ahead_by_less():
    row = re.search(r"seeds 44–51.*?: ([\d. ]+) and ([\d. ]+): ", lessons.NOTEBOOKS.joinpath("SOURCES.md").read_text())
    fixed, table = (np.array(side.split(), dtype=float) for side in row.groups())
    assert len(fixed) == len(table) == 8
    assert [round(fixed.mean(), 2), round(table.mean(), 2), round(p_value(fixed, table), 3)] == [0.92, 0.85, 0.005]


@pytest.mark.slow
def test_a_row_that_was_never_trained_is_no_better_without_its_noise():
    trained = training.train(
        lambda: attention.Transformer(16, attention.Learned(33, 32, std=1.0), d_model=32),
        tasks.THREE_BACK,
        (0, 1),
        steps=400,
        batch_size=16,
        learning_rate=0.005,
    )
    tokens, targets = tasks.THREE_BACK.draw_test(400, 33, generator=torch.Generator().manual_seed(5))
    rows = trained.state["encoding.table.weight"]

    def right(position):
        answers = trained(tokens)[:, :, position].argmax(-1)
        return (answers == targets[:, position]).float().mean(1)

    assert right(31).min() > 0.9 and right(32).max() < 0.15
    for other in (torch.zeros(2, 32), rows[:, :32].mean(1)):
        rows[:, 32] = other
        assert right(32).max() < 0.15


SEEN = json.loads(data_file("positions_seen.json").read_text())


def test_counting_from_anywhere_saves_most_of_what_broke_at_128_tokens():
    anywhere, zero = (np.array(SEEN["count"][f"from {start}"]["128 from 0"]) for start in ("anywhere", "0"))
    assert [f"{found.mean():.2f}" for found in (anywhere, zero)] == ["0.78", "0.33"]
    assert len(anywhere) == SEEN["seeds"] == 12
    assert anywhere.min() > zero.max() + 0.25
    assert anywhere.mean() - zero.mean() > 1 - anywhere.mean(), "the longer text is not most of what broke it"
    at_96, without = (SEEN["count"][f"from {start}"]["32 from 96"] for start in ("anywhere", "0"))
    assert min(at_96) > 0.99 and max(without) < 0.8, "as good as 0"
    for start, said in {"anywhere": "0.65 to 0.93", "0": "0.25 to 0.51"}.items():
        found = SEEN["count"][f"from {start}"]["32 from 300"]
        assert said == f"{min(found):.2f} to {max(found):.2f}"


def test_rows_that_few_texts_reach_are_lost_by_a_quiet_table_and_kept_by_a_loud_one():
    def right(texts, std, position):
        return np.array(SEEN[texts][std]["right"])[:, position - 3]

    early, *late = (right("rare", "0.02", position).mean() for position in (15, 19, 23, 27, 31))
    assert early > 0.99 and late[-1] < 0.15 and sorted(late, reverse=True) == late, "the rarer, the worse"
    assert min(right("rare", "1.0", position).min() for position in range(3, 30)) > 0.9
    assert right("rare", "1.0", 31).mean() < 0.9, "it loses the last"
    moved = np.array(SEEN["rare"]["0.02"]["moved"]).mean(0)
    assert moved[31] < 0.5 * moved[:8].min(), "its late rows have moved least"
    always = np.array(SEEN["always"]["0.02"]["right"]).mean(1)
    assert sorted(always)[0] < 0.3 and sorted(always)[1] > 0.99, "one of twelve fails, and not at the late positions"
    assert SEEN["rows"] == 40


def test_without_a_code_a_model_of_text_has_hardly_more_than_the_last_byte():
    alone, last = numbers("by how often a byte occurs "), numbers("by the last byte ")
    none = sweep.find("next_byte", "none, causal")
    rotary = sweep.find("next_byte", "rotary, causal")
    bits = [run["loss"][:, run["lengths"].index(64)].numpy() / math.log(2) for run in (none, rotary)]
    assert alone[0] - last[0] > 1 and last[0] - bits[0].min() < 0.15, "what is left beside the last byte"
    assert last[0] - bits[1].max() > 0.25, "rotary has more"


def test_past_the_trained_length_the_table_guesses_at_once_and_the_sinusoid_a_little_later():
    for found in ("tuning", "sweep", "naive_codes"):
        run = sweep.find("three_back", "sinusoid", grid=found)
        first, twice = (run["beyond"][:, run["lengths"].index(length)] for length in (33, 64))
        assert twice.max() < 0.45
        assert first.min() > 0.45 and first.max() > 0.95
        if found == "tuning":
            faster = sweep.find("three_back", "sinusoid", grid=found, learning_rate=0.01)
            worst = faster["beyond"][:, faster["lengths"].index(33)].min()
            told = re.findall(r"0\.\d\d", WHY["one-step"])
            assert told == [f"{share:.2f}" for share in (first.mean(), first.min(), first.max(), worst)]
    run = sweep.find("three_back", "learned", 1.0, grid="tuning")
    assert run["beyond"][:, [run["lengths"].index(length) for length in (33, 64)]].max() < 0.15


def test_near_is_not_enough_for_the_first_new_position_and_the_formula_is_not_needed():
    """The rivals: the new code is near, or it comes from a formula. Rows that wander are nearer and fail."""
    found = {name: {key: np.array(row) for key, row in one.items()} for name, one in SEEN["one_step"].items()}
    sinusoid, smooth, wandering = (found[name] for name in ("the_sinusoid", "smooth", "wandering"))
    assert wandering["step"].max() < sinusoid["step"].min(), "nearer, for every seed"
    known = wandering["trained"] > 0.99
    assert known.sum() == 4 and wandering["first new"][known].max() < 0.1, "models that know all trained positions"
    assert wandering["first new"].max() < smooth["first new"].min() < sinusoid["first new"].min()
    assert p_value(smooth["first new"], sinusoid["first new"]) > 0.5
    assert min(one["trained"].min() for one in (sinusoid, smooth)) > 0.99
    for name, one in found.items():
        new = one["first new"]
        told = [one["step"].mean(), new.min(), new.max(), new.mean()]
        step, _, *right = numbers(rf"(?m)^{name} +steps ")
        assert [step, *right] == pytest.approx(told, abs=0.0051)


@pytest.mark.slow
def test_far_from_the_trained_positions_codes_of_the_same_formula_do_not_help():
    trained = training.train(
        lambda: attention.Transformer(16, attention.Sinusoid(), d_model=32),
        tasks.THREE_BACK,
        (0, 1),
        steps=400,
        batch_size=16,
        learning_rate=0.005,
    )
    tokens, targets = tasks.THREE_BACK.draw_test(200, 33, generator=torch.Generator().manual_seed(5))

    def last_answer(position):
        position_ids = torch.cat([torch.arange(32), torch.tensor([position])])
        return (trained(tokens, position_ids)[:, :, -1].argmax(-1) == targets[:, -1]).float().mean().item()

    assert last_answer(32) > 0.4
    assert max(last_answer(position) for position in (100, 200, 1000)) < 0.25


def test_whisper_s_encoder_is_the_formula_and_its_decoder_has_two_scars():
    tables = {
        name: table.astype(float) for name, table in load_file(data_file("whisper_position_tables.safetensors")).items()
    }
    encoder, decoder = tables["encoder"], tables["decoder"]
    speeds = 10_000 ** (-np.arange(192) / 191)
    angles = np.multiply.outer(np.arange(128), speeds)
    assert np.abs(encoder - np.concatenate([np.sin(angles), np.cos(angles)], 1)).max() < 3e-4
    units = decoder / np.linalg.norm(decoder, axis=1, keepdims=True)
    alike = (units[1:] * units[:-1]).sum(1)
    order = np.argsort(alike)
    assert set(order[:3]) == {0, 223, 224} and decoder.shape == (448, 384)
    assert alike[order[:3]].max() < 0.35 < 0.8 < np.median(alike)
    assert (np.delete(alike, [*range(3), *range(218, 228)]) > 0.75).all(), "nowhere else"
    assert np.median((units[50:] * units[:-50]).sum(1)) == pytest.approx(0.34, abs=0.005)
    flat = [encoder[p] @ encoder[p + 1] / (encoder[p] @ encoder[p]) for p in range(127)]
    assert np.ptp(flat) < 1e-3, "the formula treats every position alike"


def test_three_seeds_a_side_can_never_say_less_than_a_tenth():
    for n, least in ((3, 0.1), (4, 0.0286), (5, 0.0079), (8, 0.0002)):
        assert numbers(rf"{n} seeds per side, as far apart as can be: p = ") == [least]
        assert round(2 / math.comb(2 * n, n), 4) == least


def test_a_table_is_a_large_share_of_a_small_model_and_a_small_one_of_a_large_model():
    table = 128 * 32
    layer = 12 * 32 * 32 + 13 * 32  # 4 d² for attention and 8 d² for the MLP; their biases, and two normalizations
    model = 2 * layer + 2 * 16 * 32 + 16 + 2 * 32 + table  # symbols in and out, and the last normalization
    assert f"our model: {table:,} of {model:,} numbers, {100 * table / model:.0f}%" in PRINTED
    assert f"BERT base: {512 * 768:,} of 110 million, {100 * 512 * 768 / 110e6:.1f}%" in PRINTED
