"""A schema as a small piece of HTML, for notebooks."""

from collections.abc import Mapping
from html import escape
from typing import Any

from dprules.schema.literals import show_value

_SHOWN = 20
"""Values of one list that are shown."""


def write_schema(label: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the label and the columns, each with what is declared of it.

    Parameters
    ----------
    label : mapping
        Its entry in a schema file.
    columns : mapping
        The entry of each column, by name.

    Examples
    --------
    >>> write_schema({"column": "ill", "classes": ["no", "yes"]}, {"age": {"kind": "numeric", "cuts": [30.0]}})
    '<dl><dt>ill (label)</dt><dd>classes: no, yes</dd><dt>age</dt><dd>kind: numeric; cuts: 30</dd></dl>'
    """
    declared = {key: value for key, value in label.items() if key != "column"}
    lines = [(f"{show_value(label['column'])} (label)", declared)]
    lines += [(show_value(name), dict(entry)) for name, entry in columns.items()]
    return f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{_write_entry(entry)}</dd>' for name, entry in lines)}</dl>"


def _write_entry(entry: Mapping[str, Any]) -> str:
    return escape("; ".join(f"{key}: {_write_field(value)}" for key, value in entry.items()))


def _write_field(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_write_field(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        shown = ", ".join(show_value(one) for one in value[:_SHOWN])
        return shown if len(value) <= _SHOWN else f"{shown} and {len(value) - _SHOWN:,} more"
    if isinstance(value, bool):
        return str(value).lower()
    return show_value(value)
