"""Patterns and names of dialects."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.errors import ParameterError
from dprules.models.export.dialects import DAY_PATTERN, DIALECTS, NUMBER_PATTERN, find_dialect
from dprules.schema.cells import NUMBER, read_date


def test_dialects_are_found_by_their_names():
    assert [find_dialect(name).name for name in DIALECTS] == ["duckdb", "postgres", "spark", "sqlite"]


@pytest.mark.parametrize("name", ["mysql", "tsql", "bigquery", "snowflake", "DuckDB", ""])
def test_others_are_refused_in_one_sentence_that_says_what_to_do(name):
    with pytest.raises(ParameterError, match=r"dialect must be one of .*Choose one of them, or export Python"):
        find_dialect(name)


@pytest.mark.parametrize("year", [1, 4, 100, 400, 1899, 1900, 1996, 2000, 2023, 2024, 2100, 9999])
def test_the_pattern_of_days_knows_the_calendar(year):
    for month in range(14):
        for day in range(34):
            text = f"{year:04}-{month:02}-{day:02}"
            assert bool(re.fullmatch(DAY_PATTERN, text)) == (read_date(text) is not None), text


@given(st.dates(), st.text("0123456789:.+Z -T", max_size=12))
def test_the_pattern_of_moments(day: date, tail: str):
    text = day.isoformat() + tail
    assert bool(re.fullmatch(DAY_PATTERN, text.strip(" "))) == (read_date(text) is not None)


@given(st.text("0123456789.+-eE", max_size=8))
def test_the_pattern_of_numbers_is_that_of_cells(text: str):
    assert bool(re.fullmatch(NUMBER_PATTERN, text)) == bool(NUMBER.fullmatch(text))
