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
    PrivateScorecardClassifier,
    PrivateWinnowClassifier,
    WinnowClassifier,
)
from dprules.errors import FileError, ParameterError
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


@pytest.mark.parametrize("given", LISTS, ids=lambda case: ",".join(case))
def test_lists_take_scalars_of_numpy(given):
    model = PrivateDecisionListClassifier(**given).fit(FRAME if "schema" in given else X, Y)
    assert Released.from_json(model.model_.to_json()) == model.model_
    assert model.model_.verify()


SCORECARDS: list[dict[str, Any]] = [
    dict(terms=np.int64(2), epsilon=np.float32(2), delta=np.float64(1e-5), random_state=np.int64(1)),
    dict(terms=np.str_("all"), neighbours=np.str_("replace"), class_weight=np.str_("balanced")),
    dict(rows_are_public=np.bool_(True), classes=np.array([False, True]), class_weight={np.True_: np.float32(2)}),
    dict(schema=SCHEMA, unit=np.str_("person"), unit_rows=np.int64(2), shares={np.str_("cuts"): np.float32(0.125)}),
]


@pytest.mark.parametrize("given", SCORECARDS, ids=lambda case: ",".join(case))
def test_scorecards_take_scalars_of_numpy(given):
    model = PrivateScorecardClassifier(**given).fit(FRAME if "schema" in given else X, Y)
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


@pytest.mark.parametrize("given", STREAMS, ids=lambda case: ",".join(case))
def test_streams_take_scalars_of_numpy(given):
    model = PrivateWinnowClassifier(**given).fit(X, Y)
    assert model.certificate_.verify()
    assert json.loads(model.certificate_.to_json())["settings"]["algorithm"] == given.get("algorithm", "segment")
    assert model.certificate_.private == ("random_state" not in given)


def test_yardsticks_do_too():
    assert (WinnowClassifier(rate=np.float32(0.25), width=np.int64(2)).fit(X, Y).predict(X) == Y).mean() > 0.9
    model = ConfidentWinnowClassifier(rate=np.float32(0.1), margin=np.float32(0.1), confidence=np.float64(0.3))
    assert (model.fit(X, Y).predict(X) == Y).mean() > 0.9


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True, np.random.SeedSequence(1)], ids=lambda bad: type(bad).__name__)
@pytest.mark.parametrize(
    "estimator", [PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier]
)
def test_what_is_no_seed_is_refused(bad, estimator):
    with pytest.raises(ParameterError, match=r"random_state must be None, a whole number"):
        estimator(random_state=bad).fit(X, Y)


def test_a_generator_goes_on():
    """As in scikit-learn, a second fit with the same generator is another one."""
    generator = np.random.RandomState(0)
    fits = [PrivateDecisionListClassifier(random_state=generator, epsilon=0.01).fit(X, Y) for _ in range(6)]
    assert len({str(model.rule_list_) for model in fits}) > 1


WRONG: dict[str, tuple[Any, str]] = {
    "a negative number of rules": (dict(max_rules=-5), "max_rules must be an integer"),
    "half a rule": (dict(max_rules=2.5), "max_rules must be an integer"),
    "a text for a number of rules": (dict(max_rules="3"), "max_rules must be an integer"),
    "a negative reward": (dict(reward=-1), "reward must be at least 0"),
    "a large reward": (dict(reward=1.5), r"reward must lie in \[0, 1\]"),
    "no number": (dict(reward=float("nan")), "reward must be finite"),
    "a text for a reward": (dict(reward="x"), "reward must be"),
    "a number for classes": (dict(classes=3), "classes must be a list; got int"),
    "a text for classes": (dict(classes="no"), "classes must be a list; got str"),
    "an empty name of a schema": (dict(schema=""), "'.' is a folder. Name a file."),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("estimator", [PrivateDecisionListClassifier, DecisionListClassifier])
def test_both_lists_check_alike(case, estimator):
    given, sentence = WRONG[case]
    with pytest.raises((ParameterError, FileError), match=sentence):
        estimator(**given).fit(X, Y)


def test_what_only_one_of_them_has():
    with pytest.raises(ParameterError, match="shares must be a dictionary"):
        PrivateDecisionListClassifier(shares=["counts"]).fit(X, Y)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="reward must be a number"):
        DecisionListClassifier(reward=None).fit(X, Y)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="classes must be a list"):
        WinnowClassifier(classes="no").fit(X, Y)
    with pytest.raises(ParameterError, match="features must be a list"):
        WinnowClassifier(classes=[0, 1], features="ab").learn_one({"a": 1}, 1)


def test_a_list_without_privacy_takes_classes():
    assert DecisionListClassifier(classes=[False, True]).fit(X, Y).classes_.tolist() == [False, True]
    assert DecisionListClassifier(classes=[0, 1, 2]).fit(X, Y.astype(int)).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("answer", ["no", "yes", 1, 0, None])
def test_rows_are_public_only_if_it_says_true(answer):
    with pytest.raises(ParameterError, match="rows_are_public must be True or False"):
        PrivateDecisionListClassifier(rows_are_public=answer).fit(X, Y)


@pytest.mark.parametrize("estimator", [PrivateDecisionListClassifier, PrivateScorecardClassifier])
def test_weights_that_are_too_far_apart_are_brought_nearer_with_a_warning(estimator):
    model = estimator(class_weight={False: 1000})
    with pytest.warns(UserWarning, match="class weights differ by more than 64") as warned:
        assert model.fit(X, Y).certificate_.settings["class_weight"] == {"False": 1000.0, "True": 1000 / 64}
    assert [warning.filename for warning in warned] == [__file__]
    assert model.model_.verify()
    model.set_params(class_weight={False: 64, True: 1}).fit(X, Y)  # without one


def test_weights_that_the_paper_does_not_know_are_ignored_with_a_warning():
    paper = PrivateDecisionListClassifier(accounting="paper", class_weight="balanced")
    with pytest.warns(UserWarning, match="class_weight is only used with accounting='exact'") as warned:
        assert paper.fit(X, Y).certificate_.settings["class_weight"] is None
    assert [warning.filename for warning in warned] == [__file__]
