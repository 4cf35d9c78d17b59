"""Points of one column: lines say what a table says, and nothing else is read back."""

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import ModelError
from dprules.models import Points
from dprules.schema import Boolean, Categorical, Clipped, Column, Numeric
from models.cards import COLUMNS

BY_NAME: dict[str, Column] = {column.name: column for column in COLUMNS}


@st.composite
def tables(draw):
    """A column and a table of points: few values, so that some are alike."""
    column = draw(st.sampled_from(COLUMNS))
    places = draw(st.sampled_from((1, 3)))
    row = st.lists(st.sampled_from((-5, 0, 0, 9)), min_size=places, max_size=places)
    return column, np.array(draw(st.lists(row, min_size=column.size + 1, max_size=column.size + 1)))


@settings(max_examples=60, deadline=None)
@given(tables())
def test_lines_give_the_points_of_the_table(drawn):
    column, table = drawn
    points = Points.of(column, table)
    assert points.table().tolist() == table.tolist()
    assert Points.from_document(points.document(), BY_NAME, table.shape[1]) == points


def test_the_lines_are_the_shortest():
    age = Numeric("age", (10.0, 20.0, 30.0))
    assert Points.of(age, np.array([[0]] * 5)).lines == ()
    assert [str(line.condition) for line in Points.of(age, np.array([[1]] * 4 + [[0]])).lines] == ["age is present"]
    assert [str(line.condition) for line in Points.of(age, np.array([[0], [0], [7], [7], [0]])).lines] == [
        "age < 20",
        "age >= 20",
    ]
    city = Categorical("city", ("a", "b", "c"))
    assert [str(line.condition) for line in Points.of(city, np.array([[0], [4], [0], [0]])).lines] == ["city = b"]
    flag = Points.of(Boolean("b"), np.array([[0], [4], [0]]))
    assert [str(line.condition) for line in flag.lines] == ["b is true"]


def test_numbers_without_codes_have_no_points():
    with pytest.raises(TypeError):
        Points.of(Clipped("x"), np.array([[0]]))


AGE = Points.of(COLUMNS[0], np.array([[0], [3], [3], [9], [-2]]))
BROKEN: dict[str, Any] = {
    "no column": lambda d: d.update(column="nobody"),
    "a column that is no name": lambda d: d.update(column=["age"]),
    "the lines of another column": lambda d: d.update(column="dose"),
    "no lines": lambda d: d.pop("lines"),
    "a line less": lambda d: d["lines"].pop(),
    "a line twice": lambda d: d["lines"].append(d["lines"][-1]),
    "another order": lambda d: d["lines"].reverse(),
    "two conditions": lambda d: d["lines"][0]["if"].append(d["lines"][1]["if"][0]),
    "a line without points": lambda d: d["lines"][0].pop("points"),
    "a line that is none": lambda d: d["lines"].insert(0, 3),
    "points that are a fraction": lambda d: d["lines"][0].update(points=[1.5]),
    "points that are true": lambda d: d["lines"][0].update(points=[True]),
    "points that are huge": lambda d: d["lines"][0].update(points=[10**7]),
    "points for two": lambda d: d["lines"][0].update(points=[1, 2]),
    "nothing otherwise": lambda d: d.pop("otherwise"),
}


@pytest.mark.parametrize("change", BROKEN)
def test_broken_documents_are_refused(change):
    document = copy.deepcopy(AGE.document())
    BROKEN[change](document)
    with pytest.raises(ModelError, match="Export it again"):
        Points.from_document(document, BY_NAME, 1)


def test_a_file_cannot_ask_for_more_memory_than_a_card_needs():
    wide = Categorical("wide", tuple(range(30_000)))
    with pytest.raises(ModelError, match="more points than a scorecard"):
        Points.from_document({"column": "wide", "lines": [], "otherwise": [0] * 1000}, {"wide": wide}, 1000)


def test_a_column_without_values_has_no_points():
    nothing = Categorical("nothing", (), bought=True)
    with pytest.raises(ModelError):
        Points.from_document({"column": "nothing", "lines": [], "otherwise": [3]}, {"nothing": nothing}, 1)
    with pytest.raises(ModelError):
        Points.from_document("points", BY_NAME, 1)
