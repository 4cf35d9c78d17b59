"""GuardedWinnow (theory B8, B11): SegmentWinnow until its thresholds add up to too much, a life of batched, and again.

    before a segment with threshold B: if N + B > M*, switch to a life of a fresh batched learner; else N += B
    after that life: a fresh SegmentWinnow, N = 0
Whoever begins has the last hypothesis in force until its own first release. Switches depend on released draws only. A
round is seen by one learner in one life, so the price is the larger one.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dprules.accounting import BatchedStream, Event, GuardedStream, SegmentStream
from dprules.errors import PrivacyError
from dprules.learners.streams.batched import BatchedPolicy
from dprules.learners.streams.blocks import Integers, Weights
from dprules.learners.streams.learner import Document
from dprules.learners.streams.private_winnow import ScoredDraws
from dprules.learners.streams.segment import SegmentPolicy
from dprules.mechanisms import AboveThreshold
from dprules.numbers import whole


@dataclass(frozen=True)
class GuardedPolicy:
    """GuardedWinnow between two releases."""

    first: SegmentPolicy
    second: BatchedPolicy
    switch_after: int
    """M*: what the thresholds of segments may add up to before a switch."""
    opened: int = 0
    """N: what those since the last life of the batched learner and before the current one add up to."""
    first_only = False

    @cached_property
    def switched(self) -> bool:
        """Whether the batched learner is in force."""
        return self.opened + self.first.threshold > self.switch_after

    @cached_property
    def now(self) -> SegmentPolicy | BatchedPolicy:
        """The learner in force."""
        return self.second if self.switched else self.first

    @property
    def weights(self) -> Weights:
        """Of the learner in force."""
        return self.now.weights

    @property
    def above(self) -> AboveThreshold | None:
        """Of the learner in force."""
        return self.now.above

    @property
    def confidence(self) -> float:
        """Of the learner in force."""
        return self.now.confidence

    @property
    def forgets(self) -> bool:
        """After every segment, and after the batched learner's life."""
        return self.now.forgets

    def draws(self, scores: Integers, cached: int, unit: int) -> ScoredDraws:
        """By the learner in force."""
        return self.now.draws(scores, cached, unit)

    def after(self, indices: Integers) -> "GuardedPolicy":
        """By the learner in force; a segment counts when it has ended, and the end of a life begins all afresh."""
        if not self.switched:
            first = self.first.after(indices)
            second = replace(self.second, weights=first.weights)
            return replace(self, first=first, second=second, opened=self.opened + self.first.threshold)
        second = self.second.after(indices)
        if not self.second.forgets:
            return replace(self, second=second)
        return replace(self, first=self.first.again(second.weights), second=second, opened=0)

    def document(self) -> dict[str, Any]:
        """Return both policies, and what the segments before add up to."""
        return {"first": self.first.document(), "second": self.second.document(), "opened": self.opened}

    def at(self, document: Document) -> "GuardedPolicy":
        """Return the policy with both where they were."""
        first, second = self.first.at(document["first"]), self.second.at(document["second"])
        return replace(self, first=first, second=second, opened=whole(document["opened"], "opened", least=0))

    def event(self) -> Event:
        """Return the price of the two on disjoint rounds: the dearer one's."""
        first = self.first.event()
        second = self.second.event()
        if not isinstance(first, SegmentStream) or not isinstance(second, BatchedStream):
            raise PrivacyError("a guarded learner is made of segment and batched, and of nothing else.")
        return GuardedStream(first, second)
