"""Accounts that live on disk or in a database: budgets of data sets, charged before a row is read."""

from dprules.ledger.bits import AnnouncedBits
from dprules.ledger.book import Book
from dprules.ledger.chain import Entry
from dprules.ledger.charges import Spent
from dprules.ledger.filters import Concentrated, Filter, Gaussians, Shape, SlotBudget, Sums
from dprules.ledger.grants import DataSet, Grant
from dprules.ledger.ledger import Ledger, Reservation, Ticket
from dprules.ledger.log import hide_password
from dprules.ledger.states import ChargeState, GrantState
from dprules.ledger.words import DOWN, UP, Foreseen, show_amount, show_cost, show_guarantee, show_held, show_total

__all__ = [
    "DOWN",
    "UP",
    "AnnouncedBits",
    "Book",
    "ChargeState",
    "Concentrated",
    "DataSet",
    "Entry",
    "Filter",
    "Foreseen",
    "Gaussians",
    "Grant",
    "GrantState",
    "Ledger",
    "Reservation",
    "Shape",
    "SlotBudget",
    "Spent",
    "Sums",
    "Ticket",
    "hide_password",
    "show_amount",
    "show_cost",
    "show_guarantee",
    "show_held",
    "show_total",
]
