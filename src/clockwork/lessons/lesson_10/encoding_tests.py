"""The properties of lesson 10, each as a test of a whole encoding: `examine` runs them all.

A test takes an encoding with the methods of `faulty_encodings.Sound` and raises `CheckFailed` with a diagnosis if the
property does not hold. The first eleven look at the table and at one use of it; `FURTHER` are those that ask how the
encoding is used: what is added, by whom, when, and to which features. The last of them draws its calls at random and
compares what comes out with the formula, so that no call is left out because nobody thought of it.

Which features are a pair is a convention: the tests expect the one that `encoding.layout` names. Angles may be float32
numbers, as in most programs: what a result may be off by grows with its angle (`_rounding`).
"""

from __future__ import annotations

import contextlib
import copy
import functools
import math
import random
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from clockwork.kit.attention import Transformer
from clockwork.kit.checks import properties
from clockwork.kit.checks.exercises import CheckFailed
from clockwork.lessons.lesson_10.faulty_encodings import Sound

D_MODEL = 64
LENGTH = 24  # tokens
LONGEST = 2048  # tokens, over which no code may repeat
LONG = 70_000  # tokens of a long text
MANY = 300  # sequences of a large batch
BLOCKS = 66_000  # heads of all sequences together, more than one launch of a kernel takes
BASE = 10_000.0
HEAD_DIM = 16
FAR = (511, 512, 1000, 2047, 2049, 4095, 4097, 40_001, 65_537, 1_000_003, 5_000_011, 1_500_000_001)
FLOAT32 = 2**-22  # what a product of float32 numbers may be off by, as a share of it
SETTINGS = (  # of a configuration, with the features of a head
    (16, {}),
    (16, {"factor": 8.0}),
    (16, {"factor": 8}),
    (16, {"factor": 40.0}),
    (16, {"factor": 1.3}),
    (16, {"share": 0.0}),
    (16, {"share": 0.25}),
    (16, {"share": 0.375}),  # three pairs of eight
    (16, {"share": 0.75}),
    (16, {"factor": 2.0, "share": 0.5}),
    (100, {"share": 0.14}),  # 7 pairs, and 50 · 0.14 is a little more
    (100, {"share": 0.58}),  # 29 pairs, and 50 · 0.58 is a little less
    (64, {}),
    (128, {}),
    (512, {}),
    (640, {}),
)
ROTATING = (True, True, True, False) * 50  # the layers of a deep model with positions
AXES = 3  # time, row, column: pair i follows axis i % 3
CALLS = 200  # drawn at random
WIDTHS = (2, 6, 10, 16, 32, 80, 96)
USUAL = (64, 128, 256)  # widths of heads that kernels are built for
MORE_CALLS = 60  # in these
TIMES = 600  # of one and the same call


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
    """Between equal tokens, a score must depend only on the offset, wherever the text begins."""
    q, k = torch.randn(2, D_MODEL, generator=torch.Generator().manual_seed(0))
    same = torch.stack([q.expand(LENGTH, -1), k.expand(LENGTH, -1)])
    for start in (0, 500):
        q, k = encoding.turn(same, torch.arange(start, start + LENGTH))
        properties.offset_only(q @ k.T)


def distinct(encoding: Sound) -> None:
    """No two of 2,048 positions may have the same code."""
    properties.distinct(encoding.table(torch.arange(LONGEST), D_MODEL, torch.float64))


def dtype(encoding: Sound) -> None:
    """In every dtype a code must be the exact one, rounded."""
    for module in (encoding, copy.deepcopy(encoding).bfloat16()):
        properties.dtype_and_device(lambda position_ids, kind, module=module: module.table(position_ids, D_MODEL, kind))


def width(encoding: Sound) -> None:
    """An odd width must be refused, and every even one must keep the promise of the speeds."""
    for even in (2, 6, 512, 2048, 8192):
        table = encoding.table(torch.arange(LENGTH), even, torch.float64)
        properties.rotation(table, layout=_table_layout(encoding))
    try:
        encoding.table(torch.arange(LENGTH), 5)
    except Exception:
        return
    raise CheckFailed("d_model = 5 is accepted: half a pair cannot turn")


def padding(encoding: Sound) -> None:
    """Padding must not change the positions of real tokens."""
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
    given = masks.clone()
    counted = encoding.positions(given)
    if not torch.equal(given, masks):
        raise CheckFailed("the caller's mask is changed in place: what was padding may be text in the next call")
    for where, real, together in zip(padded, masks, counted, strict=True):
        for positions in (together, encoding.positions(real[None].clone())[0]):  # in a batch, and alone
            moved = positions[real]
            if not torch.equal(moved, torch.arange(len(moved))):
                raise CheckFailed(f"with {where}, the real tokens are at {moved.tolist()}: is padding counted?")
    generator = torch.Generator().manual_seed(0)
    for shape in ((40, 9), (1, 30), (2, 3, 12), (50,), (1, 80_000)):  # drawn at random, the last one long
        share = torch.rand((*shape[:-1], 1), generator=generator)
        real = torch.rand(shape, generator=generator) < (0.9 if shape[-1] > 1000 else share)
        found = encoding.positions(real.clone())
        for mask, positions in zip(real.view(-1, shape[-1]), found.reshape(-1, shape[-1]), strict=True):
            if not torch.equal(positions[mask], torch.arange(int(mask.sum()))):
                told = mask.int().tolist() if len(mask) < 60 else f"{int(mask.sum())} real tokens of {len(mask)}"
                raise CheckFailed(
                    f"in a mask of shape {shape}, the text {told} is not counted from 0: along which axis, and in how "
                    "many bits?"
                )


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
    """What is added must be the table's rows, once, to the tokens times √d_model."""
    scale = 1.0 if encoding.rotates else math.sqrt(D_MODEL)
    padded = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2], [7, 8, 9, 10, 11]])  # each text has positions of its own
    for position_ids in (
        torch.arange(LENGTH),
        torch.tensor([3, 900, 5, 5, 70]),
        padded,
        padded[:, 2:],
        padded[2:],  # one row for all texts
    ):
        seq_len = position_ids.shape[-1]
        x = torch.randn(3, seq_len, D_MODEL, generator=torch.Generator().manual_seed(0), requires_grad=True)
        before = x.detach().clone()
        kept = position_ids.clone()
        found = encoding.add(x, position_ids)
        _given_back(position_ids, kept, "add")
        nothing = torch.zeros(seq_len, D_MODEL)
        code = nothing if encoding.rotates else encoding.table(position_ids, D_MODEL)
        wanted = scale * before + code
        rounding = 1e-5 * wanted.abs().max()
        if found.shape != x.shape or not torch.equal(before, x):
            raise CheckFailed("the sum must be a new tensor of the tokens' shape: are they changed in place?")
        if not (found - wanted).abs().max() <= rounding:  # NaN is no agreement
            rest = (found - scale * before - code).detach()
            if (rest - code).abs().max() <= rounding:
                raise CheckFailed("the codes are added twice: does the caller add them as well?")
            if (found - wanted - scale * before).abs().max() <= rounding:
                raise CheckFailed("the tokens are there twice: is x + f(x) written where f adds x already?")
            raise CheckFailed(
                "what is added are not the table's rows at these positions: which, in which order, times what?"
            )
        gradient = torch.autograd.grad(found.sum(), x)[0] if found.requires_grad else torch.zeros(())
        if not (gradient - scale).abs().max() <= 1e-5 * scale:
            raise CheckFailed("the tokens' gradient does not come through: is something detached?")
    bias = encoding.bias(4, torch.arange(LENGTH)) if hasattr(encoding, "bias") else None
    if bias is not None and bool((bias != 0).any()):
        raise CheckFailed("the scores get a bias as well: is another encoding still on beside this one?")


def alone(encoding: Sound) -> None:
    """A token that comes alone, as in decoding, must get what it gets in the whole text."""
    generator = torch.Generator().manual_seed(0)
    short = torch.arange(LENGTH)
    packed = short % 10  # three texts in one row, each counted from 0
    folded = torch.cat([short[:1], short[1:-1].flip(0), short[-1:]])  # the ends of a run, and no run
    slowed = {"factor": 4.0, "share": 0.5, "layer": 5}
    for sequences, places, kind, settings in (
        (2, short, torch.float32, {}),
        (2, packed, torch.float32, {}),
        (2, folded, torch.float32, {}),
        (2, torch.arange(512), torch.float32, {}),  # whole blocks, if a program cuts texts into blocks
        (1, torch.arange(LONG), torch.float32, {}),
        (1, torch.arange(LONG), torch.float32, slowed),  # if a program does something else with long texts
        (1, torch.arange(LONG), torch.bfloat16, {}),
        (MANY, short, torch.float32, {}),
        (BLOCKS, short[:2], torch.float32, {}),
    ):
        width = 2 if sequences == BLOCKS else HEAD_DIM
        x = torch.randn(2, sequences, len(places), width, generator=generator).to(kind)
        last = len(places) - 1
        most = max(1e-5, 2 * torch.finfo(kind).eps)
        doors = [("add", encoding.add, x[0]), ("turn", functools.partial(encoding.turn, **settings), x)]
        for name, act, given in doors[1:] if settings else doors:
            kept = places.clone()
            whole = act(given, places)
            _given_back(places, kept, name)
            layout = encoding.layout if name == "turn" else _table_layout(encoding)
            ends = [0, sequences - 1]
            parts = ([last], range(last - 6, last + 1), [4], [2**k for k in range(1, 17)])
            for part in ([token for token in part if 0 <= token <= last] for part in parts):
                if not part:
                    continue
                found = act(given[..., ends, :, :][..., part, :], places[part])
                wanted = whole[..., ends, :, :][..., part, :]
                rounding = _rounding(_along_axes(places[part], name), width, layout)
                if not ((found - wanted).abs() <= (most + rounding) * whole.abs().max()).all():
                    why = f"does `{name}` use the position_ids it is given?"
                    if settings:  # without them, this token was right
                        told = ", ".join(f"{setting} {value:g}" for setting, value in settings.items())
                        why = f"with {told}, does `{name}` do something else in a long text, or with one token?"
                    raise CheckFailed(
                        f"token {part[0]} of {len(places)} gets something else when it comes without the tokens "
                        f"before it: {why}"
                    )


def again(encoding: Sound) -> None:
    """The same call must give the same result, whatever was done in between."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 13, D_MODEL, generator=generator)
    here = torch.arange(13)

    def results(module, ids, kind=torch.float32, layer=0, x=x):
        return module.add(x.to(kind), ids), module.turn(x.to(kind), ids, layer=layer), module.table(ids, D_MODEL, kind)

    usual = torch.get_default_dtype()
    recording = torch.is_grad_enabled()
    random_state = torch.get_rng_state()
    chance = random.Random(0)
    calls = [(torch.float32, 0, 0), (torch.bfloat16, 0, 0), (torch.float32, 7, 1), (torch.float32, 0, 0)]
    calls += [(chance.choice((torch.float32, torch.bfloat16)), chance.randrange(3), chance.randrange(3)) for _ in calls]
    for training, order in ((True, calls), (False, calls[1:] + calls[:1])):  # one begins in float32, one in bfloat16
        used = copy.deepcopy(encoding).train(training)
        for kind, start, layer in order:
            found = results(used, here + start, kind, layer)
            if any(result.dtype is not kind for result in found):
                raise CheckFailed(f"what goes in as {kind} must come out as {kind}")
            fresh = copy.deepcopy(encoding).train(training)
            if not all(map(torch.equal, found, results(fresh, here + start, kind, layer))):
                raise CheckFailed(
                    "a call gives another result than in a fresh module: is something remembered between calls?"
                )
        rows = used.table(here, D_MODEL).detach()
        before = rows.clone()
        rows.zero_()
        if not torch.equal(used.table(here, D_MODEL), before):
            raise CheckFailed(
                "what a caller writes into a table's rows is there in the next call: are they a view of a kept table?"
            )
    if torch.get_default_dtype() is not usual:
        raise CheckFailed(f"a call leaves {torch.get_default_dtype()} behind as the default type")
    if torch.is_grad_enabled() is not recording:
        raise CheckFailed("a call leaves gradients switched off: no model learns after it")
    if not torch.equal(torch.get_rng_state(), random_state):
        raise CheckFailed("random numbers were drawn: dropout, where nothing may be dropped?")
    one = torch.tensor([1000])
    turned = encoding.turn(x[:, :1], one)
    for call in range(TIMES):  # as in writing a long text
        if not torch.equal(used.turn(x[:, :1], one), turned):
            raise CheckFailed(f"call {call} of many alike gives another result: is something counted or kept?")
    moving = here.clone()
    results(used, moving)
    moving += 5  # the same tensor, as a decoding loop moves it on
    if not _agree(results(used, moving), results(encoding, here + 5)):
        raise CheckFailed("positions were changed in place, and the result is the old one: is something remembered?")
    leaf = x.clone().requires_grad_()
    turned = encoding.turn(leaf, moving)
    weights = torch.randn(x.shape, generator=generator)
    (wanted,) = torch.autograd.grad(encoding.turn(leaf, here + 5), leaf, weights)
    moving += 5  # before the way back
    (gradient,) = torch.autograd.grad(turned, leaf, weights)
    if not torch.allclose(gradient, wanted, atol=1e-5):
        raise CheckFailed("positions were changed in place, and so was the gradient of an earlier call")
    cast = copy.deepcopy(encoding).bfloat16()
    loaded = copy.deepcopy(encoding)
    kept = encoding.state_dict().items()
    loaded.load_state_dict({name: held.bfloat16() if held.is_floating_point() else held for name, held in kept})
    for module, way in (
        (cast, "a cast of the module to bfloat16"),
        (copy.deepcopy(cast).float(), "a cast of the module to bfloat16 and back"),
        (loaded, "a checkpoint in bfloat16 was loaded"),
    ):
        if not _agree(results(module, here), results(encoding, here)):
            raise CheckFailed(
                f"after {way}, float32 tokens get something else: are speeds or waves in a buffer that this rounds?"
            )
    part = torch.cat([torch.zeros_like(x), x], -1)[..., D_MODEL:]  # begins inside its storage
    if not _agree(
        (encoding.add(part, here), encoding.turn(part, here)), (encoding.add(x, here), encoding.turn(x, here))
    ):
        raise CheckFailed(
            "a part of a larger tensor gets something else than its copy: are strides or the start ignored?"
        )
    spread = torch.stack([here, here + 7], -1)[:, 0]  # with other numbers between
    grid = torch.stack([here, here // 4, here % 4]).T
    if not _agree(
        (*results(encoding, spread), encoding.turn(x, grid)),
        (*results(encoding, here), encoding.turn(x, grid.contiguous())),
    ):
        raise CheckFailed("positions that do not lie side by side are mistaken for others: are strides ignored?")
    before = x.clone()
    served = copy.deepcopy(encoding).eval()
    for kind in (torch.float32, torch.bfloat16):
        with torch.inference_mode():
            found = results(served, here + 1001, kind)
        if not torch.equal(before, x):
            raise CheckFailed("in inference mode the tokens are changed in place")
        if not _agree(found, results(served, here + 1001, kind, x=leaf)):
            raise CheckFailed("where no gradient is asked, the result is another: is there a faster way, in few bits?")
        before_next = [result.clone() for result in found]
        with torch.inference_mode():
            results(served, here + 7, kind)
        if not all(map(torch.equal, found, before_next)):
            raise CheckFailed("the next call writes over the last one's result: do both lie in one buffer?")


def _given_back(position_ids: Tensor, before: Tensor, door: str) -> None:
    """Check that positions are what they were before a call: they are the caller's, who uses them again."""
    if not torch.equal(position_ids, before):
        raise CheckFailed(f"`{door}` changes the caller's positions in place: the next layer gets others")


def _agree(found: Sequence[Tensor], wanted: Sequence[Tensor]) -> bool:
    """Say whether all results are the same up to the rounding of float32."""
    return all(torch.allclose(a, b, atol=1e-5) for a, b in zip(found, wanted, strict=True))


def far(encoding: Sound) -> None:
    """Far positions must have the exact code too: none cut off, wrapped round or rounded."""
    if encoding.rotates:
        for place in FAR:
            found = _turned(encoding, torch.tensor([place], dtype=torch.int32), D_MODEL)[0]
            off = (found - _exact_turn(encoding, [place], D_MODEL)).abs()
            if not (off <= 1e-4 + _rounding(_along_axes([place], "turn"), D_MODEL, encoding.layout)).all():
                raise CheckFailed(
                    f"at position {place:,} a feature is off by {off.max():.1g}: are positions held in few bits?"
                )
    codes = encoding.table(torch.tensor(FAR, dtype=torch.int32), D_MODEL, torch.float64)
    off = (codes - _exact_codes(encoding, FAR, D_MODEL)).abs()
    beyond = ~(off <= 1e-5 + _rounding(_along_axes(FAR, "add"), D_MODEL, _table_layout(encoding))).all(-1)
    if beyond.any():
        first = int(beyond.nonzero()[0])
        raise CheckFailed(
            f"the code of position {FAR[first]:,} is off by {off[first].max():.1g}: is a table too short, or rounded?"
        )


def pairs(encoding: Sound) -> None:
    """Each feature must turn with its partner by the angle that the configuration asks for."""
    for width, settings in SETTINGS:
        for place in (0, 1, 5, 40):
            queries, keys = _turned(encoding, [place], width=width, **settings)
            if not torch.allclose(queries, keys, atol=1e-5, equal_nan=True):
                raise CheckFailed("queries and keys are turned in different ways")
            exact = _exact_turn(encoding, [place], width=width, **settings)
            if not (queries - exact).abs().max() <= 2e-5:
                raise CheckFailed(_pairing(encoding, queries, exact, place, settings))
    if not encoding.rotates:
        return
    try:
        encoding.turn(torch.ones(2, 3, 5), torch.arange(3))
    except Exception:
        return
    raise CheckFailed("a head of 5 features is accepted: half a pair cannot turn")


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
    for place in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 7, 4], [2, 300, 5000]):
        found = _turned(encoding, [place])[0]
        rounding = _rounding(_along_axes([place], "turn"), HEAD_DIM, encoding.layout)
        if not ((found - _exact_turn(encoding, [place])).abs() <= 1e-5 + rounding).all():
            first, _ = _pairs_of_features(encoding.layout, HEAD_DIM)
            moved = (found.diagonal()[first] - 1).abs() > 1e-9
            raise CheckFailed(f"the place {tuple(place)} turns pairs {_numbers(moved)}: which pair follows which axis?")
    row = [[3, 3, 3], [4, 4, 4], [5, 5, 5], [5, 5, 6], [5, 6, 5], [7, 7, 7]]  # text, an image, and text
    centred = [[4, row, column] for row in (-1, 0, 1) for column in (-2, -1, 1, 2)]  # around the middle of an image
    resized = [[4, row / 2, column / 3] for row in range(3) for column in range(4)]  # between whole numbers
    for places, usual in ((row, True), (row[:-1], True), (row[-3:], True), (centred, False), (resized, False)):
        x = torch.randn(2, len(places), HEAD_DIM, generator=torch.Generator().manual_seed(0))
        try:
            found = encoding.turn(x, torch.tensor(places))
        except Exception:
            if usual:
                raise
            continue  # may be refused, but not mistaken for others
        off = (found - _exactly_turned(encoding, x, places)).abs().amax((0, 2))
        if not off.max() <= 1e-4:
            raise CheckFailed(
                f"in an image, the token at {tuple(places[int(off.argmax())])} is turned wrongly: is a row taken for "
                "text by one of its tokens, axes for tokens, or a place for another?"
            )


def drawn(encoding: Sound) -> None:
    """Calls drawn at random must give what the formula gives.

    They have any shape, type, position, setting and device, and tokens of any size; some are made again without a
    gradient.
    """
    chance = random.Random(0)
    also = random.Random(1)
    generator = torch.Generator().manual_seed(0)
    module = copy.deepcopy(encoding)
    doors = ("turn", "turn", "turn", "add") if encoding.rotates else ("add", "add", "add", "turn")
    for number in range(CALLS + MORE_CALLS):
        door = chance.choice(doors)
        kind = chance.choice((torch.float64, torch.float32, torch.bfloat16, torch.float16))
        shape = _shape(chance, door, WIDTHS if number < CALLS else USUAL)
        position_ids, usual = _places(chance, door, shape)
        settings = _settings(chance, shape[-1]) if door == "turn" else {}
        leaf = torch.randn(shape[::-1] if chance.random() < 0.3 else shape, generator=generator).to(kind)
        size = also.choice((1, 1, 1, 30 if kind is torch.float16 else 100_000))  # float16 ends at 65,504
        leaf = leaf * (torch.rand(leaf.shape, generator=generator) < 0.8) * size  # some are exactly 0
        leaf.requires_grad_()
        x = leaf.permute(*reversed(range(leaf.ndim))) if leaf.shape != shape else leaf.clone()
        before = x.detach().clone()
        used = module.train(chance.random() < 0.5)
        if cast := chance.random() < 0.2:
            used = copy.deepcopy(module).to(kind)
        at = position_ids.tolist()
        told = f"{door} of {str(kind).removeprefix('torch.')} {tuple(shape)} at {at if len(at) < 12 else at[:3]}"
        told += "".join(f", {name} {value:g}" for name, value in settings.items())
        told += ", in training" * used.training + ", module cast" * cast + ", large tokens" * (size > 1)
        kept = position_ids.clone()
        try:
            with _surroundings(chance, kind) as around:
                found = getattr(used, door)(x, position_ids, **settings)
        except Exception:
            if usual:
                raise
            continue  # positions below 0 or between whole numbers may be refused, but not mistaken for others
        told += around
        _given_back(position_ids, kept, door)
        if found.dtype is not kind or found.shape != x.shape or not torch.equal(before, x):
            raise CheckFailed(f"{told}: the result must be a new tensor of the input's shape and type")
        wanted = _exact_result(encoding, door, before, position_ids, settings)
        held = _held(around)  # what a new tensor may hold codes in
        most = max(1e-5, 4 * torch.finfo(kind).eps, torch.finfo(held).eps, _product(around, door, kind))
        layout = encoding.layout if door == "turn" else _table_layout(encoding)
        most = most + _rounding(_along_axes(position_ids, door), shape[-1], layout, settings.get("factor", 1.0))
        results = {"": found.detach()}
        if also.random() < 0.3:
            with torch.inference_mode():
                results[", in inference mode"] = getattr(copy.deepcopy(used), door)(before, position_ids, **settings)
        for how, result in results.items():
            off = (result.double() - wanted).abs()
            if off.isnan().any():
                raise CheckFailed(f"{told}{how}: not a number: is something read that nobody wrote, or divided by 0?")
            if (off > most * (1 + wanted.abs().max())).any():
                raise CheckFailed(f"{told}{how}: off by {off.max():.2g}")
        if not found.requires_grad:
            raise CheckFailed(f"{told}: no gradient comes through: is something detached, or are gradients off?")
        weights = torch.randn(shape, generator=generator, dtype=torch.float64)
        if chance.random() < 0.3:
            weights = torch.ones(shape, dtype=torch.float64)
            (gradient,) = torch.autograd.grad(found.sum(), x)  # one number for all, without a place of its own
        else:
            (gradient,) = torch.autograd.grad((found.double() * weights).sum(), x)
        wanted = _exact_gradient(encoding, door, weights, position_ids, settings)
        off = (gradient.double() - wanted).abs()
        if not (off <= most * (1 + wanted.abs().max())).all():
            why = "is something detached?" if off.max() > 0.1 else "is it computed in few bits?"
            raise CheckFailed(f"{told}: the gradient is not that of the result but off by {off.max():.2g}: {why}")
    _elsewhere(encoding)


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


def _shape(chance: random.Random, door: str, widths: Sequence[int]) -> tuple[int, ...]:
    tokens = chance.choice((1, 2, 3, 5, 9, 33, 130))
    width = chance.choice(widths)
    before = [chance.choice((1, 2, 3, 7, 12)) for _ in range(chance.randrange(3))]
    if tokens > 9:
        before = before[:1]
    return (*([2] if door == "turn" else []), *before, tokens, width)


def _places(chance: random.Random, door: str, shape: Sequence[int]) -> tuple[Tensor, bool]:
    """Return positions for the tokens, and whether every encoding must take them."""
    tokens = shape[-2]
    usual = chance.random() < 0.8
    highest = chance.choice((40, 600, 5_000, 40_000, 1_000_003))
    start = chance.randrange(highest)
    places = [start + i for i in range(tokens)]
    if chance.random() < 0.4:
        places = [chance.randrange(highest) for _ in range(tokens)]
    if not usual:
        places = [chance.choice((-place - 1, place + 0.5)) for place in places]
    form = chance.random()
    if door == "turn" and form < 0.3:
        places = [[place, chance.randrange(40), chance.randrange(700)] for place in places]
    if door == "add" and len(shape) == 3 and form < 0.3:
        places = [[place + 7 * text for place in places] for text in range(shape[0])]
    exact = torch.tensor(places, dtype=torch.float64)
    if not torch.equal(exact, exact.floor()):
        return exact, usual
    short = (
        exact.abs().max() < 2**15 and chance.random() < 0.2
    )  # 16 bits may be refused: torch does not index with them
    return exact.to(torch.int16 if short else chance.choice((torch.int64, torch.int32))), usual and not short


def _settings(chance: random.Random, width: int) -> dict:
    return {
        "layer": chance.choice((0, chance.randrange(8), chance.randrange(len(ROTATING)))),
        "factor": chance.choice((1.0, 1.0, 8.0, 2.5, 0.5, 40.0, round(chance.uniform(0.3, 20), 3))),
        "share": chance.choice((1.0, chance.randint(0, width // 2) / (width // 2))),  # a whole number of pairs
    }


@contextlib.contextmanager
def _surroundings(chance: random.Random, kind: torch.dtype):
    """Open what a program may be in the middle of, and tell it."""
    kept = torch.get_default_dtype()
    now = chance.choice(("", "", "", ", under autocast", ", bfloat16 by default", ", float64 by default"))
    if kind is torch.float64 and "autocast" in now:  # which does not know it
        now = ""
    try:
        torch.set_default_dtype({"b": torch.bfloat16, "f": torch.float64}.get(now[2:3], kept))
        with torch.autocast("cpu", _half(kind), enabled="autocast" in now):
            yield now
    finally:
        torch.set_default_dtype(kept)


def _held(around: str) -> torch.dtype:
    return torch.bfloat16 if "bfloat16 by default" in around else torch.float32


def _half(kind: torch.dtype) -> torch.dtype:
    """Return the type in which autocast computes products for tokens of this type."""
    return torch.float16 if kind is torch.float16 else torch.bfloat16


def _product(around: str, door: str, kind: torch.dtype) -> float:
    """Return what a turn may be off by where autocast rounds products, as it does the scores that are made of it.

    A feature is a cosine times one number and a sine times another: a sum of two products, all of them rounded.
    """
    return 2 * torch.finfo(_half(kind)).eps if door == "turn" and "autocast" in around else 0.0


def _exact_result(encoding: Sound, door: str, x: Tensor, position_ids: Tensor, settings: dict) -> Tensor:
    """Return what `add` or `turn` must give, in float64."""
    if door == "turn":
        return _exactly_turned(encoding, x, position_ids, **settings)
    if encoding.rotates:
        return x.double()
    return math.sqrt(x.shape[-1]) * x.double() + _exact_codes(encoding, position_ids, x.shape[-1])


def _exact_gradient(encoding: Sound, door: str, weights: Tensor, position_ids: Tensor, settings: dict) -> Tensor:
    """Return the gradient of the sum of a result times `weights`: a turn goes back."""
    if door == "turn":
        return _exactly_turned(encoding, weights, position_ids, sign=-1, **settings)
    return weights if encoding.rotates else math.sqrt(weights.shape[-1]) * weights


def _turned(encoding: Sound, positions: Tensor | list, width: int = HEAD_DIM, **settings) -> Tensor:
    """Return what queries and keys become at one position, as matrices (2, features in, features out)."""
    features = torch.eye(width)[:, None].expand(2, width, 1, width)
    return encoding.turn(features, torch.as_tensor(positions), **settings)[:, :, 0].double()


def _pairs_of_features(layout: str, width: int) -> tuple[list[int], list[int]]:
    """List the first and the second feature of each pair."""
    features = list(range(width))
    if layout == "half":
        return features[: width // 2], features[width // 2 :]
    return features[0::2], features[1::2]


def _along_axes(position_ids: Tensor | Sequence, door: str) -> Tensor:
    """Return positions with their axes, `(..., AXES)`, in float64; one number stands for all axes."""
    places = torch.as_tensor(position_ids, dtype=torch.float64)
    return places if door == "turn" and places.ndim == 2 else places[..., None].expand(*places.shape, AXES)


def _exact_angles(on_axes: Tensor, width: int, factor: float = 1.0) -> Tensor:
    """Return place · ω_i, `(..., pairs)`: pair i follows axis i % 3."""
    speeds = [BASE ** (-2 * i / width) / factor for i in range(width // 2)]
    return torch.stack([on_axes[..., i % AXES] * speed for i, speed in enumerate(speeds)], -1)


def _exactly_turned(
    encoding: Sound,
    x: Tensor,
    places: Tensor | Sequence,
    factor: float = 1.0,
    share: float = 1.0,
    layer: int = 0,
    sign: int = 1,
) -> Tensor:
    """Return `x` `(..., seq_len, width)` in float64, each pair turned by its angle."""
    turned = x.double().clone()
    if not (encoding.rotates and ROTATING[layer]):
        return turned
    width = x.shape[-1]
    turning = round(share * (width // 2))
    angles = sign * _exact_angles(_along_axes(places, "turn"), width, factor)[:, :turning]
    first, second = (features[:turning] for features in _pairs_of_features(encoding.layout, width))
    a, b = turned[..., first], turned[..., second]
    turned[..., first] = a * angles.cos() - b * angles.sin()
    turned[..., second] = a * angles.sin() + b * angles.cos()
    return turned


def _exact_turn(encoding: Sound, place: Sequence, width: int = HEAD_DIM, **settings) -> Tensor:
    """Return the matrix of the turn at one place, (features in, features out)."""
    return _exactly_turned(encoding, torch.eye(width)[:, None], place, **settings)[:, 0]


def _exact_codes(encoding: Sound, position_ids: Tensor | Sequence, width: int) -> Tensor:
    """Return the codes of the paper's formula, `(..., width)`, in float64."""
    angles = _exact_angles(_along_axes(position_ids, "add"), width)
    first, second = _pairs_of_features(_table_layout(encoding), width)
    codes = torch.empty(*angles.shape[:-1], width, dtype=torch.float64)
    codes[..., first] = angles.sin()
    codes[..., second] = angles.cos()
    return codes


def _rounding(on_axes: Tensor, width: int, layout: str, factor: float = 1.0) -> Tensor:
    """Return what float32 angles may change of each feature, `(..., width)`.

    The product of position and ω is rounded, and so is ω: the more, the longer the logarithm that it is computed from.
    """
    logarithms = torch.tensor([2 * i / width * math.log(BASE) for i in range(width // 2)], dtype=torch.float64)
    angles = _exact_angles(on_axes, width, factor).abs()
    off = torch.empty(*angles.shape[:-1], width, dtype=torch.float64)
    for features in _pairs_of_features(layout, width):
        off[..., features] = FLOAT32 * (1 + logarithms) * angles
    return off


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
    recording = torch.is_grad_enabled()
    for name in tests:
        try:
            PROPERTIES[name](copy.deepcopy(encoding))  # what one test leaves behind is not there in the next
        except CheckFailed as missing:
            diagnoses[name] = str(missing)
        except Exception as error:
            diagnoses[name] = f"{type(error).__name__}: {error}"
        finally:
            torch.set_default_dtype(usual)
            torch.set_grad_enabled(recording)
    return diagnoses
