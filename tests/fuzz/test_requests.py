"""Bodies of requests: read or refused, and a refusal quotes nothing of them."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given

from dprules.jobs.serving.limits import Limits
from dprules.jobs.serving.requests import RefusedError, read_events
from fuzz import genuine
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import REFUSED, require_words
from fuzz.mutations import mutate_json, scramble
from fuzz.parsers import SOURCE

LIMITS = {
    "events": (Limits().events, lambda size: b"[" + b",".join([b"{}"] * size) + b"]"),
    "digits": (sys.get_int_max_str_digits(), lambda size: b'{"a":' + b"9" * size + b"}"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_requests(name):
    limit, write = LIMITS[name]
    events, _ = read_events(write(limit), Limits())
    assert events
    with pytest.raises(RefusedError):
        read_events(write(limit + 1), Limits())


BOMBS = {
    "deep lists": b"[" * Limits().body,
    "deep tables": b'{"a":' * (Limits().body // 5),
    "empty tables": b"[" + b"{}," * (Limits().body // 3 - 2) + b"{}]",
    "digits": b"9" * Limits().body,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_within_the_limits_of_the_guard(name, guard, tmp_path):
    (tmp_path / "body").write_bytes(BOMBS[name])
    assert require_words(guard.parse("request", tmp_path / "body")).kind == REFUSED


def read_hostile(guard, folder: Path, seed: int) -> None:
    """Each event has a cell that must not come back."""
    events = [row | {"secret": SOURCE} for row in genuine.ROWS[:3]]
    for text in (mutate_json({"events": events}, seed), scramble(json.dumps(events).encode(), seed)):
        (folder / "body").write_bytes(text)
        require_words(guard.parse("request", folder / "body"), SOURCE)


@QUICK
@given(seed=SEEDS)
def test_hostile_requests(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_requests(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)
