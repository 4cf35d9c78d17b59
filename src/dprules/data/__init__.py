"""Tables, schemas, literals and samples."""

from dprules.data.columns import Boolean, Categorical, Column, Numeric
from dprules.data.features import conjunctions
from dprules.data.literals import Literal, Operator, literals
from dprules.data.sample import Sample
from dprules.data.schema import Label, PrivateCuts, Schema
from dprules.data.table import Table, Unit, open_table

__all__ = [
    "Boolean",
    "Categorical",
    "Column",
    "Label",
    "Literal",
    "Numeric",
    "Operator",
    "PrivateCuts",
    "Sample",
    "Schema",
    "Table",
    "Unit",
    "conjunctions",
    "literals",
    "open_table",
]
