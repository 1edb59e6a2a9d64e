"""Right answers to the assignment `offsets`, written another way than the teacher's: they must keep every point."""

import numpy as np
import torch


def offset_between(first, second, inv_freq, farthest):
    a, b = (torch.view_as_complex(torch.tensor(v).reshape(-1, 2)) for v in (first, second))
    k = torch.arange(-farthest, farthest + 1)
    turn = torch.exp(-1j * k[:, None] * torch.tensor(inv_freq))  # sin + i cos turns clockwise
    return k[((a * turn) * b.conj()).real.sum(1).argmax()]


def what_scores_see(table):
    g = table @ table.T
    if np.allclose(g, g[0, 0], atol=1e-4):
        return "nothing"
    n = len(g)
    return (
        "offset"
        if all(abs(g[i, j] - g[i + 1, j + 1]) < 1e-4 for i in range(n - 1) for j in range(n - 1))
        else "position"
    )


def join_tables(coarse, fine):
    c = coarse[:, 1::2] + 1j * coarse[:, ::2]
    f = fine[:, 1::2] + 1j * fine[:, ::2]
    rows = []
    for a in c:
        for b in f:
            z = a * b
            rows.append([v for w in z for v in (w.imag, w.real)])
    return rows


def four_terms(x, p, y, q, w):
    f = lambda a, b: np.einsum("i,ij,j", a, w, b)
    return {"word-word": f(x, y), "word-position": f(x, q), "position-word": f(p, y), "position-position": f(p, q)}
