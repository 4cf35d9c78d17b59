"""The public description of a table: everything in it is public by declaration."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import tomli_w

from dprules.errors import ParameterError, SchemaError
from dprules.numbers import flag
from dprules.schema.columns import Column, PrivateCuts, Value
from dprules.schema.documents import DocumentReader
from dprules.schema.frames import Bounds, FrameReader, frame_types
from dprules.schema.html import write_schema
from dprules.schema.labels import Label
from dprules.schema.literals import Literal, literals_of
from dprules.schema.private_values import PrivateValues
from dprules.schema.text_files import read_text_file


@dataclass(frozen=True, slots=True)
class Schema:
    """A label and the columns that rules may ask about.

    Parameters
    ----------
    label : Label
        The column to predict.
    columns : sequence of Column
        Different names, none of them the label's.
    values_are_public : bool
        Whether values and cuts were read off the data and declared public.
    values_like : str or None
        Name of the public table, of the same form as the data, that values and cuts were taken from.
    ignored : sequence of str
        Columns of the data that are known and not used.

    Examples
    --------
    >>> schema = Schema.from_toml('''
    ... [label]
    ... column = "income"
    ... classes = ["low", "high"]
    ... [columns.age]
    ... kind = "numeric"
    ... cuts = [30, 50]
    ... ''')
    >>> [str(literal) for literal in schema.literals()]
    ['age < 30', 'age < 50', 'age >= 30', 'age >= 50']
    """

    label: Label
    columns: Sequence[Column]
    values_are_public: bool = False
    values_like: str | None = None
    ignored: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "ignored", tuple(self.ignored))
        if not isinstance(self.label, Label) or not all(isinstance(column, Column) for column in self.columns):
            raise SchemaError("a schema has a Label and columns such as Categorical, Numeric or Boolean.")
        names = [column.name for column in self.columns]
        if not names:
            raise SchemaError("a schema needs at least one column: rules must ask about something.")
        if self.label.name in names:
            raise SchemaError(f"column {self.label.name!r} is the label, which rules may not ask about. Leave it out.")
        twice = [name for name, times in Counter([*names, self.label.name, *self.ignored]).items() if times > 1]
        if twice:
            raise SchemaError(f"column {twice[0]!r} is declared twice. Leave one out.")
        like = self.values_like
        if like is not None and (not isinstance(like, str) or not like or not like.isprintable()):
            raise SchemaError("values_like must be the name of a public table, on one line. Mend that entry.")

    @property
    def names(self) -> tuple[str, ...]:
        """The label's name, then those of the columns."""
        return (self.label.name, *(column.name for column in self.columns))

    def literals(self) -> tuple[Literal, ...]:
        """Return every literal, column by column."""
        return tuple(literal for column in self.columns for literal in literals_of(column))

    def with_cuts(self, cuts: Mapping[str, Sequence[float]]) -> "Schema":
        """Return the schema with bought cuts in the place of private ones."""
        bought = [
            column.with_cuts(cuts[column.name]) if isinstance(column, PrivateCuts) else column
            for column in self.columns
        ]
        return replace(self, columns=tuple(bought))

    @property
    def private_cuts(self) -> tuple[PrivateCuts, ...]:
        """The columns whose cuts are still to be bought."""
        return tuple(column for column in self.columns if isinstance(column, PrivateCuts))

    def with_values(self, values: Mapping[str, Sequence[str]]) -> "Schema":
        """Return the schema with bought values in the place of private ones."""
        bought = [c.with_values(values[c.name]) if isinstance(c, PrivateValues) else c for c in self.columns]
        return replace(self, columns=tuple(bought))

    @property
    def private_values(self) -> tuple[PrivateValues, ...]:
        """The columns whose values are still to be bought."""
        return tuple(column for column in self.columns if isinstance(column, PrivateValues))

    @classmethod
    def from_toml(cls, text: str, source: str = "schema") -> "Schema":
        """Read a schema; an error names the source, the line and the key."""
        reader = DocumentReader(text or "\n", source)  # an empty file has a first line
        return cls._from_document(reader, reader.parse(text))

    @classmethod
    def from_document(cls, document: Mapping[str, Any], source: str = "schema") -> "Schema":
        """Read a schema from a dictionary with the keys of a schema file."""
        if not isinstance(document, Mapping):
            raise SchemaError(f"{source} must be a dictionary with label and columns, as a schema file has them.")
        return cls._from_document(DocumentReader("", source), dict(document))

    @classmethod
    def _from_document(cls, reader: DocumentReader, document: dict[str, Any]) -> "Schema":
        label, columns, ignored = reader.read(document)
        public = document.get("values_are_public", False)
        return cls(label, columns, public, document.get("values_like"), ignored)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        label: str = "y",
        *,
        classes: Sequence[Value] | None = None,
        positive: Value | None = None,
        values: Mapping[str, Sequence[Value]] | None = None,
        bounds: Mapping[str, Bounds] | None = None,
        ignore: Sequence[str] = (),
        categories_are_public: bool = False,
        values_are_public: bool = False,
    ) -> "Schema":
        """Make a schema from the types of a data frame's columns and what you say of them.

        No cell is read unless values are public. What is still unknown is refused in one sentence that names columns.

        Parameters
        ----------
        frame : object
            Of pandas, Polars or Arrow.
        label : str
            The column to predict. It need not be in the frame.
        classes : sequence
            Its values.
        positive : value or None
            The positive class.
        values : mapping
            Values of categorical columns.
        bounds : mapping
            (lower, upper, step) of numbers and dates: all that one must know of them. The step may be left out.
        ignore : sequence of str
            Columns that rules shall not ask about.
        categories_are_public : bool
            Declares the categories of a column's type (a pandas Categorical, a Polars Enum) as its values. Categories
            that a library collected from the rows are private: say this only if you wrote them down.
        values_are_public : bool
            Reads values and cuts off the rows wherever nothing else is said, and marks the schema so.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"age": [41], "ward": ["icu"], "ill": [True]})
        >>> schema = Schema.from_frame(
        ...     frame, "ill", classes=[False, True], values={"ward": ["icu", "other"]}, bounds={"age": (0, 120, 1)}
        ... )
        >>> [column.kind for column in schema.columns]
        ['numeric', 'categorical']
        """
        types = frame_types(frame)
        values, bounds, ignore, label = _name_by_text(values, bounds, ignore, label)
        named = {*values, *bounds, *ignore}
        strange = [name for name in named if name not in types]
        if strange:
            # Other names are not shown: those of a file without a header are a record.
            near = get_close_matches(strange[0], types, 1, 0.8)
            hint = f"; did you mean {near[0]!r}?" if near else f" among its {len(types)}. Check the name."
            raise SchemaError(f"the frame has no column {strange[0]!r}{hint}")
        public = frame if flag(values_are_public, "values_are_public") else None
        named_categories = flag(categories_are_public, "categories_are_public")
        reader = FrameReader(types, values, bounds, named_categories, public)
        found = reader.classes(label, classes)
        columns = reader.columns([name for name in types if name not in {label, *ignore}])
        return cls(Label(label, found, positive), columns, values_are_public, ignored=tuple(ignore))

    @classmethod
    def from_file(cls, path: str | Path) -> "Schema":
        """Read a schema file."""
        return cls.from_toml(read_text_file(Path(path)), str(path))

    def document(self) -> dict[str, Any]:
        """Return the schema as a document; `from_document` reads it back."""
        declared: dict[str, Any] = {"values_are_public": True} if self.values_are_public else {}
        declared |= {} if self.values_like is None else {"values_like": self.values_like}
        entries = {column.name: column.entry() for column in self.columns}
        ignored = {name: {"ignore": True} for name in self.ignored}
        return declared | {"label": self.label.entry(), "columns": entries | ignored}

    def _repr_html_(self) -> str:
        """Return the schema as notebooks show it."""
        return write_schema(self.label.entry(), {column.name: column.entry() for column in self.columns})

    def to_toml(self) -> str:
        """Return the schema as TOML; `from_toml` reads it back."""
        return tomli_w.dumps(self.document())


def _name_by_text(
    values: Mapping[Any, Sequence[Value]] | None, bounds: Mapping[Any, Bounds] | None, ignore: Sequence[Any], label: Any
) -> tuple[dict[str, Sequence[Value]], dict[str, Bounds], list[str], str]:
    """Return what users say of columns by the texts of their names: names of pandas may be integers."""
    for mapping, example in ((values, "values={'ward': [...]}"), (bounds, "bounds={'age': (0, 110)}")):
        if mapping is not None and not isinstance(mapping, Mapping):
            raise ParameterError(f"{example.split('=')[0]} must be a dictionary, such as {example}.")
    by_values = {str(name): listed for name, listed in (values or {}).items()}
    by_bounds = {str(name): pair for name, pair in (bounds or {}).items()}
    return by_values, by_bounds, [str(name) for name in ([ignore] if isinstance(ignore, str) else ignore)], str(label)


def read_schema(schema: "Schema | str | Path | Mapping[str, Any]") -> Schema:
    """Take a schema as users give it: a `Schema`, the path of a file, or a dictionary."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, str | Path):
        return Schema.from_file(schema)
    return Schema.from_document(schema)
