"""Arrow arrays as NumPy arrays, without pandas.

Arrow's own `to_numpy` loads pandas. Python may then write pandas' compiled files to disk, so what is loaded must not
depend on cells: not on whether one is missing, or has many digits.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def to_numpy(array: pa.Array) -> NDArray[Any]:
    """Return the numbers or Booleans of an array without missing values."""
    if pa.types.is_boolean(array.type):
        return to_numpy(array.cast(pa.uint8())).astype(np.bool_)
    numbers: Any = np.from_dlpack(array)
    return np.asarray(numbers)
