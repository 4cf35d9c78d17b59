"""Stream learners as scikit-learn classifiers (`partial_fit`) and river classifiers (`learn_one`)."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from dprules.accounting import Certificate
from dprules.data.columns import Boolean
from dprules.data.features import conjunctions
from dprules.data.literals import literals as literals_of
from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.estimators.inputs import INFERRED, as_float, check_targets, tolerant, validated
from dprules.mechanisms import SeededBits
from dprules.online.blocks import GRID, Block, Conjoined, Weights, as_block
from dprules.online.confident import ConfidentWinnow
from dprules.online.hypothesis import Hypothesis
from dprules.online.learner import PrivateLearner, Released
from dprules.online.settings import StreamSettings
from dprules.online.winnow import Winnow

try:
    _RIVER: Any = import_module("river.base").Classifier
except ImportError:
    _RIVER = None


def _river_face() -> type:
    """River's classifier without being one by inheritance: a method of its has a name that scikit-learn forbids."""
    bases = [] if _RIVER is None else reversed(_RIVER.__mro__[:-1])
    members = {name: member for base in bases for name, member in vars(base).items() if not name.startswith("__")}
    return type(
        "RiverFace",
        (),
        {name: members[name] for name in members if name != "_more_tags" and not name.startswith("_abc")},
    )


class _Online(ClassifierMixin, BaseEstimator, _river_face()):  # type: ignore[misc]
    """What the stream learners share: two classes, Boolean features, blocks and single examples."""

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
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def _more_tags(self) -> set[str]:
        """River's tags: none. scikit-learn's are above."""
        return set()

    @abstractmethod
    def _start(self, dimension: int) -> None:
        """Make a learner for so many coordinates, the bias included."""

    @abstractmethod
    def _learn(self, block: Block, labels: NDArray[np.int8]) -> None: ...

    @property
    @abstractmethod
    def _weights(self) -> Weights: ...

    @property
    def _releases(self) -> int:
        return 0

    def fit(self, X: Any, y: Any) -> Self:
        """Start anew and take each example once, in its order."""
        self._begun = False
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Take a block of labelled examples; the two classes are given, or read off the first block."""
        first = not getattr(self, "_begun", False)
        given = classes if classes is not None else self.classes
        if first and given is None:
            X, y = validated(self, X, y, reset=True, ensure_all_finite=False)
            check_targets(y)
            self._begin(np.unique(y), self.n_features_in_)
        else:  # both classes are known: no row decides what happens
            X, y = validated(self, tolerant(X), reset=first, ensure_all_finite=False, ensure_min_samples=0), list(y)
            if len(y) != X.shape[0]:
                raise DataError("X and y have different numbers of rows. Give one label for each row.")
            if first:
                self._begin(np.asarray(given), self.n_features_in_, declared=True)
        self._learn(self._block(X), _signs(y, self.classes_))
        return self

    def _begin(self, classes: NDArray[Any], features: int, declared: bool = False) -> None:
        if self.values not in ("boolean", "real"):
            raise ParameterError(f"values must be 'boolean' or 'real'; got {self.values!r}. Choose one.")
        if self.values == "real" and self.width != 1:
            raise ParameterError("conjunctions are made of Boolean features. Give width=1 with values='real'.")
        if len(classes) == 1:
            raise ValueError("Classifier can't train when only one class is present. Give both with classes=...")
        if len(set(classes.tolist())) != 2:
            raise ParameterError("Only binary classification is supported. The number of classes must be two.")
        self.classes_, self._count, self._real, self._declared = classes, features, self.values == "real", declared
        self._conjunctions = None
        if self.width != 1:
            self._conjunctions = conjunctions(self._literals(), self.width)
        self._start(1 + (features if self._conjunctions is None else len(self._conjunctions)))
        self._begun = True

    def _literals(self) -> list[Any]:
        return [literal for name in self._names() for literal in literals_of(Boolean(name))]

    def _names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self._count)] if known is None else [str(name) for name in known]

    def _block(self, X: Any) -> Block:
        if self._conjunctions is None:
            return as_block(X, self._count, self._real)
        matrix = (X.toarray() if hasattr(X, "toarray") else np.asarray(X)) > 0
        both = np.empty((len(matrix), 2 * self._count), dtype=np.bool_)
        both[:, ::2], both[:, 1::2] = matrix, ~matrix
        return Conjoined(both, self._conjunctions)

    @property
    def hypothesis_(self) -> Hypothesis:
        """The hypothesis in force, ranked and readable: public."""
        check_is_fitted(self, "classes_")
        names = dict(enumerate(self._names()))
        if self._conjunctions is not None:
            asked, made = self._literals(), self._conjunctions
            names = {f: " and ".join(str(asked[i]) for i in made[f] if i >= 0) for f in self._weights.support.tolist()}
        return Hypothesis.of(self._weights, names, self._pair(), self._releases, self._real)

    def _pair(self) -> tuple[Any, Any]:
        first, second = self.classes_.tolist()
        return first, second

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What the hypothesis says of each example; above 0 is the second class."""
        check_is_fitted(self, "classes_")
        return self._block(validated(self, X, reset=False, ensure_all_finite=False)).says(self._weights)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each example."""
        positive = self.decision_function(X) > 0
        answers: NDArray[Any] = self.classes_[positive.astype(np.int64)]
        return answers

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Take one labelled example. Without `features` the names of the first example are the features."""
        if not getattr(self, "_begun", False):
            known = self.classes if self.classes is not None else [False, True] if y in (False, True) else None
            if known is None:
                raise ParameterError("learn_one needs to know both classes first. Give them with classes=(...).")
            names = list(self.features) if self.features is not None else sorted(map(str, x))
            self.feature_names_in_ = np.array(names, dtype=object)
            self.n_features_in_ = len(names)
            self._begin(np.asarray(known), len(names), declared=True)
        self._learn(self._block(self._row(x)), _signs(np.array([y], dtype=object), self.classes_))

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """The class of one example; None before the first one was learnt."""
        if not hasattr(self, "classes_"):
            return None
        says = float(self._block(self._row(x)).says(self._weights)[0])
        return self._pair()[says > 0]

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Not available: a halfspace has no probabilities."""
        raise NotImplementedError

    def _row(self, x: Mapping[Any, Any]) -> NDArray[np.float64]:
        """One row of numbers; features that were not there at the start are left out."""
        named = {str(name): value for name, value in x.items()}
        return np.array([[as_float(named.get(name)) for name in self._names()]])

    @property
    def _multiclass(self) -> bool:
        return False


class PrivateWinnowClassifier(_Online):
    """A differentially private Winnow: learns from a stream and publishes hypotheses.

    Private: the examples. Public: `hypothesis_`, and when it changes. Mistakes, caches and scores never leave the
    object, which cannot be pickled while it learns (`dprules stream` keeps one on disk). `fit` ends the stream: the
    fitted classifier holds the released hypothesis only, and `partial_fit` after it starts a new stream.

    Parameters
    ----------
    epsilon, delta: the budget of the whole stream, however long; delta is 0 for "segment"
    algorithm: "segment", "guarded", "batched" or "paper"; all but the first need delta, horizon and margin
    neighbours: "replace" or "zero-out"
    horizon, margin: rounds of the stream, and the margin that the mistake bounds are for
    most: when "guarded" switches; None: at the bound of "batched"
    values: "boolean" (x > 0) or "real" (clipped to [-1, 1])
    width: 1, or 2 or 3 for conjunctions of Boolean features (lists on streams)
    features: names, for `learn_one`; otherwise those of the first example, assumed public
    classes: both; otherwise read off the first block, assumed public
    random_state: a seed; the result is then **not private**, and the certificate says so

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
    _learner: PrivateLearner | None

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        algorithm: str = "segment",
        neighbours: str = "replace",
        horizon: int | None = None,
        margin: float | None = None,
        most: int | None = None,
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
        self.most = most
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
        self._learner, self._begun = None, False
        return self

    def _start(self, dimension: int) -> None:
        settings = StreamSettings(
            self.epsilon, self.delta, self.algorithm, self.neighbours, self.horizon, self.margin, self.most
        )
        bits = None if self.random_state is None else SeededBits(int(self.random_state))
        rule = settings.rule(dimension)
        self._learner = PrivateLearner(rule, GRID if self._real else 1, bits)
        reading = "that numbers are clipped to [-1, 1]" if self._real else INFERRED[2]
        public = (*(() if self._declared else INFERRED[:1]), INFERRED[1], reading)
        self.certificate_ = settings.certificate(rule, self._learner.secure, public)
        self._published, self._number = rule.weights, 0

    def _learn(self, block: Block, labels: NDArray[np.int8]) -> None:
        assert self._learner is not None
        self._learner.learn(block, labels, self._publish)

    def _publish(self, release: Released) -> None:
        assert self._learner is not None
        self._published, self._number = self._learner.rule.weights, self._number + 1

    @property
    def _weights(self) -> Weights:
        return self._published

    @property
    def _releases(self) -> int:
        return self._number

    def _unit_test_skips(self) -> set[str]:
        """River's checks that need a copy of the private state, or the same noise twice."""
        return {"check_pickling", "check_no_state_aliasing_with_input", "check_shuffle_features_no_impact"}


class WinnowClassifier(_Online):
    """Winnow, **without privacy**: the yardstick.

    Parameters
    ----------
    rate: eta; the margin of the target is best
    values, width, features, classes: as for `PrivateWinnowClassifier`
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

    def _start(self, dimension: int) -> None:
        self._learner = self._made(dimension)

    def _made(self, dimension: int) -> Winnow:
        return Winnow(dimension, self.rate)

    def _learn(self, block: Block, labels: NDArray[np.int8]) -> None:
        self._learner.learn(block, labels)

    @property
    def _weights(self) -> Weights:
        return self._learner.weights

    @property
    def _releases(self) -> int:
        return self._learner.updates


class ConfidentWinnowClassifier(WinnowClassifier):
    """The paper's ConfidentWinnow, **without privacy**: also updates where it is unsure.

    Parameters
    ----------
    rate: eta
    margin: rho
    confidence: c; |<w, x>| below c rho is unsure
    values, width, features, classes: as for `PrivateWinnowClassifier`
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

    def _made(self, dimension: int) -> Winnow:
        return ConfidentWinnow(dimension, self.rate, self.margin, self.confidence)


def _signs(y: Any, classes: NDArray[Any]) -> NDArray[np.int8]:
    """-1 and 1 for the two classes, 0 (nothing happened) for anything else."""
    first, second = classes.tolist()
    return np.array([1 if _same(label, second) else -1 if _same(label, first) else 0 for label in y], dtype=np.int8)


def _same(label: Any, known: Any) -> bool:
    """Whether a label is a class; what cannot be compared (missing values of pandas, arrays) is not."""
    try:
        return bool(label == known)
    except (TypeError, ValueError):
        return False


if _RIVER is not None:
    _RIVER.register(_Online)
