"""The same rows give the same model, whatever holds them: in any order, cut up anyhow, with seeded bits."""

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dprules.jobs import FitRequest, fit
from dprules.jobs.settings import choose_settings
from dprules.models import Released
from dprules.schema import (
    Boolean,
    Categorical,
    Date,
    Label,
    Numeric,
    PrivateCuts,
    PrivateValues,
    Schema,
)

Rows = Sequence[dict[str, Any]]
ARROW = pa.schema(
    {
        "city": pa.string(),
        "grade": pa.int64(),
        "weight": pa.float64(),
        "dose": pa.float64(),
        "smoker": pa.bool_(),
        "born": pa.date32(),
        "job": pa.string(),
        "who": pa.string(),
        "y": pa.string(),
    }
)
SCHEMA = Schema(
    Label("y", ["no", "ja", 'n\'est "pas"']),
    (
        Categorical("city", ["Zürich", "a\\b", "O'Hare", "1", "東京", "true"]),
        Categorical("grade", [1, 2, 3]),
        Numeric("weight", [-1.5, 0, 0.1, 1e16]),
        PrivateCuts("dose", 0, 10, step=0.5),
        Boolean("smoker"),
        Date("born", ["1970-01-01", "2000-02-29"]),
        PrivateValues("job"),
    ),
)
TYPES = {
    "city": "TEXT",
    "grade": "BIGINT",
    "weight": "DOUBLE PRECISION",
    "dose": "DOUBLE PRECISION",
    "smoker": "BOOLEAN",
    "born": "DATE",
    "job": "TEXT",
    "who": "TEXT",
    "y": "TEXT",
}
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""A failure is not made smaller: each try is a dozen fits."""
AT_CUTS = [-2.0, -1.5, -0.0, 0.0, 0.1, float(np.nextafter(0.1, 0)), 1e16, 1e300, 5.25, 9.999]
NUMBERS = st.sampled_from(AT_CUTS) | st.floats(-5, 12)
TEXTS = st.sampled_from(["Zürich", "a\\b", "O'Hare", "1", "1.0", "01", "東京", "TRUE", " ", "a;b:c", 'q"r', "É"])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "city": st.none() | TEXTS,
            "grade": st.none() | st.integers(0, 4) | st.just(2**62),
            "weight": st.none() | NUMBERS,
            "dose": st.none() | NUMBERS,
            "smoker": st.none() | st.booleans(),
            "born": st.none() | st.dates(datetime.date(1900, 1, 1), datetime.date(2030, 1, 1)),
            "job": st.none() | st.sampled_from(["nurse", "cook", "cook ", "1.50"]),
            "who": st.none() | st.sampled_from(["p", "q", "r", "1", "1.0"]),
            "y": st.none() | st.sampled_from(["no", "ja", 'n\'est "pas"', "odd"]),
        }
    ),
    max_size=40,
)


def as_arrow(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=ARROW)


def as_csv(rows: Rows, folder: Path) -> str:
    """Cells as text; a text that is a single space, or empty, is one anyway."""

    def write(cell: object) -> str:
        if cell is None:
            return ""
        text = str(cell).lower() if isinstance(cell, bool) else repr(cell) if isinstance(cell, float) else str(cell)
        return '"' + text.replace('"', '""') + '"'

    path = folder / "rows.csv"
    lines = [",".join(ARROW.names), *(",".join(write(row[name]) for name in ARROW.names) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def as_parquet(rows: Rows, folder: Path) -> str:
    """Two files, with small row groups."""
    target = folder / "parts"
    target.mkdir(exist_ok=True)
    half = len(rows) // 3
    for name, part in (("a", rows[:half]), ("b", rows[half:])):
        pyarrow.parquet.write_table(as_arrow(part), target / f"{name}.parquet", row_group_size=7)
    return str(target)


def as_chunks(rows: Rows) -> pa.Table:
    table = as_arrow(rows)
    return pa.concat_tables([table.slice(start, 5) for start in range(0, max(1, len(rows)), 5)])


def as_duckdb(rows: Rows, folder: Path) -> str:
    path = folder / "rows.db"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", as_arrow(rows))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return f"duckdb:///{path}"


def fill_postgres(rows: Rows, connection: psycopg.Connection) -> None:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in TYPES.items())
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TABLE t ({columns})")
    places = ", ".join(["%s"] * len(TYPES))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO t VALUES ({places})", [[row[name] for name in TYPES] for row in rows])
    connection.execute("ANALYZE t")


def learn(data: object, model: str, unit: bool, **options: Any) -> str:
    """The model, and nothing that names its source."""
    request = FitRequest(
        data,
        SCHEMA,
        choose_settings(model, {"width": 2, "max_rules": 4} if model == "list" else {"terms": 6}, {}),
        epsilon=5,
        unit="who" if unit else None,
        unit_rows=2 if unit else 1,
        seed=7,
        **options,
    )
    released: Released = fit(request)
    return released.model.to_json()


def shuffled(rows: Rows, seed: int) -> list[dict[str, Any]]:
    order = np.random.default_rng(seed).permutation(len(rows))
    return [rows[place] for place in order]


@pytest.mark.parametrize("unit", [False, True], ids=["rows", "units"])
@pytest.mark.parametrize("model", ["list", "scorecard"])
@settings(max_examples=6, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_files_frames_and_databases_agree(model, unit, database, server, tmp_path, rows, seed):
    expected = learn(as_arrow(rows), model, unit)
    rows = shuffled(rows, seed)
    fill_postgres(rows, database)
    sources: dict[str, Callable[[], str]] = {
        "chunks": lambda: learn(as_chunks(rows), model, unit),
        "pandas": lambda: learn(as_arrow(rows).to_pandas(types_mapper=pd.ArrowDtype), model, unit),
        "polars": lambda: learn(pl.from_arrow(as_arrow(rows)), model, unit),
        "CSV": lambda: learn(as_csv(rows, tmp_path), model, unit),
        "Parquet": lambda: learn(as_parquet(rows, tmp_path), model, unit),
        "Parquet, little memory": lambda: learn(as_parquet(rows, tmp_path), model, unit, memory="256MB"),
        "DuckDB": lambda: learn(as_duckdb(rows, tmp_path), model, unit, table="t"),
        "PostgreSQL": lambda: learn(server, model, unit, table="t"),
    }
    for name, run in sources.items():
        assert run() == expected, name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # py4j leaves sockets to the collector
@pytest.mark.parametrize("unit", [False, True], ids=["rows", "units"])
@pytest.mark.parametrize("model", ["list", "scorecard"])
@settings(max_examples=2, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(rows=ROWS, seed=st.integers(0, 99), parts=st.integers(1, 5))
def test_spark_agrees(model, unit, spark, rows, seed, parts):
    expected = learn(as_arrow(rows), model, unit)
    frame = spark.createDataFrame(as_arrow(shuffled(rows, seed))).repartition(parts)
    assert learn(frame, model, unit) == expected
