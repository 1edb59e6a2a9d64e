"""Serve small models and SmolLM2 with their positions kept well and badly: lesson 14's results.

`python3 course.py pretrained` fetches SmolLM2, then `python -m clockwork.lessons.lesson_14.serve` writes
data/positions_at_work.json and data/serving_models.safetensors: about fifteen CPU-minutes. With an argument, only the
parts whose names contain it are measured, and the others stay:
`python -m clockwork.lessons.lesson_14.serve smollm2/sinks`.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from clockwork.kit import datafiles, pretrained, tasks, training
from clockwork.lessons.lesson_14 import serving
from pe_helpers import positions, rope_scaling

DATA = datafiles.CHECKOUT / "positions_at_work.json"
MODELS = datafiles.CHECKOUT / "serving_models.safetensors"
SEEDS = tuple(range(8))
SETTINGS = {"steps": 400, "batch_size": 16, "learning_rate": 5e-3}
LENGTH = 32  # tokens, in training
TEXTS = 128  # of each measurement with small models
BACK = 3
PADS = (0, 4, 8, 16)
PADDED = 16  # tokens in a text that is padded within the trained length
BORDERS = tuple(range(4, 29))
RUNS = {  # of packing: whether positions restart, whether the mask keeps the documents apart
    "neither": (False, False),
    "restart": (True, False),
    "mask": (False, True),
    "both": (True, True),
}
CUT = (8, 16)  # of a text of LENGTH tokens
NEW = 8  # tokens that are read afterwards
BOTH = ("alice", "course")  # the texts for SmolLM2
HALF = 256  # tokens: a document, a chunk
HOLE = 64  # pads
SINKS = 4
GONE = (4, 260)  # tokens that are cut
AFTER = 128  # tokens that are read after the cut
WINDOW = 192
STREAM = 768  # tokens
JUMP = 20_000  # tokens by which a text has gone on
JUMPS = (0, 2_000, 4_000, 8_000, 12_000, 16_000, JUMP)
FEW = 32  # texts, where every place is tried
HOLES = (1, 2, 4, 8)  # pads that a hand puts into a text
FACTOR = 4  # by which a switch of speeds makes room for longer texts
RULES = {  # the speeds for a text of so many tokens
    "no rule": lambda tokens: rope_scaling.ntk_aware(serving.HEAD_DIM, factor=1),
    "one switch": lambda tokens: rope_scaling.ntk_aware(serving.HEAD_DIM, factor=1 if tokens <= LENGTH else FACTOR),
    "one smaller switch": lambda tokens: rope_scaling.ntk_aware(serving.HEAD_DIM, factor=1 if tokens <= LENGTH else 2),
    "dynamic NTK": lambda tokens: rope_scaling.dynamic_ntk(
        serving.HEAD_DIM, factor=1, seq_len=tokens, original_max_position_embeddings=LENGTH
    ),
}


def rounded(values, digits: int = 4):
    """Return numbers with the digits that are recorded, nested as they are."""
    if isinstance(values, Tensor):
        values = values.tolist()
    return [rounded(value, digits) for value in values] if isinstance(values, list) else round(values, digits)


def learned() -> dict[str, training.Trained]:
    """Train eight models of *three back* with each encoding, and keep the first of each."""
    trained = {
        name: training.train(lambda name=name: serving.untrained(name), tasks.THREE_BACK, SEEDS, **SETTINGS)
        for name in serving.ENCODINGS
    }
    kept = {
        f"{name}.{part}": tensor[0].half() for name, models in trained.items() for part, tensor in models.state.items()
    }
    save_file(kept, MODELS)
    return trained


def unmasked() -> training.Trained:
    """Train eight rotary models of *three back* that see later keys, too: a control."""
    return training.train(lambda: serving.untrained("rotary", causal=False), tasks.THREE_BACK, SEEDS, **SETTINGS)


def drawn(seq_len: int, seed: int = 0) -> Tensor:
    """Draw texts of *three back*."""
    return torch.randint(16, (TEXTS, seq_len), generator=torch.Generator().manual_seed(1_000_003 + seed))


def right(logits: Tensor, text: Tensor, tokens: slice = slice(BACK, None)) -> float:
    """Return the share of right answers at some tokens of texts."""
    wanted = functional.pad(text[:, :-BACK], (BACK, 0), value=-1)
    return (logits.argmax(-1) == wanted)[:, tokens].double().mean().item()


def apart(logits: Tensor, others: Tensor) -> Tensor:
    """Return how far two answers are apart, from 0 to 1: the probability that has moved (total variation)."""
    return (logits.softmax(-1) - others.softmax(-1)).abs().sum(-1) / 2


def each(trained: dict, measure: Callable) -> dict:
    """Measure every model: by encoding, then by what is measured, eight seeds."""
    found = {}
    for encoding, models in trained.items():
        runs = [measure(models.model(seed)) for seed in SEEDS]
        found[encoding] = {name: rounded([run[name] for run in runs]) for name in runs[0]}
    return found


def pooled(found: dict) -> dict:
    """Return results whose maps by border and token are the means over the seeds."""

    def mean(values):
        return rounded(torch.tensor(values).mean(0), 3) if isinstance(values[0][0], list) else values

    return {encoding: {name: mean(values) for name, values in runs.items()} for encoding, runs in found.items()}


def usual(model) -> dict:
    """Return the share of right answers in texts as in training."""
    text = drawn(LENGTH)
    return {"right": right(model(text), text)}


def pads(model, seq_len: int) -> dict:
    """Return the share of right answers with pads on the left: positions counted in the row or in the text."""
    text = drawn(seq_len)
    found = {}
    for count in PADS:
        row = functional.pad(text, (count, 0))
        mask = functional.pad(torch.ones(seq_len, dtype=torch.long), (count, 0))
        causal = torch.ones(len(mask), len(mask), dtype=torch.bool).tril()
        hidden = causal & (mask.bool() | torch.eye(len(mask), dtype=torch.bool))
        for name, ids in (("row", torch.arange(len(mask))), ("text", positions.from_mask(mask))):
            for pads_seen, visible in (("hidden", hidden), ("seen", causal)):
                logits, _ = serving.read(model, row, ids, visible=visible)
                found[f"{count} {name} {pads_seen}"] = right(logits[:, count:], text)
    return found


def holes(model) -> dict:
    """Return the share of right answers at the three tokens after hidden pads in the middle."""
    text = drawn(PADDED)
    half = PADDED // 2
    found = {}
    for count in PADS:
        row = torch.cat([text[:, :half], torch.zeros(TEXTS, count, dtype=torch.long), text[:, half:]], 1)
        mask = torch.cat([torch.ones(half), torch.zeros(count), torch.ones(half)]).long()
        causal = torch.ones(len(mask), len(mask), dtype=torch.bool).tril()
        visible = causal & (mask.bool() | torch.eye(len(mask), dtype=torch.bool))
        for name, ids in (("row", torch.arange(len(mask))), ("text", positions.from_mask(mask))):
            logits, _ = serving.read(model, row, ids, visible=visible)
            found[f"{count} {name}"] = right(logits[:, mask.bool()], text, slice(half, half + BACK))
    return found


def holes_by_token(model) -> dict:
    """Return how far answers move if pads stand in a text: by their number and who counts, then by place and token."""
    text = drawn(PADDED)[:FEW]
    alone, _ = serving.read(model, text)
    found = {f"{count} {name}": [] for count in HOLES for name in ("row", "text")}
    for count in HOLES:
        for before in range(PADDED + 1):
            mask = torch.ones(PADDED + count, dtype=torch.long)
            mask[before : before + count] = 0
            row = torch.zeros(FEW, len(mask), dtype=torch.long)
            row[:, mask.bool()] = text
            causal = torch.ones(len(mask), len(mask), dtype=torch.bool).tril()
            visible = causal & (mask.bool() | torch.eye(len(mask), dtype=torch.bool))
            for name, ids in (("row", torch.arange(len(mask))), ("text", positions.from_mask(mask))):
                logits, _ = serving.read(model, row, ids, visible=visible)
                found[f"{count} {name}"].append(apart(logits[:, mask.bool()], alone).mean(0))
    return {name: torch.stack(moved) for name, moved in found.items()}


def packing(model) -> dict:
    """Return how far the answers in a packed row are from those for the documents alone, by border and token."""
    row = drawn(LENGTH, 1)
    found = {name: torch.zeros(len(BORDERS), LENGTH) for name in RUNS}
    shares = {f"{name} right": [] for name in RUNS}
    for i, border in enumerate(BORDERS):
        parts = row[:, :border], row[:, border:]
        alone = torch.cat([serving.read(model, part)[0] for part in parts], 1)
        packed = positions.from_lengths([border, LENGTH - border])
        causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
        for name, (restart, mask) in RUNS.items():
            ids = packed.position_ids if restart else torch.arange(LENGTH)
            visible = causal & positions.same_document(packed.document_ids) if mask else causal
            logits, _ = serving.read(model, row, ids, visible=visible)
            found[name][i] = apart(logits, alone).mean(0)
            shares[f"{name} right"].append(right(logits[:, border:], parts[1]))
    return found | shares


def rivals(model) -> dict:
    """Return the share of right answers in the second document, restarted, if some keys of the first are hidden."""
    row = drawn(LENGTH, 1)
    border = LENGTH // 2
    packed = positions.from_lengths([border, border])
    ids = packed.position_ids
    everything = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
    visible = everything.tril() if model.causal else everything
    own = positions.same_document(packed.document_ids)
    here = ids[:, None]
    # places after which the fastest hand, one turn in 6.28 tokens, is nearly where it was 3 earlier
    near_a_turn = torch.isin(ids - here, torch.tensor([3, 4, 9, 10]))
    seen = {
        "all": torch.ones_like(own),
        "3 places earlier": ids == here - BACK,
        "3, 4, 9, 10 places later": near_a_turn,
        "all other keys": (ids != here - BACK) & ~near_a_turn,
        "none": torch.zeros_like(own),
    }
    found = {}
    for name, other in seen.items():
        logits, _ = serving.read(model, row, ids, visible=visible & (own | other))
        found[name] = right(logits[:, border:], row[:, border:])
    return found


def chunks(model) -> dict:
    """Return the share of right answers in the second chunk of a text, whose positions are counted on or anew."""
    text = drawn(LENGTH, 2)
    half = LENGTH // 2
    _, cache = serving.read(model, text[:, :half])
    anew = torch.arange(half)
    on, _ = serving.read(model, text[:, half:], cache=cache)
    again, _ = serving.read(model, text[:, half:], anew, cache)
    whole = model(text)
    padded = [torch.cat([whole[:, :half], logits], 1) for logits in (on, again)]
    border, later = slice(half, half + BACK), slice(half + BACK, None)
    return {
        "counted on": right(padded[0], text, slice(half, None)),
        "from 0": right(padded[1], text, slice(half, None)),
        "from 0, across the border": right(padded[1], text, border),
        "from 0, within the chunk": right(padded[1], text, later),
        "largest difference to the whole": (on - whole[:, half:]).abs().max().item(),
    }


def shift(model) -> dict:
    """Return what models answer after a piece of the cache was cut, and how far their keys and values are off."""
    text = drawn(LENGTH, 3)
    new = drawn(NEW, 4)
    _, cache = serving.read(model, text)
    left = cache.without(*CUT)
    kept = torch.cat([text[:, : CUT[0]], text[:, CUT[1] :]], 1)
    _, anew = serving.read(model, kept)
    after = torch.arange(len(left), len(left) + NEW)
    both = torch.cat([kept, new], 1)
    border = slice(len(left), len(left) + BACK)
    ways = {"left, counted on": (left, after + CUT[1] - CUT[0]), "left": (left, after), "recomputed": (anew, after)}
    if isinstance(model.encoding, serving.ENCODINGS["rotary"]):
        ways["turned further"] = (left.closed_up(), after)
    found = {}
    for name, (held, ids) in ways.items():
        logits, _ = serving.read(model, new, ids, held)
        found[name] = right(torch.cat([model(kept), logits], 1), both, border)
        if name in ("left", "turned further"):
            for part in ("keys", "values"):
                errors = [off(*pair) for pair in zip(getattr(held, part), getattr(anew, part), strict=True)]
                found[f"{name}: {part}"] = errors
    return found


def speeds(model) -> dict:
    """Return the share of right answers past the trained length, token by token, under rules that change the speeds."""
    text = drawn(2 * LENGTH, 5)
    found = {}
    for rule, speeds_at in RULES.items():
        for way in ("kept", "turned", "read anew"):
            was = model.encoding.inv_freq = speeds_at(LENGTH)
            _, cache = serving.read(model, text[:, :LENGTH])
            answers = []
            for place in range(LENGTH, 2 * LENGTH):
                now = model.encoding.inv_freq = speeds_at(place + 1)
                if way == "turned":
                    cache = cache.at_other_speeds(was, now)
                if way == "read anew":
                    _, cache = serving.read(model, text[:, :place])
                logits, cache = serving.read(model, text[:, place : place + 1], cache=cache)
                answers.append(logits)
                was = now
            found[f"{rule}, {way}"] = right(
                torch.cat([model(text[:, :LENGTH]), *answers], 1), text, slice(LENGTH, None)
            )
    model.encoding.inv_freq = None
    return found


def off(found: Tensor, wanted: Tensor) -> float:
    """Return by how much tensors miss others, as a share of their size."""
    return ((found - wanted).norm() / wanted.norm()).item()


class SmolLM2:
    """The pretrained model, and its texts as tokens."""

    def __init__(self):
        self.model = pretrained.read(pretrained.path())
        texts = datafiles.read("smollm2_texts.toml")
        self.tokens = {name: self.model.encode(texts[name]["text"]) for name in BOTH}

    def read(self, *args, **changes):
        """Read tokens; return logits and cache."""
        return serving.read_pretrained(self.model, *args, **changes)

    def losses(self, tokens: Tensor, *args, **changes) -> Tensor:
        """Return the loss of each token but the first."""
        return functional.cross_entropy(self.read(tokens, *args, **changes)[0][:-1], tokens[1:], reduction="none")

    def by_text(self, measure: Callable) -> dict:
        """Measure both texts."""
        return {name: measure(self.tokens[name]) for name in BOTH}

    def pads(self, text: Tensor) -> dict:
        """Return how far losses move with pads on the left, and in the middle, with positions of row and text."""
        text = text[:HALF]
        alone = self.losses(text)
        found = {"alone": alone.mean().item()}
        for where in ("left", "hole"):
            at = 0 if where == "left" else HALF // 2
            row = torch.cat([text[:at], torch.zeros(HOLE, dtype=torch.long), text[at:]])
            mask = torch.ones(len(row), dtype=torch.long)
            mask[at : at + HOLE] = 0
            visible = torch.ones(len(row), len(row), dtype=torch.bool).tril()
            visible &= mask.bool() | torch.eye(len(row), dtype=torch.bool)
            for name, ids in (("row", torch.arange(len(row))), ("text", positions.from_mask(mask))):
                logits, _ = self.read(row, ids, visible=visible)
                losses = functional.cross_entropy(logits[mask.bool()][:-1], text[1:], reduction="none")
                found[f"{where}, {name}"] = losses.mean().item()
                found[f"{where}, {name}, largest"] = (losses - alone).abs().max().item()
        return found

    def packing(self, other: Tensor, text: Tensor) -> dict:
        """Return the loss of a document behind another one, in the four runs, and how far each token's loss moves."""
        row = torch.cat([other[:HALF], text[:HALF]])
        alone = self.losses(text[:HALF])
        packed = positions.from_lengths([HALF, HALF])
        causal = torch.ones(len(row), len(row), dtype=torch.bool).tril()
        found = {"alone": alone.mean().item()}
        for name, (restart, mask) in RUNS.items():
            ids = packed.position_ids if restart else torch.arange(len(row))
            visible = causal & positions.same_document(packed.document_ids) if mask else causal
            losses = self.losses(row, ids, visible=visible)[HALF:]
            found[name] = losses.mean().item()
            found[f"{name}, moved"] = (losses - alone).abs().mean().item()
            found[f"{name}, first 32"] = losses[:32].mean().item()
        found["alone, first 32"] = alone[:32].mean().item()
        return found

    def chunks(self, text: Tensor) -> dict:
        """Return the loss of the second chunk: counted on, counted anew, and alone."""
        first, second = text[:HALF], text[HALF : 2 * HALF]
        _, cache = self.read(first)
        ways = {"counted on": None, "from 0": torch.arange(HALF)}
        found = {name: self.losses(second, ids, cache).mean().item() for name, ids in ways.items()}
        return found | {"alone": self.losses(second).mean().item()}

    def shift(self, text: Tensor) -> dict:
        """Return the loss after a piece of the cache was cut, and how far keys and values of each layer are off."""
        base = self.model.config.base
        start, end = GONE
        length = 2 * HALF
        text, new = text[:length], text[length : length + AFTER]
        kept = torch.cat([text[:start], text[end:]])
        _, cache = self.read(text)
        _, anew = self.read(kept)
        left = cache.without(start, end)
        turned = left.closed_up(base=base)
        # the same tokens where they were, with the piece hidden from them: only their places are different
        visible = torch.ones(len(kept), len(kept), dtype=torch.bool).tril()
        _, never = self.read(kept, left.position_ids, visible=visible)
        never = never.closed_up(base=base)
        after = torch.arange(len(kept), len(kept) + AFTER)
        ways = {
            "nothing cut": (cache, after + end - start),
            "left, counted on": (left, after + end - start),
            "left": (left, after),
            "turned further": (turned, after),
            "turned further, never read": (never, after),
            "recomputed": (anew, after),
        }
        found = {name: self.losses(new, ids, held).mean().item() for name, (held, ids) in ways.items()}
        later = slice(start, None)  # the kept tokens behind the cut
        for name, held in (("left", left), ("turned further", turned), ("turned further, never read", never)):
            for part in ("keys", "values"):
                pairs = zip(getattr(held, part), getattr(anew, part), strict=True)
                found[f"{name}: {part}"] = rounded([off(a[..., later, :], b[..., later, :]) for a, b in pairs], 7)
        return found

    def joined(self, text: Tensor) -> dict:
        """Return the loss behind two pieces of a text that were read apart, and how far the second one is off."""
        base = self.model.config.base
        first, second, new = text[:HALF], text[HALF : 2 * HALF], text[2 * HALF : 2 * HALF + AFTER]
        before, behind = (self.read(piece)[1] for piece in (first, second))
        _, anew = self.read(text[: 2 * HALF])
        left = before.joined(behind)
        turned = left.closed_up(base=base)
        after = torch.arange(2 * HALF, 2 * HALF + AFTER)
        ways = {
            "read anew": (anew, after),
            "turned": (turned, after),
            "left": (left, after),
            "the second alone": (behind, after - HALF),
        }
        found = {name: self.losses(new, ids, held).mean().item() for name, (held, ids) in ways.items()}
        for part in ("keys", "values"):
            pairs = zip(getattr(turned, part), getattr(anew, part), strict=True)
            found[f"turned: {part}"] = rounded([off(a[..., HALF:, :], b[..., HALF:, :]) for a, b in pairs], 7)
        return found

    def speeds(self, text: Tensor) -> dict:
        """Return the loss after the speeds were switched for a longer text, while a cache is there."""
        head_dim, base = self.model.config.head_dim, self.model.config.base
        was, now = (rope_scaling.ntk_aware(head_dim, factor=factor, base=base) for factor in (1, FACTOR))
        text, new = text[: 2 * HALF], text[2 * HALF : 2 * HALF + AFTER]
        _, cache = self.read(text)
        _, anew = self.read(text, inv_freq=now)
        turned = cache.at_other_speeds(was, now)
        ways = {"kept": cache, "turned": turned, "read anew": anew}
        found = {"no switch": self.losses(new, None, cache).mean().item()}
        found |= {name: self.losses(new, None, held, inv_freq=now).mean().item() for name, held in ways.items()}
        for part in ("keys", "values"):
            pairs = zip(getattr(turned, part), getattr(anew, part), strict=True)
            found[f"turned: {part}"] = rounded([off(*pair) for pair in pairs], 7)
        return found

    def sinks(self, text: Tensor) -> dict:
        """Return the loss of the second half of a text read through a window, with its first tokens and without."""
        text = text[:STREAM]
        places = torch.arange(STREAM)
        back = places[:, None] - places
        near = (back >= 0) & (back < WINDOW)
        narrow = (back >= 0) & (back < WINDOW - SINKS)
        first = places < SINKS
        next_four = (places >= 1) & (places < 1 + SINKS)
        others = (places >= 50) & (places < 50 + SINKS)
        in_cache = (first, places.clamp(max=WINDOW - 1))
        jumped = places + JUMP * (places >= SINKS)
        causal = back >= 0
        ways = {
            "whole text": ({}, causal),
            "window": ({}, near),
            "window and four others": ({}, narrow | (others & causal)),
            "window and tokens 1 to 4": ({}, narrow | (next_four & causal)),
            "window and token 0": ({}, ((back >= 0) & (back < WINDOW - 1)) | ((places == 0) & causal)),
            "window and first, places in the text": ({}, narrow | (first & causal)),
            "window and first, places in the cache": ({"toward": in_cache}, narrow | (first & causal)),
            "later: window and first, places in the text": ({"position_ids": jumped}, narrow | (first & causal)),
        }
        found = {}
        for name, (changes, visible) in ways.items():
            losses = self.losses(text, visible=visible, **changes)
            found[name] = losses[STREAM // 2 :].mean().item()
        return found

    def later(self, text: Tensor) -> dict:
        """Return the loss with the first tokens at their places in the text, which has gone on by more and more."""
        text = text[:STREAM]
        places = torch.arange(STREAM)
        back = places[:, None] - places
        visible = (back >= 0) & ((back < WINDOW - SINKS) | (places < SINKS))
        found = {}
        for jump in JUMPS:
            losses = self.losses(text, places + jump * (places >= SINKS), visible=visible)
            found[str(jump)] = losses[STREAM // 2 :].mean().item()
        return found


def main(only: str = "") -> None:
    """Measure every part whose name contains `only`, and write the results."""
    torch.set_num_threads(1)
    kept = json.loads(DATA.read_text("utf-8"))["parts"] if DATA.exists() else {}
    parts = {}
    small = {
        "usual": usual,
        "pads/16 tokens": lambda model: pads(model, PADDED),
        "pads/32 tokens": lambda model: pads(model, LENGTH),
        "holes": holes,
        "packing": packing,
        "packing, who is looked at": rivals,
        "chunks": chunks,
        "shift": shift,
    }
    parts |= {f"three_back/{name}": lambda measure=measure: each(models(), measure) for name, measure in small.items()}
    parts["three_back/packing, trained without a mask"] = lambda: each({"rotary": unmasked()}, rivals)
    parts["three_back/packing"] = lambda: pooled(each(models(), packing))
    parts["three_back/holes, token by token"] = lambda: pooled(each(models(), holes_by_token))
    parts["three_back/speeds"] = lambda: each({"rotary": models()["rotary"]}, speeds)
    large = {
        "pads": lambda: smollm2().by_text(smollm2().pads),
        "packing": lambda: {
            f"{first}, then {second}": smollm2().packing(smollm2().tokens[first], smollm2().tokens[second])
            for first, second in (BOTH, BOTH[::-1])
        },
        "chunks": lambda: smollm2().by_text(smollm2().chunks),
        "shift": lambda: smollm2().by_text(smollm2().shift),
        "joined": lambda: smollm2().by_text(smollm2().joined),
        "sinks": lambda: smollm2().by_text(smollm2().sinks),
        "later": lambda: smollm2().by_text(smollm2().later),
        "speeds": lambda: smollm2().by_text(smollm2().speeds),
    }
    parts |= {f"smollm2/{name}": measure for name, measure in large.items()}
    loaded = {}

    def models():
        return loaded.setdefault("small", None) or loaded.update(small=learned()) or loaded["small"]

    def smollm2():
        return loaded.setdefault("large", None) or loaded.update(large=SmolLM2()) or loaded["large"]

    for name, measure in parts.items():
        if only in name:
            kept[name] = measure()
            print(name, flush=True)
            write({name: kept[name] for name in parts if name in kept})


def write(parts: dict) -> None:
    """Write the results, with what they were made with."""
    about = {
        "command": "python -m clockwork.lessons.lesson_14.serve",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seeds": SEEDS,
        **SETTINGS,
        "model": "SmolLM2-135M-Instruct",
        "sha256": pretrained.FILE_SHA256,
        "borders": BORDERS,
    }
    DATA.write_text(json.dumps(about | {"parts": parts}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
