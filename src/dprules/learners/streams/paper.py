"""DP-Winnow as the paper prints it [BF26, Algorithm 3], with its indices corrected (theory B1).

Like `batched`, but an update uses the first example that was cached since the last one, and no other. An update at
round t changes the hypothesis of round t + 1. If AboveThreshold fires with an empty cache the update term is 0.
"""

from dataclasses import dataclass

from dprules.accounting import Event, stream
from dprules.learners.streams.batched import BatchedPolicy


@dataclass(frozen=True)
class PaperPolicy(BatchedPolicy):
    """The paper's DP-Winnow between two releases."""

    first_only = True

    def event(self) -> Event:
        """What all releases cost; the paper's own composition is `stream.epsilon(accounting="paper")`."""
        return stream.event("paper", draws=self.size, releases=self.planned, rate=self.rate, above=self.tests)
