"""New columns for a stream that runs: a public moment from which on more is asked of every event."""

from dataclasses import replace

import numpy as np

from dprules.errors import SchemaError
from dprules.learners.streams.blocks import Integers
from dprules.learners.streams.features import StreamFeatures
from dprules.schema import Schema


def extend_features(before: StreamFeatures, schema: Schema) -> tuple[StreamFeatures, Integers]:
    """Return the features of a schema with more columns, and where each coordinate of before has gone.

    The bias is last, before and after.

    Parameters
    ----------
    before : StreamFeatures
        What is asked of events now.
    schema : Schema
        The same label and columns, and more columns.
    """
    known = {column.name: column for column in before.schema.columns}
    kept = tuple(column for column in schema.columns if column.name in known)
    if len(kept) == len(schema.columns):
        raise SchemaError("the schema has no column that is new. Add one, or leave the stream as it is.")
    alike = replace(schema, columns=before.schema.columns, ignored=before.schema.ignored) == before.schema
    if not alike or {column.name: column for column in kept} != known:
        raise SchemaError("a running stream can only get new columns. Leave the label and its columns as they were.")
    after = replace(before, schema=schema)
    places = {after.asked(j): j for j in range(after.count)}
    moved = [places[before.asked(j)] for j in range(before.count)]
    return after, np.array([*moved, after.count], dtype=np.int64)
