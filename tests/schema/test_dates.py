import datetime
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.schema import MISSING, Date, FieldError, Label, PrivateDates, Schema, literals_of
from dprules.schema.dates import day_number, show_day

ADMITTED = Date("admitted", ["2023-01-01", "2024-02-29"])


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("2022-12-31", 0),
        ("2023-01-01", 1),
        (" 2024-02-28 ", 1),
        ("2024-02-29 00:00", 2),
        ("2024-02-28T23:59:59.999Z", 1),
        ("2024-02-28 23:59:59+00", 1),
        (b"2024-02-29", 2),
        (datetime.date(2024, 2, 29), 2),
        (datetime.datetime(2024, 2, 28, 23, 59, 59, 999_999), 1),
        (pd.Timestamp("2024-02-28 23:59:59.999999999"), 1),
        (pd.Timestamp("2024-02-28 23:59", tz="America/New_York"), 1),
        (np.datetime64("2024-02-29"), 2),
        ("2023-02-29", MISSING),
        ("0000-01-01", MISSING),
        ("2024-2-28", MISSING),
        ("20240228", MISSING),
        (20240228, MISSING),
        ("28/02/2024", MISSING),
        ("2024-02-28x", MISSING),
        ("2024-02-28 noon", MISSING),
        ("2024-02-2\uff18", MISSING),
        ("12024-02-28", MISSING),
        (datetime.time(1, 2), MISSING),
        (pd.NaT, MISSING),
        (None, MISSING),
        (True, MISSING),
    ],
)
def test_a_day_is_known_by_the_cuts_that_it_reaches(cell: object, code: int) -> None:
    assert ADMITTED.code(cell) == code


@given(days=st.lists(st.dates(), min_size=1, max_size=5, unique=True), day=st.dates())
def test_days_are_in_the_order_of_their_texts(days: list[datetime.date], day: datetime.date) -> None:
    column = Date("d", sorted(days))
    assert column.code(day) == column.code(str(day)) == sum(cut <= day for cut in days)


@given(day=st.dates())
def test_a_day_and_its_number(day: datetime.date) -> None:
    assert day_number(day.isoformat()) == (day - datetime.date(1970, 1, 1)).days
    assert show_day(float(day_number(day.isoformat()))) == day.isoformat()
    assert PrivateDates("d", "2000-01-01", "2000-02-01").read(day) == day_number(day.isoformat())


def test_literals_are_printed_as_dates_and_hold_by_them() -> None:
    below, _, reached, _ = literals_of(ADMITTED)
    assert (str(below), str(reached)) == ("admitted < 2023-01-01", "admitted >= 2023-01-01")
    assert below.fits()
    assert reached.holds({"admitted": "2023-01-01"})
    assert not reached.holds({"admitted": "2022-12-31"})
    assert not any(literal.holds({"admitted": "soon"}) for literal in literals_of(ADMITTED))


def test_bought_cuts_are_dates() -> None:
    column = PrivateDates("d", datetime.date(2024, 1, 1), "2024-12-31", number=3, step=7, missing_literal=True)
    assert column.with_cuts([19_723.0, 19_730.0]) == Date(
        "d", ["2024-01-01", "2024-01-08"], bought=True, missing_literal=True
    )
    assert PrivateDates("d", "2024-01-01", "2024-12-31").step == 1


def test_columns_of_dates_are_written_and_read_back() -> None:
    columns = (ADMITTED, Date("e", ["2024-01-01"], bought=True), PrivateDates("d", "2020-01-01", "2024-12-31", 3, 7))
    schema = Schema(Label("y", ["a", "b"]), columns)
    assert Schema.from_toml(schema.to_toml()) == schema
    assert Schema.from_document(json.loads(json.dumps(schema.document()))) == schema
    plain = Schema.from_toml(
        '[label]\ncolumn = "y"\nclasses = ["a", "b"]\n[columns.f]\nkind = "date"\ncuts = [2024-01-01]\n'
    )
    assert plain.columns == (Date("f", ["2024-01-01"]),)  # TOML has dates of its own


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Date("c", []), "columns.c.cuts must be an increasing list of dates"),
        (lambda: Date("c", "2024-01-01"), "columns.c.cuts must be an increasing list of dates"),
        (lambda: Date("c", ["2024-01-02", "2024-01-01"]), "columns.c.cuts must be an increasing list of dates"),
        (lambda: Date("c", ["2024-02-30"]), "columns.c.cuts must be an increasing list of dates"),
        (lambda: Date("c", [5]), "columns.c.cuts must be an increasing list of dates"),
        (lambda: PrivateDates("c", 0, "2024-01-01"), "columns.c.lower must be a date such as 2024-03-01"),
        (lambda: PrivateDates("c", "2024-01-01", "soon"), "columns.c.upper must be a date such as 2024-03-01"),
        (lambda: PrivateDates("c", "2024-01-01", "2023-01-01"), "columns.c.upper must be above lower"),
        (
            lambda: PrivateDates("c", "2023-01-01", "2024-01-01", step=0.5),
            "columns.c.step must be a whole number of days",
        ),
        (
            lambda: PrivateDates("c", "2023-01-01", "2024-01-01", step="7"),
            "columns.c.step must be a whole number of days",
        ),
        (lambda: PrivateDates("c", "0001-01-01", "9999-01-01"), "columns.c.step must be a number that leaves"),
    ],
)
def test_a_column_of_dates_is_checked(make, sentence: str) -> None:
    with pytest.raises(FieldError, match=sentence):
        make()
