"""Labels that are given apart from the table, as scikit-learn does: their type and shape are public, no more."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dprules.errors import DataError, ParameterError
from dprules.schema import Label, Value, show_value
from dprules.schema.cells import canonical_decimal
from dprules.tables import Table, open_table
from dprules.tables.cells import Cells, CodedCells
from dprules.tables.frames import polars_cells, series_cells
from dprules.tables.table import Batch

_UNEQUAL = "X and y have different numbers of rows. Give one label for each row."


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


def kind_of_labels(labels: Any) -> str:
    """Return NumPy's letter for the declared type of y: "b", "i", "u", "f", "U" for text, "O" where there is none.

    By the type of an array or a series, which is public, and never by its cells: a list has no type.
    """
    declared = _declared_type(labels)
    name = str(declared).lower()
    if name.startswith(("str", "large_string", "utf8", "<u", ">u")):
        return "U"
    kind = getattr(declared, "kind", None)
    if isinstance(kind, str):
        return kind
    starts = {"bool": "b", "int": "i", "uint": "u", "float": "f", "double": "f", "halffloat": "f"}
    return next((letter for start, letter in starts.items() if name.startswith(start)), "O")


def require_readable(labels: Any, label: Label) -> None:
    """Refuse labels of a type that can match no declared class: such a fit would learn from nothing.

    Meta-estimators encode labels as 0, 1, ... before a classifier sees them; classes that are declared as text can
    then never occur. The type of y is public.
    """
    kind = kind_of_labels(labels)
    numeric = any(canonical_decimal(str(value)) is not None for value in label.classes)
    truths = set(label.column().forms) >= {"true", "false"}
    if (kind in "iuf" and not (numeric or truths)) or (kind == "b" and not truths):
        name = {"b": "Booleans", "f": "numbers"}.get(kind, "integers")
        raise ParameterError(
            f"y holds {name}, which match none of the declared classes. Declare the classes as y has them: a "
            "meta-estimator may have encoded them."
        )


def require_matching_kind(kind: str, label: Label) -> None:
    """Refuse a label column whose declared type, which is public, can match no class: a fit would learn from nothing.

    Parameters
    ----------
    kind : str
        "boolean", "numeric" or "categorical", as `Table.kinds` says.
    label : Label
        With the declared classes.
    """
    numeric = any(canonical_decimal(str(value)) is not None for value in label.classes)
    truths = set(label.column().forms) >= {"true", "false"}
    if (kind == "boolean" and not truths) or (kind == "numeric" and not (numeric or truths)):
        held = "Booleans" if kind == "boolean" else "numbers"
        example = "[false, true]" if kind == "boolean" else "[0, 1]"
        raise DataError(
            f"column {label.name!r} holds {held}, which match none of the declared classes. Declare them as the table "
            f"has them, such as {example}."
        )


def as_labels(classes: Sequence[Value], labels: Any) -> NDArray[Any]:
    """Return declared classes in the type that y has, so that predictions can be compared with it."""
    kind = kind_of_labels(labels)
    words = [str(value).lower() for value in classes]
    if kind == "b":
        return np.array([word in ("true", "1", "1.0") for word in words])
    if kind == "U":
        return np.array([value if isinstance(value, str) else show_value(value) for value in classes])
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


def _declared_type(labels: Any) -> Any:
    declared = getattr(labels, "dtype", getattr(labels, "type", None))
    return getattr(getattr(declared, "categories", None), "dtype", declared)


def _as_number(word: str) -> float | None:
    truths = {"true": 1.0, "false": 0.0}
    if word in truths:
        return truths[word]
    return None if canonical_decimal(word) is None else float(word)


def with_labels(data: Any, labels: Any, label: Label) -> Table:
    """Return a table in memory with its label column; files and databases have it already."""
    if isinstance(data, str) or hasattr(data, "__fspath__") or hasattr(data, "to_pyarrow_batches"):
        raise ParameterError("y is a column of the table: name it in the schema and leave y out.")
    require_readable(labels, label)
    with open_table(data) as table:
        return LabelledTable(table, label.name, label_cells(labels))


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
