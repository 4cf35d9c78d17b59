"""Columns whose values are bought: what a cell counts for, and how a schema asks for them."""

from datetime import date, datetime
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from door.odd import CELLS
from dprules.errors import SchemaError
from dprules.schema import MISSING, Categorical, FieldError, Label, PrivateValues, Schema, literals_of
from dprules.schema.cells import tabulate_values
from dprules.schema.gaps import PLACEHOLDER
from dprules.schema.private_values import LONGEST_FORM, MOST_BOUGHT

CITY = PrivateValues("city")


@pytest.mark.parametrize(
    ("cell", "form"),
    [
        ("Paris", "Paris"),
        (" Paris", " Paris"),
        ("1.0", "1"),
        (1, "1"),
        (1.0, "1"),
        (np.float32(2.5), "2.5"),
        ("01", "01"),
        ("-0", "0"),
        (True, "1"),
        ("TRUE", "1"),
        ("False", "0"),
        ("yes", "yes"),
        ("January 2020", "January 2020"),
        ("x" * LONGEST_FORM, "x" * LONGEST_FORM),
        ("é", "é"),
        ("e\u0301", "e\u0301"),
    ],
)
def test_a_cell_counts_for_one_form(cell, form):
    assert CITY.form(cell) == form


@pytest.mark.parametrize(
    "cell",
    [
        None,
        "",
        float("nan"),
        float("inf"),
        b"\xff",
        "\ud800",
        "two\nlines",
        "a\x00b",
        "a\x1b[0m",
        "a\x85b",
        "a\u2028b",
        PLACEHOLDER,
        "x" * (LONGEST_FORM + 1),
        2**53,
        1e17,
        1e300,
        -1e17,
        10**150,
        "9007199254740993",
        date(2020, 1, 1),
        datetime(2020, 1, 1),
        "2020-01-01",
        "2020-01-01 10:00:00.500",
        "2020-01-01T10:00+02:00",
        [],
        {},
        object(),
    ],
    ids=lambda cell: repr(cell).partition(" object at ")[0],
)
def test_what_cannot_be_a_value_is_missing(cell):
    assert CITY.form(cell) is None


ODD = [*CELLS.values(), "1", "1.0", "1.10", 1, 0, True, "true", "FALSE", "a", "A", " a", "01", "-0", 0.0, "0.1", 0.1]


def test_a_form_is_its_own_form():
    forms = {form for cell in ODD if (form := CITY.form(cell)) is not None}
    assert len(forms) > 10
    assert {form: CITY.form(form) for form in forms} == {form: form for form in forms}
    assert len(tabulate_values(list(forms))) == len(forms)  # no two share a form


def test_a_cell_matches_a_bought_value_iff_that_is_its_form():
    forms = sorted({form for cell in ODD if (form := CITY.form(cell)) is not None})
    sets = [[form] for form in forms] + [list(pair) for pair in product(forms[:20], forms[-8:]) if pair[0] != pair[1]]
    for values in [[], forms, ["0", "1"], *sets]:
        column = CITY.with_values(values)
        for cell in ODD:
            form = CITY.form(cell)
            assert column.code(cell) == (values.index(form) if form in values else MISSING), (values, cell)


def test_values_must_be_bought_first():
    assert CITY.size == 0
    with pytest.raises(SchemaError, match="not bought yet"):
        CITY.code("Paris")
    assert literals_of(CITY) == ()


WRONG = [0, 1, -0.1, 2, float("nan"), "0.1", True, None, Fraction(1, 2)]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("name", ["share", "delta"])
def test_shares_are_between_0_and_1(name, wrong):
    with pytest.raises(FieldError, match=r"columns.city.values must be \{ private = 0.05"):
        PrivateValues("city", **{name: wrong})


@pytest.mark.parametrize("wrong", [0, -1, MOST_BOUGHT + 1, 2.5, "3", True, None])
def test_a_column_keeps_one_to_a_thousand_values(wrong):
    with pytest.raises(FieldError, match=r"columns.city.values"):
        PrivateValues("city", most=wrong)


def test_numbers_of_numpy_are_plain():
    made = PrivateValues("city", np.float32(0.5), np.float64(0.25), np.int64(3))
    assert [type(x) for x in (made.share, made.delta, made.most)] == [float, float, int]
    assert made == PrivateValues("city", 0.5, 0.25, 3)


TEXT = """
[label]
column = "y"
classes = ["no", "yes"]

[columns.city]
kind = "categorical"
values = {}
missing = "literal"
"""


@pytest.mark.parametrize(
    ("asked", "column"),
    [
        ("{ private = 0.05, delta = 0.1 }", PrivateValues("city", 0.05, 0.1, missing_literal=True)),
        ("{ private = 0.2 }", PrivateValues("city", 0.2, missing_literal=True)),
        ("{ private = 0.2, most = 9 }", PrivateValues("city", 0.2, most=9, missing_literal=True)),
    ],
)
def test_a_schema_asks_for_values(asked, column):
    schema = Schema.from_toml(TEXT.format(asked))
    assert schema.columns == (column,)
    assert schema.private_values == (column,)
    assert Schema.from_toml(schema.to_toml()) == schema


@pytest.mark.parametrize("asked", ["{}", "{ delta = 0.1 }", "{ private = 0.1, size = 3 }", '{ private = "yes" }'])
def test_a_schema_that_asks_in_another_way_is_refused(asked):
    with pytest.raises(SchemaError, match=r"line 8: columns.city.values must be \{ private = 0.05, delta = 0.1"):
        Schema.from_toml(TEXT.replace("values = {}", f"values = {asked}"))


def test_bought_values_may_be_few_or_none():
    schema = Schema(Label("y", ("a", "b")), (PrivateValues("city"), PrivateValues("street", missing_literal=True)))
    none = schema.with_values({"city": [], "street": []})
    assert none.private_values == ()
    assert none.literals() == ()
    assert none.columns[0] == Categorical("city", (), bought=True)
    one = schema.with_values({"city": ["Paris"], "street": ["Long Street"]})
    assert [str(literal) for literal in one.literals()] == [
        "city = Paris",
        "street is missing",
        "street is present",
    ]
    assert Schema.from_document(one.document()) == one
    assert Schema.from_document(none.document()) == none


def test_declared_values_may_not_be_none():
    for empty in ((), [], ""):
        with pytest.raises(FieldError, match="a list of"):
            Categorical("city", empty)
    with pytest.raises(FieldError, match="a list of"):
        Categorical("city", "", bought=True)
