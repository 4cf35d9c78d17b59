"""Parts of documents that all models share."""

from fractions import Fraction

import pytest

from dprules.errors import ModelError
from dprules.models import documents
from dprules.schema import Boolean, Categorical, Numeric, literals_of

COLUMNS = {
    column.name: column
    for column in (
        Numeric("n", (1.0, 2.5), bought=True),
        Categorical("c", (1, 2, 3)),
        Boolean("b", missing_literal=True),
    )
}


def test_columns_are_read_back():
    assert documents.read_columns(documents.write_columns(list(COLUMNS.values()))) == COLUMNS
    for entries in (None, {"n": None}, {"n": {"kind": "magic"}}, {"": {"kind": "boolean"}}):
        with pytest.raises(ModelError, match="columns of the file are not valid"):
            documents.read_columns(entries)


@pytest.mark.parametrize("name", COLUMNS)
def test_every_literal_is_read_back(name):
    for literal in literals_of(COLUMNS[name]):
        written = documents.write_conditions([literal])
        assert documents.read_conditions(written, COLUMNS) == (literal,)


@pytest.mark.parametrize(
    "condition",
    [
        None,
        {"column": "x", "operator": "is true"},
        {"column": "b", "operator": "is true", "value": 1},
        {"column": "n", "operator": "<", "value": 1.5},
        {"column": "n", "operator": "<", "value": True},
        {"column": "n", "operator": "=", "value": 1.0},
        {"column": "c", "operator": "=", "value": "1"},
        {"column": "c", "operator": "=", "value": None},
        {"column": "c", "operator": ["="], "value": 1},
    ],
)
def test_a_literal_must_fit_its_column(condition):
    with pytest.raises(ModelError):
        documents.read_conditions([condition], COLUMNS)


def test_classes_are_text_or_numbers():
    assert documents.read_classes({"classes": ["a", 1, 2.5]}) == ("a", 1, 2.5)
    for classes in (None, [], [None], [True], [[1]]):
        with pytest.raises(ModelError, match="classes of the file"):
            documents.read_classes({"classes": classes})


def test_a_class_is_matched_with_its_type():
    assert documents.read_class(1, (0, 1)) == 1
    for value in (True, 1.0, "1", None):
        with pytest.raises(ModelError, match="not one of its classes"):
            documents.read_class(value, (0, 1))


def test_entries_have_their_type():
    assert documents.read_entry({"n": 3}, "n", int) == 3
    for value in (True, "3", None):
        with pytest.raises(ModelError, match="has no n"):
            documents.read_entry({"n": value}, "n", int)


def test_whole_numbers_are_as_many_and_as_small_as_asked():
    assert documents.read_whole([1, -2], 2, "odd", most=2) == (1, -2)
    for entry in (None, [], [1], [1, 3], [1, 1.0], [1, True], (1, 2), "12"):
        with pytest.raises(ModelError, match="odd"):
            documents.read_whole(entry, 2, "odd", most=2)


def test_class_weights_are_exact_and_at_most_one():
    assert documents.read_weights(["1", "1/3"], 2) == (Fraction(1), Fraction(1, 3))
    for entry in (None, ["1"], ["1", "2"], ["1", "0"], [1, 1], ["1", "0.5"]):
        with pytest.raises(ModelError):
            documents.read_weights(entry, 2)
