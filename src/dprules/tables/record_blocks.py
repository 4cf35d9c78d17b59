"""Some records of a table as a few words each, and what is made of them: codes, groups, packed bits."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import Column, PrivateCuts, PrivateValues, Schema
from dprules.schema.bases import Bases
from dprules.tables.cells import Codes, read_codes, read_forms, read_places
from dprules.tables.coded import CodeBlock
from dprules.tables.fields import LABEL, Bitmaps, Layout, put_codes, spread_bits, take_codes
from dprules.tables.grouping import group_rows, split_by_weight
from dprules.tables.packed import Words
from dprules.tables.packed_blocks import PackedBlock, make_planes
from dprules.tables.table import WEIGHTS, Batch
from dprules.tables.units import UnitKey

Integers = NDArray[np.int64]
BLOCK = 1 << 18
"""Records of a block, about."""
LARGEST = 1 << 24
"""Bytes of the packed bits of a block, about: wide tables have smaller blocks."""


class RecordBlock(Private):
    """Some records: the words of each, by `Layout`, and what places in private values stand for.

    Parameters
    ----------
    words : array
        The words of all records, first words first.
    forms : mapping
        For each column whose values are private the forms that its places stand for, from place 1 on.
    weights : array or None
        How many equal records each stands for; None: each for itself.
    """

    __slots__ = ("forms", "weights", "words")

    def __init__(self, words: Words, forms: Mapping[str, Sequence[str]], weights: Integers | None = None) -> None:
        self.words = words
        self.forms = forms
        self.weights = weights

    def __len__(self) -> int:
        return int(self.words.shape[1])

    def only(self, rows: NDArray[np.bool_]) -> "RecordBlock":
        """Return the block with some of its records."""
        if rows.all():
            return self
        weights = None if self.weights is None else self.weights[rows]
        return RecordBlock(np.ascontiguousarray(self.words[:, rows]), self.forms, weights)

    def count(self, codes: Integers, size: int) -> Integers:
        """Return how many records have each code."""
        if self.weights is None:
            return np.bincount(codes, minlength=size)
        found = np.zeros(size, dtype=np.int64)
        np.add.at(found, codes, self.weights)
        return found

    def codes(self, layout: Layout, column: Column) -> Codes:
        """Return the codes of a column for all records, one for each that a record stands for."""
        meanings = layout.meanings(column, self.forms).astype(np.int16)
        codes = meanings[take_codes(self.words, layout.fields[column.name])]
        return codes if self.weights is None else np.repeat(codes, self.weights)

    def with_codes(self, layout: Layout, columns: Sequence[Column]) -> CodeBlock:
        """Return all records, one for each that a record stands for, with the codes of columns."""
        labels = self.labels(layout)
        labels = labels if self.weights is None else np.repeat(labels, self.weights)
        return CodeBlock([self.codes(layout, column) for column in columns], labels)

    def labels(self, layout: Layout) -> Integers:
        """Return the class of each record; the number of classes where there is none."""
        return take_codes(self.words, layout.fields[LABEL])

    def labelled(self, layout: Layout) -> "RecordBlock":
        """Return the block without the records that have no declared label."""
        return self.only(self.labels(layout) < layout.fields[LABEL].size)

    def grid_counts(self, layout: Layout, column: PrivateCuts) -> Integers:
        """Return how many numbers lie between the places of a column's grid, before the first and after the last."""
        field = layout.fields[column.name]
        found = self.count(take_codes(self.words, field), field.size + 1)
        return found[: field.size]  # the last are records without a number

    def counts_of_values(self, layout: Layout, column: str) -> dict[str, int]:
        """Return how many records have each value of a column whose values are private."""
        forms = self.forms[column]
        often = self.count(take_codes(self.words, layout.fields[column]), len(forms) + 1)[1:].tolist()
        return {form: count for form, count in zip(forms, often, strict=True) if count}

    def pack(self, layout: Layout, bases: Bases, classes: int) -> PackedBlock:
        """Return the records as a bit for each base."""
        tables = {base.column.name: layout.meanings(base.column, self.forms) for base in bases.members}
        truths = [(layout.fields[b.column.name], b.truth[tables[b.column.name]]) for b in bases.members]
        columns = spread_bits(self.words, Bitmaps(truths))
        return PackedBlock(columns, *make_planes(self.labels(layout), classes, self.weights))

    def canonical_words(self, layout: Layout, key: UnitKey) -> Words:
        """Return words that are equal for equal records of any block: forms by their text, not by their place."""
        words = self.words
        for column, forms in self.forms.items():
            field = layout.fields[column]
            names = np.array([0, *(key.name_text(form) for form in forms)], dtype=np.uint64)
            named = names[take_codes(words, field)]
            words = words.copy()
            words[field.word] &= ~np.uint64(field.mask << field.shift)
            words = np.concatenate([words, named[None]])
        return words


class BlockReader:
    """Reads batches of cells into blocks of records.

    Parameters
    ----------
    schema : Schema
        How cells are read.
    """

    def __init__(self, schema: Schema) -> None:
        self.layout = Layout(schema)
        self._target = schema.label.column()
        self._columns = schema.columns

    def read(self, batch: Batch) -> RecordBlock:
        """Read all records of a batch, also those without a label."""
        size, cells = batch
        words = np.zeros((self.layout.words, size), dtype=np.uint64)
        forms: dict[str, Sequence[str]] = {}
        put_codes(words, self.layout.fields[LABEL], read_codes(self._target, cells[self._target.name]))
        for column in self._columns:
            field = self.layout.fields[column.name]
            if isinstance(column, PrivateCuts):
                put_codes(words, field, read_places(column, cells[column.name]))
            elif isinstance(column, PrivateValues):
                known: dict[str, int] = {}
                put_codes(words, field, read_forms(column, cells[column.name], known) + 1)  # 0: missing
                forms[column.name] = tuple(known)
            else:
                put_codes(words, field, read_codes(column, cells[column.name]))
        return RecordBlock(words, forms, cells.get(WEIGHTS))

    def read_units(self, batch: Batch, unit: str, key: UnitKey) -> tuple[RecordBlock, Words, Words]:
        """Read all records of a batch; return also whose they are, and where they come among those of their unit."""
        block = self.read(batch)
        owners = key.name_units(batch[1][unit])
        words = np.concatenate([owners, block.canonical_words(self.layout, key)])
        return block, owners, key.order_rows(words)


def rows_of_block(bases: int) -> int:
    """Return how many records a block should have."""
    return max(1 << 14, min(BLOCK, 8 * LARGEST // max(1, bases)))


def join_records(blocks: Iterator[RecordBlock], rows: int = BLOCK) -> Iterator[RecordBlock]:
    """Put small blocks together; those with forms of their own stay as they are."""
    waiting: list[RecordBlock] = []
    for block in blocks:
        waiting.append(block)
        if block.forms or sum(map(len, waiting)) >= rows:
            yield _join(waiting)
            waiting = []
    if waiting:
        yield _join(waiting)


def _join(blocks: Sequence[RecordBlock]) -> RecordBlock:
    """Put blocks together: all of them have weights, or none."""
    if len(blocks) == 1:
        return blocks[0]
    weights = [block.weights for block in blocks if block.weights is not None]
    words = np.concatenate([block.words for block in blocks], axis=1)
    return RecordBlock(words, {}, np.concatenate(weights) if weights else None)


def group_records(blocks: Iterator[RecordBlock]) -> Iterator[RecordBlock]:
    """Count equal records together, first in each block, then in all; those of about the same weight stay together."""
    each = _join([RecordBlock(words, {}, weights) for words, weights in map(_group, blocks)])
    words, weights = _group(each)
    for chosen in split_by_weight(weights):
        part = np.ascontiguousarray(words[:, chosen])
        times = weights[chosen]
        for start in range(0, len(times), BLOCK):
            yield RecordBlock(part[:, start : start + BLOCK], {}, times[start : start + BLOCK])


def _group(block: RecordBlock) -> tuple[Words, Integers]:
    return group_rows(block.words, block.weights)
