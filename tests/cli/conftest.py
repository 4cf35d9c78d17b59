"""A shell, and a folder with a table of stays, its schema and a model."""

from pathlib import Path

import pyarrow.csv
import pytest

from cli.helpers import Shell
from dprules.jobs import FitRequest, ScorecardSettings, fit
from dprules.jobs.example import SCHEMA, hospital_stays

collect_ignore = ["killing.py"]
"""A program that tests run, not one of them."""


@pytest.fixture
def shell(monkeypatch, capsys) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="session")
def stays(tmp_path_factory) -> Path:
    """A folder that no test writes to: stays.csv, schema.toml and model.json."""
    folder: Path = tmp_path_factory.mktemp("stays")
    pyarrow.csv.write_csv(hospital_stays(3000, 1), folder / "stays.csv")
    (folder / "schema.toml").write_text(SCHEMA.to_toml())
    fit(FitRequest(str(folder / "stays.csv"), SCHEMA)).save(folder / "model.json")
    return folder


@pytest.fixture(scope="session")
def card(stays, tmp_path_factory) -> Path:
    """A scorecard of the stays."""
    path: Path = tmp_path_factory.mktemp("card") / "card.json"
    fit(FitRequest(str(stays / "stays.csv"), SCHEMA, ScorecardSettings())).save(path)
    return path
