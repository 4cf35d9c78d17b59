"""Parts that the documents of all models share: columns, conditions, classes."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprules.accounting.events.event import Fields
from dprules.errors import ModelError, SchemaError
from dprules.schema import Column, DocumentReader, Literal, Operator, Value, is_number

MOST_RELEASES = 2**63 - 1
"""Of a stream, and of its rounds: what a store can count."""


def write_columns(columns: Sequence[Column]) -> dict[str, Any]:
    """Return columns as a document."""
    return {column.name: column.entry() for column in columns}


def read_columns(entries: object) -> dict[str, Column]:
    """Read columns, with the checks of a schema."""
    try:
        return {column.name: column for column in DocumentReader("", "columns").columns(entries)}
    except SchemaError as error:
        sentence = str(error)
    raise ModelError(f"the columns of the file are not valid ({sentence}). Export it again.")


def write_conditions(conditions: Sequence[Literal]) -> list[dict[str, Any]]:
    """Return the literals of a condition as a document."""
    return [_write_literal(literal) for literal in conditions]


def _write_literal(literal: Literal) -> dict[str, Any]:
    value = {} if literal.value is None else {"value": literal.value}
    return {"column": literal.column.name, "operator": literal.operator.value} | value


def read_conditions(conditions: object, columns: Mapping[str, Column]) -> tuple[Literal, ...]:
    """Read the literals of a condition; at least one, each of which fits its column."""
    if not isinstance(conditions, list) or not conditions:
        raise ModelError("a rule of the file has no conditions. Export it again.")
    return tuple(_read_literal(condition, columns) for condition in conditions)


def _read_literal(condition: object, columns: Mapping[str, Column]) -> Literal:
    named = condition.get("column") if isinstance(condition, dict) else None
    if not isinstance(condition, dict) or not isinstance(named, str) or named not in columns:
        raise ModelError("a condition of the file names no column. Export it again.")
    try:
        literal = Literal(columns[named], Operator(condition.get("operator")), condition.get("value"))
    except ValueError:
        literal = None
    if literal is None or literal.column.size == 0 or not literal.fits():  # without codes nothing can be asked
        raise ModelError("a condition of the file does not fit its column. Export it again.")
    return literal


def read_classes(document: Mapping[str, Any]) -> tuple[Value, ...]:
    """Read the classes of a model."""
    classes = document.get("classes")
    if not isinstance(classes, list) or not classes or not all(isinstance(c, str) or is_number(c) for c in classes):
        raise ModelError("the classes of the file are not text or numbers. Export it again.")
    return tuple(classes)


def read_class(value: object, classes: tuple[Value, ...]) -> Value:
    """Read one of the classes."""
    for known in classes:
        if known == value and type(known) is type(value):
            return known
    raise ModelError("a label of the file is not one of its classes. Export it again.")


def read_entry(document: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return an entry of a given type, or refuse."""
    found = document.get(name)
    if not isinstance(found, kind) or isinstance(found, bool):
        raise ModelError(f"the file has no {name}. Export it again.")
    return found


def read_weights(entries: object, classes: int) -> tuple[Fraction, ...]:
    """Read class weights, one for each class."""
    if not isinstance(entries, list) or len(entries) != classes:
        raise ModelError("the class weights of the file do not fit its classes. Export it again.")
    weights = tuple(Fields({"weight": entry}, "the file").fraction("weight") for entry in entries)
    if not all(0 < weight <= 1 for weight in weights):
        raise ModelError("class weights of the file must lie in (0, 1]. Export it again.")
    return weights


def read_whole(entry: object, number: int, sentence: str, most: int = 2**63 - 1) -> tuple[int, ...]:
    """Read so many whole numbers, or refuse with a sentence."""
    listed = entry if isinstance(entry, list) else [None]
    if len(listed) != number or not all(type(n) is int and abs(n) <= most for n in listed):
        raise ModelError(f"{sentence}. Export it again.")
    return tuple(listed)
