"""A made-up table of hospital stays, for the demo: mixed columns, missing cells, noisy labels."""

import numpy as np
import pyarrow as pa

from dprules.schema import Boolean, Categorical, Label, Numeric, Schema

_WARDS = ("surgery", "cardiology", "internal", "maternity", "orthopaedics")
SCHEMA = Schema(
    Label("readmitted", ("no", "yes"), positive="yes"),
    (
        Numeric("age", (30.0, 40.0, 50.0, 60.0, 70.0, 80.0)),
        Numeric("days in hospital", (2.0, 4.0, 7.0, 10.0, 14.0)),
        Numeric("earlier stays", (1.0, 2.0, 3.0, 5.0)),
        Numeric("medicines", (3.0, 6.0, 9.0, 12.0, 16.0)),
        Categorical("admission", ("planned", "emergency", "transfer")),
        Categorical("ward", _WARDS),
        Categorical("discharged to", ("home", "home with care", "nursing home"), missing_literal=True),
        Boolean("diabetes", missing_literal=True),
        Boolean("lives alone"),
        Boolean("insulin changed"),
    ),
)


def hospital_stays(rows: int, seed: int) -> pa.Table:
    """Return so many stays. The label follows a list of five rules, and is wrong in about one case of twelve."""
    random = np.random.default_rng(seed)
    age = np.clip(random.normal(62, 18, rows), 18, 99).round()
    days = np.minimum(1 + random.gamma(1.6, 2.6, rows).round(), 60)
    earlier = random.poisson(np.where(age > 70, 1.6, 0.7))
    medicines = random.poisson(5 + 3 * (age > 60))
    admission = random.choice(["planned", "emergency", "transfer"], rows, p=[0.4, 0.5, 0.1])
    ward = random.choice(_WARDS, rows, p=[0.25, 0.2, 0.3, 0.1, 0.15])
    home = random.choice(np.array(["home", "home with care", "nursing home", None]), rows, p=[0.6, 0.2, 0.12, 0.08])
    diabetes = random.random(rows) < 0.18 + 0.12 * (age > 60)
    alone, insulin = random.random(rows) < 0.35, diabetes & (random.random(rows) < 0.4)
    sick = (
        (earlier >= 3)
        | (insulin & (age >= 50))
        | ((days >= 10) & (home != "nursing home"))
        | (alone & (medicines >= 9))
    )
    label = np.where((ward == "maternity") | (age < 30), False, sick) ^ (random.random(rows) < 0.08)
    columns = [age, days, earlier, medicines, admission, ward, home, diabetes, alone, insulin]
    table = {column.name: values for column, values in zip(SCHEMA.columns, columns, strict=True)}
    return pa.table(table | {"readmitted": np.where(label, "yes", "no")})
