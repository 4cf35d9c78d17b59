"""What an epsilon buys, before any data is touched: what is guaranteed, and what is typical."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dprules.defaults import DELTA, EPSILON, NEIGHBOURS, WIDTH
from dprules.errors import ParameterError
from dprules.jobs.quiet import without_sizes
from dprules.learners.lists import ListPlan, ListSettings, Typical, bound_list, count_candidates
from dprules.learners.plan_tables import PlanTable
from dprules.learners.settings import Progress
from dprules.learners.streams import GuardedPlan, LearnerPlan, StreamPlan, plan_stream
from dprules.numbers import Real, whole
from dprules.schema import Schema, read_schema

__all__ = ["GuardedPlan", "LearnerPlan", "ListPlan", "PlanTable", "StreamPlan", "Typical", "plan_list", "plan_stream"]


def _silent(step: str, done: int, total: int | None) -> None:
    """Show no progress."""


@without_sizes
def plan_list(
    features: int | None = None,
    epsilon: Real = EPSILON,
    delta: float = DELTA,
    *,
    schema: Schema | str | Path | Mapping[str, Any] | None = None,
    width: int = WIDTH,
    rows: int | None = None,
    error: float | None = None,
    failure: float = 0.05,
    neighbours: str = NEIGHBOURS,
    progress: Progress = _silent,
) -> ListPlan:
    """Say what a list guarantees and, with a schema and a number of rows, what is typical on made-up tables.

    Parameters
    ----------
    features : int or None
        Boolean columns; both signs of each are literals. Or give a schema.
    epsilon, delta : number
        The budget.
    schema : Schema, path, dictionary or None
        The columns instead of a number of features; made-up tables are drawn from it.
    width : int
        Literals in one condition, at most.
    rows : int or None
        What error do they guarantee, and what is typical?
    error : float or None
        How many rows guarantee it?
    failure : float
        Probability with which the guarantee itself may fail.
    neighbours : str
        "add-remove" or "replace".
    progress : callable
        Told how far the simulation has come.

    Examples
    --------
    >>> plan = plan_list(features=30, width=1, error=0.1)
    >>> plan.candidates, plan.rows_needed < plan.paper_rows / 10
    (60, True)
    """
    if (features is None) == (schema is None):
        raise ParameterError("a plan is for a number of features or for a schema. Give one of the two.")
    columns = None if schema is None else read_schema(schema)
    if columns is None:
        candidates = count_candidates(whole(features, "features"), whole(width, "width"))
    else:
        candidates = _count_schema(columns, width)
    plan = bound_list(candidates, epsilon, delta, rows=rows, error=error, failure=failure, neighbours=neighbours)
    if columns is None or rows is None:
        return plan
    from dprules.jobs.typical import Trial, simulate  # tables and learners take a while to load

    trial = Trial(columns, ListSettings(width), epsilon, delta, neighbours, candidates)
    typical, simulated = simulate(trial, rows, progress)
    return replace(plan, typical=typical, simulated_rows=simulated)


def _count_schema(schema: Schema, width: int) -> int:
    """Return how many conditions a fit of a schema may choose from, private cuts and values included."""
    return ListSettings(width).survey(schema)["conditions"]
