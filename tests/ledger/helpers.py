"""Promises and ledgers of tests."""

from fractions import Fraction

from dprules.accounting import Account, Counts, Promise, Unit
from dprules.ledger import Ledger, Sums


def promise(epsilon, delta=0, *, neighbours="add-remove", unit=None, job="fit"):
    """A job that counts once, at all of epsilon."""
    epsilon = Fraction(str(epsilon))
    account = Account(epsilon, Fraction(str(delta)), neighbours, unit or Unit())
    if neighbours == "add-remove":
        account.charge("counts", Counts(epsilon / account.unit.rows), epsilon)
    return Promise.of(job, account, fixed=neighbours == "add-remove")


def make_ledger(url, epsilon=1, delta=0, columns=("age", "region", "y")):
    ledger = Ledger.create(url)
    ledger.register("patients", columns)
    ledger.grant("patients", Sums(epsilon, delta), by="the officer", why="a study")
    return ledger
