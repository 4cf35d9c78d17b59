"""Budgets of data sets: make a ledger, grant, look, verify, export."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprules.accounting import Charge, Event, Gaussian, LedgerReference
from dprules.errors import DprulesError, FileError, ParameterError
from dprules.jobs.charging import LedgerLike, open_ledger
from dprules.ledger import (
    Book,
    Budget,
    ChargeState,
    DataSet,
    EpsilonDelta,
    GrantState,
    Ledger,
    ReferenceJob,
    SlotBudget,
)
from dprules.models import Released
from dprules.numbers import Real, rational, whole
from dprules.schema import Schema

EXPORT = "dprules-ledger-export"
ROUNDING = Fraction(1, 2**40)
"""Relative rounding of mu in a grant of fits."""


def ledger_init(
    url: str | Path,
    dataset: str | None = None,
    *,
    schema: Schema | None = None,
    unit: str | None = None,
    neighbours: str = "add-remove",
    stream: bool = False,
    distinct: bool = False,
) -> Ledger:
    """Make a ledger, or open it; register a data set if one is named.

    Parameters
    ----------
    url : str or Path
        A file, or postgresql://user@host/database. One that is there is kept if a data set is to be added.
    dataset : str or None
        The name of a new data set.
    schema : Schema or None
        What it is made of: jobs that ask about other columns are refused.
    unit : str or None
        Column that says whose a row is.
    neighbours : str
        Of every price.
    stream : bool
        Whether it is a stream of events.
    distinct : bool
        Whether its records are other people's than those of data sets with the same columns.
    """
    if dataset is None and (schema is not None or unit is not None or distinct or stream):
        raise ParameterError("a schema, a unit and the like belong to a data set. Name it, too.")
    columns = None if schema is None else (*schema.names, *schema.ignored)
    if dataset is not None:  # refuse what makes no sense before there is a file
        DataSet.declare(dataset, columns, unit, neighbours, stream=stream, distinct=distinct)
    try:
        ledger = Ledger.create(url)
    except FileError as error:
        if dataset is None:
            raise
        ledger = Ledger(url)
        try:
            ledger.book()
        except FileError:  # there is no ledger, and none can be made
            raise error from None
    if dataset is not None:
        ledger.register(dataset, columns, unit, neighbours, stream=stream, distinct=distinct)
    return ledger


def ledger_grant(
    url: str | Path,
    dataset: str,
    budget: Budget,
    *,
    by: str | None = None,
    why: str = "",
    until: date | None = None,
) -> GrantState:
    """Allow jobs to spend from a data set; return the grant."""
    ledger = Ledger(url)
    entry = ledger.grant(dataset, budget, by=by, why=why, until=until)
    return ledger.book().grants[entry.number]


def choose_budget(
    *,
    epsilon: Real | None = None,
    delta: Real | None = None,
    fits: int | None = None,
    like: Sequence[Released] = (),
) -> Budget:
    """Return the budget of a grant: epsilon and delta that add up, or a number of fits like those of some models.

    Parameters
    ----------
    epsilon : number or None
        Total epsilon that jobs may spend.
    delta : number or None
        Total delta that jobs may spend.
    fits : int or None
        Number of fits, composed exactly. Each may cost as much as the fit of one of the models in `like`.
    like : sequence of Released
        Models whose certificates list what such a fit releases.
    """
    if (epsilon is None) == (fits is None):
        raise ParameterError("a grant is stated in epsilon, or in fits. Give exactly one of them.")
    if (fits is None) != (not like):
        raise ParameterError("a number of fits needs models that they are like, and the other way round. Give both.")
    if epsilon is not None:
        return EpsilonDelta(epsilon, 0 if delta is None else delta)
    if delta is None:
        raise ParameterError("a number of fits needs a delta for the statement, such as 1e-6.")
    neighbours = {released.certificate.neighbours for released in like}
    if len(neighbours) > 1:
        raise ParameterError("the models have different neighbour relations. Name models with the same.")
    return SlotBudget(whole(fits, "fits", least=1), tuple(map(_reference_job, like)), neighbours.pop(), delta)


def _reference_job(released: Released) -> ReferenceJob:
    """Return what the fit of a model released; a model that does not verify is refused."""
    certificate = released.certificate
    problems = released.faults()
    if problems:
        raise ParameterError(f"the model does not verify: {problems[0]}. Name another one.")
    rules = certificate.settings.get("max_rules")
    if "max_rules" in certificate.settings and rules is None:
        raise ParameterError(
            "the model is a list without max_rules, so what such a fit costs is not known in advance. "
            "Name a model that was fitted with max_rules."
        )
    events = tuple(_widened(release.event) for charge in certificate.charges for release in charge.releases)
    size = "" if rules is None else f" of {rules} rules"
    name = f"a {released.model.kind}{size} at epsilon {certificate.epsilon:g} and delta {certificate.delta:g}"
    return ReferenceJob(name, events, certificate.unit.rows)


def _widened(event: Event) -> Event:
    """Return an event that costs a little more: scorecards divide one mu in ways that are rounded differently."""
    return replace(event, mu=rational(event.mu, "mu") * (1 + ROUNDING)) if isinstance(event, Gaussian) else event


def ledger_show(url: str | Path) -> Book:
    """Return everything that a ledger knows."""
    return Ledger(url).book()


def ledger_verify(url: str | Path, *, head: str | None = None, models: Sequence[str | Path] = ()) -> list[str]:
    """Return what is wrong with a ledger, in sentences.

    Parameters
    ----------
    url : str or Path
        The ledger.
    head : str or None
        The digest of an entry that must be there.
    models : sequence of str or Path
        Model files whose certificates name entries of it.
    """
    ledger = Ledger(url)
    loaded = [Released.load(path, unverified=True) for path in models]
    references = [released.certificate.ledger for released in loaded if released.certificate.ledger is not None]
    found = ledger.verify(head, references)
    if not found:
        for released in loaded:
            settle(released, ledger)
        found += [sentence for released in loaded for sentence in compare(released, ledger.book())]
    return found


def settle(released: Released, ledger: LedgerLike) -> None:
    """Record in a ledger that a model is in place, if its job was stopped before it could."""
    reference = released.certificate.ledger
    with suppress(DprulesError):  # a ledger that cannot be read or written is left as it is
        opened = open_ledger(ledger)
        if reference is not None and not compare(released, opened.book()):
            opened.settle(reference, released.digest())


def compare(released: Released, book: Book) -> list[str]:
    """Return what does not fit between a model and the ledger that it was charged to, in sentences."""
    reference = released.certificate.ledger
    if reference is None:
        return ["the certificate names no ledger: the model was fitted without one"]
    if reference.ledger != book.name:
        return [f"the model was charged to ledger {reference.ledger[:8]}, and this is ledger {book.name[:8]}"]
    state = book.charges.get(reference.entry)
    if state is None or state.entry.digest != reference.digest:
        return [f"entry {reference.entry} of the ledger is not the charge that the certificate names"]
    return _compare(released, reference, state)


def _compare(released: Released, reference: LedgerReference, state: ChargeState) -> list[str]:
    certificate, spent, quote = released.certificate, state.spent, state.spent.quote
    found = []
    if reference.dataset != spent.dataset:
        found.append("the ledger names another data set")
    if (certificate.neighbours, certificate.unit) != (quote.neighbours, quote.unit):
        found.append("the ledger names other neighbours, or another unit")
    if quote.charges and certificate.charges != quote.charges:
        found.append("the certificate lists other charges than the ledger's quote")
    if not quote.charges and _exceeds(certificate.charges, quote.epsilon, quote.delta):
        found.append("the certificate lists more than was charged to the ledger")
    if state.digest is not None and state.digest != released.digest() and quote.job != "stream":
        found.append("the ledger knows another model for this charge")
    return found


def _exceeds(charges: Sequence[Charge], epsilon: Fraction, delta: Fraction) -> bool:
    spent = sum((charge.epsilon for charge in charges), Fraction(0))
    return spent > epsilon or sum((charge.delta for charge in charges), Fraction(0)) > delta


def ledger_export(url: str | Path) -> dict[str, Any]:
    """Return all entries with their digests, in JSON's types."""
    book = Ledger(url).book()
    return {"format": EXPORT, "ledger": book.name, "entries": [entry.document() for entry in book.entries]}
