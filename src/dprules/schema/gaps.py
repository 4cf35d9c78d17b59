"""What a schema still lacks, or has wrong: every gap, with its line."""

from collections.abc import Sequence
from dataclasses import dataclass

from dprules.errors import SchemaError
from dprules.schema.inline import write_path

PLACEHOLDER = "?"
"""What a draft writes where somebody who knows the table must fill something in. No entry may be this text."""
_SHOWN = 3
"""Gaps of a file that a message of one sentence names; there is a command that lists all."""
_LISTED = 20
"""Gaps of a dictionary, which has no lines, that a message names."""
_COLUMN = 'filled in: { kind = ..., ... } as at the head of the draft, "boolean" or "ignore"'
_HINTS = {
    "kind": "filled in: categorical, numeric, boolean or date",
    "values": 'filled in: the list of values that a cell may have, such as ["a", "b"]',
    "classes": 'filled in: the list of classes, such as ["no", "yes"]',
    "positive": "filled in, or left out: the class that is looked for",
    "lower": "filled in: a bound below which hardly any value lies",
    "upper": "filled in: a bound above which hardly any value lies",
    "step": "filled in, or left out: how finely cuts may be placed, such as 1",
}


@dataclass(frozen=True, slots=True)
class Gap:
    """One entry that is missing, wrong, or still the draft's.

    Parameters
    ----------
    where : str
        The entry, as in "columns.age.lower".
    rule : str
        What it must be.
    line : int or None
        Its line, if the schema came from a file.
    """

    where: str
    rule: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.where} must be {self.rule}"


class GapsError(SchemaError):
    """A schema cannot be used; `gaps` has everything that is wrong with it."""

    def __init__(self, source: str, gaps: Sequence[Gap]) -> None:
        self.gaps = tuple(gaps)
        super().__init__(_sentence(source, self.gaps))


class FieldError(SchemaError):
    """A field of a schema breaks its rule. `place`, `key` and `rule` let a file's reader name the line.

    Other fields of the same entry that break theirs are in `others`: a file's reader lists them all.
    """

    def __init__(self, place: tuple[str, ...], key: str, rule: str) -> None:
        self.place = place
        self.key = key
        self.rule = rule
        self.others: tuple[FieldError, ...] = ()
        super().__init__(f"{write_path((*place, key))} must be {rule}. Mend that entry.")

    def all(self) -> "list[FieldError]":
        """Return the error and the others."""
        return [self, *self.others]


def first_of(errors: Sequence[FieldError]) -> FieldError:
    """Return the first of some errors, with the others in it."""
    errors[0].others = tuple(errors[1:])
    return errors[0]


def unfilled(key: str | None) -> str:
    """Return the rule that an entry breaks which is still the placeholder of a draft; None is a whole column."""
    return _COLUMN if key is None else _HINTS.get(key, "filled in")


def _sentence(source: str, gaps: Sequence[Gap]) -> str:
    if len(gaps) == 1:
        line = "" if gaps[0].line is None else f", line {gaps[0].line}"
        return f"{source}{line}: {gaps[0]}. Mend that entry."
    if gaps[0].line is None:
        rest = f"; and {len(gaps) - _LISTED} more" if len(gaps) > _LISTED else ""
        return f"{source} has {len(gaps)} gaps: {'; '.join(map(str, gaps[:_LISTED]))}{rest}. Mend these entries."
    named = "; ".join(f"line {gap.line}: {gap}" for gap in gaps[:_SHOWN])
    rest = f"; and {len(gaps) - _SHOWN} more" if len(gaps) > _SHOWN else ""
    return f"{source} has {len(gaps)} gaps: {named}{rest}. `dprules schema check` lists them."
