"""Models as SQL: a query that reads every cell once, as `predict` reads it, and then asks the rules in their order."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from dprules.errors import ParameterError
from dprules.models.export.dialects import find_dialect
from dprules.models.export.header import Header
from dprules.models.export.readings import STAGES, Expression, Readings, write_condition, write_number
from dprules.schema import Literal, Value

Branch = tuple[Sequence[Literal], Value]


def write_list(branches: Sequence[Branch], default: Value, table: str, dialect: str, header: Header) -> str:
    """Return a query with a CASE expression whose branches are tried in their order.

    Parameters
    ----------
    branches : sequence of (literals, label)
        The rules.
    default : str or number
        The label where no rule holds.
    table : str
        The table to select from: name, schema.name or catalog.schema.name.
    dialect : str
        One of `dialects.DIALECTS`.
    header : Header
        What stands in the comment above the query.
    """
    query = _Query(table, dialect, header, [literal for literals, _ in branches for literal in literals])
    write_label = _label_writer([*(label for _, label in branches), default])
    if not branches:
        return query.write([query.sql(write_label(default))])
    lines = ["CASE"]
    for place, (literals, label) in enumerate(branches, 1):
        lines.append(f"  -- {place}: {_comment(literals)}")
        lines.append(f"  WHEN {query.sql(write_condition(literals))} THEN {query.sql(write_label(label))}")
    return query.write([*lines, f"  ELSE {query.sql(write_label(default))}", "END"])


def write_sum(
    terms: Sequence[tuple[Sequence[Literal], float]],
    bias: float,
    classes: tuple[Value, Value],
    table: str,
    dialect: str,
    header: Header,
) -> str:
    """Return a query that adds a weight for each condition that holds, and subtracts it for each that does not.

    Parameters
    ----------
    terms : sequence of (literals, weight)
        Conditions and their weights, in the order in which `predict` adds them.
    bias : float
        What is always added.
    classes : tuple
        The label of a sum that is not positive, and that of a positive one.
    table, dialect, header
        As for a list.
    """
    query = _Query(table, dialect, header, [literal for literals, _ in terms for literal in literals])
    lines = ["CASE WHEN", f"  {query.sql(_write_double(bias))}"]
    for literals, weight in terms:
        holds = query.sql(write_condition(literals))
        added = query.sql(_write_double(weight))
        subtracted = query.sql(_write_double(-weight))
        lines.append(f"  -- {_comment(literals)}")
        lines.append(f"  + CASE WHEN {holds} THEN {added} ELSE {subtracted} END")
    write_label = _label_writer(classes)
    answer = f"THEN {query.sql(write_label(classes[1]))} ELSE {query.sql(write_label(classes[0]))}"
    return query.write([*lines, f"  > 0 {answer}", "END"])


class _Query:
    """A query of one answer a row, beside the columns of the table."""

    def __init__(self, table: str, dialect: str, header: Header, literals: Sequence[Literal]) -> None:
        self._dialect = find_dialect(dialect)
        self._header = header
        self._table = _write_table(table)
        self._readings = Readings(self._dialect, literals)
        names = [table, header.answer_name, *self._readings.values]
        if dialect == "spark" and any("${" in name for name in names):
            # Spark replaces ${...} in the text of a query, and in a name there is no other way to write it.
            raise ParameterError("Spark cannot name a column with ${ in its name. Rename the column, or export Python.")

    def sql(self, expression: Expression) -> str:
        """Return an expression as text of the dialect."""
        return expression.sql(self._dialect.name, comments=False)

    def write(self, answer: Sequence[str]) -> str:
        """Return the query for an answer, which is given in lines."""
        name = self.sql(exp.to_identifier(self._header.answer_name, quoted=True))
        source = f"FROM {self.sql(self._table)} AS t"
        if not self._stages:
            lines = [f"SELECT t.*, {answer[0]} AS {name}", source]
        elif self._dialect.has_lateral:
            lines = [f"SELECT t.*, {answer[0]}", *answer[1:-1], f"{answer[-1]} AS {name}", source, *self._laterals()]
        else:
            lines = ["SELECT t.*, (", *self._tables(), f"SELECT {answer[0]}", *answer[1:], "FROM value"]
            lines += [f") AS {name}", source]
        text = "\n".join(lines)
        if self._dialect.name == "spark":
            text = text.replace("${", "$\\{")
        return "\n".join([*(f"-- {line}" for line in self._header.lines), text])

    @property
    def _stages(self) -> dict[str, dict[str, Expression]]:
        """What is computed from a row, in its order; the values that rules compare are the last."""
        stages = {**self._readings.stages, "value": self._readings.values}
        return {stage: parts for stage, parts in stages.items() if parts}

    def _laterals(self) -> list[str]:
        """The stages as joins of one row each."""
        lines = []
        for stage, parts in self._stages.items():
            lines += [f"-- {STAGES[stage]}", f"CROSS JOIN LATERAL (SELECT\n{self._select(parts)}\n) AS {stage}"]
        return lines

    def _tables(self) -> list[str]:
        """The stages as common tables of one row each, inside a query for each row."""
        written: list[str] = []
        earlier: list[str] = []
        for stage, parts in self._stages.items():
            source = f"\n  FROM {', '.join(earlier)}" if earlier else ""
            written.append(f"-- {STAGES[stage]}\n{stage} AS (SELECT\n{self._select(parts)}{source}\n)")
            earlier.append(stage)
        return ["WITH", ",\n".join(written)]

    def _select(self, parts: dict[str, Expression]) -> str:
        return ",\n".join(f"  {self.sql(exp.alias_(part, name, quoted=True))}" for name, part in parts.items())


def _write_table(table: str) -> Expression:
    names = table.split(".")
    if not 1 <= len(names) <= 3 or not all(names):
        raise ParameterError(f"table must be a name, schema.name or catalog.schema.name; got {table!r}.")
    name, schema, catalog = [*reversed(names), None, None][:3]
    return exp.table_(str(name), db=schema, catalog=catalog, quoted=True)


def _write_double(number: float) -> Expression:
    """A weight as `predict` adds it: engines read 0.1 as a decimal, whose sums round otherwise."""
    return exp.cast(write_number(number), "double")


def _label_writer(labels: Sequence[Value]) -> Callable[[Value], Expression]:
    """Return what writes labels: all of them text, or all of them whole numbers, or all of them fractions."""
    if any(isinstance(label, str) for label in labels):
        return lambda label: exp.Literal.string(str(label))
    if any(isinstance(label, float) for label in labels):
        return lambda label: _write_double(float(label))
    return lambda label: write_number(int(label))


def _comment(literals: Sequence[Literal]) -> str:
    """A condition as it is printed, which has no line ends and nothing that is not printable."""
    return " and ".join(map(str, literals))
