"""The public description of a table: everything in it is public by declaration."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomli_w

from dprules.errors import SchemaError
from dprules.schema.columns import Column, Numeric, PrivateCuts
from dprules.schema.documents import DocumentReader
from dprules.schema.labels import Label
from dprules.schema.literals import Literal, literals_of


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if not isinstance(self.label, Label) or not all(isinstance(column, Column) for column in self.columns):
            raise SchemaError("a schema has a Label and columns such as Categorical, Numeric or Boolean.")
        names = [column.name for column in self.columns]
        if not names:
            raise SchemaError("a schema needs at least one column: rules must ask about something.")
        if self.label.name in names:
            raise SchemaError(f"column {self.label.name!r} is the label, which rules may not ask about. Leave it out.")
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise SchemaError(f"column {twice[0]!r} is declared twice. Leave one out.")

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
            Numeric(column.name, tuple(cuts[column.name]), bought=True, missing_literal=column.missing_literal)
            if isinstance(column, PrivateCuts)
            else column
            for column in self.columns
        ]
        return replace(self, columns=tuple(bought))

    @property
    def private_cuts(self) -> tuple[PrivateCuts, ...]:
        """The columns whose cuts are still to be bought."""
        return tuple(column for column in self.columns if isinstance(column, PrivateCuts))

    @classmethod
    def from_toml(cls, text: str, source: str = "schema") -> "Schema":
        """Read a schema; an error names the source, the line and the key."""
        reader = DocumentReader(text, source)
        return cls._from_document(reader, reader.parse(text))

    @classmethod
    def from_document(cls, document: Mapping[str, Any], source: str = "schema") -> "Schema":
        """Read a schema from a dictionary with the keys of a schema file."""
        if not isinstance(document, Mapping):
            raise SchemaError(f"{source} must be a dictionary with label and columns, as a schema file has them.")
        return cls._from_document(DocumentReader("", source), dict(document))

    @classmethod
    def _from_document(cls, reader: DocumentReader, document: dict[str, Any]) -> "Schema":
        reader.require_keys(document, {"label", "columns", "values_are_public"}, ())
        label = reader.label(document.get("label"))
        columns = reader.columns(document.get("columns", {}))
        declared = document.get("values_are_public", False)
        if not isinstance(declared, bool):
            raise SchemaError("values_are_public must be true or false. Mend that entry.")
        return cls(label, columns, declared)

    @classmethod
    def from_file(cls, path: str | Path) -> "Schema":
        """Read a schema file."""
        try:
            return cls.from_toml(Path(path).read_text(encoding="utf-8"), str(path))
        except UnicodeDecodeError:
            pass
        raise SchemaError(f"{path}: not UTF-8 text. Save it as UTF-8.")

    def document(self) -> dict[str, Any]:
        """Return the schema as a document; `from_document` reads it back."""
        declared: dict[str, Any] = {"values_are_public": True} if self.values_are_public else {}
        entries = {column.name: column.entry() for column in self.columns}
        return declared | {"label": self.label.entry(), "columns": entries}

    def to_toml(self) -> str:
        """Return the schema as TOML; `from_toml` reads it back."""
        return tomli_w.dumps(self.document())


def read_schema(schema: "Schema | str | Path | Mapping[str, Any]") -> Schema:
    """Take a schema as users give it: a `Schema`, the path of a file, or a dictionary."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, str | Path):
        return Schema.from_file(schema)
    return Schema.from_document(schema)
