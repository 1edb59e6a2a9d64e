"""The peers, each as functions of the same arguments as ours; one that is not installed is reported as absent."""

import importlib.metadata
import importlib.util
import math

import torch

PACKAGES = {
    "positional-encodings": "positional_encodings",
    "rotary-embedding-torch": "rotary_embedding_torch",
    "x-transformers": "x_transformers",
    "torchtune": "torchtune",
    "transformers": "transformers",
    "diffusers": "diffusers",
    "keras-hub": "keras_hub",
}


def versions() -> dict[str, str]:
    return {
        name: importlib.metadata.version(name) if importlib.util.find_spec(module) else "absent"
        for name, module in PACKAGES.items()
    }


def gather(*makers) -> dict:
    """Call each maker; leave out those whose package is absent or does not run here, and say so."""
    found = {}
    for name, maker in makers:
        try:
            found[name] = maker()
        except Exception as error:
            print(f"absent: {name} ({type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''})")
    return found


def tables() -> dict:
    """Functions (n, d_model) -> table."""

    def positional_encodings():
        from positional_encodings.torch_encodings import PositionalEncoding1D

        return lambda n, d: PositionalEncoding1D(d)(torch.empty(1, n, d))[0]

    def transformers():
        from transformers.models.whisper.modeling_whisper import sinusoids

        return sinusoids

    def transformers_m2m():
        from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding

        return M2M100SinusoidalPositionalEmbedding.get_embedding

    def diffusers():
        from diffusers.models.embeddings import get_timestep_embedding

        return lambda n, d: get_timestep_embedding(torch.arange(n), d)

    def x_transformers():
        from x_transformers.x_transformers import ScaledSinusoidalEmbedding

        modules = {}
        return lambda n, d: modules.setdefault(d, ScaledSinusoidalEmbedding(d).requires_grad_(False))(
            torch.empty(1, n, d)
        )

    def keras_hub():
        import keras_hub

        layer = keras_hub.layers.SinePositionEncoding()
        return lambda n, d: layer(torch.empty(1, n, d))[0]

    return gather(
        ("positional-encodings", positional_encodings),
        ("transformers (Whisper)", transformers),
        ("transformers (M2M)", transformers_m2m),
        ("diffusers", diffusers),
        ("x-transformers", x_transformers),
        ("keras-hub", keras_hub),
    )


def at_positions() -> dict:
    """Functions (positions, d_model) -> codes with all sines first, for packed texts and for accuracy."""

    def naive():
        def code(positions, d_model):
            speeds = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10_000.0) / d_model))
            angle = positions.float()[..., None] * speeds
            return torch.cat([angle.sin(), angle.cos()], dim=-1)

        return code

    def diffusers():
        from diffusers.models.embeddings import get_timestep_embedding

        def code(positions, d_model):
            flat = get_timestep_embedding(positions.flatten(), d_model, flip_sin_to_cos=False, downscale_freq_shift=0)
            return flat.view(*positions.shape, d_model)

        return code

    def transformers():
        from transformers import LlamaConfig
        from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

        modules = {}

        def code(positions, d_model):
            config = LlamaConfig(hidden_size=d_model, num_attention_heads=1, head_dim=d_model)
            module = modules.setdefault(d_model, LlamaRotaryEmbedding(config))
            positions = positions if positions.ndim == 2 else positions[None]
            cos, sin = module(torch.empty(1), positions)
            return torch.cat([sin[..., : d_model // 2], cos[..., : d_model // 2]], dim=-1).squeeze(0)

        return code

    return gather(("float32, as usual", naive), ("diffusers", diffusers), ("transformers (Llama)", transformers))


def rotations(x: torch.Tensor) -> dict:
    """Functions (x) -> x turned, for x (batch, heads, seq_len, head_dim)."""
    _, heads, length, width = x.shape

    def rotary_embedding_torch():
        from rotary_embedding_torch import RotaryEmbedding

        module = RotaryEmbedding(width, cache_if_possible=False)
        return module.rotate_queries_or_keys

    def torchtune():
        from torchtune.modules import RotaryPositionalEmbeddings

        module = RotaryPositionalEmbeddings(width, max_seq_len=length)
        return lambda x: module(x.transpose(1, 2)).transpose(1, 2)

    def transformers():
        from transformers import LlamaConfig
        from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, rotate_half

        module = LlamaRotaryEmbedding(LlamaConfig(hidden_size=width * heads, num_attention_heads=heads, head_dim=width))

        def turn(x):
            cos, sin = (each.unsqueeze(1) for each in module(x, torch.arange(length)[None]))
            return x * cos + rotate_half(x) * sin

        return turn

    def x_transformers():
        from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

        module = RotaryEmbedding(width)
        return lambda x: apply_rotary_pos_emb(x, module.forward_from_seq_len(length)[0])

    def diffusers():
        from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

        return lambda x: apply_rotary_emb(x, get_1d_rotary_pos_embed(width, length, use_real=True))

    def diffusers_complex():
        from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

        kept = get_1d_rotary_pos_embed(width, length, use_real=False)[None]
        return lambda x: apply_rotary_emb(x.transpose(1, 2), kept, use_real=False).transpose(1, 2)

    def keras_hub():
        import keras_hub

        layer = keras_hub.layers.RotaryEmbedding(sequence_axis=2, feature_axis=3)
        return lambda x: layer(x)

    return gather(
        ("rotary-embedding-torch", rotary_embedding_torch),
        ("torchtune", torchtune),
        ("transformers (Llama)", transformers),
        ("x-transformers", x_transformers),
        ("diffusers", diffusers),
        ("diffusers, complex, kept", diffusers_complex),
        ("keras-hub", keras_hub),
    )
