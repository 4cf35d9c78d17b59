"""What is public of a table: columns, labels, literals, conditions, and how one cell is read."""

from dprules.schema.columns import (
    GRID,
    MISSING,
    Boolean,
    Categorical,
    Clipped,
    Column,
    FieldError,
    Numeric,
    Positive,
    PrivateCuts,
    Value,
    is_number,
)
from dprules.schema.conditions import Conditions, build_conditions, count_conditions
from dprules.schema.documents import DocumentReader
from dprules.schema.drafts import draft_column, draft_from_kinds, quantile_cuts, refuse_placeholders
from dprules.schema.labels import Label
from dprules.schema.literals import Literal, Operator, literals_of, show_value
from dprules.schema.schema import Schema, read_schema

__all__ = [
    "GRID",
    "MISSING",
    "Boolean",
    "Categorical",
    "Clipped",
    "Column",
    "Conditions",
    "DocumentReader",
    "FieldError",
    "Label",
    "Literal",
    "Numeric",
    "Operator",
    "Positive",
    "PrivateCuts",
    "Schema",
    "Value",
    "build_conditions",
    "count_conditions",
    "draft_column",
    "draft_from_kinds",
    "is_number",
    "literals_of",
    "quantile_cuts",
    "read_schema",
    "refuse_placeholders",
    "show_value",
]
