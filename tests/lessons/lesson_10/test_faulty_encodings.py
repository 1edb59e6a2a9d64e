"""The wrong encodings of lesson 10: each runs and trains, each is seen, and most of those kept aside as well."""

import math
import re

import pytest
import torch
from tests.lessons.lesson_10.reported_faults import REPORTED
from tests.lessons.lesson_10.strangers_faults import STRANGERS
from tests.lessons.lesson_10.verdicts import EVERYBODY, GROUPS, REFUSING, SOURCES, digest, quickest, recorded, sample

from clockwork.kit import datafiles
from clockwork.kit.attention import Transformer
from clockwork.lessons.lesson_10 import encoding_tests
from clockwork.lessons.lesson_10.faulty_encodings import FAULTS, Sound, SoundRotary
from clockwork.lessons.lesson_10.strangers import ESCAPED, MENDED, WALL
from clockwork.lessons.lesson_10.views.faults import PASSING
from pe_helpers import rotary, rotary_axes, sinusoidal

pytestmark = pytest.mark.usefixtures("unchecked")  # encodings are examined as a reader's are

FIRST = [test.__name__ for test in encoding_tests.FIRST]
ESCAPE = {"EmptyAfterMeta"}
OTHERS = {name: group for group in ("kept aside", "led to a test", "reported") for name in GROUPS[group]}
Neighbours = type("Neighbours", (SoundRotary,), {"layout": "interleaved"})
EVEN_AND_ODD = (lambda i: 2 * i, lambda i: 2 * i + 1)
each_fault = pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)


def refused(group, name, tests=encoding_tests.PROPERTIES):
    """Ask the quickest test of these that refused an encoding when it was recorded, and say whether it still does."""
    seen_by = [test for test in recorded()[group][name] if test in tests]
    return bool(seen_by) and bool(encoding_tests.examine(EVERYBODY[group][name](), [quickest(seen_by)]))


def test_what_is_recorded_is_of_every_encoding_and_every_test():
    assert {group: list(verdicts) for group, verdicts in recorded().items()} == {
        group: list(encodings) for group, encodings in EVERYBODY.items()
    }
    assert datafiles.read("verdicts.json")["tests"] == list(encoding_tests.PROPERTIES)


@pytest.mark.parametrize("record", SOURCES)
def test_what_is_recorded_is_of_today_s_tests_and_encodings(record):
    found = datafiles.read(record)
    assert found["sources"] == digest(record), f"run again: {found['command']}"


def test_the_sample_meets_every_verdict_of_every_group():
    for group, verdicts in recorded().items():
        met = [verdicts[name] for where, name in sample() if where == group]
        assert {test for tests in met for test in tests} == {test for tests in verdicts.values() for test in tests}
        assert met.count([]) == sum(not tests for tests in verdicts.values()) or group == "sound"
    sound = [EVERYBODY[group][name]().layout for group, name in sample() if group == "sound"]
    assert len(sound) > 6 and set(sound) == {"half", "interleaved"}
    assert len(set(sample())) == len(sample())


@pytest.mark.parametrize("name", REFUSING)
def test_a_sound_encoding_may_refuse_positions_of_16_bits(name):
    encoding = GROUPS["sound"][name]()
    places = torch.tensor([3, 5], dtype=torch.int16)
    with pytest.raises((IndexError, RuntimeError)):
        encoding.turn(torch.zeros(2, 2, 16), places) if encoding.rotates else encoding.add(torch.zeros(2, 16), places)
    assert ("sound", name) in sample()


@pytest.mark.slow
@pytest.mark.parametrize(("group", "name"), sample())
def test_all_tests_say_of_a_sample_what_is_recorded(group, name):
    assert list(encoding_tests.examine(EVERYBODY[group][name]())) == recorded()[group][name]


def test_the_sound_sinusoid_is_the_packages_own():
    position_ids = torch.tensor([0, 1, 7, 300, 5000])
    assert torch.equal(Sound().table(position_ids, 64), sinusoidal.table(position_ids, 64))


def test_the_sound_rotary_encoding_is_the_packages_own():
    x = torch.randn(2, 3, 5, 16, generator=torch.manual_seed(0))
    position_ids = torch.tensor([0, 1, 7, 300, 5000])
    expected = rotary.rotate(x, position_ids, layout="half")
    torch.testing.assert_close(SoundRotary().turn(x, position_ids), expected)
    places = torch.tensor([[3, 0, 0], [1, 5, 9], [4, 4, 4], [0, 2, 0], [0, 0, 8]])
    cos, sin = rotary_axes.cos_sin(places, torch.tensor([0, 1, 2, 0, 1, 2, 0, 1]))
    torch.testing.assert_close(SoundRotary().turn(x, places), rotary.apply_rotary_emb(x, cos, sin, layout="half"))


@each_fault
def test_every_fault_is_seen(kind):
    assert refused("shown", kind.__name__)


def test_eleven_of_thirty_pass_the_first_eleven_tests():
    seen = [kind for kind in FAULTS if refused("shown", kind.__name__, FIRST)]
    passing = [kind for kind in FAULTS if kind not in seen]
    assert (len(FIRST), len(FAULTS), len(passing)) == (11, 30, 11)
    assert passing == list(PASSING[2:])
    assert not any(encoding_tests.examine(kind(), FIRST) for kind in passing)


@pytest.mark.parametrize("fault", WALL)
def test_every_fault_on_the_wall_is_seen_today_by_its_test(fault):
    assert refused("strangers", fault)
    assert set(ESCAPED) == set(MENDED) and set(ESCAPED) <= set(WALL)
    if fault in MENDED:
        assert encoding_tests.examine(WALL[fault](), [re.match("“(.+?)”", MENDED[fault])[1]])


@pytest.mark.parametrize("width", [2, 6, 16, 100])
@pytest.mark.parametrize("places", [[0, 1, 2, 3, 4], [7, 3, 3, 900, 5], [[1, 2, 3], [4, 4, 4], [9, 0, 1]]])
def test_what_the_tests_compare_with_is_the_formula_number_by_number(places, width):
    """Each pair of each token, one after the other, in Python's own numbers."""
    x = torch.randn(3, len(places), width, generator=torch.manual_seed(0), dtype=torch.float64)
    settings = {"factor": 2.5, "share": {2: 1.0, 6: 1 / 3, 16: 0.875, 100: 0.58}[width]}
    for kind, first, second in ((SoundRotary, lambda i: i, lambda i: i + width // 2), (Neighbours, *EVEN_AND_ODD)):
        found = encoding_tests._exactly_turned(kind(), x, places, **settings)
        for row, place in enumerate(places):
            for i in range(width // 2):
                axis = place[i % 3] if isinstance(place, list) else place
                turns = i < round(settings["share"] * (width // 2))
                angle = turns * axis * 10_000 ** (-2 * i / width) / 2.5
                a, b = x[:, row, first(i)], x[:, row, second(i)]
                torch.testing.assert_close(found[:, row, first(i)], a * math.cos(angle) - b * math.sin(angle))
                torch.testing.assert_close(found[:, row, second(i)], a * math.sin(angle) + b * math.cos(angle))


def test_the_codes_that_the_tests_compare_with_are_the_paper_s_number_by_number():
    codes = encoding_tests._exact_codes(Sound(), [[0, 5], [1000, 3]], 8)
    for text, row in enumerate([[0, 5], [1000, 3]]):
        for j, place in enumerate(row):
            angles = [place / 10_000 ** (2 * i / 8) for i in range(4)]
            expected = [wave(angle) for angle in angles for wave in (math.sin, math.cos)]
            assert codes[text, j].tolist() == pytest.approx(expected)


def test_the_formula_s_layers_and_rounding():
    x = torch.ones(1, 1, 4, dtype=torch.float64)
    assert torch.equal(encoding_tests._exactly_turned(SoundRotary(), x, [3], layer=3), x)
    assert not torch.equal(encoding_tests._exactly_turned(SoundRotary(), x, [3], layer=4), x)
    off = encoding_tests._rounding(encoding_tests._along_axes([1000], "add"), 4, "interleaved")
    fast, slow = 1000 * 2**-22, 10 * (1 + math.log(100)) * 2**-22
    assert off[0].tolist() == pytest.approx([fast, fast, slow, slow])


@pytest.mark.slow
@pytest.mark.parametrize("fault", OTHERS)
def test_a_fault_that_the_lesson_does_not_show_is_seen_or_known_to_escape(fault):
    assert refused(OTHERS[fault], fault) != (fault in ESCAPE)


def test_a_reported_fault_names_its_thread():
    for kind in REPORTED.values():
        assert re.match(r"[\w./-]+#\d+(, [\w./-]+#\d+)*: ", kind.__doc__), kind


def test_calls_drawn_at_random_say_which_call_went_wrong():
    class FactorInFirstLayers(SoundRotary):
        def turn(self, x, position_ids, *, layer=0, factor=1.0, **settings):
            return super().turn(x, position_ids, layer=layer, factor=factor if layer < 16 else 1.0, **settings)

    told = encoding_tests.examine(FactorInFirstLayers())
    assert list(told) == ["drawn"]
    layer, factor = re.search(r"layer (\d+), factor ([\d.]+)", told["drawn"]).groups()
    assert int(layer) >= 16 and float(factor) != 1


def faulty(sound=SoundRotary, **methods):
    return type("Faulty", (sound,), methods)


def clamped(self, x, position_ids):
    return Sound.add(self, x, position_ids.clamp_(min=0))


def unwritten_from_5000_on(self, p, *settings):
    return torch.where(p.amax() >= 5000, math.nan, SoundRotary.angles(self, p, *settings))


@pytest.mark.parametrize(
    ("kind", "test", "told"),
    [
        (
            STRANGERS["the caller's positions are moved on in place"],
            "alone",
            "`turn` changes the caller's positions in place",
        ),
        (faulty(Sound, add=clamped), "drawn", "`add` changes the caller's positions in place"),
        (STRANGERS["holes are filled in the caller's mask"], "padding", "the caller's mask is changed in place"),
        (STRANGERS["a factor below 1 is the root of a negative number"], "drawn", "factor 0.5.*not a number"),
        (faulty(angles=unwritten_from_5000_on), "far", "at position 40,001 a feature is off by nan"),
        (
            STRANGERS["without a gradient, a result overwrites the last"],
            "again",
            "the next call writes over the last one's result",
        ),
        (STRANGERS["gradients stay off"], "again", "a call leaves gradients switched off"),
        (STRANGERS["bfloat16 goes through float16"], "drawn", "bfloat16.*large tokens.*not a number"),
        (STRANGERS["a share is ignored in heads of 64, 128 and 256"], "drawn", r"\((\d+, )+(64|128|256)\) at"),
        (
            STRANGERS["texts from 4096 tokens on take four times the factor"],
            "alone",
            "with factor 4.*something else in a long text",
        ),
        (STRANGERS["in inference mode the factor is forgotten"], "drawn", "in inference mode: off by"),
        (STRANGERS["a bias of ALiBi stays on"], "total", "is another encoding still on"),
        (STRANGERS["speeds come out of a checkpoint rounded"], "again", "after a checkpoint in bfloat16 was loaded"),
    ],
)
def test_what_a_program_does_to_its_caller_or_on_its_fast_way_is_seen_and_named(kind, test, told):
    assert re.search(told, encoding_tests.examine(kind(), [test])[test])


def test_a_fault_that_switches_gradients_off_does_not_reach_the_reader():
    encoding_tests.examine(STRANGERS["gradients stay off"](), ["total"])
    assert torch.is_grad_enabled()


def by_matrices(self, x, cos, sin):
    """Rotate each pair by a 2 × 2 matrix; these products are what autocast rounds."""
    matrices = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)
    pairs = x.to(cos.dtype).unflatten(-1, (2, -1))
    return torch.einsum("spij,...sjp->...sip", matrices, pairs).flatten(-2).to(x.dtype)


def test_a_turn_may_be_rounded_as_autocast_rounds_the_scores():
    assert encoding_tests.examine(faulty(rotated=by_matrices)(), ["drawn"]) == {}


@pytest.mark.parametrize(
    "kind",
    [
        REPORTED["AnglesUnderAutocast"],
        STRANGERS["angles in half precision under float16 autocast"],
        STRANGERS["few bits in training under autocast"],
        STRANGERS["codes in few bits under autocast"],
    ],
)
def test_angles_and_codes_may_not_be_rounded_under_autocast(kind):
    assert "under autocast" in encoding_tests.examine(kind(), ["drawn"])["drawn"]


def test_an_odd_width_may_be_refused_by_any_error():
    """The PyTorch tutorial's table breaks when cosines are written into too few columns."""

    def filled_in(self, position_ids, d_model, dtype=torch.float32):
        codes = torch.zeros(*position_ids.shape, d_model, dtype=torch.float64)
        angles = position_ids.double()[..., None] * self.inv_freq(d_model)
        codes[..., 0::2] = angles.sin()
        codes[..., 1::2] = angles.cos()
        return codes.to(dtype)

    encoding = faulty(Sound, table=filled_in)()
    with pytest.raises(RuntimeError):
        encoding.table(torch.arange(3), 5)
    assert encoding_tests.examine(encoding, ["width"]) == {}


def test_one_test_leaves_nothing_behind_for_the_next():
    class Counts(Sound):
        calls = 0

        def table(self, position_ids, d_model, dtype=torch.float32):
            self.calls += 1
            return super().table(position_ids, d_model, dtype)

    encoding = Counts().train()
    encoding_tests.examine(encoding)
    assert encoding.calls == 0 and encoding.training


@pytest.mark.parametrize("kind", [Sound, SoundRotary])
def test_a_layout_that_is_named_and_not_kept_is_a_fault(kind):
    other = "half" if kind.layout == "interleaved" else "interleaved"
    misnamed = kind()
    misnamed.rotated = lambda x, cos, sin: rotary.apply_rotary_emb(x, cos, sin, layout=kind.layout)
    misnamed.layout = other
    assert encoding_tests.examine(misnamed)


def test_no_fault_kept_aside_is_one_of_the_lessons():
    shown = {re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower() for kind in FAULTS}
    assert not shown & {re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower() for name in OTHERS}


def test_positions_of_the_first_text_do_not_serve_for_all():
    class FirstText(Sound):
        def add(self, x, position_ids):
            return super().add(x, position_ids[:1] if position_ids.ndim > 1 else position_ids)

    assert "table's rows at these positions" in encoding_tests.examine(FirstText())["total"]


def test_what_breaks_down_has_not_passed():
    class Breaks(Sound):
        def add(self, x, position_ids):
            raise IndexError("no such row")

    assert encoding_tests.examine(Breaks())["total"] == "IndexError: no such row"


@each_fault
def test_every_fault_runs_and_trains_without_an_error(kind):
    torch.manual_seed(0)
    model = Transformer(11, kind(), embedding_std=1 / 8)
    tokens = torch.randint(11, (4, 20))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(8):
        loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, -2), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.8 * losses[0]


@each_fault
def test_each_says_what_it_is_and_who_reported_what(kind):
    assert kind.__doc__
    assert bool(kind.report) == bool(kind.reported)
    assert re.fullmatch(r"([\w.-]+/[\w.-]+[#!]\d+)?", kind.report)
