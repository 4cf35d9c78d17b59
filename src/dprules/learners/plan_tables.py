"""Plans as tables of words: printed by the command, shown by notebooks."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class PlanTable:
    """A title, lines of the same length, and what must be said below them.

    Parameters
    ----------
    title, caption : str
        Above and below.
    lines : sequence of sequences of str
        From top to bottom.
    header : sequence of str
        Names of the columns; empty for pairs of a name and a value.

    Examples
    --------
    >>> PlanTable("Plan", [("rows", "<10")], "Made up.").html()
    '<table><caption>Plan</caption><tr><td>rows</td><td>&lt;10</td></tr></table><p>Made up.</p>'
    """

    title: str
    lines: Sequence[Sequence[str]]
    caption: str
    header: Sequence[str] = ()

    def html(self) -> str:
        """Return the table for a notebook; whatever it says is escaped."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in self.lines)
        named = f"<tr>{head}</tr>" if head else ""
        return f"<table><caption>{escape(self.title)}</caption>{named}{body}</table><p>{escape(self.caption)}</p>"


def describe_budget(epsilon: float, delta: float, neighbours: str) -> str:
    """Return a budget in words."""
    return f"epsilon {epsilon:g}, delta {delta:g}, {neighbours} neighbours"
