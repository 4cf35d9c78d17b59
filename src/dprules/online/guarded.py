"""GuardedWinnow (theory B8): SegmentWinnow until its thresholds add up to too much, then batched DP-Winnow for good.

    before a segment with threshold B: if N + B > M*, switch for good to a fresh batched learner; else N += B
The switch depends on released draws only. Examples before and after it are disjoint, so the price is the larger one.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from dprules.accounting import Event
from dprules.accounting import Guarded as GuardedEvent
from dprules.accounting.events import Batched as BatchedEvent
from dprules.accounting.events import Segment as SegmentEvent
from dprules.mechanisms import AboveThreshold
from dprules.online.batched import Batched
from dprules.online.blocks import Integers, Weights
from dprules.online.learner import Draws
from dprules.online.segment import Segment


@dataclass(frozen=True)
class Guarded:
    """GuardedWinnow between two releases."""

    first: Segment
    second: Batched
    most: int
    """M*: what the thresholds of all segments may add up to."""
    opened: int = 0
    """N: what those before the current one add up to."""
    first_only = False

    @cached_property
    def switched(self) -> bool:
        """Whether the batched learner is in force."""
        return self.opened + self.first.threshold > self.most

    @cached_property
    def now(self) -> Segment | Batched:
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

    def draws(self, scores: Integers, cached: int, unit: int) -> Draws:
        """By the learner in force."""
        return self.now.draws(scores, cached, unit)

    def after(self, indices: Integers) -> "Guarded":
        """By the learner in force; a segment counts when it has ended."""
        if self.switched:
            return replace(self, second=self.second.after(indices))
        return replace(self, first=self.first.after(indices), opened=self.opened + self.first.threshold)

    def event(self, neighbours: str) -> Event:
        """The dearer of the two."""
        first, second = self.first.event(neighbours), self.second.event(neighbours)
        assert isinstance(first, SegmentEvent)
        assert isinstance(second, BatchedEvent)
        return GuardedEvent(first.neighbours, first, second)
