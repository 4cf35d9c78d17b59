"""Check a ledger from its first entry to its last: the chain, the rules, the prices."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from dprules.accounting import LedgerReference
from dprules.errors import DprulesError, ModelError
from dprules.ledger.book import Book
from dprules.ledger.budgets import Budget, Cost
from dprules.ledger.chain import Entry, Row, find_break, read_row
from dprules.ledger.charges import ChargeEntry, Closed, Finished, read_quote
from dprules.ledger.grants import DataSet, Grant

AHEAD = timedelta(days=1)
"""Entries dated later than this from now are named: clocks of time zones may differ by less."""


def find_problems(
    name: str,
    rows: Sequence[Row],
    *,
    clock: datetime,
    head: str | None = None,
    references: Collection[LedgerReference] = (),
) -> list[str]:
    """Return what is wrong with a ledger, in sentences.

    Parameters
    ----------
    name : str
        The ledger's name.
    rows : sequence of Row
        All entries.
    head : str or None
        A digest that was kept: the entry that has it must be there.
    references : collection of LedgerReference
        From certificates.
    clock : datetime
        The reader's time.
    """
    broken = find_break(name, rows)
    found = [] if broken is None else [f"entry {broken} was changed or moved"]
    digests = {row.digest: row.number for row in rows}
    if head is not None and head not in digests:
        found.append("no entry has the digest that was kept: the last entries were removed, or all were written anew")
    found += [sentence for reference in references for sentence in _miss(name, digests, reference)]
    return [*found, *_replay(name, rows, clock)]


def _miss(name: str, digests: dict[str, int], reference: LedgerReference) -> list[str]:
    if reference.ledger != name:
        return [f"a certificate was charged to ledger {reference.ledger[:8]}, and this is ledger {name[:8]}"]
    if digests.get(reference.digest) != reference.entry:
        return [f"entry {reference.entry}, which a certificate names, is gone or is another one"]
    return []


def _replay(name: str, rows: Sequence[Row], clock: datetime) -> list[str]:
    """Write every entry again under the rules, and price what was promised again."""
    book = Book(name, [])
    found = []
    for row in rows:
        try:
            entry = read_row(row)
            found += [f"entry {row.number}: {sentence}" for sentence in _check(book, entry)]
            book.add(entry)
        except DprulesError as error:
            found.append(f"entry {row.number}: {_clause(error)}")
            break
    found += find_future(book.entries, clock)
    return list(dict.fromkeys(found))  # what may not be written may not be counted either


def find_future(entries: Iterable[Entry], clock: datetime) -> list[str]:
    """Return which entries are dated more than a day ahead of the reader's clock, in sentences."""
    dated = [entry.number for entry in entries if entry.time > clock + AHEAD]
    if not dated:
        return []
    which = f"entry {dated[0]} is" if len(dated) == 1 else f"entries {', '.join(map(str, dated[:5]))} are"
    return [f"{which} dated more than a day ahead of this computer's clock: the clock of some computer is wrong"]


def _clause(error: DprulesError) -> str:
    """Return a sentence as a part of another."""
    return str(error).removesuffix(".")


def _check(book: Book, entry: Entry) -> list[str]:
    """Return what the rules have against an entry, given those before it."""
    body = entry.body
    try:
        if isinstance(body, DataSet):
            book.require_new(body)
        elif isinstance(body, Finished):
            book.require_finish(body.charge, body.digest)
        elif isinstance(body, Closed):
            book.require_close(body.entry)
        elif isinstance(body, Grant):
            _check_grant(book, body)
        elif isinstance(body, ChargeEntry):
            return _check_charge(book, entry, body)
    except DprulesError as error:
        return [_clause(error)]
    return []


@lru_cache(maxsize=1024)
def _judge(terms: str) -> tuple[str, ...]:
    """Return what is wrong with a quote; many jobs are alike, and are priced once."""
    return tuple(read_quote(terms).problems())


@lru_cache(maxsize=1024)
def _price(budget: Budget, terms: str) -> Cost:
    return budget.cost(read_quote(terms))


def _check_grant(book: Book, body: Grant) -> None:
    known = book.dataset(body.dataset)
    if getattr(body.filter, "neighbours", known.neighbours) is not known.neighbours:
        raise ModelError("its slots are for other neighbours than its data set")


def _check_charge(book: Book, entry: Entry, body: ChargeEntry) -> list[str]:
    found = [f"its quote does not hold: {sentence}" for sentence in _judge(body.terms)]
    state = book.grants.get(body.grant)
    if state is None or state.grant.dataset != body.dataset:
        return [*found, "it is charged to something that is no grant of its data set"]
    if len(body.cost) != len(state.spent):
        return [*found, "it costs something that its grant does not count"]
    book.require_same(book.dataset(body.dataset), body.quote, None)
    price = _price(state.grant.filter, body.terms)
    if any(taken < amount for taken, amount in zip(body.cost, price, strict=True)):
        found.append("its job, priced again, costs more than was taken for it")
    if state.ended(entry.time):
        found.append("its grant had ended")
    elif any(taken > rest for taken, rest in zip(body.cost, state.left, strict=True)):
        found.append("its grant did not have that much left")
    return found
