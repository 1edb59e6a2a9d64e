"""Which rotary settings of transformers do the readers read as the models themselves do?

Every rotary module of transformers is built from the default configuration of its model, and its speeds, attention
factor and, where positions have several axes, cosines are compared with what `rope_scaling.read` makes of
`config.to_dict()`, for each kind of layer. `benchmarks/results/configurations.json`
keeps the rows that are refused or wrong by name and reason, and how many agree.

The same is done for configurations as people write them: with less said, or more than is needed (`REWRITINGS`).
"""

import collections
import copy
import importlib
import inspect
import json
import os
import pkgutil
import re
import sys
import typing
from pathlib import Path

RESULT = Path(__file__).with_name("results") / "configurations.json"
FLOAT32 = 1e-5  # transformers computes speeds in float32
WINDOWED = (
    "afmoe",
    "cohere2",
    "cohere2_moe",
    "exaone4",
    "exaone_moe",
    "flint",
    "kolibri1",
)  # only their layers with a window call the module
COLUMNS_FIRST = ("MuseGlimmerVision", "MuseSparkVision")  # their programs write a place's column before its row


def modules(only: str = ""):
    """Yield (name, class, configuration class) of each rotary module in transformers whose path contains `only`."""
    import transformers.models

    for package in pkgutil.iter_modules(transformers.models.__path__):
        path = f"transformers.models.{package.name}"
        folder = Path(transformers.models.__path__[0]) / package.name
        source = folder / f"modeling_{package.name}.py"
        if only not in package.name or not source.exists():
            continue
        names = re.findall(r"^class (\w*Ro(?:tary|pe|PE|Pe)\w*Embed\w*)\(", source.read_text(), re.MULTILINE)
        if not names:
            continue
        modeling = importlib.import_module(f"{path}.modeling_{package.name}")
        for name in names:
            found = getattr(modeling, name)
            annotation = inspect.signature(found.__init__).parameters.get("config")
            if annotation is None:
                continue
            kinds = [annotation.annotation, *typing.get_args(annotation.annotation)]
            kinds = [getattr(modeling, kind, None) if isinstance(kind, str) else kind for kind in kinds]
            for kind in kinds:
                if inspect.isclass(kind) and hasattr(kind, "to_dict"):
                    yield f"{package.name}.{name}", found, kind
                    break
            else:
                yield f"{package.name}.{name}", found, None


WIDTHS = ("head_dim", "qk_rope_head_dim", "global_head_dim")
SHARE = "partial_rotary_factor"


def without(*names):
    """Return a rewriting that drops these settings, also from `rope_parameters`."""

    def rewrite(settings):
        parameters = settings.get("rope_parameters") or {}
        for each in (settings, parameters, *(value for value in parameters.values() if isinstance(value, dict))):
            for name in names:
                each.pop(name, None)

    return rewrite


def in_whole(settings):
    """Say that whole heads turn."""
    without(SHARE)(settings)
    settings[SHARE] = 1.0


def no_width_to_read(settings):
    """Set `head_dim` to null; an attention in which a part turns (DeepSeek's) then fails in transformers itself."""
    if "head_dim" in settings and "qk_rope_head_dim" not in settings:
        settings["head_dim"] = None


def by_old_names(settings):
    """Write `rope_theta` and `rope_scaling`, as before transformers 5."""
    parameters = settings.get("rope_parameters")
    if not parameters or any(isinstance(value, dict) for value in parameters.values()):
        return
    del settings["rope_parameters"]
    settings.update({key: parameters.pop(key) for key in ("rope_theta", SHARE) if key in parameters})
    settings["rope_scaling"] = None if parameters == {"rope_type": "default"} else parameters


def twice_as_wide(settings):
    """Double the width of the model, and say nothing of its heads."""
    without(*WIDTHS)(settings)
    if isinstance(settings.get("hidden_size"), int):
        settings["hidden_size"] *= 2


def in_old_and_few_words(settings):
    """Use old names, and say nothing of the heads."""
    without(*WIDTHS)(settings)
    by_old_names(settings)


def whole_and_narrow(settings):
    """Say that whole heads turn, and not how wide they are."""
    without("head_dim")(settings)
    in_whole(settings)


REWRITINGS = {
    "no head_dim": without("head_dim"),
    "head_dim null": no_width_to_read,
    "no qk_rope_head_dim": without("qk_rope_head_dim"),
    "no width at all": without(*WIDTHS),
    "twice as wide": twice_as_wide,
    "no share": without(SHARE),
    "share 1": in_whole,
    "share 1, no head_dim": whole_and_narrow,
    "old names": by_old_names,
    "old names, no width": in_old_and_few_words,
}


def rewritten(only: str = ""):
    """Yield (name, kind of layer, rewriting, verdict, reason) for each configuration that transformers still reads."""
    for name, module, kind in modules(only):
        config, built = make(module, kind)
        if built is None:
            continue
        for rewriting, rewrite in REWRITINGS.items():
            settings = config.to_dict()
            rewrite(settings)
            if settings == config.to_dict():
                continue
            try:
                given = copy.deepcopy(settings)
                given = {key: given[key] for key in given if key not in ("model_type", "transformers_version")}
                theirs = type(config)(**given)
                built = module(theirs)
            except Exception:  # transformers itself refuses it
                continue
            for layer in kinds_of(theirs, built):
                yield name, layer or "", rewriting, *verdict(settings, built, layer)


def kinds_of(config, built):
    """Return the kinds of layers of a rotary module, or of its configuration; [None] if there is but one."""
    kinds = sorted({each for each in getattr(config, "layer_types", None) or () if isinstance(each, str)})
    return getattr(built, "layer_types", None) or kinds or [None]


def rows(only: str = ""):
    """Yield (name, kind of layer, verdict, reason) for every kind of layer of every rotary module."""
    for name, module, kind in modules(only):
        config, built = make(module, kind)
        if built is None:
            yield name, "", "not comparable", "no default configuration of its package builds it"
            continue
        for layer in kinds_of(config, built):
            yield name, layer or "", *verdict(config.to_dict(), built, layer)


def make(module, kind):
    """Build a rotary module from the default of its configuration, or of that part of it which the module reads."""
    package = importlib.import_module(module.__module__.replace(".modeling_", ".configuration_"))
    others = [
        each for name, each in sorted(vars(package).items()) if name.endswith("Config") and "rope" in str(vars(each))
    ]
    others.sort(key=lambda each: "Text" not in each.__name__)
    for each in filter(None, [kind, *others]):
        try:
            config = each()
            return config, module(config)
        except Exception:  # a whole model's configuration, or a default that its own model refuses
            continue
    return None, None


def verdict(settings, built, layer):
    """Compare the module with what the package reads of its configuration."""
    import torch

    from pe_helpers import rope_reading

    named = layer if layer in _kinds(settings) else None  # some programs name kinds that their configuration does not
    theirs = getattr(built, f"{layer}_inv_freq", getattr(built, "inv_freq", None))
    if theirs is None:
        theirs = torch.zeros(0)
    bases = settings.get("layer_rope_theta") or []
    if bases and not any(bases[i] for i, each in enumerate(settings["layer_types"]) if each == layer):
        theirs = torch.zeros(0)  # this kind of layer does not turn, and does not call the module
    if named in rope_reading.NO_ATTENTION:
        theirs = torch.zeros(0)
    if layer == "full_attention" and settings["model_type"] in WINDOWED:
        theirs = torch.zeros(0)
    flags = settings.get("no_rope_layers")
    number = settings["layer_types"].index(layer) if flags else None
    if flags and not flags[number]:
        theirs = torch.zeros(0)
    which = {"layer_type": named} if number is None else {"layer": number}
    factor = getattr(built, f"{layer}_attention_scaling", getattr(built, "attention_scaling", 1.0))
    try:
        found = rope_reading.speeds(settings, **which)
    except Exception as error:
        raw = "" if isinstance(error, ValueError | TypeError) else f"{type(error).__name__}: "
        return "refused", f"{raw}{error}"[:240]
    ours, ours_factor = torch.tensor(found["inv_freq"]), found["attention_factor"]
    if found["axis_of_pair"] is not None:
        return several_axes(built, layer, ours, torch.tensor(found["axis_of_pair"]), factor, ours_factor)
    if not len(theirs) and not ours.any():
        return "agree", ""  # layers that do not turn
    if ours.shape != theirs.shape:
        return "wrong", f"{len(ours)} speeds for {len(theirs)}"
    off = ((ours - theirs).abs() / theirs.abs().clamp(min=1e-30)).max().item()
    if off > FLOAT32 or abs(ours_factor - factor) > FLOAT32:
        return "wrong", f"speeds off by {off:.2g}, factor {ours_factor:.6g} for {factor:.6g}"
    return "agree", ""


def _kinds(settings):
    """Return the kinds of layers that a configuration names, or has settings for."""
    nested = settings.get("rope_parameters") or {}
    return {*(settings.get("layer_types") or ()), *(key for key, value in nested.items() if isinstance(value, dict))}


def several_axes(built, layer, ours, axes, factor, ours_factor):
    """Compare the cosines of a few places, in whichever layout the module writes them."""
    import torch

    from pe_helpers import rotary_axes

    places = torch.randint(0, 50, (6, 3), generator=torch.Generator().manual_seed(0))[:, : int(axes.max()) + 1]
    cos = rotary_axes.cos_sin(places, axes, inv_freq=ours)[0] * ours_factor
    try:
        if getattr(built, "rope_type", "") == "axial":
            turned = type(built).__name__.startswith(COLUMNS_FIRST)
            found = built(torch.zeros(1), places.flip(-1) if turned else places)
        else:
            arguments = (layer,) if "layer_type" in inspect.signature(built.forward).parameters else ()
            found = built(torch.zeros(1), places.T[:, None], *arguments)
    except Exception as error:
        return "not comparable", f"{type(error).__name__}: {error}".split("\n")[0][:120]
    theirs = found[0].reshape(6, -1)
    for theirs_once in (theirs[:, : cos.shape[1]], theirs[:, ::2], theirs):
        if theirs_once.shape == cos.shape and torch.allclose(theirs_once, cos, atol=1e-4):
            return "agree", ""
    return "wrong", f"cosines differ; {tuple(theirs.shape)}"


def main() -> None:
    """Record every row; print those that do not agree."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers

    transformers.logging.set_verbosity_error()
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    found = list(rows(only))
    counts = dict(collections.Counter(verdict for _, _, verdict, _ in found))
    others = [row for row in found if row[2] != "agree"]
    for row in sorted(others, key=lambda row: (row[2], row[3])):
        print(" | ".join(row))
    print(counts)
    again = list(rewritten(only))
    counts_again = dict(collections.Counter(verdict for *_, verdict, _ in again))
    for row in again:
        if row[3] not in ("agree", "refused"):
            print(" | ".join(row))
    print("rewritten:", counts_again)
    if not only:
        kept = {"transformers": transformers.__version__, "rows": len(found), **counts, "rewritten": counts_again}
        kept["others"] = others
        RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
