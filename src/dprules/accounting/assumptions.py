"""What a privacy statement takes for granted: a closed list, so that a certificate cannot be emptied or reworded."""

from dataclasses import dataclass
from enum import Enum

_TAKEN = "values-taken-from:"


class Assumption(Enum):
    """Something that the guarantee rests on, beyond the mechanisms. The value is the sentence in the statement."""

    SCHEMA = "the schema: columns, values, cuts and classes"
    SETTINGS = "all settings of the fit"
    ROW_COUNT = "the number of rows"
    ROUND_COUNT = "the number of rounds"
    FEATURES = "features and classes"
    COLUMN_NAMES = "the number, names and types of the columns"
    CLASSES_FROM_LABELS = "the classes, read off y"
    RECORD_BY_RECORD = "that X was computed record by record, by nothing fitted on these rows"
    POSITIVE_NUMBERS = "that numbers are read as x > 0"
    CLIPPED_NUMBERS = "that numbers are clipped to [-1, 1]"
    VALUES_READ_OFF = "values and cuts, read off the data and declared public"
    ROWS_CHECKED = "the rows themselves, which were checked before the fit"
    BALANCED_QUOTES = "that quotes balance in every record of the file, whose cells may hold line ends"
    NO_ROW_STOPS = "that no expression of the view or query that the rows come from stops at a row"
    NEWEST_STATE = "that the private state was the newest one when it was restored"

    @property
    def key(self) -> str:
        """How documents name it."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def of_key(cls, key: object) -> "Assumed | None":
        """Return the assumption with a key, None if there is none."""
        if isinstance(key, str) and key.startswith(_TAKEN):
            name = key.removeprefix(_TAKEN)
            return TakenFrom(name) if is_table_name(name) else None
        return next((one for one in cls if one.key == key), None)


@dataclass(frozen=True, slots=True)
class TakenFrom:
    """That values and cuts were taken from a public table, which the statement names."""

    table: str

    def __post_init__(self) -> None:
        if not is_table_name(self.table):
            raise ValueError("the name of a public table must be text on one line")

    @property
    def key(self) -> str:
        """How documents name it."""
        return f"{_TAKEN}{self.table}"

    @property
    def value(self) -> str:
        """The sentence in the statement."""
        return f"values and cuts, which were taken from the public table {self.table!r}"


Assumed = Assumption | TakenFrom
"""Anything that a certificate may list as assumed."""


def is_table_name(name: object) -> bool:
    """Whether a table's name can stand in a statement without looking like another part of it."""
    return isinstance(name, str) and 0 < len(name) <= 1_000 and name.isprintable()
