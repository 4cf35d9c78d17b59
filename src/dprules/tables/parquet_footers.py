"""Footers of Parquet files, in which decimals are the bytes that they are stored as.

Arrow stops at a decimal of too many bytes, or of no bytes. It reads bytes as such whatever they are. So in a copy of
the footer columns of decimals that are stored as bytes are columns of bytes. What the bytes mean is read here, cell by
cell (`docs/proofs/door.md`). A footer is written in Thrift's compact protocol.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from dprules.tables.cells import CodedCells, code_cells

Fields = dict[int, tuple[int, bytes]]
"""Of a structure: the type and the bytes of each field, by its number."""
_SCHEMA = 2
"""The number of the footer's field that describes the columns."""
_NAME, _CHILDREN = 4, 5
_MEANINGS = (6, 7, 8, 10)
"""Fields of a column that say what its bytes mean: converted type, scale, precision, logical type."""
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCTURE = 1, 2, 3, 7, 8, 9, 10, 11, 12
_MAGIC = b"PAR1"
_BYTES = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_LONGEST = 32
"""Bytes of the widest decimals that engines have."""


@dataclass(frozen=True, slots=True)
class DecimalType:
    """The declared type of a column of decimals.

    Parameters
    ----------
    precision : int
        Digits that a decimal may have.
    scale : int
        Digits after the point.
    """

    precision: int
    scale: int

    def read(self, cell: object) -> Decimal | None:
        """Return the decimal that bytes stand for, the highest first; None: too many bytes or digits, or no bytes.

        Examples
        --------
        >>> DecimalType(5, 2).read(bytes([0, 150])), DecimalType(5, 2).read(b"")
        (Decimal('1.50'), None)
        """
        if not isinstance(cell, bytes) or not 1 <= len(cell) <= _LONGEST:
            return None
        unscaled = int.from_bytes(cell, "big", signed=True)
        digits = tuple(map(int, str(abs(unscaled))))
        return Decimal((int(unscaled < 0), digits, -self.scale)) if len(digits) <= self.precision else None

    def read_all(self, cells: pa.Array) -> CodedCells:
        """Return the decimals of a column of bytes, each different one once."""
        coded = code_cells(cells)
        return CodedCells(coded.places, [self.read(cell) for cell in coded.values])


def find_byte_decimals(schema: Any) -> dict[str, DecimalType]:
    """Return the types of the columns of decimals that are stored as bytes.

    Parameters
    ----------
    schema : pyarrow.parquet.ParquetSchema
        Of a file. Columns inside other columns are left out: they are not read.
    """
    columns = [schema.column(at) for at in range(len(schema))]
    return {
        column.name: DecimalType(int(column.precision), int(column.scale))
        for column in columns
        if column.logical_type.type == "DECIMAL" and column.physical_type in _BYTES and column.path == column.name
    }


def read_plain_metadata(path: Path, plain: Collection[str]) -> Any:
    """Return the metadata of a file in which the cells of some columns are bytes."""
    from pyarrow.parquet import read_metadata

    with path.open("rb") as file:
        file.seek(-8, 2)
        size = int.from_bytes(file.read(4), "little")
        file.seek(-8 - size, 2)
        footer = file.read(size)
    before, columns, after = split_footer(footer)
    for column in _find_highest(columns):
        if _read_name(column) in plain:
            for number in _MEANINGS:
                column.pop(number, None)
    changed = join_footer(before, columns, after)
    return read_metadata(pa.BufferReader(_MAGIC + changed + len(changed).to_bytes(4, "little") + _MAGIC))


def split_footer(footer: bytes) -> tuple[bytes, list[Fields], bytes]:
    """Return a footer as what precedes the description of its columns, the columns, and what follows."""
    reader = _Reader(footer)
    for number, kind in reader.fields():
        if number == _SCHEMA:
            break
        reader.skip(kind)
    before = footer[: reader.at]
    columns = [reader.structure() for _ in range(reader.list_size())]
    return before, columns, footer[reader.at :]


def join_footer(before: bytes, columns: Sequence[Fields], after: bytes) -> bytes:
    """Return the footer that `split_footer` takes apart."""
    size = len(columns)
    header = bytes([size << 4 | _STRUCTURE]) if size < 15 else bytes([0xF0 | _STRUCTURE]) + write_varint(size)
    return before + header + b"".join(map(_write_structure, columns)) + after


def write_varint(number: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first.

    Examples
    --------
    >>> write_varint(300).hex()
    'ac02'
    """
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


def _find_highest(columns: Sequence[Fields]) -> Iterator[Fields]:
    """Return the columns that are inside no other: the first is the table itself, and a group precedes its parts."""
    at = 1
    for _ in range(_count_children(columns[0])):
        yield columns[at]
        at = _find_next(columns, at)


def _find_next(columns: Sequence[Fields], at: int) -> int:
    following = at + 1
    for _ in range(_count_children(columns[at])):
        following = _find_next(columns, following)
    return following


def _count_children(column: Fields) -> int:
    if _CHILDREN not in column:
        return 0
    return _Reader(column[_CHILDREN][1]).varint() >> 1  # a number that is not negative is written twice as large


def _read_name(column: Fields) -> str:
    reader = _Reader(column[_NAME][1])
    size = reader.varint()
    return column[_NAME][1][reader.at : reader.at + size].decode()


def _write_structure(fields: Fields) -> bytes:
    written = []
    before = 0
    for number, (kind, value) in sorted(fields.items()):
        written += [bytes([number - before << 4 | kind]), value]
        before = number
    return b"".join([*written, b"\0"])


class _Reader:
    """Reads bytes of the compact protocol from the first on.

    Parameters
    ----------
    data : bytes
        What is read.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def byte(self) -> int:
        """Return the next byte."""
        self.at += 1
        return self._data[self.at - 1]

    def varint(self) -> int:
        """Return the next number."""
        number = shift = 0
        while (group := self.byte()) & 0x80:
            number |= (group & 0x7F) << shift
            shift += 7
        return number | group << shift

    def fields(self) -> Iterator[tuple[int, int]]:
        """Return the number and the type of each field; the caller reads its value before the next."""
        number = 0
        while header := self.byte():
            step = header >> 4
            number = number + step if step else self.varint() >> 1
            yield number, header & 15

    def structure(self) -> Fields:
        """Return the fields of a structure."""
        found: Fields = {}
        for number, kind in self.fields():
            start = self.at
            self.skip(kind)
            found[number] = kind, self._data[start : self.at]
        return found

    def list_size(self) -> int:
        """Return how many members a list has, of which the first follows."""
        return self._list_header()[0]

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        if kind == _BYTE:
            self.at += 1
        elif kind == _DOUBLE:
            self.at += 8
        elif kind == _BINARY:
            size = self.varint()
            self.at += size
        elif kind in (_LIST, _SET):
            self._skip_members(*self._list_header())
        elif kind == _MAP:
            self._skip_map()
        elif kind == _STRUCTURE:
            self.structure()
        elif kind not in (_TRUE, _FALSE):  # a Boolean is in the field's type; the others are numbers
            self.varint()

    def _list_header(self) -> tuple[int, int]:
        header = self.byte()
        size = header >> 4
        return (self.varint() if size == 15 else size), header & 15

    def _skip_members(self, size: int, kind: int) -> None:
        for _ in range(size):
            if kind in (_TRUE, _FALSE):  # in a list a Boolean has a byte
                self.at += 1
            else:
                self.skip(kind)

    def _skip_map(self) -> None:
        size = self.varint()
        if size:
            kinds = self.byte()
            for _ in range(size):
                self._skip_members(1, kinds >> 4)
                self._skip_members(1, kinds & 15)
