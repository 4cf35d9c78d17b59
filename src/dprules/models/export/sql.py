"""Models as SQL: cells are read as text and by the grammar of `schema.cells`, whatever the types of the columns.

The text of a typed cell is what the engine casts it to; so a table that was imported as text, one with numbers and one
with Booleans get the same answers.
"""

from collections.abc import Sequence

from dprules.errors import ParameterError
from dprules.schema import Boolean, Categorical, Column, Literal, Numeric, Operator, Positive, Value
from dprules.schema.cells import FALSE_WORDS, LARGEST_NUMBER, LONGEST_NUMBER, NUMBER, TRUE_WORDS, canonical_form

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
        f"(CASE WHEN {writer.write(conditions)} THEN {_double(weight)} ELSE {_double(-weight)} END)"
        f"  -- {_comment(conditions)}"
        for conditions, weight in terms
    ]
    total = "\n    + ".join([_double(bias), *parts])
    answer = f"THEN {quote(classes[1])} ELSE {quote(classes[0])} END AS prediction"
    return f"SELECT *, CASE WHEN\n    {total}\n  > 0 {answer}\nFROM {quote_table(table)}"


def quote(value: Value) -> str:
    """Return a value as an SQL literal."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _double(weight: float) -> str:
    """A weight as `predict` adds it: engines read 0.1 as a decimal, whose sums round otherwise."""
    return f"CAST({weight!r} AS DOUBLE PRECISION)"


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
        cell = _quote_name(column.name)
        if literal.operator is Operator.IS_PRESENT:
            return self._declared(cell, column)
        if literal.operator is Operator.IS_MISSING:
            return f"(CASE WHEN {self._declared(cell, column)} THEN 0 ELSE 1 END = 1)"
        match column:
            case Categorical():
                return self._among(cell, column, literal.codes)
            case Boolean():
                return self._says(cell, TRUE_WORDS if literal.operator is Operator.IS_TRUE else FALSE_WORDS)
            case Positive():
                above = literal.operator is Operator.ABOVE_ZERO
                words = TRUE_WORDS if above else FALSE_WORDS
                return f"({self._compare(cell, '>' if above else '<=', 0)} OR {self._says(cell, words)})"
            case _:
                return self._compare(cell, literal.operator.value, literal.value)

    def _compare(self, cell: str, operator: str, value: Value | None) -> str:
        """Compare a number; the other side has a bound, too, since numbers beyond it are missing."""
        number = self._number(cell)
        # NaN and infinity, where an engine has them, fail one side or the other.
        bound = f"> -{LARGEST_NUMBER}" if operator in ("<", "<=") else f"< {LARGEST_NUMBER}"
        return f"({number} {operator} {value!r} AND {number} {bound})"

    def _declared(self, cell: str, column: Column) -> str:
        """Whether a cell can be read at all."""
        match column:
            case Categorical():
                return self._among(cell, column, frozenset(range(column.size)))
            case Numeric():
                return self._compare(cell, ">", -LARGEST_NUMBER)
            case Positive():
                number = self._compare(cell, ">", -LARGEST_NUMBER)
                return f"({number} OR {self._says(cell, TRUE_WORDS + FALSE_WORDS)})"
            case _:
                return self._says(cell, TRUE_WORDS + FALSE_WORDS)

    def _among(self, cell: str, column: Categorical, codes: frozenset[int]) -> str:
        """Whether a cell has one of the forms of the declared values with these codes."""
        text = _text(cell)
        forms = [form for form, code in column.forms.items() if code in codes]
        words = [form for form in forms if form in ("true", "false")]
        tests = [f"{text} IN ({_listed(forms)})", *_equals_form(text, forms)]
        if words:
            tests.append(f"LOWER({text}) IN ({_listed(words)})")
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"

    def _says(self, cell: str, words: Sequence[str]) -> str:
        word = f"LOWER(TRIM({_text(cell)}, ' '))"
        return f"({' OR '.join([f'{word} IN ({_listed(words)})', *_equals_form(word, words)])})"

    def _number(self, cell: str) -> str:
        """The number that a cell stands for, null if it stands for none.

        32-bit floats count by their value, of which their text is short.
        """
        text = _text(cell)
        trimmed = f"TRIM({text}, ' ')"  # spaces only: engines differ in what else they trim
        short = f"LENGTH({trimmed}) <= {LONGEST_NUMBER}"
        if self._dialect == "duckdb":
            narrow = f"WHEN TYPEOF({cell}) = 'FLOAT' THEN CAST(TRY_CAST({text} AS FLOAT) AS DOUBLE)"
            matches = f"{short} AND REGEXP_FULL_MATCH({trimmed}, '{NUMBER.pattern}')"
            return f"CASE {narrow} WHEN {matches} THEN TRY_CAST({trimmed} AS DOUBLE) END"
        if self._dialect == "postgres":
            # A double would stop the query where it cannot hold a number, so such numbers are sorted out before.
            narrow = f"WHEN PG_TYPEOF({cell}) = CAST('real' AS REGTYPE) THEN CAST({text} AS REAL)"
            matches = f"{short} AND {trimmed} ~ '^({NUMBER.pattern})$'"
            wide = f"(SELECT {_DOUBLE_IN_POSTGRES} FROM (SELECT CAST({trimmed} AS NUMERIC) AS n) AS c)"
            return f"CASE {narrow} WHEN {matches} THEN {wide} END"
        typed = f"WHEN TYPEOF({cell}) IN ('integer', 'real') THEN CAST({cell} AS REAL)"
        parsed = f"SELECT CASE WHEN {_NUMBER_IN_SQLITE} THEN CAST(t AS REAL) END FROM (SELECT {trimmed} AS t)"
        return f"CASE {typed} WHEN {short} THEN ({parsed}) END"


# Below half of the smallest double a number is read as 0, and from 1e100 on it is missing.
_DOUBLE_IN_POSTGRES = (
    "CASE WHEN ABS(n) < 2.4703282292062328e-324 THEN 0 "
    f"WHEN ABS(n) < {LARGEST_NUMBER} THEN CAST(n AS DOUBLE PRECISION) END"
)

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


def _text(cell: str) -> str:
    return f"CAST({cell} AS TEXT)"


def _equals_form(text: str, forms: Sequence[str]) -> list[str]:
    """Return the test whether a text is one of the decimals and moments among the forms, none if there are none."""
    canonical = [form for form in forms if canonical_form(form) == form]
    if not canonical:
        return []
    zero = ["-0"] if "0" in canonical else []
    return [f"(LENGTH({text}) <= {LONGEST_NUMBER} AND {_canonical(text)} IN ({_listed([*canonical, *zero])}))"]


def _canonical(text: str) -> str:
    """A text without zeros after its point: if it has one point that is not its end, strip zeros, then the point."""
    one_point = f"LENGTH({text}) - LENGTH(REPLACE({text}, '.', '')) = 1 AND {text} NOT LIKE '%.'"
    return f"CASE WHEN {one_point} THEN RTRIM(RTRIM({text}, '0'), '.') ELSE {text} END"
