"""The recorded readings of models that are learning: one is trained again, and a naive probe reads it."""

import math

import numpy as np
import pytest
import torch

from clockwork.kit import datafiles, tasks, three_back, training
from clockwork.lessons.lesson_03 import look_inside

RECORDED = datafiles.read("clock_while_training.json")
FRAMES = {frame["steps"]: frame for frame in RECORDED["frames"]}


def of_all(name):
    """Return one measure of every frame and seed, (frames, 8)."""
    return np.array([frame[name] for frame in RECORDED["frames"]])


def naive_share(known, wanted, new, wanted_new):
    """Return the share of the variance of `wanted_new` that a least-squares fit on `known` finds in `new`."""
    known, new = (np.concatenate([part, np.ones((len(part), 1))], 1) for part in (known, new))
    fitted = np.linalg.lstsq(known, wanted, rcond=None)[0]
    rest = wanted_new - new @ fitted
    return 1 - (rest**2).sum() / ((wanted_new - wanted_new.mean(0)) ** 2).sum()


@pytest.mark.parametrize("steps", [0, 60])
def test_a_model_that_is_trained_again_reads_as_recorded(steps):
    trained = training.train(
        lambda: three_back.made(lambda: look_inside.hands(look_inside.PAPER)),
        tasks.THREE_BACK,
        [0],
        steps=steps,
        batch_size=RECORDED["batch_size"],
        learning_rate=RECORDED["learning_rate"],
    )
    texts = torch.randint(16, (2, 200, 32), generator=torch.manual_seed(5))
    with torch.no_grad():
        known, new = (trained.model(0).trace(part).hidden[1].flatten(0, 1).double().numpy() for part in texts)
    for told, speed in (("1 rad", 1.0), ("0.75 rad", 0.75)):
        angles = np.tile(np.arange(32) * speed, 200)
        tips = np.stack([np.sin(angles), np.cos(angles)], 1)
        assert naive_share(known, tips, new, tips) == pytest.approx(FRAMES[steps][told][0], abs=0.08)


@pytest.mark.parametrize("times", [1, 20])
def test_the_untrained_block_taken_apart_reads_as_recorded(times):
    torch.manual_seed(0)
    model = three_back.made(lambda: look_inside.hands(look_inside.PAPER))
    texts = torch.randint(16, (2, 300, 32), generator=torch.manual_seed(5))
    with torch.no_grad():
        (known, known_after), (new, new_after) = (
            [part.double().numpy() for part in model.trace(x).hidden[:2]] for x in texts
        )
    shared = (known_after - known).mean(0)
    parts = {
        "what all texts share": (shared, shared),
        "what differs": (known_after - known - shared, new_after - new - shared),
    }
    parts["all"] = known_after - known, new_after - new
    tips = np.tile([[math.sin(p), math.cos(p)] for p in range(32)], (300, 1))
    row = datafiles.read("clock_parts.json")["untrained"][str(times)]
    for name, (at_known, at_new) in parts.items():
        heard = [(x + times * part).reshape(-1, 32) for x, part in ((known, at_known), (new, at_new))]
        assert naive_share(heard[0], tips, heard[1], tips) == pytest.approx(row["1 rad"][name][0], abs=0.06), name


def test_every_frame_has_all_seeds_and_the_kept_combs_have_the_hands_of_the_code():
    assert RECORDED["seeds"] == list(range(8)) and list(FRAMES) == list(range(0, RECORDED["steps"] + 1, 10))
    speeds = np.array(RECORDED["speeds"])
    for hand in range(8):
        assert np.abs(speeds - 10_000 ** (-hand / 16)).min() < 1e-3
    for frame in FRAMES.values():
        assert np.shape(frame["share_read"]) == (3, len(speeds))
        at_hand_0 = np.array(frame["share_read"])[:, np.abs(speeds - 1).argmin()]
        assert at_hand_0 == pytest.approx(frame["1 rad"][:3], abs=0.01)


def test_while_a_model_learns_the_clock_is_covered_and_the_answers_become_right():
    read, right = of_all("1 rad"), of_all("right")
    assert read[0].min() > 0.95 > 0.75 > read[-1].max(), "clear before training, covered after it"
    assert right[0].max() < 0.2 and right[-1].min() > 0.99


def test_the_clock_is_covered_as_the_part_of_the_block_s_results_grows_that_the_words_decide():
    """Early in training the block adds as much as later, mostly one constant vector, and the clock stays clear."""
    read, added, by_words = of_all("1 rad"), of_all("length added"), of_all("length by words")
    early, later = (list(FRAMES).index(steps) for steps in (30, 110))
    assert abs(added[early, 0] - added[later, 0]) < 3 and read[early, 0] > read[later, 0] + 0.15
    assert (by_words[later] > 2 * by_words[early]).all()
    assert by_words[0].max() < 1.1 and by_words[-1].min() > 25


def test_without_the_part_that_differs_the_clock_is_clear_at_every_step_and_without_the_other_it_stays_covered():
    read = of_all("1 rad")
    assert of_all("1 rad, without what differs").min() > 0.96 > 0.7 > read[-1].max()
    assert of_all("1 rad, without the mean")[-1].max() < 0.7
    assert of_all("1 rad, with another text's")[-1].max() < 0.7, "it covers whatever text it is from"


def test_at_equal_length_what_differs_covers_the_clock_and_what_all_texts_share_does_not():
    """The first is what all texts share, as long as all that the block adds; the second what differs, as long as it."""
    shared, differs = of_all("1 rad, the mean as long as all"), of_all("1 rad, what differs as long as the mean")
    assert shared.min() > 0.95
    assert (differs[3] < of_all("1 rad, without what differs")[3] - 0.1).all(), "step 30: both ten long"
    assert (differs[-1] > of_all("1 rad, without the mean")[-1] + 0.1).all(), "shorter noise covers less"


def test_at_the_input_the_probe_reads_a_hand_that_the_code_does_not_have():
    assert of_all("0.75 rad, at the input").min() > 0.95
