"""From whatever users have to records that learners may count: everything here is private but names."""

from dprules.tables.coded import CodedSample, GroupedSample
from dprules.tables.compiled import compiled
from dprules.tables.frames import ColumnsTable
from dprules.tables.lines import split_line, strip_line_end
from dprules.tables.packed import Words, pack, transpose, unpack
from dprules.tables.records import Records, read_matrix, read_public_values, read_records, read_text_columns
from dprules.tables.residuals import Residuals, exponential_table, residual_table
from dprules.tables.sample import ClassCounts, PackedSample, Sample
from dprules.tables.sources import open_table
from dprules.tables.table import Table, call_quietly, find_near, no_such_columns

__all__ = [
    "ClassCounts",
    "CodedSample",
    "ColumnsTable",
    "GroupedSample",
    "PackedSample",
    "Records",
    "Residuals",
    "Sample",
    "Table",
    "Words",
    "call_quietly",
    "compiled",
    "exponential_table",
    "find_near",
    "no_such_columns",
    "open_table",
    "pack",
    "read_matrix",
    "read_public_values",
    "read_records",
    "read_text_columns",
    "residual_table",
    "split_line",
    "strip_line_end",
    "transpose",
    "unpack",
]
