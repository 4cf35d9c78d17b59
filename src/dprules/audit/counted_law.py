"""The exact law of a counted list on small neighbours, from theory A6 and A7 alone: every list and what it shows.

Two runs differ in the records that only one of them has. What is shown of a cell whose count is the same in both has
the same law in both; of a cell with counts c and c + 1 the odds of the two runs are e^tilt for every noisy count from
c + 1 on, and e^-tilt below. So nothing is lost for any divergence if such a cell shows only on which side its noisy
count is (`show_side`); `show_count` shows the noisy count itself, for comparison.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from dprules.audit.law import Law, noise_mass, noise_tail
from dprules.audit.list_law import TRUE, Candidate, Example, Weight

Show = Callable[[int, int, float], Mapping[Hashable, float]]
"""Takes the count of a cell here, in the neighbour's run, and a tilt; returns the law of what is shown of the cell."""
_BEYOND = 4
"""`show_count` shows noisy counts so far beyond both counts as one outcome, which loses nothing: the odds are equal."""


def show_side(here: int, there: int, tilt: float) -> Mapping[Hashable, float]:
    """Return the law of "at least the larger count", nothing if the counts are equal.

    Parameters
    ----------
    here : int
        The count of the cell.
    there : int
        The count in the neighbour's run.
    tilt : float
        Pr[noise = x] is proportional to e^(-tilt |x|).

    Examples
    --------
    >>> show_side(3, 3, 1.0)
    {None: 1.0}
    """
    return {None: 1.0} if here == there else show_every_side(here, there, tilt)


def show_every_side(here: int, there: int, tilt: float) -> Mapping[Hashable, float]:
    """Return the same of every cell, so that a schedule may follow from noise as well; as for `show_side`."""
    above = noise_tail(max(here, there, 1) - here, tilt)
    return {True: above, False: 1 - above}


def show_count(here: int, there: int, tilt: float) -> Mapping[Hashable, float]:
    """Return the law of the noisy count; as for `show_side`."""
    low = min(here, there) - _BEYOND
    high = max(here, there) + _BEYOND
    between: dict[Hashable, float] = {noisy: noise_mass(noisy - here, tilt) for noisy in range(low + 1, high)}
    # The noise is symmetric: Pr[Z <= low - here] = Pr[Z >= here - low].
    return {low: noise_tail(here - low, tilt), **between, high: noise_tail(high - here, tilt)}


class Gains(NamedTuple):
    """The score of one round: gain * correct - loss * errors."""

    gain: Fraction = Fraction(1)
    loss: Fraction = Fraction(1)


Shown = tuple[Hashable, ...]
"""What is shown of a rule, by class."""
Adapt = Callable[[int, Sequence[Shown]], Gains]
"""Chooses the score of a round from its number and what was shown before."""


class CountTilts(NamedTuple):
    """Tilts as parts of that of a draw; anything that a faulty mechanism might run with."""

    last_rule: Fraction
    cell: Fraction
    last_cell: Fraction
    remainder: Fraction


def reward_one(round_: int, shown: Sequence[Shown]) -> Gains:
    """Count correct records and errors alike in every round."""
    return Gains()


@dataclass(frozen=True, slots=True)
class CountedLaw:
    """The law of lists with what is shown of their cells.

    Parameters
    ----------
    tilt : float
        The exponent of a draw.
    weight : callable
        Turns a score into a weight (`tilted` of the tilt).
    rounds : int
        Rules of a list at most.
    parts : CountTilts
        Tilts of the last draw and of all counts, as parts of `tilt`.
    features : int
        How many features there are besides the constant true.
    labels : int
        How many classes there are.
    show : callable
        What is shown of a cell.
    adapt : callable
        The score of each round.
    class_weights : tuple of Fraction
        A public weight for each class; empty: 1 each.
    prior : tuple of float
        A public factor for each feature, the constant true last; empty: 1 each.

    Examples
    --------
    >>> from dprules.audit import tilted
    >>> parts = CountTilts(Fraction(1), Fraction(1, 2), Fraction(1, 4), Fraction(1))
    >>> record = Example((), 1)
    >>> law = CountedLaw(1.0, tilted(1.0), 1, parts, features=0)([], own=[record], other=[])
    >>> len(law), round(sum(law.values()), 9)
    (4, 1.0)
    """

    tilt: float
    weight: Weight
    rounds: int
    parts: CountTilts
    features: int
    labels: int = 2
    show: Show = show_side
    adapt: Adapt = reward_one
    class_weights: tuple[Fraction, ...] = ()
    prior: tuple[float, ...] = ()

    def __call__(self, common: Sequence[Example], own: Sequence[Example], other: Sequence[Example]) -> Law:
        """Return the law of the run on `common` and `own`, beside the neighbour's on `common` and `other`."""
        law: dict[Hashable, float] = {}
        for outcome, probability in self._run((), (), ((*common, *own), (*common, *other))):
            law[outcome] = law.get(outcome, 0.0) + probability
        return law

    def _run(
        self, chosen: tuple[Candidate, ...], shown: tuple[Shown, ...], left: tuple[Sequence[Example], ...]
    ) -> Iterator[tuple[tuple[tuple[Candidate, ...], tuple[Shown, ...]], float]]:
        """Walk all that may follow, with its probability; `left` is what no rule covers, here and there."""
        if chosen and chosen[-1][0] == TRUE:
            yield (chosen, shown), 1.0
            return
        if len(chosen) == self.rounds:
            for cells, probability in self._count(left, self.parts.remainder):
                yield (chosen, (*shown, cells)), probability
            return
        last = len(chosen) == self.rounds - 1
        weights = self._weigh(chosen, left[0], self.adapt(len(chosen), shown), last)
        total = sum(weights.values())
        for rule, mass in weights.items():
            covered = tuple([example for example in part if example.covered_by(rule[0])] for part in left)
            rest = tuple([example for example in part if not example.covered_by(rule[0])] for part in left)
            for cells, probability in self._count(covered, self.parts.last_cell if last else self.parts.cell):
                for outcome, later in self._run((*chosen, rule), (*shown, cells), rest):
                    yield outcome, mass / total * probability * later

    def _weigh(
        self, chosen: Sequence[Candidate], left: Iterable[Example], gains: Gains, last: bool
    ) -> dict[Candidate, float]:
        used = {feature for feature, _ in chosen}
        part = self.parts.last_rule if last else Fraction(1)
        weights: dict[Candidate, float] = {}
        for feature in range(TRUE, self.features):
            if feature in used:
                continue
            covered = [example for example in left if example.covered_by(feature)]
            factor = self.prior[feature] if self.prior else 1.0  # TRUE is -1, the last one
            for label in range(self.labels):
                score = sum((self._worth(example, label, gains) for example in covered), Fraction(0))
                weights[feature, label] = factor * float(self.weight(part * score))
        return weights

    def _worth(self, example: Example, label: int, gains: Gains) -> Fraction:
        """Return what one covered record adds to a score."""
        weight = self.class_weights[example.label] if self.class_weights else Fraction(1)
        return weight * (gains.gain if example.label == label else -gains.loss)

    def _count(self, cell: tuple[Sequence[Example], ...], part: Fraction) -> Iterator[tuple[Shown, float]]:
        """Return all that may be shown of some records, by class."""
        tilt = float(part) * self.tilt
        by_class = []
        for label in range(self.labels):
            here, there = (sum(example.label == label for example in records) for records in cell)
            by_class.append(list(self.show(here, there, tilt).items()))
        for outcome in product(*by_class):
            probability = 1.0
            for _, factor in outcome:
                probability *= factor
            yield tuple(seen for seen, _ in outcome), probability
