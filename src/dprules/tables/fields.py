"""Where the code of each column stands in the words of a record: a few bits each, so that a record is a word or two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from dprules.schema import MISSING, Categorical, Column, Date, Ordered, PrivateCuts, PrivateValues, Schema
from dprules.schema.grids import cut_grid
from dprules.tables.compiled import compiled, reads, writes
from dprules.tables.packed import Words, transpose_square

LABEL = ""
"""The name of the label's field: no column is called so."""
MOST_FORMS = 1 << 30
"""Different values of a column whose values are private, in one block of records."""


@dataclass(frozen=True, slots=True)
class Field:
    """Some bits of a word. They hold a code from 0 to `size`, where `size` stands for a missing cell."""

    word: int
    shift: int
    size: int

    @property
    def mask(self) -> int:
        """The bits, moved to the right end."""
        return (1 << max(1, self.size.bit_length())) - 1


class Layout:
    """The fields of a record: public, since it follows from the schema.

    Parameters
    ----------
    schema : Schema
        A column whose cuts are private has a code for each place between two neighbours of its grid; one whose values
        are private has a place in a list that each block of records has.
    """

    def __init__(self, schema: Schema) -> None:
        sizes = {LABEL: len(schema.label.classes)} | {column.name: _size_of(column) for column in schema.columns}
        self.fields: Mapping[str, Field] = _place(sizes)
        self.words = 1 + max(field.word for field in self.fields.values())
        """Words of a record."""
        self._grids = {column.name: cut_grid(column) for column in schema.private_cuts}
        self.bits = sum(field.mask.bit_length() for field in self.fields.values())
        """Bits of a record that are used."""

    def meanings(self, column: Column, forms: Mapping[str, Sequence[str]]) -> NDArray[np.int64]:
        """Return the code that each number in a column's field stands for, now that cuts and values are known.

        Parameters
        ----------
        column : Column
            As it is now.
        forms : mapping
            What places stand for where values were private, from place 1 on.
        """
        if isinstance(column, Categorical) and column.name in forms:
            # Every form matches as its cells would: a form is read as itself.
            known = column.forms
            return np.array([MISSING, *(known.get(form, MISSING) for form in forms[column.name])], dtype=np.int64)
        if isinstance(column, Ordered) and column.name in self._grids:
            # Cuts lie on the grid: how many of them a number reaches follows from the last place that it reaches.
            cuts = np.array(column.days if isinstance(column, Date) else column.cuts, dtype=np.float64)
            reached = np.searchsorted(cuts, np.array(self._grids[column.name]), side="right")
            return np.concatenate([[0], reached, [MISSING]])
        return np.append(np.arange(self.fields[column.name].size), MISSING)


def _size_of(column: Column) -> int:
    if isinstance(column, PrivateCuts):
        return len(cut_grid(column)) + 1
    return MOST_FORMS if isinstance(column, PrivateValues) else column.size


def _place(sizes: Mapping[str, int]) -> dict[str, Field]:
    """Fill one word after the other; no field is cut in two."""
    found = {}
    word = used = 0
    for name, size in sizes.items():
        width = max(1, size.bit_length())
        if used + width > 64:
            word, used = word + 1, 0
        found[name] = Field(word, used, size)
        used += width
    return found


def put_codes(words: Words, field: Field, codes: NDArray[np.signedinteger]) -> None:
    """Write the codes of a column into empty bits; -1 is a missing cell."""
    kind = np.int16 if codes.dtype == np.int16 else np.int32
    _put(words[field.word], np.require(codes, kind, ["C", "A"]), field.shift, field.size)


@compiled(
    (writes(types.uint64), reads(types.int16), types.int64, types.int64),
    (writes(types.uint64), reads(types.int32), types.int64, types.int64),
)
def _put(row: Words, codes: NDArray[np.int32], shift: int, size: int) -> None:
    move = np.uint64(shift)
    for i in range(len(codes)):
        code = codes[i]
        row[i] |= np.uint64(code if code >= 0 else size) << move


def take_codes(words: Words, field: Field) -> NDArray[np.int64]:
    """Return the codes of a column; `field.size` is a missing cell."""
    codes: NDArray[np.int64] = ((words[field.word] >> np.uint64(field.shift)) & np.uint64(field.mask)).view(np.int64)
    return codes


class Bitmaps:
    """Which of up to thousands of bits each code of each field sets: the plan of `spread_bits`.

    Parameters
    ----------
    truths : sequence of (Field, array of bool)
        For each bit of a record its field, and whether it is set, by code; the last code is a missing cell.
    """

    def __init__(self, truths: Sequence[tuple[Field, NDArray[np.bool_]]]) -> None:
        entries: list[tuple[int, int, int, int]] = []
        tables: list[Words] = []
        starts = [0]
        offset = 0
        for begin in range(0, len(truths), 64):
            groups: dict[int, tuple[Field, Words]] = {}
            for bit, (field, truth) in enumerate(truths[begin : begin + 64]):
                _, table = groups.setdefault(id(field), (field, np.zeros(len(truth), dtype=np.uint64)))
                table |= truth.astype(np.uint64) << np.uint64(bit)
            for field, table in groups.values():
                entries.append((field.word, field.shift, field.mask, offset))
                tables.append(table)
                offset += len(table)
            starts.append(len(entries))
        self.size = len(truths)
        self.entries = np.array(entries, dtype=np.int64).reshape(-1, 4)
        self.tables = np.concatenate(tables) if tables else np.zeros(0, dtype=np.uint64)
        self.starts = np.array(starts, dtype=np.int64)


def spread_bits(words: Words, bitmaps: Bitmaps) -> Words:
    """Return a packed column for each bit of a record."""
    size = words.shape[1]
    columns = np.zeros((bitmaps.size, (size + 63) // 64), dtype=np.uint64)
    _spread(np.ascontiguousarray(words), bitmaps.entries, bitmaps.tables, bitmaps.starts, columns)
    return columns


@compiled(
    (
        reads(types.uint64, 2),
        reads(types.int64, 2),
        reads(types.uint64),
        reads(types.int64),
        writes(types.uint64, 2),
    )
)
def _spread(words: Words, entries: NDArray[np.int64], tables: Words, starts: NDArray[np.int64], columns: Words) -> None:
    """64 records and 64 bits at a time: look up the bits of each record, and exchange rows and columns."""
    square = np.empty(64, dtype=np.uint64)
    for group in range(len(starts) - 1):
        width = min(64, len(columns) - 64 * group)
        for w in range(columns.shape[1]):
            first = 64 * w
            size = min(64, words.shape[1] - first)
            square[:] = np.uint64(0)
            for e in range(starts[group], starts[group + 1]):
                row = words[entries[e, 0]]
                shift = np.uint64(entries[e, 1])
                mask = np.uint64(entries[e, 2])
                offset = np.uint64(entries[e, 3])  # unsigned: no place counts from the end
                for i in range(size):
                    square[i] |= tables[offset + ((row[first + i] >> shift) & mask)]
            transpose_square(square)
            for k in range(width):
                columns[64 * group + k, w] = square[k]
