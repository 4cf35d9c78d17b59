"""A schema of a data frame from the types of its columns, and from what its owner says of them; never from cells.

No frame library is loaded: types are told by their own names.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dprules.errors import SchemaError
from dprules.schema.cells import read_date
from dprules.schema.columns import Boolean, Categorical, Column, PrivateCuts, Value
from dprules.schema.dates import PrivateDates
from dprules.schema.gaps import FieldError, Gap, GapsError
from dprules.schema.public_values import declarable_values, draft_column, rank_values
from dprules.schema.records import read_frame

Bounds = Sequence[Any]
"""Lower, upper, and the step, which may be left out."""
_NUMBER = re.compile(r"u?int(eger)?\d*|float\d*|double|halffloat|half_float|decimal.*", re.IGNORECASE)
_DATE = re.compile(r"date.*|timestamp.*", re.IGNORECASE)
_BOUNDS = "given: bounds={%r: (lower, upper, step)}, known without looking at the data"
_VALUES = "given: values={%r: [...]}, or leave the column out with ignore=[%r]"


def frame_types(frame: Any) -> dict[str, Any]:
    """Return the type of each column of a pandas, Polars or Arrow frame, also inside narwhals."""
    if hasattr(frame, "to_native"):
        frame = frame.to_native()
    kinds: Any = getattr(frame, "dtypes", None)
    if hasattr(kinds, "items"):  # pandas
        return {str(name): kind for name, kind in kinds.items()}
    schema: Any = getattr(frame, "schema", None)
    if hasattr(schema, "items"):  # Polars
        return {str(name): kind for name, kind in schema.items()}
    if schema is not None and hasattr(schema, "names") and hasattr(schema, "types"):  # Arrow
        return dict(zip(schema.names, schema.types, strict=True))
    raise SchemaError("a schema is made from a pandas, Polars or Arrow frame. For files use `dprules schema draft`.")


def frame_kind(kind: Any) -> str:
    """Return "boolean", "numeric", "date" or "categorical" for the type of a column.

    Examples
    --------
    >>> frame_kind("int64"), frame_kind("Float32"), frame_kind("datetime64[ns]"), frame_kind("bool"), frame_kind("str")
    ('numeric', 'numeric', 'date', 'boolean', 'categorical')
    """
    name = re.sub(r"\[(pyarrow|ns|us|ms|s|day).*|\(.*", "", str(kind)).strip()
    if name.lower() in ("bool", "boolean"):
        return "boolean"
    if _NUMBER.fullmatch(name):
        return "numeric"
    return "date" if _DATE.fullmatch(name) else "categorical"


class FrameReader:
    """Makes columns from types and declarations, and notes everything that is still to be said.

    Parameters
    ----------
    types : mapping
        Types of columns.
    values : mapping
        Declared values of categorical columns.
    bounds : mapping
        Lower, upper and step of numbers and dates.
    categories_are_public : bool
        Whether the categories of a column's type are declared.
    public_frame : object
        The frame, if its cells may be read; otherwise None.
    """

    def __init__(
        self,
        types: Mapping[str, Any],
        values: Mapping[str, Sequence[Value]],
        bounds: Mapping[str, Bounds],
        categories_are_public: bool,
        public_frame: Any = None,
    ) -> None:
        self._types = types
        self._values = values
        self._bounds = bounds
        self._public = categories_are_public
        self._frame = public_frame
        self._gaps: list[Gap] = []

    def columns(self, names: Sequence[str]) -> tuple[Column, ...]:
        """Return a column for each name, or refuse with everything that is missing."""
        made = [self._column(name) for name in names]
        self.refuse_gaps()
        return tuple(column for column in made if column is not None)

    def classes(self, label: str, given: Sequence[Value] | None) -> Sequence[Value]:
        """Return the classes of the label; nothing, and a gap, if nobody declared them."""
        if given is not None:
            return given
        found = self._declared(label) if label in self._types else None
        if found is None and self._frame is not None and label in self._types:
            found = sorted(declarable_values(self._ranked(label)[0]))
        if not found:
            self._gaps.append(Gap("classes", "given: classes=[...], the values of the label"))
        return found or ()

    def refuse_gaps(self) -> None:
        """Refuse if anything is still to be said."""
        if self._gaps:
            raise GapsError("the schema of the data frame", self._gaps)

    def _column(self, name: str) -> Column | None:
        kind = frame_kind(self._types[name])
        declared = self._declared(name)
        if declared is not None:
            return Categorical(name, declared)
        if kind == "boolean":
            return Boolean(name)
        if name in self._bounds:
            return _between(name, kind, self._bounds[name])
        read_off = None if self._frame is None else draft_column(name, *self._ranked(name))
        if read_off is not None:
            return read_off
        rule = _VALUES % (name, name) if kind == "categorical" else _BOUNDS % name
        self._gaps.append(Gap(name, rule))
        return None

    def _ranked(self, name: str) -> tuple[list[str], Any]:
        """Return the values of a column whose cells are public, and its numbers."""
        _, columns = read_frame(self._frame, [name]) or (0, {})
        return rank_values(next(iter(columns.values())))

    def _declared(self, name: str) -> Sequence[Value] | None:
        """Values that the user gave, or the categories of the type where these are public."""
        if name in self._values:
            return self._values[name]
        categories = getattr(self._types[name], "categories", None)
        if not self._public or categories is None:
            return None
        listed = categories.to_list() if hasattr(categories, "to_list") else list(categories)
        return [value if isinstance(value, str | int | float) else str(value) for value in listed]


def _between(name: str, kind: str, bounds: Bounds) -> Column:
    """Return the column of numbers or dates with these bounds."""
    if isinstance(bounds, str) or not isinstance(bounds, Sequence | np.ndarray) or not 2 <= len(bounds) <= 3:
        raise FieldError(("bounds",), name, "(lower, upper) or (lower, upper, step)")
    # Objects may be dates: then the bounds say so.
    dated = kind == "date" or (kind == "categorical" and read_date(bounds[0]) is not None)
    made = PrivateDates if dated else PrivateCuts
    return made(name, bounds[0], bounds[1], step=bounds[2] if len(bounds) == 3 else None)
