"""GuardedWinnow: segment, at a public moment a life of batched, and so on, on disjoint rounds."""

from dataclasses import dataclass
from typing import Any, Self

from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.events.batched import BatchedStream
from dprules.accounting.events.event import Event, Fields
from dprules.accounting.events.segment import SegmentStream
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ParameterError


@dataclass(frozen=True, slots=True)
class GuardedStream(Event, kind="guarded stream"):
    """Segment and lives of batched, which take turns at public moments, on disjoint rounds (theory B8, B11)."""

    segment: SegmentStream
    batched: BatchedStream
    label = "guarded Winnow"

    def __post_init__(self) -> None:
        if not isinstance(self.segment, SegmentStream) or not isinstance(self.batched, BatchedStream):
            raise ParameterError("a guarded stream is made of a SegmentStream and a BatchedStream.")

    def curve(self, neighbours: Neighbours) -> Curve:
        """The two learners see disjoint rounds, so the dearer one is the price."""
        first = self.segment.curve(neighbours)
        second = self.batched.curve(neighbours)
        return symmetric(
            lambda epsilon: max(first.delta(epsilon), second.delta(epsilon)),
            max(first.pure, second.pure),
            max(first.rho, second.rho),
        )

    def fields(self) -> dict[str, Any]:
        """Return the fields of both."""
        return {"segment": self.segment.fields(), "batched": self.batched.fields()}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read both."""
        first = fields.nested("segment")
        second = fields.nested("batched")
        segment = SegmentStream.from_fields(first)
        batched = BatchedStream.from_fields(second)
        first.require_empty()
        second.require_empty()
        return cls(segment, batched)
