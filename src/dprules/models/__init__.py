"""Public models: lists, halfspaces, and the envelope that they are published in."""

from dprules.models import halfspace
from dprules.models.halfspace import Halfspace, ListMargin, Term
from dprules.models.released import (
    CLASS_COUNTS,
    HYPOTHESES,
    RULE_COUNTS,
    RULES,
    Model,
    Released,
    StreamMark,
    cuts_of,
)
from dprules.models.rule import Rule
from dprules.models.rule_list import RuleList

__all__ = [
    "CLASS_COUNTS",
    "HYPOTHESES",
    "RULES",
    "RULE_COUNTS",
    "Halfspace",
    "ListMargin",
    "Model",
    "Released",
    "Rule",
    "RuleList",
    "StreamMark",
    "Term",
    "cuts_of",
    "halfspace",
]
