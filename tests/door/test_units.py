"""One odd cell in the column that says whose a row is: the rows of all other units stay as they were."""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.accounting import Unit
from dprules.mechanisms import SeededBits
from dprules.schema import Categorical, Label, Numeric, Schema
from dprules.tables import open_table, read_records

from .harness import Build, Record, RefusedError, Source, as_bytes, without_structs
from .odd import CELLS

SIZE = 24
PERSON = Categorical("person", ["1", "2", "3", "4"])
ROW = Numeric("row", range(1, SIZE + 2))
SCHEMA = Schema(Label("y", [0, 1]), [PERSON, ROW])
ROWS: list[Record] = [{"person": 1 + i % 4, "row": i, "y": i % 2} for i in range(SIZE)]


def appended(records: list[Record], odd: Record | None) -> dict[str, list[object]]:
    every = [*records, *([] if odd is None else [odd])]
    return {name: [record[name] for record in every] for name in ROWS[0]}


def csv(records: list[Record], odd: Record | None, folder: Path) -> Path:
    columns = appended(records, odd)
    lines = zip(*([as_bytes(cell) or b"" for cell in cells] for cells in columns.values()), strict=True)
    (folder / "d.csv").write_bytes(b"".join(b",".join(line) + b"\n" for line in [[*map(str.encode, columns)], *lines]))
    return folder / "d.csv"


BUILDS: dict[str, Build] = {
    "csv": csv,  # type: ignore[dict-item]
    "lists": lambda records, odd, folder: appended(list(records), odd),
    "pandas": lambda records, odd, folder: pd.DataFrame(appended(list(records), odd)),
    "pandas with categories": lambda records, odd, folder: pd.concat(
        [
            pd.DataFrame(appended(list(records), None)).astype({"person": "category"}),
            pd.DataFrame([] if odd is None else [odd]),
        ]
    ),
    "polars": lambda records, odd, folder: without_structs(pl.DataFrame(appended(list(records), odd), strict=False)),
    "arrow": lambda records, odd, folder: pa.table(appended(list(records), odd)),
}


def kept(source: object) -> dict[int, list[int]]:
    """The rows of each unit that are kept; those of an undeclared unit are under -1."""
    with open_table(source) as table:
        records = read_records(table, SCHEMA, Unit("person", 2), SeededBits(0))
    found: dict[int, list[int]] = {}
    for person, row in zip(records.codes(PERSON).tolist(), records.codes(ROW).tolist(), strict=True):
        found.setdefault(person, []).append(row)
    return found


@pytest.mark.parametrize("name", BUILDS)
def test_one_odd_unit_changes_no_other(name: str, tmp_path: Path) -> None:
    source = Source(BUILDS[name])
    before = kept(source.make(ROWS, None, tmp_path))
    assert {person: len(rows) for person, rows in before.items()} == dict.fromkeys(range(4), 2)
    wrong: dict[str, str] = {}
    for odd, cell in CELLS.items():
        try:
            after = kept(source.make(ROWS, {"person": cell, "row": SIZE, "y": 1}, tmp_path))
        except RefusedError:
            continue
        except Exception as error:
            wrong[odd] = f"{type(error).__name__}: {error}"
            continue
        own = PERSON.code(cell)
        others = {person: rows for person, rows in after.items() if person not in (own, -1)}
        if others != {person: rows for person, rows in before.items() if person != own} or len(after.get(-1, [])) > 1:
            wrong[odd] = "the rows of other units changed"
    assert not wrong


def test_rows_without_a_unit_are_left_out(tmp_path: Path) -> None:
    before = kept(appended(ROWS, None))
    for cell in (None, "", float("nan"), b"\xff", [1], object()):
        assert kept(appended(ROWS, {"person": cell, "row": SIZE, "y": 1})) == before
