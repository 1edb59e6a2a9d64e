"""What is measured of a decoder, part by part; each part has its control, and every mean its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from clockwork.measure.decoder import Decoder, Ladder, Unmeasurable
from clockwork.measure.runs import MOST, Runs, Window, interval, windows
from pe_helpers import rope_scaling

if TYPE_CHECKING:
    from torch import Tensor

    from clockwork.measure.loading import Loaded

LENGTHS = (64, 256, 1024, 1792)  # tokens
BANDS = 8
DRAWS = 4  # of as many hands at random
NEAR = 256  # tokens back that a query sees where what is farther is hidden
PIECE = 256  # tokens that are read alone
GAP_TEXT = 512  # tokens; the gap lies in the middle
GAPS = (0, 0.5, 1, 1.25, 1.5, 2, 2.5, 4)  # as shares of the trained length
ROUND = 1_000  # tokens, of gaps in models trained to several times as many
REMEDY = 4  # the factor of YaRN, where a model has no scaling of its own
STREAM = 768  # tokens of a text that is read through a window
WINDOW = 192
KEPT = (0, 1, 2, 4)  # first tokens that stay in view
OTHERS = 50  # the control: where as many other tokens begin
DEPTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
PLACES = ("Amsterdam", "Lisbon", "Toronto", "Nairobi")
NUMBERS = ("48291", "73506", "15874", "92637")
SHORTEST_NEEDLE = 128  # tokens
HEAD_TEXT = 256  # tokens
OFFSETS = ((0, 0), (1, 1), (2, 3), (4, 7), (8, 15), (16, 31), (32, 63), (64, 127))
TURN = 2 * math.pi


@dataclass
class Measured:
    """A model, texts as tokens, and the lengths at which they are read.

    Attributes:
        lengths: in tokens, rising; the last is that of the longest window.
        most: windows of each length, and needles.
    """

    loaded: Loaded
    texts: dict[str, Tensor]
    lengths: tuple[int, ...]
    runs: Runs
    most: int = MOST

    @property
    def decoder(self) -> Decoder:
        """The model."""
        return self.loaded.decoder

    def windows(self, length: int) -> list[Window]:
        """Return the windows of one length.

        Raises:
            Unmeasurable: if no text is so long.
        """
        found = windows(self.texts, length, self.most)
        if not found:
            raise Unmeasurable(f"a text must have {length} tokens for it, the longest has {self.longest_text}")
        return found

    @property
    def longest_text(self) -> int:
        """Tokens of the longest text."""
        return max(map(len, self.texts.values()))

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The parts of a longest window between one length and the next."""
        return list(zip((0, *self.lengths[:-1]), self.lengths, strict=True))

    def losses(self, what: str, window: Window, *args, **changes) -> Tensor:
        """Return the loss of each token of a window but the first."""
        tokens = window.tokens
        run = lambda: self.decoder.losses(tokens, *args, **changes)  # noqa: E731
        return self.runs(f"{what} | {window.name} | {len(tokens)}", len(tokens), (len(tokens) - 1,), run)

    def usual(self, length: int) -> list[Tensor]:
        """Return the losses of the model as it is."""
        return [self.losses("usual", window) for window in self.windows(length)]

    def at_random(self, share: float, draw: int) -> dict[str, list[int]]:
        """Return as many hands of each ladder, drawn at random."""
        drawing = torch.Generator().manual_seed(draw)
        return {
            name: sorted(torch.randperm(len(ladder), generator=drawing)[: round(share * len(ladder))].tolist())
            for name, ladder in self.decoder.ladders.items()
        }


def part_of(losses: Tensor, span: tuple[int, int]) -> Tensor:
    """Return the losses of the tokens from one place to before another; the first token has none."""
    return losses[max(span[0] - 1, 0) : span[1] - 1]


def rises(changed: list[Tensor], usual: list[Tensor], span: tuple[int, int]) -> dict:
    """Return by how much the loss of one part rises, window by window."""
    pairs = zip(changed, usual, strict=True)
    return interval([part_of(one, span) - part_of(other, span) for one, other in pairs])


def by_position(m: Measured) -> dict:
    """Return the loss along a text; the control: the same tokens with the 128 to 255 before them alone."""
    longest = m.lengths[-1]
    half = PIECE // 2
    ends = [half * 2**i for i in range(20) if half * 2**i < longest] + [longest]
    spans = list(zip((0, *ends[:-1]), ends, strict=True))
    usual = m.usual(longest)
    alone = []
    for window, losses in zip(m.windows(longest), usual, strict=True):
        found = losses.clone()
        for start in range(half, longest, half):
            tokens = window.tokens[start - half : start + half]
            piece = m.losses(f"alone from {start - half}", Window(window.name, tokens))
            found[start - 1 : start - 1 + half] = piece[half - 1 :]
        alone.append(found)
    return {
        "length": longest,
        "spans": spans,
        "loss": [interval([part_of(losses, span) for losses in usual]) for span in spans],
        "alone": [interval([part_of(losses, span) for losses in alone]) for span in spans],
        "difference": [rises(usual, alone, span) for span in spans],
    }


def need_hands(m: Measured) -> None:
    """Refuse a model in which no hand was found."""
    if m.decoder.ladders:
        return
    kind = m.decoder.config.model_type
    told = "; ".join(f"{name}: {why}" for name, why in m.decoder.unknown.items())
    alibi = kind in ("bloom", "mpt") or getattr(m.decoder.config, "alibi", False)
    how = "it has ALiBi" if alibi else f"{kind!r} calls none that returns cosines and sines"
    raise Unmeasurable(f"a rotary module is missing ({told or how})")


def stopped(m: Measured) -> dict:
    """Return how the loss rises, by length, with each band of hands stopped; control: as many hands at random."""
    need_hands(m)
    length = m.lengths[-1]
    usual = m.usual(length)
    places = m.windows(length)

    def cost(hands):
        changed = [m.losses(f"stopped {told(hands)}", window, stopped=hands) for window in places]
        return [rises(changed, usual, span) for span in m.spans]

    bands = []
    for number in range(BANDS):
        hands = m.decoder.hands(number, BANDS)
        if not any(map(len, hands.values())):
            continue
        ends = {name: [each.start, each.stop - 1] for name, each in hands.items() if len(each)}
        turns = {name: [TURN / m.decoder.ladders[name].speeds[hand].item() for hand in ends[name]] for name in ends}
        bands.append({"hands": ends, "tokens_per_turn": turns, "rise": cost(hands)})
    draws = [m.at_random(1 / BANDS, draw) for draw in range(DRAWS)]
    by_draw = [[m.losses(f"stopped {told(hands)}", window, stopped=hands) for window in places] for hands in draws]
    mean = [torch.stack(losses).mean(0) for losses in zip(*by_draw, strict=True)]
    every = {name: range(len(ladder)) for name, ladder in m.decoder.ladders.items()}
    return {
        "length": length,
        "spans": m.spans,
        "bands": bands,
        "random": {"draws": draws, "rise": [rises(mean, usual, span) for span in m.spans]},
        "all": {"rise": cost(every)},
    }


def told(hands: dict) -> str:
    """Return hands as the name of a run has them."""
    return "; ".join(f"{name} {','.join(map(str, each))}" for name, each in hands.items())


def slow_half(m: Measured) -> dict[str, range]:
    """Return the slower half of each ladder."""
    return m.decoder.hands(1, 2)


def hidden(m: Measured) -> dict:
    """Return how the loss of the last part rises with far tokens hidden or left, slow hands turning or stopped."""
    need_mask(m)
    length = m.lengths[-1]
    span = m.spans[-1]
    near = min(NEAR, length // 4)
    at = torch.arange(length)
    far = (at[:, None] - at >= near) & (at > 0)
    usual = m.usual(length)
    ways = {"hidden": {"hidden": far}}
    if m.decoder.ladders:
        half, random = slow_half(m), m.at_random(0.5, 0)
        ways |= {
            "slow hands stopped": {"stopped": half},
            "hidden, slow hands stopped": {"hidden": far, "stopped": half},
            "as many at random stopped": {"stopped": random},
            "hidden, as many at random stopped": {"hidden": far, "stopped": random},
        }
    runs = {name: [m.losses(name, window, **changes) for window in m.windows(length)] for name, changes in ways.items()}
    found = {"length": length, "span": span, "near": near, "first_kept": 1}
    found["rise"] = {name: rises(losses, usual, span) for name, losses in runs.items()}
    if m.decoder.ladders:
        found["stopping_where_hidden"] = rises(runs["hidden, slow hands stopped"], runs["hidden"], span)
    return found


def need_mask(m: Measured) -> None:
    """Refuse a model whose attention takes no mask."""
    if not m.decoder.attending:
        raise Unmeasurable(f"an attention layer that takes a mask is missing in {type(m.decoder.model).__name__}")


def trained(m: Measured) -> int:
    """Return the length before slowing: how long the texts of training were, as far as the configuration says."""
    config = m.decoder.config
    rope = getattr(config, "rope_parameters", None) or {}
    rope = rope.get("full_attention") or rope
    length = rope.get("original_max_position_embeddings") or getattr(config, "max_position_embeddings", None)
    if not length:
        raise Unmeasurable("max_position_embeddings is missing in the configuration")
    return int(length)


def scaling(m: Measured) -> str:
    """Return the rule by which the model's own configuration slows its hands, or "default"."""
    rope = getattr(m.decoder.config, "rope_parameters", None) or {}
    rope = rope.get("full_attention") or rope
    return rope.get("rope_type", "default")


def gap(m: Measured) -> dict:
    """Return the loss behind a gap in the positions, against the same half of the text read alone.

    With the model's scaling and without it; where it has none, with YaRN. A second control moves the whole text.
    """
    need_hands(m)
    if not m.decoder.takes_positions:
        raise Unmeasurable(f"position_ids are missing among what {type(m.decoder.model).__name__} takes")
    length = trained(m)
    unit = ROUND if length >= 4 * ROUND else 1
    gaps = sorted({int(share * length / unit) * unit for share in GAPS})
    tokens = min(GAP_TEXT, m.longest_text // 2 * 2)
    half = tokens // 2
    places = m.windows(tokens)
    at = torch.arange(tokens)
    ways = {"as it is": {}}
    if scaling(m) == "default":
        remedy = {"rope_type": "yarn", "factor": float(REMEDY), "original_max_position_embeddings": length}
        ways[f"with YaRN × {REMEDY}"] = remedy
    else:
        ways["without its scaling"] = {"rope_type": "default"}
    found = {"tokens": tokens, "trained": length, "gaps": gaps, "scaling": scaling(m), "ways": {}}
    alone = [m.losses("second half alone", Window(name, text[half:])) for name, text in places]
    for way, settings in ways.items():
        try:
            rotary = m.decoder.rescaled(settings) if settings else None
        except Unmeasurable as reason:
            found["ways"][way] = {"missing": str(reason)}
            continue
        rows = []
        for each in gaps:
            moved = at + each * (at >= half)
            rows.append([m.losses(f"gap {each} {way}", window, moved, rotary=rotary) for window in places])
        behind = (half, tokens)
        found["ways"][way] = {
            "loss": [interval([part_of(losses, behind) for losses in row]) for row in rows],
            "rise": [interval([a[half:] - b for a, b in zip(row, alone, strict=True)]) for row in rows],
        }
    usual = m.usual(tokens)
    moved = [m.losses(f"moved {gaps[-1]}", window, at + gaps[-1]) for window in places]
    found["alone"] = interval(alone)
    found["moved"] = {"by": gaps[-1], "rise": rises(moved, usual, (0, tokens))}
    rows = found["ways"]["as it is"]["rise"]
    good = next((i for i, row in enumerate(rows) if (row["low"] if row["low"] is not None else row["mean"]) > 0), None)
    found["holds_to"] = None if good == 0 else gaps[-1] if good is None else gaps[good - 1]
    found["fails_at"] = None if good is None else gaps[good]
    return found


def window(m: Measured) -> dict:
    """Return how the loss rises when a text is read through a window and the first 0, 1, 2 or 4 tokens stay in view.

    The window loses as many of its last tokens as stay; the control keeps four others.
    """
    need_mask(m)
    tokens = min(STREAM, m.longest_text)
    wide = min(WINDOW, tokens // 4)
    at = torch.arange(tokens)
    back = at[:, None] - at
    usual = m.usual(tokens)
    places = m.windows(tokens)
    second = (tokens // 2 + 1, tokens)

    def rise(what, kept, count):
        changed = [
            m.losses(f"window of {wide}, {what}", each, hidden=(back >= wide - count) & ~kept) for each in places
        ]
        return rises(changed, usual, second)

    begins = min(OTHERS, tokens // 8)
    most = KEPT[-1]
    return {
        "tokens": tokens,
        "window": wide,
        "kept": KEPT,
        "rise": [rise(f"first {count} kept", at < count, count) for count in KEPT],
        "others": rise(f"{most} from {begins} kept", (at >= begins) & (at < begins + most), most),
    }


def needle(m: Measured) -> dict:
    """Return how well a number is found that was hidden in a text, by depth and length; control: another number."""
    lengths = [length for length in m.lengths if length >= SHORTEST_NEEDLE][-2:] or [m.lengths[-1]]
    texts = list(m.texts.values())
    encode = m.loaded.encode

    def asked(length, depth, draw, said):
        place, number = PLACES[draw], NUMBERS[draw]
        question = encode(f" The secret number of {place} is")
        answer = encode(f" The secret number of {place} is {number}")
        if not torch.equal(answer[: len(question)], question) or len(answer) == len(question):
            raise Unmeasurable("its tokenizer does not keep the question apart from its answer")
        hay = texts[draw % len(texts)].repeat(1 + length // len(texts[draw % len(texts)]))
        hidden = encode(f" The secret number of {place} is {said}.")
        hay = hay[: length - len(hidden) - len(answer)]
        if not len(hay):
            raise Unmeasurable(f"the lengths must leave room for a text around the needle, got {length}")
        at = int(depth * len(hay))
        tokens = torch.cat([hay[:at], hidden, hay[at:], answer])
        wanted = len(answer) - len(question)

        def run():
            logits = m.decoder.logits(tokens)[-wanted - 1 : -1].float().cpu()
            loss = torch.nn.functional.cross_entropy(logits, tokens[-wanted:])
            right = (logits.argmax(-1) == tokens[-wanted:]).all()
            return torch.stack([loss.double(), right.double()])

        return m.runs(f"needle {said} for {number} at {depth} of {length}", length, (2,), run)

    draws = range(min(m.most, len(PLACES)))
    cells = [
        [torch.stack([asked(length, depth, draw, NUMBERS[draw]) for draw in draws]) for depth in DEPTHS]
        for length in lengths
    ]
    other = [
        torch.stack([asked(length, 0.5, draw, NUMBERS[draw - 1]) for draw in draws])  # another number is said
        for length in lengths
    ]
    return {
        "lengths": lengths,
        "depths": DEPTHS,
        "needles": len(draws),
        "right": [[cell[:, 1].mean().item() for cell in row] for row in cells],
        "loss": [[interval([values[:1] for values in cell]) for cell in row] for row in cells],
        "control": {
            "right": [cell[:, 1].mean().item() for cell in other],
            "loss": [interval([values[:1] for values in cell]) for cell in other],
        },
    }


def heads(m: Measured) -> dict:
    """Return, for each head, which share of its weight goes how far back; the control: the same tokens shuffled.

    The first token counts for itself, and only queries of the second half are counted, which have all offsets.
    """
    need_mask(m)
    tokens = min(HEAD_TEXT, m.longest_text)
    late = torch.arange(tokens // 2, tokens)
    back = late[:, None] - torch.arange(tokens)
    spans = [span for span in OFFSETS if span[1] <= tokens // 2]
    cells = torch.stack([(back >= low) & (back <= high) & (torch.arange(tokens) > 0) for low, high in spans])

    def shares(text):
        seen = {}

        def watch(name, weights):
            late_rows = weights[:, late].float().cpu()
            rows = [(late_rows * cell).sum(-1).mean(-1) for cell in cells.float()]
            seen[name] = torch.stack([late_rows[..., 0].mean(-1), *rows], -1)

        with m.decoder.eager():
            m.decoder.logits(text, watch=watch)
        return torch.stack([seen[name] for name in m.decoder.attending])

    count = m.decoder.config.num_attention_heads
    shape = (len(m.decoder.attending), count, 1 + len(spans))

    def all_windows(what, change):
        return torch.stack(
            [
                m.runs(f"heads {what} | {name}", tokens, shape, lambda text=text: shares(change(text)))
                for name, text in m.windows(tokens)
            ]
        )

    order = torch.randperm(tokens, generator=torch.Generator().manual_seed(0))
    usual = all_windows("usual", lambda text: text)
    shuffled = all_windows("shuffled", lambda text: text[order])
    spread = usual.std(0) if len(usual) > 1 else torch.zeros_like(usual[0])
    return {
        "tokens": tokens,
        "layers": list(m.decoder.attending),
        "offsets": ["first token", *[f"{low}" if low == high else f"{low} to {high}" for low, high in spans]],
        "share": _rounded(usual.mean(0)),
        "spread": _rounded(spread),
        "shuffled": _rounded(shuffled.mean(0)),
        "windows": len(usual),
    }


def _rounded(values: Tensor, digits: int = 3):
    if values.ndim:
        return [_rounded(value, digits) for value in values]
    return round(values.item(), digits)


def config(m: Measured) -> dict:
    """Return what the configuration promises: the ladder of hands, what turned in training, how far that should reach.

    A hand that came round in training has met every angle. The others meet new ones beyond the trained length, unless
    they were slowed: the least of these lengths is the prediction.
    """
    need_hands(m)
    length = trained(m)
    before = m.decoder.ladders
    if scaling(m) != "default":
        before = m.decoder.ladders_of(m.decoder.rescaled({"rope_type": "default"}))
    ladders = {}
    reaches = []
    for name, ladder in m.decoder.ladders.items():
        turned = before[name].speeds * length / TURN
        open_hands = turned < 1
        if open_hands.any():
            reaches.append((length * before[name].speeds / ladder.speeds)[open_hands].min().item())
        ladders[name] = {
            "speeds": ladder.speeds.tolist(),
            "turns_in_training": turned.tolist(),
            "unfinished": int(open_hands.sum()),
            "attention_factor": ladder.size,
            "read_by_pe_helpers": read_alike(m, name, ladder),
        }
    return {
        "trained": length,
        "longest": getattr(m.decoder.config, "max_position_embeddings", None),
        "scaling": scaling(m),
        "predicted_to": round(min(reaches)) if reaches else None,
        "ladders": ladders,
    }


def read_alike(m: Measured, name: str, ladder: Ladder) -> str:
    """Say whether `pe_helpers` reads the same speeds from the configuration as the model's module has."""
    kind = name.split(" ")[1] if " " in name else None
    try:
        rope = rope_scaling.read(m.decoder.config.to_dict(), layer_type=kind, assume=True)
    except (TypeError, ValueError) as error:
        return f"refused: {error}"
    speeds = rope.inv_freq[rope.inv_freq > 0].sort(descending=True).values
    alike = len(speeds) == len(ladder) and torch.allclose(speeds, ladder.speeds, rtol=1e-4)
    return "alike" if alike else "other speeds"


PARTS = {
    "config": config,
    "by_position": by_position,
    "heads": heads,
    "stopped": stopped,
    "hidden": hidden,
    "gap": gap,
    "window": window,
    "needle": needle,
}
