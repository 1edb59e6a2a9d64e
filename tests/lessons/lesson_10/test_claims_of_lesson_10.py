"""What lesson 10 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import dataclasses
import functools
import json
import math
import re
from collections import Counter

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.lesson_10.sound_encodings import SOUND
from tests.lessons.lesson_10.strangers_faults import ROUNDS, STRANGERS
from tests.lessons.lesson_10.verdicts import recorded
from tests.lessons.printed import numbers_of
from tools import lessons, ties

from clockwork.kit import tasks, training
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_10 import encoding_tests, faulty_encodings, figures, train_faults
from clockwork.lessons.lesson_10.faulty_encodings import FAULTS, Sound, SoundRotary
from clockwork.lessons.lesson_10.strangers import ASKED, ESCAPED
from clockwork.lessons.lesson_10.views.wall import GUESSES
from pe_helpers import sinusoidal

pytestmark = pytest.mark.usefixtures("unchecked")  # encodings are examined as a reader's are

CELLS = [
    cell
    for path in lessons.whole(lessons.NOTEBOOKS / "10_spot_the_bug.ipynb")
    for cell in nbformat.read(path, as_version=4).cells
]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
numbers = numbers_of(PRINTED)
TEXT = "\n".join(cell.source for cell in CELLS)
RECORD = json.loads(data_file("faults.json").read_text("utf-8"))
RUNS = RECORD["runs"]
AWAKE = [name for name, run in RUNS.items() if not run["asleep"]]
LOW = {"BatchAxis", "Forgotten", "InvertedLayers", "Normalized", "TokensTwice"}
FLAGGED = {"BatchAxis", "Forgotten", "Normalized"}
FIRST = [test.__name__ for test in encoding_tests.FIRST]
ALL = list(encoding_tests.PROPERTIES)
NOW = [  # the threads of the lesson's table: who has the fault, and the test that it names
    ("PairedInside", "pairs"),
    ("WrongDenominator", "pairs"),
    ("IgnoredFactor", "pairs"),
    ("InvertedLayers", "layers"),
    ("AxesInBlocks", "axes"),
    ("CoarsePositions", "far"),
    ("RestartedPositions", "alone"),
]


def said(cell_id):
    """Count the numbers that a text cell says."""
    return Counter(int(number.value) for cell in CELLS if cell.id == cell_id for number in ties.read(cell.source))


def fault(name):
    return getattr(faulty_encodings, name)


def accuracy(name):
    return np.mean(RUNS[name]["accuracy"])


def test_the_line_gave_each_token_its_sentences_number():
    rows = next(c.outputs[0].data["text/plain"] for c in CELLS if "pos = torch.arange(x.size(0))" in c.source)
    found = [[float(n) for n in re.findall(r"\d\.\d+", row)] for row in rows.splitlines()]
    assert len(found) == 6
    angles = [10_000 ** (-2 * i / 16) for i in range(2)]
    expected = [f(a) for a in angles for f in (math.sin, math.cos)]  # of position 1, the second sentence
    assert all(row == pytest.approx(expected, abs=6e-4) for row in found)


def test_the_record_holds_every_encoding_with_its_seeds():
    assert list(RUNS) == ["Sound", "SoundRotary", *(kind.__name__ for kind in FAULTS)]
    for name in AWAKE:
        assert len(RUNS[name]["accuracy"]) == len(RECORD["seeds"]["three_back"]) == 8
        assert ("loss" in RUNS[name]) != fault(name).rotates
    assert all(len(RUNS[name].get("loss", [0] * 3)) == len(RECORD["seeds"]["text"]) == 3 for name in RUNS)


def test_a_sleeping_fault_does_to_short_texts_what_the_sound_encoding_does():
    x = torch.randn(2, 1, 24, 16, generator=torch.manual_seed(0))
    place = torch.arange(24)
    for name, run in RUNS.items():
        sound = SoundRotary() if fault(name).rotates else Sound()
        same = torch.equal(fault(name)().add(x, place), sound.add(x, place))
        same &= torch.equal(fault(name)().turn(x, place), sound.turn(x, place))
        if name not in ("Sound", "SoundRotary", "Trainable"):
            assert same == run["asleep"], name
    assert sum(run["asleep"] for run in RUNS.values()) == 12


def test_thirteen_of_eighteen_awake_faults_learn_three_back():
    awake = [name for name in AWAKE if name not in ("Sound", "SoundRotary")]
    low = {name for name in awake if accuracy(name) < figures.ENOUGH}
    assert (len(awake), len(awake) - len(low)) == (18, 13)
    assert low == LOW
    assert min(accuracy("Sound"), accuracy("SoundRotary"), accuracy("SplitNeighbours")) > 0.99


def test_those_that_fail_give_all_tokens_one_code_or_a_quiet_one():
    place = torch.arange(24)
    model = train_faults.model(16, Sound)
    tokens = model.embedding(torch.arange(16)).norm(dim=-1).mean().item()
    loudness = {}
    for name in AWAKE:
        if fault(name).rotates:
            moved = not torch.equal(*(fault(name)().turn(torch.ones(2, 1, 24, 16), at) for at in (place, place + 1)))
            assert moved == (name != "InvertedLayers"), "the only layer of the model is layer 0"
            continue
        encoding = fault(name)()
        nothing = encoding.add(torch.zeros(1, 24, 64), place)[0]
        scale = (encoding.add(torch.ones(1, 24, 64), place)[0] - nothing).mean().item()
        loudness[name] = nothing.norm(dim=-1).mean().item() / (scale * tokens)
        if (nothing == nothing[0]).all():
            assert name in ("BatchAxis", "Forgotten")
            loudness.pop(name)
    quiet = sorted(loudness, key=loudness.get)[:2]
    assert quiet == ["Normalized", "TokensTwice"]
    assert [round(accuracy(name), 2) for name in quiet] == [0.26, 0.78]
    assert loudness["Normalized"] == pytest.approx(1 / 8, rel=0.1)
    assert loudness["TokensTwice"] == pytest.approx(loudness["Sound"] / 2, rel=1e-3)
    louder = [name for name in loudness if loudness[name] > 0.9 * loudness["Sound"]]
    assert set(louder) == set(loudness) - set(quiet) and min(map(accuracy, louder)) > 0.95


def test_naming_the_token_that_came_most_often_gets_as_much_as_one_code_for_all():
    tokens, targets = tasks.THREE_BACK.draw_test(256, 24, generator=torch.manual_seed(0))
    right = []
    for text, answers in zip(tokens.tolist(), targets.tolist(), strict=True):
        right += [Counter(text[: i + 1]).most_common(1)[0][0] == a for i, a in enumerate(answers) if a >= 0]
    without = [accuracy(name) for name in ("BatchAxis", "Forgotten", "InvertedLayers")]
    assert [round(share, 2) for share in (min(without), max(without))] == [0.21, 0.22]
    assert np.mean(right) == pytest.approx(np.mean(without), abs=0.015)
    assert min(without) > 3 / 16


def test_the_loss_of_a_text_points_to_three_of_fifteen_and_prefers_six():
    added = [name for name in AWAKE if "loss" in RUNS[name] and name != "Sound"]
    assert len(added) == 15
    assert {name for name in added if figures.flagged(name)} == FLAGGED
    rises = [100 * figures.higher(name).mean() for name in FLAGGED]
    assert 6 <= min(rises) <= max(rises) <= 8
    sound = np.array(RUNS["Sound"]["loss"])
    some = {name for name in added if (np.array(RUNS[name]["loss"]) > sound).all()} - FLAGGED
    assert some == {"Divided", "Unscaled", "Precedence", "TokensTwice"}
    assert {round(100 * figures.higher(name).mean()) for name in some} == {2, 3, 4}
    lower = {name for name in added if (np.array(RUNS[name]["loss"]) < sound).all()}
    assert len(lower) == 6 and "AddedTwice" in lower


def test_the_live_model_learned_with_its_fault():
    assert numbers(r"Divided tensor")[0] >= 0.95


def test_the_doubled_exponent_turns_evenly_by_squares():
    squares = [10_000 ** (-4 * i / 16) for i in range(4)]
    assert numbers(r"DoubledExponent first step tensor\(\[")[:4] == pytest.approx(squares, abs=6e-4)
    gaps = [abs(10_000 ** (-2 * i / 16) - 10_000 ** (-4 * i / 16)) for i in range(8)]
    assert numbers(r"promise missed by ")[0] == 0
    assert f"promise missed by {max(gaps):.3f}" in PRINTED


def test_eleven_pass_the_eleven_and_none_pass_all():
    passing = [name for name, tests in recorded()["shown"].items() if not set(tests) & set(FIRST)]
    assert all(recorded()["shown"].values())
    assert f"{len(passing)} of 30 pass all 11:" in PRINTED and len(passing) == 11
    assert all(re.search(rf"^  {name} ", PRINTED, re.M) for name in passing)


def test_a_token_decoded_alone_gets_another_code_only_if_its_position_is_ignored():
    assert numbers(r"(?m)^Sound   +")[0] == 0
    first, last = ([f(p * w) for w in sinusoidal.inv_freq(64).tolist() for f in (math.sin, math.cos)] for p in (0, 23))
    expected = max(abs(a - b) for a, b in zip(first, last, strict=True))
    assert numbers(r"IgnoredPositions +(?=\d\.)")[0] == round(expected, 2)


@pytest.mark.parametrize(("name", "test"), NOW)
def test_the_test_named_beside_a_thread_sees_its_fault_and_its_thread_is_linked(name, test):
    repository, number = re.split(r"[#!]", fault(name).report)
    assert re.search(rf"github\.com/{repository}/(issues|pull)/{number}\).*\| `{test}` \|", TEXT)
    assert encoding_tests.examine(fault(name)(), [test])


def test_the_values_agree_and_the_partners_do_not():
    moving = round(0.25 * 256)
    inside, sound = (kind().inv_freq(512, share=0.25) for kind in (faulty_encodings.PairedInside, SoundRotary))
    assert torch.equal(inside, sound) and int((sound > 0).sum()) == moving == 64
    here = figures.step(faulty_encodings.PairedInside, share=0.25)
    there = figures.step(SoundRotary, share=0.25)
    assert here[0].nonzero().flatten().tolist() == [0, 2] and there[0].nonzero().flatten().tolist() == [0, 8]
    printed = dict(
        re.findall(r"(?m)^(\w+) +speeds \[1\.0, 0\.31\d*, 0\.0\] …, feature 0 goes into \[0, (\d+)\]$", PRINTED)
    )
    assert printed == {"SoundRotary": "8", "PairedInside": "2"}


def test_equal_axes_hide_which_pair_follows_which():
    x = torch.randn(2, 3, 24, 16, generator=torch.manual_seed(0))
    text = torch.arange(24)[:, None].expand(-1, 3)
    image = torch.stack([torch.full((24,), 5), torch.arange(24) // 6, torch.arange(24) % 6], 1)
    blocks, sound = faulty_encodings.AxesInBlocks(), SoundRotary()
    assert torch.equal(blocks.turn(x, text), sound.turn(x, text))
    assert not torch.allclose(blocks.turn(x, image), sound.turn(x, image))
    assert numbers(r"(?m)^text +largest difference ") == [0] and numbers(r"(?m)^image +largest difference ")[0] > 0.1


def test_an_ignored_factor_shows_nothing_at_the_first_token_and_more_further_on():
    x = torch.randn(2, 3, 100, 16, generator=torch.manual_seed(0))
    ignored, sound = (
        kind().turn(x, torch.arange(100), factor=8.0) for kind in (faulty_encodings.IgnoredFactor, SoundRotary)
    )
    off = (ignored - sound).norm(dim=-1).mean((0, 1))
    assert off[0] == 0 and off[1] < off[2:].mean()


def test_a_split_of_neighbours_is_no_rotation_and_each_layout_is():
    for kind, length_kept in (
        (SoundRotary, True),
        (figures.Neighbours, True),
        (faulty_encodings.SplitNeighbours, False),
    ):
        x = torch.randn(2, 5, 16, generator=torch.manual_seed(0))
        turned = kind().turn(x, torch.arange(5))
        assert torch.allclose(turned.norm(dim=-1), x.norm(dim=-1)) == length_kept


def test_mixed_layouts_have_no_score_for_an_offset():
    low, high = numbers(r"SoundRotary +(?=-)")
    assert low == high
    low, high = numbers(r"MixedLayouts +(?=-)")
    assert high - low > 5


def test_whole_positions_are_safe_up_to_two_to_the_bits():
    for dtype, bits in ((torch.bfloat16, 8), (torch.float16, 11), (torch.float32, 24)):
        safe = torch.arange(2**bits - 100, 2**bits + 1)
        assert torch.equal(safe.to(dtype).double(), safe.double())
        assert torch.tensor(2**bits + 1).to(dtype).item() == 2**bits


def test_the_errors_of_rounded_positions_are_those_of_python_s_own_numbers():
    places = [256, 257, 2049, 65_537, 1_000_003]
    speeds = [10_000 ** (-2 * i / 64) for i in range(32)]
    for name, bits in (("position as bfloat16", 8), ("position as TF32", 11)):
        expected = []
        for place in places:
            unit = 2.0 ** max(0, place.bit_length() - bits)
            held = round(place / unit) * unit
            expected.append(max(abs(math.sin(held * w) - math.sin(place * w)) for w in speeds))
        found = numbers(rf"(?m)^{name} +(?=0\.)")
        assert found == pytest.approx(expected, abs=2e-5), name
    in_angles = numbers(r"(?m)^angle as float32 +(?=0\.)")
    assert in_angles[0] < in_angles[-1] < 0.05
    assert max(numbers(r"(?m)^sine as bfloat16 +(?=0\.)")) <= 2**-9 < 0.002


def test_float32_holds_the_position_but_not_its_product_with_a_speed():
    place = 1_000_003
    assert np.float32(place) == place
    speeds = [10_000 ** (-2 * i / 64) for i in range(32)]
    assert max(abs(float(np.float32(place * speed)) - place * speed) for speed in speeds) > 1e-3


def examined(group):
    """List, for each encoding of a group, the tests that complained of it when they were recorded."""
    return [set(tests) for tests in recorded()[group].values()]


def test_the_faults_kept_aside_and_those_of_bug_reports_are_counted_right():
    every = list(encoding_tests.PROPERTIES)
    assert (len(FIRST), every[-1], len(every)) == (11, "drawn", 19)
    kept, reported, led = (examined(group) for group in ("kept aside", "reported", "led to a test"))
    counts = [sum(bool(found & set(tests)) for found in kept) for tests in (FIRST, every[:-1], every)]
    assert Counter([len(kept), *counts]) <= said("l10-38")
    counts = [sum(bool(found & set(tests)) for found in reported) for tests in (every[:-1], every)]
    assert Counter([len(reported), *counts]) <= said("l10-39")
    assert len(reported) - counts[0] == 6 and counts[1] / len(reported) > 0.9
    unseen = [name for name, found in zip(recorded()["led to a test"], led, strict=True) if "drawn" not in found]
    assert unseen == ["waves cast with the model", "a view of a kept table"]
    assert all("again" in recorded()["led to a test"][name] for name in unseen)


def test_no_sound_encoding_is_refused_and_a_layout_may_be_named():
    assert said("l10-38")[len(SOUND) - 2] and not any(examined("sound"))
    assert {kind.layout for kind in SOUND.values()} == {"half", "interleaved"}


def test_calls_drawn_at_random_see_nearly_all_of_the_thirty():
    unseen = [name for name, tests in recorded()["shown"].items() if "drawn" not in tests]
    assert unseen == ["OddWidth", "LeftPadding"]


def test_what_the_tests_see_of_strangers_faults_is_counted_right():
    wall = figures.strangers()
    assert list(wall) == list(STRANGERS)
    assert Counter([len(wall), sum(bool(fault["now"]) for fault in wall.values())]) <= said("l10-39b")
    later = [fault for fault in wall.values() if fault["round"] > 1]
    assert Counter([sum(not fault["at_first"] for fault in later), len(later)]) <= said("l10-lines-f")
    assert [len(faults) for faults in figures.rounds().values()] == [len(faults) for faults in ROUNDS]
    for number, faults in figures.rounds().items():
        counts = [sum(bool(fault[when]) for fault in faults) for when in ("at_first", "now")]
        assert numbers(rf"(?m)^ +{number}(?= {{7}})") == [len(faults), *counts]


def test_eight_of_twelve_on_the_wall_were_seen_and_one_of_them_by_the_first_eleven():
    first = [set(fault["at_first"]) for fault in figures.rounds()[1]]
    assert [
        sum(bool(tests & chosen) for tests in first) for chosen in (set(FIRST), set(ALL) - {"drawn"}, set(ALL))
    ] == [
        1,
        6,
        8,
    ]
    assert [name for name, tests in zip(ROUNDS[0], first, strict=True) if not tests] == list(ESCAPED)


def test_what_a_test_asked_on_that_day_is_told_for_each_guess():
    assert list(ASKED) == list(GUESSES)


def test_each_line_accepts_the_sound_encoding_and_refuses_its_fault():
    for name in ESCAPED:
        assert re.search(rf"(?m)^{re.escape(name)} +sound: True, with the fault: False$", PRINTED), name


def test_the_tutorial_s_float32_sinusoid_is_accepted_and_bfloat16_positions_are_not():
    assert re.search(r"(?m)^float32: +no complaint$", PRINTED)
    assert re.search(r"(?m)^bfloat16: dtype: .*rounded", PRINTED) and re.search(r"(?m)^bfloat16: far: ", PRINTED)


@pytest.mark.slow
def test_float32_angles_are_sound_and_coarser_ones_are_not():
    class Rounded(SoundRotary):
        kind = torch.float32

        def angles(self, position_ids, head_dim, factor, share):
            return super().angles(position_ids, head_dim, factor, share).to(self.kind)

    assert encoding_tests.examine(Rounded()) == {}
    for kind in (torch.float16, torch.bfloat16):
        Rounded.kind = kind
        found = encoding_tests.examine(Rounded())
        assert {"far", "drawn"} <= set(found) and "detached" not in found["drawn"]


@pytest.mark.slow
def test_three_back_trained_again_with_a_fault_gives_the_recorded_numbers():
    trained = train_faults.three_back(faulty_encodings.Normalized)
    again = training.evaluate(trained, tasks.THREE_BACK, [24]).accuracy[:, 0]
    assert again.mean().item() == pytest.approx(accuracy("Normalized"), abs=0.03)


@pytest.mark.slow
def test_sound_weights_run_well_with_three_of_the_eighteen_faults():
    task = dataclasses.replace(tasks.THREE_BACK, train_lengths=(24, 24))
    weights = {}
    for kind in (Sound, SoundRotary):
        untrained = functools.partial(train_faults.model, 16, kind)
        weights[kind.rotates] = training.train(untrained, task, [1], **train_faults.BACK)
    right = {}
    for name in AWAKE:
        borrowed = weights[fault(name).rotates]
        borrowed.skeleton.encoding = fault(name)()
        right[name] = training.evaluate(borrowed, task, [24]).accuracy.item()
    enough = {name for name in right if right[name] >= figures.ENOUGH}
    assert enough == {"Sound", "SoundRotary", "Trainable", "AddedTwice", "OffByOne"}
    assert 0.5 < right["DoubledExponent"] < 0.8
    low = set(right) - {"DoubledExponent", "TokensTwice"}
    assert max(right[name] for name in low if right[name] < figures.ENOUGH) < 0.5


@pytest.mark.slow
def test_tokens_twice_learns_more_slowly_and_learns():
    task = dataclasses.replace(tasks.THREE_BACK, train_lengths=(24, 24))
    settings = train_faults.BACK | {"steps": 400}
    trained = training.train(lambda: train_faults.model(16, faulty_encodings.TokensTwice), task, [0, 1], **settings)
    assert training.evaluate(trained, task, [24]).accuracy.min() > 0.99


def test_the_fast_hands_go_wrong_first_whether_the_position_or_the_angle_is_rounded():
    speeds = 10_000.0 ** (-np.array([0, 8, 16, 31]) / 32)
    for place, off_by in ((257, 1), (1001, 1), (5001, 9)):  # bfloat16 has eight bits: 256, 1000 or 1002, 5010 or 4992
        position, angle = numbers(rf"position +{place}"), numbers(rf"angle +{place}")
        assert np.allclose(position, off_by * speeds, atol=5e-5)
        assert position == sorted(position, reverse=True) and angle == sorted(angle, reverse=True)
        exact = place * speeds
        unit = 2.0 ** (np.floor(np.log2(exact)) - 7)  # between neighbours in bfloat16
        assert (np.array(angle) <= unit / 2 + 5e-5).all()
