"""One list from the rounds of one epoch: theory F with rewards that follow what earlier counts leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import CountedCover
from dprules.learners.lists import recipe
from dprules.learners.lists.counted_cover import Cell, Noise, counted_cover
from dprules.learners.lists.learn import name_cells
from dprules.learners.lists.remaining import TRUE, Remaining
from dprules.learners.lists.scores import LabelScores, Score
from dprules.learners.streams.epoch_plan import class_shares, expected_errors
from dprules.models import RuleList
from dprules.schema import Conditions, Literal, Value
from dprules.tables import Sample

KNOWN_MASS = 0.3
"""Prior mass of the conditions of the last list."""
PARTS = (0.25, 0.5)
"""Rewards of rules for the class that is most frequent among what is left, as parts of the odds against it."""
ERRORS = 4
"""Times the errors of the last list: which part. A list that is hardly ever wrong leaves hardly any class behind."""
UNKNOWN_REWARD = 0.4
"""Of the first rule, before anything is known of the classes."""


@dataclass(frozen=True, slots=True)
class Rewards:
    """The score of each round, from public numbers and the counts that were released before.

    The schedule of theory F, with one difference. A rule for the most frequent class of what is left is right even if
    it asks nothing of interest; with a reward above the odds against that class it would be drawn, and take the
    records with it that later rules need. So its reward stays below these odds.

    Parameters
    ----------
    plan : Recipe
        The schedule of theory F.
    totals : tuple of float
        About how many records each class has.
    noise : float
        The standard deviation of the number of records of a rule.
    part : float
        Of these odds, which such a rule has for its reward at the most.
    """

    plan: recipe.Recipe
    totals: tuple[float, ...]
    noise: float
    part: float = PARTS[-1]

    def score(self, round_: int, cells: Sequence[Cell]) -> LabelScores:
        """Return the score of a round."""
        usual = self.plan.score(round_, cells)
        left = self._left(cells)
        top = int(left.argmax())
        odds = (left.sum() - left[top]) / left[top]
        capped = Score.of(max(recipe.LEAST_REWARD, self.part * float(odds)))
        scores = [usual] * len(left)
        if capped.gain * usual.loss < usual.gain * capped.loss:
            scores[top] = capped
        return LabelScores(tuple(scores))

    def _left(self, cells: Sequence[Cell]) -> NDArray[np.float64]:
        """Return about how many records of each class no rule covers, at least the noise of that number."""
        covered = np.array([cell.counts for cell in cells], dtype=np.float64).reshape(len(cells), len(self.totals))
        spread = self.noise * sqrt((len(cells) + 1) / len(self.totals))
        left: NDArray[np.float64] = np.maximum(np.array(self.totals) - covered.sum(axis=0), spread)
        return left


def choose_rewards(event: CountedCover, rounds: int, last: RuleList | None, classes: int, epsilon: float) -> Rewards:
    """Choose the rewards of a fit from public numbers.

    Parameters
    ----------
    event : CountedCover
        The fit.
    rounds : int
        Of the epoch.
    last : RuleList or None
        The last list, whose counts tell about the classes; None if there is none, or the target has changed.
    classes : int
        How many there are.
    epsilon : float
        Of the stream.
    """
    shares = None if last is None else class_shares(last)
    noise = sqrt(2 * classes) / float(event.tilt * event.parts.cell)
    if last is None or shares is None:
        plan = recipe.Recipe(event.rounds, UNKNOWN_REWARD, cell_noise=noise)
        return Rewards(plan, (rounds / classes,) * classes, noise)
    totals = tuple(share * rounds for share in shares)
    first = recipe.first_reward(totals, noise, epsilon)
    plan = recipe.Recipe(event.rounds, first, recipe.odds_against_the_largest(totals), noise)
    least, most = PARTS
    return Rewards(plan, totals, noise, min(most, max(least, ERRORS * expected_errors(last))))


@dataclass(frozen=True, slots=True)
class FittedList:
    """What a fit releases: the list, and the conditions that were drawn, also those that decide nothing in the end."""

    rules: RuleList
    drawn: tuple[int, ...]


def fit_list(
    sample: Sample,
    conditions: Conditions,
    literals: Sequence[Literal],
    classes: Sequence[Value],
    event: CountedCover,
    rewards: Rewards,
    known: Sequence[int],
    noise: Noise,
) -> FittedList:
    """Draw a list and count what its rules cover.

    Guarantee: `event`, for everything returned (`docs/proofs/free_counts.md`), whatever `rewards` and `known` are, as
    long as they come from public numbers and earlier releases.

    Parameters
    ----------
    sample : Sample
        The rounds of one epoch that have a class.
    conditions, literals, classes
        What rules may ask, and answer.
    event : CountedCover
        The fit.
    rewards : Rewards
        The score of each round.
    known : sequence of int
        Conditions that the last list drew, which are likelier.
    noise : Noise
        Of the event's tilt.
    """
    remaining = Remaining(sample, conditions, _prior(conditions, known))
    cells = counted_cover(remaining, event.rounds, rewards.score, noise, event.parts)
    drawn = tuple(cell.drawn[0] for cell in cells if cell.drawn[0] != TRUE)
    named = name_cells(cells, conditions, literals, classes, Fraction(event.tilt))
    return FittedList(named.simplified(), drawn)


def _prior(conditions: Conditions, known: Sequence[int]) -> NDArray[np.float64]:
    """Return public weights: short conditions are likelier, and those that the last list drew."""
    prior = recipe.prior_of(conditions)
    if len(known) == 0:
        return prior
    prior *= (1 - KNOWN_MASS) / prior.sum()
    prior[list(known)] += KNOWN_MASS / len(known)
    return prior
