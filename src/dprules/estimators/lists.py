"""Decision lists as scikit-learn classifiers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dprules.accounting import Certificate, Neighbours
from dprules.data.columns import Boolean, Value, text
from dprules.data.encode import encode
from dprules.data.features import conjunctions
from dprules.data.literals import Literal
from dprules.data.literals import literals as literals_of
from dprules.data.sample import Sample
from dprules.data.schema import Schema
from dprules.data.table import Codes, Unit, as_frame, open_table, quietly
from dprules.errors import DataError, ParameterError
from dprules.estimators.inputs import INFERRED, check_targets, tolerant, validated
from dprules.lists.fit import Settings, fit_list, named
from dprules.lists.learn import learn_list
from dprules.lists.rivest import rivest
from dprules.lists.rule_list import RuleList
from dprules.mechanisms import SeededBits


class _Lists(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the private and the plain list share: Boolean input without a schema, and predictions."""

    rule_list_: RuleList
    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.poor_score = True
        return tags

    def _read(self, X: Any, y: Any) -> tuple[Codes, tuple[Boolean, ...], list[Value]]:
        """Booleans, or numbers as x > 0; classes from y."""
        known = getattr(self, "classes", None)
        if known is None:
            X, y = validated(self, X, y, ensure_all_finite=False)
            check_targets(y)
            self.classes_ = np.unique(y)
        else:  # then no row decides what happens
            X, y = validated(self, tolerant(X), ensure_min_samples=0, ensure_all_finite=False), list(y)
            self.classes_ = np.asarray(known)
            if len(y) != X.shape[0]:
                raise DataError("X and y have different numbers of rows. Give one label for each row.")
        place = {_plain(label): i for i, label in enumerate(self.classes_)}
        labels = np.array([_place(label, place) for label in y], dtype=np.int16)
        kept = labels >= 0
        names = getattr(self, "feature_names_in_", None)
        columns = tuple(
            Boolean(str(name)) for name in (names if names is not None else [f"x{i}" for i in range(X.shape[1])])
        )
        return Codes(_booleans(X)[kept], labels[kept], None), columns, [_plain(label) for label in self.classes_]

    def _cells(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self)
        if getattr(self, "schema", None) is not None:
            return self.rule_list_.cells(X)
        matrix = _booleans(validated(self, X, reset=False, ensure_all_finite=False))
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        place = {str(name): i for i, name in enumerate(names)}
        return self.rule_list_.cells_of(matrix[:, [place[column.name] for column in self.rule_list_.columns]])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        cells = self._cells(X)
        known = {_plain(label): i for i, label in enumerate(self.classes_)}
        labels = [*(rule.label for rule in self.rule_list_.rules), self.rule_list_.default]
        predicted: NDArray[Any] = self.classes_[np.array([known[label] for label in labels])[cells]]
        return predicted


class PrivateDecisionListClassifier(_Lists):
    """A differentially private decision list (DP-GreedyCover with the recipe of theory F).

    Every `fit` on the same rows is a release of its own, also in cross-validation and grid search: k folds times c
    candidates cost up to k c epsilons. `score` on private rows is a private output.

    Parameters
    ----------
    epsilon, delta: the budget of one fit
    neighbours: "add-remove" or "replace"
    width: literals in one condition, 1 to 3
    max_rules: rules before the default; None chooses from noisy counts
    reward: "auto", or a number in [0, 1]; 0 is the paper's score
    accounting: "exact" or "paper"
    schema: a `Schema`, or the path of one; then X is a data frame, an Ibis table or a file
    classes: if they are public; otherwise read off y and listed as assumed public
    rows: the number of rows, if it is public
    shares: of epsilon by name: "counts" (for `predict_proba`), "cuts", "classes"
    unit: column that says whose a row is (with a schema); one row of each is kept
    ledger: not available yet
    random_state: a seed; the result is then **not private**, and the certificate says so

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((4000, 6)) < 0.5
    >>> y = np.where(X[:, 0], "yes", np.where(X[:, 3], "no", "yes"))
    >>> model = PrivateDecisionListClassifier(epsilon=1.0, random_state=0).fit(X, y)
    >>> bool((model.predict(X) == y).mean() > 0.95)
    True
    >>> model.certificate_.private
    False
    """

    certificate_: Certificate

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "add-remove",
        width: int = 2,
        max_rules: int | None = None,
        reward: float | str = "auto",
        accounting: str = "exact",
        schema: Schema | str | Path | None = None,
        classes: Sequence[Any] | None = None,
        rows: int | None = None,
        shares: Mapping[str, float] | None = None,
        unit: str | None = None,
        ledger: object = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.width = width
        self.max_rules = max_rules
        self.reward = reward
        self.accounting = accounting
        self.schema = schema
        self.classes = classes
        self.rows = rows
        self.shares = shares
        self.unit = unit
        self.ledger = ledger
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a list; with a schema, y may be a column of X."""
        bits = None if self.random_state is None else SeededBits(int(self.random_state))
        if self.schema is None:
            if self.unit is not None:
                raise ParameterError("unit names a column of a table. Give a schema and a data frame.")
            codes, columns, classes = self._read(X, y)
            literals = [literal for column in columns for literal in literals_of(column)]
            sample = encode(codes, columns, literals, len(classes))
            fitted = fit_list(
                sample, literals, classes, self._settings(INFERRED if self.classes is None else INFERRED[1:]), bits=bits
            )
            self.rule_list_, self.certificate_ = fitted.rules, fitted.certificate
            return self
        schema = self.schema if isinstance(self.schema, Schema) else Schema.from_file(self.schema)
        unit = None if self.unit is None else Unit(self.unit)
        with open_table(_with_label(X, y, schema.label.name)) as table:
            model = learn_list(table, schema, self._settings(()), unit=unit, bits=bits)
        self.classes_ = np.array(schema.label.classes)
        self.rule_list_, self.certificate_ = model.rules, model.certificate
        return self

    def _settings(self, public: tuple[str, ...]) -> Settings:
        if self.ledger is not None:
            raise ParameterError("ledgers are not available yet. Leave ledger out.")
        if self.accounting not in ("exact", "paper"):
            raise ParameterError(f"accounting must be 'exact' or 'paper'; got {self.accounting!r}. Choose one.")
        if isinstance(self.reward, str) and self.reward != "auto":
            raise ParameterError(f"reward must be 'auto' or a number in [0, 1]; got {self.reward!r}.")
        return Settings(
            epsilon=self.epsilon,
            delta=self.delta,
            neighbours=Neighbours.parse(self.neighbours),
            width=self.width,
            max_rules=self.max_rules,
            reward=None if isinstance(self.reward, str) else self.reward,
            paper=self.accounting == "paper",
            rows=self.rows,
            shares=dict(self.shares or {}),
            public=public,
        )

    def _has_counts(self) -> bool:
        check_is_fitted(self)
        if self.rule_list_.counts is None:
            raise AttributeError("predict_proba needs noisy counts. Fit with shares={'counts': 0.05} or similar.")
        return True

    @available_if(_has_counts)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities from the bought counts of the rules."""
        return self.rule_list_.probabilities(self._cells(X))


class DecisionListClassifier(_Lists):
    """Rivest's greedy decision list, **without privacy**: the yardstick.

    Parameters
    ----------
    width: literals in one condition, 1 to 3
    max_rules: rules before the default; None: until nothing is gained
    reward: of a correct example against an error, where no rule is free of errors
    """

    def __init__(self, width: int = 2, max_rules: int | None = None, reward: float = 0.5) -> None:
        self.width = width
        self.max_rules = max_rules
        self.reward = reward

    def fit(self, X: Any, y: Any) -> Self:
        """Learn a list from Booleans (other numbers as x > 0)."""
        codes, columns, classes = self._read(X, y)
        literals: list[Literal] = [literal for column in columns for literal in literals_of(column)]
        sample: Sample = encode(codes, columns, literals, len(classes))
        features = conjunctions(literals, self.width)
        drawn = rivest(sample, features, self.max_rules, (self.reward,))
        self.rule_list_ = named(drawn, features, literals, classes).simplified()
        return self


def _place(label: Any, place: Mapping[Value, int]) -> int:
    """The class of a label, -1 for one that is not declared."""
    try:
        return place.get(_plain(label), -1)
    except TypeError:
        return -1


def _booleans(X: Any) -> NDArray[np.int16]:
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return (dense > 0).astype(np.int16)


def _plain(label: Any) -> Value:
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else str(value)


def _with_label(X: Any, y: Any, name: str) -> Any:
    """A frame with its label column; files and tables must have it already."""
    if y is None:
        return X
    if isinstance(X, str | Path | ibis.expr.types.Table):
        raise ParameterError("y is a column of the table: name it in the schema and leave y out.")
    sentence = "X must be a data frame (pandas, Polars or Arrow) with as many rows as y has labels."
    frame = quietly(lambda: ibis.memtable(as_frame(X)).to_pyarrow(), sentence)
    labels = pa.array([text(_plain(label)) for label in list(y)], pa.string())
    return quietly(lambda: frame.append_column(name, labels), sentence)
