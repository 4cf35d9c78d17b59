"""Labels that are given apart from the table, as scikit-learn does: their type and shape are public, no more."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dprules.errors import DataError, ParameterError
from dprules.schema import Label, Value, show_value
from dprules.schema.cells import canonical_decimal
from dprules.tables import Table, open_table
from dprules.tables.cells import Cells, CodedCells, read_texts
from dprules.tables.frames import polars_cells, series_cells
from dprules.tables.table import Batch

_UNEQUAL = "X and y have different numbers of rows. Give one label for each row."
_A_COLUMN = "y is a column of the table: name it in the schema and leave y out."
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:.*")
_NUMBERS = "iufcm"
"""Kinds whose cells are read as numbers: one odd cell turns integers into complex numbers, or into ticks."""
_ARROW_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "b": pa.types.is_boolean,
    "i": pa.types.is_signed_integer,
    "u": pa.types.is_unsigned_integer,
    "f": lambda kind: pa.types.is_floating(kind) or pa.types.is_decimal(kind),
    "U": lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind),
    "D": pa.types.is_date,
    "M": pa.types.is_timestamp,
    "V": pa.types.is_nested,
}


def label_cells(labels: Any) -> Cells:
    """Return labels as a column of cells: one-dimensional, each for itself."""
    if hasattr(labels, "iloc") and hasattr(labels, "dtype"):
        return series_cells(labels)
    shape = getattr(labels, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        labels = labels.reshape(-1) if isinstance(labels, np.ndarray) else np.asarray(labels, dtype=object).reshape(-1)
    elif shape is not None and len(shape) != 1:
        raise ParameterError("y must have one label for each row: a list, or an array with one dimension.")
    if hasattr(labels, "to_arrow"):  # Polars
        return polars_cells(labels)
    if isinstance(labels, pa.ChunkedArray):
        labels = labels.combine_chunks()
    return labels if isinstance(labels, np.ndarray | pa.Array) else list(labels)


def list_label_texts(labels: Any) -> list[str]:
    """Return the different labels that occur, as cells are read, in the order of their texts: assumed public."""
    return sorted({text for text in read_texts(label_cells(labels)) if text is not None})


def kind_of_labels(labels: Any) -> str:
    """Return NumPy's letter for the declared type of y: "b", "i", "u", "f", "U" for text, "M" for moments.

    Two more letters are for what NumPy has not, or has otherwise: "D" is for days, "V" for records and lists. "O" is
    where there is no type: a list has none. By the type of an array or a series, which is public, never by its cells.
    """
    declared = _declared_type(labels)
    if isinstance(declared, pa.DataType):
        return next((letter for letter, is_kind in _ARROW_KINDS.items() if is_kind(declared)), "O")
    if getattr(declared, "name", None) in ("str", "string"):  # pandas' own types of text
        return "U"
    if hasattr(declared, "is_integer") and declared.is_integer():  # Polars' integers that Arrow does not have
        return "i"
    kind = getattr(declared, "kind", "O")
    return {"T": "U"}.get(kind, kind) if isinstance(kind, str) else "O"


def _declared_type(labels: Any) -> Any:
    """Return the type of labels, of Polars as Arrow has it; of categories the type of what they stand for."""
    declared = getattr(labels, "dtype", getattr(labels, "type", None))
    if hasattr(labels, "to_arrow"):  # Polars
        declared = getattr(polars_cells(labels.head(0)), "type", declared)
    declared = getattr(getattr(declared, "categories", None), "dtype", declared)  # pandas
    declared = getattr(declared, "pyarrow_dtype", declared)  # Arrow's types in pandas
    return declared.value_type if isinstance(declared, pa.DictionaryType | pa.RunEndEncodedType) else declared


def require_readable(labels: Any, label: Label) -> None:
    """Refuse labels of a type that can match no declared class: such a fit would learn from nothing.

    Meta-estimators encode labels as 0, 1, ... before a classifier sees them; classes that are declared as text can
    then never occur. The type of y is public.
    """
    kind = kind_of_labels(labels)
    sentence = _describe_mismatch("y", "y", kind, label)
    if sentence is not None:
        encoded = " A meta-estimator may have encoded them." if kind in "iu" else ""
        raise ParameterError(sentence + encoded)


def require_matching_kind(kind: str, label: Label) -> None:
    """Refuse a label column whose declared type, which is public, can match no class: a fit would learn from nothing.

    Parameters
    ----------
    kind : str
        "boolean", "numeric", "date" or "categorical", as `Table.kinds` says.
    label : Label
        With the declared classes.
    """
    letters = {"boolean": "b", "numeric": "f", "date": "DM"}.get(kind, "O")
    sentence = _describe_mismatch(f"column {label.name!r}", "the table", letters, label)
    if sentence is not None:
        raise DataError(sentence)


def _describe_mismatch(what: str, holder: str, kinds: str, label: Label) -> str | None:
    """Return why labels of these kinds can match no class, None if they can."""
    if not all(kind in "bDMV" + _NUMBERS for kind in kinds):
        return None
    forms = set(label.column().forms)
    truths = forms >= {"true", "false"}
    numbers = any(canonical_decimal(form) is not None for form in forms)
    days = any(_DAY.fullmatch(form) for form in forms)
    moments = any(_MOMENT.fullmatch(form) for form in forms)
    can_match = {"b": truths, "D": days, "M": moments, "V": False} | dict.fromkeys(_NUMBERS, numbers or truths)
    if any(can_match[kind] for kind in kinds):
        return None
    held, example = _name_kind(kinds)
    return (
        f"{what} holds {held}, which match none of the declared classes. Declare them as {holder} has them, such as "
        f"{example}."
    )


def _name_kind(kinds: str) -> tuple[str, str]:
    """Return what labels of some kinds are called, and how classes for them are written."""
    names = {
        "b": ("Booleans", "[false, true]"),
        "i": ("integers", "[0, 1]"),
        "u": ("integers", "[0, 1]"),
        "D": ("dates", '["2020-01-31", "2020-02-01"]'),
        "M": ("dates with times", '["2020-01-31 00:00:00", "2020-02-01 12:30:00"]'),
        "DM": ("dates", '["2020-01-31", "2020-02-01"]'),
        "V": ("records or lists", '["no", "yes"], as text'),
    }
    return names.get(kinds, ("numbers", "[0, 1]"))


def as_labels(classes: Sequence[Value], labels: Any) -> NDArray[Any]:
    """Return declared classes in the type that y has, so that predictions can be compared with it."""
    kind = kind_of_labels(labels)
    words = [str(value).lower() for value in classes]
    if kind == "b":
        return np.array([word in ("true", "1", "1.0") for word in words])
    if kind == "U":
        return np.array([value if isinstance(value, str) else show_value(value) for value in classes])
    if kind in "DM":
        return _as_moments([str(value) for value in classes], kind)
    if kind not in "iuf":
        return np.array(classes)
    numbers = [_as_number(word) for word in words]
    if None in numbers:
        return np.array(classes)
    declared = _declared_type(labels)
    exact = declared if isinstance(declared, np.dtype) else getattr(declared, "numpy_dtype", np.dtype(f"{kind}8"))
    with np.errstate(invalid="ignore"):  # a class that the type cannot hold
        typed = np.array(numbers).astype(exact)
    return typed if typed.tolist() == numbers else np.array(numbers)


def show_classes(label: Label, labels: Any) -> NDArray[Any]:
    """Return the classes of a label in the type that y has; where y has none, as they were declared.

    Parameters
    ----------
    label : Label
        With the declared classes.
    labels : object
        The labels, an empty array of their type, or None.
    """
    return label.declared if kind_of_labels(labels) == "O" else as_labels(label.classes, labels)


def find_label_type(data: Any, label: Label) -> Any:
    """Return an empty array of the type that the label column of a table has, None where the table has no types."""
    with open_table(data) as table:
        kind = table.kinds().get(label.name)
    letters = {"boolean": "?", "numeric": "i8"} | ({} if label.truths else {"categorical": "U1"})
    return np.empty(0, dtype=letters[kind]) if kind in letters else None


def _as_moments(texts: list[str], kind: str) -> NDArray[Any]:
    """Return classes as days or moments, with their time zones as objects; as text if one of them is neither."""
    try:
        moments = [datetime.fromisoformat(text) for text in texts]
    except ValueError:
        return np.array(texts)
    if any(moment.tzinfo is not None for moment in moments):
        return np.array(moments, dtype=object)
    return np.array(moments, dtype="datetime64[D]" if kind == "D" else "datetime64[us]")


def _as_number(word: str) -> float | None:
    truths = {"true": 1.0, "false": 0.0}
    if word in truths:
        return truths[word]
    return None if canonical_decimal(word) is None else float(word)


def with_labels(data: Any, labels: Any, label: Label) -> Table:
    """Return a table in memory with its label column; files and databases have it already."""
    if isinstance(data, str) or hasattr(data, "__fspath__") or hasattr(data, "to_pyarrow_batches"):
        raise ParameterError(_A_COLUMN)
    require_readable(labels, label)
    with open_table(data) as table:
        if not table.takes_labels:
            raise ParameterError(_A_COLUMN)
        cells = label_cells(labels)
        if _count_rows(data) not in (None, len(cells)):  # before anything is charged
            raise DataError(_UNEQUAL)
        return LabelledTable(table, label.name, cells)


def _count_rows(data: Any) -> int | None:
    """Return how many rows a table in memory has; None where that is known only once it has been read."""
    column: Any = next(iter(data.values()), None) if isinstance(data, Mapping) else data
    return len(column) if hasattr(column, "__len__") else None


class LabelledTable(Table):
    """A table in memory, and one more column."""

    __slots__ = ("_cells", "_label", "_table")

    def __init__(self, table: Table, label: str, cells: Cells) -> None:
        super().__init__("the data frame")
        self._table = table
        self._label = label
        self._cells = cells

    @property
    def names(self) -> tuple[str, ...]:
        """The table's columns and the label."""
        return (*(name for name in self._table.names if name != self._label), self._label)

    def kinds(self) -> dict[str, str]:
        """Of the table; of the label nothing is said."""
        return self._table.kinds() | {self._label: "categorical"}

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        others = [name for name in names if name != self._label]
        start = 0
        for size, cells in self._table.batches(others):
            part = _slice(self._cells, start, start + size)
            if len(part) != size:
                raise DataError(_UNEQUAL)
            start += size
            yield size, {**cells, self._label: part}
        if start != len(self._cells):
            raise DataError(_UNEQUAL)


def _slice(cells: Cells, start: int, stop: int) -> Cells:
    if isinstance(cells, CodedCells):
        return CodedCells(cells.places[start:stop], cells.values)
    return cells[start:stop]
