"""A first schema: names and types, and values only where they are public."""

import pandas as pd
import pytest

from dprules.errors import DataError
from dprules.jobs import FitRequest, check_fit, draft_schema, fit
from dprules.jobs.example import hospital_stays
from dprules.schema import refuse_placeholders


def test_no_cell_is_read_unless_values_are_public(monkeypatch):
    stays = hospital_stays(500, 1)
    drafted = draft_schema(stays, "readmitted", values_are_public=True)
    assert drafted.values_are_public
    refuse_placeholders(drafted)
    assert check_fit(FitRequest(stays, drafted)).literals > 20
    assert "read off the data" in fit(FitRequest(stays, drafted)).certificate.statement()

    def fail(*_arguments):
        raise AssertionError("a cell was read")

    monkeypatch.setattr("dprules.tables.frames.ArrowTable._batches", fail)
    kinds = {column.name: column.kind for column in draft_schema(stays, "readmitted").columns}
    assert (kinds["age"], kinds["ward"], kinds["diabetes"]) == ("numeric", "categorical", "boolean")


@pytest.mark.parametrize(
    ("table", "public", "sentence"),
    [
        ({"a": [1, 2]}, False, "has no column 'y'"),
        ({"y": [1, 2]}, False, "no column but the label"),
        ({"y": [1, 1], "a": [1, 2]}, True, "fewer than two values"),
    ],
)
def test_tables_without_a_label_or_columns(table, public, sentence):
    with pytest.raises(DataError, match=sentence):
        draft_schema(pd.DataFrame(table), "y", values_are_public=public)
