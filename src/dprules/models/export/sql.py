"""Lists and halfspaces as SQL: rules that are asked in their order, and sums of weights."""

from collections.abc import Sequence

from dprules.models.export.header import Header
from dprules.models.export.query import Query, comment, label_writer
from dprules.models.export.readings import name_column, write_condition, write_double
from dprules.schema import Clipped, Literal, Value, show_value

Branch = tuple[Sequence[Literal], Value]
Term = tuple[Sequence[Literal] | Clipped, float]


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
    query = _ask_branches(branches, table, dialect, header)
    return query.write(_write_branches(branches, default, query))


def write_list_expression(branches: Sequence[Branch], default: Value) -> str:
    """Return the label of a list as one expression of Spark's."""
    query = _ask_branches(branches, "t", "spark", Header(()))
    return query.write_expression(_write_branches(branches, default, query))


def _ask_branches(branches: Sequence[Branch], table: str, dialect: str, header: Header) -> Query:
    return Query(table, dialect, header, [literal for literals, _ in branches for literal in literals])


def _write_branches(branches: Sequence[Branch], default: Value, query: Query) -> list[str]:
    write_label = label_writer([*(label for _, label in branches), default])
    if not branches:
        return [query.sql(write_label(default))]
    lines = ["CASE"]
    for place, (literals, label) in enumerate(branches, 1):
        lines.append(f"  -- {place}: {comment(literals)}")
        lines.append(f"  WHEN {query.sql(write_condition(literals))} THEN {query.sql(write_label(label))}")
    return [*lines, f"  ELSE {query.sql(write_label(default))}", "END"]


def write_sum(
    terms: Sequence[Term],
    bias: float,
    classes: tuple[Value, Value],
    table: str,
    dialect: str,
    header: Header,
) -> str:
    """Return a query that adds a weight for each condition that holds, and subtracts it for each that does not.

    A number is weighed as it is: its weight counts so many times.

    Parameters
    ----------
    terms : sequence of (literals or column, weight)
        Conditions, or numbers, and their weights, in the order in which `predict` adds them.
    bias : float
        What is always added.
    classes : tuple
        The label of a sum that is not positive, and that of a positive one.
    table, dialect, header
        As for a list.
    """
    query = _ask_terms(terms, table, dialect, header)
    return query.write(_write_terms(terms, bias, classes, query))


def write_sum_expression(terms: Sequence[Term], bias: float, classes: tuple[Value, Value]) -> str:
    """Return the label of a sum as one expression of Spark's."""
    query = _ask_terms(terms, "t", "spark", Header(()))
    return query.write_expression(_write_terms(terms, bias, classes, query))


def _ask_terms(terms: Sequence[Term], table: str, dialect: str, header: Header) -> Query:
    asked = [literal for feature, _ in terms if not isinstance(feature, Clipped) for literal in feature]
    weighed = [feature for feature, _ in terms if isinstance(feature, Clipped)]
    return Query(table, dialect, header, asked, weighed=weighed)


def _write_terms(terms: Sequence[Term], bias: float, classes: tuple[Value, Value], query: Query) -> list[str]:
    lines = ["CASE WHEN", f"  {query.sql(write_double(bias))}"]
    for feature, weight in terms:
        added = query.sql(write_double(weight))
        if isinstance(feature, Clipped):
            lines.append(f"  -- the number {show_value(feature.name)}")
            lines.append(f"  + {added} * {query.sql(name_column(feature.name, 'value'))}")
            continue
        holds = query.sql(write_condition(feature))
        subtracted = query.sql(write_double(-weight))
        lines.append(f"  -- {comment(feature)}")
        lines.append(f"  + CASE WHEN {holds} THEN {added} ELSE {subtracted} END")
    write_label = label_writer(classes)
    answer = f"THEN {query.sql(write_label(classes[1]))} ELSE {query.sql(write_label(classes[0]))}"
    return [*lines, f"  > 0 {answer}", "END"]
