"""Put the price of Gaussian noise beside the exact laws of small descents and histograms."""

from collections.abc import Iterator, Sequence
from itertools import product

from dprules.accounting import Gaussian, Neighbours
from dprules.audit.checks import Point, WorstSeen, collect_list_claims
from dprules.audit.scorecard_law import CardLaw, CardRecord, CardScale, histogram_laws
from dprules.audit.subject import Subject

_STEPS = 2
_PUBLIC = ((-3.0, 2), (0.0, 2), (0.0, 10**6))
"""The score to start from, and about how many records there are. Far from 0 residuals of one class stay at their
largest; near 0 they follow from the noise of the first step, unless records are so many that it moves no weight."""
_EVENT = Gaussian(1)

Records = tuple[CardRecord, ...]


def card_points(subject: Subject, neighbours: Neighbours, columns: int, longest: int) -> tuple[Point, ...]:
    """Compare the price of a descent with the exact laws of two steps on all neighbours of up to two records.

    Parameters
    ----------
    subject : Subject
        What is audited.
    neighbours : Neighbours
        The relation of the claim.
    columns : int
        How many columns there are, of two groups each.
    longest : int
        The largest residual: larger ones have more outcomes, and come nearer to the claim.
    """
    worst = WorstSeen(collect_list_claims(subject.price(_EVENT, neighbours)))
    sigma = subject.card_sigma(_EVENT, longest, columns, _STEPS)
    scale = CardScale(unit=2 * longest, longest=longest)
    for base, number in _PUBLIC:
        law = CardLaw(sigma, base, 4 / (columns * number * scale.unit), scale, subject.residuals)
        for common, own, other in _pairs(neighbours, columns):
            worst.see(*law(common, own, other))
    return worst.points()


def _pairs(neighbours: Neighbours, columns: int) -> Iterator[tuple[Records, Records, Records]]:
    """Return all records in common and apart, but for the names of groups: the first record has the first ones."""
    first = tuple(2 * column for column in range(columns))
    # Of two columns a second record shares all or all but the last: four groups at once have too many outcomes.
    places = [first, (*first[:-1], first[-1] + 1)]
    records = [CardRecord(groups, label) for groups in places for label in (0, 1)]
    for common, own in product([(), *((record,) for record in records)], records[:2]):
        for other in [()] if neighbours is Neighbours.ADD_REMOVE else [(r,) for r in records if r != own]:
            yield common, (own,), other


def histogram_points(subject: Subject, neighbours: Neighbours, columns: int = 1, rows: int = 1) -> tuple[Point, ...]:
    """Compare the price of noisy histograms, one a column, with exact laws.

    Parameters
    ----------
    subject : Subject
        What is audited.
    neighbours : Neighbours
        The relation of the claim.
    columns : int
        How many histograms are released together, of two cells each.
    rows : int
        Rows of a unit.
    """
    event = Gaussian(_EVENT.mu, histogram=True)
    worst = WorstSeen(collect_list_claims(subject.price(event, neighbours).for_group(rows)))
    sigma = subject.card_sigma(event, 1, columns, 1)
    for unit, others in _units(neighbours, rows):
        here, there = (subject.tally(cells, 2) * columns for cells in ((0, *unit), (0, *others)))
        worst.see(*histogram_laws(here, there, sigma))
    return worst.points()


def _units(neighbours: Neighbours, rows: int) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Return the cells of the rows of a unit, and of those in their place."""
    ways = list(product((0, 1), repeat=rows))
    yield from product(ways, [()] if neighbours is Neighbours.ADD_REMOVE else ways)
