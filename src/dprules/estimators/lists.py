"""Decision lists as scikit-learn classifiers."""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dprules.accounting import Certificate
from dprules.errors import ParameterError
from dprules.estimators.html import describe_parameters, write_estimator
from dprules.estimators.inputs import as_columns, check_features
from dprules.estimators.parameters import limit_weights, name_weights, plain, read_seed, read_shares
from dprules.estimators.tasks import SchemaLike, Task, read_task
from dprules.jobs import FitRequest, ListSettings, fit, fit_without_privacy, predict_places
from dprules.models import Released, RuleList
from dprules.numbers import rational
from dprules.schema import Label, Value


class _Lists(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the private and the plain list share: input with or without a schema, and predictions."""

    rule_list_: RuleList
    classes_: NDArray[Any]
    schema: SchemaLike | None
    classes: Sequence[Any] | None
    _names: tuple[str, ...] | None
    _places: Mapping[Value, int]
    _fitted_with: Mapping[str, str]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True  # cells of any kind are read; what is no number is missing
        tags.classifier_tags.poor_score = True
        return tags

    def _keep(self, task: Task, rules: RuleList) -> None:
        """Keep what was learnt, and with which parameters: they may be changed afterwards, the list does not.

        This is the last step of a fit and the only one that sets anything: one that was refused has changed nothing.
        """
        task.features.keep_in(self)
        self._names = None if task.declared else task.features.names
        self.classes_ = task.classes.shown
        self._places = {value: place for place, value in enumerate(task.classes.values)}
        self._fitted_with = describe_parameters(self)
        self.rule_list_ = rules

    def __sklearn_is_fitted__(self) -> bool:
        """Whether a fit has come to its end; one that was refused or interrupted leaves the fit before it."""
        return hasattr(self, "rule_list_")

    def _html_repr(self) -> str:
        """Return what notebooks show; scikit-learn asks for it."""
        if not self.__sklearn_is_fitted__():
            return str(estimator_html_repr(self))
        released: Released | None = getattr(self, "model_", None)
        if released is None:
            return write_estimator(self, self.rule_list_, None, self._fitted_with)
        cautions = released.cautions()
        return write_estimator(self, self.rule_list_, released.certificate, self._fitted_with, cautions)

    def _decide(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self)
        if self._names is None:
            return predict_places(self.rule_list_, X)
        X = check_features(self, X)
        return predict_places(self.rule_list_, as_columns(X, self._names), self._names)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        decided = self._decide(X)
        places = np.array([self._places[label] for label in self.rule_list_.labels])
        predicted: NDArray[Any] = self.classes_[places[decided]]
        return predicted


def _read_weights(settings: ListSettings, label: Label) -> Any:
    """Return class weights under the names of the classes, no farther apart than lists take them."""
    return limit_weights(name_weights(settings.class_weight, label), label)


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
        How much the classes count: alike, inversely to their noisy numbers, or a public weight for each class. Weights
        that differ by more than 64 are brought nearer, and all are ignored with the paper's accounting: both with a
        warning.
    schema : Schema, path, dict or None
        With one, X is a data frame, an Ibis table or a file; without, X is Boolean, or numbers that are read as x > 0.
    classes : sequence or None
        If they are public; otherwise read off y and listed as assumed public. Leave them out inside estimators that
        encode labels as 0, 1, ... (`OneVsRestClassifier`, `VotingClassifier`, `StackingClassifier`,
        `BaggingClassifier`), or declare those.
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
        if self._ignores_weights():  # scikit-learn's checks set them in whatever has them
            warnings.warn("class_weight is only used with accounting='exact', and ignored here.", stacklevel=2)
        if self.schema is None and self.unit is not None:
            raise ParameterError("unit names a column of a table. Give a schema and a data frame.")
        task = read_task(self, X, y, self.schema, self.classes)
        request = FitRequest(
            task.data,
            task.schema,
            replace(settings, class_weight=_read_weights(settings, task.schema.label)),
            plain(self.epsilon),
            plain(self.delta),
            plain(self.neighbours),
            plain(self.unit),
            plain(self.unit_rows),
            plain(self.rows_are_public),
            labels=task.labels,
            seed=read_seed(self.random_state),
            assumptions=task.assumptions,
        )
        released = fit(request)
        self._keep(task, cast(RuleList, released.model))
        self.model_ = released
        self.certificate_ = released.certificate
        return self

    def _settings(self) -> ListSettings:
        if isinstance(self.reward, str) and self.reward != "auto":
            raise ParameterError(f"reward must be 'auto' or a number in [0, 1]; got {self.reward!r}.")
        reward = None if isinstance(self.reward, str) else plain(self.reward)
        shares = read_shares(self.shares)
        return ListSettings(
            plain(self.width),
            plain(self.max_rules),
            reward,
            plain(self.accounting),
            shares,
            None if self._ignores_weights() else plain(self.class_weight),
        )

    def _ignores_weights(self) -> bool:
        return isinstance(self.accounting, str) and self.accounting == "paper" and self.class_weight is not None

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
        Of a correct example against an error, where no rule is free of errors, in [0, 1].
    schema : Schema, path, dict or None
        As for `PrivateDecisionListClassifier`; its cuts must be public.
    classes : sequence or None
        As for `PrivateDecisionListClassifier`.
    """

    def __init__(
        self,
        width: int = 2,
        max_rules: int | None = None,
        reward: float = 0.5,
        schema: SchemaLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.width = width
        self.max_rules = max_rules
        self.reward = reward
        self.schema = schema
        self.classes = classes

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a list; with a schema, y may be a column of X."""
        if self.reward is None:
            raise ParameterError("reward must be a number in [0, 1]; got None. 0.5 is usual.")
        reward = float(rational(self.reward, "reward", zero=True))
        settings = ListSettings(plain(self.width), plain(self.max_rules), reward)
        task = read_task(self, X, y, self.schema, self.classes)
        if task.schema.private_values:
            raise ParameterError("a list without privacy needs public values. List them in the schema.")
        if task.schema.private_cuts:
            raise ParameterError("a list without privacy needs public cuts. Give cuts instead of lower and upper.")
        request = FitRequest(task.data, task.schema, settings, labels=task.labels)
        self._keep(task, fit_without_privacy(request, settings.max_rules, reward))
        return self
