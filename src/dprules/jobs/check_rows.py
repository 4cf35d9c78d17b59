"""What is odd about rows: for rows that their owner has declared public, and no others."""

import numpy as np

from dprules.errors import DataError
from dprules.schema import PrivateCuts, PrivateValues, Schema
from dprules.tables import Table, read_matrix


def check_rows(table: Table, schema: Schema) -> None:
    """Refuse a table that is empty, has one class, undeclared labels or a column without values.

    **Not private**: the answer depends on rows. Only for rows that are public.
    """
    known = (c for c in schema.columns if not isinstance(c, PrivateCuts | PrivateValues))
    columns = [schema.label.column(), *known]
    codes = np.concatenate([np.zeros((0, len(columns)), np.int16), *read_matrix(table, columns)])
    labels = codes[:, 0]
    if table.left_out:
        noun = "line" if table.left_out == 1 else "lines"
        raise DataError(
            f"{table.left_out} {noun} cannot be read: quotes that do not balance, no cell at all, or another number of "
            "cells than the header. Mend or remove what is odd."
        )
    if not len(codes):
        raise DataError("the table has no rows. Check the file, or the query behind the table.")
    undeclared = int((labels < 0).sum())
    if undeclared:
        raise DataError(
            f"{undeclared} of {len(codes)} rows have a missing or undeclared label. Mend the schema, or leave them out."
        )
    if len(np.unique(labels)) == 1:
        raise DataError(f"all rows are of class {schema.label.classes[labels[0]]}. From one class nothing is learnt.")
    for column, cells in zip(columns[1:], codes[:, 1:].T, strict=True):
        if (cells < 0).all():
            raise DataError(f"column {column.name!r} has no declared value in any row. Mend the schema, or drop it.")
