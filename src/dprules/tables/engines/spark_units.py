"""At most so many rows of each unit, where units lie in many partitions.

The choice is a function of a key and of a unit's own rows as they are read, never of where they lie or in which order
they come: whoever makes a partition again, after an executor was lost, keeps the very same rows. Were other rows kept
in a later round, a unit could be counted with more rows than it was charged for (`docs/proofs/spark.md`).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from dprules.schema import Schema
from dprules.tables.arrow import to_numpy
from dprules.tables.compiled import prepare_kernels
from dprules.tables.engines.spark_blocks import Arrays
from dprules.tables.engines.spark_records import write_records
from dprules.tables.fields import Layout, put_codes, take_codes
from dprules.tables.packed import Words
from dprules.tables.record_blocks import BlockReader, RecordBlock
from dprules.tables.threads import work_alone
from dprules.tables.units import UnitKey, choose_rows

_KEYS = ("owner0", "owner1")
"""Two words that say whose a row is."""


def choose_on_spark(
    frame: Any, schema: Schema, names: Sequence[str], unit: str, most: int, secret: bytes
) -> tuple[Any, Callable[[Iterator[pa.RecordBatch]], Iterator[Arrays]]]:
    """Return a frame with all rows of a unit in one partition, and what makes blocks of it."""
    layout = BlockReader(schema).layout
    fields = [f"{name} bigint" for name in (*_KEYS, "place", *_words(layout))]
    fields += [f"{name} string" for name in _texts(schema)]
    named = frame.mapInArrow(partial(_name_rows, schema, tuple(names), unit, secret), ", ".join(fields))
    together = named.repartition(_number_of_partitions(frame), *_KEYS)
    return together, partial(_choose_rows, schema, most)


def _words(layout: Layout) -> list[str]:
    return [f"word{place}" for place in range(layout.words)]


def _texts(schema: Schema) -> list[str]:
    return [f"text{place}" for place in range(len(schema.private_values))]


def _number_of_partitions(frame: Any) -> int:
    """As many as there are now; Spark Connect does not tell, there as many as it makes by itself."""
    if hasattr(frame, "_jdf"):
        return max(1, int(frame.rdd.getNumPartitions()))
    return int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))


def _name_rows(
    schema: Schema, names: Sequence[str], unit: str, secret: bytes, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Read all records, and write for each whose it is, where it comes among those of its unit, and its words."""
    from dprules.tables.engines.spark import batches_of

    work_alone()
    prepare_kernels()
    reader = BlockReader(schema)
    key = UnitKey(secret)
    for batch in batches_of(batches, names):
        block, owners, places = reader.read_units(batch, unit, key)
        columns = [*owners, places, *block.words]
        arrays = [pa.array(np.ascontiguousarray(column).view(np.int64)) for column in columns]
        arrays += [_write_texts(block, reader.layout, column.name) for column in schema.private_values]
        yield pa.RecordBatch.from_arrays(arrays, [*_KEYS, "place", *_words(reader.layout), *_texts(schema)])


def _write_texts(block: RecordBlock, layout: Layout, column: str) -> pa.Array:
    codes = take_codes(block.words, layout.fields[column])
    indices = pa.array(codes - 1, mask=codes == 0)  # 0: missing
    return pa.DictionaryArray.from_arrays(indices, pa.array(block.forms[column], pa.string())).cast(pa.string())


def _choose_rows(schema: Schema, most: int, batches: Iterator[pa.RecordBatch]) -> Iterator[Arrays]:
    """Keep at most so many rows of each unit: all rows of a unit are here."""
    every = list(batches)
    if not every:
        return iter(())
    table = pa.Table.from_batches(every).combine_chunks()
    layout = BlockReader(schema).layout
    keys = np.stack([_read_words(table, name) for name in _KEYS])
    kept = choose_rows(keys, _read_words(table, "place"), most)
    words = np.stack([_read_words(table, name) for name in _words(layout)])
    chosen = RecordBlock(np.ascontiguousarray(words[:, kept]), {})
    return write_records(schema, iter([_with_forms(chosen, schema, layout, table.filter(pa.array(kept)))]))


def _read_words(table: pa.Table, name: str) -> Words:
    column = table.column(name).combine_chunks()
    found: Words = to_numpy(column).view(np.uint64)
    return found


def _with_forms(block: RecordBlock, schema: Schema, layout: Layout, texts: pa.Table) -> RecordBlock:
    """Number the values of private columns anew: places of many blocks have come together."""
    forms = {}
    for name, column in zip(_texts(schema), schema.private_values, strict=True):
        encoded = texts.column(name).combine_chunks().dictionary_encode()
        field = layout.fields[column.name]
        block.words[field.word] &= ~np.uint64(field.mask << field.shift)
        places = to_numpy(encoded.indices.fill_null(-1)).astype(np.int64)
        put_codes(block.words, field, places + 1)
        forms[column.name] = tuple(encoded.dictionary.to_pylist())
    return RecordBlock(block.words, forms)
