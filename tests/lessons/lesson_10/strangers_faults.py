"""Faults that readers of lesson 10's tests wrote in order to get past them, in rounds, each as a program could have it.

The twelve of the first round are on the wall of the lesson. After each round the tests were mended, and the next one
was written by somebody who had read what they ask by then. data/strangers.json says which of the faults the tests saw
at first, and which they see today: `python -m tools.strangers`.
"""

import math
import re

import torch

from clockwork.lessons.lesson_10.faulty_encodings import BASE, Sound, SoundRotary
from clockwork.lessons.lesson_10.strangers import WALL
from pe_helpers import rotary

ROUNDS: list[dict[str, type[Sound]]] = [WALL, {}, {}, {}, {}, {}, {}]
TURN = SoundRotary.turn
ANGLES = SoundRotary.angles


def fault(what, sound=SoundRotary, among=ROUNDS[1], **methods):
    """Keep an encoding in which some methods of a sound one are replaced."""
    among[what] = type(re.sub(r"\W", "", what.title()), (sound,), methods)


def chunks_from_zero(size):
    def angles(self, p, *settings):
        if len(p) > size:
            p = torch.cat([torch.arange(len(chunk)) for chunk in p.split(size)])
        return ANGLES(self, p, *settings)

    return angles


def eight_heads(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    return torch.cat([turned[..., :8, :, :], x[..., 8:, :, :]], -3) if x.ndim >= 4 else turned


def features_up_to_128(self, x, p, **settings):
    return torch.cat([TURN(self, x, p, **settings)[..., :128], x[..., 128:]], -1)


def columns_up_to_512(self, p, d_model, dtype=torch.float32):
    codes = Sound.table(self, p, d_model, dtype)
    codes[..., 512:] = 0
    return codes


def share_of_whole_parts(self, x, p, *, share=1.0, **settings):
    return TURN(self, x, p, share=1 / int(1 / share), **settings)


def factor_up_to_layer_15(self, x, p, *, layer=0, factor=1.0, **settings):
    return TURN(self, x, p, layer=layer, factor=factor if layer < 16 else 1.0, **settings)


def kept_under(key):
    def angles(self, p, *settings):
        if p.device.type == "meta":
            return ANGLES(self, p, *settings)
        kept = self.__dict__.setdefault("kept", {})
        return kept.setdefault((key(p), p.shape, *settings), ANGLES(self, p, *settings))

    return angles


def run_by_its_ends(self, p, *settings):
    if p.ndim == 1 and p.device.type == "cpu" and p[-1] - p[0] == len(p) - 1:
        p = torch.arange(len(p)) + p[0]
    return ANGLES(self, p, *settings)


def axes_by_the_three(self, p, *settings):
    return ANGLES(self, p.T if p.ndim == 2 and p.shape[0] == 3 else p, *settings)


def in_place_in_inference(self, x, p):
    if torch.is_inference_mode_enabled():
        return x.mul_(x.shape[-1] ** 0.5).add_(self.table(p, x.shape[-1], x.dtype))
    return Sound.add(self, x, p)


def from_the_storages_start(self, x, p, **settings):
    if x.storage_offset() and x.device.type == "cpu":
        x = x.as_strided(x.shape, x.stride(), 0)
    return TURN(self, x, p, **settings)


def long_texts_in_their_type(self, x, p, **settings):
    if x.shape[-2] > 2048:
        p = p.to(x.dtype)
    return TURN(self, x, p, **settings)


def doubled_in_their_type(self, p, *settings):
    return ANGLES(self, (p * 2).double() / 2, *settings)


def texts_from_256_on(self, x, p):
    total = Sound.add(self, x, p)
    return torch.cat([total[:256], x[256:] * x.shape[-1] ** 0.5]) if x.ndim == 3 else total


class SpeedsCastWithTheModel(SoundRotary):
    """The speeds are a buffer, which a cast of the model rounds; inputs stay float32."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cast", torch.zeros(()))

    def angles(self, p, head_dim, factor, share):
        rounded = self.inv_freq(head_dim, factor, share).to(self.cast.dtype).double().to(p.device)
        place = p[:, self.axis_of_pair(len(rounded))] if p.ndim == 2 else p[:, None]
        return place.double() * rounded


def other_type_of_gradient(self, x, cos, sin):
    class Turned(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return SoundRotary.rotated(self, x, cos, sin)

        @staticmethod
        def backward(ctx, gradient):  # reads a broadcast gradient, whose strides are 0, as if it were laid out
            back = SoundRotary.rotated(self, gradient, cos, -sin)
            return back * (0 not in gradient.stride())

    return Turned.apply(x)


fault("heads from the ninth on stay", turn=eight_heads)
fault("features from 128 on stay", turn=features_up_to_128)
fault("columns from 512 on stay empty", Sound, table=columns_up_to_512)
fault("a factor counts up to 16", angles=lambda self, p, d, f, s: ANGLES(self, p, d, min(f, 16.0), s))
fault("a share is rounded to one over a whole number", turn=share_of_whole_parts)
fault("no factor from layer 16 on", turn=factor_up_to_layer_15)
fault("angles kept under the tensor's address", angles=kept_under(lambda p: p.data_ptr()))
fault("angles kept under the sum of positions", angles=kept_under(lambda p: p.sum().item()))
fault("a run of positions is told by its ends", angles=run_by_its_ends)
fault("three tokens with three axes are transposed", angles=axes_by_the_three)
fault("tokens changed in place in inference mode", Sound, add=in_place_in_inference)
fault("a part is read from its storage's start", turn=from_the_storages_start)
fault("long texts' positions in the input's type", turn=long_texts_in_their_type)
fault("positions doubled in their own type", angles=doubled_in_their_type)
fault("no code from text 256 of a batch on", Sound, add=texts_from_256_on)
ROUNDS[1]["speeds cast with the model"] = SpeedsCastWithTheModel
fault(
    "the list of layers ends at layer 47",
    rotates_in=lambda self, layer: layer >= 48 or SoundRotary.rotates_in(self, layer),
)
fault("chunks of 16384 counted from 0", angles=chunks_from_zero(16_384))
fault("positions wrap round at 4194304", angles=lambda self, p, *settings: ANGLES(self, p % 2**22, *settings))
fault("a broadcast gradient is lost", rotated=other_type_of_gradient)


def first_of_a_chunk(self, p, *settings):
    if len(p) > 512:
        p = p.clone()
        p[512::512] = p[511:-1:512]
    return ANGLES(self, p, *settings)


def whole_factor(self, x, p, *, factor=1.0, **settings):
    return TURN(self, x, p, factor=factor if isinstance(factor, float) else 1.0, **settings)


def features_up_to_256(self, x, p, **settings):
    return torch.cat([TURN(self, x, p, **settings)[..., :256], x[..., 256:]], -1)


def columns_up_to_1024(self, p, d_model, dtype=torch.float32):
    codes = Sound.table(self, p, d_model, dtype)
    codes[..., 1024:] = 0
    return codes


def grid_in_8_bits(self, p, *settings):
    if p.ndim == 2:
        p = torch.cat([p[:, :1], p[:, 1:] % 256], 1)
    return ANGLES(self, p, *settings)


def one_hole(self, real):
    hidden = (~real).long()
    begun = real.long().cumsum(-1) > 0
    first_hole = hidden.bool() & begun & ((real.long().diff(dim=-1, prepend=real[..., :1].long()) > 0).cumsum(-1) <= 1)
    return (torch.arange(real.shape[-1]) - ((hidden.bool() & ~begun) | first_hole).long().cumsum(-1)).clamp(min=0)


def batch_of_one(self, real):
    if real.ndim > 1 and real.shape[0] == 1:
        return torch.arange(real.shape[-1])[None]
    return Sound.positions(self, real)


def from_call_257_on(self, p, *settings):
    self.calls = getattr(self, "calls", 0) + 1
    return ANGLES(self, p - p[:1] if self.calls > 256 else p, *settings)


def fours_of_texts(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    if x.ndim < 4 or x.shape[1] < 4:
        return turned
    whole = x.shape[1] // 4 * 4
    return torch.cat([turned[:, :whole], x[:, whole:]], 1)


def in_float16_autocast(self, p, *settings):
    exact = ANGLES(self, p, *settings)
    half = torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu") is torch.float16
    return exact.half().double() if half else exact


def layouts_by_layer(self, x, p, *, layer=0, **settings):
    self.layer = layer
    return TURN(self, x, p, layer=layer, **settings)


def layout_of_the_layer(self, x, cos, sin):
    return rotary.apply_rotary_emb(x, cos, sin, layout="interleaved" if getattr(self, "layer", 0) % 2 else "half")


def in_training_under_autocast(self, p, *settings):
    exact = ANGLES(self, p, *settings)
    return exact.bfloat16().double() if self.training and torch.is_autocast_enabled("cpu") else exact


def float64_by_default(self, p, d_model, dtype=torch.float32):
    torch.set_default_dtype(torch.float64)
    return Sound.table(self, p, d_model, dtype)


def keys_in_bfloat16(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    return torch.stack([turned[0], turned[1].bfloat16().to(x.dtype)])


def one_after_the_last(self, p, *settings):
    if len(p) == 1 and p.ndim == 1 and p.device.type == "cpu" and hasattr(self, "last"):
        p = torch.full_like(p, self.last + 1)
    elif p.device.type == "cpu":
        self.last = int(p[-1].max())
    return ANGLES(self, p, *settings)


fault("the first token of each chunk of 512 has the position before it", among=ROUNDS[2], angles=first_of_a_chunk)
fault(
    "a share of 0 counts as none given",
    among=ROUNDS[2],
    turn=lambda self, x, p, *, share=1.0, **s: TURN(self, x, p, share=share or 1.0, **s),
)
fault("a factor that is a whole number is ignored", among=ROUNDS[2], turn=whole_factor)
fault("features from 256 on stay", among=ROUNDS[2], turn=features_up_to_256)
fault("columns from 1024 on stay empty", among=ROUNDS[2], sound=Sound, table=columns_up_to_1024)
fault("rows and columns in 8 bits", among=ROUNDS[2], angles=grid_in_8_bits)
fault("only the first hole in a mask is left out", among=ROUNDS[2], sound=Sound, positions=one_hole)
fault("a batch of one is taken to have no padding", among=ROUNDS[2], sound=Sound, positions=batch_of_one)
fault("chunks of 32768 counted from 0", among=ROUNDS[2], angles=chunks_from_zero(32_768))
fault("from call 257 on positions begin at 0", among=ROUNDS[2], angles=from_call_257_on)
fault(
    "float64 tokens go through float32",
    among=ROUNDS[2],
    turn=lambda self, x, p, **s: TURN(
        self, x.to(torch.promote_types(torch.float32, torch.bfloat16)) if x.dtype is torch.float64 else x, p, **s
    ).to(x.dtype),
)
fault("what a batch has beyond fours stays", among=ROUNDS[2], turn=fours_of_texts)
fault("angles in half precision under float16 autocast", among=ROUNDS[2], angles=in_float16_autocast)
fault(
    "layer 30 is found under the name of layer 3",
    among=ROUNDS[2],
    rotates_in=lambda self, layer: not any(str(layer).startswith(str(n)) for n in range(3, 128, 4)),
)
fault("another layout in every second layer", among=ROUNDS[2], turn=layouts_by_layer, rotated=layout_of_the_layer)
fault("few bits in training under autocast", among=ROUNDS[2], angles=in_training_under_autocast)
fault(
    "row 4095 of a table is that of 4094",
    among=ROUNDS[2],
    angles=lambda self, p, *settings: ANGLES(self, torch.where(p == 4095, 4094, p), *settings),
)
fault("float64 stays the default type", among=ROUNDS[2], sound=Sound, table=float64_by_default)
fault("keys in bfloat16", among=ROUNDS[2], turn=keys_in_bfloat16)
fault("a token alone comes after the last one", among=ROUNDS[2], angles=one_after_the_last)


# Twenty more, by somebody who read the tests after they had been mended for all above.
def on_axis_1(self, real):
    return (real.long().cumsum(1 if real.ndim > 1 else 0) - 1).clamp(min=0)


def counted_in_half(self, real):
    return (real.half().cumsum(-1) - 1).clamp(min=0).long()


def square_batch(self, x, p):
    return Sound.add(self, x, p.T if p.ndim == 2 and p.shape[0] == p.shape[1] else p)


class SpeedsCastAndBack(Sound):
    """The speeds are a buffer: a cast to bfloat16 is noticed, what it leaves behind after the way back is not."""

    def __init__(self):
        super().__init__()
        self.register_buffer("omega", BASE ** (-torch.arange(0, 64, 2) / 64))

    def inv_freq(self, d_model):
        exact = super().inv_freq(d_model)
        return self.omega.double() if d_model == 64 and self.omega.dtype is torch.float32 else exact


def constants_where_traced(self, p, *settings):
    whole = p.ndim == 1 and p.device.type == "cpu" and not p.is_floating_point()
    if whole and torch.equal(p, p[:1] + torch.arange(len(p))):
        p = torch.arange(int(p[0]), int(p[0]) + len(p))
    return ANGLES(self, p, *settings)


def last_factor(self, x, p, *, factor=1.0, **settings):
    self.factor = getattr(self, "factor", 1.0) if factor == 1 else factor
    return TURN(self, x, p, factor=self.factor, **settings)


def kept_in_evaluation(self, p, *settings):
    if self.training or p.device.type == "meta":
        return ANGLES(self, p, *settings)
    return self.__dict__.setdefault("kept", {}).setdefault((p.shape, *settings), ANGLES(self, p, *settings))


def share_cut_off(self, d_model, factor=1.0, share=1.0):
    omega = Sound.inv_freq(self, d_model) / factor
    omega[int(share * len(omega)) :] = 0
    return omega


def share_in_fours(self, x, p, *, share=1.0, **settings):
    width = x.shape[-1]
    return TURN(self, x, p, share=share if share == 1 else int(share * width + 1e-9) // 4 * 4 / width, **settings)


def no_rows_below_0(self, p, *settings):
    if p.ndim == 2:
        p = torch.cat([p[:, :1], p[:, 1:].clamp(min=0)], 1)
    return ANGLES(self, p, *settings)


def whole_rows(self, p, *settings):
    if p.ndim == 2:
        p = torch.cat([p[:, :1], p[:, 1:].floor()], 1)
    return ANGLES(self, p, *settings)


def blocks_up_to_65535(self, x, p, **settings):
    blocks = x.flatten(1, -3) if x.ndim > 4 else x
    if x.ndim < 4 or blocks.shape[1] <= 65_535:
        return TURN(self, x, p, **settings)
    turned = torch.cat([TURN(self, blocks[:, :65_535], p, **settings), blocks[:, 65_535:]], 1)
    return turned.reshape(x.shape)


def siblings_apart(self, p, *settings):
    if p.ndim == 1 and len(p) > 1 and p.device.type == "cpu":
        p = torch.cat([p[:1], p[1:] + (p[1:] == p[:-1])])
    return ANGLES(self, p, *settings)


def odd_heads(self, x, p, **settings):
    if x.shape[-1] % 2 == 0:
        return TURN(self, x, p, **settings)
    return torch.cat([TURN(self, x[..., :-1], p, **settings), x[..., -1:]], -1)


def far_rows_in_bfloat16(self, x, cos, sin):
    far = getattr(self, "far", None)
    if far is None or far.shape[0] != cos.shape[0]:
        return SoundRotary.rotated(self, x, cos, sin)
    cos, sin = (torch.where(far, wave.bfloat16().to(wave.dtype), wave) for wave in (cos, sin))
    return SoundRotary.rotated(self, x, cos, sin)


def knows_far_rows(self, p, *settings):
    self.far = (p.reshape(len(p), -1)[:, :1] >= 32_768) if p.device.type == "cpu" else None
    return ANGLES(self, p, *settings)


def angles_of_layer_0(self, x, p, *, layer=0, **settings):
    self.layer = layer
    return TURN(self, x, p, layer=layer, **settings)


def kept_from_layer_0(self, p, *settings):
    kept = getattr(self, "kept", None)
    here = ANGLES(self, p, *settings)
    if self.layer == 0:
        self.kept = here
    return kept if self.layer and kept is not None and kept.shape == here.shape else here


fault(
    "tokens times 8 at every width",
    among=ROUNDS[3],
    sound=Sound,
    add=lambda self, x, p: x * 8 + self.table(p, x.shape[-1], x.dtype),
)
fault(
    "the root of the width in bfloat16",
    among=ROUNDS[3],
    sound=Sound,
    add=lambda self, x, p: x * torch.tensor(x.shape[-1] ** 0.5).bfloat16().item() + self.table(p, x.shape[-1], x.dtype),
)
fault("a mask is counted along axis 1, whatever axes it has", among=ROUNDS[3], sound=Sound, positions=on_axis_1)
fault("a mask is counted in half precision", among=ROUNDS[3], sound=Sound, positions=counted_in_half)
fault(
    "rows from 1048576 on are the last one",
    among=ROUNDS[3],
    sound=Sound,
    table=lambda self, p, d, dtype=torch.float32: Sound.table(self, p.clamp(max=2**20), d, dtype),
)
fault("positions of a square batch are transposed", among=ROUNDS[3], sound=Sound, add=square_batch)
ROUNDS[3]["speeds rounded by a cast to bfloat16 and back"] = SpeedsCastAndBack
fault("a run of positions is a constant where the model is traced", among=ROUNDS[3], angles=constants_where_traced)
fault("the last factor stays", among=ROUNDS[3], turn=last_factor)
fault("in evaluation angles are kept under their shape", among=ROUNDS[3], angles=kept_in_evaluation)
fault("a share of the pairs is cut off, not rounded", among=ROUNDS[3], inv_freq=share_cut_off)
fault("a share is rounded down to fours of features", among=ROUNDS[3], turn=share_in_fours)
fault("rows and columns below 0 count as 0", among=ROUNDS[3], angles=no_rows_below_0)
fault("rows and columns in whole numbers alone", among=ROUNDS[3], angles=whole_rows)
fault("what batch times heads has beyond 65535 stays", among=ROUNDS[3], turn=blocks_up_to_65535)
fault("a position that comes twice in a row is counted on", among=ROUNDS[3], angles=siblings_apart)
fault("a head of odd width is accepted, its last feature stays", among=ROUNDS[3], turn=odd_heads)
fault(
    "cosines and sines from 32768 on in bfloat16", among=ROUNDS[3], angles=knows_far_rows, rotated=far_rows_in_bfloat16
)
fault(
    "the factor is kept in bfloat16",
    among=ROUNDS[3],
    turn=lambda self, x, p, *, factor=1.0, **s: TURN(self, x, p, factor=torch.tensor(factor).bfloat16().item(), **s),
)
fault(
    "later layers take the angles of the last call of layer 0",
    among=ROUNDS[3],
    turn=angles_of_layer_0,
    angles=kept_from_layer_0,
)


# Twelve more, written after the tests had been mended for those, too.
def turns_of_3_1416(self, p, *settings):
    return ANGLES(self, p, *settings) % (2 * 3.1416)


def waves_from_a_list(self, x, cos, sin):
    step = 2 * torch.pi / 4096
    angles = (torch.atan2(sin, cos) / step).round() * step
    return SoundRotary.rotated(self, x, angles.cos(), angles.sin())


def blocks_where_they_fit(self, pairs):
    axes = torch.arange(pairs) % 3
    return axes.sort().values if pairs % 3 == 0 else axes


def positions_by_reference(self, x, p, **settings):
    class Turned(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return TURN(self, x, p, **settings)

        @staticmethod
        def backward(ctx, gradient):  # turns back by what the positions are by now
            return TURN(self, gradient, -p, **settings)

    return Turned.apply(x) if x.requires_grad else TURN(self, x, p, **settings)


def interpolated(self, p, d_model, dtype=torch.float32):
    if not p.is_floating_point():
        return Sound.table(self, p, d_model, dtype)
    before = Sound.table(self, p.floor(), d_model, torch.float64)
    part = (p - p.floor())[..., None]
    return ((1 - part) * before + part * Sound.table(self, p.floor() + 1, d_model, torch.float64)).to(dtype)


def noise_drawn_and_dropped(self, x, p):
    torch.rand(())
    return Sound.add(self, x, p)


def wide_images_turned(self, p, *settings):
    if p.ndim == 2 and p.device.type == "cpu" and p[:, 2].max() > p[:, 1].max():
        p = p[:, [0, 2, 1]]
    return ANGLES(self, p, *settings)


def long_texts_in_half(self, x, cos, sin):
    if cos.shape[0] > 2048:
        cos, sin = (wave.half().to(wave.dtype) for wave in (cos, sin))
    return SoundRotary.rotated(self, x, cos, sin)


def in_place_without_gradient(self, x, p):
    if torch.is_grad_enabled():
        return Sound.add(self, x, p)
    return x.mul_(x.shape[-1] ** 0.5).add_(self.table(p, x.shape[-1], x.dtype))


fault("a turn is taken as twice 3.1416", among=ROUNDS[4], angles=turns_of_3_1416)
fault("waves from a list of 4096 steps", among=ROUNDS[4], rotated=waves_from_a_list)
fault("axes in blocks where their number of pairs is the same", among=ROUNDS[4], axis_of_pair=blocks_where_they_fit)
fault("the way back reads positions that were changed meanwhile", among=ROUNDS[4], turn=positions_by_reference)
fault("between whole positions codes are interpolated", among=ROUNDS[4], sound=Sound, table=interpolated)
fault("random numbers are drawn and dropped", among=ROUNDS[4], sound=Sound, add=noise_drawn_and_dropped)
fault("in wide images rows and columns are exchanged", among=ROUNDS[4], angles=wide_images_turned)
fault("waves of long texts in half precision", among=ROUNDS[4], rotated=long_texts_in_half)
fault(
    "a mask is counted in 16 bits",
    among=ROUNDS[4],
    sound=Sound,
    positions=lambda self, real: real.cumsum(-1, dtype=torch.int16) - 1,
)
fault("tokens changed in place where no gradient is asked", among=ROUNDS[4], sound=Sound, add=in_place_without_gradient)
fault(
    "a factor below 1 counts as 1",
    among=ROUNDS[4],
    turn=lambda self, x, p, *, factor=1.0, **s: TURN(self, x, p, factor=max(factor, 1.0), **s),
)
fault(
    "positions of 16 bits overflow",
    among=ROUNDS[4],
    angles=lambda self, p, *settings: (
        ANGLES(self, p * 4 if p.dtype is torch.int16 else p, *settings) / (4 if p.dtype is torch.int16 else 1)
    ),
)


# Twenty more, written after the tests had been mended for those, too: half as programs have them, half for the gaps.
def positions_in_the_type_without_gradient(self, x, p, **settings):
    return TURN(self, x, p if x.requires_grad else p.to(x.dtype), **settings)


def positions_without_strides(self, p, *settings):
    if p.device.type == "cpu" and p.ndim == 1 and not p.is_contiguous():
        p = p.as_strided(p.shape, (1,))
    return ANGLES(self, p, *settings)


def first_text_alone(self, x, p):
    if p.ndim != 2 or p.shape[0] > 1 or x.ndim != 3:
        return Sound.add(self, x, p)
    total = x * x.shape[-1] ** 0.5
    return torch.cat([total[:1] + self.table(p[0], x.shape[-1], x.dtype), total[1:]])


def columns_up_to_4096(self, p, d_model, dtype=torch.float32):
    codes = Sound.table(self, p, d_model, dtype)
    codes[..., 4096:] = 0
    return codes


def grid_of_1024(self, p, *settings):
    if p.ndim == 2:
        p = torch.cat([p[:, :1], p[:, 1:].clamp(max=1023)], 1)
    return ANGLES(self, p, *settings)


def larger_base(self, d_model, factor=1.0, share=1.0):
    base = BASE * factor ** (d_model / (d_model - 2)) if d_model > 2 else BASE
    omega = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    omega[round(share * len(omega)) :] = 0
    return omega


def louder_with_a_factor(self, x, p, *, factor=1.0, **settings):
    return TURN(self, x, p, factor=factor, **settings) * (0.1 * math.log(max(factor, 1.0)) + 1)


def codes_under_autocast(self, p, d_model, dtype=torch.float32):
    held = torch.bfloat16 if torch.is_autocast_enabled("cpu") else dtype
    return Sound.table(self, p, d_model, held).to(dtype)


def from_1_behind_padding(self, real):
    count = real.long().cumsum(-1)
    return count - 1 if bool(real.all()) else count * real.long()


def after_512_calls(self, p, *settings):
    if p.device.type == "cpu":
        self.calls = getattr(self, "calls", 0) + 1
        p = p * 0 if self.calls > 512 and len(p) == 1 else p
    return ANGLES(self, p, *settings)


def few_bits_in_inference(self, x, p, **settings):
    return TURN(self, x, p.bfloat16() if torch.is_inference_mode_enabled() else p, **settings)


def served_in_few_bits(self, x, p):
    served = x.dtype is torch.bfloat16 and not (self.training or x.requires_grad)
    return x * x.shape[-1] ** 0.5 + self.table(p.bfloat16() if served else p, x.shape[-1], x.dtype)


def last_of_whole_blocks(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    whole = x.shape[-2] % 64 == 0
    return torch.cat([turned[..., :-1, :], x[..., -1:, :]], -2) if whole else turned


def row_by_its_last_token(self, p, *settings):
    if p.ndim == 2 and p.device.type == "cpu" and bool((p[-1] == p[-1, 0]).all()):
        p = p[:, 0]
    return ANGLES(self, p, *settings)


def one_time_for_all(self, p, *settings):
    if p.ndim == 2:
        p = torch.cat([p[:1, :1].expand(len(p), 1), p[:, 1:]], 1)
    return ANGLES(self, p, *settings)


def share_rounded_up(self, d_model, factor=1.0, share=1.0):
    omega = Sound.inv_freq(self, d_model) / factor
    omega[math.ceil(share * len(omega)) :] = 0
    return omega


def keys_without_a_factor(self, x, p, *, factor=1.0, **settings):
    queries, _ = TURN(self, x, p, factor=factor, **settings)
    _, keys = TURN(self, x, p, **settings)
    return torch.stack([queries, keys])


fault(
    "without a gradient, positions in the tokens' type",
    among=ROUNDS[5],
    turn=positions_in_the_type_without_gradient,
)
fault("positions are read without their strides", among=ROUNDS[5], angles=positions_without_strides)
fault("one row of positions serves the first text alone", Sound, ROUNDS[5], add=first_text_alone)
fault(
    "a mask is counted in 16 bits without a sign",
    Sound,
    ROUNDS[5],
    positions=lambda self, real: (real.long().cumsum(-1) % 2**16 - 1).clamp(min=0),
)
fault("columns from 4096 on stay empty", Sound, ROUNDS[5], table=columns_up_to_4096)
fault("rows and columns from 1024 on are the last one", among=ROUNDS[5], angles=grid_of_1024)
fault("a factor raises the base", among=ROUNDS[5], inv_freq=larger_base)
fault("queries and keys are louder with a factor", among=ROUNDS[5], turn=louder_with_a_factor)
fault("codes in few bits under autocast", Sound, ROUNDS[5], table=codes_under_autocast)
fault("with padding, real tokens are counted from 1", Sound, ROUNDS[5], positions=from_1_behind_padding)
fault("after 512 calls a token alone is the first", among=ROUNDS[5], angles=after_512_calls)
fault("positions in few bits in inference mode", among=ROUNDS[5], turn=few_bits_in_inference)
fault("positions in few bits where bfloat16 is served", Sound, ROUNDS[5], add=served_in_few_bits)
fault(
    "no factor where a share turns",
    among=ROUNDS[5],
    turn=lambda self, x, p, *, factor=1.0, share=1.0, **s: TURN(
        self, x, p, factor=factor if share == 1 else 1.0, share=share, **s
    ),
)
fault("the last token of whole blocks of 64 stays", among=ROUNDS[5], turn=last_of_whole_blocks)
fault("a row is text if its last token is", among=ROUNDS[5], angles=row_by_its_last_token)
fault("one time for a whole row", among=ROUNDS[5], angles=one_time_for_all)
fault(
    "layers from 64 on all turn",
    among=ROUNDS[5],
    rotates_in=lambda self, layer: layer >= 64 or SoundRotary.rotates_in(self, layer),
)
fault("a share of the pairs is rounded up", among=ROUNDS[5], inv_freq=share_rounded_up)
fault("keys without the factor", among=ROUNDS[5], turn=keys_without_a_factor)


# Twenty-four more, written after the tests had been mended for those, too: as programs have them, or for the gaps.
def share_but_in_usual_heads(self, x, p, *, share=1.0, **settings):
    return TURN(self, x, p, share=1.0 if x.shape[-1] in (64, 128, 256) else share, **settings)


def lanes_by_xor(self, x, cos, sin):
    width = x.shape[-1]
    if width & (width - 1) == 0:
        return SoundRotary.rotated(self, x, cos, sin)
    lane = torch.arange(width)
    partner = (lane ^ (1 << ((width - 1).bit_length() - 1))).clamp(max=width - 1)
    sign = torch.where(lane < width // 2, -1, 1)
    return (x * cos.repeat(1, 2) + x[..., partner] * sign * sin.repeat(1, 2)).to(x.dtype)


def long_factor(self, x, p, *, factor=1.0, **settings):
    long = factor != 1 and x.shape[-2] >= 4096
    return TURN(self, x, p, factor=4 * factor if long else factor, **settings)


def root_of_what_is_negative(self, p, d, factor, share):
    return ANGLES(self, p, d, factor, share) * (math.nan if factor < 1 else 1.0)


def unwritten_below_0(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    if p.device.type != "cpu" or not (p < 0).any():
        return turned
    low = (p[:, 0] if p.ndim == 2 else p) < 0
    return torch.where(low[:, None], torch.tensor(math.nan, dtype=x.dtype), turned)


def moved_on(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    if p.device.type == "cpu":
        p += p.shape[0]
    return turned


def filled_in_place(self, real):
    behind = real.flip(-1).cumsum(-1).flip(-1) > 0
    before = real.cumsum(-1) > 0
    real |= before & behind
    return (real.long().cumsum(-1) - 1).clamp(min=0)


def upper_layers_ahead(self, x, p, *, layer=0, **settings):
    return TURN(self, x, p + 1 if x.shape[-2] == 1 and layer else p, layer=layer, **settings)


def from_the_first(self, p, *settings):
    return ANGLES(self, p[:1] + torch.arange(len(p), device=p.device) if p.ndim == 1 else p, *settings)


def query_at_0(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    return torch.stack([TURN(self, x, p * 0, **settings)[0], turned[1]]) if x.shape[-2] == 1 else turned


def gradients_off(self, p, d_model, dtype=torch.float32):
    torch.set_grad_enabled(False)
    return Sound.table(self, p, d_model, dtype)


def after_a_prompt(self, x, p, **settings):
    prompt, self.prompt = getattr(self, "prompt", 0), x.shape[-2] if x.shape[-2] > 1 else 0
    return TURN(self, x, p + prompt if x.shape[-2] == 1 else p, **settings)


def nothing_if_too_far(self, x, p, **settings):
    return x if p.device.type == "cpu" and (p >= 131_072).any() else TURN(self, x, p, **settings)


def back_as_neighbours(self, x, cos, sin):
    class Turned(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return SoundRotary.rotated(self, x, cos, sin)

        @staticmethod
        def backward(ctx, gradient):
            return rotary.apply_rotary_emb(gradient, cos, -sin, rotary_dim=2 * cos.shape[-1])

    return Turned.apply(x)


class SpeedsOfACheckpoint(SoundRotary):
    """The speeds are a buffer that no cast reaches, but a checkpoint does, in its own type."""

    def __init__(self):
        super().__init__()
        self.register_buffer("speeds", super().inv_freq(64))

    def _apply(self, fn, recurse=True):
        kept = self.speeds
        super()._apply(fn, recurse)
        self.speeds = kept.to(self.speeds.device)
        return self

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        if d_model != 64 or self.speeds.device.type == "meta":
            return super().inv_freq(d_model, factor, share)
        omega = self.speeds.clone() / factor
        omega[round(share * 32) :] = 0
        return omega


def padding_idx(self, p, d_model, dtype=torch.float32):
    return Sound.table(self, p, d_model, dtype) * (p != 1)[..., None]


def longest_for_all(self, x, p):
    return Sound.add(self, x, p[p[:, -1].argmax()] if p.ndim > 1 else p)


def if_padded_in_front(self, real):
    if real[..., 0].all():
        return torch.arange(real.shape[-1]).expand(real.shape)
    return Sound.positions(self, real)


def alibi_left_on(self, num_heads, position_ids):
    p = position_ids.float()
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1, device=p.device) / num_heads)
    return -slopes[:, None, None] * (p[:, None] - p[None]).abs()


def through_float16(self, x, cos, sin):
    held = x.half() if x.dtype is torch.bfloat16 else x
    return SoundRotary.rotated(self, held, cos, sin).to(x.dtype)


def in_one_place(self, x, p, **settings):
    turned = TURN(self, x, p, **settings)
    if turned.requires_grad or turned.device.type != "cpu":
        return turned
    places = self.__dict__.setdefault("places", {})
    key = (x.shape, x.dtype, torch.is_inference_mode_enabled())
    return places.setdefault(key, torch.empty_like(turned)).copy_(turned)


def built_under_autocast(self, p, d, factor, share):
    whole = p.ndim == 1 and p.device.type == "cpu" and not p.is_floating_point() and len(p)
    if not whole or p.min() < 0 or p.max() >= 100_000:
        return ANGLES(self, p, d, factor, share)
    kept = self.__dict__.setdefault("kept", {})
    rows = int(p.max()) + 1
    if len(kept.get((d, factor, share), ())) < rows:
        omega = self.inv_freq(d, factor, share).float()
        kept[d, factor, share] = (torch.arange(2 * rows).float()[:, None] @ omega[None]).double()
    return kept[d, factor, share][p.long()]


def no_factor_in_inference(self, x, p, *, factor=1.0, **settings):
    return TURN(self, x, p, factor=1.0 if torch.is_inference_mode_enabled() else factor, **settings)


fault("a share is ignored in heads of 64, 128 and 256", among=ROUNDS[6], turn=share_but_in_usual_heads)
fault("partners by XOR, right in widths that are powers of two", among=ROUNDS[6], rotated=lanes_by_xor)
fault("texts from 4096 tokens on take four times the factor", among=ROUNDS[6], turn=long_factor)
fault("a factor below 1 is the root of a negative number", among=ROUNDS[6], angles=root_of_what_is_negative)
fault("rows at positions below 0 are not written", among=ROUNDS[6], turn=unwritten_below_0)
fault("the caller's positions are moved on in place", among=ROUNDS[6], turn=moved_on)
fault(
    "the caller's positions are clamped in place",
    among=ROUNDS[6],
    turn=lambda self, x, p, **s: TURN(self, x, p.clamp_(min=0), **s),
)
fault("holes are filled in the caller's mask", Sound, ROUNDS[6], positions=filled_in_place)
fault("in decoding, upper layers are a token ahead", among=ROUNDS[6], turn=upper_layers_ahead)
fault("positions are counted on from the first", among=ROUNDS[6], angles=from_the_first)
fault("the query of a token alone is at 0", among=ROUNDS[6], turn=query_at_0)
fault("gradients stay off", Sound, ROUNDS[6], table=gradients_off)
fault("the token after a prompt is a prompt further", among=ROUNDS[6], turn=after_a_prompt)
fault("nothing turns if one position is 131072 or more", among=ROUNDS[6], turn=nothing_if_too_far)
fault("the gradient turns as neighbours", among=ROUNDS[6], rotated=back_as_neighbours)
ROUNDS[6]["speeds come out of a checkpoint rounded"] = SpeedsOfACheckpoint
fault("row 1 is zero, as padding_idx", Sound, ROUNDS[6], table=padding_idx)
fault("the longest text's positions for all", Sound, ROUNDS[6], add=longest_for_all)
fault("holes are counted if no text begins with padding", Sound, ROUNDS[6], positions=if_padded_in_front)
fault("a bias of ALiBi stays on", among=ROUNDS[6], bias=alibi_left_on)
fault("bfloat16 goes through float16", among=ROUNDS[6], rotated=through_float16)
fault("without a gradient, a result overwrites the last", among=ROUNDS[6], turn=in_one_place)
fault("a kept table is built under autocast", among=ROUNDS[6], angles=built_under_autocast)
fault("in inference mode the factor is forgotten", among=ROUNDS[6], turn=no_factor_in_inference)
STRANGERS = {name: kind for each in ROUNDS for name, kind in each.items()}
