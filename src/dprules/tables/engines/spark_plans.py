"""Which queries of Spark may be fitted on: what they give is the same each time, and no row can stop them.

Both are decided from the plan of a query, which is public, before a row is read. Expressions are taken from a list of
those that cannot stop at a row: an expression that is not known is refused (`docs/proofs/spark.md`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from dprules.errors import PrivacyError

_BY_POSITION = {"GlobalLimit", "LocalLimit", "Limit", "Offset", "Tail", "Sample", "Deduplicate"}
"""Steps of a query that choose rows by where they lie, which may change when a partition is made again."""
_BY_ORDER = {
    *("First", "Last", "AnyValue", "CollectList", "CollectSet", "ListAgg", "MaxBy", "MinBy", "Mode"),
    *("RowNumber", "NTile", "NthValue", "Lag", "Lead"),
}
"""Functions of several rows whose result depends on the order that these come in, of equals at the least."""
_STEPS = {
    *("LogicalRelation", "LogicalRDD", "LocalRelation", "Range", "OneRowRelation", "InMemoryRelation"),
    *("HiveTableRelation", "DataSourceV2Relation", "SubqueryAlias", "View", "WithCTE", "CTERelationDef"),
    *("CTERelationRef", "Project", "Filter", "Join", "Union", "Intersect", "Except", "Distinct", "Aggregate", "Window"),
    *("Expand", "Generate", "Sort", "Repartition", "RepartitionByExpression", "RebalancePartitions", "ResolvedHint"),
    "CollectMetrics",
}
"""Steps that stop at a row only where one of their expressions does."""
_SAFE = {
    *("AttributeReference", "OuterReference", "Alias", "Literal", "TypedNullLiteral", "SortOrder"),
    *("With", "CommonExpressionDef", "CommonExpressionRef", "GetStructField", "CreateNamedStruct", "CreateArray"),
    *("EqualTo", "EqualNullSafe", "LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual", "Between"),
    *("And", "Or", "Not", "In", "InSet", "IsNull", "IsNotNull", "IsNaN", "AtLeastNNonNulls"),
    *("CaseWhen", "If", "Coalesce", "Nvl", "Nvl2", "NullIf", "NullIfZero", "ZeroIfNull", "NaNvl", "Least", "Greatest"),
    *("Lower", "Upper", "StringTrim", "StringTrimLeft", "StringTrimRight", "StringTrimBoth", "Substring", "Left"),
    *("Right", "Length", "OctetLength", "Concat", "ConcatWs", "StringReplace", "StartsWith", "EndsWith", "Contains"),
    *("Sqrt", "Cbrt", "Exp", "Log", "Log2", "Log10", "Log1p", "Pow", "Signum"),
    *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "XxHash64", "Murmur3Hash", "Md5", "Sha2", "Crc32"),
    *("Year", "Quarter", "Month", "DayOfMonth", "DayOfWeek", "WeekDay", "DayOfYear", "DateDiff"),
    *("TryAdd", "TrySubtract", "TryMultiply", "TryDivide", "TryMod", "Get", "TryElementAt", "Size", "ArrayContains"),
    *("InSubquery", "ListQuery", "Exists", "Explode", "AggregateExpression", "Count", "Max", "Min"),
    *("WindowExpression", "WindowSpecDefinition", "SpecifiedWindowFrame", "UnboundedPreceding$", "CurrentRow$"),
    *("UnboundedFollowing$", "Rank", "DenseRank", "PercentRank", "CumeDist"),
}
"""Expressions that give a value, or none, whatever is in a row."""
_FLOATS = ("float", "double")
_WIDTHS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
"""Digits that the integers of a type may have."""
_PLAIN = ("boolean", "date", "timestamp", "timestamp_ntz", "string", "binary")
_PARSED = ("boolean", "date", "timestamp", "timestamp_ntz")


def require_safe_plan(frame: Any, source: str) -> None:
    """Refuse a query that may give other rows when it is run again, and one that may stop at a row.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The query. Of Spark Connect the plan is not known: then both are assumed.
    source : str
        What it is called.
    """
    if frame.isStreaming:
        raise PrivacyError(f"{source} is a stream, and a fit needs the same rows throughout. Write it to a table.")
    query = getattr(frame, "_jdf", None)
    if query is None:
        return
    steps = list(list_steps(query.queryExecution().analyzed()))
    _require_determinism(steps, source)
    for step in steps:
        _require_no_throw(step, source)


def _require_determinism(steps: list[Any], source: str) -> None:
    """Refuse a query that gives other rows when it is run again: a lost executor would exchange them in mid-fit."""
    for step in steps:
        functions = {
            str(part.nodeName()) for expression in list_scala(step.expressions()) for part in _list_parts(expression)
        }
        if not step.deterministic() or str(step.nodeName()) in _BY_POSITION or functions & _BY_ORDER:
            raise PrivacyError(
                f"{source}: its query may give other rows each time it runs (rand, limit, sample, dropDuplicates, "
                "first, row_number, ...), and the guarantee needs the same ones throughout. Write it to a table first."
            )


def _require_no_throw(step: Any, source: str) -> None:
    """Refuse a step that can stop at a row: whether a fit ends would depend on a record."""
    name = str(step.nodeName())
    if name not in _STEPS and not name.startswith("RelationV2"):
        raise PrivacyError(_stops(source, f"the step {name}"))
    if name == "LogicalRelation" and _fails_fast(step.relation()):
        raise PrivacyError(f"{source} is read with mode FAILFAST: one record can stop the fit. Use mode PERMISSIVE.")
    for expression in list_scala(step.expressions()):
        part = _find_unsafe(expression)
        if part is not None:
            raise PrivacyError(_stops(source, _describe(part)))


def _stops(source: str, part: str) -> str:
    return (
        f"{source}: its query can stop at a row, in {part}, and one record must not stop a fit. Use try_cast, try_add, "
        "try_subtract, try_multiply or try_divide, or write the query's result to a table first."
    )


def _describe(expression: Any) -> str:
    """Return the name of an expression and of the columns that it reads; constants are not shown."""
    names = sorted({str(part.name()) for part in _list_parts(expression) if part.nodeName() == "AttributeReference"})
    return f"{expression.prettyName()}({', '.join(names)})"


def _fails_fast(relation: Any) -> bool:
    return (find_option(relation, "mode") or "").upper() == "FAILFAST"


def find_option(relation: Any, name: str) -> str | None:
    """Return an option that files are read with; None: it is not set. Spark does not mind the case of its name."""
    if not hasattr(relation, "options"):
        return None
    options = str(relation.options().toString())
    option = re.search(rf"[(,] ?{name} -> (\w+)", options, re.IGNORECASE)
    return option and option[1]


def _find_unsafe(expression: Any) -> Any:
    """Return a part of an expression that can stop at a row; None: there is no such part."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if _is_constant(part):
            continue
        name = str(part.nodeName())
        rule = _RULES.get(name)
        if not (rule(part) if rule else name in _SAFE):
            return part
        waiting += list_scala(part.children())
    return None


def _is_constant(expression: Any) -> bool:
    """Whether an expression reads no row and has a value: it is worked out now."""
    if not expression.foldable():
        return False
    try:
        expression.eval(None)
    except Exception:  # it stops, or only parts of it can be worked out: its parts are looked at
        return False
    return True


def _is_legacy(expression: Any) -> bool:
    """Whether an expression has no value where it would stop under ANSI rules."""
    return str(expression.evalMode()) != "ANSI"


def _type(expression: Any) -> str:
    return str(expression.dataType().simpleString())


def _is_number(kind: str) -> bool:
    return kind in _FLOATS or kind in _WIDTHS or kind.startswith("decimal")


def _is_safe_sum(part: Any) -> bool:
    return _type(part) in _FLOATS or (_is_number(_type(part)) and _is_legacy(part))


def _is_safe_quotient(part: Any) -> bool:
    """Division by a constant other than zero stops at no float; integers and decimals can be too large."""
    divisor = part.right()
    by_constant = _type(part) in _FLOATS and _is_constant(divisor) and divisor.eval(None) not in (None, 0)
    return bool(by_constant) or (_is_number(_type(part)) and _is_legacy(part))


def _is_safe_sign(part: Any) -> bool:
    return _type(part) in _FLOATS or not part.failOnError()


def _is_safe_rounding(part: Any) -> bool:
    return _type(part.child()) in _FLOATS


def _is_safe_item(part: Any) -> bool:
    return not part.failOnError()


def _is_safe_total(part: Any) -> bool:
    inputs = [_type(child) for child in list_scala(part.children())]
    return all(kind in _FLOATS for kind in inputs) or _is_legacy(part)


def _is_safe_average(part: Any) -> bool:
    inputs = [_type(child) for child in list_scala(part.children())]
    return all(kind in _FLOATS or kind in _WIDTHS for kind in inputs) or _is_legacy(part)


def _is_safe_cast(part: Any) -> bool:
    return can_cast(_type(part.child()), _type(part), _is_legacy(part))


def can_cast(given: str, wanted: str, legacy: bool) -> bool:
    """Whether every value of a type has a value of another type, or is missing there; Spark's names of types.

    Parameters
    ----------
    given, wanted : str
        The types.
    legacy : bool
        Whether a text or number that does not fit is missing, as `try_cast` has it.

    Examples
    --------
    >>> can_cast("string", "int", False), can_cast("string", "int", True), can_cast("int", "bigint", False)
    (False, True, True)
    """
    if given in (wanted, "void"):
        return True
    if wanted == "string":
        return given in _PLAIN or _is_number(given)
    if _is_number(given):
        to_number = wanted in _FLOATS or (_is_number(wanted) and (legacy or _fits(given, wanted)))
        return to_number or wanted == "boolean"
    if given == "string":
        return wanted == "binary" or (legacy and (wanted in _PARSED or _is_number(wanted)))
    if given == "boolean":
        return wanted in _FLOATS or wanted in _WIDTHS
    return given.startswith("timestamp") and wanted == "date"


def _fits(given: str, wanted: str) -> bool:
    """Whether all exact numbers of a type are numbers of another, or nearly: digits before and after the point."""
    if given in _FLOATS or (wanted in _WIDTHS and given not in _WIDTHS):
        return False
    before, after = _digits(given)
    most_before, most_after = _digits(wanted)
    return before <= most_before and after <= most_after


def _digits(kind: str) -> tuple[int, int]:
    if kind in _WIDTHS:
        return _WIDTHS[kind], 0
    precision, scale = map(int, re.findall(r"\d+", kind))
    return precision - scale, scale


_RULES: dict[str, Callable[[Any], bool]] = {
    "Cast": _is_safe_cast,
    **dict.fromkeys(("Add", "Subtract", "Multiply"), _is_safe_sum),
    **dict.fromkeys(("Divide", "Remainder", "Pmod", "IntegralDivide"), _is_safe_quotient),
    **dict.fromkeys(("UnaryMinus", "Abs"), _is_safe_sign),
    **dict.fromkeys(("Floor", "Ceil", "Round", "BRound"), _is_safe_rounding),
    **dict.fromkeys(("GetArrayItem", "ElementAt"), _is_safe_item),
    "Sum": _is_safe_total,
    "Average": _is_safe_average,
}
"""Expressions that stop at some rows by their types and settings; true: they do not."""


def list_steps(plan: Any) -> Iterator[Any]:
    """Return all steps of a query, those of the queries inside its expressions included."""
    waiting = [plan]
    while waiting:
        step = waiting.pop()
        yield step
        waiting += [*list_scala(step.children()), *list_scala(step.subqueries())]


def _list_parts(expression: Any) -> Iterator[Any]:
    """Return an expression and all its parts."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += list_scala(part.children())


def list_scala(sequence: Any) -> list[Any]:
    """Return what is in a sequence of Scala's."""
    return [sequence.apply(place) for place in range(sequence.size())]
