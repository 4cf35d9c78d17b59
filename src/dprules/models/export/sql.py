"""Models as SQL: cells are read as text and by the grammar of `schema.cells`, whatever the types of the columns.

The text of a typed cell is what the engine casts it to; so a table that was imported as text, one with numbers and one
with Booleans get the same answers.
"""

from collections.abc import Sequence

from dprules.errors import ParameterError
from dprules.schema import Boolean, Categorical, Column, Literal, Numeric, Operator, Positive, Value
from dprules.schema.cells import FALSE_WORDS, LARGEST_NUMBER, NUMBER, TRUE_WORDS, canonical_decimal

DIALECTS = ("duckdb", "postgres", "sqlite")


def write_list(
    branches: Sequence[tuple[Sequence[Literal], Value]], default: Value, table: str, dialect: str = "duckdb"
) -> str:
    """Return a query with a CASE expression whose branches are tried in their order."""
    writer = ConditionWriter(dialect)
    if not branches:
        return f"SELECT *, {quote(default)} AS prediction\nFROM {quote_table(table)}"
    cases = []
    for conditions, label in branches:
        cases.append(f"    -- {_comment(conditions)}")
        cases.append(f"    WHEN {writer.write(conditions)} THEN {quote(label)}")
    lines = [
        "SELECT *, CASE",
        *cases,
        f"    ELSE {quote(default)}",
        "  END AS prediction",
        f"FROM {quote_table(table)}",
    ]
    return "\n".join(lines)


def write_sum(
    terms: Sequence[tuple[Sequence[Literal], float]],
    bias: float,
    classes: tuple[Value, Value],
    table: str,
    dialect: str = "duckdb",
) -> str:
    """Return a query that adds a weight for each condition that holds, and subtracts it for each that does not."""
    writer = ConditionWriter(dialect)
    parts = [
        f"(CASE WHEN {writer.write(conditions)} THEN {weight!r} ELSE {-weight!r} END)  -- {_comment(conditions)}"
        for conditions, weight in terms
    ]
    total = "\n    + ".join([f"{bias!r}", *parts])
    answer = f"THEN {quote(classes[1])} ELSE {quote(classes[0])} END AS prediction"
    return f"SELECT *, CASE WHEN\n    {total}\n  > 0 {answer}\nFROM {quote_table(table)}"


def quote(value: Value) -> str:
    """Return a value as an SQL literal."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def quote_table(table: str) -> str:
    """Return the name of a table, also as schema.name."""
    return ".".join(_quote_name(part) for part in table.split("."))


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _comment(conditions: Sequence[Literal]) -> str:
    return " ".join(" and ".join(map(str, conditions)).split())


class ConditionWriter:
    """Writes conditions for one dialect."""

    def __init__(self, dialect: str) -> None:
        if dialect not in DIALECTS:
            raise ParameterError(f"dialect must be one of {', '.join(DIALECTS)}; got {dialect!r}. Choose one.")
        self._dialect = dialect

    def write(self, conditions: Sequence[Literal]) -> str:
        """Return a condition that is true, or else false or null."""
        return " AND ".join(self._literal(literal) for literal in conditions)

    def _literal(self, literal: Literal) -> str:
        column = literal.column
        text = f"CAST({_quote_name(column.name)} AS TEXT)"
        if literal.operator is Operator.IS_PRESENT:
            return self._declared(text, column)
        if literal.operator is Operator.IS_MISSING:
            return f"(CASE WHEN {self._declared(text, column)} THEN 0 ELSE 1 END = 1)"
        match column:
            case Categorical():
                return self._among(text, column, literal.codes)
            case Boolean():
                return self._says(text, TRUE_WORDS if literal.operator is Operator.IS_TRUE else FALSE_WORDS)
            case Positive():
                above = literal.operator is Operator.ABOVE_ZERO
                words = TRUE_WORDS if above else FALSE_WORDS
                return f"({self._compare(text, '>' if above else '<=', 0)} OR {self._says(text, words)})"
            case _:
                return self._compare(text, literal.operator.value, literal.value)

    def _compare(self, text: str, operator: str, value: Value | None) -> str:
        """Compare a number; the other side has a bound, too, since numbers beyond it are missing."""
        number = self._number(text)
        bound = f"> -{LARGEST_NUMBER}" if operator in ("<", "<=") else f"< {LARGEST_NUMBER}"
        return f"({number} {operator} {value!r} AND {number} {bound})"

    def _declared(self, text: str, column: Column) -> str:
        """Whether a cell can be read at all."""
        match column:
            case Categorical():
                return self._among(text, column, frozenset(range(column.size)))
            case Numeric():
                return self._compare(text, ">", -LARGEST_NUMBER)
            case Positive():
                number = self._compare(text, ">", -LARGEST_NUMBER)
                return f"({number} OR {self._says(text, TRUE_WORDS + FALSE_WORDS)})"
            case _:
                return self._says(text, TRUE_WORDS + FALSE_WORDS)

    def _among(self, text: str, column: Categorical, codes: frozenset[int]) -> str:
        """Whether a cell has one of the forms of the declared values with these codes."""
        forms = [form for form, code in column.forms.items() if code in codes]
        decimals = [form for form in forms if canonical_decimal(form) == form]
        words = [form for form in forms if form in ("true", "false")]
        tests = [f"{text} IN ({_listed(forms)})"]
        if decimals:
            zero = ["-0"] if "0" in decimals else []
            tests.append(f"{_canonical(text)} IN ({_listed([*decimals, *zero])})")
        if words:
            tests.append(f"LOWER({text}) IN ({_listed(words)})")
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"

    def _says(self, text: str, words: Sequence[str]) -> str:
        zero = ["-0"] if "0" in words else []
        word = f"LOWER(TRIM({text}, ' '))"
        return f"{_canonical(word)} IN ({_listed([*words, *zero])})"

    def _number(self, text: str) -> str:
        """The number that a text stands for, null if it stands for none."""
        trimmed = f"TRIM({text}, ' ')"  # spaces only: engines differ in what else they trim
        if self._dialect == "duckdb":
            return f"CASE WHEN REGEXP_FULL_MATCH({trimmed}, '{NUMBER.pattern}') THEN TRY_CAST({trimmed} AS DOUBLE) END"
        if self._dialect == "postgres":  # numeric: a double would stop the query where it cannot hold a number
            return f"CASE WHEN {trimmed} ~ '^({NUMBER.pattern})$' THEN CAST({trimmed} AS NUMERIC) END"
        return f"(SELECT CASE WHEN {_NUMBER_IN_SQLITE} THEN CAST(t AS REAL) END FROM (SELECT {trimmed} AS t))"


# SQLite has no regular expressions: take off the sign, split at the e, and see what is left without digits.
_UNSIGNED = "LTRIM(t, '+-')"
_MARK = f"INSTR(LOWER({_UNSIGNED}), 'e')"
_MANTISSA = f"CASE WHEN {_MARK} > 0 THEN SUBSTR({_UNSIGNED}, 1, {_MARK} - 1) ELSE {_UNSIGNED} END"
_POWER = f"SUBSTR({_UNSIGNED}, {_MARK} + 1)"
_NUMBER_IN_SQLITE = (
    f"LENGTH(t) - LENGTH({_UNSIGNED}) <= 1 "
    f"AND TRIM({_MANTISSA}, '0123456789') IN ('', '.') AND {_MANTISSA} GLOB '*[0-9]*' "
    f"AND ({_MARK} = 0 OR (LENGTH({_POWER}) - LENGTH(LTRIM({_POWER}, '+-')) <= 1 "
    f"AND LENGTH(LTRIM({_POWER}, '+-')) BETWEEN 1 AND 3 AND TRIM(LTRIM({_POWER}, '+-'), '0123456789') = ''))"
)


def _listed(forms: Sequence[str]) -> str:
    return ", ".join(quote(form) for form in forms)


def _canonical(text: str) -> str:
    """A decimal without trailing zeros: of a text with one point that is not its end, strip zeros, then the point."""
    one_point = f"LENGTH({text}) - LENGTH(REPLACE({text}, '.', '')) = 1 AND {text} NOT LIKE '%.'"
    return f"CASE WHEN {one_point} THEN RTRIM(RTRIM({text}, '0'), '.') ELSE {text} END"
