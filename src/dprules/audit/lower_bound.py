"""What runs of a learner prove about its epsilon, whatever its formulas say."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import log

from scipy.stats import beta

from dprules.errors import ParameterError
from dprules.numbers import probability, rational, whole

Run = Callable[[], Hashable]


@dataclass(frozen=True, slots=True)
class LowerBound:
    """With the stated confidence no smaller epsilon holds with this delta."""

    epsilon: float
    delta: float
    confidence: float
    runs: int


def epsilon_lower_bound(
    run: Run, neighbour: Run, delta: float = 0.0, runs: int = 20_000, confidence: float = 0.99
) -> LowerBound:
    """Bound epsilon from below by running a black box on two neighbours.

    The first half of the runs chooses an event, the second half measures it; Clopper-Pearson intervals turn the
    frequencies into a bound that is wrong with probability 1 - confidence at most.

    Parameters
    ----------
    run, neighbour: make one release each and return it as a hashable value
    runs: how many of each, in each of the two directions

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
    best = 0.0
    for first, second in ((run, neighbour), (neighbour, run)):
        event = _telling_event(Counter(first() for _ in range(half)), Counter(second() for _ in range(half)), delta)
        hits = sum(first() in event for _ in range(half))
        other = sum(second() in event for _ in range(half))
        # Two directions, two intervals each.
        miss = (1 - confidence) / 4
        low = float(beta.ppf(miss, hits, half - hits + 1)) if hits else 0.0
        high = float(beta.ppf(1 - miss, other + 1, half - other)) if other < half else 1.0
        if low > delta:
            best = max(best, log((low - delta) / high))
    return LowerBound(best, delta, confidence, 2 * half)


def _telling_event(p: Counter[Hashable], q: Counter[Hashable], delta: float) -> set[Hashable]:
    """The outputs, most telling first, up to the point where their total tells the most."""
    size = p.total()
    ranked = sorted(p, key=lambda output: p[output] / (q[output] + 1), reverse=True)
    event: set[Hashable] = set()
    best, chosen, hits, other = 0.0, 0, 0, 0
    for place, output in enumerate(ranked, start=1):
        hits, other = hits + p[output], other + q[output]
        spread = 2 * (size * 0.25) ** 0.5  # a rough allowance for the interval to come
        telling = (hits - min(spread, 2 * hits**0.5) - delta * size) / (other + 2 * (other + 1) ** 0.5)
        if telling > best:
            best, chosen = telling, place
    event.update(ranked[:chosen])
    return event
