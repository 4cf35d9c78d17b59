"""The recipe without noise, at its best: what a private list is held against; **not private**."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from dprules.accounting.counted import Parts
from dprules.learners.lists import recipe
from dprules.learners.lists.counted_cover import Cell, NoNoise, counted_cover
from dprules.learners.lists.learn import name_cells
from dprules.learners.lists.remaining import Remaining
from dprules.models import RuleList
from dprules.schema import Conditions, Literal, Value
from dprules.tables import Sample

LENGTHS = (5, 10, 20, 40)
"""Numbers of rules that are usually tried..."""
FIRST_REWARDS = (0.02, 0.1, 0.25, 0.5)
"""... each with these."""


def yardsticks(
    sample: Sample,
    conditions: Conditions,
    literals: Sequence[Literal],
    classes: Sequence[Value],
    lengths: Sequence[int],
) -> list[RuleList]:
    """Return a list for each number of rules and first reward, those right most often here first; **not private**."""
    odds = recipe.odds_against_the_largest([float(count) for count in sample.totals()])
    tried = []
    for rules, first in product(lengths, FIRST_REWARDS):
        remaining = Remaining(sample, conditions, recipe.prior_of(conditions))
        tried.append(counted_cover(remaining, rules, recipe.Recipe(rules, first, odds).score, NoNoise(), Parts()))
    tried.sort(key=_right, reverse=True)
    return [name_cells(cells, conditions, literals, classes, Fraction(2**20)).simplified() for cells in tried]


def _right(cells: Sequence[Cell]) -> int:
    return sum(cell.counts[cell.drawn[1]] for cell in cells)
