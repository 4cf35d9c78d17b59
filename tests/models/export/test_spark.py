import sys

import pytest

from dprules.errors import ParameterError
from dprules.jobs import predict
from dprules.models import Rule, RuleList
from dprules.schema import Numeric, literals_of
from models import cards, random_lists

from .test_sql import weighed_halfspace, weighed_rows

SPARK = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # py4j's
MODELS = {
    "list": random_lists.random_list(3),
    "two classes": cards.CARDS["two classes with weights"],
    "many classes": cards.CARDS["many classes with weights"],
}
KINDS = dict(zip(cards.NAMES, ["double", "string", "int", "boolean", "double", "string", "string"], strict=True))


def test_without_spark_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql.functions", None)
    with pytest.raises(ParameterError, match=r"pip install 'dprules\[spark\]'"):
        random_lists.random_list(1).to_spark()


def choose_cell(place, name):
    """An expression that chooses a cell for each row by its number."""
    cells = ", ".join(
        "NULL" if cell is None else f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in cards.CELLS[name]
    )
    size = len(cards.CELLS[name])
    return f"CAST(array({cells})[pmod(xxhash64(id, {place}), {size})] AS {KINDS[name]}) AS `{name}`"


@pytest.mark.slow
@SPARK
def test_a_million_rows_are_labelled_as_predict_does(spark):
    rows = spark.range(0, 1_000_000, 1, 2).selectExpr(*(choose_cell(at, name) for at, name in enumerate(KINDS)))
    labelled = rows.withColumns({name: model.to_spark() for name, model in MODELS.items()}).toArrow()
    for name, model in MODELS.items():
        assert labelled.column(name).to_pylist() == predict(model, labelled).tolist(), name


@pytest.mark.slow
@SPARK
def test_odd_models_and_names(spark):
    rules = RuleList((), "always", ("always", "never"))
    frame = spark.createDataFrame([(1.0, 2.0)], "t double, value double")
    assert frame.select(rules.to_spark()).first()[0] == "always"
    for text, kind in ((True, "string"), (False, "double")):
        model, rows = weighed_halfspace(1), weighed_rows(1, text)
        schema = ", ".join(f"{name} {kind}" for name in "abcde")
        weighed = spark.createDataFrame([tuple(row.values()) for row in rows], schema).coalesce(1)
        assert [row[0] for row in weighed.select(model.to_spark()).collect()] == list(model.predict(rows))
    for name in ("two classes without points", "one class"):
        assert frame.select(cards.CARDS[name].to_spark()).first()[0] == cards.CARDS[name].predict([{}])[0]


@pytest.mark.slow
@SPARK
def test_columns_that_are_called_like_a_step(spark):
    for name in ("t", "value", "cell", "number", "a.b", "a`b"):
        rules = RuleList((Rule(literals_of(Numeric(name, [2]))[1:], "high"),), "low", ("low", "high"))
        frame = spark.createDataFrame([(1.0,), (3.0,)], "x double").coalesce(1).toDF(name)
        assert [row[0] for row in frame.select(rules.to_spark()).collect()] == ["low", "high"]
