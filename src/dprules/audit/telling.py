"""Which outputs tell two neighbours apart: learnt from some runs, to be measured on others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

Outcome = Mapping[str, float]
"""What a run published, as named numbers; a name that is not there is an outcome, too."""
Floats = NDArray[np.float64]

STEPS = 9
"""Levels at which a number is compared."""
MOST_NAMES = 200
"""The most frequent names are looked at."""
MOST_QUESTIONS = 300
_RIDGE = 5.0
_NEWTON_STEPS = 12


@dataclass(frozen=True, slots=True)
class Claim:
    """A claimed epsilon with its delta."""

    epsilon: float
    delta: float


@dataclass(frozen=True, slots=True)
class Questions:
    """Truths about an outcome: that a name is there, that its number reaches a level.

    The loss of geometric noise is a step, that of Gaussian noise a line, that of a draw one value for each candidate:
    sums of weighted truths come near to all of them.

    Parameters
    ----------
    asked : tuple of (str, float)
        Names and levels; minus infinity asks whether the name is there.
    """

    asked: tuple[tuple[str, float], ...]

    @classmethod
    def about(cls, outcomes: Sequence[Outcome]) -> "Questions":
        """Return questions whose answers differ between these outcomes."""
        names = Counter(name for outcome in outcomes for name in outcome)
        asked: list[tuple[str, float]] = []
        for name, times in names.most_common(MOST_NAMES):
            if times < len(outcomes):
                asked.append((name, -np.inf))
            numbers = np.array([outcome[name] for outcome in outcomes if name in outcome])
            levels = np.unique(np.quantile(numbers, np.linspace(0, 1, STEPS + 2)[1:-1], method="nearest"))
            asked += [(name, float(level)) for level in levels if level > numbers.min()]
        return cls(tuple(asked[:MOST_QUESTIONS]))

    def answers(self, outcomes: Sequence[Outcome]) -> Floats:
        """Return 1 or 0 for each outcome and question, and a last column of ones."""
        found = np.ones((len(outcomes), len(self.asked) + 1))
        for place, (name, level) in enumerate(self.asked):
            found[:, place] = [name in outcome and outcome[name] >= level for outcome in outcomes]
        return found


@dataclass(frozen=True, slots=True)
class Scorer:
    """Weights of questions: an outcome with a high score speaks for the first neighbour."""

    questions: Questions
    weights: tuple[float, ...]

    @classmethod
    def learn(cls, first: Sequence[Outcome], other: Sequence[Outcome]) -> "Scorer":
        """Fit the logarithm of the odds by Newton's method, with a ridge."""
        questions = Questions.about([*first, *other])
        answers = questions.answers([*first, *other])
        truth = np.repeat([1.0, 0.0], [len(first), len(other)])
        weights = np.zeros(answers.shape[1])
        ridge = _RIDGE * np.eye(len(weights))
        for _ in range(_NEWTON_STEPS):
            chance = 1 / (1 + np.exp(-np.clip(answers @ weights, -30, 30)))
            curvature = (answers * (chance * (1 - chance))[:, None]).T @ answers + ridge
            weights += np.linalg.solve(curvature, answers.T @ (truth - chance) - _RIDGE * weights)
        return cls(questions, tuple(weights.tolist()))

    def scores(self, outcomes: Sequence[Outcome]) -> Floats:
        """Return the score of each outcome."""
        return np.asarray(self.questions.answers(outcomes) @ np.array(self.weights))


@dataclass(frozen=True, slots=True)
class Telling:
    """A set of outputs: those whose score reaches a level, or stays below it.

    Parameters
    ----------
    scorer : Scorer
        Of outcomes.
    level : float
        To reach, or not to.
    sign : int
        1: high scores, which the first neighbour should have more often; -1: low ones, for the other.
    claim : Claim
        That it is to be held against.
    promise : float
        What it would prove if later runs come out as those that chose it.
    """

    scorer: Scorer
    level: float
    sign: int
    claim: Claim
    promise: float = 0.0

    @classmethod
    def choose(
        cls, first: Sequence[Outcome], other: Sequence[Outcome], claims: Sequence[Claim], runs: int, miss: float
    ) -> "Telling":
        """Learn scores from half of the outcomes, and from the other half the level that comes closest to a claim.

        Parameters
        ----------
        first, other : sequences of Outcome
            Of the two neighbours.
        claims : sequence of Claim
            Each with an epsilon above 0.
        runs : int
            How many runs of each the set will be measured on.
        miss : float
            The probability with which each of the two intervals may miss then.
        """
        scorer = Scorer.learn(first[::2], other[::2])
        high, low = scorer.scores(first[1::2]), scorer.scores(other[1::2])
        best = cls(scorer, np.inf, 1, claims[0])
        for sign, more, less in ((1, high, low), (-1, -low, -high)):
            levels = np.unique(np.quantile(np.concatenate([more, less]), np.linspace(0, 1, 200), method="nearest"))
            hits = _shares(more, levels) * runs
            others = _shares(less, levels) * runs
            for claim in claims:
                ratios = lower_bounds(hits, others, runs, claim.delta, miss) / claim.epsilon
                place = int(ratios.argmax())
                if ratios[place] > best.promise:
                    best = cls(scorer, float(levels[place]), sign, claim, float(ratios[place]))
        return best

    def count(self, outcomes: Sequence[Outcome]) -> int:
        """Return how many outcomes are in the set."""
        return int((self.sign * self.scorer.scores(outcomes) >= self.level).sum())

    def bound(self, first: Sequence[Outcome], other: Sequence[Outcome], miss: float) -> float:
        """Return an epsilon that is too small for the claim's delta, from fresh runs: wrong with chance 2 miss."""
        pair = (first, other) if self.sign > 0 else (other, first)
        hits, others = (np.array([float(self.count(outcomes))]) for outcomes in pair)
        return float(lower_bounds(hits, others, len(first), self.claim.delta, miss)[0])


def _shares(scores: Floats, levels: Floats) -> Floats:
    return np.asarray(1 - np.searchsorted(np.sort(scores), levels, side="left") / len(scores))


def lower_bounds(hits: Floats, others: Floats, runs: int, delta: float, miss: float) -> Floats:
    """Return ln((p - delta) / q) with p from below and q from above by Clopper and Pearson; at least 0.

    Examples
    --------
    >>> lower_bounds(np.array([900.0]), np.array([100.0]), 1000, 0.0, 1e-4).round(2).tolist()
    [1.82]
    """
    low = np.where(hits > 0, beta.ppf(miss, np.maximum(hits, 1e-9), runs - hits + 1), 0.0)
    high = np.where(others < runs, beta.ppf(1 - miss, others + 1, np.maximum(runs - others, 1e-9)), 1.0)
    return np.log(np.maximum(np.maximum(low - delta, 0) / high, 1.0))
