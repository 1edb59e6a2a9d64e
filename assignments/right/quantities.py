"""Right answers to the assignment `quantities`, written another way than the teacher's: they must keep every point."""

import math

import numpy as np
import torch


def scale_and_base(low, high, step, pairs):
    shortest, longest = 6 * step, 3 * (high - low)
    ratio = (longest / shortest) ** (1 / (pairs - 1))
    return [2 * math.pi / shortest, ratio**pairs]


def closest(values, codes, apart):
    values = torch.as_tensor(np.array(values), dtype=torch.float64)
    found = torch.cdist(torch.as_tensor(np.array(codes), dtype=torch.float64), torch.tensor(np.array(codes)).double())
    found[(values[:, None] - values).abs() < apart] = math.inf
    return found.min().item()


def foretell(hours, values, later, period, parts):
    def hands(times):
        waves = [np.ones(len(times), complex)]
        waves += [np.exp(2j * np.pi * k * np.asarray(times) / period) for k in range(-parts, parts + 1) if k]
        return np.stack(waves, axis=1)

    return (hands(later) @ np.linalg.pinv(hands(hours)) @ values).real


def places(size, trained, measured_in):
    shares = [t / s if measured_in == "pictures" else 1 for t, s in zip(trained, size)]
    return [(r * shares[0], c * shares[1]) for r in range(size[0]) for c in range(size[1])]
