"""Do the modules made by `RotaryEmbedding.from_config` score as transformers' own models do, layer by layer?

For every type of model in transformers whose program rotates, a tiny model with random weights is made from its
configuration and run on a short text. What enters and leaves its own rotation is caught, and the scores of the rotated
queries and keys are compared with those of the same queries and keys, rotated by `RotaryEmbedding.from_config` of the
same configuration and layer. A model of images runs on one of 4 × 6 patches or on a square; the places are those that
it hands to its own rotation. `python3 course.py bench scores` prints every type: *agree*, *wrong*, *refused* by
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
LARGEST = 150_000_000  # parameters: a model that is not small is not run
NOTHING = "nothing rotates"
CLOSE = 2e-4  # of the largest score; transformers computes its angles in float32
ROTATES = re.compile(r"^def ((?:apply|rotate)_\w*(?:rot|queries)\w*)\(", re.MULTILINE)
DEEP = re.compile(r"(^|_)(num_(\w+_)?(hidden_)?layers|n_layers?|(encoder|decoder)_layers|depth|num_blocks)$")
SIZES = {  # what has no say in rotation, and only makes a model large
    r"vocab_size\w*|\w+_vocab_size": 160,
    r"(\w+_)?intermediate_size(\w*)|ffn_\w*dim|n_inner|\w*ffn_hidden_size|\w*_ffn_dim": 64,
    r"(num|n)_(\w+_)?experts|num_local_experts|moe_num_experts": 4,
    r"\w*experts_per_tok(en)?|num_selected_experts|moe_topk|moe_k|top_k_experts|router_top_k": 2,
    r"n_group|topk_group|num_expert_group": 1,
    r"num_(attention|query)_heads|n_heads?|num_heads": 4,
    r"q_lora_rank|kv_lora_rank|o_lora_rank": 32,
}
NEEDED = {  # what a model cannot do without, and the defaults of its configuration leave out or have for another depth
    "bamba": {"attn_layer_indices": [1, 3]},
    "chameleon": {"vocabulary_map": {"<image>": 4}},
    "dbrx": {"attn_config": {"rope_theta": 10000.0, "kv_n_heads": 2, "clip_qkv": 8.0}},
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense"] * 4},
    "dots1": {"n_shared_experts": 1, "n_routed_experts": 4, "num_experts_per_tok": 2},
    "esm": {"position_embedding_type": "rotary", "vocab_size": 160, "mask_token_id": 2, "pad_token_id": 1},
    "gemma3n_text": {"num_kv_shared_layers": 0},
    "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": ["mamba", "attention"] * 2},
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 2},
    "ministral": {"head_dim": 128},
    "moonshine": {"head_dim": 40},
    "nemotron": {"num_key_value_heads": 4},
    "qwen4_exp_text": {
        "indexer_n_heads": 4,
        "indexer_kv_heads": 1,
        "indexer_head_dim": 64,
        "indexer_budget": 64,
        "indexer_compress_ratio": 4,
        "output_gate_type": "swish",
        "ngram_vocab_size_base": 200,
        "split_ngram_parts": 1,
        "make_ngram_vocab_size_divisible_by": 1,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25},
    },
    "step3p5": {"sliding_window": 512},
    "t5gemma2_text": {"dropout_rate": 0.0},
    "zamba2": {
        "use_mem_rope": True,
        "n_mamba_heads": 4,
        "mamba_headdim": 256,
        "attention_hidden_size": 1024,
        "attention_head_dim": 256,
        "layers_block_type": ["mamba", "hybrid"] * 2,
    },
}
INPUTS = {  # what a model reads that is neither a text nor an image
    "blt_local_decoder": lambda config: {
        "inputs_embeds": torch.randn(1, TOKENS, config.hidden_size),
        "patch_embeds": torch.randn(1, 3, config.hidden_size_global),
    },
    "csm": lambda config: {"input_ids": torch.arange(5, 5 + TOKENS)[None, :, None].expand(1, -1, 32)},
    "dia_decoder": lambda config: {"input_ids": torch.arange(5, 5 + TOKENS)[None, :, None].expand(1, -1, 9)},
    "mimi": lambda config: {"input_values": torch.randn(1, 1, 960 * TOKENS)},
    "moonshine": lambda config: {"input_values": torch.randn(1, 6400), "decoder_input_ids": torch.arange(5, 12)[None]},
}
IDS = re.compile(r"\w*_token_id|\w*_token_index")


def types(only: str = ""):
    """Yield (name, modeling module, configuration class) of every type of model whose package has a rotation."""
    import transformers.models
    from transformers import PreTrainedConfig

    from pe_helpers import rope_reading

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
            renamed = any(base in found and base.model_type == each.model_type for base in each.__mro__[1:])
            in_parts = each.sub_configs and each.model_type not in rope_reading.TYPES  # these are types of their own
            if each.model_type and not renamed and not in_parts:
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
        if re.fullmatch(r"hidden_size|n_embd|d_model|embed_dim", key):
            small[key] = width
        if key == "image_size":
            small[key] = 6 * settings.get("patch_size", 1)
    if "num_key_value_heads" in settings and settings["num_key_value_heads"] is not None:
        small["num_key_value_heads"] = 2 if grouped else 4
    small |= NEEDED.get(config.model_type, {})
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
    """Catch what the functions of this program rotate, in which layer of the model, and at which places of an image."""
    caught = []
    inside = []  # the modules that run now, the innermost last
    places = [None]  # of the image at hand, as the model's rotation last had them
    hooks = []
    numbered = {
        module: int(number.group(1))
        for name, module in model.named_modules()
        if (number := re.search(r"\.(\d+)\b", name))
    }

    def enter(module, args, kwargs):
        inside.append(module)
        if re.search(r"Rotary|R[oO]PE", type(module).__name__):
            for each in (*args, *kwargs.values()):
                if isinstance(each, torch.Tensor) and each.ndim == 2 and each.shape[-1] in (2, 3):
                    places.append(rows_first(each))

    for module in model.modules():
        hooks.append(module.register_forward_pre_hook(enter, with_kwargs=True))
        hooks.append(module.register_forward_hook(lambda *_: inside.pop() and None, always_call=True))
    names = ROTATES.findall(inspect.getsource(modeling))
    own = {name: getattr(modeling, name) for name in names}

    def watched(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            numbers = [each.layer_idx for each in inside if isinstance(getattr(each, "layer_idx", None), int)]
            numbers = [each for each in numbers if each >= 0] or [numbered[each] for each in inside if each in numbered]
            if any("ndexer" in type(each).__name__ for each in inside):  # it chooses keys, and is no attention
                return function(*args, **kwargs)
            given = [each.clone() for each in (*args, *kwargs.values()) if isinstance(each, torch.Tensor)]
            result = function(*args, **kwargs)
            found = [each for each in (result if isinstance(result, tuple) else (result,))]
            before = given[: len(found)]
            if all(old.shape == new.shape for old, new in zip(before, found, strict=True)):
                caught.append((numbers[-1] if numbers else 0, before, [each.clone() for each in found], places[-1]))
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


def rows_first(places):
    """Return places with rows before columns, whatever the program's order: the next patch is the right neighbour."""
    step = places[1] - places[0]
    return places.flip(-1) if step[-2] and not step[-1] else places


def paired(caught):
    """Yield (layer, queries and keys before, and after, places): also where a program rotates one after the other."""
    for layer, calls in itertools.groupby(caught, key=lambda each: each[0]):
        calls = list(calls)
        if all(len(before) == 1 for _, before, _, _ in calls):
            for one, other in zip(calls[::2], calls[1::2], strict=False):
                yield layer, one[1] + other[1], one[2] + other[2], one[3]
        else:
            for _, before, after, places in calls:
                if len(before) == 2:
                    yield layer, before, after, places


def patches(x, count):
    """Return the patches of an image as a text's tokens, `(batch, heads, tokens, features)`."""
    x = x if x.shape[-2] == count else x.transpose(-3, -2)
    return x[None] if x.ndim == 3 else x


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
    for layer, before, after, places in paired(caught):
        layer %= config.get("num_hidden_layers") or layer + 1  # HRM has two stacks, whose layers count on
        if layer not in modules:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                modules[layer] = rotary.RotaryEmbedding.from_config(config, max_len=4 * TOKENS, layer=layer)
        rope = modules[layer]
        if places is not None:
            before, after = ([patches(x, len(places)) for x in each] for each in (before, after))
        q, k = before
        seq_dim = next(
            (axis for axis in (-2, -3) if q.ndim >= -axis + 1 and q.shape[axis] == k.shape[axis] == TOKENS), -2
        )
        if places is not None:
            ids = places.long()
        elif positions.ndim == 3:
            ids = positions.movedim(0, -1)
        else:
            ids = torch.arange(q.shape[seq_dim])[None]
        cos, sin = rope.cos_sin(ids)
        ours = [
            rotary.apply_rotary_emb(
                x, cos, sin, layout=rope.layout, rotary_dim=rope.head_dim, seq_dim=seq_dim if x.ndim == 4 else -2
            )
            for x in (q, k)
        ]
        theirs = scores(*after, seq_dim)
        mine = scores(*ours, seq_dim)
        if rope.rope.turns and (theirs - scores(q, k, seq_dim)).abs().max() < CLOSE * theirs.abs().max():
            return "not run", f"rotation leaves the scores of layer {layer} as they are"
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
    from pe_helpers import rope_scaling

    found = []
    for width in (512, 256):  # heads of 128 and 64 features, where the configuration has no width of its own
        try:
            found.append(of_width(modeling, kind, width))
        except Exception as error:
            found.append(("not run", f"no small configuration: {type(error).__name__}: {error}"[:160]))
        if found[-1][0] != "not run" or found[-1][1] == NOTHING:
            return found[-1]
    try:
        rope_scaling.read(kind(), layer=0)
    except (TypeError, ValueError) as error:
        return "refused", str(error)
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
                if weight.ndim > 1 or not weight.any():
                    torch.nn.init.normal_(weight, std=weight.shape[-1] ** -0.5)
            with catching(modeling, model) as caught, torch.no_grad():
                run(model, places if several else None, caught)
            whole = True
        except Exception as error:
            said = said or f"{each.__name__}: {type(error).__name__}: {error}".replace("\n", " ")[:160]
        if caught:
            break
    else:
        return "not run", said or NOTHING
    settings = config.to_dict()
    first = min(layer for layer, *_ in caught) % (settings.get("num_hidden_layers") or 2**20)
    try:
        rope_scaling.read(settings, layer=first)
        if whole and (fault := still_layers(settings, model, caught)):
            return "wrong", fault
        return compare(settings, caught, places)
    except (TypeError, ValueError) as error:
        return "refused", str(error)


def images(model):
    """Yield what a model of images may take: patches of one or two frames of 4 × 6, or a whole image."""
    said = inspect.signature(model.forward).parameters
    pixels = "pixel_values" if "pixel_values" in said else "hidden_states"
    if grid := next((name for name in said if name.endswith("grid_thw")), None):
        kinds = torch.nn.Linear | torch.nn.Conv2d | torch.nn.Conv3d
        named = [(name, each) for name, each in model.named_modules() if isinstance(each, kinds)]
        patch = next(each.weight[0] for name, each in named if re.search("patch|embed", name))
        merged = {"merge_sizes": torch.tensor([2])} if "merge_sizes" in said else {}
        for shape, frames in itertools.product([(patch.numel(),), tuple(patch.shape)], (2, 1)):
            for batch in ((), (1,)):
                values = torch.randn(*batch, 24 * frames, *shape)
                yield {pixels: values, grid: torch.tensor([[frames, 4, 6]]), **merged}
    size = model.config.patch_size
    for rows, columns in ((4, 6), (6, 6)):
        yield {pixels: torch.randn(1, 3, rows * size, columns * size)}


def run(model, places, caught):
    """Run a model on an image or a text, whose tokens may lie at places with several axes: `(axes, 1, tokens)`."""
    tokens = torch.arange(5, 5 + TOKENS)[None]
    said = inspect.signature(model.forward).parameters
    given = {"use_cache": False} if "use_cache" in said or "kwargs" in said else {}
    if places is not None:
        given["position_ids"] = places
    if model.config.model_type in INPUTS:
        model(**INPUTS[model.config.model_type](model.config))
    elif "input_ids" not in said and {"pixel_values", "hidden_states"} & said.keys():
        unfit = ValueError("no image fits")
        for image in images(model):
            caught.clear()
            try:
                return model(**image)
            except Exception as error:
                unfit = error
                if caught:
                    break
        raise unfit
    elif "decoder_input_ids" in said:
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
