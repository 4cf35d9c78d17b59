"""Is a schema ready for a fit? Every gap at once, how much there is to ask, and what a fit would spend."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprules.errors import DataError
from dprules.jobs.fitting import FitRequest, Spending, check_fit, sum_shares
from dprules.jobs.labels import require_matching_kind
from dprules.jobs.quiet import without_sizes
from dprules.jobs.settings import ListSettings
from dprules.numbers import Real
from dprules.schema import (
    DocumentReader,
    Gap,
    GapsError,
    PrivateCuts,
    PrivateValues,
    Schema,
    Survey,
    literals_of,
    read_text_file,
)
from dprules.tables import ColumnsTable, Table, find_near, open_table


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """What is to be said of a schema: public facts only.

    Parameters
    ----------
    gaps : tuple of Gap
        Everything that keeps it from being used, by line.
    literals, conditions : int
        How many questions there are at the most, alone and joined up to the width; 0 if there are gaps.
    width : int
        Literals in one condition.
    epsilon, delta : float
        The budget that is spent.
    spending : tuple of Spending
        What a fit with that budget would spend, and on what; nothing if there are gaps.
    unused : tuple of str
        Columns of the data that the schema neither declares nor ignores: rules will not ask about them. None of a text
        file is named: without a header its names are a record.
    unused_number : int
        How many there are.
    """

    gaps: tuple[Gap, ...]
    width: int
    epsilon: float
    delta: float
    literals: int = 0
    conditions: int = 0
    spending: tuple[Spending, ...] = ()
    unused: tuple[str, ...] = ()
    unused_number: int = 0

    @property
    def complete(self) -> bool:
        """Whether a fit would take the schema."""
        return not self.gaps


def _read_text(schema: Schema | str | Path | Mapping[str, Any]) -> tuple[str, str]:
    """Return a schema as TOML, and what messages call it."""
    if isinstance(schema, str | Path):
        return read_text_file(Path(schema)), str(schema)
    return (schema if isinstance(schema, Schema) else Schema.from_document(schema)).to_toml(), "the schema"


@without_sizes
def check_schema(
    schema: Schema | str | Path | Mapping[str, Any],
    data: object = None,
    *,
    width: int = 2,
    epsilon: Real = 1.0,
    delta: Real = 1e-6,
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
) -> SchemaReport:
    """Check a schema, and whether a table has its columns; no cell is read and nothing is spent.

    Parameters
    ----------
    schema : Schema, path or dict
        The schema, or its file.
    data : object
        A table of any kind, or None to look at the schema alone.
    width : int
        Literals in one condition.
    epsilon, delta : number
        The budget of the fit that is rehearsed.
    table, delimiter, multiline
        As for `open_table`.
    """
    settings = ListSettings(width=width)
    report = SchemaReport((), width, float(epsilon), float(delta))
    text, source = _read_text(schema)
    reader = DocumentReader(text or "\n", source)  # an empty file has a first line
    try:
        document = reader.parse(text)
    except GapsError as error:
        return replace(report, gaps=error.gaps)
    found = reader.survey(document)
    gaps = [*found.gaps, *_find_share_gaps(reader, found, settings), *_find_empty_gaps(reader, found, document)]
    if data is None:
        return _conclude(report, gaps, text, None)
    with open_table(data, table, delimiter, multiline) as opened:
        names = DocumentReader.names_in(document)
        unused = tuple(name for name in opened.names if name not in names)
        report = replace(report, unused=() if opened.named_by_first_line else unused, unused_number=len(unused))
        needed = [name for name, wanted in names.items() if wanted]
        gaps += [reader.gap_of(name, _describe_lack(name, opened)) for name in opened.lacking(needed)]
        gaps += _find_label_gaps(reader, found, opened)
        return _conclude(report, gaps, text, opened)


def _describe_lack(name: str, table: Table) -> str:
    """Return the rule of a column that the table does not have; of those it has, only one of nearly that name."""
    near = find_near(name, table.names)
    if near is not None:
        return f"a column of the data (did you mean {near!r}?)"
    return f"a column of the data, which has {len(table.names):,} columns, none called so"


def _find_label_gaps(reader: DocumentReader, found: Survey, table: Table) -> list[Gap]:
    """Return a gap if the label column has a type that can match no class."""
    kind = None if found.label is None else table.kinds().get(found.label.name)
    if found.label is None or kind is None:
        return []
    try:
        require_matching_kind(kind, found.label)
    except DataError as error:
        sentence = str(error)
    else:
        return []
    return [reader.gap_at(("label", "classes"), f"others: {sentence.removesuffix('.')}")]


def _find_share_gaps(reader: DocumentReader, found: Survey, settings: ListSettings) -> list[Gap]:
    """Return a gap for each column with private values, if their shares leave nothing for the model."""
    private = [column for column in found.columns if isinstance(column, PrivateValues)]
    spent = [
        ("epsilon", private and sum_shares(settings, found.columns) >= 1),
        ("delta", sum(Fraction(column.delta) for column in private) >= 1),
    ]
    used_up = " and ".join(name for name, all_of_it in spent if all_of_it)
    rule = f"smaller shares: those of all columns leave nothing of {used_up} for the model"
    return [reader.gap_at(("columns", column.name, "values"), rule) for column in private if used_up]


def _find_empty_gaps(reader: DocumentReader, found: Survey, document: Mapping[str, Any]) -> list[Gap]:
    """Return a gap if all columns are right and none of them leaves anything to ask."""
    entries = document.get("columns")
    if not found.columns or not entries or len(found.columns) + len(found.ignored) < len(entries):
        return []
    if any(isinstance(column, PrivateCuts | PrivateValues) or literals_of(column) for column in found.columns):
        return []
    return [reader.gap_at(("columns",), "such that one of them leaves something to ask: two values, or a cut")]


def _conclude(report: SchemaReport, gaps: list[Gap], text: str, table: Table | None) -> SchemaReport:
    """Report the gaps; without any make the checks of a fit: the same function, without rows if no table is given."""
    if gaps:
        return replace(report, gaps=tuple(sorted(gaps, key=lambda gap: gap.line or 0)))
    schema = Schema.from_toml(text)
    data = ColumnsTable({name: [] for name in schema.names}) if table is None else table
    settings = ListSettings(width=report.width)
    summary = check_fit(FitRequest(data, schema, settings, epsilon=report.epsilon, delta=report.delta))
    literals, conditions = (summary.survey[name] for name in ("literals", "conditions"))
    return replace(report, literals=literals, conditions=conditions, spending=summary.spending)
