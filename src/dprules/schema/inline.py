"""TOML on one line: how drafts are written, so that a column is one line to read and fill in."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN = 100
"""Characters of a key that messages show."""


def write_assignment(key: str, value: Any) -> str:
    """Return `key = value` as TOML reads it.

    Examples
    --------
    >>> print(write_assignment("days in hospital", {"kind": "numeric", "lower": 0.0, "cuts": [1, 2.5]}))
    "days in hospital" = { kind = "numeric", lower = 0, cuts = [1, 2.5] }
    """
    return f"{write_key(key)} = {_write_value(value)}"


def write_path(path: Sequence[str]) -> str:
    """Return where an entry stands, as TOML writes it; long keys are cut, since messages quote this.

    Examples
    --------
    >>> print(write_path(("columns", "days in hospital", "lower")))
    columns."days in hospital".lower
    """
    return ".".join(write_key(key if len(key) <= _SHOWN else f"{key[:_SHOWN]}...") for key in path)


def write_key(key: str) -> str:
    """Return a key, in quotes if it needs them."""
    return key if _BARE.fullmatch(key) else _write_text(key)


def _write_value(value: Any) -> str:
    if isinstance(value, str):
        return _write_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(write_assignment(key, inner) for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_write_value(inner) for inner in value) + "]"
    # Numbers that people write without a point are drafted without one; both are read alike.
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _write_text(text: str) -> str:
    """JSON's escapes are TOML's, but for one character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
