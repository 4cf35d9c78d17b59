"""Accounts that live on disk or in a database: budgets of data sets, charged before a row is read."""

from dprules.ledger.bits import AnnouncedBits
from dprules.ledger.book import Book
from dprules.ledger.budgets import Budget, Concentrated, EpsilonDelta, Gaussians, ReferenceJob, SlotBudget
from dprules.ledger.chain import Entry
from dprules.ledger.charges import ChargeEntry
from dprules.ledger.grants import DataSet, Grant
from dprules.ledger.ledger import Ledger, Reservation, Ticket
from dprules.ledger.log import hide_password
from dprules.ledger.states import ChargeState, GrantState
from dprules.ledger.words import DOWN, UP, ChargePreview, show_amount, show_cost, show_guarantee, show_held, show_total

__all__ = [
    "DOWN",
    "UP",
    "AnnouncedBits",
    "Book",
    "Budget",
    "ChargeEntry",
    "ChargePreview",
    "ChargeState",
    "Concentrated",
    "DataSet",
    "Entry",
    "EpsilonDelta",
    "Gaussians",
    "Grant",
    "GrantState",
    "Ledger",
    "ReferenceJob",
    "Reservation",
    "SlotBudget",
    "Ticket",
    "hide_password",
    "show_amount",
    "show_cost",
    "show_guarantee",
    "show_held",
    "show_total",
]
