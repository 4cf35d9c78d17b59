"""SegmentWinnow: scores of the current segment only, then cleared."""

from dataclasses import dataclass

from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events.event import refuse_add_remove
from dprules.accounting.events.stream_parts import StreamEvent
from dprules.accounting.neighbours import Neighbours
from dprules.numbers import rounded_up


@dataclass(frozen=True, slots=True)
class SegmentStream(StreamEvent, kind="segment stream"):
    """Scores of the current segment only, then cleared (theory B7); `draws` is the dearest single segment."""

    label = "segment Winnow"

    def curve(self, neighbours: Neighbours) -> Curve:
        """Only one segment depends on a round; content costs 4 m eta, status e + 2 m eta (`docs/proofs/segment.md`)."""
        refuse_add_remove(neighbours)
        total = self.draws.total
        squares = self.draws.squares
        pure = randomised_response(max(4 * total, self.above.pure + 2 * total))
        rho = max(2 * squares, self.above.rho + squares / 2)
        return Curve(pure.forward, pure.backward, pure.pure, min(pure.rho, rounded_up(rho)))
