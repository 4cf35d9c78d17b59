import numpy as np
import pytest

from door.odd import NUMBERS, OBJECTS, TEXTS
from dprules.errors import SchemaError
from dprules.schema import (
    MISSING,
    Boolean,
    Categorical,
    Clipped,
    Column,
    FieldError,
    Label,
    Numeric,
    Positive,
    PrivateCuts,
)
from dprules.schema.cells import read_number, read_truth


def test_codes_of_values() -> None:
    sex = Categorical("sex", ["f", "m"])
    assert [sex.code(cell) for cell in ("f", "m", "x", None, "F")] == [0, 1, MISSING, MISSING, MISSING]
    assert [Categorical("grade", [1, 2]).code(cell) for cell in (2, "2.0", "02", True)] == [1, 1, MISSING, MISSING]
    assert sex.size == 2


def test_codes_of_numbers() -> None:
    age = Numeric("age", cuts=(1.0, 2.0))
    assert [age.code(cell) for cell in (0.9, 1, 1.5, 2, "2.1", " 1 ", "x", None)] == [
        0,
        1,
        1,
        2,
        2,
        1,
        MISSING,
        MISSING,
    ]
    assert age.code(True) == MISSING
    assert age.size == 3


def test_codes_of_truths() -> None:
    assert [Boolean("c").code(cell) for cell in (True, "no", "maybe", 1.0)] == [1, 0, MISSING, 1]
    assert [Positive("c").code(cell) for cell in (2, -1, 0, True, "yes", "0.5", None)] == [1, 0, 0, 1, 1, 1, MISSING]


def test_clipped_numbers_are_weighed() -> None:
    column = Clipped("c")
    assert [column.number(cell) for cell in (2, -5, 0.5, True, False, "x", None, float("nan"))] == [
        1,
        -1,
        0.5,
        1,
        -1,
        0,
        0,
        0,
    ]
    assert column.number(0.1) == round(6.4) / 64
    assert column.size == 0
    with pytest.raises(SchemaError, match="weighed as they are"):
        column.code(1)


def test_private_cuts_must_be_bought_first() -> None:
    column = PrivateCuts("w", lower=0, upper=10)
    assert (column.size, column.levels, column.number) == (0, 3, 7)
    with pytest.raises(SchemaError, match="not bought yet"):
        column.code(3)


ODD = [*OBJECTS.values(), *NUMBERS.values(), *TEXTS.values()]
EVERY: list[Column] = [Categorical("c", [1, 2]), Numeric("c", [0.5]), Boolean("c"), Positive("c")]


@pytest.mark.parametrize("column", EVERY, ids=lambda column: column.kind)
def test_every_cell_has_a_code(column: Column) -> None:
    for cell in ODD:
        assert MISSING <= column.code(cell) < column.size


def test_positive_and_clipped_columns_read_a_number_first() -> None:
    for cell in ODD:
        number = read_number(cell)
        truth = read_truth(cell)
        expected = int(number > 0) if number is not None else MISSING if truth is None else int(truth)
        assert Positive("c").code(cell) == expected
        assert -1 <= Clipped("c").number(cell) <= 1


def test_numpy_scalars_become_plain_values() -> None:
    """JSON and TOML can write what a column holds."""
    column = Categorical("c", np.array([1, 2]))
    assert [type(value) for value in column.values] == [int, int]
    assert [type(cut) for cut in Numeric("c", np.array([1, 2])).cuts] == [float, float]
    assert type(PrivateCuts("c", np.float64(0), np.int64(3)).upper) is float
    assert Categorical("c", [True, False]).values == ("true", "false")
    assert Categorical("c", np.array(["a", "b"])).values == ("a", "b")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Categorical("", ["a"]), "a column must have a name"),
        (lambda: Categorical(3, ["a"]), "a column must have a name"),
        (lambda: Categorical("c", True), r"columns.c.values must be a list of values"),
        (lambda: Categorical("c", "ab"), r"columns.c.values must be a list of values"),
        (lambda: Categorical("c", []), r"columns.c.values must be a list of 1 to 30,000 values"),
        (lambda: Categorical("c", map(str, range(30_001))), r"columns.c.values must be a list of 1 to 30,000 values"),
        (lambda: Categorical("c", ["a", 1]), r"columns.c.values must be different values, all text"),
        (lambda: Categorical("c", ["a", ""]), r"columns.c.values must be different values, all text"),
        (lambda: Categorical("c", [None]), r"columns.c.values must be different values, all text"),
        (lambda: Categorical("c", [True, 1]), r"columns.c.values must be different values, all text"),
        (lambda: Categorical("c", [float("nan")]), r"columns.c.values must be different values, all text"),
        (lambda: Categorical("c", ["a", "a"]), None),
        (lambda: Categorical("c", ["1", "1.0"]), r"columns.c.values must be different values, numbers below 2\^53"),
        (lambda: Categorical("c", [1, 2**53]), r"columns.c.values must be different values, numbers below 2\^53"),
        (lambda: Categorical("c", ["a"], missing_literal="yes"), r"columns.c.missing_literal must be True or False"),
        (lambda: Numeric("c", [2, 1]), r"columns.c.cuts must be an increasing list"),
        (lambda: Numeric("c", [1, 1]), r"columns.c.cuts must be an increasing list"),
        (lambda: Numeric("c", []), r"columns.c.cuts must be an increasing list"),
        (lambda: Numeric("c", 3), r"columns.c.cuts must be an increasing list"),
        (lambda: Numeric("c", "12"), r"columns.c.cuts must be an increasing list"),
        (lambda: Numeric("c", ["1"]), r"columns.c.cuts must be an increasing list"),
        (lambda: Numeric("c", [float("inf")]), r"columns.c.cuts must be an increasing list"),
        (lambda: Numeric("c", [True]), r"columns.c.cuts must be an increasing list"),
        (lambda: PrivateCuts("c", 1, 1), r"columns.c.upper must be above lower"),
        (lambda: PrivateCuts("c", -1e308, 1e308), r"columns.c.lower must be a number below 1e100"),
        (lambda: PrivateCuts("c", 1, 1.0000000000000002), r"columns.c.upper must be above lower, and not next to it"),
        (lambda: PrivateCuts("c", "0", 1), r"columns.c.lower must be a number"),
        (lambda: PrivateCuts("c", 0, None), r"columns.c.upper must be a number"),
        (lambda: PrivateCuts("c", 0, 1, 4), r"columns.c.number must be a number of cuts of 1, 3"),
        (lambda: PrivateCuts("c", 0, 1, True), r"columns.c.number must be a number of cuts of 1, 3"),
        (lambda: PrivateCuts("c", 0, 1, 3, 0), r"columns.c.step must be a number above 0"),
        (lambda: PrivateCuts("c", 0, 0.3, 3, 0.3), r"columns.c.step must be smaller: it leaves no place"),
        (lambda: PrivateCuts("c", 0, 1, 3, 1e-9), r"columns.c.step must be a number that leaves"),
        (lambda: PrivateCuts("c", 0, 1, decimal=";"), r'columns.c.decimal must be "." or ","'),
        (lambda: Numeric("c", [1], decimal=None), r'columns.c.decimal must be "." or ","'),
    ],
)
def test_a_column_made_in_python_is_checked(make: object, sentence: str | None) -> None:
    """Nothing that is wrong is taken for something else."""
    with pytest.raises(SchemaError, match=sentence or "must be"):
        make()  # type: ignore[operator]


def test_values_cannot_be_given_by_place_where_a_flag_was() -> None:
    """A list of values given by place became `missing_literal`."""
    with pytest.raises(TypeError):
        Categorical("c", False, ["a"])  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Boolean("c", True)  # type: ignore[call-arg]
    assert Categorical("c", ["a", "b"]).values == ("a", "b")


def test_a_field_error_says_where() -> None:
    with pytest.raises(FieldError) as caught:
        Numeric("age", [2, 1])
    assert (caught.value.place, caught.value.key) == (("columns", "age"), "cuts")


def test_bought_cuts_may_have_fallen_together() -> None:
    column = Numeric("c", (), bought=True)
    assert column.size == 1
    assert column.code(3) == 0
    assert column.entry() == {"kind": "numeric", "cuts": [], "bought": True}


def test_most_values_fit_in_a_code() -> None:
    column = Categorical("c", [f"v{i}" for i in range(30_000)])
    assert column.code("v29999") == 29_999


def test_columns_are_values() -> None:
    assert Categorical("c", ["a", "b"]) == Categorical("c", ("a", "b"))
    assert Numeric("c", [1]) == Numeric("c", (1.0,))
    assert Numeric("c", [1]) != Numeric("c", [2])
    assert "_table" not in repr(Categorical("c", ["a"]))


@pytest.mark.parametrize(
    "values",
    [
        ["0.00001", "1e-05"],
        ["0.1", "0.10000000000000000001"],
        ["1", "01"],
        ["1,5", "1.5"],
        [" 1", "1"],
        ["2020-01-01", "2020-01-01 00:00:00"],
        ["2020-01-01T00:00:00Z", "2020-01-01 01:00:00+01:00"],
    ],
    ids=str,
)
def test_declared_values_that_are_one_number_or_moment_are_refused(values):
    """One record may be written in both ways, by two readers of one table."""
    with pytest.raises(SchemaError, match="equal numbers"):
        Categorical("c", values)
    with pytest.raises(SchemaError, match="equal numbers"):
        Label("y", values)
    Categorical("c", values, bought=True)  # which values were released is no reason to stop a fit


@pytest.mark.parametrize("values", [["2020-01-01", "2020-01-02"], ["a", "A"], ["2020-02-30", "2020-03-01"], ["1", "2"]])
def test_other_values_are_different(values):
    assert Categorical("c", values).size == 2
