"""Parquet files with cells that their declared types do not allow: Arrow does not write them, other programs may."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from dprules.tables.parquet_footers import join_footer, split_footer, write_varint

_NAME, _CONVERTED_TYPE, _SCALE, _PRECISION, _LOGICAL_TYPE = 4, 6, 7, 8, 10
_I32, _DECIMAL = 5, 5
MAGIC = b"PAR1"
COLUMNS = ("number", "category", "cuts", "values", "who", "y", "unused")


@dataclass(frozen=True)
class Kind:
    """How a column stores small numbers, and a cell that its type does not allow."""

    stored: pa.DataType
    odd: object
    decimal: tuple[int, int] | None = None
    """Precision and scale, if the numbers are decimals."""
    size: int = 0
    """Bytes of a decimal that is stored as bytes."""

    def cell(self, number: int) -> object:
        if self.decimal is None:
            return number * 86_400_000
        unscaled = number * 10 ** self.decimal[1]
        return unscaled.to_bytes(self.size, "big", signed=True) if self.size else unscaled


KINDS = {
    "milliseconds": Kind(pa.timestamp("ms"), 2**62),
    "milliseconds in UTC": Kind(pa.timestamp("ms", "UTC"), -(2**62)),
    "decimal of 32 bits": Kind(pa.int32(), 8388607, (5, 2)),
    "decimal of 64 bits": Kind(pa.int64(), 2**46, (12, 2)),
    "decimal of 16 bytes": Kind(pa.binary(16), (2**70).to_bytes(16, "big"), (20, 0), 16),
    "decimal of more bytes": Kind(pa.binary(20), (2**100).to_bytes(20, "big"), (12, 2), 20),
    "decimal without bytes": Kind(pa.binary(), b"", (20, 0), 3),
    "decimal of too many bytes": Kind(pa.binary(), (2**80).to_bytes(20, "big"), (20, 0), 3),
    "decimal of very many bytes": Kind(pa.binary(), b"\1" * 1000, (5, 2), 2),
    "negative decimal": Kind(pa.binary(), b"\x80" + bytes(15), (38, 0), 2),
}


def declare_decimals(path: Path, decimals: dict[str, tuple[int, int]]) -> None:
    """Declare columns of a file as decimals of a precision and a scale; what is stored stays as it is."""
    data = path.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    before, columns, after = split_footer(data[-8 - size : -8])
    for column in columns:
        name = column[_NAME][1][1:].decode()
        if name in decimals:
            precision, scale = decimals[name]
            column.pop(_LOGICAL_TYPE, None)
            for number, value in ((_CONVERTED_TYPE, _DECIMAL), (_SCALE, scale), (_PRECISION, precision)):
                column[number] = (_I32, write_varint(2 * value))
    footer = join_footer(before, columns, after)
    path.write_bytes(data[: -8 - size] + footer + len(footer).to_bytes(4, "little") + MAGIC)


def write_odd(path: Path, kind: Kind, odd: Sequence[Sequence[str]]) -> Path:
    """Write twelve records, and one more for each set of columns, where these have the odd cell."""
    rows = [{name: kind.cell(1 + (i + at) % 3) for at, name in enumerate(COLUMNS)} for i in range(12)]
    for i, row in enumerate(rows):
        row["who"] = kind.cell(i)
    rows[5:5] = [rows[0] | dict.fromkeys(columns, kind.odd) for columns in odd]
    table = pa.table({name: pa.array([row[name] for row in rows], kind.stored) for name in COLUMNS})
    pyarrow.parquet.write_table(table, path, store_schema=False)
    if kind.decimal is not None:
        declare_decimals(path, dict.fromkeys(COLUMNS, kind.decimal))
    return path
