"""Plausible wrong answers to the assignment `offsets`; each docstring is part of the hint that its author must be shown."""

import numpy as np


def _turn_of_each_hand(first, second):
    s1, c1, s2, c2 = first[0::2], first[1::2], second[0::2], second[1::2]
    return s2 * c1 - c2 * s1, c2 * c1 + s2 * s1


def offset_between__dot_product(first, second, inv_freq, farthest):
    """A dot product cannot tell before from after"""
    kernel = np.cos(np.arange(farthest + 1)[:, None] * inv_freq).sum(axis=1)
    return int(np.abs(kernel - first @ second).argmin())


def offset_between__fastest_hand(first, second, inv_freq, farthest):
    """The fast hands turned many times on the way and mislead"""
    sines, cosines = _turn_of_each_hand(first, second)
    return round(float(np.arctan2(sines[0], cosines[0]) / inv_freq[0]))


def offset_between__reversed(first, second, inv_freq, farthest):
    """second minus first is positive"""
    sines, cosines = _turn_of_each_hand(second, first)
    offsets = np.arange(-farthest, farthest + 1)
    turns = offsets[:, None] * inv_freq
    return int(offsets[(np.sin(turns) * sines + np.cos(turns) * cosines).sum(axis=1).argmax()])


def offset_between__reads_both_positions(first, second, inv_freq, farthest):
    """the two positions cannot be read one by one"""
    angles = np.arange(farthest + 1)[:, None] * inv_freq
    p, q = ((np.sin(angles) * c[0::2] + np.cos(angles) * c[1::2]).sum(axis=1).argmax() for c in (first, second))
    return int(q - p)


def what_scores_see__norms_only(table):
    """equal norms say nothing about the other offsets"""
    norms, scores = (table**2).sum(axis=1), table @ table.T
    return "nothing" if np.ptp(scores) < 1e-4 else "offset" if np.ptp(norms) < 1e-4 else "position"


def what_scores_see__neighbours_only(table):
    """Test every offset"""
    scores = table @ table.T
    spread = max(np.ptp(np.diagonal(scores, k)) for k in (0, 1))
    return "nothing" if np.ptp(scores) < 1e-4 else "offset" if spread < 1e-4 else "position"


def what_scores_see__exact(table):
    """compare with the tolerance that was stated"""
    scores = (table @ table.T).round(9)
    spread = max(np.ptp(np.diagonal(scores, k)) for k in range(len(table)))
    return "nothing" if np.ptp(scores) < 1e-4 else "offset" if spread == 0 else "position"


def what_scores_see__forgets_the_empty_code(table):
    """here every position has the same code"""
    scores = table @ table.T
    return "offset" if max(np.ptp(np.diagonal(scores, k)) for k in range(len(table))) < 1e-4 else "position"


def what_scores_see__first_two_of_each_diagonal(table):
    """look along every diagonal to its end"""
    scores = table @ table.T
    spread = max(np.ptp(np.diagonal(scores, k)[: len(table) // 2]) for k in range(len(table) // 2))
    return "nothing" if np.ptp(scores) < 1e-4 else "offset" if spread < 1e-4 else "position"


def join_tables__added(coarse, fine):
    """neither added nor multiplied entry by entry"""
    return (coarse[:, None] + fine[None]).reshape(len(coarse) * len(fine), -1)


def join_tables__multiplied(coarse, fine):
    """neither added nor multiplied entry by entry"""
    return (coarse[:, None] * fine[None]).reshape(len(coarse) * len(fine), -1)


def _join(coarse, fine, sign=1):
    s1, c1, s2, c2 = coarse[:, None, 0::2], coarse[:, None, 1::2], fine[None, :, 0::2], fine[None, :, 1::2]
    return np.stack([s1 * c2 + sign * c1 * s2, c1 * c2 - sign * s1 * s2], axis=-1)


def join_tables__coarse_runs_fastest(coarse, fine):
    """Do the fine steps run fastest?"""
    return _join(fine, coarse).reshape(len(coarse) * len(fine), -1)


def join_tables__one_sign_slipped(coarse, fine):
    """codes are neither added nor multiplied entry by entry"""
    s1, c1, s2, c2 = coarse[:, None, 0::2], coarse[:, None, 1::2], fine[None, :, 0::2], fine[None, :, 1::2]
    return np.stack([s1 * c2 + c1 * s2, c1 * c2 + s1 * s2], axis=-1).reshape(len(coarse) * len(fine), -1)


def join_tables__backwards_from_the_next(coarse, fine):
    """Did a sign slip, so that you got a - b?"""
    table = _join(coarse, fine, sign=-1).reshape(len(coarse) * len(fine), -1)
    table[: len(fine)] = fine
    return table


def four_terms__transposed(x, p, y, q, w):
    """W and its transpose differ"""
    return four_terms__crossed(y, q, x, p, w)


def four_terms__crossed(x, p, y, q, w):
    """the query's part comes first"""
    return {
        "word-word": float(x @ w @ y),
        "word-position": float(p @ w @ y),
        "position-word": float(x @ w @ q),
        "position-position": float(p @ w @ q),
    }


def four_terms__positions_without_w(x, p, y, q, w):
    """Does W stand between query and key in every term"""
    return {
        "word-word": float(x @ w @ y),
        "word-position": float(x @ w @ q),
        "position-word": float(p @ w @ y),
        "position-position": float(p @ q),
    }


def four_terms__three_terms(x, p, y, q, w):
    """Does W stand between query and key in every term"""
    return {
        "word-word": float(x @ w @ y),
        "word-position": 0.0,
        "position-word": 0.0,
        "position-position": float(p @ w @ q),
    }


def four_terms__halves_of_the_cross(x, p, y, q, w):
    """both terms that begin with position must vanish"""
    cross = float(x @ w @ q + p @ w @ y) / 2
    return {
        "word-word": float(x @ w @ y),
        "word-position": cross,
        "position-word": cross,
        "position-position": float(p @ w @ q),
    }
