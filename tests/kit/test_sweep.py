"""A sweep writes one file for each configuration, continues where it stopped, and runs on every joblib backend."""

import itertools
import json
import math
import sys
import types

import joblib
import pytest
import torch

import clockwork.kit.sweep
from clockwork.kit import naive_codes, tasks, train_sweep, training
from clockwork.kit.datafiles import data_file

TINY = {"seeds": (0, 1), "steps": 2, "batch_size": 2, "d_model": 8, "num_layers": 1}


def tiny(scheme="sinusoid", **settings):
    return train_sweep.Config("who_came_first", scheme, **TINY | settings)


def test_the_sweep_holds_every_encoding_on_both_tasks_with_eight_seeds_to_four_times_the_length():
    for task in (tasks.WHO_CAME_FIRST, tasks.THREE_BACK):
        configs = [config for config in train_sweep.encodings() if config.task == task.name]
        assert {config.scheme.split(",")[0] for config in configs} == {
            name.split(",")[0] for name in train_sweep.SCHEMES
        }
        assert all(len(config.seeds) >= 8 and config.lengths[-1] == 4 * task.trained_to for config in configs)
        assert len({config.table_std for config in configs if config.scheme == "learned"}) >= 3
        assert {task.trained_to, task.trained_to + 1} <= set(configs[0].lengths)


@pytest.mark.parametrize("grid", train_sweep.GRIDS)
def test_no_two_configurations_of_a_grid_share_a_file(grid):
    configs = train_sweep.GRIDS[grid]()
    assert len({config.key for config in configs}) == len(configs)


@pytest.mark.parametrize(
    ("task", "sides", "scales", "rates"),
    [
        ("three_back", ("sinusoid", "learned"), lambda scale: True, 4),
        ("who_came_first", ("sinusoid", "learned"), lambda scale: True, 4),
        ("who_came_first", ("trained sinusoid", "random table"), lambda scale: True, 2),
    ],
)
def test_both_sides_are_tuned_over_the_same_learning_rates_with_seeds_left_for_the_comparison(
    task, sides, scales, rates
):
    tried = {side: set() for side in sides}
    for config in train_sweep.tuning():
        scale = config.table_std or config.gain
        if (config.task, config.steps) == (task, train_sweep.STEPS[task]) and config.scheme in sides and scales(scale):
            assert len(config.seeds) >= 12
            tried[config.scheme].add((scale, config.learning_rate))
    for settings in tried.values():
        alike = {scale: {rate for other, rate in settings if other == scale} for scale, _ in settings}
        assert all(len(found) == rates for found in alike.values())
        assert len({frozenset(found) for found in alike.values()}) == 1


def test_in_four_times_the_steps_both_sides_are_tuned_with_as_many_scales_at_the_same_rates():
    tried = {"sinusoid": [], "learned": []}
    for config in train_sweep.tuning():
        if config.steps == 4 * train_sweep.STEPS[config.task] and config.scheme in tried:
            tried[config.scheme].append((config.table_std or config.gain, config.learning_rate))
    for settings in tried.values():
        assert len({scale for scale, _ in settings}) == 4
        assert sorted({rate for _, rate in settings}) == [0.00125, 0.0025, 0.005, 0.01]
    assert len({len(settings) for settings in tried.values()}) == 1


def test_each_naive_code_is_what_its_name_says():
    rows = {name: code(torch.arange(5), 8).tolist() for name, code in naive_codes.CODES.items()}
    for position in range(5):
        digits = [position >> digit & 1 for digit in range(7)]
        assert rows["index_everywhere"][position] == [position] * 8
        assert rows["index"][position] == [position, *[0] * 7]
        assert rows["squeezed_index"][position] == rows["index"][position], "short texts are not squeezed"
        assert rows["index_over_length"][position] == [position / 4, *[0] * 7]
        assert rows["binary"][position] == [*(2 * digit - 1 for digit in digits), 0]
        assert rows["one_hot"][position] == [float(column == position) for column in range(8)]
        assert rows["sinusoid"][position][:2] == pytest.approx([math.sin(position), math.cos(position)], abs=1e-6)
    for before, after in itertools.pairwise(rows["gray"]):
        assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_a_squeezed_index_ends_where_training_ended_in_a_longer_text():
    assert torch.equal(naive_codes.squeezed_index(torch.arange(24), 4), naive_codes.index(torch.arange(24), 4))
    longer = naive_codes.squeezed_index(torch.arange(47), 4)[:, 0]
    assert longer.tolist() == pytest.approx([step / 2 for step in range(47)])


def test_a_code_is_added_as_many_times_as_its_gain_says():
    x = torch.randn(5, 8)
    louder = naive_codes.FixedCode(naive_codes.one_hot, 3.0).add(x, torch.arange(5))
    torch.testing.assert_close(louder, x + 3 * torch.eye(8)[:5])


def test_what_a_table_starts_as_and_whether_it_is_trained_are_crossed():
    def trained(scheme, steps, **settings):
        config = tiny(scheme, **settings)
        state = training.train(config.model, tasks.WHO_CAME_FIRST, (0, 1), steps=steps, batch_size=2).state
        return next(tensor for name, tensor in state.items() if name.startswith("encoding"))

    start = trained("trained sinusoid", 0, gain=2.0)
    torch.testing.assert_close(start[1, 5, 0], torch.tensor(2 * math.sin(5.0)))
    torch.testing.assert_close(start[0], start[1])
    assert not torch.equal(trained("trained sinusoid", 3, gain=2.0), start)
    drawn = trained("random table", 0, table_std=0.5)
    assert drawn.std().item() == pytest.approx(0.5, rel=0.15) and not torch.equal(drawn[0], drawn[1])
    torch.testing.assert_close(trained("random table", 3, table_std=0.5), drawn, rtol=0, atol=0)


@pytest.mark.parametrize("scheme", train_sweep.SCHEMES)
def test_every_scheme_runs_and_its_result_names_its_setup(scheme, tmp_path, unchecked):
    config = tiny(scheme, table_std=0.5 if "learned" in scheme else None)
    result = train_sweep.run(config, tmp_path)
    assert result["config"]["scheme"] == scheme and result["torch"] and result["python"]
    assert len(result["accuracy"]) == 2 and len(result["accuracy"][0]) == len(result["lengths"])
    assert [path.name for path in tmp_path.iterdir()] == [f"{config.key}.json"]


def test_a_configuration_that_is_done_is_not_trained_again(tmp_path, unchecked, monkeypatch):
    first = train_sweep.run(tiny(), tmp_path)
    monkeypatch.setattr(train_sweep.training, "train", lambda *a, **k: pytest.fail("trained again"))
    assert train_sweep.run(tiny(), tmp_path) == json.loads(json.dumps(first))
    assert tiny(steps=3).key != tiny().key != tiny(seeds=(0, 2)).key


def test_a_configuration_that_was_interrupted_does_not_repeat_its_steps(tmp_path, unchecked, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    whole, evaluate = train_sweep.run(tiny(), tmp_path / "whole"), train_sweep.training.evaluate
    monkeypatch.setattr(train_sweep.training, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train_sweep.run(tiny(), tmp_path)
    monkeypatch.setattr(train_sweep.training, "evaluate", evaluate)
    monkeypatch.setattr(train_sweep.training, "_batches", lambda *_: pytest.fail("a step is repeated"))
    assert train_sweep.run(tiny(), tmp_path)["last_losses"] == whole["last_losses"]


def test_a_dask_cluster_of_two_workers_gives_the_same_results(tmp_path, unchecked):
    distributed = pytest.importorskip("distributed")
    configs = [tiny(), tiny("rotary")]
    here = [train_sweep.run(config, tmp_path / "here") for config in configs]
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config("dask"),
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        there = train_sweep.sweep(configs, tmp_path / "there")
        ran_on = client.run(lambda: "clockwork.kit.train_sweep" in __import__("sys").modules)
    assert any(ran_on.values())  # in the workers, not here
    for a, b in zip(here, there, strict=True):
        assert a["config"]["scheme"] == b["config"]["scheme"] and a["accuracy"] == b["accuracy"]


def test_the_command_gathers_one_table(tmp_path, unchecked, monkeypatch):
    monkeypatch.setitem(train_sweep.GRIDS, "sweep", lambda: [tiny(), tiny("rotary")])
    data = tmp_path / "sweep.json"
    train_sweep.main(["--jobs", "1", "--folder", str(tmp_path / "runs"), "--data", str(data), "--only", "rotary"])
    (only,) = json.loads(data.read_text())["runs"]
    assert only["config"]["scheme"] == "rotary"


def test_the_command_runs_on_the_dask_scheduler_that_it_is_told(tmp_path, unchecked, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setitem(train_sweep.GRIDS, "sweep", lambda: [tiny(), tiny("rotary")])
    data = ["--folder", str(tmp_path / "runs"), "--data", str(tmp_path / "sweep.json")]
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None, processes=True) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        train_sweep.main(["--backend", "dask", "--scheduler", cluster.scheduler_address, "--jobs", "2", *data])
        ran_on = client.run(lambda: "clockwork.kit.train_sweep" in __import__("sys").modules)
    assert list(ran_on.values()) == [True]  # in the worker, not here
    assert len(json.loads((tmp_path / "sweep.json").read_text())["runs"]) == 2


def test_the_command_runs_on_ray_once_ray_has_made_itself_known_to_joblib(tmp_path, unchecked, monkeypatch):
    class OnRay(joblib.parallel.ThreadingBackend):
        runs, asked = 0, set()

        def effective_n_jobs(self, n_jobs):
            OnRay.asked.add(n_jobs)
            return super().effective_n_jobs(n_jobs)

        def submit(self, *arguments, **keywords):
            OnRay.runs += 1
            return super().submit(*arguments, **keywords)

    ray = types.SimpleNamespace(register_ray=lambda: joblib.register_parallel_backend("ray", OnRay))
    for name in ("ray", "ray.util", "ray.util.joblib"):
        monkeypatch.setitem(sys.modules, name, ray)
    monkeypatch.setitem(train_sweep.GRIDS, "sweep", lambda: [tiny(), tiny("rotary")])
    data = ["--folder", str(tmp_path / "runs"), "--data", str(tmp_path / "sweep.json")]
    train_sweep.main(["--backend", "ray", "--jobs", "2", *data])
    assert OnRay.runs == 2 and OnRay.asked == {2}
    joblib.parallel.BACKENDS.pop("ray")


@pytest.mark.parametrize("grid", train_sweep.GRIDS)
def test_the_committed_table_is_small_and_of_its_grid(grid):
    file = data_file(f"{grid}.json")
    assert file.stat().st_size < 500_000
    keys = {config.key for config in train_sweep.GRIDS[grid]()}
    for result in json.loads(file.read_text())["runs"]:
        config = {**result["config"], "seeds": tuple(result["config"]["seeds"])}
        assert train_sweep.Config(**config).key in keys
        assert len(result["accuracy"]) == len(config["seeds"])


def test_a_configuration_that_was_never_run_is_told():
    with pytest.raises(ValueError, match=r"sweep\.json must hold the configuration asked for, got .*'nobody'"):
        clockwork.kit.sweep.find("three_back", "nobody")
    with pytest.raises(ValueError, match=r"sweep\.json must hold the configuration asked for, got .*0\.7"):
        clockwork.kit.sweep.find("three_back", "sinusoid", learning_rate=0.7)


def test_what_was_not_measured_is_nan():
    result = clockwork.kit.sweep.find("three_back", "sinusoid")
    within = [length <= tasks.THREE_BACK.trained_to for length in result["lengths"]]
    assert result["beyond"].isnan().all(0).tolist() == within
    assert not result["accuracy"].isnan().any()
