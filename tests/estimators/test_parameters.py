"""Parameters as NumPy has them."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dprules import (
    ConfidentWinnowClassifier,
    DecisionListClassifier,
    PrivateDecisionListClassifier,
    PrivateWinnowClassifier,
    WinnowClassifier,
)
from dprules.errors import ParameterError
from dprules.models import Released
from dprules.schema import Boolean, Label, Schema

X = np.random.default_rng(0).random((400, 4)) < 0.5
Y = X[:, 0]
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(person=np.arange(400) // 2)
SCHEMA = Schema(Label("y", ("False", "True")), [Boolean(name) for name in "abcd"])

LISTS: list[dict[str, Any]] = [
    dict(width=np.int64(1), max_rules=np.int32(3), epsilon=np.float32(2), delta=np.float64(1e-5)),
    dict(reward=np.float32(0.5), max_rules=2, shares={np.str_("counts"): np.float32(0.125)}, random_state=np.int64(1)),
    dict(reward=np.str_("auto"), neighbours=np.str_("replace"), accounting=np.str_("exact"), epsilon=np.int64(2)),
    dict(rows_are_public=np.bool_(True), classes=np.array([False, True]), class_weight={np.True_: np.float32(2)}),
    dict(schema=SCHEMA, unit=np.str_("person"), unit_rows=np.int64(2)),
]


@pytest.mark.parametrize("given", LISTS, ids=str)
def test_lists_take_scalars_of_numpy(given):
    model = PrivateDecisionListClassifier(**given).fit(FRAME if "schema" in given else X, Y)
    assert Released.from_json(model.model_.to_json()) == model.model_
    assert model.model_.verify()


def test_a_list_without_privacy_does_too():
    model = DecisionListClassifier(width=np.int64(2), max_rules=np.uint8(3), reward=np.float32(0.5)).fit(X, Y)
    assert (model.predict(X) == Y).all()


STREAMS: list[dict[str, Any]] = [
    dict(width=np.int64(2), epsilon=np.float32(1), delta=np.float32(0)),
    dict(algorithm=np.str_("batched"), delta=np.float32(1e-6), horizon=np.int64(1000), margin=np.float32(0.25)),
    dict(algorithm="guarded", delta=1e-6, horizon=np.int32(1000), margin=0.25, switch_after=np.int64(20)),
    dict(values=np.str_("real"), neighbours=np.str_("zero-out"), random_state=np.int64(0)),
    dict(random_state=np.random.RandomState(0), classes=np.array([False, True])),
    dict(random_state=np.random.default_rng(0)),
]


@pytest.mark.parametrize("given", STREAMS, ids=str)
def test_streams_take_scalars_of_numpy(given):
    model = PrivateWinnowClassifier(**given).fit(X, Y)
    assert model.certificate_.verify()
    assert json.loads(model.certificate_.to_json())["settings"]["algorithm"] == given.get("algorithm", "segment")
    assert model.certificate_.private == ("random_state" not in given)


def test_yardsticks_do_too():
    assert (WinnowClassifier(rate=np.float32(0.25), width=np.int64(2)).fit(X, Y).predict(X) == Y).mean() > 0.9
    model = ConfidentWinnowClassifier(rate=np.float32(0.1), margin=np.float32(0.1), confidence=np.float64(0.3))
    assert (model.fit(X, Y).predict(X) == Y).mean() > 0.9


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True, np.random.SeedSequence(1)], ids=str)
@pytest.mark.parametrize("estimator", [PrivateDecisionListClassifier, PrivateWinnowClassifier])
def test_what_is_no_seed_is_refused(bad, estimator):
    with pytest.raises(ParameterError, match=r"random_state must be None, a whole number"):
        estimator(random_state=bad).fit(X, Y)


def test_a_generator_goes_on():
    """As in scikit-learn, a second fit with the same generator is another one."""
    generator = np.random.RandomState(0)
    fits = [PrivateDecisionListClassifier(random_state=generator, epsilon=0.01).fit(X, Y) for _ in range(6)]
    assert len({str(model.rule_list_) for model in fits}) > 1
