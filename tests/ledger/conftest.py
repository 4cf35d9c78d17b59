"""Ledgers in both stores."""

import pytest

from ledger.helpers import make_ledger
from servers import database, server

__all__ = ["database", "server"]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """Where a new ledger may be."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    request.getfixturevalue("database")
    return request.getfixturevalue("server")


@pytest.fixture
def ledger(url):
    """A ledger with data set `patients` and epsilon 1."""
    return make_ledger(url)


@pytest.fixture
def small(tmp_path):
    """The same, in a file."""
    return make_ledger(tmp_path / "ledger.db")
