"""Lists as Python, in a module that carries the reader of cells and needs nothing but Python."""

import inspect
import json
from collections.abc import Mapping, Sequence

from dprules.models.export.header import Header
from dprules.schema import Categorical, Column, Literal, Numeric, Operator, Positive, Value, cells

_READERS = {
    "categorical": "find_value",
    "numeric": "read_number",
    "date": "read_date",
    "boolean": "read_truth",
    "positive": "read_positive",
}
_FORMS = {
    Operator.EQUALS: "{name} == {value!r}",
    Operator.DIFFERS: "{name} is not None and {name} != {value!r}",
    Operator.BELOW: "{name} is not None and {name} < {value!r}",
    Operator.AT_LEAST: "{name} is not None and {name} >= {value!r}",
    Operator.IS_TRUE: "{name} is True",
    Operator.IS_FALSE: "{name} is False",
    Operator.ABOVE_ZERO: "{name} is True",
    Operator.NOT_ABOVE_ZERO: "{name} is False",
    Operator.IS_MISSING: "{name} is None",
    Operator.IS_PRESENT: "{name} is not None",
}
_POSITIVE = '''
def read_positive(cell):
    """Whether a number is above 0; a Boolean true counts as 1."""
    number = read_number(cell)
    return read_truth(cell) if number is None else number > 0
'''


def write_list(
    branches: Sequence[tuple[Sequence[Literal], Value]], default: Value, columns: Sequence[Column], header: Header
) -> str:
    """Return a module with one function, `predict(row)`.

    Parameters
    ----------
    branches : sequence of (literals, label)
        The rules.
    default : str or number
        The label where no rule holds.
    columns : sequence of Column
        What the rules ask about.
    header : Header
        What stands in the comment at its beginning.
    """
    lines = [
        "def predict(row):",
        '    """Return the label of a row, given as a dictionary."""',
        *write_readings(columns),
    ]
    names = name_columns(columns)
    for conditions, label in branches:
        question = " and ".join(write_literal(literal, names) for literal in conditions)
        lines += [f"    if {question}:  # {write_comment(conditions)}", f"        return {label!r}"]
    lines.append(f"    return {default!r}")
    return write_module(columns, header, ["\n".join(lines)])


def write_module(columns: Sequence[Column], header: Header, parts: Sequence[str]) -> str:
    """Return a module that begins with how cells are read.

    Parameters
    ----------
    columns : sequence of Column
        What is asked about.
    header : Header
        What stands in the comment at its beginning.
    parts : sequence of str
        Constants and functions, which follow.
    """
    names = name_columns(columns)
    tables = [f"VALUES_{names[c.name]} = {c.forms!r}" for c in columns if isinstance(c, Categorical)]
    needs_positive = any(isinstance(column, Positive) for column in columns)
    comment = [f"# {line}" for line in header.lines]
    written = ["\n".join([*comment, "#", "# The first part says how cells are read."]), inspect.getsource(cells)]
    written += [_POSITIVE.rstrip()] if needs_positive else []
    return "\n\n".join([*written, "\n".join(["", *tables]), *(f"\n{part}" for part in parts)]).rstrip() + "\n"


def name_columns(columns: Sequence[Column]) -> dict[str, str]:
    """Return what the cells of columns are called in a function."""
    return {column.name: f"c{i}" for i, column in enumerate(columns)}


def write_readings(columns: Sequence[Column]) -> list[str]:
    """Return the lines of a function that read the cells of a row."""
    names = name_columns(columns)
    return [f"    {names[column.name]} = {_reading(column, names[column.name])}" for column in columns]


def write_comment(conditions: Sequence[Literal]) -> str:
    """Return conditions as they are printed, in ASCII: nothing in them can end a line."""
    return json.dumps(" and ".join(map(str, conditions)))[1:-1]


def _reading(column: Column, name: str) -> str:
    cell = f"row.get({column.name!r})"
    if isinstance(column, Categorical):
        return f"find_value({cell}, VALUES_{name})"
    if isinstance(column, Numeric):
        return f"read_number({cell}, {column.decimal!r})"
    return f"{_READERS[column.kind]}({cell})"


def write_literal(literal: Literal, names: Mapping[str, str]) -> str:
    """Return a literal on the cells of a row, by the names that `name_columns` gives them."""
    value = literal.value
    if isinstance(literal.column, Categorical) and value is not None:
        value = literal.column.code(value)
    if isinstance(literal.column, Numeric) and value is not None:
        value = float(value)
    return _FORMS[literal.operator].format(name=names[literal.column.name], value=value)
