"""Plausible wrong answers to the assignment `quantities`; each docstring is part of the hint that its author must be shown."""

import numpy as np


def scale_and_base__as_it_is(low, high, step, pairs):
    """the slowest hand makes"""
    return 1.0, 10_000.0


def scale_and_base__one_radian_a_turn(low, high, step, pairs):
    """Hand 0 turns by the scale itself, in radians"""
    return 2 * np.pi / step, 100.0


def scale_and_base__squeezed_to_one(low, high, step, pairs):
    """A larger scale makes it faster; the base cannot"""
    return 1 / (high - low), 2.0


def scale_and_base__base_10_000_always(low, high, step, pairs):
    """it hardly moves"""
    return 2 * np.pi / (4 * step), 10_000.0


def scale_and_base__slowest_is_one_over_base(low, high, step, pairs):
    """its speed is scale * base ** (-(pairs - 1) / pairs), not scale / base"""
    return 2 * np.pi / (4 * step), (high - low) * 1.2 / (4 * step)


def scale_and_base__from_zero(low, high, step, pairs):
    """it is high - low that counts, not high"""
    fastest, slowest = 2 * np.pi / (4 * step), 2 * np.pi / (2 * max(abs(low), abs(high)))
    return fastest, (fastest / slowest) ** (pairs / (pairs - 1))


def scale_and_base__whole_numbers(low, high, step, pairs):
    """the scale has to follow the step"""
    fastest, slowest = 2 * np.pi / 4, 2 * np.pi / (2 * max(high - low, 4))
    return fastest, (fastest / slowest) ** (pairs / (pairs - 1))


def _distances(codes):
    return np.sqrt(((codes[:, None] - codes) ** 2).sum(axis=-1))


def closest__with_itself(values, codes, apart):
    """a value is not compared with itself"""
    return float(_distances(codes).min())


def closest__squared(values, codes, apart):
    """Is it the length of the difference?"""
    far = np.abs(values[:, None] - values) >= apart
    return float((_distances(codes)[far] ** 2).min()) if far.any() else float("inf")


def closest__neighbours_alone(values, codes, apart):
    """neighbours do not count, and exactly 3 does"""
    return float(np.linalg.norm(np.diff(codes, axis=0), axis=1).min())


def closest__exactly_apart(values, codes, apart):
    """the values 0 and 8 have the same code"""
    near = np.abs(np.abs(values[:, None] - values) - apart) < 1e-9
    return float(_distances(codes)[near].min()) if near.any() else float("inf")


def closest__places_in_the_list(values, codes, apart):
    """`apart` is a difference of values, not of places in the list"""
    place = np.arange(len(values)) * abs(values[-1] - values[0]) / (len(values) - 1)
    far = np.abs(place[:, None] - place) >= apart - 1e-9
    return float(_distances(codes)[far].min()) if far.any() else float("inf")


def closest__none_is_zero(values, codes, apart):
    """the answer is infinity"""
    far = np.abs(values[:, None] - values) >= apart
    return float(_distances(codes)[far].min()) if far.any() else 0.0


def _fit(columns, hours, values, later):
    weights, *_ = np.linalg.lstsq(columns(hours), values, rcond=None)
    return columns(later) @ weights


def _hands(times, wavelengths, constant=True):
    angles = 2 * np.pi * np.asarray(times)[:, None] / np.asarray(wavelengths)
    ones = [np.ones((len(angles), 1))] if constant else []
    return np.hstack([*ones, np.sin(angles), np.cos(angles)])


def foretell__a_straight_line(hours, values, later, period, parts):
    """they come round; a straight line does not"""

    def columns(times):
        return np.stack([np.ones_like(times), times, times**2, times**3], axis=1)

    return _fit(columns, hours, values, later)


def foretell__no_turns(hours, values, later, period, parts):
    """A hand turns by 2π · hours / wavelength"""
    return _fit(lambda t: _hands(t, 2 * np.pi * period / np.arange(1, parts + 1)), hours, values, later)


def foretell__sine_alone(hours, values, later, period, parts):
    """it needs its sine and its cosine"""
    return _fit(lambda t: _hands(t, period / np.arange(1, parts + 1))[:, : parts + 1], hours, values, later)


def foretell__a_day_always(hours, values, later, period, parts):
    """a pure rhythm of"""
    return _fit(lambda t: _hands(t, 24 / np.arange(1, parts + 1)), hours, values, later)


def foretell__the_mean(hours, values, later, period, parts):
    """a pure rhythm of"""
    return np.full(len(later), np.mean(values))


def foretell__no_constant(hours, values, later, period, parts):
    """fit a constant as well"""
    return _fit(lambda t: _hands(t, period / np.arange(1, parts + 1), constant=False), hours, values, later)


def foretell__longer_wavelengths(hours, values, later, period, parts):
    """they get shorter"""
    return _fit(lambda t: _hands(t, period * np.arange(1, parts + 1)), hours, values, later)


def foretell__always_six_parts(hours, values, later, period, parts):
    """use as many hands as `parts` says"""
    return _fit(lambda t: _hands(t, period / np.arange(1, 7)), hours, values, later)


def _places(size, shares, row_first=True):
    rows, columns = np.meshgrid(np.arange(size[0]) * shares[0], np.arange(size[1]) * shares[1], indexing="ij")
    pair = (rows.ravel(), columns.ravel())
    return np.stack(pair if row_first else pair[::-1], axis=1)


def _shares(size, trained, measured_in):
    return [t / s if measured_in == "pictures" else 1.0 for t, s in zip(trained, size)]


def places__column_first(size, trained, measured_in):
    """the row comes first in a place"""
    return _places(size, _shares(size, trained, measured_in), row_first=False)


def places__column_by_column(size, trained, measured_in):
    """row by row"""
    found = _places(size, _shares(size, trained, measured_in)).reshape(*size, 2)
    return found.transpose(1, 0, 2).reshape(-1, 2)


def places__always_counts_on(size, trained, measured_in):
    """half of the larger picture must be the offset that half a picture was in training"""
    return _places(size, (1.0, 1.0))


def places__always_squeezes(size, trained, measured_in):
    """the places count on"""
    return _places(size, _shares(size, trained, "pictures"))


def places__upside_down(size, trained, measured_in):
    """half of the larger picture must be the offset that half a picture was in training"""
    return _places(size, [1 / share for share in _shares(size, trained, measured_in)])


def places__one_share_for_both(size, trained, measured_in):
    """each axis is squeezed by its own share"""
    return _places(size, [_shares(size, trained, measured_in)[0]] * 2)


def places__never_stretches(size, trained, measured_in):
    """a smaller picture is stretched"""
    return _places(size, [min(share, 1.0) for share in _shares(size, trained, measured_in)])


def places__rounded(size, trained, measured_in):
    """places between two old ones are no whole numbers"""
    return _places(size, _shares(size, trained, measured_in)).round()


def places__ends_on_ends(size, trained, measured_in):
    """half of the larger picture must be the offset that half a picture was in training"""
    shares = [(t - 1) / (s - 1) if measured_in == "pictures" else 1.0 for t, s in zip(trained, size)]
    return _places(size, shares)
