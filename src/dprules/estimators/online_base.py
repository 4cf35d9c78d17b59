"""What the stream learners share: two classes, features by name or place, blocks and single examples."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from dprules.errors import DataError, ParameterError
from dprules.estimators.html import describe_parameters, write_estimator
from dprules.estimators.inputs import Features, as_columns, check_features, is_frame, read_features
from dprules.estimators.parameters import read_list
from dprules.estimators.river_face import RiverFace, register
from dprules.estimators.targets import Classes, find_classes, read_labels, typed_classes
from dprules.jobs import (
    OnlineRequest,
    PlainLearner,
    StreamLearner,
    hash_name,
    infer_label,
    kind_of_labels,
    read_label_codes,
)
from dprules.models import Halfspace
from dprules.schema import Label
from dprules.schema.cells import read_number, read_truth

HASHED = 256
"""Coordinates of features that were not named in advance."""

_UNEQUAL = "X and y have different numbers of rows. Give one label for each row."
Learner = StreamLearner | PlainLearner
Example = Mapping[Any, Any]
"""One example: a value for each named feature."""


@dataclass(frozen=True)
class Asked:
    """What a stream was begun with: public.

    Parameters
    ----------
    features : Features
        What they are called.
    hashes : bool
        Whether features are hashed into their coordinates.
    request : OnlineRequest
        What is asked of examples.
    label : Label
        With two classes; the first one is negative.
    classes : array
        The same two, as y has them.
    """

    features: Features
    hashes: bool
    request: OnlineRequest
    label: Label
    classes: NDArray[Any]

    def read_examples(self, examples: Sequence[Example]) -> Any:
        """Return examples as a block; features that were not named are left out, or hashed."""
        named = [{str(name): value for name, value in example.items()} for example in examples]
        return self.request.read_examples([_hash_features(one) for one in named] if self.hashes else named)


class OnlineClassifier(ClassifierMixin, BaseEstimator, RiverFace):  # type: ignore[misc]
    """The base of the online classifiers: scikit-learn's verbs for blocks, river's for single examples."""

    classes_: NDArray[Any]
    n_features_in_: int
    width = 1
    values = "boolean"
    features: Sequence[str] | None = None
    classes: Sequence[Any] | None = None
    _learner: Learner | None = None
    _asked: Asked
    _fitted_with: Mapping[str, str]

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

    @property
    def _multiclass(self) -> bool:
        return False

    @abstractmethod
    def _make_learner(self, asked: Asked) -> Learner:
        """Return a learner for these features."""

    def fit(self, X: Any, y: Any) -> Self:
        """Start anew and take each example once, in its order."""
        return self._learn_first(X, y, self.classes)

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Take a block of labelled examples; the two classes are given, or read off the first block."""
        if self._learner is None:
            return self._learn_first(X, y, self.classes if classes is None else classes)
        _require_order(X)
        X = check_features(self, X)
        labels = _read_labels_of(X, y)
        self._learner.learn(self._asked.request.read(X), read_label_codes(labels, self._asked.label))
        return self

    def _learn_first(self, X: Any, y: Any, classes: Sequence[Any] | None) -> Self:
        """Take the first block of a stream; if it is refused, what was there before stays."""
        _require_order(X)
        X, features = read_features(self, X)
        labels = _read_labels_of(X, y)
        kinds = as_columns(X if is_frame(X) else X[:0], features.names)
        request = OnlineRequest.inferred(kinds, features.names, self.width, self._is_real())
        asked = self._ask(features, False, request, labels, classes)
        learner = self._make_learner(asked)
        learner.learn(request.read(X), read_label_codes(labels, asked.label))
        self._keep(asked, learner)
        return self

    def _is_real(self) -> bool:
        if self.values not in ("boolean", "real"):
            raise ParameterError(f"values must be 'boolean' or 'real'; got {self.values!r}. Choose one.")
        if self.values == "real" and self.width != 1:
            raise ParameterError("conditions are made of Boolean features. Give width=1 with values='real'.")
        return self.values == "real"

    def _ask(
        self, features: Features, hashes: bool, request: OnlineRequest, labels: Any, given: Sequence[Any] | None
    ) -> Asked:
        """Return what a stream is begun with: what is asked of examples, and which classes there are."""
        known = find_classes(labels) if given is None else read_list(given, "classes", "['no', 'yes']")
        if len(known) == 1:
            raise ValueError("Classifier can't train when only one class is present. Give both with classes=...")
        if len(known) != 2:
            raise ParameterError("Only binary classification is supported. The number of classes must be two.")
        label = infer_label(known, features.names, declared=given is not None)
        classes = Classes.sorted(label, typed_classes(label, labels, known))
        ordered = Label(label.name, classes.values, inferred=label.inferred)
        request = replace(request, classes=classes.values)
        return Asked(features, hashes, request, ordered, classes.shown)

    def _keep(self, asked: Asked, learner: Learner) -> None:
        """Keep a stream that was begun, and with which parameters."""
        asked.features.keep_in(self)
        self._asked = asked
        self.classes_ = asked.classes
        self._fitted_with = describe_parameters(self)
        self._learner = learner

    def _html_repr(self) -> str:
        """Return what notebooks show; scikit-learn asks for it."""
        if not hasattr(self, "classes_"):
            return str(estimator_html_repr(self))
        return write_estimator(self, self.hypothesis_, getattr(self, "certificate_", None), self._fitted_with)

    @property
    def hypothesis_(self) -> Halfspace:
        """The hypothesis in force, ranked and readable: public."""
        check_is_fitted(self, "classes_")
        first, second = self._asked.label.classes
        return self._asked.request.halfspace(self._weights(), (first, second), self._releases())

    def _weights(self) -> Any:
        return None if self._learner is None else self._learner.hypothesis

    def _releases(self) -> int:
        return 0 if self._learner is None else int(self._learner.releases)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return what the hypothesis says of each example; above 0 is the second class."""
        check_is_fitted(self, "classes_")
        X = check_features(self, X)
        return self._asked.request.read(X).weigh(self._weights())

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each example."""
        positive = self.decision_function(X) > 0
        answers: NDArray[Any] = self.classes_[positive.astype(np.int64)]
        return answers

    def learn_one(self, x: Example, y: Any) -> None:
        """Take one labelled example.

        Features are those of `features`, or are hashed into a public number of coordinates: names that are read off an
        example would publish that example.
        """
        self._learn_examples([x], np.asarray([y]) if isinstance(y, bool | np.bool_) else [y])

    def learn_many(self, X: Any, y: Any) -> None:
        """Take a block of labelled examples as `learn_one` would take them, one after the other.

        Parameters
        ----------
        X : data frame
            Of pandas, Polars or Arrow; columns are features by their names.
        y : series
            A label for each row.
        """
        labels = read_labels(y)
        examples = _as_examples(X)
        if len(labels) != len(examples):
            raise DataError(_UNEQUAL)
        self._learn_examples(examples, labels)

    def _learn_examples(self, examples: Sequence[Example], labels: Any) -> None:
        asked = self._ask_by_name(labels) if self._learner is None else self._asked
        learner = self._make_learner(asked) if self._learner is None else self._learner
        learner.learn(asked.read_examples(examples), read_label_codes(labels, asked.label))
        if self._learner is None:
            self._keep(asked, learner)

    def _ask_by_name(self, labels: Any) -> Asked:
        """Return what a stream of features that are named or hashed is begun with; classes are declared or Boolean."""
        if self.classes is None and kind_of_labels(labels) != "b":
            raise ParameterError("learn_one needs to know both classes first. Give them with classes=(...).")
        known = [False, True] if self.classes is None else read_list(self.classes, "classes", "['no', 'yes']")
        hashes = self.features is None
        names = [f"hash {i}" for i in range(HASHED)] if hashes else read_list(self.features, "features", "['a', 'b']")
        features = Features.named([str(name) for name in names])
        kinds: dict[str, list[object]] = {name: [] for name in features.names}
        request = OnlineRequest.inferred(kinds, features.names, self.width, self._is_real())
        return self._ask(features, hashes, request, np.array(known), known)

    def predict_one(self, x: Example, **kwargs: Any) -> Any:
        """Return the class of one example; None before the first one was learnt."""
        if not hasattr(self, "classes_"):
            return None
        says = float(self._asked.read_examples([x]).weigh(self._weights())[0])
        return self.classes_[int(says > 0)].item()

    def predict_many(self, X: Any) -> Any:
        """Return the class of each row of a data frame, as a series where it is one of pandas."""
        answers = [self.predict_one(example) for example in _as_examples(X)]
        if hasattr(X, "iloc"):
            return type(X.iloc[:, 0])(answers, index=X.index)
        return np.array(answers)

    def predict_proba_one(self, x: Example, **kwargs: Any) -> dict[Any, float]:
        """Not available: a halfspace has no probabilities."""
        raise NotImplementedError


def _require_order(X: Any) -> None:
    if hasattr(X, "to_pyarrow_batches"):
        raise DataError("the rows of a database have no order, which a stream needs. Give a data frame.")


def _read_labels_of(X: Any, y: Any) -> Any:
    """Return the labels, one for each row."""
    labels = read_labels(y)
    if len(labels) != X.shape[0]:
        raise DataError(_UNEQUAL)
    return labels


def _hash_features(named: Mapping[str, Any]) -> dict[str, Any]:
    """Move features to the coordinates of their names; of those that share one, the largest counts."""
    hashed: dict[str, Any] = {}
    for name, value in named.items():
        number = _read_cell(value)
        if number is not None:
            place = f"hash {hash_name(name, HASHED)}"
            hashed[place] = max(hashed.get(place, number), number)
    return hashed


def _read_cell(value: Any) -> float | None:
    """Return a number; a Boolean true counts as 1."""
    number = read_number(value)
    truth = read_truth(value) if number is None else None
    return number if truth is None else float(truth)


def _as_examples(X: Any) -> list[Example]:
    """Return the rows of a frame as dictionaries."""
    if hasattr(X, "to_pylist"):
        return list(X.to_pylist())
    if hasattr(X, "to_dicts"):
        return list(X.to_dicts())
    if hasattr(X, "iloc") and hasattr(X, "to_dict"):
        return list(X.to_dict("records"))
    raise DataError("X must be a data frame (pandas, Polars or Arrow) with a column for each feature.")


register(OnlineClassifier)
