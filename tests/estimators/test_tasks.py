"""What a classifier is fitted on, with and without a schema."""

import numpy as np
import pandas as pd
import pytest

from dprules import DecisionListClassifier
from dprules.accounting import Assumption
from dprules.errors import ParameterError, PrivacyError
from dprules.estimators.tasks import read_task
from dprules.schema import Boolean, Label, Schema

X = np.random.default_rng(0).random((50, 2)) < 0.5
Y = X[:, 0].astype(int)
SCHEMA = Schema(Label("y", ("1", "0")), (Boolean("a"), Boolean("b")))
COLUMNS = {"a": X[:, 0], "b": X[:, 1], "y": Y}


def test_without_a_schema_everything_is_inferred_and_said():
    task = read_task(DecisionListClassifier(), X, Y, None, None)
    assert (task.declared, task.features.names, task.features.shown) == (False, ("x0", "x1"), None)
    assert task.classes.values == (0, 1)
    assert set(task.assumptions) == {Assumption.COLUMN_NAMES, Assumption.CLASSES_FROM_LABELS}
    numbers = read_task(DecisionListClassifier(), X.astype(float), Y, None, [1, 0])
    assert numbers.schema.label.classes == (1, 0)
    assert numbers.classes.values == (0, 1)  # sorted, whatever order they were declared in
    assert set(numbers.assumptions) == {Assumption.COLUMN_NAMES, Assumption.POSITIVE_NUMBERS}


@pytest.mark.parametrize("make", [dict, pd.DataFrame], ids=["columns", "pandas"])
def test_a_label_column_has_a_type_that_classes_come_in(make):
    task = read_task(DecisionListClassifier(), make(COLUMNS), None, SCHEMA, None)
    assert task.labels is None
    assert task.classes.shown.dtype == Y.dtype
    assert task.classes.values == ("0", "1")
    assert task.features.shown is not None
    assert task.features.shown.tolist() == ["a", "b"]
    with pytest.raises(ParameterError, match="y holds integers"):
        read_task(
            DecisionListClassifier(), make(COLUMNS), None, Schema(Label("y", ("no", "yes")), SCHEMA.columns), None
        )


def test_it_is_private_and_leaves_the_estimator_as_it_is():
    model = DecisionListClassifier()
    task = read_task(model, X, Y, None, None)
    assert vars(model).keys() == model.get_params().keys()
    assert repr(task) == "<private Task>"
    with pytest.raises(PrivacyError):
        task.__reduce_ex__(4)
