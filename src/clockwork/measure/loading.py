"""Find a model, say what it will take, and load it; whatever keeps it from being measured is one sentence."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from clockwork.kit import pretrained
from clockwork.measure.decoder import Decoder, Unmeasurable

if TYPE_CHECKING:
    from jaxtyping import Int
    from torch import Tensor

NEEDED = ("transformers", "accelerate")
SAMPLE = 65_536  # numbers of each weight that go into the fingerprint
ROOM = 1.2  # of memory, beyond what is counted


@dataclass(frozen=True)
class Loaded:
    """A model that can be measured.

    Attributes:
        name: what it is called on pages and in files.
        decoder: the model.
        tokenizer: of transformers.
        about: what it is: its type, its parameters, the digest of its weights, its device and numbers.
    """

    name: str
    decoder: Decoder
    tokenizer: object
    about: dict

    def encode(self, text: str) -> Int[Tensor, "tokens"]:
        """Return the tokens of a text, without those that begin or end one."""
        return torch.tensor(self.tokenizer.encode(text, add_special_tokens=False), dtype=torch.long)


@dataclass(frozen=True)
class Plan:
    """What loading and running a model will take, before anything is loaded."""

    name: str
    source: dict
    config: object
    parameters: int
    device: str
    dtype: torch.dtype
    bytes: int
    free: int

    def says(self) -> str:
        """Say it in one line."""
        return (
            f"{self.name}: {self.parameters / 1e6:,.0f} million parameters on {self.device} in "
            f"{str(self.dtype).removeprefix('torch.')}, about {self.bytes / 1e9:.1f} GB of memory; "
            f"{self.free / 1e9:.1f} GB may be used"
        )


def plan(model: str, longest: int, *, memory: float | None = None, device: str | None = None) -> Plan:
    """Read a model's configuration and say what measuring it will take.

    Args:
        model: a folder that transformers wrote, a `.gguf` file, "smollm2" (what `course.py pretrained` fetched), or a
            name that transformers knows.
        longest: tokens of the longest text that it will read.
        memory: gigabytes that may be used, by default what is free.
        device: "cpu", "cuda", or by default "cuda" where there is one.

    Raises:
        Unmeasurable: packages, a folder, or a configuration that is missing or broken, a model that is no decoder, or
            one that does not fit into memory.
    """
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise Unmeasurable(
            f"{' and '.join(missing)} must be installed (they load the model): python3 course.py install measure"
        )
    import transformers

    name, source = _source(model)
    with _told(
        f"the configuration must be one that transformers {transformers.__version__} reads, got that of {model}"
    ):
        config = transformers.AutoConfig.from_pretrained(**source)
    if type(config) not in transformers.AutoModelForCausalLM._model_mapping:
        raise Unmeasurable(
            "the model must be a decoder (its loss token by token is measured, and transformers has no causal language "
            f"model of this type), got {config.model_type!r}"
        )
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = torch.bfloat16 if device == "cuda" and torch.cuda.is_bf16_supported() else torch.float32
    with _told(f"the configuration must make a model, got that of {model}"), torch.device("meta"):
        empty = transformers.AutoModelForCausalLM.from_config(config)
    parameters = sum(weight.numel() for weight in empty.parameters())
    needed = int(ROOM * (parameters * dtype.itemsize + _running(config, longest, dtype)))
    free = _free(device) if memory is None else int(memory * 1e9)
    found = Plan(name, source, config, parameters, device, dtype, needed, free)
    if needed > free:
        raise Unmeasurable(
            f"the model must fit into memory ({found.says()}), got {needed / 1e9:.1f} GB: give shorter --lengths, more "
            "by --memory where you know better, or a machine with more"
        )
    return found


def load(found: Plan) -> Loaded:
    """Load what was planned.

    Raises:
        Unmeasurable: a tokenizer or weights that are missing or broken, or a model that `Decoder` refuses.
    """
    import transformers

    with _told(f"the tokenizer must lie beside the model (texts are measured in its tokens), got {found.name}"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(**found.source)
        if not tokenizer.encode("one two", add_special_tokens=False):
            raise ValueError("it finds no tokens in 'one two'")
    with _told(f"the weights must be whole, got those of {found.name}"):
        model, info = transformers.AutoModelForCausalLM.from_pretrained(
            **found.source,
            dtype=found.dtype,
            device_map="auto" if found.device == "cuda" else None,
            output_loading_info=True,
        )
        if missing := sorted(info["missing_keys"]):
            raise ValueError(f"{len(missing)} weights are missing, among them {missing[0]}")
    decoder = Decoder(model)
    about = {
        "name": found.name,
        "model_type": found.config.model_type,
        "class": type(model).__name__,
        "parameters": found.parameters,
        "weights_sha256": fingerprint(model),
        "device": found.device,
        "dtype": str(found.dtype).removeprefix("torch."),
        "transformers": transformers.__version__,
        "torch": torch.__version__,
    }
    return Loaded(found.name, decoder, tokenizer, about)


def fingerprint(model: torch.nn.Module) -> str:
    """Return a digest of the first numbers of each weight, which tells two models apart."""
    digest = hashlib.sha256()
    for name, weight in model.state_dict().items():
        digest.update(f"{name} {tuple(weight.shape)}".encode())
        digest.update(weight.flatten()[:SAMPLE].float().cpu().numpy().tobytes())
    return digest.hexdigest()


def _source(model: str) -> tuple[str, dict]:
    """Return a model's name, and where transformers finds it."""
    path = Path(model).expanduser()
    if model == "smollm2":
        path = pretrained.path()
        if not path.exists():
            raise Unmeasurable("the model must be on this machine (python3 course.py pretrained fetches it), got none")
    if path.suffix == ".gguf" and path.is_file():
        return _short(path.stem), {
            "pretrained_model_name_or_path": str(path.parent),
            "gguf_file": path.name,
            "local_files_only": True,
        }
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise Unmeasurable(f"the folder must hold a config.json (it says what the model is), got {model}")
        try:
            json.loads((path / "config.json").read_text("utf-8"))
        except ValueError as error:
            raise Unmeasurable(f"config.json must be JSON ({error}), got that of {model}") from None
        return _short(path.resolve().name), {"pretrained_model_name_or_path": str(path), "local_files_only": True}
    if path.suffix or model.count("/") != 1 or model.startswith((".", "/", "~")):
        raise Unmeasurable(
            f"MODEL must be a folder, a .gguf file, 'smollm2', or a name such as owner/model, got {model!r}"
        )
    return _short(model.split("/")[1]), {"pretrained_model_name_or_path": model}


def _short(name: str) -> str:
    """Return a name that a file can have."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)


@contextlib.contextmanager
def _told(rule: str):
    """Let whatever goes wrong be one sentence that begins with a rule."""
    try:
        yield
    except Unmeasurable:
        raise
    except Exception as error:
        said = " ".join(str(error).split())
        raise Unmeasurable(f"{rule} ({type(error).__name__}: {said[:300]})") from error


def _running(config, longest: int, dtype: torch.dtype) -> int:
    """Return about how many bytes one text needs while it is read."""
    text = config.get_text_config()
    size = getattr(text, "hidden_size", None) or getattr(text, "n_embd", 1024)
    heads = getattr(text, "num_attention_heads", None) or getattr(text, "n_head", 16)
    logits = longest * (text.vocab_size or 0) * (dtype.itemsize + 4)
    return logits + longest * 40 * size * dtype.itemsize + 2 * heads * longest**2 * dtype.itemsize


def _free(device: str) -> int:
    """Return how many bytes of memory are free."""
    if device == "cuda":
        return torch.cuda.mem_get_info()[0]
    import psutil

    limit = Path("/sys/fs/cgroup/memory.max")
    free = psutil.virtual_memory().available
    with contextlib.suppress(OSError, ValueError):
        free = min(free, int(limit.read_text()) - psutil.Process().memory_info().rss)
    return free


@functools.cache
def quiet() -> None:
    """Let transformers say nothing beside what is asked, and ask no network for what is here."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
