"""Lists as JSON: versioned, no pickle, every field checked."""

import json
from typing import TYPE_CHECKING, Any

from dprules.data.columns import Boolean, Categorical, Column, Numeric, Value
from dprules.data.literals import Literal, Operator
from dprules.data.schema import Schema, _is_number, _written
from dprules.errors import ModelError, SchemaError

if TYPE_CHECKING:
    from dprules.lists.rule_list import RuleList

FORMAT, VERSION = "dprules-list", 1
MOST_CHARACTERS = 50_000_000


def document(text: str) -> dict[str, Any]:
    """Parse JSON into a dictionary; anything else is refused."""
    if len(text) > MOST_CHARACTERS:
        raise ModelError("the file is too large for a list. Is it the right one?")
    try:
        parsed = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise ModelError("the file is not a JSON document of dprules, or it was cut short. Export it again.")
    return parsed


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def require(document: dict[str, Any], form: str, version: int) -> None:
    """Refuse a document of another form, or of a later version."""
    if document.get("format") != form:
        raise ModelError(f"the file is not a {form} file. Choose one that dprules wrote.")
    found = document.get("version")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ModelError("the file has no version. Export it again.")
    if found > version:
        raise ModelError(f"the file has version {found}, this dprules reads up to {version}. Update dprules.")


def written(rules: "RuleList") -> dict[str, Any]:
    """A list as a JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "classes": list(rules.classes),
        "columns": {column.name: _written(column) for column in rules.columns},
        "rules": [{"if": [_condition(c) for c in rule.conditions], "then": rule.label} for rule in rules.rules],
        "default": rules.default,
    } | ({} if rules.counts is None else {"counts": [list(cell) for cell in rules.counts]})


def _condition(literal: Literal) -> dict[str, Any]:
    value = {} if literal.value is None else {"value": literal.value}
    return {"column": literal.column.name, "operator": literal.operator.value} | value


def read(document: dict[str, Any]) -> "RuleList":
    """Read a list from a JSON document."""
    from dprules.lists.rule_list import Rule, RuleList

    require(document, FORMAT, VERSION)
    classes = tuple(_field(document, "classes", list))
    if not classes or not all(isinstance(label, str) or _is_number(label) for label in classes):
        raise ModelError("the classes of the file are not text or numbers. Export it again.")
    columns = _columns(document, classes)
    rules = []
    for entry in _field(document, "rules", list):
        if not isinstance(entry, dict) or not isinstance(entry.get("if"), list) or not entry["if"]:
            raise ModelError("a rule of the file has no conditions. Export it again.")
        conditions = tuple(_literal(condition, columns) for condition in entry["if"])
        rules.append(Rule(conditions, _class(entry.get("then"), classes)))
    found = RuleList(tuple(rules), _class(document.get("default"), classes), classes)
    return found if "counts" not in document else found.with_counts(_counts(document, len(rules) + 1, len(classes)))


def _columns(document: dict[str, Any], classes: tuple[Value, ...]) -> dict[str, Column]:
    entries = _field(document, "columns", dict)
    if not entries:  # a list without rules asks about nothing
        return {}
    label = "label"
    while label in entries:
        label += "_"
    try:  # the same checks as for a schema
        schema = Schema.from_toml_document({"label": {"column": label, "classes": list(classes)}, "columns": entries})
    except SchemaError as error:
        sentence = str(error)
    else:
        return {column.name: column for column in schema.columns}
    raise ModelError(f"the columns of the file are not valid ({sentence}). Export it again.")


def _literal(condition: object, columns: dict[str, Column]) -> Literal:
    named = condition.get("column") if isinstance(condition, dict) else None
    if not isinstance(condition, dict) or not isinstance(named, str) or named not in columns:
        raise ModelError("a condition of the file names no column. Export it again.")
    column, value = columns[named], condition.get("value")
    try:
        operator = Operator(condition.get("operator"))
    except ValueError:
        operator = None
    if operator is None or not _fits(column, operator, value):
        raise ModelError("a condition of the file does not fit its column. Export it again.")
    return Literal(column, operator, value)


_KINDS: dict[type[Column], set[Operator]] = {
    Categorical: {Operator.EQUALS, Operator.DIFFERS},
    Numeric: {Operator.BELOW, Operator.AT_LEAST},
    Boolean: {Operator.IS_TRUE, Operator.IS_FALSE},
}


def _fits(column: Column, operator: Operator, value: object) -> bool:
    if operator in (Operator.IS_MISSING, Operator.IS_PRESENT):
        return value is None
    if operator not in _KINDS.get(type(column), set()):
        return False
    match column:
        case Categorical(values=values):
            return value in values
        case Numeric(cuts=cuts):
            return value in cuts
        case _:
            return value is None


def _class(value: object, classes: tuple[Value, ...]) -> Value:
    for known in classes:
        if known == value and type(known) is type(value):
            return known
    raise ModelError("a label of the file is not one of its classes. Export it again.")


def _counts(document: dict[str, Any], cells: int, classes: int) -> list[list[int]]:
    counts = document["counts"]
    shape = isinstance(counts, list) and len(counts) == cells
    if not shape or not all(
        isinstance(cell, list) and len(cell) == classes and all(type(c) is int for c in cell) for cell in counts
    ):
        raise ModelError("the counts of the file do not fit its rules. Export it again.")
    return list(counts)


def _field(document: dict[str, Any], name: str, kind: type) -> Any:
    found = document.get(name)
    if not isinstance(found, kind):
        raise ModelError(f"the file has no {name}. Export it again.")
    return found
