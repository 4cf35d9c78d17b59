"""Whose privacy is protected: one row, or all rows of a person."""

from dataclasses import dataclass

from dprules.errors import ParameterError
from dprules.numbers import whole

LONGEST_NAME = 1_000
"""Characters of a column's or release's name in a statement."""
MOST_ROWS = 100_000
"""Rows of a unit that a price may be for."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one neighbour has and the other has not.

    Parameters
    ----------
    column : str or None
        Names whose a row is; None: each row (or round of a stream) stands for itself.
    rows : int
        At most so many rows of a unit are kept, and the price is for all of them.
    of : str
        What a record is called when there is no column: "row", or "round" for streams.

    Examples
    --------
    >>> str(Unit()), str(Unit("patient", 3))
    ('row', "value of 'patient' (at most 3 rows of each)")
    """

    column: str | None = None
    rows: int = 1
    of: str = "row"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", whole(self.rows, "unit_rows"))
        if self.rows > MOST_ROWS:
            raise ParameterError(f"unit_rows must be at most {MOST_ROWS:,}; got {self.rows}. 1 is the safest.")
        if self.column is None and self.rows != 1:
            raise ParameterError("unit_rows says how many rows of a unit are kept. Name the column of the unit.")
        if self.column is not None and not is_one_line(self.column):
            raise ParameterError("the column of a unit must be a name of one line, as the statement prints it.")
        if self.of not in ("row", "round"):
            raise ParameterError(f"a unit without a column is a row or a round; got {self.of!r}.")

    def __str__(self) -> str:
        if self.column is None:
            return self.of
        return f"value of {self.column!r}" + (f" (at most {self.rows} rows of each)" if self.rows > 1 else "")


def is_one_line(text: object) -> bool:
    """Whether a name can stand in a statement without looking like another line of it."""
    if not isinstance(text, str) or len(text) > LONGEST_NAME or "\x1b" in text:
        return False
    return text.splitlines() in ([], [text])  # also no line end at the end
