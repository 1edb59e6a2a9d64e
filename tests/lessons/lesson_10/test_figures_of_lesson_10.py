"""The figures of lesson 10 show what the encodings do, not what is written about them."""

import numpy as np
import pytest
import torch

from clockwork.lessons.lesson_10 import faulty_encodings, figures
from clockwork.lessons.lesson_10.views import faults


@pytest.mark.parametrize(
    ("title", "partner", "turning"),
    [
        ("the promise: halves", lambda j: (j + 8) % 16, 16),
        ("another promise: neighbours", lambda j: j ^ 1, 16),
        ("fault: split neighbours", lambda j: (j + 8) % 16, 16),
        ("Gemma 4: a quarter turns", lambda j: (j + 8) % 16, 4),
        ("fault: paired inside", lambda j: (j + 2) % 4, 4),
        ("fault: wrong denominator", lambda j: (j + 8) % 16, 4),
    ],
)
def test_a_ring_joins_each_turning_feature_to_its_partner(title, partner, turning):
    ax = next(ax for ax in figures.rings().axes if ax.get_title("center").replace("\n", " ") == title)
    dots = {tuple(np.round(line.get_xydata()[0], 6)): line for line in ax.lines if len(line.get_xydata()) == 1}
    places = list(dots)
    ends = [np.round(line.get_xydata(), 6) for line in ax.lines if len(line.get_xydata()) == 2]
    joined = {places.index(tuple(start)): middle for start, middle in ends}
    assert len(places) == 16 and len(joined) == turning
    for j, middle in joined.items():
        assert np.allclose(middle, np.add(places[j], places[partner(j)]) / 2, atol=1e-5)


def test_the_lessons_own_rings_are_those_of_a_quarter_that_turns():
    assert [ax.get_title("center").replace("\n", " ") for ax in figures.rings(figures.QUARTER).axes] == [
        "Gemma 4: a quarter turns",
        "fault: paired inside",
        "fault: wrong denominator",
    ]
    alt = figures.rings(figures.QUARTER).alt.lower()
    assert "halves" not in alt and "paired inside" in alt


def test_an_end_of_a_line_is_as_thick_as_its_own_feature_is_fast():
    ax = next(
        ax for ax in figures.rings().axes if ax.get_title("center").replace("\n", " ") == "fault: split neighbours"
    )
    dots = [tuple(np.round(line.get_xydata()[0], 6)) for line in ax.lines if len(line.get_xydata()) == 1]
    ends = [line for line in ax.lines if len(line.get_xydata()) == 2]
    width = {dots.index(tuple(np.round(line.get_xydata()[0], 6))): line.get_linewidth() for line in ends}
    speed = np.repeat(10_000.0 ** (-np.arange(8) / 8), 2)  # laid out for neighbours
    assert [width[j] for j in range(16)] == sorted(width.values(), reverse=True)
    assert len({round(width[j], 6) for j in range(16)}) == len(set(speed))


def test_both_faults_of_the_right_column_together_are_gpt_neox_s_promise():
    class Both(faulty_encodings.PairedInside, faulty_encodings.WrongDenominator):
        """Paired inside, exponents over the features that turn."""

    x = torch.randn(3, 5, 16, generator=torch.Generator().manual_seed(0))
    block = torch.complex(x[..., :2], x[..., 2:4])  # rotate_half within the first four features
    angles = torch.arange(5)[:, None] * 10_000.0 ** (-torch.arange(2) / 2)
    turned = block * torch.polar(torch.ones(5, 2), angles)
    promised = torch.cat([turned.real, turned.imag, x[..., 4:]], -1)
    assert torch.allclose(Both().turn(x, torch.arange(5), share=0.25), promised, atol=1e-6)


def test_only_in_a_fault_do_the_two_ends_of_a_line_differ():
    for title, (name, settings, _) in figures.RINGS.items():
        kind = figures.Neighbours if name == "Neighbours" else getattr(faulty_encodings, name)
        matrix = figures.step(kind, **settings)
        assert torch.allclose(matrix.abs(), matrix.abs().T, atol=1e-6) == (name != "SplitNeighbours"), title


def dots_of(ax):
    return {line.get_ydata()[0]: line.get_xdata() for line in ax.lines if line.get_marker() == "o"}


def named_rows(ax):
    return dict(zip([label.get_text() for label in ax.get_yticklabels()], ax.get_yticks(), strict=True))


def test_the_picture_of_training_has_a_dot_for_each_model_in_the_row_of_its_name_and_says_every_mean():
    fig = figures.trained()
    (ax,) = fig.axes
    awake = {figures.named(name): run for name, run in figures.runs().items() if not run["asleep"]}
    rows, dots = named_rows(ax), dots_of(ax)
    assert set(rows) == set(awake)
    for name, run in awake.items():
        assert list(dots[rows[name]]) == run["accuracy"]
        assert f"{name} {np.mean(run['accuracy']):.2f}" in fig.alt
    least = max(row for name, row in rows.items() if np.mean(awake[name]["accuracy"]) >= figures.ENOUGH)
    assert least < min(row for name, row in rows.items() if np.mean(awake[name]["accuracy"]) < figures.ENOUGH)
    assert ("batch axis", "0.21") in fig.numbers and ("mixed layouts", "0.96") in fig.numbers
    assert "13 of 18" in fig.caption


def test_the_picture_of_a_text_has_a_dot_for_each_model_against_the_sound_one_of_its_seed():
    fig = figures.texts()
    (ax,) = fig.axes
    rows, dots = named_rows(ax), dots_of(ax)
    assert len(rows) == 15
    sound = np.array(figures.runs()["Sound"]["loss"])
    for name, run in figures.runs().items():
        if name != "Sound" and "loss" in run and not run["asleep"]:
            assert dots[rows[figures.named(name)]] == pytest.approx(100 * (np.array(run["loss"]) / sound - 1))
    assert ("batch axis", "+7.9%") in fig.numbers and "6 of 15" in fig.caption


def test_the_picture_of_borrowed_weights_joins_what_was_given_to_what_was_trained():
    awake = [name for name, run in figures.runs().items() if not run["asleep"] and not name.startswith("Sound")]
    fig = figures.borrowed({name: i / 100 for i, name in enumerate(awake)} | {"LeftPadding": 0.5})
    (ax,) = fig.axes
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == [figures.named(name) for name in awake[::-1]]
    for row, name in enumerate(awake[::-1]):
        lines = [line for line in ax.lines if set(line.get_ydata()) == {row} and len(line.get_xdata()) == 2]
        trained = np.mean(figures.runs()[name]["accuracy"])
        assert lines[0].get_xdata() == pytest.approx([awake.index(name) / 100, trained])
    assert fig.numbers[-1] == ("batch axis", "0.21", "0.00")
    assert f"0 of {len(awake)}" in fig.caption and "batch axis 0.00" in fig.alt


def test_the_picture_of_training_says_below_each_fault_what_is_wrong_in_its_code():
    (ax,) = figures.trained().axes
    rows = named_rows(ax)
    lines = {text.get_text(): text.get_position()[1] for text in ax.texts}
    for kind in faulty_encodings.FAULTS:
        if figures.named(kind.__name__) in rows:
            below = lines[kind.__doc__.splitlines()[0]] - rows[figures.named(kind.__name__)]
            assert 0.3 < below < 0.9, kind


def test_what_is_said_of_a_fault_s_picture_is_what_is_drawn():
    drawn = {kind.__name__: faults.done(kind) for kind in faults.KINDS}
    sound = {kind.__name__: drawn["SoundRotary" if kind.rotates else "Sound"] for kind in faults.KINDS}
    assert list(faults.SHOWN) == list(drawn)
    for name, shown in faults.SHOWN.items():
        same = torch.allclose(drawn[name], sound[name], atol=1e-6)
        assert same == (shown.startswith("no difference") or name in ("Sound", "SoundRotary")), name
        stripes = bool((drawn[name] == drawn[name][0]).all())
        assert stripes == (shown.startswith(("the stripes run down", "empty"))), name
    code = sound["BatchAxis"]
    assert not drawn["Forgotten"].any()
    assert torch.equal(drawn["Reversed"], code.flip(0))
    assert torch.allclose(drawn["AddedTwice"], 2 * code)
    assert torch.equal(drawn["OffByOne"][:-1], code[1:])
    assert torch.equal(drawn["Swapped"], code.view(-1, 32, 2).flip(-1).flatten(-2))
    assert torch.equal(drawn["Concatenated"], code.view(-1, 32, 2).mT.flatten(-2))
    assert torch.allclose(drawn["Normalized"], code / 32**0.5)
    assert torch.equal(drawn["CosineAhead"][:, ::2], code[:, ::2])
    place, i = torch.arange(24.0, dtype=torch.float64)[:, None], torch.arange(32, dtype=torch.float64)
    for name, speeds in (("Divided", 10_000 ** (i / 32)), ("DoubledExponent", 10_000 ** (-i / 16))):
        assert torch.allclose(drawn[name][:, ::2].double(), (place * speeds).sin(), atol=1e-6), name
    still = {name: int((drawn[name].amax(0) - drawn[name].amin(0) < 0.1).sum()) for name in drawn}
    assert still["Precedence"] > 54 and still["Sound"] < 32  # of 64 columns
    assert torch.equal(drawn["SplitNeighbours"][:, ::2], drawn["SplitNeighbours"][:, 1::2])
    key = torch.cat([torch.ones(24, 32), torch.zeros(24, 32)], 1).expand(2, -1, -1)
    assert torch.equal(drawn["MixedLayouts"], figures.Neighbours().turn(key, torch.arange(24))[1])


def test_a_class_s_name_becomes_words():
    assert figures.named("BatchAxis") == "batch axis" and figures.named("OffByOne") == "off by one"
