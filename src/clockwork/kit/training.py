"""Train one model for each of many seeds at once: the models are stacked and run as one batched model.

Each seed has its own initial weights and its own stream of data, and no operation mixes two seeds. So what a seed
learns does not depend on the other seeds, up to rounding: a batched matrix product may add in another order.

Source: the stacking is torch.func's model ensembling; AdamW is Loshchilov and Hutter 2019, arXiv:1711.05101.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap
from torch.optim.adamw import adamw

from clockwork.kit import tasks

try:
    from tqdm.auto import tqdm
except ImportError:

    def tqdm(steps, **_):
        """Show no bar of progress where tqdm is not installed."""
        return steps


if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor

LENGTH_SEED = 2_000_003  # draws each step's length, the same for all models, so that they can share a batch
TEST_SEED = 1_000_003  # draws the test batches, the same for all models


@dataclass
class Trained:
    """Trained models that differ only in their seed, stacked into one.

    Attributes:
        skeleton: the model without values; `state` holds them.
        state: the parameters and buffers by name, each with a leading axis of seeds.
        seeds: the seeds, in the order of that axis.
        losses: the loss at each step, in nats per answer.
    """

    skeleton: nn.Module
    state: dict[str, Tensor]
    seeds: tuple[int, ...]
    losses: Float[Tensor, "steps num_seeds"]

    def __call__(self, tokens: Int[Tensor, "*batch seq_len"], *position_ids: Tensor):
        """Return every model's logits for the same tokens, `(num_seeds, *batch, seq_len, vocab_size)`."""
        with torch.no_grad():
            return vmap(lambda state: functional_call(self.skeleton, state, (tokens, *position_ids)))(self.state)

    def model(self, seed: int) -> nn.Module:
        """Return one seed's model as an ordinary module."""
        if seed not in self.seeds:
            raise ValueError(f"seed must be one that was trained, {self.seeds}, got {seed}")
        one = {name: tensor[self.seeds.index(seed)].clone() for name, tensor in self.state.items()}
        model = copy.deepcopy(self.skeleton)
        model.load_state_dict(one, assign=True)
        return model.eval()


def train(
    make_model: Callable[[], nn.Module],
    task: tasks.Task,
    seeds: Iterable[int],
    *,
    steps: int | None = None,
    batch_size: int = 32,
    learning_rate: float = 3e-3,
    device: torch.device | str = "cpu",
    checkpoint: Path | str | None = None,
    save_every: int = 100,
    num_threads: int = 1,
) -> Trained:
    """Train one model for each seed, all in the same batched steps of AdamW.

    The same seeds on the same machine give the same weights, also if a run was interrupted and continued from its
    checkpoint.

    Args:
        make_model: returns one untrained model; called once for each seed, after torch was seeded with it.
        task: draws the batches; each step's length is drawn from `task.train_lengths`, the same for all seeds.
        seeds: one model is trained for each.
        steps: training steps; `task.steps` by default.
        batch_size: sequences in each seed's batch.
        learning_rate: of AdamW, constant.
        device: where the models are; the data are drawn on the CPU, so that they are the same on every device.
        checkpoint: a file to save to and to resume from.
        save_every: steps between two saves.
        num_threads: of the processor, while this runs; the caller's number comes back afterwards. In small models
            several threads mostly wait for each other; only large ones gain.

    Raises:
        ValueError: if there is no seed, a seed is repeated, or the checkpoint has other settings.
        FloatingPointError: if the loss of a seed is no longer finite.

    Example:
        >>> from clockwork.kit import attention
        >>> trained = train(lambda: attention.Transformer(16, attention.Rotary()), tasks.THREE_BACK, [0, 1], steps=2)
        >>> trained.losses.shape
        torch.Size([2, 2])
    """
    seeds = tuple(seeds)
    if steps is None:
        steps = task.steps
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds must be at least one, and all different (each is one model), got {seeds}")
    models = [_untrained(make_model, seed) for seed in seeds]
    state, buffers = stack_module_state(models)
    state = {name: tensor.detach().to(device).requires_grad_() for name, tensor in state.items()}
    state |= {name: tensor.to(device) for name, tensor in buffers.items()}
    skeleton = copy.deepcopy(models[0]).to("meta")
    optimizer = _AdamW([tensor for tensor in state.values() if tensor.requires_grad], learning_rate)
    generators = [torch.Generator().manual_seed(seed) for seed in (*seeds, LENGTH_SEED)]
    losses = torch.zeros(steps, len(seeds))
    settings = {"task": task.name, "seeds": seeds, "batch_size": batch_size, "learning_rate": learning_rate}
    settings |= {"steps": steps, "sizes": [list(tensor.shape) for tensor in state.values()]}
    start = _resume(checkpoint, settings, state, optimizer, generators, losses)

    each_model = vmap(lambda state, tokens: functional_call(skeleton, state, (tokens,)))
    title = f"{task.name}, {len(seeds)} seeds"
    with _on_threads(num_threads):
        for step in tqdm(range(start, steps), initial=start, total=steps, desc=title, leave=False):
            tokens, targets = _batches(task, batch_size, generators)
            logits = each_model(state, tokens.to(device))
            # One model after the other: under vmap this loss runs in Python, and its first call imports sympy.
            loss = torch.stack([tasks.loss(*pair) for pair in zip(logits, targets.to(device), strict=True)])
            optimizer.step(torch.autograd.grad(loss.sum(), optimizer.weights, materialize_grads=True))
            losses[step] = loss.detach()
            if not losses[step].isfinite().all():
                diverged = int(losses[step].isfinite().logical_not().nonzero()[0])
                raise FloatingPointError(
                    f"loss must stay finite (a smaller learning_rate helps), got {losses[step, diverged]} for seed "
                    f"{seeds[diverged]}, step {step}"
                )
            if checkpoint and ((step + 1) % save_every == 0 or step + 1 == steps):
                _save(checkpoint, settings, state, optimizer, generators, losses, step + 1)
    return Trained(skeleton, {name: tensor.detach() for name, tensor in state.items()}, seeds, losses)


class Score(NamedTuple):
    """Test results of each model at each length, `(num_seeds, num_lengths)`."""

    accuracy: Tensor
    beyond: Tensor  # the accuracy at positions that training never reached; NaN where there are none
    loss: Tensor  # nats per answer


def evaluate(
    trained: Trained, task: tasks.Task, lengths: Iterable[int], *, batch_size: int = 256, num_threads: int = 1
) -> Score:
    """Test every model on the same sequences.

    Args:
        trained: the models.
        task: draws the sequences, from its held-out part if it has one.
        lengths: of the sequences, in tokens.
        batch_size: sequences of each length.
        num_threads: of the processor, as for `train`.
    """
    rows = []
    device = next(iter(trained.state.values())).device
    for seq_len in lengths:
        generator = torch.Generator().manual_seed(TEST_SEED + seq_len)
        tokens, targets = task.draw_test(batch_size, seq_len, generator=generator)
        with _on_threads(num_threads):
            parts = [trained(part.to(device)).cpu() for part in tokens.split(max(1, 1024 // seq_len))]  # to save memory
        beyond = torch.full_like(targets, tasks.NO_ANSWER)
        if targets.ndim > 1:
            beyond[:, task.trained_to :] = targets[:, task.trained_to :]
        logits = torch.cat(parts, 1)
        rows.append([[tasks.accuracy(x, targets), tasks.accuracy(x, beyond), tasks.loss(x, targets)] for x in logits])
    return Score(*torch.tensor(rows).permute(2, 1, 0))


@contextlib.contextmanager
def _on_threads(count: int):
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _AdamW:
    """The update of `torch.optim.AdamW`, without the import of torch's compiler at its first use (about a second)."""

    def __init__(self, weights: list[Tensor], learning_rate: float):
        self.weights = weights
        self.learning_rate = learning_rate
        self.means = [torch.zeros_like(weight) for weight in weights]  # of the gradients
        self.squares = [torch.zeros_like(weight) for weight in weights]  # the means of their squares
        self.steps = [torch.zeros(()) for _ in weights]

    @torch.no_grad()
    def step(self, gradients: tuple[Tensor, ...]) -> None:
        """Change the weights, and what is remembered of the gradients."""
        adamw(
            self.weights, list(gradients), self.means, self.squares, [], self.steps,
            amsgrad=False, beta1=0.9, beta2=0.999, lr=self.learning_rate, weight_decay=0.01, eps=1e-8, maximize=False,
        )  # fmt: skip

    def remembered(self) -> list[Tensor]:
        """Return all that the next step needs beside the weights."""
        return [*self.means, *self.squares, *self.steps]


def _untrained(make_model, seed: int) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make_model()


def _batches(task: tasks.Task, batch_size: int, generators: list[torch.Generator]):
    shortest, longest = task.train_lengths
    seq_len = int(torch.randint(shortest, longest + 1, (), generator=generators[-1]))
    drawn = [task.draw(batch_size, seq_len, generator=generator) for generator in generators[:-1]]
    return (torch.stack(parts) for parts in zip(*drawn, strict=True))


def _save(checkpoint, settings, state, optimizer, generators, losses, step: int) -> None:
    content = {"settings": settings, "state": state, "optimizer": optimizer.remembered(), "losses": losses}
    content |= {"generators": [generator.get_state() for generator in generators], "step": step}
    part = Path(checkpoint).with_suffix(".part")  # an interrupted write leaves the old checkpoint as it was
    part.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, part)
    part.replace(checkpoint)


def _resume(checkpoint, settings, state, optimizer, generators, losses) -> int:
    if not checkpoint or not Path(checkpoint).exists():
        return 0
    saved = torch.load(checkpoint, weights_only=True)
    if saved["settings"] != settings:
        raise ValueError(
            f"checkpoint must have the settings {settings} (delete it to start again), got {saved['settings']}"
        )
    with torch.no_grad():
        for name, tensor in saved["state"].items():
            state[name].copy_(tensor)
        for tensor, saved_tensor in zip(optimizer.remembered(), saved["optimizer"], strict=True):
            tensor.copy_(saved_tensor)
    for generator, saved_state in zip(generators, saved["generators"], strict=True):
        generator.set_state(saved_state)
    losses.copy_(saved["losses"])
    return saved["step"]
