"""Lists and scorecards as Markdown."""

import re
from collections.abc import Sequence

from dprules.models.card_words import CardWords
from dprules.models.export.header import Header

_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<!\w)_|_(?!\w)")
"""What could be read as Markdown; an underscore inside a word cannot."""
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def write_list(
    questions: Sequence[str], labels: Sequence[str], counted: Sequence[str] | None, records: str, header: Header
) -> str:
    """Return a table of rules, and below it what the header says; nothing in a name can become markup.

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
    header : Header
        What there is to say of the list.
    """
    titles = ["", "if", "then", *(["records"] if counted else [])]
    lines = [[str(i + 1), question, label] for i, (question, label) in enumerate(zip(questions, labels, strict=True))]
    if counted:
        lines = [[*line, words] for line, words in zip(lines, counted, strict=True)]
    lines_below = [*([records] if records else []), *header.lines]
    return "\n".join([*_write_table(titles, lines), "", *(f"- {escape(line)}" for line in lines_below)])


def write_card(words: CardWords, header: Header) -> str:
    """Return the tables of a scorecard, and below them its sentences and what the header says."""
    tables = ["\n".join(_write_table(table.titles, table.rows, "---:")) for table in words.tables]
    below = "\n".join(f"- {escape(line)}" for line in (*words.opening, *words.closing, *header.lines))
    return "\n\n".join([*tables, below])


def _write_table(titles: Sequence[str], rows: Sequence[Sequence[str]], mark: str = "---") -> list[str]:
    """Return a table; all columns but the first are aligned by a mark."""
    marks = ["---", *[mark] * (len(titles) - 1)]
    table = [[escape(title) for title in titles], marks, *([escape(cell) for cell in row] for row in rows)]
    return ["| " + " | ".join(line) + " |" for line in table]


def escape(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    Examples
    --------
    >>> escape("<b> | `x`")
    '&lt;b&gt; \\| \\`x\\`'
    """
    escaped = _MARKUP.sub(lambda found: "\\" + found[0], " ".join(text.splitlines()))
    return re.sub("[&<>]", lambda found: _HTML[found[0]], escaped)
