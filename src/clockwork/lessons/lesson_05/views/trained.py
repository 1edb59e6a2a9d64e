"""Trained models to walk through: name, seed and length select an accuracy and an attention map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import traitlets
from traitlets import TraitError

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.cursor import Cursor
from clockwork.kit.widgets.data import Data

if TYPE_CHECKING:
    from clockwork.kit.tasks import Task
    from clockwork.kit.training import Trained

WINDOW = 24  # queries and keys shown: the last ones, where a length past the training's makes the difference


class TrainedModels(View):
    """Show how each trained model does at each length, and where its sharpest head looks.

    Args:
        models: results of `training.train`, by name, all with the same seeds.
        task: what they are tested on, sequences of `batch_size` for each length.
        lengths: test lengths (tokens), each at least 24.
        back: how many tokens back the task looks; its diagonal is marked in the map.
        start: the length that is shown first; None for the first of `lengths`.

    Raises:
        TraitError: no model, seeds that differ, a length below 24, or a `start` that is not among the lengths.
    """

    static = "trained"
    needs = ("model", "seed", "length")
    caption = (
        "{Left}: the share of all answers that are right, against the test length, one line per model."
        " Blue is the chosen model, thick its chosen "
        "seed; grey are the others. Drag along the axis to change the length. {Right}: where the sharpest head of "
        "that model looks in one test text, its last 24 tokens, from 0 (dark) to 1 (bright); between the dotted "
        "lines, the key that the task asks for. The pink frame holds the queries at positions that training never "
        "reached."
    )

    names = traitlets.List(traitlets.Unicode(), help="The models.").tag(sync=True)
    lengths = traitlets.List(traitlets.Int(), help="The test lengths.").tag(sync=True)
    seeds = traitlets.List(traitlets.Int(), help="The seeds.").tag(sync=True)
    chance = traitlets.Float(help="The accuracy of a guess.").tag(sync=True)
    trained_to = traitlets.Int(help="The longest training text.").tag(sync=True)
    back = traitlets.Int(help="How many tokens back the task looks.").tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, Trained],
        task: Task,
        lengths: Sequence[int],
        *,
        back: int = 3,
        start: int | None = None,
        batch_size: int = 64,
        **settings,
    ):
        kinds = {trained.seeds for trained in models.values()}
        if len(kinds) != 1:
            raise TraitError(f"models must all have the same seeds (a slider chooses one), got {sorted(kinds)}")
        if min(lengths, default=0) < WINDOW:
            raise TraitError(f"lengths must be at least {WINDOW} (so much of the map is shown), got {list(lengths)}")
        (seeds,) = kinds
        names = list(models)
        lengths = list(lengths)
        parts = [measure(trained, task, lengths, batch_size) for trained in models.values()]
        self.curves, self.maps, self.heads = (np.stack(arrays) for arrays in zip(*parts, strict=True))
        self.percent = np.rint(100 * self.curves).astype(int)
        cursor = Cursor(
            model=Slider(names[0], names, "model"),
            seed=Slider(seeds[0], list(seeds), "seed"),
            length=Slider(start or lengths[0], lengths, "test length (tokens)"),
        )
        data = Data(accuracy=self.curves, percent=self.percent, maps=self.maps, heads=self.heads)
        traits = {"names": names, "lengths": lengths, "seeds": list(seeds), "chance": task.chance}
        traits |= {"trained_to": task.trained_to, "back": back}
        super().__init__(cursor, data=data, **traits, **settings)

    def _now(self) -> tuple[int, int, int]:
        lists = {"model": self.names, "seed": self.seeds, "length": self.lengths}
        return tuple(values.index(self.at(name)) for name, values in lists.items())

    def on_target(self) -> float:
        """Return the mean weight that the shown queries give to the key `back` tokens earlier, where it is shown."""
        model, seed, length = self._now()
        return float(np.diag(self.maps[model, seed, length], -self.back).mean())

    def describe(self) -> str:
        """Say how right the chosen model is at the chosen length."""
        percent = self.percent[self._now()]
        return f"{self.at('model')}, seed {self.at('seed')}, {self.at('length')} tokens: {percent}% right"

    def numbers(self) -> dict:
        """Return the chosen model's accuracies, its map, and the weight on the marked diagonal."""
        model, seed, length = self._now()
        return {
            "accuracy": self.curves[model, seed],
            "map": self.maps[model, seed, length],
            "target": self.on_target(),
        }


def measure(trained: Trained, task: Task, lengths: Sequence[int], batch_size: int) -> tuple[np.ndarray, ...]:
    """Return accuracies (seed, length), map windows (seed, length, 24, 24) and sharpest heads (seed, 2)."""
    import torch

    from clockwork.kit import training

    curves = training.evaluate(trained, task, lengths, batch_size=batch_size).accuracy.numpy()
    maps = []
    heads = []
    for seed in trained.seeds:
        model = trained.model(seed)
        row = []
        best = None
        for seq_len in lengths:
            tokens, _ = task.draw_test(2, seq_len, generator=torch.Generator().manual_seed(training.TEST_SEED))
            with torch.no_grad():
                weights = torch.stack(model.trace(tokens[:1]).weights)[:, 0]  # (layer, head, query, key)
            best = int(weights.amax(-1).mean(-1).argmax()) if best is None else best
            row.append(weights.flatten(0, 1)[best, -WINDOW:, -WINDOW:].numpy())
        maps.append(row)
        heads.append(divmod(best, weights.shape[1]))
    return curves, np.array(maps), np.array(heads)
