import os
from pathlib import Path

import pytest

from dprules.audit import STOPPED
from dprules.audit.end_to_end import LEFT
from dprules.errors import ParameterError
from dprules.jobs import audit_end_to_end, evaluation
from dprules.jobs.end_to_end.commands import Fit
from dprules.jobs.end_to_end.faults import FAULTS, planted
from dprules.jobs.end_to_end.files import ROWS, csv_with
from dprules.jobs.end_to_end.outside import look_outside
from dprules.jobs.end_to_end.runs import files_of, run_often, sampler
from dprules.jobs.end_to_end.trials import COMMANDS
from dprules.tables.threads import count_cores

AT_ONCE = 0.001
"""Minutes: one look and no more."""
FEW = 250
"""Runs of each file in a look: enough for whoever publishes exact numbers."""


def differing(first: list[bytes], other: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """What is left of both where they differ."""
    while first and other and first[0] == other[0]:
        first, other = first[1:], other[1:]
    while first and other and first[-1] == other[-1]:
        first, other = first[:-1], other[:-1]
    return first, other


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if one.files.suffix != "parquet"])
def test_files_differ_in_one_line_or_in_the_lines_of_one_person(name):
    first, other = differing(*(content.split(b"\n") for content in COMMANDS[name].files.contents))
    if "person" in name:
        assert other == []
        assert {line.split(b",")[0] for line in first} == {b"zoe"}
    elif "exchanged" in name or name.startswith("stream"):
        assert (len(first), len(other)) == (1, 1)
    else:
        assert (len(first), len(other)) == (1, 0)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_publishes_something_on_both_files(name):
    with files_of([name]) as folder:
        for side in (0, 1):
            (outcome,) = run_often(folder, name, side, 1)
            assert outcome
            assert STOPPED not in outcome
        _, certificate = COMMANDS[name].run(folder, 0)
        assert certificate.secure
        assert certificate.verify()
        assert list(folder.rglob("stream")) == []  # a stream leaves nothing
    assert not folder.exists()


def test_a_file_is_read_anew_every_time(tmp_path):
    fit = Fit("list", "", csv_with(b"60,yes"), epsilon=100.0)
    fit.write(tmp_path)
    before, _ = fit.run(tmp_path, 0)
    fit.place(tmp_path, 0).write_bytes(b"age,ill\n" + b"60,yes\n" * 1000)
    after, _ = fit.run(tmp_path, 0)
    assert max(before.values()) < 900 < max(after.values())


QUICK = "cell-by-column-type"
OUTSIDE = [name for name, fault in FAULTS.items() if fault.outside]
OTHERS = [name for name in FAULTS if name not in (QUICK, "tilt-doubled", *OUTSIDE)]


@pytest.mark.parametrize("name", [QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_a_planted_fault_is_caught(name):
    report = audit_end_to_end(AT_ONCE, mutate=name, runs=FEW)
    assert not report.holds
    assert report.planted == FAULTS[name].what


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if "exit" in name else []) for name in OUTSIDE]
)
def test_a_fault_that_shows_in_exit_codes_and_files_is_caught(name):
    report = audit_end_to_end(AT_ONCE, mutate=name, runs=10)
    (known,) = report.known
    assert not report.holds
    assert known.stopped == 0
    assert known.differences > 0
    assert [point.measure for point in known.finding().points if point.ratio > 1] == [LEFT]


@pytest.mark.slow
@pytest.mark.parametrize("mutate", [None, *OUTSIDE])
def test_commands_as_processes_leave_the_same_behind_unless_a_fault_is_planted(mutate):
    names = list(COMMANDS) if mutate is None else list(FAULTS[mutate].noticed_by)
    with files_of(names) as folder:
        differences = look_outside(folder, names, mutate, 2, lambda step, done, total: None)
    assert list(differences) == names
    assert all(count == 0 for count in differences.values()) == (mutate is None)


@pytest.mark.slow
def test_twice_the_tilt_is_caught():
    assert not audit_end_to_end(AT_ONCE, mutate="tilt-doubled", runs=1000).holds


@pytest.mark.parametrize(
    "name",
    [
        "list, a line with a number with a unit",
        pytest.param("list, one row more", marks=pytest.mark.slow),
        pytest.param("list, a cut file of tilts", marks=pytest.mark.slow),
        pytest.param("scorecard, one row more", marks=pytest.mark.slow),
        pytest.param("evaluation, one row more", marks=pytest.mark.slow),
        pytest.param("stream, one event exchanged", marks=pytest.mark.slow),
    ],
)
def test_the_package_as_it_is_holds(name):
    report = audit_end_to_end(AT_ONCE, [name], runs=FEW)
    (known,) = report.known
    assert report.holds
    assert known.runs == 2 * FEW
    assert report.confidence == 0.999


@pytest.mark.slow
def test_all_of_it_holds():
    report = audit_end_to_end(1, runs=100, processes=2)
    assert report.holds, [one.trial.name for one in report.known if not one.finding().holds]
    assert [one.trial.name for one in report.known] == list(COMMANDS)


def test_a_fault_that_a_file_on_disk_makes_is_refused_by_the_account():
    (noticed,) = FAULTS["truncated-cache"].noticed_by
    with files_of([noticed]) as folder, planted(FAULTS["truncated-cache"]):
        (outcome,) = run_often(folder, noticed, 0, 1)
    assert outcome == {STOPPED: 1.0, f"{STOPPED} by PrivacyError": 1.0}


def test_a_fault_is_gone_afterwards():
    fault = FAULTS["unnoised-evaluation"]
    sound = vars(evaluation)["noisy_counts"]
    with planted(fault):
        assert vars(evaluation)["noisy_counts"] is fault.function
    assert vars(evaluation)["noisy_counts"] is sound
    with pytest.raises(ParameterError), planted(fault):
        raise ParameterError("something else went wrong")
    assert vars(evaluation)["noisy_counts"] is sound


def test_the_folder_of_tilts_is_left_as_it_was(monkeypatch):
    (name,) = FAULTS["truncated-cache"].noticed_by
    for kept in (None, "elsewhere"):
        if kept is None:
            monkeypatch.delenv("DPRULES_CACHE", raising=False)
        else:
            monkeypatch.setenv("DPRULES_CACHE", kept)
        with files_of([name]) as folder:
            COMMANDS[name].run(folder, 0)
        assert os.environ.get("DPRULES_CACHE") == kept
        assert not Path("elsewhere").exists()


@pytest.mark.slow
def test_other_processes_run_the_fault_too_and_with_noise_of_their_own():
    name = "list, one row more"
    cores = count_cores()
    with files_of([name]) as folder:
        with sampler(folder, None, 2) as sample:
            outcomes = sample(name, 0, 120)
        with sampler(folder, "unnoised-count", 2) as sample:
            exact = sample(name, 1, 60)
    assert len(outcomes) == 120
    assert len({tuple(outcome.items()) for outcome in outcomes}) > 60
    counts = {number for outcome in exact for place, number in outcome.items() if ".counts." in place}
    assert counts <= set(range(len(ROWS) + 1))
    assert count_cores() == cores


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (dict(only=["nothing"]), "only must name a trial; got 'nothing'"),
        (dict(mutate="nothing"), "mutate must be one of"),
        (dict(minutes=0), "minutes"),
        (dict(runs=1), "runs"),
        (dict(processes=0), "processes"),
    ],
)
def test_unknown_names_and_odd_numbers(wrong, sentence):
    with pytest.raises(ParameterError, match=sentence):
        audit_end_to_end(**wrong)
