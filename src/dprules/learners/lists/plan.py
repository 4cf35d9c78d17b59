"""How many rows a private list needs, and what rows at hand guarantee (theory A5), beside the paper's bounds."""

from dataclasses import dataclass
from math import ceil, comb, exp, lgamma, log, sqrt

from dprules.accounting import Neighbours, cover, smallest
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, budget, probability, whole


@dataclass(frozen=True, slots=True)
class ListPlan:
    """What can be promised before any data is touched, for records labelled by some list over the candidates.

    All bounds hold with probability 1 - `failure`, for every distribution. None: the rows promise nothing, or no
    rows or error were given.
    """

    candidates: int
    """Conditions that a rule may have: conjunctions of at most `width` literals."""
    epsilon: float
    delta: float
    neighbours: str
    failure: float
    tilt: float
    paper_tilt: float | None
    """None: epsilon is beyond the paper's lemma."""
    sample_errors: float
    """At most so many rows of the sample are misclassified."""
    rows: int | None
    guaranteed_error: float | None
    """The error on new records that `rows` guarantee."""
    error: float | None
    rows_needed: int | None
    """Rows that guarantee `error`."""
    rows_without_privacy: int | None
    paper_rows: int | None
    """What the paper's theorem asks for, corrected."""

    @property
    def ratio(self) -> float | None:
        """The paper's rows over ours."""
        return self.paper_rows / self.rows_needed if self.paper_rows and self.rows_needed else None


def plan_list(
    features: int,
    epsilon: Real,
    delta: float,
    *,
    width: int = 1,
    rows: int | None = None,
    error: float | None = None,
    failure: float = 0.05,
    neighbours: str = "add-remove",
) -> ListPlan:
    """Say what DP-GreedyCover guarantees on realizable data.

    Parameters
    ----------
    features : int
        Boolean columns; both signs of each are literals.
    epsilon, delta : number
        The budget.
    width : int
        Literals in one condition, at most.
    rows : int or None
        What error do they guarantee?
    error : float or None
        How many rows guarantee it?
    failure : float
        Probability with which the guarantee itself may fail.
    neighbours : str
        "add-remove" or "replace".

    Examples
    --------
    >>> plan = plan_list(features=30, epsilon=1.0, delta=1e-6, error=0.1)
    >>> plan.candidates, plan.rows_needed < plan.paper_rows / 10
    (60, True)
    """
    bounds = _Bounds(
        candidates=count_candidates(whole(features, "features"), whole(width, "width")),
        epsilon=float(budget(epsilon)),
        delta=probability(delta, "delta"),
        neighbours=Neighbours.parse(neighbours),
        failure=probability(failure, "failure"),
    )
    if rows is not None:
        whole(rows, "rows")
    if error is not None:
        probability(error, "error")
    return ListPlan(
        candidates=bounds.candidates,
        epsilon=bounds.epsilon,
        delta=bounds.delta,
        neighbours=bounds.neighbours.value,
        failure=bounds.failure,
        tilt=bounds.tilt,
        paper_tilt=bounds.paper_tilt,
        sample_errors=bounds.sample_errors,
        rows=rows,
        guaranteed_error=None if rows is None else bounds.guaranteed_error(rows),
        error=error,
        rows_needed=None if error is None else ceil(bounds.rows(error)),
        rows_without_privacy=None if error is None else ceil(bounds.rows_without_privacy(error)),
        paper_rows=None if error is None else ceil(bounds.paper_rows(error)),
    )


def count_candidates(features: int, width: int) -> int:
    """Return the number of conjunctions of 1 to `width` literals over distinct features.

    Examples
    --------
    >>> count_candidates(10, 1), count_candidates(10, 2)
    (20, 200)
    """
    if width > 10:
        raise ParameterError(f"width must be at most 10; got {width}. 1 to 3 are readable.")
    if features > 10**9:
        raise ParameterError(f"features must be at most {10**9:,}. Name what there really is.")
    if width > features:
        raise ParameterError(f"width must be at most the number of features; got {width}. Lower it.")
    return sum(2**k * comb(features, k) for k in range(1, width + 1))


def _paper_tilt(epsilon: float, delta: float, neighbours: Neighbours) -> float | None:
    """The paper's tilt, or None where its lemma fails."""
    try:
        return cover.tilt(epsilon, delta, neighbours, accounting="paper")
    except PrivacyError:
        return None


class _Bounds:
    """The formulas, with M = candidates and beta = failure."""

    def __init__(self, candidates: int, epsilon: float, delta: float, neighbours: Neighbours, failure: float) -> None:
        self.candidates, self.epsilon, self.delta = candidates, epsilon, delta
        self.neighbours, self.failure = neighbours, failure
        rounds = candidates + 1
        self.tilt = cover.tilt(epsilon, delta, neighbours, rounds=rounds if rounds <= cover.MOST_ROUNDS else None)
        self.paper_tilt = _paper_tilt(epsilon, delta, neighbours)
        # ln((M+1)! 2^(M+1)): no more lists than orders and labels.
        self.log_lists = lgamma(rounds + 1) + rounds * log(2)
        tail = log(2 / failure)
        self.sample_errors = (self.log_lists + rounds + sqrt(2 * rounds * tail) + tail) / self.tilt

    def rows(self, error: float) -> float:
        """Enough for few errors on the sample and for these to carry over to new records."""
        return max(self._generalisation(error), 2 * self.sample_errors / error)

    def guaranteed_error(self, rows: int) -> float | None:
        return smallest(lambda error: self.rows(error) <= rows, start=0.5) if self.rows(0.5) <= rows else None

    def rows_without_privacy(self, error: float) -> float:
        """Rivest's list errs nowhere on the sample: (1 - error)^n times the number of lists."""
        return (self.log_lists + log(1 / self.failure)) / error

    def paper_rows(self, error: float) -> float:
        """The theorem with the constants that its proof gives (theory A2); VC by the logarithm of the class."""
        epsilon, delta = self.epsilon, self.delta
        if self.neighbours is Neighbours.REPLACE:
            epsilon, delta = epsilon / 2, delta / (1 + exp(epsilon / 2))
        beta, M = self.failure / 2, self.candidates
        learning = 64 / error * (self.log_lists / log(2) * log(64 / error) + log(16 / beta))
        private = 8 * M * log(2 * M / sqrt(beta)) * (2 * log(1 / delta) + 3) / (error * epsilon)
        return max(learning, private)

    def _generalisation(self, error: float) -> float:
        """No list errs on error/2 of the sample and on `error` of the world: the better of two bounds.

        Occam with Chernoff: lists * exp(-error n / 8). Blumer et al. with VC dimension M + 1 (lists are halfspaces).
        """
        beta = self.failure / 2
        occam = 8 / error * (self.log_lists + log(1 / beta))
        blumer = 64 / error * ((self.candidates + 1) * log(64 / error) + log(16 / beta))
        return min(occam, blumer)
