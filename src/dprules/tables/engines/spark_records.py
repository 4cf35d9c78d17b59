"""Records that stay on Spark: the codes and bits of each partition, and the sums that learners ask for."""

import json
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import Column, Conditions, Literal, PrivateCuts, Schema
from dprules.schema.bases import Bases
from dprules.tables.coded import CodeBlock, Groups, JointBlock, JointCodes, JointSample
from dprules.tables.engines.spark_blocks import Arrays, SparkBlocks
from dprules.tables.packed_blocks import ClassCounts, Integers, PackedBlock, Step
from dprules.tables.record_blocks import BlockReader, RecordBlock, join_records, rows_of_block
from dprules.tables.residuals import Residuals
from dprules.tables.sample import Plans

Path = tuple[Step, ...]


class SparkRecords(Private):
    """Labelled records in the partitions of a Spark frame.

    Parameters
    ----------
    blocks : SparkBlocks
        Each made by `write_records`.
    schema : Schema
        What the codes mean.
    """

    __slots__ = ("_blocks", "_schema")

    def __init__(self, blocks: SparkBlocks, schema: Schema) -> None:
        self._blocks = blocks
        self._schema = schema

    def grid_counts(self, column: PrivateCuts) -> Integers:
        """Return how many numbers lie between the places of a column's grid, before the first and after the last."""
        size = BlockReader(self._schema).layout.fields[column.name].size
        return self._blocks.add_up(partial(_count_grid, self._schema, column), size)

    def counts_of_values(self, column: str) -> dict[str, int]:
        """Return how many records have each value of a column whose values are still to be bought."""
        found: dict[str, int] = {}
        for part in self._blocks.collect(partial(_count_values, self._schema, column)):
            for value, count in json.loads(part).items():
                found[value] = found.get(value, 0) + count
        return found

    def sample(self, literals: Sequence[Literal], classes: int, width: int = 1) -> "SparkSample":
        """Return the records as bits, which Spark keeps instead of the codes."""
        bases = Bases.of(literals)
        bits = self._blocks.map(partial(_pack, self._schema, bases, classes))
        found = bits.add_up(partial(_look, classes), classes + bases.size)
        self._blocks.release()
        plans = Plans(bases, found[classes:] == 0)
        return SparkSample(bits, classes, plans, (), found[:classes])

    def coded(self, columns: Sequence[Column], classes: int) -> "SparkCoded":
        """Return the records with the codes of columns."""
        return SparkCoded(self._blocks, self._schema, tuple(columns), classes)


class SparkSample(Private):
    """Records as bits on Spark, and the conditions that lead to those which are meant.

    Nothing is marked on the executors: which records are left is worked out in every round from the list so far.
    """

    __slots__ = ("_bits", "_path", "_plans", "_totals", "classes")

    def __init__(
        self, bits: SparkBlocks, classes: int, plans: Plans, path: Path, totals: ClassCounts | None = None
    ) -> None:
        self._bits = bits
        self._plans = plans
        self._path = path
        self._totals = totals
        self.classes = classes

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        known = self._totals
        return self._count(np.zeros((0, 3), dtype=np.int32))[0] if known is None else known

    def counts(self, conditions: Conditions) -> ClassCounts:
        """Return for each class how many records satisfy each condition: one round over all partitions."""
        plan = self._plans.plan(conditions)
        totals, found = self._count(plan.asked)
        return plan.derive(found, lambda: totals)

    def cover(self, condition: NDArray[np.int32]) -> tuple["SparkSample", "SparkSample"]:
        """Return the records that satisfy a condition, and the others."""
        members = tuple(condition.tolist())
        return self._following((members, True)), self._following((members, False))

    def effort(self, conditions: Conditions) -> float:
        """Return the same for all: every count is a round over all partitions."""
        return 1.0

    def _following(self, step: Step) -> "SparkSample":
        return SparkSample(self._bits, self.classes, self._plans, (*self._path, step))

    def _count(self, asked: Conditions) -> tuple[ClassCounts, ClassCounts]:
        """Return how many records each class has, and how many of them satisfy each conjunction of bases."""
        count = partial(_count_round, self._plans.bases, self._path, asked, self.classes)
        found = self._bits.add_up(count, self.classes * (1 + len(asked)))
        self._totals = found[: self.classes]
        return found[: self.classes], found[self.classes :].reshape(self.classes, len(asked))


class SparkCoded(Private):
    """Records with codes on Spark: what scorecards are learnt from."""

    __slots__ = ("_blocks", "_columns", "_schema", "classes")

    def __init__(self, blocks: SparkBlocks, schema: Schema, columns: tuple[Column, ...], classes: int) -> None:
        self._blocks = blocks
        self._schema = schema
        self._columns = columns
        self.classes = classes

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        return self._blocks.add_up(partial(_count_classes, self._schema, self.classes), self.classes)

    def bins(self) -> list[Integers]:
        """Return for each column how many records have each code, MISSING last."""
        sizes = [column.size + 1 for column in self._columns]
        found = self._blocks.add_up(partial(_count_bins, self._schema, self._columns), sum(sizes))
        return np.split(found, np.cumsum(sizes)[:-1])

    def grouped(self, groups: Groups, sizes: Sequence[int] | None = None) -> "SparkGrouped":
        """Return the records by groups of codes."""
        joint = JointCodes.of(groups, sizes)
        return SparkGrouped(self._blocks.map(partial(_join_codes, self._schema, self._columns, groups, joint)), joint)


class SparkGrouped(Private):
    """Records by joint codes on Spark: a round of a descent brings back one partial sum for each partition."""

    __slots__ = ("_blocks", "_joint", "sizes")

    def __init__(self, blocks: SparkBlocks, joint: JointCodes) -> None:
        self._blocks = blocks
        self._joint = joint
        self.sizes = joint.sizes

    def sums(self, residuals: Residuals) -> Integers:
        """Return the sums of residuals over the records of each group."""
        shape = (sum(self.sizes), residuals.weights.shape[1])
        return self._blocks.add_up(partial(_sum_residuals, self._joint, residuals), shape[0] * shape[1]).reshape(shape)

    def score_counts(self, points: Integers, base: Integers, starts: Integers, places: Integers) -> ClassCounts:
        """Return how many records have a score in each cell."""
        rows = int(places.max()) + 1 if points.shape[1] == 1 else 2
        count = partial(_count_scores, self._joint, points, base, starts, places)
        return self._blocks.add_up(count, rows * (len(starts) + 1)).reshape(rows, len(starts) + 1)


def write_records(schema: Schema, blocks: Iterator[RecordBlock]) -> Iterator[Arrays]:
    """Return blocks of records as arrays: their words, and what places of private values stand for."""
    layout = BlockReader(schema).layout
    # Columns that are still to be cut have two literals a cut; what counts is the order of magnitude.
    bases = sum(getattr(column, "size", 16) for column in schema.columns)
    for block in join_records((block.labelled(layout) for block in blocks), rows_of_block(bases)):
        forms = json.dumps({name: list(forms) for name, forms in block.forms.items()})
        yield [block.words, np.frombuffer(forms.encode(), dtype=np.uint8)]


def _read_block(arrays: Arrays) -> RecordBlock:
    return RecordBlock(arrays[0], json.loads(arrays[1].tobytes()))


def _pack(schema: Schema, bases: Bases, classes: int, arrays: Arrays) -> Arrays:
    packed = _read_block(arrays).pack(BlockReader(schema).layout, bases, classes)
    present = packed.present()  # often no cell of a column is missing, and bits that are all 0 need not be sent
    return [packed.columns[present], packed.planes, present]


def _packed(arrays: Arrays, classes: int) -> PackedBlock:
    columns, planes, present = arrays
    if not present.all():
        sent = columns
        columns = np.zeros((len(present), planes.shape[1]), dtype=np.uint64)
        columns[present] = sent
    return PackedBlock(columns, planes, np.arange(classes), np.ones(classes, dtype=np.int64))


def _look(classes: int, arrays: Arrays) -> Integers:
    """Count the records of each class, and which bases hold of any."""
    block = _packed(arrays, classes)
    return np.concatenate([block.totals(block.all_rows(), classes), block.present().astype(np.int64)])


def _count_round(bases: Bases, path: Path, asked: Conditions, classes: int, arrays: Arrays) -> Integers:
    """Follow the list so far, then count what is left."""
    block = _packed(arrays, classes)
    rows = block.following(bases, path)
    return np.concatenate([block.totals(rows, classes), block.count(rows, asked, classes).ravel()])


def _count_grid(schema: Schema, column: PrivateCuts, arrays: Arrays) -> Integers:
    return _read_block(arrays).grid_counts(BlockReader(schema).layout, column)


def _count_values(schema: Schema, column: str, blocks: Iterator[Arrays]) -> Iterator[bytes]:
    found: dict[str, int] = {}
    for arrays in blocks:
        for value, count in _read_block(arrays).counts_of_values(BlockReader(schema).layout, column).items():
            found[value] = found.get(value, 0) + count
    yield json.dumps(found).encode()


def _coded(schema: Schema, columns: Sequence[Column], arrays: Arrays) -> CodeBlock:
    return _read_block(arrays).with_codes(BlockReader(schema).layout, columns)


def _count_classes(schema: Schema, classes: int, arrays: Arrays) -> Integers:
    return _coded(schema, (), arrays).totals(classes)


def _count_bins(schema: Schema, columns: Sequence[Column], arrays: Arrays) -> Integers:
    return np.concatenate(_coded(schema, columns, arrays).bins([column.size for column in columns]))


def _join_codes(schema: Schema, columns: Sequence[Column], groups: Groups, joint: JointCodes, arrays: Arrays) -> Arrays:
    block = _coded(schema, columns, arrays).join(groups, joint)
    return [block.codes, block.labels]


def _sum_residuals(joint: JointCodes, residuals: Residuals, arrays: Arrays) -> Integers:
    return JointSample([JointBlock(*arrays)], joint).sums(residuals).ravel()


def _count_scores(
    joint: JointCodes, points: Integers, base: Integers, starts: Integers, places: Integers, arrays: Arrays
) -> Integers:
    return JointSample([JointBlock(*arrays)], joint).score_counts(points, base, starts, places).ravel()
