"""What a fit would spend, in words: `schema check` and `fit --dry-run` print it alike."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tables take a while to load
    from dprules.jobs import Spending


def describe_spending(epsilon: float, delta: float, spending: "Iterable[Spending]") -> str:
    """Return a budget and its parts, one line each."""
    from dprules.schema import show_value

    parts = [f"  {show_value(part.what)}: epsilon {part.epsilon:.4g}, delta {part.delta:.3g}" for part in spending]
    return "\n".join([f"A fit with epsilon {epsilon:g} and delta {delta:g} would spend:", *parts])
