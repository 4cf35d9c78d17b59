import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.estimators import PrivateDecisionListClassifier
from dprules.jobs import FitRequest, fit
from dprules.tables import open_table, read_text_columns

from .people import BOUGHT, SCHEMA, THREE, learn, make_people

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),  # py4j's
]
PEOPLE = make_people()


@pytest.fixture(scope="module")
def people(spark):
    return spark.createDataFrame(PEOPLE).repartition(3).cache()


KINDS = "smoker boolean, sex string, age bigint, ward string, level bigint, person bigint, y string"


@pytest.fixture(scope="module", autouse=True)
def forget(spark):
    yield
    spark.catalog.clearCache()


@pytest.mark.parametrize("width", [1, 2, 3])
def test_lists_are_those_of_one_machine(people, width):
    options = {"width": width, "max_rules": 3}
    assert learn(people, options=options) == learn(PEOPLE, options=options)


@pytest.mark.parametrize("schema", [SCHEMA, THREE], ids=["two classes", "three classes"])
def test_scorecards_are_those_of_one_machine(people, schema):
    assert learn(people, schema, "scorecard") == learn(PEOPLE, schema, "scorecard")


@pytest.mark.parametrize("unit", [{}, {"unit": "person", "unit_rows": 2}], ids=["rows", "units"])
def test_cuts_and_values_are_bought_as_on_one_machine(people, unit):
    options = {"max_rules": 3}
    assert learn(people, BOUGHT, options=options, **unit) == learn(PEOPLE, BOUGHT, options=options, **unit)


@pytest.mark.parametrize("partitions", [1, 40])
def test_how_rows_are_spread_changes_nothing(people, partitions):
    options = {"max_rules": 2}
    spread = people.orderBy("age").repartition(partitions)
    assert learn(spread, options=options, unit="person") == learn(PEOPLE, options=options, unit="person")


def test_tables_without_rows(people):
    for empty in (people.where("age < 0"), people.sparkSession.createDataFrame([], KINDS)):
        for unit in (None, "person"):
            options = {"max_rules": 2}
            found = learn(empty, BOUGHT, options=options, unit=unit)
            assert found == learn(PEOPLE.slice(0, 0), BOUGHT, options=options, unit=unit)


def test_nothing_is_kept_and_settings_stay(spark, people):
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    spark.conf.set(name, "7")
    people.count()
    before = list(spark.sparkContext._jsc.getPersistentRDDs())
    learn(people, BOUGHT, options={"max_rules": 2}, unit="person")
    assert spark.conf.get(name) == "7"
    spark.conf.unset(name)
    assert list(spark.sparkContext._jsc.getPersistentRDDs()) == before


def test_nothing_is_kept_when_a_fit_fails(spark, people):
    people.count()
    before = list(spark.sparkContext._jsc.getPersistentRDDs())

    def fail(step, done, total):
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(FitRequest(people, SCHEMA, seed=1), fail)
    assert list(spark.sparkContext._jsc.getPersistentRDDs()) == before


def test_a_job_that_fails_is_told_in_one_sentence_that_names_spark(spark, tmp_path):
    """A file that vanishes stops a fit: that is no fact about a record."""
    pa.parquet.write_table(PEOPLE, tmp_path / "people.parquet")
    frame = spark.read.parquet(str(tmp_path))
    frame.count()
    (tmp_path / "people.parquet").unlink()
    with pytest.raises(DataError, match="Spark could not finish a job") as caught:
        learn(frame)
    assert "people.parquet" not in str(caught.value)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    with pytest.raises(DataError, match="Spark could not finish a job"), open_table(frame) as table:
        read_text_columns(table, ["age"])


ODD: dict[str, tuple[str, list[Any]]] = {
    "texts": ("string", ["a", "", None, "1.0", "NaN"]),
    "truths": ("boolean", [True, False, None]),
    "small": ("tinyint", [1, -7, None]),
    "large": ("bigint", [2**53 + 1, -(2**63), None]),
    "narrow": ("float", [0.1, float("nan"), float("inf"), -0.0, None]),
    "wide": ("double", [0.1, float("nan"), -float("inf"), 1e300, 5e-324, None]),
    "decimals": ("decimal(38, 18)", [Decimal("1.50"), Decimal(10**19), None]),
    "days": ("date", [datetime.date(1, 1, 1), datetime.date(1582, 10, 10), datetime.date(9999, 12, 31), None]),
    "moments": ("timestamp_ntz", [datetime.datetime(1500, 2, 28, 1, 2, 3, 4), datetime.datetime(2020, 1, 1), None]),
    "bytes": ("binary", [b"a", b"\xff", b"", None]),
}


@pytest.mark.parametrize("name", ODD)
def test_cells_are_read_as_those_of_other_sources(spark, name):
    kind, cells = ODD[name]
    frame = spark.createDataFrame([(cell,) for cell in cells], f"c {kind}").coalesce(1)
    arrow = {"float": pa.float32(), "decimal(38, 18)": pa.decimal128(38, 18)}.get(kind)
    with open_table(frame) as table, open_table(pa.table({"c": pa.array(cells, arrow)})) as local:
        assert read_text_columns(table, ["c"]) == read_text_columns(local, ["c"])


def test_cells_that_only_spark_has(spark):
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    frame = spark.sql(
        "SELECT CAST(X'61ff' AS string) AS torn, DATE '+12020-01-01' AS late, array(1) AS list, map('a', 1) AS map, "
        "struct(1) AS record, CAST(NULL AS void) AS nothing, TIMESTAMP '2020-01-01 00:00:00 UTC' AS moment, "
        "TIMESTAMP '+12020-01-01 00:00:00 UTC' AS later, TIMESTAMP_NTZ '2020-01-01 00:00:00' AS plain, "
        "INTERVAL '1' DAY AS span"
    )
    try:
        with open_table(frame) as table:
            cells = dict(zip(table.names, read_text_columns(table, table.names), strict=True))
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert cells.pop("moment") == ["2020-01-01 00:00:00+00:00"]  # whatever the session's zone is
    assert cells.pop("plain") == ["2020-01-01 00:00:00"]
    assert all(column == [None] for column in cells.values())


def test_kinds_are_those_of_the_types(people):
    with open_table(people) as table:
        assert [table.kinds()[name] for name in ("smoker", "sex", "age")] == ["boolean", "categorical", "numeric"]
        assert repr(table) == "<table the Spark frame>"
    with open_table(people.selectExpr("DATE '2020-01-01' AS d", "TIMESTAMP_NTZ '2020-01-01' AS t")) as table:
        assert set(table.kinds().values()) == {"date"}


def test_odd_names_of_columns(spark):
    names = ["a.b", "a`b", "a b", "a'b\"", "ü\u2028", "SELECT"]
    frame = spark.createDataFrame([(1, 2, 3, 4, 5, 6)], names)
    with open_table(frame) as table:
        assert read_text_columns(table, names[::-1]) == [["6"], ["5"], ["4"], ["3"], ["2"], ["1"]]
    double = frame.toDF("a", "a", "c", "d", "e", "f")
    with pytest.raises(DataError, match="two columns have one name"), open_table(double):
        pass


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.selectExpr("*", "rand() AS r"),
        lambda frame: frame.where("rand() < 0.5"),
        lambda frame: frame.selectExpr("*", "uuid() AS r"),
        lambda frame: frame.selectExpr("*", "monotonically_increasing_id() AS r"),
        lambda frame: frame.limit(10),
        lambda frame: frame.sample(0.5, seed=1),
        lambda frame: frame.dropDuplicates(["person"]),
        lambda frame: frame.union(frame.limit(1)),
        lambda frame: frame.where("person IN (SELECT person FROM people LIMIT 3)"),
        lambda frame: frame.groupBy("person").agg({"age": "first", "sex": "any_value"}),
        lambda frame: frame.groupBy("person").agg({"sex": "collect_list"}),
        lambda frame: frame.selectExpr("*", "row_number() OVER (PARTITION BY sex ORDER BY age) AS r"),
        lambda frame: frame.where("EXISTS (SELECT 1 FROM people TABLESAMPLE (50 PERCENT))"),
        lambda frame: frame.where("age > (SELECT max(age) FROM (SELECT age FROM people WHERE rand() < 0.5))"),
    ],
)
def test_queries_that_may_give_other_rows_are_refused(people, change):
    people.createOrReplaceTempView("people")
    with pytest.raises(PrivacyError, match="may give other rows each time"), open_table(change(people)):
        pass


def test_streams_are_refused(spark):
    stream = spark.readStream.format("rate").load()
    with pytest.raises(PrivacyError, match="is a stream"), open_table(stream):
        pass


def test_estimators_take_frames(people):
    model = PrivateDecisionListClassifier(epsilon=4, max_rules=3, schema=SCHEMA, random_state=2)
    found = clone(model).fit(people)
    local = clone(model).fit(PEOPLE)
    assert found.rule_list_ == local.rule_list_
    assert list(found.classes_) == list(local.classes_)
    wanted = list(local.predict(people.toArrow()))
    assert list(found.predict(people)) == wanted
    assert [row[0] for row in people.select(found.rule_list_.to_spark()).collect()] == wanted


def test_labels_of_a_frame_are_one_of_its_columns(people):
    model = PrivateDecisionListClassifier(schema=SCHEMA)
    with pytest.raises(ParameterError, match="y is a column of the table"):
        model.fit(people, ["no"] * PEOPLE.num_rows)
    with pytest.raises(NotFittedError):
        model.predict(people)


def test_a_frame_needs_a_schema(people):
    with pytest.raises((ParameterError, DataError), match="schema"):
        PrivateDecisionListClassifier().fit(people, ["no"] * PEOPLE.num_rows)
