"""Decision lists as scikit-learn classifiers."""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from dprules.errors import ParameterError
from dprules.estimators.parameters import plain, read_shares
from dprules.estimators.tables import PrivateTableClassifier, TableClassifier
from dprules.estimators.tasks import SchemaLike, read_task
from dprules.jobs import FitRequest, LedgerLike, ListSettings, fit_without_privacy
from dprules.models import RuleList
from dprules.numbers import rational


class PrivateDecisionListClassifier(PrivateTableClassifier):
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
    ledger : str, Path, Ledger or None
        Records what is spent before it is spent: a file, or postgresql://user@host/database (`dprules ledger`).
    dataset : str or None
        Name of the data set in the ledger.
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

    rule_list_: RuleList
    _model_name: ClassVar[str] = "rule_list_"

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
        ledger: LedgerLike | None = None,
        dataset: str | None = None,
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
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state

    def _settings(self, class_weight: Any) -> ListSettings:
        if isinstance(self.reward, str) and self.reward != "auto":
            raise ParameterError(f"reward must be 'auto' or a number in [0, 1]; got {self.reward!r}.")
        reward = None if isinstance(self.reward, str) else plain(self.reward)
        return ListSettings(
            plain(self.width),
            plain(self.max_rules),
            reward,
            plain(self.accounting),
            read_shares(self.shares),
            class_weight,
        )

    def _class_weight(self) -> Any:
        if self.class_weight is None or not isinstance(self.accounting, str) or self.accounting != "paper":
            return plain(self.class_weight)
        # No error: scikit-learn's checks set weights in whatever has them.
        warnings.warn("class_weight is only used with accounting='exact', and ignored here.", stacklevel=3)
        return None

    def _gives_probabilities(self) -> bool:
        """Whether the list has counts of its rules: the one that was fitted, or else the one that a fit would give."""
        counted = True
        if self.__sklearn_is_fitted__():
            counted = self.rule_list_.counts is not None
        else:
            with suppress(ParameterError):  # the fit will say what is wrong
                counted = self._settings(None).has_counts
        if not counted:
            raise AttributeError("predict_proba needs noisy counts. Fit with shares={'counts': 0.05} or similar.")
        return True

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities, in the order of `classes_`, from the noisy counts of the rules."""
        return self._predict_proba(X)


class DecisionListClassifier(TableClassifier):
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

    rule_list_: RuleList
    _model_name: ClassVar[str] = "rule_list_"

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
        request = FitRequest(task.data, task.schema, labels=task.labels)
        self._keep(task, fit_without_privacy(request, settings.max_rules, reward, settings.width))
        return self
