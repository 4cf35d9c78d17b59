"""What a ledger knows, as rows of a page."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dprules.ledger import (
    DOWN,
    Book,
    ChargeState,
    GrantState,
    SlotBudget,
    show_amount,
    show_cost,
    show_guarantee,
)


def list_grants(book: Book, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each grant of some data sets."""
    return [_row_of_grant(book, state) for name in names for state in book.grants_of(name)]


def list_charges(book: Book, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each charge of some data sets."""
    return [_row_of_charge(book, state) for state in book.charges.values() if state.spent.dataset in names]


def has_ended(state: GrantState) -> bool:
    """Whether nothing more can be charged to a grant: its last day is over, or somebody has closed it."""
    return state.ended(datetime.now(UTC))


def show_left(state: GrantState) -> str:
    """Return what a job may still take."""
    return "nothing" if has_ended(state) else show_cost(state.grant.filter, state.left, DOWN)


def share_left(state: GrantState) -> float:
    """Return what is left, by the coordinate that is nearest to its end: between 0 and 1."""
    if has_ended(state):
        return 0.0
    pairs = zip(state.left, state.grant.filter.limit, strict=True)
    return max(0.0, min((float(left / limit) for left, limit in pairs if limit), default=0.0))


def say_end(state: GrantState) -> str:
    """Return until when a grant may be charged, or since when it may not; nothing if it does not end."""
    until = state.grant.until
    if state.closed:
        return "closed"
    if until is None:
        return ""
    return f"ended on {until}" if has_ended(state) else f"until {until}"


def list_shapes(state: GrantState) -> list[str]:
    """Return what each slot of a grant fits; nothing if it has none."""
    budget = state.grant.filter
    return [shape.name for shape in budget.shapes] if isinstance(budget, SlotBudget) else []


def _row_of_grant(book: Book, state: GrantState) -> dict[str, Any]:
    grant, known = state.grant, book.datasets[state.grant.dataset]
    epsilon, delta = show_guarantee(grant.filter)
    share = share_left(state)
    return {
        "dataset": grant.dataset,
        "unit": str(known.unit),
        "neighbours": known.neighbours.value,
        "number": state.entry.number,
        "end": say_end(state),
        "by": grant.by,
        "why": grant.why,
        "granted": show_cost(grant.filter, grant.filter.limit),
        "epsilon": epsilon,
        "delta": delta,
        "shapes": list_shapes(state),
        "left": show_left(state),
        "share": f"{share:.4f}",
        "percent": f"{100 * share:.0f}%",
    }


def _row_of_charge(book: Book, state: ChargeState) -> dict[str, Any]:
    spent = state.spent
    return {
        "number": state.entry.number,
        "time": f"{state.entry.time:%Y-%m-%d %H:%M}",
        "dataset": spent.dataset,
        "job": f"{spent.quote.job}, epsilon {show_amount(spent.quote.epsilon)}",
        "cost": show_cost(book.grants[spent.grant].grant.filter, spent.cost),
        "by": spent.by,
        "outcome": state.outcome,
    }
