"""What is odd about rows: for rows that their owner has declared public, and no others."""

import numpy as np

from dprules.data.schema import Schema
from dprules.data.table import Table
from dprules.errors import DataError


def check_rows(table: Table, schema: Schema) -> None:
    """Refuse a table that is empty, has one class, undeclared labels or a column without values.

    **Not private**: the answer depends on rows. Only for rows that are public.
    """
    codes = table.codes([schema.label.column(), *schema.columns])
    labels, cells = codes[:, 0], codes[:, 1:]
    if not len(codes):
        raise DataError("the table has no rows. Check the file, or the query behind the table.")
    undeclared = int((labels < 0).sum())
    if undeclared:
        raise DataError(
            f"{undeclared} of {len(codes)} rows have a missing or undeclared label. Mend the schema, or leave them out."
        )
    if len(np.unique(labels)) == 1:
        raise DataError(f"all rows are of class {schema.label.classes[labels[0]]}. There is nothing to learn.")
    for column, own in zip(schema.columns, cells.T, strict=True):
        if (own < 0).all():
            raise DataError(f"column {column.name!r} has no declared value in any row. Mend the schema, or drop it.")
