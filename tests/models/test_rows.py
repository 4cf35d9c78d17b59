"""Rows of every kind that users have say the same to a model as the rows they stand for."""

from collections import UserDict
from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.errors import DataError, ParameterError
from dprules.models import Halfspace, Model, Released, Rule, RuleList, Scorecard, Term
from dprules.schema import Boolean, Literal, Numeric, Operator, literals_of

from .cards import CARDS
from .test_released import released_list

AGE = Numeric("age", cuts=(30.0, 60.0))
ALONE = Boolean("alone")
RULES = RuleList(
    (
        Rule((Literal(AGE, Operator.BELOW, 30.0),), "low"),
        Rule((Literal(ALONE, Operator.IS_TRUE, None), Literal(AGE, Operator.AT_LEAST, 60.0)), "high"),
    ),
    "middle",
    ("low", "middle", "high"),
)
SUMS = Halfspace(
    (Term(literals_of(ALONE)[:1], 0.5), Term((Literal(AGE, Operator.AT_LEAST, 30.0),), 0.25)), -0.5, ("no", "yes"), 1
)
MODELS: dict[str, Model] = {"list": RULES, "halfspace": SUMS} | CARDS
FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "pandas objects": lambda frame: frame.astype(object),
    "pandas Arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "Polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "Arrow": pa.table,
    "Arrow batch": pa.RecordBatch.from_pandas,
    "narwhals": nw.from_native,
    "narwhals of Polars": lambda frame: nw.from_native(pl.DataFrame(frame)),
    "list of dictionaries": lambda frame: frame.to_dict("records"),
    "tuple of series": lambda frame: tuple(row for _, row in frame.astype(object).iterrows()),
    "columns": lambda frame: frame.to_dict("list"),
    "columns of arrays": lambda frame: {name: frame[name].to_numpy() for name in frame},
    "columns of series": lambda frame: {name: frame[name] for name in frame},
}
SINGLE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dictionary": dict,
    "mapping": UserDict,
    "series": lambda row: pd.Series(row, dtype=object),
}


def table(model: Model) -> pd.DataFrame:
    """Rows with cells of every column of a model, and one column that it does not ask about."""
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {"other": [f"text {i}" for i in range(40)]}
    for column in model.columns:
        if isinstance(column, Numeric):
            columns[column.name] = random.integers(0, 100, 40)
        elif isinstance(column, Boolean):
            columns[column.name] = random.random(40) < 0.5
        else:
            columns[column.name] = random.choice([str(value) for value in getattr(column, "values", ["0"])], 40)
    return pd.DataFrame(columns)


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Model:
    return MODELS[request.param]


@pytest.mark.parametrize("kind", FRAMES)
def test_tables_of_rows(model: Model, kind: str) -> None:
    frame = table(model)
    rows = frame.to_dict("records")
    given = FRAMES[kind](frame)
    assert model.predict(given).tolist() == [model.predict(row).item() for row in rows]
    assert model.explain(given) == [model.explain(row) for row in rows]
    if model.has_probabilities:
        assert model.predict_proba(given).tolist() == [model.predict_proba(row)[0].tolist() for row in rows]
    if model.has_scores:
        assert model.decision_function(given).tolist() == [model.decision_function(row)[0].tolist() for row in rows]


@pytest.mark.parametrize("kind", SINGLE)
def test_one_row(model: Model, kind: str) -> None:
    for row in table(model).to_dict("records")[:5]:
        given = SINGLE[kind](row)
        text = model.explain(given)
        assert isinstance(text, str)
        assert text == model.explain_row(row)
        assert model.predict(given).tolist() == model.predict([row]).tolist()


def test_a_frame_of_one_row_is_a_table() -> None:
    frame = pd.DataFrame({"age": [20, 70], "alone": [False, True]})
    assert RULES.explain(frame[:1]) == ["Rule 1 holds: age < 30 then low."]
    assert RULES.explain(frame.iloc[0]) == "Rule 1 holds: age < 30 then low."
    assert RULES.explain(frame[:0]) == []


@pytest.mark.parametrize("model", [Released, RuleList, Scorecard, Halfspace])
def test_every_kind_of_model_has_the_same_verbs(model: type) -> None:
    assert all(hasattr(model, name) for name in ("predict", "predict_proba", "explain"))


def test_a_released_model_answers_as_its_model_does() -> None:
    released = released_list()
    frame = table(released.model)
    assert released.predict(frame).tolist() == released.model.predict(frame).tolist()
    assert released.explain(frame) == released.model.explain(frame)
    assert released.explain(frame.iloc[0]) == released.model.explain(frame.iloc[0])
    if released.model.has_probabilities:
        assert released.predict_proba(frame).tolist() == released.model.predict_proba(frame).tolist()


def test_a_row_may_lack_columns_and_a_table_may_not() -> None:
    assert RULES.predict({}).tolist() == ["middle"]
    assert RULES.predict([{}, {"age": 20}]).tolist() == ["middle", "low"]
    for given in (pd.DataFrame({"age": [20]}), {"age": [20]}, pl.DataFrame({"age": [20]})):
        with pytest.raises(DataError, match="'alone'"):
            RULES.predict(given)


def test_columns_by_number() -> None:
    model = RuleList((Rule((Literal(Boolean("0"), Operator.IS_TRUE, None),), "yes"),), "no", ("no", "yes"))
    assert model.predict(pd.DataFrame([[True], [False]])).tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    "rows", [None, 3, "age", [1, 2], [[1, 2]], np.zeros((2, 2)), object(), {"age": [1], "alone": []}]
)
def test_what_is_not_a_row_is_refused_in_one_sentence(rows: Any) -> None:
    for ask in (RULES.predict, RULES.explain, SUMS.decision_function):
        with pytest.raises(DataError):
            ask(rows)


def test_what_a_model_does_not_have_is_refused() -> None:
    with pytest.raises(ParameterError, match="no probabilities"):
        SUMS.predict_proba({"age": 3})
    with pytest.raises(ParameterError, match="no scores"):
        RULES.decision_function({"age": 3})


def test_dates_that_python_does_not_have_are_missing() -> None:
    far = pa.table({"age": pa.array([10**15], type=pa.timestamp("s")), "alone": [True]})
    assert RULES.predict(far).tolist() == ["middle"]
