"""Lists as Markdown."""

from collections.abc import Sequence


def write_list(questions: Sequence[str], labels: Sequence[str], counted: Sequence[str] | None) -> str:
    """Return a table of rules; what could be read as Markdown or HTML is escaped."""
    header = ["", "if", "then", *(["records"] if counted else [])]
    lines = [[str(i + 1), question, label] for i, (question, label) in enumerate(zip(questions, labels, strict=True))]
    if counted:
        lines = [[*line, told] for line, told in zip(lines, counted, strict=True)]
    table = [header, ["---"] * len(header), *([_escape(cell) for cell in line] for line in lines)]
    return "\n".join("| " + " | ".join(line) + " |" for line in table)


def _escape(cell: str) -> str:
    for mark, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("\n", " "), ("\r", " ")):
        cell = cell.replace(mark, written)
    return cell
