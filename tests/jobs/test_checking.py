"""Every gap of a schema at once; how much it leaves to ask; what a fit would spend, which is what a fit spends."""

import pandas as pd
import pytest

from dprules.errors import ParameterError
from dprules.jobs import FitRequest, check_fit, check_schema, fit
from dprules.schema import Schema

COMPLETE = """
[label]
column = "y"
classes = ["a", "b"]

[columns]
age = { kind = "numeric", lower = 0, upper = 100, step = 1, number = 3 }
ward = { kind = "categorical", values = ["u", "v", "w"] }
id = "ignore"
"""
FRAME = pd.DataFrame({"age": range(100), "ward": ["u", "v"] * 50, "id": 1, "y": ["a", "b"] * 50})


@pytest.fixture
def write(tmp_path):
    def make(*changes):
        text = COMPLETE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "s.toml").write_text(text)
        return tmp_path / "s.toml"

    return make


def test_what_is_counted_and_spent_is_what_a_fit_does(write):
    path = write()
    report = check_schema(path, FRAME, epsilon=2, delta=1e-5)
    assert report.complete
    assert report.unused == ()
    schema = Schema.from_file(path)
    summary = check_fit(FitRequest(FRAME, schema, epsilon=2, delta=1e-5))
    assert {"literals": report.literals, "conditions": report.conditions} == summary.survey
    assert summary.survey == {"literals": 12, "conditions": 12 + 6 * 6 + 3}
    charges = fit(FitRequest(FRAME, schema, epsilon=2, delta=1e-5)).certificate.charges
    assert [part.epsilon for part in report.spending] == [float(charge.epsilon) for charge in charges]
    spent = {part.what: part.epsilon for part in report.spending}
    assert spent["cuts of age"] == pytest.approx(0.2)
    assert spent["class counts"] == pytest.approx(0.04)
    assert sum(part.epsilon for part in report.spending) == pytest.approx(2)
    assert sum(part.delta for part in report.spending) == pytest.approx(1e-5)


def test_width_changes_what_is_counted(write):
    path = write()
    assert check_schema(path, width=1).conditions == check_schema(path, width=1).literals == 12
    assert check_schema(path, width=3).conditions > check_schema(path).conditions


def test_gaps_of_the_file_and_columns_that_the_data_lacks_together(write):
    path = write(('["a", "b"]', '"?"'), ("lower = 0", 'lower = "?"'), ("ward =", "floor ="), ("id =", "number ="))
    report = check_schema(path, FRAME)
    assert [(gap.line, gap.where) for gap in report.gaps] == [
        (4, "label.classes"),
        (7, "columns.age.lower"),
        (8, "columns.floor"),
    ]  # a column that is ignored need not be there
    assert "a column of the data, which has 4 columns, none called so" in str(report.gaps[2])
    assert report.unused == ("ward", "id")
    assert report.unused_number == 2
    assert report.spending == ()
    assert not report.complete


def test_a_label_that_the_data_lacks(write):
    report = check_schema(write(('column = "y"', 'column = "z"')), FRAME)
    assert [(gap.line, gap.where) for gap in report.gaps] == [(3, "label.column")]


def test_a_file_that_is_no_toml(write):
    (gap,) = check_schema(write(("[columns]", "[columns"))).gaps
    assert gap.line == 6


def test_no_cell_is_read(write, monkeypatch):
    def fail(*_arguments):
        raise AssertionError("a cell was read")

    monkeypatch.setattr("dprules.tables.frames._PandasTable._batches", fail)
    assert check_schema(write(), FRAME).complete


def test_what_stops_a_fit_stops_the_check(write):
    nothing = write(("age = {", "rest = {"), ("ward =", "ward2 ="))
    with pytest.raises(ParameterError, match="delta must"):
        check_schema(nothing, delta=2)
    with pytest.raises(ParameterError, match="width must be 1, 2 or 3"):
        check_schema(nothing, width=4)


SECRETS = ("P0001", "47", "HIV positive", "Yvonne")


def test_a_file_without_a_header_is_told_from_its_names_and_nothing_of_it_is_shown(write, tmp_path):
    """Its first record stands where names would."""
    (tmp_path / "d.csv").write_text(",".join(SECRETS) + "\nP0002,50,none,Zoe\n")
    report = check_schema(write(), tmp_path / "d.csv")
    assert [gap.where for gap in report.gaps] == ["label.column", "columns.age", "columns.ward"]
    assert not any(secret in repr(report) for secret in SECRETS)
    assert (report.unused, report.unused_number) == ((), 4)
    (tmp_path / "d.csv").write_text(",".join((*SECRETS, "age", "ward", "y")) + "\n")
    report = check_schema(write(), tmp_path / "d.csv")
    assert report.complete
    assert not any(secret in repr(report) for secret in SECRETS)
    assert report.unused_number == 4


def test_a_name_that_differs_a_little_is_found(write):
    report = check_schema(write(("age =", "Age =")), FRAME)
    assert [str(gap) for gap in report.gaps] == ["columns.Age must be a column of the data (did you mean 'age'?)"]


def test_classes_that_the_type_of_the_label_cannot_match_are_a_gap_beside_others(write):
    report = check_schema(write(("lower = 0", 'lower = "?"')), FRAME.assign(y=1.5))
    assert [(gap.line, gap.where) for gap in report.gaps] == [(4, "label.classes"), (7, "columns.age.lower")]
    assert "holds numbers, which match none of the declared classes" in report.gaps[0].rule


PRIVATE = '{ kind = "categorical", values = { private = 0.6, delta = 0.2 } }'


def test_shares_that_leave_nothing_are_gaps_with_their_lines(write):
    path = write(('{ kind = "categorical", values = ["u", "v", "w"] }', PRIVATE), ('id = "ignore"', f"id = {PRIVATE}"))
    report = check_schema(path, FRAME)
    assert [(gap.line, gap.where) for gap in report.gaps] == [(8, "columns.ward.values"), (9, "columns.id.values")]
    assert "leave nothing of epsilon for the model" in report.gaps[0].rule
    path.write_text(path.read_text().replace("0.6", "0.05").replace("delta = 0.2", "delta = 0.5"))
    assert ["of delta for" in gap.rule for gap in check_schema(path).gaps] == [True, True]
    path.write_text(path.read_text().replace("delta = 0.5", "delta = 0.1").replace('["a", "b"]', '"?"'))
    assert [gap.where for gap in check_schema(path).gaps] == ["label.classes"]
    # As a fit sees it: cuts and class counts have shares of their own.
    path.write_text(path.read_text().replace('"?"', '["a", "b"]').replace("0.05", "0.45"))
    assert len(check_schema(path).gaps) == 2
    with pytest.raises(ParameterError, match="the shares leave nothing"):
        check_fit(FitRequest(FRAME, Schema.from_file(path)))
    path.write_text(path.read_text().replace("0.45", "0.4"))
    assert check_schema(path).complete


def test_columns_that_leave_nothing_to_ask_are_a_gap(write):
    path = write(("age = { kind", "old = { ignore = true, kind"), ('["u", "v", "w"]', '["u"]'), ('["a", "b"]', '["a"]'))
    assert [(gap.line, gap.where) for gap in check_schema(path).gaps] == [(4, "label.classes"), (6, "columns")]


def test_an_empty_file(tmp_path):
    (tmp_path / "s.toml").write_text("")
    assert [gap.line for gap in check_schema(tmp_path / "s.toml").gaps] == [1, 1]
