"""A simulation runs the fit that users run."""

from math import inf

import pytest

from dprules.jobs import fit, typical
from dprules.jobs.typical import Trial, simulate
from dprules.learners.lists import ListSettings
from dprules.schema import Boolean, Categorical, Label, Numeric, Schema

SCHEMA = Schema(
    Label("y", ("no", "yes")),
    (*(Boolean(f"b{i}") for i in range(5)), Categorical("c", tuple("uvwx")), Numeric("n", (1.0, 2.0, 3.0))),
)


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    """The same number of tables, however busy the machine is."""
    monkeypatch.setattr(typical, "SECONDS", inf)
    monkeypatch.setattr(typical, "TABLES", 4)


def run(rows, epsilon=1.0, progress=lambda *_: None, settings=ListSettings()):  # noqa: B008
    return simulate(Trial(SCHEMA, settings, epsilon, 1e-6, "add-remove", conditions=300), rows, progress)


def mean(found):
    return sum(one.accuracy for one in found[0]) / len(found[0])


def test_more_rows_and_more_epsilon_are_better():
    assert mean(run(100, 0.1)) + 0.05 < mean(run(20_000, 0.1)) < mean(run(20_000, 3.0))


def test_figures_stand_in_their_order():
    for one in run(5000)[0]:
        assert one.low <= one.accuracy <= one.high
        assert one.baseline < one.accuracy < one.best + 0.01
        assert one.accuracy < one.without_privacy + 0.01
        assert one.tables == 4


def test_rows_are_capped(monkeypatch):
    monkeypatch.setattr(typical, "MOST_ROWS", 500)
    assert run(10**9)[1] == 500


def test_many_conditions_have_fewer_rows():
    trials = [Trial(SCHEMA, ListSettings(), 1.0, 1e-6, "add-remove", conditions) for conditions in (300, 10**6, 10**9)]
    assert [trial.rows(10**6) for trial in trials] == [100_000, 10_000, 2_000]
    assert trials[2].rows(100) == 100


def test_the_settings_are_those_of_the_fit(monkeypatch):
    asked = []

    def watched(request):
        asked.append(request)
        return fit(request)

    monkeypatch.setattr(typical, "fit", watched)
    monkeypatch.setattr(typical, "TABLES", 1)
    settings = ListSettings(width=1)
    run(300, 0.5, settings=settings)
    private = [request for request in asked if request.epsilon == 0.5]
    assert len(private) == 3
    assert all(request.settings is settings for request in private)
    yardsticks = {(request.epsilon, request.settings.width, request.settings.max_rules) for request in asked}
    assert yardsticks - {(0.5, 1, None)} == {(500, 1, None), (500, 1, 3), (500, 1, 8)}


def test_there_is_one_table_of_each_kind_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(typical, "SECONDS", 0)
    seen = []
    found, _ = run(300, progress=lambda step, done, total: seen.append((done, total)))
    assert [one.tables for one in found] == [1, 1, 1]
    assert seen == [(0, 12), (1, 12), (2, 12)]


@pytest.mark.parametrize("rows", [1, 2, 10])
def test_few_rows_have_a_plan(rows):
    assert all(0 < one.accuracy <= 1 for one in run(rows)[0])
