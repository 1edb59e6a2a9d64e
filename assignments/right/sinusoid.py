"""Right answers to the assignment `sinusoid`, written another way than the teacher's: they must keep every point."""

import numpy as np
import torch


def base_for(d_model, longest):
    import torch

    return torch.exp(torch.log(torch.tensor(longest / 6.283185307)) / ((d_model - 2) / d_model))


def which_layout(table):
    t = torch.tensor(table).double()
    n, d = t.shape

    def ok(s, c):
        z = torch.complex(c, s)
        w = torch.angle(z[1])
        want = torch.polar(torch.ones(n, d // 2, dtype=torch.float64), torch.arange(n)[:, None] * w)
        return (z - want).abs().max() < 1e-4 * n and w.abs().max() > 1e-4

    if ok(t[:, ::2], t[:, 1::2]):
        return "interleaved"
    if ok(t[:, : d // 2], t[:, d // 2 :]):
        return "half"
    return "neither"


def without_partner(table):
    n = table.shape[1]
    return [
        i for i in range(n) if not any(np.ptp(table[:, i] ** 2 + table[:, j] ** 2) < 1e-4 for j in range(n) if j != i)
    ]


def repair(sines):
    s = torch.tensor(sines, dtype=torch.float32)
    w = torch.asin(s[1])
    out = torch.zeros(s.shape[0], 2 * s.shape[1])
    out[:, 0::2] = s
    out[:, 1::2] = torch.cos(torch.arange(len(s))[:, None] * w)
    return out
