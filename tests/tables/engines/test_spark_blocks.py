from typing import Any

import numpy as np
import pytest

from dprules.errors import DataError
from dprules.tables.engines.spark_blocks import (
    MOST_RECORDS,
    Kept,
    SparkBlocks,
    _write_blocks,
    at_a_time,
    read_blocks,
    rows_at_once,
)

WARNINGS = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # py4j's


def test_arrays_of_any_shape_come_back():
    arrays: list[Any] = [
        np.arange(6, dtype=np.uint64).reshape(2, 3)[:, ::-1],
        np.zeros((0, 4), np.int16),
        np.array([], np.uint8),
    ]
    found: list[Any]
    (found,) = map(list, read_blocks(_write_blocks(lambda batches: [arrays], iter(()))))
    for one, other in zip(arrays, found, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert (one == other).all()


def test_wide_records_are_sent_in_smaller_batches():
    assert rows_at_once(1) == rows_at_once(0) == MOST_RECORDS
    assert rows_at_once(10_000) < 1000
    assert rows_at_once(1 << 40) == 1


def make_numbers(batches):
    for batch in batches:
        yield [batch.column(0).to_numpy()]


def total(arrays):
    return np.array([arrays[0].sum(), len(arrays[0])])


@pytest.mark.slow
@WARNINGS
def test_sums_over_all_partitions(spark):
    kept = Kept()
    blocks = SparkBlocks.read(spark.range(0, 1000, 1, 7), make_numbers, kept, 1)
    assert blocks.add_up(total, 2).tolist() == [499500, 1000]
    doubled = blocks.map(lambda arrays: [2 * arrays[0]])
    assert doubled.add_up(total, 2).tolist() == [999000, 1000]
    blocks.release()
    assert doubled.add_up(total, 2).tolist() == [999000, 1000]
    kept.release()
    assert not [rdd for rdd in spark.sparkContext._jsc.getPersistentRDDs().values() if "cell" in rdd.name()]


@pytest.mark.slow
@WARNINGS
def test_records_are_read_many_at_a_time_and_blocks_few(spark):
    """The first job that reads blocks must not decide how records are sent."""
    kept = Kept()
    blocks = SparkBlocks.read(spark.range(0, 3000, 1, 1), make_numbers, kept, 1)
    assert [len(part) for part in blocks.collect(lambda found: iter([bytes(sum(1 for _ in found))]))] == [1]
    kept.release()


@pytest.mark.slow
@WARNINGS
def test_a_job_that_fails_is_told_without_its_words(spark):
    def fail(batches):
        raise ValueError("secret-cell")

    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    kept = Kept()
    with pytest.raises(DataError, match="Spark could not finish a job") as caught:
        SparkBlocks.read(spark.range(3), fail, kept, 1)
    kept.release()
    assert "secret-cell" not in str(caught.value)
    assert caught.value.__context__ is None
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before
    assert not spark.sparkContext._jsc.getPersistentRDDs()


@pytest.mark.slow
@WARNINGS
def test_how_many_rows_are_sent_is_set_back(spark):
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    with at_a_time(spark, 3):
        assert spark.conf.get(name) == "3"
    assert spark.conf.get(name) == before
