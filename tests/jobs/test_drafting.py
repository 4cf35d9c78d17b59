"""A first schema: names and types, a codebook, a public table; values of the data only where they are public."""

import datetime
from pathlib import Path

import pandas as pd
import pytest

from dprules.errors import DataError, DprulesError, ParameterError, PrivacyError, SchemaError
from dprules.jobs import FitRequest, check_fit, draft_schema, fit
from dprules.jobs.example import hospital_stays
from dprules.models import Released
from dprules.schema import Categorical, Date, Label, Numeric, PrivateDates, Schema


def test_no_cell_is_read_unless_values_are_public(monkeypatch):
    stays = hospital_stays(500, 1)
    drafted = draft_schema(stays, "readmitted", values_are_public=True).schema()
    assert drafted.values_are_public
    assert check_fit(FitRequest(stays, drafted)).survey["literals"] > 20
    assert "read off the data" in fit(FitRequest(stays, drafted)).certificate.statement()

    def fail(*_arguments):
        raise AssertionError("a cell was read")

    monkeypatch.setattr("dprules.tables.frames.ArrowTable._batches", fail)
    kinds = {name: entry["kind"] for name, entry in draft_schema(stays, "readmitted").columns.items()}
    assert (kinds["age"], kinds["ward"], kinds["diabetes"]) == ("numeric", "categorical", "boolean")


def test_a_csv_file_has_a_line_to_fill_in_for_each_column(tmp_path):
    (tmp_path / "d.csv").write_text('age,"days in hospital",y\n1,CANARY,a\n')
    draft = draft_schema(tmp_path / "d.csv", "y")
    assert draft.columns == {"age": "?", "days in hospital": "?"}
    assert [gap.where for gap in draft.gaps] == ["label.classes", "columns.age", 'columns."days in hospital"']
    assert "CANARY" not in draft.to_toml()
    with pytest.raises(SchemaError, match="3 gaps"):
        draft.schema()


def test_a_codebook_goes_before_types_and_values(tmp_path):
    frame = pd.DataFrame({"age": range(50), "ward": ["u", "v"] * 25, "y": ["CANARY", "b"] * 25})
    book = tmp_path / "book.csv"
    book.write_text("column,kind,values,lower,upper,step,label\nage,,,0,120,1,\ny,,a|b,,,,yes\n")
    draft = draft_schema(frame, codebook=book)
    assert draft.label == {"column": "y", "classes": ["a", "b"]}
    assert draft.columns["age"] == {"kind": "numeric", "lower": 0, "upper": 120, "step": 1}
    assert [gap.where for gap in draft.gaps] == ["columns.ward.values"]
    read_off = draft_schema(frame, "y", codebook=book, values_are_public=True).schema()
    assert read_off.label.classes == ("a", "b")
    assert read_off.columns[1] == Categorical("ward", ["u", "v"])


def sample(rows: int) -> pd.DataFrame:
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=i % 900) for i in range(rows)]
    return pd.DataFrame(
        {
            "n": [f"{i % 40},5" for i in range(rows)],
            "d": days,
            "t": ["u", "v"] * (rows // 2),
            "y": ["a", "b"] * (rows // 2),
        }
    )


def test_values_of_a_public_table_and_the_certificate_names_it(tmp_path):
    data = sample(400).assign(t=["CANARY", "v"] * 200, more=1)
    data.to_csv(tmp_path / "data.csv", index=False)
    sample(100).to_csv(tmp_path / "public sample.csv", index=False)
    draft = draft_schema(tmp_path / "data.csv", "y", like=tmp_path / "public sample.csv", decimal=",")
    assert [gap.where for gap in draft.gaps] == ["columns.more"]  # the public table does not have it
    text = draft.to_toml().replace('more = "?"', 'more = "ignore"')
    assert "CANARY" not in text
    schema = Schema.from_toml(text)
    number, day, word = schema.columns
    assert isinstance(number, Numeric)
    assert number.decimal == ","
    assert isinstance(day, Date)
    assert word == Categorical("t", ["u", "v"])
    released = fit(FitRequest(str(tmp_path / "data.csv"), schema))
    sentence = "values and cuts, which were taken from the public table 'public sample.csv'"
    assert sentence in released.certificate.statement()
    released.save(tmp_path / "model.json")
    assert sentence in Released.load(tmp_path / "model.json").certificate.statement()


def test_a_table_is_not_the_public_one_of_itself(tmp_path):
    sample(20).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "link.csv").symlink_to(tmp_path / "data.csv")
    frame = sample(20)
    for data, like in ((tmp_path / "data.csv", str(tmp_path / "link.csv")), (frame, frame)):
        with pytest.raises(PrivacyError, match="the public table is the data itself"):
            draft_schema(data, "y", like=like)


def test_private_cuts_of_dates_are_bought_and_printed_as_dates():
    schema = Schema.from_frame(
        sample(600)[["d"]].astype({"d": "datetime64[us]"}),
        "y",
        classes=["a", "b"],
        bounds={"d": ("2020-01-01", "2022-12-31", 7)},
    )
    assert schema.columns == (PrivateDates("d", "2020-01-01", "2022-12-31", step=7),)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(900)]
    table = pd.DataFrame({"d": days, "y": ["a" if i < 450 else "b" for i in range(900)]})
    for data in (table, table.astype({"d": str}), table.astype({"d": "datetime64[ns]"})):
        released = fit(FitRequest(data, schema, epsilon=20))
        assert released.verify()
        assert "d < 2021-0" in str(released.model) or "d >= 2021-0" in str(released.model)
        (column,) = released.model.columns
        assert isinstance(column, Date)
        start = datetime.date(2020, 1, 1)
        assert all((datetime.date.fromisoformat(cut) - start).days % 7 == 0 for cut in column.cuts)
        assert list(released.model.predict([{"d": "2020-02-01"}, {"d": datetime.date(2022, 5, 1)}])) == ["a", "b"]


@pytest.mark.parametrize(
    ("table", "options", "sentence"),
    [
        ({"a": [1, 2]}, {}, "has no column 'y'; it has 1 column, none called so"),
        ({"y": [1, 2]}, {}, "no column but the label"),
        ({"y": [1, 1], "a": [1, 2]}, {"values_are_public": True}, "fewer than two values"),
        ({"y": [1, 1], "a": [1, 2]}, {"values_are_public": True, "like": {"y": [1, 2]}}, "not from both"),
        ({"y": [1, 1], "a": [1, 2]}, {"like": {"a": [1, 2]}}, "has no column 'y'"),
    ],
)
def test_tables_without_a_label_or_columns(table, options, sentence):
    with pytest.raises(DprulesError, match=sentence):
        draft_schema(pd.DataFrame(table), "y", **options)


def test_a_label_must_be_named_and_columns_of_a_codebook_must_be_there(tmp_path: Path):
    frame = pd.DataFrame({"a": [1], "y": [1]})
    with pytest.raises(SchemaError, match="Name it with --label, or mark it in the codebook"):
        draft_schema(frame)
    (tmp_path / "book.csv").write_text("column,kind\nb,boolean\n")
    with pytest.raises(DataError, match="has no column 'b'; it has 2 columns, none called so"):
        draft_schema(frame, "y", codebook=tmp_path / "book.csv")


@pytest.mark.parametrize("answer", ["no", 1, None])
def test_values_are_public_only_if_it_says_true(answer):
    with pytest.raises(ParameterError, match="values_are_public must be True or False"):
        draft_schema({"y": [0, 1], "a": [1, 2]}, "y", values_are_public=answer)


def test_a_codebook_and_a_label_that_contradict_each_other(tmp_path: Path):
    (tmp_path / "book.csv").write_text("column,values,label,positive\ny,no|yes,x,yes\nz,a|b,,\n")
    table = {"y": ["no"], "z": ["a"]}
    with pytest.raises(SchemaError, match="the codebook marks 'y' as the label, not 'z'"):
        draft_schema(table, "z", codebook=tmp_path / "book.csv")
    drafted = draft_schema(table, "y", codebook=tmp_path / "book.csv")
    assert drafted.schema().label == Label("y", ("no", "yes"), "yes")
    assert "?" not in drafted.to_toml()
    (tmp_path / "book.csv").write_text("column,values\ny,no|yes\nz,a|b\n")
    assert draft_schema(table, "y", codebook=tmp_path / "book.csv").schema().label.classes == ("no", "yes")


def test_only_names_of_a_text_file_are_its_first_line(tmp_path: Path):
    (tmp_path / "d.csv").write_text("a,y\n1,2\n")
    assert draft_schema(tmp_path / "d.csv", "y").named_by_first_line
    assert not draft_schema({"a": [1], "y": [2]}, "y").named_by_first_line


def test_columns_with_very_many_values_are_named(tmp_path: Path):
    public = {
        "patient": [f"P{i}" for i in range(51)],
        "ward": [f"W{i % 50}" for i in range(51)],
        "age": list(range(51)),
        "y": ["no", "yes", *["no"] * 49],
    }
    data = {name: [] for name in public}
    assert draft_schema(data, "y", like=public).many_values == ("patient",)
    assert draft_schema(public, "y", values_are_public=True).many_values == ("patient",)
    assert draft_schema(data, "patient", like=public).many_values == ("patient",)
    (tmp_path / "book.csv").write_text("column,kind\npatient,ignore\n")
    assert draft_schema(data, "y", like=public, codebook=tmp_path / "book.csv").many_values == ()
    assert draft_schema(data, "y").many_values == ()
