"""Lists as notebooks show them."""

from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

from dprules.models import Rule, RuleList
from dprules.schema import Categorical, Literal, Numeric, Operator
from models.cards import small

NASTY = '<img src=x onerror=alert(1)> & "quotes"'
AGE = Literal(Numeric("age", cuts=(30.0,)), Operator.BELOW, 30.0)
KIND = Literal(Categorical("kind", (NASTY, "b")), Operator.EQUALS, NASTY)
RULES = RuleList((Rule((AGE,), "low"), Rule((KIND, AGE), "high")), "low", ("low", "high"))


class Cells(HTMLParser):
    """Collects the text of the cells of a table, row by row, and every tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        self.rows[-1][-1] += data


def test_a_table_with_a_row_for_each_rule():
    read = Cells(RULES._repr_html_())
    assert read.tags == {"table", "tr", "th", "td"}
    assert read.rows == [
        ["", "if", "then"],
        ["1", "age < 30", "low"],
        ["2", f"kind = {NASTY} and age < 30", "high"],
        ["3", "otherwise", "low"],
    ]


def test_counts_are_a_column_where_they_were_released():
    counted = RULES.with_counts([[9000, 1000], [3, 2], [6000, 4000]], Fraction(1, 2))
    above, table = counted._repr_html_().split("<table", 1)
    assert above == f"<p>{counted.describe_records()}</p>"
    shown = Cells("<table" + table).rows
    assert shown[0] == ["", "if", "then", "records"]
    assert [line[-1] for line in shown[1:]] == [str(told) for told in counted.told()]
    assert shown[2][-1].startswith("too few to tell (at most ")


def test_the_page_lends_its_colours():
    assert "color" not in RULES._repr_html_()


class Page(HTMLParser):
    """Collects the text of a page, and every tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text.append(data)


def test_a_scorecard_says_what_it_prints():
    card = replace(small(), classes=("no", NASTY), positive=NASTY)
    read = Page(card._repr_html_())
    assert read.tags == {"p", "table", "tr", "th", "td"}
    shown = " ".join(read.text)
    assert f"risk of {NASTY}" in shown
    assert "color" not in card._repr_html_()
    for line in str(card).splitlines():
        assert all(word in shown for word in line.split())
