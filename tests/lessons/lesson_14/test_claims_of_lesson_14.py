"""What lesson 14 says in its sentences, from the record, and its cache against reading anew."""

import numpy as np
import pytest
import torch

from clockwork.kit import datafiles, pretrained
from clockwork.lessons.lesson_14 import figures, goals, serve, serving, views
from clockwork.lessons.lesson_14.views import numbered
from pe_helpers import rotary


@pytest.mark.parametrize("encoding", serving.ENCODINGS)
def test_a_text_read_in_chunks_is_the_text_read_at_once(encoding):
    model = serving.small(encoding)
    text = torch.randint(16, (3, 20), generator=torch.Generator().manual_seed(0))
    cache, parts = None, []
    for chunk in text.split((7, 1, 12), dim=1):
        logits, cache = serving.read(model, chunk, cache=cache)
        parts.append(logits)
    torch.testing.assert_close(torch.cat(parts, 1), model(text), rtol=1e-4, atol=1e-4)


def test_a_shifted_cache_is_that_of_the_shorter_text_in_the_first_layer_alone():
    model = serving.small("rotary").double()
    text = torch.randint(16, (20,), generator=torch.Generator().manual_seed(0))
    _, cache = serving.read(model, text)
    moved = cache.without(4, 10).closed_up()
    _, anew = serving.read(model, torch.cat([text[:4], text[10:]]))
    torch.testing.assert_close(moved.keys[0], anew.keys[0])
    torch.testing.assert_close(moved.values[0], anew.values[0])
    assert (moved.keys[1] - anew.keys[1]).abs().max() > 0.01
    torch.testing.assert_close(moved.keys[1][:, :4], anew.keys[1][:, :4])


def few_bits(keys, bits):
    """Round each column to the nearest of 2 to the bits levels between its lowest and its highest number."""
    levels = np.linspace(keys.min(0), keys.max(0), 2**bits)
    return np.take_along_axis(levels, np.abs(keys[None] - levels[:, None]).argmin(0), 0)


def test_rounding_keys_before_rotation_helps_one_head_of_three_and_changes_little_in_the_others():
    moved = {}
    for name, head in pretrained.heads()[0].items():
        q, k = head.q.double().numpy(), head.k.double().numpy()
        n, half = len(k), k.shape[1] // 2
        turns = np.exp(1j * np.arange(n)[:, None] * pretrained.BASE ** (-np.arange(half) / half))

        def turned(x, turns=turns):
            waves = (x[:, 0::2] + 1j * x[:, 1::2]) * turns
            return np.stack([waves.real, waves.imag], -1).reshape(x.shape)

        def weights(keys, q=q, turned=turned, n=n):
            scores = np.where(np.tri(n, dtype=bool), turned(q) @ keys.T / 8, -np.inf)
            scores = np.exp(scores - scores.max(1, keepdims=True))
            return scores / scores.sum(1, keepdims=True)

        for bits in (4, 3):
            for way, keys in (("before", turned(few_bits(k, bits))), ("after", few_bits(turned(k), bits))):
                gap = np.abs(weights(keys) - weights(turned(k))).sum(1).mean() / 2
                moved[name, bits, way] = gap
    half_a_level = 0.0015  # halfway between two levels, either is right
    for name, told in (("previous", (0.109, 0.150)), ("induction", (0.173, 0.168))):
        assert [moved[name, 3, way] for way in ("before", "after")] == pytest.approx(told, abs=half_a_level)
    assert max(gap for (name, *_), gap in moved.items() if name == "first") < 0.001


def test_a_number_of_the_small_model_s_first_keys_takes_16_values_at_most_before_rotation_and_more_after():
    text = torch.randint(16, (64, 32), generator=torch.Generator().manual_seed(9))
    _, cache = serving.read(serving.small("rotary"), text)
    turned = cache.keys[0]
    for keys, few in ((rotary.turn_further(turned, -cache.position_ids), True), (turned, False)):
        columns = keys.movedim(1, -2).reshape(-1, 32).T  # every head's numbers, at all tokens of all texts
        counts = [len(set(column.mul(1000).round().tolist())) for column in columns]
        assert (max(counts) <= 2 * 16) == few, "a value may round to either side"


def test_the_record_says_what_the_page_says():
    share = serving.share
    for name in ("16 row hidden", "16 text hidden"):
        assert share("pads/32 tokens", "rotary", name) > 0.99
    assert (
        share("pads/32 tokens", "sinusoid", "16 row hidden")
        < 0.7
        < 0.95
        < share("pads/16 tokens", "sinusoid", "16 row hidden")
    )
    for text in serving.recorded("smollm2/packing").values():
        assert text["restart, moved"] > text["neither, moved"] > 0.1 > 1e-3 > text["mask, moved"]
    later = "3, 4, 9, 10 places later"
    masked, unmasked = "packing, who is looked at", "packing, trained without a mask"
    assert share(masked, "rotary", later) < 0.4 and share(masked, "rotary", "all other keys") > 0.99
    assert share(unmasked, "rotary", later) > 0.99
    assert all(0.5 < share(part, "rotary", "3 places earlier") < 0.6 for part in (masked, unmasked))
    for text in serving.recorded("smollm2/shift").values():
        assert text["turned further"] <= text["recomputed"] < text["left"] - 0.5
        assert abs(text["left, counted on"] - text["turned further"]) < 0.01
        assert text["turned further: keys"][0] < 1e-4 < 0.01 < text["turned further: keys"][1]
        assert text["turned further, never read: values"][-1] < text["turned further: values"][-1] / 2
    for text in serving.recorded("smollm2/sinks").values():
        first = text["window and first, places in the cache"]
        assert first < text["window"] - 0.3 and text["window and four others"] > text["window"] - 0.01
        assert text["later: window and first, places in the text"] > text["window"] + 1
        assert abs(text["window and token 0"] - first) < 0.02, "the first token does it all"
        assert text["window and tokens 1 to 4"] > text["window"] + 0.2, "and the four behind it harm"


def test_counted_in_the_row_the_sinusoid_is_right_up_to_the_trained_positions_and_lost_beyond():
    text = serve.drawn(32)
    logits = serving.small("sinusoid")(text, torch.arange(16, 48))
    right = (logits.argmax(-1)[:, 3:] == text[:, :-3]).float().mean(0)  # the places 19 to 47
    assert [round(part.mean().item(), 2) for part in (right[:13], right[13:])] == [0.99, 0.16]
    assert right[14:].max() < 0.5 < 0.85 < right[:13].min(), "at each place, but for the first one beyond"


def test_after_a_restart_more_is_lost_the_longer_the_first_document_and_if_nothing_is_done_nothing_is_lost():
    packing = serving.recorded("three_back/packing")["rotary"]
    run_on, restart = (torch.tensor(packing[f"{name} right"]) for name in ("neither", "restart"))
    assert run_on.min() > 0.999
    by_border = restart.mean(0)
    assert (by_border[:14].diff() < 0).all() and by_border[14:].max() < 0.08 and restart.mean(0)[0] > 0.9
    for border in serve.BORDERS:
        moved = torch.tensor(packing["neither"][serve.BORDERS.index(border)]) > 0.5
        assert moved.nonzero().flatten().tolist() == list(range(border, min(border + serve.BACK, serve.LENGTH)))


def test_the_rows_of_the_picture_are_those_of_the_four_runs():
    runs = serving.recorded("three_back/packing")
    for name, (restart, mask) in serve.RUNS.items():
        view = views.Packed(
            positions=("run on", "restart")[restart], mask=("one mask for the row", "each document alone")[mask]
        )
        assert view.here().tolist() == runs["rotary"][name][serve.BORDERS.index(16)]


def test_a_turned_key_of_the_picture_is_off_in_the_second_layer_alone():
    assert views.Cached(way="turn them further").off().max() < 1e-6
    assert views.Cached(way="turn them further", layer="second layer").off().max() > 1e-3
    assert views.Cached(way="leave the keys").off().max() > 0.1
    assert views.Cached(way="read anew", layer="second layer").value_errors().max() == 0


def test_hidden_pads_move_the_three_answers_behind_them_and_no_others():
    runs = serving.recorded("three_back/holes, token by token")
    for count in serve.HOLES:
        for encoding in serving.ENCODINGS:
            assert torch.tensor(runs[encoding][f"{count} text"]).max() < 0.01
        for before, moved in enumerate(runs["rotary"][f"{count} row"]):
            lost = range(max(before, serve.BACK), min(before + serve.BACK, serve.PADDED))
            assert all(moved[token] > 0.25 for token in lost)
            assert all(moved[token] < 0.1 for token in range(serve.BACK, serve.PADDED) if token not in lost)


def test_the_rows_of_the_pads_picture_are_those_of_the_record_and_its_goal_is_met_at_both_ends():
    runs = serving.recorded("three_back/holes, token by token")
    view = views.Holes(before=5, pads=2, positions="count the text", encoding="sinusoid")
    assert view.here().tolist() == runs["sinusoid"]["2 text"][5]
    assert view.ids().tolist() == list(range(16))
    assert views.Holes(before=5, pads=2).ids().tolist() == [*range(5), *range(7, 18)]
    for before in range(17):
        view = views.Holes(before=before)
        mild = view.here()[serve.BACK :].max() < 0.1
        assert goals.harmless(before, 4, view.positions, view.encoding) == mild


def test_two_caches_joined_are_that_of_one_text_in_the_first_layer_alone():
    model = serving.small("rotary").double()
    text = torch.randint(16, (12,), generator=torch.Generator().manual_seed(0))
    first, second = (serving.read(model, part)[1] for part in (text[:5], text[5:]))
    joined = first.joined(second).closed_up()
    _, anew = serving.read(model, text)
    torch.testing.assert_close(joined.keys[0], anew.keys[0])
    torch.testing.assert_close(joined.values[0], anew.values[0])
    assert (joined.keys[1][:, 5:] - anew.keys[1][:, 5:]).abs().max() > 0.01
    for runs in serving.recorded("smollm2/joined").values():
        assert runs["read anew"] < runs["turned"] < runs["the second alone"] < runs["left"]


def test_the_first_tokens_may_fall_behind_up_to_the_trained_length_and_not_twice_as_far():
    for text, runs in serving.recorded("smollm2/later").items():
        harm = {by: loss - runs["0"] for by, loss in runs.items()}
        without = serving.recorded("smollm2/sinks")[text]["window"] - runs["0"]
        assert max(abs(harm[by]) for by in ("2000", "4000", "8000")) < 0.05
        assert 0.05 < harm["12000"] < without < harm["16000"]


def test_the_curves_of_the_first_tokens_are_those_of_the_record():
    record = datafiles.read("positions_at_work.json")["parts"]
    (ax,) = figures.behind().axes
    curves, levels = (
        [line for line in ax.lines if len(line.get_xdata()) == many and line.get_linestyle() in styles]
        for many, styles in ((7, "-"), (2, ("--", ":")))
    )
    for curve, text in zip(curves, ("alice", "course"), strict=True):
        drawn = dict(zip(curve.get_xdata(), curve.get_ydata(), strict=True))
        assert drawn == {int(by): loss for by, loss in record["smollm2/later"][text].items()}
    heights = sorted(line.get_ydata()[0] for line in levels)
    ways = ("window", "window and first, places in the cache")
    assert heights == sorted(record["smollm2/sinks"][text][way] for text in ("alice", "course") for way in ways)


def test_the_picture_of_two_prompts_counts_tokens_in_the_row_and_in_the_text():
    for before in range(5):
        row = [*numbered.SHORTER[:before], *[None] * 3, *numbered.SHORTER[before:]]
        tokens = [place for place, word in enumerate(row) if word is not None]
        view = views.Numbered(before=before)
        assert view.numbers()["row"].tolist() == tokens
        assert view.numbers()["text"].tolist() == [sum(word is not None for word in row[:place]) for place in tokens]
    assert len(numbered.LONGER) == len(row)
