"""Reports: one page of released values, escaped, with nothing from the network."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from dprules.jobs import FitRequest, ListSettings, fit
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.models import Halfspace, Released, Term
from dprules.report import render
from dprules.schema import Boolean, Label, literals_of


@pytest.fixture(scope="module")
def released() -> Released:
    return fit(FitRequest(hospital_stays(2000, 1), SCHEMA, ListSettings(shares={"counts": 0.1})))


class Tags(HTMLParser):
    """Collects what could fetch or run something, and whether tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.active: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "rect"):
            self.open.append(tag)
        if tag in ("script", "iframe", "link", "img", "object") or any(
            k in ("src", "href", "onload") for k, _ in attrs
        ):
            self.active.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "rect"):
            assert self.open.pop() == tag


def check(page):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.active == []


def test_a_list_has_a_row_and_a_bar_for_each_rule(released):
    page = render(released)
    check(page)
    assert page.count("<svg") == len(released.model.rules) + 1
    for rule in released.model.rules:
        assert str(rule.conditions[0]).replace(">", "&gt;").replace("<", "&lt;") in page
    assert "(1, 1e-06)-differentially private" in page
    assert "Verified" in page
    assert "Not private" not in page


def test_a_list_without_counts_and_an_empty_one():
    plain = fit(FitRequest(hospital_stays(2000, 1), SCHEMA))
    check(render(plain))
    assert "<svg" not in render(plain)
    nothing = fit(FitRequest(hospital_stays(0, 1), SCHEMA, ListSettings(max_rules=1, shares={"counts": 0.1})))
    check(render(nothing))


def test_a_halfspace(released):
    terms = (Term(literals_of(Boolean("a"))[:1], 0.5),)
    page = render(replace(released, model=Halfspace(terms, 0.1, ("no", "yes")), label=Label("y", ("no", "yes"))))
    check(page)
    assert "+0.500" in page
    assert "Not verified" in page  # the certificate is for another model


def test_seeded_runs_are_marked():
    page = render(fit(FitRequest(hospital_stays(500, 1), SCHEMA, seed=1)))
    assert "Not private: this run used seeded noise" in page


def test_names_are_escaped(released):
    terms = (Term(literals_of(Boolean('<script>alert("x")</script>'))[:1], 0.5),)
    label = Label("<img src=x onerror=alert(1)>", ("<b>no</b>", "yes"))
    page = render(replace(released, model=Halfspace(terms, 0.0, ("<b>no</b>", "yes")), label=label, table="<i>t</i>"))
    check(page)
    assert "<script>" not in page
    assert "<img" not in page
    assert "<i>" not in page
