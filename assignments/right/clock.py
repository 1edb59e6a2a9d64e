"""Right answers to the assignment `clock`, written another way than the teacher's: they must keep every point."""

import numpy as np


def inspect_hands(table):
    out = []
    for h in range(table.shape[1] // 2):
        s, c = table[:, 2 * h], table[:, 2 * h + 1]
        cross = s[1:] * c[:-1] - c[1:] * s[:-1]
        dot = s[1:] * s[:-1] + c[1:] * c[:-1]
        a = np.arctan2(cross, dot)
        if a.max() - a.min() > 1e-5:
            out.append("limps")
        elif abs(a.mean()) < 1e-5:
            out.append("stuck")
        elif a.mean() > 0:
            out.append("turns")
        else:
            out.append("backwards")
    return out


def read_clock(code, inv_freq, longest):
    best, where = 1e9, None
    for p in range(longest):
        c = np.stack([np.sin(p * inv_freq), np.cos(p * inv_freq)], 1).ravel()
        e = np.nanmean((c - code) ** 2)
        if e < best:
            best, where = e, p
    return where


def hands_needed(base, reach):
    n = 1
    while True:
        w = base ** (-np.arange(n) / n)
        d = [sum(2 - 2 * np.cos(k * w)) for k in range(1, reach + 1)]
        if min(d[1:]) >= d[0]:
            return n
        n += 1


def find_word(points):
    (x1, y1), (x2, y2), (x3, y3) = points[:3]
    a = 2 * np.array([[x2 - x1, y2 - y1], [x3 - x1, y3 - y1]])
    b = np.array([x2**2 - x1**2 + y2**2 - y1**2, x3**2 - x1**2 + y3**2 - y1**2])
    return np.linalg.solve(a, b).tolist()
