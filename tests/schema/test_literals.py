import pytest

from door.odd import NUMBERS, OBJECTS, TEXTS
from dprules.schema import (
    MISSING,
    Boolean,
    Categorical,
    Column,
    Literal,
    Numeric,
    Operator,
    Positive,
    literals_of,
    show_value,
)

COLUMNS: list[Column] = [
    Categorical("c", ["a", "b", "d"], missing_literal=True),
    Categorical("c", ["a", "b"]),
    Categorical("c", [1, 2.5]),
    Numeric("c", [0.0, 1.5], missing_literal=True),
    Boolean("c", missing_literal=True),
    Positive("c"),
]
LITERALS = [literal for column in COLUMNS for literal in literals_of(column)]
CELLS = [None, "a", "b", "x", 0, 1, 1.5, -1, True, "no", *OBJECTS.values(), *NUMBERS.values(), *TEXTS.values()]


@pytest.mark.parametrize(
    ("column", "asked"),
    [
        (COLUMNS[0], ["c = a", "c = b", "c = d", "c != a", "c != b", "c != d", "c is missing", "c is present"]),
        (COLUMNS[1], ["c = a", "c = b"]),
        (COLUMNS[2], ["c = 1", "c = 2.5"]),
        (Categorical("c", ["only"]), []),
        (Categorical("c", ["only"], missing_literal=True), ["c is missing", "c is present"]),
        (COLUMNS[3], ["c < 0", "c < 1.5", "c >= 0", "c >= 1.5", "c is missing", "c is present"]),
        (Boolean("b"), ["b is true", "b is false"]),
        (Positive("p"), ["p > 0", "p <= 0"]),
    ],
)
def test_literals_are_different_questions(column: Column, asked: list[str]) -> None:
    assert [str(literal) for literal in literals_of(column)] == asked


@pytest.mark.parametrize("literal", LITERALS, ids=str)
def test_what_is_printed_is_what_is_run(literal: Literal) -> None:
    """`holds`, `truth` and `codes` are one thing."""
    for cell in CELLS:
        code = literal.column.code(cell)
        assert literal.holds({"c": cell}) == bool(literal.truth()[code]) == (code in literal.codes)
    assert literal.fits()


@pytest.mark.parametrize("literal", LITERALS, ids=str)
def test_some_cells_satisfy_a_literal_and_others_do_not(literal: Literal) -> None:
    assert 0 < len(literal.codes) < literal.column.size + 1
    assert (MISSING in literal.codes) == (literal.operator is Operator.IS_MISSING)


def test_missing_cells_make_every_comparison_false() -> None:
    column = Categorical("c", ["a", "b"])
    for operator in (Operator.EQUALS, Operator.DIFFERS):
        assert not Literal(column, operator, "a").holds({"c": "undeclared"})
        assert not Literal(column, operator, "a").holds({})
    assert Literal(column, Operator.IS_MISSING).holds({"c": "undeclared"})
    assert Literal(column, Operator.IS_MISSING).holds({})


@pytest.mark.parametrize(
    "literal",
    [
        Literal(COLUMNS[0], Operator.EQUALS, "x"),
        Literal(COLUMNS[0], Operator.BELOW, "a"),
        Literal(COLUMNS[0], Operator.EQUALS),
        Literal(COLUMNS[3], Operator.AT_LEAST, 7.0),
        Literal(COLUMNS[3], Operator.EQUALS, 0.0),
        Literal(COLUMNS[2], Operator.EQUALS, True),
        Literal(COLUMNS[4], Operator.IS_TRUE, 1),
        Literal(COLUMNS[4], Operator.ABOVE_ZERO),
        Literal(COLUMNS[5], Operator.IS_TRUE),
        Literal(COLUMNS[5], Operator.IS_MISSING, 0),
    ],
    ids=str,
)
def test_what_a_column_cannot_be_asked_does_not_fit(literal: Literal) -> None:
    assert not literal.fits()


def test_values_are_shown_as_they_are() -> None:
    assert [show_value(value) for value in (30.0, 0.1, 1e15, 2, "a", -0.0)] == [
        "30",
        "0.1",
        "1000000000000000.0",
        "2",
        "a",
        "0",
    ]
