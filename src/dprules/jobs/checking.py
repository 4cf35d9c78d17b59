"""Is a schema ready for a fit? Every gap at once, how much there is to ask, and what a fit would spend."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dprules.errors import SchemaError
from dprules.jobs.fitting import FitRequest, Spending, check_fit
from dprules.jobs.quiet import without_sizes
from dprules.jobs.settings import ListSettings
from dprules.numbers import Real
from dprules.schema import DocumentReader, Gap, GapsError, Schema
from dprules.tables import ColumnsTable, Table, open_table


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
        Columns of the data that the schema neither declares nor ignores: rules will not ask about them.
    """

    gaps: tuple[Gap, ...]
    width: int
    epsilon: float
    delta: float
    literals: int = 0
    conditions: int = 0
    spending: tuple[Spending, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether a fit would take the schema."""
        return not self.gaps


@without_sizes
def check_schema(
    path: str | Path,
    data: object = None,
    *,
    width: int = 2,
    epsilon: Real = 1.0,
    delta: Real = 1e-6,
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
) -> SchemaReport:
    """Check a schema file, and whether a table has its columns; no cell is read and nothing is spent.

    Parameters
    ----------
    path : path
        The schema file.
    data : object
        A table of any kind, or None to look at the schema alone.
    width : int
        Literals in one condition.
    epsilon, delta : number
        The budget of the fit that is rehearsed.
    table, delimiter, multiline
        As for `open_table`.
    """
    text = _read_text(Path(path))
    report = SchemaReport((), width, float(epsilon), float(delta))
    schema, gaps = _read(text, str(path))
    if data is None:
        return replace(report, gaps=gaps) if schema is None else _rehearse(report, schema, None)
    with open_table(data, table, delimiter, multiline) as opened:
        names = _names_in(text)
        lacking = _lacking_columns(text, str(path), names, opened)
        unused = tuple(name for name in opened.names if names and name not in names)
        if schema is None or lacking:
            both = sorted([*gaps, *lacking], key=lambda gap: gap.line or 0)
            return replace(report, gaps=tuple(both), unused=unused)
        return replace(_rehearse(report, schema, opened), unused=unused)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        pass
    raise SchemaError(f"{path}: not UTF-8 text. Save it as UTF-8.")


def _read(text: str, source: str) -> tuple[Schema | None, tuple[Gap, ...]]:
    try:
        return Schema.from_toml(text, source), ()
    except GapsError as error:
        return None, error.gaps


def _names_in(text: str) -> dict[str, bool]:
    """Return the columns that a schema names, complete or not, and whether it needs them."""
    try:
        document: Mapping[str, Any] = DocumentReader(text, "").parse(text)
    except GapsError:
        return {}
    return DocumentReader.names_in(document)


def _lacking_columns(text: str, source: str, names: Mapping[str, bool], table: Table) -> list[Gap]:
    """Return a gap for each column that the schema needs and the table does not have."""
    reader = DocumentReader(text, source)
    shown = ", ".join(map(repr, table.names[:30]))
    more = f" and {len(table.names) - 30} more" if len(table.names) > 30 else ""
    needed = [name for name, wanted in names.items() if wanted]
    return [reader.gap_of(name, f"a column of the data, which has {shown}{more}") for name in table.lacking(needed)]


def _rehearse(report: SchemaReport, schema: Schema, table: Table | None) -> SchemaReport:
    """Make the checks of a fit: the same function, of a table without rows if none is given."""
    data = ColumnsTable({name: [] for name in schema.names}) if table is None else table
    settings = ListSettings(width=report.width)
    summary = check_fit(FitRequest(data, schema, settings, epsilon=report.epsilon, delta=report.delta))
    return replace(report, literals=summary.literals, conditions=summary.conditions, spending=summary.spending)
