"""Stream learners as scikit-learn classifiers (`partial_fit`) and river classifiers (`learn_one`)."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from dprules.accounting import Assumption, Certificate
from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.estimators.inputs import as_columns, find_classes, read_features, read_labels
from dprules.estimators.river_face import RiverFace, register
from dprules.jobs import (
    OnlineRequest,
    PlainLearner,
    StreamLearner,
    StreamSettings,
    as_labels,
    hash_name,
    infer_label,
    read_signs,
)
from dprules.models import Halfspace
from dprules.schema import Label

HASHED = 256
"""Coordinates of features that were not named in advance."""


class _Online(ClassifierMixin, BaseEstimator, RiverFace):  # type: ignore[misc]
    """What the stream learners share: two classes, features by name or place, blocks and single examples."""

    classes_: NDArray[Any]
    n_features_in_: int
    width = 1
    values = "boolean"
    features: Sequence[str] | None = None
    classes: Sequence[Any] | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True  # cells of any kind are read; what is no number is missing
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def _more_tags(self) -> set[str]:
        """River's tags: none. scikit-learn's are above."""
        return set()

    @abstractmethod
    def _make_learner(self, request: OnlineRequest) -> StreamLearner | PlainLearner:
        """Return a learner for these features."""

    def fit(self, X: Any, y: Any) -> Self:
        """Start anew and take each example once, in its order."""
        self._learner = None
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Take a block of labelled examples; the two classes are given, or read off the first block."""
        first = getattr(self, "_learner", None) is None
        X, names = read_features(self, X, reset=first)
        labels = read_labels(y)
        if len(labels) != (X.shape[0] if hasattr(X, "shape") else len(X)):
            raise DataError("X and y have different numbers of rows. Give one label for each row.")
        if first:
            given = classes if classes is not None else self.classes
            request = OnlineRequest.inferred(as_columns(X[:0], names), names, self.width, self._is_real())
            self._begin(request, labels, find_classes(labels) if given is None else given, given is not None)
        self._learner.learn(self._request.read(X), read_signs(labels, self._label))
        return self

    def _is_real(self) -> bool:
        if self.values not in ("boolean", "real"):
            raise ParameterError(f"values must be 'boolean' or 'real'; got {self.values!r}. Choose one.")
        if self.values == "real" and self.width != 1:
            raise ParameterError("conditions are made of Boolean features. Give width=1 with values='real'.")
        return self.values == "real"

    def _begin(self, request: OnlineRequest, labels: Any, classes: Sequence[Any], declared: bool) -> None:
        """Start a stream: what is asked of examples and which classes there are is public from here on."""
        if len(classes) == 1:
            raise ValueError("Classifier can't train when only one class is present. Give both with classes=...")
        if len(classes) != 2:
            raise ParameterError("Only binary classification is supported. The number of classes must be two.")
        label: Label = infer_label(classes, [column.name for column in request.columns], declared)
        shown = as_labels(label.classes, labels)
        order = np.argsort(shown, kind="stable")
        # The first class is the negative one; sorted, as scikit-learn expects.
        self._label = Label(label.name, tuple(label.classes[i] for i in order), inferred=label.inferred)
        self.classes_ = shown[order]
        self._declared = declared
        self._request = request
        self._learner = self._make_learner(request)

    @property
    def hypothesis_(self) -> Halfspace:
        """The hypothesis in force, ranked and readable: public."""
        check_is_fitted(self, "classes_")
        first, second = self._label.classes
        return self._request.halfspace(self._weights(), (first, second), self._releases())

    def _weights(self) -> Any:
        return self._learner.weights

    def _releases(self) -> int:
        return int(self._learner.releases)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return what the hypothesis says of each example; above 0 is the second class."""
        check_is_fitted(self, "classes_")
        X, _ = read_features(self, X, reset=False)
        return self._request.read(X).weigh(self._weights())

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each example."""
        positive = self.decision_function(X) > 0
        answers: NDArray[Any] = self.classes_[positive.astype(np.int64)]
        return answers

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Take one labelled example.

        Features are those of `features`, or are hashed into a public number of coordinates: names that are read off an
        example would publish that example.
        """
        if getattr(self, "_learner", None) is None:
            known = self.classes if self.classes is not None else [False, True]
            if self.classes is None and not isinstance(y, bool | np.bool_):
                raise ParameterError("learn_one needs to know both classes first. Give them with classes=(...).")
            names = [f"hash {i}" for i in range(HASHED)] if self.features is None else [str(f) for f in self.features]
            self.feature_names_in_ = np.array(names, dtype=object)
            self.n_features_in_ = len(names)
            request = OnlineRequest.inferred({name: [] for name in names}, names, self.width, self._is_real())
            self._begin(request, np.array(known), known, declared=True)
        self._learner.learn(self._request.read(self._row(x)), read_signs([y], self._label))

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """Return the class of one example; None before the first one was learnt."""
        if not hasattr(self, "classes_"):
            return None
        says = float(self._request.read(self._row(x)).weigh(self._weights())[0])
        return self.classes_[int(says > 0)].item()

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Not available: a halfspace has no probabilities."""
        raise NotImplementedError

    def _row(self, x: Mapping[Any, Any]) -> NDArray[Any]:
        """One row of cells; features that were not named are left out, or hashed."""
        named = {str(name): value for name, value in x.items()}
        names = [column.name for column in self._request.columns]
        if self.features is None and names[0] == "hash 0":
            hashed: dict[str, Any] = {}
            for name, value in named.items():
                place = f"hash {hash_name(name, HASHED)}"
                # Of features that share a coordinate the largest counts: a Boolean one holds if any does.
                hashed[place] = max(hashed.get(place, 0.0), _number(value))
            named = hashed
        row = np.empty((1, len(names)), dtype=object)
        row[0, :] = [named.get(name) for name in names]
        return row

    @property
    def _multiclass(self) -> bool:
        return False


def _number(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if number == number else 0.0


class PrivateWinnowClassifier(_Online):
    """A differentially private Winnow: learns from a stream and publishes hypotheses.

    Private: the examples. Public: `hypothesis_`, and when it changes. Mistakes, caches and scores never leave the
    object, which cannot be pickled while it learns (`dprules stream` keeps one on disk). `fit` ends the stream: the
    fitted classifier holds the released hypothesis only, and `partial_fit` after it starts a new stream.

    Parameters
    ----------
    epsilon, delta : float
        The budget of the whole stream, however long; delta is 0 for "segment".
    algorithm : str
        "segment", "guarded", "batched" or "paper"; all but the first need delta, horizon and margin.
    neighbours : str
        "replace" or "zero-out".
    horizon : int or None
        Rounds of the stream, for the mistake bounds.
    margin : float or None
        Of the target, for the mistake bounds.
    switch_after : int or None
        When "guarded" switches; None: at the bound of "batched".
    values : str
        "boolean" (x > 0) or "real" (clipped to [-1, 1]).
    width : int
        1, or 2 or 3 for conditions made of Boolean features (lists on streams).
    features : sequence of str or None
        Names, for `learn_one`; without them, features are hashed into 256 coordinates.
    classes : sequence or None
        Both; otherwise read off the first block, and assumed public.
    random_state : int or None
        A seed; the result is then **not private**, and the certificate says so.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.random((20_000, 20)) < 0.5
    >>> y = X[:, 3] | X[:, 7]
    >>> model = PrivateWinnowClassifier(epsilon=1.0, random_state=0).partial_fit(X, y, classes=[False, True])
    >>> bool((model.predict(X) == y).mean() > 0.95)
    True
    >>> model.certificate_.delta, model.certificate_.private
    (0.0, False)
    """

    certificate_: Certificate

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        algorithm: str = "segment",
        neighbours: str = "replace",
        horizon: int | None = None,
        margin: float | None = None,
        switch_after: int | None = None,
        values: str = "boolean",
        width: int = 1,
        features: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.algorithm = algorithm
        self.neighbours = neighbours
        self.horizon = horizon
        self.margin = margin
        self.switch_after = switch_after
        self.values = values
        self.width = width
        self.features = features
        self.classes = classes
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags

    def __getstate__(self) -> Any:
        if getattr(self, "_learner", None) is not None:
            raise PrivacyError(
                "A stream learner holds private state and cannot be copied or pickled. Publish hypothesis_ instead."
            )
        return super().__getstate__()

    def fit(self, X: Any, y: Any) -> Self:
        """Start anew, take each example once in its order, and end the stream."""
        super().fit(X, y)
        self._published = (self._learner.weights, self._learner.releases)
        self._learner = None
        return self

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Take a block of labelled examples; the two classes are given, or read off the first block."""
        self._published = None
        return super().partial_fit(X, y, classes)

    def _weights(self) -> Any:
        published = getattr(self, "_published", None)
        return self._learner.weights if published is None else published[0]

    def _releases(self) -> int:
        published = getattr(self, "_published", None)
        return int(self._learner.releases if published is None else published[1])

    def _make_learner(self, request: OnlineRequest) -> StreamLearner:
        settings = StreamSettings(
            self.epsilon, self.delta, self.algorithm, self.neighbours, self.horizon, self.margin, self.switch_after
        )
        assumed = [Assumption.COLUMN_NAMES, Assumption.RECORD_BY_RECORD]
        if request.real:
            assumed.append(Assumption.CLIPPED_NUMBERS)
        elif any(column.kind == "positive" for column in request.columns):
            assumed.append(Assumption.POSITIVE_NUMBERS)
        if not self._declared:
            assumed.append(Assumption.CLASSES_FROM_LABELS)
        seed = None if self.random_state is None else int(self.random_state)
        learner = StreamLearner(settings, request, assumed, seed)
        self.certificate_ = learner.certificate
        return learner

    def _unit_test_skips(self) -> set[str]:
        """River's checks that need a copy of the private state, or the same noise twice."""
        return {"check_pickling", "check_no_state_aliasing_with_input", "check_shuffle_features_no_impact"}


class WinnowClassifier(_Online):
    """Winnow, **without privacy**: the yardstick.

    Parameters
    ----------
    rate : float
        eta; the margin of the target is best.
    values, width, features, classes
        As for `PrivateWinnowClassifier`.
    """

    def __init__(
        self,
        rate: float = 0.2,
        values: str = "boolean",
        width: int = 1,
        features: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.rate = rate
        self.values = values
        self.width = width
        self.features = features
        self.classes = classes

    def _make_learner(self, request: OnlineRequest) -> PlainLearner:
        return PlainLearner(request, self.rate)


class ConfidentWinnowClassifier(WinnowClassifier):
    """The paper's ConfidentWinnow, **without privacy**: also updates where it is unsure.

    Parameters
    ----------
    rate : float
        eta.
    margin : float
        rho.
    confidence : float
        c; |<w, x>| below c rho is unsure.
    values, width, features, classes
        As for `PrivateWinnowClassifier`.
    """

    def __init__(
        self,
        rate: float = 0.1,
        margin: float = 0.1,
        confidence: float = 1 / 3,
        values: str = "boolean",
        width: int = 1,
        features: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(rate, values, width, features, classes)
        self.margin = margin
        self.confidence = confidence

    def _make_learner(self, request: OnlineRequest) -> PlainLearner:
        return PlainLearner(request, self.rate, self.margin, self.confidence)


register(_Online)
