"""More than two classes by one learner a class, each against the rest: one account and one certificate for all.

Every learner sees every round, so their prices add up: each has a share of epsilon and delta. Lists on epochs take any
number of classes at the price of one stream.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Account, Assumption, Certificate
from dprules.jobs.answers import Answers
from dprules.jobs.charging import LedgerLike, charge_stream
from dprules.jobs.online import StreamLearner
from dprules.jobs.online_cells import Example
from dprules.jobs.online_features import OnlineRequest
from dprules.learners.streams import Block, StreamSettings
from dprules.models import Model
from dprules.numbers import rounded_down
from dprules.private import Private
from dprules.schema import MISSING


class Hypotheses(tuple[Model, ...]):
    """A hypothesis for each class against the rest, in the order of the classes: public. The largest sum decides."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return "".join(model._repr_html_() for model in self)


class ClassAnswers:
    """What the hypotheses of all classes say of examples: the class with the largest sum. Public.

    How likely a class is follows from the sums by the same link as for two classes: proportional to exp(2 s / scale).

    Parameters
    ----------
    parts : tuple of Answers
        One a class.
    releases : tuple of int
        How many hypotheses each of them has released.
    """

    __slots__ = ("parts", "releases")
    says = None

    def __init__(self, parts: tuple[Answers, ...], releases: tuple[int, ...]) -> None:
        self.parts = parts
        self.releases = releases

    def model(self, request: OnlineRequest, releases: int) -> Hypotheses:
        """Return what was released, a halfspace a class."""
        found = []
        for part, label, number in zip(self.parts, request.classes, self.releases, strict=True):
            against = replace(request, classes=(f"not {label}", label))
            found.append(part.model(against, number))
        return Hypotheses(found)

    def place(self, example: Example) -> int:
        """Return the place of the class that is predicted."""
        sums = self._sums(example)
        return sums.index(max(sums))

    def shares(self, example: Example) -> list[float]:
        """Return how likely each class is."""
        sums = self._sums(example)
        top = max(sums)
        odds = [exp(2 * (total - top) / self.parts[0].scale) for total in sums]
        return [each / sum(odds) for each in odds]

    def _sums(self, example: Example) -> list[float]:
        return [part.says(example) for part in self.parts if part.says is not None]

    def sums_of(self, X: Any) -> NDArray[np.float64]:
        """Return the sum of each class, a row for each example."""
        return np.column_stack([part.sums_of(X) for part in self.parts])

    def places_of(self, X: Any) -> NDArray[np.int64]:
        """Return the place of the class of each example."""
        places: NDArray[np.int64] = np.argmax(self.sums_of(X), axis=1).astype(np.int64)
        return places

    def shares_of(self, X: Any) -> NDArray[np.float64]:
        """Return how likely each class is, for each example."""
        sums = self.sums_of(X)
        odds: NDArray[np.float64] = np.exp(2 * (sums - sums.max(axis=1, keepdims=True)) / self.parts[0].scale)
        shares: NDArray[np.float64] = odds / odds.sum(axis=1, keepdims=True)
        return shares


class OneAgainstRest(Private):
    """A private learner for each class, over the same rounds. All are charged before the first of them learns.

    Parameters
    ----------
    settings : StreamSettings
        Epsilon and delta are those of all learners together; each has an equal share.
    request : OnlineRequest
        What is asked of examples, and the classes.
    assumptions : sequence of Assumption
        What the guarantee rests on.
    seed : int or None
        Of repeatable noise; the result is not private then.
    ledger, dataset
        Which ledger is charged, if any.
    """

    __slots__ = ("_learners", "certificate")

    def __init__(
        self,
        settings: StreamSettings,
        request: OnlineRequest,
        assumptions: Sequence[Assumption],
        seed: int | None,
        ledger: LedgerLike | None = None,
        dataset: str | None = None,
    ) -> None:
        number = len(request.classes)
        epsilon = Fraction(settings.epsilon) / number
        delta = Fraction(rounded_down(Fraction(settings.delta) / number))
        part = replace(settings, epsilon=epsilon, delta=delta)
        seeds = [None] * number if seed is None else np.random.SeedSequence(seed).generate_state(number).tolist()
        self._learners = [StreamLearner(part, request, assumptions, each) for each in seeds]
        self.certificate = charge_stream(ledger, dataset, self._certify(settings), request.names)
        """Of all learners together."""

    def _certify(self, settings: StreamSettings) -> Certificate:
        first = self._learners[0].certificate
        delta = settings.delta if first.delta else 0
        account = Account(settings.epsilon, delta, settings.neighbours, first.unit)
        for learner in self._learners:
            for charge in learner.certificate.charges:
                for release in charge.releases:
                    account.charge(release.name, release.event, charge.epsilon, charge.delta)
        document = settings.document() | {"one_against_rest": len(self._learners)}
        return account.certificate(secure=first.secure, assumptions=first.assumptions, settings=document)

    def learn(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled examples in their order: each class against the rest."""
        for place, learner in enumerate(self._learners):
            truths = (codes == place).astype(np.int16)
            learner.learn(block, np.where(codes == MISSING, np.int16(MISSING), truths))

    def learn_one(self, event: object, code: int) -> None:
        """Take one labelled event; code -1: nothing happened."""
        for place, learner in enumerate(self._learners):
            learner.learn_one(event, code if code < 0 else int(code == place))

    @property
    def answers(self) -> ClassAnswers:
        """What the hypotheses in force say of examples."""
        parts = tuple(learner.answers for learner in self._learners)
        return ClassAnswers(parts, tuple(learner.releases for learner in self._learners))

    @property
    def releases(self) -> int:
        """How many hypotheses have been released, of all classes together."""
        return sum(learner.releases for learner in self._learners)
