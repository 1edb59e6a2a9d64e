"""A decoder of transformers whose positions can be changed: its hands stopped, its text moved apart, its keys hidden.

It is reached by its own modules, and none of its code is copied: the cosines and sines that its rotary modules return,
the `position_ids` that it takes, and the mask that its attention is given. What a family does beside that (its layout,
its norms, layers that do not turn, windows, biases) stays as it is. tests/measure/test_decoder.py compares the scores
of many families, hand by hand and key by key, with scores that are computed without any of this.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int
    from torch import Tensor

TRIED = (0, 1, 7, 61, 997)  # positions at which columns are compared: those of one hand are equal at all of them
PIECE = 512  # tokens whose losses are computed at a time


class Unmeasurable(ValueError):
    """A model, or one of its parts, that cannot be measured: the text says what is missing."""


@dataclass(frozen=True)
class Ladder:
    """The hands of one rotary module, from the fastest to the slowest.

    Attributes:
        speeds: in radians per token, all above 0.
        columns: of each hand, the columns of the module's cosines and sines that it turns.
        size: the factor that cosines and sines carry (YaRN's attention factor).
    """

    speeds: Float[Tensor, "hands"]
    columns: tuple[tuple[int, ...], ...]
    size: float

    def __len__(self) -> int:
        return len(self.columns)

    def band(self, number: int, bands: int) -> range:
        """Return the hands of one of so many bands of neighbours; the first is the fastest."""
        return range(number * len(self) // bands, (number + 1) * len(self) // bands)


class Decoder:
    """A causal language model of transformers, and its ladders of hands.

    Args:
        model: what `AutoModelForCausalLM` makes, in evaluation mode.

    Attributes:
        ladders: of each rotary module, and of each kind of its layers, by name; empty where nothing rotates.
        attending: the names of the attention layers that take a mask.

    Raises:
        Unmeasurable: a model whose predictions depend on later tokens.
    """

    def __init__(self, model: torch.nn.Module):
        self.model = model.eval()
        self.config = model.config.get_text_config() if hasattr(model.config, "get_text_config") else model.config
        self.device = next(model.parameters()).device
        self._calls: dict[str, tuple[torch.nn.Module, dict]] = {}
        self._attention = {
            name: module
            for name, module in model.named_modules()
            if "Attention" in type(module).__name__ and "attention_mask" in inspect.signature(module.forward).parameters
        }
        self.attending: tuple[str, ...] = ()
        self.ladders: dict[str, Ladder] = {}
        self.unknown: dict[str, str] = {}
        self._watch()
        for name, (module, asked) in self._calls.items():
            try:
                self.ladders[name] = _ladder(functools.partial(_turned, module, asked))
            except Unmeasurable as reason:
                self.unknown[name] = str(reason)

    @property
    def takes_positions(self) -> bool:
        """Whether positions can be given to the model."""
        return "position_ids" in inspect.signature(self.model.forward).parameters

    def hands(self, number: int, bands: int) -> dict[str, range]:
        """Return the hands of one band of every ladder."""
        return {name: ladder.band(number, bands) for name, ladder in self.ladders.items()}

    @torch.no_grad()
    def logits(
        self,
        token_ids: Int[Tensor, "seq_len"],
        position_ids: Int[Tensor, "seq_len"] | None = None,
        *,
        stopped: Mapping[str, Iterable[int]] | Iterable[int] = (),
        hidden: Bool[Tensor, "seq_len seq_len"] | None = None,
        rotary: Mapping[str, torch.nn.Module] | None = None,
        watch: Callable[[str, Tensor], None] | None = None,
    ) -> Float[Tensor, "seq_len vocabulary"]:
        """Return the scores of every token of the vocabulary as the next one, after each token of the text.

        Args:
            token_ids: one text.
            position_ids: positions in tokens, by default 0 … seq_len − 1.
            stopped: hands that do not turn, counted from the fastest, of every ladder or by the ladder's name.
            hidden: true where a query, a row, may not look at a key; what the model hides stays hidden.
            rotary: modules in place of the model's own, as `rescaled` makes them.
            watch: called with the name of every attention layer and its weights `(heads, queries, keys)`; the model's
                attention must be "eager".

        Raises:
            ValueError: hands that the model does not have, positions or a mask of another length.
        """
        seq_len = len(token_ids)
        for name, given, shape in (
            ("position_ids", position_ids, (seq_len,)),
            ("hidden", hidden, (seq_len, seq_len)),
        ):
            if given is not None and tuple(given.shape) != shape:
                raise ValueError(f"{name} must have the shape {shape} (one text), got {tuple(given.shape)}")
        tokens = token_ids.to(self.device)[None]
        given = {"use_cache": False}
        if self.takes_positions:
            places = torch.arange(seq_len) if position_ids is None else position_ids
            given["position_ids"] = places.to(self.device)[None]
        elif position_ids is not None:
            raise ValueError("position_ids must be left out (this model takes none)")
        # Without a mask, transformers takes a jump in the positions for the beginning of another document.
        mask = torch.ones_like(tokens)
        with self._changed(self._stops(stopped), hidden, rotary or {}, watch):
            return self.model(input_ids=tokens, attention_mask=mask, **given).logits[0]

    def losses(self, token_ids: Int[Tensor, "seq_len"], *args, **changes) -> Float[Tensor, "seq_len-1"]:
        """Return the loss of each token but the first, in nats; the arguments are those of `logits`."""
        logits = self.logits(token_ids, *args, **changes)
        wanted = token_ids.to(logits.device)[1:]
        pieces = zip(logits[:-1].split(PIECE), wanted.split(PIECE), strict=True)
        found = [functional.cross_entropy(scores.float(), tokens, reduction="none") for scores, tokens in pieces]
        return torch.cat(found).cpu()

    @contextlib.contextmanager
    def eager(self):
        """Let the model compute its attention step by step, so that weights can be watched."""
        before = self.model.config._attn_implementation
        self.model.set_attn_implementation("eager")
        try:
            yield
        finally:
            self.model.set_attn_implementation(before)

    def rescaled(self, settings: dict) -> dict[str, torch.nn.Module]:
        """Return rotary modules of the model's own classes, made from its configuration with other settings of RoPE.

        Args:
            settings: what takes the place of `rope_type` and its numbers; `rope_theta` and the share of a head that
                turns stay. Where kinds of layers have settings of their own, only those that see all keys get it.

        Raises:
            Unmeasurable: a module that cannot be made so.
        """
        made = {}
        for name, (module, _) in self._calls.items():
            home = name.split(" ")[0]
            if home in made:
                continue
            try:
                config = copy.deepcopy(module.config)
                config.rope_parameters = _with_settings(config.rope_parameters, settings)
                made[home] = type(module)(config=config).to(self.device)
            except Exception as error:
                reason = f"{type(module).__name__} cannot be made with {settings}: {type(error).__name__}: {error}"
                raise Unmeasurable(reason) from error
        return made

    def ladders_of(self, rotary: Mapping[str, torch.nn.Module]) -> dict[str, Ladder]:
        """Return the ladders of other modules, as `rescaled` makes them."""
        return {
            name: _ladder(functools.partial(_turned, rotary[name.split(" ")[0]], asked))
            for name, (_, asked) in self._calls.items()
            if name in self.ladders
        }

    def _watch(self) -> None:
        """Run a short text twice: see which modules are called, and whether a later token changes what came before."""
        hooks = []
        attended = []

        def called(name, module, args, kwargs, output):
            bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
            kind = bound.get("layer_type")
            self._calls[f"{name} {kind}" if kind else name] = (module, bound)

        for name, module in self.model.named_modules():
            if "Rotary" in type(module).__name__ and "position_ids" in inspect.signature(module.forward).parameters:
                hooks.append(
                    module.register_forward_hook(
                        lambda module, args, kwargs, output, name=name: called(name, module, args, kwargs, output),
                        with_kwargs=True,
                    )
                )
        for name, module in self._attention.items():
            hooks.append(module.register_forward_pre_hook(lambda *_, name=name: attended.append(name)))
        one = torch.tensor([5, 6, 7, 8]) % (self.config.vocab_size or 8)
        other = torch.tensor([5, 6, 7, 9]) % (self.config.vocab_size or 8)
        try:
            before, after = (self.logits(tokens)[:3].float() for tokens in (one, other))
        finally:
            for hook in hooks:
                hook.remove()
        self.attending = tuple(dict.fromkeys(attended))
        room = max(1e-4, 4 * torch.finfo(next(self.model.parameters()).dtype).eps)
        if (before - after).abs().max() > room * before.abs().max():
            raise Unmeasurable(
                "the model must be a decoder (a loss token by token says nothing where later tokens are seen), got "
                f"{type(self.model).__name__}, in which a later token changes what is predicted before it"
            )

    def _stops(self, stopped) -> dict[str, list[int]]:
        """Return the columns of each ladder that stand still."""
        wanted = stopped if isinstance(stopped, Mapping) else {name: list(stopped) for name in self.ladders}
        columns = {}
        for name, hands in wanted.items():
            for hand in hands:
                if name not in self.ladders or not 0 <= hand < len(self.ladders[name]):
                    known = {key: len(ladder) for key, ladder in self.ladders.items()}
                    raise ValueError(f"stopped must name hands of the model ({known}), got {hand} of {name!r}")
                columns.setdefault(name, []).extend(self.ladders[name].columns[hand])
        return columns

    @contextlib.contextmanager
    def _changed(self, columns, hidden, rotary, watch):
        hooks = []

        def still(module, args, kwargs, output, name):
            bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
            if other := rotary.get(name):
                output = other(*args, **kwargs)
            kind = bound.get("layer_type")
            key = f"{name} {kind}" if kind else name
            return _still(output, columns[key], self.ladders[key].size) if columns.get(key) else output

        def cover(module, args, kwargs):
            bound = inspect.signature(module.forward).bind(*args, **kwargs)
            bound.arguments["attention_mask"] = _covered(bound.arguments.get("attention_mask"), hidden, self.device)
            return bound.args, bound.kwargs

        def seen(module, args, output, name):
            weights = output[1] if isinstance(output, tuple) and len(output) > 1 else None
            if not isinstance(weights, torch.Tensor) or weights.ndim != 4:
                raise Unmeasurable(f"{type(module).__name__} does not return its weights")
            watch(name, weights[0])

        for name, module in {key.split(" ")[0]: module for key, (module, _) in self._calls.items()}.items():
            hooks.append(module.register_forward_hook(functools.partial(still, name=name), with_kwargs=True))
        for name, module in self._attention.items():
            if hidden is not None:
                hooks.append(module.register_forward_pre_hook(cover, with_kwargs=True))
            if watch is not None:
                hooks.append(module.register_forward_hook(functools.partial(seen, name=name)))
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()


def _turned(module, asked: dict, positions: list[int]) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines of a rotary module at some positions, `(positions, columns)`, in float32."""
    places = asked["position_ids"]
    tried = torch.tensor(positions, device=places.device).expand(*places.shape[:-1], len(positions))
    states, *others = asked  # the first argument only says the device and the kind of numbers
    given = {key: asked[key] for key in others if key != "position_ids"}
    with torch.no_grad():
        found = module(torch.zeros(1, 1, device=asked[states].device), position_ids=tried, **given)
    if isinstance(found, torch.Tensor) and found.is_complex():
        found = found.real, found.imag
    if not isinstance(found, tuple) or len(found) != 2 or any(part.shape[-2] != len(positions) for part in found):
        raise Unmeasurable(f"{type(module).__name__} does not return cosines and sines for positions")
    return tuple(part.reshape(-1, *part.shape[-2:])[0].float().cpu() for part in found)


def _ladder(turned: Callable[[list[int]], tuple[Tensor, Tensor]]) -> Ladder:
    """Read the hands from cosines and sines: columns that agree at every position are one hand's."""
    cos, sin = turned(list(TRIED))
    size = cos[0].max().item()
    hands = {}
    for column, key in enumerate(zip(cos.T.tolist(), sin.T.tolist(), strict=True)):
        hands.setdefault(str(key), []).append(column)
    at_one = torch.atan2(sin[1].double(), cos[1].double())
    found = sorted(((at_one[columns[0]].item(), tuple(columns)) for columns in hands.values()), reverse=True)
    turning = [(speed, columns) for speed, columns in found if speed > 0]
    if not turning or size <= 0:
        raise Unmeasurable("no column turns forward from position 0 to 1")
    speeds, columns = zip(*turning, strict=True)
    return Ladder(torch.tensor(speeds, dtype=torch.float64), columns, size)


def _still(output, columns: list[int], size: float):
    """Return cosines and sines in which some columns stand as at position 0."""
    if isinstance(output, torch.Tensor):
        output = output.clone()
        output[..., columns] = size
        return output
    cos, sin = (part.clone() for part in output)
    cos[..., columns] = size
    sin[..., columns] = 0
    return cos, sin


def _covered(mask, hidden, device):
    """Return the mask that a layer was given, with more hidden: true or 0 where a key is seen, as it was."""
    seq_len = len(hidden)
    hidden = hidden.to(device if mask is None else mask.device)
    if mask is None:
        return torch.ones(seq_len, seq_len, dtype=torch.bool, device=hidden.device).tril()[None, None] & ~hidden
    if mask.ndim != 4:
        raise Unmeasurable(f"the attention takes a mask of {mask.ndim} axes, not of 4")
    if mask.dtype == torch.bool:
        return mask & ~hidden
    return mask.masked_fill(hidden, torch.finfo(mask.dtype).min)


def _with_settings(parameters: dict, settings: dict) -> dict:
    """Return RoPE parameters with other settings, those of kinds of layers each for itself."""
    kept = ("rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved")
    if any(isinstance(value, dict) for value in parameters.values()):
        return {
            kind: _with_settings(value, settings) if value and kind == "full_attention" else value
            for kind, value in parameters.items()
        }
    return {key: parameters[key] for key in kept if key in parameters} | settings
