"""Made-up neighbouring files, as users write them: a few rows, and one line more or another one."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from dprules.schema import Date, Label, Numeric, Schema

SCHEMA = Schema(Label("ill", ("no", "yes"), positive="yes"), (Numeric("age", (50.0,)),))
"""Of all files: one question, so that one record matters to every rule."""
BORN = Schema(SCHEMA.label, (Date("age", ["2015-01-01"]),))
"""Of files whose first column holds moments."""

Line = bytes
OLD_AND_ILL = b"60,yes"
ROWS = (b"20,no",) * 5 + (b"60,no",) * 5 + (OLD_AND_ILL,) * 5
"""Old people are ill as often as not: of small tables, one in which one record tells a list's draws the most."""
CLEAR_ROWS = (b"20,no",) * 8 + (OLD_AND_ILL,) * 8
"""Old people are ill: whoever misreads these rows learns something else."""

ENOUGH_ROWS = ((b"20,no",) * 3 + (b"20,yes", b"60,no") + (OLD_AND_ILL,) * 3) * 3
"""Enough for points at a large epsilon."""

ODD_LINES: dict[str, Line] = {
    "an unbalanced quote": b'"60,yes',
    "a quote inside": b'60",yes',
    "a torn end": b'60,"ye',
    "too many cells": b"60,yes,60,yes",
    "too few cells": b"60",
    "nothing in it": b"",
    "bytes that are not UTF-8": b"\xff\xfe60,yes",
    "a number with a unit": b"60 years,yes",
    "a number with an exponent": b"6e1,yes",
    "a number beyond doubles": b"1e999,yes",
    "an undeclared label": b"60,perhaps",
    "a huge cell": b"6" * 100_000 + b",yes",
    "a lone carriage return": b"60,yes\r60,yes\r60,yes",
    "null bytes": b"\x00\x00,yes",
}
"""Lines of CSV that nobody expects, by what they have."""

ODD_EVENTS: dict[str, Line] = {
    "torn JSON": b'{"age": 60, "ill": ',
    "bytes that are not UTF-8": b'{"age": "\xff", "ill": "yes"}',
    "an undeclared label": b'{"age": 60, "ill": "perhaps"}',
    "a list": b"[60, 60]",
}
"""Lines of JSON that nobody expects."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two files that differ in what one person has put in.

    Parameters
    ----------
    suffix : str
        Of their names: what kind of files they are.
    contents : tuple of bytes
        Of the first, which has the record, and of the other.
    """

    suffix: str
    contents: tuple[bytes, bytes]


def csv_with(line: Line, columns: bytes = b"age,ill", rows: Sequence[Line] = ROWS) -> Neighbours:
    """Return a table with a line among its rows, and without it."""
    middle = len(rows) // 2
    longer = [columns, *rows[:middle], line, *rows[middle:]]
    return Neighbours("csv", (_join(longer), _join([columns, *rows])))


def csv_of_units() -> Neighbours:
    """Return a table with all the rows of one person, and without them; everybody else has one."""
    others = [b"%d,%s" % (person, row) for person, row in enumerate(ROWS)]
    return csv_with(b"\n".join([b"zoe,60,yes", b"zoe,20,no", b"zoe,60,yes"]), b"who,age,ill", others)


def csv_exchanged() -> Neighbours:
    """Return two tables in which one row differs."""
    header = b"age,ill"
    return Neighbours("csv", (_join([header, OLD_AND_ILL, *ROWS]), _join([header, b"60,no", *ROWS])))


def parquet_with(age: str) -> Neighbours:
    """Return a Parquet file of texts with one row more, and without it."""
    cells = [row.decode().split(",") for row in ROWS]
    return Neighbours("parquet", (_write_parquet([*cells, [age, "yes"]]), _write_parquet(cells)))


def _write_parquet(cells: Sequence[Sequence[str]]) -> bytes:
    ages, labels = zip(*cells, strict=True)
    file = io.BytesIO()
    pq.write_table(pa.table({"age": list(ages), "ill": list(labels)}), file)
    return file.getvalue()


def parquet_exchanged(kind: pa.DataType, young: int, old: int, odd: int) -> Neighbours:
    """Return two Parquet files in which one cell differs: a usual one, and one that its type should not hold.

    Parameters
    ----------
    kind : DataType
        A decimal of 128 bits, or a moment.
    young, old, odd : int
        Cells as Arrow keeps them.
    """
    usual = [(young, "no")] * 8 + [(old, "yes")] * 8
    first, other = (_write_cells(kind, [*usual, (last, "yes")]) for last in (odd, old))
    return Neighbours("parquet", (first, other))


def _write_cells(kind: pa.DataType, rows: Sequence[tuple[int, str]]) -> bytes:
    numbers = b"".join(number.to_bytes(kind.bit_width // 8, "little", signed=True) for number, _ in rows)
    ages = pa.Array.from_buffers(kind, len(rows), [None, pa.py_buffer(numbers)])
    file = io.BytesIO()
    pq.write_table(pa.table({"age": ages, "ill": [label for _, label in rows]}), file)
    return file.getvalue()


def events_with_first(line: Line, other: Line, after: int) -> Neighbours:
    """Return two files of events in which the first line differs."""
    usual = write_event(60, "yes")
    return Neighbours("jsonl", (_join([line] + [usual] * after), _join([other] + [usual] * after)))


def events_with(line: Line, other: Line, before: int) -> Neighbours:
    """Return two files of events in which one line differs, after some others."""
    usual = write_event(60, "yes")
    return Neighbours("jsonl", (_join([usual] * before + [line]), _join([usual] * before + [other])))


def write_event(age: int, ill: str) -> Line:
    """Return an event as a line of JSON."""
    return json.dumps({"age": age, "ill": ill}).encode()


def _join(lines: Sequence[Line]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
