"""GuardedWinnow (theory B8): SegmentWinnow until its thresholds add up to too much, then batched DP-Winnow for good.

    before a segment with threshold B: if N + B > M*, switch for good to a fresh batched learner; else N += B
The switch depends on released draws only. Examples before and after it are disjoint, so the price is the larger one.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dprules.accounting import BatchedStream, Event, GuardedStream, SegmentStream
from dprules.errors import PrivacyError
from dprules.learners.streams.batched import BatchedPolicy
from dprules.learners.streams.blocks import Integers, Weights
from dprules.learners.streams.learner import Document, ScoredDraws
from dprules.learners.streams.segment import SegmentPolicy
from dprules.mechanisms import AboveThreshold
from dprules.numbers import whole


@dataclass(frozen=True)
class GuardedPolicy:
    """GuardedWinnow between two releases."""

    first: SegmentPolicy
    second: BatchedPolicy
    switch_after: int
    """M*: what the thresholds of all segments may add up to."""
    opened: int = 0
    """N: what those before the current one add up to."""
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
        """Of the learner in force: the second starts from scratch."""
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
        """Before the switch."""
        return self.now.forgets

    def draws(self, scores: Integers, cached: int, unit: int) -> ScoredDraws:
        """By the learner in force."""
        return self.now.draws(scores, cached, unit)

    def after(self, indices: Integers) -> "GuardedPolicy":
        """By the learner in force; a segment counts when it has ended."""
        if self.switched:
            return replace(self, second=self.second.after(indices))
        return replace(self, first=self.first.after(indices), opened=self.opened + self.first.threshold)

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
