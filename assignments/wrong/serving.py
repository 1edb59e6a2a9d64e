"""Plausible wrong answers to the assignment `serving`; each docstring is part of the hint that its author must be shown."""

import numpy as np


def position_ids__counted_in_the_row(document_ids):
    """a pad spends no number"""
    ids = np.asarray(document_ids)
    return np.broadcast_to(np.arange(ids.shape[1]), ids.shape).copy()


def position_ids__from_one(document_ids):
    """the first token of a text has position 0"""
    return (np.asarray(document_ids) >= 0).cumsum(axis=1)


def position_ids__from_the_mask_alone(document_ids):
    """each document counts its own tokens"""
    return (np.asarray(document_ids) >= 0).cumsum(axis=1) - 1


def position_ids__restarts_behind_a_hole(document_ids):
    """it does not begin again"""
    ids = np.asarray(document_ids)
    places = np.zeros_like(ids)
    for i in range(1, ids.shape[1]):
        places[:, i] = np.where(ids[:, i] == ids[:, i - 1], places[:, i - 1] + 1, 0)
    return places


def position_ids__since_the_first_token(document_ids):
    """a pad in the middle takes up a number"""
    return [[i - row.index(d) for i, d in enumerate(row)] for row in np.asarray(document_ids).tolist()]


def position_ids__one_count_for_the_batch(document_ids):
    """nor has it its pads"""
    ids = np.asarray(document_ids)
    row = ids[0].tolist()
    first = [row[:i].count(d) for i, d in enumerate(row)]
    second = [0] * ids.shape[1]
    for i in range(1, ids.shape[1]):
        second[i] = second[i - 1] + 1 if ids[-1, i] == ids[-1, i - 1] else 0
    return [first, *([second] * (len(ids) - 1))]


def _right(ids):
    return np.tril(ids[:, None] == ids, -1).sum(axis=1)


def _found(document_ids, position_ids, visible, added, looks=None, seen=None):
    ids, places, visible = np.asarray(document_ids), np.asarray(position_ids), np.asarray(visible)
    same, right, token = ids[:, None] == ids, _right(ids), ids >= 0
    moved = (places[:, None] - places) != (right[:, None] - right)
    leak = visible & ~same & token[:, None] if looks is None else looks
    across = visible & token[:, None] if seen is None else seen
    found = ["leak"] if leak.any() else []
    found += ["offset"] if (across & same & moved & token).any() else []
    return found + (["place"] if added and (places != right)[token].any() else [])


def what_breaks__asks_rotary_for_a_restart(document_ids, position_ids, visible, added):
    """rotary sees offsets alone"""
    return _found(document_ids, position_ids, visible, True)


def what_breaks__all_pairs(document_ids, position_ids, visible, added):
    """an offset that nobody sees does no harm"""
    return _found(document_ids, position_ids, visible, added, seen=np.ones_like(visible))


def what_breaks__neighbours_alone(document_ids, position_ids, visible, added):
    """look across the pads"""
    beside = np.eye(len(document_ids), k=-1, dtype=bool)
    return _found(document_ids, position_ids, visible, added, seen=visible & beside)


def what_breaks__pads_look_at_themselves(document_ids, position_ids, visible, added):
    """what a pad looks at concerns nobody"""
    ids = np.asarray(document_ids)
    foreign = (ids[:, None] != ids) | (ids < 0)
    return _found(document_ids, position_ids, visible, added, looks=visible & foreign)


def what_breaks__pads_belong_to_nobody(document_ids, position_ids, visible, added):
    """these tokens may look at the pads"""
    ids = np.asarray(document_ids)
    foreign = (ids[:, None] != ids) & (ids >= 0) & (ids[:, None] >= 0)
    return _found(document_ids, position_ids, visible, added, looks=visible & foreign)


def what_breaks__place_in_the_row(document_ids, position_ids, visible, added):
    """A place is the number in the document, not in the row"""
    found = _found(document_ids, position_ids, visible, False)
    ids = np.asarray(document_ids)
    restarted = (ids[1:] > ids[:-1]) & (ids[:-1] >= 0)
    began = np.concatenate([[0], np.where(restarted, np.arange(1, len(ids)), 0)]).cumsum()
    wrong = (np.asarray(position_ids) != np.arange(len(ids)) - began)[ids >= 0]
    return found + (["place"] if added and wrong.any() else [])


def what_breaks__no_leak_after_a_restart(document_ids, position_ids, visible, added):
    """still the second document sees the first"""
    found = _found(document_ids, position_ids, visible, added)
    ids = np.asarray(document_ids)
    restarted = (ids >= 0).all() and (np.asarray(position_ids) == _right(ids)).all()
    return [word for word in found if word != "leak" or not restarted]


def _turn(keys, angles):
    first, second = keys[:, 0::2], keys[:, 1::2]
    pairs = [first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)]
    return np.stack(pairs, axis=-1).reshape(keys.shape)


def slide__turns_all(keys, inv_freq, sinks, drop):
    """keep their keys and their positions"""
    return _turn(np.concatenate([keys[:sinks], keys[sinks + drop :]]), -drop * inv_freq)


def slide__drops_the_first(keys, inv_freq, sinks, drop):
    """they neither go nor turn"""
    return _turn(keys[drop:], -drop * inv_freq)


def slide__leaves_them(keys, inv_freq, sinks, drop):
    """they have to turn"""
    return np.concatenate([keys[:sinks], keys[sinks + drop :]])


def slide__the_wrong_way(keys, inv_freq, sinks, drop):
    """they have to turn back"""
    return np.concatenate([keys[:sinks], _turn(keys[sinks + drop :], drop * inv_freq)])


def slide__one_place(keys, inv_freq, sinks, drop):
    """the gap is wider than one position"""
    return np.concatenate([keys[:sinks], _turn(keys[sinks + drop :], -inv_freq)])


def slide__one_angle_for_all_hands(keys, inv_freq, sinks, drop):
    """a hand turns by its own speed"""
    return np.concatenate([keys[:sinks], _turn(keys[sinks + drop :], -drop * np.ones_like(inv_freq))])


def slide__by_the_new_position(keys, inv_freq, sinks, drop):
    """turn it by the difference"""
    places = np.arange(sinks, len(keys) - drop)[:, None]
    return np.concatenate([keys[:sinks], _turn(keys[sinks + drop :], places * inv_freq)])


def slide__halves(keys, inv_freq, sinks, drop):
    """Do entries 2i and 2i + 1 make a pair"""
    first, second = np.split(keys[sinks + drop :], 2, axis=1)
    cos, sin = np.cos(-drop * inv_freq), np.sin(-drop * inv_freq)
    return np.concatenate([keys[:sinks], np.hstack([first * cos - second * sin, first * sin + second * cos])])


def stale__nothing(visible, start, count, layers):
    """turning mends the first layer alone"""
    return np.zeros((layers, len(visible) - count), dtype=bool)


def stale__in_every_layer(visible, start, count, layers):
    """in the first layer a key and a value come from the token itself"""
    found = np.zeros((layers, len(visible) - count), dtype=bool)
    found[:, start:] = True
    return found


def stale__everything_behind(visible, start, count, layers):
    """tokens far behind the gap have read nothing of it"""
    found = stale__in_every_layer(visible, start, count, layers)
    found[0] = False
    return found


def _spread(visible, start, count, layers, moved=True, spreads=True):
    place = np.arange(len(visible))
    gone = (place >= start) & (place < start + count)
    behind = place >= start + count
    entries = [np.zeros(len(visible), dtype=bool)]
    for _ in range(layers - 1):
        wrong = gone | (spreads & entries[-1]) | (moved & (behind[:, None] != behind))
        entries.append(entries[-1] | (visible & wrong).any(axis=1))
    return np.array(entries)[:, ~gone]


def stale__who_saw_it_directly(visible, start, count, layers):
    """what was read from a stale entry is stale"""
    return _spread(visible, start, count, layers, spreads=False)


def stale__forgets_the_nearer_tokens(visible, start, count, layers):
    """those behind it are nearer now"""
    return _spread(visible, start, count, layers, moved=False)


def stale__at_once_in_all_layers(visible, start, count, layers):
    """it spreads from layer to layer"""
    found = _spread(visible, start, count, layers)
    last = _spread(visible, start, count, layers + 1)[-1]
    found[2:] = last
    return found


def stale__tokens_before_it(visible, start, count, layers):
    """tokens before the gap never saw it"""
    found = np.ones((layers, len(visible) - count), dtype=bool)
    found[0] = False
    return found
