"""Public models: lists, scorecards, halfspaces, and the envelope that they are published in."""

from dprules.models import halfspace
from dprules.models.counted import Estimate, Group, Told, show_number
from dprules.models.faults import (
    BINS,
    CLASS_COUNTS,
    HYPOTHESES,
    RISK_TABLE,
    RULE_COUNTS,
    RULES,
    TERM_WEIGHTS,
    WEIGHTS,
    cuts_of,
    values_of,
)
from dprules.models.halfspace import Halfspace, ListMargin, Term
from dprules.models.meaning import Cells, Odds, RiskTable, Totals
from dprules.models.model import Answer, Model, Read
from dprules.models.one_row import reader_of
from dprules.models.points import Line, Points, PointsTable
from dprules.models.published import public_file, read_published
from dprules.models.released import Released, StreamMark, mark_seeded, read_released
from dprules.models.rule import Rule
from dprules.models.rule_list import RuleList
from dprules.models.scorecard import Scorecard

__all__ = [
    "BINS",
    "CLASS_COUNTS",
    "HYPOTHESES",
    "RISK_TABLE",
    "RULES",
    "RULE_COUNTS",
    "TERM_WEIGHTS",
    "WEIGHTS",
    "Answer",
    "Cells",
    "Estimate",
    "Group",
    "Halfspace",
    "Line",
    "ListMargin",
    "Model",
    "Odds",
    "Points",
    "PointsTable",
    "Read",
    "Released",
    "RiskTable",
    "Rule",
    "RuleList",
    "Scorecard",
    "StreamMark",
    "Term",
    "Told",
    "Totals",
    "cuts_of",
    "halfspace",
    "mark_seeded",
    "public_file",
    "read_published",
    "read_released",
    "reader_of",
    "show_number",
    "values_of",
]
