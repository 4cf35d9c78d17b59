"""One cell is read from that cell alone."""

import datetime
import math
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from door.odd import NUMBERS, OBJECTS, TEXTS, OddDate
from dprules.schema.cells import (
    canonical_decimal,
    find_value,
    read_date,
    read_number,
    read_truth,
    read_value,
    tabulate_values,
)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("a b", "a b"),
        (b"a", "a"),
        (True, "true"),
        (np.False_, "false"),
        (7, "7"),
        (np.uint64(2**63), "9223372036854775808"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (np.float64(0.1), "0.1"),
        (np.float32(0.5), "0.5"),
        (np.longdouble(2), "2.0"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1e3"), "1000"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (datetime.datetime(2020, 1, 2), "2020-01-02 00:00:00"),
        (pd.Timestamp("2020-01-02"), "2020-01-02 00:00:00"),
        (np.datetime64("2020-01-02"), "2020-01-02 00:00:00"),
        (pd.Timestamp(-1), "1969-12-31 23:59:59.999999"),
        (np.datetime64(-1, "ns"), "1969-12-31 23:59:59.999999"),
        (datetime.time(1, 2), "01:02:00"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (pa.scalar(5), "5"),
        (np.str_("a"), "a"),
    ],
)
def test_the_text_of_a_cell(cell: object, text: str) -> None:
    assert read_value(cell) == text


MISSING = [None, "", b"\xff", "\ud800", math.nan, math.inf, -math.inf, np.float32("nan"), Decimal("NaN"), "x" * 100_001]


@pytest.mark.parametrize("cell", [*MISSING, *OBJECTS.values()], ids=lambda cell: type(cell).__name__)
def test_what_stands_for_no_value_is_missing(cell: object) -> None:
    assert read_value(cell) is None
    assert read_number(cell) is None
    assert read_truth(cell) is None
    assert read_date(cell) is None
    assert find_value(cell, tabulate_values(["CANARY", "1"])) is None


@pytest.mark.parametrize("cell", [*NUMBERS.values(), *TEXTS.values()], ids=lambda cell: type(cell).__name__)
def test_no_cell_raises(cell: object) -> None:
    read_value(cell)
    read_number(cell)
    read_truth(cell)
    read_date(cell)
    read_number(cell, ",")
    find_value(cell, tabulate_values([0, 1]))


def test_a_float_of_any_width_is_its_value() -> None:
    """A column that turns from 32 to 64 bits keeps its values, so cells must read the same."""
    for narrow in (np.float32(0.7), np.float16(0.1)):
        assert read_value(narrow) == read_value(float(narrow))
        assert read_number(narrow) == float(narrow)


@pytest.mark.parametrize(
    ("text", "decimal"),
    [
        ("1", "1"),
        ("1.0", "1"),
        ("1.50", "1.5"),
        ("10", "10"),
        ("100.00", "100"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0.10", "0.1"),
        ("-3.20", "-3.2"),
        *((odd, None) for odd in ("01", "+1", "1.", ".5", "1e2", " 1", "1 ", "", "-", "a", "\uff11", "\u0661", "--1")),
        ("1." + "0" * 198, "1"),
        ("1." + "0" * 199, None),
    ],
)
def test_decimals(text: str, decimal: str | None) -> None:
    assert canonical_decimal(text) == decimal


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=4))
def test_equal_decimals_have_one_form(number: Decimal) -> None:
    text = format(number, "f")
    form = canonical_decimal(text)
    assert form is not None
    assert Decimal(form) == number
    assert canonical_decimal(form) == form
    assert canonical_decimal(f"{text}0" if "." in text else f"{text}.0") == form


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("3", 3.0),
        (" 3 ", 3.0),
        ("+.5e1", 5.0),
        ("5.", 5.0),
        ("1E2", 100.0),
        (10**99, 1e99),
        ("1e99", 1e99),
        (2**53 + 1, 2.0**53),
        (Decimal("0.5"), 0.5),
        *(
            (odd, None)
            for odd in ("0x10", "1_000", "1,5", "nan", "inf", "\u00a03", "\uff13", "\t3", "e5", ".", "", "3 4")
        ),
        *((odd, None) for odd in (True, np.True_, "true", 10**100, "1e100", "-1e100", "1e999", "1e1000", 10**400)),
        ("0" * 199 + "1", 1.0),
        ("0" * 200 + "1", None),
        (datetime.date(2020, 1, 1), None),
    ],
)
def test_numbers(cell: object, number: float | None) -> None:
    assert read_number(cell) == number


@given(st.floats(min_value=-1e99, max_value=1e99))
def test_a_number_and_its_text_read_alike(number: float) -> None:
    assert read_number(number) == read_number(repr(number)) == number


@pytest.mark.parametrize(
    ("cell", "truth"),
    [
        *(
            (word, True)
            for word in (True, np.True_, 1, 1.0, "1", "1.0", "true", "TRUE", " t ", "Yes", "y", Decimal("1.00"))
        ),
        *((word, False) for word in (False, 0, -0.0, "0", "0.00", "-0", "false", "F", "No", "n")),
        *((word, None) for word in (2, "2", "01", "t.0", "yes.0", "tru", "\u00a0yes", "on", "", None, "1.")),
    ],
)
def test_truths(cell: object, truth: bool | None) -> None:
    assert read_truth(cell) is truth


FORMS = [
    (["1", "2"], [1, 1.0, "1", "1.0", "1.00", b"1", np.float32(1), np.int8(1), Decimal("1.0")], 0),
    ([1, 2], ["2", "2.0", 2, 2.0], 1),
    ([1.0, 2.5], ["1", 1, True, "2.50"], None),
    (["False", "True"], [True, "true", "TRUE", "True", 1, "1", 1.0, np.True_], 1),
    (["false", "true"], [False, "False", "FALSE", 0, "0", -0.0, "0.0"], 0),
    ([0, 1], [True, "true", "True"], 1),
    (["0", "1"], [False, "FALSE"], 0),
    (["01", "1"], ["01", b"01"], 0),
    (["a", "A"], ["A"], 1),
]


@pytest.mark.parametrize(("values", "cells", "place"), FORMS, ids=lambda value: str(value)[:30])
def test_forms_of_one_value(values: list[object], cells: list[object], place: int | None) -> None:
    table = tabulate_values(values)
    if place is not None:
        assert [find_value(cell, table) for cell in cells] == [place] * len(cells)
    else:
        assert [find_value(cell, table) for cell in cells] == [0, 0, None, 1]


def test_booleans_are_numbers_only_where_the_values_are_a_pair_of_booleans() -> None:
    assert find_value(True, tabulate_values(["1", "2", "3"])) is None
    assert find_value("true", tabulate_values(["0", "1", "2"])) is None
    assert find_value(1, tabulate_values(["true", "false", "unknown"])) is None


@pytest.mark.parametrize(
    "values",
    [
        ["1", "1.0"],
        [1, "1"],
        [1, 1.0],
        ["0", "-0"],
        ["true", "True"],
        ["TRUE", "true"],
        [2**53],
        ["9007199254740992"],
        ["9007199254740993.0"],
        [1e17],
        ["1e+17"],
        [math.nan],
        [""],
        [None],
        ["\ud800"],
    ],
    ids=str,
)
def test_values_that_share_a_form_or_cannot_be_told_apart_are_refused(values: list[object]) -> None:
    with pytest.raises(ValueError, match=r"^\S{0,20}$"):
        tabulate_values(values)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**53) + 1, 2**53 - 1))
def test_a_whole_number_that_has_become_a_float_matches_as_before(cell: int, value: int) -> None:
    """A missing cell turns a column of integers into floats: no other cell may change its value."""
    table = tabulate_values([value, "other"])
    assert find_value(cell, table) == find_value(float(cell), table)


@pytest.mark.parametrize("word", ["None", "nan", "inf", "NaN"])
def test_words_that_python_prints_are_values_like_any_other(word: str) -> None:
    assert find_value(word, tabulate_values([word, "other"])) == 0


def test_leading_zeros_and_large_codes_stay_text() -> None:
    table = tabulate_values(["01", "00100000000000000000", "5e10", "1e5"])
    assert find_value("00100000000000000000", table) == 1
    assert find_value(1, table) is None
    assert find_value("5e10", table) == 2


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("3,14", 3.14),
        (" -0,5 ", -0.5),
        (",5", 0.5),
        ("5,", 5.0),
        ("1,5e3", 1500.0),
        ("3.14", 3.14),  # as databases write their numbers
        (3.14, 3.14),
        (Decimal("3.14"), 3.14),
        (3, 3.0),
        (b"3,14", 3.14),
        ("1.000,5", None),
        ("1,000.5", None),
        ("1,000,000", None),
        ("3,14,", None),
        (",", None),
        (True, None),
    ],
)
def test_a_number_with_a_decimal_comma(cell: object, number: float | None) -> None:
    assert read_number(cell, ",") == number


def test_a_comma_is_no_point_unless_it_is_declared() -> None:
    assert read_number("3,14") is None


def test_a_very_long_text_is_no_date() -> None:
    assert read_date("2024-01-01 00:00:00." + "0" * 180) == "2024-01-01"
    assert read_date("2024-01-01 00:00:00." + "0" * 181) is None


class Whole(int):
    """Read by its text: only plain types take the short way."""


class Text(str):
    """Read by its text."""

    __slots__ = ()


@given(st.one_of(st.floats(), st.integers(-(2**60), 2**60), st.integers(-(10**110), 10**110)))
def test_plain_numbers_are_read_as_their_texts_are(number):
    as_text = np.float64(number) if isinstance(number, float) else Whole(number)
    read, expected = read_number(number), read_number(as_text)
    assert repr(read) == repr(expected)  # and not -0.0


@given(st.one_of(st.text(max_size=4), st.sampled_from(["1", "1.0", "01", "a", "True", "\ud800", ""])))
def test_plain_texts_are_found_as_their_subclasses_are(text):
    for values in (["a", "1"], [0, 1], ["False", "True"], ["2020-01-01 10:00:00.50"]):
        table = tabulate_values(values)
        assert find_value(text, table) == find_value(Text(text), table)
    assert read_truth(True) is read_truth(np.True_) is True
    assert read_truth(False) is read_truth(np.False_) is False


def test_an_object_whose_class_has_no_name_is_missing() -> None:
    class Nameless(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise RuntimeError("CANARY")

    class OfNoName(metaclass=Nameless):
        pass

    assert read_number(OfNoName()) is None
    assert read_value(OfNoName()) is None
    assert read_truth(OfNoName()) is None


def test_a_date_that_is_written_as_an_odd_text_is_read_as_that_text() -> None:
    assert type(read_value(OddDate(2024, 1, 1))) is str
    assert find_value(OddDate(2024, 1, 1), tabulate_values(["2024-01-01", "other"])) == 0
