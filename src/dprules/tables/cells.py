"""Columns of cells, of whatever kind a source has them in, read by the one reader of cells.

A distinct cell is read once (`Column.code`) and the codes are spread by position. Where whole columns can be read
faster (Booleans, 64-bit numbers), a test holds the result against the reader cell by cell.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import types
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import (
    MISSING,
    Boolean,
    Clipped,
    Column,
    Numeric,
    Positive,
    PrivateCuts,
    PrivateDates,
    PrivateValues,
)
from dprules.schema.cells import LARGEST_NUMBER, read_number, read_value
from dprules.schema.grids import cut_grid
from dprules.tables.arrow import to_numpy
from dprules.tables.compiled import compiled, reads, writes
from dprules.tables.texts import TextCells

Codes = NDArray[np.int16]
Places = NDArray[np.int32]
_FEW_CUTS = 8
"""Cuts up to which each number is compared with all."""
Floats = NDArray[np.float64]
Read = Callable[[object], Any]


class CodedCells(Private):
    """Cells as positions in a list of values; -1 is a missing cell."""

    __slots__ = ("places", "values")

    def __init__(self, places: NDArray[np.integer], values: Sequence[object]) -> None:
        self.places = places
        self.values = values

    def __len__(self) -> int:
        return len(self.places)


Cells = Any
"""One column of a batch: a NumPy array, an Arrow array, a sequence of Python objects, `CodedCells` or
`TextCells`."""


def read_codes(column: Column, cells: Cells) -> Codes:
    """Return the code of each cell."""
    if isinstance(column, Boolean | Positive):
        truths = _as_booleans(cells)
        if truths is not None:
            return truths
    if isinstance(column, Numeric) and isinstance(cells, TextCells):
        return _codes_of_numbers(column, _numbers_of_texts(cells, column.decimal))
    if isinstance(column, Numeric | Positive):
        numbers = _as_numbers(cells)
        if numbers is not None:
            return _codes_of_numbers(column, numbers)
    codes: Codes = spread_cells(cells, column.code, MISSING, np.dtype(np.int16))
    return codes


def read_places(column: PrivateCuts, cells: Cells) -> Places:
    """Return for each cell how many places of the grid its number reaches, of dates the day; MISSING: no number."""
    grid = _grid_of(column)
    fast = _as_private_numbers(column, cells)
    if fast is not None:
        found: Places = count_reached(fast, grid, np.empty(len(fast), dtype=np.int32))
        return found

    def place(cell: object) -> int:
        number = column.read(cell)
        return MISSING if number is None else int(np.searchsorted(grid, number, side="right"))

    places: Places = spread_cells(cells, place, MISSING, np.dtype(np.int32))
    return places


@lru_cache(maxsize=64)
def _grid_of(column: PrivateCuts) -> Floats:
    return np.array(cut_grid(column), dtype=np.float64)


def count_reached(numbers: Floats, cuts: Floats, found: Any) -> Any:
    """Write how many of the increasing cuts each number reaches; MISSING where it is not finite, or too large."""
    numbers = np.require(numbers, np.float64, ["C", "A"])
    if len(cuts) > _FEW_CUTS:
        _search_cuts(numbers, cuts, found)
        return found
    # No number that is read reaches infinity; a fixed number of cuts is compared all at once.
    filled = np.full(_FEW_CUTS, np.inf)
    filled[: len(cuts)] = cuts
    _compare_cuts(numbers, filled, found)
    return found


@compiled(
    (reads(types.float64), reads(types.float64), writes(types.int16)),
    (reads(types.float64), reads(types.float64), writes(types.int32)),
)
def _compare_cuts(numbers: Floats, cuts: Floats, found: Places) -> None:
    for i in range(len(numbers)):
        number = numbers[i]
        reached = np.int32(0)
        for k in range(_FEW_CUTS):
            reached += np.int32(number >= cuts[k])
        found[i] = reached if abs(number) < LARGEST_NUMBER else np.int32(MISSING)


@compiled(
    (reads(types.float64), reads(types.float64), writes(types.int16)),
    (reads(types.float64), reads(types.float64), writes(types.int32)),
)
def _search_cuts(numbers: Floats, cuts: Floats, found: Places) -> None:
    for i in range(len(numbers)):
        number = numbers[i]
        low, high = 0, len(cuts)
        while low < high:
            middle = (low + high) // 2
            if number >= cuts[middle]:
                low = middle + 1
            else:
                high = middle
        found[i] = low if abs(number) < LARGEST_NUMBER else MISSING


def read_numbers(column: PrivateCuts, cells: Cells) -> Floats:
    """Return the number of each cell, of dates the day, NaN where it is missing."""
    fast = _as_private_numbers(column, cells)
    if fast is not None:
        return np.where(np.abs(fast) < LARGEST_NUMBER, fast, np.nan)
    numbers: Floats = spread_cells(cells, lambda cell: _or_nan(column.read(cell)), np.nan, np.dtype(np.float64))
    return numbers


def read_clipped(column: Column, cells: Cells) -> Floats:
    """Return numbers as `Clipped.number` reads them: a missing number is 0."""
    if not isinstance(column, Clipped):
        raise TypeError("only clipped columns are weighed as numbers")
    if isinstance(cells, TextCells):
        # A number that was clipped is clipped to itself.
        return column.numbers(cells.numbers(column.number))
    fast = _as_numbers(cells)
    if fast is not None:
        return column.numbers(np.where(np.abs(fast) < LARGEST_NUMBER, fast, np.nan))
    numbers: Floats = spread_cells(cells, column.number, 0.0, np.dtype(np.float64))
    return numbers


def read_forms(column: PrivateValues, cells: Cells, known: dict[str, int]) -> NDArray[np.int64]:
    """Return a number for each different form of a value, -1 where it is missing; `known` grows from batch to batch."""

    def identify(cell: object) -> int:
        form = column.form(cell)
        return -1 if form is None else known.setdefault(form, len(known))

    found: NDArray[np.int64] = spread_cells(cells, identify, -1, np.dtype(np.int64))
    return found


def read_texts(cells: Cells) -> list[str | None]:
    """Return the text of each cell."""
    texts: list[str] = []
    known: dict[str, int] = {}

    def place(cell: object) -> int:
        text = read_value(cell)
        if text is None:
            return -1
        if text not in known:
            known[text] = len(texts)
            texts.append(text)
        return known[text]

    places = spread_cells(cells, place, -1, np.dtype(np.int64))
    return [None if at < 0 else texts[at] for at in places.tolist()]


def count_values(cells: Cells, counts: dict[str, int]) -> None:
    """Add how often each text occurs: only where values are public."""
    for text in read_texts(cells):
        if text is not None:
            counts[text] = counts.get(text, 0) + 1


def _or_nan(number: float | None) -> float:
    return np.nan if number is None else number


def _codes_of_numbers(column: Numeric | Positive, numbers: Floats) -> Codes:
    if isinstance(column, Numeric):
        found: Codes = count_reached(
            numbers, np.array(column.cuts, dtype=np.float64), np.empty(len(numbers), dtype=np.int16)
        )
        return found
    codes = (numbers > 0).astype(np.int16)
    codes[~(np.abs(numbers) < LARGEST_NUMBER)] = MISSING
    return codes


def _as_booleans(cells: Cells) -> Codes | None:
    """Return 0, 1 or MISSING for a column of Booleans, None for any other."""
    if isinstance(cells, np.ndarray) and cells.dtype == np.bool_:
        truths: Codes = cells.astype(np.int16)
        return truths
    if isinstance(cells, pa.Array) and pa.types.is_boolean(cells.type):
        codes: Codes = to_numpy(cells.cast(pa.int8()).fill_null(MISSING)).astype(np.int16)
        return codes
    return None


def _as_numbers(cells: Cells) -> Floats | None:
    """Return floats for a column of numbers, None for any other column.

    Where they are not finite, or too large, the reader finds no number.
    """
    if isinstance(cells, pa.Array) and (pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)):
        wide = _encodable(cells).cast(pa.float64(), safe=False)
        filled = wide.fill_null(np.nan) if wide.null_count else wide
        numbers = to_numpy(filled)
    elif isinstance(cells, np.ma.MaskedArray):
        return None  # each cell for itself: what is hidden is missing
    elif isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            numbers = np.ascontiguousarray(cells, dtype=np.float64)
    else:
        return None
    found: Floats = numbers
    return found


def _as_private_numbers(column: PrivateCuts, cells: Cells) -> Floats | None:
    """Return floats for a column of numbers or of texts, None for any other, and for dates: a number is none."""
    if isinstance(column, PrivateDates):
        return None
    return _numbers_of_texts(cells, column.decimal) if isinstance(cells, TextCells) else _as_numbers(cells)


def _numbers_of_texts(cells: TextCells, decimal: str) -> Floats:
    return cells.numbers(lambda cell: _or_nan(read_number(cell, decimal)), decimal)


def spread_cells(cells: Cells, read: Read, missing: object, kind: np.dtype[Any]) -> Any:
    """Read each different cell once, and put the result at every place where it stands."""
    if isinstance(cells, pa.RunEndEncodedArray):
        return spread_cells(or_each(pc.run_end_decode, cells), read, missing, kind)
    if isinstance(cells, pa.DictionaryArray):
        table = spread_cells(cells.dictionary, read, missing, kind)
        return np.concatenate([table, np.array([missing], dtype=kind)])[_places(cells)]
    if isinstance(cells, pa.Array):
        cells = code_cells(cells)
    if isinstance(cells, TextCells):
        cells = CodedCells(*cells.coded())
    if isinstance(cells, CodedCells):
        table = np.array([*(read(value) for value in cells.values), missing], dtype=kind)
        return table[cells.places]
    # Of NumPy's own texts each cell for itself: missing ones would be given the places of others.
    if isinstance(cells, np.ndarray) and cells.dtype.kind not in "OVT" and not isinstance(cells, np.ma.MaskedArray):
        values, places = _unique(cells)
        return np.array([read(value) for value in values] or [missing], dtype=kind)[places]
    return np.array([read(cell) for cell in cells], dtype=kind)


def _unique(cells: NDArray[Any]) -> tuple[list[object], NDArray[np.int64]]:
    """Different cells as NumPy's scalars, which keep the width of floats."""
    values, places = np.unique(cells, return_inverse=True, equal_nan=False)
    return list(values), places.reshape(cells.shape)


def code_cells(cells: pa.Array) -> CodedCells:
    """Return cells of an Arrow array as positions; what Python cannot hold is missing."""
    kind = cells.type
    if pa.types.is_null(kind) or pa.types.is_nested(kind):
        return CodedCells(np.full(len(cells), -1, dtype=np.int64), [])
    encoded = or_each(lambda whole: pc.dictionary_encode(_encodable(whole)), cells)
    if isinstance(encoded, list):
        return CodedCells(np.arange(len(encoded)), encoded)
    return CodedCells(_places(encoded), [_python(value) for value in encoded.dictionary])


def or_each(convert: Callable[[pa.Array], pa.Array], cells: pa.Array) -> pa.Array | list[object]:
    """Return what an engine makes of a batch of cells; where it fails, each cell by itself, missing where it fails too.

    So no cell decides how, or whether, the others are read (`docs/proofs/door.md`).
    """
    try:
        return convert(cells)
    except MemoryError:
        raise
    except Exception:  # for one cell, or for the type of all of them
        return [_python(value) for value in cells]


def _places(cells: pa.DictionaryArray) -> NDArray[np.integer]:
    """Positions in a dictionary, -1 where there is none; indices may be unsigned."""
    if not cells.indices.null_count:
        return to_numpy(cells.indices)
    return to_numpy(cells.indices.cast(pa.int64()).fill_null(-1))


def _encodable(cells: pa.Array) -> pa.Array:
    """Text as bytes, which need not be UTF-8; times in microseconds, as Python has them."""
    kind = cells.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        return cells.cast(pa.large_binary())
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        # Arrow would round towards 1970, pandas and NumPy round down.
        ticks = to_numpy(cells.view(pa.int64()).fill_null(0)) // 1000
        buffers = [pc.is_valid(cells).buffers()[1], pa.py_buffer(ticks)]
        return pa.Array.from_buffers(pa.timestamp("us", kind.tz), len(cells), buffers)
    if kind == pa.float16():
        return cells.cast(pa.float32())
    return cells


def zone_free(cells: pa.Array) -> pa.Array:
    """Return moments in UTC: those of Parquet and Spark have no zone of their own, whatever somebody wrote beside."""
    kind = cells.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return cells.cast(pa.timestamp(kind.unit, "UTC"))
    return cells


def _python(value: pa.Scalar) -> object:
    try:
        cell = value.as_py()
        # Files and other programs may hold decimals that their own type does not allow.
        too_long = isinstance(cell, Decimal) and len(cell.as_tuple().digits) > value.type.precision
        return None if too_long else cell
    except Exception:  # what Python cannot hold, such as dates beyond the year 9999
        return None
