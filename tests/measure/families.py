"""Small models with random weights of many families, and their scores computed naively, one pair at a time."""

import torch
from benchmarks import scores

HALF, NEIGHBOURS = "half", "neighbours"
FAMILIES = {  # package: the features that are a pair
    "llama": HALF,
    "mistral": HALF,
    "qwen2": HALF,
    "qwen3": HALF,
    "gemma2": HALF,
    "gemma3": HALF,
    "phi": HALF,
    "phi3": HALF,
    "gpt_neox": HALF,
    "cohere": NEIGHBOURS,
    "cohere2": NEIGHBOURS,
    "glm4": NEIGHBOURS,
    "olmo2": HALF,
    "olmo3": HALF,
    "smollm3": HALF,
    "starcoder2": HALF,
    "stablelm": HALF,
    "granite": HALF,
    "gpt_oss": HALF,
    "llama4": NEIGHBOURS,
    "ernie4_5": NEIGHBOURS,
    "deepseek_v3": NEIGHBOURS,
    "qwen3_next": HALF,
    "falcon": HALF,
}


def small(package):
    """Return a small model of a family, and the module that its program is in."""
    from transformers import AutoModelForCausalLM

    kinds = {name: (modeling, kind) for name, modeling, kind in scores.types(f"={package}")}
    modeling, kind = kinds.get(package) or kinds[f"{package}_text"]
    config = scores.tiny(kind, 256)
    if "rope_type" in config.rope_parameters:  # without scaling, of which the naive computation knows nothing
        kept = ("rope_theta", "partial_rotary_factor")
        plain = {key: config.rope_parameters[key] for key in kept if key in config.rope_parameters}
        config.rope_parameters = {"rope_type": "default", **plain}
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    for weight in model.parameters():
        if weight.ndim > 1:
            torch.nn.init.normal_(weight, std=2 * weight.shape[-1] ** -0.5)
    return model, modeling


def speeds_of(config, layer):
    """Return the speeds of a layer's hands, from the formula and the configuration."""
    features = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    rope = config.rope_parameters
    kinds = getattr(config, "layer_types", None)
    if kinds and kinds[layer] in rope:
        rope = rope[kinds[layer]]
    turning = int(features * rope.get("partial_rotary_factor", 1.0))
    return [rope["rope_theta"] ** (-2 * i / turning) for i in range(turning // 2)]


def turned(x, positions, speeds, layout):
    """Turn `(heads, tokens, features)` by angles, pair after pair; features beyond the pairs stay."""
    x = x.double().clone()
    pairs = len(speeds)
    for pair, speed in enumerate(speeds):
        a, b = (pair, pair + pairs) if layout == HALF else (2 * pair, 2 * pair + 1)
        z = torch.complex(x[..., a], x[..., b]) * torch.exp(1j * speed * positions.double())
        x[..., a], x[..., b] = z.real, z.imag
    return x


def naive_scores(q, k, positions, speeds, layout):
    """Return the score of every query with every key, keys shared among heads, `(heads, queries, keys)`."""
    q, k = (turned(x, positions, speeds, layout) for x in (q, k))
    return q @ k.repeat_interleave(len(q) // len(k), 0).mT


# What is caught is not all of these scores: a part of each head is turned alone, or there is a norm after the rotation.
PARTS = ("deepseek_v3", "llama4", "phi", "stablelm")
QUICK = ("llama", "gemma3", "gpt_neox", "cohere2", "gpt_oss", "qwen3_next", "llama4")  # the others are slow


def naive_weights(q, k, module, config, layer, hidden):
    """Return the attention weights of a layer from its rotated queries and keys, softmax written out."""
    found = q.double() @ k.double().repeat_interleave(len(q) // len(k), 0).mT
    found = found * (getattr(module, "scaling", None) or q.shape[-1] ** -0.5)
    if cap := getattr(config, "attn_logit_softcapping", None):
        found = cap * torch.tanh(found / cap)
    tokens = q.shape[1]
    back = torch.arange(tokens)[:, None] - torch.arange(tokens)
    seen = (back >= 0) & ~hidden
    found = found.masked_fill(~seen, -torch.inf)
    sinks = getattr(module, "sinks", None)
    more = 0 if sinks is None else sinks.double().exp()[:, None, None]
    return found.exp() / (found.exp().sum(-1, keepdim=True) + more)
