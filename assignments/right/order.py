"""Right answers to the assignment `order`, written another way than the teacher's: they must keep every point."""

from collections import Counter, defaultdict

import numpy as np
import torch


def classify_layer(plain, shuffled, order):
    import torch

    a, b = torch.tensor(plain), torch.tensor(shuffled)
    if torch.allclose(a, b, atol=1e-4, rtol=0):
        return "invariant"
    if a.ndim > 1 and torch.allclose(a[torch.tensor(order)], b, atol=1e-4, rtol=0):
        return "equivariant"
    return "sees order"


def best_blind_score(sentences, labels):
    bags = defaultdict(Counter)
    for s, l in zip(sentences, labels):
        bags[frozenset(Counter(s).items())][l] += 1
    return sum(c.most_common(1)[0][1] for c in bags.values()) / len(labels)


def audit_code(tables):
    bad = set()
    steps = []
    for t in tables:
        if max(abs(v) for row in t for v in row) > 1 + 1e-4:
            bad.add("bounded")
        for i in range(len(t)):
            for j in range(i):
                if np.linalg.norm(t[i] - t[j]) < 1e-4:
                    bad.add("distinct")
        steps += [np.linalg.norm(t[i + 1] - t[i]) for i in range(len(t) - 1)]
        for u in tables:
            n = min(len(t), len(u))
            if not np.allclose(t[:n], u[:n], atol=1e-4):
                bad.add("stable")
    if max(steps) - min(steps) > 1e-4:
        bad.add("even")
    return sorted(bad)


def prefix_shift(x, order, layers):
    def run(x):
        for _ in range(layers):
            s = x @ x.T / x.shape[1] ** 0.5
            s = s.masked_fill(torch.ones(len(x), len(x)).triu(1).bool(), -torch.inf)
            x = s.softmax(-1) @ x
        return x[-1]

    x = torch.tensor(x).float()
    y = torch.cat([x[:-1][torch.tensor(order)], x[-1:]])
    return (run(x) - run(y)).abs().max()
