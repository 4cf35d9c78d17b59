"""Room for every fit of a search, before the first."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - makes the next import possible
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RandomizedSearchCV,
    cross_val_score,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from dprules import PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier
from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.jobs.ledgers import choose_budget
from dprules.ledger import Concentrated, EpsilonDelta, Ledger
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


def test_every_fit_is_charged(books):
    search = GridSearchCV(estimator(books), {"max_rules": [1, 2]}, cv=3)
    with books.reserve(search) as reservation:
        assert left(books) == Fraction(6, 10)
        search.fit(X, Y)
        assert left(books) == Fraction(6, 10)
    assert left(books) == Fraction(6, 10)
    assert len(books.book().charges) == 7
    assert {state.spent.reservation for state in books.book().charges.values()} == {reservation.entry}
    assert books.verify() == []


@pytest.mark.parametrize("alone", [{"resume": 3}])
def test_room_is_for_new_fits_of_all_records(alone, books):
    with pytest.raises(ParameterError, match="new fits of all records"):
        books.reserve(GridSearchCV(estimator(books, **alone), {"max_rules": [1, 2]}))


def test_what_was_not_used_is_free_again(books):
    search = GridSearchCV(estimator(books), {"max_rules": [1, 2]}, cv=3, refit=False)
    with books.reserve(search):
        assert left(books) == Fraction(8, 10)
    assert left(books) == 2


def test_a_refit_that_is_cheaper_than_the_dearest_fits_into_its_room(books):
    def score(fitted, X, y):
        return -fitted.epsilon

    search = GridSearchCV(estimator(books, max_rules=1), {"epsilon": [0.1, 0.4]}, cv=2, scoring=score)
    with books.reserve(search):
        assert left(books) == Fraction(6, 10)
        search.fit(X, Y)
    assert search.best_params_ == {"epsilon": 0.1}
    assert left(books) == Fraction(9, 10)
    assert books.verify() == []


def test_a_reservation_under_grants_of_several_kinds(books):
    slots = choose_budget(slots=2, shapes=["list:1"], each_epsilon=0.5, each_delta=1e-6, delta=1e-6)
    books.grant("patients", slots)
    with pytest.raises(PrivacyError, match=r"Grant 3 counts slots: nothing would fit"):
        books.reserve(GridSearchCV(estimator(books), {"epsilon": [0.4, 0.8]}, cv=2))


def test_a_search_that_does_not_fit_is_refused_before_the_first_fit(books):
    search = GridSearchCV(estimator(books), {"epsilon": [0.2, 0.4]}, cv=5)
    with pytest.raises(PrivacyError, match="11 fits"):
        books.reserve(search)
    assert not books.book().charges
    with pytest.raises(PrivacyError, match="left"):
        GridSearchCV(estimator(books, epsilon=0.5), {"width": [1, 2]}, cv=3, error_score="raise").fit(X, Y)
    assert len(books.book().charges) == 4


def test_pipelines_and_random_searches(books):
    pipe = Pipeline([("same", FunctionTransformer()), ("list", estimator(books, epsilon=0.1))])
    search = RandomizedSearchCV(pipe, {"list__max_rules": [1, 2, 3]}, n_iter=2, cv=2, random_state=0)
    with books.reserve(search):
        search.fit(X, Y)
    assert left(books) == Fraction(15, 10)
    search.random_state = None
    with pytest.raises(ParameterError, match="random_state"):
        books.reserve(search)


def test_a_reservation_is_closed_once_and_nothing_else_is(books):
    reservation = books.reserve(GridSearchCV(estimator(books), {"max_rules": [1, 2]}, cv=3))
    with pytest.raises(ParameterError, match="no reservation"):
        books.close(1)
    reservation.close()
    reservation.close()
    assert left(books) == 2
    assert len(books.book().entries) == 4


def test_what_cannot_be_reserved(books):
    with pytest.raises(ParameterError, match="takes a ledger"):
        books.reserve(GridSearchCV(LogisticRegression(), {"C": [1]}))
    with pytest.raises(ParameterError, match="GridSearchCV"):
        books.reserve(estimator(books))
    with pytest.raises(ParameterError, match="data set"):
        books.reserve(GridSearchCV(PrivateDecisionListClassifier(), {"width": [1]}))


def test_searches_whose_fits_cannot_be_counted_are_refused(books):
    """Halving fits more than candidates times folds, a calibration several times for each, folds may depend on y."""
    one = estimator(books)
    uncounted = {
        "GridSearchCV or": HalvingGridSearchCV(one, {"max_rules": [1, 2]}, cv=3),
        "alone or in a pipeline": GridSearchCV(CalibratedClassifierCV(one, cv=4), {"estimator__max_rules": [1]}, cv=3),
        "only once": GridSearchCV(one, {"max_rules": [1]}, cv=KFold(3).split(X)),
        "depends on the rows": GridSearchCV(one, {"max_rules": [1]}, cv=LeaveOneOut()),
        "no settings": GridSearchCV(one, [], cv=3),
        "cannot be listed": GridSearchCV(one, 7, cv=3),
    }
    for why, search in uncounted.items():
        with pytest.raises(ParameterError, match=why):
            books.reserve(search)
    with pytest.raises(ParameterError, match="depends on the rows"):
        books.reserve(GridSearchCV(one, {"max_rules": [1]}, cv=LeaveOneGroupOut()))
    assert left(books) == 2


def test_a_grant_that_has_ended_says_nothing_about_how_fits_are_counted(books):
    grant = books.grant("patients", Concentrated(1, 1e-6)).number
    books.close(grant)
    with books.reserve(GridSearchCV(estimator(books), {"max_rules": [1]}, cv=3, refit=False)):
        assert left(books) == Fraction(14, 10)


def test_mistakes_are_refused_before_they_are_charged(books):
    with pytest.raises(DataError, match="rows"):
        estimator(books).fit(X, Y[:-1])
    books.register("stream", ["a", "b"], neighbours="replace", stream=True, distinct=True)
    books.grant("stream", EpsilonDelta(1, 0))
    online = PrivateWinnowClassifier(epsilon=0.5, ledger=books, dataset="stream", classes=["no", "yes"])
    with pytest.raises((DataError, ParameterError)):
        online.fit(X, Y.astype(int))
    with pytest.raises(PrivacyError, match="column 'x0' is none of data set"):
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
    many = PrivateWinnowClassifier(epsilon=0.3, ledger=ledger, dataset="stream", multi_class="one-vs-rest")
    many.fit(X, np.arange(400) % 3)
    assert float(ledger.book().grants_of("stream")[0].left[0]) == pytest.approx(0.2)
    with pytest.raises(PrivacyError, match="left"):
        PrivateWinnowClassifier(epsilon=0.3, ledger=ledger, dataset="stream").fit(X, Y)
    with pytest.raises(PrivacyError, match="seeded"):
        PrivateWinnowClassifier(epsilon=0.1, ledger=ledger, dataset="stream", random_state=0).fit(X, Y)
    assert ledger.verify() == []
