"""Batched DP-Winnow: every cached mistake enters the scores, which are kept for a life."""

from dataclasses import dataclass
from functools import partial

from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.events.event import refuse_add_remove
from dprules.accounting.events.stream_parts import StreamEvent, threshold_and_draws
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.zcdp import conversion
from dprules.numbers import rounded_up


@dataclass(frozen=True, slots=True)
class BatchedStream(StreamEvent, kind="batched stream"):
    """Every cached mistake enters the scores, which are kept for a life; `draws` are those of one (theory B3, B11)."""

    label = "batched Winnow"

    def curve(self, neighbours: Neighbours) -> Curve:
        """Either the mistake's status changes, or its content; never both (`docs/proofs/batched.md`)."""
        refuse_add_remove(neighbours)
        total = self.draws.total
        squares = self.draws.squares
        status = partial(threshold_and_draws, self.above, squares / 2)
        pure = self.above.pure + 2 * total
        rho = self.above.rho + squares / 2
        if neighbours is Neighbours.ZERO_OUT:
            return symmetric(status, pure, rounded_up(rho))
        content = partial(conversion, 2 * squares)
        return symmetric(
            lambda epsilon: max(status(epsilon), content(epsilon)),
            max(pure, 4 * total),
            rounded_up(max(rho, 2 * squares)),
        )
