"""DP-Winnow as the paper prints it [BF26, Algorithm 3], with its indices corrected (theory B1).

Like `batched`, but an update uses the first example that was cached since the last one, and no other. An update at
round t changes the hypothesis of round t + 1. If AboveThreshold fires with an empty cache the update term is 0. After K
releases the last hypothesis stays for good: here, unlike in `batched`, as printed.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from dprules.accounting import Event, stream
from dprules.learners.streams.batched import BatchedPolicy
from dprules.learners.streams.blocks import Integers
from dprules.mechanisms import AboveThreshold


@dataclass(frozen=True)
class PaperPolicy(BatchedPolicy):
    """The paper's DP-Winnow between two releases."""

    first_only = True
    least = 0

    @property
    def forgets(self) -> bool:
        """Never: there is one life."""
        return False

    @cached_property
    def above(self) -> AboveThreshold | None:
        """As long as releases are left."""
        return super().above if self.releases else None

    def after(self, indices: Integers) -> "PaperPolicy":
        """Return the policy with the drawn weights and one release less."""
        return replace(self, weights=self.weigh(indices), releases=self.releases - 1)

    def event(self) -> Event:
        """What all releases cost; the paper's own composition is `stream.epsilon(accounting="paper")`."""
        return stream.event("paper", draws=self.size, releases=self.planned, rate=self.rate, above=self.tests)
