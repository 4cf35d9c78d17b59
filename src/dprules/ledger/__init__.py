"""Accounts that live on disk or in a database: budgets of data sets, which jobs charge before they release."""

from dprules.ledger.account import LedgerAccount
from dprules.ledger.book import Book
from dprules.ledger.budgets import Budget, EpsilonDelta, ReferenceJob, SlotBudget
from dprules.ledger.chain import Entry
from dprules.ledger.charges import ChargeEntry
from dprules.ledger.grants import DataSet, Grant
from dprules.ledger.ledger import Ledger
from dprules.ledger.log import hide_password
from dprules.ledger.states import ChargeState, GrantState
from dprules.ledger.verification import find_future
from dprules.ledger.words import DOWN, UP, ChargePreview, show_amount, show_cost, show_guarantee, show_total

__all__ = [
    "DOWN",
    "UP",
    "Book",
    "Budget",
    "ChargeEntry",
    "ChargePreview",
    "ChargeState",
    "DataSet",
    "Entry",
    "EpsilonDelta",
    "Grant",
    "GrantState",
    "Ledger",
    "LedgerAccount",
    "ReferenceJob",
    "SlotBudget",
    "find_future",
    "hide_password",
    "show_amount",
    "show_cost",
    "show_guarantee",
    "show_total",
]
