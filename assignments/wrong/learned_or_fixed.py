"""Plausible wrong answers to the assignment `learned_or_fixed`; each docstring is part of the hint for its author."""

from itertools import combinations

import numpy as np


def matched_std__subtracts_the_mean(table):
    """do not subtract the mean of the table"""
    return float(np.std(table, axis=1).mean())


def matched_std__std_of_the_table(table):
    """do not subtract the mean of the table"""
    return float(np.std(table))


def matched_std__norm(table):
    """Did you return a norm?"""
    return float(np.linalg.norm(table, axis=1).mean())


def matched_std__habit(table):
    """it is no fixed habit"""
    return 0.02


def matched_std__mean_of_norms(table):
    """the mean is taken over the *squared* norms"""
    return float(np.linalg.norm(table, axis=1).mean() / np.sqrt(table.shape[1]))


def rows_touched__last_row_only(lengths, table_len):
    """every sequence has a first token"""
    return [sum(length - 1 == row for length in lengths) for row in range(table_len)]


def rows_touched__one_row_too_many(lengths, table_len):
    """the last of them is row n - 1"""
    return [sum(length >= row for length in lengths) for row in range(table_len)]


def rows_touched__table_is_long_enough(lengths, table_len):
    """each touches one row; your counts add up to"""
    return [len(lengths)] * table_len


def rows_touched__counts_from_the_end(lengths, table_len):
    """every sequence has a first token"""
    return [sum(length > table_len - 1 - row for length in lengths) for row in range(table_len)]


def _groups(runs):
    groups = {}
    for run in runs:
        groups.setdefault(run["encoding"], {}).setdefault(run["setting"], []).append(run)
    return groups


def _mean(runs, key):
    return sum(run[key] for run in runs) / len(runs)


def fair_result__averages_all_settings(runs):
    """do not average over all of them"""
    return {
        name: _mean([run for tried in settings.values() for run in tried], "test")
        for name, settings in _groups(runs).items()
    }


def fair_result__first_setting(runs):
    """do not average over all of them or take the first"""
    return {name: _mean(next(iter(settings.values())), "test") for name, settings in _groups(runs).items()}


def fair_result__best_single_run(runs):
    """one lucky seed of a bad setting changed your result"""
    return {
        name: max((run for tried in settings.values() for run in tried), key=lambda run: run["valid"])["test"]
        for name, settings in _groups(runs).items()
    }


def fair_result__chosen_on_test(runs):
    """the setting was chosen on the test accuracy"""
    return {name: max(_mean(tried, "test") for tried in settings.values()) for name, settings in _groups(runs).items()}


def fair_result__reports_validation(runs):
    """report its test accuracy, not its validation accuracy"""
    return {name: max(_mean(tried, "valid") for tried in settings.values()) for name, settings in _groups(runs).items()}


def fair_result__settings_shared_between_encodings(runs):
    """settings of different encodings are separate"""
    settings = {}
    for run in runs:
        settings.setdefault(run["setting"], []).append(run)
    best = max(settings.values(), key=lambda tried: _mean(tried, "valid"))
    names = {run["encoding"] for run in runs}
    return {
        n: _mean([r for r in best if r["encoding"] == n] or [r for r in runs if r["encoding"] == n], "test")
        for n in names
    }


def _share(a, b, gap, reaches):
    runs, k = [*a, *b], len(a)
    seen = gap(a, b)
    gaps = []
    for chosen in combinations(range(len(runs)), k):
        inside, outside = ([r for i, r in enumerate(runs) if (i in chosen) == side] for side in (True, False))
        gaps.append(gap(inside, outside))
    return sum(bool(reaches(value, seen)) for value in gaps) / len(gaps)


def chance_of__strictly_larger(a, b):
    """'At least as large', not 'larger'"""
    return _share(a, b, lambda x, y: np.mean(x) - np.mean(y), lambda value, seen: value > seen + 1e-9)


def chance_of__two_sided(a, b):
    """the question was whether A is better, so the sign stays"""
    return _share(a, b, lambda x, y: abs(np.mean(x) - np.mean(y)), lambda value, seen: value >= seen - 1e-9)


def chance_of__sampled(a, b):
    """go through all, do not sample"""
    rng = np.random.default_rng(1)
    runs, k = np.array([*a, *b]), len(a)
    mixed = [rng.permutation(runs) for _ in range(997)]
    return (1 + sum(m[:k].mean() - m[k:].mean() >= np.mean(a) - np.mean(b) - 1e-9 for m in mixed)) / 998


def chance_of__equal_runs_merged(a, b):
    """equal runs are still separate runs"""
    runs, k = [*a, *b], len(a)
    ways = set(combinations(sorted(runs), k))
    gaps = [sum(way) / k - (sum(runs) - sum(way)) / (len(runs) - k) for way in ways]
    return sum(value >= np.mean(a) - np.mean(b) - 1e-9 for value in gaps) / len(gaps)


def chance_of__no_tolerance(a, b):
    """use the tolerance 1e-9"""
    return _share(a, b, lambda x, y: sum(x) / len(x) - sum(y) / len(y), lambda value, seen: value >= seen)
