"""Lists as Markdown tables: nothing in a name can become markup."""

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dprules.models import Rule, RuleList, card_words
from dprules.models.export.header import Header
from dprules.models.export.markdown import escape, write_list
from dprules.schema import Categorical, literals_of
from models.cards import CARDS

VALUE = Categorical("a|b", ("<script>", "x & y", "line\nend"))
SHOW = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def test_a_list_is_a_table():
    rules = RuleList((Rule((literals_of(VALUE)[1],), "no"),), "yes", ("no", "yes"))
    assert rules.to_markdown().splitlines()[:5] == [
        "|  | if | then |",
        "| --- | --- | --- |",
        "| 1 | a\\|b = x &amp; y | no |",
        "| 2 | otherwise | yes |",
        "",
    ]


def test_counts_have_a_column():
    lines = write_list(["otherwise"], ["yes"], ["about 3 of 4"], "4 in all", Header(())).splitlines()
    assert lines[2:] == ["| 1 | otherwise | yes | about 3 of 4 |", "", "- 4 in all"]


def test_what_there_is_to_say_stands_below():
    lines = write_list(["otherwise"], ["yes"], None, "", Header(("<one>", "two"))).splitlines()
    assert lines[-3:] == ["", "- &lt;one&gt;", "- two"]


@pytest.mark.parametrize(
    "name",
    [
        "<b>x</b>",
        "<!--",
        "a | b",
        "`code`",
        "*x*",
        "_x_",
        "snake_case",
        "[a](b)",
        "![a](b)",
        "~~x~~",
        "\\|",
        "a\nb",
        "&lt;",
    ],
)
def test_a_name_is_shown_as_it_is(name):
    shown = SHOW.render(write_list([name], ["yes"], None, "", Header(())))
    cells = re.findall(r"<td>(.*)</td>", shown)
    assert cells == [
        "1",
        name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", " "),
        "yes",
    ]


@settings(deadline=None)
@given(st.text("<>&|`*_[]()!~\\$ab1\n\r\u2028"))
def test_no_text_becomes_markup(text):
    shown = SHOW.render(f"x {escape(text)} x").strip()
    assert re.fullmatch(r"<p>x[^<>]*x</p>", shown)


@pytest.mark.parametrize("name", CARDS)
def test_a_scorecard_is_two_tables_and_sentences(name):
    card = CARDS[name]
    words = card_words.describe_card(card)
    shown = SHOW.render(card.to_markdown(Header(("<one>",))))
    assert shown.count("<table>") == len(words.tables)
    cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*)</td>", shown)]
    assert cells == [cell for table in words.tables for row in table.rows for cell in row]
    items = [unescape(item) for item in re.findall(r"<li>(.*)</li>", shown)]
    assert items == [*words.opening, *words.closing, "<one>"]
