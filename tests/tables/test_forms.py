"""Forms of values: counted over the chosen rows, and turned into codes once values are bought."""

import numpy as np
import pyarrow as pa
import pytest

from dprules.schema import MISSING, PrivateValues
from dprules.tables.forms import Forms

CITY = PrivateValues("city")
CELLS = ["a", "b", "1.0", None, "a", "TRUE", "x\ny", "b", "a"]


def made(*batches: object) -> Forms:
    forms = Forms(CITY)
    for batch in batches:
        forms.read(batch)
    return forms


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
    assert forms.counts() == {"a": 3, "b": 2, "1": 2}
    codes = forms.codes(CITY.with_values(["1", "a", "never seen"]))
    assert codes.tolist() == [1, MISSING, 0, MISSING, 1, 0, MISSING, MISSING, 1]


def test_only_chosen_rows_are_counted():
    forms = made(CELLS[:5], CELLS[5:])
    forms.choose(np.array([0, 3, 4]))
    assert forms.counts() == {"a": 2}
    assert forms.codes(CITY.with_values(["b", "a"])).tolist() == [1, MISSING, 1]


def test_nothing_is_nothing():
    for forms in (made(), made([]), made([None])):
        assert forms.counts() == {}
    assert made().codes(CITY.with_values([])).tolist() == []
    assert made([None, "a"]).codes(CITY.with_values([])).tolist() == [MISSING, MISSING]
