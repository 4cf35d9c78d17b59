"""Which queries of Spark are taken: the plan says whether a row can stop them."""

import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprules.errors import PrivacyError
from dprules.tables import open_table, read_text_columns
from dprules.tables.engines.spark_plans import can_cast

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),  # py4j's
]
FIELDS = (
    "i int, l bigint, d double, f float, t string, b boolean, y date, m timestamp, n timestamp_ntz, e decimal(38,10), "
    "s decimal(5,2), a array<int>, w binary"
)
DAY = datetime.date(2020, 1, 1)
MOMENT = datetime.datetime(2020, 1, 1, 12)
LARGE = Decimal("9" * 28 + "." + "9" * 10)
ROWS = [
    (1, 2, 1.5, 2.5, "1", True, DAY, MOMENT, MOMENT, Decimal(1), Decimal("1.50"), [1, 2], b"1"),
    (0, 0, 0.0, -0.0, "", False, DAY, MOMENT, MOMENT, Decimal(0), Decimal(0), [], b""),
    (2**31 - 1, 2**63 - 1, 1e308, 3e38, "abc", None, DAY, MOMENT, MOMENT, LARGE, Decimal("999.99"), [None], b"\xff"),
    (
        -(2**31),
        -(2**63),
        -1e308,
        None,
        "1e400",
        None,
        DAY,
        MOMENT,
        MOMENT,
        LARGE.copy_negate(),
        Decimal(-1),
        None,
        None,
    ),
    (None, None, float("nan"), float("nan"), "9" * 50, None, None, None, None, None, None, None, None),
    (None, None, float("inf"), None, "\0", None, None, None, None, None, None, None, None),
]
THROW = {
    "cast": ("cast(t as int)", "cast(t)"),
    "cast of a number": ("cast(l as int)", "cast(l)"),
    "cast of a fraction": ("cast(d as bigint)", "cast(d)"),
    "cast of a day": ("cast(y as timestamp)", "cast(y)"),
    "sum": ("i + 1", "(i)"),
    "sum that is used": ("case when i + 1 > 2 then 'a' end", "(i)"),
    "decimals": ("e * e", "(e)"),
    "quotient": ("1 / i", "(i)"),
    "remainder": ("i % 2", "(i)"),
    "sign": ("-i", "(i)"),
    "size": ("abs(l)", "abs(l)"),
    "item": ("a[0]", "(a)"),
    "element": ("element_at(a, 1)", "element_at(a)"),
    "day": ("to_date(t)", "to_date(t)"),
    "moment": ("to_timestamp(t)", "to_timestamp(t)"),
    "error": ("raise_error(t)", "raise_error(t)"),
    "assertion": ("assert_true(b)", "(b)"),
    "constant that stops": ("cast('abc' as int)", "cast()"),
    "pattern": ("t rlike '('", "(t)"),
    "json": ("from_json(t, 'a int', map('mode', 'FAILFAST')).a", "from_json(t)"),
    "inside try": ("try_add(cast(t as int), 1)", "cast(t)"),
    "only one row": ("(select i from odd)", "scalarsubquery()"),
}


@pytest.fixture(scope="module")
def odd(spark):
    frame = spark.createDataFrame(ROWS, FIELDS)
    frame.createOrReplaceTempView("odd")
    return frame


@pytest.fixture(scope="module")
def far(spark, tmp_path_factory):
    """Days and moments that Python does not have."""
    path = tmp_path_factory.mktemp("far") / "far.parquet"
    days = pa.array([0, 2**31 - 1, -(2**31), 2932896, -719162, None], pa.int32()).cast(pa.date32())
    ticks = pa.array([0, 2**63 - 1, -(2**63), 2**62, -(2**62), None], pa.int64())
    moments = ticks.cast(pa.timestamp("us", "UTC"))
    pa.parquet.write_table(pa.table({"y": days, "m": moments, "n": ticks.cast(pa.timestamp("us"))}), path)
    return spark.read.parquet(str(path))


@pytest.mark.parametrize("name", THROW)
def test_expressions_that_can_stop_at_a_row_are_refused(odd, name):
    """Before a row is read, also where no row stops: the table has no rows."""
    expression, shown = THROW[name]
    for frame in (odd.selectExpr(f"{expression} AS c"), odd.where("false").selectExpr("i", f"{expression} AS c")):
        with pytest.raises(PrivacyError, match=r"can stop at a row.*Use try_cast") as caught, open_table(frame):
            pass
        assert shown in str(caught.value)
        assert caught.value.__context__ is None


def test_the_expression_may_be_anywhere_in_the_query(odd):
    for change in (
        lambda frame: frame.where("cast(t as int) > 1"),
        lambda frame: frame.groupBy("t").agg({"i": "sum"}),
        lambda frame: frame.join(frame.selectExpr("i + 1 as k"), on=frame.i == 1),
        lambda frame: frame.where("i in (select cast(t as int) from odd)"),
        lambda frame: frame.orderBy(frame.i + 1),
        lambda frame: frame.select("i", frame.i.cast("tinyint")).toDF("a", "b").select("a"),
    ):
        with pytest.raises(PrivacyError, match="can stop at a row"), open_table(change(odd)):
            pass


def test_functions_of_the_user_are_refused(spark, odd):
    from pyspark.sql.functions import udf

    for frame in (odd.select(udf(lambda cell: cell)("i")), odd.mapInArrow(lambda batches: batches, odd.schema)):
        with pytest.raises(PrivacyError, match="can stop at a row"), open_table(frame):
            pass


def test_files_that_are_read_strictly_are_refused(spark, tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n")
    frame = spark.read.csv(str(tmp_path), schema="a int, b int", mode="FailFast")
    with pytest.raises(PrivacyError, match="PERMISSIVE"), open_table(frame):
        pass
    with open_table(spark.read.csv(str(tmp_path), schema="a int, b int")) as table:
        assert read_text_columns(table, ["b"]) == [["2"]]


TRIED = [
    *("try_cast(t as int)", "try_cast(l as tinyint)", "try_cast(d as bigint)", "try_cast(d as decimal(5,2))"),
    *("try_cast(t as decimal(5,2))", "try_cast(t as date)", "try_cast(t as timestamp)", "try_cast(t as timestamp_ntz)"),
    *("try_cast(t as boolean)", "try_cast(e as decimal(5,2))", "try_cast(e as int)", "try_cast(f as smallint)"),
    *("try_add(i, 1)", "try_subtract(l, 9)", "try_multiply(l, l)", "try_divide(1, i)", "try_mod(i, 0)"),
    *("try_add(e, e)", "try_multiply(e, e)", "try_divide(e, e)", "try_subtract(s, e)", "try_divide(d, 0)"),
]
PLAIN = [
    *("cast(i as bigint)", "cast(i as string)", "cast(e as double)", "cast(s as decimal(10,4))", "cast(l as float)"),
    *("cast(y as string)", "cast(m as string)", "cast(n as string)", "cast(m as date)", "cast(n as date)"),
    *("cast(b as int)", "cast(i as boolean)", "cast(w as string)", "cast(t as binary)", "cast(l as decimal(19,0))"),
    *("d + 1", "d * d", "d - f", "d / 2", "-d", "abs(d)", "floor(d)", "ceil(d)", "round(d, 1)", "sqrt(d)", "ln(d)"),
    *("log10(d)", "exp(d)", "pow(d, 2)", "sign(d)", "i & 1", "greatest(i, 1)", "least(d, f)", "i between 1 and 2"),
    *("i in (1, 2)", "nvl(i, 0)", "nullif(i, 0)", "coalesce(t, 'a')", "if(i > 0, 'a', 'b')", "i <=> 1", "isnan(d)"),
    *("case when i > 1 then 1 else 2 end", "not b", "i is null", "nanvl(d, 0)", "zeroifnull(i)", "nvl2(i, 1, 2)"),
    *("upper(t)", "lower(t)", "trim(t)", "ltrim(t)", "rtrim(t)", "substring(t, 1, 2)", "left(t, 2)", "right(t, 2)"),
    *("length(t)", "octet_length(t)", "concat(t, 'a')", "concat_ws('-', t, t)", "replace(t, 'a', 'b')"),
    *("startswith(t, 'a')", "endswith(t, 'a')", "contains(t, 'a')", "xxhash64(t)", "hash(t)", "md5(t)", "sha2(t, 256)"),
    *("crc32(t)", "year(y)", "quarter(y)", "month(y)", "day(y)", "dayofweek(y)", "weekday(y)", "dayofyear(y)"),
    *("datediff(y, date'2020-01-01')", "get(a, 5)", "try_element_at(a, 5)", "size(a)", "array_contains(a, 1)"),
    *(
        "struct(i).i",
        "i in (select i from odd)",
        "exists (select 1 from odd)",
        "1 + 1",
    ),
]


FAR = [
    *("cast(y as string)", "cast(m as string)", "cast(n as string)", "cast(m as date)", "cast(n as date)", "year(y)"),
    *("quarter(y)", "month(y)", "day(y)", "dayofweek(y)", "weekday(y)", "dayofyear(y)", "xxhash64(y, m)"),
    *("datediff(y, date'2020-01-01')", "datediff(date'-200000-01-01', y)", "m > timestamp'2020-01-01'"),
]
"""Of the largest and smallest days and moments."""


@pytest.mark.parametrize("codegen", [False, True], ids=["interpreted", "compiled"])
def test_expressions_that_are_taken_stop_at_no_row(spark, odd, far, codegen):
    """Each on rows with the largest, the smallest and odd cells."""
    settings = {"spark.sql.codegen.wholeStage": str(codegen).lower()}
    settings["spark.sql.codegen.factoryMode"] = "CODEGEN_ONLY" if codegen else "NO_CODEGEN"
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        check(odd, TRIED + PLAIN)
        check(far, FAR)
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def check(frame, expressions):
    """Read some expressions at a time: compiling many at once takes long."""
    wrong = {}
    for at in range(0, len(expressions), 12):
        chosen = expressions[at : at + 12]
        try:
            with open_table(frame.selectExpr(*(f"{one} AS c{k}" for k, one in enumerate(chosen)))) as table:
                columns = read_text_columns(table, table.names)
            assert {len(column) for column in columns} == {len(ROWS)}
        except Exception as error:
            wrong[tuple(chosen)] = str(error)
    assert not wrong


def test_sums_over_rows_that_stop_at_none(odd):
    for expression in ("sum(d)", "avg(i)", "avg(d)", "try_sum(l)", "try_avg(e)", "count(*)", "max(e)", "min(t)"):
        with open_table(odd.sparkSession.sql(f"SELECT {expression} AS c FROM odd GROUP BY b")) as table:
            assert len(read_text_columns(table, ["c"])[0]) == 3


def test_without_ansi_rules_a_cell_that_does_not_fit_is_missing(spark, odd):
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        frame = spark.createDataFrame(pa.table({"t": ["1", "abc"]})).selectExpr("cast(t as int) + 1 AS c")
        with open_table(frame) as table:
            assert read_text_columns(table, ["c"]) == [["2", None]]
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")


def test_casts():
    assert can_cast("void", "int", False)
    assert can_cast("decimal(5,2)", "decimal(6,2)", False)
    assert not can_cast("decimal(5,2)", "decimal(5,3)", False)
    assert not can_cast("decimal(5,0)", "bigint", False)
    assert not can_cast("boolean", "decimal(1,1)", True)
    assert not can_cast("int", "timestamp", True)
    assert not can_cast("array<int>", "string", False)
