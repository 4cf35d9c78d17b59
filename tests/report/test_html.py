"""Reports: one page of released values, escaped, with nothing from the network."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import SEEDED
from dprules.jobs import ListSettings, ScorecardSettings
from dprules.models import Halfspace, Rule, RuleList
from dprules.models.card_words import describe_card
from dprules.report import render
from dprules.schema import Categorical, Label, literals_of, show_value
from models.cards import without_points
from models.test_model import MODELS
from report.examples import (
    HOSTILE,
    fit_example,
    make_card,
    make_card_of_many_classes,
    make_halfspace,
    make_long_list,
)

ACTIVE_TAGS = {"script", "iframe", "link", "img", "object", "embed", "form", "base", "a", "image", "use"}
KNOWN_ATTRIBUTES = {
    "charset",
    "class",
    "colspan",
    "content",
    "http-equiv",
    "id",
    "lang",
    "name",
    "role",
    "scope",
    "title",
    "value",
} | {"aria-hidden", "cx", "cy", "height", "r", "width", "x", "x1", "x2", "y", "y1", "y2"}


class Page(HTMLParser):
    """The tags of a page, its visible text, and for each row of a table its cells and the items listed in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.rows: list[list[str]] = []
        self.items: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []
        assert not ACTIVE_TAGS & set(self.tags)
        assert self.attributes <= KNOWN_ATTRIBUTES

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
            self.items.append([])
        if tag == "li" and "tr" in self.open:
            self.items[-1].append("")
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in ("dt", "dd", "p", "h1", "h2", "h3", "li"):
            self.text += "\n"

    def handle_data(self, data):
        if {"style", "title"} & set(self.open):
            return
        self.text += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data
        if {"tr", "li"} <= set(self.open):
            self.items[-1][-1] += data

    def words(self):
        return " ".join(self.text.split())


@pytest.fixture(scope="module")
def released():
    return fit_example()


def test_a_page_says_what_it_is_and_has_its_headings_in_order(released):
    text = render(released)
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert '<html lang="en">' in text
    assert "default-src 'none'" in text
    assert page.tags.count("h1") == page.tags.count("title") == page.tags.count("main") == 1
    headings = [tag for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == "h1"
    assert all(int(after[1]) <= int(before[1]) + 1 for before, after in pairwise(headings))
    assert text.count("<th") - text.count("<thead") == text.count('scope="col"') + text.count('scope="row"')
    assert page.tags.count("svg") == text.count('<svg aria-hidden="true"')  # the words beside them say the same


def test_what_is_predicted_from_what_and_when(released):
    dated = replace(released, table="stays", created="2026-02-03T04:05:06+00:00")
    words = Page(render(dated)).words()
    assert "What decides readmitted" in words
    assert "one of 2 classes: no, yes" in words
    assert "Learnt from stays" in words
    assert "3 February 2026, 04:05 UTC" in words
    assert released.software in words
    assert dated.digest() in words
    assert "not named in the model file" in Page(render(released)).words()
    assert "last Tuesday" in Page(render(replace(released, created="last Tuesday"))).words()


def test_every_line_has_its_noisy_numbers_or_says_that_there_are_too_few(released):
    model = make_long_list(released).model
    assert isinstance(model, RuleList)
    page = Page(render(replace(released, model=model)))
    rows = [[" ".join(cell.split()) for cell in row] for row in page.rows if row[0].isdigit()]
    assert [row[1] for row in rows] == [" ".join(rule.question.split()) for rule in model.rules] + ["otherwise"]
    for row, label, told in zip(rows, model.labels, model.told(), strict=True):
        assert row[2] == show_value(label).strip()
        said = str(told)  # "about 900 of 7,000 records, 74% right (70 to 78)"
        if told.records is None or told.right is None:
            assert row[3:] == [said]
            assert said.startswith("too few to tell (at most ")
        else:
            assert said.startswith(row[3].split(" (")[0])
            assert said.endswith(row[4])
    assert 0 < sum(told.records is None for told in model.told()) < len(rows)
    assert re.findall(r"about [0-9,]+", model.describe_records())[0] in page.words()


def test_a_list_without_counts_has_no_bars_and_no_numbers(released):
    page = Page(render(replace(released, model=replace(released.model, groups=None))))
    assert "svg" not in page.tags
    assert "Records not counted" in page.words()
    assert "% right" not in page.words()


def test_no_records_make_no_percentage(released):
    counts = [[1, -1] for _ in released.model.labels]
    page = Page(render(replace(released, model=released.model.with_counts(counts, 0.1))))
    assert "Records too few to tell how many" in page.words()
    assert "% right" not in page.words()


def test_the_legend_says_what_missing_values_do(released):
    words = Page(render(make_long_list(released))).words()
    assert "“ward != x” and “ward is present” ask for a declared value" in words
    assert "neither holds where the value is missing or undeclared" in words
    assert "In 95 of 100 runs" in words
    assert "class weights" not in Page(render(released)).words()
    weighed = fit_example(settings=ListSettings(class_weight={"no": 1, "yes": 3}))
    assert isinstance(weighed.model, RuleList)
    shown = ", ".join(f"{c}: {float(w):.4g}" for c, w in zip(("no", "yes"), weighed.model.weights, strict=True))
    assert f"class weights ({shown})" in Page(render(weighed)).words()


def test_the_certificate_is_whole_and_in_decimals(released):
    text = render(released)
    words = Page(text).words()
    for line in released.certificate.statement().splitlines():
        assert " ".join(line.split(": ", 1)[-1].split()) in words
    assert not re.search(r"\d+/\d+", words)
    for release in released.certificate.releases:
        assert f"{release.name}: {release.event.label}" in words
    exact = str(released.certificate.releases[-1].event.fields()["tilt"])
    assert f'title="exactly {exact}"' in text
    assert f"tilt {float(released.certificate.releases[-1].event.tilt):.4g}" in words
    assert "Verified" in words
    assert "Not verified" not in words


def test_what_was_assumed_is_listed_with_its_values(released):
    page = Page(render(released))
    for assumption in released.certificate.assumptions:
        assert assumption.value in page.words()
    known = {row[0]: items for row, items in zip(page.rows, page.items, strict=True) if len(row) == 2}
    assert known["readmitted"] == ["no", "yes"]
    for column in released.model.columns:
        entry = column.entry()
        assert known[column.name] == [show_value(value) for value in entry.get("values", entry.get("cuts", []))]


def test_seeded_noise_is_no_promise():
    words = Page(render(fit_example(rows=500, seed=1))).words()
    assert words.count(SEEDED) == 2  # at the top, and in the statement
    assert "Nothing is promised" in words
    assert "Whatever anyone could learn" not in words


def test_a_model_that_does_not_verify_has_a_banner(released):
    words = Page(render(replace(released, label=Label("other", ("no", "yes"))))).words()
    assert "Not verified: the certificate does not hold for this model. Do not trust it." in words
    assert "the certificate is for another model" in words
    assert "What the file claims" in words
    assert "Verified:" not in words


def test_cautions_stand_below_the_promise(released):
    risky = replace(released, certificate=replace(released.certificate, delta=0.01))
    assert risky.cautions()
    assert all(caution in Page(render(risky)).words() for caution in risky.cautions())


def test_a_halfspace(released):
    page = Page(render(make_halfspace(released)))
    assert next(row[1:] for row in page.rows if row[0].isdigit()) == [
        "income of the household in the year before the stay < 1e-07",
        "-1.000",
    ]
    assert "+0.500" in page.words()
    assert "the number temperature" in page.words()
    assert "Learnt from a stream events, after 1,000 rounds" in page.words()
    empty = replace(released, model=Halfspace((), 0.0, ("no", "yes")), label=Label("y", ("no", "yes")))
    assert "the answer is always no" in Page(render(empty)).words()


@pytest.fixture(scope="module")
def card():
    return fit_example(settings=ScorecardSettings(), epsilon=5)


def test_a_scorecard_has_its_points_its_table_and_its_curve(card):
    text = render(card)
    page = Page(text)
    words = describe_card(card.model)
    points, risks = words.tables
    shown = [[" ".join(cell.split()) for cell in row] for row in page.rows]
    assert all([*row, ""] in shown for row in points.rows)
    assert all(any(line[0] == row[0] and row[1].split()[0] in line[1] for line in shown) for row in risks.rows)
    assert all(sentence in page.words() for sentence in words.closing)
    assert 'class="curve"' in text
    assert f"A scorecard of {len(card.model.columns)} columns" in page.words()
    assert "about" in page.words()
    assert "Mu says how far" in page.words()
    assert "A tilt says" not in page.words()
    assert card.faults() == []
    assert "Not verified" not in page.words()


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_model_has_a_page(released, model):
    page = Page(render(replace(released, model=model, label=Label("y", model.classes, inferred=True))))
    for column in model.columns:
        assert show_value(column.name) in page.text


def test_a_scorecard_without_points_says_what_it_always_answers(released):
    page = Page(render(replace(released, model=without_points(2), label=Label("y", without_points(2).classes))))
    assert "A scorecard without points: it gives every record the same probabilities." in page.words()
    assert "svg" not in page.tags


def test_points_of_many_classes_are_named(released):
    made = make_card_of_many_classes(released)
    page = Page(render(made))
    line = next(lines for lines in page.items if lines)
    assert len(line) == 12
    assert "for the prediction, by class weights" in page.words()
    assert "double the odds" in page.words()


def test_a_card_that_noise_may_have_made_up_says_so(released):
    assert "Noise alone may have made this card up" in Page(render(make_card(released))).words()


def test_hostile_names_on_a_card_are_text(released):
    for made in (make_card(released), make_card_of_many_classes(released)):
        text = render(made)
        assert "<script>" in Page(text).text
        assert "<script>" not in text
        assert "\u202e" not in text


def test_long_and_hostile_names_are_text(released):
    text = render(make_long_list(released), f"-{HOSTILE}.json")
    page = Page(text)
    assert "<script>" in page.text
    assert "<script>" not in text
    assert "\u202e" not in text
    assert "and 100 more, in the model file" in page.words()
    assert "one of 12 classes, listed below" in page.words()


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_no_name_changes_the_page(released, name, value):
    """Whatever the names are, the page has the tags that it has with plain ones."""

    def pages(*names):
        column, first, second, third = names
        literals = literals_of(Categorical(column, (first, second, third)))
        model = RuleList((Rule(literals[3:4], first),), second, (first, second))
        made = replace(released, model=model, label=Label(column, (first, second)), table=first, software=second)
        return Page(render(made, third))

    hostile = [name, f"a{value}", f"b{value}", f"c{value}"]
    assert pages(*hostile).tags == pages("column", "a", "b", "c").tags


def test_the_commands_name_the_file(released):
    assert "dprules verify 'it'\"'\"'s.json'" in Page(render(released, "it's.json")).words()
