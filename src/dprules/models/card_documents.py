"""Scorecards as JSON documents: read with suspicion, and nothing is ignored."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from dprules.accounting.events.event import Fields
from dprules.errors import ModelError
from dprules.models import documents
from dprules.models.counted import Estimate
from dprules.models.meaning import Cells, Odds, RiskTable, Totals
from dprules.models.points import MOST_POINTS, Points
from dprules.schema import Column, Value

LARGEST_SCORE = 2**31
"""Sums of points are below it: engines add 32-bit integers."""
_LEAST_SIGMA = Fraction(1, 2**20)
_MOST_SIGMA = Fraction(2**60)
_LEAST_DOUBLING = Fraction(1, 100)
"""Also the step of a doubling."""
_MOST_DOUBLING = Fraction(10**9)
_MOST_Z = 1e6


def read_points(entries: object, columns: Mapping[str, Column], places: int) -> tuple[Points, ...]:
    """Read the points of columns: each column once, in the order of the points."""
    if not isinstance(entries, list):
        raise ModelError("the file has no points. Export it again.")
    points = tuple(Points.from_document(entry, columns, places) for entry in entries)
    if [part.column.name for part in points] != list(columns):
        raise ModelError("the points of the file are not for its columns. Export it again.")
    largest = sum(int(np.abs(part.table()).max()) for part in points)
    if largest + MOST_POINTS >= LARGEST_SCORE:
        raise ModelError("the points of the file add up to more than engines can hold. Export it again.")
    return points


def read_base(entry: object, places: int) -> tuple[int, ...]:
    """Read what every record starts from."""
    return documents.read_whole(entry, places, "the file does not say what every score starts from", MOST_POINTS)


def read_meaning(document: Mapping[str, Any], classes: tuple[Value, ...]) -> RiskTable | Odds:
    """Read a table of risks, for two classes, or odds."""
    name = "risks" if len(classes) == 2 else "odds"
    entry = documents.read_entry(document, name, dict)
    if len(classes) == 2:
        return _read_risks(entry)
    doubling = Fields({"doubling": entry.get("doubling")}, "the file").fraction("doubling")
    if not _LEAST_DOUBLING <= doubling <= _MOST_DOUBLING or (doubling / _LEAST_DOUBLING).denominator != 1:
        raise ModelError("the odds of the file are not those of a scorecard. Export it again.")
    return Odds(doubling)


def _read_risks(entry: Mapping[str, Any]) -> RiskTable:
    starts = _read_starts(entry.get("starts"))
    risks = entry.get("risks")
    if not isinstance(risks, list) or len(risks) != len(starts) + 1:
        raise ModelError("the file does not have one risk for each row of its table. Export it again.")
    read = tuple(_read_risk(risk) for risk in risks)
    if any(before.value >= after.value for before, after in pairwise(read)):
        raise ModelError("the risks of the file do not rise from row to row. Export it again.")
    return RiskTable(starts, read)


def _read_risk(entry: object) -> Estimate:
    parts = [entry.get(name) if isinstance(entry, Mapping) else None for name in ("low", "value", "high")]
    low, value, high = (part if isinstance(part, float) else nan for part in parts)
    if not 0 <= low <= value <= high <= 1 or any(part != round(part, 3) for part in (low, value, high)):
        raise ModelError("a risk of the file is no share with its interval, in steps of 0.001. Export it again.")
    return Estimate(value, low, high)


def read_totals(entry: Mapping[str, Any], classes: int) -> Totals:
    """Read noisy class counts."""
    counts = documents.read_whole(entry.get("counts"), classes, "the class counts of the file do not fit its classes")
    return Totals(counts, _read_sigma(entry))


def read_cells(entry: object, points: tuple[Points, ...]) -> Cells | None:
    """Read what the meaning was fitted to: a card with points has it, one without has not."""
    if entry is None and not points:
        return None
    if not isinstance(entry, Mapping) or not points:
        raise ModelError("the file must have cells if it has points, and only then. Export it again.")
    starts = _read_starts(entry.get("starts"))
    counts = entry.get("counts")
    unfit = "the counts of the file do not fit its cells"
    if not isinstance(counts, list) or len(counts) != len(starts) + 1:
        raise ModelError(f"{unfit}. Export it again.")
    return Cells(starts, tuple(documents.read_whole(cell, 2, unfit) for cell in counts), _read_sigma(entry))


def read_z(entry: object, points: tuple[Points, ...]) -> float | None:
    """Read how far the fit is from none: a card with points has it, one without has not."""
    if entry is None and not points:
        return None
    if not points or not isinstance(entry, float) or not abs(entry) < _MOST_Z or entry != round(entry, 1):
        raise ModelError("z of the file must be a number in steps of 0.1 if it has points. Export it again.")
    return entry


def _read_starts(entry: object) -> tuple[int, ...]:
    number = len(entry) if isinstance(entry, list) else 0
    starts = documents.read_whole(entry, number, "scores of the file are not whole numbers", LARGEST_SCORE - 1)
    if any(first >= second for first, second in pairwise(starts)):
        raise ModelError("scores of the file do not increase. Export it again.")
    return starts


def _read_sigma(entry: Mapping[str, Any]) -> Fraction:
    sigma = Fields({"sigma": entry.get("sigma")}, "a count of the file").fraction("sigma")
    if not _LEAST_SIGMA <= sigma <= _MOST_SIGMA:
        raise ModelError("counts of the file carry noise that no release has. Export it again.")
    return sigma
