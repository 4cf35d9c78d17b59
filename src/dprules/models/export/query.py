"""Queries that read every cell once, as `predict` reads it, and answer beside the columns of a table."""

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from dprules.errors import ParameterError
from dprules.models.export.dialects import find_dialect
from dprules.models.export.header import Header
from dprules.models.export.readings import STAGES, Expression, Readings, name_column, write_double, write_number
from dprules.schema import Clipped, Literal, Value

MOST_ARGUMENTS = 100
"""Of one function, and terms of one sum: engines limit how many there may be, or how deep they are nested."""


class Query:
    """A query with answers beside the columns of the table.

    Parameters
    ----------
    table : str
        The table to select from: name, schema.name or catalog.schema.name.
    dialect : str
        One of `dialects.DIALECTS`.
    header : Header
        What stands in the comment above the query, and how answers are called.
    literals : sequence of Literal
        Everything that will be asked.
    names : sequence of str
        Of the columns of answers, but for the header's.
    weighed : sequence of Clipped
        Columns whose numbers are weighed.
    """

    def __init__(
        self,
        table: str,
        dialect: str,
        header: Header,
        literals: Sequence[Literal],
        names: Sequence[str] = (),
        weighed: Sequence[Clipped] = (),
    ) -> None:
        self._dialect = find_dialect(dialect)
        self._header = header
        self._table = _write_table(table)
        self._readings = Readings(self._dialect, literals, weighed)
        self._numbers: dict[str, Mapping[str, str]] = {}
        self._comments = dict(STAGES)
        names = [table, header.answer_name, *names, *self._readings.values]
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
        return self._finish(lines)

    def add_numbers(self, stage: str, about: str, numbers: Mapping[str, str]) -> None:
        """Compute whole numbers: the first from the values of cells, later ones from those before.

        Parameters
        ----------
        stage : str
            How the numbers are called together.
        about : str
            A comment.
        numbers : mapping of str to str
            Their names and expressions.
        """
        self._numbers[stage] = numbers
        self._comments[stage] = about

    def fetch(self, stage: str, name: str) -> str:
        """Return how a number is called in later ones and in answers."""
        if self._dialect.has_lateral:
            return self.sql(name_column(name, stage))
        array, place = divmod(list(self._numbers[stage]).index(name), MOST_ARGUMENTS)
        return f"JSON_EXTRACT({stage}.value, '$[{array}][{place}]')"

    def write_answers(self, answers: Mapping[str, str]) -> str:
        """Return the query for several answers by their names, which use numbers that were added."""
        named = [f"{answer} AS {self.sql(exp.to_identifier(name, quoted=True))}" for name, answer in answers.items()]
        lines = ["SELECT t.*,", ",\n".join(named), f"FROM {self.sql(self._table)} AS t"]
        return self._finish([*lines, *(self._laterals() if self._dialect.has_lateral else self._arrays())])

    def write_expression(self, answer: Sequence[str]) -> str:
        """Return an answer, which is given in lines, as one expression of Spark's.

        Each step is given to a function of one row, so that it is computed once and everything is called as in a query.
        """
        stages = self._stages | self._numbers
        cells = {name: self.sql(exp.to_identifier(name, quoted=True)) for name in self._readings.values}
        text = "\n".join(answer)
        for stage, parts in reversed(({"t": cells} | stages if stages else {}).items()):
            fields = [f"  {self.sql(exp.Literal.string(name))}, {part}" for name, part in parts.items()]
            text = "\n".join(["TRANSFORM(ARRAY(NAMED_STRUCT(", ",\n".join(fields), f")), {stage} ->", text, ")[0]"])
        return text.replace("${", "$\\{")

    def _arrays(self) -> list[str]:
        """The numbers as JSON, which holds whole ones exactly: SQLite has functions in FROM, and no other laterals."""
        lines = []
        read = self._tables() if self._stages else []
        for stage, numbers in self._numbers.items():
            arrays = [f"JSON_ARRAY({', '.join(part)})" for part in _chunk(list(numbers.values()))]
            lines += [f"-- {self._comments[stage]}", "CROSS JOIN JSON_EACH(JSON_ARRAY((", *read]
            lines += [f"SELECT JSON_ARRAY({', '.join(arrays)})", *(["FROM value"] if read else [])]
            lines.append(f"))) AS {stage}")
            read = []
        return lines

    def cast(self, number: str, kind: str) -> str:
        """Return a number as one of another type, which sqlglot names."""
        return f"CAST({number} AS {exp.DataType.build(kind).sql(self._dialect.name)})"

    def greatest(self, parts: Sequence[str]) -> str:
        """Return the largest of some numbers."""
        if len(parts) == 1:
            return parts[0]
        name = "GREATEST" if self._dialect.has_lateral else "MAX"
        return self.greatest([f"{name}({', '.join(part)})" if len(part) > 1 else part[0] for part in _chunk(parts)])

    def _finish(self, lines: Sequence[str]) -> str:
        """Return the text of the query with the comment above it."""
        text = "\n".join(lines)
        if self._dialect.name == "spark":
            text = text.replace("${", "$\\{")
        return "\n".join([*(f"-- {line}" for line in self._header.lines), text])

    @property
    def _stages(self) -> dict[str, dict[str, str]]:
        """How cells are read, in its order; the values that rules compare are the last."""
        stages = {**self._readings.stages, "value": self._readings.values}
        written = {stage: {name: self.sql(part) for name, part in parts.items()} for stage, parts in stages.items()}
        return {stage: parts for stage, parts in written.items() if parts}

    def _laterals(self) -> list[str]:
        """The stages as joins of one row each."""
        lines = []
        for stage, parts in (self._stages | self._numbers).items():
            end = "\n".join(["", *([self._dialect.fence] if self._dialect.fence else []), f") AS {stage}"])
            lines += [f"-- {self._comments[stage]}", f"CROSS JOIN LATERAL (SELECT\n{self._select(parts)}{end}"]
        return lines

    def _tables(self) -> list[str]:
        """The stages as common tables of one row each, inside a query for each row."""
        written: list[str] = []
        earlier: list[str] = []
        for stage, parts in self._stages.items():
            source = f"\n  FROM {', '.join(earlier)}" if earlier else ""
            written.append(f"-- {self._comments[stage]}\n{stage} AS (SELECT\n{self._select(parts)}{source}\n)")
            earlier.append(stage)
        return ["WITH", ",\n".join(written)]

    def _select(self, parts: Mapping[str, str]) -> str:
        named = {name: self.sql(exp.to_identifier(name, quoted=True)) for name in parts}
        return ",\n".join(f"  {part} AS {named[name]}" for name, part in parts.items())


def _write_table(table: str) -> Expression:
    names = table.split(".") if isinstance(table, str) else []
    if not 1 <= len(names) <= 3 or not all(names):
        raise ParameterError(f"table must be a name, schema.name or catalog.schema.name; got {table!r}.")
    name, schema, catalog = [*reversed(names), None, None][:3]
    return exp.table_(str(name), db=schema, catalog=catalog, quoted=True)


def add_up(terms: Sequence[str]) -> str:
    """Return a sum, in parentheses where it is long: engines limit how deep sums are nested."""
    if len(terms) == 1:
        return terms[0]
    parts = ["\n  + ".join(part) for part in _chunk(terms)]
    return parts[0] if len(parts) == 1 else add_up([f"({part})" for part in parts])


def _chunk(parts: Sequence[str]) -> list[Sequence[str]]:
    return [parts[at : at + MOST_ARGUMENTS] for at in range(0, len(parts), MOST_ARGUMENTS)]


def label_writer(labels: Sequence[Value]) -> Callable[[Value], Expression]:
    """Return what writes labels: all of them text, or all of them whole numbers, or all of them fractions."""
    if any(isinstance(label, str) for label in labels):
        return lambda label: exp.Literal.string(str(label))
    if any(isinstance(label, float) for label in labels):
        return lambda label: write_double(float(label))
    return lambda label: write_number(int(label))


def comment(literals: Sequence[Literal]) -> str:
    """A condition as it is printed, which has no line ends and nothing that is not printable."""
    return " and ".join(map(str, literals))
