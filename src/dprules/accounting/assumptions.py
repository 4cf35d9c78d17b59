"""What a privacy statement takes for granted: a closed list, so that a certificate cannot be emptied or reworded."""

from enum import Enum


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

    @property
    def key(self) -> str:
        """How documents name it."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def of_key(cls, key: object) -> "Assumption | None":
        """Return the assumption with a key, None if there is none."""
        return next((one for one in cls if one.key == key), None)
