"""One row at a time: what a model alone determines is prepared once, so that a row costs microseconds.

`Model.prepare` is the door. Every function here says of one row what `decide`, `probabilities` and `scores` say of
many, to the last bit.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dprules.schema import Clipped, Column, Literal, Value

if TYPE_CHECKING:
    from dprules.models.halfspace import Halfspace
    from dprules.models.model import Model
    from dprules.models.rule_list import RuleList
    from dprules.models.scorecard import Scorecard

Shares = tuple[float, ...]
Score = int | float | tuple[int, ...]
Said = tuple[Value, Shares | None, Score | None]
"""The label of a row; how likely each class is, in the order of the model's classes; the sum that decides, one for each
class where there are more than two. None where the model has no such thing."""
Answerer = Callable[[Sequence[Any]], Said]
"""From what was read of a row, in the order of the model's columns, to what the model says of it."""
_Asked = tuple[tuple[int, bytes], ...]
"""Literals: the place of the column, and a byte for each of its codes, MISSING = -1 last."""


def reader_of(column: Column) -> Callable[[object], int | float]:
    """Return the function that reads a cell of a column: to its code, or to the number that is weighed."""
    return column.number if isinstance(column, Clipped) else column.code


def by_arrays(model: "Model") -> Answerer:
    """Return what any model says of a row, through arrays of one row: right for every model, and slow."""

    def answer(cells: Sequence[Any]) -> Said:
        read = {column.name: np.array([cell]) for column, cell in zip(model.columns, cells, strict=True)}
        shares = tuple(model.probabilities(read, 1)[0].tolist()) if model.has_probabilities else None
        score = model.scores(read, 1)[0].tolist() if model.has_scores else None
        label = model.labels[int(model.decide(read, 1)[0])]
        return label, shares, tuple(score) if isinstance(score, list) else score

    return answer


def by_rules(model: "RuleList") -> Answerer:
    """Return what a list says of a row: the answer of the first rule whose literals all hold."""
    places = _places(model)
    rules = [_tabulate(rule.conditions, places) for rule in model.rules]
    shares = model.probabilities_at(np.arange(len(rules) + 1)).tolist() if model.has_probabilities else None
    said: list[Said] = [
        (label, None if shares is None else tuple(shares[i]), None) for i, label in enumerate(model.labels)
    ]

    def answer(cells: Sequence[Any]) -> Said:
        for rule, found in zip(rules, said, strict=False):
            for place, holds in rule:
                if not holds[cells[place]]:
                    break
            else:
                return found
        return said[-1]

    return answer


def by_terms(model: "Halfspace") -> Answerer:
    """Return what a halfspace says of a row; its terms are added in their order, since another may round otherwise."""
    places = _places(model)
    terms: list[tuple[int, _Asked, float]] = [
        (places[term.feature.name], (), term.weight)
        if isinstance(term.feature, Clipped)
        else (-1, _tabulate(term.feature, places), term.weight)
        for term in model.terms
    ]
    first, second = model.classes
    bias = model.bias

    def answer(cells: Sequence[Any]) -> Said:
        total = bias
        for number, literals, weight in terms:
            if number >= 0:
                total += weight * cells[number]
                continue
            for place, holds in literals:
                if not holds[cells[place]]:
                    total -= weight
                    break
            else:
                total += weight
        return (second if total > 0 else first), None, total

    return answer


def by_risks(model: "Scorecard", starts: Sequence[int], shares: Sequence[Shares]) -> Answerer:
    """Return what a card of two classes says of a row: its points add up to a score, which has a row of the risk table.

    Parameters
    ----------
    model : Scorecard
        The card.
    starts : sequence of int
        The first score of each row of the table but the first.
    shares : sequence of tuples of float
        How likely the classes are, for each row of the table.
    """
    tables = [points.table()[:, 0].tolist() for points in model.points]
    labels = model.labels
    base = model.base[0]

    def answer(cells: Sequence[Any]) -> Said:
        score = base
        for table, code in zip(tables, cells, strict=True):
            score += table[code]
        row = bisect_right(starts, score)
        return labels[row], shares[row], score

    return answer


def by_odds(model: "Scorecard") -> Answerer:
    """Return what a card of more than two classes says of a row: the class with most points, handicaps added."""
    tables = [points.table().tolist() for points in model.points]
    handicaps = model.handicaps
    odds = model.odds_table()
    step = len(odds.fine)
    classes = range(len(model.classes))

    def answer(cells: Sequence[Any]) -> Said:
        scores = list(model.base)
        for table, code in zip(tables, cells, strict=True):
            for place, points in enumerate(table[code]):
                scores[place] += points
        most = max(scores)
        leads = [min(most - score, odds.last) for score in scores]
        weights = [odds.fine[lead % step] * odds.coarse[lead // step] for lead in leads]
        every = sum(weights)
        label = model.classes[max(classes, key=lambda place: scores[place] + handicaps[place])]
        return label, tuple(weight / every for weight in weights), tuple(scores)

    return answer


def _places(model: "Model") -> dict[str, int]:
    return {column.name: place for place, column in enumerate(model.columns)}


def _tabulate(literals: Sequence[Literal], places: dict[str, int]) -> _Asked:
    return tuple((places[literal.column.name], literal.truth().tobytes()) for literal in literals)
