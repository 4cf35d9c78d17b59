import gzip
import os
import stat
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from dprules.data import Boolean, Categorical, Label, Numeric, Unit, open_table
from dprules.data.draft import draft_schema, quantile_cuts
from dprules.errors import DataError, ParameterError

FRAME = pd.DataFrame(
    {
        "age": ["20", "31", "secret-cell", "60", None, "31"],
        "sex": ["f", "m", "f", "x", "m", "m"],
        "y": ["no", "yes", "no", "yes", "maybe", "yes"],
        "person": ["p", "p", "q", None, "r", "q"],
    }
)
COLUMNS = (Numeric("age", False, (30.0,)), Categorical("sex", False, ("f", "m")))
LABEL = Label("y", ("no", "yes"))
NAMES = ("age", "sex", "y")
EXPECTED = [(-1, 0, 0), (0, 0, 0), (1, -1, 1), (1, 1, 1), (1, 1, 1)]  # age, sex, label of rows with a declared label


def rows(codes):
    weights = np.ones(len(codes.labels), dtype=int) if codes.weights is None else codes.weights
    return sorted(
        (int(a), int(s), int(y))
        for (a, s), y, w in zip(codes.matrix, codes.labels, weights, strict=True)
        for _ in range(w)
    )


def csv(tmp_path, name="data.csv", **options):
    FRAME.to_csv(tmp_path / name, index=False, **options)
    return str(tmp_path / name)


def parquet(tmp_path):
    (tmp_path / "parts").mkdir()
    for i in range(2):
        pyarrow.parquet.write_table(pa.Table.from_pandas(FRAME[i::2]), tmp_path / "parts" / f"{i}.parquet")
    return tmp_path / "parts"


def database(tmp_path):
    with duckdb.connect(str(tmp_path / "d.db")) as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
    return f"duckdb:///{tmp_path / 'd.db'}"


SOURCES = {
    "csv": csv,
    "semicolons": lambda t: csv(t, sep=";"),
    "tabs": lambda t: csv(t, "data.tsv", sep="\t"),
    "gzip": lambda t: csv(t, "data.csv.gz"),
    "parquet folder": lambda t: str(parquet(t)),
    "parquet glob": lambda t: str(parquet(t) / "*.parquet"),
    "pandas": lambda t: FRAME,
    "polars": lambda t: pl.from_pandas(FRAME),
    "arrow": lambda t: pa.Table.from_pandas(FRAME),
    "path": lambda t: Path(csv(t)),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_gives_the_same_codes(source, tmp_path):
    with open_table(source(tmp_path)) as table:
        assert rows(table.sample_codes(COLUMNS, LABEL)) == EXPECTED
        assert len(table.codes(COLUMNS)) == 6


def test_a_database(tmp_path):
    url = database(tmp_path)
    for name in ("people", "main.people"):
        with open_table(url, table=name) as table:
            assert rows(table.sample_codes(COLUMNS, LABEL)) == EXPECTED
    with pytest.raises(ParameterError, match="needs the name of a table"), open_table(url):
        pass
    with pytest.raises(DataError, match="no such database file"), open_table("duckdb:///none.db", table="t"):
        pass


def test_a_unit_keeps_one_row_of_each(tmp_path):
    with open_table(csv(tmp_path)) as table:
        codes = table.bounded(Unit("person"), NAMES).sample_codes(COLUMNS, LABEL)
        assert len(rows(codes)) in (2,)  # p and q; r has no declared label, a row has no person
        assert len(rows(table.bounded(Unit("person", 2), NAMES).sample_codes(COLUMNS, LABEL))) == 4


def test_the_order_of_rows_is_kept_for_predictions(tmp_path):
    with open_table(csv(tmp_path)) as table:
        assert table.codes(COLUMNS).tolist() == [[0, 0], [1, 1], [-1, 0], [1, -1], [-1, 1], [1, 1]]
        assert table.columns(["sex"])["sex"].tolist() == FRAME["sex"].tolist()


@pytest.mark.slow
def test_ten_thousand_columns():
    random = np.random.default_rng(0)
    frame = pa.table({f"c{i}": random.random(20) < 0.5 for i in range(10_000)} | {"y": ["no", "yes"] * 10})
    columns = [Boolean(f"c{i}") for i in range(10_000)]
    with open_table(frame) as table:
        codes = table.sample_codes(columns, LABEL)
    assert codes.matrix.shape == (20, 10_000)
    assert (codes.matrix[:, 17] == np.array(frame["c17"])).all()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("none.csv", None, "no such file"),
        ("latin.csv", "age,sex,y\n20,m\xe4nnlich,no\n".encode("latin-1"), "not UTF-8"),
        ("broken.parquet", b"not parquet", "is not a Parquet file"),
        ("empty", "folder", "no CSV or Parquet files"),
        ("*.nothing", None, "no file matches"),
    ],
)
def test_files_that_cannot_be_read(name, content, sentence, tmp_path):
    if content == "folder":
        (tmp_path / name).mkdir()
    elif content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=sentence), open_table(str(tmp_path / name)) as table:
        table.sample_codes(COLUMNS, LABEL)


def test_a_missing_column_is_named_and_cells_are_not(tmp_path):
    with open_table(csv(tmp_path)) as table, pytest.raises(DataError) as caught:
        table.sample_codes((Numeric("weight", False, (1.0,)),), LABEL)
    assert "no column 'weight'. Check the header" in str(caught.value)
    assert "secret-cell" not in str(caught.value)


def test_engine_errors_never_quote_cells(tmp_path, monkeypatch):
    """A failing engine is answered with our sentence: no cause, no context, no cell."""
    with open_table(csv(tmp_path)) as table:

        def fail(*_arguments, **_options):
            raise RuntimeError("Could not convert string 'secret-cell' to DOUBLE")

        monkeypatch.setattr("ibis.expr.types.Table.to_pyarrow", fail)
        with pytest.raises(DataError) as caught:
            table.sample_codes(COLUMNS, LABEL)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "secret-cell" not in str(caught.value)


def test_spill_folders_are_private_and_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", None)
    source = csv(tmp_path)
    with open_table(source) as table:
        (folder,) = tmp_path.glob("dprules-*")
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        assert repr(table) == f"<table {source}>"
    assert not list(tmp_path.glob("dprules-*"))


def test_empty_tables_and_single_rows_are_not_errors(tmp_path):
    for size in (0, 1):
        FRAME[:size].to_csv(tmp_path / "few.csv", index=False)
        with open_table(str(tmp_path / "few.csv")) as table:
            assert len(table.sample_codes(COLUMNS, LABEL).labels) == size


def test_a_draft_reads_no_cell_unless_values_are_public(tmp_path):
    with open_table(csv(tmp_path)) as table:
        text = draft_schema(table, "y").to_toml()
        assert "secret-cell" not in text
        assert "yes" not in text
        public = draft_schema(table, "y", values_are_public=True)
    assert public.values_are_public
    assert public.label.classes == ("maybe", "no", "yes")
    assert "values_are_public = true" in public.to_toml()


def test_a_draft_of_typed_columns():
    frame = pa.table({"n": [1.5, 2.5], "b": [True, False], "t": ["u", "v"], "y": ["a", "b"]})
    with open_table(frame) as table:
        assert [type(c).__name__ for c in draft_schema(table, "y").columns] == ["PrivateCuts", "Boolean", "Categorical"]


def test_quantile_cuts_look_past_a_common_value():
    values = np.concatenate([np.zeros(900), np.arange(1, 101)]).astype(float)
    cuts = quantile_cuts(values, 4)
    assert len(cuts) == 4
    assert min(cuts) >= 20
    assert quantile_cuts(np.array([]), 4) == ()
    assert quantile_cuts(np.zeros(5), 4) == ()


@pytest.mark.slow
def test_private_cuts_are_near_the_quantiles():
    from dprules.data import PrivateCuts
    from dprules.data.cuts import private_cuts

    values = np.random.default_rng(0).normal(50, 10, 20_000)
    cuts = private_cuts(values, PrivateCuts("x", False, 0.0, 100.0, 3), epsilon=3.0)
    assert np.allclose(cuts, np.quantile(values, [0.25, 0.5, 0.75]), atol=1.0)


WIDE = tuple(Boolean(f"b{i}") for i in range(250))


@pytest.mark.parametrize("kind", ["unit", "view"])
def test_the_rows_of_a_wide_table_stay_together(kind, tmp_path):
    """Several queries for one table: all columns are equal, so every row must have equal codes."""
    size = 4000
    with duckdb.connect(str(tmp_path / "wide.db")) as connection:
        cells = ", ".join(f"v AS b{i}" for i in range(250))
        source = f"(SELECT random() < 0.5 v, range i FROM range({size}))"
        connection.execute(f"CREATE TABLE t AS SELECT {cells}, i // 2 AS who FROM {source}")
        any_of = ", ".join(f"bool_or(b{i}) b{i}" for i in range(250))
        connection.execute(f"CREATE VIEW grouped AS SELECT {any_of}, who FROM t GROUP BY who")
    with open_table(f"duckdb:///{tmp_path / 'wide.db'}", table="t" if kind == "unit" else "grouped") as table:
        if kind == "unit":
            table = table.bounded(Unit("who"), [column.name for column in WIDE])
        codes = table.codes(WIDE)
    assert len(codes) == size // 2
    assert (codes == codes[:, :1]).all()


HEAD = "age,sex,y\n"
LINES = "".join(f"{20 + i % 50},{'fm'[i % 2]},{('no', 'yes')[i % 3 == 0]}\n" for i in range(30_000))
ODD_LINES = {
    "quotes": '40,"f",no\n',
    "a quoted delimiter": '40,"f,m",no\n',
    "a quoted line end": '40,"f\nm",no\n',
    "another line end": "40,f,no\r\n",
    "too many cells": "40,f,no" + ",x" * 20_000 + "\n",
    "too few cells": "40\n",
    "an empty line": "\n",
    "a null byte": "40,\0,no\n",
    "a long cell": "40," + "x" * 5_000_000 + ",no\n",
    "another delimiter": "40;f;no" + ";" * 100 + "\n",
}


@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES)
def test_one_line_never_changes_how_others_are_read(line, tmp_path):
    """A neighbour has one more line: at most one row more, and the same columns."""

    def read(text):
        (tmp_path / "d.csv").write_text(text, newline="")
        with open_table(str(tmp_path / "d.csv")) as table:
            return table.names, rows(table.sample_codes(COLUMNS, LABEL))

    names, before = read(HEAD + LINES)
    for text in (HEAD + line + LINES, HEAD + LINES + line):
        changed, after = read(text)
        assert changed == names
        assert len(before) <= len(after) <= len(before) + 1
        assert sum((Counter(after) - Counter(before)).values()) <= 1
        assert not Counter(before) - Counter(after)


def test_bytes_that_are_not_utf8_are_refused_in_every_kind_of_file(tmp_path):
    text = "age,sex,y\n30,\xe9,no\n".encode("latin-1")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.csv").write_bytes(text)
    (tmp_path / "a[1].csv").write_bytes(text)
    with gzip.open(tmp_path / "a.csv.gz", "wb") as file:
        file.write(text)
    for name in ("folder", "a[1].csv", "a.csv.gz"):
        with pytest.raises(DataError, match="not UTF-8"), open_table(str(tmp_path / name)):
            pass


def test_files_of_a_folder_must_have_one_header(tmp_path):
    (tmp_path / "a.csv").write_text("age,sex,y\n30,f,no\n")
    (tmp_path / "b.csv").write_text("age,sex,y\n31,m,yes\n")
    with open_table(str(tmp_path)) as table:
        assert len(table.codes(COLUMNS)) == 2
    (tmp_path / "b.csv").write_text("age,y,sex\n31,yes,m\n")
    with pytest.raises(DataError, match="its header differs"), open_table(str(tmp_path)):
        pass
    (tmp_path / "b.csv").write_text("age,age,sex\n31,yes,m\n")
    with pytest.raises(DataError, match="two columns have one name"), open_table(str(tmp_path / "b.csv")):
        pass
    (tmp_path / "b.csv").write_text("\n")
    with pytest.raises(DataError, match="no header line"), open_table(str(tmp_path / "b.csv")):
        pass


def test_headers_end_where_they_end(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b"age,sex,y\r20,f,no\rSECRET\r31,m,yes\r")
    with open_table(str(path)) as table:
        assert rows(table.sample_codes(COLUMNS, LABEL)) == [(0, 0, 0), (1, 1, 1)]
    path.write_text('age,"se\nx",y\n20,f,no\n')
    with open_table(str(path)) as table:
        assert table.names == ("age", "se\nx", "y")
        assert table.distinct("y", 3) == ["no"]
    path.write_text('age,"sex,y\n20,f,no\n')
    with pytest.raises(DataError, match="no header line"), open_table(str(path)):
        pass
    path.write_text("age,sex,y\n20,f,no\n")
    with pytest.raises(ParameterError, match="one character"), open_table(str(path), delimiter="||"):
        pass
    (tmp_path / "d.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(DataError, match="not a whole gzip file"), open_table(str(tmp_path / "d.csv.gz")):
        pass
    (tmp_path / "d.parquet").write_bytes(b"")
    with pytest.raises(DataError, match="files of several kinds"), open_table(str(tmp_path)):
        pass


@pytest.mark.parametrize("make", [lambda f: f, pa.Table.from_pandas], ids=["pandas", "arrow"])
def test_a_column_without_values_is_read_like_one_with_some(make):
    with open_table(make(FRAME.assign(age=None, y=None))) as table:
        assert (table.codes(COLUMNS)[:, 0] == -1).all()
        assert len(table.sample_codes(COLUMNS, LABEL).matrix) == 0
