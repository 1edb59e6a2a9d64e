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


def _layout(table, start=True, length=True, even=True, moves=True, tolerance=1e-4):
    half = table.shape[1] // 2
    layouts = {"interleaved": (table[:, 0::2], table[:, 1::2]), "half": (table[:, :half], table[:, half:])}
    for name, (sines, cosines) in layouts.items():
        hands = cosines + 1j * sines
        upright = not start or np.abs(hands[0] - 1).max() < tolerance
        evenly = not even or np.abs(hands[1:] * np.conj(hands[:-1]) - hands[1] * np.conj(hands[0])).max() < tolerance
        unit = not length or np.abs(np.abs(hands) - 1).max() < tolerance
        if upright and evenly and unit and (not moves or np.abs(hands[1] - hands[0]).max() > tolerance):
            return name
    return "neither"


def which_layout__row_zero_only(table):
    """sin² + cos² must be 1 at every position, not only at the first"""
    return _layout(table, length=False, even=False)


def which_layout__length_only(table):
    """each step must turn a hand by the same angle"""
    return _layout(table, start=False, even=False)


def which_layout__start_left_out(table):
    """row 0 must stand at 12"""
    return _layout(table, start=False)


def which_layout__still_hands(table):
    """no hand turns, so it encodes nothing"""
    return _layout(table, moves=False)


def which_layout__no_tolerance(table):
    """compare with the tolerance"""
    return _layout(table, tolerance=1e-12)


def which_layout__starts_at_three(table):
    """columns 0 and 1 are sine and cosine of one angle"""
    return _layout(np.pi / 2 - table)


def _alone(now, later):
    best, *_ = np.linalg.lstsq(now, later, rcond=None)
    return np.sqrt(np.mean((now @ best - later) ** 2, axis=0))


def without_partner__wraps_round(table):
    """do not wrap round"""
    return [int(c) for c in np.flatnonzero(_alone(table, np.roll(table, -1, axis=0)) > 1e-6)]


def without_partner__partner_next_door(table):
    """A partner need not stand next door"""
    alone = []
    for c in range(table.shape[1]):
        doors = [table[:, c] ** 2 + table[:, n] ** 2 for n in (c - 1, c + 1) if 0 <= n < table.shape[1]]
        if all(np.ptp(door) > 1e-6 for door in doors):
            alone.append(c)
    return alone


def without_partner__all_or_none(table):
    """judge column by column"""
    return list(range(table.shape[1])) if _alone(table[:-1], table[1:]).mean() > 1e-6 else []


def without_partner__looks_at_row_zero(table):
    """you found nobody"""
    sines, cosines = np.flatnonzero(table[0] < 0.5), np.flatnonzero(table[0] >= 0.5)
    return [int(c) for c in (sines[len(cosines) :] if len(sines) > len(cosines) + 1 else cosines[len(sines) + 1 :])]


def without_partner__counts_missing_cosines_only(table):
    """it may be a sine or a cosine"""
    return [int(c) for c in np.flatnonzero(_alone(table[:-1], table[1:]) > 1e-6) if table[0, c] < 0.5] or [0]


def without_partner__coarse_threshold(table):
    """you missed a column whose partner is gone"""
    error = _alone(table[:-1], table[1:])
    return [int(error.argmax())] if error.max() > 1e-6 else []


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
