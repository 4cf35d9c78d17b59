"""What the entries of a ledger amount to, and what may be written next: public rules, no storage."""

from collections.abc import Collection, Iterable
from datetime import datetime
from fractions import Fraction

from dprules.accounting import Quote
from dprules.errors import ModelError, ParameterError, PrivacyError
from dprules.ledger.budgets import Cost
from dprules.ledger.chain import Entry
from dprules.ledger.charges import ChargeEntry, Closed, Finished, write_quote
from dprules.ledger.grants import DataSet, Grant
from dprules.ledger.states import ChargeState, GrantState, no_cost
from dprules.ledger.words import DOWN, DUST, show_cost


class Book:
    """Everything that a ledger knows, from its entries.

    Parameters
    ----------
    name : str
        The ledger's name.
    entries : iterable of Entry
        In their order.
    """

    def __init__(self, name: str, entries: Iterable[Entry]) -> None:
        self.name = name
        self.entries: list[Entry] = []
        self.datasets: dict[str, DataSet] = {}
        self.grants: dict[int, GrantState] = {}
        self.charges: dict[int, ChargeState] = {}
        self._tokens: dict[str, Entry] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Count one more entry; what could not have been written is refused."""
        body = entry.body
        if isinstance(body, DataSet):
            self.datasets[body.name] = body
        elif isinstance(body, Grant):
            self.grants[entry.number] = GrantState(entry, body, no_cost(body))
        elif isinstance(body, ChargeEntry):
            self._count_charge(entry, body)
        elif isinstance(body, Finished):
            self._charge(body.charge).digest = body.digest
        elif isinstance(body, Closed):
            self._grant_of(body.entry).closed = True
        self.entries.append(entry)
        self._tokens[entry.token] = entry

    def find(self, token: str) -> Entry | None:
        """Return the entry that somebody wrote with a token."""
        return self._tokens.get(token)

    def dataset(self, name: str) -> DataSet:
        """Return a data set by its name."""
        found = self.datasets.get(name)
        if found is None:
            known = ", ".join(sorted(self.datasets)) or "none yet"
            raise ParameterError(
                f"the ledger has no data set {name!r} (it has: {known}). Register it with `dprules ledger init`."
            )
        return found

    def grants_of(self, dataset: str) -> list[GrantState]:
        """Return the grants of a data set, in their order."""
        return [state for state in self.grants.values() if state.grant.dataset == dataset]

    def require_new(self, new: DataSet) -> DataSet:
        """Return a data set that may be registered, or refuse it."""
        if new.name in self.datasets:
            raise ParameterError(
                f"the ledger has a data set {new.name!r} already. Choose another name, or grant it more."
            )
        alike = next((known for known in self.datasets.values() if known.may_be(new)), None)
        if alike is not None and not new.distinct:
            said = None not in (alike.columns, new.columns)
            why = "has columns of the same names" if said else "may be the same: not both say which columns they have"
            raise PrivacyError(
                f"data set {alike.name!r} {why}. If they hold records of the same people, charge that one; if all "
                "records are of other people, declare the new one distinct."
            )
        return new

    def require_charge(
        self,
        dataset: str,
        quote: Quote,
        columns: Collection[str] | None,
        by: str,
        clock: datetime,
    ) -> ChargeEntry:
        """Return the charge that may be written, or refuse: say what was asked, what is left and what would fit."""
        self.require_same(self.dataset(dataset), quote, columns)
        usable = [state for state in self.grants_of(dataset) if not state.ended(clock)]
        refusals = []
        for state in usable:
            left = state.left
            try:
                cost = state.grant.filter.cost(quote)
            except PrivacyError as error:
                shown = show_cost(state.grant.filter, left, DOWN)
                refusals.append(f"grant {state.entry.number}, which has {shown} left, cannot pay for it: {error}")
                continue
            if all(amount <= rest for amount, rest in zip(cost, left, strict=True)):
                return ChargeEntry(dataset, state.entry.number, write_quote(quote), cost, by)
            refusals.append(_refuse(state, cost))
        if not usable:
            refusals.append(self._nothing_granted(dataset))
        raise PrivacyError(f"{quote.job} of data set {dataset!r}: {_join(refusals)} Nothing was spent.")

    def require_finish(self, number: int, digest: str) -> Finished:
        """Return the entry that says what a job has released; a second one is refused."""
        if self._charge(number).digest is not None:
            raise PrivacyError(f"charge {number} is already recorded as released.")
        return Finished(number, digest)

    def require_close(self, number: int) -> Closed:
        """Return the entry that ends a grant."""
        self._grant_of(number)
        return Closed(number)

    def _count_charge(self, entry: Entry, body: ChargeEntry) -> None:
        state = self._grant_of(body.grant)
        if len(body.cost) != len(state.spent) or min(body.cost) < 0:
            raise ModelError(f"entry {entry.number} of the ledger costs something that its grant does not count.")
        state.take(body.cost)
        self.charges[entry.number] = ChargeState(entry, body)

    def _charge(self, number: int) -> ChargeState:
        if number not in self.charges:
            raise ParameterError(f"entry {number} of the ledger is not a charge. See `dprules ledger show`.")
        return self.charges[number]

    def _grant_of(self, number: int) -> GrantState:
        if number not in self.grants:
            raise ParameterError(f"entry {number} of the ledger is not a grant. See `dprules ledger show`.")
        return self.grants[number]

    def _nothing_granted(self, dataset: str) -> str:
        ended = " Its grants have ended." if self.grants_of(dataset) else ""
        return f"nothing is granted.{ended} Grant it with `dprules ledger grant`."

    def require_same(self, dataset: DataSet, quote: Quote, columns: Collection[str] | None) -> None:
        """Refuse a job that is not about this data set, or protects something else than its budget."""
        if quote.neighbours is not dataset.neighbours:
            raise PrivacyError(
                f"the budget of data set {dataset.name!r} is for {dataset.neighbours} neighbours, and the job has "
                f"{quote.neighbours}. Choose those of the data set."
            )
        if (quote.unit.column, quote.unit.of) != (dataset.unit.column, dataset.unit.of):
            raise PrivacyError(
                f"the budget of data set {dataset.name!r} protects each {dataset.unit}, and the job each "
                f"{quote.unit}. Choose the unit of the data set."
            )
        if columns is not None:
            self.require_columns(dataset, columns)

    def require_columns(self, dataset: DataSet, columns: Collection[str]) -> None:
        """Refuse columns that a data set does not have."""
        if dataset.columns is not None:
            unknown = sorted(set(columns) - set(dataset.columns))
            if unknown:
                raise PrivacyError(f"Data set {dataset.name!r} has no column {unknown[0]!r}.")


def _refuse(state: GrantState, cost: Cost) -> str:
    kind = state.grant.filter
    left = tuple(
        Fraction(0) if rest < DUST * limit else rest for rest, limit in zip(state.left, kind.limit, strict=True)
    )
    least = tuple(map(min, cost, left))
    some = all(rest or not amount for amount, rest in zip(cost, least, strict=True))
    fits = f"{show_cost(kind, least, DOWN)} would fit" if some else "nothing would fit"
    rest = show_cost(kind, left, DOWN)
    return f"{show_cost(kind, cost)} is asked, and grant {state.entry.number} has {rest} left: {fits}."


def _join(refusals: Iterable[str]) -> str:
    """Return sentences one after the other; the first goes on from a colon."""
    first, *others = refusals
    return " ".join([first, *(sentence[:1].upper() + sentence[1:] for sentence in others)])
