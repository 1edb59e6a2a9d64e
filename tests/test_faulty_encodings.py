"""The wrong encodings of lesson 10: each runs and trains, each is seen, and no test could be spared."""

import pytest
import torch

from pe_helpers import sinusoidal
from pe_helpers.attention import Transformer
from pe_helpers.checks import encoding_tests
from pe_helpers.faulty_encodings import FAULTS, Sound

SEEN = {kind: set(encoding_tests.examine(kind())) for kind in FAULTS}
each_fault = pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)


def test_the_sound_encoding_has_every_property():
    assert encoding_tests.examine(Sound()) == {}


def test_the_sound_encoding_is_the_packages_own():
    position_ids = torch.tensor([0, 1, 7, 300, 5000])
    assert torch.equal(Sound().table(position_ids, 64), sinusoidal.table(position_ids, 64))


@each_fault
def test_every_fault_is_seen(kind):
    assert SEEN[kind]


@pytest.mark.parametrize("name", encoding_tests.PROPERTIES)
def test_every_test_is_needed(name):
    assert [kind for kind in FAULTS if SEEN[kind] == {name}], f"without {name} no fault would be missed"


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


def test_there_are_at_least_twelve_faults_and_each_says_what_it_is():
    assert len(FAULTS) >= 12
    assert all(kind.__doc__ for kind in FAULTS)
    assert sum("#" in kind.__doc__ or " PR " in kind.__doc__ for kind in FAULTS) >= 10, "reports are named"
