"""Decision lists as scikit-learn classifiers."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dprules.accounting import Assumption, Certificate
from dprules.errors import ParameterError
from dprules.estimators.html import describe_parameters, write_estimator
from dprules.estimators.inputs import as_columns, find_classes, is_frame, read_features, read_labels, typed_classes
from dprules.estimators.parameters import name_weights, plain, read_seed
from dprules.jobs import (
    FitRequest,
    ListSettings,
    as_labels,
    fit,
    fit_without_privacy,
    infer_label,
    infer_schema,
    predict_places,
    read_names,
    require_numbers,
    require_readable,
)
from dprules.models import Released, RuleList
from dprules.schema import Schema, Value, read_schema

SchemaLike = Schema | str | Path | Mapping[str, Any]


class _Lists(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the private and the plain list share: input with or without a schema, and predictions."""

    rule_list_: RuleList
    classes_: NDArray[Any]
    schema: SchemaLike | None
    classes: Sequence[Any] | None = None
    _by_schema: bool
    _fitted_with: Mapping[str, str]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True  # cells of any kind are read; what is no number is missing
        tags.classifier_tags.poor_score = True
        return tags

    def _request(self, X: Any, y: Any) -> tuple[Any, Schema, Any, tuple[Assumption, ...]]:
        """Return data, schema, labels (None: in the table) and what is assumed."""
        if self.schema is not None:
            return self._declared_request(X, y, read_schema(self.schema))
        self._by_schema = False
        X, names = read_features(self, X, reset=True)
        if is_frame(X):
            require_numbers(X)
        labels = read_labels(y)
        data = as_columns(X, names)
        if self.classes is None:
            shown = find_classes(labels)
            label = infer_label(list(shown), names, declared=False)
        else:
            label = infer_label(self.classes, names, declared=True)
            shown = typed_classes(label, labels, self.classes)
        self._keep_classes(label.classes, shown)
        inferred = infer_schema(data, names, label)
        return data, inferred, labels, _inferred(inferred, self.classes is None)

    def _declared_request(self, X: Any, y: Any, schema: Schema) -> tuple[Any, Schema, Any, tuple[Assumption, ...]]:
        """Return the same for data with a schema."""
        self._by_schema = True
        self.feature_names_in_ = np.array([column.name for column in schema.columns], dtype=object)
        self.n_features_in_ = len(schema.columns)
        labels = None if y is None else read_labels(y)
        typed = labels
        if y is None and is_frame(X) and not hasattr(X, "to_pyarrow_batches"):
            typed = X[schema.label.name] if schema.label.name in read_names(X) else None
        if typed is not None:
            require_readable(typed, schema.label)
        self._keep_classes(schema.label.classes, as_labels(schema.label.classes, typed))
        return X, schema, labels, (Assumption.SCHEMA,)

    def _keep_classes(self, classes: Sequence[Value], shown: NDArray[Any]) -> None:
        """Keep the classes as y has them, sorted as scikit-learn expects, and where each class of the list is."""
        order = np.argsort(shown, kind="stable")
        self.classes_ = shown[order]
        self._places = {value: int(place) for value, place in zip(classes, np.argsort(order), strict=True)}

    def _keep(self, rules: RuleList) -> None:
        """Keep what was learnt, and with which parameters: they may be changed afterwards, the list does not."""
        self.rule_list_ = rules
        self._fitted_with = describe_parameters(self)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether a fit has come to its end: one that was refused or interrupted leaves no list."""
        return hasattr(self, "rule_list_")

    def _html_repr(self) -> str:
        """Return what notebooks show; scikit-learn asks for it."""
        if not self.__sklearn_is_fitted__():
            return str(estimator_html_repr(self))
        return write_estimator(self, self.rule_list_, getattr(self, "certificate_", None), self._fitted_with)

    def _decide(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self)
        if not self._by_schema:
            X, names = read_features(self, X, reset=False)
            X = as_columns(X, names)
        return predict_places(self.rule_list_, X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        decided = self._decide(X)
        places = np.array([self._places[label] for label in self.rule_list_.labels])
        predicted: NDArray[Any] = self.classes_[places[decided]]
        return predicted


def _inferred(schema: Schema, classes_read_off: bool) -> tuple[Assumption, ...]:
    found = [Assumption.COLUMN_NAMES]
    if any(column.kind == "positive" for column in schema.columns):
        found.append(Assumption.POSITIVE_NUMBERS)
    if classes_read_off:
        found.append(Assumption.CLASSES_FROM_LABELS)
    return tuple(found)


class PrivateDecisionListClassifier(_Lists):
    """A differentially private decision list (DP-GreedyCover with the recipe of theory F).

    Every `fit` on the same rows is a release of its own, also in cross-validation, grid search and ensembles: epsilons
    add up. `score` on private rows is a private output. A transformer that was fitted on
    the same rows (a scaler, an encoder) breaks the guarantee: each record must be computed on its own.

    Parameters
    ----------
    epsilon, delta : float
        The budget of one fit.
    neighbours : str
        "add-remove" or "replace".
    width : int
        Literals in one condition, 1 to 3.
    max_rules : int or None
        Rules before the default; None chooses from noisy counts.
    reward : float or "auto"
        Of a correct record against an error, in [0, 1]; 0 is the paper's score.
    accounting : str
        "exact" or "paper".
    class_weight : None, "balanced" or dict
        How much the classes count: alike, inversely to their noisy numbers, or a public weight for each class.
    schema : Schema, path, dict or None
        With one, X is a data frame, an Ibis table or a file; without, X is Boolean, or numbers that are read as x > 0.
    classes : sequence or None
        If they are public; otherwise read off y and listed as assumed public. Leave them out inside estimators that
        encode labels as 0, 1, ... (`OneVsRestClassifier`, `VotingClassifier`), or declare those.
    shares : dict or None
        Of epsilon by name: "cuts", "classes", and "counts" where counts of the rules are not free (for `predict_proba`
        at a constant reward below 1, or with the paper's accounting).
    unit : str or None
        Column that says whose a row is (with a schema).
    unit_rows : int
        Rows of a unit that are kept.
    rows_are_public : bool
        Look at the rows first and refuse odd ones; the certificate says so.
    random_state : int, RandomState, Generator or None
        Repeatable noise: the result is then **not private**, and the certificate says so. `BaggingClassifier` and other
        ensembles set it in the estimators that they make.

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
    model_: Released

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "add-remove",
        width: int = 2,
        max_rules: int | None = None,
        reward: float | str = "auto",
        accounting: str = "exact",
        class_weight: str | Mapping[Any, float] | None = None,
        schema: SchemaLike | None = None,
        classes: Sequence[Any] | None = None,
        shares: Mapping[str, float] | None = None,
        unit: str | None = None,
        unit_rows: int = 1,
        rows_are_public: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.width = width
        self.max_rules = max_rules
        self.reward = reward
        self.accounting = accounting
        self.class_weight = class_weight
        self.schema = schema
        self.classes = classes
        self.shares = shares
        self.unit = unit
        self.unit_rows = unit_rows
        self.rows_are_public = rows_are_public
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a list; with a schema, y may be a column of X."""
        settings = self._settings()
        if self.schema is None and self.unit is not None:
            raise ParameterError("unit names a column of a table. Give a schema and a data frame.")
        data, schema, labels, assumptions = self._request(X, y)
        request = FitRequest(
            data,
            schema,
            replace(settings, class_weight=name_weights(settings.class_weight, schema.label)),
            plain(self.epsilon),
            plain(self.delta),
            plain(self.neighbours),
            plain(self.unit),
            plain(self.unit_rows),
            plain(self.rows_are_public),
            labels=labels,
            seed=read_seed(self.random_state),
            assumptions=assumptions,
        )
        self.model_ = fit(request)
        if not isinstance(self.model_.model, RuleList):
            raise ParameterError("the fit returned no list.")
        self.certificate_ = self.model_.certificate
        self._keep(self.model_.model)
        return self

    def _settings(self) -> ListSettings:
        if isinstance(self.reward, str) and self.reward != "auto":
            raise ParameterError(f"reward must be 'auto' or a number in [0, 1]; got {self.reward!r}.")
        reward = None if isinstance(self.reward, str) else plain(self.reward)
        shares = {str(name): plain(share) for name, share in (self.shares or {}).items()}
        return ListSettings(
            plain(self.width), plain(self.max_rules), reward, plain(self.accounting), shares, plain(self.class_weight)
        )

    def _gives_probabilities(self) -> bool:
        """Whether the list has counts of its rules: the one that was fitted, or else the one that a fit would give."""
        counted = True
        if self.__sklearn_is_fitted__():
            counted = self.rule_list_.counts is not None
        else:
            with suppress(ParameterError):  # the fit will say what is wrong
                counted = self._settings().has_counts
        if not counted:
            raise AttributeError("predict_proba needs noisy counts. Fit with shares={'counts': 0.05} or similar.")
        return True

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities, in the order of `classes_`, from the noisy counts of the rules."""
        decided = self._decide(X)
        shares = self.rule_list_.probabilities(decided)
        ordered = np.empty_like(shares)
        ordered[:, [self._places[value] for value in self.rule_list_.classes]] = shares
        return ordered


class DecisionListClassifier(_Lists):
    """Rivest's greedy decision list, **without privacy**: the yardstick.

    Parameters
    ----------
    width : int
        Literals in one condition, 1 to 3.
    max_rules : int or None
        Rules before the default; None: until nothing is gained.
    reward : float
        Of a correct example against an error, where no rule is free of errors.
    schema : Schema, path, dict or None
        As for `PrivateDecisionListClassifier`; its cuts must be public.
    """

    def __init__(
        self,
        width: int = 2,
        max_rules: int | None = None,
        reward: float = 0.5,
        schema: SchemaLike | None = None,
    ) -> None:
        self.width = width
        self.max_rules = max_rules
        self.reward = reward
        self.schema = schema

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a list; with a schema, y may be a column of X."""
        data, schema, labels, _ = self._request(X, y)
        if schema.private_values:
            raise ParameterError("a list without privacy needs public values. List them in the schema.")
        if schema.private_cuts:
            raise ParameterError("a list without privacy needs public cuts. Give cuts instead of lower and upper.")
        request = FitRequest(data, schema, ListSettings(plain(self.width)), labels=labels)
        self._keep(fit_without_privacy(request, plain(self.max_rules), plain(self.reward)))
        return self
