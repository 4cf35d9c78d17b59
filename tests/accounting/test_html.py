"""Statements as notebooks show them."""

import re
from html import unescape

import pytest

from dprules.accounting import SEEDED, Account, Assumption, Pure, Unit


def certificate(unit: Unit, *, secure: bool):
    account = Account(1.0, 1e-6, "add-remove", unit)
    account.charge("class <counts>", Pure(1))
    return account.certificate(secure=secure, assumptions=(Assumption.SCHEMA, Assumption.SETTINGS))


@pytest.mark.parametrize("secure", [True, False])
def test_every_word_of_the_statement_is_there_and_escaped(secure):
    shown = certificate(Unit("<b>person</b>"), secure=secure)
    page = shown._repr_html_()
    assert set(re.findall(r"<(\w+)", page)) <= {"dl", "dt", "dd", "br"}
    text = unescape(re.sub(r"<[^<>]+>", " ", page))
    assert set(shown.statement().replace(":", "").split()) <= set(text.replace(":", "").split())
    assert (SEEDED in text) == (not secure)


def test_titles():
    titles = re.findall("<dt>(.*?)</dt>", certificate(Unit(), secure=True)._repr_html_())
    assert titles[0] == "Guarantee"
    assert {"Spent on", "Assumed public", "Not covered"} <= set(titles)
