"""What is public of a table: columns, labels, literals, conditions, and how one cell is read."""

from dprules.schema.codebooks import Codebook, read_codebook
from dprules.schema.columns import (
    GRID,
    MISSING,
    Boolean,
    Categorical,
    Clipped,
    Column,
    Numeric,
    Ordered,
    Positive,
    PrivateCuts,
    Value,
    is_number,
)
from dprules.schema.conditions import Conditions, build_conditions, count_conditions
from dprules.schema.dates import Date, PrivateDates
from dprules.schema.documents import DocumentReader, Survey
from dprules.schema.drafts import Draft, empty_entry, empty_label
from dprules.schema.gaps import PLACEHOLDER, FieldError, Gap, GapsError
from dprules.schema.labels import Label
from dprules.schema.literals import Literal, Operator, literals_of, show_value
from dprules.schema.private_values import PrivateValues
from dprules.schema.public_values import MOST_USUAL, declarable_values, draft_column, quantile_cuts
from dprules.schema.records import as_record, is_series, read_frame
from dprules.schema.scaled import Scaled
from dprules.schema.schema import Schema, read_schema
from dprules.schema.text_files import read_text_file

__all__ = [
    "GRID",
    "MISSING",
    "MOST_USUAL",
    "PLACEHOLDER",
    "Boolean",
    "Categorical",
    "Clipped",
    "Codebook",
    "Column",
    "Conditions",
    "Date",
    "DocumentReader",
    "Draft",
    "FieldError",
    "Gap",
    "GapsError",
    "Label",
    "Literal",
    "Numeric",
    "Operator",
    "Ordered",
    "Positive",
    "PrivateCuts",
    "PrivateDates",
    "PrivateValues",
    "Scaled",
    "Schema",
    "Survey",
    "Value",
    "as_record",
    "build_conditions",
    "count_conditions",
    "declarable_values",
    "draft_column",
    "empty_entry",
    "empty_label",
    "is_number",
    "is_series",
    "literals_of",
    "quantile_cuts",
    "read_codebook",
    "read_frame",
    "read_schema",
    "read_text_file",
    "show_value",
]
