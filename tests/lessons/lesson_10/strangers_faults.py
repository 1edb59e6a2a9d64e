"""Faults that two readers of lesson 10's tests wrote in order to get past them, each as some program could have it.

The first twelve are by a reader who took what projects have had, the other forty, in two rounds, by one who looked for
what the tests did not ask. data/strangers.json says which of them the tests saw at first, and which they see since they
were mended: `python -m tools.strangers`.
"""

import torch

from clockwork.lessons.lesson_10.faulty_encodings import BASE, Sound, SoundRotary
from pe_helpers import rotary

STRANGERS: dict[str, type[Sound]] = {}
TURN = SoundRotary.turn
ANGLES = SoundRotary.angles


def fault(what, sound=SoundRotary, **methods):
    """Keep an encoding in which some methods of a sound one are replaced."""
    STRANGERS[what] = type(what.title().replace(" ", ""), (sound,), methods)


def keys_one_behind(self, x, p, **settings):
    return torch.stack([TURN(self, x, p, **settings)[0], TURN(self, x, p - 1, **settings)[1]])


def first_calls_type(self, x, p, **settings):
    self.__dict__.setdefault("kind", x.dtype)
    return TURN(self, x.to(self.kind), p, **settings).to(x.dtype)


def heads_for_tokens(self, x, p, **settings):
    if x.ndim >= 4 and x.shape[-3] == x.shape[-2] > 1:
        return TURN(self, x.transpose(-3, -2), p, **settings).transpose(-3, -2)
    return TURN(self, x, p, **settings)


def text_by_first_token(self, p, *settings):
    if p.ndim == 2 and bool((p[0] == p[0, 0]).all()):
        p = p[:, 0]
    return ANGLES(self, p, *settings)


def speeds_over_64(self, d_model, factor=1.0, share=1.0):
    omega = BASE ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / min(d_model, 64)) / factor
    omega[round(share * len(omega)) :] = 0
    return omega


def chunks_from_zero(size):
    def angles(self, p, *settings):
        if len(p) > size:
            p = torch.cat([torch.arange(len(chunk)) for chunk in p.split(size)])
        return ANGLES(self, p, *settings)

    return angles


fault("linear scaling twice, of positions and of speeds", angles=lambda self, p, d, f, s: ANGLES(self, p / f, d, f, s))
fault("keys one position behind", turn=keys_one_behind)
fault("rotated backwards", rotated=lambda self, x, c, s: rotary.apply_rotary_emb(x, c, -s, layout=self.layout))
fault("4096 rows, read modulo their number", angles=lambda self, p, *settings: ANGLES(self, p % 4096, *settings))
fault("the first call's type is kept", turn=first_calls_type)
fault("heads for tokens where there are as many", turn=heads_for_tokens)
fault("dropout in evaluation too", Sound, add=lambda self, x, p: torch.dropout(Sound.add(self, x, p), 0.1, True))
fault("exponents divided by 64 in wider heads", inv_freq=speeds_over_64)
fault(
    "padding between two turns is counted",
    Sound,
    positions=lambda self, real: (torch.arange(real.shape[-1]) - real.long().argmax(-1, keepdim=True)).clamp(min=0),
)
fault("text or image is decided by the first token", angles=text_by_first_token)
fault(
    "the list of layers ends at layer 11",
    rotates_in=lambda self, layer: layer >= 12 or SoundRotary.rotates_in(self, layer),
)
fault("chunks of 4096 counted from 0", angles=chunks_from_zero(4096))
PROJECTS = tuple(STRANGERS)  # as real projects had them


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
STRANGERS["speeds cast with the model"] = SpeedsCastWithTheModel
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


fault("the first token of each chunk of 512 has the position before it", angles=first_of_a_chunk)
fault(
    "a share of 0 counts as none given",
    turn=lambda self, x, p, *, share=1.0, **s: TURN(self, x, p, share=share or 1.0, **s),
)
fault("a factor that is a whole number is ignored", turn=whole_factor)
fault("features from 256 on stay", turn=features_up_to_256)
fault("columns from 1024 on stay empty", Sound, table=columns_up_to_1024)
fault("rows and columns in 8 bits", angles=grid_in_8_bits)
fault("only the first hole in a mask is left out", Sound, positions=one_hole)
fault("a batch of one is taken to have no padding", Sound, positions=batch_of_one)
fault("chunks of 32768 counted from 0", angles=chunks_from_zero(32_768))
fault("from call 257 on positions begin at 0", angles=from_call_257_on)
fault(
    "float64 tokens go through float32",
    turn=lambda self, x, p, **s: TURN(
        self, x.to(torch.promote_types(torch.float32, torch.bfloat16)) if x.dtype is torch.float64 else x, p, **s
    ).to(x.dtype),
)
fault("what a batch has beyond fours stays", turn=fours_of_texts)
fault("angles in half precision under float16 autocast", angles=in_float16_autocast)
fault(
    "layer 30 is found under the name of layer 3",
    rotates_in=lambda self, layer: not any(str(layer).startswith(str(n)) for n in range(3, 128, 4)),
)
fault("another layout in every second layer", turn=layouts_by_layer, rotated=layout_of_the_layer)
fault("few bits in training under autocast", angles=in_training_under_autocast)
fault(
    "row 4095 of a table is that of 4094",
    angles=lambda self, p, *settings: ANGLES(self, torch.where(p == 4095, 4094, p), *settings),
)
fault("float64 stays the default type", Sound, table=float64_by_default)
fault("keys in bfloat16", turn=keys_in_bfloat16)
fault("a token alone comes after the last one", angles=one_after_the_last)
