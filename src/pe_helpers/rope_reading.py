# SPDX-License-Identifier: MIT
"""Read a published model's configuration: how each of its layers rotates. Without torch: MicroPython runs this file.

`rope_scaling.read` explains what is returned. What a model's own program adds to its configuration is a table,
`model_types.json`, by `model_type`. Its columns:

    refused    why a model is not read; it has no other column then
    layout     which features are a pair, "half" or "interleaved"
    flag       the setting that says whether pairs are interleaved, where the configuration has it
    head_dim   features of a head, where the configuration names none; without it they are the quotient in `WIDTHS`.
               In latent attention, as DeepSeek's, those of the part that turns
    width_key  the key of a head's features, where it is not "head_dim"
    apart      `qk_rope_head_dim` turns, whatever the share; its default
    base       `rope_theta` where the configuration leaves it out
    share      `partial_rotary_factor` where the configuration leaves it out
    share_by   the only key under which the program reads its share, if any
    share_in   true where the program reads its share in `rope_parameters` alone, and cannot do without
    switch     the key without which the program does not rotate
    interval   one layer in so many does not turn, the last of them, where `no_rope_layers` does not say which
    still      the kind of layers that do not turn, where the others have a window
    alike      true where one scaling holds for all kinds of layers
    kinds      for each kind of layer: the key of its base, the base without that key, whether it is scaled
    sections   pairs that follow each axis of M-RoPE, where the configuration has none
    in_turn    true where these are dealt out in turn
    axial      which axis (of rows and columns, or of frames, rows and columns) has the first share of a head, the
               second …; "shared" where the axes share one ladder
"""

import json
import math

try:
    from typing import Any

    Config = dict[str, Any]
except ImportError:  # MicroPython, which does not look at annotations
    Config = None  # type: ignore[misc, assignment]

from . import rope_rules
from ._numbers import choice, even, listed, mapping, number, whole_number

with open(__file__.replace("\\", "/").rpartition("/")[0] + "/model_types.json", encoding="utf-8") as table:
    TYPES = json.load(table)
LENGTHS = ("factor", "original_max_position_embeddings")
SEARCHED = ("factor", "original_max_position_embeddings", "short_factor", "long_factor")
RAMP = ("factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor")
RULES: Config = {  # rope_type: the rule, what it cannot do without, what else it takes
    "default": (rope_rules.default, (), ()),
    "linear": (rope_rules.interpolation, ("factor",), ()),
    "dynamic": (rope_rules.dynamic_ntk, LENGTHS, ()),
    "yarn": (
        rope_rules.yarn,
        LENGTHS,
        ("attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate"),
    ),
    "longrope": (rope_rules.longrope, SEARCHED, ("attention_factor",)),
    "llama3": (rope_rules.llama3, RAMP, ()),
    "proportional": (rope_rules.proportional, (), ("factor",)),
}
NO_ATTENTION = ("linear_attention", "conv", "mamba", "moe")  # kinds of layers without scores to rotate for
FOLLOW = ("dynamic", "longrope")  # rules whose speeds follow the length of the text
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

WIDTHS = (  # features of all heads, and how many heads these are
    ("embed_dim", "num_heads"),
    ("hidden_size", "num_attention_heads"),
    ("hidden_size", "num_heads"),
    ("d_model", "n_heads"),
    ("n_embd", "n_head"),
)


def read(config: Config, *, layout: str | None = None, assume: bool = False, **given: Any) -> Config:
    """Return the rotation of one layer, as `rope_scaling.read` explains."""
    found = speeds(config, assume=assume, **given)
    if layout is not None:
        choice("layout", layout, ("interleaved", "half"))
    said = _layout(config)
    if said is not None and layout not in (None, said):
        raise ValueError(f"layout must be {said!r} or left out (so this model's program has it), got {layout!r}")
    found["layout"] = said or layout
    if found["layout"] is None and assume:
        found["layout"] = "half"
        found["assumed"].append("layout 'half', as most models have it")
    if found["layout"] is None:
        raise ValueError(
            f"layout must be given (programs differ in it, and this model_type is not known), got model_type "
            f"{config.get('model_type')!r:.60}"
        )
    return found


def speeds(
    config: Config,
    *,
    layer: int | None = None,
    layer_type: str | None = None,
    head_dim: int | None = None,
    base: float | None = None,
    seq_len: int | None = None,
    assume: bool = False,
) -> Config:
    """Return all that `read` does but the layout."""
    config, layer_type = _of_layer(config, layer_type, layer)
    config = _checked(config)
    settings = _settings(config, layer_type, base)
    assumed: list[str] = []
    turning = settings is not None and turns(config, layer_type=layer_type, layer=layer)
    head_dim = _width(config, layer_type, head_dim, assumed if assume else None)
    seq_len = 1 if seq_len is None else whole_number("seq_len", seq_len, 1, " (tokens in the text at hand)")
    found: Config = {
        "attention_factor": 1.0,
        "axis_of_pair": None,
        "holds_to": None,
        "assumed": assumed,
        "turns": turning,
    }
    if settings is None:
        return dict(found, inv_freq=[0.0] * (even("head_dim", head_dim) // 2))
    known = known_of(config)
    if settings["rope_type"] == "axial":
        own, axes = _axial(config, head_dim, settings.get("rope_theta", base))
        return dict(found, inv_freq=own, axis_of_pair=axes)
    sizes = settings.pop("mrope_section", known.get("sections"))
    in_turn = settings.pop("mrope_interleaved", False)
    in_turn = known.get("in_turn", False) if "sections" in known else in_turn
    if settings["rope_type"] == "mrope":
        settings["rope_type"] = "default"
        sizes = () if sizes is None else sizes
    if "axial" in known:
        raise ValueError(f"rope_type must be 'axial' for model_type {config['model_type']!r}, got none")
    settings = _completed(settings, config, base)
    own, factor, found["holds_to"] = _by_rule(config, settings, head_dim, seq_len)
    if sizes is not None:
        axes = rope_rules.sections(sizes, interleaved=in_turn, name="mrope_section")
        if len(axes) != len(own):
            raise ValueError(f"mrope_section must add up to {len(own)} pairs, got {list(sizes)}")
        found["axis_of_pair"] = axes
    if not turning:
        return dict(found, inv_freq=[0.0] * len(own), axis_of_pair=None, holds_to=None)
    return dict(found, inv_freq=own, attention_factor=factor)


def known_of(config: Config) -> Config:
    """Return the row of `model_types.json` for this model, empty if there is none."""
    model = config.get("model_type")
    return TYPES.get(model, {}) if isinstance(model, str) else {}


def still(config: Config) -> str | None:
    """Return the kind of layers that do not turn, as "full_attention", or None if there is none known by its name."""
    without_window = config.get("sliding_window", True) is None
    return None if without_window else known_of(config).get("still")


def turning_layers(config: Config, count: int | None = None) -> list[bool] | None:
    """Return for each layer whether it turns, by `no_rope_layers` or its interval; None where neither is known."""
    flags = config.get("no_rope_layers")
    if flags:
        flags = listed("no_rope_layers", flags, "0 or 1 for each layer")
        if any(flag not in (0, 1) for flag in flags):
            raise TypeError(f"no_rope_layers must be a list of 0 and 1, one for each layer, got {flags!r:.60}")
        return [bool(flag) for flag in flags]
    interval = config.get("no_rope_layer_interval", known_of(config).get("interval"))
    if interval is None:
        return None
    interval = whole_number("no_rope_layer_interval", interval)
    if count is None:
        count = whole_number("num_hidden_layers", config.get("num_hidden_layers", interval))
    return [(i + 1) % interval != 0 for i in range(count)]


def turns(config: Config, *, layer_type: str | None = None, layer: int | None = None) -> bool:
    """Return whether these layers turn."""
    if layer in (config.get("cross_attention_layers") or ()):  # Llama 3.2 Vision
        return False
    flags = turning_layers(config, None if layer is None else layer + 1)
    if flags is None:
        return True
    if layer is not None:
        if layer >= len(flags):
            raise ValueError(f"layer must be below {len(flags)} (no_rope_layers has one entry for each), got {layer}")
        return flags[layer]
    kinds = config.get("layer_types") or [None] * len(flags)
    if len(kinds) != len(flags):
        raise ValueError(f"no_rope_layers must have an entry for each of layer_types, {len(kinds)}, got {len(flags)}")
    found = {flags[i] for i in range(len(flags)) if layer_type in (None, kinds[i])}
    if len(found) > 1:
        raise ValueError("layer must be given (some layers of this model turn, others do not), got none")
    return found != {False}


def _of_layer(config: Config, layer_type: str | None, layer: int | None) -> tuple[Config, str | None]:
    """Return the configuration and the kind of one layer, counted from 0; of a whole kind where `layer` is None."""
    config = mapping("config", config)
    if layer is None:
        return config, layer_type
    count = config.get("num_hidden_layers")
    if whole_number("layer", layer, 0) >= (math.inf if count is None else whole_number("num_hidden_layers", count)):
        raise ValueError(f"layer must be below num_hidden_layers, {count} (layers count from 0), got {layer}")
    kinds = config.get("layer_types") or _in_turn(config, layer)
    if kinds and layer_type is not None:
        raise ValueError(f"layer_type must be left out (layer_types has that of layer {layer}), got {layer_type!r}")
    for name in ("layer_types", "layer_rope_theta"):
        values = config.get(name)
        if values and layer >= len(listed(name, values, "an entry for each layer")):
            raise ValueError(f"{name} must be a list with an entry for layer {layer}, got {values!r:.60}")
    if config.get("layer_rope_theta"):
        values = config["layer_rope_theta"]
        config = dict(config, layer_rope_theta=[values[layer]] * len(values))
    return config, kinds[layer] if kinds else layer_type


def _in_turn(config: Config, layer: int) -> list[str | None] | None:
    """Return the kinds of layers up to this one where the configuration has their pattern alone."""
    pattern = config.get("sliding_window_pattern")
    if not pattern or not (still(config) or "kinds" in known_of(config)):
        return None
    pattern = pattern if isinstance(pattern, str) else "L" * (whole_number("sliding_window_pattern", pattern) - 1) + "G"
    letters = {"L": "sliding_attention", "G": "full_attention"}
    return [letters.get(pattern[i % len(pattern)]) for i in range(layer + 1)]


def _layout(config: Config) -> str | None:
    """Return the layout of the model's own program, None where it is not known."""
    known = known_of(config)
    flag = config.get(known.get("flag", ""))
    if flag is not None:
        return "interleaved" if flag else "half"
    return known.get("layout")


def _by_rule(config: Config, settings: Config, head_dim: int, seq_len: int) -> tuple[list[float], float, int | None]:
    """Return the speeds, the attention factor, and the longest text for which both hold."""
    rope_type = settings.pop("rope_type")
    if "apart" in known_of(config):
        settings["partial_rotary_factor"] = 1.0
    if rope_type != "proportional":
        head_dim = _rotary_dim(head_dim, settings.pop("partial_rotary_factor", None), config)
    else:
        settings.setdefault("partial_rotary_factor", 1.0)
    holds_to = None
    if rope_type in FOLLOW:
        settings["seq_len"] = seq_len
        trained = settings["original_max_position_embeddings"]
        if seq_len <= trained or rope_type == "dynamic":
            holds_to = max(seq_len, trained)
    given = settings.pop("attention_factor", None)
    found = RULES[rope_type][0](head_dim, base=settings.pop("rope_theta"), **settings)
    found, by_formula = found if isinstance(found, tuple) else (found, 1.0)
    return found, by_formula if given is None else number("attention_factor", given, 0), holds_to


def _rotary_dim(head_dim: int, share: float | None, config: Config) -> int:
    """Return how many features of a head turn, as a share or as a number."""
    said = config.get("rotary_dim")
    if share is None and said is not None:
        return even("rotary_dim", said)
    rotary_dim = 2 * len(rope_rules.partial_rotation(head_dim, partial_rotary_factor=1.0 if share is None else share))
    if share is not None and said not in (None, rotary_dim):
        raise ValueError(f"rotary_dim must be partial_rotary_factor · head_dim, {rotary_dim}, got {said}")
    return rotary_dim


def _axial(config: Config, head_dim: int, theta: Any) -> tuple[list[float], list[int]]:
    """Return the speeds and axes where each axis has a share of a head, or where they share one ladder."""
    order = known_of(config).get("axial")
    if order is None:
        known = ", ".join(sorted(name for name, row in TYPES.items() if "axial" in row))
        model = config.get("model_type")
        raise ValueError(f"model_type must be one of {known} (models deal out the axes otherwise), got {model!r}")
    if order == "shared":  # the even pairs are the rows', the odd ones the columns'; the rows' come first
        own = rope_rules.default(head_dim, base=theta)
        return own[0::2] + own[1::2], [0] * len(own[0::2]) + [1] * len(own[1::2])
    own = rope_rules.default(head_dim // (2 * len(order)) * 2, base=theta)
    return own * len(order), [axis for axis in order for _ in own]


def _width(config: Config, layer_type: str | None, given: int | None, assumed: list[str] | None) -> int:
    """Return the features of a head, or of the part of it that is kept apart to turn."""
    if given is not None:
        return whole_number("head_dim", given)
    model = config.get("model_type")
    known = known_of(config)
    if "apart" in known:
        return whole_number("qk_rope_head_dim", config.get("qk_rope_head_dim", known["apart"]))
    keys = [known.get("width_key", "head_dim"), "qk_rope_head_dim"]
    silent = not any(key in config for key in keys)
    if layer_type == "full_attention":
        keys.insert(0, "global_head_dim")  # Gemma 4
    found = next((config[key] for key in keys if config.get(key) is not None), None)
    if silent and known.get("head_dim"):
        found = known["head_dim"]
    if found is None:
        found = _quotient(config)
        if found is not None and not known:
            if assumed is None:
                raise ValueError(
                    f"head_dim must be given (no model of this type is known, and not all have {found}, the quotient "
                    f"of their width and their heads), got model_type {model!r:.60}"
                )
            assumed.append(f"head_dim {found}, the width by the number of heads")
    if config.get("per_layer_config"):
        found = _of_each_layer(config, layer_type, found)
    if found is None:
        half = [key for pair in WIDTHS for key in pair if config.get(key) is not None]
        raise ValueError(
            "head_dim must be given, or hidden_size and num_attention_heads (it is their quotient), got "
            + (f"{half[0]} alone" if half else "none")
        )
    return whole_number("head_dim", found)


def _quotient(config: Config) -> int | None:
    for wide, many in WIDTHS:
        if config.get(wide) is not None and config.get(many) is not None:
            return whole_number(wide, config[wide]) // whole_number(many, config[many])
    return None


def _of_each_layer(config: Config, layer_type: str | None, otherwise: int | None) -> Any:
    """Return the features of a head where `per_layer_config` has them for some layers."""
    own = {}
    for layer, each in mapping("per_layer_config", config["per_layer_config"]).items():
        if not str(layer).isdigit():
            raise ValueError(f"per_layer_config must be by the numbers of layers, got {layer!r}")
        width = mapping("per_layer_config", each).get("head_dim")
        own[int(layer)] = None if width is None else whole_number("head_dim", width)
    otherwise = None if otherwise is None else whole_number("head_dim", otherwise)
    layers = [own.get(i) or otherwise for i in range(max(len(config.get("layer_types") or ()), 1 + max(own)))]
    return _of_layers(config, layer_type, layers, "per_layer_config's head_dim")


def _of_layers(config: Config, layer_type: str | None, values: list[Any], name: str) -> Any:
    """Return the one value that all layers of this kind have."""
    kinds = config.get("layer_types") or [None] * len(values)
    found = {value for i, value in enumerate(values) if layer_type in (None, kinds[i])}
    if len(found) != 1:
        raise ValueError(
            f"{name} must be the same in all layers of a kind (say which by layer_type), got {sorted(map(str, found))}"
        )
    return found.pop()


def _checked(config: Config) -> Config:
    """Return a configuration in today's names; refuse models and settings without a rule here."""
    config = mapping("config", config)
    if "rope_type" in config or "type" in config:
        config = {"rope_parameters": config}
    model = config.get("model_type")
    if not isinstance(model, (str, type(None))):
        raise TypeError(f"model_type must be a name, got {type(model).__name__} {model!r:.60}")
    known = known_of(config)
    if "refused" in known:
        raise ValueError(f"model_type must be one with a rule here ({known['refused']}), got {model!r}")
    if config.get("alibi") or config.get("position_embedding_type") not in (None, "rope", "rope_gptj", "rotary"):
        kind = "alibi" if config.get("alibi") else config["position_embedding_type"]
        raise ValueError(
            f"position_embedding_type must be 'rotary' or left out (this model does not rotate), got {kind!r}"
        )
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
        mapping(name, today.get(name) or {})
    for name, entry in (("layer_types", str), ("layer_rope_theta", (int, float)), ("rope_scaling_layers", int)):
        values = today.get(name)
        entries = [] if values is None else listed(name, values, "an entry for each layer")
        if not all(isinstance(each, entry) for each in entries):
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


def _settings(config: Config, layer_type: str | None, base: float | None) -> Any:
    """Return the rotary settings of one kind of layer, or None if it does not turn."""
    known = known_of(config)
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
    if layer_type is None and still(config):
        raise ValueError(
            "layer must be given, with layer_types in config, or layer_type (some layers of this model turn, others do "
            "not), got none"
        )
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
    if layer_type is not None and (layer_type == still(config) or layer_type in NO_ATTENTION):
        return None
    if config.get("layer_rope_theta") is None:
        return settings
    theta = _of_layers(config, layer_type, config["layer_rope_theta"], "layer_rope_theta")
    return dict(settings, rope_theta=theta) if theta else None


def _named(settings: Config | None) -> Any:
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


def _completed(settings: Config, config: Config, base: float | None) -> Config:
    """Fill in what configurations keep outside of `rope_parameters`; refuse what the rule does not take."""
    known = known_of(config)
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
    number("base" if theta is None else "rope_theta", settings["rope_theta"], 1, " (no pair is faster than the first)")
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


def _complete_lengths(settings: Config, config: Config, rope_type: str, required: tuple[str, ...]) -> None:
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
        settings["factor"] = whole_number("max_position_embeddings", longest) / whole_number(name, settings[name])


def _one_of(name: str, value: Any, choices: Any, why: str, table: Config) -> Any:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(sorted(choices))} ({why}), got {value!r}")
    return table[value]
