"""Plausible wrong answers to the assignment `sinusoid`; each docstring is part of the hint that its author must be shown."""

import numpy as np


def base_for__longest_is_two_pi_base(d_model, longest):
    """the last pair is i = d/2 - 1, so its exponent stops short of 1"""
    return longest / (2 * np.pi)


def base_for__exponent_upside_down(d_model, longest):
    """Is your exponent upside down?"""
    return (longest / (2 * np.pi)) ** ((d_model - 2) / d_model)


def base_for__no_full_turn(d_model, longest):
    """Is the 2π of a full turn in your formula?"""
    return longest ** (d_model / (d_model - 2))


def base_for__last_pair_of_512(d_model, longest):
    """It depends on d_model"""
    return (longest / (2 * np.pi)) ** (512 / 510)


def still_pairs__counts_coordinates(d_model, base, length, limit):
    """count pairs, not coordinates"""
    omega = float(base) ** (-(np.arange(d_model) // 2 * 2) / d_model)
    return int(np.sum((length - 1) * omega < limit))


def still_pairs__length_for_steps(d_model, base, length, limit):
    """there are n - 1 steps"""
    return int(np.sum(length * float(base) ** (-np.arange(0, d_model, 2) / d_model) < limit))


def still_pairs__half_exponent(d_model, base, length, limit):
    """the exponent of pair i is 2i/d, not i/d"""
    return int(np.sum((length - 1) * float(base) ** (-np.arange(d_model // 2) / d_model) < limit))


def still_pairs__modulo_a_turn(d_model, base, length, limit):
    """do not take it modulo 2π"""
    angles = (length - 1) * float(base) ** (-np.arange(0, d_model, 2) / d_model)
    return int(np.sum(angles % (2 * np.pi) < limit))


def shift_residual__no_fit(table, k):
    """Did you fit a map at all"""
    return float(np.sqrt(np.mean((table[k:] - table[: len(table) - k]) ** 2)))


def shift_residual__wraps_round(table, k):
    """do not wrap round"""
    later = np.roll(table, -k, axis=0)
    return float(np.sqrt(np.mean((table @ np.linalg.lstsq(table, later, rcond=None)[0] - later) ** 2)))


def shift_residual__backwards(table, k):
    """fit the way forward"""
    now, later = table[k:], table[: len(table) - k]
    return float(np.sqrt(np.mean((now @ np.linalg.lstsq(now, later, rcond=None)[0] - later) ** 2)))


def shift_residual__mean_absolute(table, k):
    """square, average, then take the root"""
    now, later = table[: len(table) - k], table[k:]
    return float(np.mean(np.abs(now @ np.linalg.lstsq(now, later, rcond=None)[0] - later)))


def shift_residual__no_root(table, k):
    """the root is missing"""
    now, later = table[: len(table) - k], table[k:]
    return float(np.mean((now @ np.linalg.lstsq(now, later, rcond=None)[0] - later) ** 2))


def repair__square_root(sines):
    """√(1 - sin²) cannot be"""
    return np.stack([sines, np.sqrt(np.clip(1 - sines**2, 0, 1))], axis=-1).reshape(len(sines), -1)


def repair__halves(sines):
    """pairs lie side by side"""
    angles = np.arange(len(sines))[:, None] * np.arcsin(sines[1])
    return np.concatenate([sines, np.cos(angles)], axis=1)


def repair__base_10000(sines):
    """Did you assume a base?"""
    n, half = sines.shape
    angles = np.arange(n)[:, None] * 10_000.0 ** (-np.arange(half) / half)
    return np.stack([sines, np.cos(angles)], axis=-1).reshape(n, -1)


def repair__negative_on_even_half_turns(sines):
    """somewhere a cosine has the wrong sign"""
    cosines = np.sqrt(np.clip(1 - sines**2, 0, 1))
    cosines[1:] *= np.where(np.diff(sines, axis=0) < 0, -1, 1)  # falling sine, negative cosine: only nearly so
    return np.stack([sines, cosines], axis=-1).reshape(len(sines), -1)
