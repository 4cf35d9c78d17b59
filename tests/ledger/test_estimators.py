"""Every fit of an estimator with a ledger is charged."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from dprules import PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier
from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.ledger import EpsilonDelta, Ledger
from ledger.helpers import make_ledger

X = np.random.default_rng(0).random((400, 3)) < 0.5
Y = X[:, 0]


@pytest.fixture
def books(tmp_path):
    return make_ledger(tmp_path / "l.db", epsilon=2, delta=1e-4, columns=None)


def left(ledger):
    return ledger.book().grants_of("patients")[0].left[0]


def estimator(ledger, **more):
    return PrivateDecisionListClassifier(
        **{"epsilon": 0.2, "ledger": ledger.url, "dataset": "patients", "width": 1} | more
    )


def test_mistakes_are_refused_before_they_are_charged(books):
    with pytest.raises(DataError, match="rows"):
        estimator(books).fit(X, Y[:-1])
    books.register("stream", ["a", "b"], neighbours="replace", stream=True, distinct=True)
    books.grant("stream", EpsilonDelta(1, 0))
    online = PrivateWinnowClassifier(epsilon=0.5, ledger=books, dataset="stream", classes=["no", "yes"])
    with pytest.raises((DataError, ParameterError)):
        online.fit(X, Y.astype(int))
    with pytest.raises(PrivacyError, match="Data set 'stream' has no column 'x0'"):
        PrivateWinnowClassifier(epsilon=0.5, ledger=books, dataset="stream").fit(X, Y)
    assert not books.book().charges


def test_cross_validation_charges_each_fit(books):
    cross_val_score(estimator(books), X, Y, cv=3)
    assert left(books) == Fraction(14, 10)


def test_every_private_estimator_charges(tmp_path):
    ledger = Ledger.create(tmp_path / "l.db")
    ledger.register("table")
    ledger.register("stream", neighbours="replace", stream=True, distinct=True)
    ledger.grant("table", EpsilonDelta(1, 1e-4))
    ledger.grant("stream", EpsilonDelta(1, 0))
    card = PrivateScorecardClassifier(epsilon=0.5, ledger=ledger, dataset="table").fit(X, Y)
    assert card.certificate_.ledger.dataset == "table"
    online = PrivateWinnowClassifier(epsilon=0.5, ledger=ledger, dataset="stream").partial_fit(
        X, Y, classes=[False, True]
    )
    assert online.certificate_.ledger.dataset == "stream"
    online.partial_fit(X, Y)
    with pytest.raises(PrivacyError, match="left"):
        PrivateWinnowClassifier(epsilon=0.6, ledger=ledger, dataset="stream").fit(X, Y)
    with pytest.raises(PrivacyError, match="seeded"):
        PrivateWinnowClassifier(epsilon=0.1, ledger=ledger, dataset="stream", random_state=0).fit(X, Y)
    assert ledger.verify() == []
