"""Let small networks read times, coordinates, hours and places from their hands: lesson 15's results.

`python -m clockwork.lessons.lesson_15.measure` writes data/beyond_words.json: some thirty CPU-minutes. With an
argument, only the parts whose names contain it are measured, and the others stay:
`python -m clockwork.lessons.lesson_15.measure pictures`.

Everything has eight seeds, and sides that are compared have two learning rates each, or three; all are recorded, and
the lesson reads the best one.
"""

from __future__ import annotations

import json
import math
import platform
import sys
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit import datafiles, tasks, training
from clockwork.lessons.lesson_15 import pictures, readers
from pe_helpers import sinusoidal

DATA = datafiles.CHECKOUT / "beyond_words.json"
WIDTH = 32  # numbers of a timestep's code
RANGES = (1, 10, 100, 1_000, 100_000)
WAVES = (1, 8, 32)  # over the whole range of t
MORE = (200_000, 5_000)  # wavelengths of one more hand
WITHIN = (0.25, 0.5, 1, 2)  # rad that the fastest hand turns within a wave
LONGER = 16  # times the steps
SAMPLES = {"timestep": 256, "coordinate": 128, "hours": 600}
STEPS = {
    "timestep": 600,
    "denoiser": 1000,
    "coordinate": 1000,
    "octaves": 1000,
    "hours": 600,
    "pictures": 800,
    "rows": 200,
    "diagonals": 400,
}
RATES = {
    "timestep": (3e-3, 2e-2),
    "denoiser": (3e-3, 1e-2, 3e-2),
    "coordinate": (3e-3, 1e-2),
    "hours": (3e-3, 1e-2),
    "octaves": (1e-2,),
    "pictures": (5e-3,),  # one model is asked in both ways
    "rows": (3e-3,),
    "diagonals": (1e-3, 3e-3),
}
POINTS = 8  # that the denoiser's data are
OCTAVES = 5
DAY = 24.0  # hours
RECORD = 28 * DAY
NOISE = 0.1
PERIODS = (23, 23.5, 23.8, 23.9, 24, 24.1, 24.2, 24.5, 25)  # hours, of one hand
SHOWN = 48  # hours that are drawn, in the last week of the record and in the second one after it
DRAWN = {"recorded days": RECORD - 7 * DAY, "days after": RECORD + 7 * DAY}  # where they begin
GRID = 97
BATCH = 4  # pictures


def rounded(values, digits: int = 4):
    """Return a tensor's numbers with the digits that are recorded."""
    return [rounded(value, digits) for value in values] if values.ndim else round(values.item(), digits)


def generator(seed: int) -> torch.Generator:
    """Return a source of random numbers."""
    return torch.Generator().manual_seed(seed)


def fitted(kind: str, x: Tensor, wanted: Tensor, coded: Callable, *, times: int = 1) -> dict[str, Callable]:
    """Train on given points at each rate; return by rate what answers other points, `(seeds, points)`."""
    inputs = coded(x)
    answer = {}
    for rate in RATES[kind]:
        found = readers.learn(
            lambda: (inputs, wanted[..., None].float()), steps=times * STEPS[kind], learning_rate=rate
        )
        answer[str(rate)] = lambda other, found=found: found(coded(other))[..., 0].double()
    return answer


def rms(errors: Tensor) -> list[float]:
    """Return each seed's error, the root of the mean square."""
    return rounded(errors.square().mean(-1).sqrt())


def timestep() -> dict:
    """Return the error of networks that shall draw 1, 8 or 32 waves over t in [0, 1], by the range of what goes in."""
    t = torch.rand(readers.SEEDS, SAMPLES["timestep"], generator=generator(1), dtype=torch.float64)
    asked = torch.linspace(0, 1, 1001, dtype=torch.float64).expand(readers.SEEDS, -1)
    few = slow(100_000)
    ways = {f"0 to {reach}": (reach, 10_000, 1, WIDTH, []) for reach in RANGES}
    ways |= {"0 to 1, base 100": (1, 100, 1, WIDTH, []), "0 to 1, base 1000000": (1, 1e6, 1, WIDTH, [])}
    ways |= {"0 to 1, four times": (1, 1e4, 4, WIDTH, []), f"0 to 1, {LONGER} times": (1, 1e4, LONGER, WIDTH, [])}
    ways |= {"0 to 100000, slow hands": (100_000, 1e4, 1, few, [])}
    ways |= {f"0 to 100000, slow hands and {more}": (100_000, 1e4, 1, few, [more]) for more in MORE}
    found = {}
    for waves in WAVES:
        for name, (reach, base, times, numbers, more) in ways.items():

            def coded(t, reach=reach, base=base, numbers=numbers, more=more):
                code = sinusoidal.table(reach * t, WIDTH, base=base)[..., -numbers:]
                return torch.cat([code, readers.code(reach * t, more)], -1) if more else code

            answers = fitted("timestep", t, (math.tau * waves * t).sin(), coded, times=times)
            found[f"{waves} waves, {name}"] = {
                rate: rms(answer(asked) - (math.tau * waves * asked).sin()) for rate, answer in answers.items()
            }
    return found


def timestep_controls() -> dict:
    """Return errors as `timestep` does, with the number 100 t in place of its hands, and for more points at 1,000 t.

    Beside them stands what the first of eight networks says of 32 waves, for t from 0 to 1 and from 0 to 100.
    """
    asked = torch.linspace(0, 1, 1001, dtype=torch.float64).expand(readers.SEEDS, -1)
    ways = {
        "0 to 100, no hands": (SAMPLES["timestep"], lambda t: (100 * t)[..., None].float()),
        "0 to 1000, 1024 points": (1024, lambda t: sinusoidal.table(1000 * t, WIDTH)),
    }
    drawn = {f"0 to {reach}": (256, lambda t, reach=reach: sinusoidal.table(reach * t, WIDTH)) for reach in (1, 100)}
    found = {}
    for waves in WAVES:
        for name, (count, coded) in (ways | (drawn if waves == WAVES[-1] else {})).items():
            t = torch.rand(readers.SEEDS, count, generator=generator(1), dtype=torch.float64)
            wanted = (math.tau * waves * asked).sin()
            said = {
                rate: answer(asked)
                for rate, answer in fitted("timestep", t, (math.tau * waves * t).sin(), coded).items()
            }
            errors = {rate: rms(answer - wanted) for rate, answer in said.items()}
            if name in drawn:
                best_rate = min(errors, key=lambda rate: sum(errors[rate]))
                found[f"{waves} waves, {name}, drawn"] = rounded(said[best_rate][0], 2)
            else:
                found[f"{waves} waves, {name}"] = errors
    return found


def border() -> dict:
    """Return errors as `timestep` does, for ranges over which the fastest hand turns by `WITHIN` within each wave.

    Half a radian is asked once more with four times the steps.
    """
    t = torch.rand(readers.SEEDS, SAMPLES["timestep"], generator=generator(1), dtype=torch.float64)
    asked = torch.linspace(0, 1, 1001, dtype=torch.float64).expand(readers.SEEDS, -1)
    found = {}
    for waves in WAVES:
        for within, times in (*((within, 1) for within in WITHIN), (0.5, 4)):
            answers = fitted(
                "timestep",
                t,
                (math.tau * waves * t).sin(),
                lambda t, reach=within * waves: sinusoidal.table(reach * t, WIDTH),
                times=times,
            )
            found[f"{waves} waves, {within} rad" + ", four times" * (times > 1)] = {
                rate: rms(answer(asked) - (math.tau * waves * asked).sin()) for rate, answer in answers.items()
            }
    return found


def slow(reach: float) -> int:
    """Return how many of the code's numbers belong to hands that do not come round between two points."""
    return 2 * int((sinusoidal.wavelengths(WIDTH) > reach / SAMPLES["timestep"]).sum())


def noised(points: Tensor, count: int, draw: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Return times, points mixed with noise, and the way from the point to the noise, as in flow matching."""
    t = torch.rand(readers.SEEDS, count, generator=draw)
    clean = points[torch.randint(len(points), t.shape, generator=draw)]
    noise = torch.randn(clean.shape, generator=draw)
    return t, (1 - t)[..., None] * clean + t[..., None] * noise, noise - clean


def best(points: Tensor, t: Tensor, x: Tensor) -> Tensor:
    """Return the best answer that there is: the mean of all ways that lead to x at this time."""
    t = t.clamp(min=1e-4)[..., None]
    distance = (x[..., None, :] - (1 - t)[..., None] * points).square().sum(-1)
    clean = (-distance / (2 * t**2)).softmax(-1) @ points
    return (x - (1 - t) * clean) / t - clean


def denoiser(size: int) -> dict:
    """Return by how much denoisers miss the best answer (mean square), without t, with t in [0, 1], and 1000 times."""
    points = torch.randn(POINTS, size, generator=generator(5))
    t, x, _ = noised(points, 2000, generator(99))
    wanted = best(points, t, x)
    found = {}
    for name, reach in {"without t": 0, "0 to 1": 1, "0 to 1000": 1000}.items():

        def coded(t, x, reach=reach):
            return torch.cat([x, sinusoidal.table(reach * t, WIDTH)], -1)

        found[name] = {}
        for rate in RATES["denoiser"]:
            draw = generator(1)

            def batch(draw=draw, coded=coded):
                t, x, way = noised(points, 128, draw)
                return coded(t, x), way

            answer = readers.learn(batch, steps=STEPS["denoiser"], learning_rate=rate)
            found[name][str(rate)] = rounded((answer(coded(t, x)) - wanted).square().mean((1, 2)))
    return found


def signal(x: Tensor) -> Tensor:
    """Return a signal on [−1, 1] whose two ends differ."""
    return 0.8 * (1.1 * x).sin() + 0.5 * (math.tau * 1.3 * x + 1).sin() + 0.4 * (math.tau * 4.7 * x).sin()


def octaves(x: Tensor, count: int, *, pi: bool) -> Tensor:
    """Return NeRF's code: hands that turn by x, 2x, 4x … rad, with π in front of them or not."""
    return readers.code(x, math.tau / (2.0 ** torch.arange(count) * (math.pi if pi else 1)))


def coordinate() -> dict:
    """Return the error of networks that shall draw a signal on [−1, 1], at its ends and elsewhere."""
    ways = {
        "with pi": lambda x: octaves(x, OCTAVES, pi=True),
        "without pi": lambda x: octaves(x, OCTAVES, pi=False),
        "with pi, half the range": lambda x: octaves(x / 2, OCTAVES, pi=True),
        "without pi, pi times the range": lambda x: octaves(math.pi * x, OCTAVES, pi=False),
        "with pi, and x itself": lambda x: torch.cat([octaves(x, OCTAVES, pi=True), x[..., None].float()], -1),
    }
    x = 2 * torch.rand(readers.SEEDS, SAMPLES["coordinate"], generator=generator(1), dtype=torch.float64) - 1
    asked = torch.linspace(-1, 1, 1001, dtype=torch.float64).expand(readers.SEEDS, -1)
    ends = asked[0].abs() > 0.95
    found = {}
    for name, coded in ways.items():
        found[name] = {}
        for rate, answer in fitted("coordinate", x, signal(x), coded).items():
            error = answer(asked) - signal(asked)
            found[name][rate] = {"ends": rms(error[:, ends]), "elsewhere": rms(error[:, ~ends])}
    return found


def how_many_octaves() -> dict:
    """Return the error for more and more octaves, without π, and for ten with four times the points."""
    asked = torch.linspace(-1, 1, 1001, dtype=torch.float64).expand(readers.SEEDS, -1)
    ways = {str(count): (count, 1) for count in (1, 3, 5, 7, 10)} | {"10, four times the points": (10, 4)}
    found = {}
    for name, (count, more) in ways.items():
        shape = (readers.SEEDS, more * SAMPLES["coordinate"])
        x = 2 * torch.rand(shape, generator=generator(1), dtype=torch.float64) - 1
        answers = fitted("octaves", x, signal(x), lambda x, count=count: octaves(x, count, pi=False))
        found[name] = {rate: rms(answer(asked) - signal(asked)) for rate, answer in answers.items()}
    return found


def rhythm(hours: Tensor) -> Tensor:
    """Return a daily rhythm: a peak at 8 o'clock and a broader one at 18."""
    hour = hours % DAY
    return torch.exp(-(((hour - 8) / 2) ** 2)) + 0.7 * torch.exp(-(((hour - 18) / 3) ** 2))


def record() -> tuple[Tensor, Tensor]:
    """Return 600 irregular times of 28 days for each seed, in hours, and what was measured then."""
    draw = generator(1)
    times = RECORD * torch.rand(readers.SEEDS, SAMPLES["hours"], generator=draw, dtype=torch.float64)
    return times, rhythm(times) + NOISE * torch.randn(times.shape, generator=draw)


def alone(period: float) -> str:
    """Return how the record names one hand of this wavelength."""
    return f"{period} h alone"


def hours() -> dict:
    """Return the error of networks that learn a daily rhythm at irregular times of 28 days, then and in the next 28.

    Beside the errors stands what the first network says of two days of each, as `DRAWN` has them.
    """
    words = sinusoidal.wavelengths(16)
    parts = torch.arange(1, 9, dtype=torch.float64)
    ways = {
        "as for words": words,
        "as for words, and 24 h": torch.cat([words, torch.tensor([DAY])]),
        "those for words that came round": words[words < RECORD],
        "24 h, and hands that came round": torch.cat([words[words < RECORD], torch.tensor([DAY])]),
        "24 h, and hands that did not": torch.cat([words[words > RECORD], torch.tensor([DAY])]),
    }
    ways |= {alone(period): torch.tensor([float(period)]) for period in PERIODS}
    ways |= {f"{period} h and its parts": period / parts for period in (24, 23.9, 25)}
    times, wanted = record()
    found = {}
    for name, wavelengths in ways.items():
        answers = fitted("hours", times, wanted, lambda x, wavelengths=wavelengths: readers.code(x, wavelengths))
        found[name] = {}
        for rate, answer in answers.items():
            errors, drawn = {}, {}
            for when, start in (("recorded days", 0), ("days after", RECORD)):
                asked = torch.linspace(start, start + RECORD, 4001, dtype=torch.float64).expand(readers.SEEDS, -1)
                errors[when] = rms(answer(asked) - rhythm(asked))
                shown = DRAWN[when] + torch.linspace(0, SHOWN, GRID, dtype=torch.float64).expand(readers.SEEDS, -1)
                drawn[f"{when}, drawn"] = rounded(answer(shown)[0], 3)
            found[name][rate] = errors | drawn
    return found


def learned(kind: str, draw: Callable, axes: str, rate: float, *, times: int = 1) -> training.Trained:
    """Train models of one layer on pictures or boards."""
    task = pictures.task(draw)
    return training.train(
        lambda: pictures.model(task.vocab_size, axes),
        task,
        range(readers.SEEDS),
        steps=times * STEPS[kind],
        batch_size=BATCH,
        learning_rate=rate,
    )


def asked(trained: training.Trained, draw: Callable, side: int, scale: float = 1.0) -> list[float]:
    """Return each model's share of right answers in pictures of a side, with places multiplied by `scale`."""
    trained.skeleton.encoding.scale = scale
    picture, target = draw(2 * BATCH, side**2, generator=generator(0))
    return [round(tasks.accuracy(logits, target).item(), 4) for logits in trained(picture)]


@torch.no_grad()
def looks(trained: training.Trained, draw: Callable, side: int, query: tuple[int, int], scale: float = 1.0) -> list:
    """Return the mean weight that a query's place gives to every place, over seeds, heads and pictures."""
    picture, _ = draw(2 * BATCH, side**2, generator=generator(0))
    row, column = query
    weights = []
    for seed in trained.seeds:
        model = trained.model(seed)
        model.encoding.scale = scale
        weights.append(model.trace(picture).weights[0][:, :, row * side + column].mean((0, 1)))
    return rounded(torch.stack(weights).mean(0).unflatten(0, (side, side)))


def larger(draw: Callable) -> dict:
    """Return what models of 14 × 14 get right in larger pictures whose places are counted on or squeezed."""
    found = {}
    for rate in RATES["pictures"]:
        trained = learned("pictures", draw, "axial", rate)
        right, looked = {"as trained": asked(trained, draw, pictures.SIDE)}, {}
        for side in pictures.SIDES:
            for way, scale in pictures.ways(side).items():
                right[f"{side} {way}"] = asked(trained, draw, side, scale)
                looked[f"{side} {way}"] = looks(trained, draw, side, (side // 2, side - 2), scale)
        right["14, squeezed as 20"] = asked(trained, draw, 14, 14 / 20)
        for side in (14, 20):
            for way, scale in pictures.ways(side).items():
                for hidden, visible in pictures.hidden(draw, side, scale).items():
                    trained.skeleton.encoding.visible = visible
                    right[f"{side} {way}, {hidden}"] = asked(trained, draw, side, scale)
        trained.skeleton.encoding.visible = None
        found[str(rate)] = {"right": right, "looks": looked}
    return found


def boards(kind: str, axes: str, *, times: int = 1) -> dict:
    """Return what models get right about the rows or diagonals of a board."""
    draw = {"rows": pictures.along_row, "diagonals": pictures.along_diagonal}[kind]
    found = {}
    for rate in RATES[kind]:
        trained = learned(kind, draw, axes, rate, times=times)
        right = {"as trained": asked(trained, draw, pictures.BOARD)}
        found[str(rate)] = {"right": right, "looks": looks(trained, draw, pictures.BOARD, (5, 5))}
    return found


PARTS = {
    "timestep": timestep,
    "timestep/controls": timestep_controls,
    "timestep/border": border,
    "denoiser/2 numbers": lambda: denoiser(2),
    "denoiser/16 numbers": lambda: denoiser(16),
    "coordinate": coordinate,
    "octaves": how_many_octaves,
    "hours": hours,
    "pictures/three_left": lambda: larger(pictures.three_left),
    "pictures/half_left": lambda: larger(pictures.half_left),
    "boards/row, axial": lambda: boards("rows", "axial"),
    "boards/row, mixed": lambda: boards("rows", "mixed"),
    "boards/diagonal, axial": lambda: boards("diagonals", "axial"),
    "boards/diagonal, mixed": lambda: boards("diagonals", "mixed"),
    "boards/diagonal, axial, four times": lambda: boards("diagonals", "axial", times=4),
}


def main(only: str = "") -> None:
    """Measure every part whose name contains `only`, and write the results."""
    torch.set_num_threads(1)
    for name, measure in PARTS.items():
        if only in name:
            write(name, measure())
            print(name, flush=True)


def write(name: str, part: dict) -> None:
    """Write one part beside those that are there, with what they were made with."""
    parts = json.loads(DATA.read_text("utf-8"))["parts"] if DATA.exists() else {}
    parts[name] = part
    about = {
        "command": "python -m clockwork.lessons.lesson_15.measure",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seeds": readers.SEEDS,
        "steps": STEPS,
        "samples": SAMPLES,
        "batch": BATCH,
    }
    ordered = {name: parts[name] for name in PARTS if name in parts}
    DATA.write_text(json.dumps(about | {"parts": ordered}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
