"""Rounds of counting on Spark beside empty jobs of as many partitions; in a process of its own."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import pyarrow as pa

from bench.scale_data import plain_schema
from bench.timing import seconds
from dprules.accounting import Unit
from dprules.mechanisms import os_bits
from dprules.schema import build_conditions
from dprules.tables import Sample, Storage, Table, open_table, place_records
from dprules.tables.engines.spark_session import spark_session

CORES = 2
COLUMNS = 25
CUTS = 4
SCHEMA = plain_schema(COLUMNS, CUTS, 2)
"""200 literals."""
MANY = 16
"""Partitions of the other empty job: what a further task costs."""
SENT = 20_000_000
"""Bytes that each partition sends to the driver, to see how fast it takes them."""
REPEATS = 15
WARM = 5
"""Repeats that are not counted: Java compiles what runs often."""
FEW = 4
"""Repeats of what is only needed to foresee larger jobs."""


def measure_rounds(path: str, tiny: str) -> dict[str, Any]:
    """Return seconds of rounds, of empty jobs, and of reading."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder, spark_session(f"local[{CORES}]", folder) as session:
        with open_table(_frame(session, tiny)) as table:
            _read(table).counts(build_conditions(SCHEMA.literals(), 1))
        # What Spark keeps is released when the table is closed.
        with open_table(_frame(session, path)) as table:
            started = perf_counter()
            sample = _read(table)
            rows = int(sample.totals().sum())
            reading = perf_counter() - started
            return {"rows": rows, "cores": CORES, "reading": reading, **_time_rounds(session, sample)}


def _frame(session: Any, path: str) -> Any:
    return session.read.parquet(path).repartition(CORES)


def _read(table: Table) -> Sample:
    records = place_records(table, SCHEMA, Unit(), os_bits, Storage())
    return records.sample(SCHEMA.literals(), 2, 2)


def _time_rounds(session: Any, sample: Any) -> dict[str, Any]:
    literals = SCHEMA.literals()
    rounds = {
        "round": partial(sample.counts, build_conditions(literals, 1)),
        "pairs": partial(sample.counts, build_conditions(literals, 2)),
        "empty": partial(_empty_job, session, CORES),
    }
    others = {"many": partial(_empty_job, session, MANY), "sent": partial(_sending_job, session)}
    times = _time_alternately(rounds, WARM, REPEATS) | _time_alternately(others, 1, FEW)
    return {**times, "bytes": CORES * SENT, "tasks": MANY}


def _time_alternately(jobs: Mapping[str, Callable[[], object]], warm: int, repeats: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(warm + repeats):
        for name, job in jobs.items():
            times[name].append(seconds(job))
    return {name: median(values[warm:]) for name, values in times.items()}


def _empty_job(session: Any, partitions: int) -> object:
    return session.range(0, partitions, 1, partitions).mapInArrow(_yield_nothing, "part binary").collect()


def _sending_job(session: Any) -> object:
    return session.range(0, CORES, 1, CORES).mapInArrow(partial(_yield_bytes, SENT), "part binary").collect()


def _yield_nothing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        pass
    return iter(())


def _yield_bytes(size: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        pass
    yield pa.RecordBatch.from_arrays([pa.array([bytes(size)], pa.binary())], ["part"])
