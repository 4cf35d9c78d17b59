import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dprules.accounting import Unit
from dprules.errors import DataError
from dprules.mechanisms import SeededBits
from dprules.schema import Boolean, Label, Schema
from dprules.schema.cells import read_date, read_value
from dprules.tables import open_table, read_matrix, read_records, read_text_columns

Make = Callable[[str], str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Run statements in a new database and return its URL."""

    def run(statements: str) -> str:
        with duckdb.connect(str(tmp_path / "d.db")) as connection:
            connection.execute(statements)
        return f"duckdb:///{tmp_path / 'd.db'}"

    return run


TYPED = """CREATE TABLE t (b BOOLEAN, i INTEGER, u UBIGINT, h HUGEINT, d DECIMAL(5, 2), f FLOAT, x DOUBLE, s VARCHAR,
    day DATE, since TIMESTAMP, l INTEGER[], blob BLOB, e ENUM ('p', 'q'), "odd ""name" VARCHAR);
INSERT INTO t VALUES (true, -1, 18446744073709551615, 7, 1.50, 0.7, 0.1, 'a', '2020-01-01', '2020-01-01 00:00:00',
    [1], 'a', 'p', 'z');
INSERT INTO t (x, f) VALUES ('nan', 'inf');"""


def test_cells_of_every_type_as_text(make: Make) -> None:
    with open_table(make(TYPED), table="t") as table:
        cells = dict(zip(table.names, read_text_columns(table, table.names), strict=True))
    assert {name: column[0] for name, column in cells.items()} == {
        "b": "true",
        "i": "-1",
        "u": "18446744073709551615",
        "h": "7",
        "d": "1.50",
        "f": repr(float(np.float32(0.7))),
        "x": "0.1",
        "s": "a",
        "day": "2020-01-01",
        "since": "2020-01-01 00:00:00",
        "l": "[1]",
        "blob": "a",
        "e": "p",
        'odd "name': "z",
    }
    assert all(column[1] is None for column in cells.values())  # neither nan nor infinity is a value


def test_doubles_and_bytes_are_read_as_they_are(make: Make) -> None:
    """DuckDB 2.0 writes some powers of two as other numbers, and bytes beyond ASCII as escapes."""
    numbers = [2.0**81, 2.0**91, 1e-5, -0.0, 2.0**-40]
    written = ", ".join(f"('{number!r}'::DOUBLE, '\\xC3\\xA4'::BLOB)" for number in numbers)
    with open_table(make(f"CREATE TABLE t AS FROM (VALUES {written}) AS v(x, k)"), table="t") as table:
        found, texts = read_text_columns(table, ["x", "k"])
    assert found == [read_value(number) for number in numbers]
    assert texts == ["ä"] * len(numbers)


def test_kinds_are_those_of_the_types(make: Make) -> None:
    with open_table(make(TYPED), table="t") as table:
        kinds = table.kinds()
        assert repr(table) == "<table table t>"
    assert [name for name, kind in kinds.items() if kind == "numeric"] == ["i", "u", "h", "d", "f", "x"]
    assert [name for name, kind in kinds.items() if kind == "boolean"] == ["b"]
    assert [name for name, kind in kinds.items() if kind == "date"] == ["day", "since"]


def test_what_cannot_be_read_is_told_without_the_engine_s_words(make: Make, tmp_path: Path) -> None:
    url = make("CREATE TABLE t (a VARCHAR); INSERT INTO t VALUES ('secret-cell')")
    with (
        pytest.raises(DataError, match=r"has no table 'none' that can be read. Name one with --table") as caught,
        open_table(url, table="none"),
    ):
        pass
    assert caught.value.__context__ is None
    (tmp_path / "odd.db").write_bytes(b"secret-cell" * 1000)
    odd = f"duckdb:///{tmp_path / 'odd.db'}"
    with pytest.raises(DataError, match="is not a DuckDB file") as caught, open_table(odd, table="t"):
        pass
    assert "secret-cell" not in str(caught.value)
    view = make("CREATE VIEW v AS SELECT CAST(a AS INTEGER) AS a FROM t")
    with open_table(view, table="v") as table, pytest.raises(DataError, match="DuckDB cannot read") as caught:
        read_text_columns(table, ["a"])
    assert "secret-cell" not in str(caught.value)
    assert caught.value.__context__ is None


def test_what_is_computed_when_it_is_read_is_known(make: Make) -> None:
    url = make(
        "CREATE TABLE t AS SELECT 1 AS a; CREATE VIEW v AS FROM t; CREATE SCHEMA s; CREATE VIEW s.t AS FROM main.t;"
        "CREATE TABLE g (a INT, b INT GENERATED ALWAYS AS (a + 1)); CREATE TABLE s.w AS SELECT 1 AS rowid"
    )
    for name, computed in {"t": False, "main.T": False, "v": True, "s.t": True, "g": True, "s.w": False}.items():
        with open_table(url, table=name) as table:
            assert table.is_query is computed, name


def test_spill_folders_are_private_and_removed(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = make("CREATE TABLE t AS SELECT 1 AS a")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open_table(url, table="t"):
        (folder,) = tmp_path.glob("dprules-scratch-*")
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert not list(tmp_path.glob("dprules-scratch-*"))


def test_a_file_is_opened_for_reading_only(make: Make, tmp_path: Path) -> None:
    url = make("CREATE TABLE t AS SELECT 1 AS a")
    before = (tmp_path / "d.db").read_bytes()
    with open_table(url, table="t") as table:
        read_text_columns(table, ["a"])
    assert (tmp_path / "d.db").read_bytes() == before


WIDE = tuple(Boolean(f"b{i}") for i in range(250))


@pytest.mark.parametrize("kind", ["unit", "view"])
def test_the_rows_of_a_wide_table_stay_together(kind: str, make: Make) -> None:
    """All columns are equal, so every row must have equal codes, of tables and of views that have no order."""
    size = 4000
    cells = ", ".join(f"v AS b{i}" for i in range(250))
    any_of = ", ".join(f"bool_or(b{i}) b{i}" for i in range(250))
    url = make(
        f"CREATE TABLE t AS SELECT {cells}, 'no' AS y, i // 2 AS who "
        f"FROM (SELECT random() < 0.5 v, range i FROM range({size}));"
        f"CREATE VIEW grouped AS SELECT {any_of}, who FROM t GROUP BY who"
    )
    with open_table(url, table="t" if kind == "unit" else "grouped") as table:
        if kind == "unit":
            schema = Schema(Label("y", ("no", "yes")), WIDE)
            records = read_records(table, schema, Unit("who"), SeededBits(0))
            codes = np.column_stack([records.codes(column) for column in WIDE])
        else:
            codes = np.concatenate(list(read_matrix(table, WIDE)))
    assert len(codes) == size // 2
    assert (codes == codes[:, :1]).all()


def test_the_zone_of_the_machine_changes_no_date(make: Make) -> None:
    """In a process of its own: an engine asks for the zone once."""
    url = make("CREATE TABLE t (m TIMESTAMPTZ); INSERT INTO t VALUES ('2024-03-01 02:00:00+00')")
    code = (
        "from dprules.tables import open_table, read_text_columns\n"
        f"with open_table({url!r}, table='t') as table:\n"
        "    print(read_text_columns(table, ['m'])[0][0])"
    )
    environment = os.environ | {"TZ": "America/New_York"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert read_date(ran.stdout.strip()) == "2024-03-01"
