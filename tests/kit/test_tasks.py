"""Each task asks what it says, and nobody who ignores order can answer."""

import pytest
import torch

from clockwork.kit import tasks


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def test_each_sequence_holds_one_a_and_one_b_and_is_answered_by_the_first():
    tokens, targets = tasks.who_came_first(200, 9, generator=chance())
    for row, target in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert row.count(tasks.A) == row.count(tasks.B) == 1 and max(row) < 16
        assert target == (tasks.A if row.index(tasks.A) < row.index(tasks.B) else tasks.B)
    assert 0.35 < targets.double().mean() < 0.65


def test_a_and_b_stand_everywhere():
    tokens, _ = tasks.who_came_first(500, 5, generator=chance())
    assert {row.index(tasks.A) for row in tokens.tolist()} == set(range(5))


def test_twins_are_the_same_bag_with_the_other_answer():
    tokens, targets = tasks.with_twins(*tasks.who_came_first(50, 9, generator=chance()))
    assert torch.equal(tokens[:50].sort(1).values, tokens[50:].sort(1).values)
    assert torch.equal(targets[:50], 1 - targets[50:])
    for row, target in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert target == (tasks.A if row.index(tasks.A) < row.index(tasks.B) else tasks.B)


def test_whoever_ignores_order_is_right_on_exactly_half_of_the_twins():
    tokens, targets = tasks.WHO_CAME_FIRST.draw_test(100, 12, generator=chance())
    bag = torch.nn.functional.one_hot(tokens, 16).double().sum(1) @ torch.randn(16, 2, generator=chance()).double()
    assert tasks.accuracy(bag[:, None].expand(-1, 12, -1), targets) == 0.5


@pytest.mark.parametrize("k", [1, 3, 7])
def test_the_target_is_the_symbol_k_tokens_earlier(k):
    tokens, targets = tasks.k_back(20, 8, k=k, generator=chance())
    for row, answers in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert answers == [tasks.NO_ANSWER] * k + [row[i - k] for i in range(k, 8)]


def test_the_text_is_the_standard_librarys_and_its_parts_share_no_file():
    learned = tasks.source_bytes()
    kept = tasks.source_bytes(held_out=True)
    assert len(learned) > len(kept) > 100_000
    assert b"Lib/abc.py" not in bytes(kept.tolist()) and b"def " in bytes(learned[:100_000].tolist())
    assert bytes(kept[:2000].tolist()) not in bytes(learned.tolist())


def test_the_next_byte_is_the_target():
    tokens, targets = tasks.next_byte(4, 30, generator=chance())
    assert torch.equal(tokens[:, 1:], targets[:, :-1]) and tokens.max() < 256
    text = bytes(tasks.source_bytes().tolist())
    assert all(bytes([*row.tolist(), int(last)]) in text for row, last in zip(tokens, targets[:, -1], strict=True))


def test_a_model_of_text_is_tested_on_files_that_it_never_learned_from():
    learned, kept = (bytes(tasks.source_bytes(held_out=held_out).tolist()) for held_out in (False, True))
    drawn = (draw(8, 300, generator=chance())[0] for draw in (tasks.NEXT_BYTE.draw, tasks.NEXT_BYTE.draw_test))
    training, testing = ([bytes(row) for row in tokens.tolist()] for tokens in drawn)
    assert all(stretch in learned for stretch in training)
    assert all(stretch in kept and stretch not in learned for stretch in testing)


@pytest.mark.parametrize("task", tasks.TASKS.values(), ids=lambda task: task.name)
def test_the_same_chance_draws_the_same_batch(task):
    first, again = (task.draw(4, task.trained_to, generator=chance(7)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], task.draw(4, task.trained_to, generator=chance(8))[0])


def test_accuracy_and_loss_count_only_the_answers_asked_for():
    targets = torch.tensor([[tasks.NO_ANSWER, 1, 0, 1]])
    logits = torch.tensor([[[9.0, 0.0], [0.0, 9.0], [9.0, 0.0], [9.0, 0.0]]])
    assert float(tasks.accuracy(logits, targets)) == pytest.approx(2 / 3)
    naive = torch.stack([torch.logsumexp(logits[0, i], 0) - logits[0, i, targets[0, i]] for i in (1, 2, 3)]).mean()
    torch.testing.assert_close(tasks.loss(logits, targets), naive)


def test_one_answer_a_sequence_is_read_from_the_average_over_positions():
    logits = torch.tensor([[[3.0, 0.0], [0.0, 2.0]], [[0.0, 3.0], [2.0, 0.0]]])
    assert tasks.accuracy(logits, torch.tensor([0, 1])) == 1 and tasks.accuracy(logits, torch.tensor([1, 1])) == 0.5


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: tasks.who_came_first(2, 1, generator=chance()), "seq_len must be at least 2 .* got 1"),
        (lambda: tasks.k_back(2, 3, generator=chance()), "k must lie between 1 and seq_len-1=2 .* got 3"),
        (lambda: tasks.k_back(2, 8, k=0, generator=chance()), "k must lie between 1 and seq_len-1=7 .* got 0"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
