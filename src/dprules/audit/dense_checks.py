"""Put the price of dense batches beside the exact laws of small neighbours, and of what runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np

from dprules.accounting import DenseStream, Neighbours
from dprules.audit.checks import Point, ShortStream, WorstSeen, collect_list_claims
from dprules.audit.lower_bound import epsilon_lower_bound
from dprules.audit.search import worst_pair
from dprules.audit.stream_law import Round
from dprules.audit.subject import Subject

_UNIT = 2
_LENGTH = 2
_EVENT = DenseStream(Fraction(1, 4), _UNIT)
_REACH = 14
_RUNS = 700


@dataclass(frozen=True, slots=True)
class DensePairs:
    """Neighbouring streams of two batches; an example has one coordinate in steps of 1/unit, and a bias."""

    neighbours: Neighbours

    def start(self, random: Random) -> tuple[ShortStream, ShortStream]:
        """Return a random stream and a neighbour."""
        return self._pair(tuple(_example(random) for _ in range(2 * _LENGTH)), random)

    def changes(
        self, pair: tuple[ShortStream, ShortStream], random: Random
    ) -> Iterator[tuple[ShortStream, ShortStream]]:
        """Change a round, and choose another neighbour."""
        for _ in range(6):
            at = random.randrange(2 * _LENGTH)
            yield self._pair((*pair[0][:at], _example(random), *pair[0][at + 1 :]), random)

    def _pair(self, stream: ShortStream, random: Random) -> tuple[ShortStream, ShortStream]:
        at = random.randrange(2 * _LENGTH)
        other = None if self.neighbours is Neighbours.ZERO_OUT else _example(random)
        return stream, (*stream[:at], other, *stream[at + 1 :])


def _example(random: Random) -> Round:
    return Round((random.randint(-_UNIT, _UNIT), _UNIT), random.choice((-1, 1)))


def dense_points(subject: Subject, neighbours: Neighbours, seed: int, starts: int = 6) -> tuple[Point, ...]:
    """Compare the price of dense batches with the exact laws of two batches of two rounds.

    Parameters
    ----------
    subject : Subject
        What is audited.
    neighbours : Neighbours
        The relation of the claim.
    seed : int
        Seed of the search.
    starts : int
        Random pairs to start from.
    """
    claims = collect_list_claims(subject.price(_EVENT, neighbours))
    # Where delta is 0 the pure epsilon says as much, and is not lost in rounding.
    worst = WorstSeen({measure: claim for measure, claim in claims.items() if claim > 0})
    law = subject.dense(subject.cube_law(float(_EVENT.tilt)), _UNIT, _LENGTH, _REACH)
    pairs = DensePairs(neighbours)
    worst_pair(pairs.start, pairs.changes, lambda pair: worst.see(*law(*pair)), starts=starts, steps=3, seed=seed)
    return worst.points()


def running_cube_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    """Sums that one round moves by one in every coordinate, released by the sampler itself."""
    claimed = subject.price(DenseStream(1, 1), Neighbours.ZERO_OUT).epsilon(0)

    def run(value: int) -> int:
        # What matters is on which side of the sums the coordinate lies that is furthest away.
        noisy = subject.cube_noise([value, value], 1.0)
        return int(np.sign(noisy.max() + noisy.min() - 1))

    found = epsilon_lower_bound(lambda: run(0), lambda: run(1), runs=_RUNS)
    return (Point("epsilon", 0.0, claimed, found.epsilon),)
