import numpy as np
import pytest

from dprules.accounting import Unit
from dprules.mechanisms import SeededBits
from dprules.schema import build_conditions
from dprules.tables import open_table, read_records

from .people import BOUGHT, SCHEMA, make_people

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),  # py4j's
]
PEOPLE = make_people()
LITERALS = tuple(SCHEMA.literals())


@pytest.fixture(scope="module")
def pairs(spark):
    """Records on Spark and here, by schema."""
    frame = spark.createDataFrame(PEOPLE).repartition(3)
    with open_table(frame) as table, open_table(PEOPLE) as local:

        def make(schema, unit):
            return (
                table.read_in_place(schema, unit, SeededBits(1)),
                read_records(local, schema, unit, SeededBits(1)),
            )

        yield make


def test_counts_and_what_a_list_leaves(pairs):
    found, wanted = (records.sample(LITERALS, 2, 2) for records in pairs(SCHEMA, Unit()))
    conditions = build_conditions(LITERALS, 2)
    for step in (0, 40, 7):
        assert (found.counts(conditions) == wanted.counts(conditions)).all()
        assert (found.totals() == wanted.totals()).all()
        held, found = found.cover(conditions[step])
        local_held, wanted = wanted.cover(conditions[step])
        assert (held.totals() == local_held.totals()).all()


@pytest.mark.parametrize("unit", [Unit(), Unit("person", 2)], ids=["rows", "units"])
def test_what_is_still_to_be_bought(pairs, unit):
    found, wanted = pairs(BOUGHT, unit)
    (age,) = BOUGHT.private_cuts
    assert (found.grid_counts(age) == wanted.grid_counts(age)).all()
    assert found.counts_of_values("ward") == wanted.counts_of_values("ward")


def test_codes_and_groups(pairs):
    found, wanted = (records.coded(SCHEMA.columns, 2) for records in pairs(SCHEMA, Unit()))
    assert (found.totals() == wanted.totals()).all()
    for one, other in zip(found.bins(), wanted.bins(), strict=True):
        assert np.array_equal(one, other)
