import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import servers
from dprules.accounting import Unit
from dprules.mechanisms import SeededBits
from dprules.schema import build_conditions
from dprules.tables import open_table
from dprules.tables.engines import spark_units

from .people import SCHEMA, make_people

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),  # py4j's
]
PEOPLE = make_people()
LITERALS = tuple(SCHEMA.literals())
CONDITIONS = build_conditions(LITERALS, 2)


def forget_blocks(session):
    """Drop every block that Spark keeps, so that it must make them again."""
    for rdd in session.sparkContext._jsc.getPersistentRDDs().values():
        rdd.unpersist(True)


def count_twice(frame):
    """Counts of a sample with units, and the same after all blocks were lost."""
    with open_table(frame) as table:
        sample = table.read_in_place(SCHEMA, Unit("person", 1), SeededBits(3)).sample(LITERALS, 2)
        before = sample.counts(CONDITIONS)
        forget_blocks(frame.sparkSession)
        return before, sample.counts(CONDITIONS)


def test_rows_that_are_chosen_again_are_the_same(spark):
    before, after = count_twice(spark.createDataFrame(PEOPLE).repartition(3))
    assert before.sum() > 0
    assert (before == after).all()


def test_a_choice_by_chance_in_each_task_is_found(spark, monkeypatch):
    real = spark_units._choose_rows

    def choose_rows(schema, most, batches):
        given = []
        for batch in batches:
            columns = list(batch.columns)
            columns[2] = pa.array(np.random.default_rng().integers(0, 1 << 62, batch.num_rows))
            given.append(pa.RecordBatch.from_arrays(columns, batch.schema.names))
        return real(schema, most, iter(given))

    monkeypatch.setattr(spark_units, "_choose_rows", choose_rows)
    before, after = count_twice(spark.createDataFrame(PEOPLE).repartition(3))
    assert (before != after).any()


def test_the_choice_does_not_depend_on_where_rows_lie(spark):
    frame = spark.createDataFrame(PEOPLE)
    counts = [count_twice(one)[0] for one in (frame.coalesce(1), frame.orderBy("age", "sex").repartition(5))]
    assert (counts[0] == counts[1]).all()


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What a cluster saw of which an executor was killed."""
    servers.require_spark()
    folder = tmp_path_factory.mktemp("cluster")
    program = Path(__file__).with_name("lost_executor.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, program, folder], capture_output=True, text=True, timeout=600, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("case", ["list", "units"])
def test_an_executor_that_is_killed_changes_nothing(seen, case):
    assert seen[case]["lost"], "no executor was killed"
    assert not set(seen[case]["lost"]) & set(seen[case]["after"])
    assert seen[case]["same"]


def test_counts_after_a_kill_are_those_before(seen):
    assert seen["counts"] == {"totals": True, "same": True}


def test_a_choice_by_chance_shows_after_a_kill(seen):
    assert not seen["fault"]["same"]


def test_executors_write_no_cells_to_their_logs(seen):
    assert not seen["logs"]["cells"]
