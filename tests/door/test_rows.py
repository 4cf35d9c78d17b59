"""A list of rows in Python: a row of another length, or what is not a row, stops nothing and shifts no other row."""

from typing import Any

import numpy as np
import pytest

from door.odd import NoClass
from dprules import (
    DecisionListClassifier,
    PrivateDecisionListClassifier,
    PrivateScorecardClassifier,
    PrivateWinnowClassifier,
)
from dprules.estimators.inputs import check_features, read_features

random = np.random.default_rng(0)
ROWS: list[Any] = (random.random((60, 4)) < 0.5).tolist()
LABELS = [row[0] for row in ROWS]


class OddList(list[Any]):
    """A list whose methods fail."""

    def __len__(self) -> int:
        raise RuntimeError("CANARY")

    def __getitem__(self, place: Any) -> Any:
        raise RuntimeError("CANARY")

    def __iter__(self) -> Any:
        raise RuntimeError("CANARY")


ODD: dict[str, Any] = {
    "shorter": [True],
    "longer": [True] * 7,
    "empty": [],
    "None": None,
    "text": "abcd",
    "number": 3,
    "dictionary": {"a": 1},
    "tuple": (True, False),
    "array": np.array([True]),
    "matrix": np.ones((2, 4)),
    "cells that are lists": [[1], [2, 3], [], None],
}
PLACES = (0, 5, len(ROWS))


def with_odd(place: int, odd: Any) -> tuple[list[Any], list[bool]]:
    return [*ROWS[:place], odd, *ROWS[place:]], [*LABELS[:place], True, *LABELS[place:]]


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("place", PLACES)
def test_one_odd_row_changes_no_other(place: int, odd: Any) -> None:
    matrix, features = read_features(DecisionListClassifier(), with_odd(place, odd)[0])
    assert features.names == ("x0", "x1", "x2", "x3")
    assert np.delete(matrix, place, axis=0).tolist() == ROWS
    cells = list(odd[:4]) if isinstance(odd, list | tuple) or getattr(odd, "ndim", 0) == 1 else []
    assert matrix[place].tolist() == [*cells, *[None] * (4 - len(cells))]


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize(
    "kind",
    [PrivateDecisionListClassifier, PrivateScorecardClassifier, DecisionListClassifier],
    ids=lambda kind: kind.__name__,
)
def test_no_row_stops_a_fit_or_a_prediction(kind: Any, odd: Any) -> None:
    for place in PLACES:
        rows, labels = with_odd(place, odd)
        model = kind().fit(rows, labels)
        assert model.n_features_in_ == 4
        others = np.delete(model.predict(rows), place)
        assert others.tolist() == model.predict(ROWS).tolist()


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_no_row_stops_a_stream(odd: Any) -> None:
    for place in PLACES:
        rows, labels = with_odd(place, odd)
        model = PrivateWinnowClassifier().partial_fit(rows, labels, classes=[False, True])
        model.partial_fit(rows, labels)
        assert np.delete(model.predict(rows), place).tolist() == model.predict(ROWS).tolist()


@pytest.mark.parametrize("odd", [[True], [True] * 7, []])
def test_a_block_of_one_odd_row_is_a_round(odd: list[bool]) -> None:
    model = PrivateWinnowClassifier().partial_fit(ROWS, LABELS, classes=[False, True])
    model.partial_fit([odd], [True])
    assert check_features(model, [odd]).shape == (1, 4)


@pytest.mark.parametrize("odd", [None, 3, "abcd", [True], {"e": 1}, {}])
def test_an_example_that_is_no_mapping_is_a_round(odd: Any) -> None:
    model = PrivateWinnowClassifier(features=["a", "b"], classes=[False, True])
    model.learn_one(odd, True)
    model.learn_one({"a": 1, "b": 0}, False)
    model.learn_one(odd, True)


def test_methods_of_a_row_are_not_called() -> None:
    rows, labels = with_odd(3, NoClass())
    empty, _ = with_odd(3, [])
    model = PrivateDecisionListClassifier(random_state=1).fit(rows, labels)
    assert model.predict(rows).tolist() == model.predict(empty).tolist()
    rows, labels = with_odd(3, OddList(ROWS[3]))
    plain, _ = with_odd(3, ROWS[3])
    model = PrivateDecisionListClassifier(random_state=1).fit(rows, labels)
    assert model.predict(rows).tolist() == model.predict(plain).tolist()
