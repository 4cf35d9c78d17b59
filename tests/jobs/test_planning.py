"""A plan is for features or a schema, and about the fit that follows it."""

import inspect
from dataclasses import fields

import pytest

from dprules import PrivateDecisionListClassifier
from dprules.cli import fit as fit_command
from dprules.cli import plan as plan_command
from dprules.errors import ParameterError, PrivacyError
from dprules.jobs import FitRequest, ListSettings, check_fit, plan_list, plan_stream
from dprules.schema import Boolean, Categorical, Label, PrivateCuts, Schema


def defaults(call):
    return {name: parameter.default for name, parameter in inspect.signature(call).parameters.items()}


def test_plans_and_fits_share_their_defaults():
    request = {field.name: field.default for field in fields(FitRequest)} | {"width": ListSettings().width}
    for call in (plan_list, plan_command.list_command, fit_command.fit, PrivateDecisionListClassifier):
        for name in ("epsilon", "delta", "neighbours", "width"):
            # A width that was not given to `fit` is that of the settings: scorecards have none.
            expected = None if (name, call) == ("width", fit_command.fit) else request[name]
            assert defaults(call)[name] == expected, (name, call)


def test_plans_are_those_of_the_learners():
    assert plan_list(30, 1.0, 1e-6, width=1, error=0.1).candidates == 60
    assert plan_list(30).candidates == 1800
    assert plan_stream(10, 0.2, 100_000, 1.0, 1e-6).mistakes > 0


def test_a_schema_is_counted_as_a_fit_counts_it(schema, table):
    for width in (1, 2, 3):
        expected = check_fit(FitRequest(table, schema, ListSettings(width))).survey["conditions"]
        assert plan_list(schema=schema, width=width).candidates == expected
    private = Schema(schema.label, (PrivateCuts("n", lower=0, upper=30), Boolean("a")))
    assert plan_list(schema=private).candidates == check_fit(FitRequest(table, private)).survey["conditions"]


def test_a_simulation_needs_a_schema_and_rows(schema, monkeypatch):
    monkeypatch.setattr("dprules.jobs.typical.TABLES", 1)
    assert plan_list(10, rows=1000).typical == ()
    assert plan_list(schema=schema).typical == ()
    plan = plan_list(schema=schema.document(), rows=1000)
    assert len(plan.typical) == 3
    assert plan.simulated_rows == 1000
    assert plan == plan_list(schema=schema, rows=1000)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (dict(), "a number of features or for a schema"),
        (dict(features=3, schema={}), "a number of features or for a schema"),
        (dict(features=3, width=4), "width must be at most"),
        (dict(features=3, rows=0), "rows must be an integer"),
    ],
)
def test_what_is_refused(wrong, sentence):
    with pytest.raises(ParameterError, match=sentence):
        plan_list(**wrong)


def test_what_a_fit_refuses_a_plan_refuses(schema):
    with pytest.raises(ParameterError, match="width must be 1, 2 or 3"):
        plan_list(schema=schema, width=4)
    with pytest.raises(ParameterError, match="leaves anything to ask"):
        plan_list(schema=Schema(Label("y", ("a", "b")), (Categorical("c", ("only",)),)))
    wide = Schema(Label("y", ("a", "b")), tuple(Categorical(f"c{i}", range(900)) for i in range(9)))
    with pytest.raises(ParameterError, match="conditions are too many"):
        plan_list(schema=wide)


def test_a_delta_above_one_over_rows_is_refused_before_anything_is_simulated(schema, monkeypatch):
    monkeypatch.setattr("dprules.jobs.typical.simulate", lambda *_: 1 / 0)
    with pytest.raises(PrivacyError, match="1 / rows"):
        plan_list(schema=schema, rows=1000, delta=0.01)
