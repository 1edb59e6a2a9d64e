"""Sound encodings written in other words: a test of lesson 10 that refuses one of them has raised a false alarm."""

import cmath
import functools
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from clockwork.lessons.lesson_10.faulty_encodings import BASE, Sound, SoundRotary

SOUND: dict[str, type[Sound]] = {"as in the package": Sound, "rotary, as in the package": SoundRotary}


def sound(what, **methods):
    """Keep a sinusoid written in another way."""
    SOUND[what] = type(what.title().replace(" ", ""), (Sound,), methods)


def rotary(what, **methods):
    """Keep a rotary encoding written in another way."""
    SOUND[what] = type(what.title().replace(" ", ""), (SoundRotary,), methods)


def even(d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    return d_model


def angles(position_ids, d_model):
    """Return the angles `(..., pairs)`, in float64."""
    speeds = torch.exp(
        -math.log(BASE) * torch.arange(0, even(d_model), 2, dtype=torch.float64, device=position_ids.device) / d_model
    )
    return position_ids.double().unsqueeze(-1) * speeds


# added
def empty_then_filled(self, position_ids, d_model, dtype=torch.float32):
    codes = torch.empty(*position_ids.shape, even(d_model), dtype=torch.float64, device=position_ids.device)
    codes[..., 0::2] = torch.sin(angles(position_ids, d_model))
    codes[..., 1::2] = torch.cos(angles(position_ids, d_model))
    return codes.type(dtype)


def complex_powers(self, position_ids, d_model, dtype=torch.float32):
    turned = torch.exp(1j * angles(position_ids, d_model))
    return torch.view_as_real(turned).flip(-1).flatten(-2).to(dtype)


def cosines_as_shifted_sines(self, position_ids, d_model, dtype=torch.float32):
    shift = torch.tensor([0, math.pi / 2], dtype=torch.float64, device=position_ids.device)
    return (angles(position_ids, d_model)[..., None] + shift).sin().flatten(-2).to(dtype)


def with_numpy(self, position_ids, d_model, dtype=torch.float32):
    speeds = np.power(BASE, -np.arange(0, even(d_model), 2) / d_model)
    table = np.multiply.outer(np.array(position_ids.tolist(), dtype=np.float64), speeds)
    codes = np.stack([np.sin(table), np.cos(table)], -1).reshape(*table.shape[:-1], d_model)
    return torch.from_numpy(codes).to(position_ids.device, dtype)


def number_by_number(self, position_ids, d_model, dtype=torch.float32):
    if len(position_ids.shape) != 1 or len(position_ids) > 100:
        return Sound.table(self, position_ids, d_model, dtype)
    speeds = [BASE ** (-2 * i / d_model) for i in range(even(d_model) // 2)]
    turns = [[cmath.exp(1j * p * speed) for speed in speeds] for p in position_ids.tolist()]
    codes = torch.tensor([[part for z in row for part in (z.imag, z.real)] for row in turns], dtype=torch.float64)
    return codes.to(position_ids.device, dtype)


@functools.lru_cache
def kept_rows(d_model, dtype):
    return Sound().table(torch.arange(2048), d_model, torch.float64).to(dtype)


def looked_up(self, position_ids, d_model, dtype=torch.float32):
    if position_ids.is_floating_point() or position_ids.min().item() < 0 or position_ids.max().item() >= 2048:
        return Sound.table(self, position_ids, d_model, dtype)
    return functional.embedding(position_ids, kept_rows(even(d_model), dtype))


def halves(self, position_ids, d_model, dtype=torch.float32):
    return torch.cat([angles(position_ids, d_model).sin(), angles(position_ids, d_model).cos()], -1).to(dtype)


def without_gradient(self, position_ids, d_model, dtype=torch.float32):
    with torch.no_grad():
        return Sound.table(self, position_ids, d_model, dtype)


sound("empty, then filled", table=empty_then_filled)
sound("complex powers", table=complex_powers)
sound("cosines as shifted sines", table=cosines_as_shifted_sines)
sound("with numpy", table=with_numpy)
sound("number by number", table=number_by_number)
sound("rows looked up where there are rows", table=looked_up)
sound("all sines first, and says so", table=halves, layout="half")
sound("a table without gradient", table=without_gradient)
sound("torch.add", add=lambda self, x, p: torch.add(self.table(p, x.shape[-1], x.dtype), x, alpha=x.shape[-1] ** 0.5))
sound("in place on a copy", add=lambda self, x, p: (x * x.size(-1) ** 0.5).add_(self.table(p, x.size(-1), x.dtype)))
sound(
    "added in float64",
    add=lambda self, x, p: (x.double() * math.sqrt(x.shape[-1]) + self.table(p, x.shape[-1], torch.float64)).to(
        x.dtype
    ),
)
sound("positions by counting", positions=lambda self, real: functional.relu(torch.cumsum(real.int(), -1) - 1).long())


class GrowingTable(Sound):
    """A table that grows when it has to, kept exact."""

    def __init__(self):
        super().__init__()
        self.tables = {}

    def table(self, position_ids, d_model, dtype=torch.float32):
        if position_ids.is_floating_point() or position_ids.min().item() < 0 or position_ids.max().item() > 10_000:
            return super().table(position_ids, d_model, dtype)
        rows = position_ids.max().item() + 1
        if len(self.tables.get(d_model, ())) < rows:
            self.tables[d_model] = super().table(torch.arange(2 * rows), d_model, torch.float64)
        return self.tables[d_model][position_ids].to(dtype)


class Buffer(Sound):
    """Speeds in a buffer that a cast of the module does not reach."""

    def __init__(self):
        super().__init__()
        self.speeds = {d: Sound.inv_freq(self, d) for d in (64, 512)}
        self.rows = nn.Buffer(torch.arange(10), persistent=False)

    def inv_freq(self, d_model):
        return self.speeds[d_model] if d_model in self.speeds else super().inv_freq(d_model)


SOUND["a table that grows"] = GrowingTable
SOUND["speeds kept beside the buffers"] = Buffer


# rotary
def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


def as_in_transformers(self, x, cos, sin):
    cos, sin = (torch.cat([wave, wave], -1).to(x.dtype) for wave in (cos, sin))
    return x * cos + rotate_half(x) * sin


def as_complex_numbers(self, x, cos, sin):
    wide = torch.promote_types(x.dtype, torch.float32)
    pairs = torch.complex(*x.to(wide).chunk(2, dim=-1)) * torch.complex(cos.to(wide), sin.to(wide))
    return torch.cat([pairs.real, pairs.imag], -1).to(x.dtype)


def as_matrices(self, x, cos, sin):
    matrix = torch.diag_embed(torch.cat([cos, cos], -1))
    half = x.shape[-1] // 2
    matrix = matrix + torch.diag_embed(sin, offset=half) - torch.diag_embed(sin, offset=-half)
    with torch.autocast("cpu", enabled=False):
        return torch.einsum("...sd,sde->...se", x.to(matrix.dtype), matrix).to(x.dtype)


def filled_in(self, x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.empty_like(x, memory_format=torch.contiguous_format)
    turned[..., :half] = x[..., :half] * cos - x[..., half:] * sin
    turned[..., half:] = x[..., half:] * cos + x[..., :half] * sin
    return turned


def only_the_part_that_turns(self, x, position_ids, *, layer=0, factor=1.0, share=1.0):
    if not self.rotates_in(layer):
        return x.clone()
    half = even(x.shape[-1]) // 2
    moving = round(share * half)
    turning = self.angles(position_ids, x.shape[-1], factor, 1.0)[:, :moving]
    cos, sin = (wave.to(torch.promote_types(x.dtype, torch.float32)) for wave in (turning.cos(), turning.sin()))
    a, b = x[..., :moving], x[..., half : half + moving]
    parts = [a * cos - b * sin, x[..., moving:half], a * sin + b * cos, x[..., half + moving :]]
    return torch.cat([part.to(x.dtype) for part in parts], -1)


def queries_and_keys_apart(self, x, position_ids, **settings):
    return torch.stack([SoundRotary.turn(self, part[None], position_ids, **settings)[0] for part in x])


def positions_divided(self, x, position_ids, *, factor=1.0, **settings):
    return SoundRotary.turn(self, x, position_ids.double() / factor, **settings)


def token_by_token(self, x, position_ids, **settings):
    if x.shape[-2] > 200:  # which would take minutes
        return SoundRotary.turn(self, x, position_ids, **settings)
    one = [
        SoundRotary.turn(self, x[..., i : i + 1, :], position_ids[i : i + 1], **settings) for i in range(x.shape[-2])
    ]
    return torch.cat(one, -2)


def each_pair_looks_up_its_axis(self, position_ids, head_dim, factor, share):
    omega = self.inv_freq(head_dim, factor, share).to(position_ids.device)
    places = position_ids if position_ids.ndim == 2 else position_ids[:, None].expand(-1, 3)
    return torch.stack([places[:, i % 3].double() * speed for i, speed in enumerate(omega)], -1)


rotary("neighbours, and says so", layout="interleaved")
rotary("rotate_half as in transformers", rotated=as_in_transformers)
rotary("complex numbers", rotated=as_complex_numbers)
rotary("matrices", rotated=as_matrices)
rotary("filled in", rotated=filled_in)
rotary("only the part that turns", turn=only_the_part_that_turns)
rotary("queries and keys apart", turn=queries_and_keys_apart)
rotary("positions divided by the factor", turn=positions_divided)
rotary("token by token", turn=token_by_token)
rotary("each pair looks up its axis", angles=each_pair_looks_up_its_axis)


class KeptAngles(SoundRotary):
    """Angles kept under everything that they depend on."""

    def __init__(self):
        super().__init__()
        self.kept = {}

    def angles(self, position_ids, head_dim, factor, share):
        if position_ids.device.type == "meta":
            return super().angles(position_ids, head_dim, factor, share)
        key = (str(position_ids.tolist()), head_dim, factor, share)
        if key not in self.kept:
            self.kept[key] = super().angles(position_ids, head_dim, factor, share)
        return self.kept[key]


SOUND["angles kept with their positions"] = KeptAngles


# written after the tests, which were not changed for them
def outer_products(self, position_ids, d_model, dtype=torch.float32):
    flat = torch.outer(position_ids.reshape(-1).double(), self.inv_freq(even(d_model)).to(position_ids.device))
    waves = torch.cat([flat.sin()[:, :, None], flat.cos()[:, :, None]], 2)
    return waves.reshape(*position_ids.shape, d_model).to(dtype)


def polar_numbers(self, position_ids, d_model, dtype=torch.float32):
    turned = torch.polar(torch.ones_like(angles(position_ids, d_model)), angles(position_ids, d_model))
    return torch.stack((turned.imag, turned.real), -1).reshape(*position_ids.shape, d_model).to(dtype)


def neighbours_as_complex_numbers(self, x, cos, sin):
    wide = torch.promote_types(x.dtype, torch.float32)
    pairs = torch.view_as_complex(x.to(wide).unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.complex(cos.to(wide), sin.to(wide))).flatten(-2).to(x.dtype)


def in_float64(self, x, cos, sin):
    a, b = x.double().tensor_split(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)


def heads_one_by_one(self, x, position_ids, **settings):
    if x.ndim < 4 or x.shape[-3] > 400:
        return SoundRotary.turn(self, x, position_ids, **settings)
    heads = [SoundRotary.turn(self, head, position_ids, **settings) for head in x.unbind(-3)]
    return torch.stack(heads, dim=-3)


class KeptTurns(SoundRotary):
    """Angles of 4,096 positions prepared in float64, and computed beyond."""

    def __init__(self):
        super().__init__()
        self.ready = torch.arange(4096).double()

    def angles(self, position_ids, head_dim, factor, share):
        whole = position_ids.ndim == 1 and not position_ids.is_floating_point() and position_ids.device.type == "cpu"
        if not whole or position_ids.min() < 0 or position_ids.max() >= 4096:
            return super().angles(position_ids, head_dim, factor, share)
        return torch.outer(self.ready, self.inv_freq(head_dim, factor, share))[position_ids]


sound("outer products", table=outer_products)
sound("polar numbers", table=polar_numbers)
rotary("neighbours as complex numbers", rotated=neighbours_as_complex_numbers, layout="interleaved")
rotary("in float64", rotated=in_float64)
rotary("heads one by one", turn=heads_one_by_one)
SOUND["turns prepared for 4,096 positions"] = KeptTurns


# in float32, as most programs compute their angles
def float32_angles(position_ids, d_model, exponents=False):
    """Return the angles `(..., pairs)`, speeds and products in float32."""
    i = torch.arange(0, even(d_model), 2, dtype=torch.float32, device=position_ids.device)
    speeds = torch.exp(i * (-math.log(BASE) / d_model)) if exponents else 1.0 / BASE ** (i / d_model)
    return position_ids.to(torch.float32)[..., None] * speeds


def as_in_the_pytorch_tutorial(self, position_ids, d_model, dtype=torch.float32):
    turned = float32_angles(position_ids, d_model, exponents=True)
    codes = torch.zeros(*position_ids.shape, d_model, device=position_ids.device)
    codes[..., 0::2] = torch.sin(turned)
    codes[..., 1::2] = torch.cos(turned)
    return codes.to(dtype)


def float32_powers(self, position_ids, d_model, dtype=torch.float32):
    turned = float32_angles(position_ids, d_model)
    return torch.stack([turned.sin(), turned.cos()], -1).flatten(-2).to(dtype)


def float32_halves(self, position_ids, d_model, dtype=torch.float32):
    turned = float32_angles(position_ids, d_model, exponents=True)
    return torch.cat([turned.sin(), turned.cos()], -1).to(dtype)


def float32_turns(self, position_ids, head_dim, factor, share):
    omega = self.inv_freq(head_dim, factor, share).to(position_ids.device, torch.float32)
    place = position_ids[:, self.axis_of_pair(len(omega))] if position_ids.ndim == 2 else position_ids[:, None]
    return place.float() * omega


def float32_speeds(self, d_model, factor=1.0, share=1.0):
    omega = 1.0 / (BASE ** (torch.arange(0, d_model, 2, dtype=torch.int64).float() / d_model)) / factor
    return torch.where(torch.arange(len(omega)) < round(share * len(omega)), omega, 0)


def float32_positions_divided(self, x, position_ids, *, factor=1.0, **settings):
    return SoundRotary.turn(self, x, position_ids.float() / factor, **settings)


sound("float32, as in the PyTorch tutorial", table=as_in_the_pytorch_tutorial)
sound("float32 powers", table=float32_powers)
sound("float32, all sines first, and says so", table=float32_halves, layout="half")
rotary("float32 angles", angles=float32_turns)
rotary("float32 speeds and angles, as in transformers", inv_freq=float32_speeds, angles=float32_turns)
rotary("float32 all the way, rotate_half", inv_freq=float32_speeds, angles=float32_turns, rotated=as_in_transformers)
rotary("float32 complex numbers", inv_freq=float32_speeds, angles=float32_turns, rotated=as_complex_numbers)
rotary(
    "float32, neighbours as complex numbers",
    inv_freq=float32_speeds,
    angles=float32_turns,
    rotated=neighbours_as_complex_numbers,
    layout="interleaved",
)
rotary("float32 positions divided by the factor", turn=float32_positions_divided, angles=float32_turns)


# by somebody who wrote faults to get past the tests, and these beside them
class OwnWayBack(SoundRotary):
    """A gradient of its own: the way back turns back."""

    def rotated(self, x, cos, sin):
        class Turned(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return SoundRotary.rotated(self, x, cos, sin)

            @staticmethod
            def backward(ctx, gradient):
                return SoundRotary.rotated(self, gradient, cos, -sin)

        return Turned.apply(x)


class GuardedBuffer(SoundRotary):
    """Float32 speeds in a buffer that no checkpoint holds and no cast rounds."""

    def __init__(self):
        super().__init__()
        self.register_buffer("omega", super().inv_freq(64).float(), persistent=False)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.omega = SoundRotary.inv_freq(self, 64).to(self.omega.device, torch.float32)
        return self

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        if d_model != 64:
            return super().inv_freq(d_model, factor, share)
        moving = torch.arange(32, device=self.omega.device) < round(share * 32)
        return torch.where(moving, self.omega / factor, 0)


class CoarseAndFine(Sound):
    """Two short tables, joined by the addition theorem; masks are counted in 32 bits, odd widths break an assertion."""

    def positions(self, real):
        return (real.cumsum(-1, dtype=torch.int32) - 1).clamp(min=0)

    def table(self, position_ids, d_model, dtype=torch.float32):
        assert d_model % 2 == 0
        coarse = torch.div(position_ids.double(), 256, rounding_mode="floor") * 256
        a, b = angles(coarse, d_model), angles(position_ids - coarse, d_model)
        sines = a.sin() * b.cos() + a.cos() * b.sin()
        cosines = a.cos() * b.cos() - a.sin() * b.sin()
        return torch.stack([sines, cosines], -1).flatten(-2).to(dtype)


class Strict(SoundRotary):
    """Positions below 0 and between whole numbers are refused, as they may be; pairs meet matrices of two by two."""

    def turn(self, x, position_ids, *, layer=0, factor=1.0, share=1.0):
        if position_ids.is_floating_point():
            raise TypeError("positions are whole numbers")
        if position_ids.device.type != "meta" and (position_ids < 0).any():
            raise IndexError("no positions below 0")
        if not self.rotates_in(layer):
            return x
        turned = self.angles(position_ids, even(x.shape[-1]), factor, share)
        kind = torch.promote_types(x.dtype, torch.float32)
        wheels = torch.stack([turned.cos(), -turned.sin(), turned.sin(), turned.cos()], -1).unflatten(-1, (2, 2))
        pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2).to(kind)  # (…, pairs, 2)
        return (wheels.to(kind) * pairs[..., None, :]).sum(-1).transpose(-1, -2).flatten(-2).to(x.dtype)


SOUND["a way back of its own"] = OwnWayBack
SOUND["float32 speeds in a guarded buffer"] = GuardedBuffer
SOUND["coarse and fine, joined"] = CoarseAndFine
SOUND["strict about positions"] = Strict
