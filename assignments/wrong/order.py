"""Plausible wrong answers to the assignment `order`; each docstring is part of the hint that its author must be shown."""

import numpy as np


def classify_layer__exact(plain, shuffled, order):
    """that is rounding and no sign of order"""
    if np.array_equal(shuffled, plain):
        return "invariant"
    if plain.ndim == 2 and np.array_equal(shuffled.round(12), plain[order].round(12)):
        return "equivariant"
    return "sees order"


def classify_layer__inverse_order(plain, shuffled, order):
    """undo the shuffle instead, with the inverse order"""
    if np.abs(shuffled - plain).max() < 1e-4:
        return "invariant"
    if plain.ndim == 2 and np.abs(shuffled[order] - plain).max() < 1e-4:
        return "equivariant"
    return "sees order"


def classify_layer__sums(plain, shuffled, order):
    """equal sums or sorted rows do not make a layer equivariant"""
    if np.abs(shuffled - plain).max() < 1e-4:
        return "invariant"
    if plain.ndim == 2 and np.abs(shuffled.sum(axis=0) - plain.sum(axis=0)).max() < 1e-3:
        return "equivariant"
    return "sees order"


def classify_layer__first_row(plain, shuffled, order):
    """look at every row, not at the first"""
    if np.abs(shuffled[:1] - plain[:1]).max() < 1e-4:
        return "invariant"
    if plain.ndim == 2 and np.abs(shuffled[0] - plain[order][0]).max() < 1e-4:
        return "equivariant"
    return "sees order"


def best_blind_score__always_half(sentences, labels):
    """Do you look at the words at all?"""
    return 0.5


def best_blind_score__one_label_for_all(sentences, labels):
    """Do you look at the words at all?"""
    return max(labels.count(label) for label in labels) / len(labels)


def best_blind_score__remembers_order(sentences, labels):
    """Does your bag still remember the order?"""
    seen = {}
    for sentence, label in zip(sentences, labels, strict=True):
        seen.setdefault(tuple(sentence), []).append(label)
    return sum(max(got.count(label) for label in got) for got in seen.values()) / len(labels)


def best_blind_score__set_of_words(sentences, labels):
    """a bag keeps how often each word occurs"""
    seen = {}
    for sentence, label in zip(sentences, labels, strict=True):
        seen.setdefault(frozenset(sentence), []).append(label)
    return sum(max(got.count(label) for label in got) for got in seen.values()) / len(labels)


def best_blind_score__mixed_bags_lost(sentences, labels):
    """take the most frequent label bag by bag"""
    seen = {}
    for sentence, label in zip(sentences, labels, strict=True):
        seen.setdefault(tuple(sorted(sentence)), []).append(label)
    return sum(len(got) * (1 if len(set(got)) == 1 else 0.5) for got in seen.values()) / len(labels)


def _audit(tables, even=True, stable=True, distinct=True, bounded=True):
    tables = [np.asarray(table, dtype=float) for table in tables]
    longest = max(tables, key=len)
    steps = np.concatenate([np.linalg.norm(np.diff(table, axis=0), axis=1) for table in tables])
    if even is not True:
        steps = np.concatenate([np.abs(np.diff(table[:, 0])) for table in tables])
    broken = {"even"} if np.ptp(steps) > 1e-6 else set()
    for table in tables:
        if (np.abs(table) if bounded is True else table).max() > 1 + 1e-6:
            broken.add("bounded")
        gaps = np.linalg.norm(table[:, None] - table[None], axis=-1)[np.triu_indices(len(table), 1)]
        if distinct is not True:
            gaps = np.linalg.norm(np.diff(table, axis=0), axis=1)
        if gaps.min() < 1e-6:
            broken.add("distinct")
        rows = len(table) if stable is True else 1
        if np.abs(table[:rows] - longest[:rows]).max() > 1e-6:
            broken.add("stable")
    return sorted(broken)


def audit_code__neighbours_only(tables):
    """compare all pairs of positions"""
    return _audit(tables, distinct="neighbours")


def audit_code__first_row_only(tables):
    """compare whole tables, not their first rows"""
    return _audit(tables, stable="first row")


def audit_code__signed_size(tables):
    """take the absolute value"""
    return _audit(tables, bounded="signed")


def audit_code__first_coordinate(tables):
    """yet you accuse it of ['even']"""
    return _audit(tables, even="first coordinate")


def audit_code__shortest_table_only(tables):
    """steps across tables"""
    return _audit(tables[:1])


def _shift(x, order, layers, mask=-np.inf, scale=True, axis=1, last_stays=True):
    def last_output(x):
        for _ in range(layers):
            scores = x @ x.T / (np.sqrt(x.shape[1]) if scale else 1)
            if mask is not None:
                scores = np.where(np.tri(len(x), dtype=bool), scores, mask)
            weights = np.exp(scores)
            x = weights / weights.sum(axis=axis, keepdims=True) @ x
        return x[-1]

    shuffled = np.concatenate([x[:-1][order], x[-1:]]) if last_stays else x[np.append(order[::-1], len(order)) - 1]
    return float(np.abs(last_output(shuffled) - last_output(x)).max())


def prefix_shift__no_mask(x, order, layers):
    """Is your mask in force in every layer?"""
    return _shift(x, order, layers, mask=None)


def prefix_shift__masked_with_zero(x, order, layers):
    """exp(0) = 1 is no small weight"""
    return _shift(x, order, layers, mask=0.0)


def prefix_shift__unscaled(x, order, layers):
    """not divided by the square root"""
    return _shift(x, order, layers, scale=False)


def prefix_shift__softmax_over_queries(x, order, layers):
    """the weights of each query (a row) sum to 1"""
    return _shift(x, order, layers, axis=0)


def prefix_shift__last_token_moves(x, order, layers):
    """Does the last token stay last"""
    return _shift(x, order, layers, last_stays=False)
