"""Names of columns."""

LONGEST_NAME = 500
"""Characters: certificates hold the name of a column beside a few words of theirs."""


def is_name(value: object) -> bool:
    """Whether something can be the name of a column.

    Examples
    --------
    >>> is_name("days in hospital"), is_name(""), is_name(7)
    (True, False, False)
    """
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME
