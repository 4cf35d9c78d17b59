"""`dprules schema`: describe a table, and check the description."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dprules.cli.exits import Exit
from dprules.cli.options import (
    Data,
    Delimiter,
    Json,
    Multiline,
    TableName,
    repeat_source,
    require_apart,
    require_new,
    require_writable,
    write_output,
)
from dprules.cli.spending import describe_spending

if TYPE_CHECKING:  # tables take a while to load
    from dprules.jobs import SchemaReport
    from dprules.schema import Draft, Gap

MOST_ALIKE = 10
"""Gaps that break the same rule and are listed one by one."""
MOST_SHOWN = 30
"""Names of columns that are listed."""

app = typer.Typer(help="Describe a table: everything in a schema is public.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command("draft", epilog="Example: dprules schema draft patients.csv --label readmitted -o schema.toml")
def draft(
    data: Data,
    label: Annotated[str | None, typer.Option(help="The column to predict; may be marked in the codebook.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Schema file to write.")] = Path("schema.toml"),
    codebook: Annotated[
        Path | None,
        typer.Option(
            help="CSV file that says what columns hold: column, kind, values, lower, upper, step, label, positive."
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(help="Public table of the same form to take values and cuts from; the certificate names it."),
    ] = None,
    values_are_public: Annotated[
        bool, typer.Option("--values-are-public", help="List values and put cuts at quantiles; the schema will say so.")
    ] = False,
    decimal: Annotated[str, typer.Option(help='"," if the file writes 3,14.')] = ".",
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a schema file that exists.")] = False,
) -> None:
    """Draft a schema from column names and types; what nobody but you can know is a "?" to fill in.

    No cell is read, unless you declare with --values-are-public that values may be known.
    """
    from dprules.cli.progress import show_work
    from dprules.jobs import draft_schema

    require_writable(output)
    require_apart([output], [data, *(path for path in (codebook, like) if path is not None)])
    require_new(output, force)
    with show_work("drafting"):
        drafted = draft_schema(
            data,
            label,
            values_are_public=values_are_public,
            codebook=codebook,
            like=like,
            decimal=decimal,
            table=table,
            delimiter=delimiter,
            multiline=multiline,
        )
    write_output(drafted.to_toml(), output, force)
    _tell_next(drafted, output, repeat_source(data, table, delimiter, multiline))


def _tell_next(drafted: "Draft", output: Path, source: str) -> None:
    """Print what is to be done with a draft; on standard error what looks odd in it."""
    from dprules.schema import MOST_USUAL, show_value

    for name in drafted.many_values:
        typer.echo(
            f"Column {show_value(name)!r} has more than {MOST_USUAL} different values. Declare it as numeric or as "
            "dates, or ignore it.",
            err=True,
        )
    gaps = drafted.gaps
    quoted = shlex.quote(str(output))
    if drafted.named_by_first_line:
        typer.echo("Names of columns come from the first line. If that line is a record, add a header line first.")
    if gaps:
        words = f"{len(gaps)} entries" if len(gaps) > 1 else "one entry"
        typer.echo(f"{output}: {words} to fill in; then `dprules schema check {quoted} --data {source}`.")
    else:
        typer.echo(f"{output}: check it, then `dprules fit {source} --schema {quoted}`.")


@app.command("check", epilog="Example: dprules schema check schema.toml --data patients.csv")
def check(
    schema: Annotated[Path, typer.Argument(help="Schema file.", readable=False)],
    data: Annotated[str | None, typer.Option(help="Table that must have the columns; no cell is read.")] = None,
    width: Annotated[int, typer.Option(help="Literals in one condition, 1 to 3.")] = 2,
    epsilon: Annotated[float, typer.Option(help="Budget of the fit that is rehearsed.")] = 1.0,
    delta: Annotated[float, typer.Option(help="Its delta.")] = 1e-6,
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    as_json: Json = False,
) -> None:
    """List every gap of a schema with its line; without gaps, count what may be asked and show what a fit would spend.

    No cell is read and nothing is spent. The exit code is 6 if there are gaps.
    """
    from dprules.jobs import check_schema

    report = check_schema(
        schema,
        data,
        width=width,
        epsilon=epsilon,
        delta=delta,
        table=table,
        delimiter=delimiter,
        multiline=multiline,
    )
    typer.echo(json.dumps(asdict(report) | {"complete": report.complete}, indent=2) if as_json else _describe(report))
    if not report.complete:
        raise typer.Exit(Exit.INPUT)


def _describe(report: "SchemaReport") -> str:
    from dprules.schema import show_value

    lines = _list_gaps(report.gaps)
    if report.complete:
        lines.append(
            f"No gaps. At most {report.literals:,} literals, {report.conditions:,} conditions of up to "
            f"{report.width} literals."
        )
        lines.append(describe_spending(report.epsilon, report.delta, report.spending))
    else:
        lines.append(f"{len(report.gaps)} gaps to mend." if len(report.gaps) > 1 else "One gap to mend.")
    if report.unused:
        named = ", ".join(map(show_value, report.unused[:MOST_SHOWN]))
        more = f" and {len(report.unused) - MOST_SHOWN:,} more" if len(report.unused) > MOST_SHOWN else ""
        lines.append(f"Columns of the data that rules will not ask about: {named}{more}.")
    elif report.unused_number:
        lines.append(f"Columns of the data that the schema does not mention: {report.unused_number:,}.")
    return "\n".join(lines)


def _list_gaps(gaps: "Sequence[Gap]") -> list[str]:
    """Return a line for each gap; many that break the same rule share one, so that wide tables stay readable."""
    from dprules.schema import show_value

    alike: dict[str, list[Gap]] = {}
    for gap in gaps:
        alike.setdefault(gap.rule, []).append(gap)
    lines = []
    for rule, group in alike.items():
        if len(group) > MOST_ALIKE:
            named = f"{len(group):,} entries from {group[0].where} to {group[-1].where}"
            lines.append((group[0].line, f"lines {_join_ranges(group)}: {named} must be {rule}"))
        else:
            lines += [(gap.line, f"line {gap.line}: {gap}") for gap in group]
    return [show_value(text) for _, text in sorted(lines, key=lambda line: line[0] or 0)]


def _join_ranges(gaps: "Sequence[Gap]") -> str:
    """Return the lines of gaps, neighbours joined: 3-7, 9."""
    ranges: list[list[int]] = []
    for line in sorted({gap.line or 1 for gap in gaps}):
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
