"""The wrong encodings of lesson 10: each runs and trains, each is seen, and most of those kept aside as well."""

import re

import pytest
import torch
from tests.lessons.lesson_10.kept_aside_faults import KEPT_ASIDE, LED_TO_A_TEST
from tests.lessons.lesson_10.reported_faults import REPORTED
from tests.lessons.lesson_10.sound_encodings import SOUND
from tests.lessons.lesson_10.verdicts import complaints

from clockwork.lessons.lesson_10 import encoding_tests
from clockwork.lessons.lesson_10.faulty_encodings import FAULTS, Sound, SoundRotary
from pe_helpers import rotary, rotary_axes, sinusoidal
from pe_helpers.attention import Transformer

FIRST = [test.__name__ for test in encoding_tests.FIRST]
ESCAPE = {"EmptyAfterMeta"}
OTHERS = KEPT_ASIDE | LED_TO_A_TEST | REPORTED
each_fault = pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)


@pytest.mark.slow
@pytest.mark.parametrize("written", SOUND)
def test_a_sound_encoding_has_every_property_however_it_is_written(written):
    assert not complaints(SOUND[written])


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
    assert complaints(kind)


def test_eleven_of_thirty_pass_the_first_eleven_tests():
    passing = [kind.__name__ for kind in FAULTS if not complaints(kind) & set(FIRST)]
    assert (len(FIRST), len(FAULTS), len(passing)) == (11, 30, 11)


@pytest.mark.slow
@pytest.mark.parametrize("fault", OTHERS)
def test_a_fault_that_the_lesson_does_not_show_is_seen_or_known_to_escape(fault):
    assert bool(complaints(OTHERS[fault])) != (fault in ESCAPE)


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
