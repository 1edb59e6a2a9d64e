"""Do the modules made by `RotaryEmbedding.from_config` score as transformers' own models do, layer by layer?

For every type of model in transformers whose program rotates, a tiny model with random weights is made from its
configuration and run on a short text. What enters and leaves its own rotation is caught, and the scores of the rotated
queries and keys are compared with those of the same queries and keys, rotated by `RotaryEmbedding.from_config` of the
same configuration and layer. `python3 course.py bench scores` prints every type: *agree*, *wrong*, *refused* by
`from_config` and why, or *not run*; `… bench scores qwen3` those of packages that match it,
and `=qwen3` that package alone.
"""

import collections
import contextlib
import functools
import importlib
import inspect
import itertools
import json
import os
import pkgutil
import re
import sys
import warnings
from pathlib import Path

import torch

RESULT = Path(__file__).with_name("results") / "scores.json"
TOKENS = 7
LARGEST = 60_000_000  # parameters: a model that is not small is not run
NOTHING = "nothing rotates"
CLOSE = 2e-4  # of the largest score; transformers computes its angles in float32
ROTATES = re.compile(r"^def ((?:apply|rotate)_\w*(?:rot|queries)\w*)\(", re.MULTILINE)
DEEP = re.compile(r"(^|_)(num_(\w+_)?(hidden_)?layers|n_layers?|(encoder|decoder)_layers|depth|num_blocks)$")
SIZES = {  # what has no say in rotation, and only makes a model large
    r"vocab_size\w*|\w+_vocab_size": 160,
    r"(\w+_)?intermediate_size(\w*)|ffn_\w*dim|n_inner|\w*ffn_hidden_size|\w*_ffn_dim": 64,
    r"(num|n)_(\w+_)?experts|num_local_experts|moe_num_experts": 4,
    r"\w*experts_per_tok(en)?|num_selected_experts|moe_topk|moe_k|top_k_experts|router_top_k": 2,
    r"n_group|topk_group": 1,
    r"num_(attention|query)_heads|n_heads?|num_heads": 4,
    r"q_lora_rank|kv_lora_rank|o_lora_rank": 32,
}
IDS = re.compile(r"\w*_token_id|\w*_token_index")


def types(only: str = ""):
    """Yield (name, modeling module, configuration class) of every type of model whose package has a rotation."""
    import transformers.models
    from transformers import PreTrainedConfig

    for package in pkgutil.iter_modules(transformers.models.__path__):
        source = Path(transformers.models.__path__[0]) / package.name / f"modeling_{package.name}.py"
        asked = package.name == only[1:] if only[:1] == "=" else re.search(only, package.name)
        if not asked or not source.exists() or not ROTATES.search(source.read_text()):
            continue
        path = f"transformers.models.{package.name}"
        modeling = importlib.import_module(f"{path}.modeling_{package.name}")
        configuration = importlib.import_module(f"{path}.configuration_{package.name}")
        found = {
            each
            for each in [*vars(modeling).values(), *vars(configuration).values()]
            if inspect.isclass(each)
            and issubclass(each, PreTrainedConfig)
            and each.__module__ == configuration.__name__
        }
        for each in sorted(found, key=lambda each: each.__name__):
            if each.model_type and not each.sub_configs:  # one of several parts: these are types of their own
                yield each.model_type, modeling, each


def tiny(kind, width):
    """Return a small configuration of this class, of four heads and with all kinds of its layers."""
    config = kind()
    settings = config.to_dict()
    layers = next((settings[key] for key in settings if DEEP.search(key) and isinstance(settings[key], int)), 4)
    kinds = settings.get("layer_types") or []
    few = max([4, *(kinds.index(each) + 1 for each in set(kinds))])
    many = settings.get("num_attention_heads")
    grouped = settings.get("num_key_value_heads") not in (None, many)
    small = {}
    for key, value in settings.items():
        if isinstance(value, list) and len(value) == layers and layers > few:
            small[key] = value[:few]
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        if DEEP.search(key):
            small[key] = min(value, few)
        if IDS.fullmatch(key) and value > 100:
            small[key] = 3
        for pattern, size in SIZES.items():
            if re.fullmatch(pattern, key) and value > size:
                small[key] = size
        if re.fullmatch(r"hidden_size|n_embd|d_model", key):
            small[key] = width
    if "num_key_value_heads" in settings and settings["num_key_value_heads"] is not None:
        small["num_key_value_heads"] = 2 if grouped else 4
    given = {
        key: value for key, value in settings.items() if key not in ("model_type", "transformers_version", "dtype")
    }
    for each in (given | small, small):
        with contextlib.suppress(Exception):
            return kind(**json.loads(json.dumps(each)))
    for key, value in small.items():
        setattr(config, key, value)
    return config


def models(modeling, kind):
    """Yield the classes of models that are made from this configuration, those without a head first."""
    from transformers import PreTrainedModel

    found = [
        each
        for each in vars(modeling).values()
        if inspect.isclass(each)
        and issubclass(each, PreTrainedModel)
        and each.__module__ == modeling.__name__
        and getattr(each, "config_class", None) is kind
        and not each.__name__.endswith("PreTrainedModel")
    ]
    return sorted(found, key=lambda each: ("For" in each.__name__, len(each.__name__)))


@contextlib.contextmanager
def catching(modeling, model):
    """Catch what the functions of this program rotate, and in which layer of the model."""
    caught = []
    inside = []  # the modules that run now, the innermost last
    hooks = []
    for module in model.modules():
        hooks.append(module.register_forward_pre_hook(lambda module, _: inside.append(module)))
        hooks.append(module.register_forward_hook(lambda *_: inside.pop() and None, always_call=True))
    names = ROTATES.findall(inspect.getsource(modeling))
    own = {name: getattr(modeling, name) for name in names}

    def watched(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            numbers = [each.layer_idx for each in inside if isinstance(getattr(each, "layer_idx", None), int)]
            if any("ndexer" in type(each).__name__ for each in inside):  # it chooses keys, and is no attention
                return function(*args, **kwargs)
            given = [each.clone() for each in (*args, *kwargs.values()) if isinstance(each, torch.Tensor)]
            result = function(*args, **kwargs)
            found = [each for each in (result if isinstance(result, tuple) else (result,))]
            before = given[: len(found)]
            if all(old.shape == new.shape for old, new in zip(before, found, strict=True)):
                caught.append((numbers[-1] if numbers else 0, before, [each.clone() for each in found]))
            return result

        return call

    for name, function in own.items():
        setattr(modeling, name, watched(function))
    try:
        yield caught
    finally:
        for name, function in own.items():
            setattr(modeling, name, function)
        for hook in hooks:
            hook.remove()


def paired(caught):
    """Yield (layer, queries and keys before, and after): also where a program rotates one after the other."""
    for layer, calls in itertools.groupby(caught, key=lambda each: each[0]):
        calls = list(calls)
        if all(len(before) == 1 for _, before, _ in calls):
            for one, other in zip(calls[::2], calls[1::2], strict=False):
                yield layer, one[1] + other[1], one[2] + other[2]
        else:
            for _, before, after in calls:
                if len(before) == 2:
                    yield layer, before, after


def scores(q, k, seq_dim):
    """Return the score of every query with every key, `(batch, query heads, key heads, queries, keys)`."""
    q, k = (x if x.ndim == 4 else x[:, None] if seq_dim == -2 else x[:, :, None] for x in (q, k))
    if seq_dim == -3:
        q, k = q.transpose(1, 2), k.transpose(1, 2)
    return torch.einsum("bhqd,bgkd->bhgqk", q.double(), k.double())


def compare(config, caught, positions):
    """Return (verdict, reason) of what was caught."""
    from pe_helpers import rotary

    modules = {}
    worst = 0.0
    layers = collections.Counter()
    for layer, before, after in paired(caught):
        if layer not in modules:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                modules[layer] = rotary.RotaryEmbedding.from_config(config, max_len=4 * TOKENS, layer=layer)
        rope = modules[layer]
        q, k = before
        seq_dim = next(
            (axis for axis in (-2, -3) if q.ndim >= -axis + 1 and q.shape[axis] == k.shape[axis] == TOKENS), -2
        )
        ids = positions.movedim(0, -1) if positions.ndim == 3 else positions
        cos, sin = rope.cos_sin(ids)
        ours = [
            rotary.apply_rotary_emb(
                x, cos, sin, layout=rope.layout, rotary_dim=rope.head_dim, seq_dim=seq_dim if x.ndim == 4 else -2
            )
            for x in (q, k)
        ]
        theirs = scores(*after, seq_dim)
        mine = scores(*ours, seq_dim)
        if not theirs.isfinite().all() or not theirs.any():
            return "not run", f"the scores of layer {layer} are not finite, or 0"
        worst = max(worst, ((theirs - mine).abs().max() / theirs.abs().max()).item())
        layers[layer] += 1
    if not layers:
        return "not run", "no queries with their keys were caught"
    return ("agree" if worst < CLOSE else "wrong"), f"{len(layers)} layers, off by {worst:.1g} of the largest score"


def still_layers(config, model, caught):
    """Return a fault if a layer that did not rotate is said to turn."""
    from pe_helpers import rope_scaling

    attended = {
        module.layer_idx
        for name, module in model.named_modules()
        if isinstance(getattr(module, "layer_idx", None), int) and "Attention" in type(module).__name__
    }
    for layer in sorted(attended - {each[0] for each in caught}):
        if rope_scaling.read(config, layer=layer).turns:
            return f"layer {layer} does not rotate, and is said to"
    return ""


def verdict(modeling, kind):
    """Return (verdict, reason) of one type of model, in the first width of two in which it runs."""
    found = []
    for width in (512, 256):  # heads of 128 and 64 features, where the configuration has no width of its own
        try:
            found.append(of_width(modeling, kind, width))
        except Exception as error:
            found.append(("not run", f"no small configuration: {type(error).__name__}: {error}"[:160]))
        if found[-1][0] != "not run" or found[-1][1] == NOTHING:
            return found[-1]
    return found[0]


def of_width(modeling, kind, width):
    """Return (verdict, reason) of a model of this width."""
    from pe_helpers import rope_scaling

    config = tiny(kind, width)
    places = torch.arange(TOKENS)[None]
    several = False
    for layer in range(getattr(config, "num_hidden_layers", None) or 1):
        with contextlib.suppress(TypeError, ValueError):
            if (axes := rope_scaling.read(config, layer=layer).axis_of_pair) is not None:
                several = True
                places = torch.stack(
                    [(axis + 2) * torch.arange(TOKENS)[None] % (9 + axis) for axis in range(max(axes) + 1)]
                )
                break
    said = ""
    whole, caught = False, []
    for each in models(modeling, kind):
        try:
            config._attn_implementation = "eager"
            torch.manual_seed(0)
            with torch.device("meta"):
                size = sum(weight.numel() for weight in each(config).parameters())
            if size > LARGEST:
                raise MemoryError(f"{size:,} parameters")
            model = each(config).float().eval()
            for weight in model.parameters():
                if weight.ndim > 1:
                    torch.nn.init.normal_(weight, std=weight.shape[-1] ** -0.5)
            with catching(modeling, model) as caught, torch.no_grad():
                run(model, places if several else None)
            whole = True
        except Exception as error:
            said = said or f"{each.__name__}: {type(error).__name__}: {error}".replace("\n", " ")[:160]
        if caught:
            break
    else:
        return "not run", said or NOTHING
    settings = config.to_dict()
    first = min(layer for layer, *_ in caught)
    try:
        rope_scaling.read(settings, layer=first)
        if whole and (fault := still_layers(settings, model, caught)):
            return "wrong", fault
        return compare(settings, caught, places)
    except (TypeError, ValueError) as error:
        return "refused", str(error)


def run(model, places=None):
    """Run a model on a short text, whose tokens may lie at places with several axes, `(axes, 1, tokens)`."""
    tokens = torch.arange(5, 5 + TOKENS)[None]
    said = inspect.signature(model.forward).parameters
    given = {"use_cache": False} if "use_cache" in said or "kwargs" in said else {}
    if places is not None:
        given["position_ids"] = places
    if "decoder_input_ids" in said:
        model(input_ids=tokens, decoder_input_ids=tokens, **given)
    elif "input_ids" in said:
        model(input_ids=tokens, **given)
    else:
        model(inputs_embeds=torch.randn(1, TOKENS, model.config.hidden_size), **given)


def main() -> None:
    """Record every type; print those that do not agree."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers

    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    found = {}
    for name, modeling, kind in types(only):
        answer = verdict(modeling, kind)
        if answer[1] != NOTHING:
            found[name] = answer
            print(name, "|", " | ".join(answer), flush=True)
    print(dict(collections.Counter(verdict for verdict, _ in found.values())))
    if not only:
        kept = {"transformers": transformers.__version__, "types": {name: list(each) for name, each in found.items()}}
        RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
