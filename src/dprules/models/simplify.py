"""Logical simplification, from the list and public facts only."""

from collections.abc import Sequence

from dprules.models.rule import Rule
from dprules.schema import Literal

Asked = dict[str, frozenset[int]]


def reachable_rules(rules: Sequence[Rule]) -> list[int]:
    """Return the places of the rules that some row may reach.

    Guarantee: every row gets the same label without the others. A rule is unreachable if an earlier rule holds whenever
    it does: each column that the earlier one asks about is asked at least as narrowly by the later one.
    """
    asked = [_allowed_codes(rule) for rule in rules]
    kept: list[int] = []
    for place in range(len(rules)):
        satisfiable = all(asked[place].values())
        if satisfiable and not any(_implies(asked[place], asked[earlier]) for earlier in kept):
            kept.append(place)
    return kept


def _allowed_codes(rule: Rule) -> Asked:
    """Return the codes that a rule allows, by column."""
    allowed: Asked = {}
    for condition in rule.conditions:
        before = allowed.get(condition.column.name, _all_codes(condition))
        allowed[condition.column.name] = before & condition.codes
    return allowed


def _all_codes(literal: Literal) -> frozenset[int]:
    return frozenset(range(-1, literal.column.size))


def _implies(later: Asked, earlier: Asked) -> bool:
    return all(column in later and later[column] <= codes for column, codes in earlier.items())
