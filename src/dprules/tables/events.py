"""Cells of events, which are dictionaries, read by the one reader of cells, each different one once.

A cell is remembered by its value among cells of its very type: 1, True and 1.0 are equal and are read differently.
Numbers are read as a whole column. A test holds the result against `Column.code`, cell by cell.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from dprules.private import Private
from dprules.schema import Clipped, Column, Numeric, Positive, as_record
from dprules.tables.cells import Codes, Floats, read_clipped, read_codes

MOST_REMEMBERED = 4096
"""Cells of one type that are remembered of one column; then all are forgotten."""
LONGEST_REMEMBERED = 64
"""Characters of the longest text that is remembered."""
_NUMBERS = frozenset({int, float, type(None)})
_NOTHING = frozenset({type(None)})


class CellReader(Private):
    """Reads the cells of one column, and remembers what it read: private.

    Parameters
    ----------
    column : Column
        With codes, or `Clipped`.
    """

    __slots__ = ("_column", "_memories", "_missing", "_orders", "_read")

    def __init__(self, column: Column) -> None:
        self._column = column
        self._read: Any = column.number if isinstance(column, Clipped) else column.code
        self._memories: dict[type, dict[Any, Any]] = {kind: {} for kind in (str, bytes, bool, int, float)}
        self._missing = self._read(None)
        self._orders = isinstance(column, Numeric | Positive | Clipped)

    def read(self, cell: object) -> Any:
        """Return the code of a cell, or its number."""
        if cell is None:
            return self._missing
        memory = self._memories.get(type(cell))
        if memory is None:
            return self._read(cell)
        found = memory.get(cell)
        return self._remember(memory, cell) if found is None else found

    def _remember(self, memory: dict[Any, Any], cell: Any) -> Any:
        found = self._read(cell)
        if isinstance(cell, str | bytes) and len(cell) > LONGEST_REMEMBERED:
            return found
        if len(memory) >= MOST_REMEMBERED:
            memory.clear()
        memory[cell] = found
        return found

    def column(self, cells: Sequence[object]) -> Any:
        """Return the codes of a column of cells, or its numbers if it is clipped."""
        numbers = self._as_numbers(cells)
        if isinstance(self._column, Clipped):
            if numbers is not None:
                return read_clipped(self._column, numbers)
            return np.fromiter(self._each(cells), np.float64, len(cells))
        if numbers is not None:
            return read_codes(self._column, numbers)
        return np.fromiter(self._each(cells), np.int16, len(cells))

    def _as_numbers(self, cells: Sequence[object]) -> Floats | None:
        """Return plain numbers as an array, NaN where there is none; None for cells of other types."""
        if not (self._orders and _NUMBERS.issuperset(map(type, cells))):
            return None
        try:
            return np.array(cells, dtype=np.float64)
        except OverflowError:  # integers beyond every float
            return None

    def _each(self, cells: Sequence[object]) -> list[Any]:
        """Return what each cell is read as; cells of one type, and None, are looked up together."""
        kinds = set(map(type, cells)) - _NOTHING
        memory = self._memories.get(kinds.pop()) if len(kinds) == 1 else None
        if memory is None:
            return [self.read(cell) for cell in cells]
        found = list(map(memory.get, cells))
        if None in found:
            return [self.read(cell) if code is None else code for code, cell in zip(found, cells, strict=True)]
        return found


class CodedEvents(Private):
    """Events of which everything has been read that a schema asks about: a code, or a number, for each column.

    Parameters
    ----------
    columns : mapping
        The cells of each column, by its name.
    labels : array
        The code of the label of each event.
    """

    __slots__ = ("columns", "labels")

    def __init__(self, columns: Mapping[str, Codes | Floats], labels: Codes) -> None:
        self.columns = columns
        self.labels = labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, part: slice) -> "CodedEvents":
        return CodedEvents({name: cells[part] for name, cells in self.columns.items()}, self.labels[part])

    @classmethod
    def join(cls, parts: Sequence["CodedEvents"]) -> "CodedEvents":
        """Return events one after another; there is at least one part."""
        columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns}
        return cls(columns, np.concatenate([part.labels for part in parts]))


class EventReader(Private):
    """Reads what a schema asks about events.

    Parameters
    ----------
    columns : sequence of Column
        With codes, or `Clipped`.
    label : Column
        The label as a column.
    """

    __slots__ = ("_names", "_readers")

    def __init__(self, columns: Sequence[Column], label: Column) -> None:
        self._readers = [CellReader(column) for column in (*columns, label)]
        self._names = [column.name for column in (*columns, label)]

    def read(self, events: Sequence[Mapping[str, object]]) -> CodedEvents:
        """Return what each event says; what it does not say, or not in a declared way, is missing."""
        cells = cells_of(events, self._names)
        read = [reader.column(found) for reader, found in zip(self._readers, cells, strict=True)]
        return CodedEvents(dict(zip(self._names[:-1], read[:-1], strict=True)), read[-1])


def cells_of(events: Sequence[Any], names: Sequence[str]) -> list[Sequence[object]]:
    """Return the cells of some columns, None where an event has none; what is not a record has no cells."""
    if len(names) > 1 and set(map(type, events)) == {dict}:
        try:
            return list(zip(*map(itemgetter(*names), events), strict=True))
        except Exception:  # a cell is absent, or a name, which may be any object, fails: each event by itself
            pass
    rows = [_read_cells(event, names) for event in events]
    return [[row[place] for row in rows] for place in range(len(names))]


def _read_cells(event: object, names: Sequence[str]) -> list[object]:
    """Return the cells of one event; all are missing if it is not a record, or one of its names cannot be compared."""
    record = as_record(event) or {}
    try:
        return [record.get(name) for name in names]
    except Exception:  # a name may be any object, with any methods
        return [None] * len(names)
