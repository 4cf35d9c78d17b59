"""What stream learners cost (theory B2, B3, B7, B8), and what the paper's composition says."""

from collections.abc import Sequence
from math import expm1, log, sqrt

from dprules.accounting.calibrate import largest
from dprules.accounting.events import (
    BatchedStream,
    FirstOnlyStream,
    SegmentStream,
    StreamDraws,
    StreamEvent,
    ThresholdTilts,
)
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ParameterError
from dprules.numbers import Real, budget, probability, rational, rounded_down, whole

_EVENTS: dict[str, type[StreamEvent]] = {
    "batched": BatchedStream,
    "paper": FirstOnlyStream,
    "segment": SegmentStream,
}


def epsilon(
    delta: float,
    algorithm: str = "batched",
    *,
    draws: int | Sequence[int],
    rate: Real | Sequence[Real],
    above: tuple[Real, Real],
    releases: int = 1,
    neighbours: str | Neighbours = "replace",
    accounting: str = "exact",
) -> float:
    """Return nearly the smallest epsilon that holds with `delta`, rounded up.

    Parameters
    ----------
    delta : float
        0 asks for pure privacy, which `segment` has.
    algorithm : str
        "batched", "segment" (`draws` and `rate` of one segment) or "paper" (the first cached mistake only).
    draws, rate, releases
        m, eta and K; m and eta may differ between releases if chosen publicly.
    above : pair of numbers
        AboveThreshold's (noise tilt, test tilt).
    neighbours : str
        "replace" or "zero-out".
    accounting : str
        "exact", or "paper" for the paper's advanced composition with its sensitivity corrected to 4 eta.

    Examples
    --------
    >>> epsilon(0, "segment", draws=4, rate=1 / 16, above=(0.5, 0.5))
    1.0
    >>> exact = epsilon(1e-6, "paper", draws=100, releases=100, rate=1e-3, above=(0.05, 0.05))
    >>> paper = epsilon(1e-6, "paper", draws=100, releases=100, rate=1e-3, above=(0.05, 0.05), accounting="paper")
    >>> exact < paper / 3
    True
    """
    if accounting == "paper":
        return _advanced_composition(
            probability(delta, "delta"), algorithm, draws, releases, rate, ThresholdTilts.of(above)
        )
    if accounting != "exact":
        raise ParameterError(f"accounting must be 'exact' or 'paper'; got {accounting!r}. Choose one.")
    target = 0.0 if delta == 0 else probability(delta, "delta")
    made = event(algorithm, draws=draws, rate=rate, above=above, releases=releases)
    return made.curve(Neighbours.parse(neighbours)).epsilon(target)


def rate(
    epsilon: Real,
    delta: float,
    algorithm: str = "batched",
    *,
    draws: int,
    above: tuple[Real, Real],
    releases: int = 1,
    neighbours: str | Neighbours = "replace",
) -> float:
    """Return nearly the largest rate eta that (epsilon, delta) allows, rounded down.

    Examples
    --------
    >>> eta = rate(1.0, 1e-6, draws=100, releases=50, above=(0.2, 0.2))
    >>> made = event("batched", draws=100, releases=50, rate=eta, above=(0.2, 0.2))
    >>> price = made.curve(Neighbours.REPLACE)
    >>> price.delta(1.0) <= 1e-6 < price.delta(0.99)
    True
    """
    relation = Neighbours.parse(neighbours)
    total = rounded_down(budget(epsilon))
    target = 0.0 if delta == 0 else probability(delta, "delta")

    def holds(eta: float) -> bool:
        made = event(algorithm, draws=draws, rate=eta, above=above, releases=releases)
        return made.curve(relation).delta(total) <= target

    return largest(holds, start=1e-2)


def event(
    algorithm: str,
    *,
    draws: int | Sequence[int],
    rate: Real | Sequence[Real],
    above: tuple[Real, Real],
    releases: int = 1,
) -> StreamEvent:
    """Turn public parameters into an event, which has a price and can be charged to an account."""
    if algorithm not in _EVENTS:
        raise ParameterError(f"algorithm must be one of {', '.join(_EVENTS)}; got {algorithm!r}. Choose one.")
    if algorithm == "segment" and releases != 1:
        raise ParameterError("releases is not counted for 'segment': segments cost no more than one. Leave it out.")
    return _EVENTS[algorithm](StreamDraws.of(draws, releases, rate), ThresholdTilts.of(above))


def _advanced_composition(
    delta: float, algorithm: str, draws: object, releases: int, rate: object, above: ThresholdTilts
) -> float:
    """The paper's price: K runs of AboveThreshold and m K draws, each composed with delta/2 [DR14, Theorem 3.20].

    A draw is (4 rate)-DP, not the (2 rate)-DP of the paper (theory B1).
    """
    if algorithm != "paper":
        raise ParameterError("accounting='paper' prices algorithm='paper' only. Use accounting='exact'.")
    tests = float(above.pure)
    count = whole(draws, "draws") * whole(releases, "releases")
    each = 4 * float(rational(rate, "rate"))
    spread = sqrt(2 * log(2 / delta))
    total = sum(eps * spread * sqrt(k) + k * eps * expm1(eps) for eps, k in ((tests, releases), (each, count)))
    return total * (1 + 2.0**-40)
