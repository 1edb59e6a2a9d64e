"""The exam: each solution comes out of the numbers that its question states, by another way."""

import re
import subprocess
from itertools import combinations, pairwise

import numpy as np
import pytest
import torch
from tools import exam

ALL = {lesson for lesson, _, _ in exam.QUESTIONS}
VARIANTS = [("spring A", number) for number in range(1, 9)]


def numbers(text):
    return [float(number.replace(",", "").replace("−", "-")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def table(count, width, base):
    """The codes of positions by the paper's formula, entry by entry."""
    codes = np.zeros((count, width))
    for p in range(count):
        for i in range(0, width, 2):
            codes[p, i] = np.sin(p / base ** (i / width))
            codes[p, i + 1] = np.cos(p / base ** (i / width))
    return codes


def code_of_a_position(asked, answer):
    position, _, base = numbers(asked)[:3]
    return numbers(answer)[:4], table(int(position) + 1, 4, base)[-1]


def longest_wavelength(asked, answer):
    width, base = numbers(asked)[:2]
    angles = table(20_000 if width > 4 else 7_000, int(width), base)[:, -2:]
    turned = np.unwrap(np.arctan2(angles[:, 0], angles[:, 1]))
    return numbers(answer)[0] / (2 * np.pi * (len(turned) - 1) / (turned[-1] - turned[0])), 1


def position_from_hands(asked, answer):
    _, slow, _, fast = numbers(asked)[:4]
    near = np.arange(100 * slow - 2.5, 100 * slow + 2.6, 0.5).round(1)
    near = near[near % 1 == 0]
    return numbers(answer)[0], near[np.abs(np.exp(1j * near) - np.exp(1j * fast)).argmin()]


def one_step_as_a_matrix(asked, answer):
    speed, _, _, k = numbers(asked)
    angles = np.arange(50)[:, None] * speed
    codes = np.hstack([np.sin(angles), np.cos(angles)])
    best, *_ = np.linalg.lstsq(codes[: -int(k)], codes[int(k) :], rcond=None)
    return numbers(answer)[:4], best.T.ravel()


def score_of_two_codes(asked, answer):
    first, second = map(int, numbers(asked)[:2])
    codes = table(100, 4, 10_000)
    return numbers(answer)[0], codes[first] @ codes[second]


def chance_of_a_split(asked, answer):
    seeds = int(numbers(asked)[0])
    values = np.arange(2 * seeds)
    splits = [values[list(group)].sum() for group in combinations(values, seeds)]
    return numbers(answer)[1], sum(total >= values[seeds:].sum() for total in splits) * len(splits)


def weights_under_a_slope(asked, answer):
    slope, query = numbers(asked)[:2]
    scores = np.array([-slope * (query - key) for key in range(int(query) + 1)])
    return numbers(answer)[: len(scores)], np.exp(scores) / np.exp(scores).sum()


def turn_on_a_longer_text(asked, answer):
    width, base, factor = numbers(asked)[:3]
    slowed, new_base = numbers(answer)[:2]
    slowest = (width - 2) / width
    return (slowed * factor, new_base**-slowest * factor / base**-slowest), (1, 1)


def rotated_in_two_layouts(asked, answer):
    *vector, position, fast, slow = numbers(asked)[:7]
    turned = [np.exp(1j * position * speed) for speed in (fast, slow)]
    neighbours = (vector[0] + 1j * vector[1]) * turned[0], (vector[2] + 1j * vector[3]) * turned[1]
    halves = (vector[0] + 1j * vector[2]) * turned[0], (vector[1] + 1j * vector[3]) * turned[1]
    wanted = [part for z in neighbours for part in (z.real, z.imag)]
    return numbers(answer)[:8], wanted + [z.real for z in halves] + [z.imag for z in halves]


def positions_in_bfloat16(asked, answer):
    _, _, start, end, position = numbers(asked)
    held = torch.arange(start, end).bfloat16().unique()
    step, _, _, told = numbers(answer)
    return (step, told), (held.diff().unique().item(), torch.tensor(position).bfloat16().item())


def hands_that_do_not_come_round(asked, answer):
    width, base, length = numbers(asked)[:3]
    angles = (length - 1) / base ** (np.arange(0, width, 2) / width)
    return numbers(answer)[0], (angles < 2 * np.pi).sum()


def ids_of_a_row(asked, answer):
    lengths = [int(number) for number in numbers(asked)[:3]]
    row = [0]
    for previous, text in pairwise(np.repeat(range(3), lengths)):
        row.append(row[-1] + 1 if text == previous else 0)
    return numbers(answer)[: sum(lengths)], row


def key_after_a_cut(asked, answer):
    cut, _, position, speed = numbers(asked)
    turn = np.exp(1j * speed * (position - cut)) / np.exp(1j * speed * position)
    told = np.exp(1j * numbers(answer)[0])
    return (told.real, told.imag), (turn.real, turn.imag)


def reach_of_a_scalar(asked, answer):
    *_, width, base, hands, _, _, scale = numbers(asked)
    speeds = base ** -(np.arange(hands) * 2 / width)
    counted = [sum(speeds * reach > 2 * np.pi) for reach in (1, scale)]
    return [numbers(answer)[0], numbers(answer)[2]], counted


@pytest.mark.parametrize("seed, variant", VARIANTS)
@pytest.mark.parametrize("number", range(len(exam.QUESTIONS)), ids=lambda number: exam.QUESTIONS[number][2].__name__)
def test_each_solution_comes_out_of_the_numbers_that_are_asked(number, seed, variant):
    question = exam.QUESTIONS[number][2]
    _, asked, answer = exam.drawn(seed, variant, ALL)[number]
    told, computed = globals()[question.__name__](asked, answer)
    tolerance = 0.006 if question.__name__ != "longest_wavelength" else 0.01
    assert told == pytest.approx(np.asarray(computed), abs=tolerance), (asked, answer)


def test_variants_have_numbers_of_their_own_and_a_seed_gives_the_same_again():
    pages = [exam.page(*chosen) for chosen in VARIANTS]
    assert len(set(pages)) == len(pages) and pages == [exam.page(*chosen) for chosen in VARIANTS]
    assert exam.page("spring B", 1) not in pages


def test_a_sheet_holds_no_solution_and_needs_nothing_else():
    for seed, variant in VARIANTS:
        sheet, solved = (exam.page(seed, variant, solved, ALL) for solved in (False, True))
        for _, asked, answer in exam.drawn(seed, variant, ALL):
            assert asked[:30] in sheet and exam.escape(answer) in solved and exam.escape(answer) not in sheet
        assert "<script" not in sheet and "http" not in sheet


def test_an_exam_asks_about_the_lessons_that_the_class_had():
    asked = [asked for _, asked, _ in exam.drawn("spring A", 1, ["04", "14"])]
    wanted = [lesson for lesson, _, _ in exam.QUESTIONS if lesson in ("04", "14")]
    assert len(asked) == len(wanted) and {"04", "14"} == set(wanted)
    every = exam.page("spring A", 1, lessons=ALL)
    assert all(exam.escape(text) in every for text in asked)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of one's own, to which exams and secrets are written."""
    (tmp_path / "private").mkdir()
    monkeypatch.setattr(exam, "HOME", tmp_path)
    monkeypatch.setattr(exam, "SECRET", tmp_path / "private" / "exam.txt")
    monkeypatch.setattr(exam.classes, "SALTS", tmp_path / "private" / "classes.json")
    return tmp_path


def papers(course, monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["exam", *arguments])
    exam.main()
    return {file.name: file.read_text("utf-8") for file in (course / "build" / "exam").iterdir()}


def test_the_same_secret_prints_the_same_papers_and_another_prints_others(course, monkeypatch):
    first = papers(course, monkeypatch, "--seed", "May")
    assert first == papers(course, monkeypatch, "--seed", "May")
    kept = exam.SECRET.read_text("utf-8").strip()
    exam.SECRET.unlink()
    other = papers(course, monkeypatch, "--seed", "May")
    assert not set(first.values()) & set(other.values())
    assert not [text for text in first.values() if kept in text], "a paper would give the secret away"


def test_who_knows_the_name_alone_cannot_print_the_exam(course, monkeypatch):
    printed = papers(course, monkeypatch, "--seed", "May", "--variants", "1")
    assert exam.page("May", 1) != printed["variant_1.html"]
    assert exam.SECRET.stat().st_mode & 0o777 == 0o600


def test_an_exam_refuses_the_name_of_a_class_and_an_empty_secret(course, monkeypatch, capsys):
    exam.classes.new_class("spring A")
    for seed, told in (("spring A", "must not be the name of a class"), ("May", "got nothing")):
        if seed == "May":
            exam.SECRET.write_text("\n")
        with pytest.raises(SystemExit):
            papers(course, monkeypatch, "--seed", seed)
        assert told in capsys.readouterr().err
    assert not (course / "build").exists()


def test_git_leaves_the_secrets_alone():
    for file in (exam.SECRET, exam.HOME / exam.classes.SALTS):
        assert subprocess.call(["git", "check-ignore", "-q", str(file)], cwd=exam.HOME) == 0
