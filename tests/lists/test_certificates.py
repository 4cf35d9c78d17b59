"""What a certificate says is checked again, and what is not understood is not believed."""

import json
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from dprules.data import Label, PrivateCuts, Schema, Unit, open_table
from dprules.data.example import SCHEMA, hospital_stays
from dprules.errors import ModelError, ParameterError
from dprules.lists import Model, Settings, learn_list
from dprules.online import StreamSettings


@cache
def _text():
    with open_table(hospital_stays(2000, 1)) as table:
        return learn_list(table, SCHEMA, Settings(epsilon=20.0, shares={"counts": 0.1})).to_json()


def _model(**changes):
    """A model file with one release's parameters changed."""
    document = json.loads(_text())
    certificate = document["certificate"]
    for path, value in changes.items():
        if path == "releases":
            certificate["releases"] = value
        elif path in ("epsilon", "delta"):
            certificate[path] = value
        elif path in ("mechanism", "share"):
            certificate["releases"][1]["epsilon" if path == "share" else path] = value
        else:
            certificate["releases"][1]["parameters"][path.replace("_", " ")] = value
    return json.dumps(document)


FALSE = {
    "another mechanism": {"mechanism": "draw of rules"},
    "a sharper tilt": {"tilt": "100"},
    "no releases": {"releases": []},
    "a milder schedule": {"schedule": ["0"]},
    "fewer rounds": {"rounds": 1, "schedule": ["1"]},
    "no tilt": {"tilt": None},
    "a quotient by 0": {"tilt": "1/0"},
    "an endless tilt": {"tilt": "1e-100000000"},
    "endless rows": {"rows_of_a_unit": 10**9},
    "half a row": {"rows_of_a_unit": 0.5},
    "an older file": {"last": None},
    "a blunter last draw": {"last": "2"},
}


@pytest.mark.parametrize("changes", FALSE.values(), ids=FALSE)
def test_a_false_certificate_is_not_believed(changes):
    assert Model.from_json(_model()).verify()
    assert not Model.from_json(_model(**changes)).verify()


@pytest.mark.parametrize(("key", "value"), [("delta", 2), ("delta", "inf"), ("epsilon", 10**400), ("share", "nan")])
def test_a_certificate_that_says_nothing_is_refused(key, value):
    with pytest.raises(ModelError):
        Model.from_json(_model(**{key: value}))


def test_the_parts_of_a_certificate_agree():
    for changes in ({"rows_of_a_unit": 2}, {"accounting": "paper"}):
        assert not Model.from_json(_model(**changes)).verify()
    document = json.loads(_text())
    rule = StreamSettings().rule(4)
    document["certificate"] = StreamSettings().certificate(rule, secure=True).to_document()
    del document["list"]["counts"]
    assert not Model.from_json(json.dumps(document)).verify()


def test_counts_that_were_not_paid_for_are_not_believed():
    document = json.loads(_model())
    document["certificate"]["releases"] = document["certificate"]["releases"][:2]
    assert not Model.from_json(json.dumps(document)).verify()


def test_private_cuts_see_at_most_one_row_of_a_person():
    """One person with most of the rows must not move the cuts."""
    random = np.random.default_rng(0)
    few = pa.table({"x": random.random(2000) * 0.2, "who": np.arange(2000), "y": random.choice(["a", "b"], 2000)})
    many = pa.table({"x": np.full(100_000, 0.9), "who": np.full(100_000, 5000), "y": np.full(100_000, "a")})
    schema = Schema(Label("y", ("a", "b")), (PrivateCuts("x", False, 0.0, 1.0, 3),))
    seen = []

    def spied(values, column, epsilon):
        seen.append(len(values))
        return (0.05, 0.1, 0.15)

    with pytest.MonkeyPatch.context() as patch, open_table(pa.concat_tables([few, many])) as table:
        patch.setattr("dprules.data.cuts.private_cuts", spied)
        model = learn_list(table, schema, Settings(), unit=Unit("who"))
        assert seen == [2001]
        assert model.verify()
        with pytest.raises(ParameterError, match="private cuts are priced"):
            learn_list(table, schema, Settings(), unit=Unit("who", 3))
