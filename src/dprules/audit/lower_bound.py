"""What runs of a learner prove about its epsilon, whatever its formulas say."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import log, sqrt

from scipy.stats import beta

from dprules.errors import ParameterError
from dprules.numbers import probability, rational, whole

Run = Callable[[], Hashable]


@dataclass(frozen=True, slots=True)
class LowerBound:
    """With the stated confidence no smaller epsilon holds with this delta.

    Parameters
    ----------
    epsilon : float
        The bound.
    delta : float
        The delta that it goes with.
    confidence : float
        The probability that the bound is right, at least.
    runs : int
        How many runs of each neighbour, in each direction, it rests on.
    """

    epsilon: float
    delta: float
    confidence: float
    runs: int


def epsilon_lower_bound(
    run: Run, neighbour: Run, delta: float = 0.0, runs: int = 20_000, confidence: float = 0.99
) -> LowerBound:
    """Bound epsilon from below by running a black box on two neighbours.

    The first half of the runs chooses a set of outputs, the second half measures it; Clopper-Pearson intervals turn the
    frequencies into a bound that is wrong with probability 1 - confidence at most.

    Parameters
    ----------
    run : callable
        Makes one release on one data set and returns it as a hashable value.
    neighbour : callable
        Makes one release on its neighbour.
    delta : float
        In [0, 1); 0 asks about pure privacy.
    runs : int
        How many of each, in each of the two directions.
    confidence : float
        Strictly between 0 and 1.

    Examples
    --------
    >>> from random import Random
    >>> random = Random(0)
    >>> found = epsilon_lower_bound(lambda: random.random() < 0.7, lambda: random.random() < 0.3, runs=4000)
    >>> 0.6 < found.epsilon < 0.85  # the truth is ln(7/3) = 0.847
    True
    """
    half = whole(runs, "runs", least=2) // 2
    probability(confidence, "confidence")
    if rational(delta, "delta", zero=True) >= 1:
        raise ParameterError(f"delta must lie in [0, 1); got {delta}. Use 0 for pure privacy.")
    # Two directions, two intervals each.
    miss = (1 - confidence) / 4
    best = max(_one_direction(run, neighbour, delta, half, miss), _one_direction(neighbour, run, delta, half, miss))
    return LowerBound(best, delta, confidence, 2 * half)


def _one_direction(first: Run, second: Run, delta: float, half: int, miss: float) -> float:
    """Return ln((Pr[first in S] - delta) / Pr[second in S]) from below, for a set S chosen on runs of its own."""
    telling = _telling_outputs(Counter(first() for _ in range(half)), Counter(second() for _ in range(half)), delta)
    hits = sum(first() in telling for _ in range(half))
    other = sum(second() in telling for _ in range(half))
    low = float(beta.ppf(miss, hits, half - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - miss, other + 1, half - other)) if other < half else 1.0
    return max(0.0, log((low - delta) / high)) if low > delta else 0.0


def _telling_outputs(p: Counter[Hashable], q: Counter[Hashable], delta: float) -> set[Hashable]:
    """Return the outputs, most telling first, up to the point where their total tells the most."""
    size = p.total()
    ranked = sorted(p, key=lambda output: p[output] / (q[output] + 1), reverse=True)
    best = 0.0
    chosen = 0
    hits = 0
    other = 0
    for place, output in enumerate(ranked, start=1):
        hits += p[output]
        other += q[output]
        # A rough allowance for the intervals to come: two standard deviations each.
        spread = min(2 * sqrt(size * 0.25), 2 * sqrt(hits))
        telling = (hits - spread - delta * size) / (other + 2 * sqrt(other + 1))
        if telling > best:
            best = telling
            chosen = place
    return set(ranked[:chosen])
