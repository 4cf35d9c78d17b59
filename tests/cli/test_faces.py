"""One option missing in one face today must exist in all: requests, commands and estimators correspond."""

import inspect
from dataclasses import fields

import pytest

from dprules import PrivateDecisionListClassifier, PrivateWinnowClassifier
from dprules.cli import evaluate, export, fit, predict, schema, serve, stream
from dprules.jobs import (
    FitRequest,
    ListSettings,
    ScorecardSettings,
    StreamSettings,
    draft_schema,
    plan_list,
    plan_stream,
    predict_beside,
    stream_init,
    stream_learn,
    stream_serve,
)
from dprules.jobs import evaluate as evaluate_job
from dprules.jobs import export as export_job
from dprules.jobs import serve as serve_job
from dprules.learners.lists.settings import SHARES


def names(call, *left_out):
    return set(inspect.signature(call).parameters) - {"self", *left_out}


REQUEST = {field.name for field in fields(FitRequest)} - {"settings"}
SETTINGS = {field.name for field in fields(ListSettings)}
EVERY_SETTING = SETTINGS | {field.name for field in fields(ScorecardSettings)}
SOURCES = {"table", "delimiter", "multiline", "memory", "master"}
"""How files and databases are read, and where: frames need none of it."""


def test_a_fit_by_command_has_every_field_of_a_request():
    shares = {"counts": "counts", "class_counts": "classes", "cuts": "cuts"}
    assert set(shares.values()) == set(SHARES)
    # An engine has a place where it runs.
    options = names(fit.fit, "model", "output", "report", "force", "dry_run", "as_json", "engine")
    asked = (options - set(shares)) | {"shares"}
    # Labels are a column of the table, and a schema file leaves nothing to infer.
    assert asked == (REQUEST | EVERY_SETTING) - {"labels", "assumptions"}


def test_a_fit_by_estimator_has_every_field_of_a_request():
    renamed = {"random_state": "seed"}
    parameters = {renamed.get(name, name) for name in names(PrivateDecisionListClassifier.__init__)}
    # X and y are the arguments of `fit`; classes stand in for a schema, and what is inferred is noted.
    others = {"data", "labels", "assumptions"}
    assert parameters - {"classes"} == (REQUEST | SETTINGS) - others - SOURCES


def test_defaults_agree():
    request = {field.name: field.default for field in fields(FitRequest)}
    settings = {field.name: field.default for field in fields(ListSettings)}
    for call in (fit.fit, PrivateDecisionListClassifier.__init__):
        for name, parameter in inspect.signature(call).parameters.items():
            if name in ("epsilon", "delta", "neighbours", "unit", "unit_rows", "rows_are_public"):
                assert parameter.default == request[name], name
            if name in ("width", "max_rules", "accounting") and call != fit.fit:
                assert parameter.default == settings[name], name


def test_a_command_shows_the_defaults_of_settings_that_only_one_model_has():
    """They are None, so that one which was given to another model is refused."""
    settings = {field.name: field.default for kind in (ListSettings, ScorecardSettings) for field in fields(kind)}
    for name, parameter in inspect.signature(fit.fit).parameters.items():
        if name in settings:
            assert parameter.default is None
            (option,) = parameter.annotation.__metadata__
            shown = option.show_default if isinstance(option.show_default, str) else "None"
            assert shown == str(settings[name]), name


def test_a_stream_by_command_and_by_estimator_has_every_setting():
    settings = {field.name for field in fields(StreamSettings)}
    assert settings <= names(stream.init)
    assert settings <= names(PrivateWinnowClassifier.__init__)
    assert "width" in names(stream.init) & names(PrivateWinnowClassifier.__init__)


FACES = {
    "draft": (schema.draft, draft_schema, {"output", "force"}, {}),
    "evaluate": (evaluate.evaluate, evaluate_job, {"as_json", "unverified"}, {"model": "released"}),
    "export": (export.export, export_job, {"output", "force", "unverified"}, {"model": "released"}),
    "predict": (predict.predict, predict_beside, {"output", "force", "unverified"}, {"probabilities": "likely"}),
    "serve": (serve.serve, serve_job, set(), {}),
    "stream serve": (serve.stream_serve, stream_serve, set(), {"state": "folder"}),
    "stream init": (stream.init, stream_init, {"as_json"}, {"state": "folder", "features": "schema"}),
    "stream learn": (stream.learn, stream_learn, {"as_json", "restore"}, {"state": "stream"}),
}


@pytest.mark.parametrize("face", FACES)
def test_every_option_of_a_job_is_an_option_of_its_command(face):
    command, job, of_the_command, renamed = FACES[face]
    options = {renamed.get(name, name) for name in names(command) - of_the_command}
    assert options == names(job, "say", "marks", "judge", "deliver")


def test_plans_take_what_their_jobs_take():
    from dprules.cli import plan

    assert names(plan.list_command, "as_json") == names(plan_list, "progress")
    assert names(plan.stream_command, "as_json") == names(plan_stream)
