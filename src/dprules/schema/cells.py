"""How one cell is read: from that cell and public declarations alone, never from its column's type or other rows.

Every source (CSV, Parquet, frames, databases, dictionaries, JSON events) is read by these functions, and the Python
export carries this file as it is, so that it needs the standard library only. The grammar is small enough for SQL.

A *value* is text. A declared value matches a cell of the same text, or one that is equal as a decimal without leading
zeros (1, 1.0 and "1.0" are "1"; "01" is not) or as a moment but for zeros at the end of its seconds; true and false in
any case are one word each, and equal 1 and 0 where the declared values are a pair of Booleans. A *number* may have a
comma for its point where that is declared. A *date* is YYYY-MM-DD; a moment counts as the day that it is written with.
Whatever cannot be read is missing; nothing raises.
"""

import re
from datetime import date, datetime, time
from decimal import Decimal
from math import isfinite
from uuid import UUID

LARGEST_VALUE = 2**53
"""Decimals from here on cannot be declared: a column that has turned into floats could not tell them apart."""
LARGEST_NUMBER = 1e100
"""Numbers from here on are missing: not every engine can hold them."""

LONGEST_NUMBER = 200
"""Characters of the longest text that is read as a number: no engine should choke on a cell."""

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}[0-9:.+Z -]*)?")
TRUE_WORDS = ("true", "t", "yes", "y", "1")
FALSE_WORDS = ("false", "f", "no", "n", "0")


def read_value(cell: object) -> str | None:
    """Return the text of a cell; what is empty, not finite, not UTF-8 or an odd object is missing."""
    try:
        text = _write(cell)
        if not text or len(text) > 100_000:
            return None
        text.encode("utf-8")  # lone surrogates cannot be written anywhere
        return str.__str__(text)  # without methods of its own, which could raise later
    except Exception:  # a cell may be any object, with any methods
        return None


def _write(cell: object) -> str | None:
    """Return the text of a cell by its own type."""
    if isinstance(cell, str):
        return str.__str__(cell)
    if isinstance(cell, bytes):
        return cell.decode("utf-8")
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return int.__repr__(cell)
    if isinstance(cell, float):
        # Adding 0 makes -0.0 the 0.0 that it equals.
        return float.__repr__(float.__add__(cell, 0.0)) if isfinite(cell) else None
    if isinstance(cell, complex):  # a column of numbers becomes one of these when a cell is
        return _write(cell.real) if cell.imag == 0 else None
    if isinstance(cell, Decimal):
        return format(cell, "f") if cell.is_finite() and abs(cell.adjusted()) < 300 else None
    if isinstance(cell, datetime):
        # pandas' NaT is a datetime that differs from itself, and its nanoseconds are not kept everywhere. Its years go
        # beyond those of datetime, which then says another one.
        return datetime.isoformat(cell, " ") if cell == cell and 1 <= cell.year <= 9999 else None
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, UUID):
        return str(cell)
    if type(cell).__module__ == "numpy":
        return _write_numpy(cell)
    if type(cell).__module__ == "pyarrow.lib":
        return _write(cell.as_py())  # type: ignore[attr-defined]
    return None


def _write_numpy(cell: object) -> str | None:
    """A float of any width is read by its value: one odd cell widens a whole column, which must not change others."""
    kind = type(cell).__name__
    if kind.startswith("float") or kind == "longdouble":
        return _write(float(cell))  # type: ignore[arg-type]
    if kind == "datetime64":
        year = 1970 + cell.astype("datetime64[Y]").astype("int64").item()  # type: ignore[attr-defined]
        return _write(cell.astype("datetime64[us]").item()) if 1 <= year <= 9999 else None  # type: ignore[attr-defined]
    if kind == "timedelta64":  # one of them turns an array of integers into ticks
        return _write(cell.astype("int64").item()) if cell == cell else None  # type: ignore[attr-defined]
    return _write(cell.item())  # type: ignore[attr-defined]


def canonical_decimal(text: str) -> str | None:
    """Return a decimal without trailing zeros, None if the text is no decimal or has leading zeros."""
    return canonical_form(text) if DECIMAL.fullmatch(text) else None


def canonical_form(text: str) -> str | None:
    """Return a decimal, or a moment, without zeros after its point; None if the text is neither."""
    if len(text) > LONGEST_NUMBER or not (DECIMAL.fullmatch(text) or MOMENT.fullmatch(text)):
        return None
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def read_number(cell: object, decimal: str = ".") -> float | None:
    """Return a number, None for a missing cell. Booleans and dates are no numbers; spaces around one do not count.

    With the decimal mark "," a text may have one comma where others have a point. Texts with a point are read as ever,
    since databases write their numbers so; a text with both is no number.
    """
    # Plain numbers, most cells of events, are what their text would be read as.
    if type(cell) is float:
        return cell + 0.0 if abs(cell) < LARGEST_NUMBER else None
    if type(cell) is int and -LARGEST_VALUE < cell < LARGEST_VALUE:
        return float(cell)
    text = None if _is_truth(cell) else read_value(cell)
    if text is None:
        return None
    digits = text.strip(" ")
    if decimal == "," and "." not in digits:
        digits = digits.replace(",", ".", 1)
    if len(digits) > LONGEST_NUMBER or not NUMBER.fullmatch(digits):
        return None
    number = float(digits)
    return number if abs(number) < LARGEST_NUMBER else None


def _is_truth(cell: object) -> bool:
    """Whether a cell is a Boolean of Python or NumPy."""
    try:
        return type(cell).__name__ in ("bool", "bool_")  # an object may fail to say its class
    except Exception:  # a cell may be any object, with any methods
        return False


def read_date(cell: object) -> str | None:
    """Return a day as YYYY-MM-DD, None for a missing cell; the time of day and its zone are left out, not converted.

    Days in this form are in the order of their texts. Spaces around one do not count.
    """
    text = read_value(cell)
    if text is None:
        return None
    moment = text.strip(" ")
    if len(moment) > LONGEST_NUMBER or not DATE.fullmatch(moment):
        return None
    try:
        return date.fromisoformat(moment[:10]).isoformat()
    except ValueError:  # the 30th of February, or the year 0
        return None


def read_truth(cell: object) -> bool | None:
    """Return whether a cell says true or false (true/false, t/f, yes/no, y/n, 1/0 in any case), None if neither."""
    if type(cell) is bool:
        return cell
    text = read_value(cell)
    if text is None:
        return None
    word = text.strip(" ").lower()
    word = canonical_decimal(word) or word
    if word in TRUE_WORDS:
        return True
    return False if word in FALSE_WORDS else None


def tabulate_values(values: list[object]) -> dict[str, int]:
    """Return every form of every declared value with the value's place.

    Values that share a form, that cannot be written, or decimals that floats cannot tell apart are a ValueError.
    """
    table: dict[str, int] = {}
    for place, value in enumerate(values):
        for form in _forms(value):
            if table.setdefault(form, place) != place:
                raise ValueError(form)
    # A pair that says true and false in one way or another: [0, 1], ["False", "True"].
    pairs = (("true", "1"), ("false", "0"))
    if len(values) == 2 and all(any(word in table for word in pair) for pair in pairs):  # a pair of Booleans
        for pair in pairs:
            place = next(table[word] for word in pair if word in table)
            for word in pair:
                table.setdefault(word, place)
    return table


def _forms(value: object) -> set[str]:
    text = read_value(value)
    if text is None:
        raise ValueError
    number = read_number(text)
    # 1e+17 is how a column of floats writes what a column of integers writes in digits.
    written = canonical_decimal(text) is not None or (number is not None and text == repr(number))
    if written and abs(Decimal(text)) >= LARGEST_VALUE:
        raise ValueError
    forms = {text, canonical_form(text) or text}
    if text.lower() in ("true", "false"):
        forms.add(text.lower())
    return forms


def find_value(cell: object, table: dict[str, int]) -> int | None:
    """Return the place of the declared value that a cell matches, None if there is none."""
    if type(cell) is str and cell in table:  # a form is text that can be written: it is read as it stands
        return table[cell]
    text = read_value(cell)
    if text is None:
        return None
    if text in table:
        return table[text]
    form = canonical_form(text)
    if form is not None:
        return table.get(form)
    return table.get(text.lower()) if text.lower() in ("true", "false") else None
