"""Put the price of lists on epochs beside the exact law of the worst short streams that a search can find."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from dprules.accounting import EpochStream, Neighbours
from dprules.audit.checks import Point, WorstSeen, collect_list_claims
from dprules.audit.counted_law import CountedLaw
from dprules.audit.list_law import Example
from dprules.audit.search import worst_pair
from dprules.audit.subject import Subject


@dataclass(frozen=True, slots=True)
class EpochPair:
    """Two streams that differ in one round, and a public prior of the fits."""

    here: tuple[Example | None, ...]
    there: tuple[Example | None, ...]
    prior: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EpochPairs:
    """Where to look for neighbours.

    Parameters
    ----------
    neighbours : Neighbours
        Replace or zero-out.
    rounds : int
        Of a stream.
    features : int
        Of an example.
    """

    neighbours: Neighbours
    rounds: int
    features: int

    def start(self, random: Random) -> EpochPair:
        """Return a random pair."""
        here = tuple(self._example(random) for _ in range(self.rounds))
        return self._differ(here, self._prior(random), random)

    def changes(self, pair: EpochPair, random: Random) -> Iterator[EpochPair]:
        """Change a round that both have, the one that differs, or the prior."""
        for _ in range(8):
            kind = random.randrange(3)
            at = random.randrange(self.rounds)
            if kind == 0 and pair.here[at] == pair.there[at]:
                one = self._example(random)
                yield EpochPair(_put(pair.here, at, one), _put(pair.there, at, one), pair.prior)
            elif kind == 1:
                yield self._differ(pair.here, pair.prior, random)
            else:
                yield replace(pair, prior=self._prior(random))

    def _differ(self, here: tuple[Example | None, ...], prior: tuple[float, ...], random: Random) -> EpochPair:
        at = random.randrange(self.rounds)
        one = self._example(random)
        other = None if self.neighbours is Neighbours.ZERO_OUT else Example(self._bits(random), 1 - one.label)
        return EpochPair(_put(here, at, one), _put(here, at, other), prior)

    def _example(self, random: Random) -> Example:
        return Example(self._bits(random), random.randrange(2))

    def _bits(self, random: Random) -> tuple[bool, ...]:
        return tuple(random.random() < 0.5 for _ in range(self.features))

    def _prior(self, random: Random) -> tuple[float, ...]:
        return tuple(random.choice((0.1, 1.0, 10.0)) for _ in range(self.features + 1))


def _put(rounds: tuple[Example | None, ...], at: int, one: Example | None) -> tuple[Example | None, ...]:
    return (*rounds[:at], one, *rounds[at + 1 :])


def epoch_points(
    subject: Subject, event: EpochStream, neighbours: Neighbours, seed: int, starts: int = 5
) -> tuple[Point, ...]:
    """Compare the price of lists on epochs with exact laws of two epochs of two rounds.

    Parameters
    ----------
    subject : Subject
        What is audited.
    event : EpochStream
        With one fit.
    neighbours : Neighbours
        The relation of the claim.
    seed : int
        Seed of the search.
    starts : int
        Random pairs to start from.
    """
    worst = WorstSeen(collect_list_claims(subject.price(event, neighbours)))
    (fit,) = event.fits
    pairs = EpochPairs(neighbours, rounds=4, features=1)
    lists = CountedLaw(
        tilt=float(fit.tilt),
        weight=subject.weight(float(fit.tilt)),
        rounds=fit.rounds,
        parts=subject.count_tilts(fit),
        features=pairs.features,
        show=subject.show,
    )
    watch = event.watch
    tests = None if watch is None else subject.tests(float(watch.noise), float(watch.test))

    def distance(pair: EpochPair) -> float:
        law = subject.epochs(replace(lists, prior=pair.prior), length=2, tests=tests)
        return worst.see(law(pair.here, pair.there), law(pair.there, pair.here))

    worst_pair(pairs.start, pairs.changes, distance, starts=starts, steps=6, seed=seed)
    return worst.points()
