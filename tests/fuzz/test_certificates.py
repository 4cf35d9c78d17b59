"""Certificates: more releases, digits, groups or rows than can be priced, and prices that nobody can compute."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from dprules.accounting import Certificate, Event, Quantiles, Values
from dprules.accounting.certificate import MOST_RELEASES
from dprules.accounting.events.dense import MOST_UNITS
from dprules.accounting.events.epochs import MOST_FITS
from dprules.accounting.events.quantiles import MOST_LEVELS
from dprules.accounting.events.stream_parts import MOST_GROUPS
from dprules.accounting.unit import LONGEST_NAME, MOST_ROWS
from dprules.errors import ModelError
from fuzz import genuine
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import require_words
from fuzz.mutations import mutate_json

DIGITS = 150
"""Of a number above or below the line."""


def find(kind: str) -> dict[str, Any]:
    """Return a certificate with one event of a kind."""
    found = [one for one in genuine.certificates() if one["charges"][0]["releases"][0]["event"]["kind"] == kind]
    return copy.deepcopy(found[0])


def with_event(kind: str, **fields: Any) -> dict[str, Any]:
    """Return it with some other fields."""
    made = find(kind)
    made["charges"][0]["releases"][0]["event"] |= fields
    return made


def with_releases(number: int) -> dict[str, Any]:
    made = find("quantiles")
    made["charges"][0]["releases"] *= number
    return made


def with_name(length: int) -> dict[str, Any]:
    made = find("quantiles")
    made["charges"][0]["releases"][0]["name"] = "a" * length
    return made


def with_rows(rows: int) -> dict[str, Any]:
    return find("quantiles") | {"unit": {"column": "who", "rows": rows, "of": "row"}}


def with_fits(number: int) -> dict[str, Any]:
    fits = find("epoch stream")["charges"][0]["releases"][0]["event"]["fits"]
    return with_event("epoch stream", fits=fits * number)


LIMITS: dict[str, tuple[int, Callable[[int], dict[str, Any]]]] = {
    "releases": (MOST_RELEASES, with_releases),
    "name of a release": (LONGEST_NAME, with_name),
    "rows of a unit": (MOST_ROWS, with_rows),
    "levels of cuts": (MOST_LEVELS, lambda size: with_event("quantiles", levels=size)),
    "digits": (DIGITS, lambda size: with_event("quantiles", tilt=f"{10 ** (size - 50)}/{10 ** (size - 1) + 1}")),
    "groups of draws": (MOST_GROUPS, lambda size: with_event("segment stream", draws=[[1, "1/50"]] * size)),
    "fits of epochs": (MOST_FITS, with_fits),
    "units": (MOST_UNITS, lambda size: with_event("dense stream", unit=size)),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_certificates(name):
    limit, make = LIMITS[name]
    largest = make(limit)
    read = Certificate.from_document(largest).document()
    assert read["charges"] == largest["charges"]
    assert read["unit"] == largest["unit"]
    with pytest.raises(ModelError):
        Certificate.from_document(make(limit + 1))


BOMBS: dict[str, list[Event]] = {
    "values that are composed": [Values(Fraction(1, 50 + place), 400) for place in range(MOST_RELEASES)],
    "tiny tilts": [Quantiles(Fraction(1, 10**100), 20)] * MOST_RELEASES,
    "large thresholds": [Values(Fraction(1, 5000), 2**60)] * 100,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_certificate_is_priced_within_the_limits_of_the_guard(name, guard, tmp_path):
    document = find("quantiles")
    document["charges"][0]["releases"] = [{"name": "x", "event": event.document()} for event in BOMBS[name]]
    (tmp_path / "bomb.json").write_text(json.dumps(document))
    require_words(guard.parse("certificate", tmp_path / "bomb.json"))


def read_hostile(guard, folder, seed: int) -> None:
    known = genuine.certificates()
    (folder / "hostile.json").write_bytes(mutate_json(known[seed % len(known)], seed))
    require_words(guard.parse("certificate", folder / "hostile.json"))


@QUICK
@given(seed=SEEDS)
def test_hostile_certificates(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_certificates(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)
