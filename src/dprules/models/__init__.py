"""Public models: lists, halfspaces, and the envelope that they are published in."""

from dprules.models import halfspace
from dprules.models.counted import Estimate, Group, Told, show_number
from dprules.models.faults import CLASS_COUNTS, HYPOTHESES, RULE_COUNTS, RULES, cuts_of, values_of
from dprules.models.halfspace import Halfspace, ListMargin, Term
from dprules.models.released import Model, Released, StreamMark
from dprules.models.rule import Rule
from dprules.models.rule_list import RuleList

__all__ = [
    "CLASS_COUNTS",
    "HYPOTHESES",
    "RULES",
    "RULE_COUNTS",
    "Estimate",
    "Group",
    "Halfspace",
    "ListMargin",
    "Model",
    "Released",
    "Rule",
    "RuleList",
    "StreamMark",
    "Term",
    "Told",
    "cuts_of",
    "halfspace",
    "show_number",
    "values_of",
]
