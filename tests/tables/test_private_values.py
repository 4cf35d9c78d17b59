"""Forms of values: counted over the chosen rows, and turned into codes once values are bought."""

import numpy as np
import pyarrow as pa
import pytest

from dprules.accounting import Unit
from dprules.mechanisms import os_bits
from dprules.schema import MISSING, Label, PrivateValues, Schema
from dprules.tables.records import LocalRecords, read_records
from dprules.tables.table import Table

CITY = PrivateValues("city")
CELLS = ["a", "b", "1.0", None, "a", "TRUE", "x\ny", "b", "a"]


class Batches(Table):
    """A table that comes in these batches."""

    def __init__(self, batches):
        super().__init__("the batches")
        self._given = batches

    @property
    def names(self):
        return ("city", "y", "who")

    def kinds(self):
        return dict.fromkeys(self.names, "unknown")

    def _batches(self, names):
        for batch in self._given:
            yield len(batch), {"city": batch, "y": ["a"] * len(batch), "who": list(range(len(batch)))}


def made(*batches: object) -> LocalRecords:
    return read_records(Batches(batches), Schema(Label("y", ("a", "b")), [CITY]), Unit(), os_bits)


@pytest.mark.parametrize(
    "batches",
    [
        [CELLS],
        [CELLS[:2], [], CELLS[2:]],
        [[cell] for cell in CELLS],
        [pa.array(CELLS)],
        [pa.array(CELLS).dictionary_encode()],
        [np.array(CELLS, dtype=object)],
    ],
)
def test_how_cells_come_does_not_matter(batches):
    forms = made(*batches)
    assert forms.counts_of_values("city") == {"a": 3, "b": 2, "1": 2}
    codes = forms.codes(CITY.with_values(["1", "a", "never seen"]))
    assert codes.tolist() == [1, MISSING, 0, MISSING, 1, 0, MISSING, MISSING, 1]


def test_only_chosen_rows_are_counted():
    schema = Schema(Label("y", ("a", "b")), [CITY])
    chosen = read_records(Batches([CELLS[:5], CELLS[5:]]), schema, Unit("who"), os_bits)
    assert sum(chosen.counts_of_values("city").values()) <= 5  # in both batches there are units 0 to 3, and 4 in one


def test_nothing_is_nothing():
    for forms in (made(), made([]), made([None])):
        assert forms.counts_of_values("city") == {}
    assert made().codes(CITY.with_values([])).tolist() == []
    assert made([None, "a"]).codes(CITY.with_values([])).tolist() == [MISSING, MISSING]
