"""Scorecards as scikit-learn classifiers."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprules.estimators.parameters import plain, read_shares
from dprules.estimators.tables import PrivateTableClassifier
from dprules.estimators.tasks import SchemaLike
from dprules.jobs import LedgerLike, ScorecardSettings, predict_scores
from dprules.models import RiskTable, Scorecard


class PrivateScorecardClassifier(PrivateTableClassifier):
    """A differentially private scorecard: points that add up to a risk (theory G).

    Take it where rows are to be ranked or risks are wanted, and `PrivateDecisionListClassifier` where only labels
    matter. Every `fit` on the same rows is a release of its own, also in cross-validation, grid search and ensembles:
    epsilons add up. `score` on private rows is a private output. A transformer that was fitted on the same rows (a
    scaler, an encoder) breaks the guarantee: each record must be computed on its own.

    Parameters
    ----------
    epsilon, delta : float
        The budget of one fit.
    neighbours : str
        "add-remove" or "replace".
    terms : int or "all"
        Conditions that have points of their own: 20 fit on an index card; "all" gives a table of points to each column.
    class_weight : None, "balanced" or dict
        How much the classes count when one is predicted, and while points are learnt: alike, inversely to their noisy
        numbers, or a public weight for each class. `predict_proba` stays the risk that the card prints: with weights
        `predict` takes the class with the largest weight times probability. Weights that differ by more than 64 are
        brought nearer, with a warning.
    schema : Schema, path, dict or None
        With one, X is a data frame, an Ibis table or a file; without, X is Boolean, or numbers that are read as x > 0.
    classes : sequence or None
        As for `PrivateDecisionListClassifier`: if they are public; otherwise read off y and listed as assumed public.
    shares : dict or None
        Of epsilon by name: "cuts", where the schema asks for private ones.
    unit : str or None
        Column that says whose a row is (with a schema).
    unit_rows : int
        Rows of a unit that are kept.
    rows_are_public : bool
        Look at the rows first and refuse odd ones; the certificate says so.
    ledger : str, Path, Ledger or None
        Records what is spent before it is spent: a file, or postgresql://user@host/database (`dprules ledger`).
    dataset : str or None
        Name of the data set in the ledger.
    random_state : int, RandomState, Generator or None
        Repeatable noise: the result is then **not private**, and the certificate says so.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((4000, 6)) < 0.5
    >>> y = np.where(X[:, 0] & X[:, 3], "yes", "no")
    >>> model = PrivateScorecardClassifier(epsilon=1.0, terms=2, random_state=0).fit(X, y)
    >>> bool((model.predict(X) == y).mean() > 0.95)
    True
    >>> [column.name for column in model.scorecard_.columns]
    ['x0', 'x3']
    >>> model.certificate_.private
    False
    """

    scorecard_: Scorecard
    _model_name: ClassVar[str] = "scorecard_"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "add-remove",
        terms: int | str = 20,
        class_weight: str | Mapping[Any, float] | None = None,
        schema: SchemaLike | None = None,
        classes: Sequence[Any] | None = None,
        shares: Mapping[str, float] | None = None,
        unit: str | None = None,
        unit_rows: int = 1,
        rows_are_public: bool = False,
        ledger: LedgerLike | None = None,
        dataset: str | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.terms = terms
        self.class_weight = class_weight
        self.schema = schema
        self.classes = classes
        self.shares = shares
        self.unit = unit
        self.unit_rows = unit_rows
        self.rows_are_public = rows_are_public
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state

    def _settings(self, class_weight: Any) -> ScorecardSettings:
        return ScorecardSettings(plain(self.terms), read_shares(self.shares), class_weight)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the risks that the card prints: how likely each class is, in the order of `classes_`."""
        return self._predict_proba(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return by how many points each row is beyond the score where the prediction changes.

        For two classes one number a row, above 0 exactly where `predict` says `classes_[1]`: the score of the card,
        less the middle between the last score that says one class and the first that says the other, and turned round
        if the points of the card speak for `classes_[0]`. For more classes one number for each, in the order of
        `classes_`: the points of a class with those that its weight adds, less a fraction of a point which settles
        ties; the largest is what `predict` says.
        """
        scores = self._ask(predict_scores, X)
        card = self.scorecard_
        if isinstance(card.meaning, RiskTable):
            beyond = scores - _find_change(card, card.meaning)
            return beyond if self._places[card.positive] == 1 else -beyond
        # In a tie the card says the class that was declared first.
        behind = np.arange(len(card.classes)) / len(card.classes)
        return self._in_order(scores + np.array(card.handicaps) - behind)


def _find_change(card: Scorecard, table: RiskTable) -> float:
    """Return the middle between the last score that speaks against the positive class and the first that speaks for it.

    Where the card always says the same, it lies next to the scores that are possible.

    Parameters
    ----------
    card : Scorecard
        For two classes.
    table : RiskTable
        Its own: risks never decrease, so the prediction changes once at the most.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from dprules.models import Estimate, Points, Totals
    >>> from dprules.schema import Boolean
    >>> sick = Points.of(Boolean("sick"), np.array([[0], [9], [-2]]))
    >>> tables = [RiskTable((4,), (Estimate(0.1, 0, 1), Estimate(risk, 0, 1))) for risk in (0.8, 0.3)]
    >>> parts = (sick,), (0,), ("no", "yes"), "yes"
    >>> [_find_change(Scorecard(*parts, table, Totals((60, 40), Fraction(3))), table) for table in tables]
    [3.5, 9.5]
    """
    ends = [card.base[0] + sum(int(end(points.table())) for points in card.points) for end in (np.min, np.max)]
    if card.positive not in card.labels:
        return ends[1] + 0.5
    first = card.labels.index(card.positive)
    return ends[0] - 0.5 if first == 0 else table.starts[first - 1] - 0.5
