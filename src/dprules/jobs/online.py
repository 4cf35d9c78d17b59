"""Stream learners in memory, for the estimators: features by name, labels as they come, hypotheses out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Assumption, Certificate
from dprules.jobs.answers import Answers
from dprules.jobs.charging import LedgerLike, charge_stream
from dprules.jobs.labels import label_cells
from dprules.jobs.online_features import OnlineRequest, Row
from dprules.jobs.quiet import without_sizes
from dprules.learners.streams import (
    SIGNS,
    Block,
    ConfidentWinnow,
    Hypothesis,
    PrivateLearner,
    SegmentPolicy,
    StreamSettings,
    Weights,
    Winnow,
)
from dprules.mechanisms import Bits, SeededBits, os_bits
from dprules.private import Private
from dprules.schema import MISSING, Label, as_record
from dprules.tables.cells import read_codes

MOST_WAITING = 4096
"""Single rounds that wait at most until they are taken together."""


def read_label_codes(labels: Any, label: Label) -> NDArray[np.int16]:
    """Return the place of each label among the classes, -1 (nothing happened) for anything else.

    No label and no type of labels is refused: a caller who skips a refused block would shift every later round.
    """
    codes: NDArray[np.int16] = read_codes(label.column(), label_cells(labels))
    return codes


class StreamLearner(Private):
    """A private learner in memory: the released hypothesis is public, everything else is not."""

    __slots__ = (
        "_codes",
        "_confidence",
        "_learner",
        "_make_block",
        "_read_one",
        "_request",
        "_room",
        "_rows",
        "_says",
        "_scale",
        "_take_one",
        "answers",
        "certificate",
    )

    def __init__(
        self,
        settings: StreamSettings,
        request: OnlineRequest,
        assumptions: Sequence[Assumption],
        seed: int | None,
        ledger: LedgerLike | None = None,
        dataset: str | None = None,
    ) -> None:
        bits: Bits = os_bits if seed is None else SeededBits(seed)
        certificate = settings.certificate(request, bits.secure, assumptions)
        self.certificate: Certificate = charge_stream(ledger, dataset, certificate, request.names)
        """Charged before anything is learnt."""
        self._learner = settings.start(request, bits)
        self._request = request
        self._scale = choose_scale(settings)
        self._rows: list[Row] = []
        self._codes: list[int] = []
        self._read_one = request.read_one
        self._make_block = request.make_block
        self._room = min(self._learner.settled, MOST_WAITING)
        """Rounds that may wait: the hypothesis in force stays for so many."""
        self._take_one: Any = getattr(self._learner, "take_one", None)
        self._look()

    def _look(self) -> None:
        """Prepare the hypothesis in force for single examples."""
        self.answers = Answers(self._request, self._learner.hypothesis, self._scale)
        """What it says of them."""
        self._says = None
        if isinstance(self._learner, PrivateLearner):
            self._says = self.answers.says
            self._confidence = self._learner.policy.confidence

    @without_sizes
    def learn(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled examples in their order."""
        self._take_waiting()
        self._take(block, codes)

    def learn_one(self, event: object, code: int) -> None:
        """Take one labelled event, as a block of one would; code -1: nothing happened.

        An event that cannot be read is a round in which nothing happened. Learners that cannot change their hypothesis
        for a while take the rounds of that while together.
        """
        says = self._says
        if says is None:
            self._wait(event, code)
            return
        sign = 2 * code - 1
        row = None
        try:
            example = event if type(event) is dict else as_record(event)
            if code >= 0 and example is not None and sign * says(example) <= self._confidence:
                row = self._read_one(example)
        except Exception:  # names and cells may be any objects, with any methods
            pass
        if self._take_one(row, sign, self._make_block) is not None:
            self._look()

    def _wait(self, event: object, code: int) -> None:
        """Keep a round until the hypothesis in force could change."""
        row = self._request.read_event(event)
        self._rows.append(self._request.nothing if row is None else row)
        self._codes.append(MISSING if row is None else code)
        if len(self._rows) > self._room:
            self._take_waiting()

    def _take_waiting(self) -> None:
        if not self._rows:
            return
        block = self._request.make_block(self._rows)
        codes = np.array(self._codes, dtype=np.int16)
        self._rows.clear()
        self._codes.clear()
        self._take(block, codes)

    def _take(self, block: Block, codes: NDArray[np.int16]) -> None:
        self._learner.take(block, codes)
        self._room = min(self._learner.settled, MOST_WAITING)
        if self._learner.hypothesis is not self.answers.hypothesis:
            self._look()

    @property
    def hypothesis(self) -> Hypothesis:
        """The one in force."""
        return self._learner.hypothesis

    @property
    def releases(self) -> int:
        """How many hypotheses have been released."""
        return self._learner.releases


def choose_scale(settings: StreamSettings) -> float:
    """Return the scale of the link from sums to probabilities: the margin at which an algorithm is sure, a constant.

    Buying one would take epsilon from the learning, and neither ranks nor predictions depend on it.
    """
    if settings.algorithm in ("segment", "guarded"):
        return SegmentPolicy.confidence
    return 1.0 if settings.margin is None else float(settings.margin)


class PlainLearner:
    """Winnow or ConfidentWinnow **without privacy**: the yardsticks."""

    def __init__(
        self, request: OnlineRequest, rate: float, margin: float | None = None, confidence: float | None = None
    ) -> None:
        self._request = request
        self._scale = float(rate if margin is None else margin)
        if margin is None or confidence is None:
            self._learner = Winnow(request.dimension, rate)
        else:
            self._learner = ConfidentWinnow(request.dimension, rate, margin, confidence)
        self._answers = Answers(request, self._learner.weights, self._scale)

    @without_sizes
    def learn(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled examples in their order; those without a label teach nothing."""
        self._learner.learn(block, SIGNS[codes])

    def learn_one(self, event: object, code: int) -> None:
        """Take one labelled event; one that cannot be read teaches nothing."""
        self.learn(*self._request.read_events([event], np.array([code], dtype=np.int16)))

    @property
    def answers(self) -> Answers:
        """What the hypothesis in force says of single examples."""
        if self._answers.hypothesis is not self._learner.weights:
            self._answers = Answers(self._request, self._learner.weights, self._scale)
        return self._answers

    @property
    def hypothesis(self) -> Weights:
        """Of the hypothesis in force."""
        return self._learner.weights

    @property
    def releases(self) -> int:
        """How many updates there were."""
        return self._learner.updates
