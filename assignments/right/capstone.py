"""Right answers to the assignment `capstone`, written another way than the teacher's: they must keep every point."""

import numpy as np


def score_facts(scores):
    n = len(scores)
    toeplitz = all(abs(scores[i, j] - scores[i + 1, j + 1]) <= 1e-5 for i in range(n - 1) for j in range(n - 1))
    return {
        "offset_only": toeplitz,
        "directed": not np.allclose(scores, scores.T, atol=1e-5, rtol=0),
        "favourite": scores[n // 2].argmax() - n // 2,
    }


def holds_until(runs, floor):
    lengths = sorted(set(r["length"] for r in runs))
    good = [n for n in lengths if all(r["accuracy"] >= floor for r in runs if r["length"] <= n)]
    return max(good, default=0)


def sign_test(chosen, rival):
    from math import comb

    a = {r["seed"]: r["accuracy"] for r in chosen}
    b = {r["seed"]: r["accuracy"] for r in rival}
    wins = sum(a[s] > b[s] for s in a)
    losses = sum(a[s] < b[s] for s in a)
    n = wins + losses
    return sum(comb(n, k) for k in range(wins, n + 1)) / 2**n


def choose(task, candidates):
    ok = []
    for c in candidates:
        if c["parameters"] > task["max_parameters"]:
            continue
        if holds_until([r for r in c["runs"] if r["length"] <= task["length"]], task["floor"]) != task["length"]:
            continue
        ok.append((min(r["accuracy"] for r in c["runs"] if r["length"] == task["length"]), c["parameters"], c["name"]))
    if not ok:
        return "none"
    top = max(w for w, _, _ in ok)
    return min((p, n) for w, p, n in ok if w >= top - 0.01)[1]
