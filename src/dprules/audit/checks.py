"""Put a claim beside the exact law of the worst small neighbours that a search can find."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from random import Random
from typing import Generic, Protocol, TypeVar

from dprules.accounting import Cover, Curve, Event, Neighbours, ThresholdTilts, Values
from dprules.audit.law import Law, both_ways, hockey_stick, independent, largest_loss, renyi
from dprules.audit.list_law import Example, exact_list_law
from dprules.audit.search import worst_pair
from dprules.audit.stream_law import Choice, Round, StreamLaw, exact_stream_law
from dprules.audit.subject import Subject
from dprules.audit.values_law import neighbouring_counts
from dprules.numbers import rounded_up

Pair = TypeVar("Pair")
Data = TypeVar("Data")
Entry = TypeVar("Entry", bound=Round | Choice)
"""What happens in a round."""
Measure = tuple[str, float]
"""What is measured ("delta", "epsilon" or "renyi"), and at which epsilon or order."""

ROUNDING = 1e-9
"""Exact laws are summed in doubles: a claim counts as broken beyond this relative error."""

_LIST_EPSILONS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
_STREAM_EPSILONS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
_STREAM_ORDERS = (1.5, 2.0, 8.0)


@dataclass(frozen=True, slots=True)
class Point:
    """One comparison.

    Parameters
    ----------
    measure : str
        "delta", "epsilon" or "renyi".
    at : float
        The epsilon of a delta, the delta of an epsilon (0: pure), or the order of a Renyi divergence.
    claimed : float
        What the accountant says.
    found : float
        The largest value that was found.
    """

    measure: str
    at: float
    claimed: float
    found: float

    @property
    def holds(self) -> bool:
        """Whether what was found is within the claim."""
        return self.found <= self.claimed * (1 + ROUNDING) + 1e-12

    @property
    def ratio(self) -> float:
        """Found over claimed; above 1 the claim is broken."""
        if self.found <= 0:
            return 0.0
        return self.found / self.claimed if self.claimed > 0 else inf


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Parameters
    ----------
    name : str
        The check.
    points : tuple of Point
        Its comparisons.
    """

    name: str
    points: tuple[Point, ...]

    @property
    def holds(self) -> bool:
        """Whether no point is above its claim."""
        return all(point.holds for point in self.points)

    @property
    def ratio(self) -> float:
        """The largest found over claimed."""
        return max(point.ratio for point in self.points)


@dataclass(slots=True)
class WorstSeen:
    """The largest value seen of each measure, beside its claim."""

    claims: dict[Measure, float]
    found: dict[Measure, float] = field(default_factory=dict)

    def see(self, p: Law, q: Law) -> float:
        """Measure a pair of laws, and return how near it comes to a claim."""
        values = {measure: _measure(measure, p, q) for measure in self.claims}
        for measure, value in values.items():
            self.found[measure] = max(self.found.get(measure, 0.0), value)
        return max(value / max(self.claims[measure], 1e-12) for measure, value in values.items())

    def points(self) -> tuple[Point, ...]:
        """Return what was found, beside what is claimed."""
        return tuple(Point(*measure, claimed, self.found[measure]) for measure, claimed in self.claims.items())


def _collect_claims(curve: Curve, epsilons: Sequence[float], orders: Sequence[float] = ()) -> dict[Measure, float]:
    claims = {("delta", epsilon): curve.delta(epsilon) for epsilon in epsilons}
    if curve.pure < inf:
        claims["epsilon", 0.0] = rounded_up(Fraction(curve.pure))
    if curve.rho < inf:
        claims |= {("renyi", order): order * curve.rho for order in orders}
    return claims


def collect_list_claims(curve: Curve) -> dict[Measure, float]:
    """Return what a curve claims of a list, at the epsilons where lists are compared."""
    return _collect_claims(curve, _LIST_EPSILONS)


def _measure(measure: Measure, p: Law, q: Law) -> float:
    what, at = measure
    if what == "epsilon":
        return both_ways(largest_loss, p, q)
    return both_ways(hockey_stick if what == "delta" else renyi, p, q, at)


class _Space(Protocol[Pair]):
    """Where to look for neighbours."""

    def start(self, random: Random) -> Pair: ...
    def changes(self, pair: Pair, random: Random) -> Iterable[Pair]: ...


def _search_for_worst(
    worst: WorstSeen, space: _Space[tuple[Data, Data]], law: Callable[[Data], Law], seed: int, starts: int
) -> tuple[Point, ...]:
    """Return the largest values that a search finds, beside their claims."""

    def distance(pair: tuple[Data, Data]) -> float:
        return worst.see(law(pair[0]), law(pair[1]))

    worst_pair(space.start, space.changes, distance, starts=starts, steps=8, seed=seed)
    return worst.points()


Sample = tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class _SamplePairs:
    """Neighbouring samples over a few features."""

    neighbours: Neighbours
    features: int
    most: int = 5

    def example(self, random: Random) -> Example:
        return Example(tuple(random.random() < 0.5 for _ in range(self.features)), random.randrange(2))

    def start(self, random: Random) -> tuple[Sample, Sample]:
        return self._pair(tuple(self.example(random) for _ in range(random.randrange(self.most + 1))), random)

    def changes(self, pair: tuple[Sample, Sample], random: Random) -> Iterator[tuple[Sample, Sample]]:
        common = pair[0][1:]
        for _ in range(10):
            shorter = common[: random.randrange(len(common) + 1)]
            kept = shorter if len(common) == self.most or random.random() < 0.4 else common
            yield self._pair((*kept, self.example(random)), random)

    def _pair(self, common: Sample, random: Random) -> tuple[Sample, Sample]:
        one = self.example(random)
        if self.neighbours is Neighbours.ADD_REMOVE:
            return (one, *common), common
        other = Example(one.features, 1 - one.label) if random.random() < 0.5 else self.example(random)
        return (one, *common), (other, *common)


def list_points(
    subject: Subject, event: Cover, neighbours: Neighbours, seed: int, starts: int = 12, copies: int = 1
) -> tuple[Point, ...]:
    """Compare the price of a list (or of independent copies of it) with exact laws.

    Parameters
    ----------
    subject : Subject
        What is audited.
    event : Cover
        The list.
    neighbours : Neighbours
        The relation of the claim.
    seed : int
        Seed of the search.
    starts : int
        Random pairs to start from.
    copies : int
        How many lists on the same sample are released together.
    """
    pairs = _SamplePairs(neighbours, features=3 if copies == 1 else 2)
    curve = subject.price(event, neighbours) if copies == 1 else subject.together([event] * copies, neighbours)
    worst = WorstSeen(collect_list_claims(curve))
    weight = subject.weight(float(event.tilt))

    def law(sample: Sequence[Example]) -> Law:
        once = exact_list_law(
            sample,
            weight,
            pairs.features,
            rewards=event.rewards,
            rounds=event.rounds,
        )
        return once if copies == 1 else independent(once, once)

    return _search_for_worst(worst, pairs, law, seed, starts)


ShortStream = tuple[Round | None, ...]


@dataclass(frozen=True, slots=True)
class EntryPairs(ABC, Generic[Entry]):
    """Neighbouring short streams, whose rounds are of one kind."""

    neighbours: Neighbours
    dimension: int
    length: int

    @abstractmethod
    def example(self, random: Random) -> Entry:
        """Return a random round."""

    def start(self, random: Random) -> tuple[tuple[Entry | None, ...], tuple[Entry | None, ...]]:
        """Return a random stream and a neighbour."""
        return self._pair(tuple(self.example(random) for _ in range(self.length)), random)

    def changes(
        self, pair: tuple[tuple[Entry | None, ...], tuple[Entry | None, ...]], random: Random
    ) -> Iterator[tuple[tuple[Entry | None, ...], tuple[Entry | None, ...]]]:
        """Change a round, and choose another neighbour."""
        for _ in range(8):
            at = random.randrange(self.length)
            yield self._pair((*pair[0][:at], self.example(random), *pair[0][at + 1 :]), random)

    def _pair(
        self, stream: tuple[Entry | None, ...], random: Random
    ) -> tuple[tuple[Entry | None, ...], tuple[Entry | None, ...]]:
        at = random.randrange(self.length)
        other = None if self.neighbours is Neighbours.ZERO_OUT else self.example(random)
        return stream, (*stream[:at], other, *stream[at + 1 :])

    def _round(self, random: Random) -> Round:
        return Round(tuple(random.choice((-1, 1)) for _ in range(self.dimension)), random.choice((-1, 1)))


@dataclass(frozen=True, slots=True)
class StreamPairs(EntryPairs[Round]):
    """Neighbouring short streams.

    Parameters
    ----------
    neighbours : Neighbours
        Replace or zero-out.
    dimension : int
        Coordinates of an example.
    length : int
        Rounds of a stream.
    """

    def example(self, random: Random) -> Round:
        """Return a random round."""
        return self._round(random)


@dataclass(frozen=True, slots=True)
class AdaptivePairs(EntryPairs[Choice]):
    """Neighbouring adversaries: each example is one of three, chosen from all earlier releases (theory B12).

    Parameters
    ----------
    neighbours : Neighbours
        Replace or zero-out.
    dimension : int
        Coordinates of an example.
    length : int
        Rounds of a stream.
    """

    def example(self, random: Random) -> Choice:
        """Return what an adversary does in a round."""
        return Choice(tuple(self._round(random) for _ in range(3)))


def stream_points(
    subject: Subject,
    event: Event,
    learner: StreamLaw,
    above: ThresholdTilts,
    pairs: EntryPairs[Entry],
    seed: int,
    starts: int = 12,
) -> tuple[Point, ...]:
    """Compare the price of a stream learner with exact laws.

    Parameters
    ----------
    subject : Subject
        What is audited.
    event : Event
        The price.
    learner : StreamLaw
        The learner before its first round.
    above : ThresholdTilts
        The tilts of AboveThreshold.
    pairs : StreamPairs or AdaptivePairs
        Where to look for neighbours.
    seed : int
        Seed of the search.
    starts : int
        Random pairs to start from.
    """
    worst = WorstSeen(_collect_claims(subject.price(event, pairs.neighbours), _STREAM_EPSILONS, _STREAM_ORDERS))
    tests = subject.tests(float(above.noise), float(above.test))

    def law(stream: tuple[Entry | None, ...]) -> Law:
        return exact_stream_law(stream, learner, tests)

    return _search_for_worst(worst, pairs, law, seed, starts)


def values_points(subject: Subject, event: Values, neighbours: Neighbours, rows: int = 1) -> tuple[Point, ...]:
    """Compare the price of private values with the exact laws of all small neighbours.

    Parameters
    ----------
    subject : Subject
        What is audited.
    event : Values
        Tilt and threshold.
    neighbours : Neighbours
        The relation of the claim.
    rows : int
        Rows of a unit.
    """
    price = subject.price(event, neighbours).for_group(rows)
    worst = WorstSeen(collect_list_claims(price))
    for left, right in neighbouring_counts(neighbours, rows, event.threshold + 2 if rows == 1 else 2):
        laws = [subject.values(counts, float(event.tilt), event.threshold) for counts in (left, right)]
        worst.see(laws[0], laws[1])
    return worst.points()
