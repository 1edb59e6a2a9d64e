"""Record what lesson 01 asks of models whose code for positions is one number.

`python -m clockwork.lessons.lesson_01.index_models` writes data/index_models.json: about three CPU-minutes.

- `stretched`: models of *who came first?* that were trained on the index in texts of 24 tokens, asked with all
  positions multiplied by a factor, in texts of 24 and of 96 tokens.
- `longer`: three codes on *who came first?* after four times the usual number of steps; `squeezed`, the same models in
  texts of 96 tokens when all positions are multiplied by 0.24.
- `larger`: the index times a factor, so that training itself shows large numbers: *who came first?* in texts of 24 and
  of 96 tokens, *3 back* in texts of 32.
- `divided`: the models of *3 back* in `larger`, the same rows, but each LayerNorm reads number 0 divided by the factor.
- `louder`: *who came first?* with the sinusoid and with index / length, once and twice as loud.
- `appended`: *3 back* with the index as one more number of the row instead of added to one.
"""

from __future__ import annotations

import json
import platform

import torch

from clockwork.kit import attention, datafiles, tasks, train_sweep, training

DATA = datafiles.CHECKOUT / "index_models.json"
FACTORS = (0.05, 0.1, 0.15, 0.2, 0.24, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0)
LENGTHS = (24, 96)  # tokens: as long as in training, and four times as long
TEXTS = 256  # with the seed below, those of `training.evaluate`
SQUEEZE = 0.24  # the last of 96 tokens stands at 22.8, within training
USUAL = train_sweep.STEPS
LARGER = (("who_came_first", 4.0, LENGTHS), ("three_back", 16.0, (32,)))  # task, factor, test lengths
LOUDER = (("sinusoid", 1.0), ("sinusoid", 2.0), ("index_over_length", 1.0), ("index_over_length", 2.0), ("index", 1.0))
LONGER = (("index", 1.0), ("index_over_length", 31.0), ("sinusoid", 1.0))  # code, and its factor


class Appended(attention.Encoding):
    """The index as the last number of a row, in the place of the token's own last number."""

    def add(self, x, position_ids):
        """Return rows whose last number is the position."""
        p = position_ids.to(x).expand(*x.shape[:-1])[..., None]
        return torch.cat([x[..., :-1], p], -1)


def main() -> None:
    """Train the models and write what they answer."""
    torch.set_num_threads(1)
    about = {"command": "python -m clockwork.lessons.lesson_01.index_models", "python": platform.python_version()}
    about |= {"torch": torch.__version__, "lengths": LENGTHS, "factors": FACTORS}
    found = {"stretched": stretched(), "appended": appended(), "longer": longer()}
    found |= {"larger": larger(), "divided": divided(), "louder": louder()}
    DATA.write_text(json.dumps(about | found) + "\n", encoding="utf-8")


def trained(config: train_sweep.Config, make=None):
    """Return the models of a configuration."""
    return training.train(
        make or config.model,
        tasks.TASKS[config.task],
        config.seeds,
        steps=config.steps,
        batch_size=config.batch_size,
        learning_rate=config.learning_rate,
    )


def stretched(seeds=tuple(range(8)), factors=FACTORS) -> dict[str, list[list[float]]]:
    """Return for each length the share of right answers, (factors, seeds)."""
    models = trained(train_sweep.Config("who_came_first", "index", seeds=seeds, steps=USUAL["who_came_first"]))
    return {str(length): [shares(models, length, factor) for factor in factors] for length in LENGTHS}


def shares(models, length: int, factor: float) -> list[float]:
    """Return each model's share of right answers when all positions are multiplied by `factor`."""
    generator = torch.Generator().manual_seed(training.TEST_SEED + length)
    tokens, targets = tasks.WHO_CAME_FIRST.draw_test(TEXTS, length, generator=generator)
    outputs = models(tokens, factor * torch.arange(length))
    return [round(tasks.accuracy(output, targets).item(), 4) for output in outputs]


def appended() -> list[float]:
    """Return each seed's share of right answers on *3 back* with the index appended."""
    config = train_sweep.Config("three_back", "index", steps=USUAL["three_back"])
    models = trained(config, lambda: attention.Transformer(16, Appended(), d_model=config.d_model))
    return scores(models, config, [32])[0]


def larger(seeds=tuple(range(8))) -> list[dict]:
    """Return the shares of right answers, (lengths, seeds), of models that saw large positions in training."""
    rows = []
    for task, gain, lengths in LARGER:
        config = train_sweep.Config(task, "index", gain=gain, steps=USUAL[task], seeds=seeds)
        accuracy = scores(trained(config), config, lengths)
        rows.append({"task": task, "gain": gain, "steps": config.steps, "lengths": lengths, "accuracy": accuracy})
    return rows


class FirstDivided(torch.nn.LayerNorm):
    """A LayerNorm that reads number 0 of each row divided by the factor of *3 back* in `LARGER`."""

    def forward(self, x):
        """Normalize the rows with number 0 divided."""
        return super().forward(torch.cat([x[..., :1] / LARGER[1][1], x[..., 1:]], -1))


def divided(seeds=tuple(range(8))) -> list[float]:
    """Return each seed's share of right answers on *3 back* with the large index and norms that read it small."""
    task, gain, lengths = LARGER[1]
    config = train_sweep.Config(task, "index", gain=gain, steps=USUAL[task], seeds=seeds)

    def make():
        model = config.model()
        for block in model.blocks:
            block.before_attention = FirstDivided(config.d_model)
            block.before_mlp = FirstDivided(config.d_model)
        model.before_head = FirstDivided(config.d_model)
        return model

    return scores(trained(config, make), config, lengths)[0]


def louder(seeds=tuple(range(8))) -> list[dict]:
    """Return each seed's share of right answers on *who came first?* in texts as long as in training."""
    rows = []
    for scheme, gain in LOUDER:
        config = train_sweep.Config("who_came_first", scheme, gain=gain, steps=USUAL["who_came_first"], seeds=seeds)
        rows.append({"scheme": scheme, "gain": gain, "accuracy": scores(trained(config), config, LENGTHS[:1])[0]})
    return rows


def longer(seeds=tuple(range(8))) -> list[dict]:
    """Return the shares of right answers on *who came first?* after four times the usual number of steps."""
    rows = []
    for scheme, gain in LONGER:
        steps = 4 * USUAL["who_came_first"]
        config = train_sweep.Config("who_came_first", scheme, gain=gain, steps=steps, seeds=seeds)
        models = trained(config)
        row = {"scheme": scheme, "gain": gain, "steps": steps, "accuracy": scores(models, config, LENGTHS)}
        rows.append(row | {"squeezed": shares(models, LENGTHS[-1], SQUEEZE)})
    return rows


def scores(models, config, lengths) -> list[list[float]]:
    """Return the share of right answers, (lengths, seeds)."""
    right = training.evaluate(models, tasks.TASKS[config.task], lengths=lengths).accuracy.T
    return [[round(share, 4) for share in row] for row in right.tolist()]


if __name__ == "__main__":
    main()
