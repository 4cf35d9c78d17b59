"""What SQL dialects write differently when they read a cell: types, patterns, and how a text becomes a number.

Everything else is written once, as sqlglot's expressions (`readings`), and quoted and spelt by sqlglot.
"""

from dataclasses import dataclass
from typing import Final

from dprules.errors import ParameterError
from dprules.schema.cells import LARGEST_NUMBER, NUMBER


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect, with its own expressions as text: `:raw` is the cell, `:text` its text, `:pattern` a pattern.

    Parameters
    ----------
    name : str
        As sqlglot calls it.
    collation : str or None
        What makes texts compare byte by byte, whatever the column's collation is; None where a cast does.
    has_lateral : bool
        Whether FROM may compute one thing from another; if not, a query inside the query does.
    fence : str
        What keeps the engine from writing an expression out at every place that names it.
    is_float : str
        Whether the cell is a binary fraction, which is known by its value and not by its text.
    float_value : str
        That value in 64 bits; null for cells of other types.
    is_number, number : str
        Whether a text is a number by the grammar of cells, and the number.
    is_day : str
        Whether a text begins with a day that exists, and goes on as a moment does, if it goes on.
    """

    name: str
    collation: str | None
    has_lateral: bool
    fence: str
    is_float: str
    float_value: str
    is_number: str
    number: str
    is_day: str


# Without backslashes, which dialects quote differently.
NUMBER_PATTERN: Final = NUMBER.pattern.replace(r"\.", "[.]")
_LONG = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
_SHORT = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
_FEBRUARY = "02-(?:0[1-9]|1[0-9]|2[0-8])"
_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_TIME = "(?:[ T][0-9]{2}:[0-9]{2}[0-9:.+Z -]*)?"
DAY_PATTERN: Final = f"(?:[0-9]{{4}}-(?:{_LONG}|{_SHORT}|{_FEBRUARY})|{_LEAP_YEAR}-02-29){_TIME}"
"""Days that exist, in the years 0 to 9999; the year 0 is left out apart."""

DUCKDB = Dialect(
    name="duckdb",
    collation='"binary"',
    has_lateral=True,
    fence="",
    is_float="TYPEOF(:raw) IN ('FLOAT', 'DOUBLE')",
    float_value=(
        "CASE TYPEOF(:raw) WHEN 'FLOAT' THEN CAST(TRY_CAST(:text AS FLOAT) AS DOUBLE) "
        "WHEN 'DOUBLE' THEN TRY_CAST(:text AS DOUBLE) END"
    ),
    is_number=f"REGEXP_FULL_MATCH(:text, '{NUMBER_PATTERN}')",
    number="TRY_CAST(:text AS DOUBLE)",
    is_day=f"REGEXP_FULL_MATCH(:text, '{DAY_PATTERN}')",
)

# PostgreSQL stops where a double cannot hold a number. As decimals such numbers are sorted out before: below half of
# the smallest double they are 0, and from 1e100 on they are missing.
_DECIMAL = "CAST(:text AS DECIMAL)"
POSTGRES = Dialect(
    name="postgres",
    collation='"C"',
    has_lateral=True,
    fence="OFFSET 0",
    is_float="PG_TYPEOF(:raw) IN (CAST('real' AS REGTYPE), CAST('double precision' AS REGTYPE))",
    float_value=(
        "CASE PG_TYPEOF(:raw) WHEN CAST('real' AS REGTYPE) THEN CAST(CAST(:text AS REAL) AS DOUBLE PRECISION) "
        "WHEN CAST('double precision' AS REGTYPE) THEN CAST(:text AS DOUBLE PRECISION) END"
    ),
    is_number=f":text ~ '^(?:{NUMBER_PATTERN})$'",
    number=(
        f"CASE WHEN ABS({_DECIMAL}) < 2.4703282292062328e-324 THEN 0 "
        f"WHEN ABS({_DECIMAL}) < {LARGEST_NUMBER} THEN CAST({_DECIMAL} AS DOUBLE PRECISION) END"
    ),
    is_day=f":text ~ '^(?:{DAY_PATTERN})$'",
)

# In Java's patterns `$` would let a line end pass; nothing may follow.
SPARK = Dialect(
    name="spark",
    collation=None,
    has_lateral=True,
    fence="",
    is_float="TYPEOF(:raw) IN ('float', 'double')",
    float_value=(
        "CASE TYPEOF(:raw) WHEN 'float' THEN CAST(TRY_CAST(:text AS FLOAT) AS DOUBLE) "
        "WHEN 'double' THEN TRY_CAST(:text AS DOUBLE) END"
    ),
    is_number=f":text RLIKE '(?s)^(?:{NUMBER_PATTERN})(?!.)'",
    number="TRY_CAST(:text AS DOUBLE)",
    is_day=f":text RLIKE '(?s)^(?:{DAY_PATTERN})(?!.)'",
)

# SQLite has no patterns: take off the sign, split at the e, and see what is left without digits.
_UNSIGNED = "LTRIM(s, '+-')"
_MARK = f"INSTR(LOWER({_UNSIGNED}), 'e')"
_MANTISSA = f"CASE WHEN {_MARK} > 0 THEN SUBSTR({_UNSIGNED}, 1, {_MARK} - 1) ELSE {_UNSIGNED} END"
_POWER = f"SUBSTR({_UNSIGNED}, {_MARK} + 1)"
_SPLIT = (
    f"LENGTH(s) - LENGTH({_UNSIGNED}) <= 1 AND INSTR(s, CHAR(0)) = 0 "
    f"AND TRIM({_MANTISSA}, '0123456789') IN ('', '.') AND {_MANTISSA} GLOB '*[0-9]*' "
    f"AND ({_MARK} = 0 OR (LENGTH({_POWER}) - LENGTH(LTRIM({_POWER}, '+-')) <= 1 "
    f"AND LENGTH(LTRIM({_POWER}, '+-')) BETWEEN 1 AND 3 AND TRIM(LTRIM({_POWER}, '+-'), '0123456789') = ''))"
)
# A day that does not exist is another one when SQLite has read it.
_TAIL = "SUBSTR(s, 11)"
_DAY = (
    "INSTR(s, CHAR(0)) = 0 AND s GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' "
    "AND DATE(SUBSTR(s, 1, 10), '+0 days') = SUBSTR(s, 1, 10) "
    f"AND ({_TAIL} = '' OR ({_TAIL} GLOB '[ T][0-9][0-9]:[0-9][0-9]*' "
    "AND TRIM(SUBSTR(s, 12), '0123456789:.+Z -') = ''))"
)
SQLITE = Dialect(
    name="sqlite",
    collation="BINARY",
    has_lateral=False,
    fence="",
    is_float="TYPEOF(:raw) = 'real'",
    float_value="CASE WHEN TYPEOF(:raw) = 'real' THEN :raw END",
    is_number=f"(SELECT {_SPLIT} FROM (SELECT :text AS s))",
    number="CAST(:text AS REAL)",
    is_day=f"(SELECT {_DAY} FROM (SELECT :text AS s))",
)

DIALECTS: Final = {dialect.name: dialect for dialect in (DUCKDB, POSTGRES, SPARK, SQLITE)}


def find_dialect(name: str) -> Dialect:
    """Return the dialect of a name; one whose answers have not been compared with those of `predict` is refused."""
    if name in DIALECTS:
        return DIALECTS[name]
    raise ParameterError(
        f"dialect must be one of {', '.join(DIALECTS)}, which were run and read cells as `predict` does; got {name!r}. "
        "Choose one of them, or export Python."
    )
