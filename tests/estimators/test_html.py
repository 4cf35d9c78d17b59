"""What a notebook shows of an estimator."""

import pickle
import re

import numpy as np
import pytest
from sklearn.utils import estimator_html_repr

from dprules import (
    DecisionListClassifier,
    PrivateDecisionListClassifier,
    PrivateScorecardClassifier,
    PrivateWinnowClassifier,
    WinnowClassifier,
)
from dprules.schema import Boolean, Label, Schema

X = np.random.default_rng(0).random((2000, 3)) < 0.5
NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module", params=[PrivateDecisionListClassifier, PrivateScorecardClassifier])
def fitted(request) -> PrivateDecisionListClassifier | PrivateScorecardClassifier:
    schema = Schema(Label("y", ("<b>no</b>", "yes")), (Boolean(NASTY), Boolean("b")))
    frame = {NASTY: X[:, 0], "b": X[:, 1]}
    labels = np.where(X[:, 0], "yes", "<b>no</b>")
    classifier = request.param
    return classifier(epsilon=3.0, schema=schema).fit(frame, labels)


def added(model):
    """What follows scikit-learn's own drawing."""
    drawing = re.sub(r"sk-container-id-\d+", "", estimator_html_repr(model))
    whole = re.sub(r"sk-container-id-\d+", "", model._repr_html_())
    return whole.removeprefix(drawing) if whole.startswith(drawing) else whole[len(drawing) - 10 :]


def test_before_the_fit_it_is_scikit_learns():
    assert "Guarantee" not in PrivateDecisionListClassifier()._repr_html_()
    assert "PrivateWinnowClassifier" in PrivateWinnowClassifier()._repr_html_()


def test_a_fitted_model_shows_what_it_asks_and_its_statement_escaped(fitted):
    shown = added(fitted)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; is " in shown
    assert "&lt;b&gt;no&lt;/b&gt;" in shown
    assert NASTY not in fitted._repr_html_()
    assert "<b>no</b>" not in fitted._repr_html_()
    assert "(3, 1e-06)-differentially private" in shown
    assert "NOT PRIVATE" not in shown
    assert fitted._repr_mimebundle_()["text/html"].count("differentially private") == shown.count(
        "differentially private"
    )


def test_nothing_is_fetched_and_no_colour_is_set(fitted):
    shown = added(fitted)
    assert not re.search(r"https?:|src=|href=|@import|url\(", shown)
    assert "color" not in shown


def test_the_yardsticks_say_that_they_are_not_private():
    assert "Learnt without privacy." in DecisionListClassifier().fit(X, X[:, 0])._repr_html_()
    assert "Learnt without privacy." in WinnowClassifier().fit(X, X[:, 0])._repr_html_()


def test_a_stream_shows_its_hypothesis_and_what_was_changed_since():
    model = PrivateWinnowClassifier(epsilon=5.0, random_state=0).fit(X, X[:, 0])
    assert "x0 is true" in added(model)
    assert "NOT PRIVATE" in added(model)
    assert "Changed after the fit: epsilon. What follows was fitted with epsilon=5.0." in added(
        model.set_params(epsilon=1.0)
    )


def test_a_delta_that_is_too_large_is_warned_of():
    sentence = "Delta is above one over the number of records"
    assert sentence in added(PrivateDecisionListClassifier(delta=0.1).fit(X, X[:, 0]))
    assert sentence not in added(PrivateDecisionListClassifier(delta=1e-9).fit(X, X[:, 0]))


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize(
    "estimator", [PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier]
)
def test_a_generator_is_the_same_after_a_pickle(generator, estimator):
    model = pickle.loads(pickle.dumps(estimator(random_state=generator(3)).fit(X, X[:, 0])))
    assert "Changed after the fit" not in model._repr_html_()
    assert "Changed after the fit: random_state" in model.set_params(random_state=3)._repr_html_()
