import pandas as pd
import pytest

from dprules.errors import DataError
from dprules.jobs.check_rows import check_rows
from dprules.schema import Boolean, Label, PrivateCuts, Schema
from dprules.tables import open_table

SCHEMA = Schema(Label("y", ("no", "yes")), (Boolean("a"), PrivateCuts("n", lower=0, upper=1)))
ROWS = pd.DataFrame({"a": [True, False, None], "n": [None, None, None], "y": ["no", "yes", "no"]})


def test_usual_rows_pass():
    with open_table(ROWS) as table:
        check_rows(table, SCHEMA)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (ROWS[:0], "has no rows"),
        (ROWS[:1], "all rows are of class no. From one class nothing is learnt"),
        (ROWS.assign(y=["no", "yes", "?"]), "1 of 3 rows have a missing or undeclared label"),
        (ROWS.assign(a=None), "column 'a' has no declared value"),
    ],
)
def test_odd_rows_are_refused(rows, sentence):
    with open_table(rows) as table, pytest.raises(DataError, match=sentence):
        check_rows(table, SCHEMA)
