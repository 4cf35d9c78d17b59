"""The public data sets of the benchmarks, read from a folder that is not part of the project."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from dprules.jobs import draft_schema
from dprules.schema import Schema

FOLDER = Path(os.environ.get("DPRULES_DATA", Path(__file__).parents[2] / "shared" / "data"))
LABELS = {
    "adult": "income",
    "bank": "y",
    "compas": "two_year_recid",
    "mushroom": "class",
    "car": "class",
    "german": "class",
}
MORE = {"diabetes130": "readmitted", "nursery": "class"}
ONE_OF = {"car": "unacc", "nursery": "priority"}
"""Sets with many classes: this one against the rest."""


def load(name: str) -> tuple[pa.Table, Schema]:
    """A data set as text columns, and a schema with 8 public cuts a numeric column; car has two classes."""
    path = FOLDER / f"{name}.csv"
    header = pyarrow.csv.open_csv(path).schema.names
    text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False)
    table = pyarrow.csv.read_csv(path, convert_options=text)
    label = (LABELS | MORE)[name]
    if name in ONE_OF:
        two = pc.if_else(pc.equal(table[label], ONE_OF[name]), ONE_OF[name], "other")
        table = table.set_column(table.schema.get_field_index(label), label, two)
    return table, draft_schema(table, label, values_are_public=True)


def split(table: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
    """80% to learn from and 20% to test on."""
    order = np.random.default_rng(seed).permutation(len(table))
    edge = int(0.8 * len(table))
    return table.take(order[:edge]), table.take(order[edge:])
