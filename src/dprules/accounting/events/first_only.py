"""The paper's DP-Winnow: the first cached mistake of each segment enters the scores."""

from dataclasses import dataclass
from functools import partial

from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.events.event import refuse_add_remove
from dprules.accounting.events.stream_parts import StreamEvent, threshold_and_draws
from dprules.accounting.neighbours import Neighbours
from dprules.numbers import rounded_up


@dataclass(frozen=True, slots=True)
class FirstOnlyStream(StreamEvent, kind="first-only stream"):
    """The paper's Algorithm 3, with the sensitivity corrected (theory B1)."""

    label = "the paper's DP-Winnow"

    def curve(self, neighbours: Neighbours) -> Curve:
        """The first mistake may become another one: range 4 eta, and AboveThreshold pays as well (theory B3)."""
        refuse_add_remove(neighbours)
        return symmetric(
            partial(threshold_and_draws, self.above, 2 * self.draws.squares),
            self.above.pure + 4 * self.draws.total,
            rounded_up(self.above.rho + 2 * self.draws.squares),
        )
