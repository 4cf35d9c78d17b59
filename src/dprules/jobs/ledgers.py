"""Budgets of data sets: make a ledger, grant, look, verify, export."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprules.accounting import Charge, Event, Gaussian, LedgerReference, Unit
from dprules.errors import FileError, ParameterError
from dprules.jobs.fitting import FitRequest, rehearse
from dprules.jobs.settings import ListSettings, ScorecardSettings, Settings
from dprules.ledger import (
    Book,
    Budget,
    ChargeState,
    Concentrated,
    DataSet,
    EpsilonDelta,
    Gaussians,
    GrantState,
    Ledger,
    ReferenceJob,
    SlotBudget,
)
from dprules.models import Released
from dprules.numbers import Real, rational
from dprules.schema import Boolean, Label, Schema

EXPORT = "dprules-ledger-export"
SHAPES = "list:RULES or scorecard"
ROUNDING = Fraction(1, 2**40)
"""Of what a record costs in a slot for scorecards."""


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
    except FileError:
        if dataset is None:
            raise
        ledger = Ledger(url)
        ledger.book()
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
    rho: Real | None = None,
    mu: Real | None = None,
    slots: int | None = None,
    shapes: Sequence[str] = (),
    each_epsilon: Real | None = None,
    each_delta: Real | None = None,
    neighbours: str = "add-remove",
    unit: Unit = Unit(),  # noqa: B008 - a frozen value
) -> Budget:
    """Return the budget that a grant is stated in: exactly one of epsilon, rho, mu and slots is given.

    Parameters
    ----------
    epsilon, delta : number
        Epsilons and deltas that add up; with rho, mu and slots delta is for the statement.
    rho, mu : number
        Zero-concentrated or Gaussian budgets that add up.
    slots : int
        So many jobs below the curve of `shapes`, each a fit at `each_epsilon` and `each_delta`.
    shapes : sequence of str
        "list:RULES" or "scorecard".
    neighbours, unit
        Of the data set, for slots.
    """
    if sum(value is not None for value in (epsilon, rho, mu, slots)) != 1:
        raise ParameterError("a grant is stated in epsilon, in rho, in mu or in slots. Give exactly one of them.")
    if slots is None and (shapes or each_epsilon is not None or each_delta is not None):
        raise ParameterError("shapes and what each may cost belong to slots. Give their number, too.")
    if epsilon is not None:
        return EpsilonDelta(epsilon, 0 if delta is None else delta)
    if delta is None:
        raise ParameterError("say for which delta the grant is to be stated, such as 1e-6.")
    if rho is not None:
        return Concentrated(rho, delta)
    if mu is not None:
        return Gaussians(mu, delta)
    if not shapes or each_epsilon is None or each_delta is None or slots is None:
        raise ParameterError(f"slots need a shape ({SHAPES}), and the epsilon and delta of each job.")
    made = tuple(_shape(shape, each_epsilon, each_delta, neighbours, unit) for shape in shapes)
    return SlotBudget(slots, made, FitRequest({}, _PLAIN, neighbours=neighbours).account().neighbours, delta)


_PLAIN = Schema(Label("y", ("no", "yes")), [Boolean("x")])
"""Prices do not depend on columns, unless cuts or values are bought."""


def _shape(text: str, epsilon: Real, delta: Real, neighbours: str, unit: Unit) -> ReferenceJob:
    """Return the events of a fit by its name."""
    kind, _, number = text.partition(":")
    settings: Settings
    if kind == "list" and number.isdecimal() and number.isascii():
        settings = ListSettings(max_rules=int(number))
        name = f"a list of {number} rules"
    elif text == "scorecard":
        settings = ScorecardSettings()
        name = "a scorecard"
    else:
        raise ParameterError(f"a shape must be {SHAPES}; got {text!r}.")
    request = FitRequest({}, _PLAIN, settings, epsilon, delta, neighbours, unit.column, unit.rows)
    events = [_widened(release.event) for charge in rehearse(request).charges for release in charge.releases]
    return ReferenceJob(f"{name} at epsilon {float(epsilon):g} and delta {float(delta):g}", tuple(events), unit.rows)


def _widened(event: Event) -> Event:
    """Return an event that costs a little more: cards divide one mu in ways that are rounded differently."""
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
    marks = [released.certificate.ledger for released in loaded if released.certificate.ledger is not None]
    found = ledger.verify(head, marks)
    if not found:
        found += [sentence for released in loaded for sentence in join(released, ledger.book())]
    return found


def join(released: Released, book: Book) -> list[str]:
    """Return what does not fit between a model and the ledger that it was charged to, in sentences."""
    mark = released.certificate.ledger
    if mark is None:
        return ["the certificate names no ledger: the model was fitted without one"]
    if mark.ledger != book.name:
        return [f"the model was charged to ledger {mark.ledger[:8]}, and this is ledger {book.name[:8]}"]
    state = book.charges.get(mark.entry)
    if state is None or state.entry.digest != mark.digest:
        return [f"entry {mark.entry} of the ledger is not the charge that the certificate names"]
    return _compare(released, mark, state)


def _compare(released: Released, mark: LedgerReference, state: ChargeState) -> list[str]:
    certificate, spent, quote = released.certificate, state.spent, state.spent.quote
    found = []
    if mark.dataset != spent.dataset:
        found.append("the ledger names another data set")
    if (certificate.neighbours, certificate.unit) != (quote.neighbours, quote.unit):
        found.append("the ledger names other neighbours, or another unit")
    if quote.charges and certificate.charges != quote.charges:
        found.append("the certificate lists other charges than were promised to the ledger")
    if not quote.charges and _exceeds(certificate.charges, quote.epsilon, quote.delta):
        found.append("the certificate lists more than was charged to the ledger")
    if not state.begun:
        found.append("the ledger does not know that the job drew any random bit")
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
