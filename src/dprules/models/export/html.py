"""Lists and scorecards as HTML, for notebooks: no scripts, nothing from the network, the colours of the page."""

from collections.abc import Sequence
from html import escape

from dprules.models.card_words import CardWords

_CELL = "text-align: left; padding: 0.2em 0.8em 0.2em 0; vertical-align: top"


def write_list(questions: Sequence[str], labels: Sequence[str], counted: Sequence[str] | None, records: str) -> str:
    """Return a table of rules; names and values are escaped.

    Parameters
    ----------
    questions : sequence of str
        What each rule asks, the default last.
    labels : sequence of str
        What each rule says.
    counted : sequence of str or None
        A few words on the records of each rule, if they were released.
    records : str
        A sentence on all records, or nothing.

    Examples
    --------
    >>> "age &lt; 30" in write_list(["age < 30", "otherwise"], ["low", "high"], None, "")
    True
    """
    header = ["", "if", "then", *(["records"] if counted else [])]
    rows = [[str(i + 1), question, label] for i, (question, label) in enumerate(zip(questions, labels, strict=True))]
    if counted:
        rows = [[*row, words] for row, words in zip(rows, counted, strict=True)]
    lines = [_write_row("th", header), *(_write_row("td", row) for row in rows)]
    above = f"<p>{escape(records)}</p>" if records else ""
    return f'{above}<table style="border-collapse: collapse">{"".join(lines)}</table>'


def _write_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"


def write_card(words: CardWords) -> str:
    """Return a scorecard as its tables, with sentences around them; names and values are escaped."""
    parts = [f"<p>{escape(' '.join(words.opening))}</p>"]
    for table in words.tables:
        lines = [_write_row("th", table.titles), *(_write_row("td", row) for row in table.rows)]
        parts.append(f'<table style="border-collapse: collapse">{"".join(lines)}</table>')
    return "".join([*parts, *(f"<p>{escape(sentence)}</p>" for sentence in words.closing)])
