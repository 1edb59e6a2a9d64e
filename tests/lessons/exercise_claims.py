"""What holds for the exercises of every lesson, as tests made from that lesson's answers."""

import re

import pytest
from tests.lessons.lesson_cells import check_calls, solutions

from clockwork.kit.checks import CheckFailed


def claims(right, wrong, blank=()):
    """Make three tests from pairs (check, right answer), triples (check, wrong answer, words of its diagnosis) and
    pairs (check, answer that is blank in its own way); `None` and `...` are blank everywhere."""
    checks = dict.fromkeys(check for check, _ in right)

    @pytest.mark.parametrize(("check", "blank"), [(check, none) for check in checks for none in (None, ...)] + [*blank])
    def test_a_blank_is_greeted(check, blank, capsys):
        check(blank)
        assert "not attempted yet" in capsys.readouterr().out

    @pytest.mark.parametrize(("check", "answer"), right)
    def test_a_right_answer_passes(check, answer, capsys):
        check(answer)
        assert "✔" in capsys.readouterr().out

    @pytest.mark.parametrize(("check", "answer", "diagnosis"), wrong)
    def test_a_wrong_answer_is_diagnosed(check, answer, diagnosis):
        with pytest.raises(CheckFailed, match=re.escape(diagnosis)):
            check(answer)

    return test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed


def stubs_and_solutions(lesson, **names):
    """Make the test that a lesson's stubs are greeted and its folded solutions pass, run with `names` defined."""

    def test_the_stubs_are_greeted_and_the_folded_solutions_pass(capsys):
        calls = check_calls(lesson)
        answers = solutions(lesson)
        assert len(calls) == len(answers) >= 3
        place = dict(names)
        for call, answer in zip(calls, answers, strict=True):
            exec(call, place)
            assert "not attempted yet" in capsys.readouterr().out
            exec(answer, place)
            exec(call.strip().splitlines()[-1], place)
            assert "✔" in capsys.readouterr().out

    return test_the_stubs_are_greeted_and_the_folded_solutions_pass
