"""Other libraries' encoders as functions of the same arguments; one that is not installed is reported as absent."""

import importlib.metadata
import importlib.util
import math

import torch

PACKAGES = {
    "positional-encodings": "positional_encodings",
    "rotary-embedding-torch": "rotary_embedding_torch",
    "x-transformers": "x_transformers",
    "transformers": "transformers",
    "diffusers": "diffusers",
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

    return gather(
        ("positional-encodings", positional_encodings),
        ("transformers (Whisper)", transformers),
        ("transformers (M2M)", transformers_m2m),
        ("diffusers", diffusers),
        ("x-transformers", x_transformers),
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
    """Functions (x) -> x rotated, for x (batch, heads, seq_len, head_dim); each keeps its cosines and sines."""
    _, heads, length, width = x.shape
    positions = torch.arange(length)

    def rotary_embedding_torch():
        from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

        kept = RotaryEmbedding(width)(positions)
        return lambda x: apply_rotary_emb(kept, x)

    def transformers():
        from transformers import LlamaConfig
        from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, rotate_half

        module = LlamaRotaryEmbedding(LlamaConfig(hidden_size=width * heads, num_attention_heads=heads, head_dim=width))
        cos, sin = (each.unsqueeze(1) for each in module(x, positions[None]))
        return lambda x: x * cos + rotate_half(x) * sin

    def x_transformers():
        from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

        kept = RotaryEmbedding(width).forward_from_seq_len(length)[0]
        return lambda x: apply_rotary_pos_emb(x, kept)

    def diffusers():
        from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

        kept = get_1d_rotary_pos_embed(width, length, use_real=True)
        return lambda x: apply_rotary_emb(x, kept)

    def diffusers_complex():
        from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

        kept = get_1d_rotary_pos_embed(width, length, use_real=False)[None]
        return lambda x: apply_rotary_emb(x.transpose(1, 2), kept, use_real=False).transpose(1, 2)

    return gather(
        ("rotary-embedding-torch", rotary_embedding_torch),
        ("transformers (Llama)", transformers),
        ("x-transformers", x_transformers),
        ("diffusers", diffusers),
        ("diffusers (complex)", diffusers_complex),
    )
