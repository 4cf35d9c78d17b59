"""Tables of Spark: frames, tables of a catalogue, and files that its executors read."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from dprules.accounting import Unit
from dprules.errors import DataError
from dprules.mechanisms import Bits
from dprules.schema import Schema
from dprules.tables.cells import zone_free
from dprules.tables.engines.spark_blocks import FAILED, Arrays, Kept, Make, SparkBlocks, at_a_time, rows_at_once
from dprules.tables.engines.spark_parquet import quote, read_stored
from dprules.tables.engines.spark_plans import require_safe_plan
from dprules.tables.engines.spark_records import SparkRecords, write_records
from dprules.tables.engines.spark_units import choose_on_spark
from dprules.tables.record_blocks import BlockReader
from dprules.tables.table import Batch, Table, call_quietly
from dprules.tables.units import UnitKey

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_NESTED = ("array", "map", "struct", "interval", "variant")


class SparkTable(Table):
    """A Spark frame. Its records stay where they are: counts and sums come back, and no cell.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With the columns.
    source : str
        What it is called.
    """

    __slots__ = ("_frame", "_kept")
    takes_labels = False

    def __init__(self, frame: Any, source: str = "the Spark frame") -> None:
        super().__init__(source)
        self._kept = Kept()
        if len(set(frame.columns)) < len(frame.columns):
            raise DataError(f"{source}: two columns have one name. Rename one.")
        call_quietly(lambda: require_safe_plan(frame, source), FAILED)
        self._frame = call_quietly(lambda: read_stored(frame, source), FAILED)

    @property
    def is_query(self) -> bool:  # type: ignore[override]
        """A frame of Spark Connect, which does not say what is in its query."""
        return not hasattr(self._frame, "_jdf")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._frame.columns)

    def kinds(self) -> dict[str, str]:
        """By Spark's types."""
        return {name: _kind(kind) for name, kind in self._frame.dtypes}

    def _selected(self, names: Sequence[str]) -> Any:
        """Return columns under names of ours: Spark takes `a.b` for a part of `a` on its way to Python."""
        from pyspark.sql import functions

        kinds = dict(self._frame.dtypes)
        # Cells with parts have no value. They are not read, since one of their parts could stop Spark.
        nothing = functions.lit(None).cast("string")
        cells = [nothing if _has_parts(kinds[name]) else functions.col(quote(name)) for name in names]
        return self._frame.select(*(cell.alias(f"cell{at}") for at, cell in enumerate(cells)))

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """All rows in the order of the partitions, one after the other."""
        frame = self._selected(names or self.names[:1])
        with at_a_time(frame.sparkSession, rows_at_once(len(self.names))):
            rows = frame.mapInArrow(_write_batches, "batch binary").toLocalIterator()
            for row in rows:
                yield from batches_of(pa.ipc.open_stream(row[0]), names)

    def _describe_failure(self) -> str:
        return FAILED

    def read_in_place(self, schema: Schema, unit: Unit, bits: Bits) -> SparkRecords:
        """Read the records where they are: the same reader of cells, in every partition."""
        frame, make = call_quietly(lambda: self._choose(schema, unit, bits), FAILED)
        return SparkRecords(SparkBlocks.read(frame, make, self._kept, len(self.names)), schema)

    def _choose(self, schema: Schema, unit: Unit, bits: Bits) -> tuple[Any, Make]:
        """Return a frame with the rows of a fit, and what makes blocks of it."""
        names = list(schema.names)
        if unit.column is None:
            return self._selected(names), partial(read_partition, schema, names)
        key = UnitKey.drawn(bits)
        wanted = list(dict.fromkeys([*names, unit.column]))
        return choose_on_spark(self._selected(wanted), schema, wanted, unit.column, unit.rows, key.secret)

    def close(self) -> None:
        """Let Spark forget what it kept for a fit."""
        self._kept.release()


def read_partition(schema: Schema, names: Sequence[str], batches: Iterator[pa.RecordBatch]) -> Iterator[Arrays]:
    """Read the records of a partition on its executor."""
    reader = BlockReader(schema)
    return write_records(schema, (reader.read(batch) for batch in batches_of(batches, names)))


def batches_of(batches: Iterator[pa.RecordBatch], names: Sequence[str]) -> Iterator[Batch]:
    """Return Arrow's batches as those of any table."""
    for batch in batches:
        yield batch.num_rows, {name: zone_free(batch.column(at)) for at, name in enumerate(names)}


def _write_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["batch"])


def _has_parts(kind: str) -> bool:
    return kind.startswith(_NESTED)


def _kind(kind: str) -> str:
    if kind == "boolean":
        return "boolean"
    if kind == "date" or kind.startswith("timestamp"):
        return "date"
    return "numeric" if kind.partition("(")[0] in _NUMBERS else "categorical"
