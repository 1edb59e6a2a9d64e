"""Right answers to the assignment `learned_or_fixed`, written another way than the teacher's: they must keep every point."""

import itertools

import numpy as np


def matched_std(table):
    return np.sqrt((np.linalg.norm(table, axis=1) ** 2).mean() / table.shape[1])


def rows_touched(lengths, table_len):
    counts = np.zeros(table_len, dtype=int)
    for n in lengths:
        counts[:n] += 1
    return counts


def fair_result(runs):
    out = {}
    for e in {r["encoding"] for r in runs}:
        best = None
        for s in {r["setting"] for r in runs if r["encoding"] == e}:
            group = [r for r in runs if r["encoding"] == e and r["setting"] == s]
            v = np.mean([r["valid"] for r in group])
            if best is None or v > best[0]:
                best = (v, np.mean([r["test"] for r in group]))
        out[e] = best[1]
    return out


def chance_of(a, b):
    pool = list(a) + list(b)
    seen = np.mean(a) - np.mean(b)
    hits = total = 0
    for idx in itertools.combinations(range(len(pool)), len(a)):
        A = [pool[i] for i in idx]
        B = [pool[i] for i in range(len(pool)) if i not in idx]
        total += 1
        hits += np.mean(A) - np.mean(B) >= seen - 1e-9
    return hits / total
