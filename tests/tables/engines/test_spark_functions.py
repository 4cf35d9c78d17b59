"""What runs on Spark's executors, run here: no Spark is needed."""

import json
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from dprules.accounting import Unit
from dprules.mechanisms import SeededBits
from dprules.schema import build_conditions
from dprules.schema.bases import Bases
from dprules.tables import open_table, read_records
from dprules.tables.cells import zone_free
from dprules.tables.engines import spark, spark_blocks, spark_records, spark_session, spark_units
from dprules.tables.units import UnitKey

from .people import BOUGHT, SCHEMA, make_people

PEOPLE = make_people()
LITERALS = tuple(SCHEMA.literals())
NAMES = [*SCHEMA.names]


def cut(table, size):
    return iter(table.to_batches(max_chunksize=size))


def read(make, batches):
    """Blocks as they come back from where Spark keeps them."""
    return list(spark_blocks.read_blocks(spark_blocks._write_blocks(make, batches)))


@pytest.mark.parametrize("size", [7, 1000])
def test_rounds_count_as_one_machine_does(size):
    blocks = read(partial(spark.read_partition, SCHEMA, NAMES), cut(PEOPLE.select(NAMES), size))
    bases = Bases.of(LITERALS)
    packed = [spark_records._pack(SCHEMA, bases, 2, block) for block in blocks]
    with open_table(PEOPLE) as table:
        sample = read_records(table, SCHEMA, Unit(), SeededBits(0)).sample(LITERALS, 2)
    held, others = sample.cover(build_conditions(LITERALS, 1)[2])
    for path, wanted in (((), sample), ((((2,), True),), held), ((((2,), False),), others)):
        count = partial(spark_records._count_round, bases, path, np.zeros((0, 3), np.int32), 2)
        (total,) = spark_blocks._add_up(count, iter(packed))
        assert np.frombuffer(total, np.int64).tolist() == wanted.totals().tolist()


@pytest.mark.parametrize("most", [1, 2])
def test_the_choice_of_rows_is_that_of_one_machine(most):
    bits = SeededBits(4)
    names = [*BOUGHT.names, "person"]
    moved = PEOPLE.take(pa.array(np.random.default_rng(2).permutation(len(PEOPLE)))).select(names)
    secret = UnitKey.drawn(bits).secret
    named = spark_units._name_rows(BOUGHT, names, "person", secret, cut(moved, 50))
    blocks = read(partial(spark_units._choose_rows, BOUGHT, most), named)
    (age,) = BOUGHT.private_cuts
    (ward,) = spark_records._count_values(BOUGHT, "ward", iter(blocks))
    with open_table(PEOPLE) as table:
        wanted = read_records(table, BOUGHT, Unit("person", most), SeededBits(4))
    found = sum(spark_records._count_grid(BOUGHT, age, block) for block in blocks)
    assert np.array_equal(found, wanted.grid_counts(age))
    assert json.loads(ward) == wanted.counts_of_values("ward")
    assert not read(partial(spark_units._choose_rows, BOUGHT, most), iter(()))


def test_the_first_line_of_a_file_is_its_header():
    lines = ["x,y", "1,a,\r", "x,y", "2,b", "x,y", "3,c"]
    files = [1, 1, 1, 1, 2, 2]
    starts = [0, 0, 0, 64, 0, 0]
    columns = [pa.array(lines), pa.array(files), pa.array(starts)]
    for size in (1, 2, 6):
        batches = cut(pa.table(columns, ["value", "file", "start"]), size)
        parts = list(spark_session._split_lines(b",", 2, False, [1], batches))
        assert pa.Table.from_batches(parts).column(0).to_pylist() == [b"a", b"y", b"b", b"c"]


def test_moments_have_no_zone_of_the_session():
    cells = pa.array([0], pa.timestamp("us", "America/New_York"))
    assert zone_free(cells).type.tz == "UTC"
    assert zone_free(pa.array([1])).to_pylist() == [1]
