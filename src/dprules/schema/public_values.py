"""Columns from values that are public: those of a table that its owner has declared so, or of a public one like it."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.schema.cells import read_date, read_number, read_value, tabulate_values
from dprules.schema.columns import Boolean, Categorical, Column, Numeric
from dprules.schema.dates import Date, day_number, show_day

CUTS = 8
"""Cuts of a column of numbers or dates whose values are public."""
MOST_LISTED = 60
"""Values of a column that a draft lists."""
MOST_USUAL = 50
"""Different values that a categorical column usually has: one with more was perhaps meant as something else."""


def rank_values(cells: Iterable[object]) -> tuple[list[str], NDArray[np.float64]]:
    """Return the values of public cells, most frequent first, and their numbers."""
    often: Counter[str] = Counter()
    numbers: list[float] = []
    for cell in cells:
        text = read_value(cell)
        number = read_number(cell)
        often.update([] if text is None else [text])
        numbers += [] if number is None else [number]
    return sorted(often, key=lambda value: (-often[value], value)), np.array(numbers, dtype=np.float64)


def draft_column(name: str, values: Sequence[str], numbers: NDArray[np.float64], decimal: str = ".") -> Column | None:
    """Draft a column from its values, most frequent first, and its numbers: only where values are public.

    None if there is no value that could be declared.
    """
    if values and {value.lower() for value in values} <= {"true", "false"}:
        return Boolean(name)
    readable = sum(read_number(value, decimal) is not None for value in values)
    if readable > 0.9 * len(values) and len(values) > CUTS:
        cuts = quantile_cuts(numbers, CUTS)
        if cuts:
            return Numeric(name, cuts, decimal=decimal)
    days = [day for day in map(read_date, values) if day is not None]
    if len(days) > max(CUTS, 0.9 * len(values)):
        found = quantile_cuts(np.array([day_number(day) for day in days], dtype=np.float64), CUTS)
        if found:
            return Date(name, [show_day(day) for day in found])
    listed = declarable_values(values)
    return Categorical(name, listed) if listed else None


def declarable_values(values: Sequence[str]) -> tuple[str, ...]:
    """Return the first values that can be declared together: of several forms of one value ("1", "1.0") the first."""
    kept: list[str] = []
    known: set[str] = set()
    for value in values:
        try:
            forms = set(tabulate_values([value]))
        except ValueError:
            continue
        if not forms & known and len(kept) < MOST_LISTED:
            kept.append(value)
            known |= forms
    return tuple(kept)


def quantile_cuts(numbers: NDArray[np.float64], number_of_cuts: int) -> tuple[float, ...]:
    """Return cuts at quantiles; a number that a third of the rows share is set aside, so that others are told apart."""
    if len(numbers) == 0:
        return ()
    known, counts = np.unique(numbers, return_counts=True)
    common = known[counts.argmax()]
    rest = numbers[numbers != common] if counts.max() > 0.3 * len(numbers) else numbers
    if len(rest) == 0:
        return ()
    levels = np.arange(1, number_of_cuts + 1) / (number_of_cuts + 1)
    return tuple(float(cut) for cut in np.unique(np.quantile(rest, levels, method="higher")) if cut > known[0])
