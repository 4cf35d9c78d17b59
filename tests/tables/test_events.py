"""Cells of events: whatever they are, and whatever was read before, they are read as `Column.code` reads them."""

import math
from collections import defaultdict
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.schema import Boolean, Categorical, Clipped, Date, Numeric, Positive, Scaled
from dprules.tables.events import LONGEST_REMEMBERED, MOST_REMEMBERED, CellReader, CodedEvents, EventReader, cells_of


class Text(str):
    """A text that hides what it is."""

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


COLUMNS = [
    Categorical("words", ["a", "1", "true"]),
    Categorical("numbers", [0, 1, 2.5]),
    Categorical("pair", [0, 1]),
    Boolean("truth"),
    Numeric("number", [-1, 0, 1, 2.5]),
    Numeric("comma", [0, 1.5], decimal=","),
    Positive("positive"),
    Date("day", ["2024-01-01"]),
]
ODD = [
    *("a", "A", "1", "1.0", "01", "true", "TRUE", "yes", "", " ", "2.50", "1,5", "1e3", "nan", "2024-05-05", "\ud800"),
    *(1, 0, True, False, 1.0, 0.0, -0.0, 2.5, 1e300, math.nan, math.inf, -math.inf, 10**400, 10**5000, 2**63),
    *(b"a", b"1", b"\xff", b"1.0", None, [1], {"a": 1}, (1,), {1}, Text("a"), Text("x"), Decimal(1), 1j, object()),
    *(np.float64(1), np.int64(1), np.bool_(True), np.float32(0.1), "x" * (LONGEST_REMEMBERED + 1), "1" * 300),
]
CELLS = st.sampled_from(ODD) | st.text(max_size=3) | st.integers() | st.floats() | st.booleans() | st.binary(max_size=3)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
@given(columns=st.lists(st.lists(CELLS, max_size=6), max_size=4))
def test_cells_are_read_as_the_column_reads_them(column, columns):
    reader = CellReader(column)
    for cells in columns:
        expected = [column.code(cell) for cell in cells]
        assert reader.column(cells).tolist() == expected
        assert [reader.read(cell) for cell in cells] == expected


@pytest.mark.parametrize("kind", [str, int, float, bool, bytes])
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_cells_of_one_type_are_too(kind, column):
    cells = [cell for cell in ODD if type(cell) is kind]
    for some in (cells, [None, *cells], [*cells, *cells]):
        assert CellReader(column).column(some).tolist() == [column.code(cell) for cell in some]


@pytest.mark.parametrize(
    "column", [Clipped("x"), Scaled("s", -2, 1e6), Scaled("c", 0, 3, decimal=",")], ids=lambda column: column.name
)
@given(cells=st.lists(CELLS, max_size=6))
def test_clipped_numbers(column, cells):
    assert CellReader(column).column(cells).tolist() == [column.number(cell) for cell in cells]


def test_little_is_remembered():
    column = Categorical("c", ["1"])
    reader = CellReader(column)
    cells = [str(i) for i in range(3 * MOST_REMEMBERED)] + ["1"]
    assert reader.column(cells).tolist() == [column.code(cell) for cell in cells]
    memory = reader._memories[str]
    assert len(memory) <= MOST_REMEMBERED
    reader.read("y" * (LONGEST_REMEMBERED + 1))
    assert all(len(cell) <= LONGEST_REMEMBERED for cell in memory)


def test_an_event_that_lacks_a_cell():
    events = [{"a": 1, "b": 2}, {"a": 3}, {}]
    assert [list(cells) for cells in cells_of(events, ["a", "b"])] == [[1, 3, None], [2, None, None]]
    assert [list(cells) for cells in cells_of(events[:1], ["a", "b"])] == [[1], [2]]
    assert cells_of([], ["a"]) == [[]]
    made: defaultdict[str, object] = defaultdict(lambda: "made up", a=1)
    assert [list(cells) for cells in cells_of([made, made], ["a", "b"])] == [[1, 1], [None, None]]
    assert set(made) == {"a"}


def test_events_are_read_once_and_cut():
    reader = EventReader([Boolean("a"), Clipped("x")], Categorical("y", ["no", "yes"]))
    first = reader.read([{"a": True, "x": 0.5, "y": "yes"}, {"y": "maybe"}])
    both = CodedEvents.join([first, reader.read([{"a": "no", "x": -3, "y": "no"}])])
    assert len(both) == 3
    assert both.columns["a"].tolist() == [1, -1, 0]
    assert both.columns["x"].tolist() == [0.5, 0.0, -1.0]
    assert both[1:].labels.tolist() == [-1, 0]
    assert len(both[3:]) == 0
