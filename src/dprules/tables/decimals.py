"""Plain decimals in a block of bytes, read as `float` reads their texts.

A decimal whose digits make an integer up to 2^53, times or over a power of ten up to 10^22, is one exact double times
or over another, so that the result is rounded once, as `float` rounds. Decimals with more digits are left to Arrow,
which rounds correctly too, and every other text to the reader of cells.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numba import types
from numpy.typing import NDArray

from dprules.tables.arrow import to_numpy
from dprules.tables.compiled import compiled, inlined, reads, writes

Bytes = NDArray[np.uint8]
Spots = NDArray[np.int32]
Floats = NDArray[np.float64]

_MOST_DIGITS = 18
"""Digits that fit 63 bits."""
_LONGEST = 32
"""Bytes of the longest cell that is looked at."""
_LARGEST_POWER = 60
"""Powers of ten up to which no cell that is looked at has a number which is too large."""
_EXACT = 2**53
_POWERS = np.array([10.0**power for power in range(23)])
_SPACE, _PLUS, _MINUS, _POINT, _ZERO = b" +-.0"


def parse_decimals(data: Bytes, begins: Spots, ends: Spots, decimal: str) -> tuple[Floats, NDArray[np.int64]]:
    """Return the numbers of cells that are plain decimals, and which cells are not.

    Parameters
    ----------
    data, begins, ends : arrays
        The cells, as `TextCells` has them.
    decimal : str
        The decimal mark, besides the point.
    """
    found = np.empty(len(begins), dtype=np.float64)
    if not _parse_cells(data, begins, ends, ord(decimal), found):
        return found, np.empty(0, dtype=np.int64)
    long = np.flatnonzero(np.isinf(found))
    if len(long):
        found[long] = _parse_long(data, begins[long], ends[long], ord(decimal))
    return found, np.flatnonzero(np.isnan(found))


def _parse_long(data: Bytes, begins: Spots, ends: Spots, mark: int) -> Floats:
    """Return the numbers of decimals with many digits; NaN for all if Arrow refuses one."""
    offsets = np.empty(len(begins) + 1, dtype=np.int64)
    texts = np.empty(int((ends - begins).sum()), dtype=np.uint8)
    _gather(data, begins, ends, mark, offsets, texts)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(texts)]
    try:
        numbers = pa.Array.from_buffers(pa.large_string(), len(begins), buffers).cast(pa.float64())
    except pa.ArrowException:
        return np.full(len(begins), np.nan)
    return to_numpy(numbers)


@compiled(
    (reads(types.uint8), reads(types.int32), reads(types.int32), types.int64, writes(types.int64), writes(types.uint8))
)
def _gather(data: Bytes, begins: Spots, ends: Spots, mark: int, offsets: NDArray[np.int64], texts: Bytes) -> None:
    """Copy decimals one after the other, with a point for the mark, and without spaces and plus signs."""
    size = 0
    for i in range(len(begins)):
        offsets[i] = size
        for at in range(begins[i], ends[i]):
            if data[at] != _SPACE and data[at] != _PLUS:
                texts[size] = _POINT if data[at] == mark else data[at]
                size += 1
    offsets[len(begins)] = size


@compiled((reads(types.uint8), reads(types.int32), reads(types.int32), types.int64, writes(types.float64)))
def _parse_cells(data: Bytes, begins: Spots, ends: Spots, mark: int, found: Floats) -> int:
    """Write numbers; infinity for a decimal with many digits, NaN for any other text. Return the number of these."""
    others = 0
    for i in range(len(begins)):
        begin = begins[i]
        end = ends[i]  # negative, and so before the beginning, where there are quotes
        while begin < end and data[begin] == _SPACE:
            begin += 1
        while begin < end and data[end - 1] == _SPACE:
            end -= 1
        plain = begin < end and ends[i] <= begins[i] + _LONGEST
        found[i] = _parse(data, begin, end, mark) if plain else np.nan
        others += not abs(found[i]) < np.inf
    return others


@inlined
def _parse(data: Bytes, begin: int, end: int, mark: int) -> Any:
    """Return the number of a text: infinity if it has many digits, NaN if it is no plain decimal."""
    negative = data[begin] == _MINUS
    at = begin + (negative or data[begin] == _PLUS)
    digits = 0
    fraction = 0
    pointed = False
    whole = np.int64(0)
    while at < end:
        digit = np.int64(data[at]) - _ZERO
        if 0 <= digit <= 9:
            whole = 10 * whole + digit
            digits += 1
            fraction += pointed
        elif not pointed and (data[at] == _POINT or data[at] == mark):
            pointed = True
        else:
            break
        at += 1
    power = _read_power(data, at, end) - fraction
    if digits == 0 or abs(power) > _LARGEST_POWER:
        return np.nan
    if digits > _MOST_DIGITS or whole > _EXACT or abs(power) >= len(_POWERS):
        return np.inf
    number = whole * _POWERS[power] if power > 0 else whole / _POWERS[-power]
    return -number if negative else number


@inlined
def _read_power(data: Bytes, at: int, end: int) -> Any:
    """Return the power of ten that a number ends with, 0 if with none, and one that is too large if it is not plain."""
    if at == end:
        return 0
    at += 1
    if data[at - 1] | 32 != 101:  # e or E
        return 1000
    negative = at < end and data[at] == _MINUS
    if negative or (at < end and data[at] == _PLUS):
        at += 1
    if not at < end <= at + 3:
        return 1000
    power = np.int64(0)
    while at < end:
        digit = np.int64(data[at]) - _ZERO
        if not 0 <= digit <= 9:
            return 1000
        power = 10 * power + digit
        at += 1
    return -power if negative else power
