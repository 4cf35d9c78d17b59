"""Rows of PostgreSQL's binary COPY: how they are read without an object for each cell."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from dprules.private import Private
from dprules.tables.cells import Cells, CodedCells
from dprules.tables.compiled import compiled, reads, writes
from dprules.tables.engines.postgres_packing import UTF8, Packing
from dprules.tables.texts import TextCells

ROWS = 1 << 13
"""Records of a batch."""
MOST_BYTES = 1 << 28
"""Of a batch: places in it have 32 bits, and a single row is below 2^30."""
_SIGNATURE = 19
"""Bytes before the first row."""
_SPARE = 16
Spots = NDArray[np.int32]


class CopiedRows(Private):
    """Some rows: where each field begins and ends in their bytes.

    Parameters
    ----------
    rows : sequence of bytes
        One for each row, as the server sends it.
    fields : int
        Fields of a row.
    """

    __slots__ = ("_begins", "_data", "_ends")

    def __init__(self, rows: Sequence[bytes], fields: int) -> None:
        joined = b"".join(rows)
        self._data = np.zeros((len(joined) + _SPARE + 7) // 8 * 8, dtype=np.uint8)
        self._data[: len(joined)] = np.frombuffer(joined, dtype=np.uint8)
        self._begins = np.zeros((fields, len(rows)), dtype=np.int32)
        self._ends = np.zeros((fields, len(rows)), dtype=np.int32)
        _find_fields(self._data, self._begins, self._ends)

    def __len__(self) -> int:
        return int(self._begins.shape[1])

    def texts(self, field: int) -> TextCells:
        """Return a field as cells of text; an empty one is missing."""
        return TextCells(self._data, self._begins[field], self._ends[field])

    def numbers(self, field: int, size: int) -> NDArray[np.int64]:
        """Return the first bytes of a field as integers, eight bytes each but the last; a row for each integer."""
        words = -(-size // 8)
        bytes_ = np.zeros((len(self), 8 * words), dtype=np.uint8)
        places = self._begins[field][:, None] + np.arange(size)
        # The highest bytes of the last integer were not sent.
        sent = [at for at in range(8 * words) if at < size - size % 8 or at >= 8 * words - size % 8]
        bytes_[:, sent] = self._data[places]
        return np.ascontiguousarray(bytes_.view(">i8").astype(np.int64).T)

    def rests(self, field: int, size: int) -> Iterator[tuple[int, bytes]]:
        """Return what follows the first bytes of a field, where there is anything."""
        for row in np.flatnonzero(self._ends[field] - self._begins[field] > size).tolist():
            yield row, self._data[self._begins[field][row] + size : self._ends[field][row]].tobytes()


@compiled((reads(types.uint8), writes(types.int32, 2), writes(types.int32, 2)))
def _find_fields(data: Any, begins: Spots, ends: Spots) -> None:
    """A row has the number of its fields in two bytes; a field its length in four, -1 if there is none."""
    at = np.int32(0)
    for row in range(begins.shape[1]):
        at += 2
        for field in range(len(begins)):
            size = np.int32(0)
            for byte in range(4):
                size = np.int32((size << 8) | data[at + byte])
            at += 4
            begins[field, row] = at
            at += size if size > 0 else np.int32(0)
            ends[field, row] = at


def copy_rows(connection: Any, statement: bytes, fields: int) -> Iterator[CopiedRows]:
    """Run a query and return its rows, some at a time."""
    with connection.cursor() as cursor, cursor.copy(b"COPY (" + statement + b") TO STDOUT (FORMAT binary)") as copy:
        waiting: list[bytes] = []
        size = 0
        for row in _rows(copy):
            if len(waiting) == ROWS or (waiting and size + len(row) > MOST_BYTES):
                yield CopiedRows(waiting, fields)
                waiting = []
                size = 0
            waiting.append(row)
            size += len(row)
        if waiting:
            yield CopiedRows(waiting, fields)


def _rows(copy: Any) -> Iterator[bytes]:
    """Return the rows of a copy, without the signature before the first and the mark after the last."""
    first = True
    while data := copy.read():
        row = bytes(data)[_SIGNATURE if first else 0 :]
        first = False
        if len(row) > 2:
            yield row


def read_plain(packing: Packing, rows: CopiedRows, field: int, name: str) -> Cells:
    """Return the cells of a column that is sent as text."""
    cells = rows.texts(field)
    if packing.codec == UTF8 and not packing.is_float(name):
        return cells
    places, texts = cells.coded()
    return CodedCells(places, [packing.read_text(text, name) for text in texts])


def read_places(packing: Packing, rows: CopiedRows, field: int) -> dict[str, Cells]:
    """Return the cells of all columns that were foreseen: stand-ins, and texts where there are others."""
    words = rows.numbers(field, packing.size)
    others = _read_others(packing, rows, field)
    cells: dict[str, Cells] = {}
    for i, (one, (word, shift)) in enumerate(zip(packing.foreseen, packing.words, strict=True)):
        places = ((words[word] >> shift) & ((1 << one.bits) - 1)).astype(np.int32)
        values = list(one.cells)
        for row, text in others.get(i, ()):
            values.append(packing.read_text(text, one.name))
            places[row] = len(values)
        cells[one.name] = CodedCells(places - 1, values)  # 0: missing
    return cells


def _read_others(packing: Packing, rows: CopiedRows, field: int) -> dict[int, list[tuple[int, bytes]]]:
    """Return the cells that were not foreseen, by column: their rows and texts."""
    found: dict[int, list[tuple[int, bytes]]] = {}
    for row, rest in rows.rests(field, packing.size):
        for part in rest.split(b";")[:-1]:
            column, _, text = part.partition(b":")
            found.setdefault(int(column), []).append((row, bytes.fromhex(text.decode())))
    return found
