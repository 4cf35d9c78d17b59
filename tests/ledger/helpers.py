"""Promises and ledgers of tests."""

from fractions import Fraction

from dprules.accounting import Account, Counts, Quote, Unit
from dprules.ledger import EpsilonDelta, Ledger


def quote(epsilon, delta=0, *, neighbours="add-remove", unit=None, job="fit"):
    """A job that counts once, at all of epsilon."""
    epsilon = Fraction(str(epsilon))
    account = Account(epsilon, Fraction(str(delta)), neighbours, unit or Unit())
    if neighbours == "add-remove":
        account.charge("counts", Counts(epsilon / account.unit.rows), epsilon)
    return Quote.of(job, account, fixed=neighbours == "add-remove")


def make_ledger(url, epsilon=1, delta=0, columns=("age", "region", "y")):
    ledger = Ledger.create(url)
    ledger.register("patients", columns)
    ledger.grant("patients", EpsilonDelta(epsilon, delta), by="the officer", why="a study")
    return ledger
