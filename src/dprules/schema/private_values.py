"""Categorical columns whose values nobody wrote down: they are bought with a share of epsilon and of delta.

What a cell counts for is a function of that cell alone: the one form that stands for everything a declared value would
match. Two forms never match the same cell, so the values that were bought can always be declared together.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dprules.errors import SchemaError
from dprules.schema.cells import DATE, DECIMAL, LARGEST_VALUE, NUMBER, canonical_form, read_value
from dprules.schema.columns import Categorical, Column, is_number
from dprules.schema.gaps import PLACEHOLDER, FieldError

LONGEST_FORM: Final = 200
"""Characters of the longest value that can be bought."""
MOST_BOUGHT: Final = 1_000
"""Values of a column that are kept, those with the largest noisy counts."""
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters and line ends."""
_TRUTHS = {"true": "1", "false": "0"}
_RULE = "{ private = 0.05, delta = 0.1, most = 1000 }: shares of epsilon and of delta, and values kept at the most"


@dataclass(frozen=True, slots=True)
class PrivateValues(Column):
    r"""A categorical column whose values will be bought: those whose noisy count reaches a threshold.

    Parameters
    ----------
    share : float
        Of epsilon.
    delta : float
        Share of delta: the probability with which one unit may reveal a value that only it has.
    most : int
        Values that are kept, those with the largest noisy counts.

    Examples
    --------
    >>> city = PrivateValues("city")
    >>> city.form("Paris"), city.form("75.0"), city.form("True"), city.form("two\nlines")
    ('Paris', '75', '1', None)
    """

    share: float = 0.05
    delta: float = 0.1
    most: int = MOST_BOUGHT
    kind = "categorical"

    def __post_init__(self) -> None:
        super(PrivateValues, self).__post_init__()
        for name in ("share", "delta"):
            part = _plain(getattr(self, name))
            if not is_number(part) or not 0 < part < 1:
                raise FieldError(self._place, "values", _RULE)
            object.__setattr__(self, name, float(part))
        most = _plain(self.most)
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST_BOUGHT:
            raise FieldError(self._place, "values", _RULE)
        object.__setattr__(self, "most", most)

    @classmethod
    def asked(cls, name: str, asked: Mapping[str, Any], missing_literal: bool = False) -> "PrivateValues":
        """Read the table that stands where a list of values would."""
        if not {"private"} <= set(asked) <= {"private", "delta", "most"}:
            raise FieldError(("columns", name), "values", _RULE)
        others = {key: value for key, value in asked.items() if key != "private"}
        return cls(name, share=asked["private"], **others, missing_literal=missing_literal)

    @property
    def size(self) -> int:
        """None until the values are known."""
        return 0

    def code(self, cell: object) -> int:
        """Refuse: there are no values yet."""
        raise SchemaError(f"the values of column {self.name!r} are private and not bought yet. Fit first.")

    def form(self, cell: object) -> str | None:
        """Return the value that a cell counts for, None if it is missing or cannot be a value."""
        text = read_value(cell)
        # The mark of a gap in a schema is also a usual mark of a missing value.
        if text is None or len(text) > LONGEST_FORM or text == PLACEHOLDER or _CONTROLS.search(text):
            return None
        # One integer turns an array of Booleans into one of integers: true must count as 1 whatever the others are.
        form = _TRUTHS.get(text.lower()) or canonical_form(text) or text
        # One moment turns a column of dates into one of moments: neither is a value, and `kind = "date"` reads both.
        return None if _is_large(form) or DATE.fullmatch(form) else form

    def with_values(self, values: Sequence[str]) -> Categorical:
        """Return the column with the values that were bought."""
        return Categorical(self.name, tuple(values), bought=True, missing_literal=self.missing_literal)

    def _fields(self) -> dict[str, Any]:
        most = {} if self.most == MOST_BOUGHT else {"most": self.most}
        return {"values": {"private": self.share, "delta": self.delta} | most}


def _is_large(text: str) -> bool:
    """Whether it is a number, in digits or as floats are written, that a column of floats cannot tell from others."""
    if not NUMBER.fullmatch(text) or abs(float(text)) < LARGEST_VALUE:
        return False
    return DECIMAL.fullmatch(text) is not None or text == repr(float(text))


def _plain(value: object) -> Any:
    return value.item() if isinstance(value, np.generic) else value
