"""Records of a table: one pass from cells to codes, and what learners ask of them."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dprules.accounting import Unit
from dprules.mechanisms import Bits
from dprules.private import Private
from dprules.schema import Column, Literal, PrivateCuts, Schema
from dprules.schema.bases import Bases
from dprules.tables.cells import Codes, Floats, count_values, read_codes, read_numbers, read_texts
from dprules.tables.coded import AdditiveSample, CodeBlock, CodedSample
from dprules.tables.fields import Layout
from dprules.tables.grouping import TRIED, is_worth_grouping
from dprules.tables.packed import Words
from dprules.tables.packed_blocks import PackedBlock
from dprules.tables.record_blocks import BLOCK, BlockReader, RecordBlock, group_records, join_records
from dprules.tables.sample import PackedSample, Plans, Sample
from dprules.tables.storage import Storage
from dprules.tables.table import Part, Table, call_quietly
from dprules.tables.threads import stream_in_threads
from dprules.tables.units import UnitKey, choose_rows

Integers = NDArray[np.int64]
BUCKETS = 16
"""Parts that units are sorted into where memory is limited: the rows of one part are looked at together."""

_UNREADABLE = "the cells of the table cannot be read. Check that its columns are of the usual types."


class Records(Protocol):
    """Labelled records, whatever engine holds them, and what is still to be bought.

    These are places on the grids of columns without cuts, and the forms of columns without values.
    """

    def grid_counts(self, column: PrivateCuts) -> Integers:
        """Return how many numbers lie between the places of a column's grid, before the first and after the last."""
        ...

    def counts_of_values(self, column: str) -> dict[str, int]:
        """Return how many records have each value of a column whose values are still to be bought."""
        ...

    def sample(self, literals: Sequence[Literal], classes: int, width: int = 1) -> Sample:
        """Return the records as bits, for lists; the records cannot be asked again.

        Parameters
        ----------
        literals : sequence of Literal
            What may be asked.
        classes : int
            How many classes there are.
        width : int
            Literals of the longest condition that will be counted.
        """
        ...

    def coded(self, columns: Sequence[Column], classes: int) -> AdditiveSample:
        """Return the records with the codes of columns, for scorecards."""
        ...


class LocalRecords(Private):
    """Labelled records in memory, or in private files: a code for each column and the class of each."""

    __slots__ = ("_blocks", "_layout", "_storage")

    def __init__(self, layout: Layout, blocks: Sequence[RecordBlock], storage: Storage) -> None:
        self._layout = layout
        self._blocks = list(blocks)
        self._storage = storage

    @property
    def labels(self) -> Codes:
        """The class of each record."""
        found = [block.with_codes(self._layout, []).labels for block in self._blocks]
        return np.concatenate([np.zeros(0, dtype=np.uint16), *found]).astype(np.int16)

    def codes(self, column: Column) -> Codes:
        """Return the codes of a column, also of one whose cuts or values have been bought."""
        found = [block.codes(self._layout, column) for block in self._blocks]
        return np.concatenate([np.zeros(0, dtype=np.int16), *found])

    def grid_counts(self, column: PrivateCuts) -> Integers:
        """Return how many numbers lie between the places of a column's grid, before the first and after the last."""
        found = np.zeros(self._layout.fields[column.name].size, dtype=np.int64)
        for block in self._blocks:
            found += block.grid_counts(self._layout, column)
        return found

    def counts_of_values(self, column: str) -> dict[str, int]:
        """Return how many records have each value of a column whose values are still to be bought."""
        counts: dict[str, int] = {}
        for block in self._blocks:
            for form, count in block.counts_of_values(self._layout, column).items():
                counts[form] = counts.get(form, 0) + count
        return counts

    def sample(self, literals: Sequence[Literal], classes: int, width: int = 1) -> PackedSample:
        """Return the records as bits: each block makes room for the bits made of it."""
        bases = Bases.of(literals)
        groups = self._are_worth_grouping(bases.size, width, classes)
        given = group_records(self._taken()) if groups else self._taken()

        def packed(block: RecordBlock) -> PackedBlock:
            return block.pack(self._layout, bases, classes)

        blocks = [block.kept(self._storage) for block in stream_in_threads(packed, given)]
        return PackedSample(blocks, classes, Plans.of(bases, blocks), self._storage)

    def _are_worth_grouping(self, bases: int, width: int, classes: int) -> bool:
        """Look at the first records of every block."""
        if not self._blocks or self._blocks[0].forms:
            return False
        size = max(1, TRIED // len(self._blocks))
        tried = np.concatenate([block.words[:, :size] for block in self._blocks], axis=1)
        weighted = any(block.weights is not None for block in self._blocks)
        return weighted or is_worth_grouping(tried, bases, width, classes)

    def _taken(self) -> Iterator[RecordBlock]:
        self._blocks.reverse()
        while self._blocks:
            yield self._blocks.pop()

    def coded(self, columns: Sequence[Column], classes: int) -> CodedSample:
        """Return the records with the codes of columns."""

        def blocks() -> Iterator[CodeBlock]:
            for block in self._blocks:
                yield block.with_codes(self._layout, columns)

        return CodedSample(blocks, [column.size for column in columns], classes, self._storage)


def place_records(table: Table, schema: Schema, unit: Unit, bits: Bits, storage: Storage) -> Records:
    """Return the records where the table's engine can count them, or read them here."""
    placed: Records | None = table.read_in_place(schema, unit, bits)
    return read_records(table, schema, unit, bits, storage) if placed is None else placed


def read_records(table: Table, schema: Schema, unit: Unit, bits: Bits, storage: Storage | None = None) -> LocalRecords:
    """Read the records that have a declared label, at most `unit.rows` of each unit.

    Guarantee: 1-stable (`docs/proofs/door.md`): a record becomes one record here, or none, whatever is in the others.
    """
    storage = Storage() if storage is None else storage
    reader = BlockReader(schema)
    # What names units must come as it is: two units may lie between the same cuts.
    readers = [schema.label.column(), *schema.columns]
    table.expect([column for column in readers if column.name != unit.column], grouped=unit.column is None)
    if unit.column is None:
        parts = table.parts(schema.names)
        blocks = stream_in_threads(lambda part: _read(reader, part), parts)
    else:
        parts = table.parts(list(dict.fromkeys([*schema.names, unit.column])))
        blocks = _choose(parts, reader, unit.column, unit.rows, UnitKey.drawn(bits), storage)
    kept = []
    for block in join_records(blocks):
        kept.append(RecordBlock(storage.keep(block.words), block.forms, block.weights))
        pa.default_memory_pool().release_unused()  # cells that were read: Arrow would keep their memory for itself
    table.expect((), grouped=False)
    return LocalRecords(reader.layout, kept, storage)


def _read(reader: BlockReader, part: Part) -> RecordBlock:
    batch = part()
    return call_quietly(lambda: reader.read(batch).labelled(reader.layout), _UNREADABLE)


def _choose(
    parts: Iterator[Part], reader: BlockReader, unit: str, most: int, key: UnitKey, storage: Storage
) -> Iterator[RecordBlock]:
    """Read everything, then leave the rows that are chosen and have a label, some of the units at a time."""

    def read(part: Part) -> tuple[RecordBlock, Words, Words]:
        batch = part()
        return call_quietly(lambda: reader.read_units(batch, unit, key), _UNREADABLE)

    named = stream_in_threads(read, parts)
    for bucket in _sort_into_buckets(named, 1 if storage.memory is None else BUCKETS, storage):
        owners = np.concatenate([block.words[:2] for block in bucket], axis=1)
        kept = choose_rows(owners, np.concatenate([block.words[2] for block in bucket]), most)
        start = 0
        for block in bucket:
            chosen = RecordBlock(block.words[3:], block.forms).only(kept[start : start + len(block)])
            yield chosen.labelled(reader.layout)
            start += len(block)


def _sort_into_buckets(
    named: Iterator[tuple[RecordBlock, Words, Words]], number: int, storage: Storage
) -> Iterator[list[RecordBlock]]:
    """Return the records by buckets, all of a unit in one; whose they are and their order stand before their words."""
    buckets: list[list[RecordBlock]] = [[] for _ in range(number)]
    waiting: list[list[RecordBlock]] = [[] for _ in range(number)]
    for block, owners, orders in named:
        words = np.concatenate([owners, orders[None], block.words])
        places = owners[0] % np.uint64(number)
        for place in range(number):
            waiting[place].append(RecordBlock(words, block.forms).only(places == place))
            if block.forms or sum(map(len, waiting[place])) >= BLOCK:
                buckets[place] += _keep_together(waiting[place], storage)
                waiting[place] = []
    while buckets:
        bucket = [*buckets.pop(0), *_keep_together(waiting.pop(0), storage)]
        if bucket:
            yield bucket


def _keep_together(blocks: list[RecordBlock], storage: Storage) -> list[RecordBlock]:
    return [RecordBlock(storage.keep(block.words), block.forms) for block in join_records(iter(blocks))]


def read_matrix(table: Table, columns: Sequence[Column]) -> Iterator[Codes]:
    """Return the codes of all records in the table's order, some at a time, one column for each of `columns`."""
    names = [column.name for column in columns]
    for size, cells in table.batches(names):
        matrix = np.empty((size, len(columns)), dtype=np.int16)
        for place, column in enumerate(columns):
            matrix[:, place] = read_codes(column, cells[column.name])
        yield matrix


def read_text_columns(table: Table, names: Sequence[str]) -> list[list[str | None]]:
    """Return whole columns as text, in the table's order: for predictions, which are private."""
    found: list[list[str | None]] = [[] for _ in names]
    for _, cells in table.batches(names):
        for column, name in zip(found, names, strict=True):
            column += read_texts(cells[name])
    return found


def read_public_values(table: Table, names: Sequence[str], decimal: str = ".") -> dict[str, tuple[list[str], Floats]]:
    """Return the values of columns, most frequent first, and their numbers: only where values are public."""
    columns = {name: PrivateCuts(name, 0, 1, decimal=decimal) for name in names}
    counts: dict[str, dict[str, int]] = {name: {} for name in names}
    numbers: dict[str, list[Floats]] = {name: [] for name in names}
    for _, cells in table.batches(names):
        for name in names:
            count_values(cells[name], counts[name])
            numbers[name].append(read_numbers(columns[name], cells[name]))
    found = {}
    for name in names:
        often = counts[name]
        ranked = sorted(often, key=lambda value: (-often[value], value))
        joined = np.concatenate([np.zeros(0), *numbers[name]])
        found[name] = (ranked, joined[~np.isnan(joined)])
    return found
