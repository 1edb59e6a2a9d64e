"""Measure SmolLM2-135M with its positions moved, its hands stopped, and gaps in its texts: lesson 11's results.

`python3 course.py pretrained` fetches the model, then `python -m clockwork.lessons.lesson_11.measure_smollm2` writes
data/smollm2.json and data/smollm2_heads.safetensors: about half an hour of one processor. Single runs are kept in
.sweep/smollm2.jsonl, so that an interrupted measurement goes on where it stopped. The texts are those of
data/smollm2_texts.toml. With arguments, only these results are measured, and the others stay:
`python -m clockwork.lessons.lesson_11.measure_smollm2 from_hand near_only`.
"""

import json
import platform
import sys
import time
from collections.abc import Iterable
from importlib import metadata

import torch
from safetensors.torch import save_file

from clockwork.kit import datafiles, pretrained
from pe_helpers import rope_scaling, sinusoidal

HOME = datafiles.CHECKOUT.parent
TEXTS = datafiles.read("smollm2_texts.toml")
RESULTS = HOME / "data" / "smollm2.json"
HEADS = HOME / "data" / "smollm2_heads.safetensors"
KEPT = HOME / ".sweep" / "smollm2.jsonl"

BOTH = ("alice", "course")  # the results are bands over these two
THIRD = "licence"  # for a few of them
VERSE = "house"  # the three heads' queries and keys are those of this text
SHORT = 256  # tokens of a text with hands stopped
LONG = 512  # tokens of a text with a gap; the gap lies before token 256
LONGEST = 1792  # tokens of a long text without a gap
ENDS = (64, 256, 1024, LONGEST)  # of its parts, over which losses are averaged
NEAR = 256  # tokens: so far back a query sees in a text of which it sees only what is near
OCTAVES = 16  # of two neighbouring hands each: a factor 2.05 in speed
GROUPS = 8  # of four neighbouring hands each
MOVED = (1_000, 10_000, 1_000_000)  # tokens
BETWEEN = [6000, 7000, 7600, 7900, 8100, 8700, 9000, 11_000]  # more gaps near the trained length, in tokens
WIDE = 20_000  # tokens: the gap for which other hands are stopped
FACTOR = 4  # of the three remedies: for texts of 32,768 tokens
SEEDS = (0, 1, 2)  # of random tokens, written twice
REPEATED = 100  # tokens that are drawn, and then repeated
INDUCTION = (18, 6)  # layer and head with the largest such share
FURTHEST = 8  # tokens back, of the distances at which a head might look
CONTROL = f"2 to {FURTHEST} back"
PREVIOUS = (16, 0)  # layer and head that gives most weight to the token before
SUSPECTS = {
    "none": [],
    "slowest 12": range(20, 32),
    "slowest 4": range(28, 32),
    "hands 8 to 19": range(8, 20),
    "fastest 4": range(4),
}
LATE = 8192 - LONG  # where a text begins that ends at the trained length
UNROTATED = {"every fourth": range(3, 30, 4), "every second": range(1, 30, 2), "all": range(30)}


class Measurement:
    """Run the model, and remember each run by its name."""

    def __init__(self, model: pretrained.Model):
        self.model = model
        self.tokens = {name: model.encode(text["text"]) for name, text in TEXTS.items()}
        self.inv_freq = sinusoidal.inv_freq(model.config.head_dim, base=model.config.base)
        lines = KEPT.read_text().splitlines() if KEPT.exists() else []
        self.kept = {run["name"]: run for run in map(json.loads, lines)}

    def losses(self, name: str, text: str, seq_len: int, *args, **changes) -> torch.Tensor:
        """Return the loss of each token of a text but the first, with something changed."""
        key = f"{name} {text} {seq_len}"
        if key not in self.kept:
            start = time.process_time()
            losses = self.model.losses(self.tokens[text][:seq_len], *args, **changes)
            self.kept[key] = {"name": key, "seconds": time.process_time() - start, "losses": losses.tolist()}
            KEPT.parent.mkdir(exist_ok=True)
            with KEPT.open("a") as file:
                file.write(json.dumps(self.kept[key]) + "\n")
        return torch.tensor(self.kept[key]["losses"], dtype=torch.float64)

    def usual(self, text: str, seq_len: int = SHORT) -> torch.Tensor:
        """Return the losses of the model as it is."""
        return self.losses("usual", text, seq_len)

    def stopped(self, hands: range | list[int], text: str) -> torch.Tensor:
        """Return the losses with these hands stopped."""
        return self.losses(f"stopped {list(hands)}", text, SHORT, inv_freq=self.without(hands))

    def without(self, hands: Iterable[int]) -> torch.Tensor:
        """Return the speeds with these hands stopped."""
        speeds = self.inv_freq.clone()
        speeds[list(hands)] = 0
        return speeds

    def change(self, losses: torch.Tensor, usual: torch.Tensor) -> list[float]:
        """Return by how much the mean loss rises, and the standard error of that over tokens."""
        rise = losses - usual
        return rounded([rise.mean(), rise.std() / len(rise) ** 0.5])


def main(*only: str) -> None:
    """Measure everything, or the results of these names, and write both files."""
    torch.set_num_threads(1)
    measurement = Measurement(pretrained.read(pretrained.path()))
    parts = {
        "usual": lambda: {
            text: {str(n): mean(measurement.usual(text, n)) for n in (SHORT, LONG)} for text in (*BOTH, THIRD)
        },
        "heads": lambda: heads(measurement),
        "norms": lambda: norms(measurement),
        "moved": lambda: moved(measurement),
        "unrotated": lambda: unrotated(measurement),
        "octaves": lambda: {text: octaves(measurement, text) for text in BOTH},
        "stopped": lambda: {text: stopped(measurement, text) for text in BOTH},
        "stopped_third": lambda: stopped_third(measurement),
        "grown": lambda: {text: grown(measurement, text) for text in BOTH},
        "grown_passage": lambda: {text: passage(measurement, text) for text in BOTH},
        "from_hand": lambda: {text: from_hand(measurement, text) for text in BOTH},
        "near_only": lambda: {text: near_only(measurement, text) for text in BOTH},
        "near_from_hand": lambda: {text: near_from_hand(measurement, text) for text in BOTH},
        "bfloat16": lambda: {text: bfloat16(measurement, text) for text in BOTH},
        "gaps": lambda: gaps(measurement),
        "gaps_between": lambda: gaps_between(measurement),
        "culprits": lambda: culprits(measurement),
        "across": lambda: across(measurement),
        "induction": lambda: induction(measurement),
    }
    kept = json.loads(RESULTS.read_text("utf-8")) if only else {}
    results = {name: kept[name] if only and name not in only else measure() for name, measure in parts.items()}
    if not only:
        save_heads(measurement, results["heads"])
    about = origin(measurement)
    if only:  # the time is that of a whole measurement
        about["cpu_seconds"] = kept["cpu_seconds"]
    RESULTS.write_text(json.dumps(about | results) + "\n", encoding="utf-8")


def origin(measurement: Measurement) -> dict:
    """Say what was measured, on what, with what."""
    return {
        "command": "python -m clockwork.lessons.lesson_11.measure_smollm2",
        "model": "SmolLM2-135M-Instruct",
        "licence": "Apache-2.0",
        "package": f"{pretrained.PACKAGE} {pretrained.VERSION}",
        "file": pretrained.FILE,
        "sha256": pretrained.FILE_SHA256,
        "quantisation": "matrices Q4_1 (4 bits), embeddings Q8_0",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "gguf": metadata.version("gguf"),
        "tokenizers": metadata.version("tokenizers"),
        "cpu_seconds": round(sum(run["seconds"] for run in measurement.kept.values())),
        "texts": {name: {key: text[key] for key in ("title", "by", "licence")} for name, text in TEXTS.items()},
        "short": SHORT,
        "long": LONG,
        "ends": ENDS,
        "gap_lengths": pretrained.GAPS,
        "factor": FACTOR,
        "inv_freq": measurement.inv_freq.tolist(),
        "trained_len": measurement.model.config.trained_len,
    }


def moved(measurement: Measurement) -> dict:
    """Return the largest change of any token's loss when all positions are moved."""
    found = {}
    for text in BOTH:
        for by in MOVED:
            losses = measurement.losses(f"moved {by}", text, SHORT, torch.arange(SHORT) + by)
            found.setdefault(text, []).append((losses - measurement.usual(text)).abs().max().item())
    return {"by": MOVED, "largest_change": found}


def unrotated(measurement: Measurement) -> dict:
    """Return how the loss rises when queries and keys of some layers are not turned."""
    return {
        name: {
            text: measurement.change(
                measurement.losses(f"unrotated {name}", text, SHORT, unrotated=layers), measurement.usual(text)
            )
            for text in (*BOTH, THIRD)
        }
        for name, layers in UNROTATED.items()
    }


def octaves(measurement: Measurement, text: str) -> list[list[float]]:
    """Return how the loss rises when two neighbouring hands are stopped, from the fastest two to the slowest."""
    usual = measurement.usual(text)
    return [measurement.change(measurement.stopped(range(2 * i, 2 * i + 2), text), usual) for i in range(OCTAVES)]


def stopped(measurement: Measurement, text: str) -> list[list[list[float]]]:
    """Return how the loss rises for each run of stopped neighbours: by its first group, then by its length."""
    usual = measurement.usual(text)
    return [
        [
            measurement.change(measurement.stopped(range(4 * first, 4 * last), text), usual)
            for last in range(first + 1, GROUPS + 1)
        ]
        for first in range(GROUPS)
    ]


def stopped_third(measurement: Measurement) -> dict:
    """Return the same for a few choices, on the third text."""
    choices = {"slowest 12": range(20, 32), "slowest 8": range(24, 32), "fastest 4": range(4), "all": range(32)}
    usual = measurement.usual(THIRD)
    return {name: measurement.change(measurement.stopped(hands, THIRD), usual) for name, hands in choices.items()}


def grown(measurement: Measurement, text: str) -> dict[str, list[list[float]]]:
    """Return how the loss rises in each part of a long text when neighbouring hands are stopped: four, or many."""
    choices = {f"{first} to {first + 3}": range(first, first + 4) for first in range(0, 32, 4)}
    choices |= {"slowest 16": range(16, 32), "slowest 12": range(20, 32), "slowest 20": range(12, 32)}
    usual = measurement.usual(text, LONGEST)
    found = {"usual": [[mean(part)] for part in parts_of(usual)]}
    for name, hands in choices.items():
        speeds = measurement.without(hands)
        losses = measurement.losses(f"stopped {list(hands)}", text, LONGEST, inv_freq=speeds)
        pairs = zip(parts_of(losses), parts_of(usual), strict=True)
        found[name] = [measurement.change(*pair) for pair in pairs]
    return found


def from_hand(measurement: Measurement, text: str) -> list[list[list[float]]]:
    """Return how the loss rises in each part of a long text when no hand turns from this one on: 0, 4, … 28."""
    usual = measurement.usual(text, LONGEST)
    found = []
    for first in range(0, 32, 4):
        hands = range(first, 32)
        losses = measurement.losses(f"stopped {list(hands)}", text, LONGEST, inv_freq=measurement.without(hands))
        found.append([measurement.change(*pair) for pair in zip(parts_of(losses), parts_of(usual), strict=True)])
    return found


def near_only(measurement: Measurement, text: str) -> dict[str, list[float]]:
    """Return how the loss of a text's last part rises when a query sees the first token and the last `NEAR` alone.

    With every hand turning, and with the slowest sixteen stopped.
    """
    hidden = far()
    slow = measurement.without(range(16, 32))
    runs = {
        "all turn": measurement.losses("near only", text, LONGEST, hidden=hidden),
        "slowest 16": measurement.losses("near only, slowest 16 stopped", text, LONGEST, inv_freq=slow, hidden=hidden),
    }
    usual = parts_of(measurement.usual(text, LONGEST))[-1]
    return {name: measurement.change(parts_of(losses)[-1], usual) for name, losses in runs.items()}


def near_from_hand(measurement: Measurement, text: str) -> list[list[list[float]]]:
    """Return the same as `from_hand` where a query sees the first token and the last `NEAR` alone.

    The rise is over the usual losses, with everything seen. By the first stopped hand: 0, 4, … 28; 32, where all turn.
    """
    usual = measurement.usual(text, LONGEST)
    found = []
    for first in range(0, 33, 4):
        speeds = measurement.without(range(first, 32))
        name = f"near only, stopped from {first}"
        losses = measurement.losses(name, text, LONGEST, inv_freq=speeds, hidden=far())
        found.append([measurement.change(*pair) for pair in zip(parts_of(losses), parts_of(usual), strict=True)])
    return found


def far() -> torch.Tensor:
    """Return which keys of a long text a query does not see if it sees the first token and the last `NEAR` alone."""
    back = torch.arange(LONGEST)[:, None] - torch.arange(LONGEST)
    return (back >= NEAR) & (torch.arange(LONGEST) > 0)


def bfloat16(measurement: Measurement, text: str) -> dict[str, dict[str, list[float]]]:
    """Return how the loss of a text rises when one step of its rotation is rounded to bfloat16, by where it begins."""
    usual = measurement.usual(text, LONG)
    found = {}
    for start in (0, LATE):
        for step, cos_sin in coarse(torch.arange(start, start + LONG), measurement.inv_freq).items():
            losses = measurement.losses(f"coarse {step} from {start}", text, LONG, cos_sin=cos_sin)
            found.setdefault(step, {})[str(start)] = measurement.change(losses, usual)
    return found


def coarse(position_ids: torch.Tensor, inv_freq: torch.Tensor) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """Return cosines and sines with one step rounded to bfloat16, by the step; the others are in float64."""

    def turned(angles):
        return angles.cos().float(), angles.sin().float()

    def few_bits(numbers):
        return numbers.bfloat16().double()

    angles = position_ids.double()[:, None] * inv_freq
    return {
        "nothing": turned(angles),
        "cosines and sines": tuple(few_bits(part).float() for part in turned(angles)),
        "speeds": turned(position_ids.double()[:, None] * few_bits(inv_freq)),
        "positions": turned(few_bits(position_ids)[:, None] * inv_freq),
        "angles": turned(few_bits(angles)),
    }


def passage(measurement: Measurement, text: str) -> dict[str, list[float]]:
    """Return how the loss of one passage rises with the slowest sixteen hands stopped: in its long text, and alone."""
    start, end = ENDS[-2], ENDS[-2] + SHORT
    stopped = {"inv_freq": measurement.without(range(16, 32))}
    usual, without = (
        measurement.losses(name, text, LONGEST, **changes)[start : end - 1]
        for name, changes in (("usual", {}), (f"stopped {list(range(16, 32))}", stopped))
    )
    tokens = measurement.tokens[text][start:end]
    alone = (measurement.model.losses(tokens, **stopped), measurement.model.losses(tokens))
    return {"in the text": measurement.change(without, usual), "alone": measurement.change(*alone)}


def parts_of(losses: torch.Tensor) -> list[torch.Tensor]:
    """Cut the losses of a long text, which begin with its second token, into its parts."""
    return list(losses.tensor_split([end - 1 for end in ENDS[:-1]]))


def gaps(measurement: Measurement) -> dict:
    """Return the mean loss of the second half of a text whose second half stands some tokens later."""
    config = measurement.model.config
    head = {"head_dim": config.head_dim, "base": config.base}
    slow = (measurement.inv_freq * config.trained_len < 2 * torch.pi).nonzero().flatten().tolist()
    yarn, attention_factor = rope_scaling.yarn(
        factor=FACTOR, original_max_position_embeddings=config.trained_len, **head
    )
    remedies = {
        "none": {},
        "interpolation": {"inv_freq": rope_scaling.interpolation(factor=FACTOR, **head)},
        "ntk": {"inv_freq": rope_scaling.ntk_aware(factor=FACTOR, **head)},
        "yarn": {"inv_freq": yarn, "attention_factor": attention_factor},
        "slow hands stopped": {"inv_freq": measurement.without(slow)},
    }
    half = LONG // 2
    found = {}
    for remedy, changes in remedies.items():
        for text in BOTH:
            row = []
            for gap in pretrained.GAPS:
                losses = measurement.losses(f"gap {gap} {remedy}", text, LONG, after_gap(gap), **changes)
                row.append(mean(losses[half - 1 :]))
            found.setdefault(remedy, {})[text] = row
    tokens = measurement.tokens
    found["alone"] = {text: mean(measurement.model.losses(tokens[text][half:LONG])) for text in BOTH}
    return found


def gaps_between(measurement: Measurement) -> dict:
    """Return by how much more the second half is missed than alone, and the error, for gaps near the trained length."""
    half = LONG // 2
    found = {"gaps": BETWEEN}
    for text in BOTH:
        alone = measurement.model.losses(measurement.tokens[text][half:LONG])
        found[text] = []
        for gap in BETWEEN:
            losses = measurement.losses(f"gap {gap} none", text, LONG, after_gap(gap))
            found[text].append(measurement.change(losses[half:], alone))
    return found


def culprits(measurement: Measurement) -> dict:
    """Return the mean loss after one gap with some hands stopped, and that of the second half alone with the same."""
    found = {}
    for name, hands in SUSPECTS.items():
        speeds = measurement.without(hands)
        for text in BOTH:
            losses = measurement.losses(f"gap {WIDE} {name} stopped", text, LONG, after_gap(WIDE), inv_freq=speeds)
            alone = measurement.model.losses(measurement.tokens[text][LONG // 2 : LONG], inv_freq=speeds)
            found.setdefault(name, {})[text] = [mean(losses[LONG // 2 - 1 :]), mean(alone)]
    return found


def across(measurement: Measurement) -> dict:
    """Return the mean loss after one gap if the second half sees of the first only its first token, or all but that."""
    first_half = torch.arange(LONG) < LONG // 2
    over = ~first_half[:, None] & first_half
    to_first = over & (torch.arange(LONG) == 0)
    found = {}
    for name, hidden in {"the first token alone": over & ~to_first, "all but the first token": to_first}.items():
        for text in BOTH:
            losses = measurement.losses(f"gap {WIDE} sees {name}", text, LONG, after_gap(WIDE), hidden=hidden)
            found.setdefault(name, {})[text] = mean(losses[LONG // 2 - 1 :])
    return found


def after_gap(gap: int) -> torch.Tensor:
    """Return positions whose second half stands so many tokens later."""
    places = torch.arange(LONG)
    return places + gap * (places >= LONG // 2)


def heads(measurement: Measurement) -> dict:
    """Return for every head how much weight goes one token back, to the first token, and to what followed last time.

    As a control, also the most that it gives to one of the other distances up to `FURTHEST`.
    """
    found = {"previous": {}, "first": {}, "induction": {}, CONTROL: {}}
    for text in BOTH:
        weights = attention(measurement, measurement.tokens[text][:SHORT])
        back = [weights[..., far:, :].diagonal(dim1=-2, dim2=-1).mean(-1) for far in range(1, FURTHEST + 1)]
        found["previous"][text] = nested(back[0])
        found[CONTROL][text] = nested(torch.stack(back[1:]).amax(0))
        found["first"][text] = nested(weights[..., 1:, 0].mean(-1))
    for seed in SEEDS:
        found["induction"][f"random {seed}"] = nested(copied(measurement, seed))
    return found


def attention(measurement: Measurement, tokens: torch.Tensor, **changes) -> torch.Tensor:
    """Return the weights of all heads, (layers, heads, queries, keys)."""
    seen = []
    measurement.model.logits(tokens, watch=lambda layer, q, k, weights: seen.append(weights), **changes)
    return torch.stack(seen)


def copied(measurement: Measurement, seed: int, **changes) -> torch.Tensor:
    """Return each head's mean weight on what followed a token the first time, in random tokens written twice."""
    drawn = torch.randint(1_000, 40_000, (REPEATED,), generator=torch.Generator().manual_seed(seed))
    weights = attention(measurement, torch.cat([drawn, drawn]), **changes)
    queries = torch.arange(REPEATED, 2 * REPEATED - 1)
    return weights[..., queries, queries - REPEATED + 1].mean(-1)


def induction(measurement: Measurement) -> dict:
    """Return that weight of the recorded induction head, for each seed, with some layers or heads not turned."""
    layer, head = INDUCTION
    choices = {
        "all turn": (),
        "not 18": (18,),
        "not 17": (17,),
        "not 16": (16,),
        "not head A": [PREVIOUS],
        "not its 8 neighbours": [(16, other) for other in range(9) if (16, other) != PREVIOUS],
        "not 11": (11,),
        "not 0 to 17": range(18),
    }
    return {
        name: rounded([copied(measurement, seed, unrotated=layers)[layer, head] for seed in SEEDS])
        for name, layers in choices.items()
    }


def norms(measurement: Measurement) -> dict:
    """Return how long queries and keys are in each hand, on average over layers, heads and tokens."""
    found = {"q": {}, "k": {}}

    def watch(layer, q, k, weights):
        for name, part in (("q", q), ("k", k)):
            lengths[name].append(part[:, 1:].unflatten(-1, (-1, 2)).norm(dim=-1).mean((0, 1)))

    for text in BOTH:
        lengths = {"q": [], "k": []}
        measurement.model.logits(measurement.tokens[text][:SHORT], watch=watch)
        for name, rows in lengths.items():
            found[name][text] = rounded(torch.stack(rows).mean(0))
    return found


def save_heads(measurement: Measurement, shares: dict) -> None:
    """Write the queries and keys of the three heads with the largest shares, before they are turned, as float16."""
    parts = {}
    places = {}
    tokens = measurement.tokens[VERSE]
    for kind in ("previous", "first", "induction"):
        by_text = shares[kind]
        share = torch.tensor(list(by_text.values())).mean(0)
        layer, head = divmod(int(share.argmax()), share.shape[1])
        places[kind] = [layer, head]

    def watch(layer, q, k, weights):
        for kind, (wanted, head) in places.items():
            if layer == wanted:
                parts[f"{kind}.q"] = q[head].half()
                parts[f"{kind}.k"] = k[head * len(k) // len(q)].half()

    measurement.model.logits(tokens, watch=watch)
    about = {
        "model": "SmolLM2-135M-Instruct by Hugging Face",
        "license": "Apache-2.0",
        "from": f"{pretrained.PACKAGE} {pretrained.VERSION}, {pretrained.FILE}",
        "changes": "queries and keys of three heads, computed for one text, before rotation, rounded to float16",
        "base": str(measurement.model.config.base),
        "heads": json.dumps(places),
        "text": TEXTS[VERSE]["title"],
        "tokens": json.dumps(measurement.model.decode(tokens)),
    }
    save_file({name: part.contiguous() for name, part in parts.items()}, HEADS, metadata=about)


def mean(losses: torch.Tensor) -> float:
    """Return the mean with the digits that are kept."""
    return round(losses.mean().item(), 4)


def rounded(values) -> list[float]:
    """Return numbers with the digits that are kept."""
    return [round(float(value), 4) for value in values]


def nested(shares: torch.Tensor) -> list[list[float]]:
    """Return a table as lists with the digits that are kept."""
    return [rounded(row) for row in shares]


if __name__ == "__main__":
    main(*sys.argv[1:])
