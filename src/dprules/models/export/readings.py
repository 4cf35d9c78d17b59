"""How SQL reads cells: the grammar of `schema.cells` as expressions, whatever the types of the columns.

Cells are read as text, so that a table that was imported as text, one of numbers and one of Booleans get the same
answers; binary fractions are read by their value. What a cell stands for is a text, a number, 1 or 0; null is missing.
"""

from collections.abc import Sequence
from functools import cache
from math import isfinite

from sqlglot import exp, parse_one

from dprules.errors import ParameterError
from dprules.models.export.dialects import Dialect
from dprules.schema import (
    GRID,
    Boolean,
    Categorical,
    Clipped,
    Column,
    Date,
    Literal,
    Numeric,
    Operator,
    Positive,
    Scaled,
    Value,
)
from dprules.schema.cells import FALSE_WORDS, LARGEST_NUMBER, LONGEST_NUMBER, TRUE_WORDS, canonical_form

Expression = exp.Expr
STAGES = {
    "cell": "the text of each cell",
    "form": "the text without zeros at its end",
    "number": "the number that it is the text of",
    "value": "what each cell stands for; null: missing, unreadable, undeclared, or nothing that a rule asks for",
}
"""What is computed of a row, each from those before; rules compare values."""

_WORDS = ("true", "false")


class Readings:
    """Reads the columns that some literals ask about, and those that are weighed as numbers.

    Parameters
    ----------
    dialect : Dialect
        In which the SQL is run.
    literals : sequence of Literal
        Everything that will be asked.
    weighed : sequence of Clipped
        Columns whose numbers are weighed.
    """

    def __init__(self, dialect: Dialect, literals: Sequence[Literal], weighed: Sequence[Clipped] = ()) -> None:
        self._dialect = dialect
        self._literals = literals
        self.stages: dict[str, dict[str, Expression]] = {stage: {} for stage in STAGES if stage != "value"}
        columns: dict[str, Column] = {literal.column.name: literal.column for literal in literals}
        columns |= {column.name: column for column in weighed}
        self.values = {name: self._read(column) for name, column in columns.items()}

    def _read(self, column: Column) -> Expression:
        """What a cell stands for."""
        match column:
            case Categorical():
                return self._read_value(column)
            case Date():
                return self._read_day(column)
            case Boolean():
                return _cases(*self._truths(column, self._trim(column, lower=True)))
            case Numeric():
                number = self._number(column, self._trim(column))
                return _cases((_is_within_bounds(number), number))
            case Positive():
                return self._read_sign(column)
            case Clipped():
                return self._read_clipped(column)
            case _:
                raise ParameterError(f"columns of kind {column.kind} have no SQL yet. Export JSON.")

    def _stage(self, stage: str, column: Column, expression: Expression) -> Expression:
        """Return how a later stage names an expression."""
        self.stages[stage][column.name] = expression
        return name_column(column.name, stage)

    def _own(self, template: str, **parts: Expression) -> Expression:
        """Return an expression of the dialect."""
        parsed = _parse(template, self._dialect.name)
        return exp.replace_placeholders(parsed.copy(), **{name: part.copy() for name, part in parts.items()})

    def _text(self, column: Column) -> Expression:
        text: Expression = exp.cast(name_column(column.name, "t"), "text")
        if self._dialect.collation is None:
            return text
        return self._own(f":text COLLATE {self._dialect.collation}", text=text)

    def _trim(self, column: Column, lower: bool = False) -> Expression:
        """The text without spaces around it (engines differ in what else they trim)."""
        text: Expression = exp.Trim(this=self._text(column), expression=exp.Literal.string(" "))
        return self._stage("cell", column, exp.Lower(this=text) if lower else text)

    def _number(self, column: Column, text: Expression) -> Expression:
        """The number that a text stands for, null if it stands for none."""
        digits = text
        if isinstance(column, Numeric | Scaled) and column.decimal == ",":
            # A second comma would be a second point, and so no number either.
            pointed = exp.func("REPLACE", text.copy(), exp.Literal.string(","), exp.Literal.string("."))
            digits = exp.Case().when(_like(text, "%.%"), text.copy()).else_(pointed)
        is_number = exp.and_(_is_short(digits), self._own(self._dialect.is_number, text=digits))
        parsed = _cases((is_number, self._own(self._dialect.number, text=digits)))
        typed = self._own(self._dialect.float_value, raw=name_column(column.name, "t"), text=text)
        return self._stage("number", column, exp.Coalesce(this=typed, expressions=[parsed]))

    def _form(self, column: Column, text: Expression) -> Expression:
        """The text without zeros after its point: if it has one point that is not its end, strip zeros, then the point.

        Among canonical decimals and moments it is found only if the text is one, but for zeros.
        """
        without = exp.func("REPLACE", text.copy(), exp.Literal.string("."), exp.Literal.string(""))
        one_point = exp.EQ(
            this=exp.Sub(this=exp.Length(this=text.copy()), expression=exp.Length(this=without)),
            expression=exp.Literal.number(1),
        )
        stripped = _strip(_strip(text, "0"), ".")
        is_decimal = exp.and_(one_point, exp.not_(_like(text, "%.")))
        is_long = exp.not_(_is_short(text))
        form = _cases((is_long, exp.null()), (is_decimal, stripped), otherwise=text)
        return self._stage("form", column, form)

    def _read_value(self, column: Categorical) -> Expression:
        """The declared value that a cell matches."""
        codes = self._codes(column)
        forms = [form for form, code in column.forms.items() if code in codes]
        text = self._stage("cell", column, self._text_of_value(column, forms))
        form = self._form(column, text) if any(canonical_form(f) == f for f in forms) else text
        cases: list[tuple[Expression, Expression]] = []
        same: dict[str, list[str]] = {"text": [], "form": []}
        for code in sorted(codes):
            written = str(column.values[code])
            exact, canonical, words = _sort_forms([f for f, place in column.forms.items() if place == code])
            if (exact, canonical, words) == ([written], [], []):
                same["text"].append(written)
            elif (exact, canonical, words) == ([], [written], []) and written != "0":  # -0 is 0, too
                same["form"].append(written)
            else:
                word = exp.Lower(this=text.copy())
                tests = [(text, exact), (form, canonical), (word, words)]
                test = exp.or_(*(_among(part, listed) for part, listed in tests if listed))
                cases.append((test, exp.Literal.string(written)))
        if same["form"]:
            cases.insert(0, (_among(form, same["form"]), form.copy()))
        if same["text"]:
            cases.insert(0, (_among(text, same["text"]), text.copy()))
        return _cases(*cases)

    def _text_of_value(self, column: Categorical, forms: Sequence[str]) -> Expression:
        """The text of a cell; of a binary fraction that of the declared value that it equals."""
        text = self._text(column)
        numbers = {form: number for form in forms if (number := _as_number(form)) is not None}
        if not numbers:
            return text
        raw = name_column(column.name, "t")
        known = {f: n for f, n in numbers.items() if isfinite(n) and f in (repr(n), canonical_form(repr(n)))}
        equal: Expression = exp.null()
        if known:
            equal = exp.Case(this=self._own(self._dialect.float_value, raw=raw, text=text))
            for form, number in known.items():
                equal = equal.when(write_number(number), exp.Literal.string(form))
        return _cases((self._own(self._dialect.is_float, raw=raw), equal), otherwise=text)

    def _codes(self, column: Categorical) -> frozenset[int]:
        """The declared values that matter: all of them, unless rules only ask whether a cell equals some."""
        asked = [literal for literal in self._literals if literal.column.name == column.name]
        if all(literal.operator is Operator.EQUALS for literal in asked):
            return frozenset().union(*(literal.codes for literal in asked))
        return frozenset(range(column.size))

    def _truths(self, column: Column, word: Expression) -> list[tuple[Expression, Expression]]:
        """The cases of 1 and 0 for words that say true and false."""
        form = self._form(column, word)
        cases: list[tuple[Expression, Expression]] = []
        for words, code in ((TRUE_WORDS, 1), (FALSE_WORDS, 0)):
            digits = [form for form in words if form.isdigit()]
            test = exp.or_(_among(word, [w for w in words if w not in digits]), _among(form, digits))
            cases.append((test, exp.Literal.number(code)))
        return cases

    def _read_sign(self, column: Positive) -> Expression:
        """Whether a number is above 0; words that say true or false count as 1 and 0."""
        word = self._trim(column, lower=True)
        number = self._number(column, word)
        above = exp.GT(this=number.copy(), expression=exp.Literal.number(0))
        sign = exp.Case().when(above, exp.Literal.number(1)).else_(exp.Literal.number(0))
        return _cases((_is_within_bounds(number), sign), *self._truths(column, word))

    def _read_clipped(self, column: Clipped) -> Expression:
        """The number that is weighed: 0 for a missing one; without bounds of its own, a word is 1 or -1."""
        if isinstance(column, Scaled):
            number = self._number(column, self._trim(column))
            cases = [(_is_within_bounds(number), _scale(number, column.lower, column.upper))]
        else:
            word = self._trim(column, lower=True)
            number = self._number(column, word)
            (true, _), (false, _) = self._truths(column, word)
            cases = [(_is_within_bounds(number), _clip(number))]
            cases += [(true, write_double(1.0)), (false, write_double(-1.0))]
        return _cases(*cases, otherwise=write_double(0.0))

    def _read_day(self, column: Date) -> Expression:
        """The day of a date or a moment, whose texts are in the order of time."""
        text = self._trim(column)
        is_day = exp.and_(_is_short(text), self._own(self._dialect.is_day, text=text), exp.not_(_like(text, "0000%")))
        day = exp.func("SUBSTRING", text.copy(), exp.Literal.number(1), exp.Literal.number(10))
        return _cases((is_day, day))


def write_condition(literals: Sequence[Literal]) -> Expression:
    """Return whether all literals hold of the values that were read: true, or else false or null."""
    return exp.and_(*(_write_literal(literal) for literal in literals))


def write_number(number: float) -> Expression:
    """Return a number that engines read as a binary fraction, as Python does, and not as a decimal."""
    if number == int(number) and abs(number) < 2**53:
        digits = str(int(abs(number)))
    else:
        digits = repr(abs(number))
        digits += "" if "e" in digits else "e0"
    literal = exp.Literal(this=digits, is_string=False)
    return exp.Neg(this=literal) if number < 0 else literal


def write_double(number: float) -> Expression:
    """A number as `predict` adds it: engines read 0.1 as a decimal, whose sums round otherwise."""
    return exp.cast(write_number(number), "double")


def name_column(name: str, table: str) -> Expression:
    """Return a column, with its name in quotes."""
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(table))


def _write_literal(literal: Literal) -> Expression:
    cell = name_column(literal.column.name, "value")
    match literal.operator:
        case Operator.IS_MISSING:
            return exp.Is(this=cell, expression=exp.null())
        case Operator.IS_PRESENT:
            return exp.not_(exp.Is(this=cell, expression=exp.null()))
        case Operator.IS_TRUE | Operator.ABOVE_ZERO:
            return exp.EQ(this=cell, expression=exp.Literal.number(1))
        case Operator.IS_FALSE | Operator.NOT_ABOVE_ZERO:
            return exp.EQ(this=cell, expression=exp.Literal.number(0))
    compare = _COMPARISONS[literal.operator]
    return compare(this=cell, expression=_write_value(literal.column, literal.value))


_COMPARISONS: dict[Operator, type[exp.Binary]] = {
    Operator.EQUALS: exp.EQ,
    Operator.DIFFERS: exp.NEQ,
    Operator.BELOW: exp.LT,
    Operator.AT_LEAST: exp.GTE,
}


def _write_value(column: Column, value: Value | None) -> Expression:
    if isinstance(column, Categorical) and value is not None:
        return exp.Literal.string(str(column.values[column.code(value)]))
    return write_number(value) if isinstance(value, int | float) else exp.Literal.string(str(value))


@cache
def _parse(template: str, dialect: str) -> Expression:
    return parse_one(template, read=dialect)


def _cases(*cases: tuple[Expression, Expression], otherwise: Expression | None = None) -> Expression:
    """Return a CASE; one without branches, of a column of which no value is known, is null."""
    made = exp.Case()
    for test, answer in cases:
        made = made.when(test, answer.copy())
    if otherwise is not None:
        made = made.else_(otherwise.copy())
    return made if cases else exp.cast(exp.null(), "text")


def _among(part: Expression, texts: Sequence[str]) -> Expression:
    zero = ["-0"] if "0" in texts else []
    listed = [exp.Literal.string(text) for text in (*texts, *zero)]
    if len(listed) == 1:
        return exp.EQ(this=part.copy(), expression=listed[0])
    return exp.In(this=part.copy(), expressions=listed)


def _sort_forms(forms: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Sort the forms of a value into exact texts, canonical decimals or moments, and words in any case."""
    words = [form for form in forms if form in _WORDS]
    canonical = [form for form in forms if canonical_form(form) == form]
    # What has a canonical form is found by that.
    exact = [form for form in forms if form.lower() not in words and canonical_form(form) is None]
    return exact, canonical, words


def _as_number(form: str) -> float | None:
    """Return the number that a form is the text of in some engine; not only finite ones."""
    try:
        return float(form)
    except ValueError:
        return None


def _is_short(text: Expression) -> Expression:
    return exp.LTE(this=exp.Length(this=text.copy()), expression=exp.Literal.number(LONGEST_NUMBER))


def _is_within_bounds(number: Expression) -> Expression:
    """Whether a number is below 1e100; not infinity, and not NaN, which engines put above all numbers."""
    return exp.LT(this=exp.Abs(this=number.copy()), expression=write_number(LARGEST_NUMBER))


def _scale(number: Expression, lower: float, upper: float) -> Expression:
    """Bring a number to [-1, 1] on the grid, by the operations on doubles that `Scaled.number` has, in their order."""
    above_lower = _paren(exp.Sub(this=number.copy(), expression=write_double(lower)))
    # A step is 1/128 of the width. PostgreSQL stops where a quotient is too small for a double.
    below = exp.LTE(this=above_lower.copy(), expression=write_double((upper - lower) / 1024))
    above = exp.GTE(this=number.copy(), expression=write_double(upper))
    share = _paren(exp.Div(this=above_lower, expression=write_double(upper - lower)))
    steps = exp.Sub(this=exp.Mul(this=write_double(2 * GRID), expression=share), expression=write_double(GRID))
    inside = exp.Div(this=_round(_paren(steps)), expression=write_double(GRID))
    return _cases((below, write_double(-1.0)), (above, write_double(1.0)), otherwise=inside)


def _clip(number: Expression) -> Expression:
    """Clip a number to [-1, 1], and round it to the grid, as `Clipped.number` does."""
    steps = exp.Mul(this=write_double(GRID), expression=number.copy())
    # A number far below a step is 0; PostgreSQL would not multiply the smallest.
    small = exp.LTE(this=exp.Abs(this=number.copy()), expression=write_double(2.0**-10))
    below = exp.LTE(this=number.copy(), expression=write_double(-1.0))
    above = exp.GTE(this=number.copy(), expression=write_double(1.0))
    inside = exp.Div(this=_round(steps), expression=write_double(GRID))
    return _cases((small, write_double(0.0)), (below, write_double(-1.0)), (above, write_double(1.0)), otherwise=inside)


def _round(number: Expression) -> Expression:
    """Round a double, ties to even: adding 1.5 * 2^52 does, while engines round halves in ways of their own."""
    far = write_double(1.5 * 2.0**52)
    return _paren(exp.Sub(this=_paren(exp.Add(this=number, expression=far)), expression=far.copy()))


def _paren(expression: Expression) -> Expression:
    return exp.Paren(this=expression)


def _like(text: Expression, pattern: str) -> Expression:
    return exp.Like(this=text.copy(), expression=exp.Literal.string(pattern))


def _strip(text: Expression, mark: str) -> Expression:
    return exp.Trim(this=text.copy(), expression=exp.Literal.string(mark), position="TRAILING")
