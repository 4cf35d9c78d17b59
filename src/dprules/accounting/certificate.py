"""What was guaranteed, about what, assuming what: everything that a privacy statement names (theory D)."""

import json
import re
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from math import exp
from typing import Any

from dprules.accounting import compose, cover
from dprules.accounting.events import (
    Above,
    Batched,
    Counts,
    Cover,
    Draws,
    Event,
    FirstOnly,
    Guarded,
    Pure,
    Segment,
)
from dprules.accounting.neighbours import Neighbours
from dprules.errors import DprulesError, ModelError
from dprules.numbers import LARGEST, whole

FORMAT, VERSION = "dprules-certificate", 1
MOST_ROWS = 1_000_000
"""Rows of a unit that a certificate may speak of."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release on the data: what it was for, which mechanism, its exact public parameters, and its own epsilon."""

    name: str
    mechanism: str
    epsilon: float
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A privacy statement that can be checked again from the releases it lists."""

    epsilon: float
    delta: float
    neighbours: str
    unit: str
    accounting: str
    releases: tuple[Release, ...]
    assumed_public: tuple[str, ...]
    noise: str
    """"secure", or "seeded": a seeded run is not private."""
    software: str

    @property
    def private(self) -> bool:
        """Whether the statement holds: not if the noise was seeded."""
        return self.noise == "secure"

    def __str__(self) -> str:
        return self.statement()

    def statement(self) -> str:
        """The statement in words."""
        relation = {
            "add-remove": "with or without any one",
            "replace": "after exchanging any one",
            "zero-out": "with or without what happened in any one",
        }[self.neighbours]
        lines = [
            f"({self.epsilon:g}, {self.delta:g})-differentially private, {self.neighbours} neighbours: "
            f"the data {relation} {self.unit}.",
            f"Accounting: {self.accounting}. Noise: {_NOISE[self.noise]}",
            "Spent on: " + "; ".join(f"{r.name} (epsilon {r.epsilon:g}, {r.mechanism})" for r in self.releases) + ".",
            "Assumed public: " + "; ".join(self.assumed_public) + ".",
            "Not covered: running time and memory, and whatever else was released about the same data.",
        ]
        if not self.private:
            lines.insert(0, "NOT PRIVATE: this run used seeded noise. Do not publish it.")
        return "\n".join(lines)

    def verify(self) -> bool:
        """Price the releases again and compare with the claim; what is not understood is not believed."""
        try:
            relation = Neighbours.parse(self.neighbours)
            events = [_event(release, relation) for release in self.releases]
            total = sum((Fraction(release.epsilon) for release in self.releases), Fraction(0))
            if total > Fraction(self.epsilon) or sum(not isinstance(event, Counts | Pure) for event in events) != 1:
                return False
            given = [release.parameters for release in self.releases]
            if len({own["rows of a unit"] for own in given if "rows of a unit" in own}) > 1:
                return False
            if any(own.get("accounting", self.accounting) != self.accounting for own in given):
                return False
            return all(_costs(event, own, self.delta) for event, own in zip(events, self.releases, strict=True))
        except (_UnbelievableError, DprulesError, ArithmeticError, KeyError, TypeError, ValueError):
            return False

    def to_document(self) -> dict[str, Any]:
        """The certificate as a JSON document."""
        return {"format": FORMAT, "version": VERSION} | asdict(self) | {"statement": self.statement()}

    def to_json(self) -> str:
        """The certificate as JSON."""
        return json.dumps(self.to_document(), indent=2)

    @classmethod
    def from_document(cls, document: object) -> "Certificate":
        """Read a certificate; one that is not well-formed is refused."""
        try:
            assert isinstance(document, dict)
            assert document["format"] == FORMAT
            assert document["version"] == VERSION
            releases = tuple(
                Release(str(r["name"]), str(r["mechanism"]), float(r["epsilon"]), dict(r["parameters"]))
                for r in document["releases"]
            )
            texts = {k: str(document[k]) for k in ("neighbours", "unit", "accounting", "noise", "software")}
            assert texts["noise"] in _NOISE
            Neighbours.parse(texts["neighbours"])
            public = tuple(map(str, document["assumed_public"]))
            epsilon, delta = float(document["epsilon"]), float(document["delta"])
            assert all(0 < e <= LARGEST for e in (epsilon, *(release.epsilon for release in releases)))
            assert 0 <= delta < 1
            return cls(epsilon, delta, releases=releases, assumed_public=public, **texts)
        except (AssertionError, KeyError, TypeError, ValueError, ArithmeticError, AttributeError, DprulesError):
            pass
        raise ModelError("the certificate is not one that this dprules can read. Update dprules, or fit again.")


_NOISE = {"secure": "exact, from a cryptographic source.", "seeded": "seeded, for tests only."}


class _UnbelievableError(Exception):
    """A parameter of a release is not what dprules writes."""


def _fraction(text: object) -> Fraction:
    """A number as dprules writes it: an integer or a quotient of two, of bounded length."""
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,400}(/[1-9][0-9]{0,399})?", text):
        raise _UnbelievableError
    return Fraction(text)


def _rows(given: dict[str, Any]) -> int:
    rows = whole(given["rows of a unit"], "rows of a unit")
    if rows > MOST_ROWS:
        raise _UnbelievableError
    return rows


def _event(release: Release, neighbours: Neighbours) -> Event:
    """The release as an event; a mechanism that dprules does not write is not believed."""
    given = release.parameters
    match release.mechanism:
        case "draws of rules":
            schedule = [_fraction(reward) for reward in given["schedule"]]
            rounds = None if given["rounds"] is None else whole(given["rounds"], "rounds")
            if len(schedule) != (rounds or 1):
                raise _UnbelievableError
            _rows(given)
            return Cover(neighbours, _fraction(given["tilt"]), (max(schedule),), rounds, _fraction(given["last"]))
        case "noisy counts":
            return Counts(neighbours, _fraction(given["tilt"]) * _rows(given))
        case "segment winnow":
            return _segment(given, neighbours)
        case "batched winnow":
            return Batched(neighbours, _draws(given), _tests(given))
        case "paper winnow":
            return FirstOnly(neighbours, _draws(given), _tests(given))
        case "guarded winnow":
            second = given["after the switch"]
            return Guarded(neighbours, _segment(given, neighbours), Batched(neighbours, _draws(second), _tests(second)))
        case "private quantiles" if neighbours is Neighbours.ADD_REMOVE and _rows(given) == 1:
            return Pure(neighbours, Fraction(release.epsilon))
        case _:
            raise _UnbelievableError


def _segment(given: dict[str, Any], neighbours: Neighbours) -> Segment:
    return Segment(neighbours, Draws.of(1, 1, _fraction(given["draws times rate"])), _tests(given))


def _draws(given: dict[str, Any]) -> Draws:
    return Draws.of(given["draws"], given["releases"], _fraction(given["rate"]))


def _tests(given: dict[str, Any]) -> Above:
    noise, test = given["tests"]
    return Above(_fraction(noise), _fraction(test))


def _costs(event: Event, release: Release, delta: float) -> bool:
    """Whether a release costs no more than its share."""
    if isinstance(event, Counts | Pure):
        return compose.delta([event], Fraction(release.epsilon)) == 0
    if not isinstance(event, Cover):
        return compose.delta([event], Fraction(release.epsilon)) <= delta
    # A unit of several rows is priced by group privacy: epsilon / rows, and delta / sum e^(i epsilon / rows), a row.
    rows = _rows(release.parameters)
    part = Fraction(release.epsilon) / rows
    share = delta / sum(exp(i * part) for i in range(rows))
    if release.parameters.get("accounting") == "paper":
        return event.tilt <= Fraction(cover.tilt(part, share, event.neighbours, accounting="paper"))
    return compose.delta([event], part) <= share
