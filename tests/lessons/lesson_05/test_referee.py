"""The referee's game: what a coin buys is the record's next seed, and p counts the splits of what was bought."""

import itertools

import numpy as np
import pytest
from traitlets import TraitError

from clockwork.kit import sweep
from clockwork.lessons.lesson_05 import views

RATES = (0.0025, 0.005, 0.01, 0.02)
SINUSOID = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0)
TABLE = (0.02, 0.1, 0.3, 1.0, 2.0, 4.0)


def recorded(side, scale, rate):
    name = "gain" if side in ("sinusoid", "index") else "table_std"
    run = sweep.find("who_came_first", side, grid="tuning", learning_rate=rate, **{name: scale})
    return run["accuracy"][:, run["lengths"].index(24)].numpy().astype(float)


def tile(side, scale, rate):
    scales = SINUSOID if side == "sinusoid" else TABLE
    return 24 * (side == "learned") + 4 * scales.index(scale) + RATES.index(rate)


def share_of_splits(a, b):
    both = np.concatenate([a, b])
    gaps = []
    for chosen in itertools.combinations(range(len(both)), len(a)):
        rest = [i for i in range(len(both)) if i not in chosen]
        gaps.append(abs(both[list(chosen)].mean() - both[rest].mean()))
    return np.mean(np.array(gaps) >= gaps[0] - 1e-6)


@pytest.mark.parametrize(("side", "scale", "rate"), [("sinusoid", 8.0, 0.0025), ("learned", 0.3, 0.02)])
def test_a_coin_buys_the_next_seed_of_its_tile(side, scale, rate):
    place = tile(side, scale, rate)
    shown = views.Referee(bought=[place] * 3).numbers()["means"]
    assert shown[place] == pytest.approx(recorded(side, scale, rate)[:3].mean(), abs=1e-4)
    assert (np.delete(shown, place) == -1).all(), "all others lie face down"


def test_each_side_enters_with_its_brightest_tile_and_p_counts_the_splits_of_its_runs():
    bright, dim = tile("sinusoid", 2.0, 0.01), tile("sinusoid", 0.1, 0.01)
    game = views.Referee(bought=[dim, bright, bright, bright] + [tile("learned", 1.0, 0.005)] * 4)
    a, b = recorded("sinusoid", 2.0, 0.01)[:3], recorded("learned", 1.0, 0.005)[:4]
    shown = game.numbers()
    assert shown["compared"] == pytest.approx([a.mean(), b.mean()], abs=1e-4)
    assert shown["p"] == pytest.approx([share_of_splits(a, b)])
    assert game.describe().startswith("32 runs left: sinusoid")


def test_turned_over_the_best_tiles_of_four_seeds_meet_the_index_on_eight_others():
    shown = views.Referee(opened=True).numbers()
    sides = {"sinusoid": SINUSOID, "learned": TABLE}
    every = {side: {(s, r): recorded(side, s, r) for s in scales for r in RATES} for side, scales in sides.items()}
    means = [own[:4].mean() for tiles in every.values() for own in tiles.values()]
    assert shown["means"] == pytest.approx(means, abs=1e-4)
    best = [max(tiles.values(), key=lambda own: own[:4].mean())[4:] for tiles in every.values()]
    index = max((recorded("index", 1.0, rate) for rate in (0.005, 0.01)), key=lambda own: own[:4].mean())[4:]
    assert shown["compared"] == pytest.approx([own.mean() for own in (*best, index)], abs=1e-4)
    assert shown["p"] == pytest.approx([share_of_splits(*best)])


def test_the_turned_picture_does_not_name_the_third_contestant():
    told = views.Referee(opened=True).describe()
    assert "uninvited 0.97 in 8 runs" in told and "index" not in told


@pytest.mark.parametrize("bought", [[48], [-1], [3] * 5, [place % 40 for place in range(41)]])
def test_what_no_coin_can_buy_is_refused(bought):
    with pytest.raises(TraitError, match="bought must name at most 40 runs"):
        views.Referee(bought=bought)
