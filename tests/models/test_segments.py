"""Segments: every cell of a column is in one of them, with the points that it gets."""

import numpy as np
import pytest
from hypothesis import given, settings

from dprules.models import Points
from dprules.models.segments import piece_at, segments_of
from dprules.schema import Boolean, Categorical, Column, Date, Numeric, Positive
from models.test_points import tables


@settings(max_examples=60, deadline=None)
@given(tables())
def test_segments_are_a_partition_that_says_what_the_table_says(drawn):
    column, table = drawn
    points = Points.of(column, table)
    segments = segments_of(points)
    codes = [code for segment in segments for piece in segment.pieces for code in piece.codes]
    assert sorted(codes) == list(range(-1, column.size))
    assert len({segment.points for segment in segments}) == len(segments)
    for segment in segments:
        for piece in segment.pieces:
            for code in piece.codes:
                assert tuple(table[code]) == segment.points
                assert piece_at(points, code) == piece
        assert segment.size == max(map(abs, segment.points))


AGE = Numeric("age", (30.0, 45.0))
CITY = Categorical("city", ("a", "b", "c"))
TOWN = Categorical("town", tuple(f"t{i}" for i in range(14)))
REST = ["town = t0", "town in {t1, t2}"]
CASES: list[tuple[Column, list[int], list[str]]] = [
    (AGE, [1, 2, 3, 4], ["age < 30", "30 <= age < 45", "age >= 45", "age is missing"]),
    (AGE, [1, 0, 1, 0], ["age < 30 or age >= 45", "30 <= age < 45, or missing"]),
    (AGE, [5, 5, 5, 0], ["age is present", "age is missing"]),
    (AGE, [5, 5, 5, 5], ["age is present, or missing"]),
    (AGE, [5, 5, 0, 5], ["age < 45, or missing", "age >= 45"]),
    (CITY, [1, 0, 0, 0], ["city = a", "city in {b, c}, or missing"]),
    (TOWN, [1, *[0] * 14], ["town = t0", "town: any other value, or missing"]),
    (TOWN, [1, 0, 0, *[7] * 12], [f"town in {{{', '.join(f't{i}' for i in range(3, 14))}}}, or missing", *REST]),
    (TOWN, [1, *[7] * 14], ["town = t0", "town: any other value, or missing"]),
    (TOWN, [7] * 15, ["town: any value, or missing"]),
    (CITY, [1, 7, 1, 0], ["city = b", "city in {a, c}", "city is missing"]),
    (CITY, [-1, 7, 3, 7], ["city = b, or missing", "city = c", "city = a"]),
    (CITY, [2, 2, 2, 2], ["city in {a, b, c}, or missing"]),
    (Boolean("b"), [0, 4, 0], ["b is true", "b is false, or missing"]),
    (Boolean("b"), [0, 4, 2], ["b is true", "b is false", "b is missing"]),
    (Positive("gain"), [0, 0, 3], ["gain is present", "gain is missing"]),
    (Date("day", ("2024-01-01",)), [3, 0, 0], ["day < 2024-01-01", "day >= 2024-01-01, or missing"]),
    (Categorical("c\nd", ("x\ny", "z")), [3, 0, 0], ["c\\nd = x\\ny", "c\\nd = z, or missing"]),
]


@pytest.mark.parametrize(("column", "numbers", "words"), CASES)
def test_words(column, numbers, words):
    points = Points.of(column, np.array(numbers).reshape(-1, 1))
    assert [segment.words for segment in segments_of(points)] == words
