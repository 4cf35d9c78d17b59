"""Numbers between bounds: one reading, whoever reads."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.errors import SchemaError
from dprules.models.documents import read_columns, write_columns
from dprules.schema import GRID, Scaled
from dprules.tables.cells import read_clipped
from dprules.tables.events import CellReader

BOUNDS = st.tuples(st.floats(-1e90, 1e90), st.floats(-1e90, 1e90)).map(sorted).filter(lambda b: b[1] - b[0] >= 1e-90)


def test_bounds_are_the_ends_and_a_missing_number_is_the_middle():
    column = Scaled("x", 10, 20)
    cells = [10, 20, 15, 9, 1e99, -1e99, "12.5", None, "", "x", float("nan"), float("inf"), 1e100, True, "yes"]
    assert [column.number(cell) for cell in cells] == [-1, 1, 0, -1, 1, -1, -0.5, 0, 0, 0, 0, 0, 0, 0, 0]
    assert Scaled("x", 0, 10, decimal=",").number("2,5") == -0.5
    assert column.size == 0


@given(BOUNDS, st.lists(st.floats(width=64), min_size=1, max_size=20))
def test_every_reader_reads_alike_and_on_the_grid(bounds, numbers):
    column = Scaled("x", *bounds)
    alone = [column.number(number) for number in numbers]
    assert column.numbers(np.where(np.abs(numbers) < 1e100, numbers, np.nan)).tolist() == alone
    assert read_clipped(column, np.array(numbers)).tolist() == alone
    assert read_clipped(column, list(map(str, numbers))).tolist() == alone
    assert [CellReader(column).read(number) for number in numbers] == alone
    assert all(abs(value) <= 1 and (GRID * value).is_integer() for value in alone)


@given(BOUNDS, st.floats(0, 1), st.floats(0, 1))
def test_it_is_even_and_never_turns_back(bounds, first, second):
    lower, upper = bounds
    column = Scaled("x", lower, upper)
    numbers = sorted(lower + share * (upper - lower) for share in (first, second))
    low, high = map(column.number, numbers)
    assert low <= high
    inside = min(upper, max(lower, numbers[0]))
    exact = 2 * (Fraction(inside) - Fraction(lower)) / (Fraction(upper) - Fraction(lower)) - 1
    assert abs(Fraction(low) - exact) <= Fraction(1, 2 * GRID) + Fraction(1, 10**12)


def test_documents():
    columns = [Scaled("x", -1.5, 2), Scaled("z", 0, 1e6, decimal=",")]
    assert list(read_columns(write_columns(columns)).values()) == columns


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"lower": 1, "upper": 1}, "above lower"),
        ({"lower": 2, "upper": 1}, "above lower"),
        ({"lower": 0, "upper": 1e-101}, "above lower"),
        ({"lower": float("nan"), "upper": 1}, "a number below 1e100"),
        ({"lower": None, "upper": True}, "a number below 1e100"),
        ({"lower": 0, "upper": "1"}, "a number below 1e100"),
        ({"lower": 0, "upper": 1e100}, "a number below 1e100"),
        ({"lower": 0, "upper": 1, "decimal": ";"}, "decimal"),
        ({"lower": 0, "upper": 1, "missing_literal": True}, "a missing number is 0"),
    ],
)
def test_what_is_wrong_gets_a_sentence(fields, sentence):
    with pytest.raises(SchemaError, match=sentence):
        Scaled("x", **fields)
