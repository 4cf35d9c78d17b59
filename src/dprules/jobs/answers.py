"""What a released hypothesis says of single examples: prepared once, so that an example costs a microsecond."""

from collections.abc import Callable
from math import nextafter, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.jobs.online_cells import Example, LazyCodes, read_truths
from dprules.jobs.online_features import OnlineRequest, Says
from dprules.learners.streams import Hypothesis, Weights
from dprules.models import Halfspace, RuleList
from dprules.schema import Value

ABOVE_HALF = nextafter(0.5, 1.0)


class Answers:
    """A hypothesis, ready to be asked. Public: it is a function of what was released.

    The probability of the second class of a halfspace is 1 / (1 + exp(-2 s / scale)), where s is the sum that decides.

    Parameters
    ----------
    request : OnlineRequest
        What is asked of examples.
    hypothesis : Weights or RuleList
        As released.
    scale : float
        Of the link: a public constant, by which the algorithm calls an example sure.
    """

    __slots__ = ("hypothesis", "place", "request", "says", "scale", "shares")

    def __init__(self, request: OnlineRequest, hypothesis: Hypothesis, scale: float = 1.0) -> None:
        self.request = request
        self.hypothesis = hypothesis
        self.scale = scale
        self.says: Says | None = None
        """The sum that decides; None where there is none."""
        self.place: Callable[[Example], int]
        """The place of the class that it predicts."""
        self.shares: Callable[[Example], list[float]]
        """How likely each class is."""
        if isinstance(hypothesis, Weights):
            self._ask_sum(request.prepare(hypothesis), scale)
        else:
            self._ask_list(hypothesis)

    def __reduce__(self) -> tuple[Any, ...]:
        return Answers, (self.request, self.hypothesis, self.scale)

    def _ask_sum(self, says: Says, scale: float) -> None:
        self.says = says
        self.place = lambda example: 1 if says(example) > 0 else 0

        def shares(example: Example) -> list[float]:
            total = says(example)
            second = 0.5 * (1.0 + tanh(total / scale))
            # What is predicted is the likeliest, also where the tanh rounds to nothing.
            second = max(second, ABOVE_HALF) if total > 0 else second
            return [1.0 - second, second]

        self.shares = shares

    def _ask_list(self, rules: RuleList) -> None:
        answer: Callable[[Any], Any] = rules.prepare()
        columns = [(column.name, read_truths(column)) for column in rules.columns]
        places = {label: place for place, label in enumerate(self.request.classes)}
        named = self.request.name_features

        def ask(example: Example) -> Any:
            return answer(LazyCodes(columns, named(example)))

        def shares(example: Example) -> list[float]:
            label, found, _ = ask(example)
            return _guess(rules, label) if found is None else list(found)

        self.place = lambda example: places[ask(example)[0]]
        self.shares = shares

    def model(self, request: OnlineRequest, releases: int) -> Halfspace | RuleList:
        """Return what was released as a model that can be read.

        Parameters
        ----------
        request : OnlineRequest
            With the classes as they are printed.
        releases : int
            How many hypotheses there were.
        """
        return request.model(self.hypothesis, releases)

    def places_of(self, X: Any) -> NDArray[np.int64]:
        """Return the place of the class of each example of a matrix or a frame."""
        if isinstance(self.hypothesis, Weights):
            return (self.sums_of(X) > 0).astype(np.int64)
        rules = self.hypothesis
        decided = rules.decide(self._read_columns(X, rules), X.shape[0])
        labels = [self.request.classes.index(label) for label in rules.labels]
        return np.array(labels, dtype=np.int64)[decided]

    def sums_of(self, X: Any) -> NDArray[np.float64]:
        """Return the sum that decides, for each example."""
        if not isinstance(self.hypothesis, Weights):
            raise TypeError("a list has no sums")
        return self.request.read(X).weigh(self.hypothesis)

    def shares_of(self, X: Any) -> NDArray[np.float64]:
        """Return how likely each class is, for each example."""
        if isinstance(self.hypothesis, Weights):
            sums = self.sums_of(X)
            second = 0.5 * (1 + np.tanh(sums / self.scale))
            second = np.where(sums > 0, np.maximum(second, ABOVE_HALF), second)
            return np.column_stack([1 - second, second])
        rules = self.hypothesis
        if rules.has_probabilities:
            return rules.probabilities(self._read_columns(X, rules), X.shape[0])
        shares = np.array([_guess(rules, label) for label in rules.classes])
        return shares[self.places_of(X)]

    def _read_columns(self, X: Any, rules: RuleList) -> dict[str, NDArray[np.int16]]:
        """Return the codes of the columns that a list asks about."""
        return self.request.read_columns(X, [column.name for column in rules.columns])


def _guess(rules: RuleList, label: Value) -> list[float]:
    """Return the probabilities of a list without counts: before the first fit all classes are alike."""
    known = len(rules.classes)
    if not rules.rules and label == rules.classes[0]:
        return [1 / known] * known
    return [float(value == label) for value in rules.classes]
