import math

import ibis
import pandas as pd
import pytest

from dprules.data import Boolean, Categorical, Literal, Numeric, Operator, literals
from dprules.data.columns import MISSING

CELLS = [
    None,
    "",
    "a",
    "b",
    "A",
    " 3 ",
    "3",
    3,
    3.0,
    2.5,
    -1,
    "nan",
    "inf",
    math.nan,
    math.inf,
    True,
    "Yes",
    "no",
    "T",
    0,
    "x'y",
]
COLUMNS = [
    Categorical("c", values=("a", "b", "x'y", "3")),
    Categorical("c", values=(3, 2.5, -1)),
    Numeric("c", cuts=(0.0, 2.5, 3.0)),
    Boolean("c"),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: repr(column)[:40])
def test_one_value_and_the_engine_read_a_text_cell_alike(column):
    cells = [None if cell is None else str(cell) for cell in CELLS]
    table = ibis.memtable(pd.DataFrame({"c": pd.Series(cells, dtype="string")}))
    engine = table.select(code=column.expression(table)).to_pandas()["code"].tolist()
    assert engine == [column.code(cell) for cell in cells]


@pytest.mark.parametrize("column", COLUMNS[1:3], ids=["numbers", "cuts"])
def test_and_a_numeric_cell(column):
    cells = [3.0, 2.5, -1.0, math.nan, math.inf, 7.0]
    table = ibis.memtable(pd.DataFrame({"c": cells}))
    engine = table.select(code=column.expression(table)).to_pandas()["code"].tolist()
    assert engine == [column.code(cell) for cell in cells]


def test_codes_of_values():
    assert [Numeric("c", cuts=(1.0, 2.0)).code(x) for x in (0.9, 1, 1.5, 2, "2.1", "x", None)] == [
        0,
        1,
        1,
        2,
        2,
        MISSING,
        MISSING,
    ]
    assert Categorical("c", values=("a",)).code("z") == MISSING
    assert [Boolean("c").code(x) for x in (True, "no", "maybe")] == [1, 0, MISSING]


def test_literals_are_different_questions():
    assert [str(x) for x in literals(Categorical("c", True, ("a", "b", "d")))] == [
        "c = a",
        "c = b",
        "c = d",
        "c != a",
        "c != b",
        "c != d",
        "c is missing",
        "c is present",
    ]
    assert [str(x) for x in literals(Boolean("b"))] == ["b is true", "b is false"]
    assert literals(Categorical("c", values=("only",))) == ()


@pytest.mark.parametrize("operator", [Operator.EQUALS, Operator.DIFFERS])
def test_missing_cells_make_every_comparison_false(operator):
    column = Categorical("c", values=("a", "b"))
    assert not Literal(column, operator, "a").holds({"c": "undeclared"})
    assert not Literal(column, operator, "a").holds({})
    assert Literal(column, Operator.IS_MISSING).holds({"c": "undeclared"})
