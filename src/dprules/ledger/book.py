"""What the entries of a ledger amount to, and what may be written next: public rules, no storage."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime
from fractions import Fraction

from dprules.accounting import Quote
from dprules.errors import ModelError, ParameterError, PrivacyError
from dprules.ledger.budgets import Cost
from dprules.ledger.chain import Entry
from dprules.ledger.charges import Begun, ChargeEntry, Closed, Finished, Reserved, write_quote
from dprules.ledger.grants import DataSet, Grant
from dprules.ledger.states import ChargeState, GrantState, add_costs, multiply_cost, no_cost
from dprules.ledger.words import DOWN, DUST, show_cost, show_held


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
        self.reservations: dict[int, Reserved] = {}
        self._tokens: dict[str, Entry] = {}
        self._latest: datetime | None = None
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
        elif isinstance(body, Begun):
            self._charge(body.charge).begun = True
        elif isinstance(body, Finished):
            state = self._charge(body.charge)
            state.begun, state.digest = True, body.digest
        elif isinstance(body, Reserved):
            self._count_reservation(entry, body)
        elif isinstance(body, Closed):
            self._close(body.entry)
        self.entries.append(entry)
        self._latest = self.now(entry.time)
        self._tokens[entry.token] = entry

    def find(self, token: str) -> Entry | None:
        """Return the entry that somebody wrote with a token."""
        return self._tokens.get(token)

    def now(self, clock: datetime) -> datetime:
        """Return the time: a clock that was set back cannot bring back a grant that has ended."""
        return clock if self._latest is None else max(clock, self._latest)

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

    def is_open(self, number: int) -> bool:
        """Whether a grant may be charged, or a reservation holds room; what is neither is refused."""
        if number in self.grants:
            return not self.grants[number].closed
        if number not in self.reservations:
            raise ParameterError(f"entry {number} is no grant and no reservation. See `dprules ledger show`.")
        return any(number in state.held for state in self.grants.values())

    def _close(self, number: int) -> None:
        self.is_open(number)
        if number in self.grants:
            self.grants[number].closed = True
        for state in self.grants.values():
            state.held.pop(number, None)

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
        reservation: int | None,
        by: str,
        clock: datetime,
    ) -> ChargeEntry:
        """Return the charge that may be written, or refuse: say what was asked, what is left and what would fit."""
        self.require_same(self.dataset(dataset), quote, columns)
        if reservation is not None:
            return self.require_held(dataset, quote, reservation, by, clock)
        usable = [state for state in self.grants_of(dataset) if not state.ended(self.now(clock))]
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
                return ChargeEntry(dataset, state.entry.number, write_quote(quote), cost, None, by)
            refusals.append(_refuse(state, cost))
        if not usable:
            refusals.append(self._nothing_granted(dataset))
        raise PrivacyError(f"{quote.job} of data set {dataset!r}: {_join(refusals)} Nothing has run.")

    def require_resumable(
        self, number: int, dataset: str, quote: Quote, columns: Collection[str] | None
    ) -> ChargeState:
        """Return a charge whose job may be run again, or refuse."""
        state = self._charge(number)
        self.require_same(self.dataset(dataset), quote, columns)
        if (state.spent.dataset, state.spent.quote) != (dataset, quote):
            raise PrivacyError(
                f"charge {number} is for another job or data set. Ask for the very same, or charge anew."
            )
        if state.begun:
            raise PrivacyError(
                f"the job of charge {number} has drawn random bits, and cannot be run again. Charge anew."
            )
        return state

    def require_begin(self, number: int) -> Begun:
        """Return the entry that says that a job begins; a second one is refused."""
        if self._charge(number).begun:
            raise PrivacyError(f"the job of charge {number} was begun already, and cannot be run again. Charge anew.")
        return Begun(number)

    def require_finish(self, number: int, digest: str) -> Finished:
        """Return the entry that says what a job has released; a second one is refused."""
        if self._charge(number).digest is not None:
            raise PrivacyError(f"the job of charge {number} has released something already. Charge anew.")
        return Finished(number, digest)

    def require_reservation(self, dataset: str, costs: Counter[Cost], by: str, clock: datetime) -> Reserved:
        """Return the reservation that may be written, or refuse."""
        self.dataset(dataset)
        none = next(iter(costs))
        asked = add_costs(
            [multiply_cost(cost, times) for cost, times in costs.items()], tuple(Fraction(0) for _ in none)
        )
        usable = [state for state in self.grants_of(dataset) if not state.ended(self.now(clock))]
        refusals = [] if usable else [self._nothing_granted(dataset)]
        for state in usable:
            if len(state.left) != len(asked):
                counted = " and ".join(state.grant.filter.coordinates)
                refusals.append(f"grant {state.entry.number} counts {counted}: nothing would fit.")
                continue
            if all(amount <= rest for amount, rest in zip(asked, state.left, strict=True)):
                return Reserved(dataset, state.entry.number, tuple(costs.items()), by)
            refusals.append(_refuse(state, asked))
        fits = sum(costs.values())
        raise PrivacyError(f"{fits:,} fits of data set {dataset!r}: {_join(refusals)} Nothing has run.")

    def require_close(self, number: int) -> Closed:
        """Return the entry that ends a grant, or closes a reservation."""
        self.is_open(number)
        return Closed(number)

    def require_held(self, dataset: str, quote: Quote, number: int, by: str, clock: datetime) -> ChargeEntry:
        """Return the charge that a reservation holds room for, or refuse."""
        reserved = self.reservations.get(number)
        if reserved is None or reserved.dataset != dataset:
            raise PrivacyError(f"entry {number} is no reservation for this. Nothing has run.")
        state = self._grant(reserved.grant)
        if state.ended(self.now(clock)):
            raise PrivacyError(f"grant {reserved.grant} of reservation {number} has ended. Nothing has run.")
        cost = state.grant.filter.cost(quote)
        if _room_for(cost, state.held.get(number, Counter())) is None:
            held = show_held(state.grant.filter, state.held.get(number, Counter()))
            raise PrivacyError(
                f"{quote.job} asks for {show_cost(state.grant.filter, cost)}, and reservation {number} holds {held}. "
                "Reserve again, or charge without it. Nothing has run."
            )
        return ChargeEntry(dataset, reserved.grant, write_quote(quote), cost, number, by)

    def _count_charge(self, entry: Entry, body: ChargeEntry) -> None:
        state = self._grant(body.grant)
        if len(body.cost) != len(state.spent) or min(body.cost) < 0:
            raise ModelError(f"entry {entry.number} of the ledger costs something that its grant does not count.")
        state.take(body.cost)
        if body.reservation is not None and body.reservation in state.held:
            room = _room_for(body.cost, state.held[body.reservation])
            state.held[body.reservation] -= Counter([] if room is None else [room])
        self.charges[entry.number] = ChargeState(entry, body)

    def _count_reservation(self, entry: Entry, body: Reserved) -> None:
        state = self._grant(body.grant)
        if any(len(cost) != len(state.spent) for cost, _ in body.costs):
            raise ModelError(f"entry {entry.number} of the ledger holds something that its grant does not count.")
        self.reservations[entry.number] = body
        state.held[entry.number] = Counter(dict(body.costs))

    def _charge(self, number: int) -> ChargeState:
        if number not in self.charges:
            raise ParameterError(f"entry {number} of the ledger is no charge. See `dprules ledger show`.")
        return self.charges[number]

    def _grant(self, number: int) -> GrantState:
        if number not in self.grants:
            raise ModelError(f"entry {number} of the ledger is no grant.")
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
        """Refuse columns that are none of a data set."""
        if dataset.columns is not None:
            unknown = sorted(set(columns) - set(dataset.columns))
            if unknown:
                raise PrivacyError(
                    f"column {unknown[0]!r} is none of data set {dataset.name!r}. Charge the data set that it is of."
                )


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


def _room_for(cost: Cost, held: Counter[Cost]) -> Cost | None:
    """Return the least of what a reservation holds that a job fits into: a refit may be cheaper than the dearest."""
    fitting = [
        each for each, times in held.items() if times > 0 and all(a <= b for a, b in zip(cost, each, strict=True))
    ]
    return min(fitting, default=None)


def _join(refusals: Iterable[str]) -> str:
    """Return sentences one after the other; the first goes on from a colon."""
    first, *others = refusals
    return " ".join([first, *(sentence[:1].upper() + sentence[1:] for sentence in others)])
