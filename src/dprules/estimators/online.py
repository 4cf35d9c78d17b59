"""Stream learners as scikit-learn classifiers (`partial_fit`) and river classifiers (`learn_one`)."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from dprules.accounting import Assumption, Certificate
from dprules.errors import PrivacyError
from dprules.estimators.html import Marked
from dprules.estimators.online_base import Asked, Learner, OnlineClassifier
from dprules.estimators.parameters import plain, read_seed
from dprules.jobs import (
    Answers,
    LedgerLike,
    PlainLearner,
    StreamLearner,
    StreamSettings,
    require_ledger,
)
from dprules.numbers import as_asked


class PrivateWinnowClassifier(Marked, OnlineClassifier):
    """A differentially private Winnow: learns from a stream and publishes hypotheses.

    Private: the examples. Public: `hypothesis_`, and when it changes. Mistakes, caches and scores never leave the
    object, which cannot be pickled while it learns (`dprules stream` keeps one on disk). `fit` ends the stream: the
    fitted classifier holds the released hypothesis only, and `partial_fit` after it starts a new stream.

    Parameters
    ----------
    epsilon, delta : float
        The budget of the whole stream, however long; delta is 0 for "segment".
    algorithm : str
        "segment", "dense" (near-linear targets over numbers), "epochs" (lists, any number of classes), or "guarded",
        "batched" and "paper", which need delta, horizon and margin.
    neighbours : str
        "replace" or "zero-out".
    horizon : int or None
        Rounds of the stream, for the mistake bounds.
    margin : float or None
        Of the target, for the mistake bounds.
    switch_after : int or None
        When "guarded" switches; None: at the bound of "batched".
    memory : int or None
        Rounds that an epoch of "epochs" has at most.
    watch : float
        The share of epsilon by which "epochs" notices that the target has changed, in [0, 1); 0: it does not look.
    values : str
        "auto" (columns of Booleans as they are, all else as numbers that are clipped to [-1, 1]), "boolean",
        "positive" (x > 0) or "real".
    width : int
        1, or 2 or 3 for conditions made of Boolean features.
    features : sequence of str, int or None
        For `learn_one`: names, or the number of coordinates into which names are hashed; None: 256.
    vocabulary : sequence of str or None
        Public names: hashed coordinates are printed under those that are hashed to them.
    classes : sequence or None
        All of them. None: of blocks those of the first block, which are assumed public; of single examples False and
        True, whatever comes first.
    ledger : str, Path, Ledger or None
        Records what is spent before it is spent: a file, or postgresql://user@host/database (`dprules ledger`).
    dataset : str or None
        What the data set is called in the ledger.
    random_state : int, RandomState, Generator or None
        Repeatable noise: the result is then **not private**, and the certificate says so. `BaggingClassifier` and other
        ensembles set it in the estimators that they make.

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
    _published: tuple[Answers, int]

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        algorithm: str = "segment",
        neighbours: str = "replace",
        horizon: int | None = None,
        margin: float | None = None,
        switch_after: int | None = None,
        memory: int | None = None,
        watch: float = 0.125,
        values: str = "auto",
        width: int = 1,
        features: Sequence[str] | int | None = None,
        vocabulary: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
        ledger: LedgerLike | None = None,
        dataset: str | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.algorithm = algorithm
        self.neighbours = neighbours
        self.horizon = horizon
        self.margin = margin
        self.switch_after = switch_after
        self.memory = memory
        self.watch = watch
        self.values = values
        self.width = width
        self.features = features
        self.vocabulary = vocabulary
        self.classes = classes
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags

    def __getstate__(self) -> Any:
        if self._learner is not None:
            raise PrivacyError(
                "A stream learner holds private state and cannot be copied or pickled. Publish hypothesis_ instead."
            )
        return super().__getstate__()

    def fit(self, X: Any, y: Any) -> Self:
        """Start anew, take each example once in its order, and end the stream."""
        super().fit(X, y)
        self._published = (self._answers(), self._releases())
        self._learner = None
        return self

    @property
    def _has_lists(self) -> bool:
        return bool(self.algorithm == "epochs")

    def _answers(self) -> Answers:
        return super()._answers() if self._learner is not None else self._published[0]

    def _releases(self) -> int:
        return super()._releases() if self._learner is not None else self._published[1]

    def _keep(self, asked: Asked, learner: Learner) -> None:
        super()._keep(asked, learner)
        if not isinstance(learner, PlainLearner):
            self.certificate_ = learner.certificate

    def _make_learner(self, asked: Asked) -> StreamLearner:
        request = asked.request
        settings = StreamSettings(
            as_asked(self.epsilon, "epsilon"),
            as_asked(self.delta, "delta", zero=True),
            plain(self.algorithm),
            plain(self.neighbours),
            plain(self.horizon),
            plain(self.margin),
            plain(self.switch_after),
            plain(self.memory),
            plain(self.watch),
        )
        assumed = [Assumption.COLUMN_NAMES, Assumption.RECORD_BY_RECORD]
        if request.real:
            assumed.append(Assumption.CLIPPED_NUMBERS)
        elif request.columns[0].kind == "positive":
            assumed.append(Assumption.POSITIVE_NUMBERS)
        if asked.label.inferred:
            assumed.append(Assumption.CLASSES_FROM_LABELS)
        require_ledger(self.ledger, self.dataset)
        return StreamLearner(settings, request, assumed, read_seed(self.random_state), self.ledger, self.dataset)

    def _unit_test_skips(self) -> set[str]:
        """River's checks that need a copy of the private state, or the same noise twice."""
        copies = {"check_pickling", "check_no_state_aliasing_with_input"}
        return copies | {"check_shuffle_features_no_impact", "check_learn_many_matches_learn_one"}


class WinnowClassifier(OnlineClassifier):
    """Winnow, **without privacy**: the yardstick.

    Parameters
    ----------
    rate : float
        eta; the margin of the target is best.
    values, width, features, vocabulary, classes
        As for `PrivateWinnowClassifier`.
    """

    def __init__(
        self,
        rate: float = 0.2,
        values: str = "auto",
        width: int = 1,
        features: Sequence[str] | int | None = None,
        vocabulary: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.rate = rate
        self.values = values
        self.width = width
        self.features = features
        self.vocabulary = vocabulary
        self.classes = classes

    def _make_learner(self, asked: Asked) -> PlainLearner:
        return PlainLearner(asked.request, plain(self.rate))


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
    values, width, features, vocabulary, classes
        As for `PrivateWinnowClassifier`.
    """

    def __init__(
        self,
        rate: float = 0.1,
        margin: float = 0.1,
        confidence: float = 1 / 3,
        values: str = "auto",
        width: int = 1,
        features: Sequence[str] | int | None = None,
        vocabulary: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(rate, values, width, features, vocabulary, classes)
        self.margin = margin
        self.confidence = confidence

    def _make_learner(self, asked: Asked) -> PlainLearner:
        return PlainLearner(asked.request, plain(self.rate), plain(self.margin), plain(self.confidence))
