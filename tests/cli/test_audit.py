import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit


def test_a_picture_and_numbers_are_written(shell, tmp_path):
    ran = shell("audit", "--only", "list, replace", "--output", tmp_path / "a")
    assert ran.code == Exit.OK, ran.err
    assert "holds" in ran.out
    assert (tmp_path / "a" / "audit.svg").read_text().lstrip().startswith("<?xml")
    (finding,) = json.loads((tmp_path / "a" / "audit.json").read_text())
    assert finding["holds"]
    assert finding["ratio"] <= 1 + 1e-9


@pytest.mark.slow
def test_without_matplotlib_there_are_numbers(shell, tmp_path, monkeypatch):
    monkeypatch.setattr("dprules.cli.audit.find_spec", lambda name: None)
    ran = shell("audit", "--only", "list, replace", "--output", tmp_path / "a")
    assert ran.code == Exit.OK, ran.err
    assert "pip install 'dprules[plot]'" in ran.out
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["audit.json"]


@pytest.mark.slow
def test_a_planted_fault_is_caught(shell, tmp_path):
    arguments = ("audit", "--only", "batched, zero-out", "--mutate", "halved-noise", "--output", tmp_path)
    ran = shell(*arguments, "--json")
    assert ran.code == Exit.BROKEN
    assert not json.loads(ran.out)[0]["holds"]
    assert "BROKEN" in shell(*arguments, "--force").out


@pytest.mark.slow
def test_a_check_without_a_curve_has_no_picture_and_json_is_strict(shell, tmp_path):
    only = ("audit", "--only", "list, add-remove, 3 rounds")
    ran = shell(*only, "--mutate", "doubled-tilt", "--output", tmp_path / "a", "--json")
    assert ran.code == Exit.BROKEN
    json.loads(ran.out, parse_constant=lambda name: pytest.fail(name))
    alone = shell("audit", "--only", "noisy counts, as they run", "--output", tmp_path / "b")
    assert alone.code == Exit.OK
    assert not (tmp_path / "b" / "audit.svg").exists()


@pytest.fixture
def short(monkeypatch):
    """Few runs, in this process."""
    monkeypatch.setattr("dprules.jobs.end_to_end.RUNS", 150)
    monkeypatch.setattr("dprules.jobs.end_to_end.count_cores", lambda: 1)
    return ("audit", "--end-to-end", "--minutes", "0.001")


def test_whole_commands_are_run(shell, tmp_path, short):
    ran = shell(*short, "--only", "list, a line with nothing in it", "--output", tmp_path / "a")
    assert ran.code == Exit.OK, ran.err
    assert "holds" in ran.out
    assert "confidence 0.999" in ran.out
    assert (tmp_path / "a" / "end-to-end.svg").read_text().lstrip().startswith("<?xml")
    (finding,) = json.loads((tmp_path / "a" / "end-to-end.json").read_text())
    assert finding["holds"]
    assert finding["runs"] == 300
    assert finding["claims"][0] == {"epsilon": 2.0, "delta": 1e-6}


def test_a_fault_in_a_whole_command_is_caught(shell, tmp_path, short):
    ran = shell(*short, "--mutate", "unnoised-count", "--output", tmp_path)
    assert ran.code == Exit.BROKEN
    assert "BROKEN" in ran.out
    assert "counts of the rules have no noise" in ran.out


@pytest.mark.slow
def test_runs_that_fail_are_named_and_json_is_strict(shell, tmp_path, short):
    ran = shell(*short, "--mutate", "truncated-cache", "--output", tmp_path)
    assert ran.code == Exit.BROKEN
    assert "runs that failed" in ran.out
    ran = shell(*short, "--mutate", "truncated-cache", "--output", tmp_path, "--json", "--force")
    (finding,) = json.loads(ran.out, parse_constant=lambda name: pytest.fail(name))
    assert finding["points"][-1]["measure"] == "stopped"


def list_folders() -> set[Path]:
    return {path for place in ("/dev/shm", tempfile.gettempdir()) for path in Path(place).glob("dprules-audit-*")}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, Exit.INTERRUPTED), (signal.SIGTERM, Exit.TERMINATED)])
def test_a_signal_ends_all_processes_and_leaves_nothing(tmp_path, number, code):
    before = list_folders()
    command = [sys.executable, "-m", "dprules", "audit", "--end-to-end", "--output", str(tmp_path / "a")]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
        while not list_folders() - before and process.poll() is None:
            time.sleep(0.05)
        time.sleep(3)  # other processes are starting, or running
        made = list_folders() - before
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        _, err = process.communicate(timeout=100)
    assert process.returncode == code, err
    assert err.count("\n") <= 1, err
    assert made
    assert not any(path.exists() for path in made)
    assert has_ended(process.pid)


def has_ended(group: int) -> bool:
    """Whether all processes of a group end soon: those that notice the end of their parent are a little later."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("--mutate", "halved-noise"), "mutate must be one of tilt-doubled"),
        (("--only", "list, replace"), "only must name a trial"),
        (("--minutes", "0"), "minutes must"),
    ],
)
def test_names_and_numbers_of_trials_are_checked(shell, tmp_path, option, sentence):
    code, _, err = shell("audit", "--end-to-end", *option, "--output", tmp_path)
    assert_one_sentence(code, err, Exit.PARAMETER)
    assert sentence in err


@pytest.mark.parametrize(
    ("option", "sentence"), [("--mutate", "mutate must be one of"), ("--only", "only must name a check")]
)
def test_unknown_names_are_refused(shell, tmp_path, option, sentence):
    code, _, err = shell("audit", option, "nothing", "--output", tmp_path)
    assert_one_sentence(code, err, Exit.PARAMETER)
    assert sentence in err


def test_a_folder_that_cannot_be_made_is_one_sentence(shell, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = shell("audit", "--only", "list, replace", "--output", tmp_path / "file")
    assert_one_sentence(code, err, Exit.FILE)
    assert "cannot read or write" in err
