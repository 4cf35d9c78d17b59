"""Scorecards as scikit-learn classifiers: what they have beyond `test_tables`."""

from dataclasses import fields, replace
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from dprules import PrivateScorecardClassifier, Scorecard
from dprules.errors import ParameterError
from dprules.jobs import FitRequest, ScorecardSettings, predict
from dprules.models import Estimate, RiskTable
from dprules.schema import Boolean, Categorical, Label, Numeric, Schema

RANDOM = np.random.default_rng(0)
SIZE = 2000
FRAME = pd.DataFrame(
    {
        "age": RANDOM.integers(18, 95, SIZE),
        "ward": RANDOM.choice(["surgery", "maternity", "eyes", None], SIZE),
        "smokes": RANDOM.random(SIZE) < 0.4,
    }
)
RISK = (FRAME["age"] - 60) / 12 + FRAME["smokes"] * 1.5 + (FRAME["ward"] == "surgery") + RANDOM.logistic(size=SIZE)
COLUMNS = (
    Numeric("age", cuts=(30.0, 45.0, 60.0, 75.0)),
    Categorical("ward", ("surgery", "maternity", "eyes")),
    Boolean("smokes"),
)
TWO = np.where(RISK > 1, "yes", "no")
THREE = np.select([RISK > 2, RISK > -1], ["high", "middle"], "low")
LABELS = {
    "two classes": (TWO, Label("back", ("no", "yes"))),
    "the first is positive": (TWO, Label("back", ("no", "yes"), positive="no")),
    "two that are not sorted": (TWO, Label("back", ("yes", "no"))),
    "three": (THREE, Label("back", ("low", "middle", "high"))),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "as it is": dict(),
    "all terms": dict(terms="all"),
    "one term": dict(terms=1),
    "balanced": dict(class_weight="balanced"),
    "replace": dict(neighbours="replace"),
    "hardly anything to spend": dict(epsilon=1e-4),
}


def fitted(label: str, settings: str, **others: Any) -> PrivateScorecardClassifier:
    labels, declared = LABELS[label]
    given = dict(epsilon=3.0, schema=Schema(declared, COLUMNS)) | SETTINGS[settings] | others
    return PrivateScorecardClassifier(**given).fit(FRAME, labels)


def assert_decides(model: PrivateScorecardClassifier, frame: pd.DataFrame) -> None:
    """What scikit-learn makes of a decision function is what the card predicts."""
    predicted = model.predict(frame)
    decided = model.decision_function(frame)
    if len(model.classes_) == 2:
        assert decided.shape == (len(frame),)
        places = (decided > 0).astype(int)
    else:
        assert decided.shape == (len(frame), len(model.classes_))
        places = decided.argmax(axis=1)
    assert (model.classes_[places] == predicted).all()


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("label", LABELS)
def test_predictions_probabilities_and_decisions_agree(label, settings):
    model = fitted(label, settings)
    card = model.scorecard_
    assert_decides(model, FRAME)
    probabilities = model.predict_proba(FRAME)
    assert np.allclose(probabilities.sum(axis=1), 1)
    predicted = np.searchsorted(model.classes_, model.predict(FRAME))
    if card.weights is None:
        assert (probabilities[np.arange(SIZE), predicted] == probabilities.max(axis=1)).all()
    elif len(model.classes_) == 2:
        weighed = probabilities * [float(card.weights[card.classes.index(value)]) for value in model.classes_]
        assert np.allclose(weighed[np.arange(SIZE), predicted], weighed.max(axis=1))
    # What the card itself and the command line say: rows, and files.
    rows = FRAME.iloc[:100].to_dict("records")
    places = [card.classes.index(value) for value in model.classes_]
    assert (card.predict_proba(rows)[:, places] == probabilities[:100]).all()
    assert predict(card, FRAME).tolist() == model.predict(FRAME).tolist()
    assert model.model_.verify()


@pytest.mark.parametrize("label", LABELS)
def test_decisions_rank_rows_at_least_as_finely_as_probabilities(label):
    model = fitted(label, "as it is")
    decided, probabilities = model.decision_function(FRAME), model.predict_proba(FRAME)
    if len(model.classes_) == 2:
        order = np.argsort(decided)
        assert (np.diff(probabilities[order, 1]) >= 0).all()
        truth = LABELS[label][0] == model.classes_[1]
        assert roc_auc_score(truth, decided) > 0.8
        assert len(np.unique(decided)) >= len(np.unique(probabilities[:, 1]))
    else:
        assert roc_auc_score(LABELS[label][0], probabilities, multi_class="ovr") > 0.75


RISKS = {"always no": (0.2, 0.4), "always yes": (0.6, 0.8), "it depends": (0.2, 0.8), "a tie": (0.2, 0.5)}


@pytest.mark.parametrize("case", RISKS)
@pytest.mark.parametrize("label", ["two classes", "the first is positive", "two that are not sorted"])
def test_a_card_that_always_says_the_same_decides_so_and_still_ranks(case, label):
    model = fitted(label, "as it is")
    middle = int(np.median(model.scorecard_.decision_function(FRAME.to_dict("records"))))
    risks = tuple(Estimate(risk, 0.0, 1.0) for risk in RISKS[case])
    model.scorecard_ = replace(model.scorecard_, meaning=RiskTable((middle,), risks))
    assert_decides(model, FRAME)
    assert len(np.unique(model.predict(FRAME))) == (1 if "always" in case else len(set(model.scorecard_.labels)))
    assert len(np.unique(model.decision_function(FRAME))) > 2


def test_ties_of_many_classes_are_settled_in_the_declared_order():
    label = Label("back", ("middle", "low", "high"))
    model = PrivateScorecardClassifier(schema=Schema(label, COLUMNS)).fit(FRAME, THREE)
    model.scorecard_ = replace(model.scorecard_, points=(), base=(3, 3, 3), weights=None)
    assert set(model.predict(FRAME)) == {"middle"}
    assert_decides(model, FRAME)


def test_class_weights_change_what_is_predicted_and_not_the_risk():
    """Four times as heavy: yes is predicted from a risk of a fifth on, and the risks stay those of the records."""
    model = fitted("two classes", "all terms", epsilon=20.0, class_weight={"yes": 4})
    risks = model.predict_proba(FRAME)[:, 1]
    assert (model.predict(FRAME) == "yes")[risks > 0.21].all()
    assert (model.predict(FRAME) == "no")[risks < 0.19].all()
    assert abs(risks.mean() - (TWO == "yes").mean()) < 0.03


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_before_the_fit_there_is_nothing_to_say(method):
    with pytest.raises(NotFittedError):
        getattr(PrivateScorecardClassifier(), method)(FRAME)


def test_terms_are_terms():
    one, few, all_of_them = (fitted("two classes", "as it is", terms=terms).scorecard_ for terms in (1, 4, "all"))
    lines = [sum(len(points.lines) for points in card.points) for card in (one, few, all_of_them)]
    assert lines[0] < lines[1] < lines[2]
    assert [column.name for column in one.columns] == ["age"]
    assert all(isinstance(card, Scorecard) for card in (one, few, all_of_them))


@pytest.mark.parametrize("terms", [np.int64(3), np.uint8(3), np.str_("all")], ids=repr)
def test_terms_as_numpy_has_them(terms):
    model = fitted("two classes", "as it is", terms=terms)
    assert model.certificate_.settings["terms"] == terms
    assert type(model.certificate_.settings["terms"]) in (int, str)


@pytest.mark.parametrize(
    "terms", [0, -1, 1.5, True, np.bool_(True), None, "ALL", "20", "", [20], float("nan"), 10**9], ids=repr
)
def test_terms_that_make_no_sense_get_one_sentence(terms):
    with pytest.raises(ParameterError, match=r"^terms must be [^.]*; got .*\. [A-Z0-9][^.]*\.$"):
        PrivateScorecardClassifier(terms=terms).fit(FRAME, TWO)


BAD: dict[str, dict[str, Any]] = {
    "a share of lists": dict(shares={"counts": 0.1}),
    "a share of everything": dict(shares={"cuts": 1}),
    "class weights": dict(class_weight={"perhaps": 2}),
    "a weight of nothing": dict(class_weight={"yes": 0}),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_other_bad_parameters_do_too(bad):
    with pytest.raises(ParameterError, match=r"\.$"):
        fitted("two classes", "as it is", **bad)


def test_one_against_the_rest_compares_decisions():
    X = np.column_stack([name == THREE for name in ("high", "low", "middle")])
    model = OneVsRestClassifier(PrivateScorecardClassifier(epsilon=5.0)).fit(X, THREE)
    assert model.score(X, THREE) == 1.0
    assert model.decision_function(X).shape == (SIZE, 3)


def test_scores_of_rankings():
    model = PrivateScorecardClassifier(epsilon=3.0, schema=Schema(LABELS["two classes"][1], COLUMNS))
    assert cross_val_score(model, FRAME, TWO, cv=2, scoring="roc_auc").mean() > 0.8
    assert cross_val_score(model, FRAME, TWO, cv=2, scoring="neg_log_loss").mean() > -0.6


def test_a_notebook_shows_the_card_and_its_certificate():
    model = fitted("two classes", "as it is")
    shown = model._repr_html_()
    assert "risk of yes" in shown
    assert "age &lt; 30" in shown or "age &gt;= " in shown
    assert "(3, 1e-06)-differentially private" in shown
    assert "risk of" not in clone(model)._repr_html_()


def test_it_has_every_field_of_a_request_and_of_the_settings_with_the_same_defaults():
    parameters = {name: value.default for name, value in signature(PrivateScorecardClassifier).parameters.items()}
    declared = {field.name: field.default for field in (*fields(FitRequest), *fields(ScorecardSettings))}
    # X and y are the arguments of `fit`, frames need no words on files, and classes stand in for a schema.
    others = {
        "data",
        "settings",
        "labels",
        "assumptions",
        "table",
        "delimiter",
        "multiline",
        "seed",
        "memory",
        "master",
    }
    assert set(parameters) - {"classes", "random_state"} == set(declared) - others
    for name in set(parameters) & set(declared) - {"schema", "shares"}:
        assert parameters[name] == declared[name], name
