"""The package: its public names, found by completion and loaded when they are used."""

import subprocess
import sys
from pathlib import Path

import pytest

import dprules

ESTIMATORS = {
    "ConfidentWinnowClassifier",
    "DecisionListClassifier",
    "PrivateDecisionListClassifier",
    "PrivateScorecardClassifier",
    "PrivateWinnowClassifier",
    "WinnowClassifier",
}
VALUES = {"Certificate", "Ledger", "Released", "RuleList", "Schema", "Scorecard"}
ROOMS = {path.parent.name for path in Path(dprules.__file__).parent.glob("*/__init__.py")} - {"cli"}


def test_completion_lists_the_public_names_and_the_rooms() -> None:
    assert set(dir(dprules)) == ESTIMATORS | VALUES | ROOMS | {"__version__", "errors"}
    assert set(dprules.__all__) == ESTIMATORS | VALUES | {"__version__"}


@pytest.mark.parametrize("name", sorted(ESTIMATORS | VALUES | ROOMS | {"errors"}))
def test_every_listed_name_is_there(name: str) -> None:
    assert getattr(dprules, name).__name__ in (name, f"dprules.{name}")


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = dprules.Nothing


def test_listing_them_loads_nothing() -> None:
    code = "import sys, dprules; dir(dprules); print([name for name in sys.modules if name.startswith('dprules.')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
