"""What lesson 15 says in its sentences, from the record and from arithmetic of its own."""

import math

import numpy as np
import pytest
import torch

from clockwork.kit import attention, tasks
from clockwork.lessons.lesson_15 import measure, pictures, readers, views


def test_ninety_five_of_128_hands_turn_by_less_than_a_tenth_of_a_radian():
    speeds = [10_000 ** (-2 * i / 256) for i in range(128)]
    assert sum(speed < 0.0999999 for speed in speeds) == 95 == views.Reach(span=1).counts()[0]


def test_a_base_makes_no_hand_turn_further_than_the_range_and_a_smaller_one_makes_the_slow_ones_faster():
    slowest = [views.Reach(span=5, base=base).turned().min() for base in sorted(views.reach.BASES)]
    assert slowest == sorted(slowest, reverse=True)
    for base in views.reach.BASES:
        assert views.Reach(span=5, base=base).turned().max() == pytest.approx(5)


def test_fine_detail_of_t_is_learned_by_the_range_alone():
    error = readers.error
    assert error("timestep", "1 waves, 0 to 1") < 0.05 < 0.5 < error("timestep", "8 waves, 0 to 1")
    for way in ("0 to 1", "0 to 1, four times", "0 to 1, base 100", "0 to 1, base 1000000"):
        assert error("timestep", f"32 waves, {way}") > 0.6
    longer = {waves: readers.recorded("timestep")[f"{waves} waves, 0 to 1, 16 times"].values() for waves in (8, 32)}
    assert min(min(seeds) for seeds in longer[8]) < 0.3, "with 16 times the steps some networks learn 8 waves"
    assert min(min(seeds) for seeds in longer[32]) > 0.6, "and none 32"
    for waves in measure.WAVES:
        assert error("timestep", f"{waves} waves, 0 to 100") < 0.05
        assert error("timestep", f"{waves} waves, 0 to 100000") > 0.4
    for waves, least in ((1, 0.1), (8, 0.6), (32, 0.6)):
        assert error("timestep/controls", f"{waves} waves, 0 to 100, no hands") > least
        assert error("timestep/controls", f"{waves} waves, 0 to 1000, 1024 points") < 0.02
    wavelengths = [2 * math.pi * 10_000 ** (i / 16) for i in range(16)]
    assert sum(length > 100_000 / 256 for length in wavelengths) == measure.slow(100_000) / 2 == 8
    for waves, times in ((8, 5), (32, 2)):
        slow, every = (error("timestep", f"{waves} waves, 0 to 100000{way}") for way in (", slow hands", ""))
        assert slow < every / times


def test_a_denoiser_needs_t_and_hardly_minds_its_range():
    for size in ("2 numbers", "16 numbers"):
        without, narrow, wide = (readers.error(f"denoiser/{size}", way) for way in ("without t", "0 to 1", "0 to 1000"))
        assert without - wide > 3 * (narrow - wide)


def test_each_denoiser_of_16_numbers_is_worse_without_the_factor_1000_and_those_of_2_are_not():
    for size, apart in ((16, True), (2, False)):
        runs = readers.recorded(f"denoiser/{size} numbers")
        narrow, wide = (min(runs[way].values(), key=sum) for way in ("0 to 1", "0 to 1000"))
        assert (min(narrow) > max(wide)) == apart


def test_the_best_answer_of_the_denoiser_is_the_mean_over_what_was_drawn():
    points = torch.tensor([[0.0], [2.0]])
    draw = torch.Generator().manual_seed(0)
    t, x, way = measure.noised(points, 400_000, draw)
    near = (t - 0.5).abs() < 0.02
    for place in (0.3, 1.0, 1.7):
        here = near & ((x[..., 0] - place).abs() < 0.02)
        wanted = measure.best(points, torch.tensor(0.5), torch.tensor([place]))
        assert way[here].mean().item() == pytest.approx(wanted.item(), abs=0.1)


def test_with_pi_both_ends_have_one_code_and_half_the_range_mends_it():
    ends = torch.tensor([-1.0, 1.0], dtype=torch.float64)
    with_pi, without = (measure.octaves(ends, 5, pi=pi) for pi in (True, False))
    assert (with_pi[0] - with_pi[1]).norm() < 1e-5 < 0.5 < (without[0] - without[1]).norm()
    assert readers.error("coordinate", "with pi", "ends") > 4 * readers.error("coordinate", "without pi", "ends")
    for way in ("with pi, half the range", "with pi, and x itself"):
        assert readers.error("coordinate", way, "ends") < readers.error("coordinate", "with pi", "ends") / 4
    narrow, wide = (readers.error("coordinate", way, "ends") for way in ("with pi", "without pi, pi times the range"))
    assert narrow == pytest.approx(wide, rel=0.2)


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.3, views.ends.PI])
def test_the_picture_of_the_ends_says_how_far_apart_two_codes_are(factor):
    ends = torch.tensor([-1.0, 1.0], dtype=torch.float64)
    exact = math.pi if factor == views.ends.PI else factor
    codes = torch.stack([f(exact * 2**k * ends) for k in range(5) for f in (torch.sin, torch.cos)], -1)
    apart = (codes[0] - codes[1]).norm().item()
    assert views.Ends(factor=factor).apart() == pytest.approx(apart, abs=1e-9)
    beside = torch.cat([codes, ends[:, None]], -1)
    itself = views.Ends(factor=factor, reads=views.ends.ITSELF).apart()
    assert itself == pytest.approx((beside[0] - beside[1]).norm().item(), abs=1e-9) and itself >= 2
    assert (apart < 1e-9) == (factor == views.ends.PI)


def test_five_octaves_draw_the_signal_best():
    errors = {count: readers.error("octaves", str(count)) for count in (1, 3, 5, 7, 10)}
    assert min(errors, key=errors.get) == 5 and errors[10] > 2 * errors[5]
    assert readers.error("octaves", "10, four times the points") < errors[5]


@pytest.mark.parametrize("span", [1, 10, 100, 1000])
@pytest.mark.parametrize("waves", [1, 8, 32])
def test_a_wave_is_learned_where_the_fastest_hand_turns_by_a_radian_within_it_and_half_a_turn_between_points(
    waves, span
):
    within, between = span / waves, span / 256  # rad
    error = readers.error("timestep", f"{waves} waves, 0 to {span}")
    if within < 1:
        assert within < 0.32 and error > 0.69
    elif between < math.pi:
        assert error < 0.05
    else:
        denser = readers.error("timestep/controls", f"{waves} waves, 0 to {span}, 1024 points")
        assert span / 1024 < math.pi and denser < 0.02 and denser < error


def test_there_is_no_sharp_border_between_a_quarter_of_a_radian_and_two_within_a_wave():
    assert measure.WITHIN == (0.25, 0.5, 1, 2)
    found = {
        n: [readers.error("timestep/border", f"{n} waves, {rad} rad") for rad in measure.WITHIN] for n in (1, 8, 32)
    }
    for waves, errors in found.items():
        assert errors[0] > errors[2] > errors[3] and errors[3] < 0.11
        assert (errors[0] > 0.6 and errors[2] < 0.2) if waves > 1 else max(errors) < 0.1
        longer = readers.error("timestep/border", f"{waves} waves, 0.5 rad, four times")
        assert longer == pytest.approx(errors[2], abs=0.02), "half a radian then does what a radian did"
    for rate, twin in readers.by_rate("timestep", "1 waves, 0 to 1").items():
        assert readers.by_rate("timestep/border", "1 waves, 1 rad")[rate] == pytest.approx(twin, abs=0.002), "one run"


def test_a_hand_of_24_hours_predicts_and_one_of_23_9_does_not():
    for when in ("recorded days", "days after"):
        assert readers.error("hours", "24 h alone", when) < 0.05
    for way in ("as for words", "as for words, and 24 h", "23.9 h and its parts", "25 h and its parts"):
        assert readers.error("hours", way, "days after") > 0.15
    flat = measure.rhythm(torch.arange(0, 24, 0.01)).std(correction=0)
    words, both = (readers.error("hours", f"as for words{way}", "days after") for way in ("", ", and 24 h"))
    assert words > both + 0.2 > flat + 0.2, "a right hand among wrong ones: better, and still worse than a flat line"
    for way in ("24 h, and hands that came round", "24 h, and hands that did not"):
        assert readers.error("hours", way, "days after") > 5 * readers.error("hours", "24 h alone", "days after")
    assert readers.error("hours", "24 h and its parts", "days after") < 0.05
    errors = views.Daily(period=24).errors
    assert errors[:, 1].argmin() == errors[:, 0].argmin() == measure.PERIODS.index(24)


def test_the_line_that_the_daily_picture_draws_is_as_far_off_as_the_errors_beside_it():
    days = torch.linspace(0, measure.SHOWN, measure.GRID, dtype=torch.float64)
    truth = [measure.rhythm(start + days).numpy() for start in measure.DRAWN.values()]
    shown = views.Daily()
    off = np.sqrt(((shown.drawn - truth) ** 2).mean(-1))
    assert (off < 2 * shown.errors + 0.02).all() and (off > shown.errors / 3 - 0.02).all()


def test_at_the_highest_rate_a_time_from_0_to_1_brings_the_denoiser_about_four_fifths_of_the_gain():
    for size in (2, 16):
        rates = [readers.by_rate(f"denoiser/{size} numbers", way) for way in ("without t", "0 to 1", "0 to 1000")]
        without, narrow, wide = (found[max(found)] for found in rates)
        assert all(min(found, key=found.get) == max(found) for found in rates)
        assert 0.75 < (without - narrow) / (without - wide) < 0.87


def test_a_smaller_base_helps_a_slow_wave_where_the_rate_is_low():
    narrow, small = (readers.by_rate("timestep", f"1 waves, 0 to 1{base}")[0.003] for base in ("", ", base 100"))
    assert small < narrow / 5


def test_what_is_drawn_of_32_waves_is_a_flat_line_from_0_to_1_and_the_waves_from_0_to_100():
    waves = np.sin(64 * np.pi * np.linspace(0, 1, 1001))
    flat, drawn = (np.array(readers.recorded("timestep/controls")[f"32 waves, 0 to {n}, drawn"]) for n in (1, 100))
    assert np.abs(flat).max() < 0.3 and np.abs(drawn - waves).mean() < 0.05


def test_an_own_mark_alone_says_two_diagonals_of_three():
    """By counting every way to fill the eleven longest diagonals, each weighted by its places."""
    right = asked = 0.0
    for offset in range(-5, 6):
        length = 10 - abs(offset)
        for marks in range(length + 1):
            ways = math.comb(length, marks) / 2**length
            if 2 * marks != length:
                asked += ways * length
                right += ways * max(marks, length - marks)
    assert pictures.guessed_nearby(0) == pytest.approx(right / asked, abs=0.01)
    assert pictures.guessed_nearby(9) == 1.0
    axial = readers.better("boards/diagonal, axial")["right"]["as trained"]
    assert pictures.guessed_nearby(0) < min(axial)


@pytest.mark.parametrize("axes", pictures.AXES)
def test_places_turn_scores_by_offsets_along_their_axes_alone(axes):
    q, k = torch.randn(2, 1, 32, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    encoding = pictures.Places(axes)
    turned = [encoding.turn(x.expand(36, 32), torch.arange(36)).unflatten(0, (6, 6)) for x in (q, k)]
    scores = torch.einsum("abd,ced->abce", *turned)
    torch.testing.assert_close(scores[:-1, :-1, :-1, :-1], scores[1:, 1:, 1:, 1:], rtol=0, atol=1e-5)
    corner = scores[0, 0]
    additive = corner[0, 0] + corner[1, 1] - corner[0, 1] - corner[1, 0]
    assert (additive.abs() < 1e-5) == (axes == "axial")


def test_the_mixed_axes_are_rows_columns_and_both_diagonals():
    where = pictures.places(5, "mixed").unflatten(0, (5, 5))
    for row, column in ((0, 0), (1, 4), (4, 2)):
        assert where[row, column].tolist() == [row, column, column + row, column - row]


def test_the_tasks_ask_what_they_say():
    draw = torch.Generator().manual_seed(0)
    picture, target = pictures.half_left(2, 36, generator=draw)
    picture, target = picture.unflatten(1, (6, 6)), target.unflatten(1, (6, 6))
    assert (target[..., :3] == tasks.NO_ANSWER).all()
    assert target[1, 2, 5] == picture[1, 2, 2]
    board, target = pictures.along_diagonal(4, 100, generator=draw)
    board, target = board.unflatten(1, (10, 10)).numpy(), target.unflatten(1, (10, 10))
    for row, column in ((0, 0), (2, 4), (9, 4), (0, 8)):
        for one, wanted in zip(board, target, strict=True):
            votes = 2 * np.diagonal(one, column - row).sum() - len(np.diagonal(one, column - row))
            asked = votes != 0 and abs(column - row) <= 5
            assert wanted[row, column] == (int(votes > 0) if asked else tasks.NO_ANSWER)


def test_counted_on_it_is_not_new_offsets_that_lose_answers_but_those_where_fast_hands_have_come_round():
    fastest, second = (100.0 ** (-pair / 4) for pair in (0, 1))  # four hands an axis, base 100
    assert math.cos(19 * fastest) > 0.98 and math.cos(19 * second) > 0.96, "back, nearly"
    assert min(math.cos(k * fastest) + math.cos(k * second) for k in (14, 15, 16, 17, 18)) < 0
    assert max(math.cos(k * fastest) + math.cos(k * second) for k in range(3, 19)) < 1.9
    share = readers.share
    trained, larger = (share("pictures/three_left", f"{side} counted on") for side in (14, 20))
    assert share("pictures/three_left", "18 counted on") > trained - 0.01, "offsets up to 17 are new, too"
    assert share("pictures/three_left", "20 counted on, rounds hidden") > trained - 0.01 > larger + 0.05
    assert share("pictures/three_left", "20 counted on, as many others hidden as rounds") < larger + 0.01


def test_larger_pictures_count_on_or_are_squeezed_as_the_task_is_measured():
    share = readers.share
    assert share("pictures/three_left", "20 counted on") > 0.8 > 0.2 > share("pictures/three_left", "20 squeezed")
    assert share("pictures/half_left", "20 squeezed") > 0.7 > 0.2 > share("pictures/half_left", "20 counted on")
    for task in ("three", "half"):
        assert share(f"pictures/{task}_left", "14, squeezed as 20") < 0.2


def test_diagonals_need_hands_along_them():
    axial, mixed = (readers.better(f"boards/diagonal, {axes}")["right"]["as trained"] for axes in pictures.AXES)
    assert min(mixed) > max(axial) + 0.1
    longer = readers.better("boards/diagonal, axial, four times")["right"]["as trained"]
    assert min(mixed) > max(longer)
    assert readers.share("boards/row, axial") > 0.95 and readers.share("boards/row, mixed") > 0.95


def test_the_recorded_networks_are_learned_as_written():
    """One recorded error is computed anew, by plain torch layers that start from the same weights."""
    x = 2 * torch.rand(readers.SEEDS, 128, generator=torch.Generator().manual_seed(1), dtype=torch.float64) - 1
    start = readers.Readers(10)
    seed = 3
    layers = [torch.nn.Linear(*size) for size in ((10, 64), (64, 64), (64, 1))]
    for layer, weight in zip(layers, start.weights, strict=True):
        layer.weight.data = weight[seed].T.clone()
        layer.bias.data.zero_()
    plain = torch.nn.Sequential(layers[0], torch.nn.SiLU(), layers[1], torch.nn.SiLU(), layers[2])
    inputs = measure.octaves(x, 5, pi=False)
    torch.testing.assert_close(plain(inputs[seed]), start(inputs)[seed])
    learned = readers.learn(lambda: (inputs, measure.signal(x)[..., None].float()), steps=3, learning_rate=0.01)
    optimizer = torch.optim.AdamW(plain.parameters(), lr=0.01)
    for step in range(3):
        optimizer.param_groups[0]["lr"] = 0.01 * (1 + math.cos(math.pi * step / 3)) / 2
        loss = (plain(inputs[seed])[:, 0] - measure.signal(x[seed]).float()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.testing.assert_close(learned(inputs)[seed], plain(inputs[seed]).detach(), rtol=1e-3, atol=1e-4)


def test_the_model_of_the_pictures_has_one_layer_of_two_heads():
    model = pictures.model(16, "axial")
    assert isinstance(model, attention.Transformer)
    assert len(model.blocks) == 1 and model.blocks[0].num_heads == 2


def test_a_wave_slower_than_every_hand_is_mended_by_one_slow_hand_and_not_by_another_fast_one():
    ways = [f"1 waves, 0 to 100000, slow hands{more}" for more in ("", " and 200000", " and 5000")]
    slow, mended, other = (readers.error("timestep", way) for way in ways)
    assert mended < 0.15 < 0.4 < min(slow, other)


def test_at_20_columns_the_lost_answers_come_back_if_new_offsets_or_near_neighbours_are_hidden():
    for task, way, keys in (("three_left", "counted on", "new offsets"), ("half_left", "squeezed", "neighbours")):
        share = [
            readers.share(f"pictures/{task}", f"{at} {way}{more}")
            for at, more in (
                ("14", f", {keys} hidden"),
                ("20", f", {keys} hidden"),
                ("20", f", as many others hidden as {keys}"),
                ("20", ""),
            )
        ]
        assert share[1] > share[0] - 0.02 and share[1] > share[2] + 0.05 and share[2] < share[3] + 0.05


def test_what_is_hidden_is_what_its_name_says_and_the_right_key_never_is():
    for draw, side, scale, columns in ((pictures.three_left, 20, 1.0, 3), (pictures.half_left, 20, 0.7, 10)):
        seen = pictures.hidden(draw, side, scale)
        query = 10 * side + 15
        assert all(visible[query, query - columns] for visible in seen.values())
        gone = [key for key in range(side**2) if not seen["neighbours hidden"][query, key]]
        near = {query - columns + row * side + column for row in (-1, 0, 1) for column in (-1, 0, 1)}
        assert set(gone) == near - {query - columns}
        for key in range(side**2):
            far = max(abs(key // side - 10), abs(key % side - 15)) * scale > 13 + 1e-9
            assert seen["new offsets hidden"][query, key] != far
        for name in ("new offsets", "neighbours"):
            one, other = seen[f"{name} hidden"], seen[f"as many others hidden as {name}"]
            assert (one.sum(-1) == other.sum(-1)).all() and (one | other)[query].all()
