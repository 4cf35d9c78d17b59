"""Scorecards as Python: a module with `score`, `probability` and `predict` that needs nothing but Python."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dprules.models.export import python
from dprules.models.export.header import Header
from dprules.models.meaning import RiskTable
from dprules.models.points import Points
from dprules.schema import show_value

if TYPE_CHECKING:  # cards are exported here
    from dprules.models.scorecard import Scorecard

_TWO_CLASSES = '''
def score(row):
    """Return the sum of the points of a row, given as a dictionary."""
    return BASE + sum(points(row))


def probability(row):
    """Return how likely the positive class is."""  # {positive}
    return RISKS[bisect_right(STARTS, score(row))]


def predict(row):
    """Return the label of a row."""
    return LABELS[bisect_right(STARTS, score(row))]
'''
_MANY_CLASSES = '''
def score(row):
    """Return the sums of the points of a row, given as a dictionary, by class."""
    return {label: sum(parts) for label, *parts in zip(CLASSES, BASE, *points(row))}


def probability(row):
    """Return how likely each class is: weights stand for powers of two."""
    scores = score(row)
    most = max(scores.values())
    leads = {label: min(most - one, len(FINE) * len(COARSE) - 1) for label, one in scores.items()}
    weights = {label: FINE[lead % len(FINE)] * COARSE[lead // len(FINE)] for label, lead in leads.items()}
    total = float(sum(weights.values()))
    return {label: float(weight) / total for label, weight in weights.items()}


def predict(row):
    """Return the label of a row: the class with the most points, handicaps added; of several the first."""
    scores = score(row)
    return max(CLASSES, key=lambda label: scores[label] + HANDICAPS[label])
'''


def write_card(card: "Scorecard", header: Header) -> str:
    """Return a module with what a card says of a row.

    Parameters
    ----------
    card : Scorecard
        What is exported.
    header : Header
        What stands in the comment at its beginning.
    """
    names = python.name_columns(card.columns)
    lines = ["def points(row):", '    """Return what each column adds."""', *python.write_readings(card.columns)]
    lines.append("    found = []")
    for points in card.points:
        lines += _write_points(points, names, alone=isinstance(card.meaning, RiskTable))
    lines.append("    return found")
    return python.write_module(
        card.columns, header, [*_write_constants(card), "\n".join(lines), _write_functions(card)]
    )


def _write_points(points: Points, names: dict[str, str], alone: bool) -> list[str]:
    """Return the branches of one column; points are one number, or one for each class."""
    otherwise = f"found.append({points.otherwise[0] if alone else points.otherwise})"
    lines = []
    for place, line in enumerate(points.lines):
        question = python.write_literal(line.condition, names)
        lines.append(f"    {'elif' if place else 'if'} {question}:  # {python.write_comment([line.condition])}")
        lines.append(f"        found.append({line.points[0] if alone else line.points})")
    return [*lines, "    else:", f"        {otherwise}"] if lines else [f"    {otherwise}"]


def _write_constants(card: "Scorecard") -> list[str]:
    """Return what scores mean, as numbers."""
    if isinstance(card.meaning, RiskTable):
        risks = tuple(risk.value for risk in card.meaning.risks)
        constants = {"BASE": card.base[0], "STARTS": card.meaning.starts, "RISKS": risks, "LABELS": card.labels}
        return ["from bisect import bisect_right", _assign(constants)]
    table = card.odds_table()
    handicaps = dict(zip(card.classes, card.handicaps, strict=True))
    classes = {"CLASSES": card.classes, "BASE": card.base, "HANDICAPS": handicaps}
    return [_assign(classes | {"FINE": table.fine, "COARSE": table.coarse})]


def _assign(constants: Mapping[str, object]) -> str:
    return "\n".join(f"{name} = {value!r}" for name, value in constants.items())


def _write_functions(card: "Scorecard") -> str:
    if isinstance(card.meaning, RiskTable):
        return _TWO_CLASSES.replace("{positive}", ascii(show_value(card.positive))).strip()
    return _MANY_CLASSES.strip()
