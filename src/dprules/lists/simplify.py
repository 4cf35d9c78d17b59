"""Logical simplification, from the list and public facts only."""

from typing import TYPE_CHECKING

from dprules.data.literals import Literal

if TYPE_CHECKING:
    from dprules.lists.rule_list import Rule, RuleList

Asked = dict[str, frozenset[int]]


def simplify(rules: "RuleList") -> "RuleList":
    """Drop unreachable rules, and trailing rules whose label is the default.

    Guarantee: every row gets the same label. A rule is unreachable if an earlier rule holds whenever it does: each
    column that the earlier one asks about is asked at least as narrowly by the later one.
    """
    from dataclasses import replace

    kept: list[int] = []
    for i, rule in enumerate(rules.rules):
        if all(_asked(rule).values()) and not any(_implies(rule, rules.rules[j]) for j in kept):
            kept.append(i)
    while kept and rules.rules[kept[-1]].label == rules.default:
        kept.pop()
    if rules.counts is not None and len(kept) < len(rules.rules):
        raise ValueError("simplify before counts are bought: cells would no longer fit.")
    return replace(rules, rules=tuple(rules.rules[i] for i in kept))


def trimmed(rules: "RuleList", noise: float) -> "RuleList":
    """Drop trailing rules that decide no more records than the noise of their bought counts could make up.

    What they decided falls to the default, whose counts are then the sums of theirs. Post-processing of released
    values: free, but a few predictions may change.
    """
    from dataclasses import replace

    if rules.counts is None:
        return rules
    kept, cells = list(rules.rules), [list(cell) for cell in rules.counts]
    while kept and sum(cells[len(kept) - 1]) < 4 * noise:
        cells[len(kept) - 1 :] = [[a + b for a, b in zip(*cells[len(kept) - 1 :], strict=True)]]
        kept.pop()
    while kept and kept[-1].label == rules.default:
        cells[len(kept) - 1 :] = [[a + b for a, b in zip(*cells[len(kept) - 1 :], strict=True)]]
        kept.pop()
    return replace(rules, rules=tuple(kept), counts=tuple(tuple(cell) for cell in cells))


def _asked(rule: "Rule") -> Asked:
    """The codes that a rule allows, by column."""
    allowed: Asked = {}
    for condition in rule.conditions:
        allowed[condition.column.name] = allowed.get(condition.column.name, _everything(condition)) & condition.codes
    return allowed


def _everything(literal: Literal) -> frozenset[int]:
    return frozenset(range(-1, literal.column.size))


def _implies(later: "Rule", earlier: "Rule") -> bool:
    asked = _asked(later)
    return all(column in asked and asked[column] <= codes for column, codes in _asked(earlier).items())
