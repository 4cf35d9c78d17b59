"""What a model says of rows is the same from every source, and stays beside its row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.csv
import pyarrow.parquet
import pytest

from dprules.errors import DataError, PrivacyError
from dprules.jobs import predict, predict_beside, predict_places
from dprules.models import Halfspace, Term
from dprules.schema import Boolean, Clipped, Numeric, literals_of

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
@pytest.mark.parametrize("kind", ["list", "halfspace"])
def test_one_model_has_one_answer(form, kind, table, released, tmp_path):
    model = released.model if kind == "list" else HALFSPACE
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
