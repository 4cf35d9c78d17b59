"""What every model can do: faces and jobs call these, and ask no model what kind it is."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Certificate
from dprules.errors import ParameterError
from dprules.files import read_document
from dprules.models.counted import Estimate
from dprules.models.export.header import Header, describe_model
from dprules.models.one_row import Answerer, by_arrays, reader_of
from dprules.models.rows import Rows, open_rows
from dprules.schema import Clipped, Column, Value, show_value

Read = Mapping[str, NDArray[Any]]
"""What was read of some rows, by the names of columns: codes (int16), or the numbers of `Clipped` columns (float64)."""

Numbers = NDArray[np.float64] | NDArray[np.int64]

FORMS = ("sql", "python", "markdown")
"""What a model may be exported as."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the things that a model can say: public, and there are finitely many.

    Parameters
    ----------
    name : str
        How it is printed: "if age < 30 then low", "score 4 to 9", "says yes".
    label : str or number
        The class that rows with this answer are given.
    probabilities : tuple of float, or None
        How likely each class is, in the order of the model's classes, which is what rows are ranked by; None: answers
        do not rank rows.
    """

    name: str
    label: Value
    probabilities: tuple[float, ...] | None = None


class Model(ABC):
    """A public model: whatever predicts a class from the columns of a row.

    Subclasses are frozen dataclasses with slots. What a model does not have it refuses in one sentence.
    """

    __slots__ = ()
    kind: ClassVar[str]
    """What it is called in files and sentences."""
    from_rows: ClassVar[bool] = True
    """Whether it was learnt from the rows of a table; otherwise from the rounds of a stream."""
    classes: tuple[Value, ...]
    """All labels, in the model's order."""
    mark: str
    """What everything that shows it begins with: that its noise was seeded; empty if it is private."""

    # What it asks, and what it says.

    @property
    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """The columns that it asks about, each once."""

    @property
    @abstractmethod
    def labels(self) -> tuple[Value, ...]:
        """The label of each answer."""

    @abstractmethod
    def answers(self) -> tuple[Answer, ...]:
        """Return everything that it can say: a public partition of all rows."""

    @abstractmethod
    def decide(self, read: Read, size: int) -> NDArray[np.int64]:
        """Return the place of each row's answer among `answers`.

        Parameters
        ----------
        read : mapping
            What was read of each of `columns`: codes, or numbers of clipped columns.
        size : int
            How many rows there are: a model may ask about no column at all.
        """

    @property
    def has_probabilities(self) -> bool:
        """Whether `probabilities` has an answer."""
        return True

    def probabilities(self, read: Read, size: int) -> NDArray[np.float64]:
        """Return how likely each class is for each row, in the order of `classes`."""
        raise ParameterError(f"a {self.kind} has no probabilities. Take its labels.")

    @property
    def has_scores(self) -> bool:
        """Whether `scores` has an answer."""
        return False

    def scores(self, read: Read, size: int) -> Numbers:
        """Return the sum that decides each row: one a row for two classes, otherwise one for each class."""
        raise ParameterError(f"a {self.kind} has no scores. Take its labels.")

    def labels_at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        """Return the labels of answers, given by their places."""
        return np.array(self.labels)[places]

    def open_rows(self, rows: object) -> Rows:
        """Return what rows, of any kind that `predict` takes, have in the columns that the model asks about."""
        return open_rows(rows, [column.name for column in self.columns])

    def read_rows(self, rows: object) -> Read:
        """Return what is read of rows; an absent column is missing."""
        opened = rows if isinstance(rows, Rows) else self.open_rows(rows)
        return {column.name: _read_column(column, opened.cells(column.name)) for column in self.columns}

    def predict(self, rows: object) -> NDArray[Any]:
        """Return the label of each row. Predictions on private rows are private.

        Parameters
        ----------
        rows : object
            A data frame (pandas, Polars, Arrow), a dictionary of columns, a list of dictionaries, or one row: a
            dictionary or a series. `dprules.jobs.predict` takes files and databases, too.
        """
        opened = self.open_rows(rows)
        return self.labels_at(self.decide(self.read_rows(opened), opened.size))

    def predict_proba(self, rows: object) -> NDArray[np.float64]:
        """Return how likely each class is for each row, in the order of `classes`; rows are those of `predict`."""
        opened = self.open_rows(rows)
        return self.probabilities(self.read_rows(opened), opened.size)

    def decision_function(self, rows: object) -> Numbers:
        """Return the sum that decides each row: one a row for two classes, otherwise one for each class."""
        opened = self.open_rows(rows)
        return self.scores(self.read_rows(opened), opened.size)

    def prepare(self) -> Answerer:
        """Return a function that answers one row at a time, as fast as the model can; it says what the others say."""
        return by_arrays(self)

    @overload
    def explain(self, rows: Mapping[str, object]) -> str: ...
    @overload
    def explain(self, rows: object) -> str | list[str]: ...
    def explain(self, rows: object) -> str | list[str]:
        """Say why a row gets its label: a text for a dictionary or a series, a list of texts for a table of rows."""
        opened = self.open_rows(rows)
        texts = [self.explain_row(row) for row in opened.records()]
        return texts[0] if opened.single else texts

    @abstractmethod
    def explain_row(self, row: Mapping[str, object]) -> str:
        """Say why a row, given as a dictionary, gets its label."""

    # What is known of the records that it was learnt from.

    @property
    def is_counted(self) -> bool:
        """Whether it carries noisy counts of the records that it was learnt from."""
        return False

    def records(self) -> Estimate | None:
        """Return how many records it was learnt from; None: too few to tell, or not counted."""
        return None

    def cautions(self, label: str) -> list[str]:
        """Return sentences on why noise may have made it up; `label` is the column that it predicts."""
        if not self.is_counted or self.records() is not None:
            return []
        return [
            f"Noise alone could have made up this {self.kind}. Check that column {show_value(label)} holds the "
            "declared classes, written as in the schema, or take more rows or a larger epsilon."
        ]

    @abstractmethod
    def faults(self, certificate: Certificate) -> list[str]:
        """Return what it shows and the certificate did not pay for, in sentences; nothing if all is paid."""

    # Its forms.

    def __str__(self) -> str:
        return f"{self.mark}\n{self.write_text()}" if self.mark else self.write_text()

    @abstractmethod
    def write_text(self) -> str:
        """Return it as lines of text, without its mark."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""

    @classmethod
    @abstractmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """Read it back; documents that are broken, hostile or of another version are refused."""

    def to_json(self) -> str:
        """Return it as JSON; `from_json` reads it back."""
        return json.dumps(self.document(), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read it from JSON."""
        return cls.from_document(read_document(text))

    @property
    def forms(self) -> tuple[str, ...]:
        """What it can be exported as, of `FORMS`."""
        return FORMS

    def to_sql(self, table: str, dialect: str = "duckdb", header: Header | None = None) -> str:
        """Return it as a query; cells are read as `predict` reads them."""
        raise self._no_form("SQL")

    def to_spark(self) -> Any:
        """Return the label as a column of Spark: `frame.withColumn("label", model.to_spark())`."""
        from dprules.models.export.spark import make_column  # Spark is an extra

        return make_column(self._write_expression())

    def _write_expression(self) -> str:
        raise self._no_form("Spark")

    def to_python(self, header: Header | None = None) -> str:
        """Return it as a Python module that needs nothing but Python."""
        raise self._no_form("Python")

    def to_markdown(self, header: Header | None = None) -> str:
        """Return it as a Markdown table, and what there is to say of it."""
        raise self._no_form("Markdown")

    def _repr_html_(self) -> str:
        """Return it as notebooks show it."""
        return (f"<p><strong>{escape(self.mark)}</strong></p>" if self.mark else "") + self._write_html()

    def _write_html(self) -> str:
        return f"<pre>{escape(self.write_text())}</pre>"

    def _no_form(self, form: str) -> ParameterError:
        return ParameterError(f"a {self.kind} has no {form} form yet. Export {' or '.join(self.forms)}.")

    def _header(self) -> Header:
        """What an export of the model without its envelope says of itself."""
        return describe_model(self.kind, self.classes, self.mark)


def _read_column(column: Column, cells: Sequence[object]) -> NDArray[Any]:
    read = reader_of(column)
    return np.array([read(cell) for cell in cells], dtype=np.float64 if isinstance(column, Clipped) else np.int16)
