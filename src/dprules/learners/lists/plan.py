"""How many rows a private list needs, and what rows at hand guarantee (theory A5), beside the paper's bounds.

Bounds are worst cases. What is typical is simulated by `dprules.jobs.plan_list`, which puts it beside them.
"""

from dataclasses import dataclass
from math import ceil, comb, exp, lgamma, log, sqrt

from dprules.accounting import Neighbours, cover, smallest
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.plan_tables import PlanTable, describe_budget
from dprules.numbers import Real, budget, probability, whole


@dataclass(frozen=True, slots=True)
class Typical:
    """What the learner reached on made-up tables of one difficulty: means over some tables, no promise.

    Parameters
    ----------
    name : str
        What the labels were made of.
    tables : int
        How many made-up tables there were, with one fit each.
    accuracy, low, high : float
        Of the private list on new rows: the mean, the lowest and the highest.
    baseline : float
        Of always saying the class that most rows have.
    without_privacy : float
        Of the same recipe without noise, the best of 16 settings on the new rows.
    best : float
        Of the best model there is: the rest is the noise of the labels. Nothing is above it.
    """

    name: str
    tables: int
    accuracy: float
    low: float
    high: float
    baseline: float
    without_privacy: float
    best: float


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
    typical: tuple[Typical, ...] = ()
    """A simulation on made-up tables, easier ones first; empty if no schema or no rows were given."""
    simulated_rows: int | None = None
    """Rows of each of these tables."""

    @property
    def ratio(self) -> float | None:
        """The paper's rows over ours."""
        return self.paper_rows / self.rows_needed if self.paper_rows and self.rows_needed else None

    def tables(self) -> list[PlanTable]:
        """Return what is typical, if it was simulated, and what is guaranteed, in words."""
        return [*([self._typical_table()] if self.typical else []), self._bounds_table()]

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables())

    def _typical_table(self) -> PlanTable:
        lines = [
            (
                one.name,
                f"{one.baseline:.3f}",
                f"{one.accuracy:.3f}",
                f"{one.low:.3f}-{one.high:.3f}",
                f"{one.without_privacy:.3f}",
                f"{one.best:.3f}",
            )
            for one in self.typical
        ]
        rows = self.simulated_rows or 0
        capped = f" (more are not simulated; you have {self.rows:,})" if self.rows and self.rows > rows else ""
        return PlanTable(
            f"Typical accuracy from {rows:,} rows{capped}: {self._budget}",
            lines,
            "A simulation, no promise: made-up tables with the columns of the schema, "
            f"{self.typical[0].tables} of each kind. Cells are drawn from the declared values, cuts and bounds, each "
            "column for itself, and labels from made-up rules. The same fit as `dprules fit` on each, tried on new "
            "rows. Columns of real tables hang together, and their labels follow other laws.",
            (
                "labels made of",
                "majority\nbaseline",
                "private\nlist",
                "lowest to\nhighest",
                "without\nprivacy",
                "best\npossible",
            ),
        )

    def _bounds_table(self) -> PlanTable:
        lines = [
            ("candidate conditions", f"{self.candidates:,}"),
            ("tilt of a draw", f"{self.tilt:.3g}   (the paper's: {_tilt_or_none(self.paper_tilt)})"),
        ]
        if self.rows is None or self.sample_errors < self.rows:
            lines.append(("errors on the sample, at most", f"{self.sample_errors:,.0f} rows"))
        if self.rows is not None:
            known = self.guaranteed_error
            promise = "no error below 50% is guaranteed" if known is None else f"error at most {known:.3f}"
            lines.append((f"{self.rows:,} rows", promise))
        if self.rows_needed and self.rows_without_privacy and self.paper_rows and self.ratio:
            lines += [
                (f"rows for an error of {self.error}", f"{self.rows_needed:,}"),
                ("... without privacy", f"{self.rows_without_privacy:,}"),
                ("... by the paper's bound", f"{self.paper_rows:,}   ({self.ratio:.1f} times ours)"),
            ]
        caption = f"For records labelled by some such list; holds with probability {1 - self.failure:g}."
        return PlanTable(f"Decision list, at the worst: {self._budget}", lines, caption)

    @property
    def _budget(self) -> str:
        return describe_budget(self.epsilon, self.delta, self.neighbours)


def bound_list(
    candidates: int,
    epsilon: Real,
    delta: float,
    *,
    rows: int | None = None,
    error: float | None = None,
    failure: float = 0.05,
    neighbours: str = "add-remove",
) -> ListPlan:
    """Say what DP-GreedyCover guarantees on realizable data.

    Parameters
    ----------
    candidates : int
        Conditions that a rule may have.
    epsilon, delta : number
        The budget.
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
    >>> plan = bound_list(60, epsilon=1.0, delta=1e-6, error=0.1)
    >>> plan.rows_needed < plan.paper_rows / 10
    True
    """
    bounds = _Bounds(
        candidates=whole(candidates, "candidates"),
        epsilon=float(budget(epsilon)),
        delta=probability(delta, "delta"),
        neighbours=Neighbours.parse(neighbours),
        failure=probability(failure, "failure"),
    )
    if error is not None:
        probability(error, "error")
    if rows is not None:
        _require_small_delta(bounds.delta, whole(rows, "rows"))
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


def _tilt_or_none(tilt: float | None) -> str:
    return "none, its lemma fails here" if tilt is None else f"{tilt:.3g}"


def _require_small_delta(delta: float, rows: int) -> None:
    """Refuse a delta at which publishing somebody's record would still count as private."""
    if delta > 1 / rows:
        raise PrivacyError(
            f"delta must be at most 1 / rows, here {1 / rows:.1e}, and got {delta:g}: above that, publishing a record "
            "chosen at random would count as private. Choose one far below, such as 1 / (100 rows)."
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
        self.tilt = cover.tilt(epsilon, delta, neighbours, rounds=rounds)
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
