"""Cells, labels and events of odd types: one list for every test of what may be read."""

import datetime
import math
import uuid
from collections import UserDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd


class Raising:
    """An object whose every method fails, and says what it holds when it does."""

    def _fail(self, *_: object) -> Any:
        raise RuntimeError("CANARY")

    __eq__ = __str__ = __repr__ = __bool__ = __len__ = __float__ = __int__ = __iter__ = __format__ = _fail  # type: ignore[assignment]
    __hash__ = object.__hash__


class OddText(str):
    """A text that calls itself otherwise."""

    def __str__(self) -> str:
        raise RuntimeError("CANARY")

    def encode(self, *_: object) -> bytes:  # type: ignore[override]
        raise RuntimeError("CANARY")


class NoClass:
    """An object that does not say what it is."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("CANARY")


class NoHash(Raising):
    """An object that can be neither compared nor hashed."""

    def __hash__(self) -> int:
        raise RuntimeError("CANARY")


class OddForm(str):
    """A text that cannot be hashed."""

    def __hash__(self) -> int:
        raise RuntimeError("CANARY")


class OddDate(datetime.date):
    """A date that is written as an odd text."""

    def isoformat(self) -> str:
        return OddForm("2024-01-01")


OBJECTS: dict[str, object] = {
    "no hash": NoHash(),
    "list": [1, 2],
    "dict": {"a": 1},
    "set": {1},
    "object": object(),
    "raising object": Raising(),
    "class": int,
    "function": len,
    "ellipsis": ...,
    "array": np.array([1, 2]),
    "array of none": np.array([]),
    "complex": 1j,
    "bytearray": bytearray(b"1"),
    "range": range(3),
    "timedelta": datetime.timedelta(1),
    "not a time": np.datetime64("NaT"),
    "pandas not a time": pd.NaT,
    "pandas missing": pd.NA,
    "period": pd.Period("2020"),
    "interval": pd.Interval(0, 1),
    "signalling": Decimal("sNaN"),
    "huge exponent": Decimal("1e400"),
    "a late date": np.datetime64("30000-01-01"),
    "an early date": np.datetime64(-(2**62), "s"),
    "masked": np.ma.masked,
}
"""Objects that stand for no value."""

NUMBERS: dict[str, object] = {
    "not a number": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "beyond doubles": 10**400,
    "beyond digits": 10**5000,
    "beyond 53 bits": 2**53 + 1,
    "minus zero": -0.0,
    "tiny": 5e-324,
    "largest": 1e308,
    "decimal": Decimal("1.0"),
    "long double": np.longdouble("1e4000"),
    "float16": np.float16(1),
    "complex of a number": 1 + 0j,
    "numpy timedelta": np.timedelta64(1, "ns"),
    "true": True,
    "numpy true": np.True_,
}

TEXTS: dict[str, object] = {
    "empty": "",
    "space": " ",
    "one point zero": "1.0",
    "zero one": "01",
    "letters": "CANARY",
    "not UTF-8": b"\xffCANARY",
    "bytes": b"1",
    "lone surrogate": "\ud800",
    "null byte": "1\0",
    "no-break space": "1\u00a0",
    "full-width digit": "\uff11",
    "very long": "CANARY" * 50_000,
    "word nan": "nan",
    "word None": "None",
    "quote": '"',
    "line feed": "a\nb",
    "carriage return": "a\rb",
    "a text of its own": OddText("CANARY"),
    "void": np.void(b"1"),
    "uuid": uuid.UUID(int=7),
    "date": datetime.date(2020, 1, 1),
    "text of a date": "2020-02-29",
    "text of no date": "2021-02-29",
    "text of a moment": "2020-02-29T12:30:00.123Z",
    "moment of no time": "2020-02-29 noon",
    "date of another order": "29.02.2020",
    "full-width date": "2020-02-2\uff19",
    "decimal comma": "0,70",
    "two commas": "1,000,000",
    "comma and point": "1.234,5",
    "time": datetime.time(1, 2, 3),
    "timestamp": pd.Timestamp("2020-01-01", tz="UTC"),
    "nanoseconds": pd.Timestamp(-1),
}

CELLS: dict[str, object] = {"missing": None, **TEXTS, **NUMBERS, **OBJECTS}


UNTYPED: dict[str, object] = {"no class": NoClass()}
"""Objects that cannot be parameters of a test: pytest asks for their class."""


class RaisingDict(dict[Any, Any]):
    """A dictionary whose every method fails."""

    def _fail(self, *_: object) -> Any:
        raise RuntimeError("CANARY")

    get = items = keys = values = __getitem__ = __iter__ = __len__ = __contains__ = __eq__ = copy = _fail  # type: ignore[assignment]


class RaisingMapping(Mapping[Any, Any]):
    """A mapping that has names and no cells."""

    def __getitem__(self, name: Any) -> Any:
        raise RuntimeError("CANARY")

    def __iter__(self) -> Iterator[Any]:
        return iter(("a", "b"))

    def __len__(self) -> int:
        return 2


class LikeName:
    """A key that has the hash of a name, and fails when it is compared with it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __hash__(self) -> int:
        return hash(self._name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("CANARY")

    def __str__(self) -> str:
        raise RuntimeError("CANARY")


NOT_EVENTS: dict[str, object] = {
    "nothing": None,
    "not a number": math.nan,
    "a number": 10**5000,
    "a text": "a",
    "bytes": b"a",
    "a list": [("a", True)],
    "a list of names": ["a", "b"],
    "a set": {"a"},
    "an array": np.array([1, 2]),
    "an object": object(),
    "a raising object": Raising(),
    "an object without a class": NoClass(),
    "a raising mapping": RaisingMapping(),
    "a raising dictionary": RaisingDict(a=True, b=True),
    "names that cannot be compared": {LikeName("a"): True, LikeName("b"): True, LikeName("c"): True},
    "a class": dict,
}
"""What is not a record: a round in which nothing is learned."""

ODD_NAMES: dict[str, Mapping[Any, Any]] = {
    "integers": {1: True, 10**5000: 1},
    "nothing": {None: True},
    "tuples": {("a", "b"): True},
    "not a number": {math.nan: True},
    "bytes": {b"a": True},
    "raising": {Raising(): True},
    "no class": {NoClass(): True},
    "odd text": {OddText("z"): True},
    "lone surrogate": {"\ud800": True},
    "very long": {"CANARY" * 50_000: True},
    "mapping of its own": UserDict({7: True}),
}
"""Records whose names are not declared, and some of them not text."""
