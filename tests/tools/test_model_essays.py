"""Model essays: each keeps to its rubric in the source notebook, its points and its length; its numbers come out."""

import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from pe_grading.marking import ROW, rubric_of
from pe_grading.notebook import load_assignment

HOME = Path(__file__).parents[2]
PAGES = {path.stem: path.read_text("utf-8") for path in sorted((HOME / "assignments" / "essays").glob("*.md"))}
SOURCES = {
    name: nbformat.read(HOME / "assignments" / "source" / name / f"{name}.ipynb", as_version=4) for name in PAGES
}
ESSAY = re.compile(r"^## (\d) points\n\n((?:> .+\n)+)\n((?:- .+\n)+)", re.M)
VERDICT = re.compile(r"^- \*\*(\d), (.+?)\*\*: (met|half met|not met)\.", re.M)


def essays(name):
    """Return (points, words of the essay, verdicts of its rows) for each essay of a page."""
    return [
        (int(points), " ".join(line.removeprefix(">").strip() for line in text.splitlines()), VERDICT.findall(rows))
        for points, text, rows in ESSAY.findall(PAGES[name])
    ]


SHARE = {"met": 1, "half met": 0.5, "not met": 0}


def question_of(name):
    return load_assignment(HOME / "assignments" / "source" / name / f"{name}.ipynb")


def question(name):
    return next(cell.source for cell in SOURCES[name].cells if cell.source.startswith("## 5."))


def rubric(name):
    cell = next(cell for cell in SOURCES[name].cells if "**Rubric" in cell.source)
    return [re.sub(r"[*_`]", "", " ".join(row.split())) for row in ROW.findall(cell.source)]


def the_class(name):
    """Return what the set-up of an assignment defines, and the solutions."""
    found = {}
    for cell in SOURCES[name].cells:
        kind = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and (kind.get("solution") or kind.get("grade_id") in ("seed", "setup")):
            exec(cell.source, found)
    return found


def test_there_are_essays_at_all_half_and_no_points_for_each_assignment():
    assert sorted(PAGES) == sorted({path.parent.name for path in HOME.glob("assignments/source/*/*.ipynb")})
    for name in PAGES:
        most = sum(cell.points for cell in question_of(name).written)
        assert [points for points, _, _ in essays(name)] == [most, most / 2, 0]


@pytest.mark.parametrize("name", PAGES)
def test_each_row_of_the_rubric_has_a_verdict_under_its_own_name(name):
    for points, _, verdicts in essays(name):
        assert [int(number) for number, _, _ in verdicts] == list(range(1, len(rubric(name)) + 1))
        for (_, called, _), row in zip(verdicts, rubric(name), strict=True):
            assert row.startswith(called)
        most = [row["points"] for row in rubric_of(question_of(name).written[0])]
        assert sum(SHARE[verdict] * own for (_, _, verdict), own in zip(verdicts, most, strict=True)) == points


@pytest.mark.parametrize("name", PAGES)
def test_an_essay_is_no_longer_than_the_question_allows(name):
    most = int(re.search(r"at most (\d+) words", question(name))[1])
    for _, text, _ in essays(name):
        assert 30 < len(text.split()) <= most


@pytest.mark.parametrize("name", PAGES)
def test_students_are_not_handed_an_essay(name):
    handed_out = (HOME / "notebooks" / "assignments" / f"{name}.ipynb").read_text("utf-8")
    for _, text, _ in essays(name):
        assert not any(sentence in handed_out for sentence in text.split(". ") if len(sentence) > 30)


def codes(count, width, base):
    angles = np.arange(count)[:, None] * base ** (-np.arange(0, width, 2) / width)
    return np.sin(angles), np.cos(angles)


def missed_by_the_best_matrix(table):
    best, *_ = np.linalg.lstsq(table[:-1], table[1:], rcond=None)
    return np.sqrt(np.mean((table[:-1] @ best - table[1:]) ** 2))


def measured_order():
    given = the_class("order")
    x = np.random.default_rng(1).normal(size=(given["SEQ_LEN"], given["D_MODEL"]))
    backwards = np.arange(len(x) - 1)[::-1]
    assert given["prefix_shift"](x, backwards, 1) < 1e-15
    return [f"{given['SEQ_LEN']} tokens", f"changed by {given['prefix_shift'](x, backwards, 2):.2f}"]


def measured_sinusoid():
    given = the_class("sinusoid")
    base = given["base_for"](given["D_MODEL"], given["LONGEST"])
    sines, cosines = codes(1000, given["D_MODEL"], base)
    apart = np.linalg.norm(sines[:, None] - sines, axis=2) + 9 * np.eye(1000)
    first, second = sorted(divmod(int(apart.argmin()), 1000))
    assert missed_by_the_best_matrix(np.hstack([sines, cosines])) < 1e-12
    alone = missed_by_the_best_matrix(sines)
    return [f"base {base:.0f}", f"{first} and {second}", f"{apart.min():.2f} apart", f"{alone:.2f}"]


def measured_clock():
    given = the_class("clock")

    def apart(offset, hands=4):
        return math.sqrt(sum(2 - 2 * math.cos(offset * 10_000 ** (-i / hands)) for i in range(hands)))

    found = [f"{given['REACH']:,}", f"gives {given['hands_needed'](10_000, given['REACH'])}"]
    return found + [f"{apart(offset):.2f}" for offset in (710, 1, 6283)] + [f"{710 / (2 * math.pi):.5f} turns"]


def measured_offsets():
    given = the_class("offsets")
    width, k = given["D_MODEL"], given["OFFSET"]
    found = [f"width {width}", f"position {2 + k}"]
    for length in given["LENGTHS"]:
        sines, cosines = codes(length, width, 10_000)
        scores = (sines @ sines.T + cosines @ cosines.T) / math.sqrt(width)
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        found += [f"{scores[2, 2 + k]:.2f}", f"{weights[2, 2 + k]:.3f} in {length}"]
    table = np.stack([sines, cosines], axis=-1).reshape(length, width)
    random = np.random.default_rng(1).normal(size=(width, width))
    terms = [table[p] @ random @ table[p + k] for p in (2, 40)]
    found += [f"position {40 + k} only {weights[40, 40 + k]:.3f}", f"{terms[0]:.1f}", f"−{-terms[1]:.1f}"]
    return found


def measured_learned_or_fixed():
    given = the_class("learned_or_fixed")
    seeds = given["SEEDS"]
    smallest = given["chance_of"]([1.0 + i for i in range(seeds)], [-1.0 - i for i in range(seeds)])
    assert smallest == pytest.approx(1 / math.comb(2 * seeds, seeds))
    return [f"{smallest:.3f}", f"1/{math.comb(2 * seeds, seeds)}", f"C({2 * seeds}, {seeds})"]


def measured_capstone():
    given = the_class("capstone")
    exec(next(cell.source for cell in SOURCES["capstone"].cells if "sweep.json" in cell.source), given)
    length = given["TASK"]["length"]

    def of(scheme, embedding=1.0):
        own = next(
            result
            for result in given["mine"]
            if (result["config"]["scheme"], result["config"]["embedding_std"]) == (scheme, embedding)
        )
        runs = given["as_candidate"](own, 0)["runs"]
        return [run for run in runs if run["length"] == length], runs

    found = []
    for scheme in ("rotary", "sinusoid", "relative"):
        there = [run["accuracy"] for run in of(scheme)[0]]
        found += [f"{np.mean(there):.3f}", f"{min(there):.3f}"]
    quiet = np.mean([run["accuracy"] for run in of("sinusoid", 0.02)[0]])
    rotary, sinusoid = of("rotary"), of("sinusoid")
    found += [f"{quiet:.3f}", f"{given['sign_test'](rotary[0], sinusoid[0]):.3f}"]
    found += [f"holds_until` gives {given['holds_until'](rotary[1], given['TASK']['floor'])}"]
    assert min(run["accuracy"] for run in rotary[1] if run["length"] == 128) < given["TASK"]["floor"]
    alibi = -np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    assert given["score_facts"](alibi) == {"offset_only": True, "directed": False, "favourite": 0}
    return [*found, f"holds until {given['holds_until'](sinusoid[1], given['TASK']['floor'])}"]


def measured_serving():
    given = the_class("serving")
    first, count, length = given["FIRST"], given["COUNT"], given["LENGTH"]
    stay = [*range(first), *range(first + count, length)]
    causal = np.tril(np.ones((length, length), dtype=bool))
    anew = given["read"](given["TEXT"][stay], np.arange(len(stay)), causal[np.ix_(stay, stay)])

    def off(visible):
        """How far keys and values behind the gap are off, layer by layer."""
        keys, values = given["read"](given["TEXT"], np.arange(length), visible)
        keys = np.array([given["slide"](layer, given["INV_FREQ"], first, count) for layer in keys])
        return [
            np.linalg.norm(kept[:, first:] - new[:, first:], axis=(1, 2)) / np.linalg.norm(new[:, first:], axis=(1, 2))
            for kept, new in ((keys, anew[0]), (values[:, stay], anew[1]))
        ]

    keys, values = off(causal)
    assert keys[0] < 1e-12 and values[0] < 1e-12
    hidden = causal.copy()
    hidden[first + count :, first : first + count] = False
    return [
        f"dropped {count} behind",
        f"the {len(stay) - first} entries",
        "keys are off by {:.2f}, {:.2f} and {:.2f}".format(*keys[1:]),
        "values by {:.2f}, {:.2f} and {:.2f}".format(*values[1:]),
        "values are off by {:.2f}, {:.2f} and {:.2f}".format(*off(hidden)[1][1:]),
    ]


def measured_quantities():
    given = the_class("quantities")
    low, high, step = given["QUANTITIES"]["temperature of a room in °C"]
    values, pairs = np.arange(low, high + step / 2, step), given["PAIRS"]
    scale, base = given["scale_and_base"](low, high, step, pairs)

    def apart(difference, *chosen):
        return given["closest"](values, given["code"](values, *chosen, pairs), difference)

    usual = (1.0, 10_000.0)
    slow = [(high - low) * usual[1] ** (-i / pairs) for i in range(pairs)][-3:]
    assert max(slow) < 0.2 and (120 - low) * scale * base ** (-(pairs - 1) / pairs) > 2 * math.pi
    return [
        f"all {len(values)} values",
        f"scale {scale:.2f} and base {base:.0f}",
        f"at least {apart(step, scale, base):.2f} apart",
        f"it is {apart(step, *usual):.2f}",
        f"closest are {apart(25, *usual):.2f} apart there and {apart(25, scale, base):.2f}",
    ]


@pytest.mark.parametrize("name", PAGES)
def test_the_numbers_of_a_full_essay_come_out(name):
    _, text, _ = essays(name)[0]
    measured = {
        "order": measured_order,
        "sinusoid": measured_sinusoid,
        "clock": measured_clock,
        "offsets": measured_offsets,
        "learned_or_fixed": measured_learned_or_fixed,
        "capstone": measured_capstone,
        "serving": measured_serving,
        "quantities": measured_quantities,
    }
    assert [number for number in measured[name]() if not re.search(re.escape(number) + r"(?!\d)", text)] == []
