# SPDX-License-Identifier: MIT
"""The rules that scale rotary speeds, and the reading of published configurations, in plain floats, without torch.

MicroPython runs this file in a page.

`rope_scaling` gives the rules their names in the papers, explains them and returns tensors; `rotary_axes` does so for
positions with several axes. A speed is in radians per token.
"""

import math


def default(head_dim, *, base):
    """Return base^(−2i/head_dim) for each pair i."""
    pairs = _even("head_dim", head_dim) // 2
    base = _number("base", base, 1, " (no pair is faster than the first)")
    return [base ** -(i / pairs) for i in range(pairs)]


def linear(head_dim, *, factor, base):
    """Slow every pair by `factor`."""
    factor = _factor(factor)
    return [speed / factor for speed in default(head_dim, base=base)]


def ntk(head_dim, *, factor, base):
    """Slow the last pair by `factor` and the first not at all, by a larger base."""
    factor = _factor(factor)
    speeds = default(head_dim, base=base)
    return [speed * factor ** -(i / max(len(speeds) - 1, 1)) for i, speed in enumerate(speeds)]


def dynamic(head_dim, *, factor, seq_len, original_max_position_embeddings, base):
    """Scale as `ntk` does, by a factor that grows with the text."""
    factor = _factor(factor)
    seq_len = _whole("seq_len", seq_len, 1, " (the scaling follows the text)")
    trained = _trained(original_max_position_embeddings)
    stretched = max(seq_len, trained) / trained
    return ntk(head_dim, factor=factor * stretched - (factor - 1), base=base)


def yarn(
    head_dim,
    *,
    factor,
    original_max_position_embeddings,
    base,
    beta_fast=32.0,
    beta_slow=1.0,
    truncate=True,
    mscale=1.0,
    mscale_all_dim=0.0,
):
    """Keep fast pairs, slow those that turned little, with a ramp over the pairs between; also the attention factor."""
    speeds = default(head_dim, base=base)
    factor = _factor(factor)
    trained = _trained(original_max_position_embeddings)
    if base == 1:
        raise ValueError("base must be above 1 (pairs of one speed have no ramp between fast and slow), got 1")
    beta_slow, beta_fast = _in_order("beta_slow", beta_slow, "beta_fast", beta_fast)
    if truncate not in (True, False):
        raise ValueError(f"truncate must be one of True, False, got {truncate!r}")
    mscale = _number("mscale", mscale, 0)
    mscale_all_dim = _number("mscale_all_dim", mscale_all_dim, 0)

    def pair_that_turns(times):
        """Return i, a real number, for which training_length · ω_i = 2π · times."""
        return head_dim * math.log(trained / (2 * math.pi * times)) / (2 * math.log(base))

    first = pair_that_turns(beta_fast)
    last = pair_that_turns(beta_slow)
    if truncate:
        first = math.floor(first)
        last = math.ceil(last)
    first = max(first, 0)
    last = min(last, head_dim - 1)
    if first == last:
        last += 0.001  # a step, as the published programs have it
    scaled = []
    for i, speed in enumerate(speeds):
        slowed = min(max((i - first) / (last - first), 0), 1)
        scaled.append(speed / factor * slowed + speed * (1 - slowed))
    attention_factor = (0.1 * mscale * math.log(factor) + 1) / (0.1 * mscale_all_dim * math.log(factor) + 1)
    return scaled, attention_factor


def llama3(head_dim, *, factor, original_max_position_embeddings, low_freq_factor, high_freq_factor, base):
    """Keep fast pairs, slow those that turned little, with a ramp over the turns between."""
    speeds = default(head_dim, base=base)
    factor = _factor(factor)
    trained = _trained(original_max_position_embeddings)
    low, high = _in_order("low_freq_factor", low_freq_factor, "high_freq_factor", high_freq_factor)
    scaled = []
    for speed in speeds:
        turns = trained * speed / (2 * math.pi)
        kept = float(turns >= low) if low == high else min(max((turns - low) / (high - low), 0), 1)
        scaled.append(speed / factor * (1 - kept) + speed * kept)
    return scaled


def longrope(head_dim, *, short_factor, long_factor, seq_len, original_max_position_embeddings, factor, base):
    """Slow each pair by a number of its own, from the list for short or for long texts; also the attention factor."""
    speeds = default(head_dim, base=base)
    factor = _factor(factor)
    seq_len = _whole("seq_len", seq_len, 1, " (it chooses the list)")
    trained = _trained(original_max_position_embeddings, 2)
    short = _slowing("short_factor", short_factor, len(speeds))
    long = _slowing("long_factor", long_factor, len(speeds))
    attention_factor = math.sqrt(1 + math.log(factor) / math.log(trained))
    slowing = long if seq_len > trained else short
    return [speed / slowing[i] for i, speed in enumerate(speeds)], attention_factor


def proportional(head_dim, *, partial_rotary_factor, base, factor=1.0):
    """Turn the fastest share of the pairs; the others have speed 0."""
    speeds = linear(head_dim, factor=factor, base=base)
    turning = int(_share(partial_rotary_factor) * head_dim // 2)
    return [speed if i < turning else 0.0 for i, speed in enumerate(speeds)]


def partial(head_dim, *, partial_rotary_factor):
    """Return how many features turn, the first share of a head."""
    width = _whole("head_dim", head_dim)
    rotary_dim = int(width * _share(partial_rotary_factor))
    if rotary_dim < 2 or rotary_dim % 2:
        raise ValueError(
            "partial_rotary_factor · head_dim must be positive and even (features turn in pairs), "
            f"got {partial_rotary_factor} · {width} = {rotary_dim}"
        )
    return rotary_dim


WIDEST = 2**20  # features, so that a slip of the pen asks for no endless list
LENGTHS = ("factor", "original_max_position_embeddings")
SEARCHED = ("factor", "original_max_position_embeddings", "short_factor", "long_factor")
RAMP = ("factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor")
RULES = {  # rope_type: the rule, what it cannot do without, what else it takes
    "default": (default, (), ()),
    "linear": (linear, ("factor",), ()),
    "dynamic": (dynamic, LENGTHS, ()),
    "yarn": (yarn, LENGTHS, ("attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate")),
    "longrope": (longrope, SEARCHED, ("attention_factor",)),
    "llama3": (llama3, RAMP, ()),
    "proportional": (proportional, (), ("factor",)),
}
OTHER_NAMES = {
    "rotary_emb_base": "rope_theta",  # GPT-NeoX
    "rotary_pct": "partial_rotary_factor",
    "rope_percent": "partial_rotary_factor",  # Nemotron
}
OLD_RULES = {"su": "longrope"}  # Phi-3, at first
READ = {
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "partial_rotary_factor",
    "qk_rope_head_dim",
    "rotary_dim",
    "layer_rope_theta",
    "rope_scaling_layers",
}
SWITCHES = {"use_dynamic_ntk", "use_mrope"}  # of Qwen 1 and 2.5: without a rule here where they are on
TURNING = {"rotary", "use_mem_rope"}  # of GPT-J and Zamba 2: without a rule here where they are off
PAIRING = {"rope_interleave", "rope_interleaved", "indexer_rope_interleave"}  # which features are a pair: no speed
STILL_LAYERS = {"no_rope_layers", "no_rope_layer_interval"}  # read by `turns`
NO_SPEEDS = {"llama_4_scaling_beta", "max_position_embeddings"}  # beside the speeds; the first multiplies queries

# What a model's own program adds to its configuration, by `model_type`:
#   base      rope_theta where the configuration leaves it out
#   share     partial_rotary_factor where the configuration leaves it out
#   share_by  the only key under which the program reads its share, if any
#   share_in  True where the program reads its share in `rope_parameters` alone, and cannot do without
#   switch    the key without which the program does not rotate
#   interval  one layer in so many does not turn, the last of them, where `no_rope_layers` does not say which
#   kinds     for each kind of layer: the key of its base, the base without that key, whether `rope_scaling` holds there
#   alike     True where one scaling holds for all kinds of layers
#   still     the kind of layers that do not turn, where the others have a window
#   head_dim  the key of a head's features, where it is not "head_dim"
GEMMA3 = {
    "full_attention": ("rope_theta", 1_000_000.0, True),
    "sliding_attention": ("rope_local_base_freq", 10_000.0, False),
}
MODERNBERT = {
    "full_attention": ("global_rope_theta", 160_000.0, True),
    "sliding_attention": ("local_rope_theta", 10_000.0, True),
}
OLMO3 = {"full_attention": ("rope_theta", 500_000.0, True), "sliding_attention": ("rope_theta", 500_000.0, False)}
MODELS = {
    "llama": {"base": 10_000.0},
    "falcon": {"base": 10_000.0},
    "gptj": {"base": 10_000.0},
    "codegen": {"base": 10_000.0},
    "minicpm3": {"base": 10_000.0},
    "esm": {"base": 10_000.0, "switch": "position_embedding_type"},
    "gpt_neox": {"base": 10_000.0, "share": 0.25, "share_by": "rotary_pct"},
    "nemotron": {"base": 10_000.0, "share": 0.5},
    "bamba": {"share": 0.5, "share_by": ""},
    "glm": {"share": 0.5},
    "glm4": {"share": 0.5},
    "glm4_moe": {"share": 0.5},
    "persimmon": {"share": 0.5},
    "phi": {"share": 0.5},
    "glmasr_encoder": {"share": 0.5},
    "dots3_note_audio_encoder": {"share": 0.5},
    "musicflamingo": {"share": 0.2},
    "recurrent_gemma": {"share": 0.5},
    "qwen3_next": {"share": 0.25},
    "qwen3_5_text": {"share": 0.25},
    "qwen3_5_moe_text": {"share": 0.25},
    "stablelm": {"share": 0.25},
    "gemma3_text": {"kinds": GEMMA3},
    "gemma3n_text": {"kinds": GEMMA3},
    "modernbert": {"kinds": MODERNBERT},
    "modernbert-decoder": {"kinds": MODERNBERT},
    "olmo3": {"kinds": OLMO3},
    "cwm": {"alike": True},
    "cohere2": {"alike": True, "still": "full_attention"},
    "cohere2_moe": {"alike": True, "still": "full_attention"},
    "exaone4": {"alike": True, "still": "full_attention"},
    "exaone_moe": {"alike": True, "still": "full_attention"},
    "afmoe": {"alike": True, "still": "full_attention"},
    "flint": {"alike": True, "still": "full_attention"},
    "kolibri1": {"alike": True, "still": "full_attention"},
    "gemma2": {"alike": True},
    "gpt_oss": {"alike": True},
    "llama4_text": {"alike": True, "interval": 4},
    "smollm3": {"interval": 4},
    "deepseek_v4": {"share_in": True},
    "mimo_v2_flash": {"share_in": True},
    "jetmoe": {"head_dim": "kv_channels"},
    "zamba2": {"head_dim": "attention_head_dim", "switch": "use_mem_rope"},
    "granitemoehybrid": {"switch": "position_embedding_type"},
}
LEARNED = "it does not rotate: its positions are a learned table"
ALIBI = "it does not rotate: its scores have ALiBi"
IN_ORDER = "it does not rotate: most of its layers read in order"
REFUSED = {
    "albert": LEARNED,
    "bart": LEARNED,
    "bert": LEARNED,
    "camembert": LEARNED,
    "clip_text_model": LEARNED,
    "clip_vision_model": LEARNED,
    "distilbert": LEARNED,
    "electra": LEARNED,
    "gpt2": LEARNED,
    "gpt_bigcode": LEARNED,
    "gpt_neo": LEARNED,
    "opt": LEARNED,
    "roberta": LEARNED,
    "xlm-roberta": LEARNED,
    "efficientloftr": "it has rows and columns, with a ladder of its own",
    "jamba": IN_ORDER,
    "kimi_linear": IN_ORDER,
    "nemotron_h": IN_ORDER,
    "whisper": "it does not rotate: its positions are tables",
    "bloom": ALIBI,
    "mpt": ALIBI,
    "t5": "it does not rotate: its scores have a learned bias",
    "dinov3_vit": "its places are fractions of the image",
    "sapiens2": "its places are fractions of the image",
    "eomt_dinov3": "its places are fractions of the image",
    "llama4_vision_model": "its places count from 1",
    "gemma4_vision": "its pairs lie within each half of a head",
    "ernie4_5_vl_moe_text": "it deals out its speeds in an order of its own",
    "neomme": "it alternates between rows and columns",
    "kimi_k25_vision": "its pairs follow columns and rows in turn",
    "hunyuan_vl_text": "its sections divide a head's features and not its pairs",
    "minimax_m3_vl_text": "its configuration and its program name different numbers of features that turn",
    "mistral_large4_text": "its speeds are learned",
}


def speeds(config, *, layer_type=None, head_dim=None, base=None, seq_len=None):
    """Return the speeds and the attention factor of one kind of layer, as `rope_scaling.from_config` explains."""
    config = _checked(config)
    settings = _settings(config, layer_type, base)
    if settings is not None:
        several = [key for key in settings if key.startswith("mrope")]
        several += [
            str(kind) for kind in (settings.get("rope_type"), config.get("model_type")) if str(kind) in SEVERAL_AXES
        ]
        if several:
            raise ValueError(
                "config must be for positions with one axis (rotary_axes.from_config reads those with several), got "
                f"{', '.join(several)}"
            )
    return _by_rule(config, settings, layer_type, head_dim, base, seq_len)


def still(config):
    """Return the kind of layers that do not turn, as "full_attention", or None if there is none known by its name."""
    without_window = config.get("sliding_window", True) is None
    return None if without_window else MODELS.get(config.get("model_type"), {}).get("still")


def turns(config, *, layer_type=None, layer=None):
    """Return whether these layers turn by `no_rope_layers`, which has a 0 for one that does not, or by its interval."""
    flags = config.get("no_rope_layers")
    if flags and not (_listed(flags) and all(flag in (0, 1) for flag in flags)):
        raise TypeError(f"no_rope_layers must be a list of 0 and 1, one for each layer, got {flags!r:.60}")
    if not flags:
        interval = config.get("no_rope_layer_interval", MODELS.get(config.get("model_type"), {}).get("interval"))
        if interval is None:
            return True
        interval = _whole("no_rope_layer_interval", interval)
        count = _whole("num_hidden_layers", config.get("num_hidden_layers", interval)) if layer is None else layer + 1
        flags = [(i + 1) % interval != 0 for i in range(count)]
    if layer is not None:
        if layer >= len(flags):
            raise ValueError(f"layer must be below {len(flags)} (no_rope_layers has one entry for each), got {layer}")
        return bool(flags[layer])
    kinds = config.get("layer_types") or [None] * len(flags)
    if len(kinds) != len(flags):
        raise ValueError(f"no_rope_layers must have an entry for each of layer_types, {len(kinds)}, got {len(flags)}")
    found = {bool(flags[i]) for i in range(len(flags)) if layer_type in (None, kinds[i])}
    if len(found) > 1:
        raise ValueError("layer must be given (some layers of this model turn, others do not), got none")
    return found != {False}


def of_layer(config, layer_type, layer):
    """Return the configuration and the kind of one layer, counted from 0; of a whole kind where `layer` is None."""
    config = _mapping("config", config)
    if layer is None:
        return config, layer_type
    count = config.get("num_hidden_layers")
    if _whole("layer", layer, 0) >= (math.inf if count is None else _whole("num_hidden_layers", count)):
        raise ValueError(f"layer must be below num_hidden_layers, {count} (layers count from 0), got {layer}")
    kinds = config.get("layer_types")
    if kinds and layer_type is not None:
        raise ValueError(f"layer_type must be left out (layer_types has that of layer {layer}), got {layer_type!r}")
    for name in ("layer_types", "layer_rope_theta"):
        values = config.get(name)
        if values and (not _listed(values) or layer >= len(values)):
            raise ValueError(f"{name} must be a list with an entry for layer {layer}, got {values!r:.60}")
    if config.get("layer_rope_theta"):
        values = config["layer_rope_theta"]
        config = dict(config, layer_rope_theta=[values[layer]] * len(values))
    return config, kinds[layer] if kinds else layer_type


def layout(config):
    """Return which features are a pair, "interleaved" or "half": see `rope_scaling.layout`."""
    config = _mapping("config", config)
    model = config.get("model_type")
    if model in BY_FLAG and config.get("rope_interleave") is not None:
        return "interleaved" if config["rope_interleave"] else "half"
    if model in NEIGHBOURS or model in BY_FLAG:
        return "interleaved"
    if model in HALVES:
        return "half"
    raise ValueError(f"model_type must be one whose pairs are known (programs differ in them), got {model!r:.60}")


def _by_rule(config, settings, layer_type, head_dim, base, seq_len):
    apart = config.get("model_type") in APART and head_dim is None
    if apart:
        head_dim = config.get("qk_rope_head_dim", APART[config["model_type"]])
    head_dim = _head_dim(config, layer_type) if head_dim is None else _whole("head_dim", head_dim)
    if settings is None:  # layers without rotation
        return [0.0] * (_even("head_dim", head_dim) // 2), 1.0
    settings = _completed(settings, config, base)
    rope_type = settings.pop("rope_type")
    if apart:
        settings["partial_rotary_factor"] = 1.0
    if rope_type != "proportional":
        head_dim = _rotary_dim(head_dim, settings.pop("partial_rotary_factor", None), config)
    else:
        settings.setdefault("partial_rotary_factor", 1.0)
    seq_len = 1 if seq_len is None else _whole("seq_len", seq_len, 1, " (tokens in the text at hand)")
    if rope_type in ("dynamic", "longrope"):
        settings["seq_len"] = seq_len
    given = settings.pop("attention_factor", None)
    found = RULES[rope_type][0](head_dim, base=settings.pop("rope_theta"), **settings)
    found, by_formula = found if isinstance(found, tuple) else (found, 1.0)
    return found, by_formula if given is None else _number("attention_factor", given, 0)


def _checked(config):
    """Return a configuration in today's names; refuse models and settings without a rule here."""
    config = _mapping("config", config)
    if "rope_type" in config or "type" in config:
        config = {"rope_parameters": config}
    model = config.get("model_type")
    if not isinstance(model, (str, type(None))):
        raise TypeError(f"model_type must be a name, got {type(model).__name__} {model!r:.60}")
    if model in REFUSED:
        raise ValueError(f"model_type must be one with a rule here ({REFUSED[model]}), got {model!r}")
    if config.get("alibi") or config.get("position_embedding_type") not in (None, "rope", "rope_gptj", "rotary"):
        kind = "alibi" if config.get("alibi") else config["position_embedding_type"]
        raise ValueError(
            f"position_embedding_type must be 'rotary' or left out (this model does not rotate), got {kind!r}"
        )
    known = MODELS.get(model, {})
    off = [key for key in sorted(TURNING) if config.get(key) not in (None, True)]
    if "switch" in known and not config.get(known["switch"]):
        off = [known["switch"]]
    if off:
        raise ValueError(f"{off[0]} must be on (without it this model does not rotate), got {config.get(off[0])}")
    today = dict(config)
    for old, new in OTHER_NAMES.items():
        value = today.pop(old, None)
        if value is not None and today.setdefault(new, value) != value:
            raise ValueError(
                f"{old} and {new} must be the same (they are names of one thing), got {value} and {today[new]}"
            )
    if "share_by" in known:
        own = config.get(known["share_by"], known["share"])
        if config.get("partial_rotary_factor", own) != own:
            raise ValueError(
                f"partial_rotary_factor must be {own} or left out (the program of {model!r} does not read it), "
                f"got {config['partial_rotary_factor']}"
            )
    read = READ | STILL_LAYERS | PAIRING | TURNING | NO_SPEEDS | {key for key, _, _ in known.get("kinds", {}).values()}
    for name in ("rope_parameters", "rope_scaling"):
        _mapping(name, today.get(name) or {})
    for name, entry in (("layer_types", str), ("layer_rope_theta", (int, float)), ("rope_scaling_layers", int)):
        values = today.get(name)
        if values is not None and not (_listed(values) and all(isinstance(value, entry) for value in values)):
            raise TypeError(f"{name} must be a list with an entry for each layer, got {values!r:.60}")
    nested = any(isinstance(value, dict) for value in (today.get("rope_parameters") or {}).values())
    unknown = {
        key
        for key in today
        if ("rope" in key or "rotary" in key) and key not in read and not (nested and key.endswith("rope_theta"))
    }
    unknown = unknown - SWITCHES | {key for key in SWITCHES if today.get(key)}
    if unknown:
        raise ValueError(f"config must hold no rotary setting without a rule here, got {', '.join(sorted(unknown))}")
    return today


def _settings(config, layer_type, base):
    """Return the rotary settings of one kind of layer, or None if it does not turn."""
    known = MODELS.get(config.get("model_type"), {})
    new_name = config.get("rope_parameters")
    old_name = config.get("rope_scaling")
    if new_name and old_name and new_name != old_name:
        raise ValueError("rope_parameters and rope_scaling must be the same (they are names of one thing), got two")
    settings = new_name or old_name or {}
    kinds = sorted(set(config.get("layer_types") or ()))
    nested = [key for key, value in settings.items() if isinstance(value, dict) or (value is None and key in kinds)]
    if nested:
        return _named(_one_of("layer_type", layer_type, nested, "their settings differ", settings))
    if "kinds" in known:
        key, otherwise, scaled = _one_of(
            "layer_type", layer_type, known["kinds"], "their settings differ", known["kinds"]
        )
        theta = config.get(key)
        own = _named(settings) if scaled else {"rope_type": "default"}
        return dict(own, rope_theta=otherwise if theta is None else theta)
    if still(config) and not kinds:
        kinds = ["full_attention", "sliding_attention"]
    if layer_type is not None and layer_type not in kinds:
        raise ValueError(f"layer_type must be one that config names ({', '.join(kinds) or 'none'}), got {layer_type!r}")
    if not settings and config.get("rope_theta") is None and base is None and "base" not in known:
        raise ValueError(
            "config must hold rope_parameters, rope_scaling or rope_theta, or base be given (a model of several parts "
            "keeps them in one of its own, such as text_config), got none"
        )
    settings = _named(settings)
    if not kinds and config.get("sliding_window_pattern") not in (None, 0, 1):  # unnamed, but two
        kinds = ["sliding_attention", "full_attention"]
    if len(kinds) > 1 and settings["rope_type"] not in ("default", "axial") and not known.get("alike"):
        raise ValueError(
            f"rope_parameters must hold settings for each kind of layer, {', '.join(kinds)} (models differ in which of "
            "them they scale), got one for all"
        )
    scaled = config.get("rope_scaling_layers")
    if scaled is not None and len(scaled) != config.get("num_hidden_layers"):
        raise ValueError(f"rope_scaling_layers must name all layers (they are read as one kind), got {scaled}")
    if layer_type is not None and layer_type == still(config):
        return None
    if config.get("layer_rope_theta") is None:
        return settings
    theta = _of_layers(config, layer_type, config["layer_rope_theta"], "layer_rope_theta")
    return dict(settings, rope_theta=theta) if theta else None


def _named(settings):
    """Return settings that are given, with the rule under the name `rope_type`."""
    if settings is None:
        return None
    settings = {key: value for key, value in settings.items() if value is not None and key not in NO_SPEEDS}
    for key in ("type", "rope_type"):
        if isinstance(settings.get(key), str):
            settings[key] = OLD_RULES.get(settings[key], settings[key])
    old_name = settings.pop("type", None)
    rope_type = settings.setdefault("rope_type", "default" if old_name is None else old_name)
    if (old_name, rope_type) == ("mrope", "default"):  # transformers 5 saves both
        old_name = rope_type
    if old_name not in (None, rope_type):
        raise ValueError(
            f"rope_type and type must be the same (they are names of one thing), got {rope_type!r} and {old_name!r}"
        )
    return settings


def _completed(settings, config, base):
    """Fill in what configurations keep outside of `rope_parameters`; refuse what the rule does not take."""
    known = MODELS.get(config.get("model_type"), {})
    rope_type = settings["rope_type"]
    if not isinstance(rope_type, str) or rope_type not in RULES:
        raise ValueError(f"rope_type must be one of {', '.join(sorted(RULES))}, got {rope_type}")
    _, required, optional = RULES[rope_type]
    allowed = set(required + optional + ("rope_type", "rope_theta", "partial_rotary_factor"))
    unknown = set(settings) - allowed
    if unknown:
        raise ValueError(
            f"rope_parameters must hold only what rope_type {rope_type!r} has a rule for "
            f"({', '.join(sorted(allowed))}), got {', '.join(sorted(unknown))}"
        )
    settings = dict(settings)
    theta = settings.get("rope_theta", config.get("rope_theta"))
    if theta is not None and base is not None:
        raise ValueError(f"base must be left out (config has a rope_theta, {theta}), got {base}")
    settings["rope_theta"] = next((each for each in (theta, base, known.get("base")) if each is not None), None)
    if settings["rope_theta"] is None:
        raise ValueError("rope_theta must be in config, or base be given (models differ in it), got none")
    _number("base" if theta is None else "rope_theta", settings["rope_theta"], 1, " (no pair is faster than the first)")
    if known.get("share_in") and "partial_rotary_factor" not in settings:
        raise ValueError(
            "partial_rotary_factor must be in rope_parameters (this model reads it nowhere else), got none"
        )
    share = config.get("partial_rotary_factor")
    share = known.get("share") if share is None else share
    if share is not None:
        settings.setdefault("partial_rotary_factor", share)
    _complete_lengths(settings, config, rope_type, required)
    missing = set(required) - set(settings)
    if missing:
        raise ValueError(f"rope_parameters of rope_type {rope_type!r} must hold {', '.join(sorted(missing))}, got none")
    if settings.get("mscale", 1) != 1 and not settings.get("mscale_all_dim"):
        raise ValueError(
            "mscale_all_dim must be given where mscale is not 1 (programs differ in what mscale means alone), "
            f"got mscale {settings['mscale']}"
        )
    if settings.get("mscale_all_dim") and not settings.get("mscale"):
        raise ValueError("mscale must be given where mscale_all_dim is (programs ignore the latter alone)")
    return settings


def _complete_lengths(settings, config, rope_type, required):
    """Fill in the length of training and the factor, by the rules of transformers."""
    name = "original_max_position_embeddings"
    longest = config.get("max_position_embeddings")
    if name in required:
        trained = config.get(name)
        if trained is not None and rope_type != "dynamic":
            settings[name] = trained
        elif longest is not None:
            settings.setdefault(name, longest)
    if rope_type == "dynamic" and longest not in (None, settings.get(name)):
        raise ValueError(
            f"{name} must be max_position_embeddings for rope_type 'dynamic' (programs differ in which they read), "
            f"got {settings[name]} and {longest}"
        )
    if rope_type in ("yarn", "longrope") and "factor" not in settings and longest is not None:
        settings["factor"] = _whole("max_position_embeddings", longest) / _trained(settings[name])


def _words(names):
    return names.split()


# Features of a head, by `model_type`, where the configuration names none: the program's own, not the quotient below.
# In latent attention, as DeepSeek's, those of the part that turns.
HEAD_DIM = dict.fromkeys(
    _words(
        "afmoe beam cohere2_moe cosmos3_edge_text cwm dia_decoder ernie4_5 flint glm glm4 helium higgs_audio_v2 "
        "hrm_text hy_v3 jetmoe kolibri1 laguna lfm3 llama4_text mellum minimax_m2 ministral3 molmo2_text "
        "muse_glimmer_assistant muse_glimmer_text paddleocr_vl_text pe_audio_encoder pe_audio_video_encoder "
        "pe_video_encoder qwen3 qwen3_vl_text seed_oss solar_open step3p5 zaya"
    ),
    128,
)
HEAD_DIM.update(
    dict.fromkeys(
        _words(
            "diffusion_gemma_text embedding_gemma2_text gemma gemma2 gemma3_text gemma3n_text gemma4_text "
            "gemma4_unified_text qwen3_5_moe_text qwen3_5_text qwen3_next qwen4_exp_text t5_gemma_module "
            "t5gemma2_text vaultgemma"
        ),
        256,
    )
)
HEAD_DIM.update(
    dict.fromkeys(
        _words(
            "axk1 bailing_hybrid deepseek_v2 deepseek_v3 deepseek_v32 glm4_moe_lite glm_moe_dsa gpt_oss hy_v4 "
            "longcat_flash muse_spark_text neucodec openai_privacy_filter qwen2_5_omni_dit xcodec2 youtu"
        ),
        64,
    )
)
HEAD_DIM.update({"axk2": 32, "minicpm3": 32, "timesfm2_5": 80, "mimo_v2_flash": 192})
APART = {"mistral4": 64, "deepseek_v4": 64, "dots3_note_text": 64}  # qk_rope_head_dim turns, whatever the share
WIDTHS = (  # features of all heads, and how many heads these are
    ("embed_dim", "num_heads"),
    ("hidden_size", "num_attention_heads"),
    ("hidden_size", "num_heads"),
    ("d_model", "n_heads"),
    ("n_embd", "n_head"),
)


def _head_dim(config, layer_type):
    """Return the features of a head; Gemma 4's full attention has wider ones, DeepSeek's turn a part kept apart."""
    model = config.get("model_type")
    keys = [MODELS.get(model, {}).get("head_dim", "head_dim"), "qk_rope_head_dim"]
    silent = not any(key in config for key in keys)
    if layer_type == "full_attention":
        keys.insert(0, "global_head_dim")
    found = next((config[key] for key in keys if config.get(key) is not None), None)
    if silent:
        found = HEAD_DIM.get(model)
    if found is None:
        for wide, many in WIDTHS:
            if config.get(wide) is not None and config.get(many) is not None:
                found = _whole(wide, config[wide]) // _whole(many, config[many])
                break
    if config.get("per_layer_config"):
        own = {}
        for layer, each in _mapping("per_layer_config", config["per_layer_config"]).items():
            if not str(layer).isdigit():
                raise ValueError(f"per_layer_config must be by the numbers of layers, got {layer!r}")
            width = _mapping("per_layer_config", each).get("head_dim")
            own[int(layer)] = None if width is None else _whole("head_dim", width)
        found = None if found is None else _whole("head_dim", found)
        layers = [own.get(i) or found for i in range(max(len(config.get("layer_types") or ()), 1 + max(own)))]
        found = _of_layers(config, layer_type, layers, "per_layer_config's head_dim")
    if found is None:
        half = [key for pair in WIDTHS for key in pair if config.get(key) is not None]
        raise ValueError(
            "head_dim must be given, or hidden_size and num_attention_heads (it is their quotient), got "
            + (f"{half[0]} alone" if half else "none")
        )
    return _whole("head_dim", found)


def _of_layers(config, layer_type, values, name):
    """Return the one value that all layers of this kind have."""
    kinds = config.get("layer_types") or [None] * len(values)
    found = {value for i, value in enumerate(values) if layer_type in (None, kinds[i])}
    if len(found) != 1:
        raise ValueError(
            f"{name} must be the same in all layers of a kind (say which by layer_type), got {sorted(map(str, found))}"
        )
    return found.pop()


def _rotary_dim(head_dim, share, config):
    """Return how many features of a head turn, as a share or as a number."""
    number = config.get("rotary_dim")
    if share is None:
        return partial(head_dim, partial_rotary_factor=1.0) if number is None else _even("rotary_dim", number)
    rotary_dim = partial(head_dim, partial_rotary_factor=share)
    if number not in (None, rotary_dim):
        raise ValueError(f"rotary_dim must be partial_rotary_factor · head_dim, {rotary_dim}, got {number}")
    return rotary_dim


# Which features are a pair, by `model_type`: neighbours; neighbours unless `rope_interleave` is false; or halves.
NEIGHBOURS = set(
    _words(
        "axk2 bailing_hybrid blt_global_transformer blt_local_decoder blt_local_encoder blt_patcher codegen "
        "cohere cohere2 cohere2_moe deepseek_v2 deepseek_v32 dots3_note_text ernie4_5 ernie4_5_moe glm glm4 "
        "glm4v_text glm_moe_dsa glm_ocr_text gptj helium llama4_text longcat_flash moonshine "
        "openai_privacy_filter pe_audio_encoder pe_audio_video_encoder pe_video_encoder"
    )
)
BY_FLAG = {"axk1", "deepseek_v3", "glm4_moe_lite", "mistral4", "youtu"}
HALVES = set(
    _words(
        "afmoe apertus arcee aria_text bamba beam bitnet chameleon cosmos3_edge_text csm cwm dbrx "
        "deepseek_ocr2_text dia_decoder diffllama doge dots1 embedding_gemma2_text emu3_text_model esm esmc "
        "eurobert exaone4 exaone_moe falcon falcon_h1 flex_olmo flint gemma gemma2 gemma3_text gemma3n_text "
        "gemma4_text gemma4_unified_text glm4_moe glm4v_moe_text glm_image_text gpt_neox gpt_neox_japanese "
        "gpt_oss granite granite_docling_text granite_swa granitemoe granitemoe_swa granitemoehybrid "
        "granitemoeshared gte higgs_audio_v2 hrm_text hunyuan_v1_dense hunyuan_v1_moe hy_v3 hyperclovax jais2 "
        "jetmoe jina_embeddings_v3 kolibri1 laguna lfm2 lfm2_moe lfm3 llama mellum mimi mimo_v2_flash minicpm3 "
        "minimax minimax_m2 ministral ministral3 mistral mixtral mllama_text_model modernbert modernbert-decoder "
        "molmo2_text moshi muse_glimmer_text muse_spark_text nemotron nomic_bert olmo olmo2 olmo3 olmo_hybrid "
        "olmoe paddleocr_vl_text persimmon phi phi3 phimoe qwen2 qwen2_5_omni_text qwen2_5_vl_text qwen2_moe "
        "qwen2_vl_text qwen3 qwen3_5_moe_text qwen3_5_text qwen3_moe qwen3_next qwen3_omni_moe_text "
        "qwen3_vl_moe_text qwen3_vl_text qwen4_exp_text recurrent_gemma seed_oss smollm3 solar_open stablelm "
        "starcoder2 step3p5 t5gemma2_text ultrabert unlimited_ocr_text vaultgemma voxtral_realtime_text xcodec2 "
        "zamba2 zaya"
    )
)

# M-RoPE, by `model_type`: whether sections are dealt out in turn, and their sizes where the configuration has none.
QWEN2_VL = (False, (16, 24, 24))
QWEN3_VL = (True, (24, 20, 20))
GLM4V = (False, (8, 12, 12))
SECTIONS = dict.fromkeys(("qwen2_vl_text", "qwen2_5_vl_text", "paddleocr_vl_text"), QWEN2_VL)
SECTIONS.update(dict.fromkeys(("qwen2_5_omni_text", "qwen2_5_omni_talker"), QWEN2_VL))
SECTIONS.update(dict.fromkeys(("glm4v_text", "glm4v_moe_text", "glm_ocr_text", "glm_image_text"), GLM4V))
SECTIONS.update(dict.fromkeys(("qwen3_vl_text", "qwen3_vl_moe_text", "qwen3_omni_moe_text"), QWEN3_VL))
SECTIONS.update(dict.fromkeys(("cosmos3_edge_text", "cohere_compass_text"), QWEN3_VL))
SECTIONS.update(dict.fromkeys(("qwen3_5_text", "qwen3_5_moe_text", "qwen4_exp_text"), (True, (11, 11, 10))))


def speeds_of_axes(config, *, layer_type=None, head_dim=None, base=None):
    """Return the speed of each pair, the axis it follows, and the attention factor: see `rotary_axes.from_config`."""
    config = _checked(config)
    settings = _settings(config, layer_type, base)
    model = config.get("model_type")
    if settings is not None and settings["rope_type"] == "axial":
        if model not in AXIAL:
            known = ", ".join(sorted(AXIAL))
            raise ValueError(f"model_type must be one of {known} (models deal out the axes otherwise), got {model!r}")
        head_dim = _head_dim(config, layer_type) if head_dim is None else head_dim
        theta = settings.get("rope_theta", base)
        order = AXIAL[model]
        found, axes = _shared_axial(head_dim, theta) if order is None else axial(head_dim, theta, order)
        return found, axes, 1.0
    dealt, sizes = SECTIONS.get(model, (False, None))
    settings = dict(settings or {})
    if settings.get("rope_type") == "mrope":
        settings["rope_type"] = "default"
    sizes = settings.pop("mrope_section", sizes)
    flag = settings.pop("mrope_interleaved", dealt)
    if sizes is None:
        raise ValueError(
            "config must hold mrope_section (a position has several axes), got none; rope_scaling.from_config reads one"
        )
    found, factor = _by_rule(config, settings, layer_type, head_dim, base, None)
    axes = sections(sizes, interleaved=dealt if model in SECTIONS else flag, name="mrope_section")
    if len(axes) != len(found):
        raise ValueError(f"mrope_section must add up to {len(found)} pairs, got {list(sizes)}")
    return found, axes, factor


def sections(sizes, *, interleaved=False, name="sizes"):
    """Return the axis that each pair follows: in consecutive sections, or dealt out in turn."""
    if not _listed(sizes):
        raise TypeError(f"{name} must be a list (pairs that follow each axis), got {sizes!r:.60}")
    sizes = [_whole(name, size, 1, " (pairs that follow an axis)") for size in sizes]
    if not sizes:
        raise ValueError(f"{name} must name at least one axis, got none")
    if interleaved not in (True, False):
        raise ValueError(f"interleaved must be one of True, False, got {interleaved!r}")
    if sum(sizes) > WIDEST:
        raise ValueError(f"{name} must add up to at most {WIDEST} (no head is wider), got {sum(sizes):g}")
    if not interleaved:
        return [axis for axis, size in enumerate(sizes) for _ in range(size)]
    if max(sizes) > sizes[0]:
        raise ValueError(f"{name} must be largest for the first axis (it takes what the others leave), got {sizes}")
    turns = [(pair % len(sizes), pair // len(sizes)) for pair in range(sum(sizes))]
    return [axis if turn < sizes[axis] else 0 for axis, turn in turns]


def axial(head_dim, base, order=(0, 1)):
    """Return speeds and axes where each axis has a share of a head and the speeds of one that narrow, in this order."""
    own = default(head_dim // (2 * len(order)) * 2, base=base)
    return own * len(order), [axis for axis in order for _ in own]


def _shared_axial(head_dim, base):
    """Deal one head's speeds out to rows and columns in turn; the rows' come first."""
    own = default(head_dim, base=base)
    return own[0::2] + own[1::2], [0] * len(own[0::2]) + [1] * len(own[1::2])


# Axial, by `model_type`: which axis has the first share of a head, the second …; None where the axes share one ladder.
ROWS_AND_COLUMNS = (
    "cohere_compass_vision",
    "dots3_note_vision_encoder",
    "ernie4_5_vl_moe_vision",
    "exaone4_5_vision",
    "glm4v_moe_vision",
    "glm4v_vision",
    "glm5_next_vision",
    "glm_ocr_vision",
    "lfm3_vl_vision",
    "mlcd_vision_model",
    "muse_glimmer_vision",
    "muse_spark_vision",
    "paddleocr_vl_vision",
    "qwen2_5_omni_vision_encoder",
    "qwen2_5_vl_vision",
    "qwen2_vl_vision",
    "qwen3_5_moe_vision",
    "qwen3_5_vision",
    "qwen3_omni_moe_vision_encoder",
    "qwen3_vl_moe_vision",
    "qwen3_vl_vision",
    "qwen4_exp_vision",
    "sam3_vit_model",
    "video_llama_3_vision",
)
AXIAL: dict[str, tuple[int, ...] | None] = dict.fromkeys(ROWS_AND_COLUMNS, (0, 1))
AXIAL.update({"step3p5_vision": (1, 0), "inkling2_vision": (1, 0), "minimax_m3_vl_vision": (0, 1, 2), "pixtral": None})
SEVERAL_AXES = {"axial", "mrope"} | set(SECTIONS) | set(AXIAL)


def _one_of(name, value, choices, why, table):
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(sorted(choices))} ({why}), got {value!r}")
    return table[value]


def _mapping(name, value):
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be a mapping, got {type(value).__name__} {value!r:.60}")
    return value


def _listed(values):
    """Return whether these are several values; MicroPython's lists have no __len__."""
    return isinstance(values, (list, tuple)) or (hasattr(values, "__len__") and not isinstance(values, (str, dict)))


def _number(name, value, least, why=""):
    known = isinstance(value, (int, float)) or hasattr(value, "__float__")  # MicroPython's numbers have no __float__
    if isinstance(value, bool) or not known or getattr(value, "ndim", 0):
        raise TypeError(f"{name} must be a number{why}, got {type(value).__name__} {value!r:.60}")
    if not least <= value < math.inf:
        raise ValueError(f"{name} must be finite and at least {least:g}{why}, got {value!r:.60}")
    return float(value)


def _whole(name, value, least=1, why=""):
    if isinstance(value, bool) or not (isinstance(value, int) or hasattr(value, "__index__")):
        raise TypeError(f"{name} must be an int{why}, got {type(value).__name__} {value!r:.60}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}{why}, got {value}")
    return value


def _even(name, value):
    why = " (each pair of features has one angle)"
    if _whole(name, value, 2, why) % 2:
        raise ValueError(f"{name} must be even{why}, got {value}")
    if value > WIDEST:
        raise ValueError(f"{name} must be at most {WIDEST} (no head is wider), got {value:g}")
    return value


def _factor(value):
    value = _number("factor", value, 1, " (texts become longer)")
    if value > 2**53:
        raise ValueError(f"factor must be at most 2**53 (positions count no further), got {value:g}")
    return value


def _share(value):
    value = _number("partial_rotary_factor", value, 0, " (a share of a head)")
    if value > 1:
        raise ValueError(f"partial_rotary_factor must be at most 1 (a share of a head), got {value:g}")
    return value


def _trained(value, least=1):
    return _whole("original_max_position_embeddings", value, least, " (tokens in training's longest text)")


def _in_order(low_name, low, high_name, high):
    low = _number(low_name, low, 0)
    high = _number(high_name, high, 0)
    if high > 2**53:
        raise ValueError(f"{high_name} must be at most 2**53 (turns in training count no further), got {high:g}")
    if not 0 < low <= high:
        raise ValueError(
            f"{low_name} <= {high_name} must hold, both above 0 (the ends of a ramp), got {low:g} and {high:g}"
        )
    return low, high


def _slowing(name, values, pairs):
    if not _listed(values) or len(values) != pairs:
        raise ValueError(f"{name} must hold {pairs} numbers above 0 (one for each pair), got {values!r:.60}")
    values = [_number(name, value, 0) for value in values]
    if not min(values) > 0:
        raise ValueError(f"{name} must hold {pairs} numbers above 0 (one for each pair), got {min(values):g}")
    return values
