"""Lists in other languages: the same answers everywhere."""

import json
from typing import TYPE_CHECKING

from dprules.data.columns import _FALSE, _TRUE, Boolean, Categorical, Column
from dprules.data.literals import Literal, quoted, shown

if TYPE_CHECKING:
    from dprules.lists.rule_list import RuleList


def to_sql(rules: "RuleList", table: str) -> str:
    """A query with a CASE expression, for DuckDB, PostgreSQL and SQLite.

    Numeric columns must have a numeric type, and Boolean ones a Boolean type (SQLite: 0 and 1).
    """
    name = ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))
    if not rules.rules:
        return f"SELECT *, {quoted(rules.default)} AS prediction\nFROM {name}"
    cases = [
        f"    WHEN {' AND '.join(c.sql() for c in rule.conditions)} THEN {quoted(rule.label)}" for rule in rules.rules
    ]
    return "\n".join(
        ["SELECT *, CASE", *cases, f"    ELSE {quoted(rules.default)}", "  END AS prediction", f"FROM {name}"]
    )


def to_markdown(rules: "RuleList") -> str:
    """A table of rules."""
    told = rules._bought() if rules.counts is not None else None
    header = ["", "if", "then", *(["records"] if told else [])]
    lines = [[str(i + 1), " and ".join(map(str, r.conditions)), shown(r.label)] for i, r in enumerate(rules.rules)]
    lines.append([str(len(lines) + 1), "otherwise", shown(rules.default)])
    if told:
        lines = [[*line, text] for line, text in zip(lines, told, strict=True)]
    return "\n".join(
        "| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in [header, ["---"] * len(header), *lines]
    )


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def to_python(rules: "RuleList") -> str:
    """A module with one function, `predict(row)`, that needs nothing but Python."""
    lines = [_PRELUDE, "", "def predict(row):", '    """Return the label of a row, given as a dictionary."""']
    for column in rules.columns:
        lines.append(f"    {_variable(rules, column)} = {_reading(column)}")
    for rule in rules.rules:
        condition = " and ".join(_python(rules, c) for c in rule.conditions)
        lines += [f"    if {condition}:  # {_comment(str(rule))}", f"        return {rule.label!r}"]
    return "\n".join([*lines, f"    return {rules.default!r}", ""])


_PRELUDE = f'''"""A decision list, exported by dprules."""

import math


def _number(cell):
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _text(cell):
    return None if cell is None or cell != cell else str(cell)


def _boolean(cell):
    word = str(cell).strip().lower()
    return True if word in {_TRUE!r} else False if word in {_FALSE!r} else None


def _one_of(value, values):
    return value if value is not None and value in values else None
'''


def _comment(text: str) -> str:
    return json.dumps(text)[1:-1]


def _variable(rules: "RuleList", column: Column) -> str:
    return f"c{rules.columns.index(column)}"


def _reading(column: Column) -> str:
    cell = f"row.get({column.name!r})"
    if isinstance(column, Categorical):
        return f"_one_of({'_number' if column.numeric else '_text'}({cell}), {list(column.values)!r})"
    return f"_boolean({cell})" if isinstance(column, Boolean) else f"_number({cell})"


_FORMS = {
    "=": "{name} is not None and {name} == {value!r}",
    "!=": "{name} is not None and {name} != {value!r}",
    "<": "{name} is not None and {name} < {value!r}",
    ">=": "{name} is not None and {name} >= {value!r}",
    "is true": "{name} is True",
    "is false": "{name} is False",
    "is missing": "{name} is None",
    "is present": "{name} is not None",
}


def _python(rules: "RuleList", literal: Literal) -> str:
    return _FORMS[literal.operator.value].format(name=_variable(rules, literal.column), value=literal.value)
