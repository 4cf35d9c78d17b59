"""A privacy statement as a small piece of HTML, for notebooks."""

import re
from html import escape

_TITLED = re.compile(r"([A-Z][a-z ]+): (.+)")
"""A line of a statement with a title, such as "Assumed public: ..."."""


def write_statement(statement: str) -> str:
    r"""Return the lines of a statement: what is guaranteed, then a title and a text for each of the others.

    Examples
    --------
    >>> write_statement("(1, 0)-differentially private.\nNoise: exact.")
    '<dl><dt>Guarantee</dt><dd>(1, 0)-differentially private.</dd><dt>Noise</dt><dd>exact.</dd></dl>'
    """
    guarantee = []
    entries = []
    for line in statement.splitlines():
        titled = _TITLED.fullmatch(line)
        if titled is None:
            guarantee.append(escape(line))
        else:
            entries.append(f"<dt>{escape(titled[1])}</dt><dd>{escape(titled[2])}</dd>")
    return f"<dl><dt>Guarantee</dt><dd>{'<br>'.join(guarantee)}</dd>{''.join(entries)}</dl>"
