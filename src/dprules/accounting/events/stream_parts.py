"""What the events of stream learners are made of: draws, and AboveThreshold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any, Self

from dprules.accounting.events.event import Event, Fields, amount
from dprules.accounting.zcdp import conversion
from dprules.errors import ModelError, ParameterError
from dprules.numbers import Real, rounded_down, whole

MOST_GROUPS = 1_000
"""Groups of draws that an event may have."""


@dataclass(frozen=True, slots=True)
class StreamDraws:
    """All draws of a stream learner: groups of so many draws at one rate eta. Two sums of them matter to the price."""

    groups: tuple[tuple[int, Fraction], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.groups, tuple) or not 0 < len(self.groups) <= MOST_GROUPS:
            raise ParameterError(f"draws of a stream must have 1 to {MOST_GROUPS:,} groups of a number and a rate.")
        object.__setattr__(self, "groups", tuple((whole(m, "draws"), amount(eta, "rate")) for m, eta in self.groups))

    @classmethod
    def of(cls, draws: int | Sequence[int], releases: int, rate: Real | Sequence[Real]) -> "StreamDraws":
        """Take `releases` releases; `draws` and `rate` are one for all, or one for each."""
        count = whole(releases, "releases")
        if not isinstance(draws, Sequence) and not isinstance(rate, Sequence):
            return cls(((count * whole(draws, "draws"), amount(rate, "rate")),))
        ms = draws if isinstance(draws, Sequence) else [draws] * count
        etas = rate if isinstance(rate, Sequence) else [rate] * count
        if len(ms) != count or len(etas) != count:
            raise ParameterError(
                f"draws and rate must have one entry for each of the {count} releases, or one for all."
            )
        return cls(_merge_groups((whole(m, "draws"), amount(eta, "rate")) for m, eta in zip(ms, etas, strict=True)))

    @property
    def total(self) -> Fraction:
        """The sum of eta over all draws."""
        return sum((m * eta for m, eta in self.groups), Fraction(0))

    @property
    def squares(self) -> Fraction:
        """The sum of eta^2 over all draws."""
        return sum((m * eta**2 for m, eta in self.groups), Fraction(0))

    def fields(self) -> list[list[Any]]:
        """Return pairs of a number of draws and their rate."""
        return [[m, str(eta)] for m, eta in self.groups]

    @classmethod
    def from_fields(cls, groups: object) -> "StreamDraws":
        """Read such pairs."""
        if not isinstance(groups, list) or not 0 < len(groups) <= MOST_GROUPS:
            raise ModelError(f"draws of a stream must be at most {MOST_GROUPS} pairs of a number and a rate.")
        read = []
        for group in groups:
            if not isinstance(group, list) or len(group) != 2:
                raise ModelError("draws of a stream must be pairs of a number and a rate.")
            entry = Fields({"draws": group[0], "rate": group[1]})
            read.append((entry.whole("draws", most=10**30), entry.fraction("rate")))
        return cls(tuple(read))


def _merge_groups(groups: Iterable[tuple[int, Fraction]]) -> tuple[tuple[int, Fraction], ...]:
    """Add up neighbouring groups of one rate: only the sums matter."""
    return tuple((sum(m for m, _ in run), eta) for eta, run in groupby(groups, key=itemgetter(1)))


@dataclass(frozen=True, slots=True)
class ThresholdTilts:
    """AboveThreshold over disjoint segments: the tilts of its noise and of its tests (theory B2)."""

    noise: Fraction
    test: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", amount(self.noise, "above"))
        object.__setattr__(self, "test", amount(self.test, "above"))

    @classmethod
    def of(cls, above: tuple[Real, Real]) -> "ThresholdTilts":
        """Read a pair (e1, e2)."""
        if not isinstance(above, tuple) or len(above) != 2:
            raise ParameterError("above must be a pair (noise tilt, test tilt), such as (0.5, 0.5).")
        return cls(amount(above[0], "above"), amount(above[1], "above"))

    @property
    def pure(self) -> Fraction:
        """Its epsilon: the larger of the two."""
        return max(self.noise, self.test)

    @property
    def rho(self) -> Fraction:
        """Its zero-concentrated bound: the loss has range noise + test."""
        return (self.noise + self.test) ** 2 / 8

    def fields(self) -> dict[str, Any]:
        """Return the two tilts."""
        return {"noise": str(self.noise), "test": str(self.test)}

    @classmethod
    def from_fields(cls, fields: Fields) -> "ThresholdTilts":
        """Read the two tilts."""
        tilts = cls(fields.fraction("noise"), fields.fraction("test"))
        fields.require_empty()
        return tilts


@dataclass(frozen=True, slots=True)
class StreamEvent(Event):
    """What the events of the stream learners share; each of them has a price of its own.

    Parameters
    ----------
    draws : StreamDraws
        All draws of the learner (of one segment, if it forgets).
    above : ThresholdTilts
        The tilts of AboveThreshold, which costs once however many segments there are.
    """

    draws: StreamDraws
    above: ThresholdTilts

    def __post_init__(self) -> None:
        if not isinstance(self.draws, StreamDraws) or not isinstance(self.above, ThresholdTilts):
            raise ParameterError("a stream event is made of StreamDraws and ThresholdTilts.")

    def fields(self) -> dict[str, Any]:
        """Return the groups of draws and the tilts of the tests."""
        return {"draws": self.draws.fields(), "above": self.above.fields()}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        draws = StreamDraws.from_fields(fields.take("draws"))
        return cls(draws, ThresholdTilts.from_fields(fields.nested("above")))


def threshold_and_draws(above: ThresholdTilts, rho: Fraction, epsilon: float) -> float:
    """Bound delta: AboveThreshold joins the draws' zCDP, or its epsilon is set aside; the better of the two."""
    joined = conversion(above.rho + rho, epsilon)
    # What is left for the draws is rounded down, so that their delta is rounded up.
    return min(joined, conversion(rho, rounded_down(Fraction(epsilon) - above.pure)))
