"""From whatever users have to records that learners may count: everything here is private but names."""

from dprules.tables.compiled import compiled
from dprules.tables.frames import ColumnsTable
from dprules.tables.lines import split_line, strip_line_end
from dprules.tables.packed import Words, pack, unpack
from dprules.tables.records import Records, read_matrix, read_public_values, read_records, read_text_columns
from dprules.tables.sample import ClassCounts, PackedSample, Sample
from dprules.tables.sources import open_table
from dprules.tables.table import Table, call_quietly, find_near, no_such_columns

__all__ = [
    "ClassCounts",
    "ColumnsTable",
    "PackedSample",
    "Records",
    "Sample",
    "Table",
    "Words",
    "call_quietly",
    "compiled",
    "find_near",
    "no_such_columns",
    "open_table",
    "pack",
    "read_matrix",
    "read_public_values",
    "read_records",
    "read_text_columns",
    "split_line",
    "strip_line_end",
    "unpack",
]
