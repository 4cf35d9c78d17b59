"""Blocks of arrays that Spark keeps, and sums over them: everything that goes to executors and comes back.

Whatever runs on an executor is a function of this package and public numbers (for the choice of a unit's rows also a
key); what comes back is one array of integers for each partition. Nothing on an executor is changed, so that a lost one
costs time only: Spark makes its blocks again from the source (`docs/proofs/spark.md`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dprules.private import Private
from dprules.tables.compiled import prepare_kernels
from dprules.tables.table import call_quietly
from dprules.tables.threads import work_alone

T = TypeVar("T")
Arrays = Sequence[NDArray[Any]]
Integers = NDArray[np.int64]
Make = Callable[[Iterator[pa.RecordBatch]], Iterable[Arrays]]
"""Makes blocks of the rows of a partition."""
BLOCK_FIELDS = "arrays array<binary>, kinds array<string>"
FEW = 4
"""Blocks that are sent to Python at once; a block has some megabytes."""
MOST_RECORDS = 1 << 16
MOST_CELLS = 1 << 22
"""Records that are sent to Python at once, and cells: a column of a batch must stay below two gigabytes."""
FAILED = (
    "Spark could not finish a job. Check that it still runs, that its executors reach the data, and that dprules is "
    "installed on them. Then run the command again."
)
_BATCHES = "spark.sql.execution.arrow.maxRecordsPerBatch"


class Kept(Private):
    """Frames that Spark keeps for a fit, and lets go of when it is over."""

    __slots__ = ("_frames",)

    def __init__(self) -> None:
        self._frames: list[Any] = []

    def keep(self, frame: Any) -> Any:
        """Keep a frame in memory, and on disk what does not fit."""
        kept = call_quietly(frame.persist, FAILED)
        self._frames.append(kept)
        return kept

    def release(self, frame: Any = None) -> None:
        """Let go of a frame, or of all."""
        for kept in [*self._frames] if frame is None else [frame]:
            self._frames.remove(kept)
            with suppress(Exception):  # a session that has ended keeps nothing; a failed fit has its own sentence
                kept.unpersist()


class SparkBlocks(Private):
    """Blocks of arrays in the partitions of a frame that Spark keeps.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With the fields of a block.
    kept : Kept
        Where it is entered, until it is released.
    """

    __slots__ = ("_frame", "_kept")

    def __init__(self, frame: Any, kept: Kept) -> None:
        self._frame = kept.keep(frame)
        self._kept = kept

    @classmethod
    def read(cls, frame: Any, make: Make, kept: Kept, width: int) -> "SparkBlocks":
        """Make blocks of the rows of each partition of a frame.

        They are made at once: a job that reads blocks sends few rows at a time to Python, and would send few records.
        Records have about `width` cells.
        """
        blocks = cls(_map_rows(frame, partial(_write_blocks, make)), kept)
        blocks._run(lambda: blocks._frame.count(), rows_at_once(width))
        return blocks

    def map(self, change: Callable[[Arrays], Arrays]) -> "SparkBlocks":
        """Return other blocks, one made of each when they are first asked for."""
        make = partial(_write_blocks, partial(_change_blocks, change))
        return SparkBlocks(_map_rows(self._frame, make), self._kept)

    def add_up(self, count: Callable[[Arrays], Integers], size: int) -> Integers:
        """Return the sum, over all blocks, of an array of so many integers: one partial sum a partition comes back."""
        total = np.zeros(size, dtype=np.int64)
        for part in self.collect(partial(_add_up, count)):
            total += np.frombuffer(part, dtype=np.int64)
        return total

    def collect(self, make: Callable[[Iterator[Arrays]], Iterator[bytes]]) -> list[bytes]:
        """Return what is made of the blocks of each partition."""

        def run() -> list[bytes]:
            parts = self._frame.mapInArrow(partial(_write_parts, make), "part binary")
            return [bytes(row[0]) for row in parts.collect()]

        return self._run(run, FEW)

    def release(self) -> None:
        """Let Spark forget the blocks."""
        self._kept.release(self._frame)

    def _run(self, job: Callable[[], T], rows: int) -> T:
        """Run a job that sends so many rows to Python at once."""

        def run() -> T:
            with at_a_time(self._frame.sparkSession, rows):
                return job()

        return call_quietly(run, FAILED)


def _map_rows(frame: Any, make: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> Any:
    return call_quietly(lambda: frame.mapInArrow(make, BLOCK_FIELDS), FAILED)


def rows_at_once(width: int) -> int:
    """Return how many records of so many cells are sent to Python at once."""
    return max(1, min(MOST_RECORDS, MOST_CELLS // max(1, width)))


@contextmanager
def at_a_time(session: Any, rows: int) -> Iterator[None]:
    """Set how many rows are sent to Python at once, and set it back."""
    before = session.conf.get(_BATCHES)
    session.conf.set(_BATCHES, str(rows))
    try:
        yield
    finally:
        session.conf.set(_BATCHES, before)


def _write_blocks(make: Make, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    work_alone()
    prepare_kernels()
    for arrays in make(batches):
        whole = [np.ascontiguousarray(array) for array in arrays]
        data = pa.array([[array.tobytes() for array in whole]], pa.list_(pa.binary()))
        kinds = pa.array([[f"{a.dtype.str}:{','.join(map(str, a.shape))}" for a in whole]], pa.list_(pa.string()))
        yield pa.RecordBatch.from_arrays([data, kinds], ["arrays", "kinds"])


def read_blocks(batches: Iterator[pa.RecordBatch]) -> Iterator[Arrays]:
    """Return the arrays of each block, without a copy where they are aligned."""
    for batch in batches:
        for data, kinds in zip(batch.column(0), batch.column(1).to_pylist(), strict=True):
            yield [_read_array(value, kind) for value, kind in zip(data.values, kinds, strict=True)]


def _read_array(value: pa.Scalar, kind: str) -> NDArray[Any]:
    name, _, shape = kind.partition(":")
    flat: NDArray[Any] = np.frombuffer(value.as_buffer() or b"", dtype=np.dtype(name))
    # Kernels take aligned arrays; where a value begins in Spark's buffers depends on those before it.
    return np.require(flat.reshape([int(size) for size in shape.split(",")]), requirements="A")


def _change_blocks(change: Callable[[Arrays], Arrays], batches: Iterator[pa.RecordBatch]) -> Iterator[Arrays]:
    for arrays in read_blocks(batches):
        yield change(arrays)


def _write_parts(
    make: Callable[[Iterator[Arrays]], Iterator[bytes]], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    work_alone()
    prepare_kernels()
    for part in make(read_blocks(batches)):
        yield pa.RecordBatch.from_arrays([pa.array([part], pa.binary())], ["part"])


def _add_up(count: Callable[[Arrays], Integers], blocks: Iterator[Arrays]) -> Iterator[bytes]:
    total: Any = None
    for arrays in blocks:
        found = count(arrays)
        total = found if total is None else total + found
    if total is not None:
        yield total.astype(np.int64).tobytes()
