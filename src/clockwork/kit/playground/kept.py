"""The trained models that readers steer, data/steered_models.json: as a page needs them, and in torch."""

import base64
import functools

import numpy as np
import torch
from torch import nn

from clockwork.kit import attention, datafiles

PARTS = ("settings", "weights", "words")


@functools.cache
def load() -> dict:
    """Return all that was recorded: the models, and what eight seeds of each answer."""
    return datafiles.read("steered_models.json")


def for_a_page(model: dict) -> dict:
    """Return what a page needs of a recorded model: its settings, its weights as float16, its words if it has some."""
    return {name: model[name] for name in PARTS if name in model}


def in_torch(model: dict) -> attention.Transformer:
    """Return a recorded model as a module of torch, with the weights that the page's engine has."""
    settings = model["settings"]
    encoding = attention.Sinusoid() if settings["code"] == "sinusoid" else attention.Encoding()
    made = attention.Transformer(
        settings["vocab"], encoding, d_model=settings["d"], num_heads=settings["heads"], num_layers=settings["layers"]
    )
    with torch.no_grad():
        for name, parameter in named_as_in_the_engine(made).items():
            numbers = np.frombuffer(base64.b64decode(model["weights"][name]), "<f2").astype(np.float32)
            parameter.copy_(torch.from_numpy(numbers).reshape(parameter.shape))
    return made.eval()


def named_as_in_the_engine(model: attention.Transformer) -> dict[str, nn.Parameter]:
    """Return the parameters of a torch model by the engine's names."""
    table = "relative" if isinstance(model.encoding, attention.Relative) else "table"
    own = {"embedding.weight": "embedding", "encoding.table.weight": table}
    return {own.get(name, name): value for name, value in model.named_parameters()}
