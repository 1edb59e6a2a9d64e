"""The properties of lesson 10, each as a test of a whole encoding: `examine` runs them all.

A test takes an encoding with the methods of `faulty_encodings.Sound` and raises `CheckFailed` with a diagnosis if the
property does not hold. The first eleven look at the table and at one use of it; `FURTHER` are those that ask how the
encoding is used: what is added, by whom, when, and to which features. The last of them draws its calls at random and
compares what comes out with the formula, so that no call is left out because nobody thought of it.

Which features are a pair is a convention: the tests expect the one that `encoding.layout` names. Angles may be float32
numbers, as in most programs: what a result may be off by grows with the position (`PER_POSITION`).
"""

from __future__ import annotations

import contextlib
import copy
import math
import random
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from clockwork.kit.checks import properties
from clockwork.kit.checks.exercises import CheckFailed
from clockwork.lessons.lesson_10.faulty_encodings import Sound
from pe_helpers.attention import Transformer

D_MODEL = 64
LENGTH = 24  # tokens
LONGEST = 2048  # tokens, over which no code may repeat
LONG = 20_000  # tokens of a long text
MANY = 300  # sequences of a large batch
BASE = 10_000.0
HEAD_DIM = 16
WIDE = (64, 128, 512)  # features of wider heads
FAR = (511, 512, 1000, 2047, 2049, 4095, 4097, 65_537, 1_000_003)  # not all of them have few significant bits
PER_POSITION = 2**-22  # rad: an angle of float32 numbers is off by so much for each token from position 0
SETTINGS = (  # of a configuration
    {},
    {"factor": 8.0},
    {"factor": 8},
    {"factor": 40.0},
    {"share": 0.0},
    {"share": 0.25},
    {"share": 0.75},
    {"factor": 2.0, "share": 0.5},
)
ROTATING = (True, True, True, False) * 32  # the layers of a deep model with positions
AXES = 3  # time, row, column: pair i follows axis i % 3
CALLS = 120  # drawn at random


def shuffle(encoding: Sound) -> None:
    """Shuffling a sequence must change the mean output of an untrained model."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Transformer(16, encoding, d_model=D_MODEL, embedding_std=D_MODEL**-0.5).eval()
    tokens = torch.arange(LENGTH).remainder(16).repeat(2, 1)
    with torch.no_grad():
        properties.shuffle(model, tokens)


def origin(encoding: Sound) -> None:
    """At position 0 every sine must be 0 and every cosine 1, up to a common factor."""
    properties.origin(_directions(encoding), layout=_table_layout(encoding))


def norm(encoding: Sound) -> None:
    """Every code must have length √(d_model/2)."""
    properties.norm(encoding.table(torch.arange(LENGTH), D_MODEL))


def rotation(encoding: Sound) -> None:
    """One step must rotate each pair by its ω, whatever the length of the codes."""
    properties.rotation(_directions(encoding), layout=_table_layout(encoding))


def offset_only(encoding: Sound) -> None:
    """If all tokens are the same, a score must depend only on the offset, wherever the text begins."""
    q, k = torch.randn(2, D_MODEL, generator=torch.Generator().manual_seed(0))
    same = torch.stack([q.expand(LENGTH, -1), k.expand(LENGTH, -1)])
    for start in (0, 500):
        q, k = encoding.turn(same, torch.arange(start, start + LENGTH))
        properties.offset_only(q @ k.T)


def distinct(encoding: Sound) -> None:
    """No two of 2,048 positions may have the same code."""
    properties.distinct(encoding.table(torch.arange(LONGEST), D_MODEL, torch.float64))


def dtype(encoding: Sound) -> None:
    """In every dtype a code must be the exact one, rounded, also after the whole module was cast."""
    for module in (encoding, copy.deepcopy(encoding).bfloat16()):
        properties.dtype_and_device(lambda position_ids, kind, module=module: module.table(position_ids, D_MODEL, kind))


def width(encoding: Sound) -> None:
    """An odd width must be refused, and every even one must keep the promise of the speeds."""
    for even in (2, 6, 512, 2048):
        table = encoding.table(torch.arange(LENGTH), even, torch.float64)
        properties.rotation(table, layout=_table_layout(encoding))
    try:
        encoding.table(torch.arange(LENGTH), 5)
    except ValueError:
        return
    raise CheckFailed("d_model = 5 is accepted: half a pair cannot turn")


def padding(encoding: Sound) -> None:
    """Padding must not change the positions of the real tokens, on either side of them or between."""
    slots = torch.arange(LENGTH)
    padded = {
        "no padding": slots < 0,
        "3 tokens of padding in front": slots < 3,
        "5 tokens of padding behind": slots >= LENGTH - 5,
        "2 tokens of padding on either side": (slots < 2) | (slots >= LENGTH - 2),
        "4 tokens of padding between two turns of a chat": (slots >= 9) & (slots < 13),
        "3 tokens of padding after each of three turns": (slots % 7) > 3,
    }
    masks = ~torch.stack(list(padded.values()))
    for where, real, together in zip(padded, masks, encoding.positions(masks), strict=True):
        for positions in (together, encoding.positions(real[None])[0]):  # in a batch, and alone
            moved = positions[real]
            if not torch.equal(moved, torch.arange(len(moved))):
                raise CheckFailed(f"with {where}, the real tokens are at {moved.tolist()}: is padding counted?")


def frozen(encoding: Sound) -> None:
    """A formula must have no parameters that an optimiser would change."""
    count = sum(parameter.numel() for parameter in encoding.parameters() if parameter.requires_grad)
    if count:
        raise CheckFailed(f"{count:,} numbers of the formula are trained: was a buffer registered as a parameter?")


def balance(encoding: Sound) -> None:
    """A token drawn at standard deviation 1/√d_model must not be much shorter than its code."""
    x = torch.randn(LENGTH, D_MODEL, generator=torch.Generator().manual_seed(0)) / math.sqrt(D_MODEL)
    position_ids = torch.arange(LENGTH)
    code = encoding.add(torch.zeros_like(x), position_ids)
    token = encoding.add(x, position_ids) - code
    token_length = token.norm(dim=-1).mean()
    code_length = code.norm(dim=-1).mean()
    if token_length < 0.5 * code_length:
        share = token_length / code_length
        raise CheckFailed(f"a token is {share:.2f} times as long as its code: was √d_model forgotten?")


def total(encoding: Sound) -> None:
    """What is added must be the table's rows, once; the tokens must come through as they are, times √d_model."""
    scale = 1.0 if encoding.rotates else math.sqrt(D_MODEL)
    padded = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2], [7, 8, 9, 10, 11]])  # each text has positions of its own
    for position_ids in (torch.arange(LENGTH), torch.tensor([3, 900, 5, 5, 70]), padded):
        seq_len = position_ids.shape[-1]
        x = torch.randn(3, seq_len, D_MODEL, generator=torch.Generator().manual_seed(0), requires_grad=True)
        before = x.detach().clone()
        found = encoding.add(x, position_ids)
        nothing = torch.zeros(seq_len, D_MODEL)
        code = nothing if encoding.rotates else encoding.table(position_ids, D_MODEL)
        wanted = scale * before + code
        rounding = 1e-5 * wanted.abs().max()
        if found.shape != x.shape or not torch.equal(before, x):
            raise CheckFailed("the sum must be a new tensor of the tokens' shape: are they changed in place?")
        if (found - wanted).abs().max() > rounding:
            rest = (found - scale * before - code).detach()
            if (rest - code).abs().max() <= rounding:
                raise CheckFailed("the codes are added twice: does the caller add them as well?")
            if (found - wanted - scale * before).abs().max() <= rounding:
                raise CheckFailed("the tokens are there twice: is x + f(x) written where f adds x already?")
            raise CheckFailed(
                "what is added are not the table's rows at these positions: which, in which order, times what?"
            )
        (gradient,) = torch.autograd.grad(found.sum(), x)
        if (gradient - scale).abs().max() > 1e-5 * scale:
            raise CheckFailed("the tokens' gradient does not come through: is something detached?")


def alone(encoding: Sound) -> None:
    """A token that comes alone, as in decoding with a cache, must get what it gets in the whole text."""
    generator = torch.Generator().manual_seed(0)
    short = torch.arange(LENGTH)
    packed = short % 10  # three texts in one row, each counted from 0
    folded = torch.cat([short[:1], short[1:-1].flip(0), short[-1:]])  # the ends of a run, and no run
    for sequences, places, kind in (
        (2, short, torch.float32),
        (2, packed, torch.float32),
        (2, folded, torch.float32),
        (1, torch.arange(LONG), torch.float32),
        (1, torch.arange(LONG), torch.bfloat16),
        (MANY, short, torch.float32),
    ):
        x = torch.randn(2, sequences, len(places), HEAD_DIM, generator=generator).to(kind)
        last = len(places) - 1
        most = max(1e-5, 2 * torch.finfo(kind).eps) + PER_POSITION * places.max().item()
        for name, act, given in (("add", encoding.add, x[0]), ("turn", encoding.turn, x)):
            whole = act(given, places)
            ends = [0, sequences - 1]
            for part in ([last], list(range(last - 6, last + 1)), [4], [2**k for k in range(1, 15) if 2**k < last]):
                found = act(given[..., ends, :, :][..., part, :], places[part])
                wanted = whole[..., ends, :, :][..., part, :]
                if (found - wanted).abs().max() > most * whole.abs().max():
                    raise CheckFailed(
                        f"token {part[0]} of {len(places)} gets something else when it comes without the tokens "
                        f"before it: does `{name}` use the position_ids it is given?"
                    )


def again(encoding: Sound) -> None:
    """The same call must give the same result, whatever was done in between."""
    x = torch.randn(2, 13, D_MODEL, generator=torch.Generator().manual_seed(0))
    here = torch.arange(13)
    calls = [(here, torch.float32), (here, torch.bfloat16), (here + 7, torch.float32), (here, torch.float32)]

    def results(module, ids, kind):
        return module.add(x.to(kind), ids), module.turn(x.to(kind), ids), module.table(ids, D_MODEL, kind)

    unused = [copy.deepcopy(encoding) for _ in calls]
    used = copy.deepcopy(encoding)
    usual = torch.get_default_dtype()
    for fresh, (ids, kind) in zip(unused, calls, strict=True):
        found = results(used, ids, kind)
        if any(result.dtype is not kind for result in found):
            raise CheckFailed(f"what goes in as {kind} must come out as {kind}")
        if not all(map(torch.equal, found, results(fresh, ids, kind))):
            raise CheckFailed(
                "a call gives another result than in a fresh module: is something remembered between calls?"
            )
    if torch.get_default_dtype() is not usual:
        raise CheckFailed(f"a call leaves {torch.get_default_dtype()} behind as the default type")
    moving = here.clone()
    results(used, moving, torch.float32)
    moving += 5  # the same tensor, as a decoding loop moves it on
    if not _agree(results(used, moving, torch.float32), results(encoding, here + 5, torch.float32)):
        raise CheckFailed("positions were changed in place, and the result is the old one: is something remembered?")
    cast = copy.deepcopy(encoding).bfloat16()
    if not _agree(results(cast, here, torch.float32), results(encoding, here, torch.float32)):
        raise CheckFailed(
            "after a cast of the module to bfloat16, float32 tokens get something else: are speeds or waves in a "
            "buffer that the cast rounds?"
        )
    part = torch.cat([torch.zeros_like(x), x], -1)[..., D_MODEL:]  # begins inside its storage
    if not _agree(
        (encoding.add(part, here), encoding.turn(part, here)), (encoding.add(x, here), encoding.turn(x, here))
    ):
        raise CheckFailed(
            "a part of a larger tensor gets something else than its copy: are strides or the start ignored?"
        )
    before = x.clone()
    with torch.inference_mode():
        results(encoding, here, torch.float32)
    if not torch.equal(before, x):
        raise CheckFailed("in inference mode the tokens are changed in place")


def _agree(found: Sequence[Tensor], wanted: Sequence[Tensor]) -> bool:
    """Say whether all results are the same up to the rounding of float32."""
    return all(torch.allclose(a, b, atol=1e-5) for a, b in zip(found, wanted, strict=True))


def far(encoding: Sound) -> None:
    """Far positions must have the exact code too: none cut off, wrapped round or rounded."""
    if encoding.rotates:
        for place in FAR:
            off = (_turned(encoding, [place])[0] - _exact_turn(encoding, [place] * AXES)).abs().max()
            if off > 1e-4 + PER_POSITION * place:
                raise CheckFailed(
                    f"at position {place:,} a feature is off by {off:.1g}: are positions held in few bits?"
                )
    codes = encoding.table(torch.tensor(FAR), D_MODEL, torch.float64)
    exact = torch.stack([_exact_code(encoding, place) for place in FAR])
    off = (codes - exact).abs().amax(-1)
    beyond = off > 1e-6 + PER_POSITION * torch.tensor(FAR)
    if beyond.any():
        first = int(beyond.nonzero()[0])
        raise CheckFailed(
            f"the code of position {FAR[first]:,} is off by {off[first]:.1g}: is a table too short, or rounded?"
        )


def pairs(encoding: Sound) -> None:
    """Each feature must turn with its partner by the angle that the configuration asks for."""
    cases = [(HEAD_DIM, settings) for settings in SETTINGS] + [(width, {}) for width in WIDE]
    for width, settings in cases:
        for place in (0, 1, 5, 40):
            queries, keys = _turned(encoding, [place], width=width, **settings)
            if not torch.allclose(queries, keys, atol=1e-5):
                raise CheckFailed("queries and keys are turned in different ways")
            exact = _exact_turn(encoding, [place] * AXES, width=width, **settings)
            if (queries - exact).abs().max() > 2e-5:
                raise CheckFailed(_pairing(encoding, queries, exact, place, settings))


def _pairing(encoding: Sound, found: Tensor, exact: Tensor, place: int, settings: dict) -> str:
    """Say in which way a matrix of one turn is wrong."""
    width = len(found)
    told = ", ".join(f"{name} {value:g}" for name, value in settings.items()) or "no settings"
    if width != HEAD_DIM:
        told = f"a head of {width} features, {told}"
    partners = [(matrix.abs() > 1e-6).float() for matrix in (found, exact)]
    if (partners[0] - partners[1]).max() > 0:
        j = int((partners[0] - partners[1]).amax(-1).argmax())
        wrong = [f"{k}" for k in partners[0][j].nonzero().flatten().tolist()]
        return f"{told}: feature {j} goes into {' and '.join(wrong)}: which features are a pair?"
    first, second = _pairs_of_features(encoding.layout, width)
    angles = [torch.atan2(m[first, second], m[first, first]) for m in (found, exact)]
    i = int((angles[0] - angles[1]).abs().argmax())
    return (
        f"{told}: at position {place} pair {i} has turned by {angles[0][i]:.3g} rad, expected {angles[1][i]:.3g}: "
        "which base, which denominator, and is the factor used?"
    )


def layers(encoding: Sound) -> None:
    """The layers that turn must be those that the model was trained with."""
    x = torch.randn(2, LENGTH, HEAD_DIM, generator=torch.Generator().manual_seed(0))
    expected = [encoding.rotates and turns for turns in ROTATING]
    found = [not torch.equal(encoding.turn(x, torch.arange(LENGTH), layer=layer), x) for layer in range(len(ROTATING))]
    if found != expected:
        raise CheckFailed(f"layers {_numbers(found)} have positions, expected {_numbers(expected)}")


def _numbers(turning: Sequence[bool]) -> str:
    return " ".join(str(layer) for layer, turns in enumerate(turning) if turns) or "none"


def axes(encoding: Sound) -> None:
    """A step along one axis must turn the pairs of that axis and no others."""
    for place in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 7, 4], [2, 300, 500]):
        found = _turned(encoding, [place])[0]
        exact = _exact_turn(encoding, place)
        if (found - exact).abs().max() > 1e-5 + PER_POSITION * max(place):
            first, _ = _pairs_of_features(encoding.layout, HEAD_DIM)
            moved = (found.diagonal()[first] - 1).abs() > 1e-9
            raise CheckFailed(f"the place {tuple(place)} turns pairs {_numbers(moved)}: which pair follows which axis?")
    row = [[3, 3, 3], [4, 4, 4], [5, 5, 5], [5, 5, 6], [5, 6, 5]]  # text, and an image after it
    for places in (row, row[-3:]):
        x = torch.randn(2, len(places), HEAD_DIM, generator=torch.Generator().manual_seed(0))
        exact = torch.stack([_exact_turn(encoding, place) for place in places])
        off = (encoding.turn(x, torch.tensor(places)) - _through(x, exact)).abs().amax((0, 2))
        if off.max() > 1e-4:
            raise CheckFailed(
                f"an image after text: the token at {tuple(places[int(off.argmax())])} is turned wrongly: is a row "
                "taken for text by its first token, or are axes taken for tokens?"
            )


def drawn(encoding: Sound) -> None:
    """Calls drawn at random must give what the formula gives: any shape, type, position, setting, device."""
    chance = random.Random(0)
    generator = torch.Generator().manual_seed(0)
    module = copy.deepcopy(encoding)
    doors = ("turn", "turn", "turn", "add") if encoding.rotates else ("add", "add", "add", "turn")
    for _ in range(CALLS):
        door = chance.choice(doors)
        kind = chance.choice((torch.float64, torch.float32, torch.bfloat16, torch.float16))
        shape = _shape(chance, door)
        position_ids, usual = _places(chance, door, shape)
        settings = _settings(chance, shape[-1]) if door == "turn" else {}
        leaf = torch.randn(shape[::-1] if chance.random() < 0.3 else shape, generator=generator).to(kind)
        leaf = leaf * (torch.rand(leaf.shape, generator=generator) < 0.8)  # some are exactly 0
        leaf.requires_grad_()
        x = leaf.permute(*reversed(range(leaf.ndim))) if leaf.shape != shape else leaf.clone()
        before = x.detach().clone()
        used = module.train(chance.random() < 0.5)
        if cast := chance.random() < 0.2:
            used = copy.deepcopy(module).to(kind)
        told = f"{door} of {str(kind).removeprefix('torch.')} {tuple(shape)} at {position_ids.tolist()}"
        told += "".join(f", {name} {value:g}" for name, value in settings.items())
        told += ", in training" * used.training + ", module cast" * cast
        try:
            with _surroundings(chance, kind) as around:
                found = getattr(used, door)(x, position_ids, **settings)
        except Exception:
            if usual:
                raise
            continue  # positions below 0 or between whole numbers may be refused, but not mistaken for others
        told += around
        if found.dtype is not kind or found.shape != x.shape or not torch.equal(before, x):
            raise CheckFailed(f"{told}: the result must be a new tensor of the input's shape and type")
        matrices = _exact_matrices(encoding, door, position_ids, shape[-1], settings)
        code = _exact_codes(encoding, door, position_ids, shape[-1])
        wanted = _through(before, matrices) + code
        held = (
            torch.bfloat16 if "bfloat16 by default" in around else torch.float32
        )  # what a new tensor may hold codes in
        most = max(1e-5, 4 * torch.finfo(kind).eps, torch.finfo(held).eps)
        most = most + PER_POSITION * _furthest(position_ids, settings, shape)
        off = (found.detach().double() - wanted).abs()
        if (off > most * (1 + wanted.abs().max())).any():
            raise CheckFailed(f"{told}: off by {off.max():.2g}")
        weights = torch.randn(shape, generator=generator, dtype=torch.float64)
        if chance.random() < 0.3:
            weights = torch.ones(shape, dtype=torch.float64)
            (gradient,) = torch.autograd.grad(found.sum(), x)  # one number for all, without a place of its own
        else:
            (gradient,) = torch.autograd.grad((found.double() * weights).sum(), x)
        wanted = _through(weights, matrices.mT)
        off = (gradient.double() - wanted).abs()
        if (off > most * (1 + wanted.abs().max())).any():
            why = "is something detached?" if off.max() > 0.1 else "is it computed in few bits?"
            raise CheckFailed(f"{told}: the gradient is not that of the result but off by {off.max():.2g}: {why}")
    _elsewhere(encoding)


def _furthest(position_ids: Tensor, settings: dict, shape: Sequence[int]) -> Tensor:
    """Return how far each token is from position 0, slowed or made faster, to compare with `(..., seq_len, width)`."""
    places = position_ids.double().abs() / min(1.0, settings.get("factor", 1.0))
    if len(shape) > 2 and position_ids.ndim == 2 and settings:
        places = places.amax(-1)  # over axes
    return places[..., None]


def _elsewhere(encoding: Sound) -> None:
    """Check that what comes back is on the device of the input."""
    moved = copy.deepcopy(encoding).to("meta")  # a device that is everywhere, and whose tensors have no values
    here = torch.arange(LENGTH, device="meta")
    x = torch.empty(2, LENGTH, D_MODEL, device="meta")
    for name, call in (
        ("table", lambda: moved.table(here, D_MODEL)),
        ("add", lambda: moved.add(x, here)),
        ("turn", lambda: moved.turn(x, here)),
    ):
        try:
            found = call().device.type
        except RuntimeError as error:
            if any(told in str(error) for told in ("cannot be called on meta", "Cannot copy out of meta")):
                continue  # it looks at values, which these tensors lack
            raise
        if found != "meta":
            raise CheckFailed(f"{name}: what comes from another device comes back on {found}: is a table left behind?")


def _shape(chance: random.Random, door: str) -> tuple[int, ...]:
    tokens = chance.choice((1, 2, 3, 5, 9))
    width = chance.choice((2, 6, 16, 32, 80))
    before = [chance.choice((1, 2, 3, 7, 12)) for _ in range(chance.randrange(3))]
    return (*([2] if door == "turn" else []), *before, tokens, width)


def _places(chance: random.Random, door: str, shape: Sequence[int]) -> tuple[Tensor, bool]:
    """Return positions for the tokens, and whether every encoding must take them."""
    tokens = shape[-2]
    usual = chance.random() < 0.8
    highest = chance.choice((40, 600, 5_000, 1_000_003))
    start = chance.randrange(highest)
    places = [start + i for i in range(tokens)]
    if chance.random() < 0.4:
        places = [chance.randrange(highest) for _ in range(tokens)]
    if not usual:
        places = [chance.choice((-place - 1, place + 0.5)) for place in places]
    form = chance.random()
    if door == "turn" and form < 0.3:
        places = [[place, chance.randrange(40), chance.randrange(40)] for place in places]
    if door == "add" and len(shape) == 3 and form < 0.3:
        places = [[place + 7 * text for place in places] for text in range(shape[0])]
    whole = all(float(place).is_integer() for place in torch.tensor(places, dtype=torch.float64).flatten().tolist())
    return torch.tensor(places, dtype=chance.choice((torch.int64, torch.int32)) if whole else torch.float64), usual


def _settings(chance: random.Random, width: int) -> dict:
    shares = [share for share in (1.0, 0.5, 0.25, 0.75) if (share * width / 2).is_integer()]
    return {
        "layer": chance.randrange(len(ROTATING)),
        "factor": chance.choice((1.0, 1.0, 8.0, 2.5, 0.5, 40.0)),
        "share": chance.choice(shares),
    }


@contextlib.contextmanager
def _surroundings(chance: random.Random, kind: torch.dtype):
    """Open what a program may be in the middle of, and tell it."""
    kept = torch.get_default_dtype()
    now = chance.choice(("", "", "", ", under autocast", ", bfloat16 by default", ", float64 by default"))
    if kind not in (torch.float32, torch.bfloat16) and "autocast" in now:  # which knows no other types
        now = ""
    try:
        torch.set_default_dtype({"b": torch.bfloat16, "f": torch.float64}.get(now[2:3], kept))
        with torch.autocast("cpu", torch.bfloat16, enabled="autocast" in now):
            yield now
    finally:
        torch.set_default_dtype(kept)


def _exact_matrices(encoding: Sound, door: str, position_ids: Tensor, width: int, settings: dict) -> Tensor:
    """Return what is done to each token's features, (seq_len, features in, features out)."""
    if door == "add":
        return torch.eye(width, dtype=torch.float64)[None] * (1 if encoding.rotates else math.sqrt(width))
    places = [place if isinstance(place, list) else [place] * AXES for place in position_ids.tolist()]
    settings = dict(settings)
    if not ROTATING[settings.pop("layer") % len(ROTATING)]:
        places = [[0] * AXES]
    return torch.stack([_exact_turn(encoding, place, width=width, **settings) for place in places])


def _exact_codes(encoding: Sound, door: str, position_ids: Tensor, width: int) -> Tensor:
    """Return what is added to each token, (..., seq_len, width)."""
    if door == "turn" or encoding.rotates:
        return torch.zeros(1, width, dtype=torch.float64)
    codes = [_exact_code(encoding, place, width) for place in position_ids.flatten().tolist()]
    return torch.stack(codes).view(*position_ids.shape, width)


def _through(x: Tensor, matrices: Tensor) -> Tensor:
    return (x.double()[..., None, :] @ matrices)[..., 0, :]


def _turned(encoding: Sound, positions: list, width: int = HEAD_DIM, **settings) -> Tensor:
    """Return what queries and keys become at one position, as matrices (2, features in, features out)."""
    features = torch.eye(width)[:, None].expand(2, width, 1, width)
    return encoding.turn(features, torch.tensor(positions), **settings)[:, :, 0].double()


def _pairs_of_features(layout: str, width: int) -> tuple[list[int], list[int]]:
    """List the first and the second feature of each pair."""
    features = list(range(width))
    if layout == "half":
        return features[: width // 2], features[width // 2 :]
    return features[0::2], features[1::2]


def _exact_turn(
    encoding: Sound, place: Sequence[float], factor: float = 1.0, share: float = 1.0, width: int = HEAD_DIM
) -> Tensor:
    """Return the matrix of a turn, its angles one number after the other; `place` has three axes."""
    turning = round(share * (width // 2)) if encoding.rotates else 0
    angles = [place[i % AXES] * BASE ** (-2 * i / width) / factor for i in range(turning)]
    cos = torch.tensor([math.cos(angle) for angle in angles], dtype=torch.float64)
    sin = torch.tensor([math.sin(angle) for angle in angles], dtype=torch.float64)
    first, second = (features[:turning] for features in _pairs_of_features(encoding.layout, width))
    matrix = torch.eye(width, dtype=torch.float64)
    matrix[first, first] = cos
    matrix[second, second] = cos
    matrix[first, second] = sin
    matrix[second, first] = -sin
    return matrix


def _exact_code(encoding: Sound, place: float, width: int = D_MODEL) -> Tensor:
    """Return the paper's formula, one number after the other."""
    code = [0.0] * width
    for i, (first, second) in enumerate(zip(*_pairs_of_features(_table_layout(encoding), width), strict=True)):
        angle = place / BASE ** (2 * i / width)
        code[first] = math.sin(angle)
        code[second] = math.cos(angle)
    return torch.tensor(code, dtype=torch.float64)


def _table_layout(encoding: Sound) -> str:
    return "interleaved" if encoding.rotates else encoding.layout


def _directions(encoding: Sound) -> Tensor:
    codes = encoding.table(torch.arange(LENGTH), D_MODEL, torch.float64)
    return functional.normalize(codes, dim=-1) * math.sqrt(D_MODEL / 2)


FIRST = (shuffle, origin, norm, rotation, offset_only, distinct, dtype, width, padding, frozen, balance)
FURTHER = (total, alone, again, far, pairs, layers, axes, drawn)
PROPERTIES: dict[str, Callable[[Sound], None]] = {test.__name__: test for test in (*FIRST, *FURTHER)}


def examine(encoding: Sound, tests: Sequence[str] = tuple(PROPERTIES)) -> dict[str, str]:
    """Return the diagnosis for each property that the encoding does not have, by the property's name.

    An encoding that breaks down has not passed: its error is the diagnosis.
    """
    diagnoses = {}
    usual = torch.get_default_dtype()
    for name in tests:
        try:
            PROPERTIES[name](copy.deepcopy(encoding))  # what one test leaves behind is not there in the next
        except CheckFailed as missing:
            diagnoses[name] = str(missing)
        except Exception as error:
            diagnoses[name] = f"{type(error).__name__}: {error}"
        finally:
            torch.set_default_dtype(usual)
    return diagnoses
