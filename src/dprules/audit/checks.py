"""Put a claim beside the exact law of the worst small neighbours that a search can find."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Protocol, TypeVar

from dprules.accounting import Above, Cover, Curve, Event, Neighbours
from dprules.audit.law import Law, both_ways, hockey_stick, independent, largest_loss, renyi
from dprules.audit.list_law import Example, exact_list_law
from dprules.audit.search import worst_pair
from dprules.audit.stream_law import Learner, Round, Stream, exact_stream_law
from dprules.audit.subject import Subject

Pair = TypeVar("Pair")
Data = TypeVar("Data")

ROUNDING = 1e-9
"""Exact laws are summed in doubles: a claim counts as broken beyond this relative error."""


@dataclass(frozen=True, slots=True)
class Point:
    """One comparison. `measure` says of what; `at` is its epsilon or order."""

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
        return 0.0 if self.found <= 0 else self.found / self.claimed if self.claimed > 0 else inf


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found."""

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
class _Record:
    """The largest value seen of each measure, beside its claim."""

    claims: dict[tuple[str, float], float]
    found: dict[tuple[str, float], float] = field(default_factory=dict)

    def see(self, values: dict[tuple[str, float], float]) -> float:
        for key, value in values.items():
            self.found[key] = max(self.found.get(key, 0.0), value)
        return max(value / max(self.claims[key], 1e-12) for key, value in values.items())

    def points(self) -> tuple[Point, ...]:
        return tuple(Point(*key, claimed, self.found[key]) for key, claimed in self.claims.items())


def _claims(curve: Curve, epsilons: Sequence[float], orders: Sequence[float] = ()) -> dict[tuple[str, float], float]:
    claims = {("delta", epsilon): curve.delta(epsilon) for epsilon in epsilons}
    if curve.pure < inf:
        claims["epsilon", 0.0] = curve.pure
    if curve.rho < inf:
        claims |= {("renyi", order): order * curve.rho for order in orders}
    return claims


def _measured(claims: dict[tuple[str, float], float], p: Law, q: Law) -> dict[tuple[str, float], float]:
    measures: dict[str, Callable[[float], float]] = {
        "delta": lambda epsilon: both_ways(hockey_stick, p, q, epsilon),
        "epsilon": lambda _: both_ways(largest_loss, p, q),
        "renyi": lambda order: both_ways(renyi, p, q, order),
    }
    return {(measure, at): measures[measure](at) for measure, at in claims}


class _Space(Protocol[Pair]):
    """Where to look for neighbours."""

    def start(self, random: Random) -> Pair: ...
    def changes(self, pair: Pair, random: Random) -> Iterable[Pair]: ...


def _searched(
    record: _Record, space: _Space[tuple[Data, Data]], law: Callable[[Data], Law], seed: int, starts: int
) -> tuple[Point, ...]:
    """The largest values that a search finds, beside their claims."""

    def telling(pair: tuple[Data, Data]) -> float:
        return record.see(_measured(record.claims, law(pair[0]), law(pair[1])))

    worst_pair(space.start, space.changes, telling, starts=starts, steps=8, seed=seed)
    return record.points()


ListPair = tuple[tuple[Example, ...], tuple[Example, ...]]


@dataclass(frozen=True, slots=True)
class _Lists:
    """Neighbouring samples over a few features."""

    neighbours: Neighbours
    features: int = 3
    most: int = 5

    def example(self, random: Random) -> Example:
        return Example(tuple(random.random() < 0.5 for _ in range(self.features)), random.randrange(2))

    def start(self, random: Random) -> ListPair:
        return self._pair(tuple(self.example(random) for _ in range(random.randrange(self.most + 1))), random)

    def changes(self, pair: ListPair, random: Random) -> Iterator[ListPair]:
        common = pair[0][1:]
        for _ in range(10):
            shorter = common[: random.randrange(len(common) + 1)]
            kept = shorter if len(common) == self.most or random.random() < 0.4 else common
            yield self._pair((*kept, self.example(random)), random)

    def _pair(self, common: tuple[Example, ...], random: Random) -> ListPair:
        one = self.example(random)
        if self.neighbours is Neighbours.ADD_REMOVE:
            return (one, *common), common
        other = Example(one.features, 1 - one.label) if random.random() < 0.5 else self.example(random)
        return (one, *common), (other, *common)


def list_points(subject: Subject, event: Cover, seed: int, starts: int = 12, copies: int = 1) -> tuple[Point, ...]:
    """Compare the price of a list (or of independent copies of it) with exact laws."""
    lists = _Lists(event.neighbours, features=3 if copies == 1 else 2)
    curve = subject.price(event) if copies == 1 else subject.together([event] * copies)
    record = _Record(_claims(curve, (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)))
    weight = subject.weight(float(event.tilt))

    def law(sample: Sequence[Example]) -> Law:
        once = exact_list_law(
            sample, weight, lists.features, rewards=event.rewards, rounds=event.rounds, last=event.last
        )
        return once if copies == 1 else independent(once, once)

    return _searched(record, lists, law, seed, starts)


StreamPair = tuple[tuple[Round | None, ...], tuple[Round | None, ...]]


@dataclass(frozen=True, slots=True)
class Streams:
    """Neighbouring short streams."""

    neighbours: Neighbours
    dimension: int
    length: int

    def example(self, random: Random) -> Round:
        """A random round."""
        return Round(tuple(random.choice((-1, 1)) for _ in range(self.dimension)), random.choice((-1, 1)))

    def start(self, random: Random) -> StreamPair:
        """A random stream and a neighbour."""
        return self._pair(tuple(self.example(random) for _ in range(self.length)), random)

    def changes(self, pair: StreamPair, random: Random) -> Iterator[StreamPair]:
        """Change a round, and choose another neighbour."""
        for _ in range(8):
            at = random.randrange(self.length)
            yield self._pair((*pair[0][:at], self.example(random), *pair[0][at + 1 :]), random)

    def _pair(self, stream: tuple[Round | None, ...], random: Random) -> StreamPair:
        at = random.randrange(self.length)
        other = None if self.neighbours is Neighbours.ZERO_OUT else self.example(random)
        return stream, (*stream[:at], other, *stream[at + 1 :])


def stream_points(
    subject: Subject, event: Event, learner: Learner, above: Above, streams: Streams, seed: int, starts: int = 12
) -> tuple[Point, ...]:
    """Compare the price of a stream learner with exact laws."""
    record = _Record(_claims(subject.price(event), (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0), orders=(1.5, 2.0, 8.0)))
    tests = subject.tests(float(above.noise), float(above.test))

    def law(stream: Stream) -> Law:
        return exact_stream_law(stream, learner, tests)

    return _searched(record, streams, law, seed, starts)
