"""Readings in SQL; `tests/door/test_exports.py` runs them on every engine."""

import pytest

from dprules.errors import ParameterError
from dprules.models.export.dialects import DUCKDB
from dprules.models.export.readings import Readings, write_number
from dprules.schema import Categorical, Clipped, Literal, Numeric, Operator, PrivateCuts, Scaled, literals_of


@pytest.mark.parametrize(
    ("number", "written"),
    [(30.0, "30"), (-3.0, "-3"), (0.5, "0.5e0"), (-0.1, "-0.1e0"), (1e-7, "1e-07"), (1e100, "1e+100")],
)
def test_numbers_are_binary_fractions(number, written):
    """Engines read 0.5 as a decimal, and 0.5e0 as a double."""
    assert write_number(number).sql("duckdb") == written
    assert float(written) == number


def test_only_the_values_that_are_asked_for_are_listed():
    city = Categorical("city", [f"c{i}" for i in range(1000)])
    equal = Readings(DUCKDB, [Literal(city, Operator.EQUALS, "c7")])
    other = Readings(DUCKDB, [Literal(city, Operator.DIFFERS, "c7")])
    assert "'c8'" not in equal.values["city"].sql()
    assert "'c8'" in other.values["city"].sql()


def test_every_cell_is_read_once_whatever_the_rules_ask():
    age = Numeric("age", [10, 20, 30])
    assert list(Readings(DUCKDB, literals_of(age)).values) == ["age"]


def test_numbers_that_are_weighed_are_read_beside_those_that_are_asked_about():
    age = Numeric("age", (30.0,))
    read = Readings(DUCKDB, literals_of(age), [Clipped("x"), Scaled("height", 0, 2)])
    assert list(read.values) == ["age", "x", "height"]
    assert "6755399441055744" in read.values["x"].sql("duckdb")


def test_a_column_without_a_reading_is_refused():
    with pytest.raises(ParameterError, match="have no SQL"):
        Readings(DUCKDB, [Literal(PrivateCuts("x", 0, 1), Operator.IS_MISSING)])
