"""Train a small model with each of the faulty encodings: `python -m clockwork.lessons.lesson_10.train_faults`.

Lesson 10 shows the results, `data/faults.json`: about twelve CPU-minutes. All models have one layer, four heads and a
causal mask. First *3 back*; then, for what is added to the input, next-byte prediction. A fault whose first ten losses
are the very numbers of the sound encoding is called asleep and not trained further: all texts of a task have one length
here, so nothing that comes later wakes it.
"""

from __future__ import annotations

import dataclasses
import json
import platform
import sys

import torch

from clockwork.kit import datafiles, tasks, training
from clockwork.kit.attention import Transformer
from clockwork.lessons.lesson_10 import faulty_encodings

DATA = datafiles.CHECKOUT / "faults.json"
SOUND = (faulty_encodings.Sound, faulty_encodings.SoundRotary)
BACK = {"steps": 150, "batch_size": 16, "learning_rate": 5e-3}
TEXT = {"steps": 600, "batch_size": 8, "learning_rate": 3e-3}
SEEDS = {"three_back": tuple(range(8)), "text": tuple(range(3))}
LENGTH = {"three_back": 24, "text": 32}


def three_back(kind: type[faulty_encodings.Sound], steps: int = BACK["steps"]) -> training.Trained:
    """Train on 3 back."""
    task = dataclasses.replace(tasks.THREE_BACK, train_lengths=(LENGTH["three_back"],) * 2)
    return training.train(lambda: model(16, kind), task, SEEDS["three_back"], **BACK | {"steps": steps})


def text(kind: type[faulty_encodings.Sound]) -> training.Trained:
    """Train on the source of the standard library, read as bytes."""
    task = dataclasses.replace(tasks.NEXT_BYTE, train_lengths=(LENGTH["text"],) * 2)
    return training.train(lambda: model(256, kind), task, SEEDS["text"], **TEXT)


def model(vocab_size: int, kind: type[faulty_encodings.Sound]) -> Transformer:
    """Return an untrained model of one layer, its tokens as short as the paper's."""
    return Transformer(vocab_size, kind(), num_layers=1, causal=True, embedding_std=1 / 8)


def main() -> None:
    """Train with every encoding, and write the table after each."""
    torch.set_num_threads(1)
    setup = {
        "command": "python -m clockwork.lessons.lesson_10.train_faults",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seeds": SEEDS,
        "length": LENGTH,
        "three_back": BACK,
        "text": TEXT,
    }
    runs: dict[str, dict] = {}
    begun = {sound: three_back(sound, 10).losses for sound in SOUND}
    for kind in (*SOUND, *faulty_encodings.FAULTS):
        losses = three_back(kind, 10).losses
        asleep = kind not in SOUND and any(torch.equal(losses, sound) for sound in begun.values())
        runs[kind.__name__] = {"asleep": asleep}
        if not asleep:
            score = training.evaluate(three_back(kind), tasks.THREE_BACK, [LENGTH["three_back"]])
            runs[kind.__name__]["accuracy"] = [round(x, 4) for x in score.accuracy[:, 0].tolist()]
        if not asleep and not kind.rotates:
            found = training.evaluate(text(kind), tasks.NEXT_BYTE, [LENGTH["text"]])
            runs[kind.__name__]["loss"] = [round(x, 4) for x in found.loss[:, 0].tolist()]
        DATA.write_text(json.dumps(setup | {"runs": runs}) + "\n", encoding="utf-8")
        print(kind.__name__, runs[kind.__name__], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
