"""Records of a table as small integers: one pass from cells to codes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Unit
from dprules.mechanisms import Bits
from dprules.private import Private
from dprules.schema import Categorical, Column, Literal, Ordered, PrivateCuts, PrivateValues, Schema
from dprules.tables.cells import (
    Codes,
    Floats,
    codes_between,
    count_values,
    read_codes,
    read_identities,
    read_numbers,
    read_texts,
)
from dprules.tables.coded import CodedSample
from dprules.tables.forms import Forms
from dprules.tables.packed import Words, pack
from dprules.tables.sample import PackedSample
from dprules.tables.table import Table


class Records(Private):
    """Labelled records: the code of each column and the class of each, and what is still to be bought.

    These are the numbers of columns without cuts, and the forms of columns without values.
    """

    __slots__ = ("_codes", "_forms", "_labels", "_numbers")

    def __init__(
        self,
        codes: Mapping[str, Codes],
        numbers: Mapping[str, Floats],
        labels: Codes,
        forms: Mapping[str, Forms] | None = None,
    ) -> None:
        self._codes = codes
        self._numbers = numbers
        self._labels = labels
        self._forms = {} if forms is None else forms

    @property
    def labels(self) -> Codes:
        """The class of each record."""
        return self._labels

    def numbers(self, column: str) -> Floats:
        """Return the numbers of a column whose cuts are still to be bought; missing ones are left out."""
        numbers = self._numbers[column]
        return numbers[~np.isnan(numbers)]

    def counts_of_values(self, column: str) -> dict[str, int]:
        """Return how many records have each value of a column whose values are still to be bought."""
        return self._forms[column].counts()

    def codes(self, column: Column) -> Codes:
        """Return the codes of a column, also of one whose cuts or values have been bought."""
        if isinstance(column, Categorical) and column.name in self._forms:
            return self._forms[column.name].codes(column)
        if column.name in self._codes:
            return self._codes[column.name]
        if not isinstance(column, Ordered):
            raise TypeError("only cuts are bought for columns that were read as numbers")
        return codes_between(column, self._numbers[column.name])

    def sample(self, literals: Sequence[Literal], classes: int) -> PackedSample:
        """Return the records as bits, one for each literal."""
        return PackedSample.of(pack_literals(self, literals, len(self._labels)), self._labels, classes)

    def coded(self, columns: Sequence[Column], classes: int) -> CodedSample:
        """Return the records with the codes of columns."""
        sizes = [column.size for column in columns]
        return CodedSample([self.codes(column) for column in columns], sizes, self._labels, classes)


def read_records(table: Table, schema: Schema, unit: Unit, bits: Bits) -> Records:
    """Read the records that have a declared label, at most `unit.rows` of each unit.

    Guarantee: 1-stable (`docs/proofs/door.md`): a record becomes one record here, or none, whatever is in the others.
    """
    names = [*schema.names, *([unit.column] if unit.column is not None else [])]
    target = schema.label.column()
    labels: list[Codes] = []
    forms = {c.name: Forms(c) for c in schema.private_values}
    bought = {c.name for c in (*schema.private_cuts, *schema.private_values)}
    codes: dict[str, list[Codes]] = {c.name: [] for c in schema.columns if c.name not in bought}
    numbers: dict[str, list[Floats]] = {c.name: [] for c in schema.private_cuts}
    owners: list[NDArray[np.int64]] = []
    known: dict[str, int] = {}
    for _, cells in table.batches(list(dict.fromkeys(names))):
        labels.append(read_codes(target, cells[target.name]))
        for column in schema.columns:
            if isinstance(column, PrivateCuts):
                numbers[column.name].append(read_numbers(column, cells[column.name]))
            elif isinstance(column, PrivateValues):
                forms[column.name].read(cells[column.name])
            else:
                codes[column.name].append(read_codes(column, cells[column.name]))
        if unit.column is not None:
            owners.append(read_identities(cells[unit.column], known))
    joined = _join(labels, np.int16)
    chosen = choose_rows(joined, owners, unit, bits)
    for column_forms in forms.values():
        column_forms.choose(chosen)
    return Records(
        {name: _join(parts, np.int16)[chosen] for name, parts in codes.items()},
        {name: _join(parts, np.float64)[chosen] for name, parts in numbers.items()},
        joined[chosen],
        forms,
    )


def choose_rows(
    labels: Codes, owners: Sequence[NDArray[np.int64]], unit: Unit, bits: Bits
) -> NDArray[np.int64] | NDArray[np.bool_]:
    """Choose the records with a label; of each unit at most so many, by random keys of ours.

    Rows are chosen before labels are looked at, and each unit for itself: what one unit has moves no other.
    """
    if unit.column is None:
        return labels >= 0
    owner = _join(owners, np.int64)
    # Random keys within each unit; ties of 64-bit keys do not matter, since units stay independent.
    order = np.lexsort((bits.words(len(owner)), owner))
    owner = owner[order]
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]]) if len(owner) else np.zeros(0, dtype=np.int64)
    rank = np.arange(len(owner)) - np.repeat(starts, np.diff(np.r_[starts, len(owner)]))
    kept = order[(rank < unit.rows) & (owner >= 0)]
    return np.sort(kept[labels[kept] >= 0])


def _join(parts: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


def pack_literals(records: Records, literals: Sequence[Literal], size: int) -> Words:
    """Return each literal as a packed column."""
    packed = np.empty((len(literals), (size + 63) // 64), dtype=np.uint64)
    for k, literal in enumerate(literals):
        if k == 0 or literal.column is not literals[k - 1].column:  # the literals of a column stand together
            codes = records.codes(literal.column)
        packed[k] = pack(literal.truth()[codes])
    return packed


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
        joined = _join(numbers[name], np.float64)
        found[name] = (ranked, joined[~np.isnan(joined)])
    return found
