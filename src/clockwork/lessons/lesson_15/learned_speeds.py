"""Let the speeds of the hands be learned, too: a daily rhythm and a timestep, for lesson 15's side paths.

`python -m clockwork.lessons.lesson_15.learned_speeds` writes data/learned_speeds.json: some ten CPU-minutes. With an
argument, only the parts whose names contain it are measured, and the others stay.

The networks, the tasks and the seeds are the lesson's (`readers`, `measure`); the speeds have a learning rate of
their own, and a rate of 0 holds them. All rates are recorded; a reader takes the one with the smallest error in
what was learned from.
"""

from __future__ import annotations

import json
import math
import platform
import sys
from collections.abc import Callable

import torch
from torch import Tensor, nn

from clockwork.kit import datafiles
from clockwork.lessons.lesson_15 import measure, readers
from pe_helpers import sinusoidal

NAME = "learned_speeds.json"
DATA = datafiles.CHECKOUT / NAME
SINES = 16  # of Time2Vec
UNITS = {"hours": 1.0, "days": 24.0, "four weeks": measure.RECORD}  # hours in one
RATES = (3e-3, 1e-2)  # of the network
SPEED_RATES = (0.0, 1e-3, 1e-2, 1e-1)
STARTS = (20, 22, 23, 23.5, 23.9, 24.2, 24.5, 25, 28)  # hours, of one hand
WIDER = (20, 22, 23, 25, 28)
START_RATES = (1e-4, 1e-3)
SCALES = (1, 16)  # of Gaussian speeds, in turns while t goes from 0 to 1
TIMED = 16  # hands of a timestep
TIMED_RATES = (0.0, 1e-2, 1e-1, 1.0)  # of the speeds, in rad for a t from 0 to 1


def best(part: str, name: str) -> dict:
    """Return what was recorded at the rate of the network with the smallest first error, the mean of eight networks.

    Example:
        >>> sorted(best("hours/given", "24 h, speeds at 0.0"))
        ['days after', 'hours', 'recorded days']
    """
    runs = datafiles.read_part(NAME, part)[name].values()
    return min(runs, key=lambda run: sum(next(iter(run.values()))))


def mean(values: list[float]) -> float:
    """Return the mean of eight networks."""
    return sum(values) / len(values)


def came(part: str, name: str, hours: float = measure.DAY, *, within: float = 0.1) -> int:
    """Return how many of eight networks have a hand that ended at this wavelength."""
    return sum(any(abs(hand - hours) <= within for hand in hands) for hands in best(part, name)["hours"])


class Hands(nn.Module):
    """Hands whose speeds are parameters, one set for each seed: sine and cosine, or as Time2Vec writes them.

    Args:
        speeds: at the start, `(seeds, hands)`, in radians for each unit of what goes in.
        phases: at the start, of the same shape: then each hand is one sine, of speed · x + phase. Without them it is
            sine and cosine.
        linear: speed and phase of one more number that is not wrapped, `(seeds, 2)`, or None.
        unit: in which the numbers are written before the hands read them.
    """

    def __init__(
        self, speeds: Tensor, phases: Tensor | None = None, linear: Tensor | None = None, *, unit: float = 1.0
    ):
        super().__init__()
        self.unit = unit
        self.speeds = nn.Parameter(speeds.clone())
        self.phases = None if phases is None else nn.Parameter(phases.clone())
        self.linear = None if linear is None else nn.Parameter(linear.clone())

    def forward(self, x: Tensor) -> Tensor:
        """Return the code of each seed's own numbers `(seeds, batch)`."""
        x = (x / self.unit).float()
        angles = x[..., None] * self.speeds[:, None]
        single = self.phases is not None
        parts = [(angles + self.phases[:, None]).sin()] if single else [angles.sin(), angles.cos()]
        if self.linear is not None:
            parts.append((x * self.linear[:, :1] + self.linear[:, 1:])[..., None])
        return torch.cat(parts, -1)


def learn(hands: Hands, draw: Callable, *, steps: int, rate: float, speed_rate: float) -> Callable:
    """Train networks together with their hands; return what answers other inputs.

    Args:
        hands: of all seeds; a rate of 0 holds them.
        draw: returns a batch for each seed: what the hands read, what goes in beside them or None, the wanted answers.
        steps: of training.
        rate: of the network at the beginning; it falls to 0.
        speed_rate: of the hands.
    """

    def inputs(x, beside):
        return hands(x) if beside is None else torch.cat([beside, hands(x)], -1)

    def batch():
        x, beside, wanted = draw()
        return inputs(x, beside), wanted

    hands.requires_grad_(speed_rate > 0)
    own = [{"params": hands.parameters(), "lr": speed_rate, "weight_decay": 0.0}] if speed_rate else []
    network = readers.learn(batch, steps=steps, learning_rate=rate, beside=own)
    hands.requires_grad_(False)
    return lambda x, beside=None: network(inputs(x, beside))


def time2vec(unit: float, *, linear: bool) -> Hands:
    """Return Time2Vec's sines, with all parameters drawn from a normal distribution, for times in this unit."""
    draw = measure.generator(7)
    speeds, phases = torch.randn(2, readers.SEEDS, SINES, generator=draw)
    line = torch.randn(readers.SEEDS, 2, generator=draw)
    return Hands(speeds, phases, line if linear else None, unit=unit)


def turning(wavelengths) -> Hands:
    """Return hands of these wavelengths, the same for each seed."""
    speeds = math.tau / torch.as_tensor(wavelengths, dtype=torch.float64)
    return Hands(speeds.float().expand(readers.SEEDS, -1))


def predicted(start: Callable, speed_rate: float, rates: tuple[float, ...] = RATES, *, weeks: int = 4) -> dict:
    """Return by rate the errors on the recorded days and after, and the wavelengths of the hands at the end.

    A record of fewer weeks has as many points, and the errors are still those of four weeks and the next four.
    """
    times, wanted = measure.record()
    if weeks != 4:
        noise = wanted - measure.rhythm(times)
        times = times * weeks / 4
        wanted = measure.rhythm(times) + noise
    found = {}
    for rate in rates:
        hands = start()
        answer = learn(
            hands,
            lambda: (times, None, wanted[..., None].float()),
            steps=measure.STEPS["hours"],
            rate=rate,
            speed_rate=speed_rate,
        )
        errors = {}
        for when, first in (("recorded days", 0), ("days after", measure.RECORD)):
            asked = torch.linspace(first, first + measure.RECORD, 4001, dtype=torch.float64).expand(readers.SEEDS, -1)
            errors[when] = measure.rms(answer(asked)[..., 0].double() - measure.rhythm(asked))
        found[str(rate)] = errors | {"hours": measure.rounded(math.tau * hands.unit / hands.speeds.abs(), 2)}
    return found


def hours_given() -> dict:
    """Return what networks predict that start with the lesson's hands, held or learned."""
    words = sinusoidal.wavelengths(16)
    ways = {"24 h": [measure.DAY], "as for words": words}
    return {
        f"{name}, speeds at {rate}": predicted(lambda wavelengths=wavelengths: turning(wavelengths), rate)
        for name, wavelengths in ways.items()
        for rate in SPEED_RATES
    }


def hours_time2vec(*, linear: bool, speed_rates: tuple[float, ...] = SPEED_RATES) -> dict:
    """Return what networks predict whose hands are Time2Vec's, by the unit in which the time is written."""
    return {
        f"{name}, speeds at {rate}": predicted(lambda unit=unit: time2vec(unit, linear=linear), rate)
        for name, unit in UNITS.items()
        for rate in speed_rates
    }


def hours_starts() -> dict:
    """Return what networks predict from one hand whose speed is learned, by the wavelength that it starts with."""
    return {
        f"{hours} h, speed at {rate}": predicted(lambda hours=hours: turning([float(hours)]), rate, RATES[1:])
        for hours in STARTS
        for rate in START_RATES
    }


def hours_one_week() -> dict:
    """Return what `hours_starts` does where the record has one week, at the higher rate of the speed."""
    rate = START_RATES[-1]
    return {
        f"{hours} h, speed at {rate}": predicted(lambda hours=hours: turning([float(hours)]), rate, RATES[1:], weeks=1)
        for hours in WIDER
    }


def gaussian(scale: float) -> Hands:
    """Return hands whose speeds are drawn from a normal distribution, in turns of this size for t from 0 to 1."""
    return Hands(math.tau * scale * torch.randn(readers.SEEDS, TIMED, generator=measure.generator(7)))


def ways() -> dict[str, tuple[float, float]]:
    """Return the scales and the rates of the speeds that are compared, by the name in the record."""
    return {f"scale {scale}, speeds at {rate}": (scale, rate) for scale in SCALES for rate in TIMED_RATES}


def timestep(waves: int) -> dict:
    """Return the error of networks that shall draw waves over t in [0, 1], as `measure.timestep` does, and speeds."""
    t = torch.rand(readers.SEEDS, measure.SAMPLES["timestep"], generator=measure.generator(1), dtype=torch.float64)
    asked = torch.linspace(0, 1, 1001, dtype=torch.float64).expand(readers.SEEDS, -1)
    wanted = (math.tau * waves * t).sin()[..., None].float()
    found = {}
    for name, (scale, speed_rate) in ways().items():
        found[name] = {}
        for rate in measure.RATES["timestep"]:
            hands = gaussian(scale)
            answer = learn(
                hands, lambda: (t, None, wanted), steps=measure.STEPS["timestep"], rate=rate, speed_rate=speed_rate
            )
            error = measure.rms(answer(asked)[..., 0].double() - (math.tau * waves * asked).sin())
            moved = (hands.speeds - gaussian(scale).speeds).abs().mean() / math.tau
            found[name][str(rate)] = {"error": error, "moved": round(moved.item(), 4)}
    return found


def denoiser(size: int) -> dict:
    """Return by how much denoisers miss the best answer, as `measure.denoiser` does, by the scale of the speeds."""
    points = torch.randn(measure.POINTS, size, generator=measure.generator(5))
    t, x, _ = measure.noised(points, 2000, measure.generator(99))
    wanted = measure.best(points, t, x)
    found = {}
    for name, (scale, speed_rate) in ways().items():
        if speed_rate == TIMED_RATES[-1]:
            continue
        found[name] = {}
        for rate in measure.RATES["denoiser"][1:]:
            hands, draw = gaussian(scale), measure.generator(1)
            answer = learn(
                hands,
                lambda draw=draw: measure.noised(points, 128, draw),
                steps=measure.STEPS["denoiser"],
                rate=rate,
                speed_rate=speed_rate,
            )
            error = measure.rounded((answer(t, x) - wanted).square().mean((1, 2)))
            moved = (hands.speeds - gaussian(scale).speeds).abs().mean() / math.tau
            found[name][str(rate)] = {"error": error, "moved": round(moved.item(), 4)}
    return found


PARTS = {
    "hours/given": hours_given,
    "hours/starts": hours_starts,
    "hours/starts, one week": hours_one_week,
    "hours/time2vec": lambda: hours_time2vec(linear=True),
    "hours/time2vec, no linear term": lambda: hours_time2vec(linear=False, speed_rates=(1e-2,)),
    "timestep/32 waves": lambda: timestep(32),
    "denoiser/16 numbers": lambda: denoiser(16),
}


def main(only: str = "") -> None:
    """Measure every part whose name contains `only`, and write the results."""
    torch.set_num_threads(1)
    for name, measured in PARTS.items():
        if only in name:
            write(name, measured())
            print(name, flush=True)


def write(name: str, part: dict) -> None:
    """Write one part beside those that are there, with what they were made with."""
    parts = json.loads(DATA.read_text("utf-8"))["parts"] if DATA.exists() else {}
    parts[name] = part
    about = {
        "command": "python -m clockwork.lessons.lesson_15.learned_speeds",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seeds": readers.SEEDS,
    }
    ordered = {name: parts[name] for name in PARTS if name in parts}
    DATA.write_text(json.dumps(about | {"parts": ordered}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
