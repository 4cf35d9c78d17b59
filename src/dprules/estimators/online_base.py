"""What the stream learners share: classes, features by name or place, blocks as scikit-learn has them."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dprules.accounting import Certificate
from dprules.errors import DataError, ParameterError
from dprules.estimators.html import describe_parameters, write_estimator, write_unfitted
from dprules.estimators.inputs import Features, as_columns, check_features, is_frame, read_features
from dprules.estimators.online_events import EventFace
from dprules.estimators.parameters import plain, read_list
from dprules.estimators.river_face import RiverFace, register
from dprules.estimators.scores import LabelScorer
from dprules.estimators.targets import Classes, find_classes, read_labels, typed_classes
from dprules.jobs import (
    HASHED,
    Answers,
    HashedRequest,
    OnlineRequest,
    PlainLearner,
    StreamLearner,
    choose_columns,
    hash_columns,
    infer_label,
    kind_of_labels,
    read_label_codes,
    require_readable,
)
from dprules.models import Halfspace, RuleList, mark_seeded
from dprules.schema import MISSING, Label

_UNEQUAL = "X and y have different numbers of rows. Give one label for each row."
_TWO = (
    "Only binary classification is supported. For more classes use algorithm='epochs', which learns lists at the "
    "price of one stream, or scikit-learn's OneVsRestClassifier, which pays epsilon for each class."
)
Learner = StreamLearner | PlainLearner


@dataclass(frozen=True)
class Asked:
    """What a stream was begun with: public.

    Parameters
    ----------
    features : Features or None
        What they are called; None if they are hashed.
    request : OnlineRequest
        What is asked of examples.
    label : Label
        The classes in the order of `classes`; of two, the first one is negative.
    classes : array
        The same, as y has them.
    """

    features: Features | None
    request: OnlineRequest
    label: Label
    classes: NDArray[Any]


class OnlineClassifier(LabelScorer, EventFace, ClassifierMixin, BaseEstimator, RiverFace):  # type: ignore[misc]
    """The base of the online classifiers: scikit-learn's verbs for blocks, river's for single examples."""

    classes_: NDArray[Any]
    n_features_in_: int
    width = 1
    values = "auto"
    features: Sequence[str] | int | None = None
    vocabulary: Sequence[str] | None = None
    classes: Sequence[Any] | None = None
    _learner: Learner | None = None
    _asked: Asked
    _fitted_with: Mapping[str, str]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True  # cells of any kind are read; what is no number is missing
        tags.classifier_tags.multi_class = self._has_lists
        tags.classifier_tags.poor_score = True
        return tags

    def _more_tags(self) -> set[str]:
        """River's tags: none. scikit-learn's are above."""
        return set()

    @property
    def _multiclass(self) -> bool:
        return self._has_lists and self.classes is not None and len(self.classes) > 2

    @property
    def _has_lists(self) -> bool:
        """Whether hypotheses are lists, which may have any number of classes."""
        return False

    @abstractmethod
    def _make_learner(self, asked: Asked) -> Learner:
        """Return a learner for these features."""

    def fit(self, X: Any, y: Any) -> Self:
        """Start anew and take each example once, in its order."""
        return self._learn_first(X, y, self.classes)

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Take a block of labelled examples; the classes are given, or read off the first block."""
        if self._learner is None:
            self._warn_if_ended()
            return self._learn_first(X, y, self.classes if classes is None else classes)
        if classes is not None:
            self._require_same(classes)
        _require_order(X)
        X = check_features(self, X)
        labels = _read_labels_of(X, y)
        self._learner.learn(self._asked.request.read(X), read_label_codes(labels, self._asked.label))
        return self

    def _warn_if_ended(self) -> None:
        """Warn before a second stream begins in the place of one that `fit` has ended; scikit-learn allows it."""
        if hasattr(self, "classes_"):
            warnings.warn(
                "fit has ended its stream, and its model is replaced now. A new stream begins; its epsilon adds to "
                "what was spent.",
                UserWarning,
                stacklevel=3,
            )

    def _require_same(self, classes: Sequence[Any]) -> None:
        """Refuse other classes than the stream was begun with, as scikit-learn does."""
        column = self._asked.label.column()
        codes = {column.code(plain(value)) for value in read_list(classes, "classes", "['no', 'yes']")}
        if codes != set(range(len(self.classes_))) or MISSING in codes:
            raise ParameterError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )

    def _learn_first(self, X: Any, y: Any, classes: Sequence[Any] | None) -> Self:
        """Take the first block of a stream; if it is refused, what was there before stays."""
        _require_order(X)
        X, features = read_features(self, X)
        labels = _read_labels_of(X, y)
        kinds = as_columns(X if is_frame(X) else X[:0], features.names)
        columns = choose_columns(kinds, features.names, self.values, self._asks)
        asked = self._ask(features, OnlineRequest(columns, self.width), labels, classes)
        if kind_of_labels(labels) != "f":  # labels that are all missing are floats: a fact about rows
            require_readable(labels, asked.label)
        examples, codes = asked.request.read(X), read_label_codes(labels, asked.label)
        learner = self._make_learner(asked)  # charged: what cannot be read was refused before
        learner.learn(examples, codes)
        self._keep(asked, learner)
        return self

    @property
    def _asks(self) -> bool:
        """Whether features are asked about, and not weighed."""
        return self.width != 1 or self._has_lists

    def _ask(
        self, features: Features | None, request: OnlineRequest, labels: Any, given: Sequence[Any] | None
    ) -> Asked:
        """Return what a stream is begun with: what is asked of examples, and which classes there are."""
        known = find_classes(labels) if given is None else read_list(given, "classes", "['no', 'yes']")
        if len(known) == 1:
            raise ParameterError("Classifier can't train when only one class is present. Give both with classes=...")
        if len(known) != 2 and not self._has_lists:
            raise ParameterError(_TWO)
        label = infer_label(known, () if features is None else features.names, declared=given is not None)
        classes = Classes.sorted(label, typed_classes(label, labels, known))
        ordered = Label(label.name, classes.values, inferred=label.inferred)
        asked = request.with_classes(classes.values, lists=self._has_lists)
        return Asked(features, asked, ordered, classes.shown)

    def _ask_by_name(self) -> Asked:
        """Return what a stream of features that are named or hashed is begun with; classes are declared or Boolean."""
        known = [False, True] if self.classes is None else read_list(self.classes, "classes", "['no', 'yes']")
        number = HASHED if self.features is None else plain(self.features)
        vocabulary = [] if self.vocabulary is None else read_list(self.vocabulary, "vocabulary", "['good', 'bad']")
        if isinstance(number, int):
            hashed = HashedRequest(hash_columns(number, self.values, self._asks, vocabulary), self.width)
            return self._ask(None, hashed, np.array(known), known)
        if vocabulary:
            raise ParameterError("a vocabulary names hashed features. Give their number with features=2**16.")
        names = [str(name) for name in read_list(self.features, "features", "['a', 'b']")]
        columns = choose_columns(None, names, self.values, self._asks)
        return self._ask(Features.named(names), OnlineRequest(columns, self.width), np.array(known), known)

    def _keep(self, asked: Asked, learner: Learner) -> None:
        """Keep a stream that was begun, and with which parameters."""
        features = Features((), None) if asked.features is None else asked.features
        features.keep_in(self)
        self.n_features_in_ = len(asked.request.columns)
        self._asked = asked
        self._label = asked.label
        self.classes_ = asked.classes
        self._remember_labels()
        self._fitted_with = describe_parameters(self)
        self._learner = learner

    def _html_repr(self) -> str:
        """Return what notebooks show; scikit-learn asks for it."""
        if not hasattr(self, "classes_"):
            return write_unfitted(self)
        return write_estimator(self, self.hypothesis_, getattr(self, "certificate_", None), self._fitted_with)

    @property
    def hypothesis_(self) -> Halfspace | RuleList:
        """The hypothesis in force: public. A `Halfspace`, or the `RuleList` of "epochs"."""
        check_is_fitted(self, "classes_")
        hypothesis = self._answers().model(self._asked.request, self._releases())
        certificate: Certificate | None = getattr(self, "certificate_", None)
        if certificate is None or certificate.private:
            return hypothesis
        return mark_seeded(hypothesis)

    def _answers(self) -> Answers:
        """Return what the hypothesis in force says."""
        if self._learner is None:
            raise TypeError("there is no stream")
        return self._learner.answers

    def _releases(self) -> int:
        return 0 if self._learner is None else int(self._learner.releases)

    @available_if(lambda self: not self._has_lists)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return what the hypothesis says of each example: above 0 is the second class; of more, a sum for each."""
        check_is_fitted(self, "classes_")
        return self._answers().sums_of(check_features(self, X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each example."""
        check_is_fitted(self, "classes_")
        answers: NDArray[Any] = self.classes_[self._answers().places_of(check_features(self, X))]
        return answers

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return how likely each class is, in the order of `classes_`.

        Of a halfspace it is 1 / (1 + exp(-2 s / scale)), where s is the sum that decides and the scale a public
        constant: ranks are right, the numbers are not calibrated. Of one halfspace a class it is proportional to
        exp(2 s / scale). Of a list it is read off the noisy counts of its
        rules.
        """
        check_is_fitted(self, "classes_")
        return self._answers().shares_of(check_features(self, X))


def _require_order(X: Any) -> None:
    if hasattr(X, "to_pyarrow_batches"):
        raise DataError("the rows of a database have no order, which a stream needs. Give a data frame.")


def _read_labels_of(X: Any, y: Any) -> Any:
    """Return the labels, one for each row."""
    labels = read_labels(y)
    if len(labels) != X.shape[0]:
        raise DataError(_UNEQUAL)
    return labels


register(OnlineClassifier)
