"""Put the price of a counted list beside the exact law of the worst small neighbours that a search can find."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from dprules.accounting import CountedCover, Neighbours
from dprules.audit.checks import Point, WorstSeen, collect_list_claims
from dprules.audit.counted_law import Adapt, CountedLaw, Show, reward_one
from dprules.audit.list_law import Example
from dprules.audit.search import worst_pair
from dprules.audit.subject import Subject

_FEATURES = 2
_MOST = 6
"""Records that two neighbours share, at most."""
_FACTORS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
"""Public weights of candidates that are tried: they move the masses of a draw to where they tell the most."""


@dataclass(frozen=True, slots=True)
class CountedPair:
    """Two neighbours, and a public prior.

    Parameters
    ----------
    common : tuple of Example
        The records that both have.
    own, other : tuple of Example
        The records that only one has.
    prior : tuple of float
        A factor for each feature, the constant true last.
    """

    common: tuple[Example, ...]
    own: tuple[Example, ...]
    other: tuple[Example, ...]
    prior: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CountedPairs:
    """Where to look for neighbours.

    Parameters
    ----------
    neighbours : Neighbours
        The relation.
    """

    neighbours: Neighbours

    def start(self, random: Random) -> CountedPair:
        """Return a random pair."""
        common = tuple(_example(random) for _ in range(random.randrange(_MOST + 1)))
        prior = tuple(random.choice(_FACTORS) for _ in range(_FEATURES + 1))
        return self._exchange(CountedPair(common, (), (), prior), random)

    def changes(self, pair: CountedPair, random: Random) -> Iterator[CountedPair]:
        """Change a shared record, the record that tells, or the prior."""
        for _ in range(12):
            kind = random.randrange(4)
            at = random.randrange(len(pair.common) + 1)
            if kind == 0 and len(pair.common) < _MOST:
                yield replace(pair, common=(*pair.common, _example(random)))
            elif kind == 1:
                yield replace(pair, common=pair.common[:at] + pair.common[at + 1 :])
            elif kind == 2:
                yield self._exchange(pair, random)
            else:
                at = random.randrange(_FEATURES + 1)
                yield replace(pair, prior=(*pair.prior[:at], random.choice(_FACTORS), *pair.prior[at + 1 :]))

    def _exchange(self, pair: CountedPair, random: Random) -> CountedPair:
        one = _example(random)
        if self.neighbours is Neighbours.ADD_REMOVE:
            return replace(pair, own=(one,), other=())
        other = Example(one.features, 1 - one.label) if random.random() < 0.5 else _example(random)
        return replace(pair, own=(one,), other=(other,))


def _example(random: Random) -> Example:
    return Example(tuple(random.random() < 0.5 for _ in range(_FEATURES)), random.randrange(2))


def counted_points(
    subject: Subject,
    event: CountedCover,
    neighbours: Neighbours,
    seed: int,
    show: Show | None = None,
    adapt: Adapt = reward_one,
    starts: int = 12,
) -> tuple[Point, ...]:
    """Compare the price of a counted list with exact laws.

    Parameters
    ----------
    subject : Subject
        What is audited.
    event : CountedCover
        The list.
    neighbours : Neighbours
        The relation of the claim.
    seed : int
        Seed of the search.
    show : callable or None
        What is shown of a cell; None: what the subject shows.
    adapt : callable
        The score of each round.
    starts : int
        Random pairs to start from.
    """
    worst = WorstSeen(collect_list_claims(subject.price(event, neighbours)))
    law = CountedLaw(
        tilt=float(event.tilt),
        weight=subject.weight(float(event.tilt)),
        rounds=event.rounds,
        parts=subject.count_tilts(event),
        features=_FEATURES,
        show=show or subject.show,
        adapt=adapt,
    )

    def distance(pair: CountedPair) -> float:
        run = replace(law, prior=pair.prior)
        return worst.see(run(pair.common, pair.own, pair.other), run(pair.common, pair.other, pair.own))

    pairs = CountedPairs(neighbours)
    worst_pair(pairs.start, pairs.changes, distance, starts=starts, steps=10, seed=seed)
    return worst.points()
