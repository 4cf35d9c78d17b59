from typing import cast

import numpy as np
import pytest

from dprules.accounting import Unit
from dprules.errors import ParameterError


def test_units_in_words():
    assert str(Unit()) == "row"
    assert str(Unit(of="round")) == "round"
    assert str(Unit("patient")) == "value of 'patient'"
    assert str(Unit("patient", 3)) == "value of 'patient' (at most 3 rows of each)"
    assert type(Unit("patient", cast(int, np.int64(3))).rows) is int


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (dict(rows=2), "Name the column"),
        (dict(column="patient", rows=0), "unit_rows must be an integer"),
        (dict(column="patient", rows=1.5), "unit_rows must be an integer"),
        (dict(column="patient", rows=True), "unit_rows must be an integer"),
        (dict(column="patient", rows=10**9), "unit_rows must be at most 100,000"),
        (dict(column="patient\nNot covered: nothing"), "a name of one line"),
        (dict(column="\x1b[2Jpatient"), "a name of one line"),
        (dict(column=7), "a name of one line"),
        (dict(of="house"), "a row or a round"),
    ],
)
def test_units_that_make_no_sense_are_refused(arguments, says):
    with pytest.raises(ParameterError, match=says):
        Unit(**arguments)
