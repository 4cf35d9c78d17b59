from pathlib import Path

import pytest

from dprules.errors import SchemaError
from dprules.schema import read_codebook

HEAD = "column,kind,values,lower,upper,step,label\n"


def write(folder: Path, text: str) -> Path:
    (folder / "book.csv").write_text(text, encoding="utf-8")
    return folder / "book.csv"


def test_what_a_codebook_says_of_columns(tmp_path: Path) -> None:
    text = HEAD + (
        "id,ignore,,,,,\n"
        "age,numeric,,0,120,0.5,\n"
        "weight,,,30,,,no\n"
        "ward,,icu | e.r.|,,,,\n"
        "unit,categorical,,,,,\n"
        "since,date,,2020-01-01,2025-12-31,7,\n"
        "smoker,Boolean,,,,,\n"
        '"left, open",,,,,,\n'
        "ill,,no|yes,,,,x\n"
    )
    book = read_codebook(write(tmp_path, text))
    assert book.columns == {
        "id": {"ignore": True},
        "age": {"kind": "numeric", "lower": 0, "upper": 120, "step": 0.5},
        "weight": {"kind": "numeric", "lower": 30, "upper": "?", "step": "?"},
        "ward": {"kind": "categorical", "values": ["icu", "e.r."]},
        "unit": {"kind": "categorical", "values": "?"},
        "since": {"kind": "date", "lower": "2020-01-01", "upper": "2025-12-31", "step": 7},
        "smoker": {"kind": "boolean"},
        "left, open": "?",
    }
    assert (book.label, book.classes, book.positive) == ("ill", ("no", "yes"), None)


def test_the_positive_class_and_bounds_with_a_decimal_comma(tmp_path: Path) -> None:
    text = "column;lower;upper;values;label;positive\nsum;0,5;10000,50;;;\nill;;;no|yes;x;yes\n"
    book = read_codebook(write(tmp_path, text), ",")
    assert book.columns["sum"] == {"kind": "numeric", "lower": 0.5, "upper": 10000.5, "step": "?"}
    assert book.positive == "yes"
    with pytest.raises(SchemaError, match=r"line 2: lower must be a number such as 0\.5"):
        read_codebook(tmp_path / "book.csv")


@pytest.mark.parametrize("text", ["\ufeffColumn;Values\na;u|v\n", "column\tvalues\na\tu|v\n", "values,column\nu|v,a\n"])
def test_fields_in_any_order_and_with_any_usual_delimiter(text: str, tmp_path: Path) -> None:
    assert read_codebook(write(tmp_path, text)).columns == {"a": {"kind": "categorical", "values": ["u", "v"]}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "book.csv: the first line of a codebook names column, kind, values"),
        ("kind,values\nnumeric,\n", "the first line of a codebook names column, kind, values"),
        ("column,colour\na,red\n", "the first line of a codebook names"),
        ("column,column\na,b\n", "the first line of a codebook names"),
        (HEAD + "a,text,,,,,\n", "book.csv, line 2: kind must be one of categorical, numeric, boolean, date, ignore"),
        (HEAD + "a,numeric,,low,,,\n", "line 2: lower must be a number"),
        (HEAD + "a,numeric,u|v,,,,\n", "line 2: values go with categorical columns"),
        (HEAD + "a,boolean,,1,2,,\n", "line 2: values go with categorical columns"),
        (HEAD + "a,,,,,,perhaps\n", "line 2: label must be yes, no or empty"),
        (HEAD + "a,,u|v,,,,yes\nb,,u|v,,,,yes\n", "line 3: 'a' is marked as the label already"),
        ("column,values,label,positive\na,u|v,yes,w\n", "positive must be one of the values of 'a'"),
        ("column,values,label,positive\na,u|v,,u\n", "line 2: positive goes with the label"),
        (HEAD + "a,,,,,,\na,,,,,,\n", "line 3: a line names one column, which no other line does"),
        (HEAD + ",numeric,,,,,\n", "line 2: a line names one column"),
        (HEAD + "a,numeric,,1,2,3,,,,\n", "line 2: a line names one column"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=sentence):
        read_codebook(write(tmp_path, text))


def test_a_codebook_is_utf8(tmp_path: Path) -> None:
    (tmp_path / "book.csv").write_bytes(b"column\n\xff\n")
    with pytest.raises(SchemaError, match="not UTF-8"):
        read_codebook(tmp_path / "book.csv")
