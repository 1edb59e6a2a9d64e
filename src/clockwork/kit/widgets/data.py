"""Tables that many views share, sent once as compact binary."""

import numpy as np
import traitlets

from clockwork.kit.widgets.widget import Widget

LARGEST = 32767  # of 16-bit integers
LEAST = -32768  # it stands for "not a number"


class Data(Widget):
    """Named arrays for JavaScript: real numbers as 16-bit integers times one scale an array, integers as they are.

    `Data(table=pe, hits=counts)`: `p.data.table.at(p, i)` in JavaScript. The error of a real number is at most
    max|x| / 65534, that is 1.6e-5 for values in −1 … 1.

    Raises:
        TraitError: An array is empty, infinite, or of integers beyond 32 bits.
    """

    _esm = "export default {}"

    header = traitlets.Dict().tag(sync=True)
    buffer = traitlets.Bytes().tag(sync=True)

    def __init__(self, **arrays):
        header = {}
        chunks = []
        start = 0
        for name, array in arrays.items():
            array = np.asarray(array.detach().cpu() if hasattr(array, "detach") else array)
            kind, scale, raw = _packed(name, array)
            chunk = raw.tobytes()
            header[name] = {"shape": list(array.shape), "scale": scale, "kind": kind, "start": start, "count": raw.size}
            chunks.append(chunk + bytes(-len(chunk) % 4))
            start += len(chunks[-1])
        super().__init__(header=header, buffer=b"".join(chunks))


def _packed(name: str, array: np.ndarray) -> tuple[str, float, np.ndarray]:
    if array.size == 0 or not np.isfinite(array[~np.isnan(array)]).all():
        raise traitlets.TraitError(f"{name} must hold finite numbers (they are drawn), got shape {array.shape}")
    if array.dtype.kind in "biu":
        largest = int(np.abs(array.astype("i8")).max())
        if largest >= 2**31:
            raise traitlets.TraitError(f"{name} must fit 32 bits (JavaScript reads them so), got {largest}")
        return ("int32", 1.0, array.astype("<i4")) if largest > LARGEST else ("int16", 1.0, array.astype("<i2"))
    array = array.astype("f8")
    scale = float(np.nanmax(np.abs(array), initial=0.0)) / LARGEST or 1.0
    return "real", scale, np.where(np.isnan(array), LEAST, np.rint(np.nan_to_num(array) / scale)).astype("<i2")
