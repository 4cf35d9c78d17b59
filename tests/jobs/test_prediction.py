"""What a model says of rows is the same from every source, and stays beside its row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.csv
import pyarrow.parquet
import pytest

from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.jobs import list_likely, predict, predict_beside, predict_places, predict_probabilities, predict_scores
from dprules.models import Halfspace, Term
from dprules.schema import Boolean, Clipped, Label, Numeric, literals_of
from models.cards import many_classes

HALFSPACE = Halfspace(
    (
        Term(literals_of(Boolean("a"))[:1], 0.5),
        Term((literals_of(Numeric("n", (10.0,)))[1],), 0.25),
        Term(Clipped("id"), 0.125),
    ),
    -0.3,
    ("no", "yes"),
)


def as_csv(table, folder):
    pyarrow.csv.write_csv(table, folder / "d.csv")
    return str(folder / "d.csv")


def as_parquet(table, folder):
    pyarrow.parquet.write_table(table, folder / "d.parquet")
    return folder / "d.parquet"


FORMS = {
    "Arrow": lambda table, folder: table,
    "pandas": lambda table, folder: table.to_pandas(),
    "Polars": lambda table, folder: pl.from_arrow(table),
    "columns": lambda table, folder: table.to_pydict(),
    "rows": lambda table, folder: table.to_pylist(),
    "CSV": as_csv,
    "Parquet": as_parquet,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["list", "halfspace", "scorecard"])
def test_one_model_has_one_answer(form, kind, table, released, card, tmp_path):
    model = {"list": released.model, "halfspace": HALFSPACE, "scorecard": card.model}[kind]
    expected = list(model.predict(table.to_pylist()))
    assert predict(model, FORMS[form](table, tmp_path)).tolist() == expected
    assert {"no", "yes"} == set(expected)


def test_labels_stay_beside_their_rows(table, released, tmp_path):
    whole = predict(released.model, table).tolist()
    shuffled = table.take(np.random.default_rng(0).permutation(table.num_rows))
    found = predict_beside(released.model, as_csv(shuffled, tmp_path), ["id", "b"])
    assert [whole[int(i or 0)] for i in found.copied[0]] == found.labels
    assert found.copied[1] == shuffled["b"].to_pylist()
    assert predict_beside(released.model, table).copied == []


def test_what_is_predicted_is_private(table, released):
    found = predict_beside(released.model, table, ["id"])
    assert repr(found) == "<private PredictedRows>"
    with pytest.raises(PrivacyError):
        found.__reduce_ex__(4)


def test_places_are_those_of_the_rules(table, released):
    places = predict_places(released.model, table)
    assert released.model.labels_at(places).tolist() == predict(released.model, table).tolist()


@pytest.mark.parametrize("form", ["Arrow", "pandas", "Polars", "columns"])
def test_places_by_the_places_of_the_columns(form, table, released, tmp_path):
    turned = [table.column_names[-1], *table.column_names[:-1]]
    renamed = FORMS[form](table.rename_columns(turned), tmp_path)
    expected = predict_places(released.model, table).tolist()
    assert predict_places(released.model, renamed, table.column_names).tolist() == expected


def test_no_rows_and_missing_columns(table, released):
    assert predict(released.model, table.slice(0, 0)).tolist() == []
    assert predict(HALFSPACE, table.slice(0, 0)).tolist() == []
    with pytest.raises(DataError, match="has no column"):
        predict(released.model, pd.DataFrame({"z": [1]}))


@pytest.mark.parametrize("form", ["Arrow", "pandas", "Polars", "columns"])
def test_rows_in_memory_need_no_engine(form, table, released, monkeypatch, tmp_path):
    """A single row is answered at once: no engine is started for it."""

    def fail(*_arguments, **_options):
        raise AssertionError("an engine was started")

    expected = predict(released.model, table).tolist()
    monkeypatch.setattr("duckdb.connect", fail)
    assert predict(released.model, FORMS[form](table.slice(0, 1), tmp_path)).tolist() == expected[:1]


def test_probabilities_and_scores_of_tables_are_those_of_rows(table, released, card):
    rows = table.to_pylist()
    for model in (released.model, card.model):
        expected = model.probabilities(model.read_rows(rows), len(rows))
        assert predict_probabilities(model, table).tolist() == expected.tolist()
    for model in (HALFSPACE, card.model):
        assert predict_scores(model, table).tolist() == model.scores(model.read_rows(rows), len(rows)).tolist()


def test_columns_are_taken_by_their_places_where_names_are_given(table, card):
    renamed = table.rename_columns([f"x{i}" for i in range(table.num_columns)])
    for ask in (predict_places, predict_probabilities, predict_scores):
        assert ask(card.model, renamed, table.column_names).tolist() == ask(card.model, table).tolist()
        assert len(ask(card.model, table.slice(0, 0))) == 0


def test_figures_stand_beside_the_labels(table, released, card):
    likely = list_likely(card.label)
    assert likely == ("yes",)
    found = predict_beside(card.model, table.to_pydict(), likely=likely)
    assert list(found.figures) == ["probability_yes", "score"]
    assert found.figures["score"] == predict_scores(card.model, table).tolist()
    assert found.figures["probability_yes"] == predict_probabilities(card.model, table)[:, 1].tolist()
    assert list(predict_beside(released.model, table.to_pydict(), likely=likely).figures) == ["probability_yes"]
    assert predict_beside(card.model, table.to_pydict()).figures == {}


def test_all_of_several_classes_have_figures():
    model = many_classes()
    label = Label("y", model.classes)
    assert list_likely(label) == model.classes
    nothing = {column.name: ["1", None] for column in model.columns}
    figures = predict_beside(model, nothing, likely=list_likely(label)).figures
    assert len(figures) == 2 * len(model.classes)
    assert np.sum([figures[f"probability_{value}"] for value in model.classes], axis=0) == pytest.approx([1, 1])


def test_probabilities_that_a_model_does_not_have_are_refused_before_a_row_is_read():
    with pytest.raises(ParameterError, match="a halfspace has no probabilities"):
        predict_beside(HALFSPACE, "no such file", likely=("yes",))
