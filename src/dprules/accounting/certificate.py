"""What was guaranteed, about what, assuming what: everything that a privacy statement names (theory D)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import groupby
from math import exp
from typing import Any

from dprules.accounting import compose, html
from dprules.accounting.assumptions import Assumed, Assumption
from dprules.accounting.events import CountedCover, Cover, Event, Fields, PaperCover
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.one_way import MOST_ROUNDS
from dprules.accounting.reference import LedgerReference
from dprules.accounting.unit import Unit, is_one_line
from dprules.errors import DprulesError, ModelError
from dprules.files import is_written_alike, require_format
from dprules.numbers import LARGEST, rounded_down

FORMAT = "dprules-certificate"
SEEDED = "NOT PRIVATE: this run used seeded noise. Do not publish it."
"""The mark of everything that seeded noise has made, wherever it is shown."""
LARGE_EPSILON = 10
"""Above it the statement says in words how little it promises."""
VERSION = 1
MOST_RELEASES = 1_000
"""Releases that a document may list."""
MOST_WORK = 4 * MOST_ROUNDS
"""Rounds that are priced one by one before a document is called too large to check."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release on the data: what it was for, and the event that prices it."""

    name: str
    event: Event


@dataclass(frozen=True, slots=True)
class Charge:
    """Releases whose prices were fixed before the first of them ran, and the part of the budget set aside for them."""

    releases: tuple[Release, ...]
    epsilon: Fraction
    delta: Fraction

    def holds(self, neighbours: Neighbours, unit: Unit) -> bool:
        """Whether the releases together cost no more than what was set aside."""
        price = compose.curve([release.event for release in self.releases], neighbours, unit.rows)
        if self.epsilon >= price.pure:
            return True
        return price.delta(rounded_down(self.epsilon)) <= self.delta

    def document(self) -> dict[str, Any]:
        """Return the charge in JSON's types."""
        releases = [{"name": release.name, "event": release.event.document()} for release in self.releases]
        return {"epsilon": str(self.epsilon), "delta": str(self.delta), "releases": releases}

    @classmethod
    def from_document(cls, document: Any) -> "Charge":
        """Read what `document` writes."""
        fields = Fields(document, "a charge")
        releases = tuple(
            Release(_read_name(release["name"]), Event.from_document(release["event"]))
            for release in fields.take("releases")
        )
        if not releases:
            raise ModelError("a charge is for nothing.")
        return cls(releases, fields.fraction("epsilon"), fields.fraction("delta"))

    def __str__(self) -> str:
        by_kind = groupby(self.releases, key=lambda release: release.event.label)
        names = " and ".join(f"{', '.join(release.name for release in one)} ({label})" for label, one in by_kind)
        return f"{names}: epsilon {float(self.epsilon):.4g}" + (
            f", delta {float(self.delta):.3g}" if self.delta else ""
        )


@dataclass(frozen=True, slots=True)
class Certificate:
    """A privacy statement that can be checked again from the charges that it lists.

    Parameters
    ----------
    epsilon, delta : float
        What is claimed for everything together.
    neighbours : Neighbours
        The relation of the claim.
    unit : Unit
        What one neighbour has and the other has not.
    charges : tuple of Charge
        What was spent, in its order.
    assumptions : tuple of Assumed
        What was taken for granted.
    secure : bool
        Whether the noise came from a cryptographic source; a seeded run is not private.
    settings : mapping
        The public parameters as the user gave them.
    model_digest : str or None
        Digest of the model that was published with it.
    ledger : LedgerReference or None
        Where a ledger was charged for it, before a row was read.
    """

    epsilon: float
    delta: float
    neighbours: Neighbours
    unit: Unit
    charges: tuple[Charge, ...]
    assumptions: tuple[Assumed, ...]
    secure: bool
    settings: Mapping[str, Any] = field(default_factory=dict)
    model_digest: str | None = None
    ledger: LedgerReference | None = None
    misread: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What a document said otherwise than dprules writes it."""

    @property
    def private(self) -> bool:
        """Whether the statement holds: not if the noise was seeded."""
        return self.secure

    @property
    def releases(self) -> tuple[Release, ...]:
        """All releases, in their order."""
        return tuple(release for charge in self.charges for release in charge.releases)

    @property
    def accounting(self) -> str:
        """Return "paper" if a price is the paper's, otherwise "exact"."""
        return "paper" if any(isinstance(release.event, PaperCover) for release in self.releases) else "exact"

    def __str__(self) -> str:
        return self.statement()

    def __repr__(self) -> str:
        shown = ", ".join(f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr)
        return f"Certificate({shown})" if self.secure else f"Certificate({SEEDED!r}, {shown})"

    def statement(self) -> str:
        """Return the statement in words."""
        noise = "exact, from a cryptographic source" if self.secure else "seeded, for tests only"
        lines = [
            f"({show_at_least(self.epsilon)}, {show_at_least(self.delta)})-differentially private, "
            f"{self.neighbours} neighbours: "
            f"the data {_RELATIONS[self.neighbours]} {self.unit}.",
            f"Accounting: {self.accounting}. Noise: {noise}.",
            "Spent on: " + "; ".join(map(str, self.charges)) + ".",
            "Assumed public: " + "; ".join(assumption.value for assumption in self.assumptions) + ".",
            "Not covered: running time and memory, and whatever else was released about the same data.",
        ]
        if self.ledger is not None:
            lines.append(f"Charged: {self.ledger}.")
        if self.epsilon > LARGE_EPSILON:
            lines.append(
                f"An epsilon above {LARGE_EPSILON} promises little: the odds of a conclusion about one "
                f"{self.unit} may change by a factor of e^{show_at_least(self.epsilon)}, about {exp(self.epsilon):.1e}."
            )
        if not self.secure:
            lines.insert(0, SEEDED)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the statement as notebooks show it."""
        return html.write_statement(self.statement())

    def verify(self) -> bool:
        """Whether the charges, priced again, cost no more than is claimed, and nothing that a statement needs is gone.

        It checks that the certificate is consistent, not who wrote it: anybody can write a consistent file.
        """
        return not self.faults()

    def faults(self) -> list[str]:
        """Return what is wrong with the certificate, in sentences; nothing if it verifies."""
        found = [*self.misread, *self._odd_unit(), *self._lacking_assumptions(), *self._overspending()]
        if not self.charges:
            return [*found, "it lists no release"]
        work = sum(_work(release.event) for release in self.releases)
        if work > MOST_WORK:
            return [*found, "it lists more rounds than can be checked"]
        for charge in self.charges:
            try:
                held = charge.holds(self.neighbours, self.unit)
            except (DprulesError, ArithmeticError, ValueError) as error:
                found.append(f"{_names(charge)} cannot be priced: {error}")
                continue
            if not held:
                found.append(f"{_names(charge)}: more was spent than epsilon {float(self.epsilon):g} allows")
        return found

    def _overspending(self) -> list[str]:
        epsilon = sum((charge.epsilon for charge in self.charges), Fraction(0))
        delta = sum((charge.delta for charge in self.charges), Fraction(0))
        if epsilon > Fraction(self.epsilon) or delta > Fraction(self.delta):
            return ["its charges add up to more than it claims"]
        return []

    def _odd_unit(self) -> list[str]:
        """Rows are added and removed, rounds are emptied; both are exchanged."""
        odd = {Neighbours.ADD_REMOVE: "round", Neighbours.ZERO_OUT: "row"}
        return ["its neighbours and its unit do not fit together"] if self.unit.of == odd.get(self.neighbours) else []

    def _lacking_assumptions(self) -> list[str]:
        needed: list[set[Assumption]] = [
            {Assumption.SETTINGS},
            {Assumption.SCHEMA, Assumption.COLUMN_NAMES, Assumption.FEATURES},
        ]
        if self.unit.of == "round":
            needed.append({Assumption.ROUND_COUNT})
        elif self.neighbours is Neighbours.REPLACE:
            needed.append({Assumption.ROW_COUNT})
        known = set(self.assumptions)
        return [
            f"it does not say that it assumes {min(a.value for a in any_of)}" for any_of in needed if not any_of & known
        ]

    def for_model(self, digest: str) -> "Certificate":
        """Return the certificate with the digest of the model that it is published with."""
        return replace(self, model_digest=digest)

    def document(self) -> dict[str, Any]:
        """Return the certificate as a JSON document."""
        unit = {"column": self.unit.column, "rows": self.unit.rows, "of": self.unit.of}
        return {
            "format": FORMAT,
            "version": VERSION,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "neighbours": self.neighbours.value,
            "unit": unit,
            "accounting": self.accounting,
            "noise": "secure" if self.secure else "seeded",
            "charges": [charge.document() for charge in self.charges],
            "assumptions": [assumption.key for assumption in self.assumptions],
            "settings": dict(self.settings),
            "model_digest": self.model_digest,
            "ledger": None if self.ledger is None else self.ledger.document(),
            "statement": self.statement(),
        }

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        return json.dumps(self.document(), indent=2)

    @classmethod
    def from_document(cls, document: object) -> "Certificate":
        """Read a certificate; one that is not exactly as dprules writes it does not verify, or is refused."""
        if not isinstance(document, dict):
            raise ModelError("the file has no certificate. Fit again.")
        require_format(document, FORMAT, VERSION)
        try:
            return _read(document)
        except ModelError:
            raise
        except (KeyError, TypeError, ValueError, ArithmeticError, DprulesError):
            pass
        raise ModelError("the certificate is not one that this dprules can read. Fit again.")


_RELATIONS = {
    Neighbours.ADD_REMOVE: "with or without any one",
    Neighbours.REPLACE: "after exchanging any one",
    Neighbours.ZERO_OUT: "with or without what happened in any one",
}


def show_at_least(value: float) -> str:
    """Write a number in six digits, or in as many as it needs not to look smaller than it is."""
    short = f"{value:g}"
    return short if float(short) >= value else repr(value)


def _names(charge: Charge) -> str:
    return " and ".join(release.name for release in charge.releases)


def _work(event: Event) -> int:
    """Return how many rounds are priced one by one; beyond MOST_ROUNDS one closed form prices them all."""
    if isinstance(event, CountedCover):
        return event.rounds if event.rounds <= MOST_ROUNDS else 1
    if not isinstance(event, Cover) or event.rounds is None:
        return 1
    return event.rounds if event.rounds <= MOST_ROUNDS else 1 + len(event.rewards) // 1_000


def _read(document: dict[str, Any]) -> Certificate:
    if sum(len(charge["releases"]) for charge in document["charges"]) > MOST_RELEASES:
        raise ModelError(f"the certificate lists more than {MOST_RELEASES:,} releases.")
    charges = tuple(Charge.from_document(charge) for charge in document["charges"])
    assumptions = tuple(Assumption.of_key(key) for key in document["assumptions"])
    digest = document["model_digest"]
    epsilon = document["epsilon"]
    delta = document["delta"]
    if isinstance(epsilon, bool) or not isinstance(epsilon, float | int) or not 0 < epsilon <= LARGEST:
        raise ModelError(f"epsilon of the certificate must lie between 0 and {LARGEST}.")
    if isinstance(delta, bool) or not isinstance(delta, float | int) or not 0 <= delta < 1:
        raise ModelError("delta of the certificate must lie in [0, 1).")
    if None in assumptions or not isinstance(document["settings"], dict):
        raise ModelError("the certificate assumes something that this dprules does not know.")
    if not (digest is None or isinstance(digest, str)) or document["noise"] not in ("secure", "seeded"):
        raise ModelError("the certificate does not say what noise was used, or for which model.")
    unit = document["unit"]
    read = Certificate(
        float(epsilon),
        float(delta),
        Neighbours.parse(document["neighbours"]),
        Unit(unit["column"], unit["rows"], unit["of"]),
        charges,
        tuple(assumption for assumption in assumptions if assumption is not None),
        document["noise"] == "secure",
        document["settings"],
        digest,
        LedgerReference.from_document(document["ledger"]),
    )
    # What is derived from the rest must be what the rest says: nobody reads charges when there is a statement.
    if document["statement"] != read.statement() or document["accounting"] != read.accounting:
        return replace(read, misread=("its statement is not what its charges say",))
    if not is_written_alike(read.document(), document):
        return replace(read, misread=("its certificate has fields that this dprules does not write",))
    return read


def _read_name(value: object) -> str:
    if not isinstance(value, str) or not is_one_line(value):
        raise ModelError("a release of the certificate must have a name of one line.")
    return value
