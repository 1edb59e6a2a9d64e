"""Seeds trained together learn what each learns alone, and an interrupted run ends as if nothing had happened."""

import dataclasses
import subprocess
import sys
import textwrap

import pytest
import torch

from clockwork.kit import attention, tasks, training

pytestmark = pytest.mark.usefixtures("unchecked")
SHORT = dataclasses.replace(tasks.THREE_BACK, train_lengths=(6, 9), vocab_size=16)


def make_model():
    return attention.Transformer(16, attention.Learned(16, 16, std=1.0), d_model=16, num_layers=1)


def train(seeds, steps=12, **settings):
    return training.train(make_model, SHORT, seeds, steps=steps, batch_size=4, **settings)


def alone(seed, steps):
    """Train one seed in a plain loop: the oracle."""
    torch.manual_seed(seed)
    model = make_model()
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.Generator().manual_seed(training.LENGTH_SEED)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        tokens, targets = SHORT.draw(4, int(torch.randint(6, 10, (), generator=lengths)), generator=generator)
        loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), targets.flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, torch.tensor(losses)


def assert_same(first, second, **tolerance):
    torch.testing.assert_close(first.losses, second.losses, **tolerance)
    torch.testing.assert_close(first.state, second.state, **tolerance)


def test_each_seed_trains_as_it_does_alone_in_a_plain_loop():
    together = train((3, 8))
    for column, seed in enumerate(together.seeds):
        model, losses = alone(seed, 12)
        torch.testing.assert_close(together.losses[:, column], losses, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(together.model(seed).state_dict(), model.state_dict(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("asked", "inside"), [({}, 1), ({"num_threads": 3}, 3)])
def test_training_and_testing_take_one_thread_unless_told_otherwise_and_give_the_caller_s_number_back(asked, inside):
    seen = []

    class Model(attention.Transformer):
        def forward(self, *args):
            seen.append(torch.get_num_threads())
            if len(seen) == 5:
                raise KeyboardInterrupt
            return super().forward(*args)

    make = lambda: Model(16, attention.Learned(16, 16, std=1.0), d_model=16, num_layers=1)  # noqa: E731
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        trained = training.train(make, SHORT, [3], steps=1, batch_size=4, **asked)
        training.evaluate(trained, SHORT, [6, 9], batch_size=4, **asked)
        with pytest.raises(KeyboardInterrupt):
            training.train(make, SHORT, [3], steps=9, batch_size=4, **asked)
        after = torch.get_num_threads()
    finally:
        torch.set_num_threads(before)
    assert seen == [inside] * 5 and after == 2


def test_a_seed_does_not_depend_on_its_companions():
    pair = train((3, 8))
    other = train((8, 1, 4))
    torch.testing.assert_close(pair.losses[:, 1], other.losses[:, 0], rtol=1e-4, atol=1e-4)
    assert (pair.losses[:, 1] - other.losses[:, 1]).abs().max() > 0.01


def test_a_run_repeats_exactly():
    assert_same(train((0, 1)), train((0, 1)), rtol=0, atol=0)


def test_the_generator_of_the_caller_is_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train((0,), steps=1)
    assert torch.equal(torch.rand(3), expected)


def test_an_interrupted_run_goes_on_and_ends_with_the_same_weights(tmp_path, monkeypatch):
    checkpoint = tmp_path / "run.pt"
    drawn = []

    def interrupted(*arguments, **keywords):
        drawn.append(1)
        if len(drawn) == 2 * 7:
            raise KeyboardInterrupt
        return tasks.k_back(*arguments, **keywords)

    whole = train((0, 1))
    with pytest.raises(KeyboardInterrupt):
        training.train(
            make_model, dataclasses.replace(SHORT, draw=interrupted), (0, 1), steps=12, batch_size=4,
            checkpoint=checkpoint, save_every=5,
        )  # fmt: skip
    assert checkpoint.exists()
    calls = []
    counted = dataclasses.replace(SHORT, draw=lambda *a, **k: calls.append(1) or tasks.k_back(*a, **k))
    resumed = training.train(make_model, counted, (0, 1), steps=12, batch_size=4, checkpoint=checkpoint)
    assert len(calls) == 2 * 7  # five of twelve steps were not repeated
    assert_same(resumed, whole, rtol=0, atol=0)
    calls.clear()
    assert_same(training.train(make_model, counted, (0, 1), steps=12, batch_size=4, checkpoint=checkpoint), whole)
    assert not calls


def test_a_checkpoint_of_other_settings_is_refused(tmp_path):
    train((0, 1), steps=2, checkpoint=tmp_path / "run.pt")
    with pytest.raises(ValueError, match="checkpoint must have the settings"):
        train((0, 2), steps=2, checkpoint=tmp_path / "run.pt")


def test_models_taken_out_answer_as_the_stack_does():
    trained = train((0, 1), steps=2)
    tokens = torch.randint(16, (3, 7))
    logits = trained(tokens)
    assert logits.shape == (2, 3, 7, 16)
    torch.testing.assert_close(trained.model(1)(tokens), logits[1])
    with pytest.raises(ValueError, match=r"seed must be one that was trained, \(0, 1\), got 9"):
        trained.model(9)


def test_a_score_counts_right_answers_within_and_beyond():
    trained = train((0, 1), steps=2)
    score = training.evaluate(trained, SHORT, [8, 12], batch_size=20)
    tokens, targets = SHORT.draw_test(20, 12, generator=torch.Generator().manual_seed(training.TEST_SEED + 12))
    right = trained.model(1)(tokens).argmax(-1) == targets
    torch.testing.assert_close(score.accuracy[1, 1], right[:, 3:].float().mean())
    torch.testing.assert_close(score.beyond[1, 1], right[:, 9:].float().mean())
    assert score.beyond[:, 0].isnan().all() and score.loss.shape == (2, 2)


def test_the_update_is_that_of_adamw_in_torch():
    draw = torch.Generator().manual_seed(0)
    ours = torch.randn(5, generator=draw, dtype=torch.float64).requires_grad_()
    theirs = ours.detach().clone().requires_grad_()
    update = training._AdamW([ours], 3e-3)
    optimizer = torch.optim.AdamW([theirs], lr=3e-3)
    for gradient in torch.randn(300, 5, generator=draw, dtype=torch.float64):
        theirs.grad = gradient
        optimizer.step()
        update.step((gradient,))
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=0)


def test_training_does_not_import_the_compiler_which_would_delay_every_lesson():
    code = """
        import sys
        from clockwork.kit import attention, tasks, training
        make_model = lambda: attention.Transformer(16, attention.Sinusoid(), d_model=16)
        trained = training.train(make_model, tasks.THREE_BACK, (0, 1), steps=1)
        training.evaluate(trained, tasks.THREE_BACK, [32])
        print(*{"sympy", "torch._dynamo"} & set(sys.modules))
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_a_model_that_can_learns():
    trained = training.train(
        lambda: attention.Transformer(16, attention.Sinusoid(), d_model=16, num_layers=1),
        tasks.WHO_CAME_FIRST, (0, 1), steps=60, batch_size=16,
    )  # fmt: skip
    assert (trained.losses[-10:].mean(0) < trained.losses[:10].mean(0) - 0.2).all()


@pytest.mark.parametrize(("seeds", "rule"), [((), "at least one"), ((1, 1), "all different")])
def test_seeds_must_be_distinct(seeds, rule):
    with pytest.raises(ValueError, match=rule):
        train(seeds)


def test_a_loss_that_is_no_number_stops_the_run_and_names_the_seed():
    class Broken(attention.Encoding):
        def add(self, x, position_ids):
            return x / 0

    with pytest.raises(FloatingPointError, match="seed 4, step 0"):
        training.train(lambda: attention.Transformer(16, Broken(), d_model=16), SHORT, (4,), steps=3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_trains_the_same_models():
    torch.testing.assert_close(train((0, 1), device="cuda").losses, train((0, 1)).losses, rtol=1e-2, atol=1e-2)
