"""Made-up tables of any size, written some rows at a time; `python -m bench.scale_data KIND PATH ROWS ...` writes one.

The sizes of all benchmarks of scale are multiplied by the environment variable DPRULES_BENCH_SCALE, to try them small.
"""

import os
import sys
from collections.abc import Callable, Iterator
from math import comb
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from bench.children import measure_command
from dprules.schema import Categorical, Column, Label, Numeric, Schema

SCALE = float(os.environ.get("DPRULES_BENCH_SCALE", "1"))
CHUNK = 1_000_000
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


def scaled(rows: float) -> int:
    """Return a number of rows, smaller where everything is only tried; at least a thousand."""
    return max(1_000, round(rows * SCALE))


def mixed_schema() -> Schema:
    """Return the schema of `make_mixed`: 20 columns, 240 literals."""
    texts: list[Column] = [Categorical(f"c{i}", WORDS) for i in range(10)]
    wholes: list[Column] = [Numeric(f"k{i}", (10, 25, 40, 55, 70, 85)) for i in range(5)]
    floats: list[Column] = [Numeric(f"x{i}", (-1.5, -1, -0.3, 0.3, 1, 1.5)) for i in range(5)]
    return Schema(Label("y", ("no", "yes")), (*texts, *wholes, *floats))


def make_mixed(rows: int, seed: int) -> pa.Table:
    """Return ten columns of words, five of integers and five of numbers with five digits, and a label."""
    random = np.random.default_rng(seed)
    columns = {}
    for i in range(10):
        places = pa.array(random.integers(0, len(WORDS), rows), pa.int32())
        columns[f"c{i}"] = pa.DictionaryArray.from_arrays(places, pa.array(WORDS)).cast(pa.string())
    for i in range(5):
        columns[f"k{i}"] = pa.array(random.integers(0, 100, rows))
    for i in range(5):
        columns[f"x{i}"] = pa.array(np.round(random.normal(size=rows), 5))
    likely = 0.3 + 0.3 * (columns["k0"].to_numpy() < 40)
    columns["y"] = pa.array(np.where(random.random(rows) < likely, "yes", "no"))
    return pa.table(columns)


def plain_schema(columns: int, cuts: int, classes: int) -> Schema:
    """Return a schema of `make_plain` with so many cuts a column: twice as many literals."""
    edges = [round(100 * (i + 1) / (cuts + 1), 3) for i in range(cuts)]
    return Schema(Label("y", [f"class{i}" for i in range(classes)]), [Numeric(f"n{i}", edges) for i in range(columns)])


def count_conjunctions(columns: int, cuts: int, width: int) -> int:
    """Return how many conjunctions a pass over `make_plain` counts: one bit a cut, of different columns each."""
    return sum(comb(columns, literals) * cuts**literals for literals in range(1, width + 1))


def make_plain(rows: int, seed: int, columns: int, classes: int) -> pa.Table:
    """Return columns of numbers from 0 to 100, and a label that follows the first one in three of five rows."""
    random = np.random.default_rng(seed)
    found = {f"n{i}": pa.array(random.integers(0, 100, rows)) for i in range(columns)}
    led = found["n0"].to_numpy() * classes // 100
    label = np.where(random.random(rows) < 0.6, led, random.integers(0, classes, rows))
    names = pa.array([f"class{i}" for i in range(classes)])
    found["y"] = pa.DictionaryArray.from_arrays(pa.array(label, pa.int32()), names).cast(pa.string())
    return pa.table(found)


def _chunks(rows: int, make: Callable[..., pa.Table], *shape: int) -> Iterator[pa.Table]:
    for start in range(0, rows, CHUNK):
        yield make(min(CHUNK, rows - start), start, *shape)


def write_table(kind: str, path: str, rows: int, *shape: int) -> None:
    """Write a table as Parquet or CSV, by the name of the file; `quoted.csv` has every text between quotes."""
    makers: dict[str, Callable[..., pa.Table]] = {"mixed": make_mixed, "plain": make_plain}
    make = makers[kind]
    writer = None
    for chunk in _chunks(rows, make, *shape):
        writer = writer or _open_writer(path, chunk.schema)
        writer.write_table(chunk)
    if writer is not None:
        writer.close()


def _open_writer(path: str, schema: pa.Schema) -> pa.parquet.ParquetWriter | pa.csv.CSVWriter:
    if path.endswith(".parquet"):
        return pa.parquet.ParquetWriter(path, schema)
    quoting = "needed" if path.endswith("quoted.csv") else "none"
    return pa.csv.CSVWriter(path, schema, write_options=pa.csv.WriteOptions(quoting_style=quoting))


def write_apart(kind: str, path: Path, rows: int, *shape: int) -> None:
    """Write a table in a process of its own."""
    measure_command("-m", "bench.scale_data", kind, str(path), str(rows), *map(str, shape))


if __name__ == "__main__":
    write_table(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
