"""Which two data sets must look alike."""

from enum import StrEnum

from dprules.errors import ParameterError


class Neighbours(StrEnum):
    """The neighbour relation of a guarantee: always named, never assumed.

    Examples
    --------
    >>> Neighbours.parse("replace")
    <Neighbours.REPLACE: 'replace'>
    """

    ADD_REMOVE = "add-remove"
    """One record more or less."""
    REPLACE = "replace"
    """One record exchanged for another."""
    ZERO_OUT = "zero-out"
    """Streams: in one round nothing happened."""

    @classmethod
    def parse(cls, value: "str | Neighbours") -> "Neighbours":
        """Turn a public name into a relation."""
        try:
            return cls(value)
        except ValueError:
            raise ParameterError(
                f"neighbours must be add-remove or replace (streams: replace or zero-out); got {value!r}. Choose one."
            ) from None
