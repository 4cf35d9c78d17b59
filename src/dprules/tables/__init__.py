"""From whatever users have to records that learners may count: everything here is private but names."""

from dprules.tables.coded import AdditiveSample, CodedSample, GroupedSample
from dprules.tables.compiled import compiled, inlined, prepare_kernels, reads, writes
from dprules.tables.frames import ColumnsTable
from dprules.tables.lines import split_header, split_record, strip_line_end
from dprules.tables.packed import Words, pack, transpose, unpack
from dprules.tables.packed_blocks import ClassCounts
from dprules.tables.records import (
    LocalRecords,
    Records,
    place_records,
    read_matrix,
    read_public_values,
    read_records,
    read_text_columns,
)
from dprules.tables.residuals import Residuals, exponential_table, residual_table
from dprules.tables.sample import PackedSample, Sample
from dprules.tables.scratch import scratch_folder
from dprules.tables.sources import open_table
from dprules.tables.storage import Storage
from dprules.tables.table import Table, call_quietly, find_near, no_such_columns

__all__ = [
    "AdditiveSample",
    "ClassCounts",
    "CodedSample",
    "ColumnsTable",
    "GroupedSample",
    "LocalRecords",
    "PackedSample",
    "Records",
    "Residuals",
    "Sample",
    "Storage",
    "Table",
    "Words",
    "call_quietly",
    "compiled",
    "exponential_table",
    "find_near",
    "inlined",
    "no_such_columns",
    "open_table",
    "pack",
    "place_records",
    "prepare_kernels",
    "read_matrix",
    "read_public_values",
    "read_records",
    "read_text_columns",
    "reads",
    "residual_table",
    "scratch_folder",
    "split_header",
    "split_record",
    "strip_line_end",
    "transpose",
    "unpack",
    "writes",
]
