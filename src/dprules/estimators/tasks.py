"""What a classifier is fitted on: data, labels and what is public of them, from X and y with or without a schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from dprules.accounting import Assumption
from dprules.estimators.inputs import Features, as_columns, is_frame, name_columns, read_features
from dprules.estimators.parameters import read_list
from dprules.estimators.targets import Classes, find_classes, read_labels, typed_classes
from dprules.jobs import (
    collect_lazy,
    find_label_type,
    infer_label,
    infer_schema,
    kind_of_labels,
    read_names,
    require_numbers,
    require_readable,
    show_classes,
)
from dprules.private import Private
from dprules.schema import Label, Schema, read_schema

SchemaLike = Schema | str | Path | Mapping[str, Any]


@dataclass(frozen=True, repr=False, eq=False)
class Task(Private):
    """What a fit is asked to do. Data and labels are private, everything else is not.

    Parameters
    ----------
    data : object
        A table of any kind.
    labels : object
        Of its rows; None if they are a column of it.
    schema : Schema
        Declared or inferred.
    declared : bool
        Whether the schema was given: then columns are found by their names, otherwise by their places.
    features : Features
        What columns are called.
    classes : Classes
        What may be predicted.
    assumptions : tuple of Assumption
        What was inferred instead of declared.
    """

    data: Any
    labels: Any
    schema: Schema
    declared: bool
    features: Features
    classes: Classes
    assumptions: tuple[Assumption, ...]


def read_task(
    estimator: BaseEstimator, X: Any, y: Any, schema: SchemaLike | None, classes: Sequence[Any] | None
) -> Task:
    """Check X and y by their types and shapes, and return what to fit; the estimator stays as it is."""
    if schema is not None:
        return _declared_task(X, y, read_schema(schema))
    X, features = read_features(estimator, X)
    if is_frame(X):
        require_numbers(X)
    labels = read_labels(y)
    data = as_columns(X, features.names)
    known = find_classes(labels) if classes is None else read_list(classes, "classes", "['no', 'yes']")
    label = infer_label(known, features.names, declared=classes is not None)
    inferred = infer_schema(data, features.names, label)
    shown = Classes.sorted(label, typed_classes(label, labels, known))
    return Task(data, labels, inferred, False, features, shown, _inferred(inferred, classes is None))


def _declared_task(X: Any, y: Any, schema: Schema) -> Task:
    data = name_columns(collect_lazy(X), [column.name for column in schema.columns])
    labels = None if y is None else read_labels(y)
    typed = find_labels(data, schema.label) if y is None else labels
    if typed is not None:
        require_readable(typed, schema.label)
    if y is None and kind_of_labels(typed) == "O":
        typed = find_label_type(data, schema.label)
    shown = Classes.sorted(schema.label, show_classes(schema.label, typed))
    features = Features.named([column.name for column in schema.columns])
    return Task(data, labels, schema, True, features, shown, (Assumption.SCHEMA,))


def find_labels(data: Any, label: Label) -> Any:
    """Return the label column of a table in memory; None where there is none."""
    elsewhere = hasattr(data, "to_pyarrow_batches") or hasattr(data, "mapInArrow")  # Ibis, Spark
    in_memory = isinstance(data, Mapping) or (is_frame(data) and not elsewhere)
    names = read_names(data) if in_memory else []
    if label.name not in names:
        return None
    # Names of pandas may be integers.
    return data.iloc[:, names.index(label.name)] if hasattr(data, "iloc") else data[label.name]


def _inferred(schema: Schema, classes_read_off: bool) -> tuple[Assumption, ...]:
    found = [Assumption.COLUMN_NAMES]
    if any(column.kind == "positive" for column in schema.columns):
        found.append(Assumption.POSITIVE_NUMBERS)
    if classes_read_off:
        found.append(Assumption.CLASSES_FROM_LABELS)
    return tuple(found)
