"""When lists are fitted on a stream, how many rules each has, and what is watched: all of it public in advance."""

from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt

from dprules.accounting import CountedCover, EpochStream, Neighbours, ThresholdTilts, epochs
from dprules.accounting.counted import Parts
from dprules.errors import ParameterError
from dprules.mechanisms import AboveThreshold
from dprules.models import RuleList
from dprules.numbers import rounded_down

FIRST = 500
"""Rounds of the first epoch times epsilon: fewer teach nothing, more delay the first list."""
GROWTH = 2
"""Each epoch is so many times as long as the one before."""
RULES = (3, 6, 12, 25, 50)
"""How many rules a fit may have; few kinds, since each has a tilt of its own to be found and priced."""
PURE_RULES = (3, 6, 12)
"""The same at delta 0, where every further rule costs as much as the first."""
ROUNDS_A_RULE = 25
"""Rules are as many as the square root of rounds times epsilon over this."""
PURE_ROUNDS_A_RULE = 64
MEMORY = 2**25
"""Bytes of rounds that wait, about, unless `memory` says how many rounds."""
LONGEST = 2**17
"""Rounds of the longest epoch, unless `memory` says more."""
WINDOW = 4
"""Rounds of a window of the watch, in first epochs."""
WATCHED = 16
"""Epochs of so many first epochs, and longer ones, are watched: lists from shorter ones are not yet good."""
EVERY = 10
"""Rounds between two tests of the watch."""
SURPRISE = 0.06
"""The share of a window by which mistakes may exceed what is expected of the list."""
CALM = 6
"""Over the tilt of the watch: how far its noise may go."""


@dataclass(frozen=True, slots=True)
class EpochPlan:
    """The public plan of a stream of lists.

    Parameters
    ----------
    first : int
        Rounds of the first epoch.
    longest : int
        Rounds of the longest.
    fits : tuple of CountedCover
        By their number of rules, ascending.
    rounds_a_rule : Fraction
        Fits of n rounds have about sqrt(n / rounds_a_rule) rules.
    watch : Fraction
        The tilt of the watch; 0: nothing is watched.
    """

    first: int
    longest: int
    fits: tuple[CountedCover, ...]
    rounds_a_rule: Fraction
    watch: Fraction

    @classmethod
    def of(
        cls,
        epsilon: Fraction,
        delta: Fraction,
        neighbours: str,
        literals: int,
        memory: int | None,
        share: Fraction,
    ) -> "EpochPlan":
        """Make the plan of a stream that costs (epsilon, delta).

        Parameters
        ----------
        epsilon, delta : Fraction
            The budget.
        neighbours : str
            "replace" or "zero-out".
        literals : int
            What may be asked of an example.
        memory : int or None
            Rounds of the longest epoch; None: as many as fit into some megabytes.
        share : Fraction
            Of epsilon, for the watch; 0 switches it off.
        """
        if not 0 <= share < 1:
            raise ParameterError(f"watch must lie in [0, 1): it is a share of epsilon; got {float(share):g}.")
        watch = share * epsilon
        kept = 8 * MEMORY // max(literals, 1)
        longest = min(LONGEST, max(kept, 1)) if memory is None else memory
        first = min(longest, max(1, round(FIRST / epsilon)))
        relation = Neighbours.parse(neighbours)
        fits = tuple(
            CountedCover(epochs.tilt(epsilon, rounded_down(delta), rules, relation, watch), rules, Parts.of(rules))
            for rules in (RULES if delta else PURE_RULES)
        )
        each = (ROUNDS_A_RULE if delta else PURE_ROUNDS_A_RULE) / epsilon
        return cls(first, longest, fits, each, watch)

    @property
    def window(self) -> int:
        """Rounds of a window of the watch."""
        return WINDOW * self.first

    def length(self, number: int) -> int:
        """Return how many rounds an epoch has; they are numbered from 0."""
        grown: int = self.first * GROWTH ** min(number, 64)
        return min(self.longest, grown)

    def fit(self, number: int) -> CountedCover:
        """Return what the fit at the end of an epoch is: the nearest number of rules that has a price."""
        wanted = sqrt(self.length(number) / self.rounds_a_rule)
        return min(self.fits, key=lambda fit: abs(log(fit.rounds / wanted)))

    def is_watched(self, number: int) -> bool:
        """Whether the list in force is watched during an epoch."""
        return bool(self.watch) and self.length(number) >= WATCHED * self.first

    def above(self, rules: RuleList) -> AboveThreshold:
        """Return the test of one window: more mistakes than the counts of the list let expect, and the noise."""
        expected = 1.1 * expected_errors(rules) + SURPRISE
        limit = round(expected * self.window + CALM / float(self.watch))
        return AboveThreshold(limit, self.watch, self.watch, EVERY)

    def event(self) -> EpochStream:
        """Return what the whole stream costs, however long."""
        return EpochStream(self.fits, ThresholdTilts(self.watch, self.watch) if self.watch else None)


def class_shares(rules: RuleList) -> tuple[float, ...] | None:
    """Return the shares of the classes among the records of a list, from its noisy counts; None without counts."""
    if rules.groups is None:
        return None
    counts = [max(1, sum(group.counts[k] for group in rules.groups)) for k in range(len(rules.classes))]
    return tuple(count / sum(counts) for count in counts)


def expected_errors(rules: RuleList) -> float:
    """Return the share of records that a list got wrong, from its noisy counts, at most 1/2."""
    if rules.groups is None:
        return 0.5
    right = sum(
        group.counts[rules.classes.index(label)] for group, label in zip(rules.groups, rules.labels, strict=True)
    )
    every = sum(sum(group.counts) for group in rules.groups)
    return min(0.5, max(0.0, 1 - right / max(1, every)))
