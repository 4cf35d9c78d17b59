"""Lists as Markdown."""

import re
from collections.abc import Sequence

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
    table = [titles, ["---"] * len(titles), *([escape(cell) for cell in line] for line in lines)]
    rows = ["| " + " | ".join(line) + " |" for line in table]
    lines_below = [*([records] if records else []), *header.lines]
    return "\n".join([*rows, "", *(f"- {escape(line)}" for line in lines_below)])


def escape(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    Examples
    --------
    >>> escape("<b> | `x`")
    '&lt;b&gt; \\| \\`x\\`'
    """
    escaped = _MARKUP.sub(lambda found: "\\" + found[0], " ".join(text.splitlines()))
    return re.sub("[&<>]", lambda found: _HTML[found[0]], escaped)
