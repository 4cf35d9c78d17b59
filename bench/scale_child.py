"""What `bench.children.call` runs in a process of its own: `python -m bench.scale_child TASK ARGUMENTS` prints JSON.

Every task runs once on a tiny table first, so that compiling and importing are not measured.
"""

import gc
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from bench.scale_data import mixed_schema, plain_schema, write_table
from dprules.accounting import Unit
from dprules.mechanisms import os_bits
from dprules.schema import Schema, build_conditions
from dprules.schema.bases import Bases
from dprules.tables import PackedSample, open_table, read_matrix, read_records

TINY = 2_000


def cpu(task: Callable[[], object]) -> float:
    """CPU seconds of all threads."""
    started = process_time()
    task()
    return process_time() - started


def read_sample(data: object, schema: Schema, width: int = 2, table: str | None = None) -> PackedSample:
    """From a table to packed bits."""
    with open_table(data, table) as opened:
        records = read_records(opened, schema, Unit(), os_bits)
    return records.sample(schema.literals(), len(schema.label.classes), width)


def _tiny(name: str = "tiny.parquet") -> str:
    """Write a tiny table; the temporary folder of the child is removed by its parent's."""
    path = str(Path(tempfile.gettempdir()) / name)
    write_table("mixed", path, TINY)
    return path


def _packed_bytes(schema: Schema, rows: int) -> float:
    return Bases.of(schema.literals()).size * rows / 8


def _status(field: str) -> int:
    """Bytes of this process: VmRSS is now, VmHWM at the highest."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def parquet(small: str, large: str) -> dict[str, list[float]]:
    """CPU seconds from Parquet to packed bits and of DuckDB's sums over the same columns; then of a larger file."""
    import duckdb

    schema = mixed_schema()

    def ours(path: str) -> object:
        return read_sample(path, schema)

    def scan(path: str) -> object:
        texts = [f"sum(length({name}))" for name in schema.names if name[0] in "cy"]
        numbers = [f"sum({name})" for name in schema.names if name[0] in "kx"]
        return duckdb.connect().execute(f"SELECT {', '.join(texts + numbers)} FROM '{path}'").fetchall()

    tiny = _tiny()
    for path in (tiny, small):  # the second time from the cache of files
        ours(path)
        scan(path)
    found: dict[str, list[float]] = {"ours": [], "scan": [], "large": []}
    for _ in range(5):
        found["ours"].append(cpu(lambda: ours(small)))
        found["scan"].append(cpu(lambda: scan(small)))
    for _ in range(2):
        found["large"].append(cpu(lambda: ours(large)))
        found["ours"].append(cpu(lambda: ours(small)))
    return found


def memory(data: str, rows: str, warm: str = "", table: str = "") -> dict[str, float]:
    """Peak memory above that at the start, over the packed matrix; `warm` is a tiny table of the same source."""
    schema = mixed_schema()
    read_sample(warm or _tiny(), schema, table="tiny" if table else None)
    gc.collect()
    pa.default_memory_pool().release_unused()
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    started, used = perf_counter(), process_time()
    sample = read_sample(data, schema, table=table or None)
    spent = {"wall": perf_counter() - started, "cpu": process_time() - used}
    peak = _status("VmHWM")
    del sample  # until here it was there
    return {"added": peak - before, "packed": _packed_bytes(schema, int(rows)), **spent}


def counting(path: str) -> dict[str, Any]:
    """Seconds of a pass of width 2 over some rows, and with one row as often again as there are rows."""
    schema = mixed_schema()
    conditions = build_conditions(schema.literals(), 2)
    read_sample(_tiny(), schema).counts(conditions)
    table = pa.parquet.read_table(path)
    heavy = pa.concat_tables([table, table.take(pa.array(np.zeros(len(table), dtype=np.int64)))])
    plain, repeated = read_sample(table, schema), read_sample(heavy, schema)
    found: dict[str, list[float]] = {"wall": [], "cpu": [], "heavy": []}
    for repeat in range(8):
        started, used = perf_counter(), process_time()
        plain.counts(conditions)
        wall, spent = perf_counter() - started, process_time() - used
        more = cpu(lambda: repeated.counts(conditions))
        if repeat:  # the first one plans
            for name, value in zip(found, (wall, spent, more), strict=True):
                found[name].append(value)
    return {"rows": len(table), **{name: median(values) for name, values in found.items()}}


def one_pass(path: str, columns: str, cuts: str) -> float:
    """CPU seconds of a pass of width 2 over all rows of a table of numbers with two classes."""
    schema = plain_schema(int(columns), int(cuts), 2)
    conditions = build_conditions(schema.literals(), 2)
    sample = read_sample(path, schema)
    sample.counts(conditions)  # compiles and plans
    return median(cpu(lambda: sample.counts(conditions)) for _ in range(7))


def popcount(rows: str) -> dict[str, Any]:
    """A whole fit of width 1 from packed bits beside one pass of popcount."""
    from bench.speed import fit_beside_popcount

    return fit_beside_popcount(int(rows))


def tree(path: str, rows: str) -> dict[str, float]:
    """Seconds of scikit-learn's tree on the ready matrix of all literals, in the type that it works with."""
    from sklearn.tree import DecisionTreeClassifier

    schema = mixed_schema()
    literals = schema.literals()
    matrix = np.empty((int(rows), len(literals)), dtype=np.float32)
    labels = np.empty(int(rows), dtype=np.int8)
    places = [schema.columns.index(literal.column) for literal in literals]
    start = 0
    with open_table(path) as opened:
        for codes in read_matrix(opened, [*schema.columns, schema.label.column()]):
            block = slice(start, start + len(codes))
            for slot, (place, literal) in enumerate(zip(places, literals, strict=True)):
                matrix[block, slot] = literal.truth()[codes[:, place]]
            labels[block] = codes[:, -1]
            start += len(codes)
    model = DecisionTreeClassifier(max_depth=5, random_state=0)
    model.fit(matrix[:TINY], labels[:TINY])
    started, used = perf_counter(), process_time()
    model.fit(matrix, labels)
    return {"wall": perf_counter() - started, "cpu": process_time() - used}


def csv(path: str, schema_file: str) -> dict[str, float]:
    """Megabytes a second of CPU from CSV to records, and to packed bits."""
    schema = Schema.from_toml(Path(schema_file).read_text())
    short = Path(tempfile.gettempdir()) / "short.csv"
    with open(path, "rb") as file:
        short.write_bytes(b"".join(file.readline() for _ in range(TINY)))

    def read(source: str) -> object:
        with open_table(source) as opened:
            return read_records(opened, schema, Unit(), os_bits)

    found: dict[str, list[float]] = {"read": [], "packed": []}
    for source in (str(short), path, path, path, path):
        found["read"].append(cpu(lambda source=source: read(source)))  # type: ignore[misc]
        found["packed"].append(cpu(lambda source=source: read_sample(source, schema)))  # type: ignore[misc]
    megabytes = Path(path).stat().st_size / 1e6
    return {name: megabytes / median(values[2:]) for name, values in found.items()}


def whole_fit(path: str, tiny: str, columns: str, cuts: str, classes: str, rules: str, width: str) -> dict[str, float]:
    """Seconds of a whole fit from Parquet to the model; of the median of a few."""
    from dprules.jobs import FitRequest, fit
    from dprules.learners.lists import ListSettings

    schema = plain_schema(int(columns), int(cuts), int(classes))
    settings = ListSettings(width=int(width), max_rules=int(rules))
    fit(FitRequest(tiny, schema, settings))  # kernels, and the tilt that is kept on disk
    pairs: list[tuple[float, float]] = []
    while len(pairs) < 2 or (len(pairs) < 7 and sum(wall for wall, _ in pairs) < 3):
        started, used = perf_counter(), process_time()
        fit(FitRequest(path, schema, settings))
        pairs.append((perf_counter() - started, process_time() - used))
    return {"wall": median(pair[0] for pair in pairs), "cpu": median(pair[1] for pair in pairs)}


def spark(path: str) -> dict[str, Any]:
    """Rounds of Spark beside empty jobs, and what is needed to foresee larger ones."""
    from bench.spark_rounds import COLUMNS, measure_rounds

    tiny = str(Path(tempfile.gettempdir()) / "plain.parquet")
    write_table("plain", tiny, TINY, COLUMNS, 2)
    return measure_rounds(path, tiny)


TASKS: dict[str, Callable[..., Any]] = {
    task.__name__: task for task in (parquet, memory, counting, one_pass, popcount, tree, csv, whole_fit, spark)
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
