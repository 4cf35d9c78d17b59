import numpy as np

from dprules.jobs.check_rows import check_rows
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.tables import open_table


def test_stays_fit_their_schema():
    stays = hospital_stays(1000, 1)
    with open_table(stays) as table:
        check_rows(table, SCHEMA)
    assert stays.equals(hospital_stays(1000, 1))
    assert not stays.equals(hospital_stays(1000, 2))
    assert 0.1 < (np.array(stays["readmitted"]) == "yes").mean() < 0.6
