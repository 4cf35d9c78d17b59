"""A simulation runs the fit that users run."""

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
def few_tables(monkeypatch):
    monkeypatch.setattr(typical, "TABLES", 4)


def run(rows, epsilon=1.0, progress=lambda *_: None, settings=ListSettings()):  # noqa: B008
    return simulate(Trial(SCHEMA, settings, epsilon, 1e-6, "add-remove", conditions=300), rows, progress)


def mean(found):
    return sum(one.accuracy for one in found[0]) / len(found[0])


@pytest.mark.slow
def test_more_rows_and_more_epsilon_are_better():
    assert mean(run(100, 0.1)) + 0.05 < mean(run(20_000, 0.1)) < mean(run(20_000, 3.0))


@pytest.mark.parametrize("rows", [300, 5000, 40_000])
def test_figures_stand_in_their_order(rows):
    for one in run(rows)[0]:
        assert one.low <= one.accuracy <= one.high
        assert one.accuracy <= one.best
        assert one.baseline < one.without_privacy <= one.best
        assert one.accuracy < one.without_privacy + 0.01
        assert one.tables == 4


def test_rows_are_capped(monkeypatch):
    monkeypatch.setattr(typical, "MOST_ROWS", 500)
    assert run(10**9)[1] == 500


def trial_of(conditions):
    return Trial(SCHEMA, ListSettings(), 1.0, 1e-6, "add-remove", conditions)


def test_many_conditions_have_fewer_rows_tables_and_yardsticks():
    sizes = (300, 10**5, 5 * 10**5, 10**9)
    assert [trial_of(conditions).rows(10**6) for conditions in sizes] == [100_000, 20_000, 4_000, 2_000]
    assert [trial_of(conditions).tables for conditions in sizes] == [4, 3, 3, 1]
    assert [len(trial_of(conditions).lengths) for conditions in sizes] == [4, 4, 2, 1]
    assert trial_of(10**9).rows(100) == 100


def test_a_plan_does_not_depend_on_the_clock(monkeypatch):
    """However long a table takes, there are as many as the sizes say, and a plan repeats itself exactly."""
    first = run(300)
    ticks = iter(range(0, 10**9, 10**4))
    for clock in ("monotonic", "time", "perf_counter", "process_time"):
        monkeypatch.setattr(f"time.{clock}", lambda: next(ticks))
    seen = []
    assert run(300, progress=lambda step, done, total: seen.append((done, total))) == first
    assert seen == [(place, 12) for place in range(12)]


def test_the_settings_are_those_of_the_fit(monkeypatch):
    asked = []

    def watched(request):
        asked.append(request)
        return fit(request)

    monkeypatch.setattr(typical, "fit", watched)
    monkeypatch.setattr(typical, "TABLES", 1)
    settings = ListSettings(width=1)
    run(300, 0.5, settings=settings)
    assert len(asked) == 3
    assert all(request.settings is settings and request.epsilon == 0.5 for request in asked)


@pytest.mark.parametrize("rows", [1, 2, 10])
def test_few_rows_have_a_plan(rows):
    assert all(0 < one.accuracy <= 1 for one in run(rows)[0])
